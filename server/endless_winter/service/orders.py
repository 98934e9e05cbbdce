"""What a Play stream is asked to do, and the plain answers among it read straight from the bytes.

Nearly every message of a stream holds nothing but answers by option id, and taking those apart
through the fields of a protobuf message costs more than all that is done to check them. So the
reader here knows exactly that form and leaves every other message, also every malformed one, to
protobuf: what it does read, protobuf would read as the same.

Any other message is kept as bytes, and each of its commands is parsed when its turn comes: as
messages they take up to forty times as much memory, and a client that does not read what it is told
has them waiting for as long as it likes (decision 156).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from google.protobuf.message import DecodeError

from endless_winter.service.refusal import Refusal
from endless_winter.v1 import decision_pb2
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import wire

if TYPE_CHECKING:
    from collections.abc import Iterator

PLAIN_BYTES: Final = 1 << 14  # of a longer message only as much is taken apart as is being done
_VARINT: Final = 0
_FIXED_64: Final = 1
_LENGTH: Final = 2
_FIXED_32: Final = 5
_TAG_BITS: Final = 3
_LONGEST: Final = 64  # bits of a number
_COMMANDS: Final = p.PlayRequest.COMMANDS_FIELD_NUMBER << 3 | _LENGTH
_REQUEST_ID: Final = p.PlayCommand.REQUEST_ID_FIELD_NUMBER << 3 | _LENGTH
_GAME_ID: Final = p.PlayCommand.GAME_ID_FIELD_NUMBER << 3 | _LENGTH
_SEAT: Final = p.PlayCommand.SEAT_FIELD_NUMBER << 3 | _VARINT
_ANSWER: Final = p.PlayCommand.ANSWER_FIELD_NUMBER << 3 | _LENGTH
_ANSWER_DECISION_ID: Final = decision_pb2.Answer.DECISION_ID_FIELD_NUMBER
_ANSWER_OPTION_ID: Final = decision_pb2.Answer.OPTION_ID_FIELD_NUMBER
_DECISION_ID: Final = _ANSWER_DECISION_ID << 3 | _VARINT
_OPTION_ID: Final = _ANSWER_OPTION_ID << 3 | _VARINT
_THINK_MS: Final = decision_pb2.Answer.THINK_MS_FIELD_NUMBER << 3 | _VARINT
_MOST_BITS: Final = 28
_ABSENT: Final = -1


class Given:
    """An answer to a decision, as it was given."""

    __slots__ = ("_message", "decision_id", "option_id", "think_ms")

    def __init__(self, message: decision_pb2.Answer | None) -> None:
        """From a message; without one it is filled in by the reader."""
        self._message = message
        self.decision_id = 0
        self.option_id = _ABSENT  # then the answer has another form
        self.think_ms: int | None = None
        if message is not None:
            self.decision_id = message.decision_id
            if message.HasField("option_id"):
                self.option_id = message.option_id
            if message.HasField("think_ms"):
                self.think_ms = message.think_ms

    @property
    def message(self) -> decision_pb2.Answer:
        if self._message is None:
            self._message = decision_pb2.Answer(
                decision_id=self.decision_id, option_id=self.option_id, think_ms=self.think_ms
            )
        return self._message

    def wanted(self) -> bytes:
        """The serialized answer without the time it took: a retry may say something else."""
        if self._message is None:
            chosen = wire.present(_ANSWER_OPTION_ID, self.option_id)
            return wire.uint(_ANSWER_DECISION_ID, self.decision_id) + chosen
        plain = decision_pb2.Answer()  # a message may hold fields that are not known here
        plain.CopyFrom(self._message)
        plain.ClearField("think_ms")
        return plain.SerializeToString(deterministic=True)


class Order:
    """A command that is the answer of a seat."""

    __slots__ = ("_command", "game_id", "given", "request_id", "seat")

    def __init__(self, given: Given, command: p.PlayCommand | None = None) -> None:
        self.request_id = ""
        self.game_id = ""
        self.seat = _ABSENT
        self.given = given
        self._command = command

    @property
    def command(self) -> p.PlayCommand:
        """The same as a message."""
        if self._command is None:
            self._command = p.PlayCommand(
                request_id=self.request_id,
                game_id=self.game_id,
                seat=self.seat,
                answer=self.given.message,
            )
        return self._command


def order_of(command: p.PlayCommand) -> Order | None:
    """The order that a message is; None: it is something else."""
    if command.WhichOneof("command") != "answer" or not command.HasField("seat"):
        return None
    order = Order(Given(command.answer), command)
    order.request_id = command.request_id
    order.game_id = command.game_id
    order.seat = command.seat
    return order


class Unread:
    """A message whose commands are parsed one by one."""

    __slots__ = ("_raw",)

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    @property
    def commands(self) -> Iterator[p.PlayCommand]:
        for place in _fields(self._raw):
            if place is not None:
                yield p.PlayCommand.FromString(self._raw[place])


def read_request(raw: bytes, most: int, most_bytes: int) -> list[Order] | Unread:
    """A message of a Play stream, with at most so many commands of so many bytes each.

    Raises:
        DecodeError: it is none. Nothing of it is done then.
        Refusal: it is too large.
    """
    orders = read_orders(raw) if len(raw) <= PLAIN_BYTES else None
    if orders is not None:
        return orders
    for number, place in enumerate(_fields(raw)):
        if number >= most:  # fields that are not known here count too: they take as long
            raise Refusal(
                reasons.REJECTION_REASON_TOO_LARGE,
                f"a message has at most {most} commands; send several messages",
            )
        if place is None:
            continue
        if place.stop - place.start > most_bytes:
            raise Refusal(
                reasons.REJECTION_REASON_TOO_LARGE,
                f"a command has at most {most_bytes} bytes",
            )
        p.PlayCommand.FromString(raw[place])
    return Unread(raw)


def _fields(raw: bytes) -> Iterator[slice[int, int, None] | None]:
    """The fields of a PlayRequest: where a command is; None: one that is not known here."""
    size = len(raw)
    at = 0
    while at < size:
        tag, at = _varint(raw, at)
        kind = tag & (1 << _TAG_BITS) - 1
        if not tag >> _TAG_BITS:
            raise DecodeError("no field has the number 0")
        if kind == _VARINT:
            at = start = _varint(raw, at)[1]
        elif kind == _LENGTH:
            length, start = _varint(raw, at)
            at = start + length
        elif kind in (_FIXED_64, _FIXED_32):
            at = start = at + (8 if kind == _FIXED_64 else 4)
        else:
            raise DecodeError("groups are not of this version of protobuf")
        if at > size:
            raise DecodeError("the message is cut off")
        yield slice(start, at) if tag == _COMMANDS else None


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """Any number of protobuf, and the place after it."""
    number = 0
    for shift in range(0, _LONGEST, 7):
        if at >= len(raw):
            break
        octet = raw[at]
        at += 1
        number |= (octet & 127) << shift
        if octet < 128:
            return number, at
    raise DecodeError("a number has no end")


def read_orders(raw: bytes) -> list[Order] | None:
    """The commands of a message that holds plain answers alone; None: it holds something else."""
    orders = []
    size = len(raw)
    at = 0
    try:
        while at < size:
            if raw[at] != _COMMANDS:
                return None
            length, at = _number(raw, at + 1, size)
            end = at + length
            if at < 0 or end > size:
                return None
            order = _read_order(raw, at, end)
            if order is None:
                return None
            orders.append(order)
            at = end
    except UnicodeDecodeError:  # not ASCII, which is rare and may be in order
        return None
    return orders


def _read_order(raw: bytes, at: int, end: int) -> Order | None:
    """Fields come in their order and each once, as every serializer writes them."""
    given = Given(None)
    order = Order(given)
    last = 0
    while at < end:
        tag = raw[at]
        number, at = _number(raw, at + 1, end)
        if tag <= last or at < 0:
            return None
        last = tag
        if tag == _SEAT:
            order.seat = number
            continue
        stop = at + number
        if stop > end:
            return None
        if tag == _GAME_ID:
            order.game_id = raw[at:stop].decode("ascii")
        elif tag == _REQUEST_ID:
            order.request_id = raw[at:stop].decode("ascii")
        elif tag != _ANSWER or not _read_answer(given, raw, at, stop):
            return None
        at = stop
    complete = order.seat >= 0 and given.option_id >= 0
    return order if complete else None


def _read_answer(given: Given, raw: bytes, at: int, end: int) -> bool:
    last = 0
    while at < end:
        tag = raw[at]
        number, at = _number(raw, at + 1, end)
        if tag <= last or at < 0:
            return False
        last = tag
        if tag == _DECISION_ID:
            given.decision_id = number
        elif tag == _OPTION_ID:
            given.option_id = number
        elif tag == _THINK_MS:
            given.think_ms = number
        else:
            return False
    return True


def _number(raw: bytes, at: int, end: int) -> tuple[int, int]:
    """A number below 2**28 and the place after it, which is -1 if there is none such."""
    number = 0
    shift = 0
    while at < end and shift < _MOST_BITS:
        octet = raw[at]
        at += 1
        if octet < 128:
            if octet == 0 and shift:
                break  # longer than it need be
            return number | octet << shift, at
        number |= (octet & 127) << shift
        shift += 7
    return 0, -1
