"""The module Rest tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.rules import Config, Game, agenda, events
from endless_winter.rules.terrain import HEXES
from tests.rules.scene import TABLES, Scene, scene

if TYPE_CHECKING:
    from endless_winter.rules.state import Event

MEAL = "shared_meal"  # food 2
KNAPPING = "quiet_knapping"  # tool; food
PRAYER = "fireside_prayer"  # idol
VIGIL = "night_vigil"  # food -> bury
SCOUTS = "scouting_party"  # move; reveal, food
TOKENS = [token.name for token in TABLES.rest_tokens]
STACK = [PRAYER, KNAPPING, MEAL, VIGIL, SCOUTS]
RHINO = "woolly_rhino"


def stacked(*names: str, players: int = 2) -> Scene:
    """A table with these Rest tokens, the face-up one first; seats have a card to draw."""
    table = scene(players, modules=("rest_tokens",))
    stack = bytes(TOKENS.index(name) for name in names or STACK)
    table.table(module_state=[bytes(2) + stack])
    for seat in range(players):
        table.player(seat, deck=["brave", "tribesman", "tribeswoman"])
    return table


def stack_of(table: Scene) -> list[str]:
    """The stack from the top; a token that somebody holds stands first."""
    return [TOKENS[token] for token in table.position.module_state[0][2:]]


def dealt(players: int, seed: int) -> tuple[Game, list[Event]]:
    """A game after its set-up, and what happened in it."""
    config = Config(TABLES, players=players, modules=("rest_tokens",))
    game = Game.new(config, seed.to_bytes(32, "big"), listen=True)
    happened = game.take_events()
    while (decision := game.decision) is not None and decision.kind == agenda.CHOOSE_CHIEF:
        happened += game.apply(decision.default)
    return game, happened


def shown(happened: list[Event]) -> list[str]:
    return [TOKENS[event[2]] for event in happened if event[0] == events.REST_TOKEN_SHOWN]


def through_eclipse(table: Scene) -> Scene:
    """Everybody leaves whatever can be left, up to the next round's first turn."""
    ended = table.position.round
    table.eclipse().listen()
    while table.position.round == ended:
        table.do("leave")
    return table


# --- set-up ---


@pytest.mark.rule("RTK-01")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_five_tokens_form_a_stack_with_the_top_one_face_up(players: int) -> None:
    assert len(TOKENS) == 5
    for seed in range(5):
        game, happened = dealt(players, seed)
        stack = list(game.position.module_state[0][2:])
        assert sorted(stack) == [0, 1, 2, 3, 4]
        assert shown(happened) == [TOKENS[stack[0]]]


@pytest.mark.rule("RTK-01")
def test_the_stack_is_shuffled() -> None:
    stacks = [dealt(2, seed)[0].position.module_state[0][2:] for seed in range(40)]
    for depth in range(5):
        assert {stack[depth] for stack in stacks} == {0, 1, 2, 3, 4}


@pytest.mark.rule("RTK-01")
def test_without_the_module_a_rest_brings_no_token() -> None:
    table = scene(2).player(0, deck=["brave"]).do("place tribe rest")
    assert table.kind == "act"
    assert table.can("draw")


# --- taking one ---


@pytest.mark.rule("RTK-02")
def test_the_first_to_rest_must_take_one_of_two_tokens_before_anything_else() -> None:
    table = stacked().do("place tribe rest")
    assert (table.seat, table.texts) == (0, ["token shown", "token next"])
    assert table.at(0).hand == b""


@pytest.mark.rule("RTK-02")
def test_the_face_up_token_can_be_taken() -> None:
    table = stacked(PRAYER, KNAPPING, MEAL, VIGIL, SCOUTS).do("place tribe rest", "token shown")
    assert stack_of(table)[0] == PRAYER
    table.do("token 0: pay", "honor")
    assert table.at(0).honor == 1


@pytest.mark.rule("RTK-02")
def test_the_face_up_token_can_go_to_the_bottom_for_the_next() -> None:
    table = stacked(PRAYER, MEAL, KNAPPING, VIGIL, SCOUTS).do("place tribe rest", "token next")
    assert stack_of(table) == [MEAL, KNAPPING, VIGIL, SCOUTS, PRAYER]
    table.do("token 0: pay")
    assert table.at(0).food == 2
    assert table.at(0).honor == 0


