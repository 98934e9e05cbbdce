"""What the Nomad does. Seat 0 plays, seat 1 is the Nomad; juncture 8 is where 1, 7 and 8 meet."""

from __future__ import annotations

import pytest

from endless_winter.rules import agenda, board, events
from endless_winter.rules.nomad import roaming
from endless_winter.rules.nomad.actions import INSTEAD
from endless_winter.rules.nomad.area import area_of
from endless_winter.rules.nomad.scoring import animal_points
from endless_winter.rules.sources import MEGALITH, source
from endless_winter.rules.zones import EMPTY
from tests.rules.nomad_scene import (
    FIRST_PLACE,
    MAPS,
    NOMAD,
    NOMAD_CARDS,
    PLAYER,
    SoloScene,
    dealt,
    solo,
    with_cells,
)
from tests.rules.plain_tables import changed
from tests.rules.scene import ANIMALS, STONES, TABLES, TERRAINS

HONOR_TOP = len(TABLES.honor)
OFFERING_TOP = len(TABLES.offering)
ARROWS = [("left", "up"), ("left", "down"), ("right", "up"), ("right", "down")]


# --- Idols, Tools, Food ---


@pytest.mark.rule("NMD-01")
def test_idols_go_to_honor_then_to_offering_then_make_points() -> None:
    table = solo().player(NOMAD, honor=HONOR_TOP - 1, offering=OFFERING_TOP - 1)
    table.table(honor_queue=bytes((NOMAD,)))
    table.gains("idol 4")
    assert table.steps(4) == ["honor", "offering", "points 1", "points 1"]
    assert table.points(NOMAD, "offering_track") == 2


@pytest.mark.rule("NMD-01")
def test_it_scores_the_points_of_the_honor_track_and_stands_on_it() -> None:
    table = solo().gains(f"idol {HONOR_TOP}")
    table.steps(HONOR_TOP)
    assert table.points(NOMAD, "honor_track") == 2 + 3 + 5
    assert table.position.honor_queue == bytes((NOMAD,))


@pytest.mark.rule("NMD-01")
def test_the_benefits_of_the_offering_track_are_a_bury_and_two_tools() -> None:
    table = solo().player(NOMAD, honor=HONOR_TOP).table(honor_queue=bytes((NOMAD,)))
    table.area(sacrifice=["bone_flute", "ember_feast"]).gains(f"idol {OFFERING_TOP}")
    taken = [text for text in table.steps(OFFERING_TOP + 3) if text != "offering"]
    assert taken == ["nomad-bury", "tools 1 food 0", "tools 1 food 0"]
    assert (table.at(NOMAD).tools, len(table.at(NOMAD).buried)) == (2, 1)


@pytest.mark.rule("NMD-02")
def test_a_sixth_tool_is_food_and_an_eleventh_food_an_idol() -> None:
    table = solo().player(NOMAD, tools=3).gains("tool 4")
    assert table.steps(2) == ["tools 2 food 0", "food 2"]
    assert (table.at(NOMAD).tools, table.at(NOMAD).food) == (5, 2)
    table.player(NOMAD, food=9).gains("food 3")
    assert table.steps(3) == ["food 1", "honor", "honor"]
    assert (table.at(NOMAD).food, table.at(NOMAD).honor) == (10, 2)


@pytest.mark.rule("NMD-02")
def test_a_tool_with_both_stores_full_is_an_idol() -> None:
    table = solo().player(NOMAD, tools=5, food=10).gains("tool 2")
    assert table.steps(2) == ["honor", "honor"]


# --- Culture cards and burying ---


@pytest.mark.rule("NMD-03")
@pytest.mark.parametrize(
    ("arrows", "text"),
    [
        (("left", "up"), "nomad-culture ember_feast 1"),
        (("left", "down"), "nomad-culture teaching_stones 5"),
        (("right", "up"), "nomad-culture bone_flute 3"),
        (("right", "down"), "nomad-culture bone_flute 3"),
    ],
)
def test_the_arrows_find_the_column_of_the_display_and_then_the_row(
    arrows: tuple[str, str], text: str
) -> None:
    """As in the rulebook: the leftmost column with cards (0 is empty), its lowest card."""
    table = solo().display("", "ember_feast", "", "bone_flute", "", "teaching_stones", "barter_day")
    assert table.arrows(*arrows).gains("culture").texts == [text]


