"""The Mammoth miniature.

Hex 0 is the Base, 1-6 lie around it, 7-18 around these. Juncture 0 is where 0, 1 and 2 meet, 6
where 1, 2 and 8, 8 where 1, 7 and 8, 16 where 4, 5 and 14 meet.
"""

from __future__ import annotations

import pytest

from endless_winter.rules import BadPosition, Config, Game, agenda
from endless_winter.rules.modules.mammoth import MAMMOTH_MOVED, opposite_juncture
from endless_winter.rules.reading import Reader
from endless_winter.rules.terrain import ADJACENT, JUNCTURES
from tests.rules.nomad_scene import NOMAD, PLAYER, SoloScene, solo
from tests.rules.scene import ELDER, TABLES, Scene, scene

MAMMOTH = ("mammoth",)
BESIDE = 255
AT_1_2_8 = 6
AT_1_7_8 = 8
AT_4_5_14 = 16


def wild(players: int = 2, *, round_: int = 1, at: int = BESIDE) -> Scene:
    table = scene(players, modules=MAMMOTH, round_=round_)
    return table.table(module_state=[bytes((at,))])


def stands(table: Scene) -> int:
    return table.position.module_state[0][0]


# --- moving it ---


@pytest.mark.rule("MAM-01")
def test_it_starts_beside_the_board() -> None:
    for players in (2, 3, 4):
        game = Game.new(Config(TABLES, players, modules=MAMMOTH), bytes(32))
        while (decision := game.decision) is not None and decision.kind == agenda.CHOOSE_CHIEF:
            game.apply(decision.default)
        assert game.position.module_state == [bytes((BESIDE,))]


@pytest.mark.rule("MAM-01")
def test_two_labor_in_migrate_put_it_on_any_juncture_the_bases_included() -> None:
    table = wild().table(labor=4).do("place tribe migrate")
    assert table.offers("drive") == [f"drive {juncture}" for juncture in range(24)]
    table.do("drive 0")
    assert stands(table) == 0
    assert table.position.labor == 0
    assert list(table.at(0).camps) == [0]


@pytest.mark.rule("MAM-01")
def test_one_labor_is_not_enough() -> None:
    table = wild().table(labor=3).do("place tribe migrate")
    assert table.offers("drive") == []
    assert table.offers("travel")


@pytest.mark.rule("MAM-01")
def test_it_is_an_action_of_the_top_section_of_migrate_alone() -> None:
    assert wild().table(labor=4).do("place tribe hunt").offers("drive") == []
    table = wild().table(labor=4).do("place tribe migrate", "bottom", "leave")
    assert table.offers("drive") == []


@pytest.mark.rule("MAM-01")
def test_it_is_moved_as_often_as_labor_lasts() -> None:
    table = wild().table(labor=9).do("place tribe migrate", "drive 3", "drive 6")
    assert stands(table) == AT_1_2_8
    assert table.position.labor == 1


@pytest.mark.rule("MAM-01")
def test_two_moves_of_a_benefit_put_it_there() -> None:
    table = wild().player(0, camps=[7]).gain(0, "move 2")
    assert table.offers("mammoth") == [f"mammoth {juncture}" for juncture in range(24)]
    table.do("mammoth 8")
    assert stands(table) == AT_1_7_8
    assert list(table.at(0).camps) == [7]
    assert table.kind == "turn"


@pytest.mark.rule("MAM-01")
def test_of_three_moves_one_is_left() -> None:
    table = wild().player(0, camps=[7]).gain(0, "move 3").do("mammoth 8")
    assert table.offers("mammoth") == []
    table.do("move 7>1")
    assert table.kind == "turn"


@pytest.mark.rule("MAM-01")
def test_a_single_move_does_not_move_it() -> None:
    table = wild().player(0, camps=[7]).gain(0, "move")
    assert table.offers("mammoth") == []
    table = wild().player(0, camps=[7]).gain(0, "move 2").do("move 7>8")
    assert table.offers("mammoth") == []


