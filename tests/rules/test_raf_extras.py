"""Warriors instead of Pathfinders (RAF-15), Sea Cows (RAF-13), the Mammoth on the river.

Hex 0 is the Base, 1-6 lie around it, 7-18 around these; 7 touches 1, 8 and 18.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.rules import BadConfig, Config, Game, agenda
from endless_winter.rules.checks import complaint
from endless_winter.rules.modules.warriors import CAMP_RAIDED
from endless_winter.rules.nomad.scoring import set_points
from endless_winter.rules.rivers.agreed import RiversRules
from endless_winter.rules.rivers.area import raft_of
from endless_winter.rules.rivers.codes import FISH_DRAWN
from endless_winter.rules.rivers.parts import parts_in
from endless_winter.rules.scoring import animal_points, stone_count
from endless_winter.rules.tables import STN_TIPPED_OF
from endless_winter.rules.terrain import JUNCTURES, OUTSIDE
from endless_winter.rules.zones import replaced
from tests.rules.nomad_scene import NOMAD, PLAYER, solo
from tests.rules.plain_tables import changed
from tests.rules.river_scene import RiverScene, river
from tests.rules.scene import ANIMALS, CARDS, ELDER, STONES, TABLES, Scene, scene

if TYPE_CHECKING:
    from endless_winter.rules.state import Position
    from endless_winter.rules.tables import ModuleParts

SEA_COW = ANIMALS["sea_cow"]
WARRIORS = ("warriors",)
PATHFINDER_SETUPS = [
    number for number, card in enumerate(TABLES.setups) if card.tribe == CARDS["pathfinder"]
]


def band(players: int = 2) -> Scene:
    return scene(players, modules=WARRIORS)


def eclipse_of(table: Scene, *cards: str) -> Scene:
    """The Eclipse phase in which seat 0 has revealed these cards and is first in order."""
    table.player(0, pile=list(cards), camps=[7]).player(1, camps=[1])
    return table.eclipse()


def to_cards(table: Scene) -> Scene:
    """Leave what comes before the abilities of the pile."""
    while table.kind != "eclipse_cards":
        table.do(table.texts[-1])
    return table


# --- which cards are in play ---


@pytest.mark.rule("RAF-15")
def test_fifteen_warriors_take_the_place_of_the_pathfinders() -> None:
    table = band().player(0, tools=1).table(labor=2).do("place tribe initiate")
    assert table.can("initiate warrior")
    assert not table.can("initiate pathfinder")
    table.do("initiate warrior")
    assert table.names(0, "hand") == ["warrior"]
    names = [TABLES.cards[card].name for card in table.position.tribe_cards]
    assert names == ["hunter", "crafter", "shaman", "warrior", "elder"]


@pytest.mark.rule("RAF-15")
def test_every_benefit_that_takes_a_tribe_card_offers_warriors_alone() -> None:
    for word in ("tribe", "recruit"):
        offered = band().gain(0, word).offers(word)
        assert f"{word} warrior" in offered
        assert f"{word} pathfinder" not in offered
        assert len(offered) == 5


@pytest.mark.rule("RAF-15")
def test_each_player_finds_fifteen_warriors_and_no_pathfinder_in_a_whole_game() -> None:
    game = Game.new(Config(TABLES, 3, modules=WARRIORS), bytes(32))
    while game.decision is not None:
        game.apply(game.options()[-1])
    position = game.position
    held = b"".join(p.hand + p.deck + p.discard + p.buried for p in position.players)
    assert CARDS["pathfinder"] not in held
    deck = position.tribe_cards.index(CARDS["warrior"])
    assert position.tribes[deck] + held.count(CARDS["warrior"]) == 15


@pytest.mark.rule("RAF-15")
def test_without_the_module_there_are_no_warriors() -> None:
    table = scene(2).gain(0, "tribe")
    assert not table.can("tribe warrior")
    assert table.can("tribe pathfinder")


@pytest.mark.rule("RAF-15")
def test_a_setup_cards_pathfinder_is_a_warrior() -> None:
    assert PATHFINDER_SETUPS, "else nothing is shown"
    met = 0
    for seed in range(12):
        game = Game.new(Config(TABLES, 2, modules=WARRIORS), seed.to_bytes(32, "big"))
        while (decision := game.decision) is not None and decision.kind == agenda.CHOOSE_CHIEF:
            game.apply(decision.default)
        position = game.position
        deck = position.tribe_cards.index(CARDS["warrior"])
        with_them = [p for p in position.players if p.setup in PATHFINDER_SETUPS]
        assert position.tribes[deck] == 15 - len(with_them)
        for player in with_them:
            assert CARDS["warrior"] in player.hand
            met += 1
        assert all(CARDS["pathfinder"] not in player.hand for player in position.players)
    assert met


@pytest.mark.rule("RAF-15")
def test_an_empty_deck_of_warriors_gives_a_point() -> None:
    table = band().tribe_deck("warrior", 0).gain(0, "tribe").do("tribe warrior")
    assert table.score(0) == 1
    assert table.names(0, "hand") == []


@pytest.mark.rule("RAF-15")
def test_a_warrior_initiated_is_one_type_among_the_others() -> None:
    table = band().player(0, tools=3).table(labor=6).do("place tribe initiate", "initiate warrior")
    assert not table.can("initiate warrior")
    assert table.can("initiate elder")
    assert not table.can("play warrior")  # LAB-06


def parts_without(name: str) -> dict[str, ModuleParts]:
    return {module: parts for module, parts in TABLES.module_parts.items() if module != name}


def test_a_pack_without_warriors_is_refused() -> None:
    tables = changed(TABLES, module_parts=parts_without("warriors"))
    with pytest.raises(BadConfig, match="the content pack has no Warriors"):
        Game.new(Config(tables, modules=WARRIORS), bytes(32))


# --- what they do in a turn ---


@pytest.mark.rule("RAF-15")
def test_in_migrate_a_warrior_gives_a_tool() -> None:
    table = band().player(0, hand=["warrior"]).do("place tribe migrate", "play warrior")
    assert table.position.labor == 3
    table.do("use warrior 0")
    assert table.kind == "gain"
    table.do("tools 1 food 0")
    assert table.at(0).tools == 1
    assert not table.can("use warrior 0")


@pytest.mark.rule("RAF-15")
@pytest.mark.parametrize("column", ["initiate", "develop", "hunt"])
def test_in_another_column_it_gives_labor_alone(column: str) -> None:
    table = band().player(0, hand=["warrior"]).do(f"place tribe {column}", "play warrior")
    assert table.offers("use") == []
    assert table.position.labor == 3


# --- the Eclipse ability ---


@pytest.mark.rule("RAF-15")
def test_in_the_eclipse_it_moves_an_own_camp_and_an_opponents_camp() -> None:
    table = to_cards(eclipse_of(band(), "warrior"))
    table.do("card warrior: move 7>8")
    assert table.kind == "gain"
    table.do("raid 1 1>2")
    assert list(table.at(0).camps) == [8]
    assert list(table.at(1).camps) == [2]
    assert table.offers("move") == table.offers("raid") == []


@pytest.mark.rule("RAF-15")
def test_the_two_moves_come_in_either_order() -> None:
    table = to_cards(eclipse_of(band(), "warrior")).do("card warrior: raid 1 1>0", "move 7>1")
    assert list(table.at(0).camps) == [1]
    assert list(table.at(1).camps) == [0]


@pytest.mark.rule("RAF-15")
@pytest.mark.parametrize("first", ["move 7>8", "raid 1 1>2"])
def test_either_move_may_be_left(first: str) -> None:
    table = to_cards(eclipse_of(band(), "warrior")).do(f"card warrior: {first}", "leave")
    moved = (list(table.at(0).camps), list(table.at(1).camps))
    assert moved == (([8], [1]) if first.startswith("move") else ([7], [2]))


@pytest.mark.rule("RAF-15")
def test_both_moves_may_be_left() -> None:
    table = to_cards(eclipse_of(band(), "warrior")).do("leave")
    assert (list(table.at(0).camps), list(table.at(1).camps)) == ([7], [1])


@pytest.mark.rule("RAF-15")
def test_any_opponents_camp_goes_to_any_hex_beside_it_the_base_included() -> None:
    table = band(3).player(0, camps=[7]).player(1, camps=[1, 1]).player(2, camps=[11])
    offered = table.gain(0, "raid").offers("raid")
    assert offered == [
        *(f"raid 1 1>{end}" for end in (0, 2, 6, 7, 8, 18)),
        *(f"raid 2 11>{end}" for end in (3, 10, 12)),
    ]


@pytest.mark.rule("RAF-15")
def test_a_camp_is_moved_off_the_base_too() -> None:
    table = band().player(1, camps=[0]).gain(0, "raid").do("raid 1 0>4")
    assert list(table.at(1).camps) == [4]


@pytest.mark.rule("RAF-15")
def test_it_moves_one_camp_of_one_opponent_once() -> None:
    table = band(3).player(1, camps=[1, 1]).player(2, camps=[11]).gain(0, "raid").do("raid 1 1>7")
    assert (list(table.at(1).camps), list(table.at(2).camps)) == ([1, 7], [11])
    assert table.kind == "turn"


@pytest.mark.rule("RAF-15")
def test_with_no_opponents_camp_on_the_map_the_own_one_moves_alone() -> None:
    table = to_cards(eclipse_of(band(), "warrior").player(1, camps=[]))
    assert all(not text.startswith("card warrior: raid") for text in table.texts)
    table.do("card warrior: move 7>8")
    assert table.kind != "gain"


@pytest.mark.rule("RAF-15")
def test_with_no_own_camp_on_the_map_the_opponents_moves_alone() -> None:
    table = to_cards(eclipse_of(band(), "warrior").player(0, camps=[]))
    assert table.can("card warrior: raid 1 1>7")
    assert not any("move" in text for text in table.texts)


@pytest.mark.rule("RAF-15")
def test_two_warriors_move_two_camps_of_opponents() -> None:
    table = to_cards(eclipse_of(band(), "warrior", "warrior"))
    table.do("card warrior: raid 1 1>2", "leave", "card warrior: raid 1 2>3", "leave")
    assert list(table.at(1).camps) == [3]


@pytest.mark.rule("RAF-15")
def test_the_event_says_whose_camp_was_moved_by_whom() -> None:
    table = band(3).player(2, camps=[11]).gain(1, "raid").listen().do("raid 2 11>3")
    found = [event for event in table.events if event[0] == CAMP_RAIDED]
    assert found == [(CAMP_RAIDED, 1, 11, 2 << 8 | 3, b"", ELDER)]


@pytest.mark.rule("RAF-15")
def test_a_camp_that_is_moved_onto_a_glacier_flips_its_token() -> None:
    table = scene(2, modules=("glacier_tokens", "warriors")).all_terrain("canyon")
    table.terrain(h2="glacier").player(1, camps=[1])
    table.table(module_state=[b"\0\0\x01" + bytes(16), b""]).gain(0, "raid").do("raid 1 1>2")
    assert table.position.module_state[0][2] == 128 | 1


# --- solo ---


@pytest.mark.rule("RAF-15", "SRF-02")
def test_the_nomads_camps_cannot_be_moved() -> None:
    table = solo(modules=WARRIORS).player(PLAYER, camps=[7], hand=["brave"])
    table.gain(PLAYER, "march, raid")
    assert table.offers("raid") == []
    table.do("move 7>8")
    assert table.kind != "gain"
    assert list(table.at(NOMAD).camps) == [1, 2, 7, 8, 9]


@pytest.mark.rule("RAF-15")
def test_in_solo_games_the_player_finds_warriors_too() -> None:
    table = solo(modules=WARRIORS).gain(PLAYER, "recruit")
    assert table.can("recruit warrior")


# --- with Rivers & Rafts ---

RIVERS_AT = 0  # it stands first among the modules


def on_the_river(*modules: str, players: int = 2) -> Scene:
    """A bare table with Rivers & Rafts, everybody's Starting Base attached."""
    config = Config(TABLES, players, modules=(*modules, RiversRules()))
    game = Game.new(config, bytes(range(32)))
    while (decision := game.decision) is not None and decision.kind_name != "turn":
        game.apply(decision.default)
    position = game.position
    position.order = bytes(range(players))
    for player in position.players:
        player.food = player.tools = 0
        player.hand = player.deck = player.animals = b""
        player.camps = bytes((OUTSIDE,))
    return Scene(position).turn(0)