@pytest.mark.rule("NMD-03")
def test_the_card_goes_face_down_onto_the_sacrifice_deck() -> None:
    table = solo().display("ember_feast").area(sacrifice=["bone_flute"]).gains("culture, bury")
    table.listen()
    table.step()
    assert table.position.display == bytes((EMPTY,)) * 8
    assert [TABLES.cards[c].name for c in table.nomad.sacrifice] == ["ember_feast", "bone_flute"]
    assert (events.NOMAD_CULTURE, NOMAD) in [event[:2] for event in table.events]
    table.step()
    assert table.names(NOMAD, "buried") == ["ember_feast"]


@pytest.mark.rule("NMD-03")
def test_with_an_empty_display_it_buries() -> None:
    table = solo().area(sacrifice=["bone_flute"]).gains("culture")
    assert table.texts == ["nomad-bury"]


@pytest.mark.rule("NMD-04")
def test_it_buries_the_top_of_the_sacrifice_deck_and_gains_a_tool_when_that_is_empty() -> None:
    table = solo().area(sacrifice=["bone_flute", "ember_feast"]).gains("bury 3")
    assert table.steps(3) == ["nomad-bury", "nomad-bury", "tools 1 food 0"]
    assert table.nomad.sacrifice == b""
    assert sorted(table.names(NOMAD, "buried")) == ["bone_flute", "ember_feast"]
    assert table.at(NOMAD).tools == 1


@pytest.mark.rule("NMD-04")
def test_the_top_card_goes_first() -> None:
    table = solo().area(sacrifice=["ember_feast", "bone_flute"]).gains("bury")
    table.step()
    assert table.names(NOMAD, "buried") == ["ember_feast"]


@pytest.mark.rule("NMD-04")
def test_the_event_does_not_name_the_card() -> None:
    table = solo().area(sacrifice=["ember_feast"]).gains("bury").listen()
    table.step()
    assert [event for event in table.events if event[0] == events.NOMAD_BURIED] == [
        (events.NOMAD_BURIED, NOMAD, 0, 0, b"", FIRST_PLACE)
    ]


# --- Animals ---


@pytest.mark.rule("NMD-05")
def test_it_prefers_a_type_of_which_it_has_one_to_three() -> None:
    table = solo().grounds("glyptodon", "woolly_rhino", "ground_sloth").arrows("left", "up")
    for number in (1, 2, 3):
        table.player(NOMAD, animals=["ground_sloth"] * number).gains("animal")
        assert table.texts == ["nomad-animal ground_sloth 2"]


@pytest.mark.rule("NMD-05")
def test_then_a_type_it_lacks_and_last_one_it_has_four_of() -> None:
    table = solo().grounds("ground_sloth", "ground_sloth", "glyptodon").arrows("left", "up")
    table.player(NOMAD, animals=["ground_sloth"] * 4).gains("animal 3")
    assert table.steps(3) == [
        "nomad-animal glyptodon 2",
        "nomad-animal ground_sloth 0",
        "nomad-animal ground_sloth 1",
    ]


@pytest.mark.rule("NMD-05")
@pytest.mark.parametrize(
    ("arrows", "place"),
    [(("left", "up"), 0), (("left", "down"), 3), (("right", "up"), 2), (("right", "down"), 5)],
)
def test_the_arrows_pick_within_the_group(arrows: tuple[str, str], place: int) -> None:
    """Of all places that hold a type it likes; of two equal cards, which place they leave."""
    table = solo().grounds(*["glyptodon"] * 6).player(NOMAD, animals=["glyptodon"])
    assert table.arrows(*arrows).gains("animal").step() == f"nomad-animal glyptodon {place}"
    assert [at for at, a in enumerate(table.position.grounds) if a == EMPTY] == [place]
    assert table.names(NOMAD, "animals") == ["glyptodon", "glyptodon"]


@pytest.mark.rule("NMD-05")
def test_the_rulebooks_ground_sloth() -> None:
    """None of them there: the rightmost column with cards, its lowest card."""
    table = solo().grounds("glyptodon", "woolly_rhino", "", "", "woolly_mammoth")
    table.player(NOMAD, animals=["ground_sloth"]).arrows("right", "down").gains("animal")
    assert table.texts == ["nomad-animal woolly_mammoth 4"]


@pytest.mark.rule("NMD-05")
def test_empty_grounds_mean_food() -> None:
    assert solo().gains("animal").texts == ["food 1"]


@pytest.mark.rule("NMD-06")
def test_a_random_animal_is_the_top_of_the_deck_or_food() -> None:
    table = solo().animal_deck("argentavis").grounds("glyptodon").gains("beast 2")
    assert table.steps(2) == ["beast", "food 1"]
    assert table.names(NOMAD, "animals") == ["argentavis"]
    assert table.position.animals == b""