@pytest.mark.rule("MAM-01")
def test_the_moves_of_an_eclipse_ability_can_be_given_up() -> None:
    table = wild().player(0, pile=["pathfinder"], camps=[7]).eclipse()
    assert table.seat == 0
    while table.kind != "eclipse_cards":
        table.do(table.texts[-1])
    table.do("card pathfinder: mammoth 8")
    assert stands(table) == AT_1_7_8
    assert table.seat == 1  # nothing is left of the ability


@pytest.mark.rule("MAM-01")
def test_moves_of_two_cards_do_not_add_up() -> None:
    table = scene(2, modules=("warriors", "mammoth"))
    table = table.player(0, pile=["warrior", "warrior"], camps=[7]).eclipse()
    while table.kind != "eclipse_cards":
        table.do(table.texts[-1])
    assert [text for text in table.texts if "move 7>8" in text]
    assert not [text for text in table.texts if "mammoth" in text]


@pytest.mark.rule("MAM-01")
def test_who_has_no_camp_to_move_has_no_move_to_give_up() -> None:
    table = wild().player(0, camps=[]).table(labor=4).do("place tribe migrate")
    assert table.offers("drive") == []
    assert wild().player(0, camps=[]).gain(0, "move 2").kind == "turn"


@pytest.mark.rule("MAM-01")
def test_a_juncture_with_a_village_or_with_itself_is_not_empty() -> None:
    table = wild(at=16).player(1, villages=[6]).player(0, camps=[7]).gain(0, "move 2")
    offered = table.offers("mammoth")
    assert "mammoth 6" not in offered
    assert "mammoth 16" not in offered
    assert len(offered) == 22


@pytest.mark.rule("MAM-01")
def test_nobody_builds_where_it_stands() -> None:
    table = wild(at=AT_1_7_8).player(0, camps=[1, 7, 8], food=3).do("place tribe migrate")
    assert table.offers("settle") == []
    table = wild(at=AT_1_2_8).player(0, camps=[1, 7, 8], food=3).do("place tribe migrate")
    assert table.offers("settle") == ["settle 8"]


@pytest.mark.rule("MAM-01")
def test_any_player_moves_it_and_an_event_says_so() -> None:
    table = wild(3, at=3).player(2, camps=[7]).gain(2, "move 2").listen().do("mammoth 6")
    assert stands(table) == AT_1_2_8
    found = [event for event in table.events if event[0] == MAMMOTH_MOVED]
    assert found == [(MAMMOTH_MOVED, 2, 6, 0, b"", ELDER)]


def test_without_the_module_there_is_no_mammoth() -> None:
    table = scene(2).player(0, camps=[7]).table(labor=4).do("place tribe migrate")
    assert table.offers("drive") == []
    assert scene(2).player(0, camps=[7]).gain(0, "move 2").offers("mammoth") == []


@pytest.mark.parametrize("juncture", [24, -1, None, [6], "6"])
def test_a_mammoth_that_stands_nowhere_is_no_position(juncture: object) -> None:
    position = wild().position
    reader = Reader({"juncture": juncture}, "module_state.mammoth.")
    with pytest.raises(BadPosition, match="juncture: a whole number from 0 to 23 expected"):
        position.modules[0].read_state(position, 0, reader)


def test_a_written_game_with_the_mammoth_says_where_it_is() -> None:
    position = wild().position
    position.module_state[0] = b""
    assert position.modules[0].check(position, 0).startswith("module_state.mammoth: missing")


def test_a_mammoth_on_a_village_is_no_position() -> None:
    position = wild(at=6).player(1, villages=[6]).position
    found = position.modules[0].check(position, 0)
    assert found == "module_state.mammoth.juncture: a Village of seat 1 is there"
    assert not position.modules[0].check(wild(at=7).position, 0)


# --- the Eclipse ---


def terrain_step(table: Scene) -> Scene:
    """Seat 0 has come to its Terrain benefits; all land is marsh, whose benefit asks."""
    table.all_terrain("marsh").player(0, figures=["rest", "", ""]).eclipse()
    assert table.seat == 0  # who has rested is first
    while table.seat == 0 and table.kind not in ("eclipse_terrain", "turn"):
        table.do(table.texts[-1])
    return table


