"""What can be asked of a game. Everything that changes one is a command.

`apply` either raises a `Refusal` (nothing has happened), or adds entries to the draft and returns
the reply, which is delivered once they are committed. A returned refusal is a reply as well: a late
answer, say, that let the default be taken.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple, Protocol

from endless_winter.engine import seats
from endless_winter.engine.caller import Caller, same
from endless_winter.engine.clocks import Now  # noqa: TC001 # compiled, `Asked` needs the class
from endless_winter.engine.refusal import Refusal, game_ended, invalid
from endless_winter.engine.table import ENDED, MOST_STANDING, RUNNING, STARTING
from endless_winter.store.records import Player, Request
from endless_winter.v1 import clock_pb2, decision_pb2, event_pb2, game_pb2, replay_pb2, result_pb2
from endless_winter.v1 import game_service_pb2 as g
from endless_winter.v1 import operator_service_pb2 as o
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import NoMatch, match

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from endless_winter.engine.draft import Draft
    from endless_winter.engine.game import Game
    from endless_winter.store.records import FirstAnswer

Reply = bytes | Refusal

_BY_PLAYER: Final = event_pb2.CHOICE_ORIGIN_PLAYER
NO_OPTION: Final = -1  # an answer in another form
MOST_REQUEST_ID: Final = 64
MOST_PLAN_TEXTS: Final = 32  # more than any turn has choices between two reveals
_DIGEST_BYTES: Final = 16

_Request = (
    g.JoinGameRequest
    | g.LeaveGameRequest
    | g.AbortGameRequest
    | g.CreateInvitationRequest
    | o.RevokeSeatRequest
    | o.RebindSeatRequest
    | o.HandSeatToBotRequest
)


def accepted_seq(seq: int) -> bytes:
    """The serialized Accepted of anything but an answer."""
    return p.Accepted(seq=seq).SerializeToString()


# --- idempotency keys ---


def check_request_id(request_id: str) -> None:
    if len(request_id) > MOST_REQUEST_ID:
        raise invalid("request_id", f"a request id has at most {MOST_REQUEST_ID} characters")


class RequestKey:
    """Identifies a request: a retry has the same key, and gets the first answer."""

    __slots__ = ("caller", "digest", "request_id")

    def __init__(
        self, caller: bytes, request_id: str, kind: bytes, wanted: Message | bytes = b""
    ) -> None:
        """`caller` separates those who may use the same ids; the digest is of what is asked."""
        self.caller = caller
        self.request_id = request_id
        body = wanted if isinstance(wanted, bytes) else wanted.SerializeToString(deterministic=True)
        self.digest = hashlib.blake2b(body, digest_size=_DIGEST_BYTES, person=kind).digest()

    def answered(self, answer: bytes) -> Request:
        """The record that makes the answer durable."""
        return Request(self.caller, self.request_id, self.digest, answer)

    def first(self, found: FirstAnswer) -> bytes:
        """The first answer, if it was an answer to the same."""
        if found.digest != self.digest:
            raise Refusal(
                reasons.REJECTION_REASON_REQUEST_ID_REUSED,
                "the request id was used before for something else",
                field="request_id",
            )
        return found.answer


# --- commands ---


class Origin(Protocol):
    """Where a command comes from, and its reply goes to."""

    def deliver(self, command: Command, reply: Reply) -> None:
        """Take the reply to a command."""


class Asked(NamedTuple):
    """Who asks, where the reply goes to, and when it was read: the clock stops there."""

    caller: Caller
    origin: Origin
    now: Now
    stream: Attachments | None = None
    """Set for what comes on a Play stream."""


class Command:
    """Something that somebody wants of a game."""

    __slots__ = ("asked", "attempts", "confirmed", "game_id", "request_id", "size")

    def __init__(self, game_id: str, asked: Asked, request_id: str = "") -> None:
        self.game_id = game_id
        self.asked = asked
        self.request_id = request_id
        self.attempts = 0  # that another writer was quicker than
        self.confirmed = False  # its game was read on since it came, where nodes share the store
        self.size = 0  # bytes of its message, where they count as waiting

    @property
    def caller(self) -> Caller:
        return self.asked.caller

    def deliver(self, reply: Reply) -> None:
        """Give the reply to where the command came from."""
        if isinstance(reply, Refusal):
            # A traceback knows all that the round knew, the refusal included: a cycle, which would
            # keep the command in memory until the collector comes.
            reply.__traceback__ = None
        self.asked.origin.deliver(self, reply)

    def key(self, game: Game | None) -> RequestKey | None:
        """What the store knows the request by; None: it has no request id."""
        del game
        return None

    def check_absent(self) -> None:
        """Refuse what is not worth loading its game for, if that is not in memory."""


class Change(Command):
    """A command that changes a game in memory."""

    __slots__ = ()

    def anew(self, game: Game) -> bool:
        """Whether a request that was answered before is meant once more all the same."""
        del game
        return False

    def apply(self, game: Game, draft: Draft) -> Reply:
        """Draft what follows, and return the reply; or raise a `Refusal`."""
        raise NotImplementedError


class Attachments(Origin, Protocol):
    """A stream on which seats are attached."""

    def check_attached(self, game: Game | None, command: SeatCommand) -> None:
        """Refuse a command of a seat that is not attached; None: its game is not in memory."""


class SeatCommand(Change):
    """What a seat does: on a stream that has it attached, or by a unary call of its holder."""

    __slots__ = ("message", "seat")
    kind: ClassVar[bytes]  # in its idempotency key

    def __init__(
        self,
        game_id: str,
        seat: int,
        asked: Asked,
        request_id: str,
        message: Message | None = None,
    ) -> None:
        """`message` is what the client sent, of the command's own type."""
        super().__init__(game_id, asked, request_id)
        self.seat = seat
        self.message = message

    def check_absent(self) -> None:
        if self.asked.stream is not None:
            check_request_id(self.request_id)
            self.asked.stream.check_attached(None, self)

    def check_seat(self, game: Game) -> None:
        check_request_id(self.request_id)
        if self.asked.stream is not None:
            self.asked.stream.check_attached(game, self)
        else:
            game.seat_of(self.caller, self.seat)

    def wanted(self) -> Message | bytes:
        """What a retry has the same."""
        return b"" if self.message is None else self.message

    def key(self, game: Game | None) -> RequestKey | None:
        """A holder who comes later has request ids of its own; nobody else has any of a seat.

        The caller ends with the player's id, so that the store can erase a person's requests.
        """
        if game is None or not self.request_id or self.seat >= len(game.table.seats):
            return None
        known = game.table.seats[self.seat]
        if not same(known.holder, self.caller.client):
            return None
        caller = bytes((self.seat,)) + known.player_id.encode()
        return RequestKey(caller, self.request_id, self.kind, self.wanted())


