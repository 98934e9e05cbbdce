"""Options are picked by keys and by places."""

from __future__ import annotations

from endless_winter.terminal.panels import PANELS
from endless_winter.terminal.picker import COMMANDS, KEYS, Picker
from endless_winter.terminal.places import Place, hex_place, option_place
from tests.terminal.games import positions


def moving() -> Picker:
    """A decision about moving one of two Camps or more, so that hexes have several options."""
    for seed in range(1, 20):
        for table in positions(2, seed):
            picker = Picker(table.decision)
            pairs = [found for found in picker.places if [one.kind for one in found] == ["hex"] * 2]
            if len({start for _, start in pairs}) > 1 and len(pairs) > 3:
                return picker
    raise AssertionError("no game had a choice of Camp moves")


def test_no_key_means_two_things() -> None:
    assert len(set(KEYS)) == len(KEYS) >= 50
    assert not set(KEYS) & set(COMMANDS)
    assert {panel.key for panel in PANELS} <= set(COMMANDS)


def test_a_key_picks_its_option_and_keeps_it_when_the_list_is_narrowed() -> None:
    picker = moving()
    last = picker.decision.options[-1]
    key = picker.key_of(last)
    place = next(
        place
        for place in sorted(picker.offered, key=str)
        if place not in picker.places[last.id]
        and sum(place in found for found in picker.places) > 1
    )
    assert picker.by_place(place) is None
    assert last not in picker.shown
    assert picker.by_key(key) is last
    assert picker.current is last
    assert picker.by_key("?") is None


def test_a_place_with_one_option_picks_it_and_one_with_several_narrows_the_list() -> None:
    picker = moving()
    for place in sorted(picker.offered, key=str):
        meant = [one for one in picker.decision.options if place in picker.places[one.id]]
        picker.widen()
        found = picker.by_place(place)
        if len(meant) == 1:
            assert found is meant[0]
            assert picker.current is found
        else:
            assert found is None
            assert list(picker.shown) == meant
            assert picker.narrowed == place
            assert place in picker.lit


def test_a_second_click_goes_on_from_what_the_first_one_left() -> None:
    picker = moving()
    moves = [
        (option, found)
        for option, found in zip(picker.decision.options, picker.places, strict=True)
        if len(found) == 2 and found[0].kind == found[1].kind == "hex"
    ]
    option, (goal, start) = moves[-1]
    assert picker.by_place(start) is None
    assert picker.by_place(goal) is option


def test_a_place_without_options_changes_nothing() -> None:
    picker = moving()
    shown = picker.shown
    free = next(hex_place(n) for n in range(19) if hex_place(n) not in picker.offered)
    assert picker.by_place(free) is None
    assert picker.by_place(Place("no such kind")) is None
    assert picker.shown == shown
    assert picker.by_place(option_place(1)) is picker.decision.options[1]


def test_the_cursor_stays_in_the_list() -> None:
    picker = moving()
    picker.move(-5)
    assert picker.cursor == 0
    picker.move(1000)
    assert picker.current is picker.decision.options[-1]
