"""RST: a figure on the Rest space."""

from __future__ import annotations

import pytest

from endless_winter.rules import events
from tests.rules.scene import Scene, scene


def eclipse_labor(table: Scene) -> dict[int, int]:
    """What each seat's Labor is counted as when the Eclipse begins, in halves."""
    table.position.events = []
    table.eclipse()
    happened = table.game.take_events()
    return {event[1]: event[2] for event in happened if event[0] == events.LABOR_COUNTED}


@pytest.mark.rule("RST-01")
def test_rest_draws_1_card() -> None:
    table = scene(2).player(0, deck=["hunter", "elder"], hand=["brave"])
    table.do("place tribe rest", "draw")
    assert table.names(0, "hand") == ["hunter", "brave"]
    assert table.names(0, "deck") == ["elder"]


@pytest.mark.rule("RST-01")
def test_the_draw_cannot_be_skipped_and_comes_before_the_tip() -> None:
    table = scene(2).player(0, deck=["hunter"], animals=["woolly_rhino"], hand=["elder"])
    table.do("place tribe rest")
    assert table.texts == [
        "draw",
        "draw as offering",
        "draw as honor",
        "draw as tool",
        "draw as food",
    ]


@pytest.mark.rule("RST-01")
def test_the_draw_may_be_taken_as_a_lesser_benefit() -> None:
    table = scene(2).player(0, deck=["hunter"], animals=["woolly_rhino"])
    table.do("place tribe rest", "draw as tool")
    assert table.at(0).tools == 1
    assert table.at(0).hand == b""
    assert table.texts == ["tip woolly_rhino", "end"]


@pytest.mark.rule("RST-01")
def test_with_nothing_to_draw_a_lesser_benefit_must_be_taken() -> None:
    table = scene(2).player(0, animals=["woolly_rhino"]).do("place tribe rest")
    assert not table.can("draw")
    assert table.can("draw as offering", "draw as food")
    assert table.offers("tip") == []
    assert table.offers("end") == []


@pytest.mark.rule("RST-01")
def test_an_empty_deck_is_made_anew_for_the_draw() -> None:
    table = scene(2).player(0, discard=["hunter"]).do("place tribe rest", "draw")
    assert table.names(0, "hand") == ["hunter"]
    assert table.at(0).discard == b""


@pytest.mark.rule("RST-01")
def test_after_the_draw_1_animal_may_be_tipped() -> None:
    table = scene(2).player(0, animals=["woolly_rhino", "glyptodon"], deck=["hunter"])
    table.player(1, animals=["ground_sloth"])
    table.do("place chief rest", "draw")
    assert table.offers("tip") == ["tip woolly_rhino", "tip glyptodon"]
    table.do("tip woolly_rhino")
    assert table.names(0, "tipped") == ["woolly_rhino"]
    assert table.names(0, "animals") == ["glyptodon"]
    assert table.at(0).food == 3
    assert table.offers("tip") == []
    assert table.can("end")


@pytest.mark.rule("RST-01")
def test_nothing_has_to_be_tipped() -> None:
    table = scene(2).player(0, animals=["woolly_rhino"], deck=["hunter"])
    table.do("place tribe rest", "draw", "end")
    assert table.seat == 1
    assert table.names(0, "animals") == ["woolly_rhino"]
    assert table.at(0).food == 0


@pytest.mark.rule("RST-01")
def test_without_an_animal_the_turn_ends_after_the_draw() -> None:
    table = scene(2).player(0, deck=["hunter"], tipped=["woolly_rhino"])
    table.do("place tribe rest", "draw")
    assert (table.seat, table.kind) == (1, "turn")


@pytest.mark.rule("RST-01")
def test_a_second_rest_of_the_round_draws_and_tips_again() -> None:
    table = scene(2).player(0, deck=["hunter", "elder"], animals=["woolly_rhino", "glyptodon"])
    table.do("place tribe rest", "draw", "tip woolly_rhino")
    table.do("place tribe rest", "draw as food")
    table.do("place tribe rest", "draw", "tip glyptodon")
    assert table.names(0, "hand") == ["hunter", "elder"]
    assert table.names(0, "tipped") == ["woolly_rhino", "glyptodon"]


