"""One Play stream without its socket: any number of games, lists in both directions.

Commands are applied in their order per game. What goes out is gathered: replies first, then one
update for each game that has one. Nothing is queued for a slow reader but the replies to its own
commands, and the shell stops reading when those pile up (`is_full`): backpressure.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from endless_winter.engine import plain_answers
from endless_winter.engine.commands import (
    Answer,
    Asked,
    Command,
    Ready,
    Reply,
    SeatCommand,
    SetStandingAnswers,
    Undo,
    check_request_id,
)
from endless_winter.engine.refusal import RECONNECT_MS, Refusal, game_ended, no_such_game
from endless_winter.engine.subscription import Subscription
from endless_winter.engine.table import ENDED
from endless_winter.rules import RULES_VERSION
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.v1 import server_info_pb2
from endless_winter.views import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from endless_winter.engine.caller import Caller
    from endless_winter.engine.clocks import Now
    from endless_winter.engine.game import Game
    from endless_winter.engine.settings import Settings

CONTRACT_REVISION: Final = 1
MOST_WAITING: Final = 1000  # commands and replies; what is more waits unread in the network
MOST_BYTES: Final = 1 << 14  # of commands that wait; as messages they take up to forty times that
MOST_ECHOED: Final = 256  # characters of an id in a report
_REPORTS: Final = p.PlayResponse.REPORTS_FIELD_NUMBER
_REPORT_REQUEST_ID: Final = p.PlayReport.REQUEST_ID_FIELD_NUMBER
_REPORT_GAME_ID: Final = p.PlayReport.GAME_ID_FIELD_NUMBER
_REPORT_SEAT: Final = p.PlayReport.SEAT_FIELD_NUMBER
_REPORT_PONG: Final = p.PlayReport.PONG_FIELD_NUMBER
_REPORT_WELCOME: Final = p.PlayReport.WELCOME_FIELD_NUMBER
_REPORT_ATTACHED: Final = p.PlayReport.ATTACHED_FIELD_NUMBER
_REPORT_DETACHED: Final = p.PlayReport.DETACHED_FIELD_NUMBER
_REPORT_ACCEPTED: Final = p.PlayReport.ACCEPTED_FIELD_NUMBER
_REPORT_UPDATE: Final = p.PlayReport.UPDATE_FIELD_NUMBER
_REPORT_GOODBYE: Final = p.PlayReport.GOODBYE_FIELD_NUMBER
_REPORT_REJECTION: Final = p.PlayReport.REJECTION_FIELD_NUMBER

_SEAT_COMMANDS: Final[dict[str, type[SeatCommand]]] = {
    "answer": Answer,
    "ready": Ready,
    "undo": Undo,
    "set_standing_answers": SetStandingAnswers,
}

Key = tuple[str, int | None]


def _address(key: Key) -> bytes:
    """The game and the seat that a report is about; what is much longer than any id is cut."""
    return wire.text(_REPORT_GAME_ID, key[0][:MOST_ECHOED]) + wire.present(_REPORT_SEAT, key[1])


def _report(request_id: str, address: bytes, field: int, body: bytes) -> bytes:
    """A serialized PlayReport as a field of PlayResponse."""
    named = wire.text(_REPORT_REQUEST_ID, request_id[:MOST_ECHOED]) + address
    return wire.message(_REPORTS, named + wire.message(field, body))


class StreamCommand(Command):
    """What concerns the stream itself: it changes no game, and its reply is a whole report."""

    __slots__ = ("_message", "_stream", "key_", "kind")

    def __init__(
        self, stream: PlayStream, message: p.PlayCommand, kind: str, key: Key, asked: Asked
    ) -> None:
        game_id = key[0] if kind in ("attach", "detach") else ""
        super().__init__(game_id, asked, message.request_id)
        self._stream = stream
        self._message = message
        self.kind = kind
        self.key_ = key

    @property
    def loads(self) -> bool:
        """Only to attach is a reason to load a game; what is subscribed to is in memory."""
        return self.kind == "attach"

    def check_absent(self) -> None:
        check_request_id(self.request_id)
        self._stream.check_new(self.key_)

    def read(self, game: Game | None, now: Now) -> Reply:
        """The report; or a refusal."""
        try:
            check_request_id(self.request_id)
            if self.kind == "attach":
                return self._stream.attach(game, self._message, self.key_, now)
            return self._stream.say(self.kind, self._message, self.key_, now)
        except Refusal as refusal:
            return refusal


class PlayStream:
    """The state of one stream. Thousands of them may be open and wait, so it is small."""

    __slots__ = (
        "_dirty",
        "_notify",
        "_reports",
        "_server_info",
        "_settings",
        "_subscriptions",
        "caller",
        "closing",
        "bytes_waiting",
        "in_flight",
        "queue",
        "welcomed",
    )

    def __init__(
        self,
        caller: Caller,
        settings: Settings,
        server_info: Callable[[], server_info_pb2.ServerInfo],
        notify: Callable[[], None],
    ) -> None:
        """`notify` is called when there is something to send, or nothing more will come."""
        self.caller = caller
        self.queue: deque[Command] = deque()  # what was read and is in no round yet
        self.in_flight = 0  # commands that are in a round, or wait for their game to be loaded
        self.bytes_waiting = 0  # of commands that have no reply yet
        self.welcomed = False
        self.closing = False
        self._settings = settings
        self._server_info = server_info
        self._notify = notify
        self._subscriptions: dict[Key, Subscription] = {}
        self._dirty: dict[Subscription, None] = {}  # with something new, in their order
        self._reports: list[bytes] = []

    # --- in ---

    def checks(self, raw: bytes) -> Iterator[None]:
        """Look through a long message, a little at each step; raises as `parse` does."""
        if len(raw) > plain_answers.PLAIN_BYTES:
            yield from self._checks(raw)

    def _checks(self, raw: bytes) -> Iterator[None]:
        settings = self._settings
        return plain_answers.checks(raw, settings.commands_per_message, settings.request_bytes)

    def parse(self, raw: bytes, now: Now, *, checked: bool = False) -> Iterable[Command]:
        """The commands of a message, in their order; each is made when it is asked for.

        `checked`: all of `checks` was done.

        Raises:
            DecodeError: it is no message. Nothing of it is done then.
            Refusal: it is too large.
        """
        if self._settings.plain_answers:
            answers = plain_answers.read_answers(raw, self, now)
            if answers is not None:
                return answers
        if not checked or len(raw) <= plain_answers.PLAIN_BYTES:
            for _ in self._checks(raw):
                pass
        return self._commands(raw, Asked(self.caller, self, now, self))

    def _commands(self, raw: bytes, asked: Asked) -> Iterator[Command]:
        # No generator expression: mypyc would make all of them at once.
        for message in plain_answers.commands_of(raw):
            yield self._command(message, asked)

    def _command(self, message: p.PlayCommand, asked: Asked) -> Command:
        kind = message.WhichOneof("command") or ""
        game_id, request_id = message.game_id, message.request_id
        seat = message.seat if message.HasField("seat") else None
        made = _SEAT_COMMANDS.get(kind)
        command: Command
        if seat is None or made is None:
            command = StreamCommand(self, message, kind, (game_id, seat), asked)
        else:
            command = made(game_id, seat, asked, request_id, getattr(message, kind))
        command.size = message.ByteSize()
        self.bytes_waiting += command.size
        return command

    def is_full(self) -> bool:
        """Whether so much waits that nothing more should be read."""
        if self.bytes_waiting > MOST_BYTES:
            return True
        return len(self.queue) + self.in_flight + len(self._reports) >= MOST_WAITING

    def is_idle(self) -> bool:
        """Whether nothing that was read waits for its reply."""
        return not self.queue and not self.in_flight

    # --- commands of the stream itself ---

    def say(self, kind: str, message: p.PlayCommand, key: Key, now: Now) -> bytes:
        """The report of anything but Attach."""
        request_id = message.request_id
        if kind == "hello":
            return self._hello(message)
        self._check_welcomed()
        if kind == "ping":
            pong = p.Pong(nonce=message.ping.nonce, server_time_unix_ms=now.unix_ms)
            return _report(request_id, _address(key), _REPORT_PONG, pong.SerializeToString())
        if kind == "":
            raise Refusal(
                reasons.REJECTION_REASON_NOT_SUPPORTED, "a command that is not known here"
            )
        if kind != "detach" or key not in self._subscriptions:
            raise _not_attached()
        self._drop(self._subscriptions.pop(key), now)
        return _report(request_id, _address(key), _REPORT_DETACHED, b"")

    def _check_welcomed(self) -> None:
        if not self.welcomed:
            self.closing = True  # without a proper beginning there is no stream
            raise Refusal(reasons.REJECTION_REASON_HELLO_EXPECTED, "the first command is Hello")

    def _hello(self, message: p.PlayCommand) -> bytes:
        if self.welcomed or message.hello.least_revision > CONTRACT_REVISION:
            self.closing = True
        if self.welcomed:
            raise Refusal(reasons.REJECTION_REASON_HELLO_EXPECTED, "Hello came twice")
        check_revision(message.hello.least_revision)
        self.welcomed = True
        welcome = p.Welcome(server=self._server_info()).SerializeToString()
        return _report(message.request_id, b"", _REPORT_WELCOME, welcome)

    def check_new(self, key: Key) -> None:
        """Whether there is room for one more subscription, and it is not there yet."""
        self._check_welcomed()
        if key in self._subscriptions:
            raise Refusal(
                reasons.REJECTION_REASON_ALREADY_ATTACHED, "attached on this stream already"
            )
        if len(self._subscriptions) >= self._settings.attachments_per_stream:
            raise Refusal(
                reasons.REJECTION_REASON_LIMIT_REACHED, "too many attachments on this stream"
            )

    def attach(self, game: Game | None, message: p.PlayCommand, key: Key, now: Now) -> bytes:
        """Follow a game from now on."""
        self.check_new(key)
        game = _seen(game, self.caller)
        seat = game.viewer(self.caller, key[1])
        attach = message.attach
        after = attach.after_seq if attach.HasField("after_seq") else None
        address = _address(key)
        subscription = Subscription(game, seat, attach.feed, after, self._woken, address=address)
        self._subscriptions[key] = subscription
        game.subscribe(subscription, now)
        self._dirty[subscription] = None
        attached = p.Attached(
            after_seq=None if subscription.snapshot else subscription.seq,
            rules_version=str(RULES_VERSION),
            content_hash=game.table.rules.tables.digest,
            standing_answers=game.standing_answers(seat),
        )
        return _report(message.request_id, address, _REPORT_ATTACHED, attached.SerializeToString())

    def check_attached(self, game: Game | None, command: SeatCommand) -> None:
        found = self._subscriptions.get((command.game_id, command.seat))
        if found is None:
            self._check_welcomed()
            # A retry may have lost its answer with a connection before the end of the game.
            if command.request_id and game is None:
                return
            if command.request_id and _seen(game, self.caller).table.status == ENDED:
                _seen(game, self.caller).seat_of(self.caller, command.seat)
                return
            raise _not_attached()
        if found.cut is not None and game is not None:  # the seat changed hands since
            game.seat_of(self.caller, command.seat)
            raise found.cut

    # --- out ---

    def deliver(self, command: Command, reply: Reply) -> None:
        """Queue the reply to a command."""
        self.in_flight -= 1
        self.bytes_waiting -= command.size
        if isinstance(reply, Refusal):
            body = reply.message_out().SerializeToString()
            key: Key = (command.game_id, None)
            if isinstance(command, SeatCommand):
                key = (command.game_id, command.seat)
            elif isinstance(command, StreamCommand):
                key = command.key_
            reply = _report(command.request_id, _address(key), _REPORT_REJECTION, body)
        elif isinstance(command, SeatCommand):
            found = self._subscriptions.get((command.game_id, command.seat))
            address = (
                found.address if found is not None else _address((command.game_id, command.seat))
            )
            reply = _report(command.request_id, address, _REPORT_ACCEPTED, reply)
        self._reports.append(reply)
        self._notify()

    def _woken(self, subscription: Subscription) -> None:
        self._dirty[subscription] = None
        self._notify()

    def compose(self, now: Now) -> bytes:
        """The next message: replies in their order, then updates; empty: there is nothing."""
        most = self._settings.message_bytes
        taken: list[bytes] = []
        size = at = 0
        while at < len(self._reports) and (not size or size + len(self._reports[at]) <= most):
            size += len(self._reports[at])
            at += 1
        taken += self._reports[:at]
        del self._reports[:at]
        while self._dirty and not self._reports and size < most // 2:
            subscription = next(iter(self._dirty))
            del self._dirty[subscription]
            body = subscription.update(now)
            if subscription.cut is not None:
                report = self._cut_off(subscription, subscription.cut, now)
            elif body is not None:
                report = _report("", subscription.address, _REPORT_UPDATE, body)
                if subscription.done:  # a client of many games is not left with ended ones
                    report += self._cut_off(subscription, game_ended(), now)
            else:
                continue
            taken.append(report)
            size += len(report)
        return b"".join(taken)

    def is_over(self) -> bool:
        """Whether nothing more will be sent."""
        return self.closing and self.is_idle() and not self._reports and not self._dirty

    def _cut_off(self, subscription: Subscription, cause: Refusal, now: Now) -> bytes:
        """The game is no longer followed: the one report about it."""
        if self._subscriptions.get(subscription.key) is subscription:
            del self._subscriptions[subscription.key]
        self._drop(subscription, now)
        detached = p.Detached(cause=cause.message_out()).SerializeToString()
        return _report("", subscription.address, _REPORT_DETACHED, detached)

    def _drop(self, subscription: Subscription, now: Now) -> None:
        subscription.game.unsubscribe(subscription, now)
        self._dirty.pop(subscription, None)

    def goodbye(self, closes_unix_ms: int) -> None:
        """The server drains: the client has some time to close the stream itself."""
        goodbye = p.Goodbye(closes_unix_ms=closes_unix_ms, reconnect_after_ms=RECONNECT_MS)
        self._reports.append(_report("", b"", _REPORT_GOODBYE, goodbye.SerializeToString()))
        self._notify()

    def end(self) -> None:
        """Nothing more is read; what is under way is finished and sent."""
        self.closing = True
        self._notify()

    def close(self, now: Now) -> list[str]:
        """The stream is gone: its games go on without it. Their ids."""
        self.closing = True
        self.queue.clear()
        for subscription in self._subscriptions.values():
            subscription.game.unsubscribe(subscription, now)
        left = [game_id for game_id, _ in self._subscriptions]
        self._subscriptions.clear()
        self._dirty.clear()
        return left


def check_revision(least: int) -> None:
    """Refuse a client that needs a newer contract."""
    if least > CONTRACT_REVISION:
        raise Refusal(
            reasons.REJECTION_REASON_CONTRACT_UNSUPPORTED,
            f"this server has revision {CONTRACT_REVISION} of the contract, "
            f"the client needs {least}",
        )


def _seen(game: Game | None, caller: Caller) -> Game:
    """A game that the caller may know of."""
    if game is None or not game.may_see(caller):
        raise no_such_game()
    return game


def _not_attached() -> Refusal:
    return Refusal(reasons.REJECTION_REASON_NOT_ATTACHED, "the game and seat are not attached here")
