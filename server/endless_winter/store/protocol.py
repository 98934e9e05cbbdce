"""What the server asks of a store, whichever database stands behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from endless_winter.store.errors import StoreError
    from endless_winter.store.records import (
        Append,
        Delivery,
        FirstAnswer,
        GameRecord,
        Head,
        LogEntry,
        Page,
        Pulse,
        Query,
        Uptime,
        Wake,
    )


class Store(Protocol):
    """Logs of games. A game is its log; that (game, seq) is unique is the only authority.

    All calls block, and none needs an event loop. `commit` and `recover` are called by one thread
    at a time; everything else by any, beside them.
    """

    shared: bool
    """Whether several nodes may serve it. Any other is served by one process."""
    remote: bool
    """Whether a call may wait for another machine: then none is made in an event loop."""

    def commit(
        self, appends: Sequence[Append], uptime: Uptime | None = None
    ) -> list[StoreError | None]:
        """Add all of a round in one transaction; durable (fsync) when it returns.

        One outcome for each append: None is committed; ``Conflict`` (the log ends elsewhere),
        ``Repeated`` (the request id was answered before), ``GameExists`` or ``NoSuchGame``: nothing
        of it was written, and the others were. ``TooMany``: a limit of the creation. No game may
        come twice in a round. ``uptime`` is the server's heartbeat: it replaces the one that began
        at the same time; nodes that share a store `beat` instead.

        Raises ``StoreBusy`` when another process writes: nothing was written, and the call can be
        repeated. Raises any other ``StoreError`` when what became of the round is not known:
        ``recover`` comes next, then ``resolve`` says what was committed.
        """

    def recover(self) -> bool:
        """After a failed commit: begin anew with the file or the connection.

        Raises ``StoreError`` while that is not possible. True: the store is another one than before
        (a standby has taken over, a backup was restored), and may lack what it had committed: what
        is in memory must be read anew.
        """

    def resolve(self, appends: Sequence[Append]) -> list[StoreError | None]:
        """After ``recover``: what became of the round that failed, in the terms of ``commit``.

        None: all of it is in the log, whatever was added behind it since. A ``StoreError`` of no
        other kind: it was not committed, and never will be. Where a commit may still be on its way
        to the store, looking is not enough: the same round is sent again first.
        """

    def heads(self, game_ids: Sequence[str]) -> dict[str, Head]:
        """Where logs end; a game that there is not is left out."""

    def uptimes(self) -> list[Uptime]:
        """When there was a server, by its heartbeats, in order."""

    def checkpoint(self) -> None:
        """Do what commits have put off; may take a while, and no commit depends on it."""

    def checkpoint_due(self) -> bool:
        """Whether enough was committed for a checkpoint; quick."""

    def load(self, game_id: str) -> GameRecord | None:
        """One game without its entries, with its secrets and its people."""

    def read(self, game_id: str, after_seq: int = 0, limit: int = 1000) -> list[LogEntry]:
        """The entries after a number, in order, at most ``limit``; none for an unknown game."""

    def list_games(self, query: Query, *, limit: int = 100, token: str = "") -> Page:
        """Games, newest first. Raises ``BadPageToken``."""

    def find_request(self, caller: bytes, request_id: str, game_id: str = "") -> FirstAnswer | None:
        """The first answer under an idempotency key: of a game, or without game to create one."""

    def get_pack(self, content_hash: str) -> bytes | None:
        """A content pack by its hash."""

    def list_packs(self) -> list[str]:
        """The hashes of all content packs, sorted."""

    def remove(self, game_ids: Sequence[str]) -> None:
        """Remove games with all that belongs to them; content packs stay."""

    def erase(self, client: bytes) -> int:
        """Erase a person, and say in how many games: names and the client's hash go, entries stay.

        So do requests whose caller ends with the client's hash, or in a game with the id of the
        person's player.
        """

    # --- nodes that share the store; any other does nothing here ---

    def beat(self, node: str, version: str, *, draining: bool = False) -> Pulse:
        """The heartbeat of a node, about once a second: it lives, and has this version.

        A node that was silent for ``STALE_MS`` is dead for ever: this heartbeat is not noted, the
        answer says how long ago the last one was, and the process goes on under another name.
        """

    def deliver(self, deliveries: Sequence[Delivery]) -> None:
        """Note what was delivered of questions, in one transaction; of each game once."""

    def overdue(self, limit: int = 100) -> list[str]:
        """Unfinished games whose deadline has passed, the oldest first."""

    def notify(self, wake: Wake) -> None:
        """Wake the other nodes, after a commit. A loss of it costs time alone."""

    def listen(self, heard: Callable[[Wake], None]) -> None:
        """Have `heard` called, by any thread, with what nodes notify, own wakes perhaps included.

        An empty wake says that some may have been lost.
        """

    def close(self) -> None:
        """Let go of the file or the connections."""
