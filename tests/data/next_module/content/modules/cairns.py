"""Cairns in a content pack."""

from typing import Final

from endless_winter.content.making import Making
from endless_winter.content.plugin import ContentModule
from endless_winter.content.reader import Source
from endless_winter.content.schema import Entry, Small
from endless_winter.rules.modules.cairns import (
    CairnParts,
)
from endless_winter.rules.tables import ModuleParts


class CairnEntry(Entry, frozen=True, kw_only=True, forbid_unknown_fields=True):
    section = "cairn"
    label = "cairn"
    points: Small


class CairnsContent(ContentModule):
    sections = (CairnEntry,)

    def check(self, source: Source) -> None:
        for entry in source.content.entries(CairnEntry):
            if not entry.points:
                raise source.error(entry, "nobody would raise it")

    def build(self, making: Making) -> ModuleParts | None:
        entries = making.content.entries(CairnEntry)
        parts: ModuleParts = CairnParts([entry.points for entry in entries])
        return parts if entries else None


CONTENT: Final = CairnsContent()
