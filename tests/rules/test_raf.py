"""Rivers & Rafts, rule by rule; river_scene.py has the board that the scenes are played on.

Junctures: 8 is where hexes 1, 7 and 8 meet; see `at` for any other.
"""

from __future__ import annotations

import itertools
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING

import pytest

from endless_winter.rules import BadConfig, Config, Game, agenda, events
from endless_winter.rules.board import influences
from endless_winter.rules.config import NomadRules
from endless_winter.rules.rivers import area, codes
from endless_winter.rules.rivers.agreed import RiversRules
from endless_winter.rules.rivers.bases import TOUCHED
from endless_winter.rules.scoring import stone_points
from endless_winter.rules.sources import source
from endless_winter.rules.tables import STN_VILLAGES_TOUCHING
from endless_winter.rules.terrain import ADJACENT, COORDINATES, HEXES
from tests.rules.river_scene import (
    DELTA,
    FISH,
    HEADWATERS,
    INDEX,
    PARTS,
    RIVER,
    START,
    RiverScene,
    landmark_hexes,
    river,
)
from tests.rules.scene import STONES, TABLES, TERRAINS, scene
from tests.rules.scene import juncture as at

if TYPE_CHECKING:
    from endless_winter.rules.state import Position

LANDMARKS = [landmark.name for landmark in PARTS.landmarks]
GLACIER = TERRAINS["glacier"]
SEEDS = range(40)


def begun(rules: RiversRules, seed: int, players: int = 2) -> Game:
    """A game before its first choice."""
    config = Config(TABLES, players=players, modules=(rules,))
    return Game.new(config, seed.to_bytes(32, "big"), True)


@cache
def laid_out(landmarks: int, seed: int, players: int = 2) -> Position:
    return begun(RiversRules(landmarks), seed, players).position


def boards(landmarks: int) -> list[Position]:
    return [laid_out(landmarks, seed) for seed in SEEDS]


def set_up(players: int = 2, seed: int = 1, landmarks: int = 3) -> Game:
    """A game whose players are about to attach their Starting Bases."""
    game = begun(RiversRules(landmarks), seed, players)
    while game.decision is not None and game.decision.kind == agenda.CHOOSE_CHIEF:
        game.apply(game.decision.default)
    return game


def texts(game: Game) -> list[str]:
    return [game.text(code) for code in game.options()]


def tiles(position: Position) -> list[tuple[int, int, bytes]]:
    """Tile, side and hexes, from the Headwaters to the Delta."""
    state = position.module_state[0]
    found = []
    for number in range(3):
        one = state[area.TILES_AT + 4 * number : area.TILES_AT + 4 * number + 4]
        found.append((one[0] >> 1, one[0] & 1, one[1:]))
    return found


# --- the board ---


@pytest.mark.rule("RAF-01")
def test_the_river_runs_through_the_centre_from_end_to_end_and_there_is_no_base() -> None:
    for position in boards(3):
        hexes = area.river_of(position, 0)
        assert len(hexes) == 5
        assert hexes[2] == 0
        for one, other in itertools.pairwise(hexes):
            assert other in ADJACENT[one]
        assert {hexes[0], hexes[4]} == {9, 15}
        for hex_ in range(HEXES):
            assert (position.terrain[hex_] == PARTS.river) == (hex_ in hexes)
        assert TERRAINS["base"] not in position.terrain


@pytest.mark.rule("RAF-01")
def test_three_tiles_of_three_hexes_the_central_one_with_one_river_hex() -> None:
    for position in boards(2):
        hexes = area.river_of(position, 0)
        placed = tiles(position)
        assert (placed[0][2][0], placed[2][2][0]) == (hexes[0], hexes[4])
        assert [tile == 0 for tile, _, _ in placed] == [False, True, False]
        assert sorted(tile for tile, _, _ in placed) == [0, 1, 2]
        assert [sum(hex_ in hexes for hex_ in three) for _, _, three in placed] == [2, 1, 2]
        for tile, side, three in placed:
            assert all(b in ADJACENT[a] for a in three for b in three if a != b)
            shown = [PARTS.tiles[tile].sides[side][number] for number in range(3)]
            for number, hex_ in enumerate(three):
                terrain = position.terrain[hex_]
                assert terrain == shown[number] or shown[number] == PARTS.bare < terrain
        covered = b"".join(three for _, _, three in placed)
        assert len(set(covered)) == 9


@pytest.mark.rule("RAF-01")
def test_chance_lays_the_tiles_both_ways_round() -> None:
    """The Headwaters at either end, either outer tile, all sides, hexes north and south."""
    placed = [tiles(position) for position in boards(3)]
    assert {area.river_of(position, 0)[0] for position in boards(3)} == {9, 15}
    assert {one[1][1] for one in placed} == {0, 1}
    assert {one[0][0] for one in placed} == {1, 2}
    assert {frozenset(one[1][2][1:]) for one in placed} == {frozenset((6, 1)), frozenset((4, 3))}
    assert {one[number][2][2] for one in placed for number in (0, 2)} == {8, 10, 14, 16}