class Answer(SeatCommand):
    """A choice. The form with an option id is read without a protobuf message."""

    __slots__ = ("decision_id", "option_id", "think_ms")
    kind = b"answer"
    message: decision_pb2.Answer | None

    def __init__(
        self,
        game_id: str,
        seat: int,
        asked: Asked,
        request_id: str,
        message: decision_pb2.Answer | None = None,
    ) -> None:
        """Without a message the reader of plain answers fills in the rest."""
        super().__init__(game_id, seat, asked, request_id, message)
        self.decision_id = 0
        self.option_id = NO_OPTION
        self.think_ms: int | None = None
        if message is not None:
            self.decision_id = message.decision_id
            if message.HasField("option_id"):
                self.option_id = message.option_id
            if message.HasField("think_ms"):
                self.think_ms = message.think_ms

    def wanted(self) -> bytes:
        """The serialized answer without the time it took: a retry may say something else."""
        plain = decision_pb2.Answer()
        plain.CopyFrom(self._as_message())  # which may hold fields that are not known here
        plain.ClearField("think_ms")
        return plain.SerializeToString(deterministic=True)

    def _as_message(self) -> decision_pb2.Answer:
        if self.message is not None:
            return self.message
        return decision_pb2.Answer(decision_id=self.decision_id, option_id=self.option_id)

    def apply(self, game: Game, draft: Draft) -> Reply:
        self.check_seat(game)
        plan = () if self.message is None else self.message.plan
        if len(plan) > MOST_PLAN_TEXTS:
            raise Refusal(
                reasons.REJECTION_REASON_TOO_LARGE,
                f"a plan has at most {MOST_PLAN_TEXTS} texts",
                field="plan",
            )
        game.check_decision(self.seat, self.decision_id)
        try:
            option_id = self._option(game)
        except NoMatch as error:
            return self._count_wrong(game, draft, str(error))
        timing = self._timing(game)
        if game.is_too_late(self.seat, timing.charged_ms):
            draft.expire(timing.charged_ms, game.timeouts_to_forfeit)
            return game.refusal(
                reasons.REJECTION_REASON_TOO_LATE,
                "the deadline had passed; the default was taken",
                seat=self.seat,
            )
        choice = draft.choose(option_id, _BY_PLAYER, timing, self.request_id)
        seq = draft.table.seq
        draft.resolve_forced_moves()
        taken, end = draft.follow(self.seat, plan, self.request_id)
        return p.Accepted(
            seq=seq,
            decision_id=choice.decision_id,
            option_id=choice.option_id,
            text=choice.text,
            timing=timing,
            plan_taken=taken,
            plan_end=end,
        ).SerializeToString()

    def _option(self, game: Game) -> int:
        position = game.table.game
        assert position is not None
        if 0 <= self.option_id < len(position.options()):  # as nearly all are
            return self.option_id
        return match(self._as_message(), position, game.scribe)

    def _timing(self, game: Game) -> clock_pb2.AnswerTiming:
        charged = game.waited_ms(self.asked.now)
        think = charged
        if self.think_ms is not None:
            think = max(min(self.think_ms, charged), 0)
        return clock_pb2.AnswerTiming(
            charged_ms=charged, think_ms=think, transit_ms=charged - think
        )

    def _count_wrong(self, game: Game, draft: Draft, why: str) -> Refusal:
        """Count a wrong answer; after too many the seat is forfeited."""
        refusal = game.refusal(reasons.REJECTION_REASON_ILLEGAL_OPTION, why, seat=self.seat)
        if game.nodes is not None and not self.confirmed:
            raise refusal  # the question may be an old one: that is not counted
        seat = game.table.seats[self.seat]
        seat.wrong_answers += 1
        seat.wrong_in_all += 1
        refusal.wrong_answers_left = game.wrong_answers_left(self.seat)
        if not refusal.wrong_answers_left:
            draft.forfeit(self.seat, result_pb2.END_REASON_ILLEGAL_FLOOD)
            refusal.seq = draft.table.seq
            refusal.pending_decision_id = None
        return refusal