@pytest.mark.rule("NMD-06")
def test_a_revealed_animal_lies_in_the_first_free_place() -> None:
    table = solo().animal_deck("argentavis", "glyptodon").grounds("glyptodon", "", "glyptodon")
    assert table.gains("reveal").step() == "reveal"
    assert table.position.grounds[1] == ANIMALS["argentavis"]


@pytest.mark.rule("NMD-06")
@pytest.mark.parametrize("full", [False, True])
def test_without_place_or_card_a_reveal_is_void(full: bool) -> None:
    table = solo().animal_deck(*(["glyptodon"] if full else []))
    table.grounds(*["glyptodon"] * (6 if full else 1)).gains("reveal 2, food")
    before = table.position.grounds
    assert table.steps(2) == ["nomad-nothing", "food 1"]
    assert table.position.grounds == before


# --- its own cards, Glaciers ---


@pytest.mark.rule("NMD-07")
def test_an_eclipse_card_is_the_top_nomad_card_unseen() -> None:
    table = solo().area(stack=["first_light"], deck=["wolf_song", "far_fires"])
    table.gains("pile 2").listen()
    assert table.steps(2) == ["nomad-pile", "nomad-pile"]
    assert list(table.nomad.pile) == [NOMAD_CARDS["wolf_song"], NOMAD_CARDS["far_fires"]]
    piled = [event for event in table.events if event[0] == events.NOMAD_PILED]
    assert piled == [(events.NOMAD_PILED, NOMAD, 0, 0, b"", 0)] * 2


@pytest.mark.rule("NMD-07")
def test_with_no_card_left_there_is_none() -> None:
    table = solo()
    rest = [name for name in NOMAD_CARDS if name != "first_light"]
    table.area(stack=["first_light"], pile=rest).gains("pile 2, food")
    assert table.steps(2) == ["nomad-nothing", "food 1"]


@pytest.mark.rule("NMD-08")
def test_glaciers_with_an_own_camp_score_a_point_each() -> None:
    table = solo().all_terrain("canyon").terrain(h1="glacier", h7="glacier", h9="glacier")
    table.terrain(h5="glacier").player(PLAYER, camps=[5]).gains("glaciers")
    assert table.step() == "nomad-glaciers 3"
    assert table.points(NOMAD, "nomad_actions") == 3


@pytest.mark.rule("NMD-08")
def test_villages_and_the_token_do_not_count_there() -> None:
    table = solo().all_terrain("glacier").player(NOMAD, villages=[13, 15, 17]).area(token=20)
    assert table.gains("glaciers").texts == ["nomad-glaciers 5"]


# --- Sacred Stones ---


def stone_row(table: SoloScene, first: int, second: int) -> SoloScene:
    names = list(STONES)
    era_1 = [name for name in names if TABLES.stones[STONES[name]].era == 1]
    era_2 = [name for name in names if TABLES.stones[STONES[name]].era == 2]
    table.stones(era_1[:first], era_2[:second])
    return table


@pytest.mark.rule("NMD-09")
@pytest.mark.parametrize("round_", [1, 3])
@pytest.mark.parametrize("small", ["up", "down"])
def test_the_large_arrow_picks_the_stone_from_those_available(round_: int, small: str) -> None:
    table = stone_row(solo(round_=round_), 3, 3).player(NOMAD, food=10, tools=5)
    row = table.position.stones[0] + (table.position.stones[1] if round_ == 3 else b"")
    for large, stone in (("left", row[0]), ("right", row[-1])):
        table.arrows(large, small).gains("stone")
        assert table.texts == [f"stone {TABLES.stones[stone].name}"]


@pytest.mark.rule("NMD-09")
def test_it_pays_the_price_and_gains_what_lies_under_the_space() -> None:
    table = stone_row(solo(), 3, 3).player(NOMAD, food=10, tools=5).gains("stone")
    space = TABLES.stone_spaces[0]
    table.step()
    assert (table.at(NOMAD).food, table.at(NOMAD).tools) == (10 - space.food, 5 - space.tools)
    assert len(table.at(NOMAD).stones) == 1
    top = table.position.agenda[-1]
    assert (top[0], top[1], top[3]) == (agenda.NOMAD, NOMAD, space.benefit)


