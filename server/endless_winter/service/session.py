"""One live game: the only place where its log is written, and where its news comes from.

Whoever wants something of a game takes its lock, drafts entries, has them committed, and only
then lets the table change and the news go out. If the commit fails the table is as before.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections import deque
from typing import TYPE_CHECKING

from endless_winter.service import clocks, proposals
from endless_winter.service.identity import Caller, same
from endless_winter.service.info import game_info
from endless_winter.service.proposals import Draft
from endless_winter.service.refusal import Refusal
from endless_winter.service.table import ENDED, RUNNING, STARTING, Table
from endless_winter.service.telling import Telling, around, telling
from endless_winter.store import Conflict, Entry, Marks, Repeated, Request, Status, StoreError
from endless_winter.v1 import (
    clock_pb2,
    config_pb2,
    decision_pb2,
    event_pb2,
    game_pb2,
    play_service_pb2,
    result_pb2,
)
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import NoMatch, PublicEncoder, Scribe, happened, match

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from endless_winter.service.feed import Feed
    from endless_winter.service.settings import Settings
    from endless_winter.service.timekeeper import Timekeeper
    from endless_winter.store import Header, Secret, Store

RING = 64  # so many entries are told from memory; a viewer further behind gets a snapshot


class Session:
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
        changed: Callable[[Session], None],
    ) -> None:
        self.table = table
        self.header = header
        self.scribe = scribe
        self.feeds: set[Feed] = set()
        self.ring: deque[Telling] = deque(maxlen=RING)
        self._secret = secret
        self._store = store
        self._time = time
        self._settings = settings
        self._changed = changed
        self._lock = asyncio.Lock()
        self._public = PublicEncoder(scribe.words)
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._asked_ms = time.now_ms()
        self._stalled_ms = time.stalled_ms
        self._news = asyncio.Event()
        self._timing: dict[int, clock_pb2.AnswerTiming] = {}
        self._arm()

    # --- who may do what ---

    def seat_of(self, caller: Caller, seat: int) -> int:
        """The seat, if it exists and the caller holds it."""
        if seat >= len(self.table.seats):
            raise Refusal(reasons.REJECTION_REASON_SEAT_NOT_FOUND, "the game has no such seat")
        if not same(self.table.seats[seat].holder, caller.known()):
            raise Refusal(
                reasons.REJECTION_REASON_NOT_ALLOWED, "the seat is not bound to this client secret"
            )
        return seat

    def may_see(self, caller: Caller) -> bool:
        """Whether the caller may know of the game at all by asking for its id."""
        if self.table.config.visibility != config_pb2.VISIBILITY_CLOSED or caller.operator:
            return True
        return self.takes_part(caller)

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
        return [decision_pb2.StandingAnswer(kind=kind) for kind in kinds]

    # --- what can be done ---

    async def take_seat(
        self, seat: int, holder: bytes, display_name: str, *, bot: bool = False
    ) -> None:
        async with self._lock:
            if self.table.status not in (game_pb2.GAME_STATUS_OPEN, STARTING):
                raise self._refusal(
                    reasons.REJECTION_REASON_GAME_STARTED, "the game has started; seats are fixed"
                )
            known = self.table.seats[seat]
            if same(known.holder, holder):
                return
            if known.holder:
                raise self._refusal(
                    reasons.REJECTION_REASON_SEAT_TAKEN, "the seat is taken by somebody else"
                )
            draft = self._draft()
            proposals.take_seat(draft, seat, holder, display_name, bot=bot)
            await self._commit(draft)

    async def leave(self, seat: int) -> None:
        """Before the start the seat is free again; later it is forfeited."""
        async with self._lock:
            if self.table.status == ENDED:
                raise self._refusal(reasons.REJECTION_REASON_GAME_ENDED, "the game has ended")
            draft = self._draft()
            if self.table.status == RUNNING:
                proposals.forfeit(draft, seat, result_pb2.END_REASON_ABANDONED)
            else:
                proposals.free_seat(draft, seat)
            await self._commit(draft)

    async def ready(self, seat: int, request_id: str) -> play_service_pb2.Accepted:
        async with self._lock:
            if (again := await self._repeated(seat, request_id)) is not None:
                return again
            if self.table.seats[seat].ready and self.table.status == STARTING:
                return play_service_pb2.Accepted(seq=self.table.seq)
            draft = self._draft()
            proposals.ready(draft, seat)
            accepted = play_service_pb2.Accepted(seq=draft.steps[0].entry.seq)
            requests = self._request(seat, request_id, accepted)
            return await self._commit(draft, requests) or accepted

    async def answer(
        self,
        seat: int,
        request_id: str,
        answer: decision_pb2.Answer,
        received_ms: int,
    ) -> play_service_pb2.Accepted:
        """A choice; `received_ms` is when it arrived, since that is when the clock stops."""
        async with self._lock:
            try:
                option_id = self._check_answer(seat, answer)
            except Refusal:
                # A retry of what was accepted looks like a stale answer.
                if (again := await self._repeated(seat, request_id)) is not None:
                    return again
                raise
            charged = self._charge(answer, received_ms)
            allowed = clocks.allowed_ms(self.table, seat)
            if allowed is not None and charged.charged_ms > allowed:
                await self._expire_now(charged.charged_ms)
                raise self._refusal(
                    reasons.REJECTION_REASON_TOO_LATE,
                    "the deadline had passed; the default was taken",
                    seat=seat,
                )
            draft = self._draft()
            step = proposals.choose(
                draft,
                seat,
                option_id,
                origin=event_pb2.CHOICE_ORIGIN_PLAYER,
                charged=charged,
                request_id=request_id,
            )
            proposals.settle(draft)
            choice = step.entry.choice
            accepted = play_service_pb2.Accepted(
                seq=step.entry.seq,
                decision_id=choice.decision_id,
                option_id=option_id,
                text=choice.text,
                timing=charged,
            )
            first = await self._commit(draft, self._request(seat, request_id, accepted))
            if first is not None:
                return first
            self._timing[seat] = charged
            return accepted

    async def set_standing(
        self, seat: int, request_id: str, answers: Iterable[decision_pb2.StandingAnswer]
    ) -> play_service_pb2.Accepted:
        async with self._lock:
            if (again := await self._repeated(seat, request_id)) is not None:
                return again
            if self.table.status == ENDED:
                raise self._refusal(reasons.REJECTION_REASON_GAME_ENDED, "the game has ended")
            draft = self._draft()
            proposals.set_standing(draft, seat, answers)
            accepted = play_service_pb2.Accepted(seq=draft.steps[0].entry.seq)
            requests = self._request(seat, request_id, accepted)
            return await self._commit(draft, requests) or accepted

    async def undo(self, seat: int, request_id: str, decision_id: int) -> play_service_pb2.Accepted:
        async with self._lock:
            if (again := await self._repeated(seat, request_id)) is not None:
                return again
            self._check_decision(seat, decision_id)
            draft = self._draft()
            proposals.undo(draft, seat)
            accepted = play_service_pb2.Accepted(seq=draft.steps[0].entry.seq)
            requests = self._request(seat, request_id, accepted)
            return await self._commit(draft, requests) or accepted

    async def abort(self, outcome: result_pb2.GameOutcome.ValueType) -> None:
        async with self._lock:
            draft = self._draft()
            proposals.abort(draft, outcome)
            await self._commit(draft)

    # --- checking ---

    def _check_decision(self, seat: int, decision_id: int) -> None:
        table = self.table
        if table.status == ENDED:
            raise self._refusal(reasons.REJECTION_REASON_GAME_ENDED, "the game has ended")
        if table.status != RUNNING:
            raise self._refusal(
                reasons.REJECTION_REASON_GAME_NOT_STARTED, "the game has not started"
            )
        if table.seats[seat].forfeited:
            raise self._refusal(
                reasons.REJECTION_REASON_SEAT_FORFEITED, "the seat is played by defaults"
            )
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

    def _check_answer(self, seat: int, answer: decision_pb2.Answer) -> int:
        self._check_decision(seat, answer.decision_id)
        game = self.table.game
        assert game is not None
        try:
            return game.options().index(match(answer, game, self.scribe))
        except NoMatch as error:
            raise self._wrong(seat, str(error)) from error

    def _wrong(self, seat: int, message: str) -> Refusal:
        """Count a wrong answer; after too many the seat is forfeited."""
        known = self.table.seats[seat]
        known.wrong_answers += 1
        left = self.wrong_answers_left(seat)
        if not left:
            self._spawn(self._flooded(seat, self.table.decision_id))
        refusal = self._refusal(reasons.REJECTION_REASON_ILLEGAL_OPTION, message, seat=seat)
        refusal.wrong_answers_left = left
        return refusal

    async def _flooded(self, seat: int, decision_id: int) -> None:
        async with self._lock:
            if self.table.decision_id == decision_id and not self.table.seats[seat].forfeited:
                draft = self._draft()
                proposals.forfeit(draft, seat, result_pb2.END_REASON_ILLEGAL_FLOOD)
                await self._commit(draft)

    def _refusal(
        self, reason: reasons.RejectionReason.ValueType, message: str, *, seat: int = -1
    ) -> Refusal:
        pending = self.table.deciding_seat == seat if seat >= 0 else False
        return Refusal(
            reason,
            message,
            seq=self.table.seq,
            pending_decision_id=self.table.decision_id if pending else None,
        )

    # --- time ---

    def _charge(self, answer: decision_pb2.Answer, received_ms: int) -> clock_pb2.AnswerTiming:
        stalled = self._time.stalled_ms - self._stalled_ms
        charged = clocks.charge_ms(self._asked_ms, received_ms, stalled)
        think = min(answer.think_ms, charged) if answer.HasField("think_ms") else charged
        think = max(think, 0)
        return clock_pb2.AnswerTiming(
            charged_ms=charged, think_ms=think, transit_ms=charged - think
        )

    def deadline_ms(self) -> int | None:
        """When the pending decision expires on the server's clock; None: never."""
        seat = self.table.deciding_seat
        if seat < 0:
            return None
        allowed = clocks.allowed_ms(self.table, seat)
        if allowed is None:
            return None
        stalled = self._time.stalled_ms - self._stalled_ms
        return self._time.unix_ms(self._asked_ms + allowed + stalled)

    def _arm(self) -> None:
        """Wake up when the pending decision, or the ready handshake, runs out."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        left: int | None = None
        seat = self.table.deciding_seat
        if seat >= 0:
            left = clocks.allowed_ms(self.table, seat)
        elif self.table.status == STARTING:
            left = self._ready_limit_ms()
        if left is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(left / 1000, self._ring, self.table.seq)

    def _ready_limit_ms(self) -> int | None:
        control = self.table.config.time_control
        if control.HasField("ready_limit_ms"):
            return control.ready_limit_ms
        return self._settings.ready_limit_ms

    def _ring(self, seq: int) -> None:
        self._timer = None
        self._spawn(self._expired(seq))

    async def _expired(self, seq: int) -> None:
        async with self._lock:
            if self.table.seq != seq:
                return
            if self.table.status == STARTING:
                draft = self._draft()
                proposals.abort(draft, result_pb2.GAME_OUTCOME_NEVER_STARTED)
                await self._commit(draft)
                return
            stalled = self._time.stalled_ms - self._stalled_ms
            waited = clocks.charge_ms(self._asked_ms, self._time.now_ms(), stalled)
            allowed = clocks.allowed_ms(self.table, self.table.deciding_seat)
            if allowed is None:
                return
            if waited < allowed:  # the server stalled: the seat gets that time back
                loop = asyncio.get_running_loop()
                self._timer = loop.call_later((allowed - waited) / 1000, self._ring, seq)
                return
            await self._expire_now(waited)

    async def _expire_now(self, charged_ms: int) -> None:
        draft = self._draft()
        most = clocks.timeouts_to_forfeit(
            self.table.config.time_control, self._settings.timeouts_to_forfeit
        )
        proposals.expire(draft, charged_ms, most)
        await self._commit(draft)

    # --- committing ---

    def _draft(self) -> Draft:
        return Draft.of(self.table, self._time.unix_ms())

    async def _repeated(self, seat: int, request_id: str) -> play_service_pb2.Accepted | None:
        """The first answer to a request id of the seat."""
        if not request_id:
            return None
        found = await self._store.find_request(_caller_key(seat), request_id, self.table.game_id)
        if found is None:
            return None
        return play_service_pb2.Accepted.FromString(found.answer)

    def _request(
        self, seat: int, request_id: str, accepted: play_service_pb2.Accepted
    ) -> list[Request]:
        if not request_id:
            return []
        return [Request(_caller_key(seat), request_id, accepted.SerializeToString())]

    async def _commit(
        self, draft: Draft, requests: Iterable[Request] = ()
    ) -> play_service_pb2.Accepted | None:
        """Have the draft's entries committed, then let them be so.

        If the request id was answered before, nothing happens and that answer is returned.
        """
        tellings = [self._tell(step, draft.table) for step in draft.steps]
        entries = []
        for step, told in zip(draft.steps, tellings, strict=True):
            step.entry.events.extend(told.omniscient())
            entries.append(
                Entry(
                    kind=step.entry.WhichOneof("entry") or "",
                    at_ms=step.entry.time_unix_ms,
                    payload=step.entry.SerializeToString(),
                    private=step.private,
                    position_hash=step.entry.position_hash,
                    marks=self._marks(step, draft.table),
                )
            )
        try:
            await self._store.append(
                self.table.game_id, self.table.seq, entries, requests=list(requests)
            )
        except Repeated as error:
            return play_service_pb2.Accepted.FromString(error.first.answer)
        except Conflict as error:
            raise self._refusal(
                reasons.REJECTION_REASON_CONFLICT, "another writer was first"
            ) from error
        except StoreError as error:
            raise self._refusal(
                reasons.REJECTION_REASON_STORE_UNAVAILABLE,
                "the log could not be written; nothing has happened",
            ) from error
        self.table = draft.table
        self.ring.extend(tellings)
        self._asked_ms = self._time.now_ms()
        self._stalled_ms = self._time.stalled_ms
        self._arm()
        self._wake()
        return None

    def _marks(self, step: proposals.Step, table: Table) -> Marks | None:
        kind = step.entry.WhichOneof("entry")
        if kind == "choice":
            return None
        return Marks(
            status=Status(table.status),
            started_ms=table.started_ms or None,
            ended_ms=table.ended_ms or None,
            open_seats=sum(
                not seat.holder and seat.kind == config_pb2.SEAT_KIND_OPEN for seat in table.seats
            ),
            holders={number: seat.holder for number, seat in enumerate(table.seats)},
        )

    def _tell(self, step: proposals.Step, table: Table) -> Telling:
        entry = step.entry
        own = None
        if entry.WhichOneof("entry") == "choice":
            own = event_pb2.OwnChoice(
                decision_id=entry.choice.decision_id,
                text=entry.choice.text,
                by_standing_answer=entry.choice.by_standing_answer,
            )
        events = around(step, table, self.reveal_of(table), own)
        if step.happened:
            assert table.game is not None
            events += happened(self.scribe.words, table.game.position, step.happened)
        return telling(entry.seq, entry.time_unix_ms, events)

    def invitation(self, seat: int) -> str:
        """The token that takes a reserved seat.

        Derived from the salt, so that a retried creation gives the same one and none is kept.
        """
        message = f"invitation:{self.table.game_id}:{seat}".encode()
        return hmac.new(self._secret.salt, message, hashlib.blake2b).hexdigest()[:48]

    def reveal_of(self, table: Table) -> result_pb2.SeedReveal | None:
        """Seed and salt, once the game is over and its host does not hold them back."""
        if table.status != ENDED or table.config.hold_reveal:
            return None
        return result_pb2.SeedReveal(seed=self._secret.seed, salt=self._secret.salt)

    # --- news ---

    def attach(self, feed: Feed) -> None:
        self.feeds.add(feed)

    def detach(self, feed: Feed) -> None:
        self.feeds.discard(feed)

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()
        for feed in self.feeds:
            feed.wake()
        self._changed(self)

    async def news(self) -> None:
        """Return when something has happened."""
        await self._news.wait()

    def public_bytes(self) -> bytes:
        game = self.table.game
        assert game is not None
        forfeited = frozenset(n for n, seat in enumerate(self.table.seats) if seat.forfeited)
        return self._public.encode(game.position, forfeited)

    def owes(self, seat: int) -> bool:
        """Whether the game waits for this seat."""
        if self.table.status == STARTING:
            return not self.table.seats[seat].ready
        return self.table.deciding_seat == seat

    def unix_ms(self) -> int:
        return self._time.unix_ms()

    def wrong_answers_left(self, seat: int) -> int:
        most = self.table.config.wrong_answers_to_forfeit or self._settings.wrong_answers_to_forfeit
        return max(most - self.table.seats[seat].wrong_answers, 0)

    def last_timing(self, seat: int) -> clock_pb2.AnswerTiming | None:
        return self._timing.get(seat)

    def info(self) -> game_pb2.GameInfo:
        return game_info(
            self.table,
            commitment=self.header.commitment,
            seed_from_creator=False,
            tournament_id=self.header.tournament_id,
            connected={feed.seat for feed in self.feeds if feed.seat is not None},
            ready_deadline_ms=None,
            reveal=self.reveal_of(self.table),
        )

    def _spawn(self, work: object) -> None:
        task = asyncio.ensure_future(work)  # type: ignore[call-overload] # a coroutine
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()


def _caller_key(seat: int) -> bytes:
    return bytes((seat,))
