"""Several nodes on one store: which of them live, and what each tells the others.

No game has an owner. A node has a game in memory as a fold of its log, which may be behind: what
another node has added is read before anything is refused or shown. The pending question of a game
has a clock that runs while the node lives that has delivered it. Of a node that was silent for too
long the question counts as not delivered: its clock stands still until another node delivers it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.store.records import STALE_MS, Wake
from endless_winter.v1 import config_pb2

if TYPE_CHECKING:
    from endless_winter.engine.clocks import Now
    from endless_winter.engine.game import Game
    from endless_winter.store.records import Pulse

OTHERS_MS: Final = 3_000  # so much later than the node that delivered a question others ring
AWAY_MS: Final = 600_000  # a question that no node delivers is waited for so long, by default


class Nodes:
    """What one node knows of all."""

    def __init__(self, name: str) -> None:
        self.name = name
        """Its own: random, and another one after it was silent for too long."""
        self.deliveries: dict[str, Game] = {}
        """Games whose deadline is not what the store has noted."""
        self._silent: dict[str, int] = {}  # dead nodes: when they were last heard of
        self._heads: dict[str, int] = {}
        self._clients: dict[str, tuple[bytes, ...]] = {}
        self._bots: dict[str, str] = {}

    # --- who lives ---

    def hear(self, pulse: Pulse, now: Now) -> None:
        """The answer to a heartbeat of this node."""
        for node, silent_ms in pulse.nodes.items():
            if silent_ms >= STALE_MS and node != self.name:
                self._silent.setdefault(node, now.ms - silent_ms)

    def silent_since_ms(self, node: str) -> int | None:
        """When a dead node was last heard of, on the running clock; None: it lives."""
        return self._silent.get(node)

    # --- what the others are told ---

    def tell(self, game: Game) -> None:
        """Something was committed here."""
        table = game.table
        self._heads[game.game_id] = table.seq
        owing = [seat.holder for number, seat in enumerate(table.seats) if game.owes(number)]
        self._clients[game.game_id] = tuple([holder for holder in owing if holder])
        for seat in table.seats:
            open_seat = seat.kind == config_pb2.SEAT_KIND_BOT and not (seat.player_id or seat.key)
            if open_seat and table.is_open():
                self._bots[game.game_id] = seat.bot_name

    def has_news(self) -> bool:
        return bool(self._heads)

    def take_wake(self) -> Wake | None:
        """What to notify, once; None: nothing."""
        if not self._heads:
            return None
        wake = Wake(self._heads, self._clients, self._bots)
        self._heads, self._clients, self._bots = {}, {}, {}
        return wake
