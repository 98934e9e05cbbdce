"""From a public view to the position it is a view of, all hidden zones left empty."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from endless_winter.rules.board import CAMPS
from endless_winter.rules.game import empty_position
from endless_winter.rules.icons import REST
from endless_winter.rules.terrain import OUTSIDE
from endless_winter.rules.zones import ONE
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.views.plugin import shown
from endless_winter.views.sampling.lexicon import PLACE_NUMBERS, SECTION_NUMBERS
from endless_winter.views.sampling.parts import (
    Board,
    Columns,
    Seat,
    Supply,
    board_of,
    columns_of,
    seat_of,
    stones_of,
    supply_of,
)
from endless_winter.views.sampling.stack import agenda_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf.message import Message

    from endless_winter.rules import Config
    from endless_winter.rules.state import Player, Position
    from endless_winter.v1 import view_public_pb2 as v
    from endless_winter.views.plugin import ViewModule
    from endless_winter.views.sampling.lexicon import Lexicon

_NO_SEED: Final = bytes(32)
# Where a reader keeps what it read last.
_SUPPLY, _BOARD, _STONES, _COLUMNS, _SEAT = range(5)

_Read = TypeVar("_Read")
_Part = TypeVar("_Part", bound="Message")


class Public(NamedTuple):
    """What everybody knows: the position with nothing hidden in it, and the parts it is made of."""

    position: Position
    supply: Supply
    board: Board
    seats: list[Seat]


class Reader:
    """Reads the public views of games of one configuration.

    Within a turn most of a view stays as it is, so the last result of each part is cached with the
    bytes that it was read from. What comes out depends on the view alone.
    """

    __slots__ = ("_blank", "_cached", "_modules", "config", "lexicon")

    def __init__(self, lexicon: Lexicon, config: Config) -> None:
        self.lexicon: Lexicon = lexicon
        self.config: Config = config
        self._modules: list[ViewModule] = [shown(name) for name in config.modules]
        self._blank: Position = empty_position(config, _NO_SEED)
        self._cached: dict[int, tuple[bytes, object]] = {}

    def read(self, view: v.PublicView) -> Public:
        """Everything that the view shows.

        What it does not show and nothing depends on is set to something plain: which of two Tribe
        figures came first, the order in which players on different levels came to theirs, and how
        often a deck was shuffled.
        """
        lexicon = self.lexicon
        players = self.config.players
        position = self._blank.copy()
        supply = self._part(
            _SUPPLY, view.supply, lambda part: supply_of(lexicon, position.tribe_cards, part)
        )
        position.tribes = supply.tribes
        position.display = supply.display
        position.grounds = supply.grounds
        position.stones = list(supply.stones)
        stones = self._part(
            _STONES, view.megaliths, lambda part: stones_of(lexicon, position.sites, part)
        )
        position.tiles = stones.tiles
        position.megaliths = stones.built
        board = self._part(
            _BOARD, view.terrain, lambda part: board_of(lexicon, players, self._modules, part)
        )
        position.terrain = board.terrain
        columns = self._part(_COLUMNS, view.columns, lambda part: columns_of(players, part))
        position.first = columns.first
        seats: list[Seat] = []
        for number, seen in enumerate(view.players):
            seat = self._part(_SEAT + number, seen, self._seat)
            player = seat.player.copy()
            camps = board.camps[number]
            outside = CAMPS - seen.camps_on_board - len(camps)
            player.camps = camps + ONE[OUTSIDE] * outside if outside else camps
            player.villages = board.villages[number]
            player.figures = _figures(columns, seen)
            position.players[number] = player
            seats.append(seat)
        if len(seats) != players:
            raise ValueError(f"{len(seats)} players")
        position.honor_queue = _honor_queue(view, position.players)
        if view.HasField("draft"):
            draft = view.draft
            position.chiefs = bytes(sorted([lexicon.chiefs[name] for name in draft.chief_ids]))
            position.setups = bytes(sorted([lexicon.setups[name] for name in draft.setup_card_ids]))
        _read_turn(lexicon, view.turn, position)
        position.agenda = agenda_of(lexicon, view, position)
        return Public(position, supply, board, seats)

    def _seat(self, seen: v.PlayerView) -> Seat:
        owns_cards = self._blank.kinds[seen.seat].owns_cards
        return seat_of(self.lexicon, seen, owns_cards=owns_cards)

    def _part(self, slot: int, part: _Part, read: Callable[[_Part], _Read]) -> _Read:
        """A part of the view, read only if it is not the one that was read last."""
        key = part.SerializeToString()
        cached = self._cached.get(slot)
        if cached is not None and cached[0] == key:
            return cached[1]  # type: ignore[return-value]  # a slot has one type of result
        found = read(part)
        self._cached[slot] = (key, found)
        return found


def _figures(columns: Columns, seen: v.PlayerView) -> bytes:
    """Where a player's figures are: in a column, at home, and the others at rest."""
    chief = columns.chiefs[seen.seat]
    at_rest = seen.figures_at_rest
    if not chief and not seen.chief_available:
        chief = REST
        at_rest -= 1
    home = seen.tribe_figures_available
    return bytes((chief, *columns.tribes[seen.seat], *[REST] * at_rest, *[0] * home))


def _honor_queue(view: v.PublicView, players: list[Player]) -> bytes:
    """Who stands to the left of whom; between levels the order of arrival means nothing."""
    ranked = [
        (-player.honor, view.players[player.seat].honor_place, player.seat)
        for player in players
        if player.honor
    ]
    ranked.sort()
    return bytes([seat for _, _, seat in ranked])


def _read_turn(lexicon: Lexicon, view: v.TurnView, position: Position) -> None:
    players = len(position.players)
    position.order = bytes(view.turn_order)
    phase = view.phase
    if phase == enums.PHASE_SETUP:
        return
    position.round = view.round
    position.over = phase == enums.PHASE_ENDED
    if phase != enums.PHASE_ACTION:
        position.turn = 3 * players
        return
    place = position.order.index(view.active_seat)
    position.turn = (view.turn_number - 1) * players + place + 1
    position.place = PLACE_NUMBERS[view.space]
    position.section = SECTION_NUMBERS[view.section]
    position.bottom_open = view.bottom_available
    position.labor = view.labor_halves
    for number in view.chief_abilities_ready:
        position.chief_ready |= 1 << number
    position.cultures_played = view.culture_cards_played
    for name in view.initiated_card_ids:
        position.taken |= 1 << position.tribe_cards.index(lexicon.cards[name])
    ready: list[tuple[int, int]] = []
    for ability in view.ready_abilities:
        if ability.source.card_id:
            pair = (lexicon.cards[ability.source.card_id], ability.ability)
            ready += [pair] * ability.count
    ready.sort()
    position.ready = bytes([number for pair in ready for number in pair])
