"""Who is there: the clients with a call under way, and when each was last heard of.

A client that plays by unary calls has no stream whose end could be seen, so its calls count: one
that waits (a long poll) for as long as it waits, any other at its moment. Each game has a presence
for the calls about it, and the engine one for those that ask about all seats of a client.
"""

from __future__ import annotations

from typing import Final

_NEVER: Final = -(1 << 62)


class Presence:
    """Clients by the hash of their secret: what one did never counts for who comes after it."""

    __slots__ = ("_calls", "_heard_ms", "_waited")

    def __init__(self) -> None:
        self._calls: dict[bytes, int] = {}
        self._heard_ms: dict[bytes, int] = {}
        self._waited: dict[bytes, list[int]] = {}  # bots: streams, and milliseconds waited for

    def hear(self, client: bytes, now_ms: int) -> None:
        """The client came, or was there until now."""
        self._heard_ms[client] = now_ms

    def forget(self, client: bytes) -> None:
        """Nobody will ask any more."""
        self._heard_ms.pop(client, None)

    def enter(self, client: bytes) -> None:
        """A call begins that may take a while; `leave` ends it."""
        self._calls[client] = self._calls.get(client, 0) + 1

    def leave(self, client: bytes) -> None:
        left = self._calls[client] - 1
        if left:
            self._calls[client] = left
        else:
            del self._calls[client]

    def calls(self, client: bytes) -> bool:
        """Whether the client has a call under way."""
        return client in self._calls

    def heard_ms(self, client: bytes) -> int:
        """When the client was last heard of; far below zero: never."""
        return self._heard_ms.get(client, _NEVER)

    def follow(self, client: bytes) -> None:
        """Count how long games wait for this client's choices; `unfollow` ends it."""
        self._waited.setdefault(client, [0, 0])[0] += 1

    def unfollow(self, client: bytes) -> None:
        known = self._waited[client]
        known[0] -= 1
        if not known[0]:
            del self._waited[client]

    def waited(self, client: bytes, milliseconds: int) -> None:
        """A game has waited so long for a choice of the client."""
        known = self._waited.get(client)
        if known is not None:
            known[1] += milliseconds

    def waited_ms(self, client: bytes) -> int:
        """How long games have waited for choices of the client, since it is followed."""
        known = self._waited.get(client)
        return known[1] if known is not None else 0
