"""TRN: rounds, phases, turns and the steps of a turn."""

from __future__ import annotations

import pytest

from endless_winter.rules import Config, Game, events
from tests.rules.scene import SEED, TABLES, Scene, scene

PHASES = {
    events.TURN_BEGAN: "turn",
    events.ECLIPSE_BEGAN: "eclipse",
    events.PREPARED: "preparation",
    events.GAME_ENDED: "end",
}


def rest(table: Scene, figure: str = "tribe") -> Scene:
    """Take the pending turn without bringing a card to hand."""
    table.do(f"place {figure} rest", "draw as offering")
    if table.kind == "gain":
        table.do("leave")
    return table.do("end") if table.kind == "act" else table


def decline_all(table: Scene) -> Scene:
    """Decline whatever the Eclipse brings."""
    while table.kind and table.can("leave"):
        table.do("leave")
    return table


@pytest.mark.rule("TRN-01")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_game_is_four_rounds_of_three_phases_without_the_last_preparation(players: int) -> None:
    game = Game.new(Config(TABLES, players=players), SEED, listen=True)
    happened = game.take_events()
    while (decision := game.decision) is not None:
        happened += game.apply(decision.default)
    phases = [(PHASES[event[0]], event[2]) for event in happened if event[0] in PHASES]
    expected = []
    for round_ in (1, 2, 3, 4):
        expected += [("turn", round_)] * 3 * players + [("eclipse", round_)]
        expected.append(("preparation", round_ + 1) if round_ < 4 else ("end", 0))
    assert phases == expected


@pytest.mark.rule("TRN-01")
@pytest.mark.parametrize("round_", [1, 2, 3])
def test_after_the_eclipse_of_rounds_1_to_3_the_next_round_is_prepared(round_: int) -> None:
    table = scene(2, round_=round_).player(0, deck=["tribesman"] * 5)
    decline_all(table.eclipse())
    assert not table.position.over
    assert table.position.round == round_ + 1
    assert table.names(0, "hand") == ["tribesman"] * 5
    assert table.kind == "turn"


@pytest.mark.rule("TRN-01")
def test_round_4_ends_the_game_after_its_eclipse_without_a_preparation() -> None:
    table = scene(2, round_=4).player(0, deck=["tribesman"] * 5)
    table.player(1, figures=["rest", "hunt", "hunt"])
    decline_all(table.eclipse())
    assert table.position.over
    assert table.game.decision is None
    assert table.game.result is not None
    assert table.position.round == 4
    assert table.at(0).hand == b""
    assert table.position.grounds.count(255) == 6


@pytest.mark.rule("TRN-01")
def test_there_is_no_result_before_the_eclipse_of_round_4_is_over() -> None:
    table = scene(2, round_=4).eclipse()
    assert table.kind == "gain"
    assert table.game.result is None


@pytest.mark.rule("TRN-02")
@pytest.mark.parametrize("order", [(0, 1), (1, 0), (2, 0, 1), (3, 1, 0, 2)])
def test_turns_go_round_in_turn_order_until_everybody_has_taken_three(
    order: tuple[int, ...],
) -> None:
    table = scene(len(order)).table(order=bytes(order)).turn(order[0])
    seats = []
    while table.kind == "turn" and table.position.round == 1:
        seats.append(table.seat)
        rest(table, "tribe" if len(seats) <= 2 * len(order) else "chief")
    assert seats == list(order) * 3
    decline_all(table)
    assert table.position.round == 2


@pytest.mark.rule("TRN-02")
def test_the_eclipse_begins_only_after_the_last_players_third_turn() -> None:
    table = scene(3).turn(1, 3)
    for seat in range(3):
        table.player(seat, figures=["", "hunt", "hunt"])
    table.listen()
    rest(table, "chief")
    assert (table.seat, table.kind) == (2, "turn")
    assert events.ECLIPSE_BEGAN not in [event[0] for event in table.events]
    rest(table, "chief")
    assert events.ECLIPSE_BEGAN in [event[0] for event in table.events]
    assert table.kind == "gain"


