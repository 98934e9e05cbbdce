"""What every call passes: it is counted, limited and read, and its method's answer or refusal sent.

Servicers stay thin: a method takes a request and a caller, and returns a response or raises a
`Refusal`; one that streams both ways takes a caller and the call itself, and speaks bytes. Whatever
else is raised is a fault of the server: it is logged, and the client gets SERVER_FAULT, never
UNKNOWN.
"""

from __future__ import annotations

import asyncio
import inspect
from contextlib import aclosing
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final

import grpc
from google.protobuf.message_factory import GetMessageClass

from endless_winter.engine.refusal import Refusal, fault
from endless_winter.service import logs
from endless_winter.service.calls import parsed, refuse, take_first_message
from endless_winter.service.contract import PACKAGE
from endless_winter.service.identity import caller_of
from endless_winter.service.limits import Keys, peer_of
from endless_winter.store.errors import StoreError
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from google.protobuf.descriptor import MethodDescriptor, ServiceDescriptor

    from endless_winter.engine.caller import Caller
    from endless_winter.service.host import Host
    from endless_winter.service.queues import Queues

# What a call asks for is short, and stays in memory while it waits. So only few methods take
# messages of the full size: configurations and lists of games may be long.
_LONG: Final = frozenset(
    (
        "GameService/CreateGame",
        "OperatorService/HandSeatToBot",
        "OperatorService/ReleaseReveal",
    )
)
# Calls of health are counted apart: it is answered whatever else comes from an address.
HEALTH = " (health)"
_CODES = {code.value[0]: code.name for code in grpc.StatusCode}
_HANDLERS: Final[dict[tuple[bool, bool], Any]] = {
    (False, False): grpc.unary_unary_rpc_method_handler,
    (False, True): grpc.unary_stream_rpc_method_handler,
    (True, True): grpc.stream_stream_rpc_method_handler,
}


class Method:
    """A method of the contract, and what serves it; without, it is one that is not served."""

    def __init__(
        self, name: str, described: MethodDescriptor | None = None, serve: Any = None
    ) -> None:
        self.name = name
        self.serve = serve
        # A client that calls what is not served may be one that streams.
        self.reads = described is None or described.client_streaming
        self.writes = described is None or described.server_streaming
        self.request: Any = None if described is None else GetMessageClass(described.input_type)
        self.rate_limit = _rate_limit(name)


def _rate_limit(name: str) -> str:
    """The rate limit that calls of a method count against; empty: play is never limited."""
    service, _, method = name.partition("/")
    if service == "ReplayService":
        return "replays"
    if method.startswith("Create"):
        return "games"
    # "What do I owe?" is play, whatever its name.
    return "lists" if method.startswith("List") and method != "ListMySeats" else ""


