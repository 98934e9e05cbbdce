"""Ended games are listed from what was kept of them at their end: no log is read for it."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from endless_winter.service.games import GameServicer
from endless_winter.store import SqliteStore, upkeep
from endless_winter.v1 import clock_pb2, game_pb2, replay_pb2, result_pb2
from endless_winter.v1 import game_service_pb2 as g
from tests.service.desk import Context, Desk, caller, desk

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from endless_winter.service.proposals import Draft
    from endless_winter.service.session import Session


def release(draft: Draft) -> None:
    draft.add(replay_pb2.LogEntry(released=replay_pb2.LogReleased()))


async def played_out(session: Session) -> None:
    """Everybody leaves, and defaults play the game to its end."""
    for seat in range(2):
        await session.leave(caller(f"player {seat}"), seat)


async def endings(at: Desk) -> dict[str, game_pb2.GameInfo]:
    """Games that ended in every way, as everyone may know them."""
    scored = await at.running()
    await played_out(scored)
    aborted = await at.running(time_control=clock_pb2.TimeControl(bank_ms=1000))
    await at.answer(aborted)
    await aborted.abort(result_pb2.GAME_OUTCOME_ABORTED)
    never = await at.seated(3, title="never")
    await never.abort(result_pb2.GAME_OUTCOME_NEVER_STARTED)
    sealed = await at.running(hold_reveal=True)
    await played_out(sealed)
    opened = await at.running(hold_reveal=True)
    await played_out(opened)
    at.time.now += 10
    await opened.amend(None, release)
    late = await at.running(spectator_delay_ms=60_000)
    await played_out(late)
    found = (scored, aborted, never, sealed, opened, late)
    assert [bool(session.info().seed_reveal.seed) for session in found] == [True] * 3 + [
        False,
        True,
        True,
    ]
    return {session.table.game_id: session.info() for session in found}


async def listed(at: Desk) -> dict[str, game_pb2.GameInfo]:
    found: Any = await GameServicer(at.hall).ListGames(g.ListGamesRequest(), Context("anyone"))
    return {game.game_id: game for game in found.games}


async def test_ended_games_are_told_without_their_logs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:
        before = await endings(at)
    assert not list(upkeep.problems(tmp_path / "games.db"))

    def read(*_: Any) -> None:
        raise AssertionError("a log was read")

    monkeypatch.setattr(SqliteStore, "read", read)
    async with desk(tmp_path) as at:
        assert await listed(at) == before
        for game_id, info in before.items():
            assert await at.hall.describe(game_id, caller("anyone")) == info
        assert not at.hall.sessions


async def test_games_of_a_store_without_summaries_are_told_from_their_logs(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        before = await endings(at)
    with sqlite3.connect(tmp_path / "games.db") as file:
        file.execute("UPDATE games SET summary = x''")
    file.close()
    async with desk(tmp_path) as at:
        assert await listed(at) == before
        assert not at.hall.sessions, "and not folded"


async def test_a_summary_tells_no_seed_while_the_seal_is_closed(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running(hold_reveal=True)
        await played_out(session)
        game_id = session.table.game_id
        closed = await at.hall.store.get_game(game_id)
        secret = await at.hall.store.get_secret(game_id)
        await session.amend(None, release)
        opened = await at.hall.store.get_game(game_id)
    assert closed is not None
    assert opened is not None
    assert secret is not None
    assert secret.salt not in closed.summary
    assert secret.salt in opened.summary
