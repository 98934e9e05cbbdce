"""What a Play stream is asked to do, and the plain answers among it read straight from the bytes.

Nearly every message of a stream holds nothing but answers by option id, and taking those apart
through the fields of a protobuf message costs more than all that is done to check them. So the
reader here knows exactly that form and leaves every other message, also every malformed one, to
protobuf: what it does read, protobuf would read as the same.
"""

from __future__ import annotations

from typing import Final

from endless_winter.v1 import decision_pb2
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.views import wire

PLAIN_BYTES: Final = 1 << 14  # of a longer message only as much is taken apart as is being done
_VARINT: Final = 0
_LENGTH: Final = 2
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


def read_request(raw: bytes) -> list[Order] | p.PlayRequest:
    """A message of a Play stream; raises what protobuf raises if it is none."""
    orders = read_orders(raw) if len(raw) <= PLAIN_BYTES else None
    return p.PlayRequest.FromString(raw) if orders is None else orders


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