@pytest.mark.rule("TRN-02")
def test_a_turn_is_over_before_the_next_player_decides_anything() -> None:
    table = scene(2).player(0, hand=["tribesman", "elder"]).player(1, hand=["hunter"])
    table.do("place tribe hunt")
    assert table.seat == 0
    table.do("play tribesman")
    assert table.seat == 0
    table.do("end")
    assert (table.seat, table.kind) == (1, "turn")


@pytest.mark.rule("TRN-03")
def test_culture_cards_come_before_the_figure_and_tribe_cards_after_it() -> None:
    table = scene(2).player(0, hand=["flint_cache", "hunter"])
    assert table.kind == "turn"
    assert table.can("culture flint_cache", "place tribe hunt")
    assert table.offers("play") == []
    table.do("place tribe hunt")
    assert table.kind == "act"
    assert table.can("play hunter")
    assert table.offers("culture") == []
    assert table.offers("place") == []


@pytest.mark.rule("TRN-03")
def test_step_3_discards_what_was_played_and_nothing_else() -> None:
    table = scene(2).player(
        0, hand=["ember_feast", "hunter", "elder", "tribesman"], discard=["brave"]
    )
    table.do("culture ember_feast", "place tribe hunt", "play hunter", "play elder")
    assert table.names(0, "above") == ["hunter", "elder", "ember_feast"]
    assert table.names(0, "discard") == ["brave"]
    table.do("end")
    assert table.names(0, "above") == []
    assert table.names(0, "discard") == ["hunter", "elder", "brave", "ember_feast"]
    assert table.names(0, "hand") == ["tribesman"]


@pytest.mark.rule("TRN-03")
@pytest.mark.parametrize("number", [1, 2, 3])
def test_no_cards_are_drawn_at_the_end_of_a_turn(number: int) -> None:
    table = scene(2).player(0, hand=["hunter"], deck=["brave", "elder"]).turn(0, number)
    table.do("place tribe hunt", "play hunter", "end")
    assert table.seat == 1
    assert table.at(0).hand == b""
    assert table.names(0, "deck") == ["brave", "elder"]


@pytest.mark.rule("TRN-03")
@pytest.mark.parametrize(("number", "kind"), [(1, "turn"), (2, "turn"), (3, "build_pile")])
def test_step_4_belongs_to_the_third_turn_only(number: int, kind: str) -> None:
    table = scene(3).player(1, hand=["hunter"]).turn(1, number)
    table.do("place tribe develop", "end")
    assert table.kind == kind
    assert table.seat == (1 if number == 3 else 2)


@pytest.mark.rule("TRN-03")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_first_and_the_last_player_both_have_a_step_4(players: int) -> None:
    for seat in (0, players - 1):
        table = scene(players).player(seat, hand=["hunter"]).turn(seat, 3)
        table.do("place tribe develop", "end")
        assert (table.seat, table.kind) == (seat, "build_pile")
        second = scene(players).player(seat, hand=["hunter"]).turn(seat, 2)
        second.do("place tribe develop", "end")
        assert second.kind == "turn"


@pytest.mark.rule("TRN-03")
def test_nothing_of_the_turn_is_left_when_the_eclipse_pile_is_built() -> None:
    table = scene(2).player(0, tools=2, hand=["brave", "tribeswoman", "elder", "hunter"])
    table.player(0, figures=["", "hunt", ""]).turn(0, 3)
    table.do("place chief initiate", "play brave", "play tribeswoman", "initiate hunter")
    position = table.position
    assert all((position.place, position.labor, position.ready, position.fresh))
    assert all((position.chief_ready, position.bottom_open))
    table.do("end")
    assert table.kind == "build_pile"
    assert (position.place, position.labor, position.ready, position.fresh) == (0, 0, b"", b"")
    assert (position.chief_ready, position.bottom_open) == (False, False)


@pytest.mark.rule("TRN-03")
def test_a_turn_begins_with_nothing_of_the_turn_before() -> None:
    table = scene(2).player(0, hand=["brave"]).do("place chief hunt", "play brave", "bottom", "end")
    position = table.position
    assert table.kind == "turn"
    assert (position.place, position.section, position.labor, position.taken) == (0, 0, 0, 0)
    assert (position.ready, position.fresh, position.cultures_played) == (b"", b"", 0)
    assert (position.bottom_open, position.chief_ready) == (False, False)
