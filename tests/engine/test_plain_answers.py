"""Plain answers are read from the bytes as protobuf reads them; all else is left to protobuf."""

from __future__ import annotations

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from endless_winter.engine.commands import Answer
from endless_winter.engine.plain_answers import PLAIN_BYTES, checks, commands_of, read_answers
from endless_winter.v1 import decision_pb2, move_pb2
from endless_winter.v1 import play_service_pb2 as p
from tests.engine.desk import Desk, refused

SMALL = st.integers(0, 2**28 - 1)
WORDS = st.text(st.characters(max_codepoint=127), max_size=80)
ANSWERS = st.builds(
    decision_pb2.Answer, decision_id=SMALL, option_id=SMALL, think_ms=st.none() | SMALL
)
PLAIN = st.builds(p.PlayCommand, request_id=WORDS, game_id=WORDS, seat=SMALL, answer=ANSWERS)
ANY_ANSWERS = st.one_of(
    ANSWERS,
    st.builds(
        decision_pb2.Answer,
        decision_id=st.integers(0, 2**64 - 1),
        option_id=st.none() | st.integers(0, 2**32 - 1),
        think_ms=st.none() | st.integers(-(2**63), 2**63 - 1),
    ),
    st.builds(decision_pb2.Answer, text=st.text(max_size=5)),
    st.builds(decision_pb2.Answer, take_default=st.booleans()),
    st.builds(decision_pb2.Answer, move=st.just(move_pb2.Move())),
    st.builds(decision_pb2.Answer, option_id=SMALL, plan=st.lists(WORDS, min_size=1, max_size=3)),
)
COMMANDS = st.one_of(
    PLAIN,
    st.builds(
        p.PlayCommand,
        request_id=st.text(max_size=5),
        game_id=st.text(max_size=5),
        seat=st.none() | st.integers(0, 2**32 - 1),
        answer=st.none() | ANY_ANSWERS,
    ),
    st.builds(p.PlayCommand, ready=st.just(p.Ready())),
)
REQUESTS = st.lists(COMMANDS, max_size=4).map(lambda found: p.PlayRequest(commands=found))
DESK = Desk()
STREAM = DESK.stream("player 0").play
BY_MESSAGES = Desk(plain_answers=False).stream("player 0").play


def plain(raw: bytes) -> list[Answer] | None:
    return read_answers(raw, STREAM, DESK.now)


def read(raw: bytes, most: int = 10_000, most_bytes: int = 1000) -> list[p.PlayCommand]:
    list(checks(raw, most, most_bytes))
    return list(commands_of(raw))


def protobuf(raw: bytes) -> p.PlayRequest | None:
    try:
        return p.PlayRequest.FromString(raw)
    except DecodeError:
        return None


def of_message(command: p.PlayCommand) -> Answer:
    """The command that is made of a message."""
    raw = p.PlayRequest(commands=[command]).SerializeToString()
    (answer,) = BY_MESSAGES.parse(raw, DESK.now)
    assert isinstance(answer, Answer)
    return answer


def check(raw: bytes) -> None:
    """Whatever is read here, protobuf reads, and as the same."""
    answers = plain(raw)
    if answers is None:
        return
    known = protobuf(raw)
    assert known is not None
    assert len(answers) == len(known.commands)
    for answer, command in zip(answers, known.commands, strict=True):
        assert answer.request_id == command.request_id
        assert answer.game_id == command.game_id
        assert answer.seat == command.seat
        assert answer.decision_id == command.answer.decision_id
        assert answer.option_id == command.answer.option_id
        assert not command.answer.plan
        think = command.answer.think_ms if command.answer.HasField("think_ms") else None
        assert answer.think_ms == think


@given(st.lists(PLAIN, max_size=4))
def test_plain_answers_are_read_here(commands: list[p.PlayCommand]) -> None:
    raw = p.PlayRequest(commands=commands).SerializeToString()
    assert plain(raw) is not None
    check(raw)


@given(REQUESTS)
def test_what_is_not_plain_is_left_to_protobuf(request: p.PlayRequest) -> None:
    raw = request.SerializeToString()
    check(raw)
    assert read(raw) == list(request.commands)


@given(REQUESTS, st.data())
def test_changed_bytes_are_read_as_protobuf_reads_them_or_not_at_all(
    request: p.PlayRequest, data: st.DataObject
) -> None:
    raw = bytearray(request.SerializeToString())
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(raw)))
        raw[at : at + data.draw(st.integers(0, 2))] = data.draw(st.binary(max_size=2))
    check(bytes(raw))


@given(st.lists(PLAIN, min_size=1, max_size=2), st.data())
def test_plain_answers_with_a_changed_byte_too(
    commands: list[p.PlayCommand], data: st.DataObject
) -> None:
    raw = bytearray(p.PlayRequest(commands=commands).SerializeToString())
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    check(bytes(raw))


@given(st.binary(max_size=40))
def test_any_bytes_are_read_as_protobuf_reads_them_or_not_at_all(raw: bytes) -> None:
    check(raw)


