"""What may be appended to a game's log next.

A draft is a copy of the table to which entries are added one by one, each let happen at once. If
the store takes them the draft becomes the table; if not, nothing has happened. What follows from
an entry without anybody's doing (the start, standing answers, the moves of a forfeited seat or of
the Nomad, the end) is part of the same draft, so that it is committed together or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.service import clocks
from endless_winter.service.choice import Choice, Timing, entry_bytes, read_choice
from endless_winter.service.outcome import result_of, without_result
from endless_winter.service.refusal import Refusal
from endless_winter.service.table import (
    ENDED,
    OPEN,
    RUNNING,
    SEED_FROM_CREATOR,
    STARTING,
    Table,
    position_hash,
)
from endless_winter.v1 import (
    decision_pb2,
    event_pb2,
    game_pb2,
    replay_pb2,
    result_pb2,
)
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from endless_winter.rules.state import Event
    from endless_winter.service.telling import Telling

# What nobody can answer in advance: the course of the game, and what is chosen once.
_NEVER_STANDING = frozenset(
    (
        decision_pb2.DECISION_KIND_UNSPECIFIED,
        decision_pb2.DECISION_KIND_CHIEF,
        decision_pb2.DECISION_KIND_CHIEF_SIDE,
        decision_pb2.DECISION_KIND_SETUP_CARD,
        decision_pb2.DECISION_KIND_STARTING_BASE,
        decision_pb2.DECISION_KIND_LANDMARK,
        decision_pb2.DECISION_KIND_TURN,
        decision_pb2.DECISION_KIND_ACT,
        decision_pb2.DECISION_KIND_MODULE,  # may be either
    )
)


class Step:
    """An entry, what the log keeps beside it, and what happened."""

    __slots__ = (
        "_entry",
        "_head",
        "_payload",
        "at_ms",
        "choice",
        "happened",
        "kind",
        "position_hash",
        "private",
        "seq",
        "told",
    )

    def __init__(
        self, entry: replay_pb2.LogEntry | None, private: bytes, happened: list[Event]
    ) -> None:
        """A choice has no message at first: it is made of `choice` and bytes."""
        self._entry = entry
        self._head = b""
        self._payload = b""
        self.private = private
        self.happened = happened
        self.told: Telling | None = None
        self.choice: Choice | None = None
        if entry is not None:
            self.kind = entry.WhichOneof("entry") or ""
            self.seq = entry.seq
            self.at_ms = entry.time_unix_ms
            self.position_hash = entry.position_hash
            if self.kind == "choice":
                self.choice = read_choice(entry.choice)

    @staticmethod
    def of_choice(
        seq: int, at_ms: int, position_hash: bytes, choice: Choice, happened: list[Event]
    ) -> Step:
        step = Step(None, b"", happened)
        step.kind = "choice"
        step.seq = seq
        step.at_ms = at_ms
        step.position_hash = position_hash
        step.choice = choice
        step._head = entry_bytes(seq, at_ms, position_hash, choice)  # its own
        return step

    @property
    def entry(self) -> replay_pb2.LogEntry:
        """The entry as a message, without the events that follow from it."""
        if self._entry is None:
            self._entry = replay_pb2.LogEntry.FromString(self._head)
        return self._entry

    def payload(self) -> bytes:
        """What the store keeps: the serialized entry with its events."""
        if not self._payload:
            head = self._head or self.entry.SerializeToString(deterministic=True)
            self._payload = head if self.told is None else head + self.told.log_bytes()
        return self._payload


class Draft:
    """A table as it would be, and the entries that make it so."""

    __slots__ = ("now_ms", "steps", "table", "tell")

    def __init__(
        self, table: Table, now_ms: int, tell: Callable[[Step, Table], Telling] | None = None
    ) -> None:
        self.table = table
        self.now_ms = now_ms
        self.steps: list[Step] = []
        # What follows from an entry is told of the position after just that entry: called at once.
        self.tell = tell

    @staticmethod
    def of(table: Table, now_ms: int) -> Draft:
        return Draft(table.copy(), now_ms)

    def add(self, entry: replay_pb2.LogEntry, private: bytes = b"") -> Step:
        entry.seq = self.table.seq + 1
        entry.time_unix_ms = self.now_ms
        happened = self.table.apply(entry, private)
        entry.position_hash = position_hash(self.table)
        return self._told(Step(entry, private, happened))

    def choose(self, choice: Choice) -> Step:
        table = self.table
        happened = table.choose(choice)
        hashed = position_hash(table)
        return self._told(Step.of_choice(table.seq, self.now_ms, hashed, choice, happened))

    def _told(self, step: Step) -> Step:
        if self.tell is not None:
            step.told = self.tell(step, self.table)
        self.steps.append(step)
        return step


def create(
    draft: Draft,
    *,
    rules_version: str,
    content_hash: str,
    commitment: bytes,
    seed_from_creator: bool = False,
) -> None:
    created = replay_pb2.LogCreated(
        config=draft.table.config,
        rules_version=rules_version,
        content_hash=content_hash,
        seed_commitment=commitment,
    )
    private = SEED_FROM_CREATOR if seed_from_creator else b""
    draft.add(replay_pb2.LogEntry(created=created), private)


def restart(draft: Draft, server_version: str) -> None:
    """A game that was loaded goes on: its clocks did not run meanwhile."""
    told = replay_pb2.LogRestart(server_version=server_version)
    draft.add(replay_pb2.LogEntry(restart=told))


def take_seat(
    draft: Draft, seat: int, holder: bytes, display_name: str, *, bot: bool = False
) -> None:
    told = _seat_info(draft.table, seat)
    told.taken = True
    told.display_name = display_name
    told.handed_to_bot = told.handed_to_bot or bot
    draft.add(replay_pb2.LogEntry(seat=replay_pb2.LogSeat(seat=told)), holder)


def free_seat(draft: Draft, seat: int, note: str = "", key: bytes = b"") -> None:
    """Take a seat from its holder; with a key only a new invitation takes it again."""
    told = _seat_info(draft.table, seat)
    told.taken = False
    told.display_name = ""
    told.handed_to_bot = False
    draft.add(replay_pb2.LogEntry(seat=replay_pb2.LogSeat(seat=told, note=note)), key)


def _seat_info(table: Table, seat: int) -> game_pb2.SeatInfo:
    known = table.seats[seat]
    return game_pb2.SeatInfo(
        seat=seat,
        kind=known.kind,
        taken=bool(known.holder) or known.served,
        display_name=known.display_name,
        handed_to_bot=known.handed_to_bot,
    )


def ready(draft: Draft, seat: int) -> Step:
    """Say Ready; with the last one the game starts."""
    table = draft.table
    if table.status == ENDED:
        raise Refusal(reasons.REJECTION_REASON_GAME_ENDED, "the game has ended")
    if table.status == RUNNING:
        raise Refusal(reasons.REJECTION_REASON_GAME_STARTED, "the game has started")
    step = draft.add(replay_pb2.LogEntry(ready=replay_pb2.LogReady(seat=seat)))
    if table.status == STARTING and all(known.ready or known.served for known in table.seats):
        draft.add(replay_pb2.LogEntry(started=replay_pb2.LogStarted()))
        settle(draft)
    return step


def choose(
    draft: Draft,
    seat: int,
    option_id: int,
    *,
    origin: event_pb2.ChoiceOrigin.ValueType,
    charged: Timing | None = None,
    request_id: str = "",
    by_standing_answer: bool = False,
) -> Step:
    """Log a choice of the pending decision; the caller has checked that it is the seat's."""
    table = draft.table
    game = table.game
    assert game is not None
    return draft.choose(
        Choice(
            seat,
            table.decision_id,
            option_id,
            game.text(game.options()[option_id]),
            origin,
            by_standing_answer,
            request_id,
            charged,
            clocks.bank_after_ms(table, seat, charged.charged_ms if charged is not None else 0),
        )
    )


