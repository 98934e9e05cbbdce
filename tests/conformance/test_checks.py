"""Bots with one mistake each: the check that is meant for it catches it, and no other does."""

from __future__ import annotations

import asyncio
import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from endless_winter.cli.bot_check import LocalHost
from endless_winter.cli.process import COMMAND, running
from endless_winter.conformance import CHECKS, BotProcess, Outcome, Settings, run_checks
from endless_winter.conformance.harness import Clock
from endless_winter.conformance.watch import MOST_UNASKED, Watch
from endless_winter.v1 import decision_pb2, rejection_pb2, update_pb2
from endless_winter.v1 import play_service_pb2 as p

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.conformance import Host

BOT = Path(__file__).parent / "faulty_bot.py"
PATIENT = Settings(limit=20, patience=60, start=120)
AT_ONCE = 5  # bots side by side: most of the time they wait


class Case(NamedTuple):
    """A fault, the situations in which it shows, and the checks that fail then."""

    fault: str
    only: str
    failing: str
    settings: Settings = PATIENT


# Where a check fails because nothing happens, the wait is what the test costs.
BRIEF = Settings(limit=20, patience=3, start=120)
# What is listened for, until it comes.
WATCHFUL = Settings(limit=20, patience=60, start=120, quiet=60)
IMPATIENT = Settings(limit=1, patience=60, start=120)
QUICK = (
    Case("wrong name", "attaches", "attaches"),
    Case("late", "whole-game", "whole-game in-time", IMPATIENT),
    Case("hangs", "whole-game", "whole-game in-time", IMPATIENT),
    Case("crashes", "whole-game", "whole-game"),
    Case("attaches early", "closed-game", "closed-game seat-bound", WATCHFUL),
    Case("knows its reasons only", "unknown-reason", "unknown-reason", BRIEF),
    Case("illegal", "several-games", "legal"),
    Case("floods", "several-games", "several-games no-flood"),
    Case("answers twice", "duplicate", "one-answer"),
    Case("insists", "stale", "rejections"),
    Case("gives up", "illegal", "illegal", BRIEF),
    Case("trusts its plans", "short-plan", "short-plan", BRIEF),
    Case("chokes on the unknown", "unknown", "unknown"),
    Case("never resumes", "cut", "cut", BRIEF),
    Case("new ids after a cut", "cut", "repeats"),
    Case("no after_seq", "cut", "resumes"),
    Case("ignores SIGTERM", "leaves", "leaves", Settings(start=120, leave=1)),
)
MORE = (
    Case("no secret", "attaches", "attaches"),
    Case("never attaches", "attaches", "attaches", Settings(start=2)),
    Case("declines", "takes-seat", "takes-seat"),
    Case("never ready", "takes-seat", "takes-seat", BRIEF),
    Case("no hello", "takes-seat", "takes-seat hello legal", BRIEF),
    Case("empty request ids", "takes-seat", "request-ids"),
    Case("answers what it was not asked", "several-games", "own-decisions legal"),
    Case("a stream per game", "several-games", "several-games"),
    Case("one id for all", "several-games", "several-games request-ids legal", BRIEF),
    Case("insists", "late", "rejections"),
    Case("breaks when refused", "stale", "stale"),
    Case("breaks when refused", "late", "late"),
    Case("breaks when refused", "ends-under-way", "ends-under-way"),
    Case("trips over duplicates", "duplicate", "duplicate"),
    Case("trips over snapshots", "snapshot", "snapshot"),
    Case("waits for its acknowledgement", "lost-acknowledgement", "lost-acknowledgement", BRIEF),
    Case("breaks when refused", "short-clock", "short-clock"),
    Case("stubborn", "illegal", "illegal"),
    Case("does not wait", "refused-for-now", "refused-for-now"),
    Case("tries whatever is new again", "unknown-reason", "unknown-reason rejections", WATCHFUL),
    Case("forgets its seats", "lost-seat-bound", "lost-seat-bound", BRIEF),
    Case("slow with many options", "many-options", "many-options", BRIEF),
    Case("talks after the end", "ends-under-way", "stops"),
    Case("never lets go", "revoked", "revoked rejections"),
    Case("repeats nothing", "cut", "cut", BRIEF),
    Case("always from the start", "cut", "cut"),
    Case("never resumes", "cut-within-message", "cut-within-message", BRIEF),
    Case("forgets its seats", "bot-restart", "bot-restart", BRIEF),
)
RESTARTS = (
    Case("no backoff", "restart", "restart"),
    Case("no arena again", "drain", "drain", BRIEF),
    Case("never resumes", "restart", "restart", BRIEF),
)


