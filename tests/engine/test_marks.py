"""What an append says of its game's place in the listing: what has changed, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.engine.info import summary_of
from endless_winter.store.memory import MemoryStore
from endless_winter.store.records import Marks, Status
from tests.engine.desk import Desk, client

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.engine.game import Game
    from endless_winter.store.records import Append


def test_an_append_says_only_what_it_changes() -> None:
    found: list[Marks | None] = []

    def note(appends: Sequence[Append]) -> None:
        found.extend(append.marks for append in appends)

    store = MemoryStore()
    desk = Desk(store)
    game = desk.create()
    store.before = note
    for seat in range(2):
        desk.join(game, seat, f"player {seat}")
    first, second = (seat.player_id for seat in game.table.seats)
    assert found == [
        Marks(open_seats=1, seats={0: first}),
        Marks(status=Status.STARTING, open_seats=0, seats={1: second}),
    ]
    found.clear()
    desk.ready(game, 0)
    assert found == [None], "nothing in the listing depends on it"
    desk.ready(game, 1)
    assert found[1:] == [Marks(status=Status.RUNNING, started_ms=game.table.started_ms)]
    found.clear()
    desk.answer(game)
    desk.leave(game, 0, "player 0")
    assert found == [None, None]
    found.clear()
    desk.abort(game, operator=True)
    summary = summary_of(game.info(desk.now))
    assert found == [Marks(status=Status.ENDED, ended_ms=game.table.ended_ms, summary=summary)]


def listed_as_it_is(desk: Desk, game: Game) -> None:
    table = game.table
    record = desk.store.load(table.game_id)
    assert record is not None
    header = record.header
    assert int(header.status) == table.status
    assert header.started_ms == (table.started_ms or None)
    assert header.ended_ms == (table.ended_ms or None)
    assert header.holders == {
        number: seat.holder for number, seat in enumerate(table.seats) if seat.holder
    }
    assert header.open_seats == sum(not seat.holder for seat in table.seats)
    assert header.seq == table.seq
    assert header.creator_client == client("host")


def test_the_listing_follows_the_table_through_a_game() -> None:
    desk = Desk()
    game = desk.seated(3)
    listed_as_it_is(desk, game)
    desk.leave(game, 1, "player 1")
    listed_as_it_is(desk, game)
    desk.join(game, 1, "another")
    listed_as_it_is(desk, game)
    names = ("player 0", "another", "player 2")
    for seat, name in enumerate(names):
        desk.ready(game, seat, name=name)
        listed_as_it_is(desk, game)
    for _ in range(5):
        desk.answer(game, name=names[game.table.deciding_seat])
        listed_as_it_is(desk, game)
    desk.abort(game, operator=True)
    listed_as_it_is(desk, game)
