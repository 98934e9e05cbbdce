"""A game as its log tells it: a fold of log entries, without clocks, networks or files.

The same fold serves play and recovery: whatever happens is first a log entry, and applying the
entry is the only way in which a table changes. A proposal works on a copy (`Table.copy` costs a
few microseconds), so a commit that fails leaves the table as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from endless_winter.rules import Game, agenda, events
from endless_winter.rules.fingerprint import fingerprint
from endless_winter.v1 import config_pb2, event_pb2, game_pb2, result_pb2

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules import Config
    from endless_winter.rules.state import Event
    from endless_winter.v1 import decision_pb2, replay_pb2

OPEN = game_pb2.GAME_STATUS_OPEN
STARTING = game_pb2.GAME_STATUS_STARTING
RUNNING = game_pb2.GAME_STATUS_RUNNING
ENDED = game_pb2.GAME_STATUS_ENDED

# What shows something hidden: no choice before it can be taken back.
_REVEALING = frozenset(
    (
        events.CARDS_DRAWN,
        events.DECK_SHUFFLED,
        events.ANIMAL_REVEALED,
        events.CULTURE_DEALT,
        events.PILE_REVEALED,
        events.GLACIER_TOKEN_FLIPPED,
        events.REST_TOKEN_TAKEN,
        events.REST_TOKEN_SHOWN,
    )
)


SEED_FROM_CREATOR = b"seed from creator"
_ECLIPSE_TURNS = 100  # Eclipse turns are numbered from here


@dataclass(slots=True)
class Seat:
    """What the log knows of a seat."""

    kind: config_pb2.SeatKind.ValueType
    bot_name: str = ""
    holder: bytes = b""  # the hash of its client's secret; empty: free
    generation: int = 0  # how often it became free: each time has an invitation of its own
    key: bytes = b""  # set when an operator rebinds it: only the new invitation takes it
    revoked: tuple[bytes, ...] = ()  # holders that operators took it from
    display_name: str = ""
    ready: bool = False
    forfeited: result_pb2.EndReason.ValueType = result_pb2.END_REASON_UNSPECIFIED
    forfeited_seq: int = 0
    handed_to_bot: bool = False
    timeouts: int = 0
    wrong_answers: int = 0  # to the pending decision
    wrong_in_all: int = 0  # not in the log: a remark in the result that a restart forgets
    bank_ms: int | None = None
    standing: frozenset[decision_pb2.DecisionKind.ValueType] = frozenset()

    def copy(self) -> Seat:
        """By hand: every choice copies every seat, and `dataclasses.replace` takes far longer."""
        return Seat(
            self.kind,
            self.bot_name,
            self.holder,
            self.generation,
            self.key,
            self.revoked,
            self.display_name,
            self.ready,
            self.forfeited,
            self.forfeited_seq,
            self.handed_to_bot,
            self.timeouts,
            self.wrong_answers,
            self.wrong_in_all,
            self.bank_ms,
            self.standing,
        )


@dataclass(slots=True)
class Undoable:
    """A position that can be gone back to, and the entry that made it."""

    seq: int  # the undone choice's decision: everything after this entry no longer counts
    game: Game


@dataclass(slots=True)
class Table:
    """One game: who sits where, the position, and what the log says besides."""

    game_id: str
    config: config_pb2.GameConfig
    rules: Config
    rules_version: str
    seed: bytes
    seats: list[Seat]
    status: game_pb2.GameStatus.ValueType = OPEN
    seq: int = 0
    created_ms: int = 0
    started_ms: int = 0
    ended_ms: int = 0
    game: Game | None = None
    decision_id: int = 0  # the entry after which the pending decision is asked
    choices: int = 0
    turn: tuple[int, int] = (0, 0)
    turn_used_ms: int = 0  # charged in this turn so far
    undo: list[Undoable] = field(default_factory=list)
    result: result_pb2.GameResult | None = None
    seed_from_creator: bool = False
    released: bool = False  # an operator has opened the seal of a game with hold_reveal

    def copy(self) -> Table:
        """An independent table; messages are shared, since nobody changes them."""
        return Table(
            game_id=self.game_id,
            config=self.config,
            rules=self.rules,
            rules_version=self.rules_version,
            seed=self.seed,
            seats=[seat.copy() for seat in self.seats],
            status=self.status,
            seq=self.seq,
            created_ms=self.created_ms,
            started_ms=self.started_ms,
            ended_ms=self.ended_ms,
            game=self.game.copy() if self.game is not None else None,
            decision_id=self.decision_id,
            choices=self.choices,
            turn=self.turn,
            turn_used_ms=self.turn_used_ms,
            undo=self.undo[:],
            result=self.result,
            seed_from_creator=self.seed_from_creator,
            released=self.released,
        )

    # --- looking ---

    @property
    def deciding_seat(self) -> int:
        """Whose choice is pending; -1: nobody's."""
        if self.game is None or self.status != RUNNING or not self.game.options():
            return -1
        return self.game.position.agenda[-1][1]

    @property
    def turn_key(self) -> tuple[int, int]:
        """Which turn is under way: it changes with every figure turn and every Eclipse turn."""
        assert self.game is not None
        position = self.game.position
        for operation, _, number, _ in position.agenda:
            if operation == agenda.ECLIPSE:
                return position.round, _ECLIPSE_TURNS + (number >> 3)
        return position.round, position.turn

    def can_undo(self, seat: int) -> bool:
        return bool(self.undo) and self.config.undo_allowed and self.deciding_seat == seat

    # --- the fold ---

    def apply(self, entry: replay_pb2.LogEntry, private: bytes = b"") -> list[Event]:
        """Let an entry happen; what the rules core told of it.

        `private` is what the log keeps beside an entry: the hash of the secret that a seat is
        bound to, the key of a seat that waits for a new holder, or whether the creator brought
        the seed.
        """
        if entry.seq != self.seq + 1:
            raise ValueError(f"entry {entry.seq} after {self.seq} in the log of {self.game_id}")
        self.seq = entry.seq
        kind = entry.WhichOneof("entry")
        if kind is None:
            return []
        if kind == "seat":
            self._bind(entry.seat, private)
        elif kind == "created":
            self.seed_from_creator = private == SEED_FROM_CREATOR
        return _APPLY[kind](self, entry)

    def _bind(self, told: replay_pb2.LogSeat, private: bytes) -> None:
        """A seat gets a holder or loses it; a note says that an operator did it."""
        seat = self.seats[told.seat.seat]
        if told.seat.taken:
            seat.holder = private
            seat.revoked = tuple([holder for holder in seat.revoked if holder != private])
            return
        if told.note and seat.holder:
            seat.revoked += (seat.holder,)
        seat.holder = b""
        seat.generation += 1
        seat.key = private

    def _pending(self) -> None:
        """A new decision is pending: its id is the newest entry's number."""
        self.decision_id = self.seq
        for seat in self.seats:
            seat.wrong_answers = 0
        if self.turn_key != self.turn:
            self.turn = self.turn_key
            self.turn_used_ms = 0
            self.undo.clear()  # undo ends with the turn
            active = self._active_seat()
            if active is not None and active.bank_ms is not None:
                active.bank_ms += self.config.time_control.increment_per_turn_ms

    def _active_seat(self) -> Seat | None:
        """Whose turn it is, which is not always who chooses; nobody's before the first turn."""
        assert self.game is not None
        position = self.game.position
        turn = self.turn[1]
        if not turn or position.over:
            return None
        if turn >= _ECLIPSE_TURNS:
            return self.seats[position.order[turn - _ECLIPSE_TURNS]]
        return self.seats[position.order[(turn - 1) % len(position.order)]]


