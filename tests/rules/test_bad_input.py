"""What is refused: one precise exception each, saying what and where, and nothing has changed."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.rules import (
    BadConfig,
    BadPosition,
    BadText,
    Config,
    Game,
    GameOver,
    IllegalOption,
    RulesError,
    WrongSeat,
)
from endless_winter.rules.megaliths import BOARD_SITES
from endless_winter.rules.modules import REGISTRY
from endless_winter.rules.position import load, read, write
from tests.rules.scene import TABLES, scene
from tests.rules.walk import (
    ALL,
    RIVERS,
    SMALL,
    SOLO,
    begin,
    name_of,
    pending,
    random_of,
    seed_of,
    text_of,
    walk,
)

if TYPE_CHECKING:
    import random

# --- options ---


def test_an_option_that_is_not_listed_is_refused_and_nothing_changes() -> None:
    for number in SMALL[:12]:
        everything = {code for game in walk(number) for code in game.options()}
        for step, game in enumerate(walk(number)):
            if step % 20 or game.decision is None:
                continue
            before = text_of(game)
            listed = list(game.options())
            for code in sorted(everything - set(listed))[:40]:
                with pytest.raises(IllegalOption):
                    game.apply(code)
            assert text_of(game) == before
            assert game.options() == listed


def test_the_refusal_names_the_option_and_the_decision() -> None:
    game = begin(0)
    with pytest.raises(IllegalOption) as caught:
        game.apply(16)
    assert str(caught.value) == (
        "option 16 is not one of the 2 options of the pending choose_chief decision"
    )


@pytest.mark.parametrize("garbage", [-1, 0, 255, 2**31, 2**64, -(2**80), 10**40])
def test_a_garbage_number_is_refused(garbage: int) -> None:
    for game in walk(4):
        if game.decision is not None:
            before = text_of(game)
            with pytest.raises(IllegalOption):
                game.apply(garbage)
            assert text_of(game) == before


@pytest.mark.parametrize("garbage", ["end", "", None, 2.5, b"\x10", [], (16,), object()])
def test_an_option_of_a_wrong_type_is_refused(garbage: Any) -> None:
    """A compiled core refuses it at the door, as a TypeError."""
    game = begin(0)
    before = text_of(game)
    with pytest.raises((IllegalOption, TypeError)):
        game.apply(garbage)
    assert text_of(game) == before


def test_a_float_equal_to_an_option_is_refused() -> None:
    for game in walk(4):
        if game.decision is None:
            continue
        number: Any = float(game.options()[0])
        before = text_of(game)
        with pytest.raises((IllegalOption, TypeError)):
            game.apply(number)
        assert text_of(game) == before


def test_after_a_refusal_the_game_goes_on_as_if_nothing_had_been() -> None:
    for number in SMALL[:12]:
        calm, pestered = begin(number, listen=True), begin(number, listen=True)
        choices = random_of(number)
        while calm.decision is not None:
            with pytest.raises(RulesError):
                pestered.apply(0)
            with pytest.raises(RulesError):
                pestered.apply(calm.options()[0], pending(calm).seat + 1)
            code = choices.option(calm)
            assert calm.apply(code) == pestered.apply(code)
        assert text_of(calm) == text_of(pestered)


# --- seats ---


def test_only_the_deciding_seat_may_choose() -> None:
    for number in SMALL[:12]:
        for step, game in enumerate(walk(number)):
            if step % 10 or game.decision is None:
                continue
            before = text_of(game)
            deciding = game.decision.seat
            for seat in range(len(game.position.players) + 2):
                if seat != deciding:
                    with pytest.raises(WrongSeat) as caught:
                        game.apply(game.options()[0], seat)
                    assert str(caught.value) == f"seat {deciding} decides now, not seat {seat}"
            assert text_of(game) == before


def test_the_deciding_seat_may_name_itself() -> None:
    game = begin(1)
    decision = pending(game)
    before = text_of(game)
    game.apply(decision.default, decision.seat)
    assert text_of(game) != before


def test_a_foreign_seat_gets_its_own_error_even_if_its_option_is_garbage() -> None:
    game = begin(0)
    with pytest.raises(WrongSeat):
        game.apply(-1, 1 - pending(game).seat)


# --- after the end ---


def test_after_the_end_nothing_can_be_chosen() -> None:
    for number in SMALL[:12]:
        last: list[int] = []
        game = begin(number)
        for game in walk(number):
            last = game.options() or last
        before = text_of(game)
        for code in (*last, 0, 16):
            with pytest.raises(GameOver) as caught:
                game.apply(code)
            assert str(caught.value) == "the game is over; no decision is pending"
        with pytest.raises(GameOver):
            game.apply(last[0], 0)
        assert text_of(game) == before
        assert game.decision is None


def test_the_result_does_not_change_by_asking_again() -> None:
    *_, game = walk(5)
    assert game.result is game.result
    assert game.result is not None


# --- configurations ---


@pytest.mark.parametrize("players", [-1, 0, 1, 5, 100])
def test_a_wrong_number_of_players_is_refused(players: int) -> None:
    with pytest.raises(BadConfig) as caught:
        Config(TABLES, players=players)
    assert str(caught.value) == f"a game has 2 to 4 players, not {players}"


def test_an_unknown_layout_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(BadConfig) as caught:
        Config(TABLES, players=3, layout="spiral")
    assert str(caught.value) == 'no Megalith layout "spiral"; the pack has two, three, four'


def test_an_unknown_module_is_refused_and_the_known_ones_are_named() -> None:
    with pytest.raises(BadConfig) as caught:
        Game.new(Config(TABLES, modules=("volcanoes",)), bytes(32))
    known = ", ".join(sorted(set(REGISTRY) - {"nomad", "rivers"}))
    assert "glacier_tokens" in known
    assert str(caught.value) == f'no module "volcanoes"; there are {known}'


def test_a_module_named_twice_is_refused() -> None:
    with pytest.raises(BadConfig, match="a module is named twice: rest_tokens"):
        Config(TABLES, modules=("rest_tokens", "rest_tokens"))


@pytest.mark.parametrize("length", [0, 1, 31, 33, 64])
def test_a_seed_of_a_wrong_length_is_refused(length: int) -> None:
    with pytest.raises(BadConfig) as caught:
        Game.new(Config(TABLES), bytes(length))
    assert str(caught.value) == f"a seed has 32 bytes, not {length}"


# --- texts of options ---


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", 'no such thing to do as ""'),
        ("dance", 'no such thing to do as "dance"'),
        ("End", 'no such thing to do as "End"'),
        (" end", 'no such thing to do as ""'),
        ("end ", '"end" takes 0 words, not 1'),
        ("end now", '"end" takes 0 words, not 1'),
        ("place", '"place" takes 2 words, not 0'),
        ("place chief", '"place" takes 2 words, not 1'),
        ("place chief moon", '"moon" is not known to this content pack'),
        ("place shaman hunt", '"shaman" is not known to this content pack'),
        ("play wizard", '"wizard" is not known to this content pack'),
        ("play  hunter", '"play" takes 1 words, not 2'),
        ("hunt hunter", '"hunter" is not known to this content pack'),
        ("bury elder deck", '"deck" is not known to this content pack'),
        ("eat", '"eat" takes 1 words, not 0'),
        ("eat x", '"x" is not a number from 0 to 255'),
        ("eat -1", '"-1" is not a number from 0 to 255'),
        ("eat 256", '"256" is not a number from 0 to 255'),
        ("eat 1.0", '"1.0" is not a number from 0 to 255'),
        ("eat ٣", '"٣" is not a number from 0 to 255'),
        ("eat 02", 'the canonical form is "eat 2"'),
        ("travel 0-3", '"0-3" is not a number from 0 to 255'),
        ("travel 0>", '"" is not a number from 0 to 255'),
        ("travel 0>3>4", '"3>4" is not a number from 0 to 255'),
        ("megalith 99,99", "there is no Megalith site 99,99 in this layout"),
        ("megalith 1", '"" is not a number from 0 to 255'),
        ("stack 0,0@9", "there is no Megalith site 0,0@9 in this layout"),
        ("sun 3: end", 'no source "sun"; one of hex, card, ability, token, nomad'),
        ("hex x: food 1", '"x" is not a number from 0 to 255'),
        ("card nobody: food 1", '"nobody" is not known to this content pack'),
        ("hex 1: hex 2: food 1", 'no such thing to do as "hex"'),
        ("moon as food", '"moon as food" is no lesser benefit'),
        ("idol as moon", '"idol as moon" is no lesser benefit'),
        ("tools 1 food", 'no such thing to do as "tools"'),
        ("tools x food 1", '"x" is not a number from 0 to 255'),
        ("end\n", 'no such thing to do as "end\n"'),
    ],
)
def test_a_text_that_is_no_option_is_refused_with_its_reason(text: str, reason: str) -> None:
    game = begin(0)
    with pytest.raises(BadText) as caught:
        game.parse(text)
    assert str(caught.value) == f'"{text}": {reason}'


def test_a_site_is_written_in_one_way() -> None:
    """`stack` on the board, or `megalith` on a level, is not canonical."""
    game = begin(0)
    sites = game.position.sites
    low = f"{sites.x[0]},{sites.y[0]}"
    high = f"{sites.x[32]},{sites.y[32]}@1"
    assert game.text(game.parse(f"megalith {low}")) == f"megalith {low}"
    assert game.text(game.parse(f"stack {high}")) == f"stack {high}"
    for wrong in (f"stack {low}", f"megalith {low}@0", f"megalith {high}"):
        with pytest.raises(BadText, match="the canonical form is"):
            game.parse(wrong)


# --- positions ---


@cache
def _written() -> str:
    """A position in the middle of a 3-player game with both modules, somebody acting.

    Megaliths are built, seat 0 has a Sacred Stone, and everybody has placed a figure.
    """
    config = Config(TABLES, players=3, modules=("glacier_tokens", "rest_tokens"))
    for number in range(1, 100, 2):
        game = Game.new(config, seed_of(number))
        choices = random_of(number)
        while (decision := game.decision) is not None:
            position = game.position
            built = sum(10 - player.megaliths for player in position.players)
            if (
                position.round >= 2
                and decision.kind_name == "act"
                and position.turn > 4
                and built > 6
                and position.honor_queue
                and position.players[0].stones
            ):
                return json.dumps(write(position))
            game.apply(choices.option(game))
    raise AssertionError("no such position was met")


def written() -> Any:
    return json.loads(_written())


def refused(values: object) -> str:
    """What `load` says about a written position that it must refuse."""
    with pytest.raises(BadPosition) as caught:
        load(values, TABLES)
    with pytest.raises(BadPosition):
        read(values, TABLES)
    return str(caught.value)


def put(values: Any, path: str, value: object) -> None:
    *before, last = path.split(".")
    for step in before:
        values = values[int(step)] if isinstance(values, list) else values[step]
    if isinstance(values, list):
        values[int(last)] = value
    else:
        values[last] = value


def test_the_written_position_loads_before_it_is_spoilt() -> None:
    game = load(written(), TABLES)
    assert write(game.position) == written()
    while game.decision is not None:
        game.apply(game.decision.default)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        # kinds of values
        ("format", "endless-winter-position-0", 'format: "endless-winter-position-2" expected'),
        ("over", "no", "over: true or false expected"),
        ("over", 0, "over: true or false expected"),
        ("round", "2", "round: a whole number from 0 to 255 expected"),
        ("round", True, "round: a whole number from 0 to 255 expected"),
        ("round", 2.0, "round: a whole number from 0 to 255 expected"),
        ("round", None, "round: a whole number from 0 to 255 expected"),
        ("round", -1, "round: a whole number from 0 to 255 expected"),
        ("order", "012", "order: a list expected"),
        ("order.0", "0", "order: a whole number from 0 to 254 expected"),
        ("players", {}, "players: a list expected"),
        ("players.1", [], "players[1]: an object expected"),
        ("players.2.food", -1, "players[2].food: a whole number from 0 to 255 expected"),
        ("players.2.hand", "hunter", "players[2].hand: a list expected"),
        ("players.0.hand", [3], "players[0].hand: 3 is not known to this content pack"),
        ("seed", "xyz", "seed: hexadecimal digits expected"),
        ("seed", 12, "seed: hexadecimal digits expected"),
        ("agenda", {}, "agenda: a list expected"),
        ("agenda.0", "round", "agenda[0]: an object expected"),
        ("turn_state", [], "turn_state: an object expected"),
        ("turn_state.bottom_open", 1, "turn_state.bottom_open: true or false expected"),
        ("config", None, "config: an object expected"),
        ("config.modules.0", 1, "config.modules: names expected"),
        ("config.layout", 3, "config.layout: a text expected"),
        ("module_state", [], "module_state: an object expected"),
        ("module_state.glacier_tokens", "00", "module_state.glacier_tokens: an object expected"),
        ("module_state.rest_tokens.stack", "", "module_state.rest_tokens.stack: a list expected"),
        ("megaliths.0", [], "megaliths[0]: an object expected"),
        ("turn_state.ready", [["hunter"]], "turn_state.ready: pairs of card and ability expected"),
        # names
        ("players.0.hand", ["wizard"], "players[0].hand: 'wizard' is not known to this content"),
        ("players.0.chief", "nobody", "players[0].chief: 'nobody' is not known to this content"),
        ("terrain.3", "moon", "terrain: 'moon' is not known to this content pack"),
        ("animals.0", "dodo", "animals: 'dodo' is not known to this content pack"),
        ("players.1.figures.0", "moon", "players[1].figures: 'moon' is not known to this"),
        ("agenda.1.do", "dance", "agenda[1].do: 'dance' is not known to this content pack"),
        ("megaliths.0.owner", "seat 3", "megaliths[0].owner: 'seat 3' is not known to this"),
        # the agreed game
        ("config.players", 1, "config: a game has 2 to 4 players, not 1"),
        ("config.players", 4, "players: 4 expected, 3 given"),
        ("config.layout", "spiral", 'config: no Megalith layout "spiral"; the pack has two,'),
        ("config.modules.0", "volcanoes", 'config: no module "volcanoes"; there are glacier'),
        ("content", "00", "content: the position was made with pack 00, this one is"),
        ("seed", "00" * 31, "seed: 32 bytes expected, 31 given"),
        # rounds, turns, order
        ("round", 0, "round: 1 to 4 expected, 0 given"),
        ("round", 5, "round: 1 to 4 expected, 5 given"),
        ("turn", 10, "turn: at most 9 turns in a round, 10 given"),
        ("order", [0, 1, 1], "order: each seat once expected"),
        ("order", [0, 1], "order: each seat once expected"),
        ("honor_queue", [0, 0], "honor_queue: exactly the seats on the Honor track, once each"),
        # boards
        ("terrain.0", "glacier", "terrain: 19 hexes expected, the Base first"),
        ("megalith_tiles", [0, 1, 2, 2], "megalith_tiles: each of the four tiles once expected"),
        ("display", [""] * 7, "display: 8 places expected"),
        ("grounds", [""] * 7, "grounds: 6 places expected"),
        ("first_figures", [0, 0, 0], "first_figures: 0 and four columns expected"),
        ("first_figures.1", 4, "first_figures"),
        ("culture", [[]], "culture, stones: two Eras expected"),
        ("stones", [[], [], []], "culture, stones: two Eras expected"),
        ("tribes", [15, 15, 15], "tribes: 5 Tribe decks expected"),
        ("megaliths.0.x", 77, "megaliths[0]: no such place in layout three"),
        ("megaliths.0.level", 1, "megaliths"),
        # limits
        ("players.1.food", 11, "players[1].food: at most"),
        ("players.1.tools", 6, "players[1].tools: at most 5"),
        ("players.1.camps", [0, 0, 0, 0, 0, 0], "players[1].camps: at most 5"),
        ("players.1.camps", [19], "players[1].camps: none outside the board"),
        ("players.1.villages", [20, 21, 22, 23], "players[1].villages: at most 3"),
        ("players.1.villages", [0], "players[1].villages: none beside the Base"),
        ("players.1.villages", [24], "players[1].villages: a whole number from 0 to 23 expected"),
        ("players.0.villages", [23, 23], "players[0].villages: two Villages on juncture 23"),
        ("players.1.offering", 99, "players[1].offering: at most"),
        ("players.1.megaliths", 11, "players[1].megaliths: at most 10"),
        ("players.1.figures.0", "eclipse", "players[1].figures: a place for the Chief and for two"),
        ("players.1.chief", "", "players[1].chief, setup: both are known once set-up is over"),
        ("turn_state.section", 3, "turn_state.section: a whole number from 0 to 2 expected"),
        ("turn_state.place", "moon", "turn_state.place: 'moon' is not known to this content pack"),
        # pieces
        ("tribes.0", 14, "cards:"),
        ("tribes.0", 0, "cards:"),
        ("display.0", "hunter", "display: hunter is no Culture card"),
        ("animals", [], "animals:"),
        ("grounds.0", "", "animals:"),
        ("players.0.animals", ["woolly_rhino"] * 9, "animals:"),
        ("players.0.stones", [], "stones"),
        ("megaliths", [], "megaliths:"),
        ("players.1.megaliths", 0, "megaliths:"),
        # what is still to be done
        ("agenda", [], 'agenda: it starts with "round"'),
        ("agenda.0.do", "act", 'agenda: it starts with "round"'),
        ("agenda.1.seat", 3, "agenda[1].seat: no such seat"),
        ("agenda.1.seat", 4, "agenda[1].seat: a whole number from 0 to 3 expected"),
        ("agenda.1.do", "round", "agenda[1].do: not possible here"),
        ("agenda.1.do", "none", "agenda[1].do: not possible here"),
        ("over", True, "agenda: must be empty when the game is over"),
        # modules
        ("module_state", {}, "module_state.glacier_tokens: missing"),
        ("module_state.mammoth", {}, "module_state.mammoth: unknown"),
        ("module_state.glacier_tokens.tokens", [], "module_state.glacier_tokens.tokens: hex"),
        (
            "module_state.glacier_tokens.tokens.1.hex",
            19,
            "module_state.glacier_tokens.tokens[1].hex: a whole number from 0 to 18 expected",
        ),
        (
            "module_state.glacier_tokens.tokens.1.token",
            "sun",
            "module_state.glacier_tokens.tokens[1].token: 'sun' is not known to this content pack",
        ),
        (
            "module_state.rest_tokens.stack",
            [],
            "module_state.rest_tokens.stack: each of the 5 tokens once expected",
        ),
        (
            "module_state.rest_tokens.holder",
            3,
            "module_state.rest_tokens.holder: a whole number from 0 to 2 expected",
        ),
        (
            "module_state.rest_tokens.holder",
            2,
            "module_state.rest_tokens.holder: a seat just if it holds a token",
        ),
        ("module_state.rest_tokens.unused", [0], "module_state.rest_tokens.unused: effects of"),
    ],
)
def test_a_spoilt_position_is_refused_with_what_and_where(
    path: str, value: object, message: str
) -> None:
    values = written()
    put(values, path, value)
    assert refused(values).startswith(message)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"do": "gain", "seat": 0}, "agenda[2].must: missing"),
        ({"do": "gain", "seat": 0, "must": False}, "agenda[2].source: missing"),
        (
            {"do": "gain", "seat": 0, "must": False, "source": "hex 7"},
            "agenda[2].pool: missing",
        ),
        (
            {"do": "gain", "seat": 0, "must": False, "source": "hex 19"},
            'agenda[2].source: there is no hex "19"',
        ),
        (
            {"do": "gain", "seat": 0, "must": False, "source": "moon 1"},
            (
                'agenda[2].source: no source "moon"; one of hex, card, nomad, chief, animal, '
                "stone, stone_space, board, offering, turn_order, megalith, rest_token, "
                "glacier_tokens, section, rule, fish, landmark, raft"
            ),
        ),
        (
            {"do": "gain", "seat": 0, "must": False, "source": "hex 7", "pool": [["food"]]},
            "agenda[2].pool: pairs of icon and amount expected",
        ),
        (
            {"do": "gain", "seat": 0, "must": False, "source": "hex 7", "pool": [["gold", 1]]},
            "agenda[2].pool: 'gold' is not known to this content pack",
        ),
        (
            {"do": "gain", "seat": 0, "must": False, "source": "hex 7", "pool": [["food", 100]]},
            "agenda[2].pool: a whole number from 0 to 99 expected",
        ),
        (
            {"do": "gain", "seat": 0, "must": False, "source": "hex 7", "pool": [["megalith", 0]]},
            "agenda[2].pool: an amount of 0; leave the icon out",
        ),
        (
            {"do": "gain", "seat": 0, "must": False, "source": "hex 7", "pool": [["none", 1]]},
            "agenda[2].pool: each icon once, with its amount, expected",
        ),
        (
            {
                "do": "gain",
                "seat": 0,
                "must": False,
                "source": "hex 7",
                "pool": [["tool", 1], ["tool", 1]],
            },
            "agenda[2].pool: each icon once, with its amount, expected",
        ),
        ({"do": "module", "seat": 0, "number": 2}, "agenda[2].number: no such module"),
        ({"do": "eclipse", "seat": 0, "number": 7}, "agenda[2].number: place in the turn order"),
        ({"do": "eclipse", "seat": 0, "number": 24}, "agenda[2].number: place in the turn order"),
        (
            {"do": "pay_discard", "seat": 0, "number": 99},
            "agenda[2].number: more cards to discard than in hand",
        ),
        (
            {"do": "pay_discard", "seat": 0, "number": 0},
            "agenda[2].number: more cards to discard than in hand",
        ),
        (
            {"do": "abilities", "seat": 0, "card": "hunter", "unused": [0]},
            "agenda[2].unused: abilities of a Culture card expected",
        ),
        (
            {"do": "abilities", "seat": 0, "card": "ember_feast", "unused": [7]},
            "agenda[2].unused: abilities of a Culture card expected",
        ),
        (
            {"do": "eclipse_cards", "seat": 0, "cards": ["elder"] * 3},
            "agenda[2].cards: not in the Eclipse pile",
        ),
        (
            {"do": "eclipse_terrain", "seat": 0, "resolved": [19]},
            "agenda[2].resolved: a whole number from 0 to 18 expected",
        ),
        ({"do": "act", "seat": 0}, "agenda: two turns at once"),
        ({"do": "act", "seat": 0, "mood": 1}, "agenda[2].mood: unknown"),
        ({"seat": 0}, "agenda[2].do: missing"),
    ],
)
def test_a_record_that_makes_no_sense_is_refused(frame: dict[str, Any], message: str) -> None:
    values = written()
    values["agenda"].append(frame)
    assert refused(values).startswith(message)


@pytest.mark.parametrize("path", ["", "config", "turn_state", "players.0", "megaliths.0"])
def test_what_is_missing_and_what_is_unknown_is_named(path: str) -> None:
    def part(values: Any) -> Any:
        for step in path.split(".") if path else []:
            values = values[int(step)] if isinstance(values, list) else values[step]
        return values

    head, _, number = path.partition(".")
    shown = (f"{head}[{number}]." if number else f"{head}.") if path else ""
    for name in part(written()):
        values = written()
        del part(values)[name]
        assert refused(values) == f"{shown}{name}: missing"
    values = written()
    part(values)["wind"] = 1
    assert refused(values) == f"{shown}wind: unknown"


@pytest.mark.parametrize("values", [None, [], "position", 7, True])
def test_a_position_that_is_no_object_is_refused(values: object) -> None:
    assert refused(values) == "position: an object expected"


def test_a_fourth_figure_is_refused() -> None:
    values = written()
    values["players"][1]["figures"].append("")
    expected = "players[1].figures: a place for the Chief and for two Tribe figures expected"
    assert refused(values) == expected


def test_a_figure_more_than_turns_have_begun_is_refused() -> None:
    values = written()
    seat, home = next(
        (seat, player) for seat, player in enumerate(values["players"]) if "" in player["figures"]
    )
    placed = sum(place != "" for place in home["figures"])
    home["figures"][home["figures"].index("")] = "rest"
    expected = f"players[{seat}].figures: {placed + 1} placed, {placed} expected by the turn"
    assert refused(values) == expected


def test_a_first_figure_must_stand_in_its_column() -> None:
    values = written()
    for player in values["players"]:
        player["figures"] = ["rest" if place else "" for place in player["figures"]]
    assert refused(values).startswith("first_figures[")


def test_a_stone_in_two_places_is_refused() -> None:
    values = written()
    values["players"][0]["stones"] = [values["stones"][1][0]]
    assert refused(values).startswith("stones: a Sacred Stone lies in two places")


def test_a_culture_card_in_two_places_is_refused() -> None:
    values = written()
    card = next(card for card in values["display"] if card)
    values["culture"][1].append(card)
    assert refused(values) == f"cards: {card} exists once only"


def test_a_tribe_card_too_many_is_refused() -> None:
    values = written()
    values["players"][0]["discard"].append("elder")
    assert refused(values) == "cards: 16 of elder, 15 expected"


def test_a_starting_card_too_many_is_refused() -> None:
    values = written()
    values["players"][2]["discard"].append("brave")
    assert refused(values) == "players[2]: 3 of brave in all zones, 2 expected"


def test_a_starting_card_of_another_player_is_refused() -> None:
    values = written()
    zones = ("hand", "deck", "discard", "pile", "buried")
    zone = next(z for z in zones if "brave" in values["players"][0][z])
    values["players"][0][zone].remove("brave")
    values["players"][1]["discard"].append("brave")
    assert refused(values) == "players[0]: 1 of brave in all zones, 2 expected"


def test_an_animal_too_many_is_refused() -> None:
    values = written()
    values["animals"].append(values["animals"][0])
    assert refused(values).startswith("animals: ")


def test_two_megaliths_on_one_place_are_refused() -> None:
    values = written()
    values["megaliths"].append(dict(values["megaliths"][0]))
    last = len(values["megaliths"]) - 1
    assert refused(values) == f"megaliths[{last}]: two Megaliths on one place"


def test_a_stack_without_four_below_it_is_refused() -> None:
    values = written()
    sites = load(values, TABLES).position.sites
    moved = next(one for one in values["megaliths"] if one["owner"] != "neutral")
    moved.update(x=sites.x[-1], y=sites.y[-1], level=sites.level[-1])
    assert refused(values) == "megaliths: a stacked one without four below it"


def test_a_chief_card_has_one_owner() -> None:
    """Either side of it: they are two faces of one card."""
    for side in "ab":
        values = written()
        values["players"][1]["chief"] = values["players"][0]["chief"][:-1] + side
        assert refused(values) == "players[1].chief: seat 0 has this Chief card"


def test_a_setup_card_has_one_owner() -> None:
    values = written()
    values["players"][2]["setup"] = values["players"][1]["setup"]
    assert refused(values) == "players[2].setup: seat 1 has this Setup card"


def board_of(values: Any) -> dict[tuple[int, int], str]:
    """Where Megaliths stand on the board itself."""
    return {(one["x"], one["y"]): one["owner"] for one in values["megaliths"] if not one["level"]}


def grey_spaces(values: Any) -> list[tuple[int, int]]:
    position = load(values, TABLES).position
    sites = position.sites
    return [
        (sites.x[site], sites.y[site])
        for site in range(BOARD_SITES)
        if TABLES.megalith_tiles[position.tiles[site // 8]][site % 8].grey
    ]


def test_a_coloured_megalith_on_a_grey_space_is_refused() -> None:
    values = written()
    x, y = next(space for space in grey_spaces(values) if space not in board_of(values))
    moved = next(one for one in values["megaliths"] if one["owner"] != "neutral")
    assert not moved["level"]
    moved.update(x=x, y=y)
    expected = f"megaliths: x {x}, y {y}: a coloured one on a grey starting space"
    assert refused(values) == expected


def test_a_megalith_alone_is_refused_whatever_its_colour() -> None:
    for colour in ("neutral", "seat"):
        values = written()
        sites = load(values, TABLES).position.sites
        built = board_of(values)
        grey = grey_spaces(values)
        x, y = next(
            (x, y)
            for x, y, level in zip(sites.x, sites.y, sites.level, strict=True)
            if not level
            and (x, y) not in grey
            and not built.keys() & {(x, y), (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)}
        )
        # The one that leaves its place is at the end of a row: nothing else hangs on it.
        for moved in reversed(values["megaliths"]):
            others = json.loads(json.dumps(values))
            others["megaliths"].remove(moved)
            others["megaliths"].append(moved | {"x": x, "y": y})
            if moved["owner"].startswith(colour) and (moved["x"], moved["y"]) not in grey:
                assert refused(others).startswith("megaliths: x ")
                assert "from a grey starting space" in refused(others)


def test_a_pair_of_megaliths_without_a_starting_space_is_refused() -> None:
    """Each has a neighbour, but no row leads there from where building begins."""
    values = written()
    values["megaliths"] = []
    for player in values["players"]:
        player["megaliths"] = 10
    load(values, TABLES)
    sites = load(values, TABLES).position.sites
    ordinary = [
        (x, y)
        for x, y, level in zip(sites.x, sites.y, sites.level, strict=True)
        if not level and (x, y) not in grey_spaces(values)
    ]
    x, y = next((x, y) for x, y in ordinary if (x + 1, y) in ordinary)
    values["players"][0]["megaliths"] = 8
    for at in (x, x + 1):
        values["megaliths"].append({"x": at, "y": y, "level": 0, "owner": "neutral"})
    assert refused(values).startswith(f"megaliths: x {x}, y {y}: no row of Megaliths leads there")


def in_round_one() -> Any:
    game = next(game for game in walk(1) if pending(game).kind_name == "turn")
    return json.loads(json.dumps(write(game.position)))


def test_a_stone_of_era_ii_has_no_owner_before_round_three() -> None:
    for round_ in (1, 2):
        values = in_round_one()
        values["round"] = round_
        stone = values["stones"][1].pop()
        values["players"][0]["stones"].append(stone)
        assert refused(values) == f"players[0].stones: {stone} is of Era II"


@pytest.mark.parametrize("zone", ["hand", "deck", "discard", "buried"])
def test_a_culture_card_of_era_ii_has_no_owner_before_round_three(zone: str) -> None:
    values = in_round_one()
    card = values["culture"][1].pop()
    values["players"][1][zone].append(card)
    assert refused(values) == f"players[1]: {card} is of Era II"


def test_the_display_shows_cards_of_the_rounds_era_only() -> None:
    values = in_round_one()
    card = values["culture"][1].pop()
    values["display"][3] = card
    assert refused(values) == f"display: {card} is not of Era 1, that of the round"
    values = in_round_one()
    values["round"] = 3
    first = next(card for card in values["display"] if card)
    assert refused(values) == f"display: {first} is not of Era 2, that of the round"


def test_a_level_of_the_honor_track_has_brought_its_points() -> None:
    top = len(TABLES.honor)
    for level in range(1, top + 1):
        values = written()
        player = values["players"][values["honor_queue"][0]]
        earned = sum(space.points for space in TABLES.honor[:level])
        player["honor"] = level
        player["points"]["honor_track"] = earned
        load(values, TABLES)
        for wrong in (earned + 1, earned - 1):
            player["points"]["honor_track"] = wrong
            if wrong >= 0:
                seat = values["honor_queue"][0]
                expected = f"{earned} expected for level {level} of the Honor track"
                assert refused(values) == f"players[{seat}].points.honor_track: {expected}"


def test_a_game_at_its_first_decision_keeps_its_pieces_in_the_box() -> None:
    """During a draft nothing is dealt yet: what lies there already is refused."""
    values = json.loads(json.dumps(write(begin(6).position)))
    values["players"][0]["hand"] = ["brave"]
    assert refused(values) == "players[0]: 1 of brave in all zones, 0 expected"


def spoilt(values: Any, choices: random.Random) -> Any:
    """One small random edit somewhere: a value replaced, repeated, removed or moved."""
    spots: list[tuple[Any, Any]] = []

    def collect(part: Any) -> None:
        keys = part if isinstance(part, dict) else range(len(part))
        for key in keys:
            spots.append((part, key))
            if isinstance(part[key], (dict, list)):
                collect(part[key])

    collect(values)
    part, key = choices.choice(spots)
    other, other_key = choices.choice(spots)
    way = choices.randrange(5)
    if way == 0:
        part[key] = json.loads(json.dumps(other[other_key]))
    elif way == 1 and isinstance(part[key], int):
        part[key] += choices.choice((-1, 1))
    elif way == 2 and isinstance(part, list):
        part.append(part[key])
    elif way == 3:
        del part[key]
    else:
        part[key] = choices.choice((0, 1, 255, -1, True, "", None, [], {}, "hunter", "gain"))
    return values


def play_on(game: Game, choices: random.Random) -> None:
    for _ in range(5000):
        if game.decision is None:
            assert game.result is not None
            return
        game.apply(choices.choice(game.options()))
    raise AssertionError("the game does not end")


def check_spoilt(number: int, edits: int) -> int:
    """Spoil positions of a walk: each is refused, or is a game that can be played to its end."""
    choices = random_of(-number)
    refusals = 0
    for step, game in enumerate(walk(number)):
        if choices.random() > 0.02:
            continue
        text = text_of(game)
        for _ in range(edits):
            values = spoilt(json.loads(text), choices)
            state = json.dumps(values)
            try:
                loaded = load(values, TABLES)
            except BadPosition:
                refusals += 1
                continue
            try:
                play_on(loaded, choices)
            except Exception as error:
                error.add_note(f"{name_of(number)}, step {step}: {state}")
                raise
    return refusals


def test_a_randomly_spoilt_position_is_refused_or_can_be_played() -> None:
    assert sum(check_spoilt(number, 8) for number in SMALL[:36]) > 300


def test_a_randomly_spoilt_position_with_modules_is_refused_or_can_be_played() -> None:
    assert sum(check_spoilt(number, 4) for number in (*SOLO[::3], *RIVERS[::4], *ALL[::4])) > 100


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_many_randomly_spoilt_positions_are_refused_or_can_be_played() -> None:
    assert sum(check_spoilt(number, 40) for number in range(20_000, 20_100)) > 10_000


def test_a_scene_that_could_not_exist_is_recognised() -> None:
    """Scenes leave pieces out; they are for rules, not for `load`."""
    table = scene(2)
    assert refused(json.loads(json.dumps(write(table.position)))) != ""
