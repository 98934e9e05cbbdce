"""EPL: the Eclipse pile, step 4 of a third turn."""

from __future__ import annotations

import pytest

from endless_winter.rules import events
from tests.rules.scene import CARDS, Scene, scene


def third_turn(*hand: str, seat: int = 0, players: int = 2) -> Scene:
    """The end of a third turn, with a hand."""
    table = scene(players).player(seat, hand=list(hand), figures=["", "hunt", "hunt"])
    table.turn(seat, 3).listen()
    return table.do("place chief develop", "end")


@pytest.mark.rule("EPL-01")
@pytest.mark.parametrize(("number", "kind"), [(1, "turn"), (2, "turn"), (3, "build_pile")])
def test_the_pile_is_laid_after_the_third_turn_only(number: int, kind: str) -> None:
    table = scene(2).player(0, hand=["hunter"]).turn(0, number)
    assert table.do("place tribe develop", "end").kind == kind


@pytest.mark.rule("EPL-01")
def test_culture_and_tribe_cards_can_be_laid() -> None:
    table = third_turn("hunter", "brave", "bone_flute", "great_hearth")
    assert table.texts == [
        "pile hunter",
        "pile brave",
        "pile bone_flute",
        "pile great_hearth",
        "done",
    ]
    table.do("pile bone_flute", "pile hunter")
    assert table.names(0, "pile") == ["hunter", "bone_flute"]


@pytest.mark.rule("EPL-01")
def test_no_card_has_to_be_laid() -> None:
    table = third_turn("hunter", "bone_flute").do("done")
    assert table.seat == 1
    assert table.at(0).pile == b""
    assert table.names(0, "hand") == ["hunter", "bone_flute"]


@pytest.mark.rule("EPL-01")
def test_all_cards_of_the_hand_can_be_laid() -> None:
    hand = ["hunter", "hunter", "elder", "brave", "bone_flute"]
    table = third_turn(*hand).do(*[f"pile {card}" for card in hand])
    assert table.names(0, "pile") == hand
    assert table.at(0).hand == b""
    assert (table.seat, table.kind) == (1, "turn")  # there is nothing left to ask


@pytest.mark.rule("EPL-01")
def test_the_others_stay_in_hand_for_the_next_round() -> None:
    table = third_turn("hunter", "elder", "bone_flute", seat=1)
    table.player(1, deck=["brave"] * 5)
    table.do("pile hunter", "done")
    assert table.names(1, "hand") == ["elder", "bone_flute"]
    while table.position.round == 1:
        table.do("leave")
    assert table.names(1, "hand") == ["elder"] + ["brave"] * 5 + ["bone_flute"]
    assert table.names(1, "discard") == ["hunter"]


@pytest.mark.rule("EPL-01")
def test_one_of_two_equal_cards_can_be_laid() -> None:
    table = third_turn("hunter", "hunter")
    assert table.texts == ["pile hunter", "done"]
    table.do("pile hunter", "done")
    assert table.names(0, "pile") == ["hunter"]
    assert table.names(0, "hand") == ["hunter"]


@pytest.mark.rule("EPL-01")
def test_only_the_hand_can_be_laid_not_what_was_played_this_turn() -> None:
    table = scene(2).player(
        0,
        hand=["hunter", "elder", "ember_feast"],
        discard=["brave"],
        deck=["shaman"],
        buried=["crafter"],
    )
    table.turn(0, 3).do("culture ember_feast", "place tribe hunt", "play hunter", "end")
    assert table.texts == ["pile elder", "done"]


@pytest.mark.rule("EPL-01")
def test_with_an_empty_hand_there_is_no_question() -> None:
    table = scene(2).player(0, hand=["hunter"]).turn(0, 3)
    table.do("place tribe hunt", "play hunter", "end")
    assert (table.seat, table.kind) == (1, "turn")


@pytest.mark.rule("EPL-01")
def test_with_one_card_in_hand_the_question_is_asked() -> None:
    assert third_turn("hunter").texts == ["pile hunter", "done"]


@pytest.mark.rule("EPL-01")
def test_the_pile_can_be_laid_after_a_rest_turn_too() -> None:
    table = scene(2).player(0, deck=["hunter"]).turn(0, 3).do("place tribe rest", "draw")
    assert table.texts == ["pile hunter", "done"]


@pytest.mark.rule("EPL-01")
def test_everybody_sees_how_many_cards_are_laid_and_only_the_owner_which() -> None:
    table = third_turn("hunter", "bone_flute")
    table.events.clear()
    table.do("pile bone_flute", "pile hunter")
    laid = [event for event in table.events if event[0] == events.CARD_PILED]
    assert [event[:4] for event in laid] == [(events.CARD_PILED, 0, 0, 0)] * 2
    assert [event[4] for event in laid] == [
        bytes((CARDS["bone_flute"],)),
        bytes((CARDS["hunter"],)),
    ]


@pytest.mark.rule("EPL-01")
def test_the_faces_come_out_with_the_eclipse_and_not_before() -> None:
    table = third_turn("hunter").do("pile hunter")
    assert table.seat == 1
    assert events.PILE_REVEALED not in [event[0] for event in table.events]
    table.do("place tribe rest", "draw as food")
    shown = [event for event in table.events if event[0] == events.PILE_REVEALED]
    assert [(event[1], event[2]) for event in shown] == [(0, CARDS["hunter"])]


@pytest.mark.rule("EPL-01")
def test_laying_cards_uses_none_of_their_abilities_at_once() -> None:
    """The Hunter's 2 Food and the Crafter's Tool come in the Eclipse phase."""
    table = third_turn("hunter", "crafter").do("pile hunter", "pile crafter")
    assert table.seat == 1
    assert (table.at(0).food, table.at(0).tools, table.position.labor) == (0, 0, 0)
