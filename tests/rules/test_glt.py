"""The module Glacier tokens.

Hex 0 is the Base, 1-6 lie around it, 7-18 around these; juncture 8 is where 1, 7 and 8 meet,
juncture 9 where 1, 7 and 18 do.
"""

from __future__ import annotations

import pytest

from endless_winter.rules import Config, Game, agenda, events
from endless_winter.rules.options import source
from endless_winter.rules.sources import GLACIER_TOKENS
from endless_winter.rules.tables import Ability
from endless_winter.rules.terrain import HEXES
from tests.rules.scene import TABLES, TERRAINS, Scene, juncture, pool, scene

TOKENS = [token.name for token in TABLES.glacier_tokens]
FACE_UP = 128
GLACIER = TERRAINS["glacier"]
BESIDE_1_7_8 = 8
BESIDE_1_7_18 = 9


def icy(**tokens: str) -> Scene:
    """Canyons everywhere but Glaciers where tokens are: `icy(h7="flint_seam", h8="+old_songs")`.

    A plus sign turns the token face up.
    """
    table = scene(2, modules=("glacier_tokens",)).all_terrain("canyon")
    state = bytearray(19)
    for key, text in tokens.items():
        hex_ = int(key[1:])
        up = FACE_UP if text.startswith("+") else 0
        state[hex_] = up + 1 + TOKENS.index(text.removeprefix("+"))
        if hex_:
            table.terrain(**{key: "glacier"})
    return table.table(module_state=[bytes(state)])


def face_up(table: Scene) -> dict[int, str]:
    """The face-up tokens by hex."""
    state = table.position.module_state[0]
    return {hex_: TOKENS[v - FACE_UP - 1] for hex_, v in enumerate(state) if v >= FACE_UP}


def face_down(table: Scene) -> dict[int, str]:
    state = table.position.module_state[0]
    return {hex_: TOKENS[v - 1] for hex_, v in enumerate(state) if 0 < v < FACE_UP}


def dealt(players: int, seed: int) -> Game:
    config = Config(TABLES, players=players, modules=("glacier_tokens",))
    game = Game.new(config, seed.to_bytes(32, "big"))
    while (decision := game.decision) is not None and decision.kind == agenda.CHOOSE_CHIEF:
        game.apply(decision.default)
    return game


# --- set-up ---


@pytest.mark.rule("GLT-01")
@pytest.mark.parametrize(("players", "glaciers"), [(2, 6), (3, 6), (4, 3)])
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_every_glacier_and_no_other_hex_gets_a_token_face_down(
    players: int, glaciers: int, seed: int
) -> None:
    position = dealt(players, seed).position
    state = position.module_state[0]
    with_token = [hex_ for hex_ in range(19) if state[hex_]]
    assert with_token == [hex_ for hex_ in range(19) if position.terrain[hex_] == GLACIER]
    assert len(with_token) == glaciers
    assert all(1 <= state[hex_] <= 10 for hex_ in with_token)


@pytest.mark.rule("GLT-01")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_tokens_are_different_ones_of_ten(players: int) -> None:
    assert len(TOKENS) == 10
    for seed in range(20):
        state = dealt(players, seed).position.module_state[0]
        tokens = [value for value in state if value]
        assert len(set(tokens)) == len(tokens)


@pytest.mark.rule("GLT-01")
def test_the_tokens_are_dealt_at_random() -> None:
    """Over some games each of the ten comes into play, each is left out, each comes first."""
    games = [
        [value - 1 for value in dealt(2, seed).position.module_state[0] if value]
        for seed in range(60)
    ]
    every = set(range(10))
    assert {token for tokens in games for token in tokens} == every
    assert {token for tokens in games for token in every - set(tokens)} == every
    assert {tokens[0] for tokens in games} == every


@pytest.mark.rule("GLT-01")
def test_without_the_module_there_are_no_tokens() -> None:
    table = scene(2)
    assert table.position.module_state == []