class Ready(SeatCommand):
    """A seat is ready; with the last one the game starts."""

    __slots__ = ()
    kind = b"ready"

    def apply(self, game: Game, draft: Draft) -> Reply:
        self.check_seat(game)
        if game.table.seats[self.seat].ready and game.table.is_open():
            return accepted_seq(game.table.seq)
        return accepted_seq(draft.ready(self.seat))


class SetStandingAnswers(SeatCommand):
    """Kinds of decisions that a seat answers in advance."""

    __slots__ = ()
    kind = b"standing"
    message: p.SetStandingAnswers | None

    def apply(self, game: Game, draft: Draft) -> Reply:
        self.check_seat(game)
        waited = None
        if game.table.deciding_seat == self.seat:
            waited = clock_pb2.AnswerTiming(charged_ms=game.waited_ms(self.asked.now))
            if game.is_too_late(self.seat, waited.charged_ms):  # its time-out is about to come
                draft.expire(waited.charged_ms, game.timeouts_to_forfeit)
                waited = None
                if draft.table.status == ENDED or draft.table.seats[self.seat].forfeited:
                    return game_ended()
        game.check_not_ended()
        game.check_not_forfeited(self.seat)
        turn, times = game.standing_set.get(self.seat, (0, 0))
        if turn != game.table.turns:
            times = 0
        # Each is an entry of the log, also of a seat that owes nothing.
        if times >= MOST_STANDING:
            raise game.refusal(
                reasons.REJECTION_REASON_LIMIT_REACHED,
                f"standing answers are set at most {MOST_STANDING} times in a turn",
            )
        assert self.message is not None
        seq = draft.set_standing(self.seat, self.message.answers, waited)
        game.standing_set[self.seat] = game.table.turns, times + 1
        return accepted_seq(seq)


class Undo(SeatCommand):
    """A seat takes back its last choice."""

    __slots__ = ()
    kind = b"undo"
    message: p.Undo | None

    def apply(self, game: Game, draft: Draft) -> Reply:
        self.check_seat(game)
        assert self.message is not None
        game.check_decision(self.seat, self.message.decision_id)
        return accepted_seq(draft.undo(self.seat))


# --- the table around a game ---


