"""SET: setting up a game of 2 to 4 players."""

from __future__ import annotations

from collections import Counter

import pytest

from endless_winter.rules import BadConfig, Config, Game, agenda, events
from endless_winter.rules.points import NO_POINTS
from endless_winter.rules.sources import SET_07
from endless_winter.rules.tables import Card, SetupCard
from endless_winter.rules.terrain import ADJACENT, HEXES
from endless_winter.rules.zones import EMPTY
from tests.rules.plain_tables import changed
from tests.rules.scene import CARDS, TABLES, TERRAINS, scene

SEEDS = [bytes([number]) * 32 for number in range(8)]
COUNTS = [2, 3, 4]
every_count = pytest.mark.parametrize("players", COUNTS)


def begun(players: int, seed: bytes, layout: str = "", tables: object = TABLES) -> Game:
    """A game whose first decision, the side of a Chief, is pending; the hands are not drawn."""
    assert isinstance(tables, type(TABLES))
    return Game.new(Config(tables, players=players, layout=layout), seed, listen=True)


def laid_out(players: int, seed: bytes, layout: str = "", tables: object = TABLES) -> Game:
    """A game that is set up, every Chief with the first side up."""
    game = begun(players, seed, layout, tables)
    while (decision := game.decision) is not None and decision.kind == agenda.CHOOSE_CHIEF:
        game.apply(decision.options[0])
    return game


def setup_card(game: Game, seat: int) -> SetupCard:
    return game.position.tables.setups[game.position.players[seat].setup]


def with_setups(food: int, tools: int, *, camp: bool) -> object:
    """The pack with these values on all Setup cards."""
    setups = [
        SetupCard(card.name, card.title, food, tools, card.tribe, card.animals, camp)
        for card in TABLES.setups
    ]
    return changed(TABLES, setups=setups)


# --- SET-01 ---


@pytest.mark.rule("SET-01")
@every_count
def test_the_game_starts_in_round_one(players: int) -> None:
    game = laid_out(players, SEEDS[0])
    assert game.position.round == 1
    decision = game.decision
    assert decision is not None
    assert (decision.kind_name, decision.seat) == ("turn", game.position.order[0])


@pytest.mark.rule("SET-01")
@pytest.mark.parametrize(("round_", "eras"), [(1, {1}), (2, {1}), (3, {1, 2}), (4, {1, 2})])
def test_era_two_begins_with_round_three(round_: int, eras: set[int]) -> None:
    table = scene(round_=round_).player(0, food=6, tools=5).do("place tribe develop")
    offered = {text.removeprefix("stone ") for text in table.offers("stone")}
    assert {stone.era for stone in TABLES.stones if stone.name in offered} == eras


@pytest.mark.rule("SET-01")
def test_the_game_ends_after_round_four() -> None:
    game = laid_out(2, SEEDS[1])
    rounds = set()
    while (decision := game.decision) is not None:
        rounds.add(game.position.round)
        game.apply(decision.default)
    assert rounds == {1, 2, 3, 4}
    assert game.result is not None


# --- SET-02 ---


@pytest.mark.rule("SET-02")
@pytest.mark.parametrize(("players", "each"), [(2, 4), (3, 6), (4, 7)])
def test_half_of_the_sacred_stones_in_play_are_of_each_era(players: int, each: int) -> None:
    for seed in SEEDS:
        stones = laid_out(players, seed).position.stones
        assert [len(era) for era in stones] == [each, each]
        assert [len(set(era)) for era in stones] == [each, each]
        assert {TABLES.stones[stone].era for stone in stones[0]} == {1}
        assert {TABLES.stones[stone].era for stone in stones[1]} == {2}


