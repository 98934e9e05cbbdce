"""Two servers whose games one viewer cannot tell apart, and every byte that it is sent by each.

The games differ in what the viewer has never seen (tests/views/redaction.py). Both go through the
whole engine: streams, calls, refusals, drafts and sequence numbers; the store keeps nothing, and
the clock stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from endless_winter.engine.commands import Answer
from endless_winter.engine.game import Game, Identity
from endless_winter.engine.refusal import Refusal
from endless_winter.engine.subscription import Subscription
from endless_winter.engine.table import RUNNING, TALLY, new_table
from endless_winter.rules import events
from endless_winter.store.memory import MemoryStore
from endless_winter.store.records import NO_CHAIN, Secret
from endless_winter.v1 import config_pb2, decision_pb2, view_pb2
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.views.config import message_of
from tests.engine.desk import Desk, client
from tests.views.redaction import PACK, SPECTATOR, open_part, shown_by, twin_of

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from endless_winter import rules
    from endless_winter.store.errors import StoreError
    from endless_winter.store.records import Append, Uptime

SEQ = 100
GAME = "twin"
FULL = p.FeedOptions(view_mode=view_pb2.VIEW_MODE_ALWAYS, explain=True)


class NoStore(MemoryStore):
    """Takes everything and keeps nothing."""

    def commit(
        self, appends: Sequence[Append], uptime: Uptime | None = None
    ) -> list[StoreError | None]:
        del uptime
        return [None for _ in appends]


def name_of(viewer: int) -> str:
    return "a spectator" if viewer == SPECTATOR else f"player {viewer}"


class Server:
    """One of the two."""

    def __init__(self, position: rules.Game, *, served: bool = False) -> None:
        """`served`: the server plays the Nomad; otherwise a client holds its seat too."""
        config = message_of(position.position.config)
        config.undo_allowed = True
        table = new_table(GAME, config, position.position.config, position.position.seed)
        for number, seat in enumerate(table.seats):
            seat.kind = config_pb2.SEAT_KIND_OPEN
            seat.player_id = f"p{number}"
            seat.holder = client(name_of(number))
            seat.ready = True
        if served:
            nomad = position.position.config.nomad
            assert nomad is not None
            seat = table.seats[nomad.seat]
            seat.kind = config_pb2.SEAT_KIND_NOMAD
            seat.player_id, seat.holder = "", b""
        table.status = RUNNING
        table.tally = [0] * (len(table.seats) * TALLY)
        table.turn_used_ms = (0,) * len(table.seats)
        table.game = position.copy()
        table.seq = table.decision_id = SEQ
        table.deciding_seat = position.position.agenda[-1][1]
        self.desk = Desk(NoStore(), PACK, wrong_answers_to_forfeit=1000)
        engine = self.desk.engine
        self.game = Game(
            table,
            Identity(client("host"), Secret(table.seed, bytes(32)), bytes(32), ""),
            engine.kit.scribe(table.rules),
            NO_CHAIN,
            settings=engine.settings,
            everywhere=engine.lobby.presence,
            now=self.desk.now,
        )
        engine.add(self.game, self.desk.now)

    def shown(self, viewer: int, decider: int, text: str) -> list[bytes]:
        """Everything that goes to a viewer before, in and after a choice of somebody."""
        sent = self._ask_by_calls(viewer)
        stream = self.desk.stream(name_of(viewer))
        seat = None if viewer == SPECTATOR else viewer
        attach = p.PlayCommand(game_id=GAME, seat=seat, attach=p.Attach(feed=FULL))
        stream.send(attach, *self._wrong(seat))
        sent += stream.messages()
        self.desk.answer(self.game, seat=decider, name=name_of(decider), decision_id=SEQ, text=text)
        sent += stream.messages()
        stream.send(*self._wrong(seat))
        sent += stream.messages()
        stream.close()
        return sent + self._ask_by_calls(viewer)

    def _wrong(self, seat: int | None) -> list[p.PlayCommand]:
        """Commands that are refused, or that only the viewer may give."""
        at: dict[str, Any] = {"game_id": GAME, "seat": seat}
        found = [p.PlayCommand(**at, answer=answer) for answer in self._answers()]
        found.append(p.PlayCommand(**at, undo=p.Undo(decision_id=SEQ - 1)))
        found.append(p.PlayCommand(game_id=GAME, seat=3, attach=p.Attach()))
        return found

    def _answers(self) -> list[decision_pb2.Answer]:
        now = self.game.table.decision_id
        return [
            decision_pb2.Answer(decision_id=now, option_id=10_000),
            decision_pb2.Answer(decision_id=now, text="draw the best card"),
            decision_pb2.Answer(decision_id=now - 1, take_default=True),
            decision_pb2.Answer(decision_id=now + 1, take_default=True),
        ]

    def _ask_by_calls(self, viewer: int) -> list[bytes]:
        """What unary calls say: to answers that are wrong, and of the view."""
        sent = []
        for answer in self._answers():
            asked = self.desk.asked(name_of(viewer))
            try:
                sent.append(self.desk.do(Answer(GAME, max(viewer, 0), asked, "", answer)))
            except Refusal as refusal:
                sent.append(refusal.message_out().SerializeToString(deterministic=True))
        seat = None if viewer == SPECTATOR else viewer
        looking = Subscription(self.game, seat, FULL, None, lambda _: None, polled=True)
        sent.append(looking.update(self.desk.now) or b"")
        return sent


def compare(
    position: rules.Game, code: int, viewer: int, choices: random.Random, *, served: bool = False
) -> bool:
    """Let a choice be made in both games; whether it could be compared."""
    after = position.copy()
    after.listen()
    happening = after.apply(code)
    nomad = position.position.config.nomad
    while served and nomad and after.options() and after.position.agenda[-1][1] == nomad.seat:
        happening = happening + after.apply(after.default)
    decider = position.position.agenda[-1][1]
    if any(event[0] == events.CARDS_DRAWN and event[1] == viewer for event in happening):
        return False  # the viewer's own new cards may differ
    if not after.options():
        return False  # the end opens everything
    held = shown_by(position, happening)
    twin = twin_of(position, viewer, choices, held)
    ways = [code]
    if viewer != decider and not held.piles:
        ways = [way for way in twin.options() if open_part(way) == open_part(code)]
    way = choices.choice(ways)
    mine = Server(position, served=served).shown(viewer, decider, position.text(code))
    other = Server(twin, served=served).shown(viewer, decider, twin.text(way))
    assert [len(one) for one in mine] == [len(one) for one in other], f"{name_of(viewer)}: sizes"
    assert mine == other, f"{name_of(viewer)} is sent other bytes"
    return True
