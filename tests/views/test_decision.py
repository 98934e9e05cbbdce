"""Decisions: every option with id, text, label and move, and answers back to options."""

from __future__ import annotations

import random
import re
from itertools import product

import pytest
from google.protobuf.message import DecodeError

from endless_winter.rules import Config, gains, notation, options
from endless_winter.rules.modules import REGISTRY
from endless_winter.rules.rivers import codes
from endless_winter.v1 import decision_pb2 as d
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import move_pb2 as m
from endless_winter.views import NoMatch, Scribe, Words, kind_of, labels, match, moves
from tests.rules.scene import TABLES, scene
from tests.rules.walk import (
    ALL,
    EXTRAS,
    OTHERS,
    RIVERS,
    SOLO,
    begin,
    config_of,
    name_of,
    random_of,
    walk,
)
from tests.views.redaction import PACK, WORDS

EVERY_KIND = (*range(36), *SOLO[:6], *EXTRAS[:4], *RIVERS[:6], *ALL[:8], *OTHERS)
FEW_KINDS = (*range(0, 36, 5), *SOLO[:3], *RIVERS[:4])
SCRIBE = Scribe(WORDS, Config(TABLES))


def scribe_of(number: int) -> Scribe:
    return Scribe(WORDS, config_of(number))


def test_spliced_decisions_are_those_encoded_from_scratch() -> None:
    fresh = Words(PACK)
    for number in FEW_KINDS:
        scribe = scribe_of(number)
        for game in walk(number):
            fresh.forget()
            for skip_labels, skip_moves in product((False, True), repeat=2):
                body, anew = (
                    one.decision_bytes(
                        game,
                        9,
                        can_undo=skip_moves,
                        skip_labels=skip_labels,
                        skip_moves=skip_moves,
                        explain=skip_moves,
                    )
                    for one in (scribe, Scribe(fresh, game.position.config))
                )
                assert body == anew
                # No field has a wrong type or number, and none holds its default.
                decision = d.Decision.FromString(body)
                decision.DiscardUnknownFields()
                assert decision.ByteSize() == len(body)


def test_options_differ_by_id_text_label_and_move_and_one_is_the_default() -> None:
    for number in EVERY_KIND:
        scribe = scribe_of(number)
        sample = random_of(-number)
        for game in walk(number):
            if sample.random() > 0.2:
                continue
            decision = scribe.decision(game, 1)
            if decision is None:
                continue
            offered = decision.options
            assert [one.option_id for one in offered] == list(range(len(offered)))
            bodies = {one.move.SerializeToString(deterministic=True) for one in offered}
            assert len(bodies) == len(offered), (name_of(number), decision)
            assert len({one.text for one in offered}) == len(offered)
            assert len({one.label for one in offered}) == len(offered), (name_of(number), decision)
            assert all(one.move.WhichOneof("action") for one in offered)
            assert sum(one.is_default for one in offered) == 1
            assert [game.parse(one.text) for one in offered] == game.options()


def test_moves_refer_to_an_entry_of_the_pool() -> None:
    met = 0
    for number in FEW_KINDS:
        scribe = scribe_of(number)
        for game in walk(number):
            decision = scribe.decision(game, 1)
            if decision is None:
                continue
            for one in decision.options:
                form = one.move.WhichOneof("action")
                if form in ("gain", "split_tools"):
                    index = getattr(one.move, form).pool_index
                    entry = decision.pool[index]
                    assert entry.index == index
                    if form == "split_tools":
                        assert entry.icon == enums.ICON_TOOL
                        assert (
                            entry.amount == one.move.split_tools.tools + one.move.split_tools.food
                        )
                    met += 1
    assert met > 1000


def test_a_decision_is_of_a_kind_that_the_contract_names() -> None:
    met = set()
    for number in EVERY_KIND:
        for game in walk(number):
            met.add(kind_of(game))
    assert d.DECISION_KIND_UNSPECIFIED in met  # the end
    assert met >= {
        d.DECISION_KIND_CHIEF,
        d.DECISION_KIND_CHIEF_SIDE,
        d.DECISION_KIND_SETUP_CARD,
        d.DECISION_KIND_TURN,
        d.DECISION_KIND_ACT,
        d.DECISION_KIND_GAIN,
        d.DECISION_KIND_ABILITIES,
        d.DECISION_KIND_ECLIPSE_PILE,
        d.DECISION_KIND_ECLIPSE_ABILITIES,
        d.DECISION_KIND_ECLIPSE_TERRAIN,
        d.DECISION_KIND_ECLIPSE_BOARD,
        d.DECISION_KIND_REST_TOKEN,
        d.DECISION_KIND_NOMAD,
    }


def test_labels_are_short_plain_english() -> None:
    found = set()
    for number in FEW_KINDS:
        scribe = scribe_of(number)
        for game in walk(number):
            decision = scribe.decision(game, 1)
            if decision is not None:
                found |= {one.label for one in decision.options}
                assert decision.prompt.endswith("?")
    for label in found:
        assert re.fullmatch(r"[A-Z][ -~]{3,110}", label), label
        assert not re.search(r"\ba [AEIOU]|\b0 (Food|Tool|Labor|point)|_|  ", label), label


