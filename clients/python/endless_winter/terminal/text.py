"""Words and numbers that all texts share: amounts, names of enum values, components in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from endless_winter.sdk import Catalog
    from endless_winter.sdk.parts.offered import Offer
    from endless_winter.v1 import catalog_pb2, effect_pb2, ids_pb2

_MANY = {enums.ICON_FOOD: "Food"}
_SHORT: dict[int, str] = {
    enums.ICON_LABOR: "Labor",
    enums.ICON_FOOD: "Food",
    enums.ICON_TOOL: "Tool",
    enums.ICON_IDOL: "Idol",
    enums.ICON_DRAW: "Card",
    enums.ICON_DISCARD: "Drop",
    enums.ICON_MEGALITH: "Mega",
    enums.ICON_MEGALITH_BY_ARROW: "Start",
    enums.ICON_BURY: "Bury",
    enums.ICON_VILLAGE: "Villg",
    enums.ICON_CAMP: "Camp",
    enums.ICON_CAMP_MOVE: "Move",
    enums.ICON_CAMP_MOVE_DOUBLE: "Move2",
    enums.ICON_CAMP_MOVE_OPPONENT: "Push",
    enums.ICON_CAMP_MARCH: "Move",
    enums.ICON_TRIBE_TO_HAND: "Tribe",
    enums.ICON_TRIBE_TO_DISCARD: "Tribe",
    enums.ICON_CULTURE: "Cultr",
    enums.ICON_ANIMAL: "Beast",
    enums.ICON_ANIMAL_TOP: "Beast",
    enums.ICON_ANIMAL_REVEAL: "Show",
    enums.ICON_ANIMAL_TIP: "Tip",
    enums.ICON_SACRED_STONE: "Stone",
    enums.ICON_POINTS: "pts",
    enums.ICON_FOOD_TO_LIMIT: "Feast",
    enums.ICON_FISH: "Fish",
    enums.ICON_SCORE_LANDMARK: "Score",
}
SPACES: dict[int, str] = {
    enums.ACTION_SPACE_INITIATE: "Initiate",
    enums.ACTION_SPACE_DEVELOP: "Develop",
    enums.ACTION_SPACE_MIGRATE: "Migrate",
    enums.ACTION_SPACE_HUNT: "Hunt",
    enums.ACTION_SPACE_REST: "Rest",
}
PHASES: dict[int, str] = {
    enums.PHASE_SETUP: "Set-up",
    enums.PHASE_ACTION: "Action phase",
    enums.PHASE_ECLIPSE: "Eclipse phase",
    enums.PHASE_PREPARATION: "Preparation",
    enums.PHASE_ENDED: "Final scoring done",
}
_RIVER_HEXES = 5  # of every game with a river, where its hexes are not known
ECLIPSE_STEPS: dict[int, str] = {
    enums.STEP_ECLIPSE_ORDER_BENEFIT: "turn-order benefit",
    enums.STEP_ECLIPSE_ABILITIES: "Eclipse abilities",
    enums.STEP_ECLIPSE_TERRAIN: "Terrain",
    enums.STEP_ECLIPSE_BOARD: "player board",
    enums.STEP_ECLIPSE_RAFT: "Rafts",
}


def labor(halves: int) -> str:
    """Labor as a table writes it: 1½."""
    whole, half = divmod(halves, 2)
    return f"{whole or ''}½" if half else str(whole)


def brief(effect: effect_pb2.Effect) -> list[str]:
    """What an effect gives, a few letters for each icon."""
    found = []
    for term in effect.gains:
        word = _SHORT.get(term.icon, "+")
        if term.icon == enums.ICON_LABOR:
            found.append(f"{labor(term.amount)} L")
        elif term.icon == enums.ICON_POINTS:
            found.append(f"{term.amount}p")  # as on the cards; a hex has no room for more
        else:
            found.append(word if term.amount == 1 else f"{term.amount} {word}")
    return found


def price(effect: effect_pb2.Effect) -> str:
    """What an action costs: "1 Labor and 1 Tool"; empty: nothing."""
    words = []
    for term in effect.costs:
        if term.icon == enums.ICON_LABOR:
            words.append(f"{labor(term.amount)} Labor")
        elif term.icon == enums.ICON_RETURN_CAMP:
            words.append(f"{term.amount} Camps")
        else:
            words.append(plural(term.amount, _SHORT[term.icon], _MANY.get(term.icon, "")))
    return " and ".join(words)


def with_price(effect: effect_pb2.Effect) -> str:
    """An action and its cost: "take an Animal (1 Labor and 1 Tool)"."""
    cost = price(effect)
    return f"{effect.text} ({cost})" if cost else effect.text


def plural(count: int, word: str, many: str = "") -> str:
    return f"{count} {word if count == 1 else many or word + 's'}"


def cards(catalog: Catalog, counts: Iterable[ids_pb2.CardCount]) -> str:
    """A multiset of cards in a line."""
    return ", ".join(
        catalog.title(card.card_id) + (f" x{card.count}" if card.count > 1 else "")
        for card in counts
    )


def river_place(river_hexes: Sequence[int], place: int) -> str:
    """A place on the river by name: 0 is the Headwaters, after the River hexes comes the Delta."""
    if not place:
        return "the Headwaters"
    if place > (len(river_hexes) or _RIVER_HEXES):
        return "the Delta"
    return f"hex {river_hexes[place - 1]}" if river_hexes else f"river place {place}"


def ordinal(number: int) -> str:
    return {1: "1st", 2: "2nd", 3: "3rd"}.get(number, f"{number}th")


def enum_name(enum: Any, value: int, prefix: str) -> str:
    """The name of an enum's value in small letters; a number that is new to us as it is."""
    try:
        name: str = enum.Name(value)
    except ValueError:
        return f"#{value}"
    return name.removeprefix(prefix).lower().replace("_", " ")


def card_line(card: catalog_pb2.CardInfo) -> str:
    """A card in a line: what it does, and its points."""
    points = f" · {plural(card.end_points, 'point')}" if card.end_points else ""
    return f"{card.item.text}{points}"


def chief_line(catalog: Catalog, chief_id: str, side: int) -> str:
    """The side of a Chief that is played, and what it can do."""
    chief = catalog.chiefs.get(chief_id)
    if chief is None:
        return chief_id
    for face in chief.sides:
        if face.side == side:
            return f"{face.name}: {'; '.join(one.text for one in face.abilities)}"
    return chief.item.name


def setup_line(catalog: Catalog, card: catalog_pb2.SetupCardInfo) -> str:
    parts = [plural(card.food, "Food", "Food"), plural(card.tools, "Tool")]
    parts += [catalog.title(one) for one in (card.tribe_card_id, *card.animal_ids)]
    if card.second_camp:
        parts.append("a second Camp")
    return ", ".join(parts)


def lines_of(offers: Iterable[Offer]) -> list[str]:
    """What a turn offers, a sentence for each."""
    return [f"{one.text[:1].upper()}{one.text[1:]}" for one in offers]
