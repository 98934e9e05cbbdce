"""How a game's log is written: draft, commit, and only then let it be so."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections import deque
from typing import TYPE_CHECKING

from endless_winter.service import proposals, versions
from endless_winter.service.alarm import Alarm
from endless_winter.service.proposals import Draft
from endless_winter.service.refusal import Refusal, draining
from endless_winter.service.table import ENDED
from endless_winter.service.telling import News, Telling, tell
from endless_winter.store import (
    Conflict,
    Entry,
    Marks,
    NoSuchGame,
    Repeated,
    Request,
    Status,
    StoreError,
)
from endless_winter.v1 import config_pb2, replay_pb2, result_pb2
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.service.asked import Asked
    from endless_winter.service.presence import Presence
    from endless_winter.service.settings import Settings
    from endless_winter.service.table import Table
    from endless_winter.service.timekeeper import Timekeeper
    from endless_winter.store import Secret, Store
    from endless_winter.views import Scribe

MOST_REMEMBERED = 256  # requests of a game that change nothing; nobody may fill the store with them
RING = 64  # so many entries are told from memory; a viewer further behind gets a snapshot


class Committing(Alarm):
    """The part of a session that writes its log; one deed at a time, under the gate."""

    def __init__(
        self,
        table: Table,
        time: Timekeeper,
        settings: Settings,
        everywhere: Presence,
        scribe: Scribe,
        secret: Secret,
        store: Store,
        *,
        restarted: bool,
    ) -> None:
        super().__init__(table, time, settings, everywhere)
        self.scribe = scribe
        self.ring: deque[News] = deque(maxlen=RING)
        self._secret = secret
        self._store = store
        self._remembered = 0  # answers to what changed nothing
        # A game that was loaded says so in its log when it goes on, not when it is looked at.
        self._restarted = restarted and table.status != ENDED

    @abstractmethod
    def _happened(self, before: Table, at_ms: int, news: list[News]) -> None:
        """Let everybody know."""

    @abstractmethod
    def _summary(self, table: Table) -> bytes:
        """What a listing tells of a game that has ended."""

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

    def _draft(self) -> Draft:
        if self.draining:
            raise draining()
        draft = Draft(self.table.copy(), self._time.unix_ms(), tell=self._tell)
        if self._restarted:
            proposals.restart(draft, versions.server_version())
        return draft

    def _tell(self, step: proposals.Step, table: Table) -> Telling:
        return tell(step, table, self.scribe.words, self.reveal_of(table))

    def reveal_of(self, table: Table) -> result_pb2.SeedReveal | None:
        """Seed and salt, once the game is over and its host does not hold them back."""
        if table.status != ENDED or (table.config.hold_reveal and not table.released):
            return None
        return result_pb2.SeedReveal(seed=self._secret.seed, salt=self._secret.salt)

    async def _repeated(self, asked: Asked) -> bytes | None:
        """The first answer to a request id of the seat."""
        if not asked.request_id:
            return None
        game_id = self.table.game_id
        found = await self._store.find_request(asked.key, asked.request_id, game_id)
        return None if found is None else asked.first(found.answer)

    async def _commit(
        self, draft: Draft, asked: Asked | None = None, accepted: bytes = b""
    ) -> bytes | None:
        """Have the draft's entries committed, then let them be so.

        If the request id was answered before, nothing happens and that answer is returned.
        """
        work: asyncio.Future[int | StoreError] = asyncio.get_running_loop().create_future()
        self._append(draft, asked, accepted, work.set_result)
        await _to_its_end(work)
        return self._landed(work.result(), draft, asked)

    async def _remember(self, asked: Asked | None, answer: bytes) -> bytes:
        """Keep the answer to what changes nothing, so that it is known when it is asked again."""
        if asked is None or not asked.request_id or self._remembered >= MOST_REMEMBERED:
            return answer
        if self.draining:
            raise draining()
        self._remembered += 1
        work: asyncio.Future[int | StoreError] = asyncio.get_running_loop().create_future()
        self._append(Draft(self.table, 0), asked, answer, work.set_result)
        await _to_its_end(work)
        outcome = work.result()
        return answer if isinstance(outcome, int) else self._failed(outcome, asked)

    def _append(
        self,
        draft: Draft,
        asked: Asked | None,
        accepted: bytes,
        done: Callable[[int | StoreError], None],
    ) -> None:
        """Hand the draft's entries to the store, and let it tell what came of it."""
        requests: list[Request] = []
        if asked is not None and asked.request_id and accepted:
            requests.append(Request(asked.key, asked.request_id, asked.kept(accepted)))
        table = self.table
        entries: list[Entry] = []
        listed = False  # what changes in the listing stands with the first step that is no choice
        for step in draft.steps:
            marks = None
            if step.choice is None and not listed:
                ended = draft.table.status == ENDED
                marks = _marks(table, draft, self._summary(draft.table) if ended else None)
                listed = True
            entries.append(_entry(step, marks))
        self._store.append_soon(table.game_id, table.seq, entries, requests, done)

    def _landed(self, outcome: int | StoreError, draft: Draft, asked: Asked | None) -> bytes | None:
        """What the store said: the draft becomes the table, or nothing has happened."""
        if not isinstance(outcome, int):
            return self._failed(outcome, asked)
        self._restarted = False
        news = [
            News(step.seq, step.told, step.payload())
            for step in draft.steps
            if step.told is not None
        ]
        last = draft.steps[-1]
        self._become(draft.table, news, last.at_ms, undone=last.kind == "undo")
        return None

    def _failed(self, error: StoreError, asked: Asked | None) -> bytes:
        """Nothing has happened; the first answer, if that is because there was one."""
        if isinstance(error, Repeated):
            assert asked is not None
            return asked.first(error.first.answer)
        if isinstance(error, Conflict):
            self._spawn(self._catch_up())
            raise self._refusal(
                reasons.REJECTION_REASON_CONFLICT, "another writer was first"
            ) from error
        if not isinstance(error, NoSuchGame):  # it was pruned: that is no fault of the store
            self._time.halt()  # whoever was refused is not to lose the time that this takes
        raise self._refusal(
            reasons.REJECTION_REASON_STORE_UNAVAILABLE,
            "the log could not be written; nothing has happened",
        ) from error

    def _become(self, table: Table, news: list[News], at_ms: int, *, undone: bool) -> None:
        """The log says so: the table is another one, and everybody hears of it."""
        before, self.table = self.table, table
        for old in reversed(self.ring):
            if not old.rest():
                break
        self.ring.extend(news)
        # The clock starts anew with a new question only. Otherwise whoever can log anything
        # could stop it, by standing answers for example, or by undoing again and again.
        asks_anew = before.decision_id != table.decision_id or before.status != table.status
        if asks_anew and not undone:
            now_ms = self._time.now_ms()
            if before.deciding_seat >= 0:
                holder = before.seats[before.deciding_seat].holder
                self._everywhere.waited(holder, now_ms - self._asked_ms)
            self._asked_ms = now_ms
            self._late_ms = self._time.late_ms()
            self._paused_ms = self._time.paused_ms()
        self._arm()
        self._happened(before, at_ms, news)

    async def _catch_up(self) -> None:
        """Somebody else has written to the log: the table becomes what it says."""
        async with self._gate:
            table, news = self.table.copy(), []
            at_ms, undone = 0, False
            while page := await self._store.read(table.game_id, table.seq):
                for logged in page:
                    entry = replay_pb2.LogEntry.FromString(logged.payload)
                    table.apply(entry, logged.private)
                    at_ms = entry.time_unix_ms
                    undone = entry.HasField("undo")
                    news.append(News(entry.seq, None, logged.payload))
            if news:
                self._become(table, news, at_ms, undone=undone)


