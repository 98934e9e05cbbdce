"""Every request of the contract that has a request id, asked twice, and over a restart.

The same id gets the same answer; for something else it is refused. The methods, and the commands
of the Play stream, are read from the contract, so that a new one must find its row.
"""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf import message_factory

from endless_winter.service import contract
from endless_winter.v1 import config_pb2, decision_pb2, game_service_pb2, play_service_pb2
from endless_winter.v1 import operator_service_pb2 as o
from tests.service.bot_process import BotProcess
from tests.service.player import Client
from tests.service.wire import OPERATOR, Line, Pair, name_of, parts_of, served

if TYPE_CHECKING:
    from pathlib import Path

g = game_service_pb2
p = play_service_pb2
REUSED = "REQUEST_ID_REUSED"
OPEN = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)
RESERVED = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_RESERVED)
PLAY = "PlayService/Play"
# Commands whose request id is echoed and means nothing else.
ECHOED = frozenset(f"{PLAY} {name}" for name in ("hello", "attach", "detach", "ping"))
GAIN = decision_pb2.StandingAnswer(kind=decision_pb2.DECISION_KIND_GAIN)


def asked() -> dict[str, Any]:
    """Whatever has a request id in the contract: methods, and commands of a stream's list."""
    found: dict[str, Any] = {}
    for file in contract.files():
        for service in file.services_by_name.values():
            for method in service.methods:
                name = f"{service.name}/{method.name}"
                if "request_id" in method.input_type.fields_by_name:
                    found[name] = method
                for part in method.input_type.fields:
                    command = part.message_type
                    if command is not None and "request_id" in command.fields_by_name:
                        for kind in command.oneofs[0].fields:
                            found[f"{name} {kind.name}"] = method
    return found


NAMES = sorted(set(asked()) - ECHOED)


@dataclass
class Row:
    """A request, something else under its id, and what was said to either, each time."""

    who: Client
    request: Any
    other: Any
    metadata: tuple[tuple[str, str], ...] = ()
    by: str = ""  # the method that asks for something else, if not the same
    answers: list[Any] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)


async def ask(name: str, row: Row, request: Any) -> Any:
    """The answer to a request, or the name of the reason why there is none."""
    if name.startswith(PLAY):
        async with Line(row.who) as line:
            await line.do(game_id=request.game_id, seat=request.seat, attach=p.Attach())
            await line.send(request)
            report = await line.answer_to(request.request_id)
        return name_of(report.rejection) if report.HasField("rejection") else report
    answer = message_factory.GetMessageClass(asked()[name].output_type)
    call: Any = row.who.channel.unary_unary(
        f"/{contract.PACKAGE}.{name}",
        request_serializer=lambda message: message.SerializeToString(),
        response_deserializer=answer.FromString,
    )
    try:
        return await call(request, metadata=(*row.who.metadata, *row.metadata))
    except grpc.aio.AioRpcError as error:
        return parts_of(error).reason


class Scene:
    """The clients of the rows, each of whose games is its own."""

    def __init__(self, address: str) -> None:
        self.pair = Pair(address)
        self.bot = Client(address, "bot")

    async def close(self) -> None:
        for client in (self.pair.ann, self.pair.bob, self.pair.eve, self.bot):
            await client.channel.close()

    def client(self, name: str) -> Client:
        return {client.name: client for client in (self.pair.ann, self.pair.bob)}[name]

    async def created(self, *seats: config_pb2.SeatConfig) -> str:
        ann = self.pair.ann
        request = g.CreateGameRequest(config=config_pb2.GameConfig(seats=seats))
        game_id: str = (await ann.games.CreateGame(request, metadata=ann.metadata)).game.game_id
        return game_id

    async def joined(self) -> str:
        game_id = await self.created(OPEN, OPEN)
        await self.pair.ann.join(game_id, 0)
        return game_id

    async def undoable(self) -> tuple[str, int, int]:
        """A game in which somebody is asked who can take back a choice; the seat, the decision."""
        await self.pair.started(undo_allowed=True, seed=hashlib.sha256(b"undo").digest())
        while not (await self.pair.pending())[1].can_undo:
            await self.pair.step()
        seat, decision = await self.pair.pending()
        return self.pair.game_id, seat, decision.decision_id


async def game_rows(scene: Scene) -> dict[str, Row]:
    ann = scene.pair.ann
    id_: dict[str, Any] = {"request_id": "the same"}
    one, two = (config_pb2.GameConfig(seats=[OPEN, RESERVED], title=name) for name in "ab")
    opened, left, over, invited = (
        await scene.joined(),
        await scene.joined(),
        await scene.joined(),
        await scene.created(RESERVED, RESERVED),
    )
    return {
        "GameService/CreateGame": Row(
            ann, g.CreateGameRequest(**id_, config=one), g.CreateGameRequest(**id_, config=two)
        ),
        "GameService/JoinGame": Row(
            scene.pair.bob,
            g.JoinGameRequest(**id_, game_id=opened),
            g.JoinGameRequest(**id_, game_id=opened, display_name="Bob"),
        ),
        "GameService/LeaveGame": Row(
            ann,
            g.LeaveGameRequest(**id_, game_id=left, seat=0),
            g.LeaveGameRequest(**id_, game_id=left, seat=1),
        ),
        "GameService/AbortGame": Row(
            ann,
            g.AbortGameRequest(**id_, game_id=over),
            g.AbortGameRequest(**id_, game_id=over, note="because"),
        ),
        "GameService/CreateInvitation": Row(
            ann,
            g.CreateInvitationRequest(**id_, game_id=invited, seat=0),
            g.CreateInvitationRequest(**id_, game_id=invited, seat=1),
        ),
    }