@pytest.mark.rule("RAF-15")
def test_a_warrior_moves_the_own_raft_in_place_of_the_own_camp() -> None:
    table = on_the_river("warriors").gain(0, "march, raid")
    assert table.can("raft 0>1", "raft 0>6")
    table.do("raft 0>3")
    assert raft_of(table.position, RIVERS_AT, 0) == 3
    assert table.offers("raft") == table.offers("move") == []


@pytest.mark.rule("RAF-15")
def test_a_warrior_moves_no_camp_off_the_own_starting_base() -> None:
    """It is no hex; a Camp move of another source does lead off it."""
    table = river(modules=("warriors",)).player(0, camps=[OUTSIDE, 11])
    assert any(text.startswith(f"move {OUTSIDE}>") for text in table.gain(0, "move").texts)
    table.gain(0, "march")
    assert {text.split(">")[0] for text in table.offers("move")} == {"move 11"}
    table.do("move 11>3")
    assert list(table.at(0).camps) == [3, OUTSIDE]
    assert table.kind != "gain"


@pytest.mark.rule("RAF-15")
def test_with_the_camps_on_the_starting_base_the_raft_alone_can_go() -> None:
    table = river(modules=("warriors",)).player(0, camps=[OUTSIDE]).gain(0, "march")
    assert table.offers("move") == []
    assert table.can("raft 0>1", "leave")


