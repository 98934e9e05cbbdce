"""What one transaction will write, worked out before anything is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from endless_winter.store import index, rows
from endless_winter.store.jobs import Added

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.store.jobs import Head, PutPack, Serve
    from endless_winter.store.records import Entry, Request, Secret

MOST_ROWS = 64  # of one statement; each number of rows is a prepared statement of its own
TO_CREATE = 0  # the scope of requests that create a game


class Plan:
    """The rows of a transaction, in the order in which they can be written."""

    def __init__(self) -> None:
        self.packs: list[PutPack] = []
        self.serving: list[Serve] = []
        self.games: list[tuple[int, str, index.Change, Secret]] = []
        self.added: list[Added] = []
        self.requests: list[tuple[Any, ...]] = []
        self.changes: list[tuple[int, index.Change]] = []
        self.created: set[str] = set()
        """The ids of new games."""
        self.asked: set[tuple[str, bytes, str]] = set()
        """The requests that this answers: game id or nothing, caller, request id."""

    def add(self, game_id: str, head: Head, entries: Sequence[Entry]) -> int:
        """Number the entries after the head, which moves to the last of them.

        The first entry of a game has its change already.
        """
        game, seq = head.game, head.seq
        packed: list[bytes] = []
        for entry in entries:
            seq += 1
            text = ""
            if seq == 1:
                text = index.to_text(self.games[-1][2])
            elif entry.marks is not None:
                change = index.of_marks(entry.marks)
                text = index.to_text(change)
                self.changes.append((game, change))
            packed.append(rows.pack(game, seq, entry, text))
        if len(packed) == 1:  # as nearly all are
            data = packed[0]
        elif packed:
            data = b"".join(packed)
        else:  # a request that changed nothing: the log is what it was
            return seq
        self.added.append(Added(game_id, game, head.seq + 1, seq, data))
        head.seq = seq
        return seq

    def add_packed(self, head: Head, added: Added) -> int:
        """As `add`, for entries that were packed before, under the numbers after the head."""
        self.added.append(added)
        head.seq = added.last_seq
        return head.seq

    def answer(self, scope: str, game: int, seq: int, request: Request) -> None:
        """Keep the first answer to a request of a game, or without scope to create one."""
        caller, request_id, answer = request.caller, request.request_id, request.answer
        self.asked.add((scope, caller, request_id))
        self.requests.append((game if scope else TO_CREATE, caller, request_id, game, seq, answer))

    @property
    def plain(self) -> bool:
        """Whether one statement can write it all."""
        return (
            not (self.packs or self.serving or self.games or self.changes)
            and len(self.requests) <= MOST_ROWS
        )

    def data(self) -> bytes:
        """What goes into the moment."""
        return b"".join([added.data for added in self.added])