class RequestCommand(Change):
    """What a client asks for by a request of its own; the key's digest is of all of it."""

    __slots__ = ("request",)
    # In the place of a seat: those who share request ids apart from the seats.
    who: ClassVar[bytes]

    def __init__(self, request: _Request, asked: Asked) -> None:
        super().__init__(request.game_id, asked, request.request_id)
        self.request = request

    def sharing(self) -> bytes:
        """Who may use the same request ids."""
        return self.who + self.caller.client

    def key(self, game: Game | None) -> RequestKey | None:
        del game
        if not self.request_id:
            return None
        kind = self.request.DESCRIPTOR.name.encode()[:16]
        return RequestKey(self.sharing(), self.request_id, kind, self.request)


class JoinGame(RequestCommand):
    """Somebody takes a seat; the reply is a serialized JoinGameResponse without the game."""

    __slots__ = ("player_id",)
    who = b"\xfb"
    request: g.JoinGameRequest

    def __init__(self, request: g.JoinGameRequest, asked: Asked, player_id: str) -> None:
        """`player_id` is random."""
        super().__init__(request, asked)
        self.player_id = player_id

    def apply(self, game: Game, draft: Draft) -> Reply:
        request = self.request
        wanted = request.seat if request.HasField("seat") else None
        client = self.caller.known()
        seat = seats.seat_for(draft.table, game.invitations, client, wanted, request.invitation)
        seats.take(draft, seat, Player(self.player_id, client, request.display_name))
        return g.JoinGameResponse(
            seat=seat, game=game_pb2.GameInfo(seq=draft.table.seq)
        ).SerializeToString()


class TakeSeat(Change):
    """A bot takes the seat that it was offered."""

    __slots__ = ("player", "seat")

    def __init__(self, game_id: str, seat: int, asked: Asked, player: Player) -> None:
        super().__init__(game_id, asked)
        self.seat = seat
        self.player = player

    def apply(self, game: Game, draft: Draft) -> Reply:
        game.check_not_ended()
        seats.take(draft, self.seat, self.player)
        return accepted_seq(draft.table.seq)


class LeaveGame(RequestCommand):
    """Before the start the seat is free again; later it is forfeited."""

    __slots__ = ()
    who = b"\xfd"
    request: g.LeaveGameRequest

    def anew(self, game: Game) -> bool:
        """Who has come back to the seat means it anew, also under an old id."""
        seat = self.request.seat
        if seat >= len(game.table.seats) or game.table.status == ENDED:
            return False
        known = game.table.seats[seat]
        return same(known.holder, self.caller.client) and not known.forfeited

    def apply(self, game: Game, draft: Draft) -> Reply:
        seat = game.seat_of(self.caller, self.request.seat)
        game.check_not_ended()
        game.check_not_forfeited(seat)
        if game.table.status == RUNNING:
            draft.forfeit(seat, result_pb2.END_REASON_ABANDONED)
        else:
            draft.free_seat(seat)
        return accepted_seq(draft.table.seq)


class AbortGame(RequestCommand):
    """The creator or an operator ends a game without scoring."""

    __slots__ = ()
    who = b"\xfc"
    request: g.AbortGameRequest

    def apply(self, game: Game, draft: Draft) -> Reply:
        if not game.may_manage(self.caller):
            raise Refusal(
                reasons.REJECTION_REASON_NOT_ALLOWED, "only its creator or an operator may abort"
            )
        if not self.caller.operator and draft.table.status == RUNNING:
            raise Refusal(
                reasons.REJECTION_REASON_GAME_STARTED,
                "once it has started only operators may abort",
            )
        draft.abort(result_pb2.GAME_OUTCOME_ABORTED, self.request.note)
        return accepted_seq(draft.table.seq)


class CreateInvitation(RequestCommand):
    """A new invitation of a reserved seat; the reply is the origin of its word."""

    __slots__ = ()
    who = b"\xfe"
    request: g.CreateInvitationRequest

    def apply(self, game: Game, draft: Draft) -> Reply:
        if not game.may_manage(self.caller):
            raise Refusal(
                reasons.REJECTION_REASON_NOT_ALLOWED, "only its creator or an operator may invite"
            )
        seats.invite(draft, self.request.seat, operator=self.caller.operator)
        return game.invitations.origin(draft.table, self.request.seat)


