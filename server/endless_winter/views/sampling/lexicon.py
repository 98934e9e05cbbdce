"""From the ids of the contract back to the core's numbers: `Words` turned around."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules.sources import REST_TOKEN, source
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.views.plugin import SHOWN
from endless_winter.views.words import ICONS, PLACES, UNNAMED_ICONS, Words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from endless_winter.content import Pack
    from endless_winter.v1 import ids_pb2 as ids

PLACE_NUMBERS: Final = {place: number for number, place in enumerate(PLACES) if place or not number}
SECTION_NUMBERS: Final = {
    enums.SECTION_UNSPECIFIED: 0,
    enums.SECTION_TOP: 0,
    enums.SECTION_MIDDLE: 1,
    enums.SECTION_BOTTOM: 2,
}


def _numbers(names: Sequence[str]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


class Lexicon:
    """The numbers of one pack's things by their ids."""

    __slots__ = (
        "animals",
        "cards",
        "chiefs",
        "glacier_tokens",
        "icons",
        "map_cards",
        "module_icons",
        "nomad_cards",
        "of_modules",
        "rest_tokens",
        "setups",
        "stones",
        "terrains",
        "tiles",
        "tokens",
    )

    def __init__(self, pack: Pack) -> None:
        words = Words(pack)
        # Where several icons share one of the contract, a module knows which it is.
        self.icons: dict[int, int] = {icon: number for number, icon in ICONS.items()}
        self.module_icons: dict[str, int] = {name: number for number, name in UNNAMED_ICONS.items()}
        self.cards: dict[str, int] = _numbers(words.cards)
        self.animals: dict[str, int] = _numbers(words.animals)
        self.setups: dict[str, int] = _numbers(words.setups)
        self.stones: dict[str, int] = _numbers(words.stones)
        # Where several types share an id, it is the first of them, or a module knows which.
        self.terrains: dict[str, int] = {}
        for number, name in enumerate(words.terrains):
            self.terrains.setdefault(name, number)
        self.tiles: dict[str, int] = _numbers(words.tiles)
        self.chiefs: dict[str, int] = _numbers(words.chiefs[::2])  # by card, not by side
        self.glacier_tokens: dict[str, int] = _numbers(words.glacier_tokens)
        self.rest_tokens: dict[str, int] = _numbers(words.rest_tokens)
        self.nomad_cards: dict[str, int] = _numbers(words.nomad_cards)
        self.map_cards: dict[str, int] = _numbers(words.map_cards)
        # Tokens as sources (rules/sources.py), by id; modules add theirs.
        self.tokens: dict[str, int] = {
            name: source(REST_TOKEN, number) for name, number in self.rest_tokens.items()
        }
        self.of_modules: dict[str, object] = {}  # the numbers of their own components
        for module in SHOWN.values():
            module.add_numbers(self, words)

    def zone(self, counts: Iterable[ids.CardCount]) -> bytes:
        """A multiset of cards, sorted by the core's numbers."""
        cards = self.cards
        zone: list[int] = []
        for entry in counts:
            count = entry.count
            card = cards[entry.card_id]
            if count == 1:
                zone.append(card)
            else:
                zone += [card] * count
        zone.sort()
        return bytes(zone)
