"""The runner on a scripted server: the same question twice, refusals that are rare."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.sdk import LocalTable
from endless_winter.sdk.bot import maker
from endless_winter.sdk.connection import Endpoint
from endless_winter.sdk.offers import Offers
from endless_winter.sdk.runner import Runner
from endless_winter.v1 import decision_pb2, update_pb2
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as r
from tests.sdk.scripted import Talk, scripted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from endless_winter.sdk import Decision, View

TABLE = LocalTable(seed=1)
KEY = ("game", 0)


def asked(number: int, seq: int) -> update_pb2.Update:
    """An update with the local table's question under another number."""
    prompt = decision_pb2.Prompt()
    prompt.CopyFrom(TABLE.decision.raw)
    prompt.decision.decision_id = number
    view = TABLE.view(0)
    return update_pb2.Update(
        seq=seq,
        game=TABLE.info,
        prompt=prompt,
        public_view=view.public,
        private_view=view.private,
    )


async def played(
    script: Callable[[Talk], Awaitable[None]], choose: Callable[[Decision, View], Any]
) -> tuple[Runner, list[str]]:
    """Run a bot that holds one seat through a script."""
    said: list[str] = []
    async with scripted(script) as (address, finished):
        runner = Runner(maker(choose), Endpoint.of(address), name="bot", say=said.append)
        with pytest.MonkeyPatch.context() as patch:

            async def attend(*_: object) -> None:
                runner._take_seat(KEY)
                await asyncio.Event().wait()

            patch.setattr(Offers, "attend", attend)
            thread = threading.Thread(target=runner.run)
            thread.start()
            await asyncio.wait_for(finished.wait(), 240)
            runner.stop()
            await asyncio.to_thread(thread.join)
    return runner, said


async def attach(talk: Talk) -> p.PlayCommand:
    await talk.welcome()
    command = await talk.receive("attach")
    content = TABLE.catalog.content_hash
    talk.send(command, attached=p.Attached(content_hash=content))
    return command


async def test_a_question_that_comes_twice_is_answered_once() -> None:
    chosen: list[int] = []

    def other_each_time(decision: Decision, _: View) -> int:
        chosen.append(decision.id)
        return len(chosen) % len(decision.options)

    async def script(talk: Talk) -> None:
        command = await attach(talk)
        talk.send(command, update=asked(11, 10), request_id="")
        talk.send(command, update=asked(11, 10), request_id="")
        answer = await talk.receive("answer")
        assert answer.request_id == "d11"
        accepted = p.Accepted(seq=11, decision_id=11)
        talk.send(answer, accepted=accepted)
        talk.send(command, update=asked(11, 11), request_id="")
        talk.send(command, update=asked(12, 12), request_id="")
        answer = await talk.receive("answer")
        assert answer.request_id == "d12"
        talk.send(answer, rejection=r.Rejection(reason=r.REJECTION_REASON_STALE_DECISION))
        talk.send(command, update=asked(12, 13), request_id="")
        talk.send(command, update=asked(14, 14), request_id="")
        assert (await talk.receive("answer")).request_id == "d14"

    runner, said = await played(script, other_each_time)
    assert chosen == [11, 12, 14]
    assert runner.tally.failures == 0
    assert ["decision 12" in line for line in said if "decision" in line] == [True]


async def test_a_refused_option_is_named_and_the_default_is_answered_instead() -> None:
    async def script(talk: Talk) -> None:
        command = await attach(talk)
        talk.send(command, update=asked(11, 10), request_id="")
        answer = await talk.receive("answer")
        assert answer.answer.option_id == 1
        no = r.Rejection(reason=r.REJECTION_REASON_ILLEGAL_OPTION, message="no such thing")
        talk.send(answer, rejection=no)
        answer = await talk.receive("answer")
        assert answer.answer.take_default
        assert answer.request_id == "d11-default"
        talk.send(answer, rejection=no)  # even that is refused: it is not said a third time
        talk.send(command, update=asked(12, 12), request_id="")
        assert (await talk.receive("answer")).request_id == "d12"

    runner, said = await played(script, lambda _, __: 1)
    text = TABLE.decision.options[1].text
    assert f"decision 11 ({TABLE.decision.kind_name}): option 1 {text!r} was refused" in said[0]
    assert "ILLEGAL_OPTION: no such thing" in said[0]
    assert "the default was refused" in said[1]
    assert runner.tally.failures == 2


async def test_a_refused_default_is_answered_by_its_number_instead() -> None:
    async def script(talk: Talk) -> None:
        command = await attach(talk)
        talk.send(command, update=asked(11, 10), request_id="")
        answer = await talk.receive("answer")
        assert answer.answer.take_default
        no = r.Rejection(reason=r.REJECTION_REASON_ILLEGAL_OPTION, message="no such thing")
        talk.send(answer, rejection=no)
        answer = await talk.receive("answer")
        assert answer.answer.HasField("option_id")
        assert answer.answer.option_id == TABLE.decision.default.id
        assert answer.request_id == "d11-default"
        talk.send(answer, rejection=no)  # it is not said a third time
        talk.send(command, update=asked(12, 12), request_id="")
        assert (await talk.receive("answer")).request_id == "d12"

    def raises(_: Decision, __: View) -> int:
        raise RuntimeError("my own mistake")

    _, said = await played(script, raises)
    assert [line.count("the default was refused") for line in said if "refused" in line] == [1, 0]
