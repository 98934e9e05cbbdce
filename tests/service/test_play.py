"""Whole games over a real socket: the stream, the unary way, and a restart in between."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from endless_winter.cli.process import running
from endless_winter.v1 import game_pb2
from tests.service.player import Client, pick, play_stream, play_unary

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.v1 import result_pb2


async def test_a_game_between_a_stream_and_a_unary_client_ends_with_the_same_result_for_both() -> (
    None
):
    with running() as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            game = await ann.create(2)
            seat = await ann.join(game.game_id)
            other = await bob.join(game.game_id)
            results = await asyncio.gather(
                play_stream(ann, [(game.game_id, seat)], 1),
                play_unary(bob, game.game_id, other, 1),
            )
        streamed = results[0][(game.game_id, seat)]
        assert streamed.result == results[1].result
        assert streamed.status == game_pb2.GAME_STATUS_ENDED
        assert sorted(one.place for one in streamed.result.seats) == [1, 2]
        assert streamed.seed_reveal.seed == bytes(32)


async def test_sixteen_games_run_side_by_side_on_one_stream_per_client() -> None:
    with running() as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            seats: list[tuple[str, int]] = []
            others: list[tuple[str, int]] = []
            for number in range(16):
                game = await ann.create(2, seed=bytes([number]) * 32)
                seats.append((game.game_id, await ann.join(game.game_id)))
                others.append((game.game_id, await bob.join(game.game_id)))
            ended, others_ended = await asyncio.gather(
                play_stream(ann, seats, 2), play_stream(bob, others, 2)
            )
        assert len(ended) == len(others_ended) == 16


async def seated(address: str) -> tuple[str, int, int]:
    """A game with Ann and Bob, not yet ready."""
    async with Client(address, "ann") as ann, Client(address, "bob") as bob:
        game = await ann.create(2)
        return game.game_id, await ann.join(game.game_id), await bob.join(game.game_id)


async def answer_in_turn(
    address: str, game_id: str, one: int, two: int, most: int
) -> result_pb2.GameResult | None:
    """Both answer by unary calls, so many times at most; the result if the game has ended."""
    async with Client(address, "ann") as ann, Client(address, "bob") as bob:
        for _ in range(most):
            for client, seat in ((ann, one), (bob, two)):
                update = await client.view(game_id, seat)
                if update.HasField("result"):
                    return update.result
                if update.HasField("prompt"):
                    decision = update.prompt.decision
                    await client.submit(
                        game_id,
                        seat,
                        decision_id=decision.decision_id,
                        option_id=pick(decision, 3),
                    )
    return None


async def test_a_game_goes_on_after_the_server_was_killed(tmp_path: Path) -> None:
    """The same choices give the same result as in a game without interruption."""
    with running() as server:
        game_id, one, two = await seated(server.address)
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            ended, _ = await asyncio.gather(
                play_stream(ann, [(game_id, one)], 3), play_stream(bob, [(game_id, two)], 3)
            )
        plain = ended[(game_id, one)].result
    with running(folder=tmp_path) as server:
        game_id, one, two = await seated(server.address)
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            await ann.ready(game_id, one)
            await bob.ready(game_id, two)
        assert await answer_in_turn(server.address, game_id, one, two, 40) is None
        server.process.kill()
    with running(folder=tmp_path) as server:
        again = await answer_in_turn(server.address, game_id, one, two, 1000)
    assert again == plain