@pytest.mark.rule("RAF-15")
def test_without_a_camp_on_a_hex_and_without_a_raft_there_is_no_march() -> None:
    assert band().player(0, camps=[]).gain(0, "march").kind != "gain"


@pytest.mark.rule("RAF-15")
def test_an_opponents_raft_is_safe() -> None:
    table = on_the_river("warriors").gain(1, "move").do("raft 0>3")
    table.player(1, camps=[11]).gain(0, "raid")
    assert table.offers("raid") == [f"raid 1 11>{end}" for end in (3, 10, 12)]


@pytest.mark.rule("RAF-15")
def test_no_camp_is_raided_off_a_starting_base_nor_onto_one() -> None:
    table = on_the_river("warriors").gain(0, "raid")
    assert table.kind == "turn"  # the opponent's one Camp is on its Starting Base
    table.player(1, camps=[9, OUTSIDE]).gain(0, "raid")
    assert table.offers("raid") == [f"raid 1 9>{end}" for end in (2, 8, 10)]


@pytest.mark.rule("MAM-02")
def test_on_a_river_hex_the_mammoth_brings_a_second_fish() -> None:
    table = on_the_river("mammoth")
    table.position.module_state[1] = bytes((12,))  # where 2, 9 and 10 meet
    table.player(0, camps=[9], figures=["rest", "", ""]).player(1, camps=[])
    table.eclipse().listen()
    while table.kind != "eclipse_terrain":
        table.do(table.texts[-1])
    table.do("hex 9: fish 1")
    while table.seat == 0 and not table.can("fish 1"):
        table.do(table.texts[0])
    table.do("fish 1")
    assert len([event for event in table.events if event[0] == FISH_DRAWN]) == 2


