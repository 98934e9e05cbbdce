"""What tests over a real socket share: a server with an operator, refusals, a reader of streams."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from endless_winter.cli.process import COMMAND, Server, running
from endless_winter.v1 import decision_pb2, play_service_pb2, rejection_pb2
from tests.service.player import Client, pick

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator
    from pathlib import Path

    from endless_winter.v1 import update_pb2

p = play_service_pb2
TOKEN = "the-operators-token-of-the-tests"
OPERATOR = (("ew-operator-token", TOKEN),)
PATIENCE = 120.0  # seconds; a test that waits longer has failed


@contextmanager
def served(folder: Path | None = None, *flags: str) -> Iterator[Server]:
    with running((*COMMAND, "--operator-token", TOKEN, *flags), folder=folder) as server:
        yield server


class Refused(Exception):
    """A call ended with a status; compared by its parts."""

    def __init__(self, status: str, reason: str, metadata: dict[str, str]) -> None:
        super().__init__(status, reason, metadata)
        self.status = status
        self.reason = reason
        self.metadata = metadata


def parts_of(error: grpc.aio.AioRpcError) -> Refused:
    """Status and reason of a refusal; a reason of "" means that there was none."""
    name = error.code().name
    status = rpc_status.from_call(error)  # type: ignore[arg-type] # has what is needed
    if status is None:
        return Refused(name, "", {})
    infos = []
    for detail in status.details:
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info):
            infos.append(info)
    assert len(infos) == 1
    assert infos[0].domain == "endless_winter.v1"
    return Refused(name, infos[0].reason, dict(infos[0].metadata))


async def refused(call: Awaitable[Any]) -> Refused:
    """How a call is refused; that it is not, is a failure of the test."""
    try:
        answer = await call
    except grpc.aio.AioRpcError as error:
        return parts_of(error)
    raise AssertionError(f"not refused: {answer}")


def name_of(rejection: rejection_pb2.Rejection) -> str:
    name = rejection_pb2.RejectionReason.Name(rejection.reason)
    return name.removeprefix("REJECTION_REASON_")


class Line:
    """A Play stream whose reports are asked for one by one."""

    def __init__(self, client: Client, *, hello: bool = True) -> None:
        self._call = client.play.Play(metadata=client.metadata)
        self._hello = hello
        self._waiting: list[p.PlayReport] = []
        self.received: list[p.PlayReport] = []

    async def __aenter__(self) -> Self:
        if self._hello:
            await self.send(p.PlayCommand(hello=p.Hello(least_revision=1)))
            assert (await self.next()).HasField("welcome")
        return self

    async def __aexit__(self, *args: object) -> None:
        self._call.cancel()

    async def send(self, *commands: p.PlayCommand) -> None:
        await self._call.write(p.PlayRequest(commands=commands))

    async def done(self) -> None:
        await self._call.done_writing()

    async def next(self) -> p.PlayReport:
        """The next report, whatever it is."""
        while not self._waiting:
            response = await asyncio.wait_for(self._call.read(), PATIENCE)
            if not isinstance(response, p.PlayResponse):
                raise EOFError  # noqa: TRY004 # the end of the stream
            self._waiting = list(response.reports)
        report = self._waiting.pop(0)
        self.received.append(report)
        return report

    async def answer_to(self, request_id: str) -> p.PlayReport:
        while (report := await self.next()).request_id != request_id:
            pass
        return report

    async def update(self) -> update_pb2.Update:
        while not (report := await self.next()).HasField("update"):
            pass
        return report.update

    async def rest(self) -> list[p.PlayReport]:
        """Everything until the server ends the stream."""
        found = []
        while True:
            try:
                found.append(await self.next())
            except EOFError:
                return found

    async def do(self, **command: Any) -> p.PlayReport:
        """Send a command and wait for its answer; the request id is made if there is none."""
        command.setdefault("request_id", f"q{len(self.received)}")
        await self.send(p.PlayCommand(**command))
        return await self.answer_to(command["request_id"])

    async def rejected(self, **command: Any) -> str:
        report = await self.do(**command)
        assert report.HasField("rejection"), report
        return name_of(report.rejection)

    async def code(self) -> grpc.StatusCode:
        found: grpc.StatusCode = await self._call.code()
        return found


class Pair:
    """A running game of Ann (seat 0) and Bob (seat 1), and Eve, who has no seat."""

    def __init__(self, address: str) -> None:
        self.ann = Client(address, "ann")
        self.bob = Client(address, "bob")
        self.eve = Client(address, "eve")
        self.game_id = ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *args: object) -> None:
        for client in (self.ann, self.bob, self.eve):
            await client.channel.close()

    def client(self, seat: int) -> Client:
        return (self.ann, self.bob)[seat]

    async def seated(self, **config: Any) -> Self:
        self.game_id = (await self.ann.create(2, **config)).game_id
        await self.ann.join(self.game_id, 0)
        await self.bob.join(self.game_id, 1)
        return self

    async def started(self, **config: Any) -> Self:
        await self.seated(**config)
        await self.ann.ready(self.game_id, 0)
        await self.bob.ready(self.game_id, 1)
        return self

    async def pending(self) -> tuple[int, decision_pb2.Decision]:
        """Who has to choose, and what.

        Two looks are not at one time: an answer that is still under way may land between them, and
        then neither seat was asked when it was looked at. So look again.
        """
        for _ in range(20):
            for seat in (0, 1):
                update = await self.client(seat).view(self.game_id, seat)
                if update.HasField("prompt"):
                    return seat, update.prompt.decision
        raise AssertionError("nobody is asked")

    async def submit(self, seat: int, request_id: str = "", **answer: Any) -> p.Accepted:
        return await self.client(seat).submit(self.game_id, seat, request_id, **answer)

    async def step(self, seed: int = 1) -> tuple[int, p.Accepted]:
        """The seat that is asked chooses."""
        seat, decision = await self.pending()
        accepted = await self.submit(
            seat, decision_id=decision.decision_id, option_id=pick(decision, seed)
        )
        return seat, accepted

    async def seen(self) -> list[bytes]:
        """What everyone can see of the game now, without the times: to see that it is unchanged."""
        found = []
        for client, seat in ((self.ann, 0), (self.bob, 1), (self.eve, None)):
            update = await client.view(self.game_id, seat)
            update.ClearField("clock")
            update.ClearField("game")
            update.prompt.ClearField("sent_unix_ms")
            update.prompt.ClearField("wrong_answers_left")
            found.append(update.SerializeToString(deterministic=True))
        return found
