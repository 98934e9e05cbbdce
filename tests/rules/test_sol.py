"""Solo: set-up, the Nomad's turn, its column and its arrows. Seat 0 plays, seat 1 is the Nomad."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from endless_winter.rules import Config, Game, agenda, board, events
from endless_winter.rules.config import NOMAD_SWITCHES, NomadRules
from endless_winter.rules.errors import BadConfig
from endless_winter.rules.nomad import arrows
from endless_winter.rules.nomad.area import area_of
from endless_winter.rules.terrain import JUNCTURES
from endless_winter.rules.zones import EMPTY
from tests.rules.nomad_scene import (
    COLUMNS,
    NOMAD,
    PLAYER,
    SoloScene,
    dealt,
    solo,
    with_cells,
)
from tests.rules.plain_tables import changed
from tests.rules.scene import TABLES

SEEDS = [bytes((number,)) * 32 for number in range(8)]


def era(card: int) -> int:
    return TABLES.cards[card].era


# --- set-up ---


@pytest.mark.rule("SOL-01")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_nomad_has_a_board_and_no_cards(seed: bytes) -> None:
    position = dealt(seed).position
    nomad = position.players[NOMAD]
    assert (nomad.food, nomad.tools, nomad.villages, nomad.megaliths) == (0, 0, b"", 10)
    assert (nomad.honor, nomad.offering, nomad.stones, nomad.buried) == (0, 0, b"", b"")
    assert nomad.hand == nomad.deck == nomad.discard == nomad.pile == b""
    assert (nomad.chief, nomad.setup) == (EMPTY, EMPTY)
    assert nomad.figures == b"\0\0\0"


@pytest.mark.rule("SOL-01")
@pytest.mark.parametrize("seed", SEEDS)
def test_its_camps_are_all_out_and_not_on_the_base_so_its_food_limit_is_10(seed: bytes) -> None:
    position = dealt(seed).position
    nomad = position.players[NOMAD]
    assert len(nomad.camps) == 5
    assert 0 not in nomad.camps
    assert board.food_limit(nomad) == 10


@pytest.mark.rule("SOL-01")
def test_the_rest_is_set_up_for_two_players() -> None:
    position = dealt().position
    assert len(position.stones[0]) == len(position.stones[1]) == 4
    assert position.terrain.count(1) == 6
    assert sum(animal != EMPTY for animal in position.grounds) == 3
    player = position.players[PLAYER]
    assert len(player.hand) == 5
    assert set(player.camps) == {0}


@pytest.mark.rule("SOL-01")
@pytest.mark.parametrize(
    ("players", "seat", "draft"), [(3, 1, False), (2, 2, False), (2, 0, True), (4, 0, False)]
)
def test_another_solo_game_than_one_against_the_nomad_is_refused(
    players: int, seat: int, draft: bool
) -> None:
    with pytest.raises(BadConfig):
        Config(TABLES, players=players, setup_draft=draft, nomad=NomadRules(seat))


@pytest.mark.rule("SOL-01")
def test_a_pack_without_nomad_cards_plays_everything_else() -> None:
    tables = changed(TABLES, nomad_cards=[], map_cards=[])
    Game.new(Config(tables), bytes(32))
    with pytest.raises(BadConfig, match="no Nomad cards"):
        Config(tables, nomad=NomadRules())


@pytest.mark.rule("SOL-02")
@pytest.mark.parametrize("seed", SEEDS)
def test_five_culture_cards_of_each_era_are_the_sacrifice_deck_era_i_on_top(seed: bytes) -> None:
    position = dealt(seed).position
    sacrifice = area_of(position).sacrifice
    assert [era(card) for card in sacrifice] == [1] * 5 + [2] * 5
    assert len(position.culture[0]) == 20 - 5 - 8
    assert len(position.culture[1]) == 15
    everything = sacrifice + position.culture[0] + position.culture[1] + position.display
    assert len(set(everything)) == 40


@pytest.mark.rule("SOL-02")
def test_the_sacrifice_deck_is_random() -> None:
    assert len({area_of(dealt(seed).position).sacrifice for seed in SEEDS}) == len(SEEDS)


@pytest.mark.rule("SOL-03")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_nomad_gets_the_animal_after_those_of_the_grounds(seed: bytes) -> None:
    game = Game.new(Config(TABLES, nomad=NomadRules(NOMAD)), seed, True)
    happened = game.take_events()
    while (decision := game.decision) is not None and decision.seat == PLAYER:
        happened += game.apply(decision.default)
    kinds = (events.ANIMAL_REVEALED, events.ANIMAL_TAKEN)
    order = [event for event in happened if event[0] in kinds]
    assert [event[0] for event in order] == [kinds[0]] * 3 + [kinds[1]]
    assert order[-1][:2] == (events.ANIMAL_TAKEN, NOMAD)
    assert game.position.players[NOMAD].animals == bytes((order[-1][2],))


@pytest.mark.rule("SOL-04")
@pytest.mark.parametrize("seed", SEEDS)
def test_16_nomad_cards_and_6_map_cards_of_which_the_first_places_the_camps(seed: bytes) -> None:
    position = dealt(seed).position
    area = area_of(position)
    assert sorted(area.deck) == list(range(16))
    assert area.stack == area.pile == b""
    assert (len(area.maps), len(area.seen_maps)) == (5, 1)
    assert sorted(area.maps + area.seen_maps) == list(range(6))
    card = TABLES.map_cards[area.seen_maps[0]]
    assert position.players[NOMAD].camps == bytes(sorted(card.inner + card.outer))
    assert sum(1 <= hex_ <= 6 for hex_ in position.players[NOMAD].camps) == 2


@pytest.mark.rule("SOL-04")
def test_both_decks_are_shuffled() -> None:
    areas = [area_of(dealt(seed).position) for seed in SEEDS]
    assert len({area.deck for area in areas}) == len(SEEDS)
    assert len({area.maps for area in areas}) > 5


@pytest.mark.rule("SOL-05")
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("seat", [0, 1])
def test_the_nomad_goes_first_and_the_player_has_a_food_more(seed: bytes, seat: int) -> None:
    game = Game.new(Config(TABLES, nomad=NomadRules(seat)), seed)
    assert game.position.order == bytes((seat, 1 - seat))
    while game.decision is not None and game.decision.seat != seat:
        game.apply(game.decision.default)
    player = game.position.players[1 - seat]
    assert player.food == TABLES.setups[player.setup].food + 1
    assert game.position.players[seat].food == 0


@pytest.mark.rule("SOL-05")
@pytest.mark.parametrize("seed", SEEDS)
def test_the_player_chooses_one_of_two_chiefs_and_one_of_two_setup_cards(seed: bytes) -> None:
    game = Game.new(Config(TABLES, nomad=NomadRules(NOMAD)), seed)
    chiefs = game.decision
    assert chiefs is not None
    assert (chiefs.seat, chiefs.kind_name, len(chiefs.options)) == (PLAYER, "choose_chief", 4)
    offered = [game.text(code) for code in chiefs.options]
    assert len({text[:-2] for text in offered}) == 2  # two cards, two sides each
    game.apply(chiefs.options[-1])
    setups = game.decision
    assert setups is not None
    assert (setups.seat, setups.kind_name, len(setups.options)) == (PLAYER, "choose_setup", 2)
    chosen = game.text(setups.options[1])
    game.apply(setups.options[1])
    player = game.position.players[PLAYER]
    assert f"chief {TABLES.chiefs[player.chief].name}" == offered[-1]
    assert f"setup {TABLES.setups[player.setup].name}" == chosen
    assert game.decision is not None
    assert game.decision.seat == NOMAD


# --- the compass and the arrows ---


@pytest.mark.rule("SOL-06")
@pytest.mark.parametrize(
    ("large", "small", "juncture"),
    [("right", "up", 11), ("right", "down", 11), ("left", "up", 8), ("left", "down", 6)],
)
def test_on_the_map_left_is_west_and_down_is_south(large: str, small: str, juncture: int) -> None:
    """Juncture 11 lies furthest East; 8 and 6 are equally far West, 6 further South."""
    assert [bytes(JUNCTURES[n]) for n in (6, 8, 11)] == [b"\1\2\10", b"\1\7\10", b"\2\10\11"]
    table = solo().arrows(large, small).gains("settle")
    assert table.texts == [f"nomad-build {juncture} village"]


@pytest.mark.rule("SOL-06")
def test_hexes_lie_as_on_a_map_with_north_at_the_far_edge() -> None:
    places = arrows.HEX_PLACES
    east, south_east, south_west, west, north_west, north_east = 2, 3, 4, 5, 6, 1
    assert places[east][1] == places[west][1] == places[0][1] == 0
    assert places[west][0] < places[south_west][0] == places[north_west][0] < 0
    assert places[east][0] > places[south_east][0] == places[north_east][0] > 0
    assert places[north_east][1] == places[north_west][1] == -1
    assert places[south_east][1] == places[south_west][1] == 1


@pytest.mark.rule("SOL-06")
def test_easternmost_then_southernmost() -> None:
    """The rulebook's picture: of the easternmost free spaces, the southernmost."""
    table = solo().arrows("right", "down").player(NOMAD, megaliths=8).megaliths("neutral", (2, 1))
    table.gains("megalith")
    sites = [table.position.sites.index[(x, y, 0)] for x, y in ((3, 1), (2, 2), (2, 0), (1, 1))]
    legal = [site for site in sites if not _grey(table, site)]
    chosen = _chosen(table)
    assert chosen in legal
    x = [table.position.sites.x[site] for site in legal]
    y = [table.position.sites.y[site] for site in legal]
    best = max(zip(x, y, strict=True))
    assert (table.position.sites.x[chosen], table.position.sites.y[chosen]) == best


