"""Clients: the seats they hold in the games in memory, their polls, and their presence.

Presence: when a client counts as connected. One that plays by unary calls has no stream whose end
could be seen, so its calls count: one that waits (a long poll) for as long as it waits, any other
when it comes. Each game has a presence for the calls about it, and the lobby one for those that ask
about all seats of a client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.engine.clocks import Now
    from endless_winter.engine.game import Game

Key = tuple[str, int]
_NEVER: Final = -(1 << 62)


class Presence:
    """Clients by the hash of their secret: what one did never counts for who comes after it."""

    __slots__ = ("_calls", "_last_seen_ms", "_waited")

    def __init__(self) -> None:
        self._calls: dict[bytes, int] = {}
        self._last_seen_ms: dict[bytes, int] = {}
        self._waited: dict[bytes, list[int]] = {}  # bots: streams, and milliseconds waited for

    def note_seen(self, client: bytes, now_ms: int) -> None:
        """The client came, or was there until now."""
        self._last_seen_ms[client] = now_ms

    def forget(self, client: bytes) -> None:
        """Nobody will ask any more."""
        self._last_seen_ms.pop(client, None)

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

    def last_seen_ms(self, client: bytes) -> int:
        """When the client was last seen; far below zero: never."""
        return self._last_seen_ms.get(client, _NEVER)

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


class Lobby:
    """Clients are known by the hash of their secret."""

    def __init__(self) -> None:
        self.presence = Presence()
        """Who asks about all its games."""
        self.seats: dict[bytes, dict[Key, Game]] = {}
        self._holders: dict[str, tuple[bytes, ...]] = {}
        # Polls of clients, each with whether it was woken; they wait to owe something.
        self._polls: dict[bytes, dict[object, Callable[[], None]]] = {}

    def note(self, game: Game) -> None:
        """Seats of a game may have changed hands."""
        game_id = game.game_id
        holders = tuple([seat.holder for seat in game.table.seats])
        before = self._holders.get(game_id, ())
        if holders == before:
            return
        self._holders[game_id] = holders
        for seat, client in enumerate(holders):
            if client:
                self.seats.setdefault(client, {})[(game_id, seat)] = game
        for seat, client in enumerate(before):
            if client and client != holders[seat]:
                self._let_go(client, game_id, seat)

    def forget(self, game_id: str) -> None:
        """The game is no longer in memory."""
        for seat, client in enumerate(self._holders.pop(game_id, ())):
            if client:
                self._let_go(client, game_id, seat)

    def _let_go(self, client: bytes, game_id: str, seat: int) -> None:
        held = self.seats.get(client, {})
        held.pop((game_id, seat), None)
        if not held:
            self.seats.pop(client, None)
            self.presence.forget(client)

    def asked_ms(self, client: bytes, now: Now) -> int:
        """How long games have waited for choices of a bot, since it is attached, added up."""
        held = self.seats.get(client, {}).items()
        pending = sum(game.pending_ms(seat, now) for (_, seat), game in held)
        return self.presence.waited_ms(client) + pending

    # --- polls: "what do I owe?" ---

    def wait(self, client: bytes, poll: object, wake: Callable[[], None]) -> None:
        """Have `wake` called when the client owes something; `done` ends it."""
        self._polls.setdefault(client, {})[poll] = wake

    def done(self, client: bytes, poll: object) -> None:
        polls = self._polls.get(client, {})
        polls.pop(poll, None)
        if not polls:
            self._polls.pop(client, None)

    def owes_nothing(self, client: bytes) -> bool:
        """Whether that is known without looking: a poll of the client looked, and still waits."""
        return bool(self._polls.get(client))

    def waits(self, client: bytes) -> bool:
        """Whether a poll of the client waits."""
        return client in self._polls

    def waiting(self) -> list[bytes]:
        """The clients of which a poll waits."""
        return list(self._polls)

    def wake_owing(self, game: Game) -> None:
        """Something has happened in a game: wake the polls of those it waits for."""
        if not self._polls:
            return
        for number, seat in enumerate(game.table.seats):
            if seat.holder in self._polls and game.owes(number):
                self._wake(seat.holder)

    def wake_all(self) -> None:
        for client in tuple(self._polls):
            self._wake(client)

    def _wake(self, client: bytes) -> None:
        # A poll that was woken looks for itself, and waits again if it must.
        for wake in self._polls.pop(client, {}).values():
            wake()
