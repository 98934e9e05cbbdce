"""Rest tokens: a bonus for the first player to rest in a round (RTK).

State: one byte whose value is 0 while the top token is face up, 1 when nobody may take one any
more this round, 2 + seat while that player holds one; then a byte of unused effects (a bit each);
then the stack from the top (a held token is out of it and stands first).
"""

from typing import Final

from endless_winter.rules import agenda, events, gains, options
from endless_winter.rules.chance import shuffle
from endless_winter.rules.errors import BadPosition
from endless_winter.rules.events import emit
from endless_winter.rules.hooks import Module
from endless_winter.rules.offers import USED, Offer, ability_offer
from endless_winter.rules.options import TOKEN_EFFECT, option, source
from endless_winter.rules.reading import Json, Reader
from endless_winter.rules.sources import REST_TOKEN
from endless_winter.rules.state import Position
from endless_winter.rules.zones import EMPTY, ONE

ON_OFFER: Final = 0
GONE: Final = 1
HELD: Final = 2  # + seat

TAKE_SHOWN: Final = 0
TAKE_NEXT: Final = 1


class RestTokens(Module):
    name = "rest_tokens"

    def set_up(self, position: Position, index: int) -> None:
        """RTK-01."""
        stack = shuffle(
            position.seed, "rest-tokens", 0, bytes(range(len(position.tables.rest_tokens)))
        )
        position.module_state[index] = bytes((ON_OFFER, 0)) + stack
        emit(position, events.REST_TOKEN_SHOWN, 0, stack[0])

    def rest_begun(self, position: Position, index: int, seat: int) -> None:
        """RTK-02: before anything else of Rest."""
        if position.module_state[index][0] == ON_OFFER:
            position.agenda.append((agenda.MODULE, seat, index, b""))

    def options(self, position: Position, index: int, seat: int, pieces: bytes) -> list[int]:
        return [option(options.TOKEN, TAKE_SHOWN), option(options.TOKEN, TAKE_NEXT)]

    def choose(self, position: Position, index: int, seat: int, pieces: bytes, code: int) -> None:
        stack = position.module_state[index][2:]
        if options.a_of(code) == TAKE_NEXT:
            emit(position, events.REST_TOKEN_HIDDEN, seat, stack[0])
            stack = stack[1:] + stack[:1]
        token = stack[0]
        effects = position.tables.rest_tokens[token].effects
        unused = (1 << len(effects)) - 1
        position.module_state[index] = bytes((HELD + seat, unused)) + stack
        emit(position, events.REST_TOKEN_TAKEN, seat, token)

    def act_options(self, position: Position, index: int, seat: int, found: list[int]) -> None:
        """RTK-03: its effects before, between or after those of Rest."""
        state = position.module_state[index]
        if state[0] != HELD + seat:
            return
        effects = position.tables.rest_tokens[state[2]].effects
        for number, effect in enumerate(effects):
            if state[1] & 1 << number and gains.usable(position, position.players[seat], effect):
                found.append(option(options.PAY, 0, 0, source(TOKEN_EFFECT, number)))

    def act_offers(self, position: Position, index: int, seat: int, found: list[Offer]) -> None:
        state = position.module_state[index]
        if state[0] != HELD + seat:
            return
        player = position.players[seat]
        for number, effect in enumerate(position.tables.rest_tokens[state[2]].effects):
            code = option(options.PAY, 0, 0, source(TOKEN_EFFECT, number))
            offer = ability_offer(position, player, effect, code)
            if not state[1] & 1 << number:
                offer.obstacles = [(USED, 0, 0, 0)]
            found.append(offer)

    def act(self, position: Position, index: int, seat: int, code: int) -> bool:
        if options.source_of(code) >> 8 != TOKEN_EFFECT:
            return False
        state = position.module_state[index]
        number = options.source_of(code) & 255
        position.module_state[index] = bytes((state[0], state[1] & ~(1 << number))) + state[2:]
        effect = position.tables.rest_tokens[state[2]].effects[number]
        position.cause = source(REST_TOKEN, state[2])
        gains.start_ability(position, position.players[seat], effect)
        return True

    def turn_ended(self, position: Position, index: int, seat: int) -> None:
        """RTK-03: to the bottom, used or not."""
        state = position.module_state[index]
        if state[0] == HELD + seat:
            position.module_state[index] = bytes((GONE, 0)) + state[3:] + state[2:3]
            emit(position, events.REST_TOKEN_HIDDEN, seat, state[2])

    def prepared(self, position: Position, index: int) -> None:
        """RTK-04."""
        state = position.module_state[index]
        stack = state[2:]
        if state[0] == ON_OFFER:
            emit(position, events.REST_TOKEN_HIDDEN, 0, stack[0])
            stack = stack[1:] + stack[:1]
        position.module_state[index] = bytes((ON_OFFER, 0)) + stack
        emit(position, events.REST_TOKEN_SHOWN, 0, stack[0])

    def write_state(self, position: Position, index: int) -> Json:
        state = position.module_state[index]
        names = _names(position)
        held = 1 if state[0] >= HELD else 0
        return {
            "on_offer": state[0] == ON_OFFER,
            "holder": state[0] - HELD if held else "",
            "held": names[state[2]] if held else "",
            "unused": [effect for effect in range(8) if state[1] & 1 << effect],
            "stack": [names[token] for token in state[2 + held :]],
        }

    def read_state(self, position: Position, index: int, reader: Reader) -> bytes:
        on_offer = reader.truth("on_offer")
        holder = reader.place("holder", len(position.players) - 1)
        held = reader.piece("held", _names(position))
        unused = 0
        for effect in reader.numbers("unused", 7):
            unused |= 1 << effect
        stack = reader.pieces("stack", _names(position))
        if (holder == EMPTY) != (held == EMPTY) or (on_offer and held != EMPTY):
            raise BadPosition(
                f"{reader.path}holder: a seat just if it holds a token, and then none is on offer"
            )
        if holder != EMPTY:
            return bytes((HELD + holder, unused)) + ONE[held] + stack
        return bytes((ON_OFFER if on_offer else GONE, unused)) + stack

    def check(self, position: Position, index: int) -> str:
        state = position.module_state[index]
        tokens = position.tables.rest_tokens
        if sorted(state[2:]) != list(range(len(tokens))):
            return f"module_state.rest_tokens.stack: each of the {len(tokens)} tokens once expected"
        if state[0] >= HELD + len(position.players):
            return "module_state.rest_tokens.holder: no such seat"
        effects = len(tokens[state[2]].effects) if state[0] >= HELD else 0
        if state[1] >= 1 << effects:
            return "module_state.rest_tokens.unused: effects of the token that is held expected"
        return ""


def _names(position: Position) -> list[str]:
    return [token.name for token in position.tables.rest_tokens]
