"""Games that this server shows but cannot continue, and why.

There are three kinds: games of another rules version, games whose content pack cannot be read
any more, and broken ones, whose log does not give a position, or another one than it says. What
is wrong with one game is said once, and concerns nobody but those who ask for that game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from endless_winter.engine.refusal import Refusal
from endless_winter.engine.stock import Stock
from endless_winter.store.records import Status
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.store.records import Header

OTHER_RULES = "the game needs another version of the rules than this server runs"
OTHER_CONTENT = "the game needs a content pack that this version of the server cannot read"
BROKEN = (
    "the log of this game does not add up here: it can be shown, not continued; an operator can "
    "end it"
)
_MOST_ENDED = 1000  # ended games that are known not to fold; a game more is folded in vain again


class Suspended(Refusal):
    """The game can be shown, not continued."""

    def __init__(self, why: str) -> None:
        super().__init__(reasons.REJECTION_REASON_VERSION_UNAVAILABLE, why)
        self.why = why

    @property
    def broken(self) -> bool:
        return self.why == BROKEN


class _Known(NamedTuple):
    header: Header
    why: str


class Suspensions:
    """Unfinished games that are suspended, by who holds a seat; and ended ones that do not fold."""

    def __init__(self) -> None:
        self._games: dict[str, _Known] = {}
        self._held = Stock()
        self._ended: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._games)

    def add(self, header: Header, why: str) -> Suspended:
        """Remember why a game is not continued: it is not tried again, nor told again."""
        if header.status == Status.ENDED:
            self._note_ended(header.game_id, why)
        else:
            self._games[header.game_id] = _Known(header, why)
            self._held.add(header)
        return Suspended(why)

    def why(self, game_id: str) -> str:
        """Why a game is not continued; empty: nothing is known against it."""
        known = self._games.get(game_id)
        return known.why if known is not None else self._ended.get(game_id, "")

    def header(self, game_id: str) -> Header | None:
        """What was known of an unfinished game when it was suspended."""
        known = self._games.get(game_id)
        return None if known is None else known.header

    def remove(self, game_id: str) -> None:
        """The game has ended."""
        known = self._games.pop(game_id, None)
        if known is not None:
            self._held.take(game_id)
            self._note_ended(game_id, known.why)

    def _note_ended(self, game_id: str, why: str) -> None:
        if len(self._ended) >= _MOST_ENDED:
            del self._ended[next(iter(self._ended))]
        self._ended[game_id] = why

    def forget(self, game_id: str) -> None:
        """There is a new game of that id: the old one was removed from the store."""
        self._ended.pop(game_id, None)

    def held_by(self, holder: bytes) -> Iterator[Header]:
        """The unfinished ones in which a client holds a seat."""
        return (self._games[game_id].header for game_id in self._held.of(holder))

    def unlisted(self) -> frozenset[str]:
        """Those that a store cannot know to be suspended: their rules are this server's."""
        return frozenset(
            game_id for game_id, known in self._games.items() if known.why != OTHER_RULES
        )