@pytest.mark.rule("MAM-02")
def test_on_a_landmark_hex_the_mammoth_brings_its_points_twice() -> None:
    table = on_the_river("mammoth")
    terrain = table.position.terrain
    river = parts_in(TABLES)
    assert river is not None
    hex_ = next(at for at in range(1, 19) if terrain[at] > river.bare)
    juncture = next(n for n, hexes in enumerate(JUNCTURES) if hex_ in hexes)
    # A Monolith: 1 point per Camp on its hex.
    monolith = river.bare + 1 + [landmark.name for landmark in river.landmarks].index("monolith")
    table.position.terrain = replaced(terrain, hex_, monolith)
    for at, points in ((255, 2), (juncture, 4)):
        copy = Scene(table.position.copy())
        copy.position.module_state[1] = bytes((at,))
        copy.player(0, camps=[hex_, hex_], figures=["rest", "", ""]).player(1, camps=[]).eclipse()
        before = copy.score(0)
        while copy.seat == 0 and copy.kind != "turn":
            copy.do(copy.texts[-1])
        assert copy.score(0) - before - 1 == points  # 1 for the Raft (RAF-10)


@pytest.mark.rule("MAM-01")
def test_the_raft_is_enough_to_have_camp_moves() -> None:
    table = on_the_river("mammoth").player(0, camps=[]).gain(0, "move 2").do("mammoth 0")
    assert table.position.module_state[1] == b"\0"


# --- Sea Cows ---


@pytest.mark.rule("RAF-13")
def test_sea_cows_come_only_with_rivers_and_rafts() -> None:
    with pytest.raises(BadConfig, match="Sea Cows are played only with Rivers & Rafts"):
        Game.new(Config(TABLES, modules=("sea_cows",)), bytes(32))


def test_a_pack_without_sea_cows_is_refused() -> None:
    tables = changed(TABLES, animals=TABLES.animals[:-1], module_parts=parts_without("sea_cows"))
    config = Config(tables, modules=("sea_cows", RiversRules()))
    with pytest.raises(BadConfig, match="the content pack has no Sea Cows"):
        Game.new(config, bytes(32))


def dealt_animals(seed: int, *modules: str) -> Position:
    config = Config(TABLES, 4, modules=(*modules, RiversRules()))
    game = Game.new(config, seed.to_bytes(32, "big"))
    while (decision := game.decision) is not None and decision.kind_name != "turn":
        game.apply(decision.default)
    return game.position