@pytest.mark.rule("NMD-09")
@pytest.mark.parametrize(
    "why", ["no price", "none there", "three taken"], ids=lambda why: why.replace(" ", "_")
)
def test_if_that_fails_it_places_a_megalith(why: str) -> None:
    table = stone_row(solo(), 0 if why == "none there" else 3, 3)
    table.player(NOMAD, food=0 if why == "no price" else 10, tools=0 if why == "no price" else 5)
    if why == "three taken":
        table.player(NOMAD, stones=["horn_stone", "glacier_stone", "highland_stone"])
    assert table.gains("stone").texts[0].startswith("megalith ")


@pytest.mark.rule("NMD-09")
def test_each_stone_scores_2_in_the_eclipse_whatever_it_shows() -> None:
    table = solo().player(NOMAD, stones=["horn_stone", "glacier_stone"], camps=[1, 2, 7, 8, 9])
    table.position.agenda = [
        (agenda.ROUND, 0, 0, b""),
        (agenda.NOMAD, NOMAD, 4, bytes((agenda.SCORE_STONES, 3))),
    ]
    table.table()
    assert table.steps(2) == ["score horn_stone", "score glacier_stone"]
    assert table.points(NOMAD, "sacred_stones") == 4


# --- Megaliths ---


def block(table: SoloScene, x: int, y: int, owner: str | int = "neutral") -> None:
    table.megaliths(owner, (x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1))


@pytest.mark.rule("NMD-10")
def test_a_coloured_megalith_is_stacked_if_possible() -> None:
    table = solo().player(NOMAD, megaliths=8).arrows("left", "up")
    block(table, 4, 0)
    table.gains("megalith")
    assert table.texts == ["stack 4,0@1"]
    table.step()
    assert table.points(NOMAD, "megaliths") == 4


@pytest.mark.rule("NMD-10")
@pytest.mark.parametrize(
    ("arrows", "text"),
    [(("left", "up"), "stack 0,0@1"), (("right", "up"), "stack 4,0@1")],
)
def test_of_several_stacks_the_arrows_choose(arrows: tuple[str, str], text: str) -> None:
    table = solo().player(NOMAD, megaliths=8)
    block(table, 0, 0)
    block(table, 4, 0, PLAYER)
    assert table.arrows(*arrows).gains("megalith").texts == [text]


@pytest.mark.rule("NMD-10")
def test_a_neutral_megalith_is_never_stacked() -> None:
    table = solo().player(NOMAD, megaliths=9)
    block(table, 4, 0)
    assert table.gains("megalith").texts[0].startswith("megalith ")


@pytest.mark.rule("NMD-10")
def test_on_the_board_it_gains_the_benefit_of_the_space_and_others_score_when_covered() -> None:
    table = solo().player(NOMAD, megaliths=8).player(PLAYER, megaliths=4)
    block(table, 0, 0, PLAYER)
    table.gains("megalith")
    table.step()
    assert table.points(PLAYER, "megaliths") == 4
    table = solo().player(NOMAD, megaliths=8).megaliths("neutral", (1, 1)).gains("megalith")
    site = table.game.options()[0] >> 8 & 255
    benefit = TABLES.megalith_tiles[table.position.tiles[site >> 3]][site & 7].benefit
    table.step()
    here = source(MEGALITH, site)
    assert table.position.agenda[-1] == (agenda.NOMAD, NOMAD, here << 8 | 4, benefit)


def grey_sites(table: SoloScene) -> list[int]:
    return [
        site
        for site in range(32)
        if TABLES.megalith_tiles[table.position.tiles[site >> 3]][site & 7].grey
    ]


@pytest.mark.rule("NMD-10")
@pytest.mark.parametrize("arrows", ARROWS)
def test_a_grey_space_brings_a_second_one_where_the_arrows_say(arrows: tuple[str, str]) -> None:
    table = solo().arrows(*arrows).gains("megalith")
    table.step()
    (grey,) = [site for site in grey_sites(table) if table.position.megaliths[site]]
    (entry,) = [frame for frame in table.position.agenda if frame[0] == agenda.NOMAD]
    assert entry[3] == bytes((agenda.ADDITIONAL, grey))
    tile = TABLES.megalith_tiles[table.position.tiles[grey >> 3]][grey & 7]
    sites = table.position.sites
    both = [(sites.x[s], sites.y[s]) for s in [(grey & ~7) + space for space in tile.arrows]]
    x_sign = 1 if arrows[0] == "right" else -1
    y_sign = 1 if arrows[1] == "down" else -1
    best = max(both, key=lambda place: (x_sign * place[0], y_sign * place[1]))
    assert table.texts == [f"megalith {best[0]},{best[1]}"]