@pytest.mark.rule("RAF-02")
@pytest.mark.parametrize("landmarks", [1, 2, 3])
def test_outer_tiles_show_their_landmark_or_their_glacier(landmarks: int) -> None:
    for position in boards(landmarks):
        shown = sorted((tile, side) for tile, side, _ in tiles(position) if tile)
        assert shown == [(1, int(landmarks < 2)), (2, int(landmarks < 3))]
        for tile, side, three in tiles(position):
            if tile:
                assert (position.terrain[three[2]] == GLACIER) == (side == 1)
        assert len(landmark_hexes(position)) == landmarks


@pytest.mark.rule("RAF-02")
@pytest.mark.parametrize("landmarks", [0, 4])
def test_one_to_three_landmarks(landmarks: int) -> None:
    with pytest.raises(BadConfig, match=f"1 to 3 Landmarks, not {landmarks}"):
        RiversRules(landmarks)
    assert RiversRules().landmarks == 3


@pytest.mark.rule("RAF-03")
@pytest.mark.parametrize("landmarks", [1, 2, 3])
def test_ten_land_tiles_one_of_each_type_and_a_glacier_less_than_landmarks(landmarks: int) -> None:
    for position in boards(landmarks):
        on_tiles = b"".join(three for _, _, three in tiles(position))
        land = Counter(position.terrain[hex_] for hex_ in range(HEXES) if hex_ not in on_tiles)
        assert land.total() == 10
        assert land[GLACIER] == landmarks - 1
        for kind in range(2, 8):
            assert 1 <= land[kind] <= 2  # of 3 tiles one is out of the game
        assert land.keys() <= set(range(1, 8))
        assert position.terrain.count(GLACIER) == 2


@pytest.mark.rule("RAF-03")
def test_the_land_is_random() -> None:
    found = boards(3)
    assert len({position.terrain for position in found}) == len(found)
    outside = {position.terrain[7] for position in found}
    assert outside == set(range(1, 8))
    doubled = [
        {kind for kind in range(2, 8) if position.terrain.count(kind) > 1} for position in found
    ]
    assert set().union(*doubled) == set(range(2, 8))


@pytest.mark.rule("RAF-04")
def test_random_landmarks_are_different_and_any_of_the_five() -> None:
    seen: set[int] = set()
    for position in boards(2):
        standing = [position.terrain[hex_] for hex_ in landmark_hexes(position)]
        assert len(set(standing)) == 2
        seen.update(standing)
    assert seen == {TERRAINS[name] for name in LANDMARKS}


@pytest.mark.rule("RAF-04")
def test_named_landmarks_stand_from_the_headwaters_to_the_delta() -> None:
    named = ("tree", "arch", "volcano")
    for seed in SEEDS:
        position = begun(RiversRules(3, named), seed).position
        third = [three[1] if tile == 0 else three[2] for tile, _, three in tiles(position)]
        assert [position.terrain[hex_] for hex_ in third] == [TERRAINS[name] for name in named]


@pytest.mark.rule("RAF-04")
def test_landmarks_can_be_chosen_in_turn_order_before_anything_else() -> None:
    game = begun(RiversRules(3, decided=True), 3, 2)
    order = game.position.order
    bare = [three[1] if tile == 0 else three[2] for tile, _, three in tiles(game.position)]
    chosen = ["monolith", "volcano", "tree"]
    left = list(LANDMARKS)
    for number, name in enumerate(chosen):
        assert game.decision is not None
        assert game.decision.seat == order[number % 2]
        assert game.position.terrain[bare[number]] == PARTS.bare
        assert texts(game) == [f"raise {bare[number]} {one}" for one in left]
        game.apply(game.parse(f"raise {bare[number]} {name}"))
        left.remove(name)
    assert [game.position.terrain[hex_] for hex_ in bare] == [TERRAINS[name] for name in chosen]
    assert game.decision is not None
    assert game.decision.kind == agenda.CHOOSE_CHIEF


@pytest.mark.rule("RAF-04", "VAR-01")
@pytest.mark.parametrize("chiefs", [False, True])
def test_every_landmark_stands_before_a_draft_begins(chiefs: bool) -> None:
    """Agreed on or drawn before the first choice of all, decided before the first of the draft."""

    def drafted(rules: RiversRules, seed: int) -> Game:
        config = Config(TABLES, 4, True, chiefs, modules=(rules,))
        return Game.new(config, seed.to_bytes(32, "big"))

    named = ("tree", "arch", "volcano")
    for seed in SEEDS:
        for rules in (RiversRules(3), RiversRules(3, named)):
            game = drafted(rules, seed)
            assert PARTS.bare not in game.position.terrain
            assert game.decision is not None
            assert game.decision.kind == agenda.CHOOSE_CHIEF
        game = drafted(RiversRules(3, decided=True), seed)
        for seat in game.position.order[:3]:
            assert game.decision is not None
            assert (game.decision.kind, game.decision.seat) == (agenda.MODULE, seat)
            game.apply(game.decision.default)
        assert PARTS.bare not in game.position.terrain
        assert game.decision is not None
        assert game.decision.kind == agenda.CHOOSE_CHIEF


