"""The words of modules: no two use the same number or the same name."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import pytest

from endless_winter.rules import BadPosition, Config, Game, agenda, events
from endless_winter.rules.config import NomadRules
from endless_winter.rules.hooks import FIRST_OF_MODULES
from endless_winter.rules.icons import ICON_NAMES
from endless_winter.rules.modules import REGISTRY
from endless_winter.rules.position import read, write
from endless_winter.rules.rivers import area
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


def refused_before_the_deal(name: str, state: bytes) -> str:
    """Why a position is refused whose module has another state."""
    values = write(Game.new(NOT_YET, bytes(32)).position)
    states = values["module_state"]
    assert isinstance(states, list)
    states[NOT_YET.modules.index(name)] = state.hex()
    with pytest.raises(BadPosition) as refused:
        read(values, TABLES)
    assert "\n" not in str(refused.value)
    return str(refused.value)


def state_before_the_deal(name: str) -> bytes:
    position = Game.new(NOT_YET, bytes(32)).position
    assert position.agenda[1][0] == agenda.DEAL
    assert write(read(write(position), TABLES)) == write(position)
    return position.module_state[NOT_YET.modules.index(name)]


@pytest.mark.parametrize("name", NOT_YET.modules)
def test_a_spoilt_state_is_noticed_before_set_up_is_over(name: str) -> None:
    state = state_before_the_deal(name)
    assert refused_before_the_deal(name, state + b"\0").startswith(f"{name}: ")
    if state:
        assert refused_before_the_deal(name, b"").startswith(f"{name}: ")
        assert refused_before_the_deal(name, state[:-1]).startswith(f"{name}: ")


@pytest.mark.parametrize(
    ("name", "at", "value", "message"),
    [
        ("mammoth", 0, 3, "255, beside the board"),
        ("rivers", area.RAFTS_AT + 1, 2, "Rafts at home"),
        ("rivers", area.BASES_AT, 3, "no Starting Bases"),
        ("rivers", area.RIVER_AT, 3, "the river runs through"),
        ("rivers", area.TILES_AT + 1, 0, "three tiles of three hexes"),
        ("rivers", area.FISH_AT, 200, "each Fish once"),
        ("nomad", 0, 5, "no token"),
        ("nomad", 8, 99, "each Nomad card once"),
    ],
)
def test_what_cannot_be_there_yet_is_refused(name: str, at: int, value: int, message: str) -> None:
    state = bytearray(state_before_the_deal(name))
    state[at] = value
    assert message in refused_before_the_deal(name, bytes(state))


def test_a_landmark_that_nobody_is_to_choose_is_refused() -> None:
    values = write(Game.new(NOT_YET, bytes(32)).position)
    records = values["agenda"]
    assert isinstance(records, list)
    records.pop()
    with pytest.raises(BadPosition, match="one record for each Landmark"):
        read(values, TABLES)


def test_a_culture_card_of_the_sacrifice_deck_is_nowhere_else_either() -> None:
    state = bytearray(state_before_the_deal("nomad"))
    first = 8 + sum(state[2:5])
    state[first] = state[first + 1]
    assert "exists once only" in refused_before_the_deal("nomad", bytes(state))
