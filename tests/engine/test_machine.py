"""Random commands of several clients, faults of the store, stalls and restarts: what always holds.

- What was acknowledged is in the log, and stays there.
- A log gives the same game again as the one in memory.
- A request that is repeated gets its first reply.
- Nobody is shown what is not committed, also while a commit is in flight.
- A stall charges nobody, and a game that nobody answers ends.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from endless_winter.engine.commands import (
    AbortGame,
    Answer,
    JoinGame,
    LeaveGame,
    Ready,
    SeatCommand,
    SetStandingAnswers,
    Undo,
)
from endless_winter.engine.refusal import Refusal
from endless_winter.engine.table import ENDED, RUNNING
from endless_winter.store.errors import StoreError
from endless_winter.store.memory import MemoryStore
from endless_winter.v1 import clock_pb2, decision_pb2
from endless_winter.v1 import game_service_pb2 as g
from endless_winter.v1 import play_service_pb2 as p
from tests.engine.desk import Desk, Replies
from tests.engine.state import folded, state_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from endless_winter.engine.commands import Asked, Command, Reply
    from endless_winter.engine.game import Game
    from endless_winter.store.records import Append
    from tests.engine.desk import Stream

NAMES = ("ann", "bob", "cat")
SEATS = st.integers(0, 2)
CLIENTS = st.sampled_from(NAMES)
CONTROLS = (
    clock_pb2.TimeControl(decision_limit_ms=1_000, timeouts_to_forfeit=2),
    clock_pb2.TimeControl(
        bank_ms=3_000, increment_per_turn_ms=500, turn_limit_ms=2_000, timeouts_to_forfeit=2
    ),
    clock_pb2.TimeControl(
        decision_limit_ms=9_000, disconnect_limit_ms=2_000, timeouts_to_forfeit=1
    ),
)
KINDS = st.lists(
    st.sampled_from(
        (
            decision_pb2.DECISION_KIND_GAIN,
            decision_pb2.DECISION_KIND_DISCARD,
            decision_pb2.DECISION_KIND_TURN,
        )
    ),
    max_size=2,
)
# None: the commit happens as it should. Else it fails, before it happened or after; "away": after
# it happened, and the store cannot be asked for a while.
FAULTS = st.sampled_from((None, None, None, "before", "after", "away"))


class Request(NamedTuple):
    """Something that was asked under an id, and accepted."""

    make: Callable[[Asked], Command]
    name: str
    holder: tuple[str, int] | None
    """Of a command of a seat: its game, and the generation of the seat."""
    reply: bytes


class Acknowledged(NamedTuple):
    game_id: str
    seq: int
    chain: bytes


def can_undo(game: Game) -> bool:
    return game.table.can_undo(game.table.deciding_seat)


class Rounds(RuleBasedStateMachine):
    """One server, some games, three clients."""

    def __init__(self) -> None:
        super().__init__()
        self.store = MemoryStore()
        self.store.before = self._look_before
        self.store.after = self._look_after
        self.store.recovering = self._stay_away
        self.desk = Desk(
            self.store,
            start_limit_ms=60_000,
            ready_limit_ms=5_000,
            wrong_answers_to_forfeit=4,
        )
        self.games: list[str] = []
        self.streams: list[Stream] = []
        self.requests: list[Request] = []
        self.acknowledged: list[Acknowledged] = []
        self.fault: str | None = None
        self.away = 0  # times that the store cannot be asked
        self.ids = 0

    # --- what happens beside: reading streams, and faults ---

    def _look_before(self, appends: Sequence[Append]) -> None:
        del appends
        self._read_streams()
        if self.fault == "before":
            self.fault = None
            raise StoreError("it fails before it happens")

    def _look_after(self, appends: Sequence[Append]) -> None:
        heads = self.store.heads([append.game_id for append in appends])
        before = {append.game_id: append.expected_seq for append in appends}
        self._read_streams({name: before.get(name, head.seq) for name, head in heads.items()})
        if self.fault in ("after", "away"):
            self.away = 3 if self.fault == "away" else 0
            self.fault = None
            raise StoreError("it fails after it has happened")

    def _stay_away(self) -> None:
        if self.away:
            self.away -= 1
            raise StoreError("it is away")

    def _read_streams(self, most: dict[str, int] | None = None) -> None:
        """Nobody is shown more than is committed; `most`: nor what was committed just now."""
        for stream in self.streams:
            for report in stream.received():
                if report.HasField("update"):
                    head = self.store.heads([report.game_id])[report.game_id].seq
                    assert report.update.seq <= (most or {}).get(report.game_id, head)

    # --- asking ---

    def game(self, number: int) -> Game:
        game_id = self.games[number % len(self.games)]
        found = self.desk.engine.games.get(game_id) or self.desk.load(game_id)
        assert found is not None
        return found

    def next_id(self) -> str:
        self.ids += 1
        return f"r{self.ids}"

    def ask(
        self, name: str, *makes: Callable[[Asked], Command], operator: bool = False
    ) -> list[Reply]:
        """Put commands into one round; each gets one reply, and nothing is acknowledged early."""
        commands = [make(self.desk.asked(name, operator=operator)) for make in makes]
        holders = [self._holder(command) for command in commands]
        self.desk.put(*commands)
        self.desk.run()
        replies: list[Reply] = []
        for make, command, holder in zip(makes, commands, holders, strict=True):
            origin = command.asked.origin
            assert isinstance(origin, Replies)
            ((_, reply),) = origin.found
            replies.append(reply)
            if isinstance(reply, bytes):
                self._acknowledge(command, reply)
                if command.request_id:
                    self.requests.append(Request(make, name, holder, reply))
        return replies

    def _holder(self, command: Command) -> tuple[str, int] | None:
        game = self.desk.engine.games.get(command.game_id)
        if not isinstance(command, SeatCommand) or game is None:
            return None
        if command.seat >= len(game.table.seats):
            return None
        seat = game.table.seats[command.seat]
        return seat.player_id, seat.generation

    def _acknowledge(self, command: Command, reply: bytes) -> None:
        if isinstance(command, (Answer, Ready, Undo, SetStandingAnswers, LeaveGame, AbortGame)):
            seq = p.Accepted.FromString(reply).seq
            entry = self.desk.entries(command.game_id)[seq - 1]
            self.acknowledged.append(Acknowledged(command.game_id, seq, entry.chain))

    def seat_name(self, game: Game, seat: int) -> str:
        """Who holds a seat; empty: nobody."""
        if not 0 <= seat < len(game.table.seats):
            return ""
        return game.table.seats[seat].display_name

    # --- rules: the table around a game ---

    @initialize()
    def start(self) -> None:
        for number in range(2):
            self.create(number, 2, undo=True)
            game = self.game(number)
            for seat, name in enumerate(NAMES[:2]):
                self.desk.join(game, seat, name)
                self.desk.ready(game, seat, name=name)

    @precondition(lambda self: len(self.games) < 4)
    @rule(control=st.integers(0, 2), seats=st.integers(2, 3), undo=st.booleans())
    def create(self, control: int, seats: int, *, undo: bool) -> None:
        game = self.desk.create(
            seats,
            time_control=CONTROLS[control],
            undo_allowed=undo,
            spectator_delay_ms=700 * control,
            request_id=self.next_id(),
        )
        self.games.append(game.game_id)

    @rule(number=SEATS, seat=st.none() | SEATS, name=CLIENTS, fault=FAULTS)
    def join(self, number: int, seat: int | None, name: str, fault: str | None) -> None:
        request = g.JoinGameRequest(
            game_id=self.game(number).game_id,
            seat=seat,
            display_name=name,
            request_id=self.next_id(),
        )
        self.fault = fault
        self.ask(name, lambda asked: JoinGame(request, asked, f"p{request.request_id}"))

    @rule(number=SEATS, seat=SEATS, name=CLIENTS, fault=FAULTS)
    def leave(self, number: int, seat: int, name: str, fault: str | None) -> None:
        request = g.LeaveGameRequest(
            game_id=self.game(number).game_id, seat=seat, request_id=self.next_id()
        )
        self.fault = fault
        self.ask(name, lambda asked: LeaveGame(request, asked))

    @rule(number=SEATS, name=CLIENTS, forfeit=st.booleans())
    def operate(self, number: int, name: str, *, forfeit: bool) -> None:
        """An operator takes a seat from somebody; somebody else gets it, or nobody."""
        game = self.game(number)
        seat = self.ids % len(game.table.seats)
        try:
            if forfeit:
                self.desk.revoke(game, seat, forfeit=True)
            else:
                self.desk.take_over(game, seat, name)
        except Refusal:
            assert game.table.status == ENDED or game.table.seats[seat].forfeited or forfeit

    @rule(number=SEATS, chance=st.integers(0, 9), fault=FAULTS)
    def abort(self, number: int, chance: int, fault: str | None) -> None:
        if chance:
            return
        request = g.AbortGameRequest(game_id=self.game(number).game_id, request_id=self.next_id())
        self.fault = fault
        self.ask("operator", lambda asked: AbortGame(request, asked), operator=True)

    # --- rules: play ---

    @rule(number=SEATS, seat=SEATS, fault=FAULTS)
    def ready(self, number: int, seat: int, fault: str | None) -> None:
        game = self.game(number)
        game_id, name, request_id = game.game_id, self.seat_name(game, seat), self.next_id()
        self.fault = fault
        self.ask(name, lambda asked: Ready(game_id, seat, asked, request_id))

    def _answer(self, game: Game, option: int, late: int) -> Callable[[Asked], Answer]:
        """An answer to the pending decision, or one that is so many entries late."""
        table = game.table
        assert table.game is not None
        most = len(table.game.options())
        message = decision_pb2.Answer(
            decision_id=max(table.decision_id - late, 0),
            option_id=most if option > 90 else option % most,  # now and then one too many
        )
        seat, request_id = table.deciding_seat, self.next_id()
        return lambda asked: Answer(game.game_id, seat, asked, request_id, message)

    def asked_name(self, game: Game) -> str:
        """Who is asked; empty: nobody, or nobody who is there."""
        return self.seat_name(game, game.table.deciding_seat)

    @rule(
        number=SEATS,
        options=st.lists(st.integers(0, 99), min_size=1, max_size=12),
        late=st.sampled_from((0, 0, 0, -1, 1, 3)),
        fault=FAULTS,
    )
    def answer(self, number: int, options: list[int], late: int, fault: str | None) -> None:
        """Some answers one after the other; the last may be stale or early, or fail."""
        game = self.game(number)
        for count, option in enumerate(options, 1):
            name, last = self.asked_name(game), count == len(options)
            if not name:
                return
            self.fault = fault if last else None
            self.ask(name, self._answer(game, option, late if last else 0))

    @rule(number=SEATS, kinds=KINDS, fault=FAULTS)
    def together(self, number: int, kinds: list[int], fault: str | None) -> None:
        """Several commands of one seat wait for one round."""
        game = self.game(number)
        name = self.asked_name(game)
        if not name:
            return
        first, second = self._answer(game, 0, 0), self._answer(game, 1, 0)
        seat, game_id = game.table.deciding_seat, game.game_id
        undo_id, standing_id = self.next_id(), self.next_id()
        kind_of = decision_pb2.DecisionKind.ValueType
        standing = p.SetStandingAnswers(
            answers=[decision_pb2.StandingAnswer(kind=kind_of(kind)) for kind in kinds]
        )
        undone = p.Undo(decision_id=game.table.decision_id)
        self.fault = fault
        replies = self.ask(
            name,
            first,
            second,
            lambda asked: SetStandingAnswers(game_id, seat, asked, standing_id, standing),
            lambda asked: Undo(game_id, seat, asked, undo_id, undone),
        )
        assert not (isinstance(replies[0], bytes) and isinstance(replies[1], bytes))

    @rule(number=SEATS, late=st.integers(1, 10_000), fault=FAULTS)
    def answer_late(self, number: int, late: int, fault: str | None) -> None:
        """An answer is read before the alarm rings, in time or not."""
        game = self.game(number)
        name = self.asked_name(game)
        if not name:
            return
        self.desk.ms += late
        self.desk.unix_ms += late
        self.fault = fault
        self.ask(name, self._answer(game, 0, 0))

    @rule(number=SEATS, fault=FAULTS)
    def undo(self, number: int, fault: str | None) -> None:
        """Play until a choice can be taken back."""
        game = self.game(number)
        table = game.table
        while table.status == RUNNING and table.config.undo_allowed and not can_undo(game):
            name = self.asked_name(game)
            if not name:
                return
            self.ask(name, self._answer(game, 0, 0))
            table = game.table
        name, game_id, seat = self.asked_name(game), game.game_id, table.deciding_seat
        if not name:
            return
        undone, request_id = p.Undo(decision_id=table.decision_id), self.next_id()
        self.fault = fault
        self.ask(name, lambda asked: Undo(game_id, seat, asked, request_id, undone))

    @precondition(lambda self: self.requests)
    @rule(number=st.integers(0, 1000), fault=FAULTS)
    def repeat(self, number: int, fault: str | None) -> None:
        """A client has lost the reply."""
        request = self.requests[number % len(self.requests)]
        command = request.make(self.desk.asked(request.name))
        operator = isinstance(command, AbortGame)
        command = request.make(self.desk.asked(request.name, operator=operator))
        game = self.game(self.games.index(command.game_id))
        if isinstance(command, SeatCommand) and self._holder(command) != request.holder:
            return
        if isinstance(command, LeaveGame) and command.anew(game):
            return  # who has come back means it once more
        self.fault = fault
        try:
            reply = self.desk.do(command)
        except Refusal as refusal:
            assert fault is not None
            assert refusal.name == "STORE_UNAVAILABLE"  # noqa: PT017 # it is the other outcome
        else:
            assert reply == request.reply

    # --- rules: streams ---

    @precondition(lambda self: len(self.streams) < 4)
    @rule(name=CLIENTS, number=SEATS, seat=st.none() | SEATS)
    def attach(self, name: str, number: int, seat: int | None) -> None:
        """A stream of a client, with a seat that may be another's, and all that are its own."""
        stream = self.desk.stream(name)
        self.streams.append(stream)
        stream.attach(self.game(number), seat)
        for game_id in self.games:
            game = self.desk.find_id(game_id)
            for own in range(len(game.table.seats)):
                if self.seat_name(game, own) == name:
                    stream.attach(game, own)
        self._read_streams()

    @precondition(lambda self: self.streams)
    @rule(number=SEATS, which=SEATS, options=st.lists(st.integers(0, 5), max_size=5), fault=FAULTS)
    def play(self, number: int, which: int, options: list[int], fault: str | None) -> None:
        """Answers on a stream; each is reported once, whatever comes of it."""
        stream = self.streams[which % len(self.streams)]
        game = self.game(number)
        for option in options:
            if game.table.status != RUNNING:
                return
            answer = decision_pb2.Answer(decision_id=game.table.decision_id, option_id=option)
            command = p.PlayCommand(
                game_id=game.game_id,
                seat=game.table.deciding_seat,
                request_id=self.next_id(),
                answer=answer,
            )
            self._read_streams()
            self.streams.remove(stream)  # it is read here
            self.fault = fault
            stream.send(command)
            self.streams.append(stream)
            (report,) = [one for one in stream.received() if one.request_id == command.request_id]
            if report.HasField("accepted"):
                logged = self.desk.log(game)[report.accepted.seq - 1]
                assert logged.choice.request_id == command.request_id
            else:
                assert report.HasField("rejection")

    @precondition(lambda self: self.streams)
    @rule(number=SEATS)
    def close(self, number: int) -> None:
        self.streams.pop(number % len(self.streams)).close()

    # --- rules: time ---

    @rule(milliseconds=st.integers(1, 2_500), fault=FAULTS)
    def advance(self, milliseconds: int, fault: str | None) -> None:
        self.fault = fault
        self.desk.advance(milliseconds)

    @rule(milliseconds=st.integers(1, 100_000))
    def stall(self, milliseconds: int) -> None:
        games = self.desk.engine.games.values()
        before = [(one.table.seq, one.waited_ms(self.desk.now)) for one in games]
        self.desk.advance(milliseconds, stalled=True)
        after = [(one.table.seq, one.waited_ms(self.desk.now)) for one in games]
        assert after == before

    @rule()
    def restart(self) -> None:
        self.streams.clear()
        before = {name: state_of(self.desk.find_id(name).table) for name in self.games}
        self.desk.restart()
        for name, known in before.items():
            assert state_of(self.desk.find_id(name).table) == known

    # --- what always holds ---

    @invariant()
    def games_are_what_the_store_says(self) -> None:
        self.fault = None
        heads = self.store.heads(self.games)
        for game in self.desk.engine.games.values():
            assert heads[game.game_id] == (game.table.seq, game.chain)
            assert not game.drafted
        assert not self.desk.inbox
        for stream in self.streams:
            assert stream.play.is_idle()

    @invariant()
    def acknowledged_is_in_the_log(self) -> None:
        for one in self.acknowledged[-20:]:
            assert self.store.read(one.game_id, one.seq - 1, 1)[0].chain == one.chain

    def teardown(self) -> None:
        self.store.before = self.store.after = self.store.recovering = None
        for one in self.acknowledged:
            assert self.store.read(one.game_id, one.seq - 1, 1)[0].chain == one.chain
        for name in self.games:
            game = self.desk.find_id(name)
            assert state_of(folded(self.desk, game)) == state_of(game.table)
        self.streams.clear()
        self.desk.streams.clear()
        self.desk.restart()  # nobody comes any more
        self.desk.advance(3_600_000)
        for name in self.games:
            game = self.desk.find_id(name)
            assert game.table.status == ENDED
            assert state_of(folded(self.desk, game)) == state_of(game.table)


TestRounds = Rounds.TestCase
TestRounds.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