def command_of(body: bytes) -> bytes:
    return b"\x0a" + bytes([len(body)]) + body


PLAINEST = b"\x12\x01g\x18\x00\x72\x04\x08\x05\x10\x02"


@pytest.mark.parametrize(
    "raw",
    [
        command_of(PLAINEST)[:-1],  # cut off
        command_of(PLAINEST) + b"\x0a",
        command_of(PLAINEST) + b"\x0a\x80",
        command_of(PLAINEST[:3] + PLAINEST),  # a field twice
        command_of(PLAINEST + PLAINEST[-6:]),  # two answers are one
        command_of(PLAINEST[3:] + PLAINEST[:3]),  # in another order
        command_of(PLAINEST + b"\x6a\x00"),  # an answer, then something else
        command_of(PLAINEST + b"\xf8\x07\x01"),  # an unknown field
        command_of(PLAINEST) + b"\x12\x00",
        command_of(b"\x12\x01\xff" + PLAINEST[3:]),  # no text
        command_of(b"\x12\x02\xc3\xa9" + PLAINEST[3:]),  # no ASCII
        command_of(b"\x12\x01g\x18\x80\x00" + PLAINEST[5:]),  # a number in too many bytes
        command_of(b"\x12\x01g\x18\xff\xff\xff\xff\x0f" + PLAINEST[5:]),  # a large one
        command_of(PLAINEST[:3] + PLAINEST[5:]),  # no seat
        command_of(PLAINEST[:5] + b"\x72\x02\x08\x05"),  # no option
        command_of(PLAINEST[:5] + b"\x72\x03\x1a\x01x"),  # an answer as text
        command_of(PLAINEST[:5]),  # nothing
    ],
)
def test_everything_else_is_left_to_protobuf(raw: bytes) -> None:
    assert plain(command_of(PLAINEST)) is not None
    assert plain(raw) is None
    known = protobuf(raw)
    if known is None:
        with pytest.raises(DecodeError):
            read(raw)
    else:
        assert read(raw) == list(known.commands)


def test_of_a_long_message_no_commands_are_made_beforehand() -> None:
    raw = command_of(PLAINEST)
    assert plain(raw * (PLAIN_BYTES // len(raw))) is not None
    assert plain(raw * (PLAIN_BYTES // len(raw) + 1)) is None


def test_of_a_message_with_too_many_or_too_long_commands_nothing_is_done() -> None:
    ping = p.PlayRequest(commands=[p.PlayCommand(ping=p.Ping(nonce=1))]).SerializeToString()
    for field in (b"\x0a\x00", ping, b"\x10\x01", b"\x12\x01x", b"\x15abcd", b"\x11abcdefgh"):
        read(field * 7, most=7, most_bytes=100)
        # The end of it is no message at all, and nobody has looked.
        with refused("TOO_LARGE"):
            read(field * 8 + b"\xff", most=7, most_bytes=100)
    long = p.PlayRequest(commands=[p.PlayCommand(game_id="x" * 98)]).SerializeToString()
    read(long, most_bytes=100)
    longer = p.PlayRequest(commands=[p.PlayCommand(game_id="x" * 99)]).SerializeToString()
    with refused("TOO_LARGE"):
        read(longer, most_bytes=100)


def test_fields_that_are_not_known_are_skipped() -> None:
    ping = p.PlayCommand(ping=p.Ping(nonce=1))
    one = p.PlayRequest(commands=[ping]).SerializeToString()
    unknown = b"\x10\xff\x7f" + b"\x12\x01x" + b"\x15abcd" + b"\x11abcdefgh" + b"\x8a\x00\x00"
    assert read(unknown[:-3] + one + unknown + one) == [ping, p.PlayCommand(), ping]
    for bad in (b"\x00\x01", b"\x10", b"\x15abc", b"\x12\x02x", b"\x10" + b"\xff" * 10, b"\x13"):
        with pytest.raises(DecodeError):
            read(one + bad)


GAME = DESK.running()


def key_of(answer: Answer) -> bytes:
    answer.request_id, answer.seat = "r", 0
    key = answer.key(GAME)
    assert key is not None
    return key.digest


@given(ANY_ANSWERS)
def test_the_same_answer_has_the_same_digest_whatever_time_it_took(
    answer: decision_pb2.Answer,
) -> None:
    first = key_of(of_message(p.PlayCommand(seat=0, answer=answer)))
    answer.think_ms = 7
    assert key_of(of_message(p.PlayCommand(seat=0, answer=answer))) == first


@given(PLAIN)
def test_an_answer_read_from_the_bytes_has_the_digest_of_its_message(
    command: p.PlayCommand,
) -> None:
    answers = plain(p.PlayRequest(commands=[command]).SerializeToString())
    assert answers is not None
    assert key_of(answers[0]) == key_of(of_message(command))


def test_an_answer_counts_as_read_when_its_message_was() -> None:
    (answer,) = plain(command_of(PLAINEST)) or []
    assert answer.asked.now.ms == DESK.ms
    assert answer.asked.stream is STREAM
