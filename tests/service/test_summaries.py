"""Ended games are listed from what was stored of them at their end: no log is read for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.engine.commands import ReleaseReveal
from endless_winter.store import upkeep
from endless_winter.store.memory import MemoryStore
from endless_winter.v1 import clock_pb2, game_pb2
from tests.engine.desk import Desk
from tests.service.inside import inside
from tests.service.test_suspended import FILE, described, listed, opened, rewrite

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.engine.game import Game
    from endless_winter.store.protocol import Store
    from endless_winter.store.records import LogEntry


def play_out(desk: Desk, game: Game) -> Game:
    """Everybody leaves, and defaults play the game to its end."""
    for seat in range(2):
        desk.leave(game, seat, f"player {seat}")
    return game


def release(desk: Desk, game: Game) -> None:
    """Open the seal."""
    desk.do(ReleaseReveal(game.game_id, desk.asked("operator", operator=True)))


def endings(store: Store) -> dict[str, game_pb2.GameInfo]:
    """Games that ended in every way, as everyone may know them."""
    desk = Desk(store, start_limit_ms=3_600_000)
    never = desk.seated(3, title="never")
    desk.advance(3_600_000)
    scored = play_out(desk, desk.running())
    aborted = desk.running(time_control=clock_pb2.TimeControl(bank_ms=1000))
    desk.answer(aborted)
    desk.abort(aborted, operator=True)
    sealed = play_out(desk, desk.running(hold_reveal=True))
    opened_later = play_out(desk, desk.running(hold_reveal=True))
    desk.advance(10)
    release(desk, opened_later)
    late = play_out(desk, desk.running(spectator_delay_ms=60_000))
    found = (never, scored, aborted, sealed, opened_later, late)
    infos = {game.game_id: game.info(desk.now) for game in found}
    assert [bool(info.seed_reveal.seed) for info in infos.values()] == [True] * 3 + [
        False,
        True,
        True,
    ]
    return infos


class WithoutLogs(MemoryStore):
    """A store whose logs must not be read."""

    closed = False

    def read(self, game_id: str, after_seq: int = 0, limit: int = 1000) -> list[LogEntry]:
        assert not self.closed, "a log was read"
        return super().read(game_id, after_seq, limit)


async def test_ended_games_are_listed_without_their_logs() -> None:
    store = WithoutLogs()
    before = endings(store)
    store.closed = True
    async with inside(store) as server:
        assert await listed(server) == before
        for game_id, info in before.items():
            assert await described(server, game_id, "anyone") == info
        assert not server.host.engine.games


async def test_games_of_a_store_without_summaries_are_shown_from_their_logs(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as store:
        before = endings(store)
    assert not list(upkeep.problems(tmp_path / FILE))
    rewrite(tmp_path, "UPDATE games SET summary = x''")
    with opened(tmp_path) as store:
        async with inside(store) as server:
            assert await listed(server) == before
            assert not server.host.engine.games, "and not folded"


def test_a_summary_has_no_seed_while_the_seal_is_closed() -> None:
    desk = Desk()
    game = play_out(desk, desk.running(hold_reveal=True, seed=b"the seed of this game, 32 bytes."))
    closed = desk.store.load(game.game_id)
    release(desk, game)
    after = desk.store.load(game.game_id)
    assert closed is not None
    assert after is not None
    assert closed.secret.seed not in closed.header.summary
    assert closed.secret.seed in after.header.summary
