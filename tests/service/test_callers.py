"""Every method times every kind of caller: a wrong token can do nothing.

For each pair the table says what must come back; and for each that is refused, the game beside it
must be as it was. The methods are read from the contract, so that a new one must find its row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import grpc
import pytest
from google.protobuf import message_factory

from endless_winter.service import contract
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import catalog_service_pb2 as c
from endless_winter.v1 import (
    config_pb2,
    decision_pb2,
    game_service_pb2,
    play_service_pb2,
    replay_pb2,
)
from endless_winter.v1 import operator_service_pb2 as o
from endless_winter.v1 import replay_service_pb2 as r
from tests.service.player import Client, secret
from tests.service.wire import OPERATOR, parts_of, served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.message import Message

    from endless_winter.cli.process import Server

p = play_service_pb2
g = game_service_pb2
OPEN = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)
RESERVED = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_RESERVED)

Metadata = tuple[tuple[str, str], ...]

CALLERS: dict[str, Metadata] = {
    "nobody": (),
    "malformed": (("ew-client-secret", "no-secret"),),
    "upper case": (("ew-client-secret", "AB" * 32),),
    "stranger": secret("stranger"),
    "other seat": secret("bob"),
    "holder": secret("ann"),
    "former": secret("fay"),
    "revoked": secret("rex"),
    "creator": secret("host"),
    "wrong token": (*secret("stranger"), ("ew-operator-token", "not-the-operators-token")),
    "operator": (*secret("stranger"), *OPERATOR),
}
MALFORMED = ("malformed", "upper case")


class Row(NamedTuple):
    """A call, and who may make it: the others get these reasons."""

    request: Any
    allowed: frozenset[str]
    refused: str = "NOT_ALLOWED"
    nobody: str = "SECRET_MISSING"


def everybody() -> frozenset[str]:
    return frozenset(CALLERS) - set(MALFORMED)


def known() -> frozenset[str]:
    return everybody() - {"nobody"}


HOLDER = frozenset({"holder"})
HOST = frozenset({"creator", "operator"})
OPERATORS = frozenset({"operator"})


def rows(game: str, closed: str, decision_id: int) -> dict[str, Row]:
    """Of a running game and of a closed one that waits for players; seat 0 is the holder's."""
    config = config_pb2.GameConfig(seats=[OPEN, OPEN])
    answer = decision_pb2.Answer(decision_id=decision_id, option_id=9999)
    return {
        "GameService/CreateGame": Row(g.CreateGameRequest(config=config), known()),
        "GameService/CreateGame with an id": Row(
            g.CreateGameRequest(config=config, game_id=f"{game}x"), OPERATORS
        ),
        "GameService/GetGame": Row(g.GetGameRequest(game_id=game), everybody()),
        "GameService/GetGame of a closed game": Row(
            g.GetGameRequest(game_id=closed),
            HOST | {"holder", "other seat"},
            "GAME_NOT_FOUND",
            "GAME_NOT_FOUND",
        ),
        "GameService/ListGames": Row(g.ListGamesRequest(), everybody()),
        "GameService/JoinGame": Row(
            g.JoinGameRequest(game_id=game, seat=0), HOLDER, "GAME_STARTED"
        ),
        "GameService/JoinGame of a closed game": Row(
            g.JoinGameRequest(game_id=closed, seat=2), frozenset(), "GAME_NOT_FOUND"
        ),
        "GameService/LeaveGame": Row(g.LeaveGameRequest(game_id=game, seat=0), HOLDER),
        "GameService/AbortGame": Row(
            g.AbortGameRequest(game_id=game), OPERATORS, nobody="NOT_ALLOWED"
        ),
        "GameService/CreateInvitation": Row(
            g.CreateInvitationRequest(game_id=game, seat=0), frozenset(), nobody="NOT_ALLOWED"
        ),
        "GameService/CreateInvitation of a closed game": Row(
            g.CreateInvitationRequest(game_id=closed, seat=2),
            HOST,
            "GAME_NOT_FOUND",
            "GAME_NOT_FOUND",
        ),
        "PlayService/SubmitMove": Row(
            p.SubmitMoveRequest(game_id=game, seat=0, answer=answer), HOLDER
        ),
        "PlayService/SetReady": Row(p.SetReadyRequest(game_id=game, seat=0), HOLDER),
        "PlayService/SetStandingAnswers": Row(
            p.SetStandingAnswersRequest(game_id=game, seat=0), HOLDER
        ),
        "PlayService/UndoMove": Row(p.UndoMoveRequest(game_id=game, seat=0), HOLDER),
        "PlayService/GetView": Row(p.GetViewRequest(game_id=game), everybody()),
        "PlayService/GetView as a seat": Row(p.GetViewRequest(game_id=game, seat=0), HOLDER),
        "PlayService/GetView of a closed game": Row(
            p.GetViewRequest(game_id=closed), OPERATORS, "GAME_NOT_FOUND", "GAME_NOT_FOUND"
        ),
        "PlayService/GetView of a closed game as a seat": Row(
            p.GetViewRequest(game_id=closed, seat=0), HOLDER, "GAME_NOT_FOUND", "GAME_NOT_FOUND"
        ),
        "PlayService/Watch": Row(p.WatchRequest(game_id=game), everybody()),
        "PlayService/Watch as a seat": Row(p.WatchRequest(game_id=game, seat=0), HOLDER),
        "PlayService/Watch of a closed game": Row(
            p.WatchRequest(game_id=closed), OPERATORS, "GAME_NOT_FOUND", "GAME_NOT_FOUND"
        ),
        **other_rows(game, closed),
        "PlayService/ListMySeats": Row(p.ListMySeatsRequest(), known()),
        "PlayService/Play": Row(
            p.PlayRequest(commands=[p.PlayCommand(hello=p.Hello(least_revision=1))]), known()
        ),
    }