@pytest.mark.rule("RTK-02")
@pytest.mark.parametrize("figure", ["tribe", "chief"])
def test_any_figure_at_rest_brings_the_token(figure: str) -> None:
    table = stacked().do(f"place {figure} rest")
    assert table.texts == ["token shown", "token next"]


@pytest.mark.rule("RTK-02")
@pytest.mark.parametrize("column", ["initiate", "develop", "migrate", "hunt"])
def test_a_figure_in_a_column_takes_no_token(column: str) -> None:
    table = stacked().do(f"place tribe {column}", "end")
    assert stack_of(table) == STACK
    assert table.do("place tribe rest").texts == ["token shown", "token next"]


@pytest.mark.rule("RTK-02")
def test_the_second_to_rest_in_a_round_takes_no_token() -> None:
    table = stacked().do("place tribe rest", "token shown", "draw", "end", "place tribe rest")
    assert table.seat == 1
    assert table.kind == "act"
    assert table.offers("token") == []
    assert table.can("draw")


@pytest.mark.rule("RTK-02")
def test_a_second_rest_of_the_same_player_takes_no_token() -> None:
    table = stacked(MEAL, PRAYER, KNAPPING, VIGIL, SCOUTS)
    table.do("place tribe rest", "token shown", "token 0: pay", "draw")
    table.turn(0, 2).do("place tribe rest")
    assert table.kind == "act"
    assert table.offers("token") == []


@pytest.mark.rule("RTK-02")
def test_the_first_to_rest_may_be_late_in_the_round() -> None:
    table = stacked().turn(1, 3).do("place tribe rest")
    assert (table.seat, table.texts) == (1, ["token shown", "token next"])


@pytest.mark.rule("RTK-02")
def test_there_is_a_token_again_in_the_next_round() -> None:
    table = stacked().do("place tribe rest", "token shown", "draw", "end")
    through_eclipse(table).do("place tribe rest")
    assert table.texts == ["token shown", "token next"]


# --- using it ---


@pytest.mark.rule("RTK-03")
def test_the_effects_may_come_before_the_effects_of_rest() -> None:
    table = stacked(KNAPPING, PRAYER, MEAL, VIGIL, SCOUTS).player(0, animals=[RHINO])
    table.do("place tribe rest", "token shown", "token 1: pay")
    assert table.at(0).food == 1
    table.do("token 0: pay", "tools 1 food 0")
    assert table.at(0).tools == 1
    assert table.at(0).hand == b""
    table.do("draw", f"tip {RHINO}")
    assert table.at(0).food == 4
    assert table.names(0, "hand") == ["brave"]


@pytest.mark.rule("RTK-03")
def test_the_effects_may_come_between_the_effects_of_rest() -> None:
    table = stacked(MEAL, PRAYER, KNAPPING, VIGIL, SCOUTS).player(0, animals=[RHINO])
    table.do("place tribe rest", "token shown", "draw", "token 0: pay")
    assert table.at(0).food == 2
    table.do(f"tip {RHINO}")
    assert table.at(0).food == 5


@pytest.mark.rule("RTK-03")
def test_the_effects_may_come_after_the_effects_of_rest() -> None:
    table = stacked(VIGIL, PRAYER, KNAPPING, MEAL, SCOUTS).player(0, animals=[RHINO])
    table.do("place tribe rest", "token shown")
    assert table.offers("token") == []  # there is no Food to pay with yet
    table.do("draw", f"tip {RHINO}", "token 0: pay", "bury brave hand")
    assert table.at(0).food == 2
    assert table.names(0, "buried") == ["brave"]


@pytest.mark.rule("RTK-03")
@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_effects_come_in_either_order(order: tuple[int, int]) -> None:
    table = stacked(SCOUTS, PRAYER, KNAPPING, MEAL, VIGIL).animal_deck(RHINO, RHINO)
    table.do("place tribe rest", "token shown")
    assert table.can("token 0: pay", "token 1: pay")
    for number in order:
        table.do(f"token {number}: pay", "reveal" if number else "move 0>3")
    assert list(table.at(0).camps) == [3]
    assert table.at(0).food == 1
    assert len(table.position.animals) == 1