@pytest.mark.rule("SET-02")
@every_count
def test_which_sacred_stones_are_in_play_is_random_in_each_era(players: int) -> None:
    games = [laid_out(players, bytes([n]) * 32).position.stones for n in range(24)]
    assert len({stones[0] for stones in games}) > 12
    assert len({stones[1] for stones in games}) > 12
    for era in (0, 1):
        assert len({stone for stones in games for stone in stones[era]}) == 10
        # The Eras are shuffled apart: the same places of both are not always in play.
    assert any(bytes(s - 10 for s in stones[1]) != stones[0] for stones in games)


@pytest.mark.rule("SET-02")
@every_count
def test_each_stone_lies_on_a_random_place_of_its_section(players: int) -> None:
    games = [laid_out(players, bytes([n]) * 32).position.stones for n in range(40)]
    for era in (0, 1):
        rows = [stones[era] for stones in games]
        assert len({row[0] for row in rows}) > 5
        assert len({row[-1] for row in rows}) > 5
        assert any(row[0] > row[1] for row in rows)


@pytest.mark.rule("SET-02")
def test_a_taken_stone_does_not_move_the_others() -> None:
    table = scene(2).player(0, food=6, tools=3, hand=["brave"])
    table.position.stones = [bytes((7, 2, 9, 4)), bytes((15, 11, 13, 12))]
    table.turn(0).do("place tribe develop")
    assert table.offers("stone") == [f"stone {TABLES.stones[n].name}" for n in (7, 2, 9, 4)]
    table.do(f"stone {TABLES.stones[2].name}")
    assert table.position.stones[0] == bytes((7, 9, 4))


# --- SET-03 ---


@pytest.mark.rule("SET-03")
@every_count
def test_there_are_five_tribe_decks_of_fifteen(players: int) -> None:
    for seed in SEEDS:
        assert list(begun(players, seed).position.tribes) == [15] * 5


@pytest.mark.rule("SET-03")
def test_a_tribe_deck_holds_fifteen_cards_of_its_type_and_no_more() -> None:
    table = scene().table(tribes=begun(2, SEEDS[0]).position.tribes).gain(0, "tribe 16")
    table.do(*["tribe shaman"] * 16)
    assert table.names(0, "hand") == ["shaman"] * 15
    assert list(table.position.tribes) == [15, 15, 0, 15, 15]
    assert table.score(0) == 1


# --- SET-04 ---


@pytest.mark.rule("SET-04")
@every_count
def test_eight_culture_cards_of_era_one_lie_in_the_display(players: int) -> None:
    for seed in SEEDS:
        position = laid_out(players, seed).position
        assert len(position.display) == 8
        assert EMPTY not in position.display
        assert [len(deck) for deck in position.culture] == [12, 20]
        first = [n for n, card in enumerate(TABLES.cards) if card.era == 1]
        second = [n for n, card in enumerate(TABLES.cards) if card.era == 2]
        assert sorted(position.display + position.culture[0]) == first
        assert sorted(position.culture[1]) == second


@pytest.mark.rule("SET-04")
def test_both_culture_decks_are_shuffled() -> None:
    games = [laid_out(2, seed).position for seed in SEEDS]
    assert len({position.display for position in games}) == len(SEEDS)
    assert len({position.culture[0] for position in games}) == len(SEEDS)
    assert len({position.culture[1] for position in games}) == len(SEEDS)
    for position in games:
        assert list(position.culture[1]) != sorted(position.culture[1])
        assert [c - 20 for c in position.culture[1]] != list(position.display + position.culture[0])


@pytest.mark.rule("SET-04")
def test_the_era_two_deck_is_not_touched_before_the_end_of_round_two() -> None:
    """The display of the scene is empty, so all eight places are filled."""
    table = scene()
    before = table.position.culture[1]
    for round_, left in ((1, before), (2, before[8:])):
        assert (table.position.round, table.position.culture[1]) == (round_, before)
        table.eclipse()
        while table.can("leave"):
            table.do("leave")
        assert table.position.culture[1] == left
        assert {TABLES.cards[card].era for card in table.position.display} == {round_}


# --- SET-05 ---


