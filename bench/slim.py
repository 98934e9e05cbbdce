"""The few fields of the contract that trivial bots need, and their answers as bytes.

The load must not be slower than the server that it measures. A bot that only counts options reads
the same bytes with smaller messages: the field numbers are the contract's, whatever else a report
has is skipped by the parser. What the server does is the same for it as for any other client.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

from endless_winter.v1 import decision_pb2, play_service_pb2, update_pb2

p = play_service_pb2
_F = descriptor_pb2.FieldDescriptorProto
_SPREAD = 7919  # a prime, so that consecutive decisions take different options


class _Field(NamedTuple):
    name: str
    number: int
    kind: int
    message: str = ""
    repeated: bool = False


_SHAPES: dict[str, tuple[_Field, ...]] = {
    "Decision": (
        _Field("decision_id", decision_pb2.Decision.DECISION_ID_FIELD_NUMBER, _F.TYPE_UINT64),
        # As bytes: they are counted, not read.
        _Field("options", decision_pb2.Decision.OPTIONS_FIELD_NUMBER, _F.TYPE_BYTES, repeated=True),
    ),
    "Prompt": (
        _Field("decision", decision_pb2.Prompt.DECISION_FIELD_NUMBER, _F.TYPE_MESSAGE, "Decision"),
    ),
    "Update": (
        _Field("prompt", update_pb2.Update.PROMPT_FIELD_NUMBER, _F.TYPE_MESSAGE, "Prompt"),
        _Field("result", update_pb2.Update.RESULT_FIELD_NUMBER, _F.TYPE_BYTES),
    ),
    "Report": (
        _Field("game_id", p.PlayReport.GAME_ID_FIELD_NUMBER, _F.TYPE_BYTES),
        _Field("seat", p.PlayReport.SEAT_FIELD_NUMBER, _F.TYPE_UINT32),
        _Field("rejection", p.PlayReport.REJECTION_FIELD_NUMBER, _F.TYPE_BYTES),
        _Field("update", p.PlayReport.UPDATE_FIELD_NUMBER, _F.TYPE_MESSAGE, "Update"),
    ),
    "Response": (
        _Field(
            "reports",
            p.PlayResponse.REPORTS_FIELD_NUMBER,
            _F.TYPE_MESSAGE,
            "Report",
            repeated=True,
        ),
    ),
}


def _response() -> Any:
    """The class of a slim PlayResponse; made at run time, so its fields have no static types."""
    file = descriptor_pb2.FileDescriptorProto(
        name="slim.proto", package="endless_winter.bench", syntax="proto3"
    )
    for name, fields in _SHAPES.items():
        message = file.message_type.add(name=name)
        for field in fields:
            made = message.field.add(
                name=field.name,
                number=field.number,
                type=_F.Type.ValueType(field.kind),
                label=_F.LABEL_REPEATED if field.repeated else _F.LABEL_OPTIONAL,
            )
            if field.message:
                made.type_name = f".endless_winter.bench.{field.message}"
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(
        pool.FindMessageTypeByName("endless_winter.bench.Response")
    )


Response = _response()

Key = tuple[bytes, int]


class Asked(NamedTuple):
    """A seat that is asked, and its answer as a field of PlayRequest."""

    key: Key
    answer: bytes


class Received(NamedTuple):
    """What one message said."""

    asked: list[Asked]
    over: list[bytes]  # a game's id, once for each seat that got its result


def read(body: bytes) -> Received:
    """What a PlayResponse asks and ends; a rejection is an error of the load itself."""
    asked: list[Asked] = []
    over: list[bytes] = []
    for report in Response.FromString(body).reports:
        if report.rejection:
            refused = p.PlayResponse.FromString(body).reports
            raise RuntimeError(next(str(r.rejection) for r in refused if r.HasField("rejection")))
        if not report.HasField("update"):
            continue
        update = report.update
        if update.HasField("prompt"):
            decision = update.prompt.decision
            number: int = decision.decision_id
            option = number * _SPREAD % len(decision.options)
            key = (report.game_id, report.seat)
            asked.append(Asked(key, command(key, number, option)))
        elif update.result:
            over.append(report.game_id)
    return Received(asked, over)


def _varint(number: int) -> bytes:
    if number < 0x80:
        return bytes((number,))
    found = bytearray()
    while number >= 0x80:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def _tag(number: int, wire_type: int) -> bytes:
    return _varint(number << 3 | wire_type)


_COMMANDS = _tag(p.PlayRequest.COMMANDS_FIELD_NUMBER, 2)
_GAME = _tag(p.PlayCommand.GAME_ID_FIELD_NUMBER, 2)
_SEAT = _tag(p.PlayCommand.SEAT_FIELD_NUMBER, 0)
_ANSWER = _tag(p.PlayCommand.ANSWER_FIELD_NUMBER, 2)
_DECISION = _tag(decision_pb2.Answer.DECISION_ID_FIELD_NUMBER, 0)
_OPTION = _tag(decision_pb2.Answer.OPTION_ID_FIELD_NUMBER, 0)


def command(key: Key, decision_id: int, option_id: int) -> bytes:
    """A PlayCommand with an answer, as a field of PlayRequest; several can be joined."""
    answer = _DECISION + _varint(decision_id) + _OPTION + _varint(option_id)
    seat = _seat(key)
    return b"".join(
        (_COMMANDS, _varint(len(seat) + 1 + len(answer)), seat, _varint(len(answer)), answer)
    )


@lru_cache(maxsize=4096)
def _seat(key: Key) -> bytes:
    """What all answers of a seat begin with; their length follows, in one byte."""
    game_id, seat = key
    return b"".join((_GAME, _varint(len(game_id)), game_id, _SEAT, _varint(seat), _ANSWER))
