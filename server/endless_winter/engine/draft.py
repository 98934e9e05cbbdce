"""What may be appended to a game's log next.

A draft is a copy of the table to which entries are added one by one; each happens at once. If the
store commits them the draft becomes the table; if not, nothing has happened. What follows from an
entry by itself (the start, standing answers, the moves of a forfeited seat or of the Nomad, the
end) is part of the same draft, so that it is committed together or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.engine import clocks
from endless_winter.engine.choice import Choice, Timing, entry_bytes
from endless_winter.engine.events import EntryEvents, choice_events, entry_events, log_bytes
from endless_winter.engine.info import log_seat, reveal_of
from endless_winter.engine.outcome import result_of, without_result
from endless_winter.engine.refusal import Refusal, game_ended, invalid
from endless_winter.engine.table import ENDED, RUNNING, STARTING, Table, position_hash
from endless_winter.store.records import LogEntry, Player, chain_after
from endless_winter.v1 import decision_pb2, event_pb2, replay_pb2, result_pb2
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.engine.clocks import Now
    from endless_winter.store.records import Secret
    from endless_winter.views import Happened, Words

_BY_PLAYER = event_pb2.CHOICE_ORIGIN_PLAYER

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


class Draft:
    """A table as it would be, and the log entries that make it so."""

    __slots__ = (
        "_secret",
        "_words",
        "chain",
        "entries",
        "events",
        "first_seq",
        "now",
        "players",
        "private",
        "table",
        "timings",
    )

    def __init__(self, table: Table, now: Now, words: Words, secret: Secret, chain: bytes) -> None:
        """`table` is the draft's own; everything in it happens `now`."""
        self.table = table
        self.now = now
        self.first_seq = table.seq
        self.chain = chain
        self.entries: list[LogEntry] = []
        self.events: list[EntryEvents] = []
        self.players: list[Player] = []
        self.private: dict[int, bytes] = {}  # by the number of its entry
        self.timings: dict[int, Timing] = {}  # of the seats' own answers
        self._words = words
        self._secret = secret

    def add(self, entry: replay_pb2.LogEntry, private: bytes = b"") -> int:
        """Let an entry of any kind but a choice be the next; its number."""
        table = self.table
        entry.seq = table.seq + 1
        entry.time_unix_ms = self.now.unix_ms
        happened = table.apply(entry, private)
        entry.position_hash = position_hash(table)
        if private:
            self.private[entry.seq] = private
        reveal = reveal_of(table, self._secret)
        found = entry_events(entry, table, happened, self._words, reveal)
        head = entry.SerializeToString(deterministic=True)
        return self._append(entry.WhichOneof("entry") or "", head, found)

    def choose(self, choice: Choice) -> int:
        """Let a choice be the next entry; its number."""
        table = self.table
        happened = table.choose(choice)
        found = choice_events(choice, table, happened, self._words)
        head = entry_bytes(table.seq, self.now.unix_ms, position_hash(table), choice)
        return self._append("choice", head, found)

    def _append(self, kind: str, head: bytes, events: list[Happened]) -> int:
        table = self.table
        seq = table.seq
        payload = head + log_bytes(events)
        self.chain = chain_after(self.chain, table.game_id, seq, kind, self.now.unix_ms, payload)
        self.entries.append(LogEntry(seq, kind, self.now.unix_ms, payload, self.chain))
        self.events.append(EntryEvents(seq, payload, table.people, events))
        return seq


def take_seat(draft: Draft, seat: int, player: Player, *, bot: bool = False) -> None:
    """Bind a seat to somebody."""
    draft.players.append(player)
    draft.table.add_player(player)
    logged = log_seat(draft.table, seat)
    logged.taken = True
    logged.player_id = player.player_id
    logged.handed_to_bot = logged.handed_to_bot or bot
    draft.add(replay_pb2.LogEntry(seat=replay_pb2.LogSeat(seat=logged)))


def free_seat(draft: Draft, seat: int, note: str = "", key: bytes = b"") -> None:
    """Take a seat from its holder; with a key only a new invitation takes it again."""
    logged = log_seat(draft.table, seat)
    logged.taken = logged.handed_to_bot = False
    logged.player_id = ""
    draft.add(replay_pb2.LogEntry(seat=replay_pb2.LogSeat(seat=logged, note=note)), key)


def ready(draft: Draft, seat: int) -> int:
    """Say Ready; with the last one the game starts."""
    table = draft.table
    if table.status == ENDED:
        raise game_ended()
    if table.status == RUNNING:
        raise Refusal(reasons.REJECTION_REASON_GAME_STARTED, "the game has started")
    seq = draft.add(replay_pb2.LogEntry(ready=replay_pb2.LogReady(seat=seat)))
    if table.status == STARTING and all(known.ready or known.served for known in table.seats):
        draft.add(replay_pb2.LogEntry(started=replay_pb2.LogStarted()))
        settle(draft)
    return seq


def choose(
    draft: Draft,
    seat: int,
    option_id: int,
    *,
    origin: event_pb2.ChoiceOrigin.ValueType,
    charged: Timing | None = None,
    request_id: str = "",
    by_standing_answer: bool = False,
) -> Choice:
    """Log a choice of the pending decision; the caller has checked that it is the seat's."""
    table = draft.table
    game = table.game
    assert game is not None
    choice = Choice(
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
    draft.choose(choice)
    if charged is not None and origin == _BY_PLAYER:
        draft.timings[seat] = charged
    return choice


def take_default(
    draft: Draft,
    *,
    origin: event_pb2.ChoiceOrigin.ValueType,
    charged: Timing | None = None,
    by_standing_answer: bool = False,
) -> None:
    game = draft.table.game
    assert game is not None
    choose(
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
    logged = replay_pb2.LogForfeit(seat=seat, reason=reason)
    draft.add(replay_pb2.LogEntry(forfeit=logged))


def set_standing(
    draft: Draft,
    seat: int,
    answers: Iterable[decision_pb2.StandingAnswer],
    waited: Timing | None = None,
) -> int:
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
        raise invalid("answers", "at most one standing answer per decision kind")
    logged = replay_pb2.LogStandingAnswers(seat=seat, answers=answers)
    seq = draft.add(replay_pb2.LogEntry(standing_answers=logged))
    settle(draft, waited)
    return seq


def undo(draft: Draft, seat: int) -> int:
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
    logged = replay_pb2.LogUndo(seat=seat, back_to_seq=table.undo[-1].seq)
    return draft.add(replay_pb2.LogEntry(undo=logged))


def abort(draft: Draft, outcome: result_pb2.GameOutcome.ValueType, note: str = "") -> None:
    """End the game without scoring."""
    if draft.table.status == ENDED:
        raise game_ended()
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
