"""PRP: the Preparation phase."""

from __future__ import annotations

import pytest

from endless_winter.rules.zones import EMPTY
from tests.rules.scene import CARDS, TABLES, Scene, scene

ERA_1 = {number for number, card in enumerate(TABLES.cards) if card.era == 1}
ERA_2 = {number for number, card in enumerate(TABLES.cards) if card.era == 2}


def end_round(table: Scene) -> Scene:
    """Go through the Eclipse phase, declining everything, and through the Preparation phase."""
    table.eclipse()
    while table.kind not in ("turn", ""):
        table.do("leave")
    return table


def shown(table: Scene) -> list[str]:
    return ["" if card == EMPTY else TABLES.cards[card].name for card in table.position.display]


def hunted(table: Scene) -> list[str]:
    """The Animals in the Hunting Grounds, place by place."""
    return ["" if a == EMPTY else TABLES.animals[a].name for a in table.position.grounds]


# --- PRP-01 ---


@pytest.mark.rule("PRP-01")
@pytest.mark.parametrize("round_", [1, 2, 3])
def test_the_round_marker_moves_on_and_the_first_in_order_takes_a_turn(round_: int) -> None:
    table = end_round(scene(3, round_=round_).player(1, pile=["brave"]))
    assert table.position.round == round_ + 1
    assert (table.kind, table.seat) == ("turn", 1)


@pytest.mark.rule("PRP-01")
def test_all_figures_come_home() -> None:
    table = scene(2).player(0, figures=["hunt", "rest", "develop"])
    end_round(table.player(1, figures=["rest", "initiate", "initiate"]))
    assert [table.at(seat).figures for seat in (0, 1)] == [b"\0\0\0", b"\0\0\0"]
    assert table.can("place chief hunt", "place tribe hunt")


@pytest.mark.rule("PRP-01")
def test_figures_that_came_home_leave_the_bottom_sections_free() -> None:
    table = end_round(scene(2).table(first=bytes((0, 1, 2, 1, 2))))
    assert table.position.first == bytes(5)
    table.do("place tribe develop")
    assert table.can("bottom")


@pytest.mark.rule("PRP-01")
def test_everybody_has_three_turns_again() -> None:
    table = end_round(scene(2).player(0, figures=["hunt", "rest", "develop"]))
    seats = []
    while table.position.round == 2 and table.kind == "turn":
        seats.append(table.seat)
        table.do(table.offers("place")[0])
        while table.kind in ("act", "gain", "build_pile"):
            table.do(table.texts[-1])
    assert seats == [0, 1] * 3


@pytest.mark.rule("PRP-01", "PRP-02", "PRP-06")
def test_there_is_no_preparation_after_round_four() -> None:
    table = scene(2, round_=4).player(0, figures=["hunt", "hunt", "hunt"], deck=["elder"] * 9)
    end_round(table)
    assert (table.kind, table.position.over) == ("", True)
    assert table.position.round == 4
    assert table.at(0).hand == b""
    assert hunted(table) == [""] * 6
    assert shown(table) == [""] * 8


# --- PRP-02 ---


@pytest.mark.rule("PRP-02")
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("there", [0, 1, 2])
def test_the_hunting_grounds_are_filled_up_to_players_plus_one(players: int, there: int) -> None:
    table = scene(players).grounds(*["glyptodon"] * there)
    end_round(table.animal_deck(*["woolly_rhino"] * 9))
    drawn = players + 1 - there
    assert hunted(table) == ["glyptodon"] * there + ["woolly_rhino"] * drawn + [""] * (5 - players)
    assert len(table.position.animals) == 9 - drawn


@pytest.mark.rule("PRP-02")
@pytest.mark.parametrize("there", [3, 4, 6])
def test_more_animals_than_wanted_stay(there: int) -> None:
    table = scene(2).grounds(*["glyptodon"] * there).animal_deck(*["woolly_rhino"] * 9)
    end_round(table)
    assert hunted(table) == ["glyptodon"] * there + [""] * (6 - there)
    assert len(table.position.animals) == 9