@pytest.mark.rule("NMD-10")
def test_without_a_free_space_a_grey_one_brings_nothing_and_without_megalith_a_bury() -> None:
    table = solo().area(sacrifice=["bone_flute"])
    grey = grey_sites(table)[0]
    table.position.agenda = [
        (agenda.ROUND, 0, 0, b""),
        (agenda.NOMAD, NOMAD, 4, bytes((agenda.ADDITIONAL, grey))),
    ]
    table.player(NOMAD, megaliths=0)
    assert table.texts == ["nomad-bury"]
    tile = TABLES.megalith_tiles[table.position.tiles[grey >> 3]][grey & 7]
    built = bytearray(table.position.megaliths)
    for space in tile.arrows:
        built[(grey & ~7) + space] = 1
    table.table(megaliths=bytes(built))
    assert table.texts == ["nomad-nothing"]


# --- building and roaming ---


@pytest.mark.rule("NMD-11")
def test_it_builds_between_three_camps_without_food_and_without_taking_them_back() -> None:
    table = solo().area(maps=["south_west"]).arrows("left", "up").gains("settle")
    assert table.step() == "nomad-build 8 village"
    assert table.at(NOMAD).villages == bytes((8,))
    assert table.at(NOMAD).camps == bytes((1, 2, 7, 8, 9))
    assert table.at(NOMAD).food == 0
    assert table.step() == "nomad-map outer"
    assert table.at(NOMAD).camps == bytes((1, 2, 7, 8, 18))
    assert table.nomad.seen_maps[-1] == MAPS["south_west"]


@pytest.mark.rule("NMD-11")
def test_a_map_card_that_changes_nothing_outside_is_not_passed_over() -> None:
    table = solo().player(NOMAD, camps=[1, 2, 7, 8, 18]).area(maps=["south_west", "east"])
    table.gains("settle")
    table.steps(2)
    assert table.at(NOMAD).camps == bytes((1, 2, 7, 8, 18))
    assert table.nomad.maps == bytes((MAPS["east"],))


@pytest.mark.rule("NMD-11")
def test_a_juncture_with_a_village_of_anybody_is_not_vacant() -> None:
    table = solo().player(PLAYER, villages=[8]).player(NOMAD, villages=[6]).arrows("left", "up")
    assert table.gains("settle").texts == ["nomad-build 11 village"]


@pytest.mark.rule("NMD-11")
def test_with_all_villages_out_the_token_comes_and_moves() -> None:
    table = solo().player(NOMAD, villages=[13, 15, 17]).area(maps=["west"]).arrows("left", "up")
    table.gains("settle 2")
    assert table.steps(2) == ["nomad-build 8 token", "nomad-map outer"]
    assert table.nomad.token == 8
    assert table.at(NOMAD).villages == bytes((13, 15, 17))
    assert board.influences(table.position)[NOMAD][7] == 1  # the Camp of hex 7 has moved on
    table.player(NOMAD, camps=[1, 2, 7, 8, 9]).area(maps=["west"]).gains("settle")
    assert table.step() == "nomad-build 6 token"  # where it stands is not vacant
    assert table.nomad.token == 6


@pytest.mark.rule("NMD-11")
def test_nobody_else_builds_where_the_token_stands() -> None:
    table = solo().player(NOMAD, villages=[13, 15, 17]).area(token=8)
    table.player(PLAYER, camps=[1, 7, 8], food=5)
    assert board.village_sites(table.position, table.at(PLAYER)) == []


@pytest.mark.rule("NMD-11")
@pytest.mark.parametrize(("arrows", "juncture"), [*zip(ARROWS, (8, 6, 11, 11), strict=True)])
def test_the_arrows_choose_where_it_builds(arrows: tuple[str, str], juncture: int) -> None:
    assert solo().arrows(*arrows).gains("settle").texts == [f"nomad-build {juncture} village"]


def apart(table: SoloScene) -> SoloScene:
    """No three of its Camps meet."""
    table.player(NOMAD, camps=[1, 2, 13, 14, 15])
    return table


@pytest.mark.rule("NMD-12")
def test_where_it_cannot_build_its_inner_camps_go_where_a_map_card_shows() -> None:
    table = apart(solo()).area(maps=["south_east", "west"]).gains("settle")
    assert table.texts == ["nomad-map inner"]
    table.listen()
    table.step()
    assert table.at(NOMAD).camps == bytes((3, 4, 13, 14, 15))
    moves = [event[2:4] for event in table.events if event[0] == events.CAMP_MOVED]
    assert moves == [(1, 3), (2, 4)]
    assert len(table.nomad.maps) == 1