def _grey(table: SoloScene, site: int) -> bool:
    tile = TABLES.megalith_tiles[table.position.tiles[site >> 3]]
    return tile[site & 7].grey


def _chosen(table: SoloScene) -> int:
    return table.game.options()[0] >> 8 & 255


@pytest.mark.rule("SOL-10")
@pytest.mark.parametrize(
    ("large", "small", "best"),
    [
        ("left", "up", (0, 1)),
        ("left", "down", (0, 4)),
        ("right", "up", (6, 0)),
        ("right", "down", (6, 2)),
    ],
)
def test_left_and_right_decide_and_up_and_down_break_the_tie(
    large: str, small: str, best: tuple[int, int]
) -> None:
    places = [(3, 9), (0, 4), (6, 0), (0, 1), (6, 2), (3, -9)]
    for order in (places, places[::-1], sorted(places)):
        for card in TABLES.nomad_cards:
            if card.right == (large == "right") and card.down == (small == "down"):
                assert order[arrows.pointed(card, order)] == best


@pytest.mark.rule("SOL-10")
def test_the_arrows_are_those_of_the_newest_card() -> None:
    table = solo().display("ember_feast", "bone_flute")
    table.area(stack=["last_spear", "first_light"], pile=["wolf_song"])  # right; left on top
    assert table.gains("culture").texts == ["nomad-culture ember_feast 0"]
    table.area(stack=["first_light", "last_spear"], pile=["wolf_song"])
    assert table.gains("culture").texts == ["nomad-culture bone_flute 1"]