@pytest.mark.rule("SET-05")
@every_count
def test_everybody_starts_with_the_same_board(players: int) -> None:
    for seed in SEEDS:
        for player in begun(players, seed).position.players:
            assert (player.food, player.tools) == (0, 0)
            assert (player.camps, player.villages, player.stones) == (b"", b"", b"")
            assert player.megaliths == 10
            assert player.figures == b"\0\0\0"
            assert player.discard + player.above + player.pile + player.buried == b""


@pytest.mark.rule("SET-05")
def test_a_board_holds_five_camps_and_three_villages() -> None:
    table = scene().player(0, camps=[]).gain(0, "camp 9")
    for _ in range(5):
        table.do("camp")
    assert table.kind == "turn"
    assert len(table.at(0).camps) == 5


@pytest.mark.rule("SET-05")
def test_of_the_ten_megaliths_of_a_board_the_first_two_are_neutral() -> None:
    table = scene()
    for placed in range(10):
        table.gain(0, "megalith")
        site = next(text for text in table.texts if "," in text)
        before = table.position.megaliths
        table.do(site)
        after = table.position.megaliths
        assert [b for a, b in zip(before, after, strict=True) if a != b] == [1 if placed < 2 else 2]
        assert table.at(0).megaliths == 9 - placed
    table.gain(0, "megalith")
    assert not [text for text in table.texts if "," in text]


@pytest.mark.rule("SET-05")
def test_there_are_one_chief_and_two_tribe_figures() -> None:
    table = scene()
    assert table.can("place tribe hunt", "place chief hunt")
    table.do("place tribe hunt", "end").turn(0)
    assert table.can("place tribe hunt", "place chief hunt")
    table.do("place tribe hunt").turn(0)
    assert not table.can("place tribe hunt")
    assert table.can("place chief hunt")
    table = scene().do("place chief rest", "draw as food").turn(0)
    assert not table.can("place chief hunt")
    assert table.can("place tribe hunt")


@pytest.mark.rule("SET-05")
@every_count
def test_everybody_has_a_chief_card_of_their_own_and_chooses_its_side(players: int) -> None:
    for seed in SEEDS:
        game = begun(players, seed)
        cards = []
        for number in range(players):
            decision = game.decision
            assert decision is not None
            texts = [game.text(code) for code in decision.options]
            card = texts[0].removeprefix("chief ").removesuffix("_a")
            assert texts == [f"chief {card}_a", f"chief {card}_b"]
            cards.append(card)
            game.apply(decision.options[number % 2])
            chief = TABLES.chiefs[game.position.players[decision.seat].chief]
            assert chief.name == f"{card}_{'ab'[number % 2]}"
        assert len(set(cards)) == players


@pytest.mark.rule("SET-05")
def test_the_chief_cards_are_dealt_at_random() -> None:
    games = [laid_out(4, bytes([n]) * 32).position for n in range(24)]
    for seat in range(4):
        assert len({position.players[seat].chief for position in games}) == 5


# --- SET-06 ---


@pytest.mark.rule("SET-06")
@every_count
def test_a_setup_card_brings_food_tools_a_tribe_card_and_animals(players: int) -> None:
    for seed in SEEDS:
        game = laid_out(players, seed)
        first = game.position.players[game.position.order[0]]
        card = setup_card(game, first.seat)
        assert (first.food, first.tools) == (card.food, card.tools)
        for player in game.position.players:
            card = setup_card(game, player.seat)
            assert card.tribe in player.hand
            assert player.animals == bytes(sorted(card.animals))
            assert player.tipped == b""
            assert len(player.camps) == (2 if card.camp else 1)
            assert set(player.camps) == {0}


@pytest.mark.rule("SET-06")
@every_count
def test_the_setup_cards_are_dealt_at_random_one_each(players: int) -> None:
    games = [laid_out(players, bytes([n]) * 32).position for n in range(24)]
    for position in games:
        assert len({player.setup for player in position.players}) == players
    for seat in range(players):
        assert len({position.players[seat].setup for position in games}) == 5


