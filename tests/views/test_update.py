"""Whole updates: parts that were encoded apart are put together to the right message."""

from __future__ import annotations

import random

import pytest

from bench.prompts import from_scratch, measure, recorded, spliced
from endless_winter.rules import Config
from endless_winter.v1 import clock_pb2, decision_pb2, event_pb2, game_pb2, result_pb2, update_pb2
from endless_winter.views import (
    PublicEncoder,
    Scribe,
    Words,
    event_bytes,
    happened,
    private_bytes,
    private_view,
    prompt_bytes,
    public_view,
    update_bytes,
    wire,
)
from tests.rules.scene import TABLES
from tests.rules.walk import ALL, EXTRAS, begin, config_of, name_of, random_of, seed_of
from tests.views.redaction import PACK, WORDS


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 16383, 16384, 2**32, 2**63, 2**64 - 1])
def test_numbers_are_written_as_protobuf_writes_them(number: int) -> None:
    body = update_pb2.Update(seq=number).SerializeToString()
    assert wire.uint(1, number) == body
    assert update_pb2.Update.FromString(wire.uint(1, number)).seq == number


@pytest.mark.parametrize("number", [0, 1, 127, 128, 16383, 16384, 2**63 - 1, -1, -(2**63)])
def test_signed_numbers_are_written_as_protobuf_writes_them(number: int) -> None:
    info = game_pb2.GameInfo(created_unix_ms=number)
    field = game_pb2.GameInfo.CREATED_UNIX_MS_FIELD_NUMBER
    assert wire.signed(field, number) == info.SerializeToString()


@pytest.mark.parametrize("field", [1, 15, 16, 63])
@pytest.mark.parametrize("length", [0, 1, 127, 128, 16383, 16384, 3_000_000])
def test_a_field_is_its_tag_its_length_and_its_bytes(field: int, length: int) -> None:
    body = bytes(length)
    tag = wire.varint(field << 3 | 2)
    assert wire.message(field, body) == tag + wire.varint(length) + body


@pytest.mark.parametrize("deadline", [None, 0, 1, -1, 2**62, -(2**63)])
def test_an_absent_number_is_not_a_zero(deadline: int | None) -> None:
    prompt = decision_pb2.Prompt.FromString(wire.present(2, deadline))
    assert prompt.HasField("deadline_unix_ms") == (deadline is not None)
    assert prompt.deadline_unix_ms == (deadline or 0)


def test_long_fields_have_long_lengths() -> None:
    title = "x" * 300
    assert wire.text(4, title) == decision_pb2.Decision(prompt=title).SerializeToString()


@pytest.mark.parametrize("number", [5, *EXTRAS[:4], *ALL[:4]], ids=name_of)
def test_a_whole_update_is_the_message_built_from_scratch(number: int) -> None:
    game = begin(number, listen=True)
    happening = game.take_events()
    choices = random_of(number)
    scribe = Scribe(WORDS, config_of(number))
    encoder = PublicEncoder(WORDS)
    for seq in range(1, 200):
        if game.decision is None:
            break
        seat = game.decision.seat
        position = game.position
        seen = happened(WORDS, position, happening)
        timing = clock_pb2.AnswerTiming(charged_ms=5, think_ms=3, transit_ms=2)
        clock = clock_pb2.ClockReading(server_time_unix_ms=17, seats=[clock_pb2.SeatClock(seat=1)])
        body = update_bytes(
            seq=seq,
            status=game_pb2.GAME_STATUS_RUNNING,
            snapshot=seq % 3 == 0,
            events=b"".join(
                wire.message(
                    update_pb2.Update.EVENTS_FIELD_NUMBER,
                    event_bytes(seq, one.public, one.private if one.seat == seat else None),
                )
                for one in seen
            ),
            public_view=encoder.encode(position),
            private_view=private_bytes(WORDS, position, seat),
            prompt=prompt_bytes(
                scribe.decision_bytes(game, seq, can_undo=seq % 2 == 0),
                deadline_unix_ms=1_800_000_000_000 + seq,
                bank_ms=0,
                last_answer=timing.SerializeToString(),
                wrong_answers_left=3,
                sent_unix_ms=1_800_000_000_000,
            ),
            clock=clock.SerializeToString(),
            ready_check=update_pb2.ReadyCheck().SerializeToString(),
            result=result_pb2.GameResult(decisions=3).SerializeToString(),
            seed_reveal=result_pb2.SeedReveal(seed=b"s").SerializeToString(),
            game=game_pb2.GameInfo(game_id="g").SerializeToString(),
        )
        expected = update_pb2.Update(
            seq=seq,
            snapshot=seq % 3 == 0,
            status=game_pb2.GAME_STATUS_RUNNING,
            events=[
                event_pb2.Event(
                    seq=seq,
                    public_event=event_pb2.PublicEvent.FromString(one.public),
                    private_event=(
                        event_pb2.PrivateEvent.FromString(one.private) if one.seat == seat else None
                    ),
                )
                for one in seen
            ],
            public_view=public_view(WORDS, position),
            private_view=private_view(WORDS, position, seat),
            prompt=decision_pb2.Prompt(
                decision=scribe.decision(game, seq, can_undo=seq % 2 == 0),
                deadline_unix_ms=1_800_000_000_000 + seq,
                bank_ms=0,
                last_answer=timing,
                wrong_answers_left=3,
                sent_unix_ms=1_800_000_000_000,
            ),
            clock=clock,
            ready_check=update_pb2.ReadyCheck(),
            result=result_pb2.GameResult(decisions=3),
            seed_reveal=result_pb2.SeedReveal(seed=b"s"),
            game=game_pb2.GameInfo(game_id="g"),
        )
        assert update_pb2.Update.FromString(body) == expected
        happening = game.apply(choices.option(game))
    assert seq > 120


def test_an_update_without_parts_has_none() -> None:
    body = update_bytes(seq=4, status=game_pb2.GAME_STATUS_OPEN)
    assert update_pb2.Update.FromString(body) == update_pb2.Update(
        seq=4, status=game_pb2.GAME_STATUS_OPEN
    )


@pytest.mark.parametrize("number", [2, ALL[0], ALL[1]], ids=name_of)
def test_what_is_measured_is_the_same_message_both_ways(number: int) -> None:
    choices = random_of(number)
    games = recorded(config_of(number), seed_of(number), choices.option, 60)
    scribe = Scribe(WORDS, config_of(number))
    encoder = PublicEncoder(WORDS)
    cold = Words(PACK)
    for seq, game in enumerate(games):
        quick = spliced(WORDS, scribe, encoder, game, seq)
        slow = from_scratch(cold, game, seq)
        assert quick == slow


def test_splicing_costs_a_small_part_of_building_anew() -> None:
    """The target is 0.3, which `python -m bench serve` prints; here only a wide margin."""
    choices = random.Random(1)
    games = [
        recorded(Config(TABLES, players=4), seed_of(2), lambda game: choices.choice(game.options()))
    ]
    cost = measure(PACK, games, repeat=2)
    print(f"a prompt with its view: {cost}, ratio {cost.ratio:.2f}")
    assert cost.prompts > 100
    assert cost.ratio < 0.5
