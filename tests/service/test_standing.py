"""Standing answers are entries of the log: a seat sets them so often in a turn, and no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.service.refusal import Refusal
from endless_winter.service.table import MOST_STANDING
from endless_winter.v1 import decision_pb2
from endless_winter.v1 import rejection_pb2 as reasons
from tests.service.desk import desk

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.service.session import Session

PILE = decision_pb2.StandingAnswer(kind=decision_pb2.DECISION_KIND_ECLIPSE_PILE)


async def set_standing(session: Session, seat: int, number: int) -> bytes:
    """Now with an answer, now with none."""
    answers = [PILE] if number % 2 else []
    return await session.set_standing(seat, f"s{number}", answers, 0)


async def refused(session: Session, seat: int, number: int) -> Refusal:
    before = session.table.seq
    with pytest.raises(Refusal) as error:
        await set_standing(session, seat, number)
    assert session.table.seq == before
    return error.value


async def test_a_seat_sets_its_standing_answers_so_often_in_a_turn(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running()
        other = 1 - session.table.deciding_seat
        first = [await set_standing(session, other, number) for number in range(MOST_STANDING)]
        for number in range(MOST_STANDING, MOST_STANDING + 3):
            refusal = await refused(session, other, number)
            assert refusal.reason == reasons.REJECTION_REASON_LIMIT_REACHED
        # A retry has its first answer, and the other seat has not set any.
        assert await set_standing(session, other, 7) == first[7]
        await set_standing(session, 1 - other, 1000)
        turns = session.table.turns
        while session.table.turns == turns:
            await at.answer(session)
        await set_standing(session, other, MOST_STANDING)


async def test_they_are_counted_before_the_start_too(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated()
        for number in range(MOST_STANDING):
            await set_standing(session, 0, number)
        refusal = await refused(session, 0, MOST_STANDING)
        assert refusal.reason == reasons.REJECTION_REASON_LIMIT_REACHED