@pytest.mark.rule("RAF-04")
def test_wrong_landmarks_are_refused() -> None:
    with pytest.raises(BadConfig, match='no Landmark "geyser"; the pack has volcano, butte'):
        begun(RiversRules(1, ("geyser",)), 0)
    for names in (("arch",), ("arch", "arch")):
        with pytest.raises(BadConfig, match="2 different Landmarks expected"):
            RiversRules(2, names)
    with pytest.raises(BadConfig, match="named or decided"):
        RiversRules(1, ("arch",), decided=True)


# --- Sacred Stones ---


@pytest.mark.rule("RAF-05")
@pytest.mark.parametrize(("players", "era_i"), [(2, 4), (3, 6), (4, 7)])
@pytest.mark.parametrize("landmarks", [1, 3])
def test_the_expansions_stone_is_in_play_and_the_number_unchanged(
    players: int, era_i: int, landmarks: int
) -> None:
    for seed in SEEDS:
        stones = laid_out(landmarks, seed, players).stones
        assert PARTS.stone in stones[0]
        assert len(stones[0]) == len(stones[1]) == era_i


@pytest.mark.rule("RAF-05")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_village_stones_show_terrain_that_is_there_twice(players: int) -> None:
    replaced = 0
    for seed in SEEDS:
        position = laid_out(3, seed, players)
        plain = Game.new(Config(TABLES, players=players), seed.to_bytes(32, "big")).position
        for stone in position.stones[0]:
            printed = TABLES.stones[stone]
            if printed.kind == STN_VILLAGES_TOUCHING:
                assert position.terrain.count(printed.param) >= 2
        # Those of the base game's set-up that fit are still there, but for the one that gave way.
        fitting = [
            stone
            for stone in plain.stones[0]
            if TABLES.stones[stone].kind != STN_VILLAGES_TOUCHING
            or position.terrain.count(TABLES.stones[stone].param) >= 2
        ]
        same = [stone for stone in fitting if stone in position.stones[0]]
        assert len(same) >= len(fitting) - 1
        replaced += len(position.stones[0]) - 1 - len(same)
    assert replaced


@pytest.mark.rule("RAF-05")
def test_without_the_expansion_its_stone_stays_in_the_box() -> None:
    for seed in SEEDS:
        position = Game.new(Config(TABLES, players=4), seed.to_bytes(32, "big")).position
        assert PARTS.stone not in position.stones[0] + position.stones[1]


@pytest.mark.rule("RAF-14")
def test_the_stone_scores_two_for_each_village_beside_a_landmark() -> None:
    stone = TABLES.stones[STONES["landmark_stone"]]
    table = river("volcano", "tree")  # on hexes 6 and 16
    for villages, points in (
        ((), 0),
        ((at(1, 7, 8),), 0),
        ((at(0, 1, 6),), 2),
        ((at(6, 16, 17),), 2),  # two Landmarks, one Village
        ((at(0, 1, 6), at(15, 16, 5)), 4),
    ):
        table.player(0, villages=villages)
        assert stone_points(table.position, table.at(0), stone) == points
    assert stone.era == 1


@pytest.mark.rule("RAF-14")
def test_a_bare_landmark_hex_of_a_glacier_side_does_not_count() -> None:
    stone = TABLES.stones[STONES["landmark_stone"]]
    table = river("volcano").player(0, villages=[at(1, 7, 8), at(15, 16, 5)])
    assert stone_points(table.position, table.at(0), stone) == 0


# --- Starting Bases ---


@pytest.mark.rule("RAF-06")
def test_bases_are_attached_in_reverse_order_as_the_last_step_of_set_up() -> None:
    game = set_up(4, 5)
    order = list(game.position.order)
    for seat in order[::-1]:
        assert game.decision is not None
        assert (game.decision.seat, game.decision.kind) == (seat, agenda.MODULE)
        assert all(text.startswith("attach ") for text in texts(game))
        assert len(game.position.players[seat].hand) == 5
        game.apply(game.options()[0])
    assert game.decision is not None
    assert (game.decision.seat, game.decision.kind) == (order[0], agenda.TURN)


@pytest.mark.rule("RAF-06")
def test_a_base_touches_exactly_two_adjacent_outer_hexes() -> None:
    """The rulebook's picture: not where it would be next to one hex only, beyond a corner."""
    outer = range(7, 19)
    pairs = [tuple(int(word) for word in text.split(" ")[1:]) for text in texts(set_up())]
    assert len(pairs) == 12
    for first, second in pairs:
        assert first < second
        assert second in ADJACENT[first]
        assert first in outer
        assert second in outer
    # A cell outside the board touches the board hexes one step away: two, or one at a corner.
    beyond = Counter(
        (q + dq, r + dr)
        for q, r in COORDINATES
        for dq, dr in ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
        if (q + dq, r + dr) not in COORDINATES
    )
    assert Counter(beyond.values()) == {2: 12, 1: 6}