def other_rows(game: str, closed: str) -> dict[str, Row]:
    """Catalogue, replays, arena, operators."""
    sealed: Any = (frozenset(), "NOT_REVEALED_YET", "NOT_REVEALED_YET")
    unknown: Any = (HOST | {"holder", "other seat"}, "GAME_NOT_FOUND", "GAME_NOT_FOUND")
    as_seat: dict[str, Any] = {"perspective": replay_pb2.PERSPECTIVE_SEAT, "seat": 0}
    omniscient: dict[str, Any] = {"perspective": replay_pb2.PERSPECTIVE_OMNISCIENT}
    hello = a.BotHello(least_revision=1, name="somebody", capacity=1)
    operators: Any = (OPERATORS, "NOT_ALLOWED", "NOT_ALLOWED")
    at: dict[str, Any] = {"game_id": game, "seat": 0}
    return {
        "CatalogService/GetServerInfo": Row(c.GetServerInfoRequest(), everybody()),
        "CatalogService/GetCatalog": Row(c.GetCatalogRequest(), everybody()),
        "CatalogService/ListCatalogs": Row(c.ListCatalogsRequest(), everybody()),
        "ReplayService/StreamReplay": Row(r.StreamReplayRequest(game_id=game), everybody()),
        "ReplayService/StreamReplay of a closed game": Row(
            r.StreamReplayRequest(game_id=closed), *unknown
        ),
        "ReplayService/StreamReplay as a seat": Row(
            r.StreamReplayRequest(game_id=game, **as_seat), HOLDER
        ),
        "ReplayService/StreamReplay of all": Row(
            r.StreamReplayRequest(game_id=game, **omniscient), *sealed
        ),
        "ReplayService/GetFrame": Row(r.GetFrameRequest(game_id=game, seq=1), everybody()),
        "ReplayService/GetFrame as a seat": Row(
            r.GetFrameRequest(game_id=game, seq=1, **as_seat), HOLDER
        ),
        "ReplayService/GetFrame of all": Row(
            r.GetFrameRequest(game_id=game, seq=1, **omniscient), *sealed
        ),
        "ReplayService/ExportReplay": Row(r.ExportReplayRequest(game_id=game), *sealed),
        "ReplayService/ExportReplay of a closed game": Row(
            r.ExportReplayRequest(game_id=closed),
            frozenset(),
            "GAME_NOT_FOUND",
            "GAME_NOT_FOUND",
        ),
        "ReplayService/VerifyReplay": Row(r.VerifyReplayRequest(game_id=game), *sealed),
        "ArenaService/AttachBot": Row(a.AttachBotRequest(hello=hello), known()),
        "ArenaService/ListBots": Row(a.ListBotsRequest(), everybody()),
        "OperatorService/RevokeSeat": Row(o.RevokeSeatRequest(**at), *operators),
        "OperatorService/RebindSeat": Row(o.RebindSeatRequest(**at), *operators),
        "OperatorService/HandSeatToBot": Row(
            o.HandSeatToBotRequest(**at, bot_name="nobody"), *operators
        ),
        "OperatorService/ReleaseReveal": Row(o.ReleaseRevealRequest(game_ids=[game]), *operators),
    }


