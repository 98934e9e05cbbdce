"""A game as its log has it: a fold of log entries, without clocks, networks or files.

The same fold serves play and recovery: what happens is first a log entry, and applying the entry is
the only way in which a table changes. A draft works on a copy, so a commit that fails leaves the
table as it was. A copy shares what it can: a choice replaces the `Game` of its table by a new one,
and a seat that changes is replaced by `Table.own`; neither is ever changed in place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import Game, events
from endless_winter.rules.fingerprint import fingerprint
from endless_winter.v1 import config_pb2, event_pb2, game_pb2, result_pb2
from endless_winter.views.plans import is_revealing
from endless_winter.views.words import PLACES

if TYPE_CHECKING:
    from endless_winter.rules import Config
    from endless_winter.rules.state import Event
    from endless_winter.store.records import Player
    from endless_winter.v1 import replay_pb2

OPEN: Final = game_pb2.GAME_STATUS_OPEN
STARTING: Final = game_pb2.GAME_STATUS_STARTING
RUNNING: Final = game_pb2.GAME_STATUS_RUNNING
ENDED: Final = game_pb2.GAME_STATUS_ENDED

_BY_PLAYER: Final = event_pb2.CHOICE_ORIGIN_PLAYER
_BY_CLOCK: Final = event_pb2.CHOICE_ORIGIN_CLOCK
_BY_SERVER: Final = config_pb2.SEAT_KIND_NOMAD
MOST_UNDONE: Final = 64  # in one turn: a seat whose decisions alone are timed could go on for ever
MOST_STANDING: Final = 64  # times in one turn that a seat sets its standing answers, for the same

# What each seat has done, in one flat list for all: it is copied and changed with every choice.
ANSWERS: Final = 0  # choices of its own; what the clock or a forfeit chose is not counted
CHARGED_MS: Final = 1
LONGEST_MS: Final = 2
PLACED: Final = 3  # from here on one for each place of a figure, by the core's number
TALLY: Final = PLACED + len(PLACES)  # numbers of one seat

NOMAD_NAME = "Nomad"
# The seats that take an invitation.
INVITED = (config_pb2.SEAT_KIND_RESERVED, config_pb2.SEAT_KIND_NOMAD_CLIENT)
_NOMADS = (config_pb2.SEAT_KIND_NOMAD, config_pb2.SEAT_KIND_NOMAD_CLIENT)


# No dataclasses: mypyc leaves their constructors to the interpreter.
class Seat:
    """What the log knows of a seat."""

    __slots__ = (
        "bank_ms",
        "bot_name",
        "display_name",
        "forfeited",
        "forfeited_seq",
        "generation",
        "handed_to_bot",
        "holder",
        "key",
        "kind",
        "player_id",
        "ran_out",
        "ready",
        "revoked",
        "standing",
        "timeouts",
        "wrong_answers",
        "wrong_in_all",
    )

    def __init__(self, kind: config_pb2.SeatKind.ValueType, bot_name: str = "") -> None:
        self.kind = kind
        self.bot_name = bot_name
        self.player_id = ""  # the random id of whom the log names here; empty: the seat is free
        self.holder = b""  # the hash of that player's client secret; empty: free, or erased
        self.generation = 0  # how often it became free: each time has an invitation of its own
        self.key = b""  # set when an operator rebinds it: only the new invitation takes it
        self.revoked: tuple[bytes, ...] = ()  # holders that operators took it from
        self.display_name = ""
        self.ready = False
        self.forfeited: result_pb2.EndReason.ValueType = result_pb2.END_REASON_UNSPECIFIED
        self.forfeited_seq = 0
        self.handed_to_bot = False
        self.timeouts = 0
        self.ran_out = -1  # the number of the last turn for which it had no time left
        self.wrong_answers = 0  # to the pending decision
        self.wrong_in_all = 0  # not in the log: a remark in the result that a restart forgets
        self.bank_ms: int | None = None
        self.standing: frozenset[int] = frozenset()  # kinds of decisions answered in advance

    @property
    def served(self) -> bool:
        """Whether the server itself plays it: nobody can take it, and it is never asked."""
        return self.kind == _BY_SERVER

    @property
    def is_nomad(self) -> bool:
        return self.kind in _NOMADS

    @property
    def is_free(self) -> bool:
        """Whether anyone could take it."""
        return self.kind == config_pb2.SEAT_KIND_OPEN and not (self.player_id or self.key)

    def copy(self) -> Seat:
        new = Seat(self.kind, self.bot_name)
        new.player_id = self.player_id
        new.holder = self.holder
        new.generation = self.generation
        new.key = self.key
        new.revoked = self.revoked
        new.display_name = self.display_name
        new.ready = self.ready
        new.forfeited = self.forfeited
        new.forfeited_seq = self.forfeited_seq
        new.handed_to_bot = self.handed_to_bot
        new.timeouts = self.timeouts
        new.ran_out = self.ran_out
        new.wrong_answers = self.wrong_answers
        new.wrong_in_all = self.wrong_in_all
        new.bank_ms = self.bank_ms
        new.standing = self.standing
        return new


class Undoable:
    """A position that can be gone back to, and the entry that made it."""

    __slots__ = ("game", "seq", "tally")

    def __init__(self, seq: int, game: Game, tally: list[int]) -> None:
        self.seq = seq  # the undone choice's decision: everything after this entry is void
        self.game = game  # the one that the choice replaced
        self.tally = tally  # as it was then


class Table:
    """One game: who sits where, the position, and what the log says besides."""

    __slots__ = (
        "choices",
        "config",
        "created_ms",
        "deciding_seat",
        "decision_id",
        "ended_ms",
        "forfeited",
        "game",
        "game_id",
        "people",
        "released",
        "result",
        "reveals",
        "rules",
        "seats",
        "seed",
        "seed_from_creator",
        "seq",
        "started_ms",
        "status",
        "tally",
        "turn_used_ms",
        "turns",
        "undo",
        "undone",
    )

    def __init__(
        self,
        game_id: str,
        config: config_pb2.GameConfig,
        rules: Config,
        seed: bytes,
        seats: list[Seat],
    ) -> None:
        self.game_id = game_id
        self.config = config
        self.rules = rules
        self.seed = seed
        self.seats = seats
        self.status: game_pb2.GameStatus.ValueType = OPEN
        self.seq = 0
        self.created_ms = 0
        self.started_ms = 0
        self.ended_ms = 0
        self.game: Game | None = None
        self.deciding_seat = -1  # whose choice is pending; -1: nobody's
        self.decision_id = 0  # the entry after which the pending decision is asked
        self.choices = 0
        self.turns = 0  # figure turns and Eclipse turns that have begun
        # What each seat was charged in this turn so far; until the first, in the set-up.
        self.turn_used_ms: tuple[int, ...] = ()
        self.reveals = 0  # times that something hidden came to light
        self.undone = 0  # choices that were taken back in this turn
        self.undo: list[Undoable] = []
        self.result: result_pb2.GameResult | None = None
        self.seed_from_creator = False
        self.released = False  # an operator has opened the seal of a game with hold_reveal
        self.forfeited: frozenset[int] = frozenset()  # seats that are played by defaults
        self.people: dict[str, Player] = {}  # by the ids that the log has; replaced, never changed
        self.tally: list[int] = []  # see TALLY; empty before the start

    def copy(self) -> Table:
        """An independent table; games, seats and messages are shared, since nobody changes them."""
        new = Table(
            self.game_id,
            self.config,
            self.rules,
            self.seed,
            self.seats[:],
        )
        new.status = self.status
        new.seq = self.seq
        new.created_ms = self.created_ms
        new.started_ms = self.started_ms
        new.ended_ms = self.ended_ms
        new.game = self.game
        new.deciding_seat = self.deciding_seat
        new.decision_id = self.decision_id
        new.choices = self.choices
        new.turns = self.turns
        new.turn_used_ms = self.turn_used_ms
        new.reveals = self.reveals
        new.undone = self.undone
        new.undo = self.undo[:]
        new.result = self.result
        new.seed_from_creator = self.seed_from_creator
        new.released = self.released
        new.forfeited = self.forfeited
        new.people = self.people
        new.tally = self.tally[:]
        return new

    # --- looking ---

    def is_open(self) -> bool:
        """Whether the game has not started yet."""
        return self.status in (OPEN, STARTING)

    def open_seats(self) -> int:
        """How many seats anyone could take."""
        return sum([seat.is_free for seat in self.seats])

    def can_undo(self, seat: int) -> bool:
        """The Nomad has no choices, so nothing of it can be taken back."""
        if not (self.undo and self.config.undo_allowed and self.deciding_seat == seat):
            return False
        return self.undone < MOST_UNDONE and not self.seats[seat].is_nomad

    # --- the fold ---

    def own(self, number: int) -> Seat:
        """A seat that this table alone has, to be changed."""
        seat = self.seats[number].copy()
        self.seats[number] = seat
        return seat

    def apply(self, entry: replay_pb2.LogEntry, private: bytes = b"") -> list[Event]:
        """Let an entry happen; the events of the rules core.

        `private` is what is stored with the secrets: the key of a seat that waits for a new holder.
        """
        if entry.seq != self.seq + 1:
            raise ValueError(f"entry {entry.seq} after {self.seq} in the log of {self.game_id}")
        kind = entry.WhichOneof("entry")
        self.seq = entry.seq
        if kind == "choice":
            return self._choose(entry.choice)
        if kind == "started":
            return self._start(entry.time_unix_ms)
        if kind == "created":
            self.created_ms = entry.time_unix_ms
            self.seed_from_creator = entry.created.seed_from_creator
        elif kind == "seat":
            self._bind(entry.seat, private)
        elif kind == "ready":
            self.own(entry.ready.seat).ready = True
        elif kind == "standing_answers":
            kinds = frozenset(answer.kind for answer in entry.standing_answers.answers)
            self.own(entry.standing_answers.seat).standing = kinds
        elif kind == "undo":
            self._undo(entry.undo.back_to_seq)
        elif kind == "forfeit":
            seat = self.own(entry.forfeit.seat)
            seat.forfeited = entry.forfeit.reason
            seat.forfeited_seq = entry.seq
            self.forfeited |= {entry.forfeit.seat}
            self.undo.clear()
        elif kind == "released":
            self.released = True
        elif kind == "ended":
            self.status = ENDED
            self.deciding_seat = -1
            self.ended_ms = entry.time_unix_ms
            self.result = entry.ended.result
            self.undo.clear()
        return []  # a restart is for the reader of the log

    def _start(self, unix_ms: int) -> list[Event]:
        self.status = RUNNING
        self.started_ms = unix_ms
        control = self.config.time_control
        for number, seat in enumerate(self.seats):
            timed = control.HasField("bank_ms") and not seat.served
            self.own(number).bank_ms = control.bank_ms if timed else None
        self.tally = [0] * (len(self.seats) * TALLY)
        self.turn_used_ms = (0,) * len(self.seats)
        self.game = Game.new(self.rules, self.seed, listen=True)
        happened = self.game.take_events()
        self._begin_turns(happened)
        self._pending()
        return happened

    def _undo(self, back_to_seq: int) -> None:
        back = self.undo.pop()
        while back.seq != back_to_seq:
            back = self.undo.pop()
        self.game = back.game
        # Choices that were taken back cost their time all the same, but placed nothing.
        for at in range(PLACED, len(self.tally), TALLY):
            end = at + len(PLACES)
            self.tally[at:end] = back.tally[at:end]
        self.undone += 1
        self._pending()

    def _bind(self, logged: replay_pb2.LogSeat, key: bytes) -> None:
        """A seat gets a holder or loses it; a note says that an operator did it."""
        seat = self.own(logged.seat.seat)
        seat.handed_to_bot = logged.seat.handed_to_bot
        if logged.seat.taken:
            seat.player_id = logged.seat.player_id
            player = self.people.get(seat.player_id)
            # Without the person (erased, or a record from elsewhere) the log's own name is used.
            seat.holder = b"" if player is None else player.client
            named = logged.seat.display_name
            seat.display_name = named if player is None else player.display_name
            seat.revoked = tuple([holder for holder in seat.revoked if holder != seat.holder])
        else:
            if logged.note and seat.holder:
                seat.revoked += (seat.holder,)
            seat.player_id = seat.display_name = ""
            seat.holder = b""
            seat.ready = False
            seat.standing = frozenset()  # who comes next has said nothing yet
            seat.generation += 1
            seat.key = key
        if self.is_open():
            full = all(seat.player_id or seat.served for seat in self.seats)
            self.status = STARTING if full else OPEN

    def _choose(self, choice: replay_pb2.LogChoice) -> list[Event]:
        """Nearly all that ever happens."""
        seat, origin, charged_ms = choice.seat, choice.origin, choice.timing.charged_ms
        before = self.game
        assert before is not None
        undoable = None
        if self.config.undo_allowed:
            undoable = Undoable(choice.decision_id, before, self.tally[:])
        game = before.copy()
        game.listen()
        happened = game.apply(game.options()[choice.option_id], seat)
        self.game = game
        self.choices += 1
        if choice.HasField("bank_after_ms"):
            self.own(seat).bank_ms = choice.bank_after_ms
        if charged_ms:
            used = list(self.turn_used_ms)
            used[seat] += charged_ms
            self.turn_used_ms = tuple(used)
        if origin == _BY_CLOCK:
            self._expire(seat)
        if origin == _BY_PLAYER:
            at = seat * TALLY
            self.tally[at + ANSWERS] += 1
            self.tally[at + CHARGED_MS] += charged_ms
            if charged_ms > self.tally[at + LONGEST_MS]:  # noqa: PLR1730 # max() takes longer
                self.tally[at + LONGEST_MS] = charged_ms
        revealed = self._begin_turns(happened)
        self._pending()
        if revealed or self.deciding_seat != seat:
            self.undo.clear()
        elif undoable is not None:
            self.undo.append(undoable)
        return happened

    def _expire(self, number: int) -> None:
        """Count a default that the clock took.

        A seat whose time for this turn is gone has the rest of it played by defaults, and all of
        that is one time-out: nobody could have answered any of it.
        """
        seat = self.own(number)
        if seat.ran_out != self.turns:
            seat.timeouts += 1
        limit = self.config.time_control
        used_up = limit.HasField("turn_limit_ms") and (
            self.turn_used_ms[number] >= limit.turn_limit_ms
        )
        if used_up or seat.bank_ms == 0:
            seat.ran_out = self.turns

    def _begin_turns(self, happened: list[Event]) -> bool:
        """Start the clock of each turn that has begun, also of one that is over already.

        Returns whether the choice before can no longer be taken back: undo ends with the turn, and
        when something hidden was seen.
        """
        final = False
        for event in happened:
            kind = event[0]
            if kind == events.TURN_BEGAN or kind == events.ECLIPSE_TURN_BEGAN:  # noqa: PLR1714
                self.turns += 1
                self.turn_used_ms = (0,) * len(self.seats)
                self.undone = 0
                bank = self.seats[event[1]].bank_ms
                if bank is not None:
                    increment = self.config.time_control.increment_per_turn_ms
                    self.own(event[1]).bank_ms = bank + increment
                final = True
            elif kind == events.FIGURE_PLACED:
                self.tally[event[1] * TALLY + PLACED + event[3]] += 1
            elif is_revealing(event):
                self.reveals += 1
                final = True
        return final

    def _pending(self) -> None:
        """A new decision is pending: its id is the newest entry's number."""
        assert self.game is not None
        self.decision_id = self.seq
        position = self.game.position
        self.deciding_seat = -1 if position.over else position.agenda[-1][1]
        for number, seat in enumerate(self.seats):
            if seat.wrong_answers:
                self.own(number).wrong_answers = 0


def new_table(game_id: str, config: config_pb2.GameConfig, rules: Config, seed: bytes) -> Table:
    """A game's table as it is before the first entry of its log."""
    seats = [
        Seat(kind=seat.kind or config_pb2.SEAT_KIND_OPEN, bot_name=seat.bot_name)
        for seat in config.seats
    ]
    return Table(game_id, config, rules, seed, seats)


def position_hash(table: Table) -> bytes:
    """The hash that the log has after each entry; empty before the start."""
    return fingerprint(table.game.position) if table.game is not None else b""
