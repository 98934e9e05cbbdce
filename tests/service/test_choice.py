"""What is written from parts is what the messages would say."""

from __future__ import annotations

import asyncio

from endless_winter.service import proposals
from endless_winter.service.choice import (
    Choice,
    Timing,
    accepted_bytes,
    entry_bytes,
    made_bytes,
    own_bytes,
    read_choice,
)
from endless_winter.service.committing import _entry
from endless_winter.service.gate import Gate
from endless_winter.store import Entry, Marks
from endless_winter.v1 import clock_pb2, event_pb2, play_service_pb2, replay_pb2
from tests.service.desk import parts_of, started

HASH = bytes(range(16))
PLAYER = event_pb2.CHOICE_ORIGIN_PLAYER
CHOICES = [
    Choice(0, 5, 0, "end", PLAYER),
    Choice(3, 70_000, 300, "place chief hunt", PLAYER, True, "request 1", Timing(7, 5, 2), 0),
    Choice(1, 9, 2, "stack 3,4@1", event_pb2.CHOICE_ORIGIN_CLOCK, timing=Timing(2**40)),
]


def test_a_choice_is_written_as_its_messages_would_be() -> None:
    for choice in CHOICES:
        told = replay_pb2.LogChoice(
            seat=choice.seat,
            decision_id=choice.decision_id,
            option_id=choice.option_id,
            text=choice.text,
            origin=event_pb2.ChoiceOrigin.ValueType(choice.origin),
            by_standing_answer=choice.by_standing_answer,
            request_id=choice.request_id,
            bank_after_ms=choice.bank_after_ms,
        )
        timing = None
        if choice.timing is not None:
            spent = choice.timing
            timing = clock_pb2.AnswerTiming(
                charged_ms=spent.charged_ms, think_ms=spent.think_ms, transit_ms=spent.transit_ms
            )
            told.timing.CopyFrom(timing)
        entry = replay_pb2.LogEntry(
            seq=300, time_unix_ms=1_800_000_000_000, position_hash=HASH, choice=told
        )
        assert entry_bytes(300, 1_800_000_000_000, HASH, choice) == entry.SerializeToString()
        assert parts_of(read_choice(entry.choice)) == parts_of(choice)
        accepted = play_service_pb2.Accepted(
            seq=300,
            decision_id=choice.decision_id,
            option_id=choice.option_id,
            text=choice.text,
            timing=timing,
        )
        assert accepted_bytes(300, choice) == accepted.SerializeToString()
        made = event_pb2.PublicEvent.FromString(made_bytes(choice)).choice_made
        assert (made.seat, made.decision_id, made.origin) == (
            choice.seat,
            choice.decision_id,
            choice.origin,
        )
        own = event_pb2.PrivateEvent.FromString(own_bytes(choice)).own_choice
        assert (own.decision_id, own.text, own.by_standing_answer) == (
            choice.decision_id,
            choice.text,
            choice.by_standing_answer,
        )


async def test_a_gate_lets_one_in_at_a_time_and_in_turn() -> None:
    gate = Gate()
    seen: list[int] = []

    async def enter(number: int) -> None:
        async with gate:
            seen.append(number)
            await asyncio.sleep(0)
            seen.append(number)

    assert gate.try_enter()
    tasks = [asyncio.create_task(enter(number)) for number in range(4)]
    await asyncio.sleep(0)
    assert not gate.try_enter()
    tasks[1].cancel()  # while it waits
    gate.leave()
    tasks[2].cancel()  # before its turn
    await asyncio.gather(*tasks, return_exceptions=True)
    assert seen == [0, 0, 3, 3]
    assert gate.try_enter()
    gate.leave()


async def test_a_gate_has_forgotten_whoever_was_cancelled_before_somebody_left() -> None:
    gate = Gate()
    assert gate.try_enter()

    async def enter() -> None:
        async with gate:
            pass

    waiting = asyncio.create_task(enter())
    await asyncio.sleep(0)
    waiting.cancel()
    gate.leave()  # passes over the cancelled one, which has not run yet
    await asyncio.gather(waiting, return_exceptions=True)
    assert waiting.cancelled()
    assert gate.try_enter()


async def test_a_gate_that_was_handed_to_somebody_cancelled_goes_on() -> None:
    gate = Gate()
    assert gate.try_enter()

    async def enter() -> None:
        async with gate:
            pass

    first = asyncio.create_task(enter())
    second = asyncio.create_task(enter())
    await asyncio.sleep(0)
    gate.leave()  # hands it to the first, which has not run yet
    first.cancel()
    await asyncio.gather(first, second, return_exceptions=True)
    assert first.cancelled()
    assert not second.cancelled()
    assert gate.try_enter()


def test_what_the_store_gets_of_a_step_has_every_field() -> None:
    draft = started()
    proposals.choose(draft, draft.table.deciding_seat, 0, origin=PLAYER)
    for step in draft.steps:
        entry = _entry(step, Marks(open_seats=1))
        named = Entry(
            kind=step.kind,
            at_ms=step.at_ms,
            payload=step.payload(),
            private=step.private,
            position_hash=step.position_hash,
            marks=Marks(open_seats=1),
        )
        assert type(entry) is Entry
        assert entry == named