# --- flipping ---


@pytest.mark.rule("GLT-02")
def test_a_camp_that_moves_onto_the_hex_flips_its_token() -> None:
    table = icy(h7="flint_seam", h8="old_songs").player(0, camps=[1], hand=["brave"])
    table.table(labor=2).listen().do("place tribe migrate", "travel 1>7")
    assert face_up(table) == {7: "flint_seam"}
    assert face_down(table) == {8: "old_songs"}
    flips = [event for event in table.events if event[0] == events.GLACIER_TOKEN_FLIPPED]
    assert [event[2:4] for event in flips] == [(TOKENS.index("flint_seam"), 7)]


@pytest.mark.rule("GLT-02")
def test_a_camp_that_moves_through_the_hex_flips_its_token() -> None:
    table = icy(h7="flint_seam").player(0, camps=[1]).gain(0, "move 2")
    table.do("move 1>7", "move 7>18")
    assert list(table.at(0).camps) == [18]
    assert face_up(table) == {7: "flint_seam"}


@pytest.mark.rule("GLT-02")
def test_flipping_a_token_gives_nothing() -> None:
    table = icy(h7="blue_cavern", h8="frozen_carcass").player(0, camps=[1, 1]).gain(0, "move 2")
    table.do("move 1>7", "move 1>8")
    assert table.score(0) == 0
    assert table.at(0).food == 0
    assert table.kind == "turn"


@pytest.mark.rule("GLT-02")
def test_a_token_flips_once_and_stays_face_up() -> None:
    table = icy(h7="flint_seam").player(0, camps=[1]).player(1, camps=[8]).gain(0, "move 3")
    table.listen().do("move 1>7", "move 7>1", "move 1>7").gain(1, "move").listen().do("move 8>7")
    assert face_up(table) == {7: "flint_seam"}
    flips = [event for event in table.events if event[0] == events.GLACIER_TOKEN_FLIPPED]
    assert len(flips) == 1


@pytest.mark.rule("GLT-02")
def test_a_camp_that_leaves_the_hex_or_moves_beside_it_flips_nothing() -> None:
    table = icy(h7="flint_seam", h18="old_songs").player(0, camps=[7]).gain(0, "move")
    table.do("move 7>8")
    assert face_up(table) == {}


@pytest.mark.rule("GLT-02")
def test_the_free_move_of_the_bottom_flips_too() -> None:
    table = icy(h7="flint_seam").player(0, camps=[8]).do("place tribe migrate", "bottom")
    table.do("move 8>7")
    assert face_up(table) == {7: "flint_seam"}


# --- Villages ---


@pytest.mark.rule("GLT-03")
def test_a_village_beside_a_face_up_token_gains_its_benefit_at_once() -> None:
    table = icy(h7="+flint_seam").player(0, camps=[1, 7, 8], food=3, hand=["brave"])
    table.do("place tribe migrate", f"settle {BESIDE_1_7_8}")
    assert table.texts == ["tools 2 food 0", "tools 1 food 1", "tools 0 food 2", "leave"]
    table.do("tools 2 food 0")
    assert (table.at(0).tools, table.at(0).food) == (2, 0)
    assert table.kind == "act"


@pytest.mark.rule("GLT-03")
@pytest.mark.parametrize("hex_", ["h1", "h7", "h8"])
def test_each_of_the_three_hexes_may_hold_the_token(hex_: str) -> None:
    table = icy(**{hex_: "+blue_cavern"}).player(0, camps=[1, 7, 8]).gain(0, "village")
    table.do(f"village {BESIDE_1_7_8}")
    assert table.score(0) == 4
    assert table.score(1) == 0


@pytest.mark.rule("GLT-03")
def test_a_token_that_the_village_does_not_touch_gives_nothing() -> None:
    table = icy(h18="+blue_cavern", h9="+frozen_carcass").player(0, camps=[1, 7, 8])
    table.gain(0, "village").do(f"village {BESIDE_1_7_8}")
    assert table.score(0) == 0
    assert table.at(0).food == 0


