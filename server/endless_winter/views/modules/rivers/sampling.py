"""Rivers & Rafts as a view shows it, and what may lie in the Fish pool in which order (RAF)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.rules import agenda
from endless_winter.rules.rivers import area, codes
from endless_winter.rules.rivers.agreed import RIVERS
from endless_winter.rules.rivers.bases import TOUCHED
from endless_winter.rules.rivers.fish import all_fish
from endless_winter.rules.rivers.landmarks import icon_of
from endless_winter.rules.sources import source
from endless_winter.rules.zones import EMPTY, ONE, without
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.views.errors import BadView
from endless_winter.views.modules.rivers.words import DECISIONS, of_rivers

if TYPE_CHECKING:
    from random import Random

    from endless_winter.rules.state import Frame, Position
    from endless_winter.v1 import benefit_pb2
    from endless_winter.v1 import view_public_pb2 as v
    from endless_winter.views.sampling.lexicon import Lexicon
    from endless_winter.views.words import Words

_ATTACH_RULE: Final = DECISIONS[codes.ATTACH_BASE].rule_id


class RiverNumbers:
    """The numbers of its components by their ids."""

    __slots__ = ("fish", "landmarks", "tiles")

    def __init__(self, words: Words) -> None:
        own = of_rivers(words)
        self.tiles: dict[str, int] = {name: number for number, name in enumerate(own.tiles)}
        self.fish: dict[str, int] = {name: number for number, name in enumerate(own.fish)}
        self.landmarks: dict[str, int] = {
            name: terrain for terrain, name in enumerate(own.landmarks) if name
        }


def add_numbers(lexicon: Lexicon, words: Words) -> None:
    if RIVERS in words.of_modules:
        numbers = RiverNumbers(words)
        lexicon.of_modules[RIVERS] = numbers
        for name, number in numbers.fish.items():
            lexicon.tokens[name] = source(codes.FISH_TOKEN, number)


def _numbers(lexicon: Lexicon) -> RiverNumbers:
    own = lexicon.of_modules[RIVERS]
    assert isinstance(own, RiverNumbers)
    return own


class Unseen(NamedTuple):
    """What a draw needs to know; all of it follows from the public view."""

    head: bytes  # the module's state up to the Fish
    pool: bytes  # the Fish that lie face down, in no order
    discarded: bytes


def read(lexicon: Lexicon, view: v.PublicView, position: Position, index: int) -> Unseen:
    """The state; how often Fish were mixed does not matter."""
    seen = view.rivers
    numbers = _numbers(lexicon)
    tiles = b"".join(
        ONE[2 * numbers.tiles[tile.tile_id] + (tile.side == enums.SIDE_B)] + bytes(tile.hexes)
        for tile in seen.tiles
    )
    rafts = bytearray(area.SEATS)
    for raft in seen.rafts:
        rafts[raft.seat] = raft.river_place
    bases = bytearray((EMPTY,)) * area.SEATS
    for base in seen.starting_bases:
        bases[base.seat] = TOUCHED.index(bytes((base.first_hex, base.second_hex)))
    discarded = b"".join(
        ONE[numbers.fish[token.token_id]] * token.count for token in seen.fish_discarded
    )
    pool = all_fish(position)
    for fish in discarded:
        pool = without(pool, fish)
    if len(pool) != seen.fish_pool_count:
        raise BadView("the Fish do not add up: is it another content pack?")
    head = bytearray(area.new_state(bytes(seen.river_hexes), tiles))
    head[area.POOL_AT] = len(pool)
    head[area.RAFTS_AT : area.RAFTS_AT + area.SEATS] = rafts
    head[area.BASES_AT : area.BASES_AT + area.SEATS] = bases
    unseen = Unseen(bytes(head), pool, bytes(sorted(discarded)))
    # As far as it is known the pool is empty.
    head[area.POOL_AT] = 0
    position.module_state[index] = bytes(head) + unseen.discarded
    return unseen


def deal(position: Position, index: int, unseen: Unseen, rng: Random) -> None:
    pool = bytes(sorted(unseen.pool, key=lambda _: rng.random()))
    position.module_state[index] = unseen.head + pool + unseen.discarded


def terrain_of(lexicon: Lexicon, hex_: v.HexView) -> int:
    """A hex with a Landmark is known by that."""
    return _numbers(lexicon).landmarks[hex_.landmark_id] if hex_.landmark_id else -1


def landmark_icon(lexicon: Lexicon, position: Position, benefit: benefit_pb2.PendingBenefit) -> int:
    if benefit.icon != enums.ICON_SCORE_LANDMARK:
        return 0
    return icon_of(position, _numbers(lexicon).landmarks[benefit.source.landmark_id])


def _people(position: Position) -> list[int]:
    return [seat for seat in position.order if position.kinds[seat].owns_cards]


def bases_due(view: v.PublicView, position: Position, index: int) -> list[Frame]:
    """The Starting Bases that are still to be attached, the next one last (RAF-06)."""
    if all(item.source.rule_id != _ATTACH_RULE for item in view.turn.agenda):
        return []
    attached = [base.seat for base in view.rivers.starting_bases]
    record = bytes((codes.ATTACH_BASE,))
    return [
        (agenda.MODULE, seat, index, record) for seat in _people(position) if seat not in attached
    ]


def landmarks_due(view: v.PublicView, position: Position, index: int) -> list[Frame]:
    """The Landmarks that are still to be chosen, the next one last (RAF-04)."""
    # The nth Landmark hex from the Headwaters on is for the nth player (landmarks.py).
    people = _people(position)
    bare = area.parts_of(position).bare
    hexes = [hex_ for tile in view.rivers.tiles for hex_ in tile.hexes]
    found: list[Frame] = []
    for number, hex_ in enumerate(hex_ for hex_ in hexes if position.terrain[hex_] >= bare):
        if position.terrain[hex_] == bare:
            seat = people[number % len(people)]
            found.append((agenda.MODULE, seat, index, bytes((codes.RAISE_LANDMARK, hex_))))
    return found[::-1]
