"""Who is there: the clients with a call under way, and when each was last heard of.

A client that plays by plain calls has no stream whose end could be seen, so its calls count: one
that waits (a long poll) for as long as it waits, any other at its moment. Each game has a presence
for the calls about it, and the server one for those that ask about all seats of a client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from endless_winter.service.timekeeper import Timekeeper


class Presence:
    """Clients by the hash of their secret: what one did never counts for who comes after it."""

    __slots__ = ("_calls", "_followed", "_heard_ms", "_time")

    def __init__(self, time: Timekeeper) -> None:
        self._time = time
        self._calls: dict[bytes, int] = {}
        self._heard_ms: dict[bytes, int] = {}
        self._followed: dict[bytes, list[int]] = {}  # streams as a bot, milliseconds waited for

    def __len__(self) -> int:
        return len(self._heard_ms)

    def hear(self, holder: bytes) -> None:
        """The client came, or was there until now."""
        self._heard_ms[holder] = self._time.running_ms()

    def forget(self, holder: bytes) -> None:
        """Nobody will ask any more."""
        self._heard_ms.pop(holder, None)

    def enter(self, holder: bytes) -> None:
        """A call begins that may take a while; `leave` ends it."""
        self._calls[holder] = self._calls.get(holder, 0) + 1

    def leave(self, holder: bytes) -> None:
        left = self._calls[holder] - 1
        if left:
            self._calls[holder] = left
        else:
            del self._calls[holder]

    def calls(self, holder: bytes) -> bool:
        """Whether the client has a call under way."""
        return holder in self._calls

    def heard_ms(self, holder: bytes) -> int:
        """When the client was last heard of; far below zero: never."""
        return self._heard_ms.get(holder, -(1 << 62))

    def follow(self, holder: bytes) -> None:
        """Count how long games wait for this client's choices; `unfollow` ends it."""
        self._followed.setdefault(holder, [0, 0])[0] += 1

    def unfollow(self, holder: bytes) -> None:
        known = self._followed[holder]
        known[0] -= 1
        if not known[0]:
            del self._followed[holder]

    def waited(self, holder: bytes, milliseconds: int) -> None:
        """A game has waited so long for a choice of the client."""
        known = self._followed.get(holder)
        if known is not None:
            known[1] += milliseconds

    def waited_ms(self, holder: bytes) -> int:
        """How long games have waited for choices of the client, since it is followed."""
        known = self._followed.get(holder)
        return known[1] if known is not None else 0
