"""The server that is measured where ``ew serve`` itself cannot be asked.

Run as ``python -m endless_winter.cli.bench.host [STORE [--settling] | --only-flush FILE]`` by ``ew
bench serve``. It is the same server with room for more streams of one client; without a store it
keeps no log, and with ``--only-flush`` it does nothing of one but to write and flush. With
``--settling`` it settles from the start, as one that has run for a while. On SIGUSR1 it collects
its garbage and says so, so that memory can be compared.
"""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from endless_winter.cli.bench.keeps_nothing import KeepsNothing, OnlyFlushes
from endless_winter.content import load_pack
from endless_winter.service import logs, wakeups
from endless_winter.service.address import parse
from endless_winter.service.hall import Hall
from endless_winter.service.meters import meter
from endless_winter.service.server import serve
from endless_winter.service.settings import Settings
from endless_winter.service.timekeeper import Timekeeper
from endless_winter.store import SqliteStore, settling

if TYPE_CHECKING:
    from endless_winter.store import Store

ONLY_FLUSH = "--only-flush"
SETTLING = "--settling"
MANY = 1_000_000
SETTLED = 256 << 10  # octets that wait: fewer than the turns that do not count bring
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


async def run(*words: str) -> None:
    async with AsyncExitStack() as stack:
        store: Store = KeepsNothing()
        kept: SqliteStore | None = None
        if words[:1] == (ONLY_FLUSH,):
            store = OnlyFlushes(Path(words[1]))
        elif words:
            if SETTLING in words[1:]:
                settling.KEPT = SETTLED
            store = kept = await stack.enter_async_context(await SqliteStore.open(words[0]))
        hall = Hall(store, load_pack(), time=Timekeeper(), settings=SETTINGS)
        if kept is not None:
            kept.watch(partial(meter, hall.meters))
        asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, _collect)
        await serve(
            parse("127.0.0.1:0"),
            hall=hall,
            grace=1.0,
            ready=lambda where: print(f"bench host: listening on {where}", flush=True),
        )


if __name__ == "__main__":
    logs.configure("error")
    wakeups.run(run(*sys.argv[1:]))
