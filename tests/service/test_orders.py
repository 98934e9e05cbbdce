"""Answers that are read from the bytes are what protobuf reads; all others are left to it."""

from __future__ import annotations

import pytest
from google.protobuf.message import DecodeError
from hypothesis import given
from hypothesis import strategies as st

from endless_winter.service.asked import digest_of
from endless_winter.service.orders import PLAIN_BYTES, Given, Order, Unread, read_orders
from endless_winter.service.orders import read_request as read_limited
from endless_winter.service.refusal import Refusal
from endless_winter.v1 import decision_pb2, move_pb2
from endless_winter.v1 import play_service_pb2 as p

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


def read_request(raw: bytes) -> list[Order] | Unread:
    return read_limited(raw, most=10_000, most_bytes=1000)


def protobuf(raw: bytes) -> p.PlayRequest | None:
    try:
        return p.PlayRequest.FromString(raw)
    except DecodeError:
        return None


def check(raw: bytes) -> None:
    """Whatever is read here, protobuf reads, and as the same."""
    orders = read_orders(raw)
    if orders is not None:
        known = protobuf(raw)
        assert known is not None
        assert p.PlayRequest(commands=[order.command for order in orders]) == known
        for order, command in zip(orders, known.commands, strict=True):
            assert order.request_id == command.request_id
            assert order.game_id == command.game_id
            assert order.seat == command.seat
            asked = Given(command.answer)
            assert order.given.decision_id == asked.decision_id == command.answer.decision_id
            assert order.given.option_id == asked.option_id == command.answer.option_id
            assert order.given.think_ms == asked.think_ms
            assert command.answer.HasField("think_ms") == (asked.think_ms is not None)


@given(st.lists(PLAIN, max_size=4))
def test_plain_answers_are_read_here(commands: list[p.PlayCommand]) -> None:
    raw = p.PlayRequest(commands=commands).SerializeToString()
    orders = read_orders(raw)
    assert orders is not None
    assert [order.command for order in orders] == commands
    check(raw)


@given(REQUESTS)
def test_what_is_not_plain_is_left_to_protobuf(request: p.PlayRequest) -> None:
    raw = request.SerializeToString()
    check(raw)
    read = read_request(raw)
    if isinstance(read, list):
        assert [order.command for order in read] == list(request.commands)
    else:
        assert list(read.commands) == list(request.commands)


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
    assert read_orders(command_of(PLAINEST)) is not None
    assert read_orders(raw) is None
    known = protobuf(raw)
    if known is None:
        with pytest.raises(DecodeError):
            read_request(raw)
    else:
        read = read_request(raw)
        assert isinstance(read, Unread)
        assert list(read.commands) == list(known.commands)


def test_of_a_long_message_no_orders_are_made_beforehand() -> None:
    raw = command_of(PLAINEST)
    assert isinstance(read_request(raw * (PLAIN_BYTES // len(raw))), list)
    assert isinstance(read_request(raw * (PLAIN_BYTES // len(raw) + 1)), Unread)


def test_of_a_message_with_too_many_or_too_long_commands_nothing_is_parsed() -> None:
    def refused(raw: bytes, most: int) -> str:
        with pytest.raises(Refusal) as found:
            read_limited(raw, most=most, most_bytes=100)
        return found.value.name

    ping = p.PlayRequest(commands=[p.PlayCommand(ping=p.Ping(nonce=1))]).SerializeToString()
    for field in (b"\x0a\x00", ping, b"\x10\x01", b"\x12\x01x", b"\x15abcd", b"\x11abcdefgh"):
        assert isinstance(read_limited(field * 7, most=7, most_bytes=100), Unread)
        # The end of it is no message at all, and nobody has looked.
        assert refused(field * 8 + b"\xff", most=7) == "TOO_LARGE"
    long = p.PlayRequest(commands=[p.PlayCommand(game_id="x" * 98)]).SerializeToString()
    assert isinstance(read_limited(long, most=7, most_bytes=100), Unread)
    longer = p.PlayRequest(commands=[p.PlayCommand(game_id="x" * 99)]).SerializeToString()
    assert refused(longer, most=7) == "TOO_LARGE"


def test_fields_that_are_not_known_are_skipped() -> None:
    ping = p.PlayCommand(ping=p.Ping(nonce=1))
    one = p.PlayRequest(commands=[ping]).SerializeToString()
    unknown = b"\x10\xff\x7f" + b"\x12\x01x" + b"\x15abcd" + b"\x11abcdefgh" + b"\x8a\x00\x00"
    read = read_request(unknown[:-3] + one + unknown + one)
    assert isinstance(read, Unread)
    assert list(read.commands) == [ping, p.PlayCommand(), ping]
    for bad in (b"\x00\x01", b"\x10", b"\x15abc", b"\x12\x02x", b"\x10" + b"\xff" * 10, b"\x13"):
        with pytest.raises(DecodeError):
            read_request(one + bad)


@given(ANY_ANSWERS)
def test_the_same_answer_has_the_same_digest_whatever_time_it_took(
    answer: decision_pb2.Answer,
) -> None:
    """Also the one that older logs hold: that of the message without its time."""
    wanted = Given(answer).wanted()
    answer.ClearField("think_ms")
    assert digest_of(b"answer", wanted) == digest_of(b"answer", answer)
    assert Given(answer).wanted() == wanted


@given(PLAIN)
def test_an_answer_read_from_the_bytes_has_the_digest_of_its_message(
    command: p.PlayCommand,
) -> None:
    orders = read_orders(p.PlayRequest(commands=[command]).SerializeToString())
    assert orders is not None
    assert orders[0].given.wanted() == Given(command.answer).wanted()
