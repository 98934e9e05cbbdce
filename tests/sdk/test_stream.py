"""The Play stream of the SDK: resuming, repeating, refusals, goodbyes."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from endless_winter.sdk import link
from endless_winter.sdk.connection import Endpoint
from endless_winter.sdk.errors import BadAddress, Refused, ServerGone, WrongServer, reason_name
from endless_winter.sdk.link import backoff
from endless_winter.sdk.stream import MOST_REPEATS, Key, Listener, PlayStream
from endless_winter.v1 import decision_pb2, result_pb2, server_info_pb2, update_pb2
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as r
from tests.sdk.ports import nobody
from tests.sdk.scripted import INFO, Gone, Talk, scripted

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

KEY: Key = ("game", 1)
PATIENCE = 120.0


class Notes(Listener):
    """Writes down each call, with one of its arguments."""

    # ruff: noqa: ARG002 # it gets more than it writes down

    def __init__(self) -> None:
        self.calls: list[tuple[str, object]] = []
        self._noted = asyncio.Event()
        self._over = False

    def _note(self, what: str, about: object = None) -> None:
        self.calls.append((what, about))
        self._noted.set()

    def connected(self, server: server_info_pb2.ServerInfo) -> None:
        self._note("connected", server.contract)

    def waiting(self, why: str, seconds: float) -> None:
        self._note("waiting", seconds)

    def attached(self, key: Key, attached: p.Attached) -> None:
        self._note("attached", key)

    def updated(self, key: Key, update: update_pb2.Update) -> None:
        self._note("updated", update.seq)

    def accepted(self, key: Key, command: p.PlayCommand, accepted: p.Accepted) -> None:
        self._note("accepted", command.request_id)

    def refused(self, key: Key, command: p.PlayCommand, rejection: r.Rejection) -> None:
        self._note("refused", command.request_id)

    def gone(self, key: Key, why: r.Rejection) -> None:
        self._note("gone", reason_name(why.reason))

    def over(self, _: object) -> None:
        """The stream has ended: nothing more comes."""
        self._over = True
        self._noted.set()

    async def until(self, what: str, times: int = 1) -> None:
        async with asyncio.timeout(PATIENCE):
            while [one for one, _ in self.calls].count(what) < times:
                assert not self._over, self.calls
                self._noted.clear()
                await self._noted.wait()

    def all(self, what: str) -> list[object]:
        return [about for one, about in self.calls if one == what]


@asynccontextmanager
async def opened(
    address: str, patience: float = PATIENCE
) -> AsyncIterator[tuple[PlayStream, Notes]]:
    notes = Notes()
    stream = PlayStream(Endpoint.of(address), notes, patience=patience)
    task = asyncio.ensure_future(stream.run())
    task.add_done_callback(notes.over)
    try:
        yield stream, notes
    finally:
        stream.close()
        await asyncio.wait_for(task, PATIENCE)


def answer(number: int = 7, option: int = 0) -> decision_pb2.Answer:
    return decision_pb2.Answer(decision_id=number, option_id=option)


def update(seq: int, **more: object) -> update_pb2.Update:
    return update_pb2.Update(seq=seq, **more)  # type: ignore[arg-type]


def no(reason: r.RejectionReason.ValueType, retry_after_ms: int | None = None) -> r.Rejection:
    return r.Rejection(reason=reason, message="no", retry_after_ms=retry_after_ms)


async def test_after_a_cut_it_resumes_after_the_last_update_and_repeats_under_the_old_id() -> None:
    async def first(talk: Talk) -> None:
        await talk.welcome()
        attach = await talk.attached()
        assert not attach.attach.HasField("after_seq")
        talk.send(attach, update=update(4), request_id="")
        received = await talk.receive("answer")
        assert received.request_id == "d7"

    async def second(talk: Talk) -> None:
        await talk.welcome()
        attach = await talk.attached()
        assert attach.attach.after_seq == 4
        again = await talk.receive("answer")
        assert (again.request_id, again.answer) == ("d7", answer())
        talk.send(again, accepted=p.Accepted(seq=5, decision_id=7))
        talk.send(again, update=update(5), request_id="")
        await talk.silence()

    async with scripted(first, second) as (address, finished), opened(address) as (stream, notes):
        stream.follow(*KEY)
        await notes.until("updated")
        stream.answer(KEY, "d7", answer())
        assert len(stream.unanswered(KEY)) == 1
        await notes.until("updated", 2)
        assert notes.all("accepted") == ["d7"]
        assert notes.all("connected") == ["endless_winter.v1"] * 2
        assert stream.unanswered(KEY) == ()
        stream.close()
        await asyncio.wait_for(finished.wait(), PATIENCE)


async def test_after_goodbye_commands_wait_until_the_stream_is_back() -> None:
    async def first(talk: Talk) -> None:
        await talk.welcome()
        attach = await talk.attached()
        talk.send(attach, update=update(1), request_id="")
        received = await talk.receive("ready")
        talk.send(goodbye=p.Goodbye(reconnect_after_ms=20))
        talk.send(received, rejection=no(r.REJECTION_REASON_DRAINING))
        await talk.silence()

    async def second(talk: Talk) -> None:
        await talk.welcome()
        await talk.attached()
        assert (await talk.receive("ready")).request_id == "ready-1"
        late = await talk.receive("answer")
        talk.send(late, accepted=p.Accepted(seq=2))
        await talk.silence()

    async with scripted(first, second) as (address, _), opened(address) as (stream, notes):
        stream.follow(*KEY)
        await notes.until("updated")
        stream.ready(KEY, "ready-1")
        await notes.until("waiting")
        stream.answer(KEY, "d7", answer())
        await notes.until("accepted")
        assert "refused" not in dict(notes.calls)


async def test_a_command_that_the_server_could_not_carry_out_is_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(link, "FIRST_WAIT", 0.001)

    async def script(talk: Talk) -> None:
        await talk.welcome()
        await talk.attached()
        for reason in (r.REJECTION_REASON_STORE_UNAVAILABLE, r.REJECTION_REASON_SERVER_FAULT):
            talk.send(await talk.receive("answer"), rejection=no(reason, retry_after_ms=1))
        talk.send(await talk.receive("answer"), accepted=p.Accepted(seq=2))
        for _ in range(MOST_REPEATS + 1):
            received = await talk.receive("answer")
            assert received.request_id == "d8"
            talk.send(received, rejection=no(r.REJECTION_REASON_CONFLICT, retry_after_ms=1))
        await talk.silence()

    async with scripted(script) as (address, _), opened(address) as (stream, notes):
        stream.follow(*KEY)
        await notes.until("attached")
        stream.answer(KEY, "d7", answer())
        await notes.until("accepted")
        stream.answer(KEY, "d8", answer(8))
        await notes.until("refused")
        assert stream.unanswered(KEY) == ()


async def test_a_refusal_of_one_command_leaves_the_others_alone() -> None:
    async def script(talk: Talk) -> None:
        await talk.welcome()
        await talk.attached()
        first = await talk.receive("answer")
        undo = await talk.receive("undo")
        standing = await talk.receive("set_standing_answers")
        talk.send(undo, accepted=p.Accepted(seq=3))
        talk.send(first, rejection=no(r.REJECTION_REASON_STALE_DECISION))
        talk.send(standing, accepted=p.Accepted(seq=4))
        await talk.silence()

    async with scripted(script) as (address, _), opened(address) as (stream, notes):
        stream.follow(*KEY)
        await notes.until("attached")
        stream.answer(KEY, "d7", answer())
        stream.undo(KEY, "u7", 7)
        stream.stand(KEY, "s1", [decision_pb2.DECISION_KIND_DISCARD])
        await notes.until("accepted", 2)
        assert notes.all("accepted") == ["u7", "s1"]
        assert notes.all("refused") == ["d7"]


UNKNOWN: Any = 99  # a reason that the SDK does not know


async def test_a_refusal_is_final_unless_it_says_when_to_try_again() -> None:
    """Whatever its reason is, also one that is not known here; of Attach and of a command."""

    async def script(talk: Talk) -> None:
        await talk.welcome()
        for reason in (UNKNOWN, r.REJECTION_REASON_GAME_NOT_FOUND):
            talk.send(await talk.receive("attach"), rejection=no(reason, retry_after_ms=1))
        await talk.attached()
        for received in ("d7", "d7"):
            command = await talk.receive("answer")
            assert command.request_id == received
            talk.send(command, rejection=no(UNKNOWN, retry_after_ms=1))
        talk.send(await talk.receive("answer"), rejection=no(UNKNOWN))
        for reason in (UNKNOWN, r.REJECTION_REASON_GAME_NOT_FOUND):
            talk.send(await talk.receive("attach"), rejection=no(reason))
        await talk.silence()

    async with scripted(script) as (address, _), opened(address) as (stream, notes):
        stream.follow(*KEY)
        await notes.until("attached")
        stream.answer(KEY, "d7", answer())
        await notes.until("refused")
        assert stream.unanswered(KEY) == ()
        for name in ("one", "two"):
            stream.follow(name, 0)
        await notes.until("gone", 2)
        assert stream.follows(KEY)
        assert not stream.follows(("one", 0))
        assert not stream.follows(("two", 0))


async def test_a_game_that_was_detached_for_now_is_attached_again() -> None:
    async def script(talk: Talk) -> None:
        await talk.welcome()
        attach = await talk.attached()
        cause = no(r.REJECTION_REASON_LIMIT_REACHED, retry_after_ms=1)
        talk.send(attach, detached=p.Detached(cause=cause), request_id="")
        await talk.attached()
        await talk.silence()

    async with scripted(script) as (address, _), opened(address) as (stream, notes):
        stream.follow(*KEY)
        await notes.until("attached", 2)
        assert stream.follows(KEY)
        assert "gone" not in dict(notes.calls)


async def test_updates_of_the_future_and_duplicates_do_no_harm() -> None:
    async def script(talk: Talk) -> None:
        await talk.welcome()
        attach = await talk.attached()
        talk.out.put_nowait(p.PlayResponse(reports=[p.PlayReport(game_id="game", seat=1)]))
        talk.send(attach, request_id="unheard of", accepted=p.Accepted(seq=1))
        talk.send(attach, update=update(5), request_id="")
        talk.send(attach, update=update(3), request_id="")
        talk.send(game_id="never asked for", seat=0, update=update(9))
        result = result_pb2.GameResult()
        talk.send(attach, update=update(6, result=result), request_id="")
        cause = no(r.REJECTION_REASON_GAME_ENDED)
        talk.send(attach, detached=p.Detached(cause=cause), request_id="")
        talk.send(attach, update=update(7), request_id="")
        await talk.silence()

    async with scripted(script) as (address, finished), opened(address) as (stream, notes):
        stream.follow(*KEY)
        await notes.until("updated", 2)
        stream.ready(KEY, "too late")
        stream.close()
        await asyncio.wait_for(finished.wait(), PATIENCE)
        assert notes.all("updated") == [5, 6]
        assert "gone" not in dict(notes.calls)


async def test_a_revoked_seat_is_reported_as_gone() -> None:
    async def script(talk: Talk) -> None:
        await talk.welcome()
        attach = await talk.attached()
        cause = no(r.REJECTION_REASON_SEAT_REVOKED)
        talk.send(attach, detached=p.Detached(cause=cause), request_id="")
        detach = await talk.receive(
            "attach"
        )  # another game; the revoked seat is not asked for again
        assert detach.game_id == "other"
        talk.send(detach, attached=p.Attached())
        assert (await talk.receive("detach")).game_id == "other"
        let_go.set()
        await talk.silence()

    let_go = asyncio.Event()
    async with scripted(script) as (address, finished), opened(address) as (stream, notes):
        stream.follow(*KEY)
        await notes.until("gone")
        stream.follow("other")
        await notes.until("attached", 2)
        stream.unfollow("other")
        await asyncio.wait_for(let_go.wait(), PATIENCE)
        stream.close()
        await asyncio.wait_for(finished.wait(), PATIENCE)


async def test_a_silent_server_is_asked_and_then_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link, "QUIET", 0.2)
    silent_to: list[Talk] = []
    kept_alive = asyncio.Event()

    async def script(talk: Talk) -> None:
        try:
            await talk.welcome()
            ping = await talk.receive("ping")
            if not silent_to:
                silent_to.append(talk)
                await asyncio.Event().wait()
            talk.send(ping, pong=p.Pong(nonce=ping.ping.nonce))
            await talk.receive("ping")
        except Gone:
            return  # a busy machine: our Welcome or our Pong came late
        kept_alive.set()

    async with scripted(*[script] * 1000) as (address, _), opened(address) as (_, notes):
        await asyncio.wait_for(kept_alive.wait(), PATIENCE)
        assert len(notes.all("connected")) >= 2


@pytest.mark.parametrize(
    ("info", "expected"),
    [
        (server_info_pb2.ServerInfo(contract="chess.v9"), "speaks chess.v9"),
        (server_info_pb2.ServerInfo(contract=INFO.contract), "revision 0 of the contract"),
    ],
)
async def test_another_contract_is_named_in_a_line(
    info: server_info_pb2.ServerInfo, expected: str
) -> None:
    async def script(talk: Talk) -> None:
        talk.send(await talk.receive("hello"), welcome=p.Welcome(server=info))
        await asyncio.Event().wait()

    async with scripted(script) as (address, _):
        with pytest.raises(WrongServer, match=expected) as caught:
            await PlayStream(Endpoint.of(address), Notes()).run()
        assert "\n" not in str(caught.value)


async def test_a_server_that_is_too_old_says_so_to_hello() -> None:
    async def script(talk: Talk) -> None:
        no_ = no(r.REJECTION_REASON_CONTRACT_UNSUPPORTED)
        talk.send(await talk.receive("hello"), rejection=no_)

    async with scripted(script) as (address, _):
        with pytest.raises(WrongServer, match="update the server, or use an older SDK"):
            await PlayStream(Endpoint.of(address), Notes()).run()


async def test_a_refused_hello_is_final_unless_time_may_cure_it() -> None:
    async def busy(talk: Talk) -> None:
        no_ = no(r.REJECTION_REASON_LIMIT_REACHED, retry_after_ms=5)
        talk.send(await talk.receive("hello"), rejection=no_)

    async def closed(talk: Talk) -> None:
        talk.send(await talk.receive("hello"), rejection=no(r.REJECTION_REASON_NOT_ALLOWED))

    async with scripted(busy, closed) as (address, _):
        notes = Notes()
        with pytest.raises(Refused, match="NOT_ALLOWED") as caught:
            await PlayStream(Endpoint.of(address), notes).run()
        assert caught.value.reason == r.REJECTION_REASON_NOT_ALLOWED
        assert len(notes.all("waiting")) == 1


async def test_an_absent_server_is_waited_for_and_then_reported() -> None:
    with nobody() as address:
        async with opened(address) as (_, notes):
            await notes.until("waiting", 2)
        gone = f"no server answers at {address}.*gave up after 0.5 s"
        with pytest.raises(ServerGone, match=gone):
            await PlayStream(Endpoint.of(address), notes, patience=0.5).run()


def test_waits_double_with_jitter_up_to_a_limit() -> None:
    for failures in range(40):
        longest = min(link.LONGEST_WAIT, link.FIRST_WAIT * 2**failures)
        for _ in range(20):
            assert longest / 2 <= backoff(failures) <= longest
    assert len({backoff(3) for _ in range(20)}) > 1


@pytest.mark.parametrize("address", ["", "nonsense", ":50051", "host:", "host:port"])
def test_a_wrong_address_is_refused_before_anything_is_tried(address: str) -> None:
    with pytest.raises(BadAddress, match="HOST:PORT"):
        Endpoint.of(address)


def test_a_secret_has_a_form_and_is_drawn_fresh() -> None:
    with pytest.raises(BadAddress, match="64 lower-case hexadecimal digits"):
        Endpoint.of("127.0.0.1:1", "my secret")
    one, other = Endpoint.of("[::1]:1"), Endpoint.of("localhost:1", "ab" * 32)
    assert one.secret != Endpoint.of("[::1]:1").secret
    assert other.metadata == (("ew-client-secret", "ab" * 32),)


@pytest.mark.parametrize(
    "word", [asyncio.InvalidStateError("RPC already finished."), grpc.aio.InternalError("batch")]
)
async def test_writing_on_a_call_that_has_just_ended_is_a_lost_connection(word: Exception) -> None:
    words = [word]

    async def beside(_: grpc.aio.Channel) -> None:
        if words:
            raise words.pop()
        await asyncio.Event().wait()

    async def cut_off(talk: Talk) -> None:
        with suppress(Gone):  # it may not even have said Hello
            await talks(talk)

    async def talks(talk: Talk) -> None:
        await talk.welcome()
        await talk.silence()

    async with scripted(cut_off, talks) as (address, _):
        notes = Notes()
        stream = PlayStream(Endpoint.of(address), notes, patience=PATIENCE, alongside=beside)
        task = asyncio.ensure_future(stream.run())
        await notes.until("connected")
        stream.close()
        await asyncio.wait_for(task, PATIENCE)
    assert notes.calls[0][0] == "waiting"
