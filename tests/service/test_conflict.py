"""Another writer of the same log: a choice is refused, and the game is what the log says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.service import proposals
from endless_winter.service.proposals import Draft
from endless_winter.service.refusal import Refusal
from endless_winter.store import Entry
from endless_winter.v1 import rejection_pb2 as reasons
from tests.service.desk import NOW, PLAYER, desk, settled

if TYPE_CHECKING:
    from pathlib import Path


async def test_after_a_conflict_the_session_catches_up(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running()
        behind = Draft.of(session.table, NOW)
        behind.tell = session._tell
        step = proposals.choose(behind, behind.table.deciding_seat, 0, origin=PLAYER)
        entry = Entry(step.kind, step.at_ms, step.payload(), position_hash=step.position_hash)
        await at.hall.store.append(session.table.game_id, session.table.seq, [entry])
        with pytest.raises(Refusal) as refused:
            await at.answer(session)
        assert refused.value.reason == reasons.REJECTION_REASON_CONFLICT
        await settled()
        assert session.table.seq == step.seq
        assert session.table.decision_id == behind.table.decision_id
        assert session.ring[-1].seq == step.seq
        accepted = await at.answer(session)
        assert accepted.seq == step.seq + 1