@pytest.mark.rule("RAF-06")
def test_no_base_next_to_another() -> None:
    """The rulebook's picture: two on one side of the board would touch; across a corner not."""
    game = set_up()
    game.apply(game.parse("attach 8 9"))
    left = texts(game)
    assert "attach 8 9" not in left
    assert "attach 7 8" not in left
    assert "attach 9 10" in left
    assert len(left) == 10


@pytest.mark.rule("RAF-06")
def test_headwaters_and_delta_take_no_place_of_a_base() -> None:
    """They lie beyond corners 9 and 15, where no Base can be."""
    assert {"attach 8 9", "attach 9 10", "attach 14 15", "attach 15 16"} <= set(texts(set_up()))


@pytest.mark.rule("RAF-06")
def test_rafts_start_on_the_headwaters_and_camps_on_the_base() -> None:
    for seed in range(12):
        game = set_up(3, seed)
        while game.decision is not None and game.decision.kind == agenda.MODULE:
            game.apply(game.options()[-1])
        position = game.position
        for player in position.players:
            assert area.raft_of(position, 0, player.seat) == HEADWATERS
            second = TABLES.setups[player.setup].camp
            assert list(player.camps) == [START] * (2 if second else 1)
            assert area.base_of(position, 0, player.seat) < 12
    assert any(card.camp for card in TABLES.setups)


# --- Camps ---


@pytest.mark.rule("RAF-07")
def test_a_new_camp_goes_to_the_own_base() -> None:
    table = river().player(0, tools=1).do("place tribe migrate", "pitch")
    assert list(table.at(0).camps) == [START, START]
    table = river().gain(0, "camp").do("camp")
    assert list(table.at(0).camps) == [START, START]


@pytest.mark.rule("RAF-07")
def test_a_new_camp_goes_to_the_hex_of_the_own_raft_instead() -> None:
    table = river().rafts(4, 3).player(0, tools=1).do("place tribe migrate", "pitch-at-raft")
    assert list(table.at(0).camps) == [2, START]
    assert table.at(0).tools == 0
    table = river().rafts(1, 3).player(0, tools=1).gain(0, "camp").do("camp-at-raft")
    assert list(table.at(0).camps) == [15, START]
    assert table.at(0).tools == 1


@pytest.mark.rule("RAF-07")
@pytest.mark.parametrize("place", [HEADWATERS, DELTA])
def test_no_camp_on_headwaters_or_delta(place: int) -> None:
    table = river().rafts(place, 3).player(0, tools=1).gain(0, "camp")
    assert table.texts == ["camp", "leave"]
    table.turn(0).do("place tribe migrate")
    assert table.offers("pitch") == ["pitch"]
    assert not table.offers("pitch-at-raft")


@pytest.mark.rule("RAF-07")
def test_the_raft_offers_no_sixth_camp_and_none_without_a_tool() -> None:
    table = river().rafts(3).player(0, tools=1, camps=[0, 0, 5, 5, 2]).do("place tribe migrate")
    assert not table.offers("pitch-at-raft")
    table = river().rafts(3).do("place tribe migrate")
    assert not table.offers("pitch-at-raft")


@pytest.mark.rule("RAF-07")
def test_the_free_camp_of_the_bottom_may_go_to_the_raft_and_comes_before_the_move() -> None:
    table = river().rafts(3).do("place tribe migrate", "bottom")
    assert table.texts == ["camp", "camp-at-raft"]
    table.do("camp-at-raft")
    assert list(table.at(0).camps) == [0, START]
    assert table.can("move 0>1", "raft 3>4", "leave")
    table = river().do("place tribe migrate", "bottom")
    assert list(table.at(0).camps) == [START, START]  # nothing to ask with the Raft at home


@pytest.mark.rule("RAF-07")
def test_camps_leave_their_base_for_the_two_hexes_it_touches_and_never_return() -> None:
    table = river(bases=(0, 4)).player(0, camps=[START, 7])  # the Base touches hexes 7 and 8
    table.gain(0, "move")
    steps = [text for text in table.texts if text.startswith("move")]
    assert steps == [*(f"move 7>{end}" for end in ADJACENT[7]), "move 19>7", "move 19>8"]
    table.do("move 19>8")
    assert list(table.at(0).camps) == [7, 8]
    table = river(bases=(0, 4)).player(0, camps=[START]).table(labor=2).do("place tribe migrate")
    assert table.offers("travel") == ["travel 19>7", "travel 19>8"]
    table.do("travel 19>7")
    assert list(table.at(0).camps) == [7]
    assert table.position.labor == 0
    assert not table.offers("travel")


# --- Rafts ---


@pytest.mark.rule("RAF-08")
@pytest.mark.parametrize(
    ("place", "ends"),
    [
        (HEADWATERS, [1, 2, 3, 4, 5, DELTA]),
        (3, [2, 4, 5, DELTA]),
        (DELTA, [5]),
    ],
)
def test_downriver_any_distance_upriver_one_hex(place: int, ends: list[int]) -> None:
    others = river(players=3).rafts(place, 4, 5).player(1, camps=[2, 9], villages=[at(0, 2, 3)])
    others.gain(0, "move")
    assert others.offers("raft") == [f"raft {place}>{end}" for end in ends]
    others.do(f"raft {place}>{ends[-1]}")
    assert others.raft(0) == ends[-1]


