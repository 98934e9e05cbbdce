"""Whether a question is asked shows nothing of what the others may not see.

Two games, twins, differ only in what nobody but one seat knows: which of its hidden cards are in
hand, in the deck or buried, and what later shuffles will bring. As long as every choice that the
others can see is the same in both, the others must see the same questions asked of the same
seats, and get the same events, up to the cards that events hide from them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.rules import Game, agenda, events, options
from endless_winter.rules.checks import complaint
from tests.rules.scene import CARDS, scene
from tests.rules.walk import SMALL, name_of, random_of, seed_of, walk

if TYPE_CHECKING:
    import random

    from endless_winter.rules.state import Event, Player


def mixed(player: Player, fresh: bytes, choices: random.Random) -> None:
    """Deal the hidden cards of a player anew; the zones keep their sizes.

    A card that everybody saw coming into the hand this turn (LAB-06) stays there.
    """
    movable = list(player.hand)
    for card in fresh:
        movable.remove(card)
    cards = movable + list(player.deck) + list(player.buried)
    choices.shuffle(cards)
    hand, rest = cards[: len(movable)], cards[len(movable) :]
    player.hand = bytes(sorted(hand + list(fresh)))
    player.deck = bytes(rest[: len(player.deck)])
    player.buried = bytes(sorted(rest[len(player.deck) :]))


def twin_of(game: Game, seats: list[int], choices: random.Random) -> Game:
    position = game.position.copy()
    position.seed = seed_of(choices.randrange(10**9))
    deciding = position.agenda[-1][1]
    for seat in seats:
        fresh = position.fresh if seat == deciding else b""
        mixed(position.players[seat], fresh, choices)
    assert complaint(position) == ""
    return Game.at(position)


def same_to_others(code: int) -> int:
    """The part of a choice that the others see: not which card went face down from the hand."""
    verb = options.verb_of(code)
    if verb == options.PILE:
        return options.PILE
    if verb == options.BURY and options.b_of(code) == options.FROM_HAND:
        return code & ~(255 << 8)
    return code


def seen(happened: list[Event]) -> list[tuple[int, int, int, int]]:
    return [event[:4] for event in happened]


def faceless(happened: list[tuple[int, int, int, int]]) -> list[tuple[int, ...]]:
    """The same without the faces of discarded cards."""
    return [event[:2] if event[0] == events.CARD_DISCARDED else event for event in happened]


def counts(game: Game) -> list[tuple[int, ...]]:
    """What the others may count (GLD-08)."""
    return [
        (len(p.hand), len(p.deck), len(p.pile), len(p.buried), len(p.discard), p.food, p.tools)
        for p in game.position.players
    ]


def questions_agree(game: Game, twin: Game) -> None:
    assert game.position.over == twin.position.over
    assert game.position.agenda == twin.position.agenda
    assert bool(game.options()) == bool(twin.options())
    assert counts(game) == counts(twin)


def follow(game: Game, twin: Game, choices: random.Random) -> int:
    """Choose alike in both until a choice must differ openly; how many choices that were."""
    game.listen()
    twin.listen()
    for step in range(10**6):
        questions_agree(game, twin)
        shared = {same_to_others(code) for code in game.options()}
        shared &= {same_to_others(code) for code in twin.options()}
        if not shared:
            return step
        open_part = choices.choice(sorted(shared))
        seen_events = []
        for one in (game, twin):
            ways = [code for code in one.options() if same_to_others(code) == open_part]
            seen_events.append(seen(one.apply(choices.choice(ways))))
        if any(event[0] == events.PILE_REVEALED for event in seen_events[0] + seen_events[1]):
            return step  # from here on the piles that were built may differ openly
        # The last card in hand is discarded without a question, and then everybody sees it.
        assert faceless(seen_events[0]) == faceless(seen_events[1])
        if seen_events[0] != seen_events[1]:
            return step
    raise AssertionError("the twins go on for ever")


def test_the_questions_do_not_depend_on_hidden_cards() -> None:
    followed = 0
    asked: set[str] = set()
    for number in SMALL:
        sample = random_of(-number)
        for step, game in enumerate(walk(number)):
            # After the deal only: before it nobody has a card.
            dealt = all(frame[0] != agenda.DEAL for frame in game.position.agenda)
            if not dealt or game.decision is None:
                continue
            rare = game.decision.kind_name == "pay_discard"
            if not rare and sample.random() > 0.02:
                continue
            asked.add(game.decision.kind_name)
            seats = list(range(len(game.position.players)))
            twin = twin_of(game, seats, sample)
            try:
                followed += follow(game.copy(), twin, sample)
            except AssertionError as wrong:
                wrong.add_note(f"{name_of(number)}, step {step}")
                raise
    assert followed > 1000
    assert {"turn", "act", "gain", "build_pile", "pay_discard"} <= asked


# --- the same by hand, decision by decision ---


@pytest.mark.parametrize(
    "hand", [["brave", "brave"], ["brave", "ember_feast"], ["ember_feast"] * 2]
)
def test_step_one_and_the_figure_are_one_question_whatever_is_in_hand(hand: list[str]) -> None:
    table = scene(2).player(0, hand=hand).turn(0)
    assert (table.seat, table.kind) == (0, "turn")
    assert table.can("place tribe rest", "place chief hunt")
    assert table.can("culture ember_feast") == ("ember_feast" in hand)


@pytest.mark.parametrize("hand", [["ember_feast"], ["brave"]])
def test_step_two_is_asked_while_there_is_a_card_in_hand(hand: list[str]) -> None:
    table = scene(2).player(0, hand=hand).turn(0)
    table.do("place tribe hunt", "bottom")
    assert (table.seat, table.kind) == (0, "act")
    assert table.offers("play") == (["play brave"] if hand == ["brave"] else [])


def test_step_two_ends_by_itself_with_an_empty_hand_and_nothing_else_to_do() -> None:
    table = scene(2).turn(0)
    table.do("place tribe migrate", "bottom", "leave")
    assert (table.seat, table.kind) == (1, "turn")


@pytest.mark.parametrize("rest", [["brave", "brave"], ["brave", "hunter"]])
def test_which_card_to_discard_is_asked_even_if_all_are_alike(rest: list[str]) -> None:
    table = scene(2).player(0, hand=["barter_day", *rest]).turn(0)
    table.do("culture barter_day", "ability 0: pay")
    assert (table.seat, table.kind) == (0, "pay_discard")
    assert table.texts == [f"discard {card}" for card in sorted(set(rest), key=CARDS.__getitem__)]


def test_the_only_card_in_hand_is_discarded_without_a_question() -> None:
    table = scene(2).player(0, hand=["barter_day", "brave"]).turn(0)
    table.do("culture barter_day", "ability 0: pay")
    assert table.names(0, "discard") == ["brave"]
    assert table.kind != "pay_discard"


@pytest.mark.parametrize("hand", [["brave", "brave"], ["brave", "hunter"], ["ember_feast"]])
def test_the_eclipse_pile_is_asked_for_while_there_is_a_card_in_hand(hand: list[str]) -> None:
    table = scene(2).player(0, hand=hand).turn(0, 3)
    table.do("place tribe migrate", "bottom", "leave", "end")
    assert (table.seat, table.kind) == (0, "build_pile")
    assert table.can("done")


@pytest.mark.parametrize("hand", [["brave", "brave"], ["brave", "hunter"], ["ember_feast"]])
def test_burying_is_asked_for_while_there_is_a_card_in_hand(hand: list[str]) -> None:
    table = scene(2).player(0, hand=hand).gain(0, "bury")
    assert (table.seat, table.kind) == (0, "gain")
    assert table.texts == [
        *(f"bury {card} hand" for card in sorted(set(hand), key=CARDS.__getitem__)),
        "leave",
    ]