@pytest.mark.rule("SET-06")
@every_count
def test_the_tribe_card_of_a_setup_card_comes_out_of_its_deck(players: int) -> None:
    for seed in SEEDS:
        game = laid_out(players, seed)
        taken = Counter(setup_card(game, seat).tribe for seat in range(players))
        assert list(game.position.tribes) == [15 - taken[card] for card in range(5)]


@pytest.mark.rule("SET-06")
@every_count
def test_the_animals_of_setup_cards_come_out_of_the_deck(players: int) -> None:
    for seed in SEEDS:
        position = laid_out(players, seed).position
        everywhere = position.animals + position.grounds.replace(b"\xff", b"")
        for player in position.players:
            everywhere += player.animals
        assert Counter(everywhere) == Counter(TABLES.animal_copies)


@pytest.mark.rule("SET-06", "SET-08")
def test_the_animals_of_setup_cards_are_taken_out_before_the_deck_is_shuffled() -> None:
    """Taking the first copies out of a shuffled deck would make their types come late.

    They are about 9 in 57 of each type's place; 200 games open with some 60 of these Animals.
    """
    opened = 0
    for number in range(200):
        position = laid_out(2, number.to_bytes(32, "big")).position
        opened += position.grounds[0] in position.players[0].animals + position.players[1].animals
    assert 45 <= opened <= 90


@pytest.mark.rule("SET-06")
def test_the_food_limit_is_applied_when_set_up_is_complete() -> None:
    """The Camps of set-up count, and so does the Food of the turn order."""
    for seed in SEEDS:
        game = laid_out(4, seed, tables=with_setups(9, 5, camp=True))
        assert [player.food for player in game.position.players] == [7] * 4
        assert [player.tools for player in game.position.players] == [5] * 4
        game = laid_out(4, seed, tables=with_setups(9, 9, camp=False))
        assert [player.food for player in game.position.players] == [6] * 4
        assert [player.tools for player in game.position.players] == [5] * 4
        game = laid_out(2, seed, tables=with_setups(6, 0, camp=True))
        first, second = game.position.order
        assert game.position.players[first].food == 6
        assert game.position.players[second].food == 7


# --- SET-07 ---


@pytest.mark.rule("SET-07")
@every_count
def test_the_starting_hand_has_five_cards_three_of_them_given(players: int) -> None:
    for seed in SEEDS:
        game = laid_out(players, seed)
        for player in game.position.players:
            tribe = setup_card(game, player.seat).tribe
            hand = Counter(player.hand)
            assert hand.total() == 5
            hand.subtract([tribe, CARDS["brave"], CARDS["tribeswoman"]])
            assert min(hand.values()) == 0
            assert len(player.deck) == 5
            assert sorted(player.hand + player.deck) == sorted([tribe, *TABLES.starting])


@pytest.mark.rule("SET-07")
def test_the_two_drawn_cards_and_the_deck_are_random_for_each_player() -> None:
    hands, decks = set(), set()
    for number in range(12):
        position = laid_out(4, bytes([number]) * 32).position
        for player in position.players:
            hands.add(tuple(card for card in player.hand if card >= 5))
            decks.add(player.deck)
        assert len({player.deck for player in position.players}) > 1
    assert len(hands) > 3
    assert len(decks) > 20


@pytest.mark.rule("SET-07")
def test_starting_hands_are_secret() -> None:
    game = begun(3, SEEDS[3])
    happened = game.take_events()
    while (decision := game.decision) is not None and decision.kind == agenda.CHOOSE_CHIEF:
        happened += game.apply(decision.options[0])
    drawn = [event for event in happened if event[0] == events.CARDS_DRAWN]
    assert drawn == [
        (events.CARDS_DRAWN, player.seat, 5, 0, player.hand, SET_07)
        for player in game.position.players
    ]