@pytest.mark.rule("RAF-08")
def test_the_raft_moves_for_one_labor_in_migrate() -> None:
    table = river().table(labor=3).do("place tribe migrate")
    assert table.offers("sail") == [f"sail 0>{end}" for end in range(1, 7)]
    table.do("sail 0>6")
    assert table.raft(0) == DELTA
    assert table.position.labor == 1
    assert not table.offers("sail")


@pytest.mark.rule("RAF-08")
def test_each_move_is_one_camp_move() -> None:
    table = river().gain(0, "move 2").do("raft 0>4", "raft 4>3")
    assert table.raft(0) == 3
    assert table.kind == "turn"
    table = river().player(0, camps=[]).gain(0, "move")  # no Camp, but still a Raft
    assert table.can("raft 0>1")


@pytest.mark.rule("RAF-08")
def test_no_raft_moves_in_another_column_or_after_the_middle() -> None:
    assert not river().table(labor=4).do("place tribe hunt").offers("sail")
    table = river().player(0, food=3, camps=[1, 7, 8]).table(labor=4)
    table.do("place tribe migrate", f"settle {at(1, 7, 8)}")
    assert not table.offers("sail")


@pytest.mark.rule("RAF-08")
def test_all_rafts_go_home_in_the_preparation_phase() -> None:
    table = river().rafts(5, DELTA).listen().eclipse()
    while table.kind and table.position.round == 1:
        table.do("leave" if table.can("leave") else table.texts[0])
    assert (table.raft(0), table.raft(1)) == (HEADWATERS, HEADWATERS)


# --- Villages and Influence ---


@pytest.mark.rule("RAF-09")
def test_the_raft_stands_in_for_a_camp_of_a_village_and_goes_home() -> None:
    centre = at(0, 1, 2)
    table = river().rafts(3, 3).player(0, food=4, camps=[1, 2, 7]).table(labor=4)
    table.do("place tribe migrate")
    assert table.offers("settle-with-raft") == [f"settle-with-raft {centre}"]
    assert not table.offers("settle")
    table.listen().do(f"settle-with-raft {centre}")
    assert list(table.at(0).villages) == [centre]
    assert list(table.at(0).camps) == [7]
    assert table.at(0).food == 1
    assert (table.raft(0), table.raft(1)) == (HEADWATERS, 3)
    placed = [e for e in table.events if e[0] == events.VILLAGE_PLACED]
    assert [(e[1], e[2], e[3]) for e in placed] == [(0, centre, 1)]
    assert not table.offers("sail")  # the middle is done


@pytest.mark.rule("RAF-09")
def test_with_a_camp_and_the_raft_on_one_hex_the_player_chooses() -> None:
    centre = at(0, 1, 2)
    table = river().rafts(3).player(0, camps=[0, 1, 2]).gain(0, "village")
    assert table.texts == [f"village {centre}", f"village-with-raft {centre}", "leave"]
    other = river().rafts(3).player(0, camps=[0, 1, 2]).gain(0, "village")
    other.do(f"village-with-raft {centre}")
    assert list(other.at(0).camps) == [0]
    assert other.raft(0) == HEADWATERS
    table.do(f"village {centre}")
    assert list(table.at(0).camps) == []
    assert table.raft(0) == 3


@pytest.mark.rule("RAF-09")
def test_a_village_with_the_raft_needs_food_a_free_juncture_and_a_village() -> None:
    centre = at(0, 1, 2)
    table = river().rafts(3).player(0, food=2, camps=[1, 2]).do("place tribe migrate")
    assert not table.offers("settle-with-raft")
    table = river().rafts(3).player(0, camps=[1, 2]).player(1, villages=[centre])
    assert table.gain(0, "village").kind == "turn"  # nothing to gain
    built = [at(7, 8, 1), at(9, 10, 2), at(11, 12, 3)]
    table = river().rafts(3).player(0, camps=[1, 2], villages=built)
    assert table.gain(0, "village").kind == "turn"


@pytest.mark.rule("RAF-09")
@pytest.mark.parametrize("place", [HEADWATERS, DELTA])
def test_no_village_at_headwaters_or_delta(place: int) -> None:
    table = river().rafts(place).player(0, camps=[8, 9, 15, 16]).gain(0, "village")
    assert table.kind == "turn"


@pytest.mark.rule("RAF-09")
def test_a_village_may_touch_the_centre_and_camps_on_a_base_build_nothing() -> None:
    centre = at(0, 1, 2)
    table = river().player(0, camps=[0, 1, 2]).gain(0, "village")
    assert table.can(f"village {centre}")
    # The Base touches 7 and 8, and so do these two Camps: still no juncture of the board.
    table = river(bases=(0, 4)).player(0, camps=[START, 7, 8]).gain(0, "village")
    assert table.kind == "turn"


