"""The effect language: printed icons written as text.

    ability = [where ":"] [condition n "?"] [cost "->"] gains
    cost, gains = item {"," item}
    item = icon [amount]

`docs/content.md` has the words. An amount is 1 unless it is written; Labor also comes in halves.
"""

import re
from typing import Final

from endless_winter.rules.icons import (
    ALWAYS,
    ANYWHERE,
    CONDITION_NAMES,
    DISCARD,
    FEAST,
    FOOD,
    ICON_NAMES,
    LABOR,
    MOVE,
    REST,
    TOOL,
    WHERE_NAMES,
)
from endless_winter.rules.modules import REGISTRY
from endless_winter.rules.tables import Ability

_OF_MODULES: Final = {
    icon: module.icon_names()[icon]
    for module in REGISTRY.values()
    for icon in module.printed_icons()
}
# Icons that are taken by the options of another one, with that one: no pool holds both.
_LIKE: Final = {
    icon: like for module in REGISTRY.values() for icon, like in module.taken_like().items()
}
_NAMES: Final = dict(enumerate(ICON_NAMES)) | _OF_MODULES
_ICONS: Final = {name: icon for icon, name in _NAMES.items() if icon}
_WHERES: Final = {
    name: where for where, name in enumerate(WHERE_NAMES) if where not in (ANYWHERE, REST)
}
_CONDITIONS: Final = {name: when for when, name in enumerate(CONDITION_NAMES) if when != ALWAYS}
_COSTS: Final = (FOOD, TOOL, DISCARD)
_TREK: Final = "trek"
_MOST: Final = 20  # no printed amount comes near it; a pool's amount must fit a byte
_ITEM: Final = re.compile(r"([a-z]+)(?:\s+([0-9]{1,3}(?:\.[0-9]{1,3})?))?")
_CONDITION: Final = re.compile(r"([a-z]+)(?:\s+([0-9]{1,3}))?")


class EffectError(ValueError):
    """A text that is not an effect; the loader adds file and entry."""


def parse_ability(text: str) -> Ability:
    """An ability from its text: `hunt: labor 1`, `same 2 ? food -> idol, tool 2`."""
    rest = text
    where, when, amount, cost = ANYWHERE, ALWAYS, 0, b""
    words: list[str] = []
    if ":" in rest:
        name, rest = (part.strip() for part in rest.split(":", 1))
        if name not in _WHERES:
            raise EffectError(f'unknown place "{name}" before ":"')
        where = _WHERES[name]
        words.append(f"{name}:")
    if "?" in rest:
        condition, rest = (part.strip() for part in rest.split("?", 1))
        when, amount = _condition(condition)
        words.append(f"{CONDITION_NAMES[when]} {amount} ?")
    if "->" in rest:
        price, rest = (part.strip() for part in rest.split("->", 1))
        cost = _items(price, cost=True)
        words.append(f"{pool_text(cost)} ->")
    gains = _items(rest, cost=False)
    words.append(pool_text(gains))
    return Ability(gains, cost, where, when, amount, " ".join(words))


def parse_pool(text: str) -> bytes:
    """A benefit that is simply gained: `food 2, tool`. No text, no benefit."""
    return _items(text, cost=False) if text.strip() else b""


def pool_text(pool: bytes) -> str:
    """The text of a pool, as `parse_pool` reads it."""
    items: list[str] = []
    for icon, amount in zip(pool[::2], pool[1::2], strict=True):
        name = _NAMES[icon]
        if icon == LABOR:
            items.append(f"{name} {amount / 2:g}")
        else:
            items.append(name if amount == 1 else f"{name} {amount}")
    return ", ".join(items)


def shape(ability: Ability) -> str:
    """What an ability does, without how much of it: equal shapes differ only in amounts."""
    cost, gains = (
        ",".join(sorted(_NAMES[icon] for icon in pool[::2]))
        for pool in (ability.cost, ability.gains)
    )
    return f"{WHERE_NAMES[ability.where]}: {CONDITION_NAMES[ability.when]} ? {cost} -> {gains}"


def _condition(text: str) -> tuple[int, int]:
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise EffectError(f'condition "{text}" is not a word and a number')
    name, number = match.groups()
    if name not in _CONDITIONS:
        raise EffectError(f'unknown condition "{name}"')
    if number is None or not 1 <= int(number) <= _MOST:
        raise EffectError(f'condition "{text}" needs a number from 1 to {_MOST}')
    return _CONDITIONS[name], int(number)


def _items(text: str, *, cost: bool) -> bytes:
    side = "cost" if cost else "gain"
    pool: dict[int, int] = {}
    for item in text.split(","):
        match = _ITEM.fullmatch(item.strip())
        if match is None:
            raise EffectError(f'"{item.strip()}" is not an icon with an amount')
        name, number = match.groups()
        if name == _TREK:
            # ICO-03: one Camp up to twice or two Camps once each, that is two single moves.
            icon, amount = MOVE, 2 * _amount(name, number)
        elif name in _ICONS:
            icon = _ICONS[name]
            amount = _halves(number) if icon == LABOR else _amount(name, number)
        else:
            raise EffectError(f'unknown icon "{name}"')
        if cost and icon not in _COSTS:
            raise EffectError(f'"{name}" cannot be a cost, only food, tool and discard can')
        if not cost and icon == DISCARD:
            raise EffectError(f'"{name}" is a cost, it cannot be gained')
        if icon == FEAST and amount != 1:
            raise EffectError('"feast" has no amount')
        if icon in pool:
            raise EffectError(f'"{_NAMES[icon]}" stands twice in the {side}')
        pool[icon] = amount
    for icon, like in _LIKE.items():
        if icon in pool and like in pool:
            names = f'"{_NAMES[icon]}" and "{_NAMES[like]}"'
            raise EffectError(f"{names} cannot stand in one {side}: their options are the same")
    return bytes(value for pair in pool.items() for value in pair)


def _amount(name: str, number: str | None) -> int:
    if number is None:
        return 1
    if "." in number or not 1 <= int(number) <= _MOST:
        raise EffectError(f'"{name} {number}": the amount is a whole number from 1 to {_MOST}')
    return int(number)


def _halves(number: str | None) -> int:
    halves = 2 * float(number) if number is not None else 2.0
    if not halves.is_integer() or not 1 <= halves <= 2 * _MOST:
        raise EffectError(f'"labor {number}": Labor comes in halves, from 0.5 to {_MOST}')
    return int(halves)
