"""What the server asks of a store, whichever database stands behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.store.errors import StoreError
    from endless_winter.store.records import (
        Append,
        FirstAnswer,
        GameRecord,
        Head,
        LogEntry,
        Page,
        Query,
        Uptime,
    )


class Store(Protocol):
    """Logs of games. A game is its log; that (game, seq) is unique is the only authority.

    All calls block, and none needs an event loop. `commit` and `recover` are called by one thread
    at a time; everything else by any, beside them.
    """

    def commit(
        self, appends: Sequence[Append], uptime: Uptime | None = None
    ) -> list[StoreError | None]:
        """Add all of a round in one transaction; durable (fsync) when it returns.

        One outcome for each append: None is committed; ``Conflict`` (the log ends elsewhere),
        ``Repeated`` (the request id was answered before), ``GameExists`` or ``NoSuchGame``: nothing
        of it was written, and the others were. No game may come twice in a round. ``uptime`` is
        the server's heartbeat: it replaces the one that began at the same time.

        Raises ``StoreBusy`` when another process writes: nothing was written, and the call can be
        repeated. Raises any other ``StoreError`` when what became of the round is not known:
        ``recover`` comes next, then ``heads`` shows what was committed.
        """

    def recover(self) -> None:
        """After a failed commit: begin anew with the file or the connection.

        Raises ``StoreError`` while that is not possible.
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

    def close(self) -> None:
        """Let go of the file or the connections."""
