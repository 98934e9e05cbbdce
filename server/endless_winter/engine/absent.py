"""Unfinished games that are not in memory, and why some of them cannot be.

A start takes stock of them by their headers alone. Who holds a seat, and whether a clock may be
running, stand there; the position comes from the log, when somebody asks for the game.

A suspended game is one that this server can show but not continue: it has another rules version, a
content pack that cannot be read any more, or a broken log, which does not give a position, or
another one than it says. What is wrong is logged once, and concerns nobody but those who ask for
that game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from endless_winter.engine.refusal import Refusal
from endless_winter.store.records import Header, Status
from endless_winter.v1 import config_pb2
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from endless_winter.engine.settings import Settings

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
        self.broken = why == BROKEN


class _Game(NamedTuple):
    status: Status
    holders: tuple[bytes, ...]
    why: str
    header: Header | None
    """Of a suspended one."""


class Absent:
    """Unfinished games, by who holds a seat of them; and ended ones that do not fold."""

    def __init__(self) -> None:
        self._games: dict[str, _Game] = {}
        self._held: dict[bytes, dict[str, None]] = {}
        self._ended: dict[str, tuple[str, Header]] = {}

    def add(self, header: Header, why: str = "") -> None:
        """With `why` it is suspended: it is not loaded again, nor logged again."""
        game_id = header.game_id
        self.remove(game_id)
        if header.status == Status.ENDED:
            self._note_ended(header, why)
            return
        holders = tuple(dict.fromkeys(holder for holder in header.holders.values() if holder))
        status = Status.SUSPENDED if why else header.status
        self._games[game_id] = _Game(status, holders, why, header if why else None)
        for holder in holders:
            self._held.setdefault(holder, {})[game_id] = None

    def remove(self, game_id: str) -> None:
        """The game is in memory now, or a suspended one has ended."""
        self._ended.pop(game_id, None)
        known = self._games.pop(game_id, None)
        if known is None:
            return
        for holder in known.holders:
            games = self._held[holder]
            games.pop(game_id, None)
            if not games:
                del self._held[holder]
        if known.header is not None:
            self._note_ended(known.header, known.why)

    def _note_ended(self, header: Header, why: str) -> None:
        if len(self._ended) >= _MOST_ENDED:
            del self._ended[next(iter(self._ended))]
        self._ended[header.game_id] = (why, header)

    def why(self, game_id: str) -> str:
        """Why a game is suspended; empty: nothing is known against it."""
        known = self._games.get(game_id)
        if known is not None:
            return known.why
        return self._ended[game_id][0] if game_id in self._ended else ""

    def header(self, game_id: str) -> Header | None:
        """What was known of a game when it was suspended."""
        known = self._games.get(game_id)
        if known is not None:
            return known.header
        return self._ended[game_id][1] if game_id in self._ended else None

    def statuses(self) -> list[Status]:
        """The status of each; nothing changes it while a game is here. Other threads may ask."""
        return [known.status for known in list(self._games.values())]

    def is_open(self, game_id: str) -> bool:
        """Whether a game is here that has not started, and may."""
        known = self._games.get(game_id)
        return known is not None and known.status in (Status.OPEN, Status.STARTING)

    def loadable(self, holder: bytes) -> list[str]:
        """The games in which a client holds a seat, without those that are suspended."""
        return [game_id for game_id in self._held.get(holder, ()) if not self.why(game_id)]

    def suspended(self, holder: bytes) -> list[Header]:
        """The suspended games in which a client holds a seat."""
        found = [self.header(game_id) for game_id in self._held.get(holder, ())]
        return [header for header in found if header is not None]

    def unlisted(self) -> frozenset[str]:
        """Those that a store cannot know to be suspended: their rules are this server's."""
        return frozenset(
            game_id for game_id, known in self._games.items() if known.why not in ("", OTHER_RULES)
        )


def bot_seats(header: Header, config: config_pb2.GameConfig) -> dict[int, bytes]:
    """The seats for bots, and who holds each; empty bytes: it waits for one."""
    return {
        number: header.holders.get(number, b"")
        for number, seat in enumerate(config.seats)
        if seat.kind == config_pb2.SEAT_KIND_BOT
    }


def goes_on_alone(header: Header, config: config_pb2.GameConfig, settings: Settings) -> bool:
    """Whether something happens in the game although nobody asks for it."""
    control = config.time_control
    if header.status == Status.RUNNING:
        return (
            control.HasField("bank_ms")
            or control.HasField("decision_limit_ms")
            or control.HasField("turn_limit_ms")
            or control.HasField("disconnect_limit_ms")
        )
    if not all(bot_seats(header, config).values()):
        return True
    limited = control.HasField("ready_limit_ms") or settings.ready_limit_ms is not None
    return header.status == Status.STARTING and limited
