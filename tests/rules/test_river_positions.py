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


def _put(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    def change(values: dict[str, Any]) -> None:
        *way, last = path.split(".")
        inside: Any = values
        for key in way:
            inside = inside[int(key) if key.isdigit() else key]
        inside[int(last) if last.isdigit() else last] = value

    return change


RIVER = "module_state.rivers"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (_put(RIVER, "00"), f"{RIVER}: an object expected"),
        (_put(f"{RIVER}.fish_pool", []), f"{RIVER}.fish_pool, fish_discarded: 15 Fish in all"),
        (_put(f"{RIVER}.fish_pool.0", "whale"), f"{RIVER}.fish_pool: 'whale' is not known"),
        (_put(f"{RIVER}.river", [15, 5, 0, 2]), f"{RIVER}.river: 5 hexes expected"),
        (_put(f"{RIVER}.river.0", 3), f"{RIVER}.river: hexes 15, 5, 0, 2, 9 expected"),
        (_put(f"{RIVER}.tiles", []), f"{RIVER}.tiles: 3 expected"),
        (_put(f"{RIVER}.tiles.0.hexes", [1]), f"{RIVER}.tiles[0].hexes: 3 hexes expected"),
        (_put(f"{RIVER}.tiles.0.hexes.0", 0), f"{RIVER}.tiles: hexes of their own, the river"),
        (_put(f"{RIVER}.tiles.0.side", "c"), f"{RIVER}.tiles[0].side: 'c' is not known"),
        (_put(f"{RIVER}.tiles.0.wind", 1), f"{RIVER}.tiles[0].wind: unknown"),
        (_put(f"{RIVER}.rafts", [0, 7]), f"{RIVER}.rafts: a whole number from 0 to 6 expected"),
        (_put(f"{RIVER}.rafts", [0]), f"{RIVER}.rafts: one for each of 2 seats expected"),
        (_put(f"{RIVER}.bases", [[7, 8]]), f"{RIVER}.bases: one for each of 2 seats expected"),
        (_put(f"{RIVER}.bases.0", [7, 9]), f"{RIVER}.bases[0]: the two neighbouring outer hexes"),
        (_put(f"{RIVER}.bases.0", 7), f"{RIVER}.bases[0]: a list expected"),
        (_put(f"{RIVER}.bases", [[7, 8], [8, 9]]), f"{RIVER}.bases: different sites, none next"),
        (_put(f"{RIVER}.bases.0", []), f"{RIVER}.bases: seat 0 has one just if"),
        (_put("terrain.0", "steppe"), "terrain: hex 0 must be a River hex"),
        (_put("terrain.0", "base"), "terrain: 19 hexes expected, no Base"),
        (_put("players.0.camps", [20]), "players[0].camps: a whole number from 0 to 19"),
        (_put("config.rivers.landmarks", 2), "terrain: as many Landmarks as were agreed on"),
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


def test_each_fish_and_each_tile_is_there_once() -> None:
    values = written(reached(60))
    rivers = values["module_state"]["rivers"]
    pool = rivers["fish_pool"]
    pool[0] = next(fish for fish in pool if fish != pool[0])
    assert refused(values) == f"{RIVER}.fish_pool, fish_discarded: each Fish once expected"
    values = written(reached(60))
    tiles = values["module_state"]["rivers"]["tiles"]
    tiles[0]["tile"] = tiles[2]["tile"]
    assert refused(values) == f"{RIVER}.tiles: each tile once expected"


def test_hexes_are_what_their_river_tile_shows() -> None:
    values = written(reached(60))
    tile = values["module_state"]["rivers"]["tiles"][1]
    tile["side"] = "b" if tile["side"] == "a" else "a"
    assert refused(values).endswith("is not what its River tile shows")


@pytest.mark.parametrize("pieces", [[], [0], [0, 3], [0, 99], [1, 1], [2]])
def test_a_spoilt_record_is_refused(pieces: list[int]) -> None:
    values = written(reached(0, 2))
    values["agenda"][-1]["pieces"] = pieces
    assert ".pieces: " in refused(values)
