"""What every call passes first: limits, the words of its log lines, and the count of calls."""

from __future__ import annotations

import asyncio
import inspect
from contextlib import contextmanager
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any

import grpc

from endless_winter.service import contract, logs
from endless_winter.service.calls import refuse, refuse_at_the_door
from endless_winter.service.contract import PACKAGE
from endless_winter.service.identity import caller_of
from endless_winter.service.limits import Keys, peer_of
from endless_winter.service.refusal import Refusal

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from endless_winter.service.hall import Hall
    from endless_winter.service.identity import Caller
    from endless_winter.service.meters import Meters
    from endless_winter.service.queues import Queues

# "What do I owe?" is play, whatever its name.
_NOT_LISTS = frozenset(("ListMySeats",))
_REPLAYS = "ReplayService/"
_HEALTH = "/grpc.health.v1.Health/"
# Calls of health are counted apart: it is answered whatever else comes from an address.
HEALTH = " (health)"
_CODES = {code.value[0]: code.name for code in grpc.StatusCode}


class Front(grpc.aio.ServerInterceptor):
    """Goes around every method, ours and those of health and reflection."""

    def __init__(self, hall: Hall, meters: Meters, queues: Queues) -> None:
        self._hall = hall
        self._queues = queues
        self._meters = meters
        self._methods = frozenset(
            f"{service.name}/{method.name}"
            for file in contract.files()
            for service in file.services_by_name.values()
            for method in service.methods
        )
        self.under_way = 0
        """Calls that have begun and not ended."""

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        probe = self._queues.handler(handler_call_details)
        if probe is not None:
            return probe
        self._queues.begun += 1
        handler = await continuation(handler_call_details)
        path = handler_call_details.method
        if handler is None:
            return handler
        if not path.startswith(f"/{PACKAGE}."):
            return _around(handler, partial(self._foreign, path))
        method = path.removeprefix(f"/{PACKAGE}.")
        if handler.request_streaming or handler.response_streaming:
            return _around(handler, partial(self._stream, method))
        return _around(handler, lambda inner: partial(self._unary, method, inner))

    def _foreign(self, path: str, inner: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """Around health and reflection: their calls count for their address, and that is all."""
        kind = HEALTH if path.startswith(_HEALTH) else ""

        async def generator(request: Any, context: Any) -> AsyncIterator[Any]:
            await self._begin_call(request, context, kind)
            async for answer in inner(request, context):
                yield answer

        async def coroutine(request: Any, context: Any) -> Any:
            await self._begin_call(request, context, kind)
            return await inner(request, context)

        return generator if inspect.isasyncgenfunction(inner) else coroutine

    async def _begin_call(self, request: Any, context: Any, kind: str = "") -> None:
        """Count a call until its answer was taken, which may be long after it was given."""
        limits = self._hall.limits
        address = peer_of(context.peer()) + kind
        try:
            limits.begin(address, lambda: self._caller(context).operator)
        except Refusal as refusal:
            streams = hasattr(request, "__aiter__")
            await (refuse_at_the_door if streams else refuse)(context, refusal)
            raise AssertionError from refusal  # refuse() raises
        # The task in which gRPC calls us also sends what we return, and waits for room for it.
        task = asyncio.current_task()
        assert task is not None
        task.add_done_callback(lambda _: limits.end(address))

    async def _unary(
        self,
        method: str,
        inner: Callable[[Any, Any], Awaitable[Any]],
        request: Any,
        context: Any,
    ) -> Any:
        keys: Keys = ()
        with self._counted(method, request, context):
            await self._begin_call(request, context)
            try:
                charge = self._charge(method)
                if charge is not None:
                    charge(self._caller(context), peer_of(context.peer()))
                if getattr(request, "wait_ms", 0) > 0:
                    connection = context.peer()
                    keys = self._hall.limits.wait(
                        self._caller(context), peer_of(connection), connection
                    )
                    if not keys:
                        request.wait_ms = 0  # as if its wait were over: play is never refused
            except Refusal as refusal:
                await refuse(context, refusal)
            try:
                return await inner(request, context)
            finally:
                self._hall.limits.waited(keys)

    def _charge(self, method: str) -> Callable[[Caller, str], None] | None:
        """The limit that a call counts against; None: play is never limited."""
        limits = self._hall.limits
        if method.startswith(_REPLAYS):
            return limits.replay
        name = method.rpartition("/")[2]
        if name.startswith("Create"):
            return limits.create
        return limits.list_ if name.startswith("List") and name not in _NOT_LISTS else None

    def _stream(self, method: str, inner: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
        """Around a stream: no more than it needs, since thousands of them may be open and wait.

        gRPC looks whether a method is an async generator, so each kind has a function of its own.
        """

        async def generator(request: Any, context: Any) -> AsyncIterator[Any]:
            start = self._begin(method, request)
            keys: Keys = ()
            code = ""
            try:
                keys = await self._admit(method, request, context)
                async for answer in inner(request, context):
                    yield answer
                    del answer  # while it waits for news it keeps nothing of the last
            except (asyncio.CancelledError, GeneratorExit):
                code = "CANCELLED"
                raise
            finally:
                self._hall.limits.leave(keys)
                self._end(method, context, start, code)

        async def coroutine(request: Any, context: Any) -> None:
            start = self._begin(method, request)
            keys: Keys = ()
            code = ""
            try:
                keys = await self._admit(method, request, context)
                await inner(request, context)
            except asyncio.CancelledError:
                code = "CANCELLED"
                raise
            finally:
                self._hall.limits.leave(keys)
                self._end(method, context, start, code)

        return generator if inspect.isasyncgenfunction(inner) else coroutine

    async def _admit(self, method: str, request: Any, context: Any) -> Keys:
        """Count a stream, or refuse it."""
        await self._begin_call(request, context)
        try:
            caller = self._caller(context)
            connection = context.peer()
            peer = peer_of(connection)
            keys = self._hall.limits.enter(caller, peer, connection)
            charge = self._charge(method)
            if charge is not None:
                charge(caller, peer)
        except Refusal as refusal:
            streams = hasattr(request, "__aiter__")
            await (refuse_at_the_door if streams else refuse)(context, refusal)
            raise AssertionError from refusal  # refuse() raises
        return keys

    def _caller(self, context: Any) -> Caller:
        return caller_of(context.invocation_metadata() or (), self._hall.settings.operators)

    @contextmanager
    def _counted(self, method: str, request: Any, context: Any) -> Iterator[None]:
        start = self._begin(method, request)
        code = ""
        try:
            yield
        except (asyncio.CancelledError, GeneratorExit):
            code = "CANCELLED"
            raise
        finally:
            self._end(method, context, start, code)

    def _begin(self, method: str, request: Any) -> float:
        """Name the call for its log lines; when it began."""
        self.under_way += 1
        words: dict[str, Any] = {"method": method}
        if isinstance(game := getattr(request, "game_id", None), str) and game:
            words["game"] = game[:64]
        if isinstance(seat := getattr(request, "seat", None), int) and _names_seat(request):
            words["seat"] = seat
        logs.new_request(**words)
        return perf_counter()

    def _end(self, method: str, context: Any, start: float, code: str) -> None:
        self.under_way -= 1
        code = code or _code(context)
        known = method if method in self._methods else "unknown"  # anybody can invent names
        self._meters.calls[known, code] += 1
        if logs.detailed():
            taken = round((perf_counter() - start) * 1000, 2)
            logs.log.debug("call", code=code, milliseconds=taken)


def _around(handler: Any, wrap: Callable[[Callable[[Any, Any], Any]], Any]) -> Any:
    """The same kind of handler with its method wrapped; nobody has methods of the fourth kind."""
    read, write = handler.request_deserializer, handler.response_serializer
    if handler.request_streaming:
        stream = wrap(handler.stream_stream)
        return grpc.stream_stream_rpc_method_handler(stream, read, write)
    if handler.response_streaming:
        stream = wrap(handler.unary_stream)
        return grpc.unary_stream_rpc_method_handler(stream, read, write)
    return grpc.unary_unary_rpc_method_handler(wrap(handler.unary_unary), read, write)


def _names_seat(request: Any) -> bool:
    """Whether the seat stands there: where it is optional, 0 may be nobody's."""
    return not request.DESCRIPTOR.fields_by_name["seat"].has_presence or request.HasField("seat")


def _code(context: Any) -> str:
    code = context.code()
    if isinstance(code, grpc.StatusCode):
        return code.name
    return _CODES.get(code or 0, "UNKNOWN")