@pytest.mark.rule("RAF-09")
def test_a_raft_is_one_influence_on_its_hex() -> None:
    table = river().rafts(3, 3).player(0, camps=[0, START]).player(1, camps=[])
    found = influences(table.position)
    assert (found[0][0], found[1][0]) == (2, 1)
    table.rafts(HEADWATERS, DELTA)
    found = influences(table.position)
    assert (found[0][0], sum(found[1])) == (1, 0)


# --- Raft scoring ---


def eclipse_points(table: RiverScene) -> list[int]:
    """Points that each seat's Raft brings, everything else of the Eclipse phase being left."""
    table.listen().eclipse()
    while table.kind and table.position.round == 1:
        table.do("leave" if table.can("leave") else table.texts[-1])
    found = [0] * len(table.position.players)
    for kind, seat, points, by, *_ in table.events:
        if kind == events.POINTS and by == codes.BY_RAFT:
            found[seat] += points
    return found


@pytest.mark.rule("RAF-10")
def test_the_rulebooks_example_scores_3_then_1_then_0() -> None:
    red, yellow, green = 0, 1, 2
    table = river(players=3).rafts(4, 2, 4).listen()
    table.player(red, camps=[15, 9, 7], pile=["shaman"] * 3)
    table.player(yellow, camps=[8], pile=["pathfinder"])
    table.player(green, camps=[0, 0, 5])
    table.table(order=bytes((2, 1, 0))).eclipse()
    scored: list[tuple[int, int]] = []
    moved = False
    while table.kind and table.position.round == 1:
        if table.seat == yellow and table.kind == "eclipse_cards" and not moved:
            table.do("card pathfinder: raft 2>6")
            moved = True
        else:
            table.do("leave" if table.can("leave") else table.texts[-1])
    for kind, seat, points, by, *_ in table.events:
        if kind == events.POINTS and by == codes.BY_RAFT:
            scored.append((seat, points))
    assert moved
    assert scored == [(red, 3), (yellow, 1)]


@pytest.mark.rule("RAF-10")
def test_everybody_on_the_headwaters_is_joint_closest_and_the_raft_counts_there() -> None:
    table = river(players=3).player(0, camps=[15]).player(1, camps=[1, 7]).player(2, camps=[START])
    assert eclipse_points(table) == [2, 1, 1]


@pytest.mark.rule("RAF-10")
def test_only_the_closest_scores_its_camps_on_river_hexes() -> None:
    table = river().rafts(5, DELTA).player(0, camps=[0, 5]).player(1, camps=[0, 2, 6, 9, 9])
    assert eclipse_points(table) == [0, 5]
    assert [table.points(seat, "rafts") for seat in (0, 1)] == [0, 5]


@pytest.mark.rule("RAF-10")
def test_it_comes_after_everything_else_of_the_own_turn() -> None:
    """The Camp that a Fish moves onto the river in step c counts."""
    table = river().player(0, camps=[0, 1]).player(1, camps=[]).fish("lamprey").listen()
    table.table(order=bytes((1, 0))).eclipse()
    while table.seat == 0:
        if table.can("hex 0: fish 1"):
            table.do("hex 0: fish 1")
        elif table.can("move 1>2"):
            table.do("move 1>2")
        else:
            table.do("leave" if table.can("leave") else table.texts[0])
    raft = [e[2] for e in table.events if e[0] == events.POINTS and e[3] == codes.BY_RAFT]
    assert raft[0] == 3


# --- Fish ---


def fishing(*names: str, discarded: tuple[str, ...] = ()) -> RiverScene:
    """Seat 0 leads on River hexes 5 and 0 in its Terrain step."""
    table = river().player(0, camps=[0, 5]).player(1, camps=[])
    table.fish(*names, discarded=discarded).listen().eclipse()
    while table.kind != "eclipse_terrain":
        table.do("leave" if table.can("leave") else table.texts[0])
    return table


@pytest.mark.rule("RAF-11")
def test_most_influence_on_a_river_hex_draws_a_fish_for_each_such_hex() -> None:
    table = fishing("salmon", "pike")
    assert table.offers("hex") == ["hex 0: fish 1", "hex 5: fish 1"]
    table.do("hex 5: fish 1")
    assert table.at(0).food == 2
    assert table.discarded() == ["salmon"]
    assert "pike" in table.pool()
    table.do("hex 0: fish 1")
    assert table.can("tools 1 food 0")
    table.do("tools 1 food 0")
    assert table.at(0).tools == 1
    assert table.drawn() == ["salmon", "pike"]
    assert sorted(table.discarded()) == ["pike", "salmon"]


@pytest.mark.rule("RAF-11")
def test_a_tie_draws_too_and_less_influence_does_not() -> None:
    table = river().player(0, camps=[0, 5]).player(1, camps=[5, 5, 0]).eclipse()
    while table.kind != "eclipse_terrain" or table.seat != 0:
        table.do("leave" if table.can("leave") else table.texts[0])
    assert table.offers("hex") == ["hex 0: fish 1"]


