"""The unfinished games of each creator, and of each network address.

A new secret makes a new creator, so the creators of one address together have a limit as well, as
with the other limits (service/limits.py). The log knows who created a game but not from where:
after a restart the count of an address begins anew, that of a creator does not.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from endless_winter.engine.refusal import Refusal
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from endless_winter.engine.caller import Caller
    from endless_winter.engine.settings import Settings

UNIX: Final = "unix"  # the address of all who come by a Unix socket: it has no limit
_GAME_MS: Final = 60_000  # until another game may have ended; most take minutes
Keys = tuple[bytes | str, ...]  # what a game counts under: its creator, and the address


class Creators:
    """Who has how many games. Operators have no limit, and count for no address."""

    def __init__(self, settings: Settings) -> None:
        self._most = settings.games_per_creator
        self._many = settings.clients_per_peer
        self._games: dict[str, Keys] = {}
        self._count: Counter[bytes | str] = Counter()

    def __len__(self) -> int:
        return len(self._count)

    def enter(self, game_id: str, caller: Caller) -> bool:
        """Count a game before it is created: others may be created at the same time.

        False: a game of that id is counted already, and stays so.
        """
        if game_id in self._games:
            return False
        keys: Keys = (caller.client,)
        if not caller.operator:
            self._check(caller)
            keys = (caller.client, caller.peer) if caller.peer not in ("", UNIX) else keys
        self._add(game_id, keys)
        return True

    def found(self, game_id: str, creator: bytes) -> None:
        """A game of before the start."""
        if game_id not in self._games:
            self._add(game_id, (creator,))

    def leave(self, game_id: str) -> None:
        """A game has ended, or was not created after all."""
        for key in self._games.pop(game_id, ()):
            self._count[key] -= 1
            if not self._count[key]:
                del self._count[key]

    def full(self) -> Refusal:
        """What a creator hears whose games the store has counted."""
        return _full(f"a creator has at most {self._most} unfinished games")

    def _check(self, caller: Caller) -> None:
        most = self._most
        if self._count[caller.client] >= most:
            raise self.full()
        most *= self._many
        if most and caller.peer not in ("", UNIX) and self._count[caller.peer] >= most:
            raise _full(f"all creators of one network address have at most {most} unfinished games")

    def _add(self, game_id: str, keys: Keys) -> None:
        self._games[game_id] = keys
        self._count.update(keys)


def _full(message: str) -> Refusal:
    return Refusal(reasons.REJECTION_REASON_LIMIT_REACHED, message, retry_after_ms=_GAME_MS)
