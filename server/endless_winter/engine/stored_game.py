"""A game that is not in memory, shown from what the store has of it.

This needs neither its rules nor its content, and not even a log that adds up. So a game that
cannot be continued can still be shown, ended by an operator, and have its seal opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError

from endless_winter.engine.caller import is_one_of
from endless_winter.engine.commands import AbortGame, Command, ReleaseReveal, accepted_seq
from endless_winter.engine.info import summary_of
from endless_winter.engine.outcome import REASONS
from endless_winter.engine.refusal import game_ended
from endless_winter.engine.replay.record import entries_of, head_of, secret_fits
from endless_winter.engine.table import ENDED
from endless_winter.store.records import (
    NO_CHAIN,
    Append,
    LogEntry,
    Marks,
    Status,
    next_entry,
)
from endless_winter.v1 import config_pb2, event_pb2, game_pb2, replay_pb2, result_pb2

if TYPE_CHECKING:
    from endless_winter.engine.caller import Caller
    from endless_winter.engine.clocks import Now
    from endless_winter.engine.commands import RequestKey
    from endless_winter.engine.game import Game
    from endless_winter.store.records import GameRecord, Header

_BY_CLOCK = event_pb2.CHOICE_ORIGIN_CLOCK


def config_of(header: Header) -> config_pb2.GameConfig:
    """The configuration; of one that cannot be read nobody can say for whom it was meant."""
    try:
        return config_pb2.GameConfig.FromString(header.config)
    except DecodeError:
        return config_pb2.GameConfig(visibility=config_pb2.VISIBILITY_CLOSED)


def is_inside(header: Header, caller: Caller) -> bool:
    """Whether the caller takes part in a game, or is an operator."""
    known = [header.creator_client, *header.holders.values()]
    return is_one_of(caller.client, known) or caller.operator


def may_know(header: Header, caller: Caller) -> bool:
    """Whether the caller may know of a game at all."""
    closed = config_of(header).visibility == config_pb2.VISIBILITY_CLOSED
    return is_inside(header, caller) or not closed


def ended_info(header: Header) -> game_pb2.GameInfo | None:
    """What the listing has of an ended game, with names; None: it has nothing."""
    if header.status != Status.ENDED or not header.summary or header.damaged:
        return None
    info = game_pb2.GameInfo.FromString(header.summary)
    names = {player.player_id: player.display_name for player in header.players.values()}
    for seat in info.seats:
        if seat.player_id:
            seat.display_name = names.get(seat.player_id, "")
    return info


class StoredGame:
    """What the store has of one game."""

    def __init__(self, record: GameRecord, logged: list[LogEntry]) -> None:
        """`logged` is the log as far as it can be read."""
        self.record = record
        self.header = record.header
        self._logged = logged
        try:
            self._entries = entries_of(record, logged)
        except DecodeError:
            self._entries = []

    def info_for(self, caller: Caller, unix_ms: int) -> game_pb2.GameInfo:
        """What the caller may know; from outside an unfinished game is seen as late as ever."""
        delay_ms = config_of(self.header).spectator_delay_ms
        ended = self.header.status == Status.ENDED
        if ended or not delay_ms or is_inside(self.header, caller):
            return self.info()
        return self.info(unix_ms - delay_ms)

    def info(self, until_ms: int | None = None) -> game_pb2.GameInfo:
        """What everyone who may know of the game may know of it; unfinished, it is suspended.

        As it was at a time, if one is given.
        """
        known = ended_info(self.header)
        if known is not None:
            return known
        info = self._head(until_ms)
        if info.status != ENDED:
            info.status = game_pb2.GAME_STATUS_SUSPENDED
        elif not self.header.sealed:
            self._open(info)
        return info

    def _head(self, until_ms: int | None = None) -> game_pb2.GameInfo:
        entries = self._entries
        if not entries or entries[-1].seq < self.header.seq:
            return _head_without_log(self.header)
        if until_ms is not None:  # that there is a game, all may know at once
            entries = [one for one in entries if one.seq == 1 or one.time_unix_ms <= until_ms]
        return head_of(self.header.game_id, entries, tournament_id=self.header.tournament_id)

    def _open(self, info: game_pb2.GameInfo) -> None:
        """Show the seed, which is no secret any more; a damaged one would prove nothing."""
        secret = self.record.secret
        if not secret_fits(self.record):
            return
        info.seed_reveal.CopyFrom(result_pb2.SeedReveal(seed=secret.seed, salt=secret.salt))

    # --- what operators do with it ---

    def ended(
        self, outcome: result_pb2.GameOutcome.ValueType, note: str, unix_ms: int
    ) -> tuple[LogEntry, Marks]:
        """The entry that ends the game without scoring."""
        if self.header.status == Status.ENDED:
            raise game_ended()
        info = self._head()
        info.status = ENDED
        info.ended_unix_ms = unix_ms
        info.result.CopyFrom(_without_result(info, self._entries, outcome))
        if not self.header.sealed:
            self._open(info)
        entry = replay_pb2.LogEntry(ended=replay_pb2.LogEnded(result=info.result, note=note))
        reveal = info.seed_reveal if info.HasField("seed_reveal") else None
        ended = event_pb2.GameEnded(result=info.result, seed_reveal=reveal)
        entry.events.add(public_event=event_pb2.PublicEvent(game_ended=ended))
        info.seq = self.header.seq + 1
        marks = Marks(status=Status.ENDED, ended_ms=unix_ms, summary=summary_of(info))
        return self._next(entry, unix_ms), marks

    def released(self, unix_ms: int) -> tuple[LogEntry, Marks]:
        """The entry that opens the seal."""
        info = self.info()
        self._open(info)
        info.seq = self.header.seq + 1
        entry = replay_pb2.LogEntry(released=replay_pb2.LogReleased())
        return self._next(entry, unix_ms), Marks(sealed=False, summary=summary_of(info))

    def _next(self, entry: replay_pb2.LogEntry, unix_ms: int) -> LogEntry:
        """The entry after the last, which leaves the position as it is."""
        entry.seq = self.header.seq + 1
        entry.time_unix_ms = unix_ms
        entry.position_hash = self._entries[-1].position_hash if self._entries else b""
        before = self._logged[-1].chain if self._logged else NO_CHAIN
        kind = entry.WhichOneof("entry") or ""
        payload = entry.SerializeToString(deterministic=True)
        return next_entry(before, self.header.game_id, entry.seq, kind, unix_ms, payload)


class StoredGameCommand(Command):
    """What an operator does with a game that is not in memory: end it, or open its seal."""

    __slots__ = ("_command", "_outcome", "_stored")

    def __init__(
        self,
        command: AbortGame | ReleaseReveal,
        stored: StoredGame,
        outcome: result_pb2.GameOutcome.ValueType = result_pb2.GAME_OUTCOME_ABORTED,
    ) -> None:
        super().__init__(command.game_id, command.asked, command.request_id)
        self._command = command
        self._stored = stored
        self._outcome = outcome

    def key(self, game: Game | None) -> RequestKey | None:
        return self._command.key(game)

    def append(self, now: Now) -> Append:
        """What the store is to commit."""
        if isinstance(self._command, AbortGame):
            note = self._command.request.note
            entry, marks = self._stored.ended(self._outcome, note, now.unix_ms)
        else:
            entry, marks = self._stored.released(now.unix_ms)
        key = self.key(None)
        request = None if key is None else key.answered(accepted_seq(entry.seq))
        return Append(self.game_id, self._stored.header.seq, [entry], request, marks)


def _head_without_log(header: Header) -> game_pb2.GameInfo:
    """What the listing says of a game whose log cannot be read."""
    created = replay_pb2.LogCreated(
        config=config_of(header),
        rules_version=header.rules_version,
        content_hash=header.content_hash,
        seed_commitment=header.commitment,
    )
    first = replay_pb2.LogEntry(time_unix_ms=header.created_ms, created=created)
    head = head_of(header.game_id, [first], tournament_id=header.tournament_id)
    for number, seat in enumerate(head.seats):
        seat.taken = seat.taken or number in header.players
    now = game_pb2.GameInfo(
        status=game_pb2.GameStatus.ValueType(header.status),
        seq=header.seq,
        started_unix_ms=header.started_ms,
        ended_unix_ms=header.ended_ms,
    )
    head.MergeFrom(now)
    return head


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
