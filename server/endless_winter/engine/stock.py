"""Unfinished games that only the store knows yet.

A start takes stock of them by their headers alone. Who holds a seat, and whether a clock may be
running, stand there; the position comes from the log, when somebody asks for the game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.store.records import Status
from endless_winter.v1 import config_pb2

if TYPE_CHECKING:
    from endless_winter.engine.settings import Settings
    from endless_winter.store.records import Header


class Stock:
    """Games that are not in memory, by who holds a seat of them."""

    def __init__(self) -> None:
        self._holders: dict[str, frozenset[bytes]] = {}
        self._games: dict[bytes, set[str]] = {}
        self._statuses: dict[str, Status] = {}

    def __len__(self) -> int:
        return len(self._holders)

    def add(self, header: Header) -> None:
        holders = frozenset(holder for holder in header.holders.values() if holder)
        self._holders[header.game_id] = holders
        self._statuses[header.game_id] = header.status
        for holder in holders:
            self._games.setdefault(holder, set()).add(header.game_id)

    def take(self, game_id: str) -> None:
        """The game is in memory now, or cannot be."""
        self._statuses.pop(game_id, None)
        for holder in self._holders.pop(game_id, ()):
            games = self._games[holder]
            games.discard(game_id)
            if not games:
                del self._games[holder]

    def statuses(self) -> list[Status]:
        """The status of each; nothing changes it while a game is here. Other threads may ask."""
        return list(self._statuses.values())

    def is_open(self, game_id: str) -> bool:
        """Whether a game is here that has not started."""
        return self._statuses.get(game_id) in (Status.OPEN, Status.STARTING)

    def of(self, holder: bytes) -> tuple[str, ...]:
        """The games in which a client holds a seat."""
        return tuple(self._games.get(holder, ()))


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