# Who is allowed but finds the game in another state, or knows of it and may not do this.
ELSE: dict[tuple[str, str], set[str]] = {
    ("GameService/CreateInvitation", "creator"): {"GAME_STARTED"},
    ("GameService/CreateInvitation", "operator"): {"GAME_STARTED"},
    ("GameService/CreateInvitation of a closed game", "holder"): {"NOT_ALLOWED"},
    ("GameService/CreateInvitation of a closed game", "other seat"): {"NOT_ALLOWED"},
    ("GameService/AbortGame", "creator"): {"GAME_STARTED"},
    ("GameService/JoinGame of a closed game", "holder"): {"INVITATION_INVALID"},
    ("GameService/JoinGame of a closed game", "other seat"): {"INVITATION_INVALID"},
    ("GameService/JoinGame of a closed game", "creator"): {"INVITATION_INVALID"},
    ("GameService/JoinGame of a closed game", "operator"): {"INVITATION_INVALID"},
    ("PlayService/GetView of a closed game", "holder"): {"SPECTATORS_CLOSED"},
    ("PlayService/GetView of a closed game", "other seat"): {"SPECTATORS_CLOSED"},
    ("PlayService/GetView of a closed game", "creator"): {"SPECTATORS_CLOSED"},
    ("PlayService/Watch of a closed game", "holder"): {"SPECTATORS_CLOSED"},
    ("PlayService/Watch of a closed game", "other seat"): {"SPECTATORS_CLOSED"},
    ("PlayService/Watch of a closed game", "creator"): {"SPECTATORS_CLOSED"},
    ("PlayService/GetView of a closed game as a seat", "other seat"): {"NOT_ALLOWED"},
    ("PlayService/GetView of a closed game as a seat", "creator"): {"NOT_ALLOWED"},
    ("PlayService/GetView of a closed game as a seat", "operator"): {"NOT_ALLOWED"},
    ("OperatorService/HandSeatToBot", "operator"): {"BOT_UNAVAILABLE"},
    ("OperatorService/ReleaseReveal", "operator"): {"NOT_REVEALED_YET"},
    **{
        ("ReplayService/ExportReplay of a closed game", who): {"NOT_REVEALED_YET"}
        for who in ("holder", "other seat", "creator", "operator")
    },
    # The former holder gets the reason, unless the game is none of its business any more.
    **{
        (name, "revoked"): {"SEAT_REVOKED"}
        for name in (
            "GameService/LeaveGame",
            "PlayService/SubmitMove",
            "PlayService/SetReady",
            "PlayService/SetStandingAnswers",
            "PlayService/UndoMove",
            "PlayService/GetView as a seat",
            "PlayService/Watch as a seat",
            "ReplayService/StreamReplay as a seat",
            "ReplayService/GetFrame as a seat",
        )
    },
    ("PlayService/SubmitMove", "holder"): {"ILLEGAL_OPTION", "NOT_YOUR_DECISION"},
    ("PlayService/SetReady", "holder"): {"GAME_STARTED"},
    ("PlayService/UndoMove", "holder"): {"STALE_DECISION"},
}
# Calls that end the game or the seat if they are allowed: their own test.
ENDS = {
    ("GameService/LeaveGame", "holder"),
    ("GameService/AbortGame", "operator"),
    ("OperatorService/RevokeSeat", "operator"),
    ("OperatorService/RebindSeat", "operator"),
}

