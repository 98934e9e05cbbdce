"""Games that cannot be continued: shown, told once, ended by operators, no other game's trouble."""

from __future__ import annotations

import asyncio
import sqlite3
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from structlog.testing import capture_logs

from endless_winter.cli.store import store
from endless_winter.service import checking
from endless_winter.service import hall as halls
from endless_winter.service.asked import Asked
from endless_winter.service.games import GameServicer
from endless_winter.service.identity import OPERATOR_KEY, operator_hash
from endless_winter.service.operators import OperatorServicer
from endless_winter.service.play import PlayServicer
from endless_winter.service.refusal import Refusal
from endless_winter.service.replays import ReplayServicer
from endless_winter.service.suspended import BROKEN, OTHER_RULES
from endless_winter.store import Entry, SqliteStore, upkeep
from endless_winter.v1 import clock_pb2, config_pb2, game_pb2, replay_pb2, result_pb2
from endless_winter.v1 import game_service_pb2 as g
from endless_winter.v1 import operator_service_pb2 as o
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.v1 import replay_service_pb2 as r
from tests.service.desk import NOW, Context, Desk, caller, config, desk
from tests.service.hosting import OPERATOR

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from endless_winter.service.session import Session

SUSPENDED = game_pb2.GAME_STATUS_SUSPENDED
ENDED = game_pb2.GAME_STATUS_ENDED
OPERATORS = (operator_hash(OPERATOR),)
CLOCK = clock_pb2.TimeControl(decision_limit_ms=1000)


HOST: Any = Context("operator", (OPERATOR_KEY, OPERATOR))


async def listed(at: Desk, *statuses: int, who: str = "anyone") -> dict[str, int]:
    request = g.ListGamesRequest(statuses=statuses)  # type: ignore[arg-type] # any number
    found: Any = await GameServicer(at.hall).ListGames(request, Context(who))
    return {game.game_id: game.status for game in found.games}


async def seats(at: Desk, who: str, **more: Any) -> dict[str, int]:
    request = p.ListMySeatsRequest(**more)
    found: Any = await PlayServicer(at.hall).ListMySeats(request, Context(who))
    return {seat.game_id: seat.status for seat in found.seats}


async def aborted(at: Desk, game_id: str, request_id: str = "", note: str = "") -> Any:
    request = g.AbortGameRequest(game_id=game_id, request_id=request_id, note=note)
    return (await GameServicer(at.hall).AbortGame(request, HOST)).game


def no_such_option(entry: replay_pb2.LogEntry) -> None:
    entry.choice.option_id = 999


def other_position(entry: replay_pb2.LogEntry) -> None:
    entry.position_hash = bytes(16)


async def add_choice(
    folder: Path, game_id: str, spoil: Callable[[replay_pb2.LogEntry], None], seat: int
) -> None:
    """Log a first choice that nobody could have made."""
    async with await SqliteStore.open(folder / "games.db", synchronous="off") as kept:
        header = await kept.get_game(game_id)
        assert header is not None
        last = header.last_seq
        choice = replay_pb2.LogChoice(seat=seat, decision_id=last)
        entry = replay_pb2.LogEntry(seq=last + 1, time_unix_ms=NOW, choice=choice)
        spoil(entry)
        await kept.append(game_id, last, [Entry("choice", NOW, entry.SerializeToString())])


def damage(folder: Path, game_id: str) -> None:
    """Spoil the log of a game as a bad disk would."""
    with sqlite3.connect(folder / "games.db") as file:
        file.execute(
            "UPDATE logs SET data = x'0102' WHERE game = (SELECT id FROM games WHERE game_id = ?)",
            (game_id,),
        )
    file.close()


async def broken(folder: Path, how: str = "no_such_option", **more: Any) -> tuple[str, list[str]]:
    """A store with a game that cannot be continued, and games before and after it that can."""
    async with desk(folder) as at:
        tables = []
        for number in range(3):
            at.time.now += 1
            wanted = more if number == 1 else {}
            tables.append((await at.running(time_control=CLOCK, **wanted)).table)
    bad, seat = tables[1].game_id, tables[1].deciding_seat
    if how == "damaged":
        damage(folder, bad)
    else:
        await add_choice(folder, bad, globals()[how], seat)
    return bad, [tables[0].game_id, tables[2].game_id]


WAYS = pytest.mark.parametrize("how", ["no_such_option", "other_position", "damaged"])