def test_every_verb_of_the_core_has_a_label_and_a_move() -> None:
    """Also those that a random game never meets."""
    own = {verb for module in REGISTRY.values() for verb in module.words()}
    verbs = {*notation._WORDS, options.AS, options.TOOLS, *own}
    assert verbs == labels.LABELS.keys()
    nomad = set(range(options.NOMAD_REVEAL, options.NOMAD_NOTHING + 1))  # nomad_steps.py
    taken = {options.AS, codes.FISH, codes.LANDMARK, *(moves.TARGETS.keys() & own)}
    taken |= gains.ENTRY_ICONS.keys() - {options.MEGALITH}
    assert verbs - nomad == moves.MOVES.keys() | taken


@pytest.mark.parametrize(
    ("hand", "before", "text", "label"),
    [
        (["hunter"], ["place tribe hunt"], "play hunter", "Play Hunter (1 Labor, +1 in Hunt)"),
        ([], [], "place chief rest", "Rest with the Chief"),
        ([], [], "place tribe develop", "Place a Tribe figure in Develop"),
        (["brave"], ["place tribe hunt"], "end", "End the turn"),
        (
            ["brave"],
            ["place tribe migrate", "bottom"],
            "move 0>3",
            "Move a Camp from hex 0 to hex 3",
        ),
        (
            ["brave", "brave"],
            ["place tribe migrate", "play brave"],
            "travel 0>4",
            "Move a Camp from hex 0 to hex 4 for 1 Labor",
        ),
    ],
)
def test_a_label_says_what_the_choice_does(
    hand: list[str], before: list[str], text: str, label: str
) -> None:
    table = scene(2).player(0, hand=hand).turn(0)
    if before:
        table.do(*before)
    decision = SCRIBE.decision(table.game, 1)
    assert decision is not None
    assert {one.text: one.label for one in decision.options}[text] == label


# --- answers ---


def answers_of(option: d.Option) -> list[d.Answer]:
    return [
        d.Answer(option_id=option.option_id),
        d.Answer(text=option.text),
        d.Answer(move=option.move),
    ]


def test_every_option_can_be_chosen_by_id_by_text_and_by_move() -> None:
    for number in EVERY_KIND:
        scribe = scribe_of(number)
        sample = random_of(-number)
        for game in walk(number):
            if sample.random() > 0.05:
                continue
            decision = scribe.decision(game, 1)
            if decision is None:
                continue
            for one, code in zip(decision.options, game.options(), strict=True):
                for answer in answers_of(one):
                    assert game.options()[match(answer, game, scribe)] == code
            default = match(d.Answer(take_default=True), game, scribe)
            assert decision.options[default].is_default


def test_a_move_that_leaves_seat_0_out_is_that_of_seat_0() -> None:
    """As JSON of a language without explicit presence has it."""
    left_out = 0
    for number in EVERY_KIND:
        scribe = scribe_of(number)
        for game in walk(number):
            decision = scribe.decision(game, 1)
            for one in decision.options if decision is not None else ():
                if one.move.HasField("move_camp") and one.move.move_camp.owner_seat == 0:
                    assert one.move.move_camp.HasField("owner_seat")
                    one.move.move_camp.ClearField("owner_seat")
                    assert match(d.Answer(move=one.move), game, scribe) == one.option_id
                    left_out += 1
            if left_out > 20:
                return
    assert left_out


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (d.Answer(option_id=99), "no option 99: the decision has options 0 to 9"),
        (d.Answer(option_id=2**32 - 1), "no option 4294967295"),
        (d.Answer(text="place chief nowhere"), "no option has the text 'place chief nowhere'"),
        (d.Answer(text="x" * 1000), "no option has the text 'xxxx"),
        (d.Answer(text=""), "no option has the text ''"),
        (d.Answer(move=m.Move()), "the move has no action"),
        (d.Answer(move=m.Move(end_turn=m.EndTurn())), "no option has this end_turn move"),
        (
            d.Answer(move=m.Move(place_figure=m.FigurePlacement())),
            "no option has this place_figure",
        ),
        (d.Answer(take_default=False), "take_default must be true"),
        (d.Answer(), "the answer has no choice"),
    ],
)
def test_an_answer_that_means_no_option_is_refused_with_its_reason(
    answer: d.Answer, reason: str
) -> None:
    table = scene(2).turn(0)
    with pytest.raises(NoMatch, match=re.escape(reason)) as refused:
        match(answer, table.game, SCRIBE)
    assert len(str(refused.value)) < 200


def test_nothing_can_be_chosen_when_the_game_is_over() -> None:
    *_, last = walk(2)
    with pytest.raises(NoMatch, match="the game is over"):
        match(d.Answer(take_default=True), last, scribe_of(2))


def test_whatever_an_answer_holds_it_matches_an_option_or_is_refused() -> None:
    """Bytes of real answers, cut, flipped and mixed."""
    noise = random.Random(4)
    game = begin(5)
    scribe = scribe_of(5)
    choices = random_of(5)
    refused = matched = 0
    for _ in range(150):
        decision = scribe.decision(game, 1)
        assert decision is not None
        for one in decision.options:
            for answer in answers_of(one):
                body = bytearray(answer.SerializeToString())
                for _ in range(noise.randrange(1, 4)):
                    body[noise.randrange(len(body))] = noise.randrange(256)
                try:
                    broken = d.Answer.FromString(bytes(body[: noise.randrange(len(body) + 1)]))
                except DecodeError:  # not even a message: never comes this far
                    continue
                try:
                    assert match(broken, game, scribe) in range(len(game.options()))
                    matched += 1
                except NoMatch:
                    refused += 1
        game.apply(choices.option(game))
    assert refused > 300
    assert matched
