"""What the service asks of a store, whichever database stands behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

    from endless_winter.store.errors import StoreError
    from endless_winter.store.records import (
        Answer,
        Entry,
        Header,
        Logged,
        NewGame,
        Page,
        Query,
        Request,
        Secret,
    )


class Store(Protocol):
    """Logs of games. A game is its log; that (game, seq) is unique is the only authority.

    A call that writes returns when what it wrote would survive the loss of power, or raises a
    ``StoreError`` and wrote nothing. If its task is cancelled, it may have been written.
    """

    async def create_game(
        self,
        new: NewGame,
        secret: Secret,
        entries: Sequence[Entry],
        *,
        request: Request | None = None,
    ) -> int:
        """Begin a log with these entries (at least one); returns its last number.

        The request's id counts per caller, not per game. Raises ``GameExists``, ``NoSuchPack`` or
        ``Repeated``.
        """

    def append(
        self,
        game_id: str,
        expected_seq: int,
        entries: Sequence[Entry],
        *,
        requests: Sequence[Request] = (),
    ) -> Awaitable[int]:
        """Add entries after ``expected_seq``; returns the log's last number.

        Without entries there must be a request: one that changed nothing is answered again, too.

        They are queued in the order of the calls, before the result is awaited.

        Raises ``Conflict`` when the log ends elsewhere, ``Repeated`` or ``NoSuchGame``.
        """

    def append_soon(
        self,
        game_id: str,
        expected_seq: int,
        entries: Sequence[Entry],
        requests: Sequence[Request],
        done: Callable[[int | StoreError], None],
    ) -> None:
        """``append`` for those who need no task to wait: most choices of all games.

        ``done`` is called once, in the event loop and never before this returns, with what
        ``append`` would return or raise.
        """

    def flush(self) -> None:
        """Begin to commit what was appended: nothing more comes together with it.

        What is not asked for is done all the same, a moment later. Whoever asks may be told, while
        this is done, of what would not survive the loss of power yet: ``kept`` has to follow in the
        same turn of the event loop, before anything that follows from it leaves.
        """

    def kept(self) -> None:
        """Return when all that was told would survive the loss of power."""

    async def read(self, game_id: str, after_seq: int = 0, limit: int = 1000) -> list[Logged]:
        """The entries after a number, in order, at most ``limit``; none for an unknown game."""

    async def get_game(self, game_id: str) -> Header | None:
        """One game without its log."""

    async def get_secret(self, game_id: str) -> Secret | None:
        """Seed and salt; nothing else ever returns them."""

    async def list_games(self, query: Query, *, limit: int = 100, token: str = "") -> Page:
        """Games, newest first. Raises ``BadPageToken``."""

    def unfinished(self) -> AsyncIterator[Header]:
        """Every game that has not ended, newest first: where a server goes on after a start."""

    async def removals(self) -> int:
        """A number that changes whenever somebody removes games: ended ones may be gone then."""

    async def find_request(
        self, caller: bytes, request_id: str, game_id: str = ""
    ) -> Answer | None:
        """The first answer to a request of a game; without game: to a request to create one."""

    async def put_pack(self, content_hash: str, data: bytes) -> None:
        """Keep a content pack; one that is kept already stays as it is."""

    async def get_pack(self, content_hash: str) -> bytes | None:
        """A content pack by its hash."""

    async def list_packs(self) -> list[str]:
        """The hashes of all content packs, sorted."""

    async def serving(self, since_ms: int, until_ms: int) -> None:
        """Note that the server that began at one moment is still there at another."""

    async def uptimes(self) -> list[tuple[int, int]]:
        """When there was a server, as far as it is known: from and until, in order."""

    async def close(self) -> None:
        """Finish what was begun and let go of the file or the connections."""
