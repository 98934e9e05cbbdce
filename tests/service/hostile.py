"""Malformed and hostile input for every method of the contract, drawn from a seed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple

import grpc
from google.protobuf import message_factory
from google.protobuf.descriptor import FieldDescriptor

from endless_winter.service import contract
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2
from tests.service.player import secret
from tests.service.wire import OPERATOR, PATIENCE, parts_of

if TYPE_CHECKING:
    import random

    from google.protobuf.descriptor import Descriptor, MethodDescriptor
    from google.protobuf.message import Message

Metadata = tuple[tuple[str, str | bytes], ...]
F = FieldDescriptor

WORDS = (
    "",
    "x",
    "\x00",
    "a" * 64,
    "b" * 65,
    "c" * 5000,
    "../../etc/passwd",
    "'; DROP TABLE games; --",
    "\u202eright to left\u2066",
    "\U0001f9ca" * 40,
    "%s%n{0}",
    "request",
    "again",
)
NUMBERS = (0, 1, 2, 3, 4, 7, 99, 127, 128, 255, 256, 2**31 - 1, 2**31, 2**32 - 1)
WIDE = (2**62, 2**63 - 1)
MOST_WAIT_MS = 20  # a long poll of the fuzzer is short


class Input(NamedTuple):
    """One call: bytes for a method, by somebody."""

    method: str
    client_streaming: bool
    server_streaming: bool
    bodies: tuple[bytes, ...]
    metadata: Metadata
    huge: bool
    unknown: bool  # its caller is refused whatever it says, after the first message


def methods() -> list[MethodDescriptor]:
    return [
        method
        for file in contract.files()
        for service in file.services_by_name.values()
        for method in service.methods
    ]


class Fuzzer:
    """Draws inputs. `victim` is a game that the caller may do anything to; `beside` is not."""

    def __init__(self, choices: random.Random, beside: str, victim: str) -> None:
        self._choices = choices
        self._beside = beside
        self._victim = victim
        self._methods = methods()

    def draw(self) -> Input:
        choices = self._choices
        method = choices.choice(self._methods)
        operator = choices.random() < 0.1
        games = [self._victim, "no-such-game"] if operator else [self._beside, self._victim]
        count = choices.choice((1, 1, 1, 2, 5)) if method.client_streaming else 1
        bodies = [self._body(method.input_type, games) for _ in range(count)]
        huge = False
        if choices.random() < 0.002:
            huge = True
            bodies = [bytes([10]) + b"\xff\xff\xff\x07" + b"z" * choices.choice((1 << 20, 5 << 20))]
        metadata, unknown = self._metadata(operator=operator)
        return Input(
            f"/{method.containing_service.full_name}/{method.name}",
            method.client_streaming,
            method.server_streaming,
            tuple(bodies),
            metadata,
            huge,
            unknown,
        )

    def _metadata(self, *, operator: bool) -> tuple[Metadata, bool]:
        choices = self._choices
        if operator:
            return (*secret("an operator"), *OPERATOR), False
        kind = choices.randrange(10)
        if kind == 0:
            return (), True
        if kind == 1:
            bad = choices.choice(("", "0", "g" * 64, "A" * 64, "0" * 63, "0" * 65, "0" * 4000))
            return (("ew-client-secret", bad),), True
        if kind == 2:
            wrong = choices.choice(("x", "0" * 64, "the-operators-token-of-the-testz"))
            return (*secret("stranger"), ("ew-operator-token", wrong)), False
        if kind in (3, 4, 5):
            return secret("victim"), False
        return secret(f"stranger {choices.randrange(3)}"), False

    def _body(self, kind: Descriptor, games: list[str]) -> bytes:
        choices = self._choices
        form = choices.random()
        if form < 0.2:
            return choices.randbytes(choices.choice((0, 1, 2, 5, 20, 200, 3000)))
        message = message_factory.GetMessageClass(kind)()
        self._fill(message, games, 0)
        body = message.SerializeToString()
        if form < 0.3:
            return body[: choices.randrange(len(body) + 1)]
        if form < 0.4 and body:
            at = choices.randrange(len(body))
            return body[:at] + choices.randbytes(1) + body[at + 1 :]
        return body

    def _fill(self, message: Message, games: list[str], depth: int) -> None:
        choices = self._choices
        for field in message.DESCRIPTOR.fields:
            chance = 0.9 if field.name in ("game_id", "commands", "config", "answer") else 0.4
            if choices.random() > chance:
                continue
            if field.is_repeated:
                count = choices.choice((1, 1, 2, 3, 50))
                if depth > 2:
                    count = 1
                target = getattr(message, field.name)
                for _ in range(count):
                    if field.type == F.TYPE_MESSAGE:
                        self._fill(target.add(), games, depth + 1)
                    else:
                        target.append(self._value(field, games))
            elif field.type == F.TYPE_MESSAGE:
                inner = getattr(message, field.name)
                inner.SetInParent()
                if depth < 5:
                    self._fill(inner, games, depth + 1)
            else:
                setattr(message, field.name, self._value(field, games))

    def _value(self, field: Any, games: list[str]) -> Any:
        choices = self._choices
        if field.name == "game_id":
            return choices.choice((*games, *games, choices.choice(WORDS)))
        if field.name == "wait_ms":
            return choices.choice((-(2**63), -1, 0, 1, MOST_WAIT_MS))
        if field.name == "least_revision":
            return choices.choice((0, 1, 1, 1, 2, 2**32 - 1))
        if field.name == "seat":
            return choices.choice((0, 1, 1, 2, 2**32 - 1))
        if field.type == F.TYPE_STRING:
            return choices.choice(WORDS)
        if field.type == F.TYPE_BYTES:
            return choices.randbytes(choices.choice((0, 1, 31, 32, 33, 2000)))
        if field.type == F.TYPE_BOOL:
            return choices.random() < 0.5
        if field.type == F.TYPE_ENUM:
            return choices.choice((*field.enum_type.values_by_number, 99, 2**31 - 1))
        if field.type in (F.TYPE_INT32, F.TYPE_SINT32, F.TYPE_SFIXED32):
            return choices.choice((0, 1, -1, 2**31 - 1, -(2**31)))
        if field.type in (F.TYPE_INT64, F.TYPE_SINT64, F.TYPE_SFIXED64):
            return choices.choice((*NUMBERS, *WIDE, -1, -(2**63)))
        if field.type in (F.TYPE_UINT64, F.TYPE_FIXED64):
            return choices.choice((*NUMBERS, *WIDE, 2**64 - 1))
        return choices.choice(NUMBERS)


async def send(channel: grpc.aio.Channel, one: Input) -> str:
    """Make the call; "OK" or its reason. Whatever must not happen is an AssertionError."""
    try:
        await asyncio.wait_for(_call(channel, one), PATIENCE)
    except grpc.aio.AioRpcError as error:
        found = parts_of(error)
        if one.huge and found.status == "RESOURCE_EXHAUSTED":
            return "TOO_LARGE"  # gRPC itself stops what is far too large
        if "SendMessageOperation" in (error.debug_error_string() or ""):
            return "CUT"  # the stream ended while its client wrote: the client's own status
        if found.status in ("UNKNOWN", "INTERNAL") or not found.reason:
            raise AssertionError(f"{one}: {error}") from error
        return found.reason
    except TimeoutError as error:
        raise AssertionError(f"no answer to {one}") from error
    return "OK"


async def _call(channel: Any, one: Input) -> None:
    call: Any
    if one.client_streaming:
        call = channel.stream_stream(one.method)(metadata=one.metadata)
        # A stream that ends while its client writes fails on the client's own side.
        for body in one.bodies[:1] if one.huge or one.unknown else one.bodies:
            if call.done():
                break
            await call.write(body)
        await call.done_writing()
        for _ in range(20):
            answer = await call.read()
            if answer is grpc.aio.EOF:
                break
            if one.method.endswith("/Play"):
                _check(one, p.PlayResponse.FromString(answer))
        call.cancel()
    elif one.server_streaming:
        call = channel.unary_stream(one.method)(one.bodies[0], metadata=one.metadata)
        await call.read()
        call.cancel()
    else:
        await channel.unary_unary(one.method)(one.bodies[0], metadata=one.metadata)


def _check(one: Input, response: p.PlayResponse) -> None:
    """What is refused within a stream has its reason too, and is no fault of the server."""
    for report in response.reports:
        if report.HasField("rejection"):
            reason = report.rejection.reason
            assert reason not in (
                rejection_pb2.REJECTION_REASON_UNSPECIFIED,
                rejection_pb2.REJECTION_REASON_SERVER_FAULT,
            ), f"{one}: {report}"
