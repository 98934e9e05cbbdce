"""A process that appends to many games until it is killed, and says what was acknowledged.

``python -m tests.store.writing FILE SEED``: goes on with every unfinished game of the file. After
each acknowledgement, and never before, it writes a line: game id, last number, request id.
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from endless_winter.store import Marks, SqliteStore, Status
from tests.store.support import PACK, SECRET, ended, entry, new_game, request

if TYPE_CHECKING:
    from typing import NoReturn

GAMES = 12
LENGTH = 40


def text_of(game_id: str, seq: int) -> str:
    """What an entry says follows from its place, so that a reader can check it."""
    return f"{game_id} {seq} " + "x" * (seq * 37 % 500)


def tell(game_id: str, seq: int, request_id: str) -> None:
    os.write(1, f"{game_id} {seq} {request_id}\n".encode())


async def play(store: SqliteStore, game_id: str, seq: int, chance: random.Random) -> None:
    while seq < LENGTH:
        count = chance.randint(1, 3)
        entries = [entry(text_of(game_id, seq + 1 + at)) for at in range(count)]
        if chance.random() < 0.2:
            marks = Marks(status=Status.RUNNING, holders={seq % 4: b"client"}, open_seats=seq)
            entries[-1] = entry(text_of(game_id, seq + count), marks)
        asked = request(f"request-{seq}", answer=f"{game_id}:{seq + count}".encode())
        seq = await store.append(game_id, seq, entries, requests=[asked])
        tell(game_id, seq, asked.request_id)
    await store.append(game_id, seq, [ended(1)])


async def keep_playing(store: SqliteStore, left: list[tuple[str, int]], seed: int) -> NoReturn:
    chance = random.Random(seed)
    number = 0
    while True:
        if left:
            game_id, seq = left.pop()
        else:
            game_id, number = f"game-{seed}-{number}", number + 1
            first = entry(text_of(game_id, 1))
            seq = await store.create_game(new_game(game_id, tags=("t",)), SECRET, [first])
            tell(game_id, seq, "-")
        await play(store, game_id, seq, chance)


async def main(path: Path, seed: int) -> None:
    store = await SqliteStore.open(path)
    await store.put_pack(PACK, b"pack")
    left = [(game.game_id, game.last_seq) async for game in store.unfinished()]
    await asyncio.gather(
        *(keep_playing(store, left, seed * GAMES + number) for number in range(GAMES))
    )


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2])))
