"""What spectators of a game with a delay see: the game as it was that long ago.

A `DelayedView` stands in the place of a game for a spectator's subscription. It keeps what has
happened within the delay, and nothing more; games without a delay have none.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.engine.events import EntryEvents  # noqa: TC001 # compiled, `Frame` needs the class
from endless_winter.engine.subscription import wake
from endless_winter.engine.table import Table  # noqa: TC001 # compiled, `Frame` needs the class
from endless_winter.views import PublicEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from endless_winter.engine.clocks import Now
    from endless_winter.engine.game import Game
    from endless_winter.engine.subscription import Subscription
    from endless_winter.v1 import game_pb2


class Frame(NamedTuple):
    """A table after something happened; tables are never changed once they are the game's."""

    at_ms: int
    table: Table
    events: tuple[EntryEvents, ...]
    deadline_ms: int | None = None


class DelayedView:
    """A game as it was, for spectators only."""

    def __init__(self, game: Game, delay_ms: int) -> None:
        self.table = game.table
        self.ring: deque[EntryEvents] = deque(maxlen=game.ring.maxlen)
        self.subscriptions: dict[Subscription, None] = {}
        self.polls: dict[object, tuple[Callable[[], bool], Callable[[], None]]] = {}
        self.delay_ms = delay_ms
        self.armed = False  # a timer is set for what comes next
        self._game = game
        self._waiting: deque[Frame] = deque()
        self._deadline_ms: int | None = None
        self._public = PublicEncoder(game.scribe.words)

    # --- what happened ---

    def push(self, frame: Frame) -> None:
        """Something has happened, and will be seen when its time comes."""
        if frame.table.seq == 1:  # that there is a game, all may know at once
            self.table = frame.table
            self.ring.extend(frame.events)
            return
        self._waiting.append(frame)

    def restore(self, table: Table, events: Iterable[EntryEvents], frames: Iterable[Frame]) -> None:
        """After a load: what is seen already, and what is not yet."""
        self.table = table
        self.ring.extend(events)
        self._waiting.extend(frames)

    def due_ms(self, now: Now) -> int | None:
        """When there is more to see, on the running clock; None: nothing is waiting."""
        if not self._waiting:
            return None
        return now.ms + max(self._waiting[0].at_ms + self.delay_ms - now.unix_ms, 0)

    def advance(self, now: Now) -> None:
        """Show what is old enough by now."""
        self.armed = False
        seen_ms = now.unix_ms - self.delay_ms
        moved = False
        while self._waiting and self._waiting[0].at_ms <= seen_ms:
            frame = self._waiting.popleft()
            self.table = frame.table
            self.ring.extend(frame.events)
            self._deadline_ms = frame.deadline_ms
            moved = True
        if moved:
            wake(self)

    # --- in the place of a game ---

    def deadline_ms(self, now: Now) -> int | None:
        del now
        return self._deadline_ms

    def banks_ms(self, now: Now) -> list[int | None]:
        del now
        return [seat.bank_ms for seat in self.table.seats]

    def public_bytes(self) -> bytes:
        game = self.table.game
        assert game is not None
        return self._public.encode(game.position, self.table.forfeited)

    def info(self, now: Now) -> game_pb2.GameInfo:
        return self._game.info(now, self.table)
