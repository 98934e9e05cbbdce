"""A Play stream that is opened again whenever it breaks.

It says Hello and checks the server's versions, notices a server that is silent, honours Goodbye,
and waits longer after each failure. What is said and heard on it is for `PlayStream` to know.
"""

from __future__ import annotations

import asyncio
import random
from typing import TYPE_CHECKING, Final, TypeAlias

import grpc

from endless_winter.sdk.connection import (
    LEAST_REVISION,
    check_server,
    error_of,
    sdk_version,
    too_old,
)
from endless_winter.sdk.errors import Refused, SdkError, ServerGone
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import play_service_pb2_grpc
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from endless_winter.sdk.connection import Endpoint
    from endless_winter.v1 import server_info_pb2

    Call: TypeAlias = grpc.aio.StreamStreamCall[p.PlayRequest, p.PlayResponse]

FIRST_WAIT: Final = 0.1  # seconds; doubled with each failure
LONGEST_WAIT: Final = 5.0
QUIET: Final = 10.0  # seconds without a word after which the server is asked whether it is there
UNWELCOME: Final = 4.5  # seconds that a server may take to answer Hello where there is another one
MOST_COMMANDS: Final = 500  # in one message; far below any size limit
_HELLO: Final = "hello"


class _Lost(Exception):
    """The connection is gone; `wait` is how long the server asked us to stay away."""

    def __init__(self, why: str, wait: float = 0.0) -> None:
        super().__init__(why)
        self.wait = wait


def backoff(failures: int) -> float:
    """Seconds to wait after so many failures in a row: doubling, with jitter."""
    longest = min(LONGEST_WAIT, FIRST_WAIT * 2.0 ** min(failures, 16))
    return longest * random.uniform(0.5, 1.0)


