"""Lists: a page has so many entries, and is never larger than what a client takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.service.arena import Bot
from endless_winter.service.arenas import ArenaServicer
from endless_winter.service.games import GameServicer
from endless_winter.service.identity import Caller
from endless_winter.service.pages import CLIENTS_TAKE
from endless_winter.service.play import _MOST_OCTETS, PlayServicer
from endless_winter.v1 import (
    arena_pb2,
    arena_service_pb2,
    config_pb2,
    game_pb2,
    game_service_pb2,
    play_service_pb2,
)
from tests.service.desk import Context, caller, config, desk

if TYPE_CHECKING:
    from pathlib import Path

    from tests.service.desk import Desk

g = game_service_pb2
p = play_service_pb2
LONGEST = "\N{SNOWFLAKE}\N{MAMMOTH}" * 500  # characters of three and four octets


async def create_large(at: Desk, count: int) -> list[str]:
    """Games that have as much to tell as any; the newest first."""
    bot = config_pb2.SeatConfig(
        kind=config_pb2.SEAT_KIND_BOT, bot_name="x" * 40, bot_options=LONGEST
    )
    wanted = config_pb2.GameConfig(seats=[bot] * 4, title="t" * 80)
    made = []
    for _ in range(count):
        request = g.CreateGameRequest(config=wanted, seed=bytes(32))
        session, _ = await at.hall.create(caller("host"), request)
        made.append(session.table.game_id)
        at.time.now += 1
    return made[::-1]


async def pages(at: Desk, page_size: int = 0) -> list[g.ListGamesResponse]:
    found = []
    token = ""
    while True:
        request = g.ListGamesRequest(page_size=page_size, page_token=token)
        page = await GameServicer(at.hall).ListGames(request, Context("anybody"))
        found.append(page)
        token = page.next_page_token
        if not token:
            return found


@pytest.mark.parametrize(
    ("message_bytes", "page_size", "most"),
    [(65_536, 200, 65_536), (1 << 20, 200, 1 << 20), (1 << 30, 100_000, CLIENTS_TAKE)],
)
async def test_a_page_of_games_is_no_larger_than_a_client_takes(
    tmp_path: Path, message_bytes: int, page_size: int, most: int
) -> None:
    async with desk(tmp_path, message_bytes=message_bytes, page_size=page_size) as at:
        games = await create_large(at, 5 * most // (2 * 4 * 3500))  # two pages and a half
        found = await pages(at)
        assert len(found) == 3
        assert [game.game_id for page in found for game in page.games] == games
        assert all(page.ByteSize() <= most for page in found)
        # As full as it can be: the next game would not have fitted.
        one = found[0].games[0].ByteSize()
        assert all(page.ByteSize() + one > most - 1000 for page in found[:-1])


async def test_a_page_has_no_more_games_than_was_asked_for(tmp_path: Path) -> None:
    async with desk(tmp_path, message_bytes=65_536) as at:
        games = await create_large(at, 7)
        found = await pages(at, 2)
        assert [len(page.games) for page in found] == [2, 2, 2, 1]
        assert [game.game_id for page in found for game in page.games] == games


async def test_what_one_may_not_see_takes_no_room(tmp_path: Path) -> None:
    """A list of games that the filter passes and the caller's view does not."""
    async with desk(tmp_path, message_bytes=65_536) as at:
        games = await create_large(at, 7)
        servicer = GameServicer(at.hall)
        request = g.ListGamesRequest(statuses=[game_pb2.GAME_STATUS_RUNNING])
        page = await servicer.ListGames(request, Context("anybody"))
        assert (list(page.games), page.next_page_token) == ([], "")
        request = g.ListGamesRequest(statuses=[game_pb2.GAME_STATUS_OPEN])
        page = await servicer.ListGames(request, Context("anybody"))
        assert [game.game_id for game in page.games] == games[: len(page.games)]
        assert page.next_page_token


async def test_a_page_of_bots_is_no_larger_than_a_client_takes(tmp_path: Path) -> None:
    most = 65_536
    async with desk(tmp_path, message_bytes=most) as at:
        names = [f"{number:02}" for number in range(40)]
        ability = arena_pb2.BotAbility(seat_counts=[2] * 4000)
        for name in names:
            hello = arena_service_pb2.BotHello(name=name, capacity=1, ability=ability)
            at.hall.arena.bots[name] = [Bot(hello, caller(name).holder)]
        found: list[str] = []
        token = ""
        for _ in names:
            wanted = arena_service_pb2.ListBotsRequest(page_token=token)
            page = await ArenaServicer(at.hall).ListBots(wanted, Context("anybody"))
            assert page.ByteSize() <= most
            found += [bot.name for bot in page.bots]
            token = page.next_page_token
            if not token:
                break
        assert found == names


async def test_a_page_of_my_seats_is_no_larger_than_a_client_takes(tmp_path: Path) -> None:
    most = 1024
    async with desk(tmp_path, message_bytes=most, page_size=1000) as at:
        host = Caller(caller("host").holder, operator=True)
        ids = [f"{number:064}" for number in range(20)]
        for game_id in ids:
            request = g.CreateGameRequest(config=config(2), game_id=game_id)
            session, _ = await at.hall.create(host, request)
            await session.take_seat(0, caller("ann").holder, "ann")
        found: list[str] = []
        token = ""
        for _ in ids:
            wanted = p.ListMySeatsRequest(page_token=token)
            page = await PlayServicer(at.hall).ListMySeats(wanted, Context("ann"))
            assert page.ByteSize() <= most
            found += [seat.game_id for seat in page.seats]
            token = page.next_page_token
            if not token:
                break
        assert found == ids
        largest = p.MySeat(
            game_id="x" * 64,
            seat=3,
            status=game_pb2.GAME_STATUS_RUNNING,
            seq=(1 << 63) - 1,
            decision_id=(1 << 63) - 1,
            owes_ready=True,
            deadline_unix_ms=(1 << 63) - 1,
        )
        assert p.ListMySeatsResponse(seats=[largest]).ByteSize() <= _MOST_OCTETS