class Shared:
    """A server that runs for many checks at the same time; it is not restarted."""

    operator_token = "the-operator-token-of-the-tests"

    def __init__(self) -> None:
        self.address = ""

    def start(self) -> str:
        return self.address

    def kill(self) -> None:
        """It is still needed."""

    def stop(self) -> None:
        raise AssertionError("a check that restarts the server needs one of its own")


@pytest.fixture(scope="module")
def shared() -> Iterator[Shared]:
    host = Shared()
    flags = ("--operator-token", host.operator_token, "--synchronous", "off")
    with running((*COMMAND, *flags, "--log-level", "error")) as server:
        host.address = server.address
        yield host


def bot(fault: str = "") -> BotProcess:
    return BotProcess(shlex.join([sys.executable, str(BOT), *([fault] if fault else [])]))


def failing(outcomes: list[Outcome]) -> set[str]:
    return {outcome.check.name for outcome in outcomes if outcome.status == "fail"}


async def found(case: Case, host: Host) -> tuple[str, str, set[str]]:
    outcomes = await run_checks(bot(case.fault), host, case.settings, {*case.only.split()})
    for outcome in outcomes:
        assert outcome.status != "fail" or (outcome.why and outcome.check.advice)
        if outcome.status == "fail" and outcome.check.name not in case.failing.split():
            print(case.fault, outcome.check.name, outcome.why)  # shown if the test fails
    return case.fault, case.only, failing(outcomes)


def expected(cases: tuple[Case, ...]) -> list[tuple[str, str, set[str]]]:
    return [(case.fault, case.only, {*case.failing.split()}) for case in cases]


async def all_found(cases: tuple[Case, ...], host: Host) -> list[tuple[str, str, set[str]]]:
    places = asyncio.Semaphore(AT_ONCE)

    async def one(case: Case) -> tuple[str, str, set[str]]:
        async with places:
            return await found(case, host)

    return await asyncio.gather(*map(one, cases))


async def test_a_mistake_is_caught_by_its_check_and_by_no_other(shared: Shared) -> None:
    assert await all_found(QUICK, shared) == expected(QUICK)


@pytest.mark.soak
async def test_every_mistake_is_caught_by_its_check_and_by_no_other(shared: Shared) -> None:
    assert await all_found(MORE, shared) == expected(MORE)


@pytest.mark.soak
async def test_mistakes_that_show_when_the_server_goes() -> None:
    async def one(case: Case) -> tuple[str, str, set[str]]:
        with LocalHost() as host:
            return await found(case, host)

    assert await asyncio.gather(*map(one, RESTARTS)) == expected(RESTARTS)


@pytest.mark.soak
async def test_a_bot_by_the_book_passes_everything() -> None:
    with LocalHost() as host:
        outcomes = await run_checks(bot(), host, PATIENT)
    assert [(outcome.check.name, outcome.why) for outcome in outcomes if outcome.why] == []
    assert [outcome.check for outcome in outcomes] == list(CHECKS)


async def test_a_bot_for_one_game_is_not_asked_for_several(shared: Shared) -> None:
    outcomes = await run_checks(bot("capacity of one"), shared, PATIENT, {"several-games"})
    assert failing(outcomes) == set()
    (several,) = [one for one in outcomes if one.check.name == "several-games"]
    assert several.status == "skip"
    assert several.why == "it offers 1 seats only, 4 are needed"