@pytest.mark.rule("RTK-03")
def test_one_effect_may_come_before_the_draw_and_the_other_after_it() -> None:
    table = stacked(KNAPPING, PRAYER, MEAL, VIGIL, SCOUTS)
    table.do("place tribe rest", "token shown", "token 1: pay", "draw", "token 0: pay")
    table.do("tools 1 food 0")
    assert (table.at(0).food, table.at(0).tools) == (1, 1)


@pytest.mark.rule("RTK-03")
def test_each_effect_is_used_once() -> None:
    table = stacked(KNAPPING, PRAYER, MEAL, VIGIL, SCOUTS)
    table.do("place tribe rest", "token shown", "token 1: pay")
    assert table.can("token 0: pay")
    assert not table.can("token 1: pay")
    table.do("token 0: pay", "leave")
    assert not table.can("token 0: pay")


@pytest.mark.rule("RTK-03")
def test_the_token_does_not_spare_the_draw_and_can_be_left_unused() -> None:
    table = stacked(PRAYER, KNAPPING, MEAL, VIGIL, SCOUTS).do("place tribe rest", "token shown")
    assert not table.can("end")
    table.do("draw")
    assert table.can("token 0: pay", "end")
    table.do("end")
    assert (table.at(0).honor, table.at(0).offering) == (0, 0)
    assert table.seat == 1


@pytest.mark.rule("RTK-03")
@pytest.mark.parametrize("used", [True, False])
def test_at_the_end_of_the_turn_the_token_goes_to_the_bottom_used_or_not(used: bool) -> None:
    table = stacked(PRAYER, KNAPPING, MEAL, VIGIL, SCOUTS).do("place tribe rest", "token shown")
    if used:
        table.do("token 0: pay", "honor", "draw")
    else:
        table.do("draw", "end")
    assert table.seat == 1
    assert stack_of(table) == [KNAPPING, MEAL, VIGIL, SCOUTS, PRAYER]


@pytest.mark.rule("RTK-03")
def test_a_token_taken_as_the_next_goes_below_the_one_that_was_refused() -> None:
    table = stacked(PRAYER, KNAPPING, MEAL, VIGIL, SCOUTS).do("place tribe rest", "token next")
    table.do("draw", "end")
    assert stack_of(table) == [MEAL, VIGIL, SCOUTS, PRAYER, KNAPPING]


@pytest.mark.rule("RTK-03")
def test_an_unused_effect_is_lost_with_the_turn() -> None:
    table = stacked(PRAYER, KNAPPING, MEAL, VIGIL, SCOUTS)
    table.do("place tribe rest", "token shown", "draw", "end").turn(0, 2)
    assert table.offers("token") == []
    table.do("place tribe rest")
    assert table.offers("token") == []


@pytest.mark.rule("RTK-03")
def test_an_effect_with_a_cost_is_paid_first() -> None:
    table = stacked(VIGIL, PRAYER, KNAPPING, MEAL, SCOUTS).player(0, food=2, hand=["shaman"])
    table.do("place tribe rest", "token shown", "token 0: pay")
    assert table.at(0).food == 1
    table.do("bury shaman hand")
    assert table.names(0, "buried") == ["shaman"]


# --- the Preparation phase ---


@pytest.mark.rule("RTK-04")
def test_a_token_that_nobody_took_goes_to_the_bottom_and_the_next_is_revealed() -> None:
    table = through_eclipse(stacked(PRAYER, KNAPPING, MEAL, VIGIL, SCOUTS))
    assert stack_of(table) == [KNAPPING, MEAL, VIGIL, SCOUTS, PRAYER]
    assert shown(table.events) == [KNAPPING]
    table.do("place tribe rest", "token shown", "token 1: pay")
    assert table.at(table.position.order[0]).food == 1


@pytest.mark.rule("RTK-04")
def test_after_a_token_was_taken_the_new_top_is_revealed_and_stays_on_top() -> None:
    table = stacked(PRAYER, KNAPPING, MEAL, VIGIL, SCOUTS)
    table.do("place tribe rest", "token shown", "draw", "end")
    through_eclipse(table)
    assert stack_of(table) == [KNAPPING, MEAL, VIGIL, SCOUTS, PRAYER]
    assert shown(table.events) == [KNAPPING]


