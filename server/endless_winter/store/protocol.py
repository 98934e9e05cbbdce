"""What the server asks of a store, whichever database stands behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from endless_winter.store.errors import StoreError
    from endless_winter.store.records import (
        Append,
        FirstAnswer,
        GameRecord,
        Head,
        Header,
        LogEntry,
        Page,
        Query,
    )


class Store(Protocol):
    """Logs of games. A game is its log; that (game, seq) is unique is the only authority.

    All calls block, and none needs an event loop. `commit`, `beat`, `recover` and `checkpoint` are
    called by one thread at a time; everything else by any, beside them.
    """

    def commit(self, appends: Sequence[Append]) -> list[StoreError | None]:
        """Add all of a round in one transaction; durable when it returns.

        One outcome for each append: None is committed; ``Conflict`` (the log ends elsewhere),
        ``Repeated`` (the request id was answered before), ``GameExists`` or ``NoSuchGame``: nothing
        of it was written, and the others were. No game may come twice in a round.

        Raises ``StoreError`` when what became of the round is not known: ``recover`` comes next,
        then ``heads`` tells what was committed.
        """

    def recover(self) -> None:
        """After a failed commit: begin anew with the file or the connection.

        Raises ``StoreError`` while that is not possible.
        """

    def heads(self, game_ids: Sequence[str]) -> dict[str, Head]:
        """Where logs end; a game that there is not is left out."""

    def beat(self, since_ms: int, until_ms: int) -> None:
        """Note that the server that began at one moment is still there at another."""

    def uptimes(self) -> list[tuple[int, int]]:
        """When there was a server, as far as it is known: from and until, in order."""

    def checkpoint(self) -> None:
        """Tidy up after many commits; may take a while, and nothing depends on it."""

    def checkpoint_due(self) -> bool:
        """Whether it is time for that; quick."""

    def load(self, game_id: str) -> GameRecord | None:
        """One game without its entries, with its secrets and its people."""

    def read(self, game_id: str, after_seq: int = 0, limit: int = 1000) -> list[LogEntry]:
        """The entries after a number, in order, at most ``limit``; none for an unknown game."""

    def get(self, game_id: str) -> Header | None:
        """One game as lists show it."""

    def list_games(self, query: Query, *, limit: int = 100, token: str = "") -> Page:
        """Games, newest first. Raises ``BadPageToken``."""

    def unfinished(self) -> Iterator[Header]:
        """Every game that has not ended, newest first: where a server goes on after a start."""

    def find_request(self, caller: bytes, request_id: str, game_id: str = "") -> FirstAnswer | None:
        """The first answer to a request of a game; without game: to a request to create one."""

    def get_pack(self, content_hash: str) -> bytes | None:
        """A content pack by its hash."""

    def list_packs(self) -> list[str]:
        """The hashes of all content packs, sorted."""

    def remove(self, game_ids: Sequence[str]) -> None:
        """Remove games with all that belongs to them; content packs stay."""

    def removals(self) -> int:
        """A number that changes whenever somebody removes games: ended ones may be gone then."""

    def erase(self, client: bytes) -> int:
        """Forget a person: names and the client's hash go, entries stay. In how many games."""

    def close(self) -> None:
        """Let go of the file or the connections."""