def take_default(
    draft: Draft,
    *,
    origin: event_pb2.ChoiceOrigin.ValueType,
    charged: Timing | None = None,
    by_standing_answer: bool = False,
) -> Step:
    game = draft.table.game
    assert game is not None
    return choose(
        draft,
        draft.table.deciding_seat,
        game.options().index(game.default),
        origin=origin,
        charged=charged,
        by_standing_answer=by_standing_answer,
    )


def expire(draft: Draft, charged_ms: int, most_timeouts: int) -> None:
    """The clock ran out: the default is taken, and the seat is forfeited after so many."""
    table = draft.table
    seat = table.deciding_seat
    charged = Timing(charged_ms)
    take_default(draft, origin=event_pb2.CHOICE_ORIGIN_CLOCK, charged=charged)
    if table.seats[seat].timeouts >= most_timeouts and not table.seats[seat].forfeited:
        _forfeit(draft, seat, result_pb2.END_REASON_TIME_OUT)
    settle(draft)


def forfeit(draft: Draft, seat: int, reason: result_pb2.EndReason.ValueType) -> None:
    """The seat's part is over: it is played by defaults at once."""
    _forfeit(draft, seat, reason)
    settle(draft)


def _forfeit(draft: Draft, seat: int, reason: result_pb2.EndReason.ValueType) -> None:
    told = replay_pb2.LogForfeit(seat=seat, reason=reason)
    draft.add(replay_pb2.LogEntry(forfeit=told))