# --- SET-08 ---


@pytest.mark.rule("SET-08")
@every_count
def test_one_animal_more_than_players_lies_in_the_hunting_grounds(players: int) -> None:
    for seed in SEEDS:
        position = laid_out(players, seed).position
        assert len(position.grounds) == 6
        assert EMPTY not in position.grounds[: players + 1]
        assert set(position.grounds[players + 1 :]) <= {EMPTY}
        owned = sum(len(player.animals) for player in position.players)
        assert len(position.animals) == 60 - owned - (players + 1)


@pytest.mark.rule("SET-08")
def test_the_animal_deck_is_shuffled() -> None:
    decks = {laid_out(2, seed).position.animals for seed in SEEDS}
    assert len(decks) == len(SEEDS)
    for deck in decks:
        assert list(deck) != sorted(deck)


# --- SET-09 ---


@pytest.mark.rule("SET-09")
@every_count
def test_the_turn_order_is_random(players: int) -> None:
    orders = [laid_out(players, bytes([n]) * 32).position.order for n in range(32)]
    for order in orders:
        assert sorted(order) == list(range(players))
    for place in range(players):
        assert {order[place] for order in orders} == set(range(players))


@pytest.mark.rule("SET-09")
@every_count
def test_later_players_get_food_and_tools(players: int) -> None:
    """2nd: 1 Food; 3rd: 1 Tool; 4th: 1 Tool and 1 Food."""
    extra = [(0, 0), (1, 0), (0, 1), (1, 1)][:players]
    for seed in SEEDS:
        position = laid_out(players, seed, tables=with_setups(2, 1, camp=False)).position
        gained = [
            (position.players[seat].food - 2, position.players[seat].tools - 1)
            for seat in position.order
        ]
        assert gained == extra


# --- SET-10 ---


@pytest.mark.rule("SET-10")
@pytest.mark.parametrize(("players", "glaciers"), [(2, 6), (3, 6), (4, 3)])
def test_eighteen_tiles_lie_around_the_base(players: int, glaciers: int) -> None:
    for seed in SEEDS:
        terrain = laid_out(players, seed).position.terrain
        assert len(terrain) == 19
        assert terrain[0] == TERRAINS["base"]
        tiles = Counter(terrain[1:])
        assert TERRAINS["base"] not in tiles
        assert tiles.pop(TERRAINS["glacier"]) == glaciers
        assert sorted(tiles) == list(range(2, 8))
        assert all(1 <= number <= 3 for number in tiles.values())
        assert tiles.total() == 18 - glaciers


@pytest.mark.rule("SET-10")
@every_count
def test_which_land_is_added_and_where_tiles_lie_is_random(players: int) -> None:
    terrains = [laid_out(players, bytes([n]) * 32).position.terrain for n in range(24)]
    assert len(set(terrains)) == 24
    assert len({tuple(sorted(terrain)) for terrain in terrains}) > 12
    for hex_ in range(1, 19):
        assert len({terrain[hex_] for terrain in terrains}) > 4


@pytest.mark.rule("SET-10")
def test_the_nineteen_hexes_form_a_hexagon_around_the_base() -> None:
    assert HEXES == 19
    assert list(ADJACENT[0]) == [1, 2, 3, 4, 5, 6]
    assert [len(ADJACENT[hex_]) for hex_ in range(1, 7)] == [6] * 6
    assert sorted(len(ADJACENT[hex_]) for hex_ in range(7, 19)) == [3] * 6 + [4] * 6
    for hex_ in range(19):
        assert all(hex_ in ADJACENT[near] for near in ADJACENT[hex_])


# --- SET-11 ---


@pytest.mark.rule("SET-11")
@every_count
def test_everybody_has_a_camp_on_the_base(players: int) -> None:
    for seed in SEEDS:
        game = laid_out(players, seed, tables=with_setups(0, 0, camp=False))
        assert [player.camps for player in game.position.players] == [b"\0"] * players


