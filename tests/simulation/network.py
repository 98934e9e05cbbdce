"""What lies between clients and nodes: it delays, cuts, and forgets to say that it did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from tests.simulation.node import Link

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.engine.caller import Caller
    from tests.simulation.loop import World
    from tests.simulation.node import Node

FORGETS_SECONDS = 60.0  # after so long a server gives a silent connection up (keepalive)


class Listener(Protocol):
    """The client's end of a stream."""

    def received(self, line: Line, message: bytes) -> None:
        """A message has come."""

    def closed(self, line: Line) -> None:
        """The stream has ended."""


class Line:
    """One Play stream over the network. Each direction keeps its order; lines do not."""

    def __init__(
        self, world: World, node: Node, caller: Caller, listener: Listener, name: str
    ) -> None:
        self._world = world
        self.node = node
        self._listener = listener
        self._chance = world.chance("line", name)
        self.client = name.split("/", maxsplit=1)[0]
        self.half_open = False
        self.closed = False
        self._up = self._down = world.now  # when the last message of each direction arrives
        self._link: Link | None = None
        self._first: list[bytes] = []
        self._later("_up", self._connect, caller)

    def _later(self, way: str, what: Callable[..., None], *args: Any, loop: Any = None) -> None:
        wait = self._chance.expovariate(1 / 0.003)
        if self._chance.random() < 0.01:
            wait += self._chance.uniform(0.1, 1.0)
            self._world.seen["network: delayed"] += 1
        when = max(getattr(self, way), self._world.now + wait)
        setattr(self, way, when)
        self._world.after(when - self._world.now, what, *args, loop=loop)

    def _connect(self, caller: Caller) -> None:
        if self.closed or self.half_open:
            return
        node = self.node
        if node.dead or not node.up:
            self._later("_down", self._close)
            return
        self._world.after(0.0, self._begin, caller, loop=node.loop)

    def _begin(self, caller: Caller) -> None:
        """In the node's own loop."""
        self._link = Link(self.node, caller, self._answer)
        for message in self._first:
            self._link.arrive(message)
        self._first.clear()

    # --- from the client ---

    def send(self, message: bytes) -> None:
        self._later("_up", self._arrive, message)

    def _arrive(self, message: bytes) -> None:
        if self.half_open or self.closed:
            return
        if self.node.dead:
            self._later("_down", self._close)
            return
        self._world.after(0.0, self._hand_over, message, loop=self.node.loop)

    def _hand_over(self, message: bytes) -> None:
        if self._link is None:
            self._first.append(message)
        elif not self.closed:
            self._link.arrive(message)

    def hang_up(self) -> None:
        """The client closes the stream."""
        self.closed = True
        wait = FORGETS_SECONDS if self.half_open else 0.001
        self._world.after(wait, self._drop, loop=self.node.loop)

    # --- from the node ---

    def _answer(self, message: bytes | None) -> None:
        if message is None:
            self._later("_down", self._close)
        else:
            self._later("_down", self._give, message)

    def _give(self, message: bytes) -> None:
        if self.half_open or self.closed:
            return
        self._listener.received(self, message)

    # --- faults ---

    def cut(self) -> None:
        """Both ends learn of it, sooner or later; what is under way is lost."""
        if not self.closed:
            self._world.after(self._chance.uniform(0, 2.0), self._drop, loop=self.node.loop)
            self._close()

    def _drop(self) -> None:
        if self._link is not None:
            self._link.cut()

    def _close(self) -> None:
        if not self.closed:
            self.closed = True
            self._listener.closed(self)
