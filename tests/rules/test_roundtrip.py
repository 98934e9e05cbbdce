"""Options and positions turn into text and back without loss, at every step of a game."""

from __future__ import annotations

import json
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from endless_winter.rules import BadText, Game, options
from endless_winter.rules.fingerprint import fingerprint
from endless_winter.rules.options import option, source
from endless_winter.rules.position import load, write
from tests.rules.scene import TABLES
from tests.rules.walk import (
    ALL,
    EVERY,
    EXTRAS,
    EXTRAS_FROM,
    OTHERS,
    RIVERS,
    SMALL,
    SOLO,
    begin,
    name_of,
    random_of,
    walk,
)


def reloaded(game: Game) -> Game:
    """The same position once more, by way of a JSON text."""
    return load(json.loads(json.dumps(write(game.position))), TABLES)


def test_an_options_text_means_that_option_at_every_step() -> None:
    for number in EVERY:
        for game in walk(number):
            for code in game.options():
                assert game.parse(game.text(code)) == code, name_of(number)


def test_a_position_reads_back_as_it_was_written_at_every_step() -> None:
    """Also in the middle of a nested benefit; the reloaded game asks the same question.

    In games with modules at every fifth step: there are many, with every pair of switches.
    """
    for number in (*SMALL[::5], *SOLO[::3], *EXTRAS[::2], *RIVERS[::2], *ALL, *OTHERS):
        for step, game in enumerate(walk(number)):
            if number >= EXTRAS_FROM and step % 5 != number % 5 and game.decision is not None:
                continue
            again = reloaded(game)
            assert write(again.position) == write(game.position), (name_of(number), step)
            assert fingerprint(again.position) == fingerprint(game.position), name_of(number)
            assert again.options() == game.options(), (name_of(number), step)
            if game.decision is not None:
                assert again.decision is not None
                assert again.decision.seat == game.decision.seat
                assert again.decision.kind == game.decision.kind
                assert again.decision.default == game.decision.default


@pytest.mark.soak
@pytest.mark.timeout(900)
def test_a_thousand_games_read_back_as_they_were_written() -> None:
    for number in range(10_000, 11_000):
        for step, game in enumerate(walk(number)):
            if step % 7 == number % 7 or game.decision is None:
                again = reloaded(game)
                assert write(again.position) == write(game.position), (name_of(number), step)
                assert again.options() == game.options(), (name_of(number), step)


def test_a_reloaded_game_goes_on_as_the_game_would_have() -> None:
    """The game is left for its reloaded self again and again, and ends as it would have."""
    for number in EVERY:
        choices = random_of(number)
        straight = begin(number)
        broken = begin(number)
        while straight.decision is not None:
            code = choices.option(straight)
            straight.apply(code)
            broken.apply(code)
            if choices.random() < 0.05:
                broken = reloaded(broken)
            assert broken.options() == straight.options()
        assert write(broken.position) == write(straight.position)
        first, second = straight.result, broken.result
        assert first is not None
        assert second is not None
        assert [score.total for score in first.scores] == [score.total for score in second.scores]
        assert first.ranking == second.ranking


def test_the_end_of_a_game_reads_back_too() -> None:
    for number in (*SMALL[:12], *SOLO[:3]):
        *_, game = walk(number)
        again = reloaded(game)
        assert again.decision is None
        assert again.result is not None
        assert game.result is not None
        assert again.result.ranking == game.result.ranking


def test_a_written_position_holds_plain_json_values_only() -> None:
    def plain(value: object) -> bool:
        if isinstance(value, dict):
            return all(isinstance(key, str) and plain(v) for key, v in value.items())
        if isinstance(value, list):
            return all(plain(item) for item in value)
        return type(value) in (str, int, bool)

    for number in (*SMALL[:12], *SOLO[:3]):
        for game in walk(number):
            assert plain(write(game.position))


def test_zones_without_an_order_may_be_written_in_any_order() -> None:
    for number in (*SMALL[:12], *SOLO[:3]):
        choices = random_of(number)
        for step, game in enumerate(walk(number)):
            if step % 25:
                continue
            values = json.loads(json.dumps(write(game.position)))
            for player in values["players"]:
                for zone in ("hand", "discard", "pile", "buried", "animals", "tipped", "camps"):
                    choices.shuffle(player[zone])
            assert write(load(values, TABLES).position) == write(game.position)


def test_a_listener_is_no_part_of_a_position() -> None:
    game = begin(3, listen=True)
    assert "events" not in write(game.position)
    assert reloaded(game).position.events is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("place chief hunt", option(options.PLACE, 0, 4)),
        ("place tribe rest", option(options.PLACE, 1, 7)),
        ("hex 7: tools 1 food 0", option(options.TOOLS, 1, 0, source(options.HEX, 7))),
        ("card hunter: food 2", option(options.FOOD, 2, 0, source(options.CARD, 0))),
        ("ability 1: pay", option(options.PAY, 0, 0, source(options.ABILITY, 1))),
        ("megalith as draw", option(options.AS, 5, options.AS_DRAW)),
        ("travel 0>3", option(options.TRAVEL, 0, 3)),
        ("move 18>7", option(options.MOVE, 18, 7)),
        ("bury elder discard", option(options.BURY, 4, options.FROM_DISCARD)),
        ("eat 2", option(options.EAT, 2)),
        ("end", option(options.END)),
    ],
)
def test_the_text_of_an_option_stays_what_it_is(text: str, code: int) -> None:
    """Logs, bots and people hold these texts: a change here breaks them."""
    game = begin(0)
    assert game.text(code) == text
    assert game.parse(text) == code


@settings(deadline=None)
@given(st.text(max_size=40))
def test_any_text_is_an_option_or_refused_as_bad_text(text: str) -> None:
    game = begin(0)
    try:
        code = game.parse(text)
    except BadText:
        return
    assert game.text(code) == text


@cache
def words_of_the_game() -> list[str]:
    found: set[str] = set()
    for number in (0, 5):
        for game in walk(number):
            for code in game.options():
                found.update(game.text(code).split(" "))
    return sorted(found)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_words_of_the_game_are_an_option_or_refused_as_bad_text(data: st.DataObject) -> None:
    words = st.lists(st.sampled_from(words_of_the_game()), min_size=1, max_size=6)
    game = begin(0)
    text = " ".join(data.draw(words))
    try:
        code = game.parse(text)
    except BadText:
        return
    assert game.text(code) == text
