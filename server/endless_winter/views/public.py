"""The public view: encoded once per position, for everybody.

`PublicEncoder` caches, for one game, the bytes of each part beside the values that the part was
made of. A part whose values have not changed is copied. The result depends on the position
alone: the same position gives the same bytes, whatever was encoded before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules.terrain import HEXES
from endless_winter.rules.zones import EMPTY
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import view_public_pb2 as v
from endless_winter.views import (
    boards,
    nomad_view,
    players,
    turn,
    wire,
)
from endless_winter.views.plugin import shown
from endless_winter.views.turn import stage_of

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from collections.abc import Set as AbstractSet

    from google.protobuf.message import Message

    from endless_winter.rules.state import Player, Position
    from endless_winter.views.turn import Stage
    from endless_winter.views.words import Words

NOBODY: Final[AbstractSet[int]] = frozenset()

_TURN: Final = v.PublicView.TURN_FIELD_NUMBER
_COLUMNS: Final = v.PublicView.COLUMNS_FIELD_NUMBER
_SUPPLY: Final = v.PublicView.SUPPLY_FIELD_NUMBER
_TERRAIN: Final = v.PublicView.TERRAIN_FIELD_NUMBER
_MEGALITHS: Final = v.PublicView.MEGALITHS_FIELD_NUMBER
_PLAYERS: Final = v.PublicView.PLAYERS_FIELD_NUMBER
_REST_TOKENS: Final = v.PublicView.REST_TOKENS_FIELD_NUMBER
_NOMAD: Final = v.PublicView.NOMAD_FIELD_NUMBER
_DRAFT: Final = v.PublicView.DRAFT_FIELD_NUMBER
_HEXES: Final = v.TerrainView.HEXES_FIELD_NUMBER
_VILLAGES: Final = v.TerrainView.VILLAGES_FIELD_NUMBER


def public_view(
    words: Words, position: Position, forfeited: AbstractSet[int] = NOBODY
) -> v.PublicView:
    """The view as a message. `forfeited` are the seats played by defaults."""
    return v.PublicView.FromString(PublicEncoder(words).encode(position, forfeited))


class PublicEncoder:
    """Encodes the public view of one game, position after position."""

    __slots__ = ("_keys", "_parts", "_words")

    def __init__(self, words: Words) -> None:
        self._words: Words = words
        self._keys: dict[int, Hashable] = {}
        self._parts: dict[int, bytes] = {}

    def encode(self, position: Position, forfeited: AbstractSet[int] = NOBODY) -> bytes:
        """The serialized PublicView of a position of the game."""
        words = self._words
        seats = position.players
        stage = stage_of(position)
        parts = [
            wire.message(_TURN, turn.turn_bytes(words, position, stage)),
            self._part(
                _COLUMNS,
                (position.first, tuple([player.figures for player in seats])),
                lambda: boards.columns_view(position),
            ),
            self._supply(position, stage),
            self._terrain(position),
            self._part(
                _MEGALITHS,
                (position.tiles, position.megaliths),
                lambda: boards.megalith_view(words, position),
            ),
        ]
        parts += [
            self._player(position, player, stage, forfeited=player.seat in forfeited)
            for player in seats
        ]
        if position.modules:
            parts += self._of_modules(position)
        if stage.phase == enums.PHASE_SETUP:
            draft = boards.draft_view(words, position)
            if draft is not None:
                body = draft.SerializeToString(deterministic=True)
                parts.append(wire.message(_DRAFT, body))
        return b"".join(parts)

    def _part(self, field: int, key: Hashable, build: Callable[[], Message | None]) -> bytes:
        """A message field of the view, built only if its key has changed."""
        if self._keys.get(field) == key:
            return self._parts[field]
        built = build()
        body = b"" if built is None else built.SerializeToString(deterministic=True)
        return self._cache(field, key, wire.message(field, body))

    def _cache(self, slot: int, key: Hashable, part: bytes) -> bytes:
        self._keys[slot] = key
        self._parts[slot] = part
        return part

    def _of_modules(self, position: Position) -> list[bytes]:
        """The fields of modules and of the Nomad, each built only if its faces have changed."""
        words = self._words
        found: list[bytes] = []
        rest = boards.rest_faces(position)
        if rest:
            found.append(
                self._part(_REST_TOKENS, rest, lambda: boards.rest_token_view(words, rest))
            )
        nomad = nomad_view.key_of(position)
        if nomad:
            found.append(self._part(_NOMAD, nomad, lambda: nomad_view.nomad_view(words, position)))
        for index, module in enumerate(position.modules):
            own = shown(module.name)
            faces = own.faces(position, index)
            if faces is None:
                continue
            field = own.field
            if self._keys.get(field) != faces:
                body = own.view(words, faces).SerializeToString(deterministic=True)
                self._cache(field, faces, wire.message(field, body))
            found.append(self._parts[field])
        return found

    def _supply(self, position: Position, stage: Stage) -> bytes:
        # The cards that left the game are those that are nowhere else; nothing of Era I comes
        # or goes after that, so that where they are not need only be looked up once.
        removed = b""
        if position.round >= boards.ERA_TWO:
            removed = self._removed(position, stage)
        key = (
            position.tribes,
            position.display,
            len(position.culture[0]),
            len(position.culture[1]),
            position.grounds,
            len(position.animals),
            position.stones[0],
            position.stones[1],
            removed,
        )
        return self._part(_SUPPLY, key, lambda: boards.supply_view(self._words, position, removed))

    def _removed(self, position: Position, stage: Stage) -> bytes:
        held = [players.faces_of(position, player, stage).owned for player in position.players]
        key = (tuple(held), position.display, position.culture[0])
        if self._keys.get(_REMOVED) == key:
            return self._parts[_REMOVED]
        return self._cache(_REMOVED, key, boards.removed_culture(position))

    def _terrain(self, position: Position) -> bytes:
        faces = b""
        token = EMPTY
        spread: list[bytes] = []  # what else gives Influence
        if position.modules:
            faces = boards.glacier_faces(position)
            token = nomad_view.token_of(position)
            spread = [shown(m.name).spread(position, at) for at, m in enumerate(position.modules)]
        camps = tuple([player.camps for player in position.players])
        built = tuple([player.villages for player in position.players])
        key = (position.terrain, camps, built, faces, token, tuple(spread))
        if self._keys.get(_TERRAIN) == key:
            return self._parts[_TERRAIN]
        return self._cache(_TERRAIN, key, wire.message(_TERRAIN, self._hexes(position, faces)))

    def _hexes(self, position: Position, faces: bytes) -> bytes:
        words = self._words
        spreads = boards.influences(position)
        parts: list[bytes] = []
        for hex_ in range(HEXES):
            key = (
                hex_,
                position.terrain[hex_],
                boards.camps_on(position, hex_),
                tuple([spread[hex_] for spread in spreads]),
                faces[hex_] if faces else boards.NO_TOKEN,
            )
            part = words.cached(key)
            if part is None:
                body = boards.hex_view(words, *key).SerializeToString(deterministic=True)
                part = words.cache(key, wire.message(_HEXES, body))
            parts.append(part)
        parts += [
            wire.message(_VILLAGES, village.SerializeToString(deterministic=True))
            for village in boards.villages(position)
        ]
        return b"".join(parts)

    def _player(
        self, position: Position, player: Player, stage: Stage, *, forfeited: bool
    ) -> bytes:
        slot = _FIRST_SEAT + player.seat
        inputs = (players.inputs_of(position, player, stage), forfeited)
        if self._keys.get(slot) == inputs:
            return self._parts[slot]
        words = self._words
        plain_slot = _FIRST_PLAIN + player.seat
        seen = players.seen_of(position, player, stage, forfeited=forfeited)
        if self._keys.get(plain_slot) != seen:
            self._cache(plain_slot, seen, players.plain_bytes(words, seen))
        cards = players.cards_bytes(words, players.faces_of(position, player, stage))
        return self._cache(slot, inputs, players.player_bytes(self._parts[plain_slot], cards))


# Slots of parts that are no field of their own.
_REMOVED: Final = 100
_FIRST_SEAT: Final = 110
_FIRST_PLAIN: Final = 120
