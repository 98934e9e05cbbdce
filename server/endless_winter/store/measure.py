"""How long an append takes: ``python -m endless_winter.store.measure [FOLDER]``.

One game alone, and 64 games side by side, with and without waiting for the disk, beside the time
of a bare write and fsync in the same folder. ``ew bench serve`` uses the same functions.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from endless_winter.store.records import Entry, NewGame, Request, Secret
from endless_winter.store.sqlite import SqliteStore


class Figures(NamedTuple):
    """Of one run: microseconds per append (by the clock, and of processor time of all threads),
    of a caller's wait, and how many appends shared a commit.
    """

    per_append: float
    cpu: float
    wait_p50: float
    wait_p99: float
    wait_most: float
    per_commit: float


def move(number: int) -> Entry:
    """An entry of the usual size."""
    hashed = number.to_bytes(32, "big")
    return Entry("choice", number, bytes(120), bytes(60), bytes(200), hashed)


async def measure(store: SqliteStore, *, games: int, appends: int) -> Figures:
    """Append to some games at once, each as soon as its last append is committed."""
    await store.put_pack("bench", b"")
    names = [f"bench-{time.time_ns()}-{number}" for number in range(games)]
    for name in names:
        new = NewGame(
            game_id=name,
            created_ms=0,
            rules_version="bench",
            content_hash="bench",
            config=bytes(200),
            commitment=bytes(32),
        )
        await store.create_game(new, Secret(bytes(32), bytes(32)), [move(0)])
    waits: list[float] = []

    async def play(name: str) -> None:
        for seq in range(1, appends // games + 1):
            request = Request(b"\0", f"request-{seq}", b"")
            begun = time.perf_counter()
            await store.append(name, seq, [move(seq)], requests=[request])
            waits.append(time.perf_counter() - begun)

    commits = store.stats.transactions
    cpu = time.process_time()
    begun = time.perf_counter()
    await asyncio.gather(*(play(name) for name in names))
    took = time.perf_counter() - begun
    cpu = time.process_time() - cpu
    waits.sort()
    micro = 1_000_000
    return Figures(
        took / len(waits) * micro,
        cpu / len(waits) * micro,
        waits[len(waits) // 2] * micro,
        waits[len(waits) * 99 // 100] * micro,
        waits[-1] * micro,
        len(waits) / (store.stats.transactions - commits),
    )


def bare_fsync(folder: Path, times: int = 200) -> float:
    """Microseconds (median) of adding 4 KiB to a file and waiting for the disk."""
    took = []
    with tempfile.NamedTemporaryFile(dir=folder) as file:
        for _ in range(times):
            begun = time.perf_counter()
            os.write(file.fileno(), bytes(4096))
            os.fsync(file.fileno())
            took.append(time.perf_counter() - begun)
    return sorted(took)[times // 2] * 1_000_000


async def report(folder: Path) -> list[str]:
    """The table that docs/store.md shows."""
    lines = [
        f"bare write and fsync: {bare_fsync(folder):.0f} us (median)",
        "synchronous  games  us/append  cpu us  wait p50     p99     max us  appends/commit",
    ]
    with tempfile.TemporaryDirectory(dir=folder) as inside:
        for synchronous in ("full", "normal", "off"):
            path = Path(inside, f"{synchronous}.db")
            async with await SqliteStore.open(path, synchronous=synchronous) as store:
                for games, appends in ((1, 2_000), (64, 12_800), (1_000, 20_000)):
                    got = await measure(store, games=games, appends=appends)
                    lines.append(
                        f"{synchronous:11}  {games:5}  {got.per_append:9.0f}  {got.cpu:6.0f}"
                        f"  {got.wait_p50:8.0f}  {got.wait_p99:6.0f}  {got.wait_most:6.0f}"
                        f"     {got.per_commit:14.1f}"
                    )
    return lines


if __name__ == "__main__":
    where = Path(sys.argv[1]) if len(sys.argv) > 1 else Path.cwd()
    print("\n".join(asyncio.run(report(where))))