@pytest.mark.rule("GLT-03")
def test_a_village_beside_a_hidden_token_gains_nothing_and_flips_nothing() -> None:
    table = icy(h7="blue_cavern").player(0, camps=[1, 7, 8]).gain(0, "village")
    table.do(f"village {BESIDE_1_7_8}")
    assert table.score(0) == 0
    assert face_down(table) == {7: "blue_cavern"}


@pytest.mark.rule("GLT-03")
def test_the_token_stays_and_serves_every_later_village() -> None:
    table = icy(h7="+blue_cavern").player(0, camps=[1, 7, 8]).player(1, camps=[1, 7, 18])
    table.gain(0, "village").do(f"village {BESIDE_1_7_8}")
    assert face_up(table) == {7: "blue_cavern"}
    table.gain(1, "village").do(f"village {BESIDE_1_7_18}")
    assert (table.score(0), table.score(1)) == (4, 4)
    assert face_up(table) == {7: "blue_cavern"}


@pytest.mark.rule("GLT-03")
def test_a_token_flipped_later_gives_nothing_to_a_village_already_there() -> None:
    table = icy(h7="blue_cavern").player(0, camps=[18], villages=[BESIDE_1_7_8]).gain(0, "move")
    table.do("move 18>7")
    assert face_up(table) == {7: "blue_cavern"}
    assert table.score(0) == 0


@pytest.mark.rule("GLT-03")
def test_the_benefit_comes_once_and_not_in_the_eclipse_phase() -> None:
    """Canyons give 2 points each, the Glacier of hex 7 a Food, the token no points."""
    table = icy(h7="+blue_cavern").player(0, camps=[], villages=[BESIDE_1_7_8])
    table.player(1, camps=[]).table(round=4).eclipse()
    while table.kind:
        table.do("leave")
    assert table.score(0) == 4
    assert table.at(0).food == 1


@pytest.mark.rule("GLT-03")
def test_the_benefit_finds_the_returned_camps_on_the_board() -> None:
    """Meltwater Path places a Camp and moves one: all three Camps are home again by then."""
    table = icy(h7="+meltwater_path").player(0, camps=[1, 7, 8]).gain(0, "village")
    table.do(f"village {BESIDE_1_7_8}")
    assert table.texts == ["camp", "leave"]
    table.do("camp", "move 0>3")
    assert list(table.at(0).camps) == [3]


@pytest.mark.rule("GLT-03")
def test_the_benefit_is_limited_by_the_lower_food_limit() -> None:
    table = icy(h7="+frozen_carcass").player(0, camps=[1, 7, 8], food=6, hand=["brave"])
    table.do("place tribe migrate", f"settle {BESIDE_1_7_8}", "food 3")
    assert table.at(0).food == 5


@pytest.mark.rule("GLT-03")
def test_the_benefit_can_be_declined() -> None:
    table = icy(h7="+ice_shrine").player(0, camps=[1, 7, 8]).gain(0, "village")
    table.do(f"village {BESIDE_1_7_8}", "honor", "leave")
    assert (table.at(0).honor, table.at(0).offering) == (1, 0)


# --- what flips, and two tokens at once ---


@pytest.mark.rule("GLT-04")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_set_up_flips_nothing(players: int) -> None:
    for seed in range(5):
        assert max(dealt(players, seed).position.module_state[0]) < FACE_UP


@pytest.mark.rule("GLT-04")
def test_a_camp_that_is_placed_flips_nothing() -> None:
    """No Glacier is ever a Base; the token lies there only to show that placing is not moving."""
    table = icy(h0="blue_cavern").player(0, tools=1, camps=[], hand=["brave"])
    table.do("place tribe migrate", "pitch").gain(0, "camp").do("camp")
    assert list(table.at(0).camps) == [0, 0]
    assert face_up(table) == {}


