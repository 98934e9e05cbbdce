"""An observation says what its seat may know, and nothing else."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest

from endless_winter.pettingzoo import Observer
from endless_winter.rules import agenda
from endless_winter.rules.modules.warriors import warrior_in
from endless_winter.v1 import view_public_pb2
from endless_winter.views.sampling import Sampler
from tests.rules.walk import ALL, EXTRAS, RIVERS, config_of, name_of, walk
from tests.views.redaction import PACK, twin_of
from tests.views.test_sampling import known_of, view_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from endless_winter.rules import Game

EVERY_KIND = (
    *range(36),
    *[n for n in (*EXTRAS, *RIVERS[:6], *ALL[:6]) if config_of(n).nomad is None],
)


def seen_by(observer: Observer, sampler: Sampler, game: Game, seat: int) -> NDArray[np.float32]:
    public = view_public_pb2.PublicView.FromString(view_of(game, seat)[0])
    chooses = bool(game.options()) and game.position.agenda[-1][1] == seat
    return observer.observe(known_of(sampler, game, seat), public, 7 if chooses else 0)


def part(observer: Observer, seen: NDArray[np.float32], name: str) -> list[float]:
    return [float(value) for value in seen[observer.sections[name]]]


def test_observations_are_in_range_and_do_not_depend_on_what_was_not_seen() -> None:
    for number in EVERY_KIND:
        observer = Observer(config_of(number))
        sampler = Sampler(PACK, config_of(number))
        choices = random.Random(number)
        for game in walk(number):
            if choices.random() > 0.015:
                continue
            for seat in range(len(game.position.players)):
                seen = seen_by(observer, sampler, game, seat)
                assert seen.shape == (observer.size,)
                assert seen.dtype == np.float32
                assert seen.min() >= 0, name_of(number)
                assert seen.max() <= 1, name_of(number)
                twin = twin_of(game, seat, choices)
                assert (seen == seen_by(observer, sampler, twin, seat)).all(), name_of(number)


def test_sections_cover_the_whole_observation_without_gaps() -> None:
    observer = Observer(config_of(2))
    ends = [0]
    for section in observer.sections.values():
        assert section.start == ends[-1]
        ends.append(section.stop)
    assert ends[-1] == observer.size


@pytest.mark.parametrize("number", [1, 11, 20, 29, EXTRAS[1], EXTRAS[2], RIVERS[1], ALL[0]])
def test_sections_say_what_is_on_the_table(number: int) -> None:
    observer = Observer(config_of(number))
    sampler = Sampler(PACK, config_of(number))
    tables = PACK.tables
    choices = random.Random(number)
    for game in walk(number):
        if choices.random() > 0.1:
            continue
        position = game.position
        seats = len(position.players)
        seat = choices.randrange(seats)
        seen = seen_by(observer, sampler, game, seat)
        own = position.players[seat]
        hand = part(observer, seen, "own.hand")
        deck = part(observer, seen, "own.deck")
        for card in range(len(tables.cards)):
            if card == warrior_in(tables) and card not in position.tribe_cards:
                assert card == len(hand)  # the last one, and not in play
                continue
            assert bool(hand[card]) == (card in own.hand)
            assert bool(deck[card]) == (card in own.deck)
        for other in range(seats):
            player = position.players[(seat + other) % seats]
            name = f"seat_{other}"
            board = part(observer, seen, f"{name}.board")
            assert board[1] == pytest.approx(player.food / 10)
            assert board[3] == pytest.approx(player.tools / 5)
            assert board[14] == pytest.approx(min(1, len(player.hand) / 40))
            discard = part(observer, seen, f"{name}.discard_pile")
            assert [c for c, v in enumerate(discard) if v] == sorted(set(player.discard))
            untipped = part(observer, seen, f"{name}.untipped")
            assert [a for a, v in enumerate(untipped) if v] == sorted(set(player.animals))
            place = part(observer, seen, f"{name}.place_in_order")
            assert place.index(1.0) == position.order.index(player.seat)
            villages = part(observer, seen, "villages")[24 * other : 24 * (other + 1)]
            assert [j for j, v in enumerate(villages) if v] == list(player.villages)
        stands = [j for j, v in enumerate(part(observer, seen, "mammoth")) if v]
        assert stands == [] or position.module_state[
            position.config.modules.index("mammoth")
        ] == bytes(stands)
        grounds = part(observer, seen, "hunting_grounds")
        assert [a for a, v in enumerate(grounds) if v] == sorted(set(position.grounds) - {255})
        display = part(observer, seen, "display")
        assert [c for c, v in enumerate(display) if v] == sorted(set(position.display) - {255})
        if position.agenda:
            chooser = part(observer, seen, "choosing_seat").index(1.0)
            assert (seat + chooser) % seats == position.agenda[-1][1]
            pool = part(observer, seen, "pool")
            top = position.agenda[-1]
            wanted = set(top[3][::2]) if top[0] == agenda.GAIN else set()
            assert {icon for icon, v in enumerate(pool) if v} == wanted
            own_turn = top[1] == seat
            assert any(part(observer, seen, "decision_kind")) == own_turn
        megaliths = part(observer, seen, "megaliths")
        sites = len(position.sites.x)
        for row, owner in enumerate([1, *[2 + (seat + at) % seats for at in range(seats)]]):
            encoded = [s for s, v in enumerate(megaliths[row * sites : (row + 1) * sites]) if v]
            assert encoded == [s for s, o in enumerate(position.megaliths) if o == owner]
