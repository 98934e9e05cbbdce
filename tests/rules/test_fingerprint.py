"""The hash of a position that the log keeps for each step."""

from __future__ import annotations

import json

import pytest

from endless_winter.rules import Config, Game
from endless_winter.rules.fingerprint import FINGERPRINT_BYTES, fingerprint
from endless_winter.rules.position import load, write
from tests.rules.scene import SEED, TABLES

MODULES = ("glacier_tokens", "rest_tokens")


def played(steps: int) -> Game:
    game = Game.new(Config(TABLES, players=3, modules=MODULES), SEED)
    for step in range(steps):
        options = game.options()
        game.apply(options[step * 7 % len(options)])
    return game


def test_equal_positions_have_equal_hashes_however_they_came_about() -> None:
    game = played(120)
    again = load(json.loads(json.dumps(write(game.position))), TABLES)
    assert len(fingerprint(game.position)) == FINGERPRINT_BYTES
    assert fingerprint(again.position) == fingerprint(game.position)
    assert fingerprint(game.copy().position) == fingerprint(game.position)


def test_every_step_of_a_game_has_a_hash_of_its_own() -> None:
    game = played(0)
    seen = {fingerprint(game.position)}
    steps = 0
    while options := game.options():
        game.apply(options[steps * 5 % len(options)])
        steps += 1
        seen.add(fingerprint(game.position))
    assert len(seen) == steps + 1


@pytest.mark.parametrize(
    "name",
    [
        "seed", "order", "terrain", "tiles", "megaliths", "tribes", "display", "animals",
        "grounds", "honor_queue", "first", "chiefs", "setups", "ready", "fresh",
    ],
)  # fmt: skip
def test_every_zone_of_the_table_is_covered(name: str) -> None:
    position = played(120).position
    before = fingerprint(position)
    setattr(position, name, getattr(position, name) + b"\x01")
    assert fingerprint(position) != before


@pytest.mark.parametrize(
    "name",
    ["over", "round", "turn", "place", "section", "bottom_open", "labor", "chief_ready",
     "cultures_played", "taken"],
)  # fmt: skip
def test_every_number_of_the_turn_is_covered(name: str) -> None:
    position = played(120).position
    before = fingerprint(position)
    value = getattr(position, name)
    setattr(position, name, not value if isinstance(value, bool) else value + 1)
    assert fingerprint(position) != before


@pytest.mark.parametrize("name", ["stones", "culture", "module_state"])
@pytest.mark.parametrize("at", [0, 1])
def test_every_pair_of_zones_is_covered(name: str, at: int) -> None:
    position = played(120).position
    before = fingerprint(position)
    getattr(position, name)[at] += b"\x01"
    assert fingerprint(position) != before


def test_every_part_of_a_player_and_the_agenda_is_covered() -> None:
    position = played(120).position
    before = fingerprint(position)
    parts = list(write(position)["players"][0])  # type: ignore[index] # plain JSON
    for name in parts:
        changed = played(120).position
        player = changed.players[2]
        value = getattr(player, name)
        setattr(player, name, value + b"\x01" if isinstance(value, bytes) else value + 1)
        assert fingerprint(changed) != before, name
    for frame in ((5, 1, 0, b""), (5, 0, 1, b""), (6, 0, 0, b""), (5, 0, 0, b"\x01")):
        changed = played(120).position
        changed.agenda[-1] = frame
        other = played(120).position
        other.agenda[-1] = (5, 0, 0, b"")
        assert fingerprint(changed) != fingerprint(other)
