"""Page tokens over a real socket: one leads on in its own list, with its own filters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.v1 import (
    arena_service_pb2,
    arena_service_pb2_grpc,
    catalog_service_pb2,
    catalog_service_pb2_grpc,
    game_pb2,
    game_service_pb2,
    play_service_pb2,
)
from tests.service.player import Client
from tests.service.wire import Refused, refused, served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.cli.process import Server

p = play_service_pb2
g = game_service_pb2


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with served() as one:
        yield one


def not_of_this_list(found: Refused) -> bool:
    return (found.status, found.reason) == ("INVALID_ARGUMENT", "PAGE_TOKEN_INVALID")


async def test_a_token_of_games_counts_only_with_the_filters_it_was_made_for(
    server: Server,
) -> None:
    others: list[dict[str, Any]] = [
        {"joinable": True},
        {"mine": True},
        {"tag": "pages"},
        {"tag": "other"},
        {"tournament_id": "cup"},
        {"seats": 2},
        {"rivers": False},
        {"solo": False},
        {"created_from_unix_ms": 0},
        {"statuses": [game_pb2.GAME_STATUS_OPEN]},
    ]
    named = {name for other in others for name in other} | {"page_size", "page_token"}
    assert named == {field.name for field in g.ListGamesRequest.DESCRIPTOR.fields}
    async with Client(server.address, "pages") as ann:
        games = [(await ann.create(2, tags=["pages"])).game_id for _ in range(3)]

        async def ask(**more: Any) -> g.ListGamesResponse:
            request = g.ListGamesRequest(**more)
            found: g.ListGamesResponse = await ann.games.ListGames(request, metadata=ann.metadata)
            return found

        queries: list[dict[str, Any]] = [{}, {"mine": True, "tag": "pages"}]
        for query in queries:
            page = await ask(page_size=1, **query)
            token = page.next_page_token
            assert [game.game_id for game in page.games] == [games[2]]
            for other in others:
                if {**query, **other} != query:
                    assert not_of_this_list(
                        await refused(ask(page_token=token, **{**query, **other}))
                    )
            if query:
                assert not_of_this_list(await refused(ask(page_token=token)))
            # The page may be larger or smaller than the one before.
            page = await ask(page_size=2, page_token=token, **query)
            assert [game.game_id for game in page.games] == games[1::-1]


async def test_a_token_of_my_seats_counts_only_with_the_filters_it_was_made_for(
    server: Server,
) -> None:
    async with Client(server.address, "seats") as ann:
        for _ in range(3):
            await ann.join((await ann.create(2)).game_id, 0)

        async def ask(**more: Any) -> p.ListMySeatsResponse:
            request = p.ListMySeatsRequest(**more)
            found: p.ListMySeatsResponse = await ann.play.ListMySeats(
                request, metadata=ann.metadata
            )
            return found

        token = (await ask(page_size=1)).next_page_token
        assert len((await ask(page_token=token)).seats) == 2
        assert len((await ask(page_token=token, wait_ms=1)).seats) == 2  # no filter
        for other in ("only_owing", "include_ended"):
            again = ask(page_token=token, **{other: True})
            assert not_of_this_list(await refused(again))


async def test_a_token_of_one_list_is_refused_by_every_other(server: Server) -> None:
    async with Client(server.address, "lists") as ann:
        for _ in range(2):
            await ann.join((await ann.create(2)).game_id, 0)
        arena = arena_service_pb2_grpc.ArenaServiceStub(ann.channel)
        catalogs = catalog_service_pb2_grpc.CatalogServiceStub(ann.channel)
        seats = p.ListMySeatsRequest(page_size=1)
        games = g.ListGamesRequest(page_size=1)
        of_seats = (await ann.play.ListMySeats(seats, metadata=ann.metadata)).next_page_token
        of_games = (await ann.games.ListGames(games, metadata=ann.metadata)).next_page_token
        assert of_seats
        assert of_games
        for token in (of_seats, of_games, "heuristic", "0" * 64):
            bots: Any = arena.ListBots(arena_service_pb2.ListBotsRequest(page_token=token))
            assert not_of_this_list(await refused(bots))
            packs: Any = catalogs.ListCatalogs(
                catalog_service_pb2.ListCatalogsRequest(page_token=token)
            )
            assert not_of_this_list(await refused(packs))
        swapped = g.ListGamesRequest(page_token=of_seats)
        assert not_of_this_list(await refused(ann.games.ListGames(swapped, metadata=ann.metadata)))
        swapped_seats = p.ListMySeatsRequest(page_token=of_games)
        assert not_of_this_list(
            await refused(ann.play.ListMySeats(swapped_seats, metadata=ann.metadata))
        )
