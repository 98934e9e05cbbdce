"""A server that sends what a script says: for what a real one sends rarely."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import grpc

from endless_winter.sdk.connection import CONTRACT, LEAST_REVISION
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import server_info_pb2

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

SERVICE = "endless_winter.v1.PlayService"
ARENA = "endless_winter.v1.ArenaService"
INFO = server_info_pb2.ServerInfo(contract=CONTRACT, contract_revision=LEAST_REVISION)


class Gone(Exception):
    """The client has left although more was expected of it."""


class Talk:
    """One Play stream, from the server's end."""

    def __init__(self, requests: AsyncIterator[p.PlayRequest]) -> None:
        self._requests = requests
        self._commands: list[p.PlayCommand] = []
        self.out: asyncio.Queue[p.PlayResponse | None] = asyncio.Queue()

    async def receive(self, kind: str) -> p.PlayCommand:
        """The next command, which must be of that kind."""
        while not self._commands:
            request = await anext(self._requests, None)
            if request is None:
                raise Gone
            self._commands = list(request.commands)
        command = self._commands.pop(0)
        assert command.WhichOneof("command") == kind, command
        return command

    async def silence(self) -> None:
        """The client has closed its side, with nothing left to read."""
        assert not self._commands, self._commands
        assert await anext(self._requests, None) is None

    def send(self, command: p.PlayCommand | None = None, **report: Any) -> None:
        """A report, as the answer to a command if there is one."""
        if command is not None:
            report.setdefault("request_id", command.request_id)
            report.setdefault("game_id", command.game_id)
            if command.HasField("seat"):
                report.setdefault("seat", command.seat)
        self.out.put_nowait(p.PlayResponse(reports=[p.PlayReport(**report)]))

    async def welcome(self) -> None:
        self.send(await self.receive("hello"), welcome=p.Welcome(server=INFO))

    async def attached(self) -> p.PlayCommand:
        command = await self.receive("attach")
        self.send(command, attached=p.Attached())
        return command


class _Servicer:
    def __init__(self, scripts: list[Callable[[Talk], Awaitable[None]]]) -> None:
        self.scripts = scripts
        self.failures: list[BaseException] = []
        self.finished = asyncio.Event()

    async def Play(
        self, request_iterator: AsyncIterator[p.PlayRequest], context: Any
    ) -> AsyncIterator[p.PlayResponse]:
        if not self.scripts:
            await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "no more scripts")
        script = self.scripts.pop(0)
        # Not aiter() of it: gRPC warns of one that is never read, and a call may be cut off first.
        talk = Talk(request_iterator)
        task = asyncio.ensure_future(self._follow(script, talk))
        try:
            while (response := await talk.out.get()) is not None:
                yield response
        finally:
            task.cancel()

    async def _follow(self, script: Callable[[Talk], Awaitable[None]], talk: Talk) -> None:
        try:
            await script(talk)
        except Exception as error:  # noqa: BLE001 # the test looks at it
            self.failures.append(error)
            self.finished.set()
        finally:
            talk.out.put_nowait(None)
            if not self.scripts:
                self.finished.set()


class Arena:
    """The stream of a bot: sends what the test puts in, after the welcome."""

    def __init__(self) -> None:
        self.out: asyncio.Queue[a.AttachBotResponse] = asyncio.Queue()

    def bound(self, game_id: str, seat: int) -> None:
        bound = a.SeatBound(game_id=game_id, seat=seat)
        self.out.put_nowait(a.AttachBotResponse(seat_bound=bound))

    async def AttachBot(
        self, request_iterator: AsyncIterator[a.AttachBotRequest], _context: Any
    ) -> AsyncIterator[a.AttachBotResponse]:
        await anext(request_iterator)
        yield a.AttachBotResponse(welcome=a.BotWelcome(server=INFO))
        while True:
            yield await self.out.get()

    async def ListMySeats(self, _request: p.ListMySeatsRequest, _context: Any) -> Any:
        return p.ListMySeatsResponse()


@asynccontextmanager
async def scripted(
    *scripts: Callable[[Talk], Awaitable[None]],
    arena: Arena | None = None,
) -> AsyncIterator[tuple[str, asyncio.Event]]:
    """A server that follows one script per connection; its address, and when all are done.

    A script that met something else than it expected fails the test, also one that waits in vain
    for what the script would have sent next.
    """
    server = grpc.aio.server()
    servicer = _Servicer(list(scripts))
    play = grpc.stream_stream_rpc_method_handler(
        servicer.Play,
        request_deserializer=p.PlayRequest.FromString,
        response_serializer=p.PlayResponse.SerializeToString,
    )
    methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {"Play": play}
    if arena is not None:
        methods["ListMySeats"] = grpc.unary_unary_rpc_method_handler(
            arena.ListMySeats,
            request_deserializer=p.ListMySeatsRequest.FromString,
            response_serializer=p.ListMySeatsResponse.SerializeToString,
        )
        attach = grpc.stream_stream_rpc_method_handler(
            arena.AttachBot,
            request_deserializer=a.AttachBotRequest.FromString,
            response_serializer=a.AttachBotResponse.SerializeToString,
        )
        service = grpc.method_handlers_generic_handler(ARENA, {"AttachBot": attach})
        server.add_generic_rpc_handlers((service,))
    service = grpc.method_handlers_generic_handler(SERVICE, methods)
    server.add_generic_rpc_handlers((service,))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}", servicer.finished
    finally:
        await server.stop(0)
        for failure in servicer.failures:
            raise failure
