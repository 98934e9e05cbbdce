"""All checks by name, and how they are run."""

from __future__ import annotations

import inspect
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from endless_winter.conformance import disturbances, refusals, situations
from endless_winter.conformance.harness import Harness, Host, NotAsked, Settings, Wrong

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from collections.abc import Set as AbstractSet

    from endless_winter.conformance.process import BotProcess

Status = Literal["pass", "fail", "skip"]
ATTACHES = "attaches"


@dataclass(frozen=True, slots=True)
class Check:
    """Something that a bot has to do right, and what to do if it does not."""

    name: str
    about: str
    advice: str
    run: Callable[[Harness], Awaitable[None]] | None = None  # None: watched all the time


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a check ended; `why` says what was wrong, or why it was skipped."""

    check: Check
    status: Status
    why: str = ""
    seconds: float = 0.0


def _situation(run: Callable[[Harness], Awaitable[None]]) -> Check:
    about, _, advice = (inspect.getdoc(run) or "").partition("\n")
    name = run.__name__.replace("_", "-")
    return Check(name, about.rstrip("."), " ".join(advice.split()), run)


SITUATIONS = tuple(
    _situation(run)
    for run in (
        situations.attaches,
        situations.takes_seat,
        situations.whole_game,
        situations.closed_game,
        situations.several_games,
        situations.duplicate,
        refusals.stale,
        refusals.late,
        refusals.short_clock,
        refusals.illegal,
        refusals.short_plan,
        refusals.refused_for_now,
        refusals.unknown_reason,
        situations.unknown,
        situations.many_options,
        situations.ends_under_way,
        situations.revoked,
        disturbances.cut,
        disturbances.lost_seat_bound,
        disturbances.lost_acknowledgement,
        disturbances.cut_within_message,
        disturbances.snapshot,
        disturbances.drain,
        disturbances.restart,
        disturbances.bot_restart,
        disturbances.leaves,
    )
)

WATCHED = tuple(
    Check(name, about, advice)
    for name, about, advice in (
        (
            "hello",
            "Every Play stream begins with one Hello",
            "Send Hello as the first command of a stream, and only then; least_revision is 1.",
        ),
        (
            "seat-bound",
            "It attaches a seat after SeatBound says that the seat is its own",
            "Attach when SeatBound comes, or what ListMySeats names; not when you accept an offer.",
        ),
        (
            "in-time",
            "Every prompt is answered in time",
            "Watch the deadline of the prompt, and send the best you have before it passes.",
        ),
        (
            "own-decisions",
            "It answers only decisions that it was asked",
            "Take decision_id, game_id and seat of the answer from the prompt that it answers.",
        ),
        (
            "one-answer",
            "It answers a decision once",
            "Remember the decision_id that you have answered; repeat the same command if you must.",
        ),
        (
            "request-ids",
            "Each command that is logged has a request id of its own, at most 64 characters",
            "Make it from the decision, for example 'd' and the decision_id; keep it for repeats.",
        ),
        (
            "repeats",
            "What is repeated after a cut is repeated under its old request id",
            "Keep the whole command until it is answered, and send that one again.",
        ),
        (
            "resumes",
            "A game is attached again with after_seq, the last sequence number it was sent",
            "Remember Update.seq per game; send it as Attach.after_seq.",
        ),
        (
            "legal",
            "It sends nothing that the server refuses as a mistake",
            "Send only options of the prompt; docs/protocol.md has the list of refusals.",
        ),
        (
            "rejections",
            "What is refused without retry_after_ms it does not send again",
            "Drop the command; the next update says how the game goes on.",
        ),
        (
            "stops",
            "After the result it sends nothing more for the game",
            "Forget the game with the update that carries the result.",
        ),
        (
            "no-flood",
            "It sends commands only when something asks for them",
            "Answer prompts, say Ready when asked, and wait in between.",
        ),
    )
)
CHECKS = (*SITUATIONS, *WATCHED)
NAMES = tuple(check.name for check in SITUATIONS)


async def run_checks(
    bot: BotProcess,
    host: Host,
    settings: Settings,
    only: AbstractSet[str] = frozenset(),
    report: Callable[[Outcome], None] = lambda _: None,
) -> list[Outcome]:
    """Put the bot through the situations; `only`: these of them, by name."""
    outcomes: list[Outcome] = []

    def add(outcome: Outcome) -> None:
        outcomes.append(outcome)
        report(outcome)

    async with Harness(bot, host, settings) as harness:
        for check in SITUATIONS:
            if only and check.name not in only and check.name != ATTACHES:
                continue
            outcome = await _run(harness, check)
            add(outcome)
            if check.name == ATTACHES and outcome.status == "fail":
                for other in SITUATIONS[1:]:
                    if not only or other.name in only:
                        add(Outcome(other, "skip", "the bot did not attach"))
                break
        played = any(outcome.status != "skip" for outcome in outcomes[1:])
        for check in WATCHED:
            found = harness.watch.mistakes.get(check.name, [])
            if found:
                add(Outcome(check, "fail", "; ".join(found)))
            elif played:
                add(Outcome(check, "pass"))
            else:
                add(Outcome(check, "skip", "the bot has not played"))
    return outcomes


async def _run(harness: Harness, check: Check) -> Outcome:
    """One situation; a bot that failed it, or ended, is started anew for the next."""
    assert check.run is not None
    began = time.monotonic()
    status: Status = "pass"
    why = ""
    try:
        if not harness.bot.running and check.name != ATTACHES:
            await harness.start_bot()
        await check.run(harness)
        await harness.check_alive()
    except Wrong as wrong:
        status, why = "fail", str(wrong)
        harness.expected_end = True
        await harness.bot.kill()
    except NotAsked as reason:
        status, why = "skip", str(reason)
    await harness.clear()
    return Outcome(check, status, why, time.monotonic() - began)