@pytest.mark.rule("RAF-11")
@pytest.mark.parametrize("place", [HEADWATERS, DELTA])
def test_headwaters_and_delta_give_no_fish(place: int) -> None:
    table = river().rafts(place, place).player(0, camps=[]).player(1, camps=[]).listen().eclipse()
    while table.kind and table.position.round == 1:
        assert not any("fish" in text for text in table.texts)
        table.do("leave" if table.can("leave") else table.texts[0])


@pytest.mark.rule("RAF-11")
def test_the_special_fish_scores_2_and_sends_the_discards_and_itself_back() -> None:
    table = fishing("great_sturgeon", discarded=("salmon", "pike"))
    before = table.score(0)
    table.do("hex 0: fish 1")
    assert table.score(0) == before + 2
    assert table.discarded() == []
    assert len(table.pool()) == 15
    drawn = [e for e in table.events if e[0] == codes.FISH_DRAWN]
    assert [(e[2], e[3]) for e in drawn] == [(FISH["great_sturgeon"], 1)]


@pytest.mark.rule("RAF-11")
def test_points_of_fish_have_a_source_of_their_own() -> None:
    table = fishing("great_sturgeon")
    table.do("hex 0: fish 1")
    assert [table.points(seat, "fish") for seat in (0, 1)] == [2, 0]
    found = [e for e in table.events if e[0] == events.POINTS]
    sturgeon = source(codes.FISH_TOKEN, FISH["great_sturgeon"])
    assert found[-1][1:] == (0, 2, codes.BY_FISH, b"", sturgeon)
    assert (len(table.pool()), table.discarded()) == (15, [])
    again = fishing("trout", "trout").do("hex 0: fish 1")
    assert [again.points(seat, "fish") for seat in (0, 1)] == [1, 0]
    assert again.at(0).food == fishing("trout").at(0).food + 1
    again.do("hex 5: fish 1")
    assert [again.points(seat, "fish") for seat in (0, 1)] == [2, 0]
    assert again.discarded() == ["trout", "trout"]


@pytest.mark.rule("RAF-11")
def test_a_fish_without_points_leaves_no_trace_of_any() -> None:
    table = fishing("salmon").do("hex 0: fish 1")
    assert table.points(0, "fish") == 0


@pytest.mark.rule("RAF-11")
def test_an_empty_pool_is_made_anew_of_the_discards() -> None:
    everything = [one.name for one in PARTS.fish for _ in range(one.copies) if not one.special]
    table = fishing("great_sturgeon", discarded=tuple(everything))
    area.set_fish(
        table.position, INDEX, b"", bytes(FISH[name] for name in [*everything, "great_sturgeon"])
    )
    table.do("hex 0: fish 1")
    assert len(table.pool()) + len(table.discarded()) == 15
    assert len(table.drawn()) == 1
    mixed = [e for e in table.events if e[0] == codes.FISH_MIXED]
    assert [e[2] for e in mixed] == [15]


@pytest.mark.rule("RAF-11")
def test_the_pool_is_mixed_and_mixed_differently_the_next_time() -> None:
    pools = {area.fish_pool(position.module_state[0]) for position in boards(3)}
    assert len(pools) == len(boards(3))
    assert {bytes(sorted(pool)) for pool in pools} == {
        bytes(sorted(FISH[one.name] for one in PARTS.fish for _ in range(one.copies)))
    }
    first = fishing("great_sturgeon").do("hex 0: fish 1").pool()
    again = fishing("great_sturgeon").position
    area.set_byte(again, INDEX, area.MIXED_AT, 7)
    second = RiverScene(again).do("hex 0: fish 1").pool()
    assert sorted(first) == sorted(second)
    assert first != second


@pytest.mark.rule("RAF-11")
def test_a_fish_is_optional() -> None:
    table = fishing("salmon").do("leave")
    assert table.at(0).food == 0
    assert not table.drawn()


# --- Landmarks ---


def landmark_points(name: str, camps: list[int], raft: int, villages: list[int]) -> int:
    """What seat 0 scores for the Landmark on hex 6, which it leads on."""
    table = river(name).rafts(raft).player(0, camps=camps, villages=villages)
    table.player(1, camps=[]).listen().eclipse()
    while table.kind and table.position.round == 1:
        table.do("leave" if table.can("leave") else table.texts[0])
    points = [e for e in table.events if e[0] == events.POINTS and e[3] == codes.BY_LANDMARK]
    total = sum(e[2] for e in points)
    assert {e[1] for e in points} <= {0}
    assert table.points(0, "landmarks") == total
    return total