def set_standing(
    draft: Draft,
    seat: int,
    answers: Iterable[decision_pb2.StandingAnswer],
    waited: Timing | None = None,
) -> Step:
    """What a seat answers from now on; `waited` is for a question of its own that is pending."""
    answers = list(answers)
    kinds = [answer.kind for answer in answers]
    known = decision_pb2.DecisionKind.values()
    if any(kind in _NEVER_STANDING or kind not in known for kind in kinds):
        raise Refusal(
            reasons.REJECTION_REASON_STANDING_ANSWER_IMPOSSIBLE,
            "turns, the set-up and questions of the kind MODULE cannot be answered in advance",
        )
    if len(set(kinds)) < len(kinds):
        raise Refusal(
            reasons.REJECTION_REASON_INVALID_ARGUMENT,
            "at most one standing answer per decision kind",
            field="answers",
        )
    told = replay_pb2.LogStandingAnswers(seat=seat, answers=answers)
    step = draft.add(replay_pb2.LogEntry(standing_answers=told))
    settle(draft, waited)
    return step


def undo(draft: Draft, seat: int) -> Step:
    """Take back the seat's last choice."""
    table = draft.table
    if not table.undo_allowed:
        raise Refusal(
            reasons.REJECTION_REASON_UNDO_IMPOSSIBLE, "this game was created without undo"
        )
    if not table.can_undo(seat):
        raise Refusal(
            reasons.REJECTION_REASON_UNDO_IMPOSSIBLE,
            "there is no own choice since something was revealed or somebody else chose",
        )
    told = replay_pb2.LogUndo(seat=seat, back_to_seq=table.undo[-1].seq)
    return draft.add(replay_pb2.LogEntry(undo=told))


def abort(draft: Draft, outcome: result_pb2.GameOutcome.ValueType, note: str = "") -> None:
    """End the game without scoring."""
    if draft.table.status == ENDED:
        raise Refusal(reasons.REJECTION_REASON_GAME_ENDED, "the game has ended")
    ended = replay_pb2.LogEnded(result=without_result(draft.table, outcome), note=note)
    draft.add(replay_pb2.LogEntry(ended=ended))


def settle(draft: Draft, waited: Timing | None = None) -> None:
    """Let happen what needs nobody: forfeited seats, standing answers, the Nomad, the end.

    And the rest of a turn for which its seat has no time left.

    `waited` is what the pending question has taken so far, if a standing answer may end it.
    """
    table = draft.table
    while table.status == RUNNING:
        game = table.game
        assert game is not None
        if game.position.over:
            ended = replay_pb2.LogEnded(result=result_of(table))
            draft.add(replay_pb2.LogEntry(ended=ended))
            return
        seat = table.seats[table.deciding_seat]
        if seat.forfeited:
            take_default(draft, origin=event_pb2.CHOICE_ORIGIN_FORFEIT)
        elif seat.standing and kind_of(game) in seat.standing:
            take_default(
                draft,
                origin=event_pb2.CHOICE_ORIGIN_PLAYER,
                charged=waited,
                by_standing_answer=True,
            )
            waited = None  # the next questions take no time
        elif seat.served:
            take_default(draft, origin=event_pb2.CHOICE_ORIGIN_SERVER)
        elif table.has_run_out(table.deciding_seat):
            take_default(draft, origin=event_pb2.CHOICE_ORIGIN_CLOCK)
        else:
            return


def is_open(table: Table) -> bool:
    return table.status in (OPEN, STARTING)
