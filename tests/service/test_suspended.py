"""Suspended games: shown, reported once, ended by operators, and no trouble for other games."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner
from structlog.testing import capture_logs

from endless_winter.cli.replay_file import ReplayError, from_store
from endless_winter.cli.store import store as store_command
from endless_winter.rules import RULES_VERSION
from endless_winter.rules.chance import commitment
from endless_winter.service import checking
from endless_winter.store import upkeep
from endless_winter.store.records import Append, LogEntry, chain_after
from endless_winter.store.schema import COLUMNS, row_hash
from endless_winter.store.sqlite import SqliteStore
from endless_winter.v1 import (
    clock_pb2,
    config_pb2,
    game_pb2,
    replay_pb2,
    replay_service_pb2_grpc,
    result_pb2,
)
from endless_winter.v1 import game_service_pb2 as g
from endless_winter.v1 import operator_service_pb2 as o
from endless_winter.v1 import operator_service_pb2_grpc as operators
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import replay_service_pb2 as r
from tests.engine.desk import START_UNIX_MS, Desk
from tests.service.hosting import LOG, hosted
from tests.service.inside import Inside, inside
from tests.service.player import Client
from tests.service.wire import Line, name_of, refused

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.engine.game import Game

SUSPENDED = game_pb2.GAME_STATUS_SUSPENDED
RUNNING = game_pb2.GAME_STATUS_RUNNING
ENDED = game_pb2.GAME_STATUS_ENDED
CLOCK = clock_pb2.TimeControl(decision_limit_ms=3_600_000)
FILE = "games.db"


def opened(folder: Path) -> SqliteStore:
    return SqliteStore.open(folder / FILE, synchronous="off")


def alter(folder: Path, statement: str, *values: Any) -> None:
    """Change a store as nothing of ours would."""
    with closing(sqlite3.connect(folder / FILE)) as file, file:
        assert file.execute(statement, values).rowcount


def rewrite(folder: Path, statement: str, *values: Any) -> None:
    """Change games as another version of this program would have written them."""
    alter(folder, statement, *values)
    columns = COLUMNS["games"]
    with closing(sqlite3.connect(folder / FILE)) as file, file:
        for key, *row in file.execute(f"SELECT id, {', '.join(columns)} FROM games").fetchall():
            file.execute(
                "UPDATE games SET row_hash = ? WHERE id = ?", (row_hash("games", *row), key)
            )


async def listed(server: Inside, *statuses: int, who: str = "anyone", **more: Any) -> Any:
    """The games that somebody sees, by their ids."""
    request = g.ListGamesRequest(statuses=statuses, **more)  # type: ignore[arg-type] # any number
    client = server.client(who)
    found = await client.games.ListGames(request, metadata=client.metadata)
    return {game.game_id: game for game in found.games}


async def statuses(server: Inside, *wanted: int) -> dict[str, int]:
    return {game_id: game.status for game_id, game in (await listed(server, *wanted)).items()}


async def seats(server: Inside, who: str, **more: Any) -> dict[str, int]:
    client = server.client(who)
    found = await client.play.ListMySeats(p.ListMySeatsRequest(**more), metadata=client.metadata)
    return {seat.game_id: seat.status for seat in found.seats}


async def aborted(server: Inside, game_id: str, request_id: str = "", note: str = "") -> Any:
    request = g.AbortGameRequest(game_id=game_id, request_id=request_id, note=note)
    host = server.client("operator")
    return (await host.games.AbortGame(request, metadata=host.metadata)).game


async def described(server: Inside, game_id: str, who: str) -> game_pb2.GameInfo:
    client = server.client(who)
    request = g.GetGameRequest(game_id=game_id)
    found: g.GetGameResponse = await client.games.GetGame(request, metadata=client.metadata)
    return found.game


def no_such_option(entry: replay_pb2.LogEntry) -> None:
    entry.choice.option_id = 999


def other_position(entry: replay_pb2.LogEntry) -> None:
    entry.position_hash = bytes(16)


def add_choice(folder: Path, game: Game, how: str) -> None:
    """Log a choice that nobody could have made, with all hashes right."""
    game_id, last = game.game_id, game.table.seq
    choice = replay_pb2.LogChoice(seat=game.table.deciding_seat, decision_id=last)
    entry = replay_pb2.LogEntry(seq=last + 1, time_unix_ms=START_UNIX_MS, choice=choice)
    globals()[how](entry)
    payload = entry.SerializeToString()
    chain = chain_after(game.chain, game_id, entry.seq, "choice", START_UNIX_MS, payload)
    logged = LogEntry(entry.seq, "choice", START_UNIX_MS, payload, chain)
    with opened(folder) as store:
        assert store.commit([Append(game_id, last, [logged])]) == [None]


OF_GAME = "WHERE game = (SELECT id FROM games WHERE game_id = ?)"
DAMAGE = {
    "a payload": f"UPDATE entries SET payload = x'0102' {OF_GAME} AND seq = 3",
    "a chain hash": f"UPDATE entries SET chain = zeroblob(32) {OF_GAME} AND seq = 3",
    "the seed": f"UPDATE secrets SET seed = CAST(x'01' || substr(seed, 2) AS BLOB) {OF_GAME}",
    "the salt": f"UPDATE secrets SET salt = CAST(x'01' || substr(salt, 2) AS BLOB) {OF_GAME}",
}
WHY = {
    "a payload": "entry 3 does not fit its chain hash",
    "a chain hash": "entry 3 does not fit its chain hash",
    "the seed": "seed and salt do not fit the commitment",
    "the salt": "seed and salt do not fit the commitment",
}
WAYS = pytest.mark.parametrize("how", ["no_such_option", "other_position", *DAMAGE])


def broken(folder: Path, how: str = "no_such_option", **more: Any) -> tuple[str, list[str]]:
    """A store with a game that cannot be continued, and games before and after it that can."""
    games = []
    with opened(folder) as store:
        desk = Desk(store)
        for number in range(3):
            desk.unix_ms += 1
            games.append(desk.running(time_control=CLOCK, **(more if number == 1 else {})))
    bad = games[1]
    if how in DAMAGE:
        alter(folder, DAMAGE[how], bad.game_id)
    else:
        add_choice(folder, bad, how)
    return bad.game_id, [games[0].game_id, games[2].game_id]


@WAYS
async def test_one_game_that_cannot_be_continued_takes_no_other_with_it(
    tmp_path: Path, how: str
) -> None:
    bad, good = broken(tmp_path, how)
    with capture_logs() as lines, opened(tmp_path) as store:
        async with inside(store) as server:
            assert set(server.host.engine.games) == set(good), "and their clocks run"
            running = dict.fromkeys(good, RUNNING)
            assert await statuses(server) == {**running, bad: SUSPENDED}
            assert await statuses(server, SUSPENDED) == {bad: SUSPENDED}
            assert await statuses(server, RUNNING) == running
            assert await seats(server, "player 0") == {**running, bad: SUSPENDED}
            assert bad not in await seats(server, "player 0", only_owing=True)
            for _ in range(2):
                refusal = await refused(server.client("player 0").view(bad))
                assert (refusal.status, refusal.reason) == (
                    "FAILED_PRECONDITION",
                    "VERSION_UNAVAILABLE",
                )
            for game_id in good:
                assert (await server.client("player 0").view(game_id)).status == RUNNING
    (line,) = [line for line in lines if line.get("game") == bad]
    assert line["event"] == "a game cannot be continued"


@pytest.mark.parametrize("how", ["a chain hash", "the salt"])
async def test_the_log_of_a_server_says_why_a_game_is_suspended(tmp_path: Path, how: str) -> None:
    bad, good = broken(tmp_path, how)
    with hosted(tmp_path, "--store", FILE) as server:
        async with Client(server.address, "player 0") as player:
            assert (await refused(player.view(bad, 0))).reason == "VERSION_UNAVAILABLE"
            assert (await player.view(good[0], 0)).status == RUNNING
    (line,) = [line for line in (tmp_path / LOG).read_text().splitlines() if bad in line]
    assert "a game cannot be continued" in line
    assert WHY[how] in line


async def test_a_game_without_a_clock_that_is_broken_is_found_so_when_somebody_asks(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as store:
        desk = Desk(store)
        bad, other = desk.running(), desk.running()
    add_choice(tmp_path, bad, "no_such_option")
    with opened(tmp_path) as store:
        async with inside(store) as server:
            assert not server.host.engine.games
            assert await seats(server, "player 0") == {
                bad.game_id: SUSPENDED,
                other.game_id: RUNNING,
            }
            assert await statuses(server, SUSPENDED) == {bad.game_id: SUSPENDED}


async def test_a_configuration_that_cannot_be_read_holds_up_no_start(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        desk = Desk(store)
        bad, good = [desk.running(time_control=CLOCK).game_id for _ in range(2)]
    alter(tmp_path, "UPDATE games SET config = x'ff' WHERE game_id = ?", bad)
    with opened(tmp_path) as store:
        async with inside(store) as server:
            assert set(server.host.engine.games) == {good}
            assert bad not in await listed(server), "nobody can tell for whom it was"


@WAYS
async def test_an_operator_ends_a_broken_game_as_the_servers_fault(
    tmp_path: Path, how: str
) -> None:
    bad, _ = broken(tmp_path, how)
    with opened(tmp_path) as store:
        async with inside(store) as server:
            for _ in range(2):  # a retry gets the same
                game = await aborted(server, bad, "a-1", "the disk")
                assert game.status == ENDED
                assert game.result.outcome == result_pb2.GAME_OUTCOME_SERVER_FAULT
                reason = result_pb2.END_REASON_SERVER_FAULT
                assert [seat.reason for seat in game.result.seats] == [reason, reason]
                # What does not fit the commitment is not revealed.
                reveal = game.seed_reveal
                assert game.HasField("seed_reveal") is (how not in ("the seed", "the salt"))
                if reveal.seed:
                    assert commitment(reveal.seed, reveal.salt) == game.seed_commitment.hex()
            assert await listed(server, SUSPENDED) == {}
            assert (await statuses(server))[bad] == ENDED
            assert bad not in await seats(server, "player 0")
            assert (await seats(server, "player 0", include_ended=True))[bad] == ENDED
        ended_ms = server.host.clock.unix_ms()
    old, _ = upkeep.prunable(tmp_path / FILE, ended_ms + 1)
    assert [game.game_id for game in old] == [bad]


async def test_only_operators_end_a_game_that_cannot_be_continued(tmp_path: Path) -> None:
    bad, _ = broken(tmp_path)
    with opened(tmp_path) as store:
        async with inside(store) as server:
            host = server.client("host")
            request = g.AbortGameRequest(game_id=bad)
            refusal = await refused(host.games.AbortGame(request, metadata=host.metadata))
            assert refusal.reason == "VERSION_UNAVAILABLE"


async def test_a_broken_game_with_a_seal_can_be_opened_when_it_was_ended(tmp_path: Path) -> None:
    bad, _ = broken(tmp_path, hold_reveal=True)
    with opened(tmp_path) as store:
        async with inside(store) as server:
            assert not (await aborted(server, bad)).HasField("seed_reveal")
            host = server.client("operator")
            stub: Any = operators.OperatorServiceStub(host.channel)
            for _ in range(2):
                request = o.ReleaseRevealRequest(game_ids=[bad])
                found = await stub.ReleaseReveal(request, metadata=host.metadata)
                assert found.games[0].seed_reveal.seed == bytes(32)
        ended_ms = server.host.clock.unix_ms()
    assert [one.game_id for one in upkeep.prunable(tmp_path / FILE, ended_ms + 1)[0]] == [bad]


async def test_games_of_other_rules_are_counted_reported_and_ended(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        desk = Desk(store)
        first, second = desk.running(), desk.seated()
        for _ in range(3):
            desk.answer(first)
    rewrite(tmp_path, "UPDATE games SET rules_version = 'next'")
    old = first.game_id
    with capture_logs() as lines, opened(tmp_path) as store:
        async with inside(store) as server:
            both = dict.fromkeys((old, second.game_id), SUSPENDED)
            assert await seats(server, "player 0") == both
            game = await aborted(server, old)
            assert game.result.outcome == result_pb2.GAME_OUTCOME_ABORTED
            assert game.result.decisions == 3
            assert await seats(server, "player 0") == {second.game_id: SUSPENDED}
    (warning,) = [line for line in lines if line["log_level"] == "warning"]
    assert warning["games"] == 2
    rewrite(tmp_path, "UPDATE games SET rules_version = ?", str(RULES_VERSION))
    with opened(tmp_path) as store:  # the server that knows those rules finds all in order
        async with inside(store) as server:
            assert (await server.client("player 0").view(old)).status == ENDED
            stub: Any = replay_service_pb2_grpc.ReplayServiceStub(server.client("anyone").channel)
            checked = await stub.VerifyReplay(r.VerifyReplayRequest(game_id=old))
            assert checked.verified, checked


async def test_a_log_that_breaks_off_is_shown_without_positions(tmp_path: Path) -> None:
    bad, _ = broken(tmp_path)
    with opened(tmp_path) as store:
        async with inside(store) as server:
            stub: Any = replay_service_pb2_grpc.ReplayServiceStub(server.client("anyone").channel)
            frames: list[replay_pb2.ReplayFrame] = []
            async for part in stub.StreamReplay(r.StreamReplayRequest(game_id=bad)):
                frames += part.frames
            assert len(frames) == store.heads([bad])[bad].seq
            assert frames[-2].HasField("view")
            assert not frames[-1].HasField("view")


async def test_a_closed_game_that_is_broken_stays_hidden(tmp_path: Path) -> None:
    bad, _ = broken(tmp_path, visibility=config_pb2.VISIBILITY_CLOSED)
    with opened(tmp_path) as store:
        async with inside(store) as server:
            for look in (server.client("stranger").view(bad), described(server, bad, "stranger")):
                assert (await refused(look)).reason == "GAME_NOT_FOUND"
            for who in ("player 1", "operator"):
                assert (await described(server, bad, who)).status == SUSPENDED


@WAYS
def test_a_check_that_replays_names_the_games_that_do_not_add_up(tmp_path: Path, how: str) -> None:
    bad, _ = broken(tmp_path, how)
    path = tmp_path / FILE
    if how not in DAMAGE:
        assert not list(upkeep.problems(path)), "no entry is missing"
    (line,) = checking.problems(path)
    assert line.startswith(f"game {bad}: ")
    done = CliRunner().invoke(store_command, ["check", str(path), "--replay"])
    assert done.exit_code == 1
    assert f"game {bad}" in done.output


def test_a_store_of_games_that_add_up_replays_without_a_word(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        desk = Desk(store)
        game = desk.running(undo_allowed=True)
        for _ in range(5):
            desk.answer(game)
        over = desk.running(hold_reveal=True)
        for seat in range(2):
            desk.leave(over, seat, f"player {seat}")
    assert not list(checking.problems(tmp_path / FILE))


async def test_a_turn_that_nobody_played_is_one_time_out_in_a_suspended_game_too(
    tmp_path: Path,
) -> None:
    control = clock_pb2.TimeControl(turn_limit_ms=60_000, timeouts_to_forfeit=9)
    with opened(tmp_path) as store:
        desk = Desk(store)
        game = desk.running(time_control=control)
        for _ in range(4):
            desk.advance(60_000)
        due = [seat.timeouts for seat in game.table.seats]
        assert sum(due) >= 3
    rewrite(tmp_path, "UPDATE games SET rules_version = 'next'")
    with opened(tmp_path) as store:
        async with inside(store) as server:
            info = await aborted(server, game.game_id)
            assert [seat.timeouts for seat in info.result.seats] == due


async def test_a_suspended_game_cannot_be_joined(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        desk = Desk(store)
        well, bad = desk.create(), desk.create()
    alter(tmp_path, DAMAGE["the seed"], bad.game_id)
    with opened(tmp_path) as store:
        async with inside(store) as server:
            await refused(server.client("anyone").view(bad.game_id))
            assert set(await listed(server, joinable=True)) == {well.game_id}
            refusal = await refused(server.client("anyone").join(bad.game_id))
            assert refusal.reason == "VERSION_UNAVAILABLE"


async def test_from_outside_a_suspended_game_is_seen_as_late_as_ever(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        async with inside(store) as server:  # for the calendar
            unix_ms = server.host.clock.unix_ms()
        desk = Desk(store)
        desk.unix_ms = unix_ms - 3_000_000
        game = desk.running(spectator_delay_ms=600_000)
        before = game.table.seq
        desk.unix_ms = unix_ms
        for _ in range(6):
            desk.answer(game)
        new = desk.running(spectator_delay_ms=600_000)
    rewrite(tmp_path, "UPDATE games SET rules_version = 'next'")
    with opened(tmp_path) as store:
        async with inside(store) as server:
            assert (await described(server, game.game_id, "stranger")).seq == before
            assert (await described(server, game.game_id, "player 0")).seq == game.table.seq
            assert (await described(server, new.game_id, "stranger")).seq == 1


# --- rows that are not what was written ---


def flip(folder: Path, column: str, game_id: str, at: int, bit: int) -> None:
    """Flip one bit of a value in the table of games."""
    (value,) = ask(folder, f"SELECT {column} FROM games WHERE game_id = ?", game_id)
    if isinstance(value, int):
        value ^= 1 << bit
    else:
        changed = bytearray(value)
        changed[at] ^= 1 << bit
        value = bytes(changed)
    alter(folder, f"UPDATE games SET {column} = ? WHERE game_id = ?", value, game_id)


def ask(folder: Path, query: str, *values: Any) -> Any:
    with closing(sqlite3.connect(folder / FILE)) as file:
        return file.execute(query, values).fetchone()


def two_endings(folder: Path) -> tuple[str, str]:
    """A store with two ended games."""
    with opened(folder) as store:
        desk = Desk(store)
        found = []
        for _ in range(2):
            game = desk.running()
            desk.abort(game, operator=True)
            found.append(game.game_id)
    return found[0], found[1]


def fits(info: game_pb2.GameInfo) -> bool:
    reveal = info.seed_reveal
    return commitment(reveal.seed, reveal.salt) == info.seed_commitment.hex()


async def test_a_damaged_summary_never_shows_a_reveal_that_does_not_fit(tmp_path: Path) -> None:
    bad, good = two_endings(tmp_path)
    summary, salt = ask(
        tmp_path,
        "SELECT summary, salt FROM games g JOIN secrets s ON s.game = g.id WHERE game_id = ?",
        bad,
    )
    flip(tmp_path, "summary", bad, summary.index(salt) + 2, 3)
    with opened(tmp_path) as store:
        async with inside(store) as server:
            found = await listed(server)
            for game_id in (bad, good):
                assert fits(found[game_id])
                assert fits(await described(server, game_id, "anyone"))


@pytest.mark.parametrize(
    ("column", "at", "bit"), [("summary", 0, 0), ("status", 0, 1), ("status", 0, 2)]
)
async def test_a_damaged_row_takes_no_list_with_it(
    tmp_path: Path, column: str, at: int, bit: int
) -> None:
    bad, good = two_endings(tmp_path)
    flip(tmp_path, column, bad, at, bit)
    with opened(tmp_path) as store:
        async with inside(store) as server:
            assert (await listed(server))[good].status == ENDED
            assert (await described(server, good, "anyone")).status == ENDED
            assert await seats(server, "player 0", include_ended=True)
            assert (await server.client("player 0").create(2)).game_id


@pytest.mark.parametrize("bit", [0, 1, 4])
async def test_a_damaged_status_holds_up_no_start(tmp_path: Path, bit: int) -> None:
    with opened(tmp_path) as store:
        desk = Desk(store)
        bad, good = desk.create().game_id, desk.running(time_control=CLOCK).game_id
    flip(tmp_path, "status", bad, 0, bit)
    with opened(tmp_path) as store:
        async with inside(store) as server:
            assert set(server.host.engine.games) == {good}
            assert (await refused(server.client("player 0").view(bad))).reason == (
                "VERSION_UNAVAILABLE"
            )


async def exported(server: Inside, game_id: str) -> list[replay_pb2.ReplayFile]:
    replays = replay_service_pb2_grpc.ReplayServiceStub(server.client("anyone").channel)
    request = r.ExportReplayRequest(game_id=game_id)
    return [part.piece async for part in replays.ExportReplay(request)]


@pytest.mark.parametrize("how", ["the seed", "the salt"])
async def test_no_record_has_a_secret_that_does_not_fit(tmp_path: Path, how: str) -> None:
    bad, good = two_endings(tmp_path)
    alter(tmp_path, DAMAGE[how], bad)
    with opened(tmp_path) as store:
        async with inside(store) as server:
            assert (await refused(exported(server, bad))).reason == "VERSION_UNAVAILABLE"
            assert await exported(server, good)
    with pytest.raises(ReplayError, match="is damaged"):
        from_store(tmp_path / FILE, bad)


async def framed(server: Inside, game_id: str, seq: int) -> replay_pb2.ReplayFrame:
    client = server.client("anyone")
    replays = replay_service_pb2_grpc.ReplayServiceStub(client.channel)
    request = r.GetFrameRequest(game_id=game_id, seq=seq)
    found: r.GetFrameResponse = await replays.GetFrame(request, metadata=client.metadata)
    return found.frame


async def test_a_replay_shows_no_position_of_another_seed(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        game = Desk(store).running()
        game_id, seq = game.game_id, game.table.seq
    with opened(tmp_path) as store:
        async with inside(store) as server:
            assert (await framed(server, game_id, seq)).HasField("view")
    alter(tmp_path, DAMAGE["the seed"], game_id)
    with opened(tmp_path) as store:
        async with inside(store) as server:
            frame = await framed(server, game_id, seq)
            assert not frame.HasField("view")
            assert frame.events


async def test_a_replay_ends_at_an_entry_that_is_not_as_it_was_written(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        game = Desk(store).running()
        game_id, seq = game.game_id, game.table.seq
    alter(tmp_path, DAMAGE["a payload"], game_id)
    with opened(tmp_path) as store:
        async with inside(store) as server:
            assert (await framed(server, game_id, 2)).seq == 2
            assert (await refused(framed(server, game_id, seq))).reason == "VERSION_UNAVAILABLE"


async def test_that_a_closed_ended_game_is_broken_is_hidden_from_strangers_on_a_stream(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as store:
        desk = Desk(store)
        game = desk.running(visibility=config_pb2.VISIBILITY_CLOSED)
        desk.abort(game, operator=True)
    alter(tmp_path, DAMAGE["the salt"], game.game_id)
    with opened(tmp_path) as store:
        async with inside(store) as server:
            for who, reason in (("stranger", "GAME_NOT_FOUND"), ("host", "VERSION_UNAVAILABLE")):
                async with Line(server.client(who)) as line:
                    report = await line.do(game_id=game.game_id, attach=p.Attach())
                    assert name_of(report.rejection) == reason