@pytest.mark.rule("NMD-12")
def test_a_camp_that_stands_there_already_stays() -> None:
    table = apart(solo()).area(maps=["east"]).gains("settle").listen()
    table.step()
    moves = [event[2:4] for event in table.events if event[0] == events.CAMP_MOVED]
    assert moves == [(1, 3)]


@pytest.mark.rule("NMD-12")
def test_a_card_that_moves_nothing_is_passed_over_for_the_next() -> None:
    table = apart(solo()).area(maps=["north_east", "south_east", "west"]).gains("settle").listen()
    table.step()
    assert table.at(NOMAD).camps == bytes((3, 4, 13, 14, 15))
    shown = [event[2] for event in table.events if event[0] == events.MAP_REVEALED]
    assert shown == [MAPS["north_east"], MAPS["south_east"]]


@pytest.mark.rule("NMD-12")
def test_used_up_map_cards_are_shuffled() -> None:
    orders = set()
    for seed in range(6):
        table = apart(solo()).area(maps=[])
        table.position.seed = bytes((seed,)) * 32
        table.gains("settle")
        table.step()
        area = table.nomad
        assert area.map_shuffles == 1
        assert sorted(area.maps + area.seen_maps) == list(range(6))
        orders.add(area.seen_maps + area.maps)
    assert len(orders) > 3


@pytest.mark.rule("NMD-12")
def test_its_camps_never_leave_the_map() -> None:
    for seed in range(6):
        game = dealt(bytes((seed,)) * 32, bottom_actions=True)
        while game.decision is not None:
            game.apply(game.options()[-1])
            camps = game.position.players[NOMAD].camps
            assert sum(1 <= hex_ <= 6 for hex_ in camps) == 2
            assert sum(7 <= hex_ <= 18 for hex_ in camps) == 3


@pytest.mark.rule("NMD-13")
@pytest.mark.parametrize(("benefit", "times"), [("camp", 1), ("move", 1), ("move 2", 2)])
def test_placing_or_moving_a_camp_is_build_or_relocate_once_each(benefit: str, times: int) -> None:
    table = apart(solo()).area(maps=["south_west", "west", "north_east"]).gains(benefit)
    table.player(NOMAD, camps=[2, 3, 7, 13, 17])
    assert table.steps(times) == ["nomad-map inner"] * times
    assert len(table.nomad.maps) == 3 - times
    assert table.kind != "nomad"


@pytest.mark.rule("NMD-13")
def test_a_village_as_a_benefit_is_one_too() -> None:
    assert solo().arrows("left", "up").gains("village").texts == ["nomad-build 8 village"]


# --- what comes instead ---


@pytest.mark.rule("NMD-14")
def test_the_long_row_from_a_sacred_stone_down_to_an_idol() -> None:
    table = solo().stones([], []).player(NOMAD, megaliths=0, tools=4, food=9)
    table.area(sacrifice=["bone_flute"]).gains("stone 5")
    assert table.steps(5) == ["nomad-bury", "tools 1 food 0", "food 1", "honor", "honor"]


@pytest.mark.rule("NMD-14")
@pytest.mark.parametrize(
    ("benefit", "instead"),
    [
        ("draw", ["nomad-bury"]),
        ("tribe", ["tools 1 food 0"]),
        ("recruit", ["tools 1 food 0"]),
        ("tip", ["food 1"]),
    ],
)
def test_what_it_never_does_is_always_something_else(benefit: str, instead: list[str]) -> None:
    table = solo().area(sacrifice=["bone_flute"]).player(NOMAD, animals=["glyptodon"])
    table.gains(benefit)
    assert table.steps(1) == instead
    assert table.at(NOMAD).tipped == b""


@pytest.mark.rule("NMD-14")
@pytest.mark.parametrize(
    ("benefit", "steps"),
    [
        ("draw 3", ["tools 3 food 0"]),
        ("tribe 2", ["tools 2 food 0"]),
        ("tip", ["food 1"]),
        ("culture", ["tools 1 food 0"]),
        ("animal", ["food 1"]),
    ],
)
def test_and_goes_on_down_the_row(benefit: str, steps: list[str]) -> None:
    assert solo().gains(benefit).steps(len(steps)) == steps
    full = solo().player(NOMAD, tools=5, food=10).gains(benefit)
    assert set(full.steps(len(steps))) == {"honor"}


@pytest.mark.rule("NMD-14")
def test_food_up_to_the_limit_is_all_that_fits_or_an_idol() -> None:
    assert solo().player(NOMAD, food=3).gains("feast").step() == "food 7"
    assert solo().player(NOMAD, food=10).gains("feast").step() == "honor"


