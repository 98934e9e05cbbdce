"""The words of modules: no two use the same number or the same name."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from endless_winter.rules import board, events
from endless_winter.rules.hooks import FIRST_OF_MODULES
from endless_winter.rules.icons import ICON_NAMES
from endless_winter.rules.modules import REGISTRY
from tests.rules.walk import begin

if TYPE_CHECKING:
    from collections.abc import Iterable

BLOCK = 10


def single(found: Iterable[object]) -> bool:
    return max(Counter(found).values(), default=1) == 1


def test_every_number_and_every_name_is_used_once() -> None:
    modules = REGISTRY.values()
    for numbers in (
        [icon for module in modules for icon in module.icon_names()],
        [kind for module in modules for kind in module.event_names()],
        [verb for module in modules for verb in module.words()],
    ):
        assert single(numbers)
        assert all(FIRST_OF_MODULES <= number < 256 for number in numbers)
    assert single([*ICON_NAMES, *(n for m in modules for n in m.icon_names().values())])
    assert single([*events.EVENT_NAMES, *(n for m in modules for n in m.event_names().values())])


def test_each_module_keeps_to_its_ten_numbers() -> None:
    for name, module in REGISTRY.items():
        numbers = [*module.icon_names(), *module.event_names(), *module.words()]
        assert len({number // BLOCK for number in numbers}) <= 1, name


def test_no_word_of_a_module_is_one_of_the_base_game() -> None:
    game = begin(0)
    words = [word for module in REGISTRY.values() for word, _ in module.words().values()]
    assert single(words)
    for module in REGISTRY.values():
        for verb, (word, _) in module.words().items():
            assert game.text(verb).split(" ")[0] == word


def test_the_base_code_knows_no_module_by_name() -> None:
    names = re.compile(r"\b(rafts?|rivers?|landmarks?|fish|mammoth|warriors?|sea_cows?)\b")
    for path in Path(board.__file__).parent.glob("*.py"):
        found = names.search(path.read_text(encoding="utf-8").lower())
        assert found is None, (path.name, found)