@pytest.mark.rule("RST-02")
def test_no_tribe_card_can_be_played_in_a_rest_turn() -> None:
    table = scene(2).player(0, hand=["brave", "tribeswoman"], deck=["hunter"], food=3)
    table.player(0, animals=["woolly_rhino"]).do("place tribe rest")
    assert table.offers("play") == []
    table.do("draw")
    assert table.texts == ["tip woolly_rhino", "end"]
    table.do("end")
    assert table.names(0, "hand") == ["hunter", "brave", "tribeswoman"]
    assert table.at(0).discard == b""


@pytest.mark.rule("RST-02")
def test_culture_cards_can_be_played_before_resting() -> None:
    table = scene(2).player(0, hand=["ember_feast"], deck=["hunter"])
    table.do("culture ember_feast", "place tribe rest", "draw")
    assert table.at(0).food == 3
    assert table.names(0, "discard") == ["ember_feast"]


@pytest.mark.rule("RST-02")
@pytest.mark.parametrize("chief", ["thunderpaw_a", "chiselstone_a", "firewolf_b", "lookinghand_a"])
def test_a_chief_ability_without_a_column_works_at_rest(chief: str) -> None:
    table = scene(2).player(0, chief=chief, deck=["hunter", "elder"]).grounds("glyptodon")
    assert table.do("place chief rest").can("lead")


@pytest.mark.rule("RST-02")
@pytest.mark.parametrize(
    "chief",
    [
        "tuskbreaker_a",
        "tuskbreaker_b",
        "thunderpaw_b",
        "chiselstone_b",
        "firewolf_a",
        "lookinghand_b",
    ],
)
def test_a_chief_ability_with_a_column_does_not_work_at_rest(chief: str) -> None:
    table = scene(2).player(0, chief=chief, deck=["elder"], hand=["elder"]).grounds("glyptodon")
    table.do("place chief rest")
    assert table.offers("lead") == []


@pytest.mark.rule("RST-02")
def test_the_chief_s_draw_at_rest_comes_on_top_of_rest_s_own() -> None:
    table = scene(2).player(0, chief="lookinghand_a", deck=["hunter", "elder", "brave"])
    table.do("place chief rest", "lead", "draw")
    assert not table.can("end")
    table.do("draw")
    assert table.names(0, "hand") == ["hunter", "elder"]
    assert table.at(0).food == 1


@pytest.mark.rule("RST-03")
@pytest.mark.parametrize(
    ("figures", "halves"),
    [
        (["hunt", "hunt", "hunt"], 0),
        (["rest", "hunt", "hunt"], 3),
        (["hunt", "hunt", "rest"], 3),
        (["rest", "hunt", "rest"], 6),
        (["rest", "rest", "rest"], 9),
    ],
)
def test_each_figure_at_rest_gives_1_and_a_half_labor_in_the_eclipse(
    figures: list[str], halves: int
) -> None:
    table = scene(2).player(0, figures=figures).player(1, figures=["hunt"] * 3)
    assert eclipse_labor(table) == {0: halves, 1: 0}


@pytest.mark.rule("RST-03")
def test_figures_at_rest_and_cards_of_the_pile_add_up() -> None:
    """Wolf of the rulebook's example: 1 1/2 at rest and 1 1/2 of the Brave are 3."""
    table = scene(2).player(0, figures=["hunt", "rest", "hunt"], pile=["brave"])
    assert eclipse_labor(table)[0] == 6


@pytest.mark.rule("RST-03")
def test_all_three_figures_may_rest_one_per_turn() -> None:
    table = scene(2).listen()
    for figure in ("tribe", "tribe", "chief"):
        for seat in (0, 1):
            assert table.seat == seat
            place = "rest" if seat == 0 else "hunt"
            table.do(f"place {figure} {place}")
            if seat == 0:
                assert table.at(0).figures.count(7) == 1 + table.position.turn // 2
                table.do("draw as food")
            if table.kind == "act":
                table.do("end")
    counted = [event[2] for event in table.events if event[0] == events.LABOR_COUNTED]
    assert counted == [9, 0]


@pytest.mark.rule("RST-03")
def test_rest_gives_no_labor_in_the_turn_itself() -> None:
    table = scene(2).player(0, animals=["woolly_rhino"]).do("place tribe rest", "draw as food")
    assert table.position.labor == 0


@pytest.mark.rule("RST-03")
def test_the_labor_of_rest_is_for_the_next_eclipse_only() -> None:
    table = scene(2).player(0, figures=["rest", "rest", "rest"]).eclipse()
    while table.kind == "gain":
        table.do("leave")
    assert table.position.round == 2
    assert eclipse_labor(table) == {0: 0, 1: 0}
