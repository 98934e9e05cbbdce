"""Which seats each client holds in the games in memory, and who waits until it owes something."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.engine.presence import Presence

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.engine.clocks import Now
    from endless_winter.engine.game import Game

Key = tuple[str, int]


class Lobby:
    """Clients are known by the hash of their secret."""

    def __init__(self) -> None:
        self.presence = Presence()
        """Who asks about all its games."""
        self.seats: dict[bytes, dict[Key, Game]] = {}
        self._holders: dict[str, tuple[bytes, ...]] = {}
        # Polls of clients, each with whether it was woken; they wait to owe something.
        self._polls: dict[bytes, dict[object, Callable[[], None]]] = {}

    def note(self, game: Game) -> bool:
        """Seats of a game may have changed hands; whether they have."""
        game_id = game.game_id
        holders = tuple([seat.holder for seat in game.table.seats])
        before = self._holders.get(game_id, ())
        if holders == before:
            return False
        self._holders[game_id] = holders
        for seat, client in enumerate(holders):
            if client:
                self.seats.setdefault(client, {})[(game_id, seat)] = game
        for seat, client in enumerate(before):
            if client and client != holders[seat]:
                self._let_go(client, game_id, seat)
        return True

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
