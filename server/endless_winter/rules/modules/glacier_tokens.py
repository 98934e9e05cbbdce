"""Glacier tokens: a surprise on each Glacier for whoever builds beside it (GLT).

State: one byte per hex, 0 without a token, else 1 + token, plus 128 once it is face up.
"""

from typing import Final

from endless_winter.rules import board, events
from endless_winter.rules.chance import shuffle
from endless_winter.rules.events import emit
from endless_winter.rules.hooks import Module
from endless_winter.rules.icons import ICON_NAMES
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

    def check(self, position: Position, index: int) -> str:
        state = position.module_state[index]
        if len(state) != HEXES:
            return f"glacier_tokens: {HEXES} hexes expected, {len(state)} given"
        seen: set[int] = set()
        for hex_, value in enumerate(state):
            if bool(value) != (position.terrain[hex_] == GLACIER):
                return f"glacier_tokens: hex {hex_} must have a token just if it is a Glacier"
            token = (value & ~FACE_UP) - 1
            if value and (token in seen or token >= len(position.tables.glacier_tokens)):
                return f"glacier_tokens: hex {hex_}: no such token, or it lies there twice"
            seen.add(token)
        return ""