def _created(table: Table, entry: replay_pb2.LogEntry) -> list[Event]:
    table.created_ms = entry.time_unix_ms
    return []


def _seat(table: Table, entry: replay_pb2.LogEntry) -> list[Event]:
    told = entry.seat.seat
    seat = table.seats[told.seat]
    seat.display_name = told.display_name
    seat.handed_to_bot = told.handed_to_bot
    if not told.taken:
        seat.ready = False
    full = all(s.holder for s in table.seats)
    if table.status in (OPEN, STARTING):
        table.status = STARTING if full else OPEN
    return []


def _ready(table: Table, entry: replay_pb2.LogEntry) -> list[Event]:
    table.seats[entry.ready.seat].ready = True
    return []


def _started(table: Table, entry: replay_pb2.LogEntry) -> list[Event]:
    table.status = RUNNING
    table.started_ms = entry.time_unix_ms
    bank = table.config.time_control
    for seat in table.seats:
        seat.bank_ms = bank.bank_ms if bank.HasField("bank_ms") else None
    table.game = Game.new(table.rules, table.seed, listen=True)
    table._pending()  # noqa: SLF001 # the fold is part of the class
    return table.game.take_events()


def _choice(table: Table, entry: replay_pb2.LogEntry) -> list[Event]:
    choice = entry.choice
    game = table.game
    assert game is not None
    before = Undoable(choice.decision_id, game.copy())
    code = game.options()[choice.option_id]
    game.listen()
    happened = game.apply(code, seat=choice.seat)
    seat = table.seats[choice.seat]
    if choice.HasField("bank_after_ms"):
        seat.bank_ms = choice.bank_after_ms
    if choice.origin == event_pb2.CHOICE_ORIGIN_CLOCK:
        seat.timeouts += 1
    table.turn_used_ms += choice.timing.charged_ms
    table.choices += 1
    decides = table.deciding_seat
    if decides == choice.seat and not any(_reveals(event) for event in happened):
        table.undo.append(before)
    else:
        table.undo.clear()
    table._pending()  # noqa: SLF001
    return happened


