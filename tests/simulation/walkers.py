"""A client without a stream: every call goes to whichever node a load balancer gives it."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from endless_winter.engine.caller import Caller
from endless_winter.engine.refusal import Refusal
from endless_winter.v1 import decision_pb2, view_pb2
from endless_winter.v1 import play_service_pb2 as p
from tests.simulation.players import NOT_OURS, choice_of

if TYPE_CHECKING:
    from tests.simulation.players import Chair
    from tests.simulation.run import Run

POLL_MS = 4_000


class Walker:
    """It asks what it owes, looks, and submits: ListMySeats, GetView, SubmitMove."""

    def __init__(self, run: Run, name: str) -> None:
        self.run = run
        self.world = run.world
        self.name = name
        self.caller = Caller(blake2b(name.encode(), digest_size=32).digest())
        self.chairs: dict[str, Chair] = {}
        self._chance = run.world.chance("walker", name)
        self._polls = False
        self._busy: set[str] = set()  # games in which a call is under way

    def sit(self, chair: Chair) -> None:
        self.chairs[chair.game_id] = chair
        if not self._polls:
            self._polls = True
            self._poll()

    def _call(self, method: str, request: Any, done: Any) -> None:
        self.run.call(self.run.any_node(self._chance), method, request, self.caller, done)

    def _poll(self) -> None:
        if all(chair.ended for chair in self.chairs.values()):
            self._polls = False
            return
        request = p.ListMySeatsRequest(only_owing=True, wait_ms=POLL_MS)
        known = {game_id: chair.seq for game_id, chair in self.chairs.items()}
        self._call("ListMySeats", request, lambda found: self._listed(found, known))

    def _listed(self, found: Any, known: dict[str, int]) -> None:
        self.world.note("listed", self.name, type(found).__name__)
        if isinstance(found, Refusal):
            self.world.after(0.2, self._poll)
            return
        for one in found.seats:
            chair = self.chairs.get(one.game_id)
            if chair is None:
                continue
            self._check(chair, one.seq, known.get(one.game_id, 0), "ListMySeats")
            self._look(chair)
        still = [chair for chair in self.chairs.values() if not chair.ended]
        if still and not found.seats:  # nothing is owed: a game may have ended
            self._look(self._chance.choice(still))
        self.world.after(0.05 if found.seats else 0.5, self._poll)

    def _check(self, chair: Chair, seq: int, known: int, what: str) -> None:
        if seq < known:
            self.world.fail(
                f"{self.name} knew {chair.game_id} to {known}, and {what} told it {seq}"
            )

    def _look(self, chair: Chair) -> None:
        if chair.ended or chair.game_id in self._busy:
            return
        self._busy.add(chair.game_id)
        feed = p.FeedOptions(view_mode=view_pb2.VIEW_MODE_NEVER, skip_labels=True, skip_moves=True)
        request = p.GetViewRequest(game_id=chair.game_id, seat=chair.seat, feed=feed)
        known = chair.seq
        self._call("GetView", request, lambda found: self._seen(chair, found, known))

    def _seen(self, chair: Chair, found: Any, known: int) -> None:
        self._busy.discard(chair.game_id)
        if isinstance(found, Refusal):
            if found.retry_after_ms is None:
                self.world.fail(f"{self.name}: no view of {chair.game_id}: {found!r}")
            return  # the next poll looks again
        update = p.GetViewResponse.FromString(found).update
        self.world.note("seen", self.name, chair.game_id, update.seq)
        self._check(chair, update.seq, known, "GetView")
        chair.seq = max(chair.seq, update.seq)
        if update.HasField("result"):
            chair.ended = True
            self.run.ended(chair)
        elif update.HasField("ready_check"):
            ready = p.SetReadyRequest(game_id=chair.game_id, seat=chair.seat, request_id="ready")
            self._submit(chair, "SetReady", ready)
        elif update.HasField("prompt"):
            decision = update.prompt.decision
            if self.run.sleeps(chair, decision.decision_id):
                return
            answer = decision_pb2.Answer(
                decision_id=decision.decision_id,
                option_id=choice_of(self.world.seed, chair, decision),
            )
            request = p.SubmitMoveRequest(
                game_id=chair.game_id,
                seat=chair.seat,
                request_id=f"d{decision.decision_id}",
                answer=answer,
            )
            self._submit(chair, "SubmitMove", request)

    def _submit(self, chair: Chair, method: str, request: Any) -> None:
        self._busy.add(chair.game_id)
        self._call(method, request, lambda found: self._done(chair, method, request, found))

    def _done(self, chair: Chair, method: str, request: Any, found: Any) -> None:
        if isinstance(found, Refusal):
            if found is self.run.gone or found.retry_after_ms is not None:
                wait = (found.retry_after_ms or 50) / 1000
                self.world.after(wait, self._submit, chair, method, request)
                return
            self._busy.discard(chair.game_id)
            self.run.judge.refused(chair, request.request_id, found.name)
            if found.reason not in NOT_OURS:
                self.world.fail(f"{self.name}: {request} was refused: {found!r}")
            return
        self._busy.discard(chair.game_id)
        if method == "SubmitMove":
            self.run.judge.accepted(chair, request.request_id, found.accepted)
            chair.seq = max(chair.seq, found.accepted.seq)
        self._look(chair)
