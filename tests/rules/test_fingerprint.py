"""The hash of a position that the log keeps for each step."""

from __future__ import annotations

import json
from hashlib import blake2b
from typing import TYPE_CHECKING

import pytest

from endless_winter.rules import Config, Game
from endless_winter.rules.fingerprint import FINGERPRINT_BYTES, fingerprint
from endless_winter.rules.position import load, write
from tests.rules.scene import SEED, TABLES
from tests.rules.walk import ALL, EXTRAS, OTHERS, RIVERS, SMALL, SOLO, walk

if TYPE_CHECKING:
    from endless_winter.rules.state import Player, Position

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


def numbers(owner: Player | Position, names: str) -> bytes:
    return bytes([getattr(owner, name) for name in names.split()])


def plainly(position: Position) -> bytes:
    """The same hash, its parts one by one: what logs were written with."""
    parts = [position.seed]
    for player in position.players:
        parts.append(numbers(player, "food tools megaliths offering honor chief setup"))
        parts.append(
            b"".join(points.to_bytes(4, "big") for points in (player.shuffles, player.score))
        )
        parts.append(player.points)
        parts += [player.camps, player.villages, player.stones, player.figures, player.hand]
        parts += [player.deck, player.discard, player.above, player.pile, player.buried]
        parts += [player.animals, player.tipped]
    turn = "over round turn place section bottom_open chief_ready cultures_played taken"
    parts.append(numbers(position, turn))
    parts.append(position.labor.to_bytes(4, "big"))
    parts += [position.order, position.terrain, position.tiles, position.megaliths]
    parts += [*position.stones, position.tribes, *position.culture, position.display]
    parts += [position.animals, position.grounds, position.honor_queue, position.first]
    parts += [position.chiefs, position.setups, position.ready, position.fresh]
    parts += position.module_state
    for operation, seat, number, pieces in position.agenda:
        parts += [bytes((operation, seat)) + number.to_bytes(4, "big"), pieces]
    whole = bytes([len(part) for part in parts]) + b"".join(parts)
    return blake2b(whole, digest_size=16, person=b"ew-position-1\0\0\0").digest()


@pytest.mark.parametrize("number", [*SMALL[::9], SOLO[0], EXTRAS[0], RIVERS[0], *ALL[:2], *OTHERS])
def test_the_hash_is_the_one_of_all_parts_in_their_order(number: int) -> None:
    for game in walk(number):
        assert fingerprint(game.position) == plainly(game.position)


def test_large_numbers_take_four_bytes() -> None:
    position = played(120).position
    position.labor = 256
    position.players[1].score = 70_000
    assert fingerprint(position) == plainly(position)


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
