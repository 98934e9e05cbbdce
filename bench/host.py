"""The server that is measured where ``ew serve`` itself cannot be asked.

Run as ``python -m bench.host STORE`` by ``python -m bench serve``. It is the same
server with room for more streams of one client. On SIGUSR1 it collects its garbage and says so, so
that memory can be compared.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys

from endless_winter.content import load_pack
from endless_winter.engine.settings import Settings
from endless_winter.service import logs
from endless_winter.service.address import parse
from endless_winter.service.clock import Clock
from endless_winter.service.host import Host
from endless_winter.service.server import serve
from endless_winter.store.sqlite import SqliteStore

MANY = 1_000_000
SETTINGS = Settings(
    attachments_per_stream=MANY,
    streams_per_client=MANY,
    games_per_creator=MANY,
    creates_per_minute=0,
    lists_per_minute=0,
    clients_per_peer=0,
    calls_per_connection=0,
    calls_per_address=0,
)


def _collect() -> None:
    gc.collect()
    print("bench host: collected", flush=True)


async def run(path: str) -> None:
    with SqliteStore.open(path) as store:
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, _collect)
        await serve(
            parse("127.0.0.1:0"),
            host=Host(store, load_pack(), clock=Clock(), settings=SETTINGS),
            grace=1.0,
            ready=lambda where: print(f"bench host: listening on {where}", flush=True),
        )


if __name__ == "__main__":
    logs.configure("error")
    asyncio.run(run(sys.argv[1]))