@pytest.mark.rule("RTK-04")
def test_over_three_rounds_without_a_rest_each_next_token_is_revealed() -> None:
    table = stacked(PRAYER, KNAPPING, MEAL, VIGIL, SCOUTS)
    for top in (KNAPPING, MEAL, VIGIL):
        through_eclipse(table)
        assert stack_of(table)[0] == top
    assert stack_of(table) == [VIGIL, SCOUTS, PRAYER, KNAPPING, MEAL]


@pytest.mark.rule("RTK-04")
def test_the_token_is_revealed_after_everybody_has_drawn() -> None:
    table = through_eclipse(stacked())
    kinds = [event[0] for event in table.events]
    last_draw = max(at for at, kind in enumerate(kinds) if kind == events.CARDS_DRAWN)
    assert kinds.index(events.REST_TOKEN_SHOWN) > last_draw


@pytest.mark.rule("RTK-04")
def test_nothing_is_revealed_during_the_round() -> None:
    table = stacked().listen().do("place tribe rest", "token next", "draw", "end")
    table.do("place tribe rest", "draw")
    assert shown(table.events) == []


@pytest.mark.rule("RTK-03")
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_a_rest_token_of_any_seat_returns_to_the_bottom_after_the_turn(seat: int) -> None:
    table = scene(3, modules=("rest_tokens",))
    assert table.position.module_state[0][:2] == b"\0\0"
    table.table(module_state=[bytes((0, 0, 1, 2, 3, 4, 0))]).turn(seat)
    table.do("place tribe rest", "token shown")
    assert table.position.module_state == [bytes((2 + seat, 3, 1, 2, 3, 4, 0))]
    for _ in range(20):  # an effect without end is an error, not a wait
        if table.seat == seat:
            table.do("end" if table.can("end") else table.texts[-1])
    assert table.seat != seat
    assert table.position.module_state == [bytes((1, 0, 2, 3, 4, 0, 1))]
    table.eclipse()
    while table.kind != "turn":
        table.do("leave")
    assert table.position.module_state == [bytes((0, 0, 2, 3, 4, 0, 1))]


def test_a_written_state_of_the_rest_tokens_is_checked() -> None:
    position = scene(3, modules=("rest_tokens",)).position
    module = position.modules[0]
    for state, wrong in (
        (bytes((0, 0, 3, 1, 4, 0, 2)), ""),
        (bytes((4, 1, 3, 1, 4, 0, 2)), ""),
        (bytes((5, 1, 3, 1, 4, 0, 2)), "seat"),
        (bytes((6, 1, 3, 1, 4, 0, 2)), "seat"),
        (bytes((0, 0, 3, 1, 4, 0)), "stack"),
        (bytes((0, 0, 3, 1, 4, 0, 0)), "stack"),
        (bytes((0, 0, 3, 1, 4, 0, 2, 5)), "stack"),
        (bytes((0, 1, 3, 1, 4, 0, 2)), "unused"),
        (bytes((4, 128, 3, 1, 4, 0, 2)), "unused"),
    ):
        position.module_state[0] = state
        found = module.check(position, 0)
        assert (wrong in found) if wrong else found == ""


def test_tokens_that_are_shown_are_events_of_seat_zero() -> None:
    game = Game.new(Config(TABLES, modules=("rest_tokens",)), bytes(32), True)
    happened = game.take_events()
    while game.decision is not None and game.decision.kind == agenda.CHOOSE_CHIEF:
        happened += game.apply(game.decision.default)
    shown = [event[:3] for event in happened if event[0] == events.REST_TOKEN_SHOWN]
    assert shown == [(events.REST_TOKEN_SHOWN, 0, game.position.module_state[0][2])]
    table = scene(2, modules=("glacier_tokens",)).all_terrain("steppe").terrain(h1="glacier")
    table.table(module_state=[bytes((0, 3)) + bytes(HEXES - 2)]).gain(1, "move").listen()
    table.do("move 0>1")
    assert (events.GLACIER_TOKEN_FLIPPED, 0, 2, 1, b"", 0) in table.events
