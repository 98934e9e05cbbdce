"""Messages that are none, and methods that are not served: refused with a reason like anything.

Left to itself gRPC answers both without a reason of ours, and the first with a fault.

What a call asks for is short, and kept for as long as it waits. So only few methods take messages
of the full size.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import grpc
from google.protobuf.message import DecodeError

from endless_winter.service.calls import refuse, refuse_at_the_door
from endless_winter.service.contract import PACKAGE
from endless_winter.service.refusal import Refusal
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from endless_winter.service.settings import Settings


# Configurations and lists of games may be long; a stream of play has limits for what it keeps.
_LONG: Final = frozenset(
    (
        f"/{PACKAGE}.PlayService/Play",
        f"/{PACKAGE}.GameService/CreateGame",
        f"/{PACKAGE}.OperatorService/HandSeatToBot",
        f"/{PACKAGE}.OperatorService/ReleaseReveal",
    )
)


class Malformed(Exception):
    """Stands in the place of a message that could not be read."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class WellFormed(grpc.aio.ServerInterceptor):
    """Lets only messages through to our methods that are of the right kind and size."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        handler = await continuation(handler_call_details)
        if not handler_call_details.method.startswith(f"/{PACKAGE}."):
            return handler
        if handler is None:
            return grpc.stream_stream_rpc_method_handler(_not_served)
        is_long = handler_call_details.method in _LONG
        most = self._settings.message_bytes if is_long else self._settings.request_bytes
        read = _reader(handler.request_deserializer, most)
        write = handler.response_serializer
        if handler.request_streaming:
            return grpc.stream_stream_rpc_method_handler(handler.stream_stream, read, write)
        if handler.response_streaming:
            stream = _checked_stream(handler.unary_stream)
            return grpc.unary_stream_rpc_method_handler(stream, read, write)
        return grpc.unary_unary_rpc_method_handler(_checked(handler.unary_unary), read, write)


def _reader(read: Callable[[bytes], Any], most: int) -> Callable[[bytes], Any]:
    def safely(raw: bytes) -> Any:
        if len(raw) > most:
            return Malformed(
                Refusal(
                    reasons.REJECTION_REASON_TOO_LARGE,
                    f"a message of this method has at most {most} bytes",
                )
            )
        try:
            return read(raw)
        except Refusal as refusal:
            return Malformed(refusal)
        except DecodeError:
            return Malformed(
                Refusal(
                    reasons.REJECTION_REASON_INVALID_ARGUMENT,
                    "the bytes are not a message of this method",
                )
            )

    return safely


def _checked(method: Callable[[Any, Any], Awaitable[Any]]) -> Callable[[Any, Any], Awaitable[Any]]:
    async def call(request: Any, context: Any) -> Any:
        if isinstance(request, Malformed):
            await refuse(context, request.refusal)
        return await method(request, context)

    return call


def _checked_stream(
    method: Callable[[Any, Any], AsyncIterator[Any]],
) -> Callable[[Any, Any], AsyncIterator[Any]]:
    async def call(request: Any, context: Any) -> AsyncIterator[Any]:
        if isinstance(request, Malformed):
            await refuse(context, request.refusal)
        async for answer in method(request, context):
            yield answer
            del answer

    return call


async def _not_served(requests: AsyncIterator[bytes], context: Any) -> AsyncIterator[bytes]:
    del requests
    await refuse_at_the_door(  # the client may be one that streams
        context,
        Refusal(reasons.REJECTION_REASON_NOT_SUPPORTED, "this server does not offer the method"),
    )
    yield b""  # never: a refusal raises