@pytest.mark.rule("NMD-14")
def test_the_row_ends_with_the_idol() -> None:
    for start in INSTEAD:
        icon = start
        while icon in INSTEAD:
            icon = INSTEAD[icon]
        assert icon == 3


# --- the Eclipse ---


def eclipse(table: SoloScene) -> SoloScene:
    table.position.agenda = [(agenda.ROUND, 0, 0, b"")]
    table.position.turn = 6
    table.table()
    return table


@pytest.mark.rule("NMD-15")
@pytest.mark.parametrize(
    ("stack", "pile", "labor"),
    [
        (["first_light"], [], 2),
        (["first_light", "red_ochre"], [], 3),  # the newest alone
        (["red_ochre", "first_light"], [], 2),
        (["first_light"], ["red_ochre", "ash_circle"], 2 + 3 + 1),
    ],
)
def test_its_labor_is_that_of_the_newest_card_and_of_its_pile(
    stack: list[str], pile: list[str], labor: int
) -> None:
    table = solo().area(stack=stack, pile=pile)
    table.game.listen()
    found = table.position.kinds[NOMAD].eclipse_labor(table.position, NOMAD)
    assert found == labor
    happened = table.game.take_events()
    shown = [event[2] for event in happened if event[0] == events.NOMAD_PILE_REVEALED]
    assert shown == [NOMAD_CARDS[name] for name in pile]


@pytest.mark.rule("NMD-15")
@pytest.mark.parametrize(("rests", "first"), [(0, NOMAD), (1, PLAYER)])
def test_the_turn_order_is_made_by_it(rests: int, first: int) -> None:
    """1 Labor of the Nomad against none or 1 1/2 of the player."""
    table = solo().area(stack=["first_light"], pile=[])
    table.player(PLAYER, figures=["rest"] * rests + [""] * (3 - rests))
    eclipse(table)
    assert table.position.order[0] == first


@pytest.mark.rule("NMD-15")
def test_its_turn_is_the_order_benefit_then_terrain_by_the_arrows_then_the_board() -> None:
    table = solo().all_terrain("canyon").player(NOMAD, camps=[1, 2, 13, 14, 15], villages=[11])
    table.player(NOMAD, stones=["horn_stone"], megaliths=8)
    table.area(stack=["last_spear"], pile=["red_ochre"], sacrifice=["bone_flute"])
    table.table(megaliths=bytes(len(table.position.megaliths)))
    block(table, 4, 0)
    eclipse(table)
    steps = table.steps()
    # First: a Megalith, stacked. Right and down: 9 and 8 by the Village, 2, 1 and then the West.
    assert steps[0] == "stack 4,0@1"
    assert [text.split(":")[0] for text in steps[1:8]] == [
        "hex 9",
        "hex 8",
        "hex 2",
        "hex 1",
        "hex 13",
        "hex 14",
        "hex 15",
    ]
    assert steps[8:] == ["tools 1 food 0", "nomad-bury", "score horn_stone"]


@pytest.mark.rule("NMD-15")
def test_the_arrows_stay_those_of_the_stack_whatever_the_pile_shows() -> None:
    table = solo().all_terrain("canyon").player(NOMAD, camps=[1, 2, 13, 14, 15])
    table.area(stack=["first_light"], pile=["last_spear"])  # left and up; right and down
    eclipse(table)
    hexes = [text for text in table.steps() if text.startswith("hex")]
    assert hexes[0] == "hex 15: points 2"
    assert hexes[-1] == "hex 2: points 2"


@pytest.mark.rule("NMD-15")
def test_a_hex_pays_it_for_the_most_influence_or_a_tie_only() -> None:
    table = solo().all_terrain("canyon").player(NOMAD, camps=[1, 2, 13, 14, 15])
    table.player(PLAYER, camps=[1, 2, 2]).area(stack=["first_light"], pile=[])
    eclipse(table)
    hexes = {text.split(":")[0] for text in table.steps() if text.startswith("hex")}
    assert hexes == {"hex 1", "hex 13", "hex 14", "hex 15"}


@pytest.mark.rule("NMD-15")
def test_a_hex_with_several_benefits_pays_them_all_and_once() -> None:
    terrain = TERRAINS["steppe"]
    table = solo().all_terrain("canyon").player(NOMAD, camps=[1, 2, 13, 14, 15], food=9)
    table.table(terrain=bytes((0, terrain)) + table.position.terrain[2:])
    table.area(stack=["first_light"], pile=[])
    eclipse(table)
    paid = [text for text in table.steps() if text.startswith("hex 1:")]
    assert paid == ["hex 1: food 1", "hex 1: honor"]  # 2 Food, of which one fits


