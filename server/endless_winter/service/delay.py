"""What spectators of a game with a delay see: the game as it was that long ago.

`Late` stands in the place of a session for a spectator's feed. It keeps what has happened within
the delay, and nothing more; games without a delay have none.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.service import clocks
from endless_winter.service.polls import Polls
from endless_winter.views import PublicEncoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from endless_winter.service.choice import Timing
    from endless_winter.service.feed import Feed
    from endless_winter.service.session import Session
    from endless_winter.service.table import Table
    from endless_winter.service.telling import News
    from endless_winter.service.timekeeper import Timekeeper, Timer
    from endless_winter.v1 import game_pb2, result_pb2


class Frame(NamedTuple):
    """A table after something happened; tables are never changed once they are the game's."""

    at_ms: int
    table: Table
    told: tuple[News, ...]
    deadline_ms: int | None = None


class Late:
    """A session as it was, for spectators only."""

    def __init__(self, session: Session, delay_ms: int, time: Timekeeper) -> None:
        self.table = session.table
        self.scribe = session.scribe
        self.ring: deque[News] = deque(maxlen=session.ring.maxlen)
        self.feeds: set[Feed] = set()
        self._session = session
        self._delay_ms = delay_ms
        self._time = time
        self._waiting: deque[Frame] = deque()
        self._deadline_ms: int | None = None
        self._public = PublicEncoder(session.scribe.words)
        self._timer: Timer | None = None
        self._polls = Polls()

    # --- what happened ---

    def push(self, frame: Frame) -> None:
        """Something has happened, and will be seen when its time comes."""
        self._waiting.append(frame)
        if self._timer is None:
            self._arm()

    def restore(self, table: Table, told: Iterable[News], frames: Iterable[Frame]) -> None:
        """After a restart: what is seen already, and what is not yet."""
        self.table = table
        self.ring.extend(told)
        self._waiting.extend(frames)
        self._arm()

    def _arm(self) -> None:
        if self._waiting and not self.draining:
            left = self._waiting[0].at_ms + self._delay_ms - self._time.unix_ms()
            self._timer = self._time.call_later(max(left, 0), self._advance, 0)

    def _advance(self, _: int) -> None:
        self._timer = None
        seen_ms = self._time.unix_ms() - self._delay_ms
        moved = False
        while self._waiting and self._waiting[0].at_ms <= seen_ms:
            frame = self._waiting.popleft()
            self.table = frame.table
            self.ring.extend(frame.told)
            self._deadline_ms = frame.deadline_ms
            moved = True
        self._arm()
        if moved:
            self.wake()

    def wake(self) -> None:
        self._polls.wake()
        for feed in self.feeds:
            feed.wake()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # --- in the place of a session ---

    @property
    def draining(self) -> bool:
        return self._session.draining

    def attach(self, feed: Feed) -> None:
        self.feeds.add(feed)

    def detach(self, feed: Feed) -> None:
        self.feeds.discard(feed)

    async def news(self, over: Callable[[], bool]) -> None:
        await self._polls.wait(over)

    def owes(self, seat: int) -> bool:
        del seat
        return False

    def unix_ms(self) -> int:
        return self._time.unix_ms()

    def deadline_ms(self) -> int | None:
        return self._deadline_ms

    def bank_ms(self, seat: int) -> int | None:
        return clocks.bank_after_ms(self.table, seat, 0)

    def public_bytes(self) -> bytes:
        game = self.table.game
        assert game is not None
        return self._public.encode(game.position, self.table.forfeited)

    def reveal_of(self, table: Table) -> result_pb2.SeedReveal | None:
        return self._session.reveal_of(table)

    def info(self) -> game_pb2.GameInfo:
        return self._session.info(self.table)

    def last_timing(self, seat: int) -> Timing | None:
        del seat
        return None

    def wrong_answers_left(self, seat: int) -> int:
        del seat
        return 0
