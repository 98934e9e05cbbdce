"""All that a table says, to be compared with another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.engine.table import position_hash

if TYPE_CHECKING:
    from endless_winter.engine.game import Game
    from endless_winter.engine.table import Table
    from tests.engine.desk import Desk

_NOT_LOGGED = ("wrong_answers", "wrong_in_all")  # a restart forgets them


def parts_of(thing: object) -> dict[str, object]:
    """Everything that can be asked of plain data of the engine."""
    found: dict[str, object] = {}
    for name in dir(thing):
        part = getattr(thing, name)
        if not (name.startswith("_") or callable(part)):
            ours = type(part).__module__.startswith("endless_winter.engine")
            found[name] = parts_of(part) if ours else part
    return found


def state_of(table: Table) -> dict[str, object]:
    """A table in values that can be compared, without what the log does not know."""
    found = parts_of(table)
    for name in ("game", "people", "rules", "seed"):
        del found[name]
    found["position"] = position_hash(table)
    found["undo"] = [one.seq for one in table.undo]
    seats = [parts_of(seat) for seat in table.seats]
    found["seats"] = [
        {name: part for name, part in seat.items() if name not in _NOT_LOGGED} for seat in seats
    ]
    return found


def folded(desk: Desk, game: Game) -> Table:
    """The table that the log of a game gives anew."""
    other = type(desk)(desk.store)
    other.unix_ms = desk.unix_ms
    found = other.load(game.game_id)
    assert found is not None
    assert found.chain == game.chain
    return found.table
