"""A process that commits rounds to many games until it is killed, and says what was acknowledged.

``python -m tests.store.writing FILE SEED [SYNCHRONOUS]``: goes on with every unfinished game of the
file. After each commit, and never before, it writes a line of JSON: where each log of the round
ends, with the request that was answered.
"""

from __future__ import annotations

import json
import os
import random
import sys
from typing import TYPE_CHECKING

from endless_winter.store.records import (
    NO_CHAIN,
    UNFINISHED,
    Append,
    Head,
    Marks,
    Query,
    Status,
)
from endless_winter.store.sqlite import SqliteStore
from tests.store.support import created, ended, entries, request

if TYPE_CHECKING:
    from endless_winter.store.schema import Synchronous

GAMES = 12
LENGTH = 40


def text_of(game_id: str, seq: int) -> str:
    """What an entry says follows from its place, so that a reader can check it."""
    return f"{game_id} {seq} " + "x" * (seq * 37 % 500)


class Writing:
    """Rounds, each of some games."""

    def __init__(self, store: SqliteStore, seed: int) -> None:
        self.store = store
        self.chance = random.Random(seed)
        self.seed = seed
        self.number = 0
        unfinished = store.list_games(Query(everything=True, statuses=UNFINISHED), limit=1 << 62)
        self.heads = store.heads([game.game_id for game in unfinished.games])

    def round(self) -> None:
        while len(self.heads) < GAMES:
            self.heads[f"game-{self.seed}-{self.number}"] = Head(0, NO_CHAIN)
            self.number += 1
        chosen = self.chance.sample(sorted(self.heads), self.chance.randint(1, GAMES))
        appends = [self.append(game_id) for game_id in chosen]
        assert self.store.commit(appends) == [None] * len(appends)
        self.acknowledge(appends)
        if self.chance.random() < 0.05:
            self.store.checkpoint()

    def append(self, game_id: str) -> Append:
        head = self.heads[game_id]
        count = self.chance.randint(1, 3)
        texts = [text_of(game_id, head.seq + 1 + at) for at in range(count)]
        name = f"request-{head.seq}" if head.seq else f"create {game_id}"
        asked = request(name, answer=f"{game_id}:{head.seq + count}".encode())
        if not head.seq:
            return created(game_id, *texts, asked=asked, tags=("t",))
        marks = None
        if head.seq + count >= LENGTH:
            marks = ended(1)
        elif self.chance.random() < 0.2:
            marks = Marks(status=Status.RUNNING, seats={head.seq % 4: "host"}, open_seats=head.seq)
        log = entries(game_id, head, texts)
        return Append(game_id, head.seq, log, asked, marks, private={log[0].seq: b"drawn"})

    def acknowledge(self, appends: list[Append]) -> None:
        said = {}
        for append in appends:
            last = append.entries[-1]
            self.heads[append.game_id] = Head(last.seq, last.chain)
            if last.seq >= LENGTH:
                del self.heads[append.game_id]
            assert append.request is not None
            said[append.game_id] = [last.seq, append.request.request_id]
        os.write(1, (json.dumps(said) + "\n").encode())


def main(path: str, seed: int, synchronous: Synchronous = "full") -> None:
    writing = Writing(SqliteStore.open(path, synchronous=synchronous), seed)
    while True:
        writing.round()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])  # type: ignore[arg-type] # a word of it
