"""A trick for speed: plain answers are read straight from the bytes of a Play message.

Nearly every message of a stream holds nothing but answers by option id. Taking those apart through
the fields of a protobuf message costs more than all checks of them. This reader knows exactly that
form and leaves every other message, also every malformed one, to protobuf. It brings 7 to 14 % of
the server's processor time with bots that do not think; `Settings.plain_answers = False`
switches it off.

Any other message waits as bytes, and each of its commands is parsed when its turn comes: as
messages they take up to forty times as much memory (decision 0156).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from google.protobuf.message import DecodeError

from endless_winter.engine.commands import NO_OPTION, Answer, Asked
from endless_winter.engine.refusal import Refusal
from endless_winter.v1 import decision_pb2
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.engine.clocks import Now
    from endless_winter.engine.stream import PlayStream

PLAIN_BYTES: Final = 1 << 14  # a longer message is parsed command by command
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
_STEP: Final = 256  # commands that are looked through at once: a millisecond


def checks(raw: bytes, most: int, most_bytes: int) -> Iterator[None]:
    """Look through a message before the first of its commands is carried out, step by step.

    Raises:
        DecodeError: it is no message. Nothing of it is done then.
        Refusal: it is too large.
    """
    for number, place in enumerate(_fields(raw)):
        if number >= most:  # fields that are not known here count too: they take as long
            raise Refusal(
                reasons.REJECTION_REASON_TOO_LARGE,
                f"a message has at most {most} commands; send several messages",
            )
        if not number % _STEP:
            yield
        if place is None:
            continue
        start, end = place
        if end - start > most_bytes:
            raise Refusal(
                reasons.REJECTION_REASON_TOO_LARGE,
                f"a command has at most {most_bytes} bytes",
            )
        p.PlayCommand.FromString(raw[start:end])


def commands_of(raw: bytes) -> Iterator[p.PlayCommand]:
    """The commands of a message that was looked through, parsed one by one."""
    for place in _fields(raw):
        if place is not None:
            yield p.PlayCommand.FromString(raw[place[0] : place[1]])


def _fields(raw: bytes) -> Iterator[tuple[int, int] | None]:
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
        yield (start, at) if tag == _COMMANDS else None


def _varint(raw: bytes, at: int) -> tuple[int, int]:
    """Any number of protobuf, and the place after it."""
    number = 0
    for shift in range(0, _LONGEST, 7):
        if at >= len(raw):
            break
        byte = raw[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
    raise DecodeError("a number has no end")


def read_answers(raw: bytes, stream: PlayStream, now: Now) -> list[Answer] | None:
    """The commands of a message that holds plain answers alone; None: it holds something else."""
    if len(raw) > PLAIN_BYTES:
        return None
    answers = []
    asked = Asked(stream.caller, stream, now, stream)
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
            answer = _read_command(raw, at, end, asked)
            if answer is None:
                return None
            answers.append(answer)
            at = end
    except UnicodeDecodeError:  # not ASCII, which is rare and may be in order
        return None
    return answers


def _read_command(raw: bytes, at: int, end: int, asked: Asked) -> Answer | None:
    """Fields come in their order and each once, as every serializer writes them."""
    answer = Answer("", -1, asked, "")
    last = 0
    while at < end:
        tag = raw[at]
        number, at = _number(raw, at + 1, end)
        if tag <= last or at < 0:
            return None
        last = tag
        if tag == _SEAT:
            answer.seat = number
            continue
        stop = at + number
        if stop > end:
            return None
        if tag == _GAME_ID:
            answer.game_id = raw[at:stop].decode("ascii")
        elif tag == _REQUEST_ID:
            answer.request_id = raw[at:stop].decode("ascii")
        elif tag != _ANSWER or not _read_answer(answer, raw, at, stop):
            return None
        at = stop
    return answer if answer.seat >= 0 and answer.option_id != NO_OPTION else None


def _read_answer(answer: Answer, raw: bytes, at: int, end: int) -> bool:
    last = 0
    while at < end:
        tag = raw[at]
        number, at = _number(raw, at + 1, end)
        if tag <= last or at < 0:
            return False
        last = tag
        if tag == _DECISION_ID:
            answer.decision_id = number
        elif tag == _OPTION_ID:
            answer.option_id = number
        elif tag == _THINK_MS:
            answer.think_ms = number
        else:
            return False
    return True


def _number(raw: bytes, at: int, end: int) -> tuple[int, int]:
    """A number below 2**28 and the place after it, which is -1 if there is none such."""
    number = 0
    shift = 0
    while at < end and shift < _MOST_BITS:
        byte = raw[at]
        at += 1
        if byte < 128:
            if byte == 0 and shift:
                break  # longer than it need be
            return number | byte << shift, at
        number |= (byte & 127) << shift
        shift += 7
    return 0, -1
