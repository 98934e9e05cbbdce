"""One Play stream for any number of games: it resumes and repeats by itself.

Everything here runs in one event loop. What the server sends goes to a `Listener`; what is to be
said is given to `PlayStream`, which keeps each command until it is answered. When the connection
breaks (link.py) it attaches again after the last sequence number it has, and sends what was not
answered again under its old request id, so nothing is lost and nothing is played twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from endless_winter.sdk.link import Link, backoff
from endless_winter.v1 import decision_pb2
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    import grpc

    from endless_winter.sdk.connection import Endpoint
    from endless_winter.v1 import server_info_pb2, update_pb2

Key: TypeAlias = "tuple[str, int | None]"  # game and seat; None: as a spectator

MOST_REPEATS: Final = 8  # of a command that the server could not carry out


class Listener:
    """What a stream reports. Called in the stream's event loop: be quick."""

    def connected(self, server: server_info_pb2.ServerInfo) -> None:
        """The stream is open, for the first time or again."""

    def waiting(self, why: str, seconds: float) -> None:
        """There is no connection; it is tried again after so many seconds."""

    def attached(self, key: Key, attached: p.Attached) -> None:
        """A game is followed."""

    def updated(self, key: Key, update: update_pb2.Update) -> None:
        """An update of a game."""

    def accepted(self, key: Key, command: p.PlayCommand, accepted: p.Accepted) -> None:
        """A command is in the log."""

    def refused(self, key: Key, command: p.PlayCommand, rejection: reasons.Rejection) -> None:
        """A command was refused for good."""

    def gone(self, key: Key, why: reasons.Rejection) -> None:
        """A game is no longer followed; not called after its result."""


class _Followed:
    """A game and seat on the stream."""

    __slots__ = ("feed", "pending", "repeats", "seq", "waits")

    def __init__(self, feed: p.FeedOptions | None) -> None:
        self.feed = feed
        self.waits = 0  # since it was attached last
        self.seq: int | None = None
        self.pending: dict[str, p.PlayCommand] = {}  # not answered yet, oldest first
        self.repeats: dict[str, int] = {}


