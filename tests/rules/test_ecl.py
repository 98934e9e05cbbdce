"""ECL: the Eclipse phase."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from endless_winter.content import load
from endless_winter.rules import agenda, events
from endless_winter.rules.eclipse import board_pool
from tests.rules.scene import CARDS, FROZEN, TABLES, Scene, cards, gain_frame, juncture, pool, scene

if TYPE_CHECKING:
    from pathlib import Path


def up_to(table: Scene, seat: int, kind: str) -> Scene:
    """Decline everything until a seat has a decision of a kind."""
    while (table.seat, table.kind) != (seat, kind):
        table.do("leave")
    return table


def board_step(table: Scene, seat: int) -> Scene:
    """Decline the turn-order benefit of a seat with neither cards nor hexes: step d is next."""
    return up_to(table, seat, "gain").do("leave")


def decline_all(table: Scene) -> Scene:
    """Decline everything until the Eclipse phase is over."""
    while table.kind not in ("turn", ""):
        table.do("leave")
    return table


def labor_of(table: Scene) -> list[int]:
    """The Labor that the last Eclipse counted, in halves, by seat."""
    happened = table.events + table.game.take_events()
    counted = {event[1]: event[2] for event in happened if event[0] == events.LABOR_COUNTED}
    return [counted[seat] for seat in sorted(counted)]


# --- ECL-01: the piles are revealed ---


@pytest.mark.rule("ECL-01")
def test_each_figure_at_rest_gives_one_and_a_half_labor() -> None:
    table = scene(4)
    table.player(1, figures=["rest", "hunt", "hunt"])
    table.player(2, figures=["", "rest", "rest"])
    table.player(3, figures=["rest", "rest", "rest"])
    table.listen().eclipse()
    assert labor_of(table) == [0, 3, 6, 9]


@pytest.mark.rule("ECL-01")
def test_the_printed_labor_of_tribe_cards_in_the_pile_is_added() -> None:
    table = scene(2).player(0, pile=["hunter", "shaman", "brave"], figures=["rest", "", ""])
    table.listen().eclipse()
    assert labor_of(table) == [3 + 2 + 3 + 3, 0]


@pytest.mark.rule("ECL-01")
def test_cards_left_in_hand_give_no_labor() -> None:
    table = scene(2).player(0, hand=["brave", "shaman"], pile=["tribesman"]).listen().eclipse()
    assert labor_of(table) == [2, 0]


@pytest.mark.rule("ECL-01")
def test_added_labor_of_a_column_does_not_count_in_the_eclipse() -> None:
    table = scene(2).player(0, pile=["brave"]).listen().eclipse()
    assert labor_of(table) == [3, 0]


@pytest.mark.rule("ECL-01")
def test_culture_cards_give_no_labor_and_return_to_hand() -> None:
    table = scene(2).player(0, hand=["hunter"], pile=["working_song", "shaman", "great_hearth"])
    table.listen().eclipse()
    assert labor_of(table) == [3, 0]
    assert table.names(0, "pile") == ["shaman"]
    assert sorted(table.names(0, "hand")) == ["great_hearth", "hunter", "working_song"]
    assert table.names(0, "discard") == []


@pytest.mark.rule("ECL-01")
def test_all_piles_are_revealed_before_anybody_decides() -> None:
    table = scene(3).listen()
    table.player(0, pile=["flint_cache"]).player(1, pile=["sun_circle"]).player(2, pile=["elder"])
    table.eclipse()
    shown = {event[1] for event in table.game.take_events() if event[0] == events.PILE_REVEALED}
    assert shown == {0, 1, 2}
    assert [table.names(seat, "hand") for seat in range(3)] == [["flint_cache"], ["sun_circle"], []]


# --- ECL-02: the new turn order ---


@pytest.mark.rule("ECL-02")
def test_the_example_of_wolf_bison_and_lion() -> None:
    wolf, lion, bison = 0, 1, 2
    table = scene(3)
    table.player(wolf, figures=["", "rest", ""], pile=["brave"])
    table.player(bison, pile=["shaman"])
    table.player(lion, figures=["rest", "", ""])
    table.listen().eclipse()
    assert labor_of(table) == [6, 3, 3]
    assert list(table.position.order) == [wolf, bison, lion]


@pytest.mark.rule("ECL-02")
def test_the_most_labor_goes_first_whatever_the_old_order() -> None:
    for old in permutations(range(4)):
        table = scene(4).table(order=bytes(old))
        table.player(2, pile=["brave", "brave"]).player(0, pile=["brave"])
        table.player(3, pile=["tribesman"]).eclipse()
        assert list(table.position.order) == [2, 0, 3, 1]


@pytest.mark.rule("ECL-02")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_equal_players_without_labor_swap_their_order(players: int) -> None:
    for old in permutations(range(players)):
        table = scene(players).table(order=bytes(old)).eclipse()
        assert tuple(table.position.order) == old[::-1]


@pytest.mark.rule("ECL-02")
def test_half_a_labor_decides() -> None:
    table = scene(2).player(0, pile=["shaman"]).player(1, pile=["hunter"]).eclipse()
    assert list(table.position.order) == [0, 1]


@pytest.mark.rule("ECL-02")
def test_the_new_order_holds_in_the_next_round() -> None:
    table = scene(3).player(1, pile=["brave"]).eclipse()
    decline_all(table)
    assert (table.kind, table.seat) == ("turn", 1)
    assert list(table.position.order) == [1, 2, 0]


# --- ECL-03: each player's benefits ---


@pytest.mark.rule("ECL-03")
def test_the_place_in_the_new_order_brings_its_benefit() -> None:
    """The frozen pack: Megalith, card, Idol, Tool for the first to the fourth."""
    table = scene(4).player(2, deck=["elder"]).eclipse()
    assert (table.seat, table.kind) == (3, "gain")
    assert table.offers("megalith")
    table.do("leave")
    assert (table.seat, table.texts[0]) == (2, "draw")
    table.do("draw")
    assert table.names(2, "hand") == ["elder"]
    assert (table.seat, table.texts[:2]) == (1, ["offering", "honor"])
    table.do("honor")
    assert (table.seat, table.texts) == (0, ["tools 1 food 0", "tools 0 food 1", "leave"])
    table.do("tools 1 food 0")
    assert table.kind == "turn"
    assert [table.at(seat).tools for seat in range(4)] == [1, 0, 0, 0]
    assert table.at(1).honor == 1


@pytest.mark.rule("ECL-03")
def test_each_player_does_order_cards_terrain_and_board_before_the_next_begins() -> None:
    table = scene(2).all_terrain("lakeshore")
    table.player(0, pile=["shaman"], camps=[7], megaliths=8, deck=["elder"] * 9)
    table.player(1, camps=[9], deck=["elder"] * 9).eclipse()
    asked = []
    while table.kind not in ("turn", ""):
        asked.append((table.seat, table.kind, table.texts[-2].split(" ")[0]))
        table.do("leave")
    assert asked == [
        (0, "gain", "megalith"),
        (0, "eclipse_cards", "card"),
        (0, "eclipse_terrain", "hex"),
        (0, "gain", "tools"),
        (1, "gain", "draw"),
        (1, "eclipse_terrain", "hex"),
    ]


@pytest.mark.rule("ECL-03")
def test_each_eclipse_ability_of_the_pile_is_used_once() -> None:
    table = scene(2, round_=4).player(0, pile=["shaman", "shaman"]).eclipse()
    up_to(table, 0, "eclipse_cards").do("card shaman: honor", "card shaman: offering")
    assert (table.at(0).honor, table.at(0).offering) == (1, 1)
    assert table.seat == 1


@pytest.mark.rule("ECL-03")
def test_the_abilities_of_the_pile_come_in_any_order() -> None:
    for first, second in permutations(["card shaman: honor", "card crafter: tools 1 food 0"]):
        table = scene(2).player(0, pile=["shaman", "crafter"]).eclipse()
        up_to(table, 0, "eclipse_cards")
        assert table.can(first, second, "leave")
        table.do(first)
        assert table.can(second, "leave")
        assert not table.can(first)
        table.do(second)
        assert (table.at(0).honor, table.at(0).tools, table.seat) == (1, 1, 1)


@pytest.mark.rule("ECL-03")
def test_a_card_is_resolved_before_the_next_one() -> None:
    table = scene(2).player(0, pile=["pathfinder", "shaman"]).eclipse()
    up_to(table, 0, "eclipse_cards").do("card pathfinder: move 0>1")
    assert table.kind == "gain"
    assert not table.offers("card")
    assert table.can("move 1>7", "move 1>0", "leave")
    table.do("move 1>7")
    assert table.kind == "eclipse_cards"
    assert not [text for text in table.texts if "pathfinder" in text]


@pytest.mark.rule("ECL-03")
def test_column_abilities_do_not_work_from_the_pile() -> None:
    table = scene(2).player(0, food=3, pile=["tribeswoman", "pathfinder"]).eclipse()
    up_to(table, 0, "eclipse_cards")
    assert {text.split(":")[0] for text in table.texts} == {"card pathfinder", "leave"}
    assert table.at(0).food == 4  # the Tribeswoman's Eclipse ability needs no question


@pytest.mark.rule("ECL-03")
def test_an_ability_with_a_cost_is_paid_for_from_the_pile() -> None:
    table = scene(2).player(0, food=2, pile=["elder"], hand=["hunter"]).eclipse()
    up_to(table, 0, "eclipse_cards")
    assert table.texts == ["card elder: pay", "leave"]
    table.do("card elder: pay", "bury hunter hand")
    assert table.at(0).food == 0
    assert table.names(0, "buried") == ["hunter"]


@pytest.mark.rule("ECL-03")
def test_an_ability_that_cannot_be_paid_is_not_on_offer() -> None:
    table = scene(2).player(0, food=1, pile=["elder"], hand=["hunter"]).eclipse()
    table.do("leave")
    assert table.seat == 1


@pytest.mark.rule("ECL-03")
def test_cards_of_the_hand_have_no_eclipse_abilities() -> None:
    table = scene(2).player(0, hand=["shaman"], figures=["rest", "", ""]).eclipse()
    assert table.seat == 0
    table.do("leave")
    assert table.seat == 1


@pytest.mark.rule("ECL-03")
def test_a_hex_pays_whoever_has_the_most_influence_there() -> None:
    table = scene(2).all_terrain("canyon").player(0, camps=[7, 7]).player(1, camps=[7]).eclipse()
    decline_all(table)
    assert (table.score(0), table.score(1)) == (2, 0)


@pytest.mark.rule("ECL-03")
def test_a_hex_pays_all_who_tie_for_the_most_influence() -> None:
    table = scene(3).all_terrain("canyon")
    table.player(0, camps=[7]).player(1, camps=[7]).player(2, camps=[0]).eclipse()
    decline_all(table)
    assert [table.score(seat) for seat in range(3)] == [2, 2, 0]


@pytest.mark.rule("ECL-03")
def test_a_village_counts_two_on_each_of_its_hexes() -> None:
    table = scene(3).all_terrain("canyon").player(0, camps=[], villages=[juncture(1, 7, 8)])
    table.player(1, camps=[1, 7, 7]).player(2, camps=[8, 8, 8]).eclipse()
    decline_all(table)
    assert [table.score(seat) for seat in range(3)] == [4, 2, 2]


@pytest.mark.rule("ECL-03")
def test_camps_and_villages_of_one_player_add_up() -> None:
    table = scene(2).all_terrain("glacier").terrain(h7="canyon")
    table.player(0, camps=[7], villages=[juncture(1, 7, 8)]).player(1, camps=[7, 7, 7]).eclipse()
    decline_all(table)
    assert (table.score(0), table.score(1)) == (2, 2)


@pytest.mark.rule("ECL-03")
def test_hexes_without_own_influence_bring_nothing() -> None:
    table = scene(2).all_terrain("canyon").player(0, camps=[]).player(1, camps=[]).eclipse()
    decline_all(table)
    assert (table.score(0), table.score(1)) == (0, 0)


@pytest.mark.rule("ECL-03")
def test_the_hexes_come_in_the_players_order_and_each_only_once() -> None:
    for first, second in permutations((7, 9)):
        table = scene(2).all_terrain("highland").player(0, camps=[7, 7, 9]).eclipse()
        up_to(table, 0, "eclipse_terrain")
        assert table.can("hex 7: honor", "hex 7: offering", "hex 9: honor", "leave")
        table.do(f"hex {first}: honor")
        assert table.can(f"hex {second}: honor")
        assert not table.can(f"hex {first}: honor")
        table.do(f"hex {second}: offering")
        assert (table.at(0).honor, table.at(0).offering) == (1, 1)
        assert table.kind == "turn"


@pytest.mark.rule("ECL-03")
def test_one_hex_is_resolved_before_the_next_one() -> None:
    table = scene(2).all_terrain("glacier").terrain(h7="highland", h9="highland")
    table.player(0, camps=[7, 9], offering=1, deck=["elder", "hunter"]).eclipse()
    up_to(table, 0, "eclipse_terrain").do("hex 7: offering")
    assert (table.kind, table.texts[0]) == ("gain", "draw")
    assert not table.offers("hex")
    table.do("draw")
    assert table.can("hex 9: offering")


@pytest.mark.rule("ECL-03")
def test_a_hex_may_be_declined() -> None:
    table = scene(2).all_terrain("highland").player(0, camps=[7, 9]).eclipse()
    up_to(table, 0, "eclipse_terrain").do("hex 9: honor", "leave")
    assert table.kind == "turn"
    assert table.at(0).honor == 1


@pytest.mark.rule("ECL-03")
def test_terrain_follows_the_moves_of_the_players_own_pile() -> None:
    table = scene(2).all_terrain("glacier").terrain(h7="canyon", h1="steppe")
    table.player(0, camps=[8], pile=["brave"]).player(1, camps=[7]).eclipse()
    up_to(table, 0, "eclipse_cards").do("card brave: move 8>7")
    decline_all(table)
    assert (table.score(0), table.score(1)) == (2, 2)


@pytest.mark.rule("ECL-03")
def test_influence_is_judged_in_each_players_own_turn() -> None:
    table = scene(2).all_terrain("glacier").terrain(h7="canyon")
    table.player(0, camps=[7, 7], pile=["pathfinder"]).player(1, camps=[7]).eclipse()
    up_to(table, 0, "eclipse_cards").do("card pathfinder: move 7>8", "move 7>8")
    decline_all(table)
    assert (table.score(0), table.score(1)) == (0, 2)


@pytest.mark.rule("ECL-03")
def test_influence_is_judged_when_the_hex_is_resolved() -> None:
    """A Camp moved in the middle of step c (by some Megalith space) opens another hex."""
    table = scene(2).all_terrain("glacier").terrain(h7="highland").player(0, camps=[8])
    table.position.agenda = [
        (agenda.ROUND, 0, 0, b""),
        (agenda.ECLIPSE_TERRAIN, 0, 0, bytes((8,))),
        gain_frame(0, pool("move")),
    ]
    table.player(1, camps=[0])
    table.do("move 8>7")
    assert table.can("hex 7: honor")
    table.do("leave")
    assert table.at(0).food == 0


@pytest.mark.rule("ECL-03")
def test_a_hex_resolved_once_stays_resolved_when_influence_changes() -> None:
    table = scene(2).all_terrain("glacier").terrain(h7="highland").player(0, camps=[8])
    table.position.agenda = [
        (agenda.ROUND, 0, 0, b""),
        (agenda.ECLIPSE_TERRAIN, 0, 0, bytes((7, 8))),
        gain_frame(0, pool("move")),
    ]
    table.player(1, camps=[0])
    table.do("move 8>7")
    assert table.kind == "turn"


@pytest.mark.rule("ECL-03")
def test_a_card_whose_food_has_no_room_waits_for_a_cost_to_be_paid() -> None:
    table = scene(2).player(0, food=6, pile=["elder", "hunter"], hand=["tribesman"]).eclipse()
    up_to(table, 0, "eclipse_cards").do("card elder: pay", "bury tribesman hand")
    assert (table.at(0).food, table.seat) == (6, 1)


@pytest.mark.rule("ECL-03")
@pytest.mark.parametrize(("terrain", "food"), [("glacier", 8), ("steppe", 8), ("steppe", 7)])
def test_a_hex_whose_food_has_no_room_waits_for_a_camp_to_make_some(
    terrain: str, food: int, tmp_path: Path
) -> None:
    """With a Canyon that gives a Megalith, and that a Camp: the limit rises from 8 to 9."""
    for file in FROZEN.parent.glob("*.toml"):
        text = file.read_text().replace('benefit = "point 2"', 'benefit = "megalith"')
        (tmp_path / file.name).write_text(text)
    table = scene(2, layout="two").table(tables=load(tmp_path / FROZEN.name), tiles=bytes(range(4)))
    table.all_terrain("highland").terrain(h7="canyon", h9=terrain).megaliths("neutral", (6, 1))
    table.player(0, camps=[7, 9, 0], food=food, pile=["brave"]).eclipse()
    up_to(table, 0, "eclipse_terrain").do("hex 7: megalith 6,0")
    table.do("camp")
    assert (table.at(0).food, table.at(0).camps) == (9, bytes((0, 0, 7, 9)))


@pytest.mark.rule("ECL-03")
def test_the_base_brings_nothing() -> None:
    table = scene(2).all_terrain("canyon").player(0, camps=[0] * 5).eclipse()
    decline_all(table)
    assert table.score(0) == 0


@pytest.mark.rule("ECL-03")
def test_the_benefits_of_the_board_come_in_the_players_order() -> None:
    """Idol Stone: 1 point per 2 spaces. The Idol of supply space 3 first, or after scoring."""
    for sequence, points in (
        (("score idol_stone", "honor", "tools 1 food 0"), 0),
        (("honor", "tools 1 food 0"), 1),
    ):
        table = scene(2).player(0, megaliths=4, stones=["idol_stone"], honor=1)
        table.table(honor_queue=b"\0").eclipse()
        board_step(table, 0)
        assert table.can("score idol_stone", "honor", "tools 1 food 0", "leave")
        table.do(*sequence)
        assert table.kind == "turn"
        assert table.at(0).honor == 2
        assert table.score(0) == points


# --- ECL-04: the player board ---


@pytest.mark.rule("ECL-04")
@pytest.mark.parametrize("number", [1, 2, 3])
def test_each_village_placed_draws_a_card(number: int) -> None:
    villages = [juncture(1, 7, 8), juncture(3, 4, 12), juncture(5, 15, 16)][:number]
    table = scene(2, round_=4).all_terrain("canyon")
    table.player(0, villages=villages, deck=["elder"] * 5).eclipse()
    board_step(table, 0)
    table.do(*["draw"] * number)
    assert len(table.at(0).hand) == number
    assert table.kind == ""


@pytest.mark.rule("ECL-04")
@pytest.mark.parametrize(
    ("left", "tools", "idols"),
    [
        (10, 0, 0),
        (9, 0, 0),
        (8, 1, 0),
        (7, 1, 0),
        (6, 1, 0),
        (5, 1, 0),
        (4, 1, 1),
        (3, 1, 1),
        (2, 1, 1),
        (1, 1, 1),
        (0, 1, 2),
    ],
)
def test_emptied_megalith_spaces_one_three_and_five_pay(left: int, tools: int, idols: int) -> None:
    table = scene(2, round_=4).player(0, megaliths=left).eclipse()
    board_step(table, 0)
    if tools:
        table.do("tools 1 food 0")
    table.do(*["honor"] * idols)
    assert table.kind == ""
    assert (table.at(0).tools, table.at(0).honor) == (tools, idols)


@pytest.mark.rule("ECL-04")
def test_each_sacred_stone_scores_in_each_eclipse() -> None:
    table = scene(2, round_=3)
    stones = ["grave_stone", "menagerie_stone", "horn_stone"]
    table.player(0, stones=stones, buried=["elder"] * 4, tipped=["woolly_rhino"]).eclipse()
    decline_all(table)
    assert table.score(0) == 2 + 1 + 2
    table.eclipse()
    decline_all(table)
    assert table.score(0) == 2 * (2 + 1 + 2)


@pytest.mark.rule("ECL-04")
def test_a_stone_scores_only_for_its_owner_and_once_per_eclipse() -> None:
    table = scene(2).player(0, stones=["grave_stone", "idol_stone"], buried=["elder"] * 2)
    table.player(0, megaliths=8).player(1, buried=["elder"] * 2).eclipse()
    board_step(table, 0).do("score grave_stone")
    assert not table.can("score grave_stone")
    assert table.can("score idol_stone")
    decline_all(table)
    assert (table.score(0), table.score(1)) == (1, 0)


# --- ECL-05, ECL-06 ---


@pytest.mark.rule("ECL-05")
def test_the_piles_are_discarded_after_the_last_player() -> None:
    table = scene(2, round_=4)
    table.player(0, pile=["shaman", "brave"], discard=["elder"])
    table.player(1, pile=["crafter", "flint_cache"]).eclipse()
    up_to(table, 1, "eclipse_cards")
    assert table.names(0, "pile") == ["shaman", "brave"]
    assert table.names(1, "pile") == ["crafter"]
    assert table.names(0, "discard") == ["elder"]
    table.do("leave")
    assert [table.names(seat, "pile") for seat in (0, 1)] == [[], []]
    assert sorted(table.names(0, "discard")) == ["brave", "elder", "shaman"]
    assert table.names(1, "discard") == ["crafter"]
    assert table.names(1, "hand") == ["flint_cache"]


@pytest.mark.rule("ECL-05")
def test_the_discarded_piles_can_be_shuffled_into_the_next_hand() -> None:
    table = scene(2).player(0, pile=["brave", "brave", "elder"], discard=["hunter"]).eclipse()
    decline_all(table)
    assert table.kind == "turn"
    assert sorted(table.names(0, "hand")) == ["brave", "brave", "elder", "hunter"]


@pytest.mark.rule("ECL-06")
def test_food_adds_no_labor_to_the_comparison() -> None:
    table = scene(2).player(0, food=6).player(1, food=0).listen().eclipse()
    assert labor_of(table) == [0, 0]
    assert list(table.position.order) == [1, 0]


@pytest.mark.rule("ECL-06")
def test_no_food_can_be_spent_for_labor_in_the_eclipse() -> None:
    table = scene(2).all_terrain("highland")
    table.player(0, food=6, camps=[7], pile=["shaman"], megaliths=8).eclipse()
    kinds = set()
    while table.kind != "turn":
        kinds.add(table.kind)
        assert not table.offers("eat")
        table.do("leave")
    assert kinds == {"gain", "eclipse_cards", "eclipse_terrain"}
    assert table.at(0).food == 6


@pytest.mark.rule("ECL-04")
def test_leaving_the_rest_of_the_board_still_scores_the_stones() -> None:
    table = scene(round_=2).player(
        0, stones=["idol_stone"], offering=4, villages=[10], deck=["elder"]
    )
    table.eclipse()
    while not table.can("score idol_stone"):
        table.do("leave")
    before = table.score(0)
    table.do("leave")
    assert table.score(0) == before + 2


@pytest.mark.rule("ECL-03")
def test_leaving_the_other_hexes_keeps_food_that_waited_for_room() -> None:
    table = scene(round_=1).terrain(h1="steppe", h2="lakeshore")
    table.player(0, camps=[1, 2], food=6, deck=["elder"])
    table.eclipse()
    while not table.can("hex 1: food 2"):
        table.do("leave")
    table.do("leave")
    assert table.at(0).food == 7


def scoring_stones(table: Scene, bits: int, before: str = "") -> Scene:
    """Seat 0 is about to gain something and to score the Sacred Stones of these bits."""
    entry = pool(before) if before else b""
    frame = gain_frame(0, entry + bytes((agenda.SCORE_STONES, bits)))
    return table.table(agenda=[(agenda.ROUND, 0, 0, b""), frame])


@pytest.mark.rule("ECL-02")
def test_the_new_turn_order_is_an_event_for_each_place() -> None:
    table = scene(3).player(1, pile=["brave"]).listen().eclipse()
    happened = [*table.events, *table.game.take_events()]
    made = [event[1:3] for event in happened if event[0] == events.ORDER_MADE]
    assert made == [(1, 1), (2, 2), (0, 3)]


@pytest.mark.rule("ECL-03")
def test_a_card_without_an_eclipse_ability_in_the_pile_brings_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(TABLES.cards[CARDS["tribeswoman"]], "abilities", [])
    table = scene(2).player(0, pile=["tribesman", "tribeswoman", "tribeswoman"]).eclipse()
    while table.kind != "turn":
        assert not any("tribeswoman" in text for text in table.texts)
        table.do("leave")
    assert table.at(0).food == 1  # of the tribesman
    assert len(table.at(0).hand + table.at(0).deck + table.at(0).discard) == 3


@pytest.mark.rule("ECL-03")
def test_an_eclipse_ability_that_is_chosen_is_an_event() -> None:
    table = scene(2).player(1, pile=["shaman"]).listen().eclipse()
    while table.kind != "eclipse_cards":
        table.do("leave")
    table.do("card shaman: offering")
    used = [event[1:3] for event in table.events if event[0] == events.ABILITY_USED]
    assert used == [(1, CARDS["shaman"])]


@pytest.mark.rule("ECL-04")
@pytest.mark.parametrize(("bits", "points"), [(1, 1), (2, 2), (3, 3)])
def test_only_stones_that_have_not_scored_yet_do(bits: int, points: int) -> None:
    table = scene(2).player(0, stones=["grave_stone", "idol_stone"], food=6, offering=4)
    table.player(0, buried=["brave", "brave"])
    assert scoring_stones(table, bits, "food 2").points(0, "sacred_stones") == points
    assert table.kind == "turn"


@pytest.mark.rule("ECL-04")
@pytest.mark.parametrize(("first", "second"), [("grave", "idol"), ("idol", "grave")])
def test_a_stone_that_was_scored_early_does_not_score_again(first: str, second: str) -> None:
    table = scene(2).player(0, stones=["grave_stone", "idol_stone"], offering=4)
    table.player(0, buried=["brave", "brave"])
    scoring_stones(table, 3, "camp").do(f"score {first}_stone")
    assert table.offers("score") == [f"score {second}_stone"]
    table.do("camp")
    assert (table.points(0, "sacred_stones"), table.kind) == (3, "turn")


@pytest.mark.rule("ECL-04")
def test_everything_on_the_player_board_makes_one_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TABLES, "village_benefit", pool("food 2, draw, feast"))
    supply = [pool("food 3, tool"), b"", pool("idol"), pool("food 5, idol 2"), pool("point")]
    monkeypatch.setattr(TABLES, "supply", supply)
    table = scene(2).player(0, villages=[0, 7], megaliths=3)
    assert board_pool(table.position, table.at(0)) == pool("food 7, tool, idol, draw 2, feast 2")
    table.player(0, megaliths=2, stones=["grave_stone", "idol_stone"])
    scoring = bytes((agenda.SCORE_STONES, 3))
    gained = pool("food 12, tool, idol 3, draw 2, feast 2")
    assert board_pool(table.position, table.at(0)) == gained + scoring
    assert board_pool(table.position, table.at(1)) == b""
    table.player(1, stones=["claw_stone"])
    assert board_pool(table.position, table.at(1)) == bytes((agenda.SCORE_STONES, 1))


def test_what_concerns_no_player_is_an_event_of_seat_zero() -> None:
    """Events without an owner; the others name the seat that they belong to."""
    table = scene(3, modules=("rest_tokens",)).listen()
    table.animal_deck("glyptodon").table(culture=[b"", cards("ember_feast")], round=3)
    position = table.position
    for player in position.players:
        player.pile = b""
    table.eclipse()
    while table.kind != "turn":
        table.do("leave")
    happened = [*table.events, *table.game.take_events()]
    ours = {
        *(events.ANIMAL_REVEALED, events.CULTURE_DEALT, events.PREPARED),
        *(events.ECLIPSE_BEGAN, events.REST_TOKEN_SHOWN),
    }
    seats = {event[0]: event[1] for event in happened if event[0] in ours}
    assert seats == dict.fromkeys(ours, 0)
