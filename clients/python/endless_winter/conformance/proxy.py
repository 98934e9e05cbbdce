"""The proxy: a gRPC server that passes every call on, and may change what it passes.

Everything is forwarded as bytes, so the bot meets the real server; only the two streams of a bot,
Play and AttachBot, are taken apart message by message, and the list of its seats is read.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc

from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import play_service_pb2 as p

PLAY = "/endless_winter.v1.PlayService/Play"
ATTACH_BOT = "/endless_winter.v1.ArenaService/AttachBot"
LIST_MY_SEATS = "/endless_winter.v1.PlayService/ListMySeats"
_OPTIONS: list[tuple[str, Any]] = [
    ("grpc.enable_http_proxy", 0),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.max_receive_message_length", 16 << 20),
    ("grpc.max_send_message_length", 16 << 20),
    ("grpc.so_reuseport", 0),
]

CommandRule = Callable[["Line", p.PlayCommand], "list[p.PlayCommand] | None"]
ReportRule = Callable[["Line", p.PlayReport], "list[p.PlayReport] | None"]
# Whether a message of the arena's stream is held back, whichever way it goes.
ArenaRule = Callable[["Line", "a.AttachBotRequest | a.AttachBotResponse"], bool]


class Line:
    """One stream of the bot: what goes up to the server, what goes down to the bot."""

    def __init__(self, number: int, secret: str) -> None:
        self.number = number
        self.secret = secret
        self.open = True
        self.up: asyncio.Queue[bytes | None] = asyncio.Queue()
        self.down: asyncio.Queue[bytes | grpc.aio.AioRpcError | None] = asyncio.Queue()

    async def upward(self) -> AsyncIterator[bytes]:
        while (raw := await self.up.get()) is not None:
            yield raw


class Proxy:
    """Forwards; `received` and `sent` are called with whatever comes from and goes to the bot."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)
        self._channel: grpc.aio.Channel | None = None
        self._server: grpc.aio.Server | None = None
        self.port = 0
        self.lines: list[Line] = []
        self.arenas: list[Line] = []
        self.hellos: list[tuple[a.BotHello, str]] = []
        self.replies: list[a.OfferReply] = []
        self.command_rules: list[CommandRule] = []
        self.report_rules: list[ReportRule] = []
        self.arena_rules: list[ArenaRule] = []
        self.received: Callable[[Line, p.PlayCommand], None] = lambda *_: None
        self.sent: Callable[[Line, p.PlayReport], None] = lambda *_: None
        self.bound: Callable[[str, int], None] = lambda *_: None  # the server calls a seat its own
        self.stirred: Callable[[], None] = lambda: None

    async def open(self) -> None:
        self._server = grpc.aio.server(options=_OPTIONS)
        self._server.add_generic_rpc_handlers((_Everything(self),))
        self.port = self._server.add_insecure_port("127.0.0.1:0")
        await self._server.start()

    async def connect(self, address: str) -> None:
        """Pass everything on to this server from now on."""
        before, self._channel = (
            self._channel,
            grpc.aio.insecure_channel(address, options=_OPTIONS),
        )
        if before is not None:
            await before.close()

    async def close(self) -> None:
        if self._server is not None:
            await self._server.stop(0)
        if self._channel is not None:
            await self._channel.close()

    @property
    def line(self) -> Line | None:
        """The Play stream that is open now, the newest if there are several."""
        return next((line for line in reversed(self.lines) if line.open), None)

    # --- what the checker itself says ---

    def to_server(self, line: Line, *commands: p.PlayCommand) -> None:
        line.up.put_nowait(p.PlayRequest(commands=commands).SerializeToString())

    def to_bot(self, line: Line, *reports: p.PlayReport) -> None:
        for report in reports:
            self.sent(line, report)
        line.down.put_nowait(p.PlayResponse(reports=reports).SerializeToString())
        self.stirred()

    # --- forwarding ---

    def _from_bot(self, line: Line, raw: bytes) -> None:
        passed: list[p.PlayCommand] = []
        for command in p.PlayRequest.FromString(raw).commands:
            self.received(line, command)
            found = [command]
            for rule in tuple(self.command_rules):
                changed = rule(line, command)
                if changed is not None:
                    found = changed
                    break
            passed += found
        if passed:
            self.to_server(line, *passed)
        self.stirred()

    def _from_server(self, line: Line, raw: bytes) -> None:
        passed: list[p.PlayReport] = []
        for report in p.PlayResponse.FromString(raw).reports:
            found = [report]
            for rule in tuple(self.report_rules):
                changed = rule(line, report)
                if changed is not None:
                    found = changed
                    break
            passed += found
        if passed:
            self.to_bot(line, *passed)

    def _arena_from_bot(self, line: Line, raw: bytes) -> None:
        request = a.AttachBotRequest.FromString(raw)
        if request.HasField("hello"):
            self.hellos.append((request.hello, line.secret))
        elif request.HasField("offer_reply"):
            self.replies.append(request.offer_reply)
        if not any([rule(line, request) for rule in tuple(self.arena_rules)]):  # noqa: C419 # each is asked
            line.up.put_nowait(raw)
        self.stirred()

    def _arena_from_server(self, line: Line, raw: bytes) -> None:
        response = a.AttachBotResponse.FromString(raw)
        if response.HasField("seat_bound"):
            self.bound(response.seat_bound.game_id, response.seat_bound.seat)
        if not any([rule(line, response) for rule in tuple(self.arena_rules)]):  # noqa: C419
            line.down.put_nowait(raw)
        self.stirred()

    def _seats_from_server(self, line: Line, raw: bytes) -> None:
        for seat in p.ListMySeatsResponse.FromString(raw).seats:
            self.bound(seat.game_id, seat.seat)
        line.down.put_nowait(raw)

    async def forward(
        self, method: str, requests: AsyncIterator[bytes], context: Any
    ) -> AsyncIterator[bytes]:
        """One call, whatever its shape: on the wire all four look the same."""
        assert self._channel is not None
        metadata = tuple(
            (key, value)
            for key, value in context.invocation_metadata() or ()
            if key.startswith("ew-")
        )
        secret = str(dict(metadata).get("ew-client-secret", ""))
        line = Line(next(self._numbers), secret)
        take, give = {
            PLAY: (self._from_bot, self._from_server),
            ATTACH_BOT: (self._arena_from_bot, self._arena_from_server),
            LIST_MY_SEATS: (_put_up, self._seats_from_server),
        }.get(method, (_put_up, _put_down))
        known = {PLAY: self.lines, ATTACH_BOT: self.arenas}.get(method, [])
        known.append(line)
        self.stirred()
        shape: Any = self._channel.stream_stream(method)  # without serializers: bytes
        call = shape(line.upward(), metadata=metadata)
        tasks = (
            asyncio.create_task(_read_bot(line, requests, take)),
            asyncio.create_task(_read_server(line, call, give)),
        )
        try:
            while (found := await line.down.get()) is not None:
                if isinstance(found, grpc.aio.AioRpcError):
                    trailing = tuple(found.trailing_metadata() or ())
                    await context.abort(found.code(), found.details() or "", trailing)
                assert isinstance(found, bytes)
                yield found
        finally:
            line.open = False
            self.stirred()
            call.cancel()
            for task in tasks:
                task.cancel()