class PlayStream(Link):
    """A Play stream for any number of games that outlives its connections."""

    def __init__(
        self,
        endpoint: Endpoint,
        listener: Listener,
        *,
        name: str = "sdk",
        patience: float = 60.0,
        alongside: Callable[[grpc.aio.Channel], Awaitable[None]] | None = None,
    ) -> None:
        """`patience` is how many seconds without a server are borne before `run` gives up.

        `alongside` is run on each new connection beside the stream; when it ends, or fails, the
        connection is made anew.
        """
        super().__init__(endpoint, name=name, patience=patience, alongside=alongside)
        self._listener = listener
        self._followed: dict[Key, _Followed] = {}
        self._numbers = 0
        self.plan_texts: int = 0  # the most texts of a plan; known once it is open

    # --- what can be said ---

    def follow(
        self, game_id: str, seat: int | None = None, feed: p.FeedOptions | None = None
    ) -> None:
        """Attach a game."""
        key = (game_id, seat)
        if key not in self._followed:
            self._followed[key] = _Followed(feed)
            self._attach(key)

    def unfollow(self, game_id: str, seat: int | None = None) -> None:
        """Stop following a game; what was not answered is forgotten."""
        if self._followed.pop((game_id, seat), None) is not None and self._welcomed:
            self._send(self._command((game_id, seat), detach=p.Detach()))

    def follows(self, key: Key) -> bool:
        return key in self._followed

    def unanswered(self, key: Key) -> tuple[p.PlayCommand, ...]:
        """Commands of a seat that the server has not answered yet."""
        followed = self._followed.get(key)
        return tuple(followed.pending.values()) if followed else ()

    def ready(self, key: Key, request_id: str) -> None:
        self._say(key, p.PlayCommand(request_id=request_id, ready=p.Ready()))

    def answer(self, key: Key, request_id: str, answer: decision_pb2.Answer) -> None:
        self._say(key, p.PlayCommand(request_id=request_id, answer=answer))

    def undo(self, key: Key, request_id: str, decision_id: int) -> None:
        undo = p.Undo(decision_id=decision_id)
        self._say(key, p.PlayCommand(request_id=request_id, undo=undo))

    def stand(
        self, key: Key, request_id: str, kinds: Iterable[decision_pb2.DecisionKind.ValueType]
    ) -> None:
        """Replace the standing answers of a seat."""
        answers = [decision_pb2.StandingAnswer(kind=kind) for kind in kinds]
        standing = p.SetStandingAnswers(answers=answers)
        self._say(key, p.PlayCommand(request_id=request_id, set_standing_answers=standing))

    def _say(self, key: Key, command: p.PlayCommand) -> None:
        """Say something that ends up in the log: it is stored until it is answered."""
        followed = self._followed.get(key)
        if followed is None:
            return  # the game is over
        command.game_id = key[0]
        if key[1] is not None:
            command.seat = key[1]
        followed.pending[command.request_id] = command
        if self._welcomed:
            self._send(command)

    def _command(
        self, key: Key, *, attach: p.Attach | None = None, detach: p.Detach | None = None
    ) -> p.PlayCommand:
        self._numbers += 1
        return p.PlayCommand(
            request_id=f"s{self._numbers}",
            game_id=key[0],
            seat=key[1],
            attach=attach,
            detach=detach,
        )

    def _attach(self, key: Key) -> None:
        followed = self._followed.get(key)
        if followed is None or not self._welcomed:
            return
        attach = p.Attach(after_seq=followed.seq, feed=followed.feed)
        self._send(self._command(key, attach=attach), *followed.pending.values())

    # --- what is heard ---

    def _waits(self, why: str, seconds: float) -> None:
        self._listener.waiting(why, seconds)

    def _opened(self, server: server_info_pb2.ServerInfo) -> None:
        self.plan_texts = server.limits.plan_texts
        self._listener.connected(server)
        for known in tuple(self._followed):
            self._attach(known)

    def _heard(self, report: p.PlayReport) -> None:
        key = (report.game_id, report.seat if report.HasField("seat") else None)
        kind = report.WhichOneof("report")
        if kind == "update":
            self._updated(key, report.update)
        elif kind == "attached":
            if key in self._followed:
                self._followed[key].waits = 0
                self._listener.attached(key, report.attached)
        elif kind == "accepted":
            followed = self._followed.get(key)
            command = followed.pending.pop(report.request_id, None) if followed else None
            if command is not None:
                self._listener.accepted(key, command, report.accepted)
        elif kind == "rejection":
            self._rejected(key, report.request_id, report.rejection)
        elif kind == "detached" and key in self._followed:
            self._not_attached(key, self._followed[key], report.detached.cause)

    def _updated(self, key: Key, update: update_pb2.Update) -> None:
        followed = self._followed.get(key)
        if followed is None:
            return
        if followed.seq is not None and update.seq < followed.seq:
            return  # a duplicate from an earlier connection
        followed.seq = update.seq
        if update.HasField("result"):
            del self._followed[key]
        self._listener.updated(key, update)

    def _rejected(self, key: Key, request_id: str, rejection: reasons.Rejection) -> None:
        followed = self._followed.get(key)
        if followed is None:
            return
        command = followed.pending.get(request_id)
        if command is None:
            self._not_attached(key, followed, rejection)
        elif rejection.reason == reasons.REJECTION_REASON_DRAINING:
            pass  # said again after the restart
        elif rejection.reason == reasons.REJECTION_REASON_NOT_ATTACHED:
            pass  # its Attach was refused too, and that decides
        elif rejection.HasField("retry_after_ms") and self._repeats(followed, request_id):
            wait = rejection.retry_after_ms / 1000
            self._later(max(wait, backoff(followed.repeats[request_id])), self._again, key, command)
        else:
            del followed.pending[request_id]
            self._listener.refused(key, command, rejection)

    def _not_attached(self, key: Key, followed: _Followed, rejection: reasons.Rejection) -> None:
        """An Attach was refused, or the server detached the game: for now, or for good."""
        reason = rejection.reason
        if reason in (
            reasons.REJECTION_REASON_ALREADY_ATTACHED,
            reasons.REJECTION_REASON_DRAINING,
        ):
            return
        if rejection.HasField("retry_after_ms") and followed.waits < MOST_REPEATS:
            wait = rejection.retry_after_ms / 1000
            self._later(max(wait, backoff(followed.waits) / 4), self._attach, key)
            followed.waits += 1
            return
        del self._followed[key]
        self._listener.gone(key, rejection)

    @staticmethod
    def _repeats(followed: _Followed, request_id: str) -> bool:
        times = followed.repeats[request_id] = followed.repeats.get(request_id, 0) + 1
        return times <= MOST_REPEATS

    def _again(self, key: Key, command: p.PlayCommand) -> None:
        followed = self._followed.get(key)
        if followed is not None and command.request_id in followed.pending and self._welcomed:
            self._send(command)
