"""What a sampled game draws is chance: every hidden piece is equally likely to be anywhere."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import pytest

from endless_winter.rules import agenda
from endless_winter.rules.modules.glacier_tokens import FACE_UP
from endless_winter.rules.modules.rest_tokens import GONE
from endless_winter.views.sampling import Sampler
from tests.rules.walk import config_of, walk
from tests.views.redaction import PACK
from tests.views.test_sampling import known_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from endless_winter.rules import Game
    from endless_winter.rules.state import Position

WORLDS = 1500
FAR = 4.5  # standard deviations; of some 200 figures none is that far off by chance
BOTH_MODULES = range(32, 3600, 36)  # walks of 4 players with both modules
NEVER_SHUFFLES = 0.5


class Lazy(random.Random):
    """Shuffles nothing: all its numbers are the same."""

    def random(self) -> float:
        return NEVER_SHUFFLES


def late_position() -> tuple[Game, int]:
    """A game in which another seat has cards in all four hidden zones; and its chooser."""
    for number in BOTH_MODULES:
        for game in walk(number):
            position = game.position
            if position.round == 4 or position.agenda[-1][0] != agenda.BUILD_PILE:
                continue
            chooser = position.agenda[-1][1]
            if position.players[chooser].deck and any(
                p.seat != chooser and p.hand and p.deck and p.buried and p.pile
                for p in position.players
            ):
                return game, chooser
    raise AssertionError("no such position")


def furthest(
    worlds: Iterable[Position], zone: Callable[[Position], bytes], pool: bytes, size: int
) -> float:
    """How far off the count of any piece in a zone is, in standard deviations.

    `size` pieces of the `pool` are in the zone; how many of a kind follows the hypergeometric
    distribution.
    """
    counts: Counter[int] = Counter()
    number = 0
    for world in worlds:
        pieces = zone(world)
        assert len(pieces) == size
        counts.update(pieces)
        number += 1
    total = len(pool)
    most = 0.0
    for piece in set(pool):
        share = pool.count(piece) / total
        mean = number * size * share
        spread = number * size * share * (1 - share) * (total - size) / (total - 1)
        most = max(most, abs(counts[piece] - mean) / spread**0.5)
    assert not set(counts) - set(pool)
    return most


def zone_of(zone: str, seat: int, world: Position) -> bytes:
    pieces: bytes = getattr(world.players[seat], zone)
    return pieces


def top_of(seat: int, world: Position) -> bytes:
    return world.players[seat].deck[:1]


def animal_at(place: int, world: Position) -> bytes:
    return world.animals[place : place + 1]


def culture_of(era: int, world: Position) -> bytes:
    return world.culture[era][:1]


def module_at(index: int, place: int, world: Position) -> bytes:
    return world.module_state[index][place : place + 1]


def all_zones(game: Game, viewer: int, rng: random.Random) -> dict[str, float]:
    """How far off each hidden zone is when worlds are drawn by `rng`."""
    known = known_of(Sampler(PACK, game.position.config), game, viewer)
    worlds = [known.draw(rng).position for _ in range(WORLDS)]
    truth = game.position
    found: dict[str, float] = {}

    def look(name: str, zone: Callable[[Position], bytes], pool: bytes, size: int = 1) -> None:
        if 0 < size < len(pool) and len(set(pool)) > 1:  # else there is only one way
            found[name] = furthest(worlds, zone, pool, size)

    for player in truth.players:
        seat = player.seat
        if seat == viewer:
            look("own deck", partial(top_of, seat), player.deck)
            continue
        pool = player.hand + player.deck + player.buried + player.pile
        for zone in ("hand", "buried", "pile", "deck"):
            size = len(getattr(player, zone))
            look(f"{zone} of seat {seat}", partial(zone_of, zone, seat), pool, size)
        if player.deck:
            look(f"top card of seat {seat}", partial(top_of, seat), pool)
    for place in (0, 1, len(truth.animals) - 1):
        look(f"Animal {place}", partial(animal_at, place), truth.animals)
    for era in (0, 1):
        look(f"Culture {era}", partial(culture_of, era), truth.culture[era])
    glacier, rest = truth.module_state
    kinds = range(1, 1 + len(truth.tables.glacier_tokens))
    unseen = bytes([token for token in kinds if token | FACE_UP not in glacier])
    for hex_, value in enumerate(glacier):
        if 0 < value < FACE_UP:
            look(f"token on hex {hex_}", partial(module_at, 0, hex_), unseen)
    first = 2 if rest[0] == GONE else 3
    middle = rest[first : len(rest) - (truth.round - 1 + (rest[0] == GONE))]
    look("next Rest token", partial(module_at, 1, first), middle)
    return found


def test_every_hidden_piece_is_equally_likely_to_be_anywhere() -> None:
    game, viewer = late_position()
    found = all_zones(game, viewer, random.Random("chance"))
    assert {"own deck", "next Rest token"} < set(found)
    assert any(zone.startswith("pile of") for zone in found)
    assert any(zone.startswith("buried of") for zone in found)
    assert any(zone.startswith("token on") for zone in found)
    assert max(found.values()) < FAR, found


def test_the_test_of_chance_notices_when_nothing_is_shuffled() -> None:
    game, viewer = late_position()
    found = all_zones(game, viewer, Lazy("chance"))
    assert all(off > FAR for off in found.values()), found


def test_two_hidden_places_do_not_go_together() -> None:
    """The Animal on top says nothing about the next one, beyond not being the same card."""
    game, viewer = late_position()
    known = known_of(Sampler(PACK, game.position.config), game, viewer)
    rng = random.Random("pairs")
    deck = game.position.animals
    pairs = Counter(known.draw(rng).position.animals[:2] for _ in range(4 * WORLDS))
    total = len(deck) * (len(deck) - 1)
    for first in set(deck):
        for second in set(deck):
            ways = deck.count(first) * (deck.count(second) - (first == second))
            mean = 4 * WORLDS * ways / total
            assert abs(pairs[bytes((first, second))] - mean) < FAR * max(mean, 1) ** 0.5


def test_each_world_has_a_seed_of_its_own() -> None:
    game, viewer = late_position()
    known = known_of(Sampler(PACK, game.position.config), game, viewer)
    rng = random.Random("seeds")
    seeds = {known.draw(rng).position.seed for _ in range(50)}
    assert len(seeds) == 50
    assert game.position.seed not in seeds


def test_a_sampled_game_does_not_draw_what_the_true_one_will() -> None:
    """The same choices, other cards: nothing of the server's chance is in a sampled game."""
    game, viewer = late_position()
    known = known_of(Sampler(PACK, game.position.config), game, viewer)
    rng = random.Random("other cards")
    for _ in range(20):
        world = known.draw(rng)
        assert world.position.animals != game.position.animals
        for mine, other in zip(world.position.players, game.position.players, strict=True):
            assert mine.seat == viewer or mine.deck != other.deck or len(other.deck) < 5


@pytest.mark.parametrize("buries", [False, True])
def test_cards_that_another_seat_took_this_turn_are_in_its_hand_unless_buried(
    buries: bool,
) -> None:
    """INI-01, INI-06: seen by all to come into the hand; only burying is done face down."""
    for number in range(1, 60):
        sampler = Sampler(PACK, config_of(number))
        for game in walk(number):
            position = game.position
            if len(position.fresh) != 1 or position.agenda[-1][0] != agenda.ACT:
                continue
            mover = position.players[position.agenda[-1][1]]
            card = position.fresh[0]
            others = mover.hand.count(card) + mover.deck.count(card) + mover.buried.count(card)
            if others != 1 or bool(mover.buried) != buries:
                continue
            known = known_of(sampler, game, (mover.seat + 1) % len(position.players))
            rng = random.Random(number)
            held = [known.draw(rng).position for _ in range(300)]
            places = Counter(
                (card in world.players[mover.seat].hand, world.fresh == bytes([card]))
                for world in held
            )
            assert set(places) == ({(True, True), (False, False)} if buries else {(True, True)})
            return
    raise AssertionError("no such position")