class TimeOut(Change):
    """The time of the pending question is over, or the patience with a seat that is away."""

    __slots__ = ("seq",)

    def __init__(self, game_id: str, asked: Asked, seq: int) -> None:
        """`seq` is the entry after which the question was asked."""
        super().__init__(game_id, asked)
        self.seq = seq

    def apply(self, game: Game, draft: Draft) -> Reply:
        table, now = game.table, draft.now
        if table.seq != self.seq:
            return b""  # that question was answered
        if game.nodes is not None:
            due = game.due_ms(now)
            if due is None or due > now.ms:
                return b""  # as another node has noted meanwhile
        gone = game.gone_ms(now)
        limit = game.limit_ms()
        # An answer in time may still wait to be read.
        waited = game.waited_ms(now)
        if gone is not None and gone <= now.ms:
            draft.forfeit(table.deciding_seat, result_pb2.END_REASON_DISCONNECTED)
        elif limit is None or waited < limit:
            return b""
        elif table.status == STARTING:
            draft.abort(result_pb2.GAME_OUTCOME_NEVER_STARTED)
        else:
            draft.expire(waited, game.timeouts_to_forfeit)
        return b""


class NeverStarted(Change):
    """Nobody came in time: a game that has not started is aborted."""

    __slots__ = ()

    def apply(self, game: Game, draft: Draft) -> Reply:
        if game.table.is_open():
            draft.abort(result_pb2.GAME_OUTCOME_NEVER_STARTED)
        return b""


# --- operators ---


class OperatorCommand(RequestCommand):
    """What an operator does with a seat; operators share their request ids."""

    __slots__ = ()
    who = b"\xff"
    request: o.RevokeSeatRequest | o.RebindSeatRequest | o.HandSeatToBotRequest

    def sharing(self) -> bytes:
        return self.who

    def check_playing(self, game: Game) -> int:
        """The seat, if it exists, is not the server's, and still means something."""
        seat = self.request.seat
        if seats.seat_at(game.table, seat).served:
            raise Refusal(reasons.REJECTION_REASON_SEAT_TAKEN, "the server plays the Nomad")
        game.check_not_ended()
        game.check_not_forfeited(seat)
        return seat


class RevokeSeat(OperatorCommand):
    """Take a seat from its holder, and perhaps forfeit it."""

    __slots__ = ()
    request: o.RevokeSeatRequest

    def apply(self, game: Game, draft: Draft) -> Reply:
        seat = self.check_playing(game)
        held = bool(draft.table.seats[seat].player_id)
        if held:
            draft.free_seat(seat, self.request.note or "revoked")
        forfeits = self.request.forfeit and draft.table.status == RUNNING
        if forfeits:
            draft.forfeit(seat, result_pb2.END_REASON_ABANDONED)
        if not (held or forfeits):
            raise invalid("seat", "nobody holds the seat")
        return accepted_seq(draft.table.seq)


class RebindSeat(OperatorCommand):
    """Free a seat for one new holder; the reply is the origin of the invitation's word."""

    __slots__ = ("_seat_key",)
    request: o.RebindSeatRequest

    def __init__(self, request: o.RebindSeatRequest, asked: Asked, seat_key: bytes) -> None:
        """The key is random: without it the creator, who may know the salt, knew the word."""
        super().__init__(request, asked)
        self._seat_key = seat_key

    def apply(self, game: Game, draft: Draft) -> Reply:
        seat = self.check_playing(game)
        draft.free_seat(seat, self.request.note or "rebound", self._seat_key)
        return game.invitations.origin(draft.table, seat)


class HandSeatToBot(OperatorCommand):
    """Give a seat to a bot; `player` is set once a bot has taken the offer of it."""

    __slots__ = ("player",)
    request: o.HandSeatToBotRequest

    def __init__(
        self, request: o.HandSeatToBotRequest, asked: Asked, player: Player | None = None
    ) -> None:
        super().__init__(request, asked)
        self.player = player

    def apply(self, game: Game, draft: Draft) -> Reply:
        seat = self.check_playing(game)
        assert self.player is not None
        draft.free_seat(seat, "handed to a bot")
        draft.take_seat(seat, self.player, bot=True)
        return accepted_seq(draft.table.seq)


class ReleaseReveal(Change):
    """Open the seal of an ended game whose host held it back."""

    __slots__ = ()

    def apply(self, game: Game, draft: Draft) -> Reply:
        if game.table.status != ENDED:
            raise Refusal(reasons.REJECTION_REASON_NOT_REVEALED_YET, "the game has not ended")
        if game.table.config.hold_reveal and not game.table.released:
            draft.add(replay_pb2.LogEntry(released=replay_pb2.LogReleased()))
        return accepted_seq(draft.table.seq)
