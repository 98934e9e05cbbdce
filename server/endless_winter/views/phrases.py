"""Icons, pools and abilities in plain English, for labels and the catalogue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import icons

if TYPE_CHECKING:
    from endless_winter.rules.tables import Ability, Card

PLACE_NAMES: Final = ("", "Initiate", "Develop", "Migrate", "Hunt", "", "", "Rest")

# One of it, several of it.
ICONS: Final[dict[int, tuple[str, str]]] = {
    icons.FOOD: ("1 Food", "{} Food"),
    icons.TOOL: ("1 Tool", "{} Tools"),
    icons.IDOL: ("1 Idol", "{} Idols"),
    icons.DRAW: ("draw a card", "draw {} cards"),
    icons.MEGALITH: ("place a Megalith", "place {} Megaliths"),
    icons.DISCARD: ("discard a card", "discard {} cards"),
    icons.BURY: ("bury a card", "bury {} cards"),
    icons.VILLAGE: ("place a Village", "place {} Villages"),
    icons.CAMP: ("place a Camp", "place {} Camps"),
    icons.MOVE: ("1 Camp move", "{} Camp moves"),
    icons.TRIBE: ("a Tribe card into hand", "{} Tribe cards into hand"),
    icons.RECRUIT: ("a Tribe card to the discard pile", "{} Tribe cards to the discard pile"),
    icons.CULTURE: ("a Culture card", "{} Culture cards"),
    icons.ANIMAL: ("an Animal from the Grounds", "{} Animals from the Grounds"),
    icons.BEAST: ("the top Animal of the deck", "the top {} Animals of the deck"),
    icons.REVEAL: ("reveal an Animal", "reveal {} Animals"),
    icons.TIP: ("tip an Animal", "tip {} Animals"),
    icons.STONE: ("take a Sacred Stone", "take {} Sacred Stones"),
    icons.POINT: ("1 point", "{} points"),
    icons.FEAST: ("Food up to the limit", "Food up to the limit"),
}
_CONDITIONS: Final[dict[int, str]] = {
    icons.SAME_ANIMALS: "with {}+ untipped Animals of one type",
    icons.DIFFERENT_ANIMALS: "with {}+ types of untipped Animals",
    icons.WILD_ANIMALS: "with {}+ wild Animals",
    icons.CAMPS_PLACED: "with {}+ Camps placed",
    icons.VILLAGES_PLACED: "with {}+ Villages placed",
    icons.CARDS_BURIED: "with {}+ buried cards",
    icons.STONES_TAKEN: "with {}+ Sacred Stones",
    icons.MEGALITHS_PLACED: "with {}+ Megaliths placed",
}


def halves(number: int) -> str:
    """Halves of Labor as a number: 3 is "1.5"."""
    return f"{number / 2:g}"


def amount(icon: int, number: int) -> str:
    if icon == icons.LABOR:
        return f"{halves(number)} Labor"
    one, many = ICONS[icon]
    return one if number == 1 else many.format(number)


def pool(pieces: bytes) -> str:
    parts = [amount(pieces[at], pieces[at + 1]) for at in range(0, len(pieces), 2)]
    return ", ".join(parts)


def price(pieces: bytes) -> str:
    """What is paid: "1 Labor and 1 Tool"."""
    return " and ".join(amount(pieces[at], pieces[at + 1]) for at in range(0, len(pieces), 2))


def _cost(pieces: bytes) -> str:
    """Discarding is said as it is, everything else is paid."""
    parts = [
        amount(pieces[at], pieces[at + 1])
        if pieces[at] == icons.DISCARD
        else f"pay {amount(pieces[at], pieces[at + 1])}"
        for at in range(0, len(pieces), 2)
    ]
    return " and ".join(parts)


def ability(effect: Ability, *, where: bool = True) -> str:
    """What an ability does: "in Hunt: 2 Tools, 1 Food", "pay 1 Food: 1 Tool"."""
    words = ""
    if where and icons.INITIATE <= effect.where <= icons.HUNT:
        words = f"in {PLACE_NAMES[effect.where]}: "
    elif where and effect.where == icons.ANY_COLUMN:
        words = "in any column: "
    elif where and effect.where == icons.ECLIPSE:
        words = "Eclipse: "
    if effect.when:
        words += f"{_CONDITIONS[effect.when].format(effect.amount)}: "
    if effect.cost:
        words += f"{_cost(effect.cost)}: "
    return words + pool(effect.gains)


def _added_labor(effect: Ability) -> str:
    more = f"+{halves(effect.gains[1])}"
    if effect.where == icons.ANYWHERE:
        return more
    if effect.where == icons.ANY_COLUMN:
        return f"{more} in any column"
    return f"{more} in {PLACE_NAMES[effect.where]}"


def tribe_card(card: Card) -> str:
    """What playing a Tribe card brings: "1 Labor, +1 in Hunt"."""
    parts = [f"{halves(card.labor)} Labor"]
    for effect in card.abilities:
        if effect.where == icons.ECLIPSE:
            continue
        plain = not (effect.cost or effect.when) and len(effect.gains) == 2
        if plain and effect.gains[0] == icons.LABOR:
            parts.append(_added_labor(effect))
        else:
            parts.append(ability(effect))
    return ", ".join(parts)


def culture_card(card: Card) -> str:
    return "; ".join(ability(effect) for effect in card.abilities)