def hexes_of(table: Scene) -> set[int]:
    """The hexes on offer in the Terrain step."""
    if table.kind != "eclipse_terrain" or table.seat != 0:
        return set()
    return {int(text.split(":")[0][4:]) for text in table.texts if text.startswith("hex ")}


@pytest.mark.rule("MAM-02")
@pytest.mark.parametrize("round_", [1, 2, 3, 4])
@pytest.mark.parametrize("camps", [1, 2, 3, 4])
def test_less_influence_than_the_rounds_number_gives_nothing_there(round_: int, camps: int) -> None:
    table = wild(round_=round_, at=AT_1_7_8).player(0, camps=[1] * camps).player(1, camps=[])
    terrain_step(table.player(0, camps=[1] * camps + [4]))
    assert (1 in hexes_of(table)) == (camps >= round_)
    assert 4 in hexes_of(table)


@pytest.mark.rule("MAM-02")
def test_as_much_as_it_gives_the_benefit_twice() -> None:
    table = terrain_step(wild(round_=2, at=AT_1_7_8).player(0, camps=[1, 1]).player(1, camps=[]))
    table.do("hex 1: recruit hunter")
    assert table.kind == "gain"
    table.do("recruit hunter")
    assert table.names(0, "discard") == ["hunter", "hunter"]
    assert hexes_of(table) == set()


@pytest.mark.rule("MAM-02")
def test_more_than_it_gives_the_benefit_twice_too() -> None:
    table = terrain_step(wild(at=AT_1_7_8).player(0, camps=[7, 7, 7]).player(1, camps=[]))
    table.do("hex 7: recruit hunter", "recruit elder")
    assert table.names(0, "discard") == ["hunter", "elder"]


@pytest.mark.rule("MAM-02")
def test_on_other_hexes_the_benefit_comes_once() -> None:
    table = terrain_step(wild(at=AT_1_7_8).player(0, camps=[4]).player(1, camps=[]))
    table.do("hex 4: recruit hunter")
    assert table.names(0, "discard") == ["hunter"]
    assert not table.can("recruit hunter")


@pytest.mark.rule("MAM-02")
def test_all_three_of_its_hexes_count_double() -> None:
    table = terrain_step(wild(at=AT_1_7_8).player(0, camps=[1, 7, 8]).player(1, camps=[]))
    for hex_ in (1, 7, 8):
        table.do(f"hex {hex_}: recruit hunter", "recruit elder")
    assert len(table.names(0, "discard")) == 6


@pytest.mark.rule("MAM-02")
def test_more_than_it_but_less_than_another_player_gives_nothing() -> None:
    table = wild(at=AT_1_7_8).player(0, camps=[1, 4]).player(1, camps=[1, 1])
    assert hexes_of(terrain_step(table)) == {4}


@pytest.mark.rule("MAM-02")
def test_a_tie_between_players_that_reaches_it_gives_both_the_benefit_twice() -> None:
    table = wild(at=AT_1_7_8).player(0, camps=[1]).player(1, camps=[1])
    terrain_step(table).do("hex 1: recruit hunter", "recruit hunter")
    while not (table.kind == "eclipse_terrain" and table.seat == 1):
        table.do(table.texts[-1])
    table.do("hex 1: recruit elder", "recruit elder")
    assert table.names(0, "hand") == ["hunter"] * 2  # drawn in the Preparation phase
    assert table.names(1, "hand") == ["elder"] * 2


@pytest.mark.rule("MAM-02")
def test_beside_the_board_it_changes_nothing() -> None:
    table = terrain_step(wild(round_=4).player(0, camps=[1]).player(1, camps=[]))
    table.do("hex 1: recruit hunter")
    assert table.names(0, "discard") == ["hunter"]
    assert not table.can("recruit hunter")


@pytest.mark.rule("MAM-02")
def test_it_is_no_ones_influence() -> None:
    """A player without Influence gets nothing, whatever the Mammoth has."""
    table = terrain_step(wild(at=AT_1_7_8).player(0, camps=[4]).player(1, camps=[]))
    assert hexes_of(table) == {4}


# --- solo ---