@pytest.mark.rule("RAF-12")
@pytest.mark.parametrize(
    ("name", "camps", "raft", "villages", "points"),
    [
        ("volcano", [6], 0, [], 4),
        ("volcano", [6, 1, 7, START], 0, [], 1),
        ("volcano", [6, 6, 6, 6, 6], 0, [], 0),
        ("butte", [6], 0, [], 1),
        ("butte", [6, 6, 1, 7, START], 3, [], 3),  # 6, 1 and the Raft on 0
        ("butte", [6, 0], 3, [], 2),
        ("arch", [6, 7, 8, 8, START], 0, [], 2),
        ("arch", [6, 7], 1, [], 2),  # the Raft on 15
        ("arch", [6], DELTA, [], 0),
        ("monolith", [6, 6, 6, 5], 2, [], 3),
        ("monolith", [6], 0, [], 1),
        ("tree", [6], 0, [], 0),
        ("tree", [6, 6], 0, [at(0, 1, 2), at(1, 7, 8), at(5, 15, 16)], 4),
    ],
)
def test_what_a_landmark_scores(
    name: str, camps: list[int], raft: int, villages: list[int], points: int
) -> None:
    assert landmark_points(name, camps, raft, villages) == points


@pytest.mark.rule("RAF-12")
def test_only_the_most_influence_scores_a_landmark_ties_included() -> None:
    table = river("volcano").player(0, camps=[6]).player(1, camps=[6, 6]).listen().eclipse()
    while table.kind and table.position.round == 1:
        table.do("leave" if table.can("leave") else table.texts[0])
    assert [table.points(seat, "landmarks") for seat in (0, 1)] == [0, 3]
    table = river("volcano").player(0, camps=[6]).player(1, camps=[6]).eclipse()
    while table.kind and table.position.round == 1:
        table.do("leave" if table.can("leave") else table.texts[0])
    assert [table.points(seat, "landmarks") for seat in (0, 1)] == [4, 4]


@pytest.mark.rule("RAF-12")
def test_a_landmark_waits_for_what_is_still_to_move() -> None:
    """A Fish may move a Camp onto the Monolith's hex before it is scored, or it is scored first."""
    table = river("monolith").player(0, camps=[0, 5, 6]).player(1, camps=[]).fish("lamprey")
    table.listen().eclipse()
    while table.kind != "eclipse_terrain":
        table.do("leave" if table.can("leave") else table.texts[0])
    assert table.can("hex 6: landmark monolith", "hex 0: fish 1", "hex 5: fish 1")
    early = RiverScene(table.position.copy()).do("hex 6: landmark monolith")
    assert early.points(0, "landmarks") == 1
    assert "hex 6: landmark monolith" not in early.texts
    table.do("hex 0: fish 1", "move 5>6")  # nothing asks any more
    assert table.points(0, "landmarks") == 2


# --- what is a Glacier ---


@pytest.mark.rule("RAF-16")
def test_glacier_tokens_lie_on_the_glacier_sides_and_not_on_river_or_landmark_hexes() -> None:
    for landmarks in (1, 2, 3):
        config = Config(TABLES, modules=("glacier_tokens", RiversRules(landmarks)))
        for seed in range(10):
            game = Game.new(config, seed.to_bytes(32, "big"))
            while game.decision is not None and game.decision.kind != agenda.TURN:
                game.apply(game.decision.default)
            position = game.position
            tokens = [hex_ for hex_ in range(HEXES) if position.module_state[1][hex_]]
            assert tokens == [h for h in range(HEXES) if position.terrain[h] == GLACIER]
            assert len(tokens) == 2
            sides = [three[2] for tile, side, three in tiles(position) if tile and side]
            assert set(sides) <= set(tokens)


@pytest.mark.rule("RAF-16")
def test_the_glacier_stone_counts_the_glacier_side_only() -> None:
    stone = TABLES.stones[STONES["glacier_stone"]]
    table = river("volcano").player(0, villages=[at(1, 7, 8), at(0, 1, 6)])
    assert stone_points(table.position, table.at(0), stone) == 2  # beside hex 8, a Glacier
    table = river("volcano", "tree", "arch").player(0, villages=[at(1, 7, 8), at(0, 1, 6)])
    assert stone_points(table.position, table.at(0), stone) == 0


@pytest.mark.rule("RAF-16")
def test_river_and_landmark_hexes_and_bases_are_no_land_type() -> None:
    stone = next(s for s in TABLES.stones if s.kind == 2)
    table = river("volcano").player(0, camps=[0, 6, 8, 7, START])  # river, Landmark, Glacier, land
    assert stone_points(table.position, table.at(0), stone) == 1


# --- the switch ---


@pytest.mark.rule("RAF-01")
def test_the_expansion_is_switched_on_by_its_rules_only() -> None:
    with pytest.raises(BadConfig, match="not switched on as a module, but by its own rules"):
        Game.new(Config(TABLES, modules=("rivers",)), bytes(32))
    assert Config(TABLES, modules=(RiversRules(),)).modules == ("rivers",)
    solo = Config(TABLES, modules=(RiversRules(),), nomad=NomadRules(four_player_terrain=True))
    assert solo.modules == ("rivers", "glacier_tokens", "nomad")
    assert scene(2).position.terrain[0] == TERRAINS["base"]


@pytest.mark.rule("RAF-01")
def test_the_sites_of_bases_are_known_by_their_two_hexes() -> None:
    assert len(TOUCHED) == len(set(TOUCHED)) == 12
    assert list(RIVER) == list(area.river_of(river().position, INDEX))