def _entry(step: proposals.Step, marks: Marks | None) -> Entry:
    """What the store keeps of a step; past the constructor of the tuple, which is interpreted."""
    parts = (step.kind, step.at_ms, step.payload(), step.private, b"", step.position_hash, marks)
    return tuple.__new__(Entry, parts)


def _marks(before: Table, draft: Draft, summary: bytes | None) -> Marks | None:
    """What a draft changes in the listing of its game, if anything: a seat's "ready" does not."""
    after = draft.table
    free = _open_seats(after)
    marks = Marks(
        status=Status(after.status) if after.status != before.status else None,
        started_ms=after.started_ms if after.started_ms != before.started_ms else None,
        ended_ms=after.ended_ms if after.ended_ms != before.ended_ms else None,
        open_seats=free if free != _open_seats(before) else None,
        sealed=False if any(step.kind == "released" for step in draft.steps) else None,
        summary=summary,
        holders={
            number: seat.holder
            for number, seat in enumerate(after.seats)
            if seat.holder != before.seats[number].holder
        },
    )
    return marks if marks != _NOTHING else None


_NOTHING = Marks()


def _open_seats(table: Table) -> int:
    return sum(
        not (seat.holder or seat.key) and seat.kind == config_pb2.SEAT_KIND_OPEN
        for seat in table.seats
    )


async def _to_its_end(work: asyncio.Future[int | StoreError]) -> None:
    """Wait for an append even when whoever asked for it has gone.

    A call that its client cancels may have been written all the same. So its outcome is awaited
    under the gate, and the table is what the log says.
    """
    while not work.done():
        try:
            await asyncio.wait((work,))
        except asyncio.CancelledError:
            if work.cancelled():
                raise