@pytest.mark.rule("SOL-10")
def test_cards_keep_their_places_and_refills_start_at_the_top_left() -> None:
    table = solo().grounds("glyptodon", "woolly_rhino", "", "", "", "woolly_rhino")
    table.animal_deck("ground_sloth", "argentavis").arrows("right", "down").gains(
        "animal, reveal 2"
    )
    assert table.steps(3) == ["nomad-animal woolly_rhino 5", "reveal", "reveal"]
    names = ["" if a == EMPTY else TABLES.animals[a].name for a in table.position.grounds]
    assert names == ["glyptodon", "woolly_rhino", "ground_sloth", "argentavis", "", ""]


# --- the turn ---


@pytest.mark.rule("SOL-07")
def test_a_turn_is_a_new_card_a_figure_and_its_actions() -> None:
    table = solo().nomad_turn(1, "first_light").listen()
    assert table.kind == "nomad"
    assert table.step() == "nomad-reveal"
    assert table.nomad.stack == bytes((0,))
    assert 0 not in table.nomad.deck
    assert table.step() == "nomad-column initiate"
    assert table.at(NOMAD).figures.count(0) == 2
    assert table.position.place == 1
    assert table.texts == ["nomad first_light: tools 1 food 0"]  # a Bury without Sacrifice deck
    assert table.steps() == ["nomad first_light: tools 1 food 0", "nomad first_light: honor"]
    assert table.seat == PLAYER
    assert table.position.place == 0
    assert events.TURN_ENDED in [event[0] for event in table.events]


@pytest.mark.rule("SOL-07")
def test_its_first_figure_of_a_column_uses_up_the_bottom_action_and_brings_nothing() -> None:
    table = solo(tables=with_cells(wolf_song="hunt: pile")).nomad_turn(1, "wolf_song")
    table.animal_deck("glyptodon", "glyptodon")
    table.steps()
    assert table.position.first[4] == 1 + NOMAD
    assert table.at(NOMAD).animals == b""  # the bottom of Hunt is an Animal
    table.do("place chief hunt")
    assert not table.can("bottom")


