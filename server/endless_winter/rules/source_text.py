"""Sources as text, in the JSON form of a position: `card elder`, `hex 7`, `section hunt bottom`."""

from typing import Final

from endless_winter.rules import sources
from endless_winter.rules.errors import BadPosition
from endless_winter.rules.icons import WHERE_NAMES
from endless_winter.rules.megaliths import Sites
from endless_winter.rules.modules import REGISTRY
from endless_winter.rules.sources import KIND_NAMES, RULES, source
from endless_winter.rules.tables import Tables
from endless_winter.rules.terrain import HEXES, JUNCTURES

_SECTIONS: Final = ("top", "middle", "bottom")


class SourceTexts:
    """Writes and reads the sources of games with one content pack and Megalith layout."""

    def __init__(self, tables: Tables, sites: Sites) -> None:
        self.names: dict[int, list[str]] = {
            sources.HEX: _numbers(HEXES),
            sources.CARD: [card.name for card in tables.cards],
            sources.NOMAD_CARD: [card.name for card in tables.nomad_cards],
            sources.CHIEF: [chief.name for chief in tables.chiefs],
            sources.ANIMAL: [animal.name for animal in tables.animals],
            sources.STONE: [stone.name for stone in tables.stones],
            sources.STONE_SPACE: _numbers(len(tables.stone_spaces) + 1),
            sources.BOARD: _numbers(1),
            sources.OFFERING: _numbers(len(tables.offering) + 1),
            sources.TURN_ORDER: _numbers(len(tables.turn_order) + 1),
            sources.MEGALITH: [
                f"{sites.x[site]},{sites.y[site]}@{sites.level[site]}"
                for site in range(len(sites.x))
            ],
            sources.REST_TOKEN: [token.name for token in tables.rest_tokens],
            sources.GLACIER_TOKENS: _numbers(len(JUNCTURES)),
            sources.SECTION: [f"{place} {part}" for place in WHERE_NAMES for part in _SECTIONS],
            sources.RULE: list(RULES),
        }
        for module in REGISTRY.values():
            self.names.update(module.source_names(tables))
        self.kinds: dict[str, int] = {KIND_NAMES[kind]: kind for kind in self.names}

    def text(self, where: int) -> str:
        return f"{KIND_NAMES[where >> 8]} {self.names[where >> 8][where & 255]}" if where else ""

    def parse(self, text: str, path: str) -> int:
        """The source of a text; BadPosition says what cannot be read."""
        word, _, name = text.partition(" ")
        kind = self.kinds.get(word, 0)
        if not kind:
            raise BadPosition(f'{path}: no source "{word}"; one of {", ".join(self.kinds)}')
        if name not in self.names[kind]:
            raise BadPosition(f'{path}: there is no {word} "{name}"')
        return source(kind, self.names[kind].index(name))


def _numbers(end: int) -> list[str]:
    return [str(number) for number in range(end)]
