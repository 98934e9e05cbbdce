"""What everybody may know of Rivers & Rafts, and what is told of it when the game is over.

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
    LANDMARK_POINTS_AT,
    POOL_AT,
    RAFT_POINTS_AT,
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
from endless_winter.v1 import result_pb2 as r
from endless_winter.v1 import view_public_pb2 as v
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


def state_of(position: Position) -> bytes:
    """The module's state; empty without the module."""
    if RIVERS not in position.config.modules:
        return b""
    return position.module_state[position.config.modules.index(RIVERS)]


def faces_of(position: Position) -> Faces | None:
    state = state_of(position)
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


def rafts_of(position: Position) -> bytes:
    """Where the Rafts are, by seat; empty without the module."""
    return state_of(position)[RAFTS_AT : RAFTS_AT + SEATS]


def rivers_view(words: Words, faces: Faces | None) -> v.RiversView | None:
    if faces is None:
        return None
    tiles = [faces.tiles[at : at + TILE_BYTES] for at in range(0, len(faces.tiles), TILE_BYTES)]
    return v.RiversView(
        river_hexes=faces.river,
        tiles=[
            v.RiverTilePlaced(
                tile_id=words.river_tiles[tile[0] >> 1], side=SIDES[tile[0] & 1], hexes=tile[1:]
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
    names = {words.fish[number]: fish.count(number) for number in fish}
    return [ids.TokenCount(token_id=name, count=names[name]) for name in sorted(names)]


def landmarks_on_offer(words: Words, position: Position) -> list[str]:
    """The Landmarks to choose from, sorted by id; empty: none is being chosen."""
    if RIVERS not in position.config.modules or not position.agenda:
        return []
    operation, _, index, pieces = position.agenda[-1]
    if operation != agenda.MODULE or position.modules[index].name != RIVERS:
        return []
    if pieces[0] != codes.RAISE_LANDMARK:
        return []
    return sorted(words.landmarks[b_of(code)] for code in raise_options(position, pieces[1]))


def points_of(position: Position, seat: int) -> tuple[int, int]:
    """What a seat has scored with Landmarks and with its Raft."""
    state = state_of(position)
    if not state:
        return (0, 0)
    return (state[LANDMARK_POINTS_AT + seat], state[RAFT_POINTS_AT + seat])


def uncover(words: Words, position: Position, view: replay_pb2.OmniscientView) -> None:
    """The Fish pool, which is as good as open: whatever is not discarded is in it."""
    state = state_of(position)
    if state:
        view.fish_pool.extend(token_counts(words, fish_pool(state)))


# --- events ---

CATEGORIES: Final[dict[int, r.ScoreCategory.ValueType]] = {
    codes.BY_LANDMARK: r.SCORE_CATEGORY_LANDMARKS,
    codes.BY_RAFT: r.SCORE_CATEGORY_RAFTS,
}


def _landmark(
    words: Words, position: Position, seat: int, hex_: int, terrain: int
) -> list[e.PublicEvent]:
    """Told if somebody chose it; else it is part of the board that the game begins with."""
    rules = rules_in(position.config)
    if rules is None or not rules.decided:
        return []
    choice = m.LandmarkChoice(hex=hex_, landmark_id=words.landmarks[terrain])
    return [e.PublicEvent(setup_chosen=e.SetupChosen(seat=seat, landmark=choice))]


def _base(_: Words, position: Position, seat: int, first: int, second: int) -> list[e.PublicEvent]:
    camps = position.players[seat].camps.count(OUTSIDE)
    site = TOUCHED.index(bytes((first, second)))
    placed = e.StartingBasePlaced(starting_base=base_view(seat, site, camps))
    return [e.PublicEvent(starting_base_placed=placed)]


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
                seat=seat, token_id=words.fish[fish], pool_refilled=bool(returned)
            )
        )
    ],
    codes.FISH_MIXED: lambda _, __, ___, count, ____: [
        e.PublicEvent(fish_mixed=e.FishMixed(count=count))
    ],
}
# Told the same way in any position.
BY_ITSELF: Final = (codes.RAFT_MOVED, codes.FISH_DRAWN, codes.FISH_MIXED)
