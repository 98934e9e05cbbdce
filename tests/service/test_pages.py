"""Lists: a page has so many entries, and is never larger than what a client takes."""

from __future__ import annotations

from typing import Any

import pytest

from endless_winter.service.rpc.pages import CLIENTS_TAKE
from endless_winter.v1 import (
    arena_pb2,
    arena_service_pb2,
    arena_service_pb2_grpc,
    config_pb2,
    game_pb2,
)
from endless_winter.v1 import game_service_pb2 as g
from endless_winter.v1 import play_service_pb2 as p
from tests.engine.desk import Desk
from tests.service.inside import Inside, inside

LONGEST = "\N{SNOWFLAKE}\N{MAMMOTH}" * 500  # characters of three and four bytes


def create_large(desk: Desk, count: int) -> list[str]:
    """Games that have as much to tell as any; the newest first."""
    bot = config_pb2.SeatConfig(
        kind=config_pb2.SEAT_KIND_BOT, bot_name="x" * 40, bot_options=LONGEST
    )
    made = []
    for _ in range(count):
        made.append(desk.create([bot] * 4, title="t" * 80).game_id)
        desk.unix_ms += 1
    return made[::-1]


async def games(server: Inside, **more: Any) -> g.ListGamesResponse:
    client = server.client("anybody")
    found: g.ListGamesResponse = await client.games.ListGames(
        g.ListGamesRequest(**more), metadata=client.metadata
    )
    return found


async def pages(server: Inside, page_size: int = 0) -> list[g.ListGamesResponse]:
    found = [await games(server, page_size=page_size)]
    while token := found[-1].next_page_token:
        found.append(await games(server, page_size=page_size, page_token=token))
    return found


def ids(found: list[g.ListGamesResponse]) -> list[str]:
    return [game.game_id for page in found for game in page.games]


@pytest.mark.parametrize(
    ("message_bytes", "page_size", "most"),
    [(65_536, 200, 65_536), (1 << 20, 200, 1 << 20), (1 << 30, 100_000, CLIENTS_TAKE)],
)
async def test_a_page_of_games_is_no_larger_than_a_client_takes(
    message_bytes: int, page_size: int, most: int
) -> None:
    desk = Desk()
    made = create_large(desk, 5 * most // (2 * 4 * 3500))  # two pages and a half
    async with inside(desk.store, message_bytes=message_bytes, page_size=page_size) as server:
        found = await pages(server)
        assert len(found) == 3
        assert ids(found) == made
        assert all(page.ByteSize() <= most for page in found)
        # As full as it can be: the next game would not have fitted.
        one = found[0].games[0].ByteSize()
        assert all(page.ByteSize() + one > most - 1000 for page in found[:-1])


async def test_a_page_has_no_more_games_than_was_asked_for() -> None:
    desk = Desk()
    made = create_large(desk, 7)
    async with inside(desk.store, message_bytes=65_536) as server:
        found = await pages(server, 2)
        assert [len(page.games) for page in found] == [2, 2, 2, 1]
        assert ids(found) == made


async def test_what_one_may_not_see_takes_no_room() -> None:
    """A list of games that the filter passes and the caller's view does not."""
    desk = Desk()
    made = create_large(desk, 7)
    async with inside(desk.store, message_bytes=65_536) as server:
        page = await games(server, statuses=[game_pb2.GAME_STATUS_RUNNING])
        assert (list(page.games), page.next_page_token) == ([], "")
        page = await games(server, statuses=[game_pb2.GAME_STATUS_OPEN])
        assert ids([page]) == made[: len(page.games)]
        assert page.next_page_token


async def attached(server: Inside, name: str, ability: arena_pb2.BotAbility) -> Any:
    """The stream of a bot that was welcomed."""
    client = server.client(f"bot {name}")
    stub: Any = arena_service_pb2_grpc.ArenaServiceStub(client.channel)
    hello = arena_service_pb2.BotHello(name=name, capacity=1, ability=ability)
    call = stub.AttachBot(metadata=client.metadata)
    await call.write(arena_service_pb2.AttachBotRequest(hello=hello))
    assert (await call.read()).HasField("welcome")
    return call


async def test_a_page_of_bots_is_no_larger_than_a_client_takes() -> None:
    most = 65_536
    async with inside(Desk().store, message_bytes=most) as server:
        names = [f"{number:02}" for number in range(40)]
        ability = arena_pb2.BotAbility(seat_counts=[2] * 4000)
        calls = [await attached(server, name, ability) for name in names]
        anybody = server.client("anybody")
        stub: Any = arena_service_pb2_grpc.ArenaServiceStub(anybody.channel)
        found: list[str] = []
        token = ""
        for _ in names:
            wanted = arena_service_pb2.ListBotsRequest(page_token=token)
            page = await stub.ListBots(wanted, metadata=anybody.metadata)
            assert page.ByteSize() <= most
            found += [bot.name for bot in page.bots]
            token = page.next_page_token
            if not token:
                break
        assert found == names
        for call in calls:
            call.cancel()


async def test_a_page_of_my_seats_is_no_larger_than_a_client_takes() -> None:
    most = 1024
    desk = Desk()
    made = [f"{number:064}" for number in range(20)]
    for game_id in made:
        game = desk.create(game_id=game_id, operator=True)
        desk.join(game, 0, "ann")
    async with inside(desk.store, message_bytes=most, page_size=1000) as server:
        ann = server.client("ann")
        found: list[str] = []
        token = ""
        for _ in made:
            wanted = p.ListMySeatsRequest(page_token=token)
            page = await ann.play.ListMySeats(wanted, metadata=ann.metadata)
            assert page.ByteSize() <= most
            found += [seat.game_id for seat in page.seats]
            token = page.next_page_token
            if not token:
                break
        assert found == made