@pytest.mark.rule("RAF-13")
def test_five_of_them_are_shuffled_in_before_the_grounds_are_dealt() -> None:
    in_grounds = 0
    on_top = 0
    for seed in range(30):
        position = dealt_animals(seed, "sea_cows")
        assert complaint(position) == ""
        everywhere = position.animals + position.grounds
        everywhere += b"".join(player.animals for player in position.players)
        assert everywhere.count(SEA_COW) == 5
        assert len(everywhere) - everywhere.count(255) == 65
        in_grounds += SEA_COW in position.grounds
        on_top += SEA_COW in position.animals[:12]
    assert in_grounds
    assert on_top


@pytest.mark.rule("RAF-13")
def test_without_the_module_there_are_none() -> None:
    position = dealt_animals(1)
    assert SEA_COW not in position.animals + position.grounds


@pytest.mark.rule("RAF-13")
def test_tipping_one_gives_two_fish() -> None:
    table = on_the_river("sea_cows").player(0, animals=["sea_cow"]).gain(0, "tip").listen()
    table.do("tip sea_cow")
    assert table.names(0, "tipped") == ["sea_cow"]
    assert table.texts == ["fish 2", "leave"]
    table.do("fish 2")
    assert len([event for event in table.events if event[0] == FISH_DRAWN]) == 2


def sea_cow(*fish: str, discarded: tuple[str, ...] = ()) -> RiverScene:
    """Seat 0 has tipped a Sea Cow; these Fish are next in the pool."""
    table = river(modules=("sea_cows",)).player(0, animals=["sea_cow"])
    return table.fish(*fish, discarded=discarded).gain(0, "tip").listen().do("tip sea_cow")


@pytest.mark.rule("RAF-13")
def test_both_fish_are_drawn_before_the_first_is_gained() -> None:
    """The special Fish sends the discards back, not the Fish that lies beside it."""
    table = sea_cow("great_sturgeon", "salmon", discarded=("pike",)).do("fish 2")
    assert table.drawn() == ["great_sturgeon", "salmon"]
    assert table.discarded() == ["salmon"]
    assert table.score(0) == 2
    again = sea_cow("salmon", "great_sturgeon", discarded=("pike",)).do("fish 2")
    assert (len(again.pool()), again.discarded()) == (15, [])


@pytest.mark.rule("RAF-13")
def test_what_both_fish_bring_comes_in_the_order_that_the_player_likes() -> None:
    table = sea_cow("pike", "pike").do("fish 2")
    assert table.can("tools 2 food 0", "tools 1 food 1")


@pytest.mark.rule("RAF-13")
def test_when_the_pool_ends_the_second_fish_comes_from_the_discards() -> None:
    """The first one is not among them yet."""
    everything = river().pool()
    for name in ("pike", "great_sturgeon"):
        everything.remove(name)
    # The pool: the special Fish, which goes back at once, then one Fish alone.
    table = sea_cow("pike", discarded=("great_sturgeon", *everything)).do("fish 2")
    first, second = table.drawn()
    assert first == "pike"
    assert second == "great_sturgeon" or sorted(table.discarded()) == sorted((first, second))
    assert len(table.pool() + table.discarded()) == 15


@pytest.mark.rule("RAF-13")
@pytest.mark.parametrize(
    ("held", "points"),
    [
        (["sea_cow"], 2),
        (["sea_cow"] * 2, 5),
        (["sea_cow"] * 5, 5),
        (["sea_cow", "argentavis"], 5),
        (["sea_cow", "woolly_mammoth"], 4),
    ],
)
def test_one_is_worth_2_points_and_more_are_worth_5(held: list[str], points: int) -> None:
    table = on_the_river("sea_cows").player(0, animals=held)
    assert animal_points(table.position, table.at(0)) == points


@pytest.mark.rule("RAF-13")
def test_a_tipped_one_is_out_of_its_set_and_counts_as_a_tipped_type() -> None:
    table = on_the_river("sea_cows").player(0, tipped=["sea_cow", "sea_cow", "woolly_rhino"])
    assert animal_points(table.position, table.at(0)) == 0
    stone = TABLES.stones[STONES["menagerie_stone"]]
    assert stone_count(table.position, table.at(0), stone) == 2


@pytest.mark.rule("RAF-13")
def test_no_sacred_stone_shows_it() -> None:
    table = on_the_river("sea_cows").player(0, tipped=["sea_cow"])
    shown = [stone for stone in TABLES.stones if stone.kind == STN_TIPPED_OF]
    assert shown
    assert all(stone_count(table.position, table.at(0), stone) == 0 for stone in shown)


@pytest.mark.rule("RAF-13", "NMD-17")
def test_the_nomads_are_a_set_of_their_own_too() -> None:
    assert set_points(on_the_river("sea_cows").position, SEA_COW) == [2, 5]