@pytest.mark.rule("PRP-02")
def test_animals_keep_their_places_and_gaps_are_filled_in_order() -> None:
    table = scene(3).grounds("", "glyptodon", "", "ground_sloth")
    end_round(table.animal_deck("woolly_mammoth", "argentavis", "woolly_rhino"))
    assert hunted(table) == ["woolly_mammoth", "glyptodon", "argentavis", "ground_sloth", "", ""]


@pytest.mark.rule("PRP-02")
@pytest.mark.parametrize("left", [0, 1, 2])
def test_an_animal_deck_too_short_fills_what_it_can(left: int) -> None:
    table = end_round(scene(4).animal_deck(*["woolly_rhino"] * left))
    assert hunted(table) == ["woolly_rhino"] * left + [""] * (6 - left)
    assert table.position.animals == b""


# --- PRP-03, PRP-04, PRP-05, PRP-07: the Culture display ---


@pytest.mark.rule("PRP-03")
def test_after_round_one_gaps_are_filled_from_the_era_one_deck() -> None:
    table = scene(2).display("", "ember_feast", "", "", "flint_cache", "bone_flute", "long_drum")
    deck = table.position.culture[0]
    second = table.position.culture[1]
    table.table(culture=[deck, second])
    end_round(table)
    display = table.position.display
    assert [display[1], display[4], display[5], display[6]] == [
        CARDS[name] for name in ("ember_feast", "flint_cache", "bone_flute", "long_drum")
    ]
    assert bytes(display[place] for place in (0, 2, 3, 7)) == deck[:4]
    assert table.position.culture == [deck[4:], second]


@pytest.mark.rule("PRP-03")
def test_no_era_one_card_is_dealt_any_more_after_round_one() -> None:
    """That is what the Cap on the Era I deck means."""
    table = end_round(scene(2))
    deck = table.position.culture[0]
    assert deck
    for _ in (2, 3):
        table.table(display=bytes((EMPTY,)) * 8)
        end_round(table)
        assert table.position.culture[0] == deck
        assert set(table.position.display) <= ERA_2


@pytest.mark.rule("PRP-04")
def test_after_round_two_the_display_is_removed_and_dealt_anew_from_era_two() -> None:
    table = scene(2, round_=2).display("ember_feast", "", "flint_cache", "bone_flute")
    first, second = table.position.culture
    end_round(table)
    assert table.position.display == second[:8]
    assert set(table.position.display) <= ERA_2
    assert table.position.culture == [first, second[8:]]


@pytest.mark.rule("PRP-04")
def test_removed_culture_cards_are_out_of_the_game() -> None:
    names = ["ember_feast", "flint_cache", "bone_flute", "long_drum"]
    names += ["story_circle", "first_cairn", "raised_slab", "trail_signs"]
    table = scene(2, round_=2).table(culture=[b"", bytes(sorted(ERA_2))]).display(*names)
    end_round(table)
    everywhere = table.position.display + b"".join(table.position.culture)
    for player in table.position.players:
        everywhere += player.hand + player.deck + player.discard + player.buried
    assert not set(everywhere) & ERA_1
    assert sorted(everywhere) == sorted(ERA_2)


@pytest.mark.rule("PRP-05")
def test_after_round_three_gaps_are_filled_from_the_era_two_deck() -> None:
    table = scene(2, round_=3).display("sun_circle", "", "longhouse", "", "", "", "", "great_drive")
    first = table.position.culture[0]
    deck = bytes(CARDS[name] for name in ("eagle_dance", "great_hearth", "ochre_rites"))
    deck += bytes(CARDS[name] for name in ("trophy_hall", "star_watchers", "elder_council"))
    table.table(culture=[first, deck])
    end_round(table)
    assert shown(table) == [
        "sun_circle",
        "eagle_dance",
        "longhouse",
        "great_hearth",
        "ochre_rites",
        "trophy_hall",
        "star_watchers",
        "great_drive",
    ]
    assert table.position.culture == [first, deck[5:]]


