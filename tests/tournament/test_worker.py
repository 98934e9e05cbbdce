"""A worker whose server is in the head: what becomes of games to which a bot does not come."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, cast

import pytest

from endless_winter.tournament import schedule
from endless_winter.tournament.worker import Folders, Order, Worker
from endless_winter.v1 import arena_pb2, game_pb2, result_pb2, update_pb2
from tests.tournament.tables import WORLD, spec_of

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.tournament.host import Host
    from endless_winter.tournament.results import Game

START = 0.02  # seconds that a game has to begin: whoever comes to one here, does so at once


class Hall:
    """Stands for a server: a game begins, and ends, if all its bots come to games."""

    def __init__(self, *players: str) -> None:
        self.attached = set(players)
        self.players = set(players)
        self.created: list[str] = []
        self.aborted: list[str] = []
        self._seats: dict[str, list[str]] = {}

    async def create(
        self, game_id: str, config: Any, **more: object
    ) -> asyncio.Future[update_pb2.Update]:
        del more
        self.created.append(game_id)
        self._seats[game_id] = [seat.bot_name for seat in config.seats]
        result = asyncio.get_running_loop().create_future()
        if self.players >= set(self._seats[game_id]):
            seats = [
                result_pb2.SeatResult(place=place, reason=result_pb2.END_REASON_NORMAL)
                for place in (1, 2)
            ]
            ending = result_pb2.GameResult(outcome=result_pb2.GAME_OUTCOME_COMPLETED, seats=seats)
            counts = result_pb2.GameStatistics(seats=[result_pb2.SeatStatistics()] * 2)
            result.set_result(update_pb2.Update(result=ending, statistics=counts))
        return result

    async def bots(self) -> dict[str, int]:
        return dict.fromkeys(self.attached, 1)

    async def game(self, game_id: str) -> game_pb2.GameInfo:
        # Nobody is asked for Ready before all seats are taken, so nobody has said it here.
        seats = [
            game_pb2.SeatInfo(seat=seat, taken=name in self.players)
            for seat, name in enumerate(self._seats[game_id])
        ]
        return game_pb2.GameInfo(status=game_pb2.GAME_STATUS_OPEN, seats=seats)

    async def abort(self, game_id: str, note: str) -> None:
        del note
        self.aborted.append(game_id)


class Table:
    """A worker with that server, and the games of a tournament of two."""

    def __init__(self, folder: Path, hall: Hall, **dead: float) -> None:
        spec = spec_of("a", "late", blocks=50, dead={"start": START, **dead})
        self.hall = hall
        self.worker = Worker(spec, Folders(folder, 1), 0, capacity=2)
        self.worker._host = cast("Host", hall)
        hall.store = folder / "games.db"  # type: ignore[attr-defined] # where its games would be
        self._matches = tuple(schedule.plan(spec, WORLD, {}).matches())

    async def play(self, *games: tuple[int, int]) -> list[Game]:
        """Games side by side, each a number and an attempt."""
        orders = [
            Order(self._matches[game], attempt, b"", b"", absences=attempt - 1)
            for game, attempt in games
        ]
        return list(await asyncio.gather(*map(self.worker.play, orders)))

    async def outcomes(self, *games: tuple[int, int]) -> list[str]:
        return [game.outcome for game in await self.play(*games)]


async def test_games_that_wait_side_by_side_are_tried_again_each(tmp_path: Path) -> None:
    table = Table(tmp_path, Hall("a"))
    assert await table.outcomes((0, 1), (1, 1)) == ["void", "void"]
    # Both have been waited for at the same time: that was once, and both are begun once more.
    assert await table.outcomes((0, 2), (1, 2)) == ["adjudicated", "adjudicated"]
    assert len(table.hall.created) == 4
    assert table.hall.aborted == table.hall.created


async def test_a_bot_that_comes_late_plays_the_second_attempts(tmp_path: Path) -> None:
    table = Table(tmp_path, Hall("a"))
    assert await table.outcomes((0, 1), (1, 1)) == ["void", "void"]
    table.hall.players.add("late")
    table.hall.attached.add("late")
    found = await table.outcomes((0, 2), (1, 2), (2, 1))
    assert found == ["completed"] * 3


async def test_a_bot_that_comes_after_it_was_given_up_plays_what_is_left(tmp_path: Path) -> None:
    table = Table(tmp_path, Hall("a"))
    for attempt in (1, 2):
        await table.play((0, attempt), (1, attempt))
    table.hall.players.add("late")
    table.hall.attached.add("late")
    assert await table.outcomes((2, 1), (3, 1)) == ["completed", "completed"]


@pytest.mark.parametrize("attached", [False, True])
async def test_a_bot_that_never_comes_is_waited_for_a_few_times_and_not_in_each_game(
    tmp_path: Path, attached: bool
) -> None:
    hall = Hall("a")
    if attached:  # it hangs: it waits for games, and comes to none
        hall.attached.add("late")
    table = Table(tmp_path, hall)
    games = []
    for number in range(0, 100, 2):
        for attempt in (1, 2):
            games += await table.play((number, attempt), (number + 1, attempt))
    assert len(hall.created) == 4  # two at a time, twice
    # Nevertheless each game was lost by its own second attempt: the first may go elsewhere.
    assert [game.outcome for game in games] == ["void", "void", "adjudicated", "adjudicated"] * 50
    assert games[3].note == "late never took its seat"
    assert games[-1].note == "late came to no game for 0.04 s and is not waited for"
    lost = {seat.entrant: (seat.place, seat.reason) for seat in games[-1].seats}
    assert lost == {"a": (1, "normal"), "late": (2, "never_started")}


async def test_a_game_that_is_played_makes_up_for_those_that_did_not_begin(tmp_path: Path) -> None:
    table = Table(tmp_path, Hall("a"))
    for number in range(4):
        table.hall.players.discard("late")
        assert await table.outcomes((number, 1)) == ["void"]
        table.hall.players.add("late")
        assert await table.outcomes((number, 2)) == ["completed"]


async def test_with_one_attempt_a_game_that_did_not_begin_is_lost(tmp_path: Path) -> None:
    table = Table(tmp_path, Hall("a"), attempts=1)
    assert await table.outcomes((0, 1), (1, 1)) == ["adjudicated", "adjudicated"]
    assert await table.outcomes((2, 1)) == ["adjudicated"]
    assert len(table.hall.created) == 2


async def test_attempts_that_were_lost_otherwise_do_not_count_against_who_is_absent(
    tmp_path: Path,
) -> None:
    table = Table(tmp_path, Hall("a"))
    order = Order(table._matches[0], 7, b"", b"")
    assert (await table.worker.play(order)).outcome == "void"
    again = order._replace(attempt=8, absences=1)
    assert (await table.worker.play(again)).outcome == "adjudicated"


async def test_nobody_waits_for_a_bot_that_does_not_say_it_plays_such_games(tmp_path: Path) -> None:
    table = Table(tmp_path, Hall("a", "late"))
    ability = arena_pb2.BotAbility(seat_counts=[4])
    known = {"a": arena_pb2.BotInfo(), "late": arena_pb2.BotInfo(ability=ability)}
    table.worker._look_at_abilities(known)
    (game,) = await table.play((0, 1))
    assert table.hall.created == []
    assert game.outcome == "void"
    assert game.note == (
        "late does not say that it plays such games; if it does, set ability.seat_counts in its "
        "BotHello"
    )


async def test_a_solo_field_asks_for_bots_that_play_solo(tmp_path: Path) -> None:
    spec = spec_of("a", "b", format="solo_field", blocks=1)
    worker = Worker(spec, Folders(tmp_path, 1), 0, capacity=1)
    solo = arena_pb2.BotInfo(ability=arena_pb2.BotAbility(solo=True))
    worker._look_at_abilities({"a": solo, "b": arena_pb2.BotInfo()})
    assert list(worker._unable) == ["b"]
    assert "set ability.solo in its BotHello" in worker._unable["b"]