def _put_up(line: Line, raw: bytes) -> None:
    line.up.put_nowait(raw)


def _put_down(line: Line, raw: bytes) -> None:
    line.down.put_nowait(raw)


async def _read_bot(
    line: Line, requests: AsyncIterator[bytes], take: Callable[[Line, bytes], None]
) -> None:
    try:
        async for raw in requests:
            take(line, raw)
    finally:
        line.up.put_nowait(None)


async def _read_server(line: Line, call: Any, give: Callable[[Line, bytes], None]) -> None:
    try:
        async for raw in call:
            give(line, raw)
    except grpc.aio.AioRpcError as error:
        line.down.put_nowait(error)
    except asyncio.CancelledError:
        if left_by_us():
            raise
        line.down.put_nowait(_gone())
    else:
        line.down.put_nowait(None)


def left_by_us() -> bool:
    """Whether this task is being cancelled.

    A call that was under way when its channel was closed ends as if its task were: then the server
    is another one, and the caller goes on with that.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _gone() -> grpc.aio.AioRpcError:
    none = grpc.aio.Metadata()
    return grpc.aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, none, none, "the server is gone")


class _Everything(grpc.GenericRpcHandler):
    """Answers for every method of every service."""

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy

    def service(self, handler_call_details: Any) -> Any:
        method = handler_call_details.method

        async def forward(requests: Any, context: Any) -> AsyncIterator[bytes]:
            async for raw in self._proxy.forward(method, requests, context):
                yield raw

        return grpc.stream_stream_rpc_method_handler(forward)