# --- SET-12 ---


@pytest.mark.rule("SET-12")
@every_count
def test_the_four_megalith_tiles_are_shuffled(players: int) -> None:
    games = [laid_out(players, bytes([n]) * 32).position for n in range(24)]
    for position in games:
        assert sorted(position.tiles) == [0, 1, 2, 3]
        assert not any(position.megaliths)
    for slot in range(4):
        assert {position.tiles[slot] for position in games} == {0, 1, 2, 3}


@pytest.mark.rule("SET-12")
@pytest.mark.parametrize(("players", "name"), [(2, "two"), (3, "three"), (4, "four")])
def test_the_layout_of_the_player_count_is_the_default(players: int, name: str) -> None:
    game = laid_out(players, SEEDS[0])
    chosen = laid_out(players, SEEDS[0], layout=name)
    assert game.position.config.layout == name
    assert game.position.sites.index == chosen.position.sites.index


@pytest.mark.rule("SET-12")
@every_count
def test_another_layout_may_be_chosen(players: int) -> None:
    spaces = {}
    for layout in TABLES.layouts:
        position = laid_out(players, SEEDS[0], layout=layout.name).position
        spaces[layout.name] = {(x, y) for x, y, level in position.sites.index if level == 0}
        assert {slot[:2] for slot in layout.slots} <= spaces[layout.name]
        assert len(spaces[layout.name]) == 32
    assert spaces["two"] != spaces["three"] != spaces["four"] != spaces["two"]


@pytest.mark.rule("SET-12")
def test_a_layout_that_is_not_in_the_pack_is_refused() -> None:
    with pytest.raises(BadConfig, match="seven"):
        Config(TABLES, players=2, layout="seven")


# --- SET-13 ---


@pytest.mark.rule("SET-13")
@every_count
def test_idol_markers_start_below_their_tracks_and_scores_at_zero(players: int) -> None:
    for seed in SEEDS:
        position = laid_out(players, seed).position
        for player in position.players:
            assert (player.offering, player.honor) == (0, 0)
            assert (player.score, player.points) == (0, NO_POINTS)
        assert position.honor_queue == b""


@pytest.mark.rule("SET-13")
def test_the_first_idol_enters_the_first_space() -> None:
    table = scene().gain(0, "idol 2").do("offering", "honor")
    assert (table.at(0).offering, table.at(0).honor) == (1, 1)


# --- SET-14 ---


@pytest.mark.rule("SET-14")
@pytest.mark.parametrize("card", ["brave", "tribeswoman", "tribesman"])
def test_a_starting_card_is_played_for_labor_like_a_tribe_card(card: str) -> None:
    table = scene().player(0, hand=[card])
    assert table.offers("culture") == []
    table.do("place tribe develop")
    assert table.offers("play") == [f"play {card}"]
    table.do(f"play {card}")
    assert table.position.labor >= TABLES.cards[CARDS[card]].labor > 0


@pytest.mark.rule("SET-14")
@pytest.mark.parametrize("card", ["brave", "tribeswoman", "tribesman"])
def test_a_starting_card_can_be_buried(card: str) -> None:
    table = scene().player(0, hand=[card]).gain(0, "bury").do(f"bury {card} hand")
    assert table.names(0, "buried") == [card]


@pytest.mark.rule("SET-14")
def test_a_starting_card_counts_and_stays_in_the_eclipse_pile() -> None:
    """A Brave has 1 1/2 Labor, so its owner comes before a Hunter's, with 1."""
    table = scene(3).player(2, hand=["brave"]).player(1, pile=["hunter"])
    table.turn(2, 3).do("place tribe hunt", "end", "pile brave")
    assert table.names(2, "pile") == ["brave"]
    assert table.names(2, "hand") == []
    assert list(table.position.order) == [2, 1, 0]