@pytest.mark.rule("SOL-07")
def test_its_three_figures_are_used_up_one_a_turn() -> None:
    table = solo()
    for number, card in enumerate(("first_light", "knapped_edge", "long_march"), 1):
        table.nomad_turn(number, card)
        table.steps()
        assert 3 - table.at(NOMAD).figures.count(0) == number


@pytest.mark.rule("SOL-07")
def test_with_its_deck_used_up_the_newest_card_stays_the_newest() -> None:
    table = solo()
    every = [card.name for card in TABLES.nomad_cards]
    table.area(stack=["wolf_song"], pile=[name for name in every if name != "wolf_song"])
    assert table.nomad.deck == b""
    table.turn(NOMAD, 2)
    assert table.texts == ["nomad-column hunt"]


@pytest.mark.rule("SOL-08")
@pytest.mark.parametrize("column", COLUMNS)
def test_an_empty_column_is_taken_at_once(column: str) -> None:
    others = [name for name in COLUMNS if name != column]
    card = next(c.name for c in TABLES.nomad_cards if c.column == 1 + COLUMNS.index(column))
    table = solo().occupied(*others).nomad_turn(1, card)
    table.step()
    assert table.texts == [f"nomad-column {column}"]


@pytest.mark.rule("SOL-08")
@pytest.mark.parametrize(
    ("card", "taken", "column"),
    [
        ("first_light", ["initiate"], "hunt"),  # initiate, left: round the end
        ("ash_circle", ["initiate"], "hunt"),  # left, though the small arrow points down
        ("red_ochre", ["initiate"], "develop"),  # right, though the small arrow points up
        ("bone_whistle", ["initiate"], "develop"),  # initiate, right
        ("bone_whistle", ["initiate", "develop"], "migrate"),
        ("last_spear", ["hunt"], "initiate"),  # hunt, right: round the end
        ("last_spear", ["hunt", "initiate"], "develop"),
        ("mammoth_pit", ["hunt", "migrate", "develop"], "initiate"),  # hunt, left
        ("long_march", ["migrate"], "develop"),  # migrate, left
    ],
)
def test_from_a_taken_column_the_arrow_leads_to_the_next_empty_one(
    card: str, taken: list[str], column: str
) -> None:
    table = solo().occupied(*taken).nomad_turn(1, card)
    table.step()
    assert table.texts == [f"nomad-column {column}"]


@pytest.mark.rule("SOL-08")
@pytest.mark.parametrize("card", ["first_light", "knapped_edge", "snow_bridge", "last_spear"])
def test_with_all_columns_occupied_it_takes_the_indicated_one(card: str) -> None:
    table = solo().occupied(*COLUMNS).nomad_turn(1, card)
    table.step()
    column = next(c.column for c in TABLES.nomad_cards if c.name == card)
    assert table.texts == [f"nomad-column {COLUMNS[column - 1]}"]


@pytest.mark.rule("SOL-08")
def test_the_round_of_the_rulebook() -> None:
    """Hunt; Migrate is taken and the arrow points left, so Develop; all occupied, so Hunt."""
    table = solo().area(deck=["wolf_song", "long_march", "last_spear"], stack=[], pile=[])
    table.turn(NOMAD, 1)
    assert "nomad-column hunt" in table.steps()
    table.do("place tribe migrate", "end")
    assert "nomad-column develop" in table.steps()
    table.do("place tribe initiate", "end")
    assert "nomad-column hunt" in table.steps()
    assert table.at(NOMAD).figures == bytes((4, 4, 2))
    table.do("place chief rest")
    assert list(table.position.first) == [0, 1 + PLAYER, 1 + NOMAD, 1 + PLAYER, 1 + NOMAD]


@pytest.mark.rule("SOL-09")
def test_the_second_turn_of_the_rulebook() -> None:
    """Initiate: a Megalith and a Bury of the new card, two Eclipse cards of the one below."""
    table = solo().area(sacrifice=["bone_flute"])
    table.nomad_turn(2, "ash_circle", stack=("red_ochre",))
    table.area(sacrifice=["bone_flute"], stack=["red_ochre"], deck=["ash_circle"])
    assert table.steps(2) == ["nomad-reveal", "nomad-column initiate"]
    assert table.step().startswith("nomad ash_circle: megalith")
    while table.position.agenda[-1][2] != 3:  # what the Megalith's space brings
        table.step()
    assert table.steps() == [
        "nomad ash_circle: nomad-bury",
        "nomad red_ochre: nomad-pile",
        "nomad red_ochre: nomad-pile",
    ]
    assert table.names(NOMAD, "buried") == ["bone_flute"]
    assert len(table.nomad.pile) == 2


