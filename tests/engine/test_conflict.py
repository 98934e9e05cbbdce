"""Another writer of the same log: the game becomes what the log says, and the command goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from endless_winter.store.memory import MemoryStore
from endless_winter.v1 import clock_pb2, decision_pb2
from tests.engine.desk import Desk, refused
from tests.engine.state import state_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.engine.game import Game

GAIN = decision_pb2.DECISION_KIND_GAIN


def writers(**more: Any) -> tuple[Desk, Game, Desk, Game]:
    """Two servers on one store, with one game."""
    store = MemoryStore()
    mine, other = Desk(store), Desk(store)
    game = mine.running(**more)
    return mine, game, other, other.find(game)


def always_first(desk: Desk, write: Callable[[], object]) -> None:
    """Let another writer be quicker than every commit."""
    store = desk.store
    assert isinstance(store, MemoryStore)

    def before(_: object) -> None:
        store.before = None
        write()
        store.before = before

    store.before = before


def test_a_choice_that_another_writer_has_taken_is_stale() -> None:
    mine, game, other, same = writers()
    stream = mine.stream("player 0")
    stream.attach(game, 0)
    seat = same.table.deciding_seat
    late = mine.answer_of(game)
    other.answer(same)
    stream.received()
    with refused("STALE_DECISION") as why:
        mine.do(late)
    assert why.value.seq == game.table.seq == same.table.seq
    assert state_of(game.table) == state_of(same.table)
    (update,) = [one.update for one in stream.received() if one.HasField("update")]
    assert update.seq == same.table.seq
    assert late.seat == seat
    assert mine.answer(game).seq == same.table.seq + 1


def test_what_still_fits_is_done_after_catching_up() -> None:
    mine, game, other, same = writers()
    idle = 1 - game.table.deciding_seat
    other.answer(same)
    accepted = mine.set_standing(game, idle, GAIN, request_id="s")
    assert accepted.seq == same.table.seq + 1
    assert mine.set_standing(game, idle, GAIN, request_id="s") == accepted


def test_a_command_that_always_conflicts_is_refused_and_may_be_retried() -> None:
    mine, game, other, same = writers()
    idle = 1 - game.table.deciding_seat
    always_first(mine, lambda: other.set_standing(same, idle))
    with refused("CONFLICT") as why:
        mine.set_standing(game, idle, GAIN)
    assert why.value.retry_after_ms
    assert not game.table.seats[idle].standing


def test_a_time_out_that_another_writer_was_quicker_than_does_not_happen() -> None:
    control = clock_pb2.TimeControl(decision_limit_ms=1_000)
    mine, game, other, same = writers(time_control=control)
    asked = game.table.decision_id
    other.answer(same)
    mine.advance(1_000)
    assert state_of(game.table) == state_of(same.table)
    assert game.table.decision_id != asked
    assert not any(seat.timeouts for seat in game.table.seats)
    mine.advance(1_000)
    assert sum(seat.timeouts for seat in game.table.seats) == 1
