"""Seat 0 and option 0 are named in everything that is sent: in JSON they do not vanish."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from google.protobuf import json_format

from endless_winter.v1 import (
    decision_pb2,
    game_pb2,
    game_service_pb2,
    play_service_pb2,
    replay_service_pb2,
    replay_service_pb2_grpc,
    view_pb2,
)
from tests.service.hosting import hosted
from tests.service.player import Client
from tests.service.wire import Line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from google.protobuf.message import Message

p = play_service_pb2
NAMES = ("seat", "owner_seat", "by_seat", "option_id")
# Here, and only here, an absent one means something: a spectator, nobody, no answer.
MAY_BE_ABSENT = {"PlayReport.seat", "MegalithPlaced.seat", "ModuleEvent.seat", "Accepted.option_id"}
ALWAYS = p.FeedOptions(view_mode=view_pb2.VIEW_MODE_ALWAYS)


def unnamed(message: Message) -> Iterator[str]:
    """The seats and options that a message leaves out."""
    for field in message.DESCRIPTOR.fields:
        if field.message_type is not None:
            if field.is_repeated:
                for one in getattr(message, field.name):
                    yield from unnamed(one)
            elif message.HasField(field.name):
                yield from unnamed(getattr(message, field.name))
        elif field.name in NAMES and not message.HasField(field.name):
            yield f"{message.DESCRIPTOR.name}.{field.name}"


async def received_of_a_game(client: Client, game_id: str) -> list[Message]:
    """Everything that a client gets which plays both seats by defaults."""
    async with Line(client) as line:
        for seat in (0, 1):
            await line.send(
                p.PlayCommand(game_id=game_id, seat=seat, attach=p.Attach(feed=ALWAYS)),
                p.PlayCommand(game_id=game_id, seat=seat, ready=p.Ready()),
            )
        ended = 0
        while ended < 2:
            report = await line.next()
            ended += report.update.status == game_pb2.GAME_STATUS_ENDED
            if report.update.HasField("prompt"):
                decision = report.update.prompt.decision.decision_id
                answer = decision_pb2.Answer(decision_id=decision, take_default=True)
                await line.send(
                    p.PlayCommand(
                        request_id=f"d{decision}", game_id=game_id, seat=report.seat, answer=answer
                    )
                )
        return list(line.received)


async def test_whatever_is_sent_names_seat_0_and_option_0(tmp_path: Path) -> None:
    with hosted(tmp_path) as server:
        async with Client(server.address, "ann") as ann:
            game_id = (await ann.create(2)).game_id
            for seat in (0, 1):
                assert await ann.join(game_id, seat) == seat
            (first, *_) = (
                await ann.play.ListMySeats(p.ListMySeatsRequest(), metadata=ann.metadata)
            ).seats
            received = await received_of_a_game(ann, game_id)
            replays = replay_service_pb2_grpc.ReplayServiceStub(ann.channel)
            export = replay_service_pb2.ExportReplayRequest(game_id=game_id)
            pieces = [one async for one in replays.ExportReplay(export, metadata=ann.metadata)]
            info = game_service_pb2.GetGameRequest(game_id=game_id)
            found = await ann.games.GetGame(info, metadata=ann.metadata)
    absent = {name for one in (first, *received, *pieces, found) for name in unnamed(one)}
    assert absent - MAY_BE_ABSENT == set()
    assert json_format.MessageToDict(first)["seat"] == 0
    prompt = next(one for one in received if _options(one))
    options = _options(prompt)
    assert options[0]["optionId"] == 0
    accepted = [json_format.MessageToDict(one).get("accepted", {}) for one in received]
    assert any(one.get("optionId") == 0 for one in accepted)


def _options(report: Any) -> list[dict[str, Any]]:
    options = report.update.prompt.decision.options
    return [json_format.MessageToDict(option) for option in options]


async def test_a_request_that_leaves_the_seat_out_means_seat_0(tmp_path: Path) -> None:
    with hosted(tmp_path) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            game_id = (await ann.create(2)).game_id
            await asyncio.gather(ann.join(game_id, 0), bob.join(game_id, 1))
            await ann.play.SetReady(p.SetReadyRequest(game_id=game_id), metadata=ann.metadata)
            await bob.ready(game_id, 1)
            assert (await ann.view(game_id, 0)).status == game_pb2.GAME_STATUS_RUNNING
