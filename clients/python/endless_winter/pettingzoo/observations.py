"""The fixed observation: what one seat may know, as numbers from 0 to 1.

It is made from the seat's View and nothing else, so it holds nothing that a client over the
network would not be sent. Seats are given relative to the observer: 0 is the observer itself, 1
the next seat number, and so on. `Observer.sections` names every part and where it lies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.pettingzoo import rivers
from endless_winter.pettingzoo.layout import (
    BENEFITS,
    KINDS,
    OF_MODULES,
    PHASES,
    PLACES,
    ROUNDS,
    STEPS,
    Sizes,
    sections_of,
)
from endless_winter.pettingzoo.page import Page
from endless_winter.rules import agenda, board, icons
from endless_winter.rules.building import NEUTRAL, OWN
from endless_winter.rules.hooks import FIRST_OF_MODULES
from endless_winter.rules.modules.warriors import warrior_in
from endless_winter.rules.terrain import HEXES, JUNCTURES
from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from endless_winter.rules import Config
    from endless_winter.rules.state import Player, Position
    from endless_winter.rules.tables import Token
    from endless_winter.v1 import view_public_pb2
    from endless_winter.views.sampling import Known

# What counts that have no printed limit are divided by; more than that is given as 1.
MOST_POINTS: Final = 200
MOST_LABOR: Final = 24  # in halves
MOST_CARDS: Final = 40
MOST_OF_A_BENEFIT: Final = 6

_MOST_INFLUENCE: Final = board.CAMPS + 2 * board.VILLAGES
_FIGURES: Final = 3
_MOST_FOOD: Final = board.BASE_FOOD_LIMIT + board.CAMPS
# What one piece on each of several places counts.
_CAMP: Final = [1 / board.CAMPS] * HEXES
_HEX: Final = [1.0] * HEXES
_JUNCTURE: Final = [1.0] * len(JUNCTURES)
_FIGURE: Final = [0.5] * PLACES
_TURNS: Final = 3


class Observer:
    """Writes the observations of one kind of game."""

    def __init__(self, config: Config) -> None:
        tables = config.tables
        self.config: Config = config
        self._size: Sizes = Sizes(config)
        copies = [
            tables.tribe_copies
            if at < tables.tribe_types or at == warrior_in(tables)
            else max(1, tables.starting.count(at))
            for at in range(self._size.cards)
        ]
        # What one piece counts: 1 is reached when all copies are there.
        self._card: list[float] = [1 / number for number in copies]
        self._animal: list[float] = [
            1 / animal.copies for animal in tables.animals[: self._size.animals]
        ]
        self._stone: list[float] = [1.0] * len(tables.stones)
        self._number: dict[str, int] = {card.name: at for at, card in enumerate(tables.cards)}
        self._rest_token: dict[str, int] = _numbered(tables.rest_tokens)
        self._glacier_token: dict[str, int] = _numbered(tables.glacier_tokens)
        self.sections: dict[str, slice] = {}
        self.size: int = 0
        for name, length in sections_of(self._size):
            self.sections[name] = slice(self.size, self.size + length)
            self.size += length

    # --- writing ---

    def observe(
        self, known: Known, public: view_public_pb2.PublicView, kind: int
    ) -> NDArray[np.float32]:
        """The observation of the seat that `known` is about.

        `kind` is the kind of its pending decision, 0 if somebody else chooses.
        """
        position = known.position
        seats = len(position.players)
        order = [(known.seat + seat) % seats for seat in range(seats)]
        page = Page()
        self._write_turn(page, position, public.turn, order, kind)
        self._write_agenda(page, position)
        self._write_supply(page, position, public.supply, order)
        self._write_rest_tokens(page, public)
        self._write_terrain(page, position, public, order)
        self._write_megaliths(page, position, order)
        for seat in order:
            self._write_player(page, position, position.players[seat], public.players[seat])
        own = position.players[known.seat]
        # An open pile is the same for all: it stands with the seat.
        pile = b"" if public.turn.phase == enums.PHASE_ECLIPSE else own.pile
        for zone in (own.hand, own.deck, own.buried, pile, position.fresh):
            page.pieces(zone, self._card)
        assert page.end == self.size
        return page.array()

    def _write_turn(
        self,
        page: Page,
        position: Position,
        turn: view_public_pb2.TurnView,
        order: list[int],
        kind: int,
    ) -> None:
        seats = len(order)
        page.one_of(turn.round, ROUNDS)
        page.one_of(turn.phase, PHASES)
        page.one_of(turn.step, STEPS)
        page.one_of(kind or -1, KINDS)
        page.one_of(
            order.index(turn.choosing_seat) if turn.HasField("choosing_seat") else -1, seats
        )
        page.one_of(order.index(turn.active_seat) if turn.HasField("active_seat") else -1, seats)
        page.numbers(
            (
                turn.turn_number / _TURNS,
                position.labor / MOST_LABOR,
                float(position.section == 1),
                float(position.section == 2),
                float(position.bottom_open),
                float(position.chief_ready),
                position.cultures_played / MOST_OF_A_BENEFIT,
                _discards(position) / MOST_OF_A_BENEFIT,
            )
        )
        page.one_of(_place(position.place) - 1, PLACES)
        page.numbers([position.taken >> deck & 1 for deck in range(self._size.tribes)])
        ready = position.ready
        for ability in range(self._size.abilities):
            cards = [ready[at] for at in range(0, len(ready), 2) if ready[at + 1] == ability]
            page.pieces(cards, self._card)

    def _write_agenda(self, page: Page, position: Position) -> None:
        """The pool that is taken from now, what waits below it, and the sources that compete."""
        top = [0.0] * self._size.benefits
        below = [0.0] * self._size.benefits
        card = -1
        unused = b""
        pile = b""
        for depth, (operation, _, number, pieces) in enumerate(reversed(position.agenda)):
            if operation == agenda.GAIN:
                into = below if depth else top
                for at in range(0, len(pieces), 2):
                    slot = pieces[at]
                    if slot >= FIRST_OF_MODULES:
                        slot = BENEFITS + OF_MODULES.index(slot)
                    into[slot] += _units(pieces[at], pieces[at + 1]) / MOST_OF_A_BENEFIT
            elif operation == agenda.ABILITIES and card < 0:
                card = number
                unused = pieces
            elif operation == agenda.ECLIPSE_CARDS:
                pile = pieces
        page.numbers(top)
        page.numbers(below)
        page.one_of(card, self._size.cards)
        page.numbers([ability in unused for ability in range(self._size.abilities)])
        page.pieces(pile, self._card)

    def _write_supply(
        self,
        page: Page,
        position: Position,
        supply: view_public_pb2.SupplyView,
        order: list[int],
    ) -> None:
        n = self._size
        tables = position.tables
        page.numbers([left / tables.tribe_copies for left in position.tribes])
        page.pieces(position.display, self._card)
        page.numbers(
            (
                supply.culture_deck_era_one / max(1, len(tables.era_cards[0])),
                supply.culture_deck_era_two / max(1, len(tables.era_cards[1])),
                supply.animal_deck / len(position.animal_cards),
            )
        )
        page.pieces(position.grounds, self._animal)
        page.pieces(position.stones[0] + position.stones[1], self._stone)
        for column in range(icons.INITIATE, icons.HUNT + 1):
            first = position.first[column] - 1
            page.one_of(order.index(first) if first >= 0 else -1, n.players)
        page.numbers([card in position.chiefs for card in range(n.chiefs // 2)])
        page.numbers([card in position.setups for card in range(n.setups)])

    def _write_rest_tokens(self, page: Page, public: view_public_pb2.PublicView) -> None:
        tokens = public.rest_tokens
        size = self._size.rest_tokens
        page.one_of(self._rest_token.get(tokens.open_token_id, -1), size)
        page.one_of(self._rest_token.get(tokens.held_token_id, -1), size)
        unused = [ready.ability for ready in public.turn.ready_abilities if ready.source.token_id]
        page.numbers([effect in unused for effect in range(self._size.abilities)])
        page.numbers((tokens.taken_this_round,))

    def _write_terrain(
        self,
        page: Page,
        position: Position,
        public: view_public_pb2.PublicView,
        order: list[int],
    ) -> None:
        n = self._size
        for terrain in position.terrain:
            page.one_of(terrain, n.terrains)
        players = [position.players[seat] for seat in order]
        for player in players:
            page.pieces([camp for camp in player.camps if camp < HEXES], _CAMP)
        spreads = board.influences(position)
        for seat in order:
            page.numbers([number / _MOST_INFLUENCE for number in spreads[seat][:HEXES]])
        for hex_ in public.terrain.hexes:
            there = hex_.HasField("glacier_token")
            page.numbers((there,))
            face = self._glacier_token.get(hex_.glacier_token.token_id, -1) if there else -1
            page.one_of(face, n.glacier_tokens)
        page.pieces(public.turn.resolved_hexes, _HEX)
        for player in players:
            page.pieces(player.villages, _JUNCTURE)
        stands = public.mammoth.juncture if public.mammoth.HasField("juncture") else -1
        page.one_of(stands, n.mammoth)
        if n.rivers:
            rivers.write(page, position, order)

    def _write_megaliths(self, page: Page, position: Position, order: list[int]) -> None:
        for tile in position.tiles:
            page.one_of(tile, self._size.tiles)
        built = [(site, owner) for site, owner in enumerate(position.megaliths) if owner]
        each = [1.0] * self._size.sites
        for whose in (NEUTRAL, *[OWN + seat for seat in order]):
            page.pieces([site for site, owner in built if owner == whose], each)

    def _write_player(
        self,
        page: Page,
        position: Position,
        player: Player,
        seen: view_public_pb2.PlayerView,
    ) -> None:
        n = self._size
        tables = position.tables
        page.one_of(position.order.find(player.seat), n.players)
        page.numbers(
            (
                seen.score / MOST_POINTS,
                player.food / _MOST_FOOD,
                seen.food_limit / _MOST_FOOD,
                player.tools / board.MAX_TOOLS,
                seen.camps_on_board / board.CAMPS,
                seen.villages_on_board / board.VILLAGES,
                seen.neutral_megaliths / board.NEUTRAL_MEGALITHS,
                seen.coloured_megaliths / (board.MEGALITHS - board.NEUTRAL_MEGALITHS),
                seen.tribe_figures_available / 2,
                seen.figures_at_rest / _FIGURES,
                player.offering / len(tables.offering),
                player.honor / len(tables.honor),
                seen.honor_place / n.players,
                len(player.stones) / board.MAX_STONES,
                seen.hand_count / MOST_CARDS,
                seen.deck_count / MOST_CARDS,
                seen.buried_count / MOST_CARDS,
                seen.eclipse_pile_count / MOST_CARDS,
                seen.eclipse_labor_halves / MOST_LABOR,
                seen.turns_taken / _TURNS,
            )
        )
        # While a side is still to be chosen, both are given by half.
        sides = [player.chief] if seen.chief_side else [player.chief, player.chief + 1]
        page.pieces(sides, [1.0 / len(sides)] * n.chiefs)
        page.one_of(player.setup, n.setups)
        page.one_of(_place(player.figures[0]), 1 + PLACES)
        page.pieces([_place(place) - 1 for place in player.figures[1:] if place], _FIGURE)
        page.pieces(player.stones, self._stone)
        page.pieces(player.animals, self._animal)
        page.pieces(player.tipped, self._animal)
        page.pieces(player.discard, self._card)
        page.pieces(player.above, self._card)
        page.pieces(player.pile if seen.eclipse_pile else b"", self._card)
        everything: list[int] = []
        for entry in seen.owned:
            everything += [self._number[entry.card_id]] * entry.count
        page.pieces(everything, self._card)


def _numbered(tokens: list[Token]) -> dict[str, int]:
    return {token.name: at for at, token in enumerate(tokens)}


def _place(place: int) -> int:
    """0 at home, 1 to 4 in a column, 5 at rest."""
    return PLACES if place == icons.REST else place


def _units(icon: int, amount: int) -> int:
    if icon == agenda.SCORE_STONES:
        return amount.bit_count()
    return 1 if icon == agenda.ADDITIONAL else amount


def _discards(position: Position) -> int:
    """Cards still to be discarded as a cost."""
    for operation, _, number, _ in reversed(position.agenda):
        if operation == agenda.PAY_DISCARD:
            return number
    return 0
