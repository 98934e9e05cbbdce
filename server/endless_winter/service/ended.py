"""Ended games that stay in memory for a while, for those who look once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.service.session import Session
    from endless_winter.store import Store

KEPT = 256


class EndedGames:
    """The newest of them, and those that are being watched; the store has all."""

    def __init__(self, store: Store, forget: Callable[[Session], None]) -> None:
        self._store = store
        self._forget = forget
        self._games: dict[str, Session] = {}  # oldest first
        self._removals: int | None = None  # of games from the store, when we looked last

    def __contains__(self, game_id: str) -> bool:
        return game_id in self._games

    def note(self, session: Session) -> None:
        """A game has ended, or was loaded after its end."""
        self._games[session.table.game_id] = session
        for game_id, old in list(self._games.items())[: max(len(self._games) - KEPT, 0)]:
            if not _watched(old):
                del self._games[game_id]
                old.close()
                self._forget(old)

    async def forget_removed(self) -> None:
        """Forget games that somebody has removed from the store; only ended ones can be."""
        removals = await self._store.removals()
        if removals == self._removals:
            return
        for game_id, session in list(self._games.items()):
            if await self._store.get_game(game_id) is None:
                if self._games.get(game_id) is not session:
                    continue  # somebody else has looked meanwhile
                del self._games[game_id]
                if not _watched(session):  # else it goes on to its end for those who watch it
                    session.close()
                self._forget(session)
        self._removals = removals


def _watched(session: Session) -> bool:
    return bool(session.feeds or (session.late is not None and session.late.feeds))
