"""One run: nodes, a store, a network, players and faults, all from one seed."""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Any

import structlog

from endless_winter.engine.caller import Caller
from endless_winter.engine.refusal import Refusal
from endless_winter.store.records import UNFINISHED, Query
from endless_winter.v1 import clock_pb2, config_pb2
from endless_winter.v1 import game_service_pb2 as g
from endless_winter.v1 import rejection_pb2 as reasons
from tests.simulation.disk import START_UNIX_MS, Database
from tests.simulation.judge import Judge
from tests.simulation.loop import World
from tests.simulation.node import GONE, Node
from tests.simulation.players import Chair, Player
from tests.simulation.walkers import Walker

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from tests.simulation.network import Line

NODES = 3
GAMES = 20
PLAYERS = 8
WALKERS = 2  # of them have no stream
FAULTS_SECONDS = 25.0
MOST_SECONDS = 900.0
CALL_SECONDS = 5.0  # after which a client tries a unary call elsewhere
EVERYTHING = Query(everything=True, statuses=UNFINISHED)
SOMETIMES = {
    "clock: a default was taken",
    "client: gave a silent node up",
    "commit: Conflict",
    "commit: Repeated",
    "commit: acknowledgement lost",
    "commit: arrived late",
    "commit: full",
    "commit: lost on its way",
    "commit: slow",
    "create: at two nodes at once",
    "fault: cut connection",
    "fault: frozen node",
    "fault: half-open connection",
    "fault: killed node",
    "fault: store away",
    "fault: store full",
    "network: delayed",
    "network: lost a call or its answer",
    "node: counted as dead, and lives",
    "player: slept",
    "read: failed",
    "rejected: STORE_UNAVAILABLE",
    "wake-up: late",
    "wake-up: lost",
}
"""What must have happened in a few seeds."""
OPERATOR = Caller(b"operator", operator=True)