def herd(at: int = BESIDE) -> SoloScene:
    table = solo(modules=MAMMOTH)
    table.position.module_state[0] = bytes((at,))
    table.player(NOMAD, camps=[1, 2, 13, 14, 15])  # no three of them meet
    return table


@pytest.mark.rule("MAM-03")
@pytest.mark.parametrize(
    ("card", "inner", "juncture"),
    [
        ("south_east", (3, 4), 7),  # where 1, 6 and 18 meet
        ("west", (5, 6), 10),  # 2, 3 and 10
        ("east", (2, 3), 19),  # 5, 6 and 16
    ],
)
def test_it_goes_opposite_the_two_inner_camps(
    card: str, inner: tuple[int, int], juncture: int
) -> None:
    table = herd().area(maps=[card]).gains("settle").listen()
    assert table.step() == "nomad-map inner"
    assert set(inner) <= set(table.at(NOMAD).camps)
    assert table.position.module_state[0] == bytes((juncture,))
    found = [event[:3] for event in table.events if event[0] == MAMMOTH_MOVED]
    assert found == [(MAMMOTH_MOVED, NOMAD, juncture)]


@pytest.mark.rule("MAM-03")
def test_the_juncture_lies_across_the_centre_and_does_not_touch_it() -> None:
    for one in range(1, 7):
        two = one % 6 + 1
        hexes = JUNCTURES[opposite_juncture([one, two])]
        across = [(one + 2) % 6 + 1, (two + 2) % 6 + 1]
        assert set(across) < set(hexes)
        assert 0 not in hexes
        assert all(hex_ in ADJACENT[across[0]] for hex_ in hexes if hex_ != across[0])


@pytest.mark.rule("MAM-03")
@pytest.mark.parametrize("owner", [PLAYER, NOMAD])
def test_it_stays_where_it_is_if_that_juncture_is_occupied(owner: int) -> None:
    table = herd(at=0).player(owner, villages=[7]).area(maps=["south_east"]).gains("settle")
    table.step()
    assert table.position.module_state[0] == b"\0"


@pytest.mark.rule("MAM-03")
def test_it_does_not_move_when_the_outer_camps_do() -> None:
    table = solo(modules=MAMMOTH).area(maps=["west", "south_east"]).gains("settle")
    assert table.steps(2) == ["nomad-build 8 village", "nomad-map outer"]
    assert table.position.module_state[0] == bytes((BESIDE,))


@pytest.mark.rule("MAM-03")
def test_set_up_does_not_move_it() -> None:
    assert solo(modules=MAMMOTH).position.module_state[0] == bytes((BESIDE,))


@pytest.mark.rule("MAM-03")
def test_the_nomad_does_not_build_where_it_stands() -> None:
    table = solo(modules=MAMMOTH)
    table.position.module_state[0] = bytes((AT_1_7_8,))
    assert table.arrows("left", "up").gains("settle").texts == ["nomad-build 6 village"]


@pytest.mark.rule("MAM-02", "MAM-03")
def test_the_nomad_competes_with_it_like_everybody() -> None:
    table = solo(modules=MAMMOTH, round_=2).all_terrain("woodland")
    table.position.module_state[0] = bytes((AT_1_7_8,))
    table.player(NOMAD, camps=[1, 2, 13, 14, 15]).player(PLAYER, camps=[])
    table.eclipse()
    done = table.steps()
    assert not any(step.startswith("hex 1:") for step in done)
    table = solo(modules=MAMMOTH).all_terrain("woodland")
    table.position.module_state[0] = bytes((AT_1_7_8,))
    table.player(NOMAD, camps=[1, 2, 13, 14, 15]).player(PLAYER, camps=[]).eclipse()
    table.player(NOMAD, camps=[1, 2, 13, 14, 15], tools=0)
    assert "hex 1: tools 2 food 0" in table.arrows("right", "up").eclipse().steps()


@pytest.mark.rule("MAM-01")
def test_the_player_moves_it_in_solo_games_too() -> None:
    table = solo(modules=MAMMOTH).player(PLAYER, camps=[7]).gain(PLAYER, "move 2").do("mammoth 16")
    assert table.position.module_state[0] == bytes((AT_4_5_14,))
