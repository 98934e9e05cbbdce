"""Those who wait: the hall is told of what they wait for, and they all end one after the other."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING, Any

from endless_winter.service.hall import IN_A_TURN
from endless_winter.service.play import PlayServicer
from endless_winter.service.polls import Polls
from endless_winter.service.session import Session
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import result_pb2
from tests.service.desk import Context, caller, desk

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.service.desk import Desk


async def test_the_hall_hears_of_a_choice_only_while_a_client_waits(tmp_path: Path) -> None:
    heard: list[Session] = []
    async with desk(tmp_path) as at:
        session = await at.seated()
        changed = session._changed

        def listen(one: Session) -> None:
            heard.append(one)
            changed(one)

        session._changed = listen
        holder = caller("player 1").holder
        await session.leave(caller("player 1"), 1)
        assert len(heard) == 1
        assert holder not in at.hall.seats or not at.hall.seats[holder]
        await session.take_seat(1, holder, "again")
        assert len(heard) == 2
        assert at.hall.seats[holder] == {(session.table.game_id, 1): session}
        await session.ready(0, "")
        await session.ready(1, "")
        await at.answer(session)
        assert len(heard) == 2
        while session.table.deciding_seat == 1:
            await at.answer(session)
        assert len(heard) == 2
        waiting = asyncio.create_task(at.hall.news(holder))
        await asyncio.sleep(0)
        choices = 0
        while session.table.deciding_seat == 0:
            assert not waiting.done()  # what others owe does not wake it
            await at.answer(session)
            choices += 1
        await asyncio.wait_for(waiting, 5)
        assert len(heard) == 2 + choices
        await at.answer(session)
        assert len(heard) == 2 + choices
        await session.abort(result_pb2.GAME_OUTCOME_ABORTED)
        assert len(heard) == 3 + choices


class Polling:
    """Long polls of a client, called without a network."""

    def __init__(self, at: Desk, name: str) -> None:
        self.calls = 0
        self._servicer = PlayServicer(at.hall)
        self._context: Any = Context(name)

    async def _one(self, method: Any, request: Any) -> Any:
        answer = await method(request, self._context)
        self.calls += 1
        return answer

    def start(self, name: str, request: Any, count: int) -> list[asyncio.Task[Any]]:
        method = getattr(self._servicer, name)
        return [asyncio.create_task(self._one(method, request)) for _ in range(count)]

    async def most_in_a_turn(self, tasks: list[asyncio.Task[Any]]) -> int:
        """How many of them end in one turn of the loop."""
        most = 0
        while not all(task.done() for task in tasks):
            before = self.calls
            await asyncio.sleep(0)
            most = max(most, self.calls - before)
        return most


async def some_turns() -> None:
    """More turns of the loop than it takes until a call waits."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_polls_that_end_together_are_answered_a_few_in_a_turn(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated()
        game_id, seq = session.table.game_id, session.table.seq
        polling = Polling(at, "player 0")
        view = p.GetViewRequest(game_id=game_id, seat=0, after_seq=seq, wait_ms=60_000)
        tasks = polling.start("GetView", view, 100)
        await some_turns()
        assert not polling.calls
        await session.ready(1, "")
        assert await polling.most_in_a_turn(tasks) <= IN_A_TURN
        assert {p.GetViewResponse.FromString(one.result()).update.seq for one in tasks} == {seq + 1}


async def test_lists_that_end_together_are_answered_a_few_in_a_turn(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running()
        idle = 1 - session.table.deciding_seat
        polling = Polling(at, f"player {idle}")
        owing = p.ListMySeatsRequest(only_owing=True, wait_ms=60_000)
        tasks = polling.start("ListMySeats", owing, 100)
        await some_turns()
        assert not polling.calls
        while session.table.deciding_seat != idle:
            await at.answer(session)
        assert await polling.most_in_a_turn(tasks) <= IN_A_TURN
        assert all([seat.seat for seat in one.result().seats] == [idle] for one in tasks)


async def test_many_lists_that_wait_look_at_the_seats_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:
        session = await at.running()
        idle = 1 - session.table.deciding_seat
        looked: list[int] = []
        owes = Session.owes

        def look(one: Session, seat: int) -> bool:
            looked.append(seat)
            return owes(one, seat)

        monkeypatch.setattr(Session, "owes", look)
        polling = Polling(at, f"player {idle}")
        owing = p.ListMySeatsRequest(only_owing=True, wait_ms=60_000)
        tasks = polling.start("ListMySeats", owing, 100)
        await some_turns()
        assert looked == [idle]
        at_once = p.ListMySeatsRequest(only_owing=True)
        (now,) = polling.start("ListMySeats", at_once, 1)
        assert not (await now).seats
        assert looked == [idle]
        while session.table.deciding_seat != idle:
            await at.answer(session)
        (now,) = polling.start("ListMySeats", at_once, 1)
        assert len((await now).seats) == 1  # they are woken, and so it is not taken for granted
        await asyncio.gather(*tasks)


async def test_polls_whose_time_is_over_together_are_answered_a_few_in_a_turn(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        session = await at.running()
        idle = 1 - session.table.deciding_seat
        game_id, seq = session.table.game_id, session.table.seq
        polling = Polling(at, f"player {idle}")
        view = p.GetViewRequest(game_id=game_id, seat=idle, after_seq=seq, wait_ms=1)
        tasks = polling.start("GetView", view, 50)
        tasks += polling.start("ListMySeats", p.ListMySeatsRequest(only_owing=True, wait_ms=1), 50)
        # All would be a hundred. Timers of a busy machine may end in one turn with those before.
        assert await polling.most_in_a_turn(tasks) <= 2 * IN_A_TURN


async def test_news_wakes_only_whom_it_concerns() -> None:
    polls = Polls()
    asked = {"one": 0, "other": 0}
    due: set[str] = set()

    def over(name: str) -> bool:
        asked[name] += 1
        return name in due

    waits = {name: asyncio.create_task(polls.wait(partial(over, name))) for name in asked}
    await asyncio.sleep(0)
    polls.wake()
    due.add("one")
    polls.wake()
    polls.wake()  # who is woken already is not asked again
    await asyncio.sleep(0)
    assert (waits["one"].done(), waits["other"].done()) == (True, False)
    assert asked == {"one": 2, "other": 3}
    waits["other"].cancel()
    await asyncio.wait([waits["other"]])
    polls.wake()
    assert asked["other"] == 3
