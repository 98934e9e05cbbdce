"""The words of modules: no two use the same number or the same name."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.rules import BadPosition, Config, Game, agenda, events
from endless_winter.rules.config import NomadRules
from endless_winter.rules.hooks import FIRST_OF_MODULES
from endless_winter.rules.icons import ICON_NAMES
from endless_winter.rules.modules import REGISTRY
from endless_winter.rules.position import read, write
from endless_winter.rules.rivers.agreed import RiversRules
from tests.rules.scene import TABLES
from tests.rules.walk import begin, playable

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


# --- a written position, while Chiefs and Setup cards are still chosen ---

NOT_YET = Config(
    TABLES,
    modules=(RiversRules(3, decided=True), *filter(playable, REGISTRY)),
    nomad=NomadRules(),
)


def before_the_deal() -> dict[str, Any]:
    game = Game.new(NOT_YET, bytes(32))
    assert game.position.agenda[1][0] == agenda.DEAL
    values: dict[str, Any] = json.loads(json.dumps(write(game.position)))
    assert write(read(values, TABLES)) == values
    return values


def refusal_of(values: dict[str, Any]) -> str:
    with pytest.raises(BadPosition) as refused:
        read(values, TABLES)
    assert "\n" not in str(refused.value)
    return str(refused.value)


@pytest.mark.parametrize("name", NOT_YET.modules)
def test_a_spoilt_state_is_noticed_before_set_up_is_over(name: str) -> None:
    values = before_the_deal()
    values["module_state"].setdefault(name, {})["wind"] = 1
    assert refusal_of(values).startswith(f"module_state.{name}.")
    for part in before_the_deal()["module_state"].get(name, {}):
        values = before_the_deal()
        del values["module_state"][name][part]
        assert refusal_of(values) == f"module_state.{name}.{part}: missing"
    values = before_the_deal()
    if values["module_state"].pop(name, None) is not None:
        assert f"module_state.{name}: " in refusal_of(values)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("mammoth.juncture", 3, 'module_state.mammoth: juncture "" expected in set-up'),
        ("rivers.rafts", [0, 2], "module_state.rivers: Rafts at home"),
        ("rivers.bases", [[7, 8], []], "module_state.rivers: Rafts at home and no Starting Bases"),
        ("rivers.river", [3, 5, 0, 2, 9], "module_state.rivers.river: hexes 15, 5, 0, 2, 9"),
        ("nomad.token", 5, "module_state.nomad: no open card and no token"),
        ("nomad.deck", [], "module_state.nomad.deck, stack, pile: each Nomad card once"),
        ("glacier_tokens", {"tokens": []}, "module_state.glacier_tokens: none before set-up"),
        ("volcanoes", {}, "module_state.volcanoes: unknown"),
    ],
)
def test_what_cannot_be_there_yet_is_refused(path: str, value: object, message: str) -> None:
    values = before_the_deal()
    name, _, part = path.partition(".")
    if part:
        values["module_state"][name][part] = value
    else:
        values["module_state"][name] = value
    assert refusal_of(values).startswith(message)


def test_a_landmark_that_nobody_is_to_choose_is_refused() -> None:
    values = write(Game.new(NOT_YET, bytes(32)).position)
    records = values["agenda"]
    assert isinstance(records, list)
    records.pop()
    with pytest.raises(BadPosition, match="one record for each Landmark"):
        read(values, TABLES)


def test_a_culture_card_of_the_sacrifice_deck_is_nowhere_else_either() -> None:
    values = before_the_deal()
    sacrifice = values["module_state"]["nomad"]["sacrifice"]
    sacrifice[0] = sacrifice[1]
    assert refusal_of(values) == f"cards: {sacrifice[1]} exists once only"
