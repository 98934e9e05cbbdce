"""Where on the board something changed: the places of events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from endless_winter.terminal import places

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from endless_winter.sdk import Catalog
    from endless_winter.terminal.places import Place
    from endless_winter.v1 import event_pb2


def changed_places(events: Iterable[event_pb2.Event], catalog: Catalog) -> frozenset[Place]:
    """The hexes, sites, columns and tracks that these events changed."""
    found: set[Place] = set()
    for event in events:
        kind = event.public_event.WhichOneof("event") or ""
        read = _PLACES.get(kind)
        if read is not None:
            found.update(read(getattr(event.public_event, kind), catalog))
    return frozenset(found)


def _camp(event: event_pb2.CampMoved, _: Catalog) -> list[Place]:
    sites = (event.from_site, event.to_site)
    return [places.hex_place(one.hex) for one in sites if one.HasField("hex")]


def _village(event: event_pb2.VillageBuilt, catalog: Catalog) -> list[Place]:
    number = event.village.juncture
    corners = catalog.geometry.junctures
    around = [hex_ for one in corners if one.juncture == number for hex_ in one.hexes]
    return [places.juncture(number), *map(places.hex_place, around)]


_PLACES: Final[dict[str, Callable[[Any, Catalog], list[Place]]]] = {
    "camp_moved": _camp,
    "village_built": _village,
    "megalith_set": lambda e, _: [places.site(e.megalith.site)],
    "figure_placed": lambda e, _: [places.space(e.space)],
    "idol_moved": lambda e, _: [places.track(e.track)],
    "glacier_token_flipped": lambda e, _: [places.hex_place(e.hex)],
    "animal_revealed": lambda e, _: [places.grounds(e.animal_id)],
    "culture_dealt": lambda e, _: [places.culture(e.card.space)],
    "mammoth_moved": lambda e, _: [places.juncture(e.juncture)],
}
