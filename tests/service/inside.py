"""A server in the process of the test, over a real socket, on a store of the test's own."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from endless_winter.content import load_pack
from endless_winter.engine.settings import Settings
from endless_winter.service.address import Address, parse
from endless_winter.service.clock import Clock
from endless_winter.service.host import Host
from endless_winter.service.identity import operator_hash
from endless_winter.service.server import serve
from tests.service.player import Client, secret
from tests.service.wire import OPERATOR, TOKEN

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from endless_winter.content import Pack
    from endless_winter.store.protocol import Store

PACK = load_pack()
GRACE_SECONDS = 0.1


class HandClock(Clock):
    """A clock that stands until the test moves it. It has no heartbeat: nothing is ever late."""

    def __init__(self) -> None:
        self.at = 0.0
        self.stood_still_ms = 0
        """How long the process did, of the time that the test let pass."""
        super().__init__(lambda: self.at)

    def stalled_ms(self) -> int:
        return self.stood_still_ms + super().stalled_ms()

    def start(self) -> None:
        pass


class Inside:
    """A running server: `host` is its inside, `address` its outside."""

    def __init__(self, host: Host, address: str) -> None:
        self.host = host
        self.address = address
        self._clients: dict[str, Client] = {}

    def client(self, name: str) -> Client:
        """The client of that name; "operator" is one."""
        if name not in self._clients:
            client = self._clients[name] = Client(self.address, name)
            if name == "operator":
                client.metadata = (*secret(name), *OPERATOR)
        return self._clients[name]

    async def close(self) -> None:
        for client in self._clients.values():
            await client.channel.close()


@asynccontextmanager
async def inside(
    store: Store, pack: Pack = PACK, clock: Clock | None = None, **settings: Any
) -> AsyncIterator[Inside]:
    """A server on a store, which it does not close. Its games that go on alone are in memory."""
    # Tests make games at any moment of the calendar: none is too old to start.
    wanted: dict[str, Any] = {"operators": (operator_hash(TOKEN),), "start_limit_ms": 0} | settings
    host = Host(store, pack, clock=clock or Clock(), settings=Settings(**wanted))
    where: asyncio.Future[Address] = asyncio.get_running_loop().create_future()
    stop = asyncio.Event()
    serving = asyncio.create_task(
        serve(
            parse("127.0.0.1:0"),
            host=host,
            grace=GRACE_SECONDS,
            ready=where.set_result,
            stop=stop,
        )
    )
    await asyncio.wait((serving, where), return_when=asyncio.FIRST_COMPLETED)
    if serving.done():
        await serving  # raises why
    server = Inside(host, str(where.result()))
    try:
        await host.woken()
        yield server
    finally:
        await server.close()
        stop.set()
        await serving