def _reveals(event: Event) -> bool:
    return event[0] in _REVEALING or (event[0] == events.ANIMAL_TAKEN and event[3] == 1)


def _standing(table: Table, entry: replay_pb2.LogEntry) -> list[Event]:
    told = entry.standing_answers
    table.seats[told.seat].standing = frozenset(answer.kind for answer in told.answers)
    return []


def _undo(table: Table, entry: replay_pb2.LogEntry) -> list[Event]:
    back = table.undo.pop()
    while back.seq != entry.undo.back_to_seq:
        back = table.undo.pop()
    table.game = back.game.copy()
    table._pending()  # noqa: SLF001
    return []


def _forfeit(table: Table, entry: replay_pb2.LogEntry) -> list[Event]:
    seat = table.seats[entry.forfeit.seat]
    seat.forfeited = entry.forfeit.reason
    seat.forfeited_seq = entry.seq
    table.undo.clear()
    return []


def _restart(table: Table, entry: replay_pb2.LogEntry) -> list[Event]:
    del table, entry
    return []


def _released(table: Table, entry: replay_pb2.LogEntry) -> list[Event]:
    del entry
    table.released = True
    return []


def _ended(table: Table, entry: replay_pb2.LogEntry) -> list[Event]:
    table.status = ENDED
    table.ended_ms = entry.time_unix_ms
    table.result = entry.ended.result
    table.undo.clear()
    return []


_APPLY: dict[str, Callable[[Table, replay_pb2.LogEntry], list[Event]]] = {
    "created": _created,
    "seat": _seat,
    "ready": _ready,
    "started": _started,
    "choice": _choice,
    "standing_answers": _standing,
    "undo": _undo,
    "forfeit": _forfeit,
    "restart": _restart,
    "ended": _ended,
    "released": _released,
}


def position_hash(table: Table) -> bytes:
    """The hash that the log keeps after each entry; empty before the start."""
    return fingerprint(table.game.position) if table.game is not None else b""
