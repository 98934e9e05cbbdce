"""Two servers whose games one viewer cannot tell apart, and every byte that it is sent by each.

The games differ in what the viewer has never seen (tests/views/redaction.py). Both go through the
whole service: streams, unary calls, refusals, drafts and sequence numbers; only the socket and the
file are left out, and the clock stands.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc

from endless_winter.rules import events
from endless_winter.service import tally
from endless_winter.service.hall import Hall
from endless_winter.service.identity import Caller
from endless_winter.service.play import PlayServicer
from endless_winter.service.play_stream import PlayStream
from endless_winter.service.session import Session
from endless_winter.service.settings import Settings
from endless_winter.service.table import RUNNING, Seat, Table
from endless_winter.store import Header, Secret, Status
from endless_winter.v1 import config_pb2, decision_pb2, play_service_pb2, view_pb2
from endless_winter.views import Scribe
from endless_winter.views.config import message_of
from tests.service.desk import FakeTime, caller
from tests.service.player import secret
from tests.views.redaction import PACK, SPECTATOR, WORDS, open_part, shown_by, twin_of

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    from endless_winter.rules import Game

p = play_service_pb2
SEQ = 100
GAME = "twin"


class NoStore:
    """Takes everything and keeps nothing."""

    def append_soon(
        self,
        game_id: str,
        expected_seq: int,
        entries: Sequence[object],
        requests: Sequence[object],
        done: Callable[[int], None],
    ) -> None:
        del game_id, requests
        asyncio.get_running_loop().call_soon(done, expected_seq + len(entries))

    def flush(self) -> None:
        """There is nothing to wait for."""

    def kept(self) -> None:
        """As above."""

    async def find_request(self, *_: object) -> None:
        return None


class Aborted(Exception):
    """A unary call was refused."""


class Context:
    """What a unary method sees of gRPC."""

    def __init__(self, name: str, sent: list[bytes]) -> None:
        self._name = name
        self._sent = sent

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        return secret(self._name)

    def peer(self) -> str:
        return "ipv4:127.0.0.1:1"

    async def abort_with_status(self, status: Any) -> None:
        told = f"{status.code} {status.details} {status.trailing_metadata}"
        self._sent.append(told.encode())
        raise Aborted


def name_of(viewer: int) -> str:
    return "a spectator" if viewer == SPECTATOR else f"player {viewer}"


def header_of(config: config_pb2.GameConfig) -> Header:
    return Header(
        game_id=GAME,
        created_ms=1,
        rules_version="1",
        content_hash=PACK.digest,
        config=config.SerializeToString(),
        commitment=bytes(32),
        last_seq=SEQ,
        status=Status.RUNNING,
        started_ms=1,
        ended_ms=None,
        open_seats=0,
        sealed=False,
        summary=b"",
        holders={},
    )


class Server:
    """One of the two."""

    def __init__(self, game: Game, *, served: bool = False) -> None:
        """`served`: the server plays the Nomad; otherwise a client holds its seat too."""
        rules = game.position.config
        config = message_of(rules)
        config.undo_allowed = True
        seats = [Seat(config_pb2.SEAT_KIND_OPEN) for _ in range(rules.players)]
        for number, seat in enumerate(seats):
            seat.holder = caller(name_of(number)).holder
            seat.ready = True
        if served:
            assert rules.nomad is not None
            seats[rules.nomad.seat] = Seat(config_pb2.SEAT_KIND_NOMAD)
        table = Table(GAME, config, rules, "1", game.position.seed, seats)
        table.status = RUNNING
        table.tally = tally.none(rules.players)
        table.game = game.copy()
        table.seq = table.decision_id = SEQ
        table.deciding_seat = game.position.agenda[-1][1]
        store: Any = NoStore()
        time = FakeTime()
        settings = Settings(wrong_answers_to_forfeit=1000)
        self.hall = Hall(store, PACK, time=time, settings=settings)
        self.session = Session(
            table,
            header_of(config),
            Secret(game.position.seed, bytes(32)),
            Scribe(WORDS, rules),
            store=store,
            time=time,
            settings=settings,
            everywhere=self.hall.presence,
            changed=lambda _: None,
            waiting={},
        )
        self.hall.sessions[GAME] = self.session

    async def shown(self, viewer: int, decider: int, text: str) -> list[bytes]:
        """Everything that goes to a viewer before, in and after a choice of somebody."""
        sent: list[bytes] = []
        await self._ask_by_calls(viewer, sent)
        commands: asyncio.Queue[Any] = asyncio.Queue()
        stream = PlayStream(self.hall, Caller(caller(name_of(viewer)).holder, operator=False))
        reader = asyncio.create_task(stream.read(commands.get))

        async def send(chunk: bytes) -> None:
            sent.append(chunk)

        writer = asyncio.create_task(stream.write(send))
        feed = p.FeedOptions(view_mode=view_pb2.VIEW_MODE_ALWAYS)
        commands.put_nowait(p.PlayRequest(commands=[p.PlayCommand(hello=p.Hello())]))
        attach = p.PlayCommand(game_id=GAME, attach=p.Attach(feed=feed))
        if viewer != SPECTATOR:
            attach.seat = viewer
        commands.put_nowait(p.PlayRequest(commands=[attach, *self._wrong(viewer)]))
        await quiet(sent)
        answer = decision_pb2.Answer(decision_id=SEQ, text=text)
        await self.session.answer(decider, "", answer, 0)
        await quiet(sent)
        commands.put_nowait(p.PlayRequest(commands=self._wrong(viewer)))
        await quiet(sent)
        commands.put_nowait(grpc.aio.EOF)
        await reader
        await writer
        stream.close()
        await self._ask_by_calls(viewer, sent)
        return sent

    def _wrong(self, viewer: int) -> list[p.PlayCommand]:
        """Commands that are refused, or that only the viewer may give."""
        at: dict[str, Any] = {"game_id": GAME}
        if viewer != SPECTATOR:
            at["seat"] = viewer
        found = [p.PlayCommand(**at, answer=answer) for answer in self._answers()]
        found.append(p.PlayCommand(**at, undo=p.Undo(decision_id=SEQ - 1)))
        found.append(p.PlayCommand(game_id=GAME, seat=3, attach=p.Attach()))
        return found

    def _answers(self) -> list[decision_pb2.Answer]:
        now = self.session.table.decision_id
        return [
            decision_pb2.Answer(decision_id=now, option_id=10_000),
            decision_pb2.Answer(decision_id=now, text="draw the best card"),
            decision_pb2.Answer(decision_id=now - 1, take_default=True),
            decision_pb2.Answer(decision_id=now + 1, take_default=True),
        ]

    async def _ask_by_calls(self, viewer: int, sent: list[bytes]) -> None:
        service = PlayServicer(self.hall)
        context = Context(name_of(viewer), sent)
        requests: list[tuple[Any, Any]] = [
            (
                service.SubmitMove,
                p.SubmitMoveRequest(game_id=GAME, seat=max(viewer, 0), answer=answer),
            )
            for answer in self._answers()
        ]
        view = p.GetViewRequest(game_id=GAME)
        if viewer != SPECTATOR:
            view.seat = viewer
        requests.append((service.GetView, view))
        for method, request in requests:
            try:
                answer = await method(request, context)
                encoded = isinstance(answer, bytes)  # views are, by the server itself
                sent.append(answer if encoded else answer.SerializeToString(deterministic=True))
            except Aborted:
                pass


async def quiet(sent: list[bytes]) -> None:
    """Wait until a stream has nothing more to say: everything runs in this one thread."""
    calm = 0
    before = -1
    while calm < 20:
        await asyncio.sleep(0)
        calm = calm + 1 if len(sent) == before else 0
        before = len(sent)


async def compare(
    game: Game, code: int, viewer: int, choices: random.Random, *, served: bool = False
) -> bool:
    """Let a choice be made in both games; whether it could be compared."""
    after = game.copy()
    after.listen()
    happening = after.apply(code)
    nomad = game.position.config.nomad
    while served and nomad and after.options() and after.position.agenda[-1][1] == nomad.seat:
        happening = happening + after.apply(after.default)
    decider = game.position.agenda[-1][1]
    if any(event[0] == events.CARDS_DRAWN and event[1] == viewer for event in happening):
        return False  # the viewer's own new cards may differ
    if not after.options():
        return False  # the end opens everything
    held = shown_by(game, happening)
    twin = twin_of(game, viewer, choices, held)
    ways = [code]
    if viewer != decider and not held.piles:
        ways = [way for way in twin.options() if open_part(way) == open_part(code)]
    way = choices.choice(ways)
    mine = await Server(game, served=served).shown(viewer, decider, game.text(code))
    other = await Server(twin, served=served).shown(viewer, decider, twin.text(way))
    assert_same(mine, other, viewer)
    return True


def assert_same(mine: list[bytes], other: list[bytes], viewer: int) -> None:
    assert [len(one) for one in mine] == [len(one) for one in other], f"{name_of(viewer)}: sizes"
    assert mine == other, f"{name_of(viewer)} is sent other bytes"
