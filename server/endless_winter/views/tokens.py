"""What everybody may know of the tokens of the two modules.

A face-down token is "there" and nothing else. The state of a module is the core's; only the
places read here leave it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules.modules.glacier_tokens import FACE_UP
from endless_winter.rules.modules.rest_tokens import GONE, HELD, ON_OFFER
from endless_winter.v1 import view_public_pb2 as v

if TYPE_CHECKING:
    from endless_winter.rules.state import Position
    from endless_winter.views.words import Words

GLACIER_TOKENS: Final = "glacier_tokens"
REST_TOKENS: Final = "rest_tokens"

_FACE_DOWN: Final = 1
# What the public part of a hex keeps of its token: nothing, that there is one, or which.
_OPEN_FACES: Final = bytes(
    0 if value == 0 else _FACE_DOWN if value < FACE_UP else value for value in range(256)
)
NO_TOKEN: Final = 0


def _state(position: Position, name: str) -> bytes:
    for index, module in enumerate(position.modules):
        if module.name == name:
            return position.module_state[index]
    return b""


def glacier_faces(position: Position) -> bytes:
    """One value per hex: 0 none, 1 face down, else the open face; empty without the module."""
    return _state(position, GLACIER_TOKENS).translate(_OPEN_FACES)


def glacier_token_view(words: Words, face: int) -> v.GlacierTokenView | None:
    if face == NO_TOKEN:
        return None
    if face == _FACE_DOWN:
        return v.GlacierTokenView(revealed=False)
    token = (face & ~FACE_UP) - 1
    return v.GlacierTokenView(revealed=True, token_id=words.glacier_tokens[token])


def rest_faces(position: Position) -> bytes:
    """What everybody knows of the Rest tokens: mode, size of the stack, open or held, seen ones.

    The state keeps no record of which face-down tokens were seen, but every round sends at
    least one under the stack for all to see (RTK-02 .. RTK-04): so many at the bottom are known
    for sure. Empty without the module, and before it is set up.
    """
    state = _state(position, REST_TOKENS)
    if not state:
        return b""
    mode = state[0]
    stack = state[2:]
    shown = b""
    if mode != GONE:
        shown, stack = stack[:1], stack[1:]
    seen = min(position.round - 1 + (mode == GONE), len(stack))
    return bytes((mode, len(stack))) + stack[len(stack) - seen :][::-1] + shown


def rest_token_view(words: Words, faces: bytes) -> v.RestTokenView | None:
    if not faces:
        return None
    mode, size = faces[0], faces[1]
    pieces = faces[2:]
    view = v.RestTokenView(stack_count=size, taken_this_round=mode != ON_OFFER)
    if mode != GONE:
        pieces, shown = pieces[:-1], words.rest_tokens[pieces[-1]]
        if mode == ON_OFFER:
            view.open_token_id = shown
        else:
            view.held_token_id = shown
            view.holder_seat = mode - HELD
    view.seen_at_bottom.extend(words.rest_tokens[token] for token in pieces)
    return view


def unused_effects(position: Position) -> tuple[int, int]:
    """A held Rest token and its unused effects, a bit each; (0, 0) when nobody holds one."""
    state = _state(position, REST_TOKENS)
    if not state or state[0] < HELD:
        return (0, 0)
    return (state[2], state[1])