class Front(grpc.GenericRpcHandler):
    """Goes around every method, ours and those of health and reflection."""

    def __init__(self, host: Host, queues: Queues) -> None:
        self._settings = host.settings
        self._limits = host.limits
        self._meters = host.meters
        self._queues = queues
        self._served: set[str] = set()
        self.under_way = 0
        """Calls of ours that have begun and not ended."""

    def add(self, server: grpc.aio.Server, service: ServiceDescriptor, servicer: object) -> None:
        """Serve a service of the contract.

        Registered methods have a queue each: play does not wait behind calls of other kinds,
        however many there are.
        """
        handlers = {}
        for described in service.methods:
            name = f"{service.name}/{described.name}"
            self._served.add(name)
            method = Method(name, described, getattr(servicer, described.name))
            write = None if method.reads else _encoded
            around = partial(self._call, method)
            handlers[described.name] = _HANDLERS[method.reads, method.writes](around, None, write)
        server.add_registered_method_handlers(service.full_name, handlers)

    def add_foreign(
        self, server: grpc.aio.Server, name: str, service: Any, servicer: object
    ) -> None:
        """Serve health or reflection: their calls count for their address, and that is all."""
        kind = HEALTH if service.name == "Health" else ""
        handlers = {}
        for described in service.methods:
            around = partial(self._foreign, getattr(servicer, described.name), kind)
            read = GetMessageClass(described.input_type).FromString
            handler = _HANDLERS[described.client_streaming, described.server_streaming]
            handlers[described.name] = handler(around, read, _encoded)
        server.add_registered_method_handlers(name, handlers)

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> Any:
        """What answers a call of a method of ours that is not served."""
        path = handler_call_details.method
        if not path.startswith(f"/{PACKAGE}."):
            return None
        method = Method(path.removeprefix(f"/{PACKAGE}."))
        return grpc.stream_stream_rpc_method_handler(partial(self._call, method))

    async def _foreign(self, serve: Any, kind: str, request: Any, context: Any) -> Any:
        try:
            self._begin(context, kind)
        except Refusal as refusal:
            if hasattr(request, "__aiter__"):
                await take_first_message(context)
            await refuse(context, refusal)
        answers = serve(request, context)
        if not inspect.isasyncgen(answers):
            return await answers
        async for answer in answers:
            await context.write(answer)
        return None

    def _begin(self, context: Any, kind: str = "") -> str:
        """Count a call until its answer was taken, which may be long after it was given.

        The address that it comes from.
        """
        self._queues.begun += 1
        limits = self._limits
        peer = peer_of(context.peer())
        limits.begin(peer + kind, lambda: self._caller(context).operator)
        # The task in which gRPC calls us also sends what we return, and waits for room for it.
        task = asyncio.current_task()
        assert task is not None
        task.add_done_callback(lambda _: limits.end(peer + kind))
        return peer

    def _caller(self, context: Any) -> Caller:
        return caller_of(context.invocation_metadata() or (), self._settings.operators)

    async def _call(self, method: Method, request: Any, context: Any) -> Any:
        """A call from its beginning to its end.

        No more than it needs, since thousands of streams may be open and wait.
        """
        if self._queues.took_probe(method.name, context):
            return b""
        self.under_way += 1
        start = perf_counter()
        keys: Keys = ()
        gone = False
        logs.new_request(method=method.name)
        try:
            try:
                caller, request, keys = self._admit(method, request, context)
            except Refusal:
                if method.reads:
                    await take_first_message(context)
                raise
            if method.reads:
                await method.serve(caller, context)
            elif method.writes:
                async with aclosing(method.serve(request, caller)) as answers:
                    async for answer in answers:
                        await context.write(answer)
                        del answer  # a stream that waits keeps nothing of what it said last
            else:
                return await method.serve(request, caller)
        except Refusal as refusal:
            await refuse(context, refusal)
        except StoreError:
            logs.log.exception("the store failed")
            await refuse(context, _store_failed())
        except grpc.aio.AbortError:
            raise
        except asyncio.CancelledError:
            gone = True
            raise
        except Exception:  # noqa: BLE001 # a fault of the server
            logs.log.exception("a call failed")
            await refuse(context, fault())
        finally:
            self._limits.leave(keys)
            self._end(method.name, "CANCELLED" if gone else _code(context), start)

    def _admit(self, method: Method, request: Any, context: Any) -> tuple[Caller, Any, Keys]:
        """Who calls, what it asks for, and what it counts under while it lasts."""
        peer = self._begin(context)
        caller = self._caller(context)._replace(peer=peer)
        if method.serve is None:
            raise Refusal(
                reasons.REJECTION_REASON_NOT_SUPPORTED, "this server does not offer the method"
            )
        if method.reads:
            caller.known()
        else:
            settings = self._settings
            is_long = method.name in _LONG
            most = settings.message_bytes if is_long else settings.request_bytes
            request = parsed(method.request, request, most)
            logs.bind(**_words(request))
        if method.rate_limit:
            self._limits.charge(method.rate_limit, caller)
        keys: Keys = ()
        if method.writes:
            keys = self._limits.enter("streams", caller, context.peer())
        elif getattr(request, "wait_ms", 0) > 0:
            keys = self._limits.enter("waits", caller, context.peer())
            if not keys:
                request.wait_ms = 0  # as if its wait were over: play is never refused
        return caller, request, keys

    def _end(self, name: str, code: str, start: float) -> None:
        self.under_way -= 1
        known = name if name in self._served else "unknown"  # anybody can invent names
        self._meters.calls[known, code] += 1
        if logs.detailed():
            taken = round((perf_counter() - start) * 1000, 2)
            logs.log.debug("call", code=code, milliseconds=taken)


def _encoded(response: Any) -> bytes:
    """Some methods encode what they say themselves."""
    return response if isinstance(response, bytes) else response.SerializeToString()


def _store_failed() -> Refusal:
    return Refusal(
        reasons.REJECTION_REASON_STORE_UNAVAILABLE, "the log cannot be read or written; try again"
    )


def _words(request: Any) -> dict[str, Any]:
    """The game and the seat that a request names."""
    words: dict[str, Any] = {}
    if isinstance(game := getattr(request, "game_id", None), str) and game:
        words["game"] = game[:64]
    if isinstance(seat := getattr(request, "seat", None), int) and _names_seat(request):
        words["seat"] = seat
    return words


def _names_seat(request: Any) -> bool:
    """Whether the seat stands there: where it is optional, 0 may be nobody's."""
    return not request.DESCRIPTOR.fields_by_name["seat"].has_presence or request.HasField("seat")


def _code(context: Any) -> str:
    code = context.code()
    if isinstance(code, grpc.StatusCode):
        return code.name
    return _CODES.get(code or 0, "UNKNOWN")
