"""Glacier tokens: a surprise on each Glacier for whoever builds beside it (GLT).

State: one byte per hex, 0 without a token, else 1 + token, plus 128 once it is face up.
"""

from typing import Final

from endless_winter.rules import board, events
from endless_winter.rules.chance import shuffle
from endless_winter.rules.errors import BadPosition
from endless_winter.rules.events import emit
from endless_winter.rules.hooks import Module
from endless_winter.rules.icons import ICON_NAMES
from endless_winter.rules.reading import Json, Reader, piece_of
from endless_winter.rules.sources import GLACIER_TOKENS, source
from endless_winter.rules.state import Position
from endless_winter.rules.terrain import HEXES, JUNCTURES
from endless_winter.rules.zones import replaced

FACE_UP: Final = 128
GLACIER: Final = 1  # the Terrain type


class GlacierTokens(Module):
    name = "glacier_tokens"

    def set_up(self, position: Position, index: int) -> None:
        """GLT-01."""
        tokens = shuffle(
            position.seed,
            "glacier-tokens",
            0,
            bytes(range(len(position.tables.glacier_tokens))),
        )
        state = bytearray(HEXES)
        dealt = 0
        for hex_ in range(HEXES):
            if position.terrain[hex_] == GLACIER:
                state[hex_] = 1 + tokens[dealt]
                dealt += 1
        position.module_state[index] = bytes(state)

    def camp_entered(self, position: Position, index: int, hex_: int) -> None:
        """GLT-02."""
        state = position.module_state[index]
        token = state[hex_]
        if token and token < FACE_UP:
            position.module_state[index] = replaced(state, hex_, token | FACE_UP)
            emit(position, events.GLACIER_TOKEN_FLIPPED, 0, token - 1, hex_)

    def village_placed(self, position: Position, index: int, seat: int, juncture: int) -> None:
        """GLT-03; two tokens make one pool, so their benefits come in the player's order."""
        amounts = [0] * len(ICON_NAMES)
        for hex_ in JUNCTURES[juncture]:
            token = position.module_state[index][hex_]
            if token >= FACE_UP:
                pool = position.tables.glacier_tokens[(token & ~FACE_UP) - 1].effects[0].gains
                for at in range(0, len(pool), 2):
                    amounts[pool[at]] += pool[at + 1]
        pool = b""
        for icon, amount in enumerate(amounts):
            if amount:
                pool += bytes((icon, amount))
        where = source(GLACIER_TOKENS, juncture)
        board.push_gain(position, position.players[seat], pool, where)

    def write_state(self, position: Position, index: int) -> Json:
        state = position.module_state[index]
        names = _names(position)
        tokens = [
            {
                "hex": hex_,
                "token": names[(value & ~FACE_UP) - 1],
                "face_up": value >= FACE_UP,
            }
            for hex_, value in enumerate(state)
            if value
        ]
        return {"tokens": tokens}

    def read_state(self, position: Position, index: int, reader: Reader) -> bytes:
        state = bytearray(HEXES)
        for one in reader.records("tokens"):
            hex_ = one.number("hex", HEXES - 1)
            if state[hex_]:
                raise BadPosition(f"{one.path}hex: a second token on hex {hex_}")
            token = piece_of(one.value("token"), one.path + "token", _names(position), False)
            state[hex_] = 1 + token + (FACE_UP if one.truth("face_up") else 0)
            one.finish()
        return bytes(state)

    def check(self, position: Position, index: int) -> str:
        state = position.module_state[index]
        if not state:
            return "module_state.glacier_tokens: missing"
        seen: set[int] = set()
        for hex_, value in enumerate(state):
            if bool(value) != (position.terrain[hex_] == GLACIER):
                return (
                    f"module_state.glacier_tokens.tokens: hex {hex_} must have a token "
                    "just if it is a Glacier"
                )
            token = (value & ~FACE_UP) - 1
            if value and token in seen:
                return (
                    f"module_state.glacier_tokens.tokens: {_names(position)[token]} "
                    f"lies on hex {hex_} and on another one"
                )
            seen.add(token)
        return ""


def _names(position: Position) -> list[str]:
    return [token.name for token in position.tables.glacier_tokens]
