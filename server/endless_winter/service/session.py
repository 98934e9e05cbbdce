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

from endless_winter.service import clocks, proposals, versions
from endless_winter.service.alarm import Alarm
from endless_winter.service.asked import Asked
from endless_winter.service.delay import Frame, Late
from endless_winter.service.identity import Caller, same
from endless_winter.service.info import game_info
from endless_winter.service.proposals import Draft
from endless_winter.service.refusal import Refusal, draining
from endless_winter.service.table import ENDED, RUNNING, STARTING, Table
from endless_winter.service.telling import Telling, tell
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
from endless_winter.views import NoMatch, PublicEncoder, Scribe, match

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from endless_winter.service.feed import Feed
    from endless_winter.service.settings import Settings
    from endless_winter.service.timekeeper import Timekeeper
    from endless_winter.store import Header, Secret, Store

RING = 64  # so many entries are told from memory; a viewer further behind gets a snapshot


def revoked() -> Refusal:
    return Refusal(
        reasons.REJECTION_REASON_SEAT_REVOKED, "an operator took the seat from this client"
    )


def left() -> Refusal:
    return Refusal(reasons.REJECTION_REASON_NOT_ALLOWED, "the seat was given up")


class Session(Alarm):
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
        restarted: bool = False,
    ) -> None:
        super().__init__(table, time, settings)
        self.header = header
        self.scribe = scribe
        self.ring: deque[Telling] = deque(maxlen=RING)
        self._secret = secret
        self._store = store
        self._changed = changed
        self._public = PublicEncoder(scribe.words)
        # A game that was loaded says so in its log when it goes on, not when it is looked at.
        self._restarted = restarted and table.status != ENDED
        self._news = asyncio.Event()
        self._timing: dict[int, clock_pb2.AnswerTiming] = {}
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
        self._seen(seat)
        return seat

    def may_see(self, caller: Caller) -> bool:
        """Whether the caller may know of the game at all by asking for its id."""
        if self.table.config.visibility != config_pb2.VISIBILITY_CLOSED or caller.operator:
            return True
        return self.takes_part(caller)

    def invites(self, invitation: str) -> bool:
        """Whether this is the word for one of the reserved seats."""
        if not invitation:
            return False
        given = invitation.encode()
        words = [
            self.invitation(number)
            for number, seat in enumerate(self.table.seats)
            if seat.kind == config_pb2.SEAT_KIND_RESERVED or seat.key
        ]
        return any([hmac.compare_digest(word.encode(), given) for word in words])  # noqa: C419

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
            known = self.table.seats[seat]
            if same(known.holder, holder):
                return  # a retry, at any time
            # An operator can have given a seat free in the middle of a game.
            rebound = self.table.status == RUNNING and bool(known.key)
            if not (rebound or proposals.is_open(self.table)):
                raise self._refusal(
                    reasons.REJECTION_REASON_GAME_STARTED, "the game has started; seats are fixed"
                )
            if known.holder:
                raise self._refusal(
                    reasons.REJECTION_REASON_SEAT_TAKEN, "the seat is taken by somebody else"
                )
            self._check_not_forfeited(seat)
            if holder in known.revoked and not known.key:
                raise revoked()
            draft = self._draft()
            proposals.take_seat(draft, seat, holder, display_name, bot=bot)
            await self._commit(draft)

    async def leave(self, seat: int) -> None:
        """Before the start the seat is free again; later it is forfeited."""
        async with self._lock:
            if self.table.status == ENDED:
                raise self._refusal(reasons.REJECTION_REASON_GAME_ENDED, "the game has ended")
            self._check_not_forfeited(seat)
            draft = self._draft()
            if self.table.status == RUNNING:
                proposals.forfeit(draft, seat, result_pb2.END_REASON_ABANDONED)
            else:
                proposals.free_seat(draft, seat)
            await self._commit(draft)

    async def ready(self, seat: int, request_id: str) -> play_service_pb2.Accepted:
        asked = Asked(seat, request_id, b"ready")
        holder = self.table.seats[seat].holder
        async with self._lock:
            self._check_held(seat, holder)
            if (again := await self._repeated(asked)) is not None:
                return again
            if self.table.seats[seat].ready and proposals.is_open(self.table):
                return play_service_pb2.Accepted(seq=self.table.seq)
            draft = self._draft()
            step = proposals.ready(draft, seat)
            accepted = play_service_pb2.Accepted(seq=step.entry.seq)
            return await self._commit(draft, asked, accepted) or accepted

    async def answer(
        self,
        seat: int,
        request_id: str,
        answer: decision_pb2.Answer,
        received_ms: int,
    ) -> play_service_pb2.Accepted:
        """A choice; `received_ms` is when it arrived, since that is when the clock stops."""
        asked = Asked(seat, request_id, b"answer", answer)
        holder = self.table.seats[seat].holder
        async with self._lock:
            self._check_held(seat, holder)
            try:
                option_id = self._check_answer(seat, answer)
            except Refusal as refusal:
                # A retry of what was accepted looks like a stale answer.
                if (again := await self._repeated(asked)) is not None:
                    return again
                if refusal.reason == reasons.REJECTION_REASON_ILLEGAL_OPTION:
                    await self._count_wrong(seat, refusal)
                raise
            charged = self._charge(answer, received_ms)
            allowed = clocks.allowed_ms(self.table, seat)
            if allowed is not None and charged.charged_ms > allowed:
                if (again := await self._repeated(asked)) is not None:
                    return again  # refused as REQUEST_ID_REUSED, since the decision is pending
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
            first = await self._commit(draft, asked, accepted)
            if first is not None:
                return first
            self._timing[seat] = charged
            return accepted

    async def set_standing(
        self, seat: int, request_id: str, answers: Iterable[decision_pb2.StandingAnswer]
    ) -> play_service_pb2.Accepted:
        wanted = play_service_pb2.SetStandingAnswers(answers=answers)
        asked = Asked(seat, request_id, b"standing", wanted)
        holder = self.table.seats[seat].holder
        async with self._lock:
            self._check_held(seat, holder)
            if (again := await self._repeated(asked)) is not None:
                return again
            if self.table.status == ENDED:
                raise self._refusal(reasons.REJECTION_REASON_GAME_ENDED, "the game has ended")
            self._check_not_forfeited(seat)
            draft = self._draft()
            step = proposals.set_standing(draft, seat, wanted.answers)
            accepted = play_service_pb2.Accepted(seq=step.entry.seq)
            return await self._commit(draft, asked, accepted) or accepted

    async def undo(self, seat: int, request_id: str, decision_id: int) -> play_service_pb2.Accepted:
        wanted = play_service_pb2.Undo(decision_id=decision_id)
        asked = Asked(seat, request_id, b"undo", wanted)
        holder = self.table.seats[seat].holder
        async with self._lock:
            self._check_held(seat, holder)
            if (again := await self._repeated(asked)) is not None:
                return again
            self._check_decision(seat, decision_id)
            draft = self._draft()
            step = proposals.undo(draft, seat)
            accepted = play_service_pb2.Accepted(seq=step.entry.seq)
            return await self._commit(draft, asked, accepted) or accepted

    async def answered(self, asked: Asked) -> bool:
        """Whether the same was asked before, and done."""
        return await self._repeated(asked) is not None

    async def amend(self, asked: Asked | None, change: Callable[[Draft], None]) -> None:
        """What operators and the arena do: `change` drafts it, or refuses, under the lock."""
        async with self._lock:
            if asked is not None and await self._repeated(asked) is not None:
                return
            draft = self._draft()
            change(draft)
            accepted = play_service_pb2.Accepted(seq=draft.steps[-1].entry.seq)
            await self._commit(draft, asked, accepted)

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

    def _check_answer(self, seat: int, answer: decision_pb2.Answer) -> int:
        self._check_decision(seat, answer.decision_id)
        game = self.table.game
        assert game is not None
        try:
            return game.options().index(match(answer, game, self.scribe))
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

    # --- committing ---

    def _draft(self) -> Draft:
        if self.draining:
            raise draining()
        draft = Draft.of(self.table, self._time.unix_ms())
        draft.tell = self._tell
        if self._restarted:
            proposals.restart(draft, versions.server_version())
        return draft

    async def _repeated(self, asked: Asked) -> play_service_pb2.Accepted | None:
        """The first answer to a request id of the seat."""
        if not asked.request_id:
            return None
        game_id = self.table.game_id
        found = await self._store.find_request(asked.key, asked.request_id, game_id)
        return None if found is None else asked.first(found.answer)

    async def _commit(
        self,
        draft: Draft,
        asked: Asked | None = None,
        accepted: play_service_pb2.Accepted | None = None,
    ) -> play_service_pb2.Accepted | None:
        """Have the draft's entries committed, then let them be so.

        If the request id was answered before, nothing happens and that answer is returned.
        """
        requests = []
        if asked is not None and asked.request_id and accepted is not None:
            requests.append(Request(asked.key, asked.request_id, asked.kept(accepted)))
        tellings = [step.told for step in draft.steps if step.told is not None]
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
            await _to_its_end(
                self._store.append(self.table.game_id, self.table.seq, entries, requests=requests)
            )
        except Repeated as error:
            assert asked is not None
            return asked.first(error.first.answer)
        except Conflict as error:
            raise self._refusal(
                reasons.REJECTION_REASON_CONFLICT, "another writer was first"
            ) from error
        except StoreError as error:
            raise self._refusal(
                reasons.REJECTION_REASON_STORE_UNAVAILABLE,
                "the log could not be written; nothing has happened",
            ) from error
        before, self.table = self.table, draft.table
        self._restarted = False
        self.ring.extend(tellings)
        self._cut(before)
        # The clock starts anew with a new question only. Otherwise whoever can log anything
        # could stop it, by standing answers for example, or by undoing again and again.
        asks_anew = (before.status, before.decision_id) != (
            self.table.status,
            self.table.decision_id,
        )
        if asks_anew and draft.steps[-1].entry.WhichOneof("entry") != "undo":
            self._asked_ms = self._time.now_ms()
            self._stalled_ms = self._time.stalled_ms
        self._arm()
        if self.late is not None:
            at_ms = draft.steps[-1].entry.time_unix_ms
            self.late.push(Frame(at_ms, self.table, tuple(tellings), self.deadline_ms()))
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
                not (seat.holder or seat.key) and seat.kind == config_pb2.SEAT_KIND_OPEN
                for seat in table.seats
            ),
            sealed=False if kind == "released" else None,
            holders={number: seat.holder for number, seat in enumerate(table.seats)},
        )

    def _tell(self, step: proposals.Step, table: Table) -> Telling:
        return tell(step, table, self.scribe.words, self.reveal_of(table))

    def invitation(self, seat: int) -> str:
        """The token that takes a reserved seat.

        Derived from the salt, so that a retried creation gives the same one and none is kept. A
        creator can bring the salt; the key of a seat that an operator rebinds is the server's.
        """
        known = self.table.seats[seat]
        message = f"invitation:{self.table.game_id}:{seat}:{known.generation}".encode() + known.key
        return hmac.new(self._secret.salt, message, hashlib.blake2b).hexdigest()[:48]

    def reveal_of(self, table: Table) -> result_pb2.SeedReveal | None:
        """Seed and salt, once the game is over and its host does not hold them back."""
        if table.status != ENDED or (table.config.hold_reveal and not table.released):
            return None
        return result_pb2.SeedReveal(seed=self._secret.seed, salt=self._secret.salt)

    # --- news ---

    def attach(self, feed: Feed) -> None:
        self.feeds.add(feed)
        if feed.seat is not None:
            self._seen(feed.seat)

    def detach(self, feed: Feed) -> None:
        self.feeds.discard(feed)
        if feed.seat is not None:
            self._seen(feed.seat)

    def _cut(self, before: Table) -> None:
        """A seat that changed hands is no longer shown to whom it was."""
        for number, (old, new) in enumerate(zip(before.seats, self.table.seats, strict=True)):
            if old.holder and old.holder != new.holder:
                cause = revoked() if old.holder in new.revoked else left()
                for feed in self.feeds:
                    if feed.seat == number:
                        feed.cut = cause

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
            connected={feed.seat for feed in self.feeds if feed.seat is not None},
            ready_deadline_ms=self.deadline_ms() if now and table.status == STARTING else None,
            reveal=self.reveal_of(table),
        )

    def drain(self) -> None:
        """Nothing new is logged from now on, and no clock runs: nobody could answer it."""
        self.draining = True
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._news.set()
        self._news = asyncio.Event()
        for feed in self.feeds:
            feed.wake()
        if self.late is not None:
            self.late.close()
            self.late.wake()

    def close(self) -> None:
        if self.late is not None:
            self.late.close()
        if self._timer is not None:
            self._timer.cancel()
        for task in self._tasks:
            task.cancel()


async def _to_its_end(append: Coroutine[None, None, int]) -> None:
    """Wait for an append even when whoever asked for it has gone.

    A call that its client cancels may have been written all the same. So its outcome is awaited
    under the lock, and the table is what the log says.
    """
    work = asyncio.ensure_future(append)
    while True:
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            if work.cancelled():
                raise
        else:
            return