async def operator_rows(scene: Scene) -> dict[str, Row]:
    ann = scene.pair.ann
    games = [await scene.joined() for _ in range(3)]
    rows = {}
    for game_id, name, more in (
        (games[0], "RevokeSeat", {}),
        (games[1], "RebindSeat", {}),
        (games[2], "HandSeatToBot", {"bot_name": "heuristic"}),
    ):
        message = getattr(o, f"{name}Request")
        request = message(game_id=game_id, seat=0, request_id="the same", **more)
        other = message(game_id=game_id, seat=1, request_id="the same", **more)
        rows[f"OperatorService/{name}"] = Row(ann, request, other, OPERATOR)
    return rows


async def play_rows(scene: Scene) -> dict[str, Row]:
    """The unary methods and the commands, which are the same under other names."""
    rows: dict[str, Row] = {}
    for method, kind, part in (
        ("SetReady", "ready", ""),
        ("SubmitMove", "answer", "answer"),
        ("SetStandingAnswers", "set_standing_answers", "standing"),
        ("UndoMove", "undo", "undo"),
    ):
        for name in (f"PlayService/{method}", f"{PLAY} {kind}"):
            game_id, seat, number = await scene.joined(), 0, 0
            if kind != "ready":
                game_id, seat, number = await scene.undoable()
            at: dict[str, Any] = {"game_id": game_id, "seat": seat, "request_id": "the same"}
            one, two = variants(kind, number)
            request: Any
            other: Any
            if name.startswith(PLAY):
                request, other = (p.PlayCommand(**at, **{kind: wanted}) for wanted in (one, two))
            elif part:
                message = getattr(p, f"{method}Request")
                request, other = (message(**at, **{part: wanted}) for wanted in (one, two))
            else:
                request, other = p.SetReadyRequest(**at), None
            row = rows[name] = Row(scene.pair.client(seat), request, other)
            if kind == "ready":  # it says nothing that could be another
                standing = p.SetStandingAnswersRequest(**at)
                row.other, row.by = standing, "PlayService/SetStandingAnswers"
    return rows


def variants(kind: str, number: int) -> tuple[Any, Any]:
    """Something that a command says while a decision is pending, and something else."""
    answer = decision_pb2.Answer
    found: dict[str, tuple[Any, Any]] = {
        "ready": (p.Ready(), p.Ready()),
        "answer": (
            answer(decision_id=number, option_id=0),
            answer(decision_id=number, take_default=True),
        ),
        "set_standing_answers": (
            p.SetStandingAnswers(answers=[GAIN]),
            p.SetStandingAnswers(),
        ),
        "undo": (p.Undo(decision_id=number), p.Undo(decision_id=number + 1)),
    }
    return found[kind]


async def first_server(address: str) -> dict[str, Row]:
    scene = Scene(address)
    bot = await BotProcess(scene.bot, capacity=1).welcomed()
    rows = {**await game_rows(scene), **await operator_rows(scene), **await play_rows(scene)}
    taking = asyncio.create_task(bot.take_the_next())
    for name, row in rows.items():
        await once(name, row)
        await once(name, row)
    taking.cancel()
    await scene.close()
    return rows


async def once(name: str, row: Row) -> None:
    row.answers.append(await ask(name, row, row.request))
    row.refused.append(await ask(row.by or name, row, row.other))


async def second_server(address: str, rows: dict[str, Row]) -> None:
    scene = Scene(address)
    for name, row in rows.items():
        row.who = scene.client(row.who.name)
        await once(name, row)
    await scene.close()


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Row]:
    folder: Path = tmp_path_factory.mktemp("store")
    flags = ("--store", "games.db", "--offer-ms", "600000")
    with served(folder, *flags) as server:
        found = asyncio.run(first_server(server.address))
        server.process.kill()
    with served(folder, *flags) as server:
        asyncio.run(second_server(server.address, found))
    return found


@pytest.mark.parametrize("name", NAMES)
def test_a_request_id_means_the_same_request(rows: dict[str, Row], name: str) -> None:
    row = rows[name]
    first = row.answers[0]
    assert not isinstance(first, str), f"refused: {first}"
    assert row.answers == [first] * 3
    assert row.refused == [REUSED] * 3


def test_every_row_is_of_the_contract(rows: dict[str, Row]) -> None:
    assert sorted(rows) == NAMES
    assert set(asked()) >= ECHOED
