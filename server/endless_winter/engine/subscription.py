"""A viewer's subscription to one game.

It has no queue. It knows the last entry that its viewer was sent, and gives everything newer in
one update when the reader is ready: from memory if the game still has it, else as a snapshot. So a
slow reader costs no memory, and a thousand changes cost it one message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.engine import clocks
from endless_winter.engine.info import reveal_of
from endless_winter.engine.outcome import statistics_of
from endless_winter.engine.table import ENDED, RUNNING, STARTING
from endless_winter.v1 import update_pb2, view_pb2
from endless_winter.views import private_bytes, prompt_bytes, update_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.engine.clocks import Now
    from endless_winter.engine.delay import DelayedView
    from endless_winter.engine.game import Game
    from endless_winter.engine.refusal import Refusal
    from endless_winter.v1 import play_service_pb2


def wake(shown: Game | DelayedView) -> None:
    """Something is new: notify the subscriptions, and the polls that wait for this."""
    for over, wake_poll in list(shown.polls.values()):
        if over():
            wake_poll()
    for subscription in shown.subscriptions:
        subscription.wake()


class Subscription:
    """What one viewer has been sent of a game."""

    __slots__ = (
        "_ended",
        "_explain",
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
        "game",
        "key",
        "seat",
        "seq",
        "shown",
        "snapshot",
    )

    def __init__(
        self,
        game: Game,
        seat: int | None,
        options: play_service_pb2.FeedOptions,
        after_seq: int | None,
        woken: Callable[[Subscription], None],
        *,
        address: bytes = b"",
        polled: bool = False,
    ) -> None:
        """`address` is the game and the seat as its reports name them.

        With `polled` it makes one update, for somebody who has had others before.
        """
        self.game = game
        self.seat = seat
        self.shown: Game | DelayedView = game.shown_to(seat)
        self.key = (game.game_id, seat)
        self.address = address
        self._mode = options.view_mode
        self._skip_events = options.skip_events
        self._skip_labels = options.skip_labels
        self._skip_moves = options.skip_moves
        self._only_when_asked = options.only_when_asked
        self._explain = options.explain
        self._woken = woken
        self._polled = polled
        self.cut: Refusal | None = None  # set when the seat went to somebody else
        self._prompted = 0
        self._ended = False
        self.seq = after_seq or 0
        self.snapshot = after_seq is None or not self._covered(after_seq)
        self._fresh = True

    def wake(self) -> None:
        """Something has happened; a viewer that wants questions alone may sleep on."""
        if self._wants_more():
            self._woken(self)

    def _wants_more(self) -> bool:
        return (
            not self._only_when_asked
            or self._fresh
            or self.cut is not None
            or self.shown.table.status == ENDED
            or self.owes()
        )

    def _covered(self, after_seq: int) -> bool:
        """Whether everything after an entry can be sent from memory."""
        newest = self.shown.table.seq
        if after_seq > newest:
            return False
        ring = self.shown.ring
        return after_seq == newest or (bool(ring) and ring[0].seq <= after_seq + 1)

    @property
    def done(self) -> bool:
        """Whether the last update, the one with the result, was sent, or none may follow."""
        return self._ended or self.cut is not None

    def owes(self) -> bool:
        """Whether the game waits for this viewer."""
        return self.seat is not None and self.game.owes(self.seat)

    def update(self, now: Now) -> bytes | None:
        """The serialized Update with all that is new; None: nothing is."""
        shown = self.shown
        table = shown.table
        asked = table.deciding_seat == self.seat and self._prompted != table.decision_id
        if self.done or not (self._fresh or self.snapshot or table.seq > self.seq or asked):
            return None
        ended = table.status == ENDED
        if not self._wants_more():
            return None
        if not self._covered(self.seq):
            self.snapshot = True
        events = b"" if self.snapshot or self._skip_events else self._events()
        public, private = self._views(asked=asked, ended=ended)
        prompt = clock = ready_check = result = reveal = info = statistics = None
        if table.status == RUNNING:
            deadline = shown.deadline_ms(now)
            banks = shown.banks_ms(now)
            clock = clocks.reading(table, now.unix_ms, deadline, banks)
            if table.deciding_seat == self.seat:
                prompt = self._prompt(deadline, banks[table.deciding_seat], now)
                self._prompted = table.decision_id
        if table.status == STARTING and self.owes():
            ready_check = update_pb2.ReadyCheck(
                deadline_unix_ms=shown.deadline_ms(now)
            ).SerializeToString()
        if ended and table.result is not None:
            result = table.result.SerializeToString()
            statistics = statistics_of(table).SerializeToString()
            seal = reveal_of(table, self.game.identity.secret)
            reveal = seal.SerializeToString() if seal is not None else None
            self._ended = True
        if self.snapshot:
            info = shown.info(now).SerializeToString()
        body = update_bytes(
            seq=table.seq,
            status=table.status,
            snapshot=self.snapshot,
            events=events,
            public_view=public,
            private_view=private,
            prompt=prompt,
            clock=clock,
            ready_check=ready_check,
            result=result,
            seed_reveal=reveal,
            game=info,
            statistics=statistics,
        )
        self.seq = table.seq
        self.snapshot = False
        self._fresh = False
        return body

    def _events(self) -> bytes:
        """The events since the last update, oldest first."""
        found = []
        for entry in reversed(self.shown.ring):
            if entry.seq <= self.seq:
                break
            found.append(entry.fields(self.seat))
        found.reverse()
        return b"".join(found)

    def _views(self, *, asked: bool, ended: bool) -> tuple[bytes | None, bytes | None]:
        """The public and the private view, when the viewer's mode asks for them."""
        mode = self._mode
        table = self.shown.table
        if mode == view_pb2.VIEW_MODE_NEVER or table.game is None:
            return None, None
        always = mode == view_pb2.VIEW_MODE_ALWAYS or self.seat is None
        start = self.snapshot or (self._fresh and not self._polled)
        if not (always or asked or ended or start):
            return None, None
        private = None
        if self.seat is not None:
            words = self.game.scribe.words
            private = private_bytes(words, table.game.position, self.seat)
        return self.shown.public_bytes(), private

    def _prompt(self, deadline_ms: int | None, bank_ms: int | None, now: Now) -> bytes:
        game = self.game
        table = game.table
        assert self.seat is not None
        assert table.game is not None
        decision = game.scribe.decision_bytes(
            table.game,
            table.decision_id,
            can_undo=table.can_undo(self.seat),
            skip_labels=self._skip_labels,
            skip_moves=self._skip_moves,
            explain=self._explain,
        )
        timing = game.timings.get(self.seat)
        ended_at, plan_end = game.plan_end
        return prompt_bytes(
            decision,
            deadline_unix_ms=deadline_ms,
            bank_ms=bank_ms,
            last_answer=timing.SerializeToString() if timing is not None else None,
            wrong_answers_left=game.wrong_answers_left(self.seat),
            sent_unix_ms=now.unix_ms,
            plan_end=plan_end if ended_at == table.decision_id else 0,
        )
