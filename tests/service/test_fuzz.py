"""Fuzzing every method: always a status with a reason, never a dead process or a changed game."""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from typing import TYPE_CHECKING

import grpc
import pytest

from endless_winter.v1 import config_pb2, play_service_pb2
from tests.service.hostile import Fuzzer, methods, send
from tests.service.player import Client
from tests.service.wire import Pair, served

if TYPE_CHECKING:
    from endless_winter.cli.process import Server

p = play_service_pb2
SEED = int(os.environ.get("EW_FUZZ_SEED", "20261116"))
AT_ONCE = 40
PER_VICTIM = 1000
FLAGS = (
    *("--lists-per-minute", "100000000", "--list-burst", "100000000"),
    *("--wait-ms", "1000"),  # a spoilt byte may ask for a long poll of years
)


async def victim_of(address: str, *, solo: bool) -> str:
    """A running game whose seats the fuzzer's own client holds; the server has the Nomad's."""
    async with Client(address, "victim") as client:
        if solo:
            kinds = [config_pb2.SEAT_KIND_OPEN, config_pb2.SEAT_KIND_NOMAD]
            game = await client.create(kinds=kinds, nomad=config_pb2.NomadConfig())
        else:
            game = await client.create(2)
        for seat in (0,) if solo else (0, 1):
            await client.join(game.game_id, seat)
            await client.ready(game.game_id, seat)
        return game.game_id


async def fuzz(server: Server, seed: int, count: int) -> Counter[str]:
    """Send so many inputs; what came back."""
    print(f"fuzzing with seed {seed}, {count} inputs")  # to repeat it
    found: Counter[str] = Counter()
    async with Pair(server.address) as pair:
        await pair.started()
        before = await pair.seen()
        async with grpc.aio.insecure_channel(
            server.address, options=[("grpc.max_send_message_length", 64 << 20)]
        ) as channel:
            choices = random.Random(seed)
            done = 0
            while done < count:
                victim = await victim_of(server.address, solo=done % (2 * PER_VICTIM) > 0)
                fuzzer = Fuzzer(choices, pair.game_id, victim)
                for _ in range(PER_VICTIM // AT_ONCE):  # then a fresh victim
                    batch = [fuzzer.draw() for _ in range(min(AT_ONCE, count - done))]
                    answers = await asyncio.gather(*[send(channel, one) for one in batch])
                    done += len(batch)
                    for one, answer in zip(batch, answers, strict=True):
                        found[answer] += 1
                        found[one.method] += 1
        assert server.process.poll() is None
        assert await pair.seen() == before
        await pair.step()  # and it goes on
    print(dict(found))
    return found


async def test_hostile_input_to_every_method() -> None:
    with served(None, *FLAGS) as server:
        found = await fuzz(server, SEED, 5_000)
    names = {f"/{method.containing_service.full_name}/{method.name}" for method in methods()}
    assert names <= set(found)
    assert found["OK"] > 100
    assert found["CUT"] < 100
    assert {"INVALID_ARGUMENT", "SECRET_MISSING", "NOT_ALLOWED", "GAME_NOT_FOUND"} <= set(found)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("part", range(10))
async def test_a_lot_of_hostile_input(part: int) -> None:
    with served(None, *FLAGS) as server:
        await fuzz(server, SEED + 1 + part, 10_000)