class Run:
    """The whole of it; `play` runs it and says what was wrong."""

    def __init__(self, seed: int, nodes: int = NODES) -> None:
        self.world = world = World(seed)
        self.again = f"python -m tests.simulation {seed} --nodes {nodes} --log"
        self.chance = world.chance("run")
        self.database = Database(world)
        self.judge = Judge(self)
        self.lines: list[Line] = []
        self.faulty = True
        self.faults: Counter[str] = Counter()
        self._cuts: defaultdict[str, list[float]] = defaultdict(list)  # by player, when
        self._starts = 0
        self.nodes = [self._node(number) for number in range(nodes)]
        self.graves: list[Node] = []
        self.gone = GONE
        self.players: list[Player | Walker] = [
            (Walker if number < WALKERS else Player)(self, f"player {number}")
            for number in range(PLAYERS)
        ]
        self.game_ids: dict[int, str] = {}
        self.slept: set[tuple[str, int]] = set()
        self.over: set[str] = set()
        for number in range(GAMES):
            world.after(self.chance.uniform(0, 3), self._create, number)
        world.after(0.5, self._fault)

    # --- nodes ---

    def _node(self, number: int) -> Node:
        self._starts += 1
        name = f"node {number}.{self._starts}"
        skew = 1 + self.chance.uniform(-0.0005, 0.0005)
        return Node(self.database, name, skew, lambda: self.faulty)

    def any_node(self, chance: random.Random) -> Node:
        """As a load balancer chooses: mostly one that is there."""
        up = [node for node in self.nodes if node.up and not node.dead]
        return chance.choice(up if up and chance.random() < 0.9 else self.nodes)

    # --- faults ---

    def _fault(self) -> None:
        if not self.faulty:
            return
        if self.world.now > FAULTS_SECONDS:
            self.faulty = False
            self.world.note("no more faults")
            return
        kinds: list[Callable[[], None]] = [
            self._kill, self._freeze, self._freeze, self._cut, self._cut, self._half_open,
            self._half_open, self._outage, self._full,
        ]  # fmt: skip
        self.chance.choice(kinds)()
        self.world.after(self.chance.expovariate(1 / 0.6), self._fault)

    def _note(self, what: str) -> None:
        self.faults[what] += 1
        self.world.seen[f"fault: {what}"] += 1
        self.world.note("fault", what)

    def _kill(self) -> None:
        number = self.chance.randrange(len(self.nodes))
        node = self.nodes[number]
        if node.dead:
            return
        self._note("killed node")
        node.kill()
        self.graves.append(node)
        silent = self.chance.random() < 0.3  # the machine is gone, and nobody says so
        for line in self.lines:
            if line.node is node and not line.closed:
                if silent:
                    line.half_open = True
                else:
                    line.cut()
        self.world.after(self.chance.uniform(0.2, 8), self._restart, number)

    def _restart(self, number: int) -> None:
        self.nodes[number] = self._node(number)

    def _freeze(self) -> None:
        node = self.chance.choice(self.nodes)
        if not node.dead:
            self._note("frozen node")
            node.loop.freeze(self.chance.choice((0.5, 2.0, 10.0, 25.0)) * self.chance.random())

    def _open(self) -> list[Line]:
        self.lines = [line for line in self.lines if not line.closed]
        return [line for line in self.lines if not line.half_open]

    def _cut(self) -> None:
        lines = self._open()
        if lines:
            self._note("cut connection")
            line = self.chance.choice(lines)
            self._cuts[line.client].append(self.world.now)
            line.cut()

    def _half_open(self) -> None:
        lines = self._open()
        if lines:
            self._note("half-open connection")
            line = self.chance.choice(lines)
            self._cuts[line.client].append(self.world.now)
            line.half_open = True

    def _outage(self) -> None:
        self._note("store away")
        self.database.down_until = self.world.now + self.chance.uniform(0.1, 3)

    def _full(self) -> None:
        self._note("store full")
        self.database.full_until = self.world.now + self.chance.uniform(0.1, 3)

    # --- unary calls ---

    def call(
        self,
        node: Node,
        method: str,
        request: Any,
        caller: Caller,
        done: Callable[[Any], None],
    ) -> None:
        """One call over the network; `done` takes the response, a refusal, or `GONE`."""
        world, chance = self.world, self.chance
        state = {"open": True}

        def answer(found: Any) -> None:
            world.after(chance.expovariate(1 / 0.003), arrive, found)

        def arrive(found: Any) -> None:
            if state["open"]:
                state["open"] = False
                done(found)

        def reach() -> None:
            if node.up and not node.dead:
                node.call(method, request, caller, answer)
            elif node.dead:
                answer(GONE)

        lost = self.faulty and chance.random() < 0.03
        if not lost:
            world.after(chance.expovariate(1 / 0.003), reach)
        if lost or (self.faulty and chance.random() < 0.03):
            world.seen["network: lost a call or its answer"] += 1
            world.after(chance.uniform(0.001, 0.2), arrive, GONE)
        else:
            world.after(CALL_SECONDS, arrive, GONE)

    def insist(
        self, method: str, request: Any, caller: Caller, done: Callable[[Any], None]
    ) -> None:
        """Call until there is an answer that time does not cure, at one node after another."""

        def again(found: Any) -> None:
            if found is GONE:
                self.insist(method, request, caller, done)
            elif isinstance(found, Refusal) and found.retry_after_ms is not None:
                self.world.seen[f"call refused: {found.name}"] += 1
                wait = found.retry_after_ms / 1000
                self.world.after(wait, self.insist, method, request, caller, done)
            else:
                done(found)

        self.call(self.any_node(self.chance), method, request, caller, again)

    # --- games ---

    def _create(self, number: int) -> None:
        chance = self.world.chance("game", number)
        seats = chance.choice((2, 2, 2, 3))
        host, *_ = players = chance.sample(self.players, seats)
        config = config_pb2.GameConfig(
            seats=[config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)] * seats,
            undo_allowed=chance.random() < 0.2,
        )
        if number % 3 == 0:
            control = clock_pb2.TimeControl(decision_limit_ms=15_000, timeouts_to_forfeit=2)
            config.time_control.CopyFrom(control)
        request = g.CreateGameRequest(
            config=config, request_id=f"create {number}", seed=chance.randbytes(32)
        )
        twice = chance.random() < 0.2

        def created(found: Any) -> None:
            if isinstance(found, Refusal):
                self.world.fail(f"game {number} was not created: {found!r}")
                return
            game_id = found.game.game_id
            before = self.game_ids.setdefault(number, game_id)
            if before != game_id:
                self.world.fail(f"request {request.request_id} made {before} and {game_id}")
            elif not twice or before != game_id:
                self._fill(number, game_id, players)

        def created_first(found: Any) -> None:
            created(found)
            if number in self.game_ids:
                self._fill(number, self.game_ids[number], players)

        if twice:
            self.world.seen["create: at two nodes at once"] += 1
            self.insist("CreateGame", request, host.caller, created_first)
            self.insist("CreateGame", request, host.caller, created)
        else:
            self.insist("CreateGame", request, host.caller, created)

    def _fill(self, number: int, game_id: str, players: Sequence[Player | Walker]) -> None:
        for seat, player in enumerate(players):
            request = g.JoinGameRequest(
                game_id=game_id, seat=seat, display_name=player.name, request_id=f"join {number}"
            )

            def joined(found: Any, player: Player | Walker = player, seat: int = seat) -> None:
                if isinstance(found, Refusal):
                    self.world.fail(f"{player.name} did not get seat {seat}: {found!r}")
                else:
                    player.sit(Chair(game_id, found.seat, number))

            self.insist("JoinGame", request, player.caller, joined)
        chance = self.world.chance("end", number)
        if chance.random() < 0.5:
            self.world.after(chance.uniform(15, 30), self._abort, number, game_id)

    def _abort(self, number: int, game_id: str) -> None:
        request = g.AbortGameRequest(game_id=game_id, request_id=f"abort {number}")

        def done(found: Any) -> None:
            if isinstance(found, Refusal) and found.reason != reasons.REJECTION_REASON_GAME_ENDED:
                self.world.fail(f"{game_id} was not aborted: {found!r}")

        self.insist("AbortGame", request, OPERATOR, done)

    def sleeps(self, chair: Chair, decision_id: int) -> bool:
        """Whether a player does not answer: only a clock goes on."""
        if chair.number % 3:
            return False
        chance = self.world.chance("sleep", chair.number, decision_id)
        if chance.random() >= 0.004:
            return False
        self.slept.add((chair.game_id, decision_id))
        self.world.seen["player: slept"] += 1
        return True

    def was_cut(self, game_id: str, seat: int, at_ms: int) -> bool:
        """Whether a player's own network failed before: that is nobody else's fault.

        Who has no stream finds a frozen node by waiting, and pays for that.
        """
        until = (at_ms - START_UNIX_MS) / 1000
        for player in self.players:
            chair = player.chairs.get(game_id)
            if chair is not None and chair.seat == seat:
                cut = any(until - 30 < one <= until for one in self._cuts[player.name])
                return cut or isinstance(player, Walker)
        return False

    def ended(self, chair: Chair) -> None:
        self.over.add(chair.game_id)

    # --- the whole ---

    def _is_over(self) -> bool:
        if self.faulty or len(self.over) < GAMES:
            return False
        return all(chair.ended for one in self.players for chair in one.chairs.values())

    def play(self) -> None:
        """Run it, and judge it."""
        over = self.world.run(self._is_over, MOST_SECONDS)
        if not self.world.wrong:
            if not over:
                left = sorted(set(range(GAMES)) - self.game_ids.keys())
                open_ = [
                    (player.name, chair.game_id, chair.seq)
                    for player in self.players
                    for chair in player.chairs.values()
                    if not chair.ended
                ]
                self.world.fail(f"not every game has ended: not created {left}, open {open_}")
            else:
                self.judge.finish()
        for node in (*self.nodes, *self.graves):
            node.loop.kill()


def simulate(seed: int, nodes: int = NODES, *, log: bool = False) -> Run:
    """Play one seed; what was wrong stands in `world.wrong`."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    try:
        run = Run(seed, nodes)
        if log:
            run.world.keep_log()
        run.play()
    finally:
        structlog.configure(**before)
    return run