@WAYS
async def test_one_game_that_cannot_be_continued_takes_no_other_with_it(
    tmp_path: Path, how: str
) -> None:
    bad, good = await broken(tmp_path, how)
    with capture_logs() as lines:
        async with desk(tmp_path) as at:
            assert await at.hall.wake_unfinished() == 3
            await at.hall.roused()
            assert set(at.hall.sessions) == set(good), "and their clocks run"
            running = dict.fromkeys(good, game_pb2.GAME_STATUS_RUNNING)
            assert await listed(at) == {**running, bad: SUSPENDED}
            assert await listed(at, SUSPENDED) == {bad: SUSPENDED}
            assert await listed(at, game_pb2.GAME_STATUS_RUNNING) == running
            assert await seats(at, "player 0") == {**running, bad: SUSPENDED}
            assert bad not in await seats(at, "player 0", only_owing=True)
            with pytest.raises(Refusal) as refused:
                await at.hall.find(bad, caller("player 0"))
            assert refused.value.reason == reasons.REJECTION_REASON_VERSION_UNAVAILABLE
            assert "operator" in refused.value.message
    told = [line for line in lines if line.get("game") == bad]
    assert [line["event"] for line in told] == ["a game cannot be continued"], "once"


async def test_a_game_without_a_clock_that_is_broken_is_found_so_when_somebody_asks(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        table = (await at.running()).table
        other = (await at.running()).table.game_id
    await add_choice(tmp_path, table.game_id, no_such_option, table.deciding_seat)
    async with desk(tmp_path) as at:
        assert await at.hall.wake_unfinished() == 0
        assert await seats(at, "player 0") == {
            table.game_id: SUSPENDED,
            other: game_pb2.GAME_STATUS_RUNNING,
        }
        assert await listed(at, SUSPENDED) == {table.game_id: SUSPENDED}


async def test_a_configuration_that_cannot_be_read_holds_up_no_start(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        bad, good = [(await at.running(time_control=CLOCK)).table.game_id for _ in range(2)]
    with sqlite3.connect(tmp_path / "games.db") as file:
        file.execute("UPDATE games SET config = x'ff' WHERE game_id = ?", (bad,))
    file.close()
    async with desk(tmp_path) as at:
        assert await at.hall.wake_unfinished() == 1
        await at.hall.roused()
        assert set(at.hall.sessions) == {good}
        assert bad not in await listed(at), "nobody can tell for whom it was"


@WAYS
async def test_an_operator_ends_a_broken_game_as_the_servers_fault(
    tmp_path: Path, how: str
) -> None:
    bad, _ = await broken(tmp_path, how)
    async with desk(tmp_path, operators=OPERATORS) as at:
        await at.hall.wake_unfinished()
        await at.hall.roused()
        for _ in range(2):  # a retry gets the same
            game = await aborted(at, bad, "a-1", "the disk")
            assert game.status == ENDED
            assert game.result.outcome == result_pb2.GAME_OUTCOME_SERVER_FAULT
            reason = result_pb2.END_REASON_SERVER_FAULT
            assert [seat.reason for seat in game.result.seats] == [reason, reason]
            assert game.seed_reveal.seed == bytes(32)
        assert await listed(at, SUSPENDED) == {}
        assert (await listed(at))[bad] == ENDED
        assert bad not in await seats(at, "player 0")
        assert (await seats(at, "player 0", include_ended=True))[bad] == ENDED
    old, _ = upkeep.prunable(tmp_path / "games.db", NOW * 2)
    assert [game.game_id for game in old] == [bad]


async def test_only_operators_end_a_game_that_cannot_be_continued(tmp_path: Path) -> None:
    bad, _ = await broken(tmp_path)
    async with desk(tmp_path) as at:
        with pytest.raises(AssertionError, match="add up"):
            await GameServicer(at.hall).AbortGame(g.AbortGameRequest(game_id=bad), Context("host"))


async def test_a_broken_game_with_a_seal_can_be_opened_when_it_was_ended(tmp_path: Path) -> None:
    bad, _ = await broken(tmp_path, hold_reveal=True)
    async with desk(tmp_path, operators=OPERATORS) as at:
        assert not (await aborted(at, bad)).HasField("seed_reveal")
        request = o.ReleaseRevealRequest(game_ids=[bad])
        for _ in range(2):
            found: Any = await OperatorServicer(at.hall).ReleaseReveal(request, HOST)
            assert found.games[0].seed_reveal.seed == bytes(32)
    assert [game.game_id for game in upkeep.prunable(tmp_path / "games.db", NOW * 2)[0]] == [bad]


async def test_games_of_other_rules_are_counted_told_and_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:
        first = await at.running()
        for _ in range(3):
            await at.answer(first)
        before = first.table
        second = (await at.seated()).table.game_id
    monkeypatch.setattr(halls, "RULES", "next")
    old = before.game_id
    with capture_logs() as lines:
        async with desk(tmp_path, operators=OPERATORS) as at:
            await at.hall.wake_unfinished()
            assert await seats(at, "player 0") == dict.fromkeys((old, second), SUSPENDED)
            game = await aborted(at, old)
            assert game.result.outcome == result_pb2.GAME_OUTCOME_ABORTED
            assert game.result.decisions == 3
            assert await seats(at, "player 0") == {second: SUSPENDED}
    (warning,) = [line for line in lines if line["log_level"] == "warning"]
    assert warning["games"] == 2
    monkeypatch.undo()
    async with desk(tmp_path) as at:  # the server that knows those rules finds all in order
        session = await at.hall.find(old, caller("player 0"))
        assert session.table.status == ENDED
        checked: Any = await ReplayServicer(at.hall).VerifyReplay(
            r.VerifyReplayRequest(game_id=old), Context("anyone")
        )
        assert checked.verified, checked


async def test_a_log_that_breaks_off_is_shown_without_positions(tmp_path: Path) -> None:
    bad, _ = await broken(tmp_path)
    async with desk(tmp_path) as at:
        request = r.StreamReplayRequest(game_id=bad)
        frames: list[replay_pb2.ReplayFrame] = []
        async for body in ReplayServicer(at.hall).StreamReplay(request, Context("anyone")):
            frames += r.StreamReplayResponse.FromString(body).frames
        header = await at.hall.store.get_game(bad)
        assert header is not None
        assert len(frames) == header.last_seq
        assert frames[-2].HasField("view")
        assert not frames[-1].HasField("view")


async def test_a_closed_game_that_is_broken_stays_hidden(tmp_path: Path) -> None:
    bad, _ = await broken(tmp_path, visibility=config_pb2.VISIBILITY_CLOSED)
    async with desk(tmp_path) as at:
        for look in (at.hall.find, at.hall.describe):
            with pytest.raises(Refusal) as refused:
                await look(bad, caller("stranger"))
            assert refused.value.reason == reasons.REJECTION_REASON_GAME_NOT_FOUND
        assert (await at.hall.describe(bad, caller("player 1"))).status == SUSPENDED
        operator = caller("stranger")._replace(operator=True)
        assert (await at.hall.describe(bad, operator)).status == SUSPENDED


@WAYS
def test_a_check_that_replays_names_the_games_that_do_not_add_up(tmp_path: Path, how: str) -> None:
    bad, _ = asyncio.run(broken(tmp_path, how))
    path = tmp_path / "games.db"
    if how != "damaged":
        assert not list(upkeep.problems(path)), "no entry is missing"
    (line,) = checking.problems(path)
    assert line.startswith(f"game {bad}: ")
    told = CliRunner().invoke(store, ["check", str(path), "--replay"])
    assert told.exit_code == 1
    assert told.output.count(line) == 1


async def test_a_store_of_games_that_add_up_replays_without_a_word(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(undo_allowed=True)
        for _ in range(5):
            await at.answer(session)
        over = await at.running(hold_reveal=True)
        await over.abort(result_pb2.GAME_OUTCOME_ABORTED)
    assert not list(checking.problems(tmp_path / "games.db"))


async def suspended(at: Desk, session: Session, why: str = BROKEN) -> None:
    """As if this server had found the game so."""
    header = await at.hall.store.get_game(session.table.game_id)
    assert header is not None
    session.close()
    del at.hall.sessions[header.game_id]
    at.hall._suspend(header, why)


async def test_a_turn_that_nobody_played_is_one_time_out_in_a_suspended_game_too(
    tmp_path: Path,
) -> None:
    control = clock_pb2.TimeControl(turn_limit_ms=60_000, timeouts_to_forfeit=9)
    async with desk(tmp_path) as at:
        session = await at.running(time_control=control)
        for _ in range(4):
            await at.time.advance(60_000)
        due = [seat.timeouts for seat in session.table.seats]
        assert sum(due) >= 3
        await suspended(at, session)
        operator = caller("operator")._replace(operator=True)
        asked = Asked(252, "", b"abort")
        game = await at.hall.end_suspended(session.table.game_id, operator, "", asked)
        info = await game.info()
        assert [seat.timeouts for seat in info.result.seats] == due


async def test_a_suspended_game_cannot_be_joined(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        wanted = g.CreateGameRequest(config=config(2))
        well, _ = await at.hall.create(caller("host"), wanted)
        broken, _ = await at.hall.create(caller("host"), wanted)
        await suspended(at, broken)
        found: Any = await GameServicer(at.hall).ListGames(
            g.ListGamesRequest(joinable=True),
            Context("anyone"),
        )
        assert [game.game_id for game in found.games] == [well.table.game_id]


async def test_from_outside_a_suspended_game_is_seen_as_late_as_ever(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(spectator_delay_ms=600_000)
        await at.time.advance(600_000)
        for _ in range(6):
            await at.answer(session)
        game_id, stranger = session.table.game_id, caller("stranger")
        before = await at.hall.describe(game_id, stranger)
        assert before.seq < session.table.seq
        await suspended(at, session, OTHER_RULES)
        assert (await at.hall.describe(game_id, stranger)).seq == before.seq
        assert (await at.hall.describe(game_id, caller("player 0"))).seq == session.table.seq
        await at.time.advance(600_000)
        assert (await at.hall.describe(game_id, stranger)).seq == session.table.seq
