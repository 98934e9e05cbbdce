"""What the log says of a game's place in the listing: what has changed, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.store import Marks, Status, upkeep
from endless_winter.store.writer import Writer
from endless_winter.v1 import result_pb2
from tests.service.desk import caller, desk

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.service.table import Table


@pytest.fixture
def marks(monkeypatch: pytest.MonkeyPatch) -> list[Marks | None]:
    """Those of all entries that are appended from now on."""
    found: list[Marks | None] = []
    append = Writer.append

    def noted(
        writer: Writer, game_id: str, seq: int, entries: Any, requests: Any, done: Any
    ) -> None:
        found.extend(entry.marks for entry in entries)
        append(writer, game_id, seq, entries, requests, done)

    monkeypatch.setattr(Writer, "append", noted)
    return found


def held(table: Table) -> dict[int, bytes]:
    return {number: seat.holder for number, seat in enumerate(table.seats) if seat.holder}


async def test_an_entry_says_only_what_it_changes(
    tmp_path: Path, marks: list[Marks | None]
) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated(2)
        first, second = (caller(f"player {seat}").holder for seat in range(2))
        started = Marks(status=Status.STARTING, open_seats=0, holders={1: second})
        assert marks == [Marks(open_seats=1, holders={0: first}), started]
        marks.clear()
        await session.ready(0, "")
        assert marks == [None], "nothing in the listing depends on it"
        await session.ready(1, "")
        assert marks[1] == Marks(status=Status.RUNNING, started_ms=session.table.started_ms)
        assert set(marks[2:]) <= {None}
        marks.clear()
        await at.answer(session)
        await session.leave(caller("player 0"), 0)
        assert set(marks) == {None}
        marks.clear()
        await session.abort(result_pb2.GAME_OUTCOME_ABORTED)
        ended = Marks(
            status=Status.ENDED,
            ended_ms=session.table.ended_ms,
            summary=session.info().SerializeToString(deterministic=True),
        )
        assert [one for one in marks if one is not None] == [ended]


async def test_the_listing_follows_the_table_through_a_game(
    tmp_path: Path, marks: list[Marks | None]
) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated(3)
        store = at.hall.store

        async def listed_as_it_is() -> None:
            table = session.table
            header = await store.get_game(table.game_id)
            assert header is not None
            assert int(header.status) == table.status
            assert header.started_ms == (table.started_ms or None)
            assert header.ended_ms == (table.ended_ms or None)
            assert header.holders == held(table)
            assert header.open_seats == sum(not seat.holder for seat in table.seats)
            assert header.last_seq == table.seq

        await listed_as_it_is()
        await session.leave(caller("player 1"), 1)
        await listed_as_it_is()
        await session.take_seat(1, caller("another").holder, "another")
        await listed_as_it_is()
        for seat in range(3):
            await session.ready(seat, "")
            await listed_as_it_is()
        for _ in range(5):
            await at.answer(session)
            await listed_as_it_is()
        await session.abort(result_pb2.GAME_OUTCOME_ABORTED)
        await listed_as_it_is()
    assert None in marks
    assert not list(upkeep.problems(tmp_path / "games.db"))