# --- Preparation and the end ---


@pytest.mark.rule("NMD-16")
@pytest.mark.parametrize(("extra", "open_cards"), [(False, 0), (True, 1)])
def test_all_its_cards_are_shuffled_into_a_new_deck(extra: bool, open_cards: int) -> None:
    game = dealt(extra_card=extra)
    decks: list[bytes] = []
    while game.decision is not None and len(decks) < 4:
        if game.position.round > len(decks):
            area = area_of(game.position)
            assert area.pile == b""
            assert len(area.stack) == open_cards
            assert len(area.deck) == 16 - open_cards
            decks.append(area.stack + area.deck)
        game.apply(game.decision.default)
    assert len(set(decks)) == 4
    assert all(sorted(deck) == list(range(16)) for deck in decks)


@pytest.mark.rule("NMD-16")
def test_the_sacrifice_deck_and_the_maps_are_not_touched() -> None:
    game = dealt()
    while game.position.round == 1:
        before = area_of(game.position)
        game.apply(game.options()[0])
    after = area_of(game.position)
    assert after.sacrifice in (before.sacrifice, before.sacrifice[1:])
    assert (after.token, after.map_shuffles) == (before.token, before.map_shuffles)


@pytest.mark.rule("NMD-17")
@pytest.mark.parametrize(
    ("held", "points"),
    [
        ([], 0),
        (["glyptodon"], 1),
        (["glyptodon"] * 2, 3),
        (["glyptodon"] * 3, 6),
        (["glyptodon"] * 4, 10),
        (["glyptodon"] * 6, 10),
        (["woolly_mammoth"], 2),
        (["woolly_mammoth"] * 3, 5),
        (["argentavis"], 2),
        (["argentavis"] * 2, 5),
        (["glyptodon", "glyptodon", "argentavis", "woolly_mammoth"], 3 + 2 + 2),
    ],
)
def test_its_animals_score_by_how_many_of_a_type_there_are(held: list[str], points: int) -> None:
    """A wild one joins no other set, but is a set of its own."""
    table = solo().player(NOMAD, animals=held)
    assert animal_points(table.position, NOMAD) == points


@pytest.mark.rule("NMD-17")
def test_a_single_promo_scores_5() -> None:
    animals = list(TABLES.animals)
    kind = type(animals[0])
    animals[0] = kind("cave_lion", "Cave Lion", 1, [9], False, animals[0].tip)
    table = solo()
    table.position.tables = changed(TABLES, animals=animals)
    table.at(NOMAD).animals = bytes((0,))
    assert animal_points(table.position, NOMAD) == 5


@pytest.mark.rule("NMD-17")
def test_it_scores_offering_honor_and_the_points_of_buried_cards_but_no_sacrifices() -> None:
    worth = [n for n, card in enumerate(TABLES.cards) if card.era and card.points]
    names = [TABLES.cards[n].name for n in worth[:3]]
    table = solo(round_=4).player(
        NOMAD, food=4, tools=2, offering=4, honor=2, animals=["argentavis"]
    )
    table.player(NOMAD, buried=names[:2]).table(honor_queue=bytes((NOMAD,)))
    table.area(sacrifice=names[2:]).table(over=True, agenda=[], turn=6)
    result = table.game.result
    assert result is not None
    score = result.scores[NOMAD]
    assert score.offering == 6 // 2
    assert score.honor == TABLES.honor_charts[0][2]
    assert score.cards == sum(TABLES.cards[n].points for n in worth[:2])
    assert score.animals == 2
    assert score.total == score.offering + score.honor + score.cards + score.animals


def test_the_ways_of_the_map_cards_are_known_to_the_roaming() -> None:
    """Every Map card can follow every other: Camps of a ring stay in it."""
    for first in TABLES.map_cards:
        for second in TABLES.map_cards:
            table = solo().player(NOMAD, camps=[*first.inner, *first.outer])
            roaming._send(table.position, NOMAD, second.inner)
            roaming._send(table.position, NOMAD, second.outer)
            assert table.at(NOMAD).camps == bytes(sorted(second.inner + second.outer))


def test_the_cells_of_cards_are_done_in_the_order_written() -> None:
    table = solo(tables=with_cells(wolf_song="hunt: tool, food 2, idol")).nomad_turn(1, "wolf_song")
    assert table.steps()[2:] == [
        "nomad wolf_song: tools 1 food 0",
        "nomad wolf_song: food 2",
        "nomad wolf_song: honor",
    ]
