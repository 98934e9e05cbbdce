"""What may be appended to a game's log next.

A draft is a copy of the table to which entries are added one by one; each happens at once. If the
store commits them the draft becomes the table; if not, nothing has happened. What follows from an
entry by itself (the start, standing answers, the moves of a forfeited seat or of the Nomad, the
end) is part of the same draft, so that it is committed together or not at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.engine import clocks
from endless_winter.engine.events import (
    EntryEvents,
    entry_events,
    log_bytes,
    log_seat,
)
from endless_winter.engine.info import reveal_of
from endless_winter.engine.outcome import result_of, without_result
from endless_winter.engine.refusal import Refusal, game_ended, invalid
from endless_winter.engine.table import ENDED, RUNNING, STARTING, position_hash
from endless_winter.store.records import LogEntry, Player, next_entry
from endless_winter.v1 import clock_pb2, decision_pb2, event_pb2, replay_pb2, result_pb2
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import NoMatch, kind_of, match_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.engine.clocks import Now
    from endless_winter.engine.game import Game

_BY_PLAYER = event_pb2.CHOICE_ORIGIN_PLAYER
_BY_CLOCK = event_pb2.CHOICE_ORIGIN_CLOCK
_NO_PLAN = decision_pb2.PLAN_END_UNSPECIFIED

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
        "_game",
        "chain",
        "entries",
        "events",
        "now",
        "plan_end",
        "players",
        "private",
        "table",
        "timings",
    )

    def __init__(self, game: Game, now: Now) -> None:
        """Everything in it happens `now`."""
        self._game = game
        self.table = game.table.copy()
        self.now = now
        self.chain = game.chain
        self.entries: list[LogEntry] = []
        self.events: list[EntryEvents] = []
        self.players: list[Player] = []
        self.private: dict[int, bytes] = {}  # by the number of its entry
        self.timings: dict[int, clock_pb2.AnswerTiming] = {}  # of the seats' own answers
        # The decision at which a plan of its seat ended, and why; (0, ...): at none.
        self.plan_end: tuple[int, decision_pb2.PlanEnd.ValueType] = (0, _NO_PLAN)

    def add(self, entry: replay_pb2.LogEntry, private: bytes = b"") -> int:
        """Let an entry be the next; its number."""
        table = self.table
        entry.seq = table.seq + 1
        entry.time_unix_ms = self.now.unix_ms
        happened = table.apply(entry, private)
        entry.position_hash = position_hash(table)
        if private:
            self.private[entry.seq] = private
        ended = table.status == ENDED
        reveal = reveal_of(table, self._game.identity.secret) if ended else None
        events = entry_events(entry, table, happened, self._game.scribe.words, reveal)
        payload = entry.SerializeToString(deterministic=True) + log_bytes(events)
        kind = entry.WhichOneof("entry") or ""
        logged = next_entry(self.chain, table.game_id, entry.seq, kind, self.now.unix_ms, payload)
        self.chain = logged.chain
        self.entries.append(logged)
        self.events.append(EntryEvents(entry.seq, payload, table.people, events))
        return entry.seq

    def choose(
        self,
        option_id: int,
        origin: event_pb2.ChoiceOrigin.ValueType,
        timing: clock_pb2.AnswerTiming | None = None,
        request_id: str = "",
        *,
        by_standing_answer: bool = False,
    ) -> replay_pb2.LogChoice:
        """Let a choice of the pending decision be the next entry."""
        table = self.table
        game = table.game
        assert game is not None
        seat = table.deciding_seat
        charged_ms = timing.charged_ms if timing is not None else 0
        choice = replay_pb2.LogChoice(
            seat=seat,
            decision_id=table.decision_id,
            option_id=option_id,
            text=game.text(game.options()[option_id]),
            origin=origin,
            by_standing_answer=by_standing_answer,
            request_id=request_id,
            timing=timing,
            bank_after_ms=clocks.bank_after_ms(table, seat, charged_ms),
        )
        self.add(replay_pb2.LogEntry(choice=choice))
        if timing is not None and origin == _BY_PLAYER:
            self.timings[seat] = timing
        return choice

    # --- seats ---

    def take_seat(self, seat: int, player: Player, *, bot: bool = False) -> None:
        """Bind a seat to somebody."""
        self.players.append(player)
        self.table.people = {**self.table.people, player.player_id: player}
        logged = log_seat(self.table, seat)
        logged.taken = True
        logged.player_id = player.player_id
        logged.handed_to_bot = logged.handed_to_bot or bot
        self.add(replay_pb2.LogEntry(seat=replay_pb2.LogSeat(seat=logged)))

    def free_seat(self, seat: int, note: str = "", key: bytes = b"") -> None:
        """Take a seat from its holder; with a key only a new invitation takes it again."""
        logged = log_seat(self.table, seat)
        logged.taken = logged.handed_to_bot = False
        logged.player_id = ""
        self.add(replay_pb2.LogEntry(seat=replay_pb2.LogSeat(seat=logged, note=note)), key)

    def ready(self, seat: int) -> int:
        """Say Ready; with the last one the game starts."""
        table = self.table
        if table.status == ENDED:
            raise game_ended()
        if table.status == RUNNING:
            raise Refusal(reasons.REJECTION_REASON_GAME_STARTED, "the game has started")
        seq = self.add(replay_pb2.LogEntry(ready=replay_pb2.LogReady(seat=seat)))
        if table.status == STARTING and all(known.ready or known.served for known in table.seats):
            self.add(replay_pb2.LogEntry(started=replay_pb2.LogStarted()))
            self.resolve_forced_moves()
        return seq

    # --- choices ---

    def take_default(
        self,
        origin: event_pb2.ChoiceOrigin.ValueType,
        timing: clock_pb2.AnswerTiming | None = None,
        *,
        by_standing_answer: bool = False,
    ) -> None:
        game = self.table.game
        assert game is not None
        option_id = game.options().index(game.default)
        self.choose(option_id, origin, timing, by_standing_answer=by_standing_answer)

    def follow(
        self, seat: int, plan: Sequence[str], request_id: str
    ) -> tuple[int, decision_pb2.PlanEnd.ValueType]:
        """Take the texts that follow a choice of this draft, while they fit.

        Each answers what the seat would be asked, so what needs nobody is resolved before it.
        Returns how many were taken, and why no more. The rest is dropped.
        """
        table = self.table
        for taken, text in enumerate(plan):
            end = self._end_of_plan(seat)
            if not end:
                assert table.game is not None
                try:
                    option_id = match_text(text, table.game, self._game.scribe)
                except NoMatch:
                    end = decision_pb2.PLAN_END_NO_SUCH_OPTION
            if end:
                if table.deciding_seat == seat:
                    self.plan_end = (table.decision_id, end)
                return taken, end
            self.choose(option_id, _BY_PLAYER, request_id=request_id)
            self.resolve_forced_moves()
        return len(plan), _NO_PLAN

    def _end_of_plan(self, seat: int) -> decision_pb2.PlanEnd.ValueType:
        """What happened in this draft that ends a plan, whatever its next text is.

        A reveal comes first: what follows from it may depend on what was hidden before.
        """
        before, table = self._game.table, self.table
        if table.reveals > before.reveals:
            return decision_pb2.PLAN_END_REVEALED
        if table.deciding_seat != seat:
            return decision_pb2.PLAN_END_NOT_YOUR_DECISION
        if table.turns > before.turns:
            return decision_pb2.PLAN_END_NEW_TURN
        return _NO_PLAN

    def expire(self, charged_ms: int, most_timeouts: int) -> None:
        """The clock ran out: the default is taken, and the seat is forfeited after so many."""
        number = self.table.deciding_seat
        self.take_default(_BY_CLOCK, clock_pb2.AnswerTiming(charged_ms=charged_ms))
        seat = self.table.seats[number]
        if seat.timeouts >= most_timeouts and not seat.forfeited:
            self.forfeit(number, result_pb2.END_REASON_TIME_OUT)
        else:
            self.resolve_forced_moves()

    def forfeit(self, seat: int, reason: result_pb2.EndReason.ValueType) -> None:
        """The seat's part is over: it is played by defaults at once."""
        logged = replay_pb2.LogForfeit(seat=seat, reason=reason)
        self.add(replay_pb2.LogEntry(forfeit=logged))
        self.resolve_forced_moves()

    def set_standing(
        self,
        seat: int,
        answers: Sequence[decision_pb2.StandingAnswer],
        waited: clock_pb2.AnswerTiming | None = None,
    ) -> int:
        """What a seat answers from now on; `waited` is for a question of its own, if pending."""
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
        seq = self.add(replay_pb2.LogEntry(standing_answers=logged))
        self.resolve_forced_moves(waited)
        return seq

    def undo(self, seat: int) -> int:
        """Take back the seat's last choice."""
        table = self.table
        if not table.config.undo_allowed:
            raise Refusal(
                reasons.REJECTION_REASON_UNDO_IMPOSSIBLE, "this game was created without undo"
            )
        if not table.can_undo(seat):
            raise Refusal(
                reasons.REJECTION_REASON_UNDO_IMPOSSIBLE,
                "there is no own choice since something was revealed or somebody else chose",
            )
        logged = replay_pb2.LogUndo(seat=seat, back_to_seq=table.undo[-1].seq)
        return self.add(replay_pb2.LogEntry(undo=logged))

    def abort(self, outcome: result_pb2.GameOutcome.ValueType, note: str = "") -> None:
        """End the game without scoring."""
        if self.table.status == ENDED:
            raise game_ended()
        ended = replay_pb2.LogEnded(result=without_result(self.table, outcome), note=note)
        self.add(replay_pb2.LogEntry(ended=ended))

    def resolve_forced_moves(self, waited: clock_pb2.AnswerTiming | None = None) -> None:
        """Play on while nobody need be asked, and end a game that is over.

        `waited` is what the pending question has taken so far, if a standing answer may end it.
        """
        table = self.table
        while table.status == RUNNING:
            game = table.game
            assert game is not None
            if game.position.over:
                ended = replay_pb2.LogEnded(result=result_of(table))
                self.add(replay_pb2.LogEntry(ended=ended))
                return
            seat = table.seats[table.deciding_seat]
            if seat.forfeited:
                self.take_default(event_pb2.CHOICE_ORIGIN_FORFEIT)
            elif seat.standing and kind_of(game) in seat.standing:
                self.take_default(_BY_PLAYER, waited, by_standing_answer=True)
                waited = None  # the next questions take no time
            elif seat.served:
                self.take_default(event_pb2.CHOICE_ORIGIN_SERVER)
            elif seat.ran_out == table.turns:  # it has no time left for the rest of this turn
                self.take_default(_BY_CLOCK)
            else:
                return
