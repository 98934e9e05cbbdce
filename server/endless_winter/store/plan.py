"""What one transaction will write, worked out before anything is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from endless_winter.store import index, rows
from endless_winter.store.jobs import Added

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.store.jobs import Head, PutPack, Serve
    from endless_winter.store.records import Entry, Request, Secret

TO_CREATE = 0  # the scope of requests that create a game


class Plan:
    """The rows of a transaction, in the order in which they can be written."""

    def __init__(self) -> None:
        self.packs: list[PutPack] = []
        self.serving: list[Serve] = []
        self.games: list[tuple[int, str, index.Change, Secret]] = []
        self.added: list[Added] = []
        self.requests: list[tuple[Any, ...]] = []
        """Those that create games; the others are in what was added."""
        self.changes: list[tuple[int, index.Change]] = []
        self.created: set[str] = set()
        """The ids of new games."""
        self.asked: set[tuple[bytes, str]] = set()
        """Callers and ids of the requests that create games."""

    def add(
        self, game_id: str, head: Head, entries: Sequence[Entry], requests: Sequence[Request]
    ) -> int:
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
        asked = [rows.pack_request(game, seq, request) for request in requests]
        added = Added(game_id, game, head.seq + 1, seq, b"".join(packed), b"".join(asked))
        self.added.append(added)
        head.seq = seq
        return seq

    def add_packed(self, head: Head, added: Added) -> int:
        """As `add`, for entries that were packed before, under the numbers after the head."""
        self.added.append(added)
        head.seq = added.last_seq
        return head.seq

    def answer(self, game: int, seq: int, request: Request) -> None:
        """Keep the first answer to a request to create a game."""
        caller, request_id, answer = request
        self.asked.add((caller, request_id))
        self.requests.append((TO_CREATE, caller, request_id, game, seq, answer))

    @property
    def plain(self) -> bool:
        """Whether one statement can write it all."""
        return not (self.packs or self.serving or self.games or self.changes)

    def data(self) -> bytes:
        """What goes into the moment."""
        parts: list[bytes] = []
        for added in self.added:
            parts.append(added.data)
            if added.asked:
                parts.append(added.asked)
        return b"".join(parts)
