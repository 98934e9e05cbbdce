"""The bot in JavaScript against the real server: whole games, each with a cut line."""

from __future__ import annotations

import asyncio
import secrets
import sys
from contextlib import asynccontextmanager, nullcontext
from typing import TYPE_CHECKING

import grpc
import pytest

from endless_winter.cli.process import COMMAND, running
from endless_winter.conformance.relay import Relay
from endless_winter.v1 import (
    config_pb2,
    game_service_pb2,
    game_service_pb2_grpc,
    play_service_pb2,
    play_service_pb2_grpc,
    result_pb2,
)
from tests.node.machine import PATIENCE, environment, needs_node, started, while_running
from tests.service.player import Client, play_unary
from tests.service.test_tls import Files

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from endless_winter.v1 import update_pb2

pytestmark = needs_node
HEURISTIC = [sys.executable, "-m", "endless_winter.cli", "bot", "run", "heuristic"]


@asynccontextmanager
async def relayed(address: str) -> AsyncIterator[Relay]:
    relay = Relay()
    await relay.open(int(address.rpartition(":")[2]))
    try:
        yield relay
    finally:
        await relay.close()


async def create(host: Client, number: int) -> str:
    """A game of the two bots, in alternating seats."""
    names = ("node", "heuristic") if number % 2 else ("heuristic", "node")
    seats = [config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_BOT, bot_name=name) for name in names]
    request = game_service_pb2.CreateGameRequest(
        config=config_pb2.GameConfig(seats=seats), seed=bytes([number]) * 32
    )
    response = await host.games.CreateGame(request, metadata=host.metadata)
    game_id: str = response.game.game_id
    return game_id


async def reach(host: Client, game_id: str, entries: int) -> update_pb2.Update:
    """Wait until a game has so many entries, or has ended."""
    update = await host.view(game_id)
    while update.seq < entries and not update.HasField("result"):
        update = await host.view(game_id, after_seq=update.seq, wait_ms=10_000)
    return update


def assert_played(last: update_pb2.Update) -> None:
    result = last.result
    assert result.outcome == result_pb2.GAME_OUTCOME_COMPLETED
    assert [seat.reason for seat in result.seats] == [result_pb2.END_REASON_NORMAL] * 2
    assert [seat.wrong_answers for seat in result.seats] == [0, 0]


async def play(games: int) -> None:
    """So many games in a row, the line cut at another place in each."""
    with running() as server:
        async with relayed(server.address) as relay, Client(server.address, "host") as host:
            node = environment(relay.address, "node", secrets.token_hex(32))
            other = environment(server.address, "heuristic", secrets.token_hex(32))
            with started(node) as one, started(other, command=HEURISTIC) as two:
                playing = play_with_cuts(host, relay, games)
                await while_running(one, while_running(two, playing))


async def play_with_cuts(host: Client, relay: Relay, games: int) -> None:
    for number in range(games):
        game_id = await create(host, number)
        update = await reach(host, game_id, 20 + 7 * number % 120)
        assert not update.HasField("result")
        assert relay.connections == 1
        before = relay.accepted
        relay.cut()
        assert_played(await reach(host, game_id, 1 << 30))
        assert relay.accepted > before, "the bot has not come back"


async def test_games_go_on_after_a_cut() -> None:
    await play(2)


@pytest.mark.soak
async def test_twenty_games_with_a_cut_in_each() -> None:
    await play(20)


async def test_a_named_game_is_joined_played_and_left() -> None:
    with running() as server:
        async with Client(server.address, "host") as host:
            game_id = (await host.create(2)).game_id
            seat = await host.join(game_id, 0)
            variables = environment(server.address, "visitor", secrets.token_hex(32))
            with started(variables, "--join", game_id) as process:
                playing = play_unary(host, game_id, seat, 1)
                assert_played(await while_running(process, playing))
                said, _ = await asyncio.to_thread(process.communicate, timeout=PATIENCE)
    assert process.returncode == 0
    assert f"game {game_id}: place" in said


async def test_a_server_with_tls_is_trusted_by_its_authority(tmp_path: Path) -> None:
    files = Files(tmp_path)
    with running((*COMMAND, *files.server_flags)) as server:
        options = [("grpc.enable_http_proxy", 0)]
        channel = grpc.aio.secure_channel(server.address, files.channel(), options=options)
        stub = game_service_pb2_grpc.GameServiceStub(channel)
        host = (("ew-client-secret", secrets.token_hex(32)),)
        seats = [config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_BOT, bot_name="node")] * 2
        request = game_service_pb2.CreateGameRequest(config=config_pb2.GameConfig(seats=seats))
        created = await stub.CreateGame(request, metadata=host)
        variables = environment(server.address, "node", secrets.token_hex(32))
        with started(variables | {"EW_TLS_CA": str(files.ca)}) as process:
            last = await while_running(process, last_of(channel, created.game.game_id))
        await channel.close()
    assert_played(last)


async def last_of(channel: grpc.aio.Channel, game_id: str) -> update_pb2.Update:
    """The last update that a game's watchers get."""
    player = play_service_pb2_grpc.PlayServiceStub(channel)
    watch = play_service_pb2.WatchRequest(game_id=game_id)
    updates = [update async for found in player.Watch(watch) for update in found.updates]
    return updates[-1]


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        ("EW_CLIENT_SECRET", "short", "EW_CLIENT_SECRET must be 64 lower-case hexadecimal digits"),
        ("EW_BOT_CAPACITY", "many", "EW_BOT_CAPACITY must be a number from 1 on"),
        ("EW_TLS_CA", "/nonexistent", "EW_TLS_CA cannot be used: ENOENT"),
        ("EW_BOT_NAME", "a name", "a bot's name has 1 to 40 letters"),
    ],
)
async def test_a_wrong_setting_costs_one_line(variable: str, value: str, says: str) -> None:
    with running() if variable == "EW_BOT_NAME" else nullcontext() as server:
        address = server.address if server is not None else "127.0.0.1:9"
        variables = environment(address, "node", "0" * 64) | {variable: value}
        with started(variables) as process:
            said, _ = await asyncio.to_thread(process.communicate, timeout=PATIENCE)
    assert process.returncode == 2
    assert says in said
    assert said.count("\n") == 1