# Calls that are logged and change nothing that is seen.
LOGGED = {
    ("PlayService/SetStandingAnswers", "holder"),
    ("GameService/CreateInvitation of a closed game", "creator"),
    ("GameService/CreateInvitation of a closed game", "operator"),
}

NAMES = tuple(rows("", "", 0))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with served() as one:
        yield one


class Scene:
    """A running public game and a closed one, of Ann and Bob; the host created both.

    Ann's seat was Fay's, who left, and then Rex', from whom an operator took it.
    """

    def __init__(self, address: str) -> None:
        self.host = Client(address, "host")
        self.ann = Client(address, "ann")
        self.bob = Client(address, "bob")
        self.fay = Client(address, "fay")
        self.rex = Client(address, "rex")
        self.game = ""
        self.closed = ""
        self.decision_id = 0

    async def close(self) -> None:
        for client in (self.host, self.ann, self.bob, self.fay, self.rex):
            await client.channel.close()

    async def made(self) -> None:
        self.game = (await self.host.create(2)).game_id
        config = config_pb2.GameConfig(
            seats=[RESERVED] * 3, visibility=config_pb2.VISIBILITY_CLOSED
        )
        created = await self.host.games.CreateGame(
            g.CreateGameRequest(config=config), metadata=self.host.metadata
        )
        self.closed = created.game.game_id
        for client in (self.fay, self.rex):
            await client.join(self.game, 0)
            await self.enter(client, 0)
            for game_id in (self.game, self.closed):
                if client is self.fay:
                    leave = g.LeaveGameRequest(game_id=game_id, seat=0)
                    await client.games.LeaveGame(leave, metadata=client.metadata)
                else:
                    revoke = o.RevokeSeatRequest(game_id=game_id, seat=0)
                    assert not await ask(
                        client.channel, "OperatorService/RevokeSeat", revoke, OPERATOR
                    )
        for seat, client in enumerate((self.ann, self.bob)):
            await client.join(self.game, seat)
            await self.enter(client, seat)
        await self.ann.ready(self.game, 0)
        await self.bob.ready(self.game, 1)
        for seat, client in enumerate((self.ann, self.bob)):
            update = await client.view(self.game, seat)
            if update.HasField("prompt"):
                self.decision_id = update.prompt.decision.decision_id

    async def enter(self, client: Client, seat: int) -> None:
        """Take a seat of the closed game, by invitation."""
        wanted = g.CreateInvitationRequest(game_id=self.closed, seat=seat)
        made = await self.host.games.CreateInvitation(wanted, metadata=self.host.metadata)
        join = g.JoinGameRequest(game_id=self.closed, invitation=made.invitation.token)
        await client.games.JoinGame(join, metadata=client.metadata)

    async def seen(self) -> list[Any]:
        found: list[Any] = []
        for seat, client in enumerate((self.ann, self.bob)):
            for game_id in (self.game, self.closed):
                update = await client.view(game_id, seat)
                update.prompt.ClearField("sent_unix_ms")
                update.prompt.ClearField("wrong_answers_left")
                update.ClearField("game")
                found.append(update)
                get = g.GetGameRequest(game_id=game_id)
                info = (await client.games.GetGame(get, metadata=client.metadata)).game
                found.append(info)
        return found


def methods() -> dict[str, Any]:
    """Every method of the contract by "Service/Method"."""
    found = {}
    for file in contract.files():
        for service in file.services_by_name.values():
            for method in service.methods:
                found[f"{service.name}/{method.name}"] = method
    return found


