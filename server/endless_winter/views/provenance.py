"""What every thing of the catalogue has in common: its id, its words, where its values are from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from endless_winter.content import provenance
from endless_winter.v1 import catalog_pb2 as v
from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    from endless_winter.content.schema import Entry, Part

_PROVENANCE: Final = {
    "rulebook": enums.PROVENANCE_RULEBOOK,
    "inferred": enums.PROVENANCE_INFERRED,
    "reconstructed": enums.PROVENANCE_RECONSTRUCTED,
    "public": enums.PROVENANCE_PUBLIC,
}
_HEAD: Final = ("id", "provenance", "sides")


def sources_of(part: Part, prefix: str = "") -> list[v.ValueProvenance]:
    """Where each value of an entry comes from; items of a list one by one if they differ."""
    found: list[v.ValueProvenance] = []
    for field in msgspec.structs.fields(part):
        if field.name in _HEAD or getattr(part, field.name) is None:
            continue
        origins = provenance(part, field.name)
        for number, word in enumerate(origins):
            group = field.name if len(origins) == 1 else f"{field.name}[{number}]"
            found.append(
                v.ValueProvenance(value_group=prefix + group, provenance=_PROVENANCE[word])
            )
    return found


def item(entry: Entry, text: str = "", copies: int = 1) -> v.ItemInfo:
    return v.ItemInfo(
        id=entry.id, name=entry.title, text=text, copies=copies, provenance=sources_of(entry)
    )