@pytest.mark.rule("SET-14")
def test_points_printed_on_a_starting_card_count_in_the_end() -> None:
    cards = list(TABLES.cards)
    plain = TABLES.cards[CARDS["brave"]]
    cards[CARDS["brave"]] = Card(
        plain.name, plain.title, plain.labor, 2, plain.era, plain.abilities
    )
    tables = changed(TABLES, cards=cards)
    table = scene(round_=4).player(0, hand=["brave"], deck=["brave"]).table(tables=tables)
    table.eclipse()
    while table.can("leave"):
        table.do("leave")
    result = table.game.result
    assert result is not None
    assert (result.scores[0].cards, result.scores[1].cards) == (4, 0)


# --- SET-15 ---


@pytest.mark.rule("SET-15")
@every_count
def test_chief_sides_are_chosen_in_turn_order_before_hands_are_drawn(players: int) -> None:
    for seed in SEEDS:
        game = begun(players, seed)
        seats = []
        while (decision := game.decision) is not None and decision.kind == agenda.CHOOSE_CHIEF:
            seats.append(decision.seat)
            for player in game.position.players:
                assert player.hand + player.deck == b""
            game.apply(decision.options[1])
        assert seats == list(game.position.order)
        assert all(len(player.hand) == 5 for player in game.position.players)


@pytest.mark.rule("SET-15")
def test_everybody_sees_which_side_of_a_chief_is_chosen() -> None:
    game = begun(2, SEEDS[0])
    for _ in range(2):
        decision = game.decision
        assert decision is not None
        happened = game.apply(decision.options[1])
        side = game.position.players[decision.seat].chief
        assert (events.CHIEF_CHOSEN, decision.seat, side, 0, b"", 0) in happened


@pytest.mark.rule("SET-02")
@pytest.mark.parametrize("draft", [False, True])
def test_nothing_laid_out_shows_in_which_order_it_was_drawn(draft: bool) -> None:
    for number in range(8):
        config = Config(TABLES, players=3, chief_draft=draft)
        position = Game.new(config, bytes((number,)) * 32).position
        for zone in (position.chiefs, position.setups):
            assert zone == bytes(sorted(zone))
        assert [len(era) for era in position.stones] == [6, 6]
        assert len(position.chiefs) == len(position.setups) == (4 if draft else 0)


@pytest.mark.rule("SET-05")
def test_the_setup_of_every_player_and_the_beginning_of_the_game_are_events() -> None:
    game = Game.new(Config(TABLES, players=3), bytes(32), True)
    happened = game.take_events()
    while game.decision is not None and game.decision.kind == agenda.CHOOSE_CHIEF:
        happened += game.apply(game.decision.default)
    players = game.position.players
    chosen = [event[1:3] for event in happened if event[0] == events.SETUP_CHOSEN]
    assert chosen == [(player.seat, player.setup) for player in players]
    began = [event for event in happened if event[0] == events.GAME_BEGAN]
    assert began == [(events.GAME_BEGAN, 0, 0, 0, b"", 0)]


@pytest.mark.rule("SET-06")
@pytest.mark.parametrize("animal", sorted(set(TABLES.animal_copies)))
def test_two_players_may_start_with_the_same_animal(
    animal: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for card in TABLES.setups:
        monkeypatch.setattr(card, "animals", bytes((animal, animal)))
    for number in range(8):
        game = Game.new(Config(TABLES, players=2), bytes((number,)) * 32)
        while game.decision is not None and game.decision.kind == agenda.CHOOSE_CHIEF:
            game.apply(game.decision.default)
        position = game.position
        assert [player.animals for player in position.players] == [bytes((animal, animal))] * 2
        everywhere = position.animals + position.grounds + bytes((animal,)) * 4
        seen = bytes(sorted(piece for piece in everywhere if piece != EMPTY))
        assert seen == bytes(sorted(TABLES.animal_copies))
