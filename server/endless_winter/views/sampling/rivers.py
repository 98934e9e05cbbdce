"""Rivers & Rafts as a view tells it, and what may lie in the Fish pool in which order (RAF)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.rules import agenda
from endless_winter.rules.rivers import area, codes
from endless_winter.rules.rivers.bases import TOUCHED
from endless_winter.rules.rivers.fish import all_fish
from endless_winter.rules.zones import EMPTY, ONE, without
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.views.rivers_words import DECISIONS
from endless_winter.views.sampling.lexicon import BadView

if TYPE_CHECKING:
    from random import Random

    from endless_winter.rules.state import Frame, Position
    from endless_winter.v1 import view_public_pb2 as v
    from endless_winter.views.sampling.lexicon import Lexicon

_ATTACH_RULE: Final = DECISIONS[codes.ATTACH_BASE][1]


class Unseen(NamedTuple):
    """What a draw needs to know; all of it follows from the public view."""

    module: int  # which of the modules it is
    head: bytes  # the module's state up to the Fish
    pool: bytes  # the Fish that lie face down, in no order
    discarded: bytes


def unseen_of(lexicon: Lexicon, view: v.RiversView, position: Position, index: int) -> Unseen:
    """The state; where its points came from and how often Fish were mixed does not matter."""
    tiles = b"".join(
        ONE[2 * lexicon.river_tiles[tile.tile_id] + (tile.side == enums.SIDE_B)] + bytes(tile.hexes)
        for tile in view.tiles
    )
    rafts = bytearray(area.SEATS)
    for raft in view.rafts:
        rafts[raft.seat] = raft.river_place
    bases = bytearray((EMPTY,)) * area.SEATS
    for base in view.starting_bases:
        bases[base.seat] = TOUCHED.index(bytes((base.first_hex, base.second_hex)))
    discarded = b"".join(
        ONE[lexicon.fish[token.token_id]] * token.count for token in view.fish_discarded
    )
    pool = all_fish(position)
    for fish in discarded:
        pool = without(pool, fish)
    if len(pool) != view.fish_pool_count:
        raise BadView("the Fish do not add up: is it another content pack?")
    head = bytearray(area.new_state(bytes(view.river_hexes), tiles))
    head[area.POOL_AT] = len(pool)
    head[area.RAFTS_AT : area.RAFTS_AT + area.SEATS] = rafts
    head[area.BASES_AT : area.BASES_AT + area.SEATS] = bases
    return Unseen(index, bytes(head), pool, bytes(sorted(discarded)))


def deal(position: Position, unseen: Unseen, rng: Random) -> None:
    pool = bytes(sorted(unseen.pool, key=lambda _: rng.random()))
    position.module_state[unseen.module] = unseen.head + pool + unseen.discarded


def without_pool(unseen: Unseen) -> bytes:
    """The state as far as it is known: the pool is left empty."""
    head = unseen.head
    return head[: area.POOL_AT] + b"\0" + head[area.POOL_AT + 1 :] + unseen.discarded


def attaching(view: v.PublicView) -> bool:
    """Whether the set-up is at its last step, everything being dealt (RAF-06)."""
    return any(item.source.rule_id == _ATTACH_RULE for item in view.turn.agenda)


def records(view: v.PublicView, position: Position) -> list[Frame]:
    """What is still to be decided in set-up, the next one last: Starting Bases, or Landmarks."""
    index = area.index_of(position)
    if index < 0:
        return []
    people = [seat for seat in position.order if position.kinds[seat].owns_cards]
    if attaching(view):
        attached = [base.seat for base in view.rivers.starting_bases]
        record = bytes((codes.ATTACH_BASE,))
        return [(agenda.MODULE, seat, index, record) for seat in people if seat not in attached]
    # The nth Landmark hex from the Headwaters on is for the nth player (landmarks.py).
    bare = area.parts_of(position).bare
    hexes = [hex_ for tile in view.rivers.tiles for hex_ in tile.hexes]
    found: list[Frame] = []
    for number, hex_ in enumerate(hex_ for hex_ in hexes if position.terrain[hex_] >= bare):
        if position.terrain[hex_] == bare:
            seat = people[number % len(people)]
            found.append((agenda.MODULE, seat, index, bytes((codes.RAISE_LANDMARK, hex_))))
    return found[::-1]
