"""Printed effects in the contract's effect language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import icons, tables
from endless_winter.v1 import effect_pb2 as v
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.views import phrases
from endless_winter.views.words import ICONS, PLACES, UNNAMED_ICONS

if TYPE_CHECKING:
    from endless_winter.rules.tables import Ability, Stone
    from endless_winter.views.words import Words

_TIMINGS: Final = {
    icons.ANYWHERE: v.EFFECT_TIMING_ANYWHERE,
    icons.ANY_COLUMN: v.EFFECT_TIMING_ANY_COLUMN,
    icons.ECLIPSE: v.EFFECT_TIMING_ECLIPSE,
}
_CONDITIONS: Final = {
    icons.SAME_ANIMALS: (v.CONDITION_KIND_UNTIPPED_ANIMALS, v.TYPE_MATCH_SAME),
    icons.DIFFERENT_ANIMALS: (v.CONDITION_KIND_UNTIPPED_ANIMALS, v.TYPE_MATCH_DIFFERENT),
    icons.WILD_ANIMALS: (v.CONDITION_KIND_UNTIPPED_ANIMALS, v.TYPE_MATCH_WILD),
    icons.CAMPS_PLACED: (v.CONDITION_KIND_CAMPS_ON_MAP, v.TYPE_MATCH_UNSPECIFIED),
    icons.VILLAGES_PLACED: (v.CONDITION_KIND_VILLAGES, v.TYPE_MATCH_UNSPECIFIED),
    icons.CARDS_BURIED: (v.CONDITION_KIND_BURIED_CARDS, v.TYPE_MATCH_UNSPECIFIED),
    icons.STONES_TAKEN: (v.CONDITION_KIND_STONES, v.TYPE_MATCH_UNSPECIFIED),
    icons.MEGALITHS_PLACED: (v.CONDITION_KIND_MEGALITHS_PLACED, v.TYPE_MATCH_UNSPECIFIED),
}
_COUNTED: Final = {
    tables.STN_VILLAGES_TOUCHING: v.CONDITION_KIND_VILLAGES_TOUCHING,
    tables.STN_LAND_TYPES: v.CONDITION_KIND_LAND_TYPES_WITH_CAMP,
    tables.STN_MEGALITHS_ON_BOARD: v.CONDITION_KIND_MEGALITHS_ON_BOARD,
    tables.STN_MEGALITH_TILES: v.CONDITION_KIND_MEGALITH_TILES,
    tables.STN_BURIED: v.CONDITION_KIND_BURIED_CARDS,
    tables.STN_STACKED: v.CONDITION_KIND_MEGALITHS_STACKED,
    tables.STN_IDOL_SPACES: v.CONDITION_KIND_IDOL_STEPS,
    tables.STN_TIPPED_TYPES: v.CONDITION_KIND_TIPPED_TYPES,
    tables.STN_TIPPED_OF: v.CONDITION_KIND_TIPPED_ANIMALS,
    tables.STN_VILLAGES_TOUCHING_ANY: v.CONDITION_KIND_VILLAGES_TOUCHING,
}


def terms(pool: bytes) -> list[v.EffectTerm]:
    return [
        v.EffectTerm(
            icon=ICONS[pool[at]],
            amount=pool[at + 1],
            module_icon=UNNAMED_ICONS.get(pool[at], ""),
        )
        for at in range(0, len(pool), 2)
    ]


def benefit(pool: bytes) -> v.Effect | None:
    """What is simply gained; None: nothing is printed there."""
    if not pool:
        return None
    return v.Effect(gains=terms(pool), timing=v.EFFECT_TIMING_IMMEDIATE, text=phrases.pool(pool))


def action(cost: bytes, pool: bytes, text: str, *, camps: int = 0) -> v.Effect:
    """A fixed action of a column, with its price; `camps` come home from the map as well."""
    home = [v.EffectTerm(icon=enums.ICON_RETURN_CAMP, amount=camps)] if camps else []
    return v.Effect(
        costs=[*terms(cost), *home],
        gains=terms(pool),
        timing=v.EFFECT_TIMING_IMMEDIATE,
        text=text,
    )


def ability(effect: Ability, *, at_once: bool = False) -> v.Effect:
    """An ability; `at_once`: it works when its card is played or its token taken."""
    timing = _TIMINGS.get(effect.where, v.EFFECT_TIMING_COLUMN)
    in_column = timing == v.EFFECT_TIMING_COLUMN
    return v.Effect(
        costs=terms(effect.cost),
        gains=terms(effect.gains),
        condition=condition(effect.when, effect.amount) if effect.when else None,
        timing=v.EFFECT_TIMING_IMMEDIATE if at_once else timing,
        column=PLACES[effect.where] if in_column else enums.ACTION_SPACE_UNSPECIFIED,
        text=phrases.ability(effect),
    )


def condition(when: int, amount: int) -> v.Condition:
    """ICO-02: at least so many of what a condition looks at."""
    kind, match = _CONDITIONS[when]
    return v.Condition(kind=kind, at_least=amount, type_match=match)


def stone_scoring(words: Words, stone: Stone) -> v.Effect:
    """STN: points in each Eclipse phase, by a ratio or a printed scale."""
    subjects: list[str] = []
    if stone.kind == tables.STN_VILLAGES_TOUCHING:
        subjects = [words.terrains[stone.param]]
    elif stone.kind == tables.STN_VILLAGES_TOUCHING_ANY:
        subjects = list({name for n, name in enumerate(words.terrains) if stone.param & 1 << n})
    elif stone.kind == tables.STN_TIPPED_OF:
        subjects = [name for n, name in enumerate(words.animals) if stone.param & 1 << n]
    return v.Effect(
        gains=[v.EffectTerm(icon=enums.ICON_POINTS, amount=stone.each)] if stone.each else (),
        condition=v.Condition(
            kind=_COUNTED[stone.kind],
            per=0 if stone.scale else stone.per,
            subject_ids=sorted(subjects),
            scale=stone.scale,
        ),
        timing=v.EFFECT_TIMING_ECLIPSE,
        text=_stone_text(words, stone, subjects),
    )


# One, several.
_STONE_TEXTS: Final = {
    tables.STN_VILLAGES_TOUCHING: ("Village touching {}", "Villages touching {}"),
    tables.STN_LAND_TYPES: ("land type with a Camp", "land types with a Camp"),
    tables.STN_MEGALITHS_ON_BOARD: (
        "own Megalith directly on the board",
        "own Megaliths directly on the board",
    ),
    tables.STN_MEGALITH_TILES: (
        "Megalith tile with an own Megalith",
        "Megalith tiles with an own Megalith",
    ),
    tables.STN_BURIED: ("buried card", "buried cards"),
    tables.STN_STACKED: ("own stacked Megalith", "own stacked Megaliths"),
    tables.STN_IDOL_SPACES: ("space on both Idol tracks", "spaces on both Idol tracks"),
    tables.STN_TIPPED_TYPES: ("type of tipped Animals", "types of tipped Animals"),
    tables.STN_TIPPED_OF: ("tipped {}", "tipped {}"),
    tables.STN_VILLAGES_TOUCHING_ANY: ("Village touching a {}", "Villages touching a {}"),
}


def _stone_text(words: Words, stone: Stone, subjects: list[str]) -> str:
    titles = [t.title for t in words.tables.terrains if t.name in subjects]
    titles += [a.title for a in words.tables.animals if a.name in subjects]
    one, several = (text.format(" or ".join(titles)) for text in _STONE_TEXTS[stone.kind])
    if stone.scale:
        return f"{', '.join(map(str, stone.scale))} points for 0, 1, 2, ... {several}"
    per = f"each {one}" if stone.per == 1 else f"every {stone.per} {several}"
    return f"{phrases.amount(icons.POINT, stone.each)} for {per}"
