"""Places: what an option concerns, so that the screen can show it and a click can find it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import move_pb2

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from endless_winter.v1 import benefit_pb2, ids_pb2


class Place(NamedTuple):
    """A kind of place, and which of them."""

    kind: str
    which: int | str | tuple[int, ...] = 0


CHANGED = "•"  # beside what is not as it was at the end of the own last turn

FOOD = Place("food")
TOOLS = Place("tools")
DECK = Place("deck")
ANIMAL_DECK = Place("animal deck")
CHIEF = Place("chief")
REST_TOKEN = Place("rest token")
LABOR = Place("labor")
SCORE = Place("score")
FISH = Place("fish")
MAMMOTH = Place("mammoth")


def hex_place(number: int) -> Place:
    return Place("hex", number)


def juncture(number: int) -> Place:
    return Place("juncture", number)


def river(number: int) -> Place:
    """A place on the river: 0 is the Headwaters, then the River hexes, the last is the Delta."""
    return Place("river", number)


def starting_base(seat: int) -> Place:
    return Place("starting base", seat)


def base_site(first: int, second: int) -> Place:
    """Outside the board, where a Starting Base would touch these two hexes."""
    return Place("base site", (first, second))


def site(where: ids_pb2.MegalithSite) -> Place:
    return Place("site", (where.x, where.y, where.level))


def space(number: int) -> Place:
    """An Action Column or the Rest space."""
    return Place("space", number)


def section(column: int, number: int) -> Place:
    return Place("section", (column, number))


def culture(display_space: int) -> Place:
    return Place("culture", display_space)


def tribe_deck(card_id: str) -> Place:
    return Place("tribe deck", card_id)


def grounds(animal_id: str) -> Place:
    return Place("grounds", animal_id)


def herd(animal_id: str) -> Place:
    """An own Animal."""
    return Place("herd", animal_id)


def supply_stone(stone_id: str) -> Place:
    return Place("stone", stone_id)


def own_stone(stone_id: str) -> Place:
    return Place("own stone", stone_id)


def hand(card_id: str) -> Place:
    return Place("hand", card_id)


def discard(card_id: str) -> Place:
    return Place("discard", card_id)


def played(card_id: str) -> Place:
    """Above the own board."""
    return Place("played", card_id)


def buried(card_id: str) -> Place:
    return Place("buried", card_id)


def pile_card(card_id: str) -> Place:
    """On the own Eclipse pile."""
    return Place("pile card", card_id)


def track(number: int) -> Place:
    return Place("track", number)


def setup_choice(item_id: str) -> Place:
    """A Chief, Setup card or Landmark that lies on the table before the game."""
    return Place("setup", item_id)


def option_place(option_id: int) -> Place:
    """The line of an option in the list."""
    return Place("option", option_id)


# What is taken, where the thing taken has no place of its own.
_ICONS: dict[int, Place] = {
    enums.ICON_FOOD: FOOD,
    enums.ICON_FOOD_TO_LIMIT: FOOD,
    enums.ICON_TOOL: TOOLS,
    enums.ICON_DRAW: DECK,
    enums.ICON_ANIMAL_TOP: ANIMAL_DECK,
    enums.ICON_ANIMAL_REVEAL: ANIMAL_DECK,
    enums.ICON_LABOR: LABOR,
    enums.ICON_POINTS: SCORE,
    enums.ICON_FISH: FISH,
    enums.ICON_SCORE_LANDMARK: SCORE,
}
_STORES = {"track", *(place.kind for place in _ICONS.values())}
_ZONES: dict[int, Callable[[str], Place]] = {
    enums.ZONE_HAND: hand,
    enums.ZONE_DISCARD: discard,
    enums.ZONE_PLAYED: played,
}


def places_of(
    move: move_pb2.Move,
    pool: Sequence[benefit_pb2.PendingBenefit] = (),
    river_hexes: Sequence[int] = (),
) -> tuple[Place, ...]:
    """What a choice concerns, the most specific place first; nothing for "end the turn".

    With the River hexes of the game a place on the river is the hex that everybody sees.
    """
    which = move.WhichOneof("action")
    if which is None:
        return ()
    read = _MOVES.get(which)
    found = list(read(getattr(move, which))) if read is not None else []
    if which in ("gain", "split_tools"):
        benefit = getattr(move, which)
        if benefit.pool_index < len(pool):
            sources = source_places(pool[benefit.pool_index].source)
            # Of "a card for hex 16" the hex says more than the deck.
            stores = all(place.kind in _STORES for place in found)
            hexes = stores and any(place.kind == "hex" for place in sources)
            found = [*sources, *found] if hexes else [*found, *sources]
    return tuple(dict.fromkeys(_ashore(place, river_hexes) for place in found))


def _ashore(place: Place, river_hexes: Sequence[int]) -> Place:
    number = place.which
    if place.kind == "river" and isinstance(number, int) and 0 < number <= len(river_hexes):
        return hex_place(river_hexes[number - 1])
    return place


def source_places(source: ids_pb2.Source) -> list[Place]:
    """Where a benefit comes from."""
    which = source.WhichOneof("origin")
    read = _SOURCES.get(which or "")
    return [] if read is None else [read(source)]


def _section_source(source: ids_pb2.Source) -> Place:
    where = source.section
    return section(where.space, where.section) if where.section else space(where.space)


_SOURCES: dict[str, Callable[[ids_pb2.Source], Place]] = {
    "hex": lambda s: hex_place(s.hex),
    "card_id": lambda s: played(s.card_id),
    "chief_id": lambda _: CHIEF,
    "setup_card_id": lambda s: setup_choice(s.setup_card_id),
    "animal_id": lambda s: herd(s.animal_id),
    "stone_id": lambda s: own_stone(s.stone_id),
    "token_id": lambda _: REST_TOKEN,
    "section": _section_source,
    "megalith": lambda s: site(s.megalith),
    "idol": lambda s: track(s.idol.track),
    "rule_id": lambda _: REST_TOKEN,
}


def _camp_site(where: ids_pb2.CampSite) -> Iterator[Place]:
    which = where.WhichOneof("site")
    if which == "hex":
        yield hex_place(where.hex)
    elif which == "starting_base_of_seat":
        yield starting_base(where.starting_base_of_seat)


def _camp_move(move: move_pb2.CampMove) -> Iterator[Place]:
    yield hex_place(move.to_hex)
    yield from _camp_site(move.from_site)


def _raft_move(move: move_pb2.RaftMove) -> Iterator[Place]:
    yield river(move.to_river_place)
    yield river(move.from_river_place)


def _base(where: move_pb2.StartingBaseSite) -> Iterator[Place]:
    yield base_site(where.first_hex, where.second_hex)
    yield hex_place(where.first_hex)
    yield hex_place(where.second_hex)


def _mammoth(where: move_pb2.JunctureChoice) -> Iterator[Place]:
    yield juncture(where.juncture)
    yield MAMMOTH


def _village(where: move_pb2.VillageSite) -> Iterator[Place]:
    yield juncture(where.juncture)


def _target(target: move_pb2.Target) -> Iterator[Place]:
    which = target.WhichOneof("on")
    if which == "idol_track":
        yield track(target.idol_track)
    elif which == "megalith_site":
        yield site(target.megalith_site)
    elif which is not None:
        yield from _TARGETS[which](getattr(target, which))


def _card(choice: move_pb2.CardFromZone) -> Iterator[Place]:
    yield _ZONES.get(choice.zone, hand)(choice.card_id)


def _gain(choice: move_pb2.BenefitChoice) -> Iterator[Place]:
    found = list(_target(choice.target))
    yield from found
    if not found and choice.taken in _ICONS:
        yield _ICONS[choice.taken]


def _animal(choice: move_pb2.AnimalChoice) -> Iterator[Place]:
    yield grounds(choice.animal_id) if choice.animal_id else ANIMAL_DECK


def _nomad(choice: move_pb2.NomadMove) -> Iterator[Place]:
    yield from _target(choice.target)
    yield from source_places(choice.source)
    if choice.column:
        yield space(choice.column)


_TARGETS: dict[str, Callable[..., Iterator[Place]]] = {
    "tribe_card": lambda c: iter((tribe_deck(c.card_id),)),
    "culture_card": lambda c: iter((culture(c.space),)),
    "camp_placement": lambda c: _camp_site(c.site),
    "camp_move": _camp_move,
    "raft_move": _raft_move,
    "mammoth": _mammoth,
    "village": _village,
    "animal": _animal,
    "tip": lambda c: iter((herd(c.animal_id),)),
    "stone": lambda c: iter((supply_stone(c.stone_id),)),
    "card": _card,
}
_MOVES: dict[str, Callable[..., Iterator[Place] | list[Place]]] = {
    "choose_chief": lambda c: [setup_choice(c.chief_id)],
    "choose_chief_side": lambda c: [setup_choice(c.chief_id)],
    "choose_setup_card": lambda c: [setup_choice(c.setup_card_id)],
    "place_starting_base": _base,
    "choose_landmark": lambda c: [setup_choice(c.landmark_id), hex_place(c.hex)],
    "play_culture_card": lambda c: [hand(c.card_id)],
    "place_figure": lambda c: [space(c.space)],
    "play_tribe_card": lambda c: [hand(c.card_id)],
    "use_ability": lambda c: source_places(c.source),
    "spend_food": lambda _: [FOOD],
    "initiate": _TARGETS["tribe_card"],
    "develop": _TARGETS["culture_card"],
    "place_camp": _TARGETS["camp_placement"],
    "move_camp": _camp_move,
    "move_raft": _TARGETS["raft_move"],
    "place_mammoth": _TARGETS["mammoth"],
    "reveal_animals": lambda _: [ANIMAL_DECK],
    "hunt": _animal,
    "rite": lambda _: [section(enums.ACTION_SPACE_INITIATE, enums.SECTION_MIDDLE)],
    "take_stone": _TARGETS["stone"],
    "build_village": _village,
    "tip_animal": _TARGETS["tip"],
    "take_bottom": lambda c: [section(c.column, enums.SECTION_BOTTOM)],
    "gain": _gain,
    "split_tools": lambda _: [TOOLS],
    "discard": lambda c: [hand(c.card_id)],
    "bury": _card,
    "add_to_pile": lambda c: [hand(c.card_id)],
    "choose_rest_token": lambda _: [REST_TOKEN],
    "nomad": _nomad,
}
