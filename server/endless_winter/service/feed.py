"""A viewer's feed of one game.

A feed keeps no queue. It knows which entry it has told last, and says everything newer at once
when its reader is ready: from memory if the session still has it, else as a snapshot. So a slow
reader costs no memory, and a thousand changes cost it one message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.service.outcome import statistics_of
from endless_winter.service.table import ENDED, RUNNING, STARTING
from endless_winter.v1 import clock_pb2, update_pb2, view_pb2
from endless_winter.views import private_bytes, prompt_bytes, update_bytes, wire

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.service.delay import Late
    from endless_winter.service.refusal import Refusal
    from endless_winter.service.session import Session
    from endless_winter.v1 import play_service_pb2

_NOW: Final = clock_pb2.ClockReading.SERVER_TIME_UNIX_MS_FIELD_NUMBER
_DEADLINE: Final = clock_pb2.ClockReading.DEADLINE_UNIX_MS_FIELD_NUMBER
_CLOCKS: Final = clock_pb2.ClockReading.SEATS_FIELD_NUMBER
_SEAT: Final = clock_pb2.SeatClock.SEAT_FIELD_NUMBER
_BANK: Final = clock_pb2.SeatClock.BANK_MS_FIELD_NUMBER
_RUNNING: Final = clock_pb2.SeatClock.RUNNING_FIELD_NUMBER
_TIMEOUTS: Final = clock_pb2.SeatClock.TIMEOUTS_FIELD_NUMBER


class Feed:
    """What one viewer has been told of a game."""

    __slots__ = (
        "_ended",
        "_fresh",
        "_mode",
        "_only_when_asked",
        "_polled",
        "_prompted",
        "_skip_events",
        "_skip_labels",
        "_skip_moves",
        "_woken",
        "address",
        "cut",
        "key",
        "seat",
        "seq",
        "session",
        "snapshot",
        "under_way",
    )

    def __init__(
        self,
        session: Session | Late,
        seat: int | None,
        options: play_service_pb2.FeedOptions,
        after_seq: int | None,
        woken: Callable[[Feed], None],
        *,
        address: bytes = b"",
        polled: bool = False,
    ) -> None:
        """`address` is the game and the seat as the reader wants to see them.

        With `polled` it makes one update, for somebody who has had others before.
        """
        self.session = session
        self.seat = seat
        self.key = (session.table.game_id, seat)
        self.address = address
        self._mode = options.view_mode
        self._skip_events = options.skip_events
        self._skip_labels = options.skip_labels
        self._skip_moves = options.skip_moves
        self._only_when_asked = options.only_when_asked
        self._woken = woken
        self._polled = polled
        self.cut: Refusal | None = None  # set when the seat went to somebody else
        self.under_way = 0  # answers that were given through it and are not in the log yet
        self._prompted = 0
        self._ended = False
        self.seq = after_seq or 0
        self.snapshot = after_seq is None or not self._covered(after_seq)
        self._fresh = True

    def wake(self) -> None:
        """Something has happened; whoever wants to hear of questions alone may sleep on."""
        if self._wants_more():
            self._woken(self)

    def _wants_more(self) -> bool:
        return (
            not self._only_when_asked
            or self._fresh
            or self.cut is not None
            or self.session.table.status == ENDED
            or self.owes()
        )

    def _covered(self, after_seq: int) -> bool:
        """Whether everything after an entry can be told from memory."""
        newest = self.session.table.seq
        if after_seq > newest:
            return False
        ring = self.session.ring
        return after_seq == newest or (bool(ring) and ring[0].seq <= after_seq + 1)

    @property
    def done(self) -> bool:
        """Whether the last update, the one with the result, has been told, or none may follow."""
        return self._ended or self.cut is not None

    def owes(self) -> bool:
        """Whether the game waits for this viewer."""
        return self.seat is not None and self.session.owes(self.seat)

    def update(self) -> bytes | None:
        """The serialized Update with all that is new; None: nothing is."""
        session = self.session
        table = session.table
        asked = table.deciding_seat == self.seat and self._prompted != table.decision_id
        if self.done or not (self._fresh or self.snapshot or table.seq > self.seq or asked):
            return None
        ended = table.status == ENDED
        if not self._wants_more():
            return None
        if not self._covered(self.seq):
            self.snapshot = True
        news = b"" if self.snapshot or self._skip_events else self._news()
        public, private = self._views(asked=asked, ended=ended)
        prompt = clock = ready_check = result = reveal = game = statistics = None
        if table.status == RUNNING:
            deadline = session.deadline_ms()
            clock = self._clock(deadline)
            if table.deciding_seat == self.seat:
                prompt = self._prompt(deadline)
                self._prompted = table.decision_id
        if table.status == STARTING and self.owes():
            ready_check = update_pb2.ReadyCheck(
                deadline_unix_ms=session.deadline_ms()
            ).SerializeToString()
        if ended and table.result is not None:
            result = table.result.SerializeToString()
            statistics = statistics_of(table).SerializeToString()
            seal = session.reveal_of(table)
            reveal = seal.SerializeToString() if seal is not None else None
            self._ended = True
        if self.snapshot:
            game = session.info().SerializeToString()
        body = update_bytes(
            seq=table.seq,
            status=table.status,
            snapshot=self.snapshot,
            news=news,
            public_view=public,
            private_view=private,
            prompt=prompt,
            clock=clock,
            ready_check=ready_check,
            result=result,
            seed_reveal=reveal,
            game=game,
            statistics=statistics,
        )
        self.seq = table.seq
        self.snapshot = False
        self._fresh = False
        return body

    def _news(self) -> bytes:
        """What was told since the last update, oldest first: the newest few of many."""
        found = []
        for news in reversed(self.session.ring):
            if news.seq <= self.seq:
                break
            found.append(news.fields(self.seat))
        found.reverse()
        return b"".join(found)

    def _views(self, *, asked: bool, ended: bool) -> tuple[bytes | None, bytes | None]:
        """The public and the private view, when the viewer's mode asks for them."""
        mode = self._mode
        table = self.session.table
        if mode == view_pb2.VIEW_MODE_NEVER or table.game is None:
            return None, None
        always = mode == view_pb2.VIEW_MODE_ALWAYS or self.seat is None
        start = self.snapshot or (self._fresh and not self._polled)
        if not (always or asked or ended or start):
            return None, None
        private = None
        if self.seat is not None:
            words = self.session.scribe.words
            private = private_bytes(words, table.game.position, self.seat)
        return self.session.public_bytes(), private

    def _prompt(self, deadline_ms: int | None) -> bytes:
        session = self.session
        table = session.table
        assert self.seat is not None
        assert table.game is not None
        decision = session.scribe.decision_bytes(
            table.game,
            table.decision_id,
            can_undo=table.can_undo(self.seat),
            skip_labels=self._skip_labels,
            skip_moves=self._skip_moves,
        )
        timing = session.last_timing(self.seat)
        return prompt_bytes(
            decision,
            deadline_unix_ms=deadline_ms,
            bank_ms=session.bank_ms(self.seat),
            last_answer=timing.body() if timing is not None else None,
            wrong_answers_left=session.wrong_answers_left(self.seat),
            sent_unix_ms=session.unix_ms(),
        )

    def _clock(self, deadline_ms: int | None) -> bytes | None:
        """The clocks; absent in games without."""
        table = self.session.table
        if deadline_ms is None and all(seat.bank_ms is None for seat in table.seats):
            return None
        seats = [
            wire.message(
                _CLOCKS,
                wire.present(_SEAT, number)
                + wire.present(_BANK, self.session.bank_ms(number))
                + wire.uint(_RUNNING, number == table.deciding_seat)
                + wire.uint(_TIMEOUTS, seat.timeouts),
            )
            for number, seat in enumerate(table.seats)
        ]
        now = wire.uint(_NOW, self.session.unix_ms())
        return now + wire.present(_DEADLINE, deadline_ms) + b"".join(seats)
