"""A node: the product's own shell on a loop, a clock and a connection to the store of the world."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc

from endless_winter.content import load_pack
from endless_winter.engine.refusal import Refusal, store_unavailable
from endless_winter.engine.settings import Settings
from endless_winter.service.clock import Clock
from endless_winter.service.host import Host
from endless_winter.service.identity import operator_hash
from endless_winter.service.rpc.games import GameServicer
from endless_winter.service.rpc.play import PlayServicer
from endless_winter.store.errors import StoreError
from endless_winter.v1 import rejection_pb2 as reasons
from tests.simulation.disk import START_UNIX_MS, Connection
from tests.simulation.loop import NodeLoop

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.engine.caller import Caller
    from tests.simulation.disk import Database

PACK = load_pack()

TOKEN = "operator"
GONE = Refusal(reasons.REJECTION_REASON_SERVER_FAULT, "the connection broke")


class Node:
    """One process, from its start to its end."""

    def __init__(
        self, database: Database, name: str, skew: float, faults: Callable[[], bool]
    ) -> None:
        world = database.world
        self.world = world
        self.name = name
        self.loop = loop = NodeLoop(world, name)  # type: ignore[abstract] # the rest is not used
        chance = world.chance("node", name)
        self.store = Connection(database, loop, faults=faults)
        self.clock = Clock(
            lambda: loop.time() * skew,
            lambda: 0.0,
            loop.time,
            START_UNIX_MS + int(world.now * 1000),
        )
        settings = Settings(operators=(operator_hash(TOKEN),), operators_seed=False)
        self.host = Host(
            self.store, PACK, clock=self.clock, settings=settings, chance=chance.randbytes
        )
        self.games = GameServicer(self.host)
        self.play = PlayServicer(self.host)
        self.up = False
        loop.start(self._start())

    async def _start(self) -> None:
        self.clock.start()
        while True:
            try:
                await self.host.start()
                break
            except StoreError:  # as a supervisor starts it again
                await asyncio.sleep(1)
        self.up = True

    @property
    def dead(self) -> bool:
        return self.loop.dead

    def kill(self) -> None:
        """As by ``kill -9``."""
        self.world.note("kill", self.name)
        self.up = False
        self.loop.kill()

    def call(
        self, method: str, request: Any, caller: Caller, answer: Callable[[Any], None]
    ) -> None:
        """A unary call has arrived; `answer` takes the response, or the refusal."""
        self.loop.start(self._call(method, request, caller, answer))

    async def _call(
        self, method: str, request: Any, caller: Caller, answer: Callable[[Any], None]
    ) -> None:
        servicer = self.games if hasattr(self.games, method) else self.play
        try:
            found = await getattr(servicer, method)(request, caller)
        except Refusal as refusal:
            answer(refusal)
        except StoreError:
            answer(store_unavailable())
        else:
            answer(found)


class Link:
    """A Play stream, from the node's side: what gRPC gives a servicer."""

    def __init__(self, node: Node, caller: Caller, send: Callable[[bytes | None], None]) -> None:
        """`send` takes what goes to the client; None: the stream has ended."""
        self._send = send
        self._inbox: asyncio.Queue[Any] = asyncio.Queue()
        self._node = node
        self._broken = False
        self._task = node.loop.start(self._serve(node, caller))

    async def _serve(self, node: Node, caller: Caller) -> None:
        try:
            await node.play.Play(caller, self)
        except Refusal as refusal:
            node.world.seen[f"stream refused: {refusal.name}"] += 1
        self._send(None)

    # --- gRPC's part ---

    async def read(self) -> Any:
        return await self._inbox.get()

    async def write(self, message: bytes) -> None:
        if self._broken:
            raise ConnectionError("the stream is broken")
        self._send(message)

    # --- the network's part ---

    def arrive(self, message: bytes | None) -> None:
        """A message of the client; None: it will send no more."""
        self._inbox.put_nowait(grpc.aio.EOF if message is None else message)

    def cut(self) -> None:
        """The connection is known to be gone: gRPC cancels the call."""
        self._broken = True
        self._task.cancel()