@pytest.mark.rule("PRP-03", "PRP-05")
@pytest.mark.parametrize("round_", [1, 3])
def test_a_full_display_is_left_alone(round_: int) -> None:
    names = ["ember_feast", "flint_cache", "bone_flute", "long_drum"]
    names += ["story_circle", "first_cairn", "raised_slab", "trail_signs"]
    table = scene(2, round_=round_).display(*names)
    decks = list(table.position.culture)
    end_round(table)
    assert shown(table) == names
    assert table.position.culture == decks


@pytest.mark.rule("PRP-07")
@pytest.mark.parametrize("round_", [1, 3])
def test_a_culture_deck_too_short_fills_the_first_gaps_in_order(round_: int) -> None:
    table = scene(2, round_=round_).display("", "ember_feast", "", "", "flint_cache")
    short = bytes((CARDS["eagle_dance"], CARDS["sun_circle"]))
    table.table(culture=[short, b""] if round_ == 1 else [b"", short])
    end_round(table)
    expected = ["eagle_dance", "ember_feast", "sun_circle", "", "flint_cache", "", "", ""]
    assert shown(table) == expected
    assert table.position.culture == [b"", b""]


@pytest.mark.rule("PRP-07")
@pytest.mark.parametrize("left", [0, 1, 7])
def test_after_round_two_a_short_deck_leaves_the_last_places_empty(left: int) -> None:
    table = scene(2, round_=2).display(*["ember_feast"] * 8)
    deck = bytes(sorted(ERA_2))[:left]
    table.table(culture=[bytes(sorted(ERA_1)), deck])
    end_round(table)
    assert table.position.display == deck + bytes((EMPTY,)) * (8 - left)


# --- PRP-06 ---


@pytest.mark.rule("PRP-06")
@pytest.mark.parametrize("players", [2, 3, 4])
def test_everybody_draws_five_on_top_of_what_is_in_hand(players: int) -> None:
    table = scene(players)
    for seat in range(players):
        table.player(seat, hand=["hunter"] * seat, deck=["elder"] * 5 + ["shaman"] * 2)
    end_round(table)
    for seat in range(players):
        assert table.names(seat, "hand") == ["hunter"] * seat + ["elder"] * 5
        assert table.names(seat, "deck") == ["shaman"] * 2


@pytest.mark.rule("PRP-06")
def test_there_is_no_hand_limit() -> None:
    table = end_round(scene(2).player(0, hand=["hunter"] * 15, deck=["elder"] * 9))
    assert len(table.at(0).hand) == 20
    assert len(table.at(0).deck) == 4


@pytest.mark.rule("PRP-06")
def test_the_draw_goes_on_from_the_shuffled_discard_pile() -> None:
    table = scene(2).player(0, deck=["elder"] * 2, discard=["shaman"] * 7)
    end_round(table)
    assert sorted(table.names(0, "hand")) == ["elder"] * 2 + ["shaman"] * 3
    assert table.names(0, "deck") == ["shaman"] * 4
    assert table.at(0).discard == b""


@pytest.mark.rule("PRP-06")
@pytest.mark.parametrize("cards", [0, 1, 4])
def test_a_draw_that_ends_early_is_no_lesser_benefit(cards: int) -> None:
    table = scene(2).player(0, deck=["elder"] * cards).player(1, deck=["hunter"] * 9).eclipse()
    while table.position.round == 1:
        assert table.kind == "gain"  # the turn-order benefits, nothing else
        table.do("leave")
    assert table.kind == "turn"
    assert table.names(0, "hand") == ["elder"] * cards
    player = table.at(0)
    assert (player.food, player.tools, player.offering, player.honor) == (0, 0, 0, 0)
    assert len(table.at(1).hand) == 5


@pytest.mark.rule("PRP-06")
def test_nobody_is_asked_whether_to_draw() -> None:
    table = scene(2).player(0, deck=["elder"] * 9).player(1, deck=["elder"] * 9).eclipse()
    table.do("leave", "leave")
    assert table.kind == "turn"
    assert [len(table.at(seat).hand) for seat in (0, 1)] == [5, 5]
