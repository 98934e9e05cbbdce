"""Written positions on the river: they read back, and what could not lie on a table is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.rules import BadPosition, Game
from endless_winter.rules.fingerprint import fingerprint
from endless_winter.rules.position import load, write
from endless_winter.rules.rivers import area
from tests.rules.scene import TABLES
from tests.rules.walk import RIVERS, walk

if TYPE_CHECKING:
    from collections.abc import Callable


def written(game: Game) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(write(game.position)))
    return found


def reached(step: int, number: int = 0) -> Game:
    """A walk without the Nomad after so many steps."""
    for at, game in enumerate(walk(RIVERS[number])):
        if at == step:
            return game.copy()
    raise AssertionError(step)


def refused(values: dict[str, Any]) -> str:
    with pytest.raises(BadPosition) as caught:
        load(values, TABLES)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_the_records_read_like_what_they_mean() -> None:
    choosing = written(reached(0, 2))["agenda"][-1]
    assert (choosing["do"], choosing["number"], choosing["pieces"][0]) == ("module", 0, 0)
    attaching = next(game for game in walk(RIVERS[0]) if "attach 7 8" in texts(game))
    assert written(attaching)["agenda"][-1]["pieces"] == [1]
    config = written(attaching)["config"]
    assert config["rivers"] == {"landmarks": 1, "named": [], "decided": False}


def texts(game: Game) -> list[str]:
    return [game.text(code) for code in game.options()]


def test_the_fingerprint_covers_the_order_of_the_fish() -> None:
    game = reached(60)
    before = fingerprint(game.position)
    state = game.position.module_state[0]
    pool = area.fish_pool(state)
    area.set_fish(game.position, 0, pool[1:] + pool[:1], area.fish_discarded(state))
    assert fingerprint(game.position) != before


def _state(at: int, value: int) -> Callable[[dict[str, Any]], None]:
    def change(values: dict[str, Any]) -> None:
        state = bytearray.fromhex(values["module_state"][0])
        state[at] = value
        values["module_state"][0] = state.hex()

    return change


def _put(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(values: dict[str, Any]) -> None:
        *way, last = path.split(".")
        inside: Any = values
        for key in way:
            inside = inside[int(key) if key.isdigit() else key]
        inside[int(last) if last.isdigit() else last] = value

    return change


def _cut(values: dict[str, Any]) -> None:
    values["module_state"][0] = values["module_state"][0][:-2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_cut, "rivers: 35 bytes and 15 Fish expected"),
        (_state(area.POOL_AT, 16), "rivers: 35 bytes and 15 Fish expected"),
        (_state(area.FISH_AT, 200), "rivers: each Fish once expected"),
        (_state(area.RIVER_AT, 3), "rivers: the river runs through hexes 15, 5, 0, 2, 9"),
        (_state(area.TILES_AT + 1, 0), "rivers: three tiles of three hexes"),
        (_state(area.RAFTS_AT, 7), "rivers: the Raft of seat 0 is nowhere on the river"),
        (_state(area.BASES_AT, 12), "rivers: Starting Bases on different sites"),
        (_state(area.BASES_AT, 255), "rivers: seat 0 has a Starting Base just if"),
        (_put("terrain.0", "steppe"), "rivers: hex 0 must be a River hex"),
        (_put("terrain.0", "base"), "terrain: 19 hexes expected, no Base"),
        (_put("players.0.camps", [20]), "players[0].camps: a whole number from 0 to 19"),
        (_put("config.rivers.landmarks", 2), "rivers: as many Landmarks as were agreed on"),
        (_put("config.rivers.landmarks", 4), "config: 1 to 3 Landmarks, not 4"),
        (_put("config.rivers.named", [1]), "config.rivers.named: names expected"),
        (_put("config.modules", []), "config.rivers: it brings the module rivers along"),
        (_put("config.rivers.depth", 2), "config.rivers.depth: unknown"),
    ],
)
def test_a_spoilt_position_is_refused(
    change: Callable[[dict[str, Any]], None], message: str
) -> None:
    values = written(reached(60))
    change(values)
    assert refused(values).startswith(message)


@pytest.mark.parametrize("pieces", [[], [0], [0, 3], [0, 99], [1, 1], [2]])
def test_a_spoilt_record_is_refused(pieces: list[int]) -> None:
    values = written(reached(0, 2))
    values["agenda"][-1]["pieces"] = pieces
    assert ".pieces: " in refused(values)