@pytest.mark.rule("SOL-09")
def test_every_open_card_acts_in_the_column_of_the_figure_not_in_its_own() -> None:
    cells = {
        "wolf_song": "develop: food",
        "first_light": "develop: tool",
        "far_fires": "develop: idol",
    }
    table = solo(tables=with_cells(**cells)).occupied("hunt", "initiate", "migrate")
    table.nomad_turn(2, "wolf_song", stack=("far_fires", "first_light"))
    assert table.steps() == [
        "nomad-reveal",
        "nomad-column develop",
        "nomad wolf_song: food 1",
        "nomad first_light: tools 1 food 0",
        "nomad far_fires: honor",
    ]


# --- hard mode ---


@pytest.mark.rule("SOL-11")
def test_a_card_lies_open_from_the_start_of_each_round() -> None:
    assert len(area_of(dealt(extra_card=True).position).stack) == 1
    assert area_of(dealt().position).stack == b""
    assert open_when_its_turns_begin(extra_card=True) == [[1, 2, 3]] * 4
    assert open_when_its_turns_begin() == [[0, 1, 2]] * 4


def open_when_its_turns_begin(**switches: Any) -> list[list[int]]:
    """By round and turn of a game of defaults: how many cards lie open before the next one does."""
    game = dealt(**switches)
    found: list[list[int]] = [[] for _ in range(4)]
    while game.decision is not None:
        if game.text(game.options()[0]) == "nomad-reveal":
            found[game.position.round - 1].append(len(area_of(game.position).stack))
        game.apply(game.decision.default)
    return found


@pytest.mark.rule("SOL-11")
def test_with_it_a_first_turn_acts_by_two_cards() -> None:
    cells = {"wolf_song": "hunt: food", "first_light": "hunt: tool"}
    table = solo(tables=with_cells(**cells), extra_card=True)
    table.nomad_turn(1, "wolf_song", stack=("first_light",))
    assert table.steps()[2:] == ["nomad wolf_song: food 1", "nomad first_light: tools 1 food 0"]


@pytest.mark.rule("SOL-11")
@pytest.mark.parametrize(("village", "influence"), [(False, 1), (True, 2)])
def test_the_token_counts_as_a_camp_or_as_a_village(village: bool, influence: int) -> None:
    table = solo(token_is_village=village).player(NOMAD, villages=[13, 15, 17])
    table.area(token=20)
    found = board.influences(table.position)
    assert [found[NOMAD][hex_] for hex_ in JUNCTURES[20]] == [influence] * 3
    assert found[PLAYER][5] == 0


@pytest.mark.rule("SOL-11")
@pytest.mark.parametrize("village", [False, True])
def test_the_token_takes_a_hex_from_the_player_or_not(village: bool) -> None:
    """Two Camps of the player on hex 5: more than a Camp, as much as a Village."""
    table = (
        solo(token_is_village=village).player(NOMAD, villages=[13, 15, 17]).all_terrain("canyon")
    )
    table.area(token=20).player(PLAYER, camps=[5, 5])
    table.position.agenda = [
        (agenda.ROUND, 0, 0, b""),
        (agenda.NOMAD, NOMAD, 5, bytes(h for h in range(19) if h != 5)),
    ]
    table.table()
    assert (table.kind == "nomad") == village


# --- who wins ---


@pytest.mark.rule("SOL-12")
@pytest.mark.parametrize(
    ("mine", "its", "order", "winner"),
    [(31, 30, (1, 0), 0), (30, 31, (0, 1), 1), (30, 30, (1, 0), 1), (30, 30, (0, 1), 0)],
)
def test_more_points_win_and_a_tie_goes_to_whoever_is_ahead_in_turn_order(
    mine: int, its: int, order: tuple[int, int], winner: int
) -> None:
    table = solo(round_=4)
    table.player(PLAYER, points={"terrain": mine}).player(NOMAD, points={"terrain": its})
    table.table(order=bytes(order), over=True, agenda=[], turn=6)
    result = table.game.result
    assert result is not None
    assert result.winner == winner


# --- the guide ---

GUIDE = Path(__file__).parents[2] / "docs" / "nomad.md"


def test_the_guide_names_every_switch_and_its_example_runs(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
    assert named == set(NOMAD_SWITCHES)
    match = re.search(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert match is not None
    exec(match[1], {})
    assert "1 nomad nomad-reveal" in capsys.readouterr().out
