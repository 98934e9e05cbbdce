"""Spectators with a delay see the game as it was, by every way in."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from endless_winter.v1 import game_pb2, game_service_pb2, play_service_pb2, update_pb2, view_pb2
from tests.service.hosting import hosted
from tests.service.player import Client, Stream, pick

if TYPE_CHECKING:
    from pathlib import Path

p = play_service_pb2
DAY_MS = 86_400_000
SOON_MS = 1500
ALWAYS = p.FeedOptions(view_mode=view_pb2.VIEW_MODE_ALWAYS)


async def started(ann: Client, bob: Client, delay_ms: int) -> str:
    game = await ann.create(2, spectator_delay_ms=delay_ms)
    for client in (ann, bob):
        await client.join(game.game_id)
    await ann.ready(game.game_id, 0)
    await bob.ready(game.game_id, 1)
    return game.game_id


async def some_moves(ann: Client, bob: Client, game_id: str, number: int) -> list[bytes]:
    """Play so many choices; the public view after each, as the players see it."""
    seen = []
    made = 0
    while made < number:
        for seat, client in enumerate((ann, bob)):
            update = await client.view(game_id, seat)
            if update.HasField("prompt") and made < number:
                decision = update.prompt.decision
                await client.submit(
                    game_id, seat, decision_id=decision.decision_id, option_id=pick(decision, 1)
                )
                made += 1
                after = await client.view(game_id, seat)
                seen.append(after.public_view.SerializeToString(deterministic=True))
    return seen


async def asked(client: Client, game_id: str) -> game_pb2.GameInfo:
    response = await client.games.GetGame(
        game_service_pb2.GetGameRequest(game_id=game_id), metadata=client.metadata
    )
    found: game_pb2.GameInfo = response.game
    return found


async def listed(client: Client, *statuses: game_pb2.GameStatus.ValueType) -> list[int]:
    request = game_service_pb2.ListGamesRequest(statuses=statuses)
    response = await client.games.ListGames(request, metadata=client.metadata)
    return [game.status for game in response.games]


async def all_ways(eve: Client, game_id: str) -> list[update_pb2.Update]:
    """The first update of a spectator by each way in."""
    found = [await eve.view(game_id), await eve.view(game_id, after_seq=1)]
    call = eve.play.Watch(p.WatchRequest(game_id=game_id, feed=ALWAYS), metadata=eve.metadata)
    async for response in call:
        found += response.updates
        if response.updates:
            break
    call.cancel()
    stream = Stream(eve)
    stream.send(p.PlayCommand(game_id=game_id, attach=p.Attach(feed=ALWAYS)))
    async for report in stream.reports():
        if report.HasField("update"):
            found.append(report.update)
            break
    stream.cut()
    return found


async def test_a_late_spectator_sees_nothing_of_now_by_any_way(tmp_path: Path) -> None:
    """Also after a restart: what is not yet due is known from the log's times."""
    with hosted(tmp_path) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            game_id = await started(ann, bob, DAY_MS)
            await some_moves(ann, bob, game_id, 10)
            now = await ann.view(game_id, 0)
            assert now.seq > 10
            await check_nothing(server.address, game_id)
            assert (await asked(ann, game_id)).status == game_pb2.GAME_STATUS_RUNNING
        server.process.kill()
    with hosted(tmp_path) as server:
        await check_nothing(server.address, game_id)
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            again = await ann.view(game_id, 0)
            assert again.public_view == now.public_view
            await some_moves(ann, bob, game_id, 2)
        await check_nothing(server.address, game_id)


async def check_nothing(address: str, game_id: str) -> None:
    async with Client(address, "eve") as eve:
        for update in await all_ways(eve, game_id):
            assert update.seq == 1
            assert update.status == game_pb2.GAME_STATUS_OPEN
            assert not update.HasField("public_view")
            assert not update.HasField("clock")
            assert not update.events
            assert not any(seat.taken for seat in update.game.seats)
        info = await asked(eve, game_id)
        assert not any(seat.connected for seat in info.seats)
        assert (info.seq, info.status, info.round) == (1, game_pb2.GAME_STATUS_OPEN, 0)
        assert await listed(eve, game_pb2.GAME_STATUS_RUNNING) == []
        assert await listed(eve) == [game_pb2.GAME_STATUS_OPEN]


async def test_the_past_comes_by_in_order_after_the_delay(tmp_path: Path) -> None:
    with hosted(tmp_path) as server:
        names = ("ann", "bob", "eve")
        clients = [Client(server.address, name) for name in names]
        async with clients[0] as ann, clients[1] as bob, clients[2] as eve:
            game_id = await started(ann, bob, SOON_MS)
            request = p.WatchRequest(game_id=game_id, after_seq=1, feed=ALWAYS)
            watching = eve.play.Watch(request, metadata=eve.metadata)
            live = await some_moves(ann, bob, game_id, 6)
            last = (await ann.view(game_id, 0)).seq
            poll = asyncio.create_task(eve.view(game_id, after_seq=last - 1, wait_ms=30_000))
            updates: list[update_pb2.Update] = []
            async for response in watching:
                updates += response.updates
                if updates and updates[-1].seq == last:
                    break
            watching.cancel()
            seqs = [event.seq for update in updates for event in update.events]
            assert seqs == sorted(seqs)
            assert set(seqs) == set(range(2, last + 1))  # everything, once, and nothing private
            assert not any(
                event.HasField("private_event") for update in updates for event in update.events
            )
            for update in updates:
                times = [event.public_event for event in update.events]
                assert times or update.snapshot or update.seq == 1
            views = [
                update.public_view.SerializeToString(deterministic=True)
                for update in updates
                if update.HasField("public_view")
            ]
            assert views[-1] == live[-1]
            assert (await poll).seq == last
            assert (await asked(eve, game_id)).seq == last


async def test_without_a_delay_nothing_is_held_back_and_everybody_is_live(tmp_path: Path) -> None:
    with hosted(tmp_path) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            game_id = await started(ann, bob, 0)
            await some_moves(ann, bob, game_id, 3)
            now = await ann.view(game_id, 0)
            async with Client(server.address, "eve") as eve:
                assert (await eve.view(game_id)).public_view == now.public_view
                assert (await asked(eve, game_id)).seq == now.seq


async def test_a_late_watcher_sees_the_end_late_and_the_record_is_open(tmp_path: Path) -> None:
    with hosted(tmp_path) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            game_id = await started(ann, bob, DAY_MS)
            for client, seat in ((ann, 0), (bob, 1)):
                leave = game_service_pb2.LeaveGameRequest(game_id=game_id, seat=seat)
                await client.games.LeaveGame(leave, metadata=client.metadata)
            assert (await ann.view(game_id, 0)).HasField("result")
            async with Client(server.address, "eve") as eve:
                assert not (await eve.view(game_id)).HasField("result")
                assert (await asked(eve, game_id)).HasField("result")
