"""One live game: the only place where its log is written, and where its news comes from.

Whoever wants something of a game enters its gate, drafts entries, has them committed, and only
then lets the table change and the news go out. If the commit fails the table is as before.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final

from endless_winter.service import clocks, joining, proposals
from endless_winter.service.asked import Asked
from endless_winter.service.choice import Timing, accepted_bytes, accepted_seq
from endless_winter.service.committing import Committing
from endless_winter.service.delay import Frame, Late
from endless_winter.service.identity import Caller, same
from endless_winter.service.info import game_info
from endless_winter.service.invitations import Invitations
from endless_winter.service.orders import Given, Order
from endless_winter.service.polls import Polls
from endless_winter.service.refusal import Refusal, left, revoked
from endless_winter.service.table import ENDED, MOST_STANDING, RUNNING, STARTING, Table
from endless_winter.v1 import (
    config_pb2,
    decision_pb2,
    event_pb2,
    game_pb2,
    play_service_pb2,
    result_pb2,
)
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import NoMatch, PublicEncoder, Scribe, match

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from google.protobuf.message import Message

    from endless_winter.service.feed import Feed
    from endless_winter.service.presence import Presence
    from endless_winter.service.proposals import Draft
    from endless_winter.service.settings import Settings
    from endless_winter.service.telling import News
    from endless_winter.service.timekeeper import Timekeeper
    from endless_winter.store import Header, Secret, Store, StoreError

_BY_PLAYER: Final = event_pb2.CHOICE_ORIGIN_PLAYER


class Answerer(ABC):
    """Whoever gave an answer that has no task."""

    @abstractmethod
    def landed(self) -> None:
        """Hear that the store has spoken, before anybody else hears anything."""

    @abstractmethod
    def done(self, told: bytes | Exception) -> None:
        """Hear what came of it: the serialized Accepted, or what went wrong."""


class Session(Committing):
    """A game in memory."""

    def __init__(
        self,
        table: Table,
        header: Header,
        secret: Secret,
        scribe: Scribe,
        *,
        store: Store,
        time: Timekeeper,
        settings: Settings,
        everywhere: Presence,
        changed: Callable[[Session], None],
        waiting: Mapping[bytes, object],
        restarted: bool = False,
    ) -> None:
        """`changed` hears of seats that change hands and of the end.

        And of everything while any client is `waiting`; most of the time there is none.
        """
        super().__init__(
            table, time, settings, everywhere, scribe, secret, store, restarted=restarted
        )
        self.header = header
        self._changed = changed
        self._waiting = waiting
        self._most_wrong = (
            table.config.wrong_answers_to_forfeit or settings.wrong_answers_to_forfeit
        )
        self._public = PublicEncoder(scribe.words)
        self._viewed: Table | None = None  # the table whose public view is kept
        self._view = b""
        self._polls: Polls | None = None  # most games never have one
        self._timing: dict[int, Timing] = {}
        # In which turn a seat set its standing answers, and how often; a restart forgets it.
        self._standing: dict[int, tuple[int, int]] = {}
        delay_ms = table.config.spectator_delay_ms
        self.late = Late(self, delay_ms, time) if delay_ms > 0 else None
        self._arm()

    # --- who may do what ---

    def seat_of(self, caller: Caller, seat: int) -> int:
        """The seat, if it exists and the caller holds it."""
        if seat >= len(self.table.seats):
            raise Refusal(reasons.REJECTION_REASON_SEAT_NOT_FOUND, "the game has no such seat")
        known = self.table.seats[seat]
        if not same(known.holder, caller.known()):
            if any([same(holder, caller.holder) for holder in known.revoked]):  # noqa: C419
                raise revoked()
            raise Refusal(
                reasons.REJECTION_REASON_NOT_ALLOWED, "the seat is not bound to this client secret"
            )
        return seat

    def may_see(self, caller: Caller) -> bool:
        """Whether the caller may know of the game at all by asking for its id."""
        if self.table.config.visibility != config_pb2.VISIBILITY_CLOSED or caller.operator:
            return True
        return self.takes_part(caller)

    @property
    def invitations(self) -> Invitations:
        return Invitations(self.header, self._secret)

    def invites(self, invitation: str) -> bool:
        """Whether this is the word for one of the reserved seats."""
        return bool(invitation) and bool(self.invitations.fits(self.table, invitation))

    def takes_part(self, caller: Caller) -> bool:
        if same(self.header.creator, caller.holder):
            return True
        return any([same(seat.holder, caller.holder) for seat in self.table.seats])  # noqa: C419

    def check_spectator(self, caller: Caller) -> None:
        """Closed games have no spectators but operators."""
        if self.table.config.visibility == config_pb2.VISIBILITY_CLOSED and not caller.operator:
            raise Refusal(
                reasons.REJECTION_REASON_SPECTATORS_CLOSED, "the game is closed to spectators"
            )

    def standing_answers(self, seat: int | None) -> list[decision_pb2.StandingAnswer]:
        if seat is None:
            return []
        kinds = sorted(self.table.seats[seat].standing)
        kind_of = decision_pb2.DecisionKind.ValueType
        return [decision_pb2.StandingAnswer(kind=kind_of(kind)) for kind in kinds]

    # --- what can be done ---

    async def take_seat(
        self, seat: int, holder: bytes, display_name: str, *, bot: bool = False
    ) -> None:
        """For whom nobody has to ask which seat it is."""

        def change(draft: Draft) -> bytes:
            joining.take(draft, seat, holder, display_name, bot=bot)
            return accepted_seq(draft.table.seq)

        await self.amend(None, change)

    async def leave(self, caller: Caller, seat: int, asked: Asked | None = None) -> None:
        """Before the start the seat is free again; later it is forfeited."""
        async with self._gate:
            # Who has come back to the seat means it anew, also under an old id.
            again = asked is not None and await self._repeated(asked) is not None
            if again and not self._sits(caller, seat):
                return
            seat = self.seat_of(caller, seat)
            if self.table.status == ENDED:
                raise self._refusal(reasons.REJECTION_REASON_GAME_ENDED, "the game has ended")
            self._check_not_forfeited(seat)
            draft = self._draft()
            if self.table.status == RUNNING:
                proposals.forfeit(draft, seat, result_pb2.END_REASON_ABANDONED)
            else:
                proposals.free_seat(draft, seat)
            accepted = accepted_seq(draft.steps[-1].seq)
            await self._commit(draft, None if again else asked, accepted)

    def _sits(self, caller: Caller, seat: int) -> bool:
        """Whether a seat is the caller's, and means something still."""
        if seat >= len(self.table.seats) or self.table.status == ENDED:
            return False
        known = self.table.seats[seat]
        return same(known.holder, caller.holder) and not known.forfeited

    async def ready(self, seat: int, request_id: str) -> bytes:
        asked = self._asked(seat, request_id, b"ready")
        holder = self.table.seats[seat].holder
        async with self._gate:
            self._check_held(seat, holder)
            if (again := await self._repeated(asked)) is not None:
                return again
            if self.table.seats[seat].ready and proposals.is_open(self.table):
                return await self._remember(asked, accepted_seq(self.table.seq))
            draft = self._draft()
            step = proposals.ready(draft, seat)
            accepted = accepted_seq(step.seq)
            return await self._commit(draft, asked, accepted) or accepted

    async def answer(
        self,
        seat: int,
        request_id: str,
        answer: decision_pb2.Answer,
        received_ms: int,
        queued_ms: int = 0,
    ) -> bytes:
        """A choice; `received_ms` is when it was read, since that is when the clock stops.

        `queued_ms` is how long question and answer waited as calls before. This and the other
        deeds return the serialized Accepted.
        """
        given = Given(answer)
        asked = self._asked(seat, request_id, b"answer", given.wanted() if request_id else None)
        holder = self.table.seats[seat].holder
        async with self._gate:
            self._check_held(seat, holder)
            try:
                option_id = self._check_answer(seat, given)
            except Refusal as refusal:
                # A retry of what was accepted looks like a stale answer.
                if (again := await self._repeated(asked)) is not None:
                    return again
                if refusal.reason == reasons.REJECTION_REASON_ILLEGAL_OPTION:
                    await self._count_wrong(seat, refusal)
                raise
            charged = self._charge(given, received_ms, queued_ms)
            if self._too_late(seat, charged):
                if (again := await self._repeated(asked)) is not None:
                    return again  # refused as REQUEST_ID_REUSED, since the decision is pending
                await self._expire_now(charged.charged_ms)
                raise self._refusal(
                    reasons.REJECTION_REASON_TOO_LATE,
                    "the deadline had passed; the default was taken",
                    seat=seat,
                )
            draft, accepted = self._chosen(seat, option_id, charged, request_id)
            first = await self._commit(draft, asked, accepted)
            if first is None:
                self._timing[seat] = charged
            return first or accepted

    def answer_soon(self, order: Order, received_ms: int, by: Answerer) -> bool:
        """Answer without a task, if nobody else is at it and all is well; whether it was so.

        Then `by` is told what `answer` would return or raise. Whatever is not plain (a retry, a
        wrong or late answer, somebody before us) is left as it is, for `answer`.
        """
        if not self._gate.try_enter():
            return False
        seat, request_id = order.seat, order.request_id
        try:
            option_id = self._check_answer(seat, order.given)
            charged = self._charge(order.given, received_ms)
            if self._too_late(seat, charged):
                self._gate.leave()
                return False
            draft, accepted = self._chosen(seat, option_id, charged, request_id)
            asked = None
            if request_id:
                asked = self._asked(seat, request_id, b"answer", order.given.wanted())
            landed = _Answer(self, seat, draft, asked, accepted, charged, by).landed
            self._append(draft, asked, accepted, landed)
        except Refusal:
            self._gate.leave()
            return False
        except BaseException:
            self._gate.leave()
            raise
        return True

    def answer_landed(
        self,
        outcome: int | StoreError,
        seat: int,
        draft: Draft,
        asked: Asked | None,
        charged: Timing,
    ) -> bytes | None:
        """The store has spoken of an answer that has no task; as `_landed`."""
        try:
            first = self._landed(outcome, draft, asked)
            if first is None:
                self._timing[seat] = charged
            return first
        finally:
            self._gate.leave()

    def _too_late(self, seat: int, charged: Timing) -> bool:
        allowed = None if self._timeless else clocks.allowed_ms(self.table, seat, self._limits)
        return allowed is not None and charged.charged_ms > allowed

    def _chosen(
        self, seat: int, option_id: int, charged: Timing, request_id: str
    ) -> tuple[Draft, bytes]:
        """What follows from a choice that is in order, and the serialized Accepted."""
        draft = self._draft()
        step = proposals.choose(
            draft,
            seat,
            option_id,
            origin=_BY_PLAYER,
            charged=charged,
            request_id=request_id,
        )
        proposals.settle(draft)
        assert step.choice is not None
        return draft, accepted_bytes(step.seq, step.choice)

    async def set_standing(
        self,
        seat: int,
        request_id: str,
        answers: Iterable[decision_pb2.StandingAnswer],
        received_ms: int,
        queued_ms: int = 0,
    ) -> bytes:
        wanted = play_service_pb2.SetStandingAnswers(answers=answers)
        asked = self._asked(seat, request_id, b"standing", wanted)
        holder = self.table.seats[seat].holder
        async with self._gate:
            self._check_held(seat, holder)
            if (again := await self._repeated(asked)) is not None:
                return again
            waited = None
            if self.table.deciding_seat == seat:
                waited = Timing(self._waited_ms(received_ms, queued_ms))
                if self._too_late(seat, waited):  # the timer is about to say so
                    await self._expire_now(waited.charged_ms)
                    waited = None
            if self.table.status == ENDED:
                raise self._refusal(reasons.REJECTION_REASON_GAME_ENDED, "the game has ended")
            self._check_not_forfeited(seat)
            turn = self.table.turns
            times = self._times_standing(seat)
            draft = self._draft()
            step = proposals.set_standing(draft, seat, wanted.answers, waited)
            accepted = accepted_seq(step.seq)
            first = await self._commit(draft, asked, accepted)
            if first is None:
                self._standing[seat] = turn, times + 1
            if first is None and waited is not None:
                for one in draft.steps:  # unless it answers questions of other kinds only
                    if one.choice is not None and one.choice.timing is waited:
                        self._timing[seat] = waited
            return first or accepted

    def _times_standing(self, seat: int) -> int:
        """How often a seat set its standing answers in this turn, if it may do so once more.

        Each is an entry of the log, also of a seat that owes nothing, and also when it sets what
        it has: its request id must be remembered.
        """
        turn, times = self._standing.get(seat, (0, 0))
        if turn != self.table.turns:
            return 0
        if times >= MOST_STANDING:
            raise self._refusal(
                reasons.REJECTION_REASON_LIMIT_REACHED,
                f"standing answers are set at most {MOST_STANDING} times in a turn",
            )
        return times

    async def undo(self, seat: int, request_id: str, decision_id: int) -> bytes:
        wanted = play_service_pb2.Undo(decision_id=decision_id)
        asked = self._asked(seat, request_id, b"undo", wanted)
        holder = self.table.seats[seat].holder
        async with self._gate:
            self._check_held(seat, holder)
            if (again := await self._repeated(asked)) is not None:
                return again
            self._check_decision(seat, decision_id)
            draft = self._draft()
            step = proposals.undo(draft, seat)
            accepted = accepted_seq(step.seq)
            return await self._commit(draft, asked, accepted) or accepted

    async def answered(self, asked: Asked) -> bool:
        """Whether the same was asked before, and done."""
        return await self._repeated(asked) is not None

    async def amend(self, asked: Asked | None, change: Callable[[Draft], bytes | None]) -> bytes:
        """What is no play: `change` drafts it, or refuses, under the lock.

        What it returns is the answer, or enough of it to give it again: who asks for the same once
        more gets that of the first time. Without it there is only the number of its last entry.
        """
        async with self._gate:
            if asked is not None and (again := await self._repeated(asked)) is not None:
                return again
            draft = self._draft()
            before = len(draft.steps)
            answer = change(draft)
            if answer is None:
                answer = accepted_seq(draft.steps[-1].seq)
            if len(draft.steps) == before:
                return await self._remember(asked, answer)
            return await self._commit(draft, asked, answer) or answer

    async def abort(self, outcome: result_pb2.GameOutcome.ValueType) -> None:
        await self.amend(None, lambda draft: proposals.abort(draft, outcome))

    def _asked(
        self, seat: int, request_id: str, kind: bytes, wanted: Message | bytes | None = None
    ) -> Asked:
        """A command of whoever has the seat now; who comes after has request ids of its own."""
        generation = self.table.seats[seat].generation
        whose = generation.to_bytes(4, "big") if generation else b""
        return Asked(seat, request_id, kind, wanted, whose)

    # --- checking ---

    def _check_decision(self, seat: int, decision_id: int) -> None:
        table = self.table
        if table.status == ENDED:
            raise self._refusal(reasons.REJECTION_REASON_GAME_ENDED, "the game has ended")
        if table.status != RUNNING:
            raise self._refusal(
                reasons.REJECTION_REASON_GAME_NOT_STARTED, "the game has not started"
            )
        self._check_not_forfeited(seat)
        if decision_id > table.decision_id:
            raise self._refusal(
                reasons.REJECTION_REASON_UNKNOWN_DECISION,
                "there is no such decision yet",
                seat=seat,
            )
        if decision_id < table.decision_id:
            raise self._refusal(
                reasons.REJECTION_REASON_STALE_DECISION, "that decision is over", seat=seat
            )
        if table.deciding_seat != seat:
            raise self._refusal(
                reasons.REJECTION_REASON_NOT_YOUR_DECISION, "it is another seat's choice"
            )

    def _check_held(self, seat: int, holder: bytes) -> None:
        """The seat may have changed hands while a command waited for its turn."""
        if not holder or self.table.seats[seat].holder != holder:
            raise revoked()

    def _check_not_forfeited(self, seat: int) -> None:
        if self.table.seats[seat].forfeited:
            raise self._refusal(
                reasons.REJECTION_REASON_SEAT_FORFEITED, "the seat is played by defaults"
            )

    def _check_answer(self, seat: int, given: Given) -> int:
        self._check_decision(seat, given.decision_id)
        game = self.table.game
        assert game is not None
        if 0 <= given.option_id < len(game.options()):  # as nearly all are
            return given.option_id
        try:
            return match(given.message, game, self.scribe)
        except NoMatch as error:
            raise self._refusal(
                reasons.REJECTION_REASON_ILLEGAL_OPTION, str(error), seat=seat
            ) from error

    async def _count_wrong(self, seat: int, refusal: Refusal) -> None:
        """Count a wrong answer; after too many the seat is forfeited, before anything else."""
        self.table.seats[seat].wrong_answers += 1
        self.table.seats[seat].wrong_in_all += 1
        refusal.wrong_answers_left = self.wrong_answers_left(seat)
        if refusal.wrong_answers_left:
            return
        draft = self._draft()
        proposals.forfeit(draft, seat, result_pb2.END_REASON_ILLEGAL_FLOOD)
        await self._commit(draft)
        refusal.seq = self.table.seq
        refusal.pending_decision_id = None

    # --- news ---

    def attach(self, feed: Feed) -> None:
        self.feeds.add(feed)
        if feed.seat is not None:
            self.hear_of(feed.seat)

    def detach(self, feed: Feed) -> None:
        self.feeds.discard(feed)
        if feed.seat is not None and feed.cut is None:
            self.hear_of(feed.seat)

    def _cut(self, before: Table) -> bool:
        """A seat that changed hands is no longer shown to whom it was; whether one did."""
        changed = False
        for number, old in enumerate(before.seats):
            new = self.table.seats[number]
            if old is new or old.holder == new.holder:
                continue  # as after nearly every choice
            changed = True
            if old.holder:
                cause = revoked() if old.holder in new.revoked else left()
                for feed in self.feeds:
                    if feed.seat == number:
                        feed.cut = cause
            self.hear_of(number)  # whoever comes next has the whole limit to do so
        return changed

    def _happened(self, before: Table, at_ms: int, news: list[News]) -> None:
        changed = self._cut(before)
        if self.late is not None:
            self.late.push(Frame(at_ms, self.table, tuple(news), self.deadline_ms()))
        self._wake()
        if changed or self._waiting or self.table.status == ENDED:
            self._changed(self)

    def _wake(self) -> None:
        if self._polls is not None:
            self._polls.wake()
        for feed in self.feeds:
            feed.wake()

    async def news(self, over: Callable[[], bool]) -> None:
        """Return when something has happened after which a wait is over."""
        if self._polls is None:
            self._polls = Polls()
        await self._polls.wait(over)

    def public_bytes(self) -> bytes:
        """The public view of the position, encoded once for all viewers."""
        if self._viewed is not self.table:
            game = self.table.game
            assert game is not None
            self._view = self._public.encode(game.position, self.table.forfeited)
            self._viewed = self.table
        return self._view

    def owes(self, seat: int) -> bool:
        """Whether the game waits for this seat."""
        if self.table.status == STARTING:
            return not self.table.seats[seat].ready
        return self.table.deciding_seat == seat

    def unix_ms(self) -> int:
        return self._time.unix_ms()

    def wrong_answers_left(self, seat: int) -> int:
        return max(self._most_wrong - self.table.seats[seat].wrong_answers, 0)

    def last_timing(self, seat: int) -> Timing | None:
        return self._timing.get(seat)

    def seen_by(self, seat: int | None) -> Session | Late:
        """The game as a viewer may see it: spectators late, if its host wants that."""
        return self if seat is not None or self.late is None else self.late

    def info_for(self, caller: Caller) -> game_pb2.GameInfo:
        """What everyone may know; while it runs, those who do not take part know it late."""
        if self.late is None or self.table.status == ENDED:
            return self.info()
        return self.info() if caller.operator or self.takes_part(caller) else self.late.info()

    def info(self, table: Table | None = None) -> game_pb2.GameInfo:
        """What everyone may know, of the table as it is or as it was."""
        now = table is None
        table = self.table if table is None else table
        return game_info(
            table,
            commitment=self.header.commitment,
            seed_from_creator=table.seed_from_creator,
            tournament_id=self.header.tournament_id,
            # No log says who was connected, so those who see the game late are not told.
            connected=self.connected() if now else set(),
            ready_deadline_ms=self.deadline_ms() if now and table.status == STARTING else None,
            reveal=self.reveal_of(table),
        )

    def _summary(self, table: Table) -> bytes:
        """As `info` of an ended game; written again when its seal is opened."""
        return self.info(table).SerializeToString(deterministic=True)

    def drain(self) -> None:
        """Nothing new is logged from now on, and no clock runs: nobody could answer it."""
        self.draining = True
        self._disarm()
        self._wake()
        if self.late is not None:
            self.late.close()
            self.late.wake()

    def close(self) -> None:
        if self.late is not None:
            self.late.close()
        self._disarm()
        for task in self._tasks:
            task.cancel()


class _Answer:
    """An answer without a task, from the store's queue until whoever gave it is told."""

    __slots__ = ("_accepted", "_asked", "_by", "_charged", "_draft", "_seat", "_session")

    def __init__(
        self,
        session: Session,
        seat: int,
        draft: Draft,
        asked: Asked | None,
        accepted: bytes,
        charged: Timing,
        by: Answerer,
    ) -> None:
        self._session = session
        self._seat = seat
        self._draft = draft
        self._asked = asked
        self._accepted = accepted
        self._charged = charged
        self._by = by

    def landed(self, outcome: int | StoreError) -> None:
        told: bytes | Exception
        self._by.landed()
        try:
            first = self._session.answer_landed(
                outcome, self._seat, self._draft, self._asked, self._charged
            )
            told = first or self._accepted
        except Exception as error:  # noqa: BLE001 # whoever asked is told, as by a task
            told = error
        self._by.done(told)