@pytest.mark.rule("GLT-04")
def test_a_village_beside_two_face_up_tokens_gains_both() -> None:
    table = icy(h7="+blue_cavern", h8="+frozen_carcass").player(0, camps=[1, 7, 8])
    table.gain(0, "village").do(f"village {BESIDE_1_7_8}")
    assert table.score(0) == 4
    assert table.at(0).food == 3


@pytest.mark.rule("GLT-04")
def test_equal_benefits_of_two_tokens_add_up() -> None:
    """Frozen Carcass: 3 Food; Lost Family: a Tribe card and a Food."""
    table = icy(h1="+frozen_carcass", h8="+lost_family").player(0, camps=[1, 7, 8])
    table.gain(0, "village").do(f"village {BESIDE_1_7_8}")
    assert table.at(0).food == 4
    table.do("tribe shaman")
    assert table.names(0, "hand") == ["shaman"]


@pytest.mark.rule("GLT-04")
def test_the_benefits_of_two_tokens_come_in_any_order() -> None:
    table = icy(h1="+flint_seam", h8="+ice_shrine").player(0, camps=[1, 7, 8])
    table.gain(0, "village").do(f"village {BESIDE_1_7_8}")
    assert table.can("tools 2 food 0", "honor", "offering")
    table.do("honor", "tools 2 food 0", "offering")
    assert (table.at(0).tools, table.at(0).honor, table.at(0).offering) == (2, 1, 1)
    assert table.kind == "turn"


@pytest.mark.rule("GLT-04")
def test_of_two_tokens_the_hidden_one_gives_nothing() -> None:
    table = icy(h7="blue_cavern", h8="+frozen_carcass").player(0, camps=[1, 7, 8])
    table.gain(0, "village").do(f"village {BESIDE_1_7_8}")
    assert table.score(0) == 0
    assert table.at(0).food == 3


@pytest.mark.rule("GLT-03")
def test_all_that_face_up_tokens_show_makes_one_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    for number, gain in enumerate(("food 3, tool 2, idol", "tool, draw 2")):
        shown = TABLES.glacier_tokens[number]
        monkeypatch.setattr(shown, "effects", [Ability(pool(gain))])
    table = scene(2, modules=("glacier_tokens",)).all_terrain("steppe")
    table.terrain(h1="glacier", h7="glacier", h8="glacier")
    tokens = {1: 129, 7: 130, 8: 3}  # the third one is face down
    position = table.position
    position.module_state[0] = bytes(tokens.get(hex_, 0) for hex_ in range(HEXES))
    position.modules[0].village_placed(position, 0, 1, juncture(1, 7, 8))
    gained = pool("food 3, tool 3, idol, draw 2")
    where = source(GLACIER_TOKENS, juncture(1, 7, 8))
    assert position.agenda[-1] == (agenda.GAIN, 1, where << 8 | agenda.MAY_LEAVE, gained)


def test_a_written_state_of_the_glacier_tokens_is_checked() -> None:
    table = scene(2, modules=("glacier_tokens",)).all_terrain("steppe")
    position = table.terrain(h3="glacier", h5="glacier").position
    module = position.modules[0]
    last = len(TABLES.glacier_tokens)
    for tokens, wrong in (
        ({3: 1, 5: 2}, ""),
        ({3: last, 5: 129}, ""),
        ({3: 128 + last, 5: 2}, ""),
        ({3: 1}, "hex 5 must"),
        ({3: 1, 4: 2, 5: 3}, "hex 4 must"),
        ({3: 1, 5: 1}, "lies on hex 5 and on another one"),
        ({3: 1, 5: 129}, "lies on hex 5 and on another one"),
    ):
        position.module_state[0] = bytes(tokens.get(hex_, 0) for hex_ in range(HEXES))
        found = module.check(position, 0)
        assert (wrong in found) if wrong else found == ""
    position.module_state[0] = b""
    assert module.check(position, 0) == "module_state.glacier_tokens: missing"
