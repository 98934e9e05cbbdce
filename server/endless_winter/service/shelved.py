"""A game that is not in memory, told from what the store keeps of it.

This needs neither its rules nor its content, and not even a log that adds up. So a game that
cannot be continued can still be shown, ended by an operator, and have its seal opened.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError

from endless_winter.service.choice import accepted_seq
from endless_winter.service.identity import same
from endless_winter.service.outcome import REASONS
from endless_winter.service.record import head_of
from endless_winter.service.refusal import Refusal, game_ended
from endless_winter.service.table import ENDED, NOMAD_NAME, SEED_FROM_CREATOR
from endless_winter.store import (
    Conflict,
    Entry,
    Marks,
    Repeated,
    Request,
    Status,
    StoreDamaged,
)
from endless_winter.v1 import (
    config_pb2,
    event_pb2,
    game_pb2,
    replay_pb2,
    result_pb2,
)
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from endless_winter.service.asked import Asked
    from endless_winter.service.identity import Caller
    from endless_winter.store import Header, Store

_PAGE = 64  # entries that are read into messages before others get a moment
_SUSPENDED = game_pb2.GAME_STATUS_SUSPENDED
_BY_CLOCK = event_pb2.CHOICE_ORIGIN_CLOCK


def may_know(header: Header, caller: Caller) -> bool:
    """Whether the caller may know of a game at all."""
    closed = _config(header).visibility == config_pb2.VISIBILITY_CLOSED
    return _is_inside(header, caller) or not closed


def _is_inside(header: Header, caller: Caller) -> bool:
    """Whether the caller takes part in a game, or is an operator."""
    known = [header.creator, *header.holders.values()]
    takes_part = any([same(holder, caller.holder) for holder in known])  # noqa: C419 # constant time
    return caller.operator or takes_part


def _config(header: Header) -> config_pb2.GameConfig:
    try:
        return config_pb2.GameConfig.FromString(header.config)
    except DecodeError:  # nobody can tell whom it was meant for
        return config_pb2.GameConfig(visibility=config_pb2.VISIBILITY_CLOSED)


class Shelved:
    """What the store has of one game."""

    def __init__(self, store: Store, header: Header) -> None:
        self.header = header
        self._store = store
        self._read: list[replay_pb2.LogEntry] | None = None
        self._seed_from_creator = False

    async def info_for(self, caller: Caller, now_ms: int) -> game_pb2.GameInfo:
        """What the caller may know; from outside an unfinished game is seen as late as ever."""
        delay_ms = _config(self.header).spectator_delay_ms
        ended = self.header.status == Status.ENDED
        if ended or not delay_ms or _is_inside(self.header, caller):
            return await self.info()
        return await self.info(now_ms - delay_ms)

    async def info(self, until_ms: int | None = None) -> game_pb2.GameInfo:
        """What everyone who may know of the game may know of it; unfinished, it is suspended.

        As it was at a moment, if one is given.
        """
        if self.header.status == Status.ENDED and self.header.summary:
            return game_pb2.GameInfo.FromString(self.header.summary)
        info = await self._head(until_ms)
        if info.status != ENDED:
            info.status = _SUSPENDED
        elif not self.header.sealed:
            await self._open(info)
        return info

    async def _head(self, until_ms: int | None = None) -> game_pb2.GameInfo:
        entries = await self._entries()
        if not entries or entries[-1].seq < self.header.last_seq:
            return _head_without_log(self.header)
        if until_ms is not None:  # that there is a game, all may know at once
            entries = [one for one in entries if one.seq == 1 or one.time_unix_ms <= until_ms]
        return head_of(
            self.header.game_id,
            entries,
            tournament_id=self.header.tournament_id,
            seed_from_creator=self._seed_from_creator,
        )

    async def _entries(self) -> list[replay_pb2.LogEntry]:
        """The log; as far as it can be read."""
        if self._read is not None:
            return self._read
        found: list[replay_pb2.LogEntry] = []
        with suppress(StoreDamaged, DecodeError):
            while page := await self._store.read(
                self.header.game_id, found[-1].seq if found else 0, _PAGE
            ):
                if not found:
                    self._seed_from_creator = page[0].private == SEED_FROM_CREATOR
                found += [replay_pb2.LogEntry.FromString(one.payload) for one in page]
        self._read = found
        return found

    async def _open(self, info: game_pb2.GameInfo) -> None:
        """Tell the seed, which is no secret any more."""
        secret = await self._store.get_secret(self.header.game_id)
        if secret is not None:
            reveal = result_pb2.SeedReveal(seed=secret.seed, salt=secret.salt)
            info.seed_reveal.CopyFrom(reveal)

    # --- what operators do with it ---

    async def end(
        self, outcome: result_pb2.GameOutcome.ValueType, note: str, now_ms: int, asked: Asked
    ) -> None:
        """End the game without scoring."""
        if asked.request_id:
            first = await self._store.find_request(asked.key, asked.request_id, self.header.game_id)
            if first is not None:
                asked.first(first.answer)
                return
        if self.header.status == Status.ENDED:
            raise game_ended()
        info = await self._head()
        info.status = ENDED
        info.ended_unix_ms = now_ms
        info.result.CopyFrom(_without_result(info, await self._entries(), outcome))
        if not self.header.sealed:
            await self._open(info)
        entry = await self._next(now_ms)
        entry.ended.CopyFrom(replay_pb2.LogEnded(result=info.result, note=note))
        reveal = info.seed_reveal if info.HasField("seed_reveal") else None
        told = event_pb2.GameEnded(result=info.result, seed_reveal=reveal)
        entry.events.add(public_event=event_pb2.PublicEvent(game_ended=told))
        marks = Marks(status=Status.ENDED, ended_ms=now_ms, summary=_summary(info, entry))
        await self._append("ended", entry, marks, asked)

    async def release(self, now_ms: int) -> None:
        """Open the seal."""
        info = await self.info()
        await self._open(info)
        entry = await self._next(now_ms)
        entry.released.CopyFrom(replay_pb2.LogReleased())
        marks = Marks(sealed=False, summary=_summary(info, entry))
        await self._append("released", entry, marks, None)

    async def _next(self, now_ms: int) -> replay_pb2.LogEntry:
        """The entry after the last, which leaves the position as it is."""
        entries = await self._entries()
        return replay_pb2.LogEntry(
            seq=self.header.last_seq + 1,
            time_unix_ms=now_ms,
            position_hash=entries[-1].position_hash if entries else b"",
        )

    async def _append(
        self, kind: str, entry: replay_pb2.LogEntry, marks: Marks, asked: Asked | None
    ) -> None:
        requests = []
        if asked is not None and asked.request_id:
            kept = asked.kept(accepted_seq(entry.seq))
            requests.append(Request(asked.key, asked.request_id, kept))
        payload = entry.SerializeToString(deterministic=True)
        logged = Entry(
            kind, entry.time_unix_ms, payload, position_hash=entry.position_hash, marks=marks
        )
        game_id, last = self.header.game_id, self.header.last_seq
        try:
            await self._store.append(game_id, last, [logged], requests=requests)
        except Repeated as error:
            assert asked is not None
            asked.first(error.first.answer)
        except Conflict as error:
            raise Refusal(
                reasons.REJECTION_REASON_CONFLICT, "another writer was first", seq=error.actual
            ) from error


def _summary(info: game_pb2.GameInfo, entry: replay_pb2.LogEntry) -> bytes:
    info.seq = entry.seq
    return info.SerializeToString(deterministic=True)


def _head_without_log(header: Header) -> game_pb2.GameInfo:
    """What the listing says of a game whose log cannot be read."""
    config = _config(header)
    seats = []
    for number, seat in enumerate(config.seats):
        served = seat.kind == config_pb2.SEAT_KIND_NOMAD
        seats.append(
            game_pb2.SeatInfo(
                seat=number,
                kind=seat.kind or config_pb2.SEAT_KIND_OPEN,
                taken=served or number in header.holders,
                display_name=NOMAD_NAME if served else "",
            )
        )
    return game_pb2.GameInfo(
        game_id=header.game_id,
        status=game_pb2.GameStatus.ValueType(header.status),
        config=config,
        seats=seats,
        seq=header.last_seq,
        created_unix_ms=header.created_ms,
        started_unix_ms=header.started_ms,
        ended_unix_ms=header.ended_ms,
        rules_version=header.rules_version,
        content_hash=header.content_hash,
        seed_commitment=header.commitment,
        tournament_id=header.tournament_id,
    )


def _without_result(
    info: game_pb2.GameInfo,
    entries: list[replay_pb2.LogEntry],
    outcome: result_pb2.GameOutcome.ValueType,
) -> result_pb2.GameResult:
    """As `outcome.without_result`, from a log instead of a table."""
    choices = [entry.choice for entry in entries if entry.HasField("choice")]
    # The rest of a turn that ran out has no times: all of it is one time-out.
    late = [one.seat for one in choices if one.origin == _BY_CLOCK and one.HasField("timing")]
    reason = REASONS.get(outcome, result_pb2.END_REASON_NORMAL)
    seats = [
        result_pb2.SeatResult(
            seat=seat.seat, reason=seat.forfeited or reason, timeouts=late.count(seat.seat)
        )
        for seat in info.seats
    ]
    return result_pb2.GameResult(outcome=outcome, seats=seats, decisions=len(choices))