class Link:
    """One stream that outlives its connections."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        name: str,
        patience: float,
        alongside: Callable[[grpc.aio.Channel], Awaitable[None]] | None,
    ) -> None:
        self.endpoint: Endpoint = endpoint
        self.channel: grpc.aio.Channel | None = None  # of the connection, while there is one
        self._name = name
        self._patience = patience
        self._alongside = alongside
        self._out: list[p.PlayCommand] = []
        self._wake = asyncio.Event()
        self._closed = asyncio.Event()
        self._welcomed = False
        self._goodbye: float | None = None
        self._heard_at = 0.0
        self._timers: set[asyncio.TimerHandle] = set()

    # --- for those who build on it ---

    def _opened(self, server: server_info_pb2.ServerInfo) -> None:
        """The stream is open, for the first time or again."""

    def _heard(self, report: p.PlayReport) -> None:
        """The server says something about a game."""

    def _waits(self, why: str, seconds: float) -> None:
        """There is no connection; it is tried again after so many seconds."""

    def _send(self, *commands: p.PlayCommand) -> None:
        """Say something on this connection; nobody repeats it on the next."""
        self._out += commands
        self._wake.set()

    def _later(self, seconds: float, call: Callable[..., None], *args: object) -> None:
        """Do something later, if this connection still lasts then."""
        timer: asyncio.TimerHandle

        def ring() -> None:
            self._timers.discard(timer)
            call(*args)

        timer = asyncio.get_running_loop().call_later(seconds, ring)
        self._timers.add(timer)

    # --- the connections ---

    async def run(self) -> None:
        """Stay connected until `close`.

        Raises `ServerGone` when patience runs out, or at once what no patience can cure.
        """
        loop = asyncio.get_running_loop()
        alone_since = loop.time()
        failures = 0
        while not self._closed.is_set():
            self._welcomed = False
            wait = 0.0
            try:
                await self._connection()
            except _Lost as lost:
                why, wait = str(lost), lost.wait
            except grpc.RpcError as error:
                found = error_of(error, self.endpoint.address)
                if not _may_pass(found):
                    raise found from error
                why = str(found)
                if isinstance(found, Refused):
                    wait = (found.retry_after_ms or 0) / 1000
            except (asyncio.InvalidStateError, grpc.aio.BaseError):
                # gRPC's words for writing on a call that has just ended.
                why = f"the connection to {self.endpoint.address} broke"
            else:
                return
            if self.endpoint.others:
                self.endpoint, wait = self.endpoint.next(), 0.0  # whatever it asked us to wait
            if self._welcomed:
                self._welcomed = False
                failures, alone_since = 0, loop.time()
            wait = max(wait, backoff(failures))
            failures += 1
            if loop.time() + wait - alone_since > self._patience:
                raise ServerGone(
                    f"{why}; gave up after {self._patience:g} s, the games stay where they are"
                )
            self._waits(why, wait)
            try:
                await asyncio.wait_for(self._closed.wait(), wait)
            except TimeoutError:
                continue

    def close(self) -> None:
        """End `run`; the games go on without us."""
        self._closed.set()

    async def _connection(self) -> None:
        """One connection from Hello to its end; returns only when we are to close."""
        self._goodbye = None
        self._out.clear()
        self._heard_at = asyncio.get_running_loop().time()
        async with self.endpoint.aio_channel() as channel:
            self.channel = channel
            stub = play_service_pb2_grpc.PlayServiceStub(channel)
            call: Call = stub.Play(metadata=self.endpoint.metadata)
            hello = p.Hello(
                least_revision=LEAST_REVISION,
                client_name=self._name,
                client_version=sdk_version(),
            )
            self._send(p.PlayCommand(request_id=_HELLO, hello=hello))
            work = [self._read(call), self._write(call), self._beat()]
            if self._alongside is not None:
                work.append(self._beside(channel, self._alongside))
            tasks = [asyncio.ensure_future(one) for one in (self._closed.wait(), *work)]
            try:
                done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
                # The reader reports a refusal of Hello although the writer may fail first.
                for task in sorted(done, key=tasks.index):
                    task.result()
            finally:
                for timer in self._timers:
                    timer.cancel()
                self._timers.clear()
                call.cancel()
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                self.channel = None

    @staticmethod
    async def _beside(
        channel: grpc.aio.Channel, alongside: Callable[[grpc.aio.Channel], Awaitable[None]]
    ) -> None:
        await alongside(channel)
        raise _Lost("the server ended the bot's stream")

    async def _write(self, call: Call) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            if self._goodbye is not None:
                await call.done_writing()  # what we would still say is said after the return
                await asyncio.Event().wait()
            while self._out and self._goodbye is None:
                commands = self._out[:MOST_COMMANDS]
                del self._out[:MOST_COMMANDS]
                await call.write(p.PlayRequest(commands=commands))

    async def _read(self, call: Call) -> None:
        loop = asyncio.get_running_loop()
        while True:
            response = await call.read()
            if not isinstance(response, p.PlayResponse):  # the end
                if self._goodbye is not None:
                    raise _Lost("the server restarts", self._goodbye)
                raise _Lost(f"the server at {self.endpoint.address} ended the stream")
            self._heard_at = loop.time()
            for report in response.reports:
                self._take(report)

    def _take(self, report: p.PlayReport) -> None:
        kind = report.WhichOneof("report")
        if kind == "welcome":
            check_server(report.welcome.server, self.endpoint.address)
            self._welcomed = True
            self._opened(report.welcome.server)
        elif kind == "goodbye":
            self._goodbye = report.goodbye.reconnect_after_ms / 1000
            self._wake.set()
        elif kind == "rejection" and report.request_id == _HELLO:
            self._not_welcome(report.rejection)
        elif kind is not None:  # else something of a newer contract
            self._heard(report)

    def _not_welcome(self, rejection: reasons.Rejection) -> None:
        if rejection.reason == reasons.REJECTION_REASON_CONTRACT_UNSUPPORTED:
            raise too_old(self.endpoint.address)
        refused = Refused.of(rejection)
        if not _may_pass(refused):
            raise refused
        raise _Lost(str(refused), rejection.retry_after_ms / 1000)

    async def _beat(self) -> None:
        """Notice a connection that is dead without having said so."""
        loop = asyncio.get_running_loop()
        while True:
            soon = self.endpoint.others and not self._welcomed
            left = self._heard_at + (UNWELCOME if soon else QUIET) - loop.time()
            if left > 0:
                await asyncio.sleep(left)
                continue
            heard_at = self._heard_at
            if self._welcomed:
                self._send(p.PlayCommand(request_id="ping", ping=p.Ping(nonce=1)))
                await asyncio.sleep(QUIET)
            if self._heard_at == heard_at:
                raise _Lost(f"the server at {self.endpoint.address} is silent")


def _may_pass(error: SdkError) -> bool:
    """Whether it makes sense to try again."""
    if isinstance(error, Refused):
        return error.may_pass
    return isinstance(error, ServerGone)