async def ask(channel: grpc.aio.Channel, method: str, request: Message, metadata: Metadata) -> str:
    """Make a call; "" if it was answered, else its reason."""
    described = methods()[method]
    path = f"/{contract.PACKAGE}.{method}"
    answer = message_factory.GetMessageClass(described.output_type)
    codecs: dict[str, Any] = {
        "request_serializer": lambda message: message.SerializeToString(),
        "response_deserializer": answer.FromString,
    }
    call: Any
    try:
        if described.client_streaming:
            call = channel.stream_stream(path, **codecs)(metadata=metadata)
            await call.write(request)
            read = await call.read()
            assert read is not grpc.aio.EOF
            call.cancel()
        elif described.server_streaming:
            call = channel.unary_stream(path, **codecs)(request, metadata=metadata)
            read = await call.read()
            assert read is not grpc.aio.EOF
            call.cancel()
        else:
            await channel.unary_unary(path, **codecs)(request, metadata=metadata)
    except grpc.aio.AioRpcError as error:
        found = parts_of(error)
        assert found.reason, f"{method}: {found.status} without a reason"
        return found.reason
    return ""


@pytest.mark.parametrize("who", CALLERS)
async def test_every_method_for_every_caller(server: Server, who: str) -> None:
    scene = Scene(server.address)
    await scene.made()
    table = rows(scene.game, scene.closed, scene.decision_id)
    before = await scene.seen()
    for name, row in table.items():
        if (name, who) in ENDS:
            continue
        method = name.split(" ")[0]
        reason = await ask(scene.host.channel, method, row.request, CALLERS[who])
        if who in MALFORMED:
            expected = {"SECRET_MISSING"}
        elif (name, who) in ELSE:
            expected = ELSE[(name, who)]
        elif who in row.allowed:
            expected = {""}
        else:
            expected = {row.nobody if who == "nobody" else row.refused}
        assert reason in expected, f"{name} by {who}: {reason or 'allowed'}"
        if (name, who) in LOGGED:
            before = await scene.seen()  # an entry that changes nothing else
    assert await scene.seen() == before
    await scene.close()


async def test_what_ends_a_game_works_for_whom_it_should(server: Server) -> None:
    for name, who in ENDS:
        scene = Scene(server.address)
        await scene.made()
        row = rows(scene.game, scene.closed, scene.decision_id)[name]
        assert await ask(scene.host.channel, name, row.request, CALLERS[who]) == ""
        await scene.close()


def test_every_method_of_the_contract_has_its_rows() -> None:
    assert set(methods()) == {name.split(" ")[0] for name in NAMES}
    # And what is said of exceptions is said of rows and callers that there are.
    for name, who in (*ELSE, *ENDS, *LOGGED):
        assert name in NAMES, name
        assert who in CALLERS, who


async def test_a_holder_cannot_act_for_another_seat_on_its_stream(server: Server) -> None:
    scene = Scene(server.address)
    await scene.made()
    before = await scene.seen()
    answer = decision_pb2.Answer(decision_id=scene.decision_id, take_default=True)
    others = (scene.bob, scene.host, scene.fay, scene.rex)
    for seat, client in ((1, scene.ann), *((0, other) for other in others)):
        call = client.play.Play(metadata=client.metadata)
        at: dict[str, Any] = {"game_id": scene.game, "seat": seat}
        await call.write(
            p.PlayRequest(
                commands=[
                    p.PlayCommand(hello=p.Hello(least_revision=1)),
                    p.PlayCommand(request_id="a", **at, attach=p.Attach()),
                    p.PlayCommand(request_id="b", **at, answer=answer),
                    p.PlayCommand(request_id="c", **at, undo=p.Undo()),
                    p.PlayCommand(
                        request_id="d", **at, set_standing_answers=p.SetStandingAnswers()
                    ),
                ]
            )
        )
        await call.done_writing()
        reports = [report async for response in call for report in response.reports]
        assert [report.WhichOneof("report") for report in reports] == [
            "welcome",
            *["rejection"] * 4,
        ]
    assert await scene.seen() == before
    await scene.close()