async def test_a_bot_that_makes_no_plans_is_not_asked_about_them(shared: Shared) -> None:
    outcomes = await run_checks(bot("plans nothing"), shared, PATIENT, {"short-plan"})
    assert failing(outcomes) == set()
    (short,) = [one for one in outcomes if one.check.name == "short-plan"]
    assert (short.status, short.why) == ("skip", "it sent no plan in 40 answers")


def test_every_check_has_a_bot_that_fails_it() -> None:
    caught = {name for case in (*QUICK, *MORE, *RESTARTS) for name in case.failing.split()}
    assert {check.name for check in CHECKS} - caught == set()


class Bystander:
    """A watch, a clock of the test's own, and one seat of the bot."""

    def __init__(self) -> None:
        self.now = 100.0
        self.watch = Watch(limit=5, now=lambda: self.now)
        self.watch.bound("game", 0)

    def asked(self, line: int) -> None:
        self.watch.command(line, p.PlayCommand(hello=p.Hello(least_revision=1)))
        self.watch.command(
            line, p.PlayCommand(request_id="a", game_id="game", seat=0, attach=p.Attach())
        )
        decision = decision_pb2.Decision(decision_id=7, seat=0)
        update = update_pb2.Update(seq=7, prompt=decision_pb2.Prompt(decision=decision))
        self.watch.report(line, p.PlayReport(game_id="game", seat=0, update=update))

    def answers(self, line: int) -> None:
        answer = decision_pb2.Answer(decision_id=7, take_default=True)
        command = p.PlayCommand(request_id="d7", game_id="game", seat=0, answer=answer)
        self.watch.command(line, command)

    def refused(self, line: int, retry_after_ms: int | None) -> None:
        rejection = rejection_pb2.Rejection(
            reason=rejection_pb2.REJECTION_REASON_STORE_UNAVAILABLE, retry_after_ms=retry_after_ms
        )
        report = p.PlayReport(request_id="d7", game_id="game", seat=0, rejection=rejection)
        self.watch.report(line, report)


def test_the_time_that_a_bot_needs_to_start_again_is_no_thinking() -> None:
    """On a busy machine a new process took longer than one choice may."""
    seen = Bystander()
    seen.asked(line=1)
    seen.now += 60
    seen.watch.restarted()
    seen.asked(line=2)
    seen.now += 1
    seen.answers(line=2)
    assert seen.watch.mistakes == {}


def test_an_answer_that_takes_too_long_on_one_stream_is_noticed() -> None:
    seen = Bystander()
    seen.asked(line=1)
    seen.now += 6
    seen.answers(line=1)
    assert seen.watch.mistakes == {"in-time": ["an answer took 6.0 s; allowed are 5 s"]}


@pytest.mark.parametrize(("retry_after_ms", "mistakes"), [(None, ["rejections"]), (5, [])])
def test_only_what_may_be_tried_again_is_sent_again(
    retry_after_ms: int | None, mistakes: list[str]
) -> None:
    seen = Bystander()
    seen.asked(line=1)
    seen.answers(line=1)
    seen.refused(1, retry_after_ms)
    seen.answers(line=1)
    assert list(seen.watch.mistakes) == mistakes


async def test_time_in_which_the_checker_itself_stood_still_does_not_count() -> None:
    clock = Clock()
    clock.start()
    await asyncio.sleep(0)
    real, counted = time.monotonic(), clock.now()
    time.sleep(0.5)  # noqa: ASYNC251 # the point: nothing else runs meanwhile
    for _ in range(3):
        await asyncio.sleep(0.05)
    assert clock.now() - counted < time.monotonic() - real - 0.3
    clock.stop()


def test_a_flood_is_one_however_quickly_it_is_answered() -> None:
    watch = Watch(limit=5)
    watch.command(1, p.PlayCommand(hello=p.Hello(least_revision=1)))
    for _ in range(2 * MOST_UNASKED):
        watch.command(1, p.PlayCommand(request_id="ping", ping=p.Ping()))
        watch.report(1, p.PlayReport(request_id="ping", pong=p.Pong()))
    assert watch.flooding
    assert list(watch.mistakes) == ["no-flood"]
