"""What everybody may know of Rivers & Rafts, and what is shown of it when the game is over.

Open are the river, its tiles, Rafts, Starting Bases and the discarded Fish. Of the Fish pool only
its size is; which Fish are in it follows from the discarded ones, their order does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.rules import agenda
from endless_winter.rules.options import b_of
from endless_winter.rules.rivers import codes
from endless_winter.rules.rivers.agreed import RIVERS, rules_in
from endless_winter.rules.rivers.area import (
    BASES_AT,
    POOL_AT,
    RAFTS_AT,
    RIVER_AT,
    SEATS,
    TILE_BYTES,
    TILES_AT,
    fish_discarded,
    fish_pool,
)
from endless_winter.rules.rivers.bases import TOUCHED
from endless_winter.rules.rivers.landmarks import raise_options
from endless_winter.rules.terrain import OUTSIDE
from endless_winter.rules.zones import EMPTY
from endless_winter.v1 import event_pb2 as e
from endless_winter.v1 import ids_pb2 as ids
from endless_winter.v1 import move_pb2 as m
from endless_winter.v1 import view_public_pb2 as v
from endless_winter.views.events import began
from endless_winter.views.modules.rivers.words import of_rivers
from endless_winter.views.words import SIDES

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules.state import Position
    from endless_winter.v1 import replay_pb2
    from endless_winter.views.words import Words


class Faces(NamedTuple):
    """All that the view is made of: the allow-list."""

    river: bytes
    tiles: bytes
    rafts: bytes
    bases: bytes
    camps: tuple[int, ...]  # on each seat's Starting Base
    pool: int
    discarded: bytes


def faces_of(position: Position, index: int) -> Faces | None:
    state = position.module_state[index]
    if not state:
        return None
    seats = len(position.players)
    return Faces(
        state[RIVER_AT:TILES_AT],
        state[TILES_AT:RAFTS_AT],
        state[RAFTS_AT : RAFTS_AT + seats],
        state[BASES_AT : BASES_AT + seats],
        tuple([player.camps.count(OUTSIDE) for player in position.players]),
        state[POOL_AT],
        fish_discarded(state),
    )


def rafts_of(position: Position, index: int) -> bytes:
    """Where the Rafts are, by seat."""
    return position.module_state[index][RAFTS_AT : RAFTS_AT + SEATS]


def rivers_view(words: Words, faces: Faces) -> v.RiversView:
    ids_of = of_rivers(words)
    tiles = [faces.tiles[at : at + TILE_BYTES] for at in range(0, len(faces.tiles), TILE_BYTES)]
    return v.RiversView(
        river_hexes=faces.river,
        tiles=[
            v.RiverTilePlaced(
                tile_id=ids_of.tiles[tile[0] >> 1], side=SIDES[tile[0] & 1], hexes=tile[1:]
            )
            for tile in tiles
        ],
        rafts=[v.RaftView(seat=seat, river_place=place) for seat, place in enumerate(faces.rafts)],
        starting_bases=[
            base_view(seat, site, faces.camps[seat])
            for seat, site in enumerate(faces.bases)
            if site != EMPTY
        ],
        fish_pool_count=faces.pool,
        fish_discarded=token_counts(words, faces.discarded),
    )


def base_view(seat: int, site: int, camps: int) -> v.StartingBaseView:
    first, second = TOUCHED[site]
    return v.StartingBaseView(seat=seat, first_hex=first, second_hex=second, camps=camps)


def token_counts(words: Words, fish: bytes) -> list[ids.TokenCount]:
    """Sorted by id."""
    known = of_rivers(words).fish
    names = {known[number]: fish.count(number) for number in fish}
    return [ids.TokenCount(token_id=name, count=names[name]) for name in sorted(names)]


def landmarks_on_offer(words: Words, position: Position) -> list[str]:
    """The Landmarks to choose from, sorted by id; empty: none is being chosen."""
    operation, _, index, pieces = position.agenda[-1]
    if operation != agenda.MODULE or position.modules[index].name != RIVERS:
        return []
    if pieces[0] != codes.RAISE_LANDMARK:
        return []
    names = of_rivers(words).landmarks
    return sorted(names[b_of(code)] for code in raise_options(position, pieces[1]))


def uncover(words: Words, position: Position, index: int, view: replay_pb2.OmniscientView) -> None:
    """The Fish pool, which is as good as open: whatever is not discarded is in it."""
    state = position.module_state[index]
    if state:
        view.fish_pool.extend(token_counts(words, fish_pool(state)))


# --- events ---


def _landmark(
    words: Words, position: Position, seat: int, hex_: int, terrain: int
) -> list[e.PublicEvent]:
    """Shown if somebody chose it; else it is part of the board that the game begins with."""
    rules = rules_in(position.config)
    if rules is None or not rules.decided:
        return []
    choice = m.LandmarkChoice(hex=hex_, landmark_id=of_rivers(words).landmarks[terrain])
    return [e.PublicEvent(setup_chosen=e.SetupChosen(seat=seat, landmark=choice))]


def _base(
    words: Words, position: Position, seat: int, first: int, second: int
) -> list[e.PublicEvent]:
    """RAF-06: the last one ends the set-up."""
    camps = position.players[seat].camps.count(OUTSIDE)
    site = TOUCHED.index(bytes((first, second)))
    placed = e.StartingBasePlaced(starting_base=base_view(seat, site, camps))
    found = [e.PublicEvent(starting_base_placed=placed)]
    return found + began(words, position, seat, first, second)


EVENTS: Final[dict[int, Callable[[Words, Position, int, int, int], list[e.PublicEvent]]]] = {
    codes.LANDMARK_RAISED: _landmark,
    codes.BASE_ATTACHED: _base,
    codes.RAFT_MOVED: lambda _, __, seat, start, end: [
        e.PublicEvent(
            raft_moved=e.RaftMoved(
                seat=seat, move=m.RaftMove(from_river_place=start, to_river_place=end)
            )
        )
    ],
    codes.FISH_DRAWN: lambda words, _, seat, fish, returned: [
        e.PublicEvent(
            fish_drawn=e.FishDrawn(
                seat=seat, token_id=of_rivers(words).fish[fish], pool_refilled=bool(returned)
            )
        )
    ],
    codes.FISH_MIXED: lambda _, __, ___, count, ____: [
        e.PublicEvent(fish_mixed=e.FishMixed(count=count))
    ],
}
# Shown the same way in any position.
BY_ITSELF: Final = (codes.RAFT_MOVED, codes.FISH_DRAWN, codes.FISH_MIXED)
# Shows something hidden.
REVEALING: Final = (codes.FISH_DRAWN,)
