"""Attacks from one address: how long do others wait, and what does the server need, meanwhile?

Each attack is measured on a server of its own, as anybody would run it: others alone first, then
others and the attack. Attacks come from 127.0.0.2 and others from 127.0.0.1, so that limits by
address can distinguish them.
"""

from __future__ import annotations

import asyncio
import secrets
import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from bench import processes, raw
from bench.counting import resident

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from concurrent.futures import Future

    from bench.protocol import Run
    from endless_winter.cli.process import Server

SOURCE = "127.0.0.2"
MOST_MS = 500.0
MOST_MB = 200.0
GAMES = 2  # of others, with two players each
WITHIN = 100  # calls at a time: a flood that keeps to what it may
AT_ONCE = 60_000  # and one that does not
CONNECTIONS = 8
SILENT = 15_000
_LOOK = 0.05  # seconds
_WARM = 0.2  # of the time others play before the attack
_PACKAGE = "/endless_winter.v1."


async def _connections(address: str, count: int, **how: Any) -> list[raw.Connection]:
    return [await raw.Connection.open(address, SOURCE, **how) for _ in range(count)]


async def _flood(address: str, seconds: float, method: str, most: int, count: int = 1) -> int:
    """Calls that are answered at once, `most` at a time on each of so many connections."""
    block = raw.headers(_PACKAGE + method, [("ew-client-secret", secrets.token_hex(32))])
    floods = await _connections(address, count)
    return sum(await asyncio.gather(*(flood.flood(block, b"", seconds, most) for flood in floods)))


async def _resets(address: str, seconds: float) -> int:
    """Calls that are cancelled before they are answered."""
    block = raw.headers(f"{_PACKAGE}PlayService/SubmitMove")
    (flood,) = await _connections(address, 1)
    begun = 0
    with suppress(TimeoutError, ConnectionError):
        async with asyncio.timeout(seconds):
            while flood.alive:
                for _ in range(100):
                    flood.cancel(flood.call(block))
                begun += 100
                await flood.room(1)
                await asyncio.sleep(0)
    return begun


async def _unread(address: str, seconds: float) -> int:
    """The largest answers that anybody gets, and nobody takes them."""
    block = raw.headers(f"{_PACKAGE}CatalogService/GetCatalog")
    floods = await _connections(address, CONNECTIONS, window=1)
    for flood in floods:
        for _ in range(WITHIN):
            flood.call(block)
        await flood.room(AT_ONCE)
    await asyncio.sleep(seconds)
    return len(floods) * WITHIN


async def _silent(address: str, seconds: float) -> int:
    """Connections that say nothing, as many as can be had."""
    host, _, port = address.rpartition(":")
    silent: list[socket.socket] = []
    with suppress(OSError):
        while len(silent) < SILENT:
            one = socket.create_connection((host, int(port)), 5, (SOURCE, 0))
            silent.append(one)
            if len(silent) % 100 == 0:
                await asyncio.sleep(0)
    await asyncio.sleep(seconds)
    for one in silent:
        one.close()
    return len(silent)


ATTACKS: dict[str, Callable[[str, float], Awaitable[int]]] = {
    "60,000 calls at once": lambda where, seconds: _flood(
        where, seconds, "CatalogService/GetServerInfo", AT_ONCE
    ),
    "cheap calls": lambda where, seconds: _flood(
        where, seconds, "CatalogService/GetServerInfo", WITHIN
    ),
    "answers": lambda where, seconds: _flood(where, seconds, "PlayService/SubmitMove", WITHIN),
    "views": lambda where, seconds: _flood(where, seconds, "PlayService/GetView", WITHIN),
    "replays": lambda where, seconds: _flood(where, seconds, "ReplayService/VerifyReplay", WITHIN),
    "resets": _resets,
    "unread answers": _unread,
    "silent connections": _silent,
    f"answers on {CONNECTIONS} connections": lambda where, seconds: _flood(
        where, seconds, "PlayService/SubmitMove", WITHIN, CONNECTIONS
    ),
}
# What several connections do is not bounded by what one may, and has no limit here.
_UNBOUNDED = frozenset((f"answers on {CONNECTIONS} connections",))


async def attack(*, address: str, how: str, seconds: float) -> dict[str, Any]:
    """Attack for so long; how often something was begun."""
    return {"begun": await ATTACKS[how](address, seconds)}


def attacks(run: Run) -> None:
    """The worst waits of others with and without each attack, and the server's memory."""
    seconds = run.sizes.attack_seconds
    for name in run.sizes.attacks or ATTACKS:
        run.progress(f"attack: {name}")
        with processes.product(run.inside("attack"), _settings(run)) as server:
            alone = processes.load(
                "bystanders", address=server.address, seconds=seconds / 2, games=GAMES
            )
            found, begun, memory = _attacked(server, name, seconds)
        run.raw.setdefault("attack", {})[name] = {"alone": alone, "attacked": found, "begun": begun}
        run.note(
            f"{name}: others' worst wait",
            f"{alone['most_ms']:,.0f} ms alone, {found['most_ms']:,.0f} ms attacked "
            f"({begun:,} begun); an answer {alone['submit_ms']:,.0f} and "
            f"{found['submit_ms']:,.0f} ms, charged {alone['charged_ms']:,.0f} and "
            f"{found['charged_ms']:,.0f} ms; {found['answers']:,} answers, "
            f"{found['expired']} clocks ran out, {found['forfeits']} seats forfeited, "
            f"{found['failed']} calls failed",
        )
        limit = None if name in _UNBOUNDED else MOST_MS
        run.judge(f"{name}: worst wait of others", [found["most_ms"]], limit, unit=" ms")
        run.judge(f"{name}: server's memory", [memory / 1e6], MOST_MB, unit=" MB")
        run.judge(f"{name}: clocks that ran out", [found["expired"] + found["forfeits"]], 0)


def _settings(run: Run) -> list[str]:
    """A store of its own for each."""
    return ["--store", f"{len(run.raw.get('attack', {}))}.db", "--log-level", "error"]


def _attacked(server: Server, name: str, seconds: float) -> tuple[dict[str, Any], int, int]:
    """What others saw, how much was attacked, and the most memory of the server meanwhile."""
    memory = 0
    with ThreadPoolExecutor(2) as pool:
        others: Future[dict[str, Any]] = pool.submit(
            processes.load,
            "bystanders",
            address=server.address,
            seconds=seconds * (1 + 2 * _WARM),
            games=GAMES,
        )
        attack = pool.submit(
            processes.load, "attack", address=server.address, how=name, seconds=seconds
        )
        while not (others.done() and attack.done()):
            memory = max(memory, resident(server.process.pid))
            with suppress(TimeoutError):
                (others if attack.done() else attack).result(_LOOK)
    return others.result(), int(attack.result()["begun"]), memory
