"""The Nomad's area on the table: set-up, its token, each round's new deck, and whether it fits."""

from typing import Final

from endless_winter.rules import board, events
from endless_winter.rules.chance import shuffle
from endless_winter.rules.config import NOMAD, NomadRules
from endless_winter.rules.events import emit
from endless_winter.rules.hooks import Module
from endless_winter.rules.nomad.area import Area, area_in, packed, unpacked, written
from endless_winter.rules.nomad.roaming import FIRST_OUTER, shuffled_maps
from endless_winter.rules.nomad.seat import NOMAD_SEAT, OTHERS_SETUPS, reveal_card
from endless_winter.rules.reading import Json, Reader
from endless_winter.rules.state import Position
from endless_winter.rules.terrain import BASE, JUNCTURES
from endless_winter.rules.zones import EMPTY

SACRIFICES: Final = 5  # Culture cards of each Era (SOL-02)
INNER_CAMPS: Final = 2

_CARD_STREAM: Final = "nomad-cards"


class NomadModule(Module):
    name = NOMAD
    own_rules = True

    def read_rules(self, reader: Reader) -> NomadRules:
        return NomadRules(
            seat=reader.number("seat", 1),
            extra_card=reader.truth("extra_card"),
            token_is_village=reader.truth("token_is_village"),
            setup_card=reader.truth("setup_card"),
            idol_head_start=reader.truth("idol_head_start"),
            four_player_terrain=reader.truth("four_player_terrain"),
            bottom_actions=reader.truth("bottom_actions"),
            second_extra_card=reader.truth("second_extra_card"),
        )

    def take_seats(self, position: Position, index: int) -> None:
        position.kinds[_seat(position)] = NOMAD_SEAT

    def decks_made(self, position: Position, index: int) -> None:
        """SOL-02, SOL-04, SOL-05, XPT-01."""
        seat = _seat(position)
        others = bytes(other for other in position.order if other != seat)
        position.order = bytes((seat,)) + others
        area = Area()
        for era in (0, 1):
            area.sacrifice += position.culture[era][:SACRIFICES]
            position.culture[era] = position.culture[era][SACRIFICES:]
        area.deck = _shuffled_cards(position)
        area.maps = shuffled_maps(position, 0)
        position.module_state[index] = packed(area)
        nomad = position.config.nomad
        if nomad is not None and nomad.setup_card:
            cards = bytes(range(len(position.tables.setups)))
            # One that is not among those on offer to the player.
            card = shuffle(position.seed, "setup-cards", 0, cards)[OTHERS_SETUPS]
            position.players[seat].setup = card
            emit(position, events.SETUP_CHOSEN, seat, card)

    def set_up(self, position: Position, index: int) -> None:
        """SOL-03; hard mode's open cards (SOL-11)."""
        board.take_beast(position, position.players[_seat(position)])
        _open_cards(position)

    def add_influence(self, position: Position, index: int, seat: int, found: list[int]) -> None:
        """NMD-11: the token is worth a Camp on each of its hexes, or a Village."""
        nomad = position.config.nomad
        token = position.module_state[index][0]
        if nomad is None or seat != nomad.seat or token == EMPTY:
            return
        for hex_ in JUNCTURES[token]:
            found[hex_] += 2 if nomad.token_is_village else 1

    def occupies(self, position: Position, index: int, juncture: int) -> bool:
        return position.module_state[index][0] == juncture

    def held_cards(self, position: Position, index: int) -> bytes:
        state = position.module_state[index]
        return unpacked(state).sacrifice if state else b""

    def prepared(self, position: Position, index: int) -> None:
        """NMD-16."""
        area = unpacked(position.module_state[index])
        area.stack = b""
        area.pile = b""
        area.deck = _shuffled_cards(position)
        position.module_state[index] = packed(area)
        emit(position, events.NOMAD_SHUFFLED, _seat(position), len(area.deck))
        _open_cards(position)

    def write_state(self, position: Position, index: int) -> Json:
        return written(position.tables, unpacked(position.module_state[index]))

    def read_state(self, position: Position, index: int, reader: Reader) -> bytes:
        return packed(area_in(position.tables, reader))

    def check_set_up(self, position: Position, index: int) -> str:
        wrong = _check_area(position, index)
        if wrong:
            return wrong
        area = unpacked(position.module_state[index])
        if area.stack or area.pile or area.seen_maps or area.token != EMPTY:
            return "module_state.nomad: no open card and no token before set-up is over"
        return ""

    def check(self, position: Position, index: int) -> str:
        wrong = _check_area(position, index)
        return wrong or _check_player(position, unpacked(position.module_state[index]))


def _check_area(position: Position, index: int) -> str:
    state = position.module_state[index]
    if not state:
        return "module_state.nomad: missing"
    area = unpacked(state)
    cards = sorted(area.deck + area.stack + area.pile)
    if cards != list(range(len(position.tables.nomad_cards))):
        return "module_state.nomad.deck, stack, pile: each Nomad card once expected"
    if sorted(area.maps + area.seen_maps) != list(range(len(position.tables.map_cards))):
        return "module_state.nomad.maps, seen_maps: each Map card once expected"
    if area.token != EMPTY and board.beside_base(position, area.token):
        return "module_state.nomad.token: it stands beside the Base"
    for card in area.sacrifice:
        if not position.tables.cards[card].era:
            return "module_state.nomad.sacrifice: Culture cards expected"
    return ""


def _check_player(position: Position, area: Area) -> str:
    """What is special about the Nomad's own board."""
    seat = _seat(position)
    player = position.players[seat]
    if player.hand or player.deck or player.discard or player.above or player.pile:
        return f"players[{seat}]: the Nomad has no cards but buried ones"
    if player.tipped:
        return f"players[{seat}].tipped: the Nomad tips no Animals"
    if len(player.camps) != board.CAMPS or len(set(player.camps)) != board.CAMPS:
        return f"players[{seat}].camps: {board.CAMPS} different hexes expected"
    inner = [hex_ for hex_ in player.camps if BASE < hex_ < FIRST_OUTER]
    if len(inner) != INNER_CAMPS or BASE in player.camps:
        return f"players[{seat}].camps: {INNER_CAMPS} in the inner ring expected, the rest outside"
    if area.token != EMPTY and len(player.villages) < board.VILLAGES:
        return "module_state.nomad.token: it comes after the last Village"
    if area.token != EMPTY and area.token in position.players[1 - seat].villages + player.villages:
        return "module_state.nomad.token: a Village is there"
    shown = position.turn and position.agenda and not area.stack
    if shown and any(NOMAD_SEAT.turn_stage(frame) == 2 for frame in position.agenda):
        return "module_state.nomad.stack: no open card, but a figure is placed"
    return ""


def _seat(position: Position) -> int:
    nomad = position.config.nomad
    assert nomad is not None  # the module is never there without it
    return nomad.seat


def _shuffled_cards(position: Position) -> bytes:
    number = len(position.tables.nomad_cards)
    return shuffle(position.seed, _CARD_STREAM, position.round, bytes(range(number)))


def _open_cards(position: Position) -> None:
    """SOL-11, XPT-05."""
    nomad = position.config.nomad
    if nomad is None:
        return
    for _ in range(nomad.extra_card + nomad.second_extra_card):
        reveal_card(position, nomad.seat)


NOMAD_MODULE: Final = NomadModule()
