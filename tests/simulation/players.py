"""Clients: they play on one stream for all their games, lose it, and come back anywhere.

They keep what they were told, so that the run can be judged by it. They answer by the seed, the
game and the number of the choice alone, so that faults change nothing of what they want.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from endless_winter.engine.caller import Caller
from endless_winter.v1 import decision_pb2, game_pb2, view_pb2
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as reasons
from tests.simulation.network import Line

if TYPE_CHECKING:
    from tests.simulation.run import Run

PING_SECONDS = 1.5
SILENCE_SECONDS = 5.0  # a node that says nothing for so long is given up
_NOT_ATTACHED = reasons.REJECTION_REASON_NOT_ATTACHED
NOT_OURS = frozenset(
    (
        reasons.REJECTION_REASON_STALE_DECISION,
        reasons.REJECTION_REASON_GAME_ENDED,
        reasons.REJECTION_REASON_TOO_LATE,
        reasons.REJECTION_REASON_SEAT_FORFEITED,
        reasons.REJECTION_REASON_NOT_YOUR_DECISION,
        reasons.REJECTION_REASON_GAME_STARTED,
    )
)


class Chair:
    """What a player knows of one of its seats."""

    def __init__(self, game_id: str, seat: int, number: int) -> None:
        self.game_id = game_id
        self.seat = seat
        self.number = number  # of the game in the run
        self.seq = 0  # the newest that it was told
        self.expects = 0  # what the stream under way may not fall behind
        self.ended = False
        self.attached = False
        self.lost = False  # commands were refused because the seat was not attached
        self.asked: dict[str, p.PlayCommand] = {}  # commands without an answer, by request id
        self.answered: set[int] = set()  # decisions


def choice_of(seed: int, chair: Chair, decision: decision_pb2.Decision) -> int:
    """The option that the seed wants."""
    drawn = blake2b(f"{seed} {chair.number} {decision.decision_id}".encode(), digest_size=4)
    return int.from_bytes(drawn.digest(), "big") % len(decision.options)


class Player:
    """One client secret."""

    def __init__(self, run: Run, name: str) -> None:
        self.run = run
        self.world = run.world
        self.name = name
        self.caller = Caller(blake2b(name.encode(), digest_size=32).digest())
        self.chairs: dict[str, Chair] = {}
        self.line: Line | None = None
        self._chance = run.world.chance("player", name)
        self._lines = 0
        self._heard = 0.0
        self._views = self._chance.random() < 0.25
        self._again: Any = None

    # --- the table around a game ---

    def sit(self, chair: Chair) -> None:
        """It has taken a seat, and plays from now on."""
        self.chairs[chair.game_id] = chair
        if self.line is None or self.line.closed:
            self._reconnect(0.0)
        else:
            self._send([self._attach(chair)])

    # --- the stream ---

    def _reconnect(self, seconds: float) -> None:
        if self._again is None:
            self._again = self.world.after(seconds, self._connect)

    def _connect(self) -> None:
        self._again = None
        if all(chair.ended for chair in self.chairs.values()):
            return
        self._lines += 1
        node = self.run.any_node(self._chance)
        self.line = Line(self.world, node, self.caller, self, f"{self.name}/{self._lines}")
        self.run.lines.append(self.line)
        self._heard = self.world.now
        commands = [p.PlayCommand(hello=p.Hello())]
        for chair in self.chairs.values():
            chair.attached = False
            if not chair.ended:
                commands.append(self._attach(chair))
                commands += chair.asked.values()
        self._send(commands)
        self.world.after(PING_SECONDS, self._ping, self.line)

    def _attach(self, chair: Chair) -> p.PlayCommand:
        chair.attached = True
        chair.expects = chair.seq
        mode = view_pb2.VIEW_MODE_ALWAYS if self._views else view_pb2.VIEW_MODE_NEVER
        feed = p.FeedOptions(
            view_mode=mode,
            skip_events=not self._views,
            skip_labels=True,
            skip_moves=True,
            only_when_asked=not self._views,
        )
        attach = p.Attach(feed=feed)
        if chair.seq and self._chance.random() < 0.8:
            attach.after_seq = chair.seq
        return p.PlayCommand(game_id=chair.game_id, seat=chair.seat, attach=attach)

    def _send(self, commands: list[p.PlayCommand]) -> None:
        if self.line is not None and not self.line.closed:
            self.line.send(p.PlayRequest(commands=commands).SerializeToString())

    def _ping(self, line: Line) -> None:
        if line is not self.line or line.closed:
            return
        if self.world.now - self._heard > SILENCE_SECONDS:
            self.world.seen["client: gave a silent node up"] += 1
            line.hang_up()
            self._reconnect(0.0)
            return
        self._send([p.PlayCommand(ping=p.Ping(nonce=1))])
        self.world.after(PING_SECONDS, self._ping, line)

    def closed(self, line: Line) -> None:
        if line is self.line:
            self._reconnect(self._chance.uniform(0.01, 0.5))

    def received(self, line: Line, message: bytes) -> None:
        if line is not self.line:
            return
        self._heard = self.world.now
        self.world.note("told", self.name, line.node.name, blake2b(message).hexdigest()[:16])
        for report in p.PlayResponse.FromString(message).reports:
            kind = report.WhichOneof("report")
            chair = self.chairs.get(report.game_id)
            if kind == "goodbye":
                self.world.seen["client: goodbye"] += 1
                line.hang_up()
                self._reconnect(0.05)
                return
            if chair is None:
                continue
            if kind == "update":
                self._update(chair, report.update)
            elif kind == "accepted":
                self._accepted(chair, report)
            elif kind == "attached":
                if chair.lost:  # they came before the seat was attached
                    chair.lost = False
                    self._send(list(chair.asked.values()))
            elif kind == "rejection":
                self._rejected(chair, report)
            elif kind == "detached":
                self._detached(chair, report.detached)

    # --- what is said ---

    def _accepted(self, chair: Chair, report: p.PlayReport) -> None:
        chair.asked.pop(report.request_id, None)
        self.run.judge.accepted(chair, report.request_id, report.accepted)

    def _rejected(self, chair: Chair, report: p.PlayReport) -> None:
        rejection = report.rejection
        name = reasons.RejectionReason.Name(rejection.reason).removeprefix("REJECTION_REASON_")
        self.world.seen[f"rejected: {name}"] += 1
        command = chair.asked.get(report.request_id)
        if rejection.HasField("retry_after_ms"):
            wait = rejection.retry_after_ms / 1000
            if command is None:  # an Attach
                self.world.after(wait, self._attach_again, self.line, chair)
            else:
                self.world.after(wait, self._repeat, self.line, chair, report.request_id)
        elif command is not None and rejection.reason == _NOT_ATTACHED:
            chair.lost = True  # its Attach was refused for now, and is sent again
        elif command is not None:
            del chair.asked[report.request_id]
            self.run.judge.refused(chair, report.request_id, name)
            if rejection.reason not in NOT_OURS:
                self.world.fail(f"{self.name}: {command} was refused: {rejection}")
        elif rejection.reason != reasons.REJECTION_REASON_ALREADY_ATTACHED:
            self.world.fail(f"{self.name}: not attached to {chair.game_id}: {rejection}")

    def _repeat(self, line: Line | None, chair: Chair, request_id: str) -> None:
        command = chair.asked.get(request_id)
        if command is not None and line is self.line:
            self._send([command])

    def _attach_again(self, line: Line | None, chair: Chair) -> None:
        if line is self.line and not chair.ended:
            self._send([self._attach(chair)])

    def _detached(self, chair: Chair, detached: p.Detached) -> None:
        chair.attached = False
        if detached.cause.reason == reasons.REJECTION_REASON_GAME_ENDED:
            return
        self.world.fail(f"{self.name}: detached from {chair.game_id}: {detached.cause}")

    def _update(self, chair: Chair, update: Any) -> None:
        before = chair.seq
        self.run.judge.updated(chair, before, update, views=self._views)
        if update.seq < chair.expects:
            self.world.fail(
                f"{self.name} knew {chair.game_id} to {chair.expects} and was told {update.seq}"
            )
        chair.seq = chair.expects = max(chair.seq, update.seq)
        if update.HasField("result") or update.status == game_pb2.GAME_STATUS_ENDED:
            chair.ended = True
            self.run.ended(chair)
        elif update.HasField("ready_check"):
            self._ask(chair, "ready", p.PlayCommand(ready=p.Ready()))
        elif update.HasField("prompt"):
            self._prompted(chair, update.prompt.decision)

    def _prompted(self, chair: Chair, decision: decision_pb2.Decision) -> None:
        decision_id = decision.decision_id
        if decision_id in chair.answered:
            return
        chair.answered.add(decision_id)
        if self.run.sleeps(chair, decision_id):
            return
        option = choice_of(self.world.seed, chair, decision)
        answer = decision_pb2.Answer(decision_id=decision_id, option_id=option)
        command = p.PlayCommand(answer=answer)
        think = self._chance.expovariate(1 / 0.005)
        self.world.after(think, self._ask, chair, f"d{decision_id}", command)

    def _ask(self, chair: Chair, request_id: str, command: p.PlayCommand) -> None:
        if request_id in chair.asked:
            return
        command.request_id = request_id
        command.game_id = chair.game_id
        command.seat = chair.seat
        chair.asked[request_id] = command
        self._send([command])
