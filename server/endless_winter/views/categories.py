"""What the categories of points are called: one set of names for all that shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.v1 import result_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable

# By the name of the contract; modules add theirs (modules/__init__.py).
LABELS: Final[dict[str, str]] = {
    "culture_cards": "Culture cards",
    "tribe_cards": "Tribe cards",
    "chief": "Chief",
    "terrain": "Terrain",
    "turn_order": "turn order",
    "megaliths": "Megaliths",
    "honor_track": "Honor track",
    "offering_track": "Offering track",
    "sacred_stones": "Sacred Stones",
    "tipped_animals": "tipped Animals",
    "player_board": "player board",
    "empty_supply": "empty supplies",
    "glacier_tokens": "Glacier tokens",
    "rest_tokens": "Rest tokens",
    "nomad_actions": "Nomad actions",
    "modules": "modules",
    "final_offering": "Food and Tools",
    "final_honor": "buried cards",
    "final_cards": "printed on cards",
    "final_animals": "Animal sets",
}


def category_name(category: int) -> str:
    """The name of the contract in small letters; a number that is new to us as it is."""
    try:
        name = result_pb2.ScoreCategory.Name(result_pb2.ScoreCategory.ValueType(category))
    except ValueError:
        return f"#{category}"
    return name.removeprefix("SCORE_CATEGORY_").lower()


def in_order(names: Iterable[str]) -> list[str]:
    """As the contract has them: at once, then final scoring; those that are new to us last."""
    numbers = {category_name(number): number for number in result_pb2.ScoreCategory.values()}
    return sorted(names, key=lambda name: (numbers.get(name, len(numbers)), name))


def category_label(name: str) -> str:
    """What people read, by the name; one that is new to us as the contract has it."""
    return LABELS.get(name, name.replace("_", " "))
