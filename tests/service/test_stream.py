"""The Play stream, Watch and the long polls: what is sent, once, in order, whatever is lost."""

from __future__ import annotations

import asyncio
import signal
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.engine.settings import Settings
from endless_winter.v1 import (
    clock_pb2,
    decision_pb2,
    event_pb2,
    game_pb2,
    game_service_pb2,
    play_service_pb2,
    view_pb2,
)
from tests.foundations.tree import ROOT
from tests.service.player import pick
from tests.service.wire import PATIENCE, Line, Pair, served

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Iterator

    from endless_winter.cli.process import Server
    from endless_winter.v1 import update_pb2
    from tests.service.player import Client

p = play_service_pb2
g = game_service_pb2
MANY = 90  # choices: who has missed so many gets a snapshot
FEW = 40  # who has missed so many gets the events


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with served() as one:
        yield one


async def follow(line: Line, game_id: str, seat: int | None, until: int, **attach: Any) -> None:
    """Attach and read updates until the one that includes an entry."""
    await line.send(
        p.PlayCommand(request_id="a", game_id=game_id, seat=seat, attach=p.Attach(**attach))
    )
    while (await line.update()).seq < until:
        pass


def events_of(line: Line) -> list[bytes]:
    return [
        event.SerializeToString(deterministic=True)
        for report in line.received
        for event in report.update.events
    ]


async def play(pair: Pair, steps: int) -> int:
    """Let so many choices be made; the newest sequence number."""
    for _ in range(steps):
        await pair.step()
    return (await pair.eve.view(pair.game_id)).seq


# --- resuming ---


@pytest.mark.parametrize("seat", [0, 1, None])
async def test_a_stream_that_is_cut_again_and_again_gets_every_event_once(
    server: Server, seat: int | None
) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        client = pair.eve if seat is None else pair.client(seat)
        start = (await client.view(pair.game_id, seat)).seq
        pieces: list[bytes] = []
        seq = start
        async with Line(client) as whole:
            await whole.do(game_id=pair.game_id, seat=seat, attach=p.Attach(after_seq=start))
            for steps in (3, 7, 1, 12, 5):
                until = await play(pair, steps)
                async with Line(client) as line:
                    await follow(line, pair.game_id, seat, until, after_seq=seq)
                    attached = next(one for one in line.received if one.HasField("attached"))
                    assert attached.attached.after_seq == seq
                    assert not any(one.update.snapshot for one in line.received)
                    pieces += events_of(line)
                seq = until
            while (await whole.update()).seq < seq:
                pass
            assert events_of(whole) == pieces
        numbers = [event_pb2.Event.FromString(piece).seq for piece in pieces]
        assert numbers == sorted(numbers)
        assert set(numbers) == set(range(start + 1, seq + 1))


async def test_who_is_too_far_behind_or_ahead_gets_a_snapshot(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        until = await play(pair, MANY)
        for after in (1, until + 1, 2**64 - 1):
            async with Line(pair.ann) as line:
                await follow(line, pair.game_id, 0, until, after_seq=after)
                attached = next(one.attached for one in line.received if one.HasField("attached"))
                assert not attached.HasField("after_seq")
                update = line.received[-1].update
                assert update.snapshot
                assert update.game.game_id == pair.game_id
                assert not update.events
                assert update.HasField("public_view")
        async with Line(pair.ann) as line:
            await follow(line, pair.game_id, 0, until, after_seq=until - FEW)
            assert not line.received[-1].update.snapshot
            assert line.received[-1].update.events[0].seq == until - FEW + 1


async def test_resuming_goes_on_with_the_same_events_after_a_restart(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        async with Pair(server.address) as pair:
            await pair.started()
            game_id = pair.game_id
            start = await play(pair, 4)
            until = await play(pair, 12)
            async with Line(pair.ann) as line:
                await follow(line, game_id, 0, until, after_seq=start)
                events = events_of(line)
        server.process.kill()
    with served(tmp_path) as server:
        async with Pair(server.address) as pair:
            pair.game_id = game_id
            async with Line(pair.ann) as line:
                await follow(line, game_id, 0, until, after_seq=start)
                assert events_of(line) == events
            # And then the restart is shown to everyone, with the first thing that happens.
            async with Line(pair.eve) as line:
                await line.do(game_id=game_id, attach=p.Attach(after_seq=until))
                later = await play(pair, 1)
                while (await line.update()).seq < later:
                    pass
                kinds = [
                    event.public_event.WhichOneof("event")
                    for report in line.received
                    for event in report.update.events
                ]
                assert kinds[0] == "server_restarted"


async def test_a_seat_attached_twice_is_asked_on_both_streams_and_the_first_answer_counts(
    server: Server,
) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        seat, decision = await pair.pending()
        at: dict[str, Any] = {"game_id": pair.game_id, "seat": seat}
        async with Line(pair.client(seat)) as one, Line(pair.client(seat)) as two:
            for line in (one, two):
                await line.do(**at, attach=p.Attach())
                assert (await line.update()).prompt.decision.decision_id == decision.decision_id
            answer = decision_pb2.Answer(decision_id=decision.decision_id, option_id=0)
            assert (await one.do(request_id="1", **at, answer=answer)).HasField("accepted")
            assert await two.rejected(request_id="2", **at, answer=answer) == "STALE_DECISION"


# --- the order of answers ---


@pytest.mark.parametrize("first", ["undo", "answer"])
async def test_commands_of_a_game_are_answered_in_the_order_of_their_list(
    server: Server, first: str
) -> None:
    async with Pair(server.address) as pair:
        await pair.started(undo_allowed=True)
        while not (await pair.pending())[1].can_undo:
            await pair.step()
        seat, decision = await pair.pending()
        number = decision.decision_id
        deed: dict[str, Any] = {"undo": p.Undo(decision_id=number)}
        if first == "answer":
            deed = {"answer": decision_pb2.Answer(decision_id=number, take_default=True)}
        steps: list[dict[str, Any]] = [
            deed,
            {"detach": p.Detach()},
            {"attach": p.Attach()},
            {"set_standing_answers": p.SetStandingAnswers()},
            {"detach": p.Detach()},
        ]
        async with Line(pair.client(seat)) as line:
            await line.do(game_id=pair.game_id, seat=seat, attach=p.Attach())
            await line.send(
                *[
                    p.PlayCommand(request_id=f"c{at}", game_id=pair.game_id, seat=seat, **step)
                    for at, step in enumerate(steps)
                ]
            )
            reports: list[tuple[str, str | None]] = []
            while len(reports) < len(steps):
                report = await line.next()
                if report.request_id:
                    reports.append((report.request_id, report.WhichOneof("report")))
        kinds = ("accepted", "detached", "attached", "accepted", "detached")
        assert reports == [(f"c{at}", kind) for at, kind in enumerate(kinds)]


# --- what an update holds ---


async def one_round(pair: Pair, line: Line, seat: int, **feed: Any) -> list[update_pb2.Update]:
    """The updates of a seat while the game takes its course for a while."""
    await line.send(
        p.PlayCommand(
            request_id="a",
            game_id=pair.game_id,
            seat=seat,
            attach=p.Attach(feed=p.FeedOptions(**feed)),
        )
    )
    found = [await line.update()]
    until = await play(pair, 25)
    while found[-1].seq < until:
        found.append(await line.update())
    return found


async def test_views_come_when_they_are_wanted(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        async with Line(pair.ann) as always, Line(pair.ann) as never, Line(pair.ann) as plain:
            modes = view_pb2
            always_sent = await one_round(pair, always, 0, view_mode=modes.VIEW_MODE_ALWAYS)
            assert all(one.HasField("public_view") for one in always_sent)
            assert all(one.HasField("private_view") for one in always_sent)
            never_sent = await one_round(pair, never, 0, view_mode=modes.VIEW_MODE_NEVER)
            assert not any(one.HasField("public_view") for one in never_sent)
            assert not any(one.HasField("private_view") for one in never_sent)
            updates = await one_round(pair, plain, 0)
            for one in updates[1:]:
                assert one.HasField("public_view") == one.HasField("prompt")
                assert one.HasField("private_view") == one.HasField("prompt")


async def test_programs_can_leave_out_what_they_do_not_read(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        async with Line(pair.ann) as bare, Line(pair.ann) as full:
            updates = await one_round(
                pair, bare, 0, skip_events=True, skip_labels=True, skip_moves=True
            )
            assert not any(one.events for one in updates)
            options = [option for one in updates for option in one.prompt.decision.options]
            assert options
            assert all(option.text for option in options)
            assert not any(option.label or option.HasField("move") for option in options)
            updates = await one_round(pair, full, 0)
            options = [option for one in updates for option in one.prompt.decision.options]
            assert all(option.label and option.HasField("move") for option in options)
            assert any(one.events for one in updates)


async def test_only_when_asked_means_prompts_ready_checks_and_the_result(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.seated()
        async with Line(pair.ann) as line:
            feed = p.FeedOptions(only_when_asked=True)
            await line.send(p.PlayCommand(game_id=pair.game_id, seat=0, attach=p.Attach(feed=feed)))
            first = await line.update()
            assert first.HasField("ready_check")
            await pair.ann.ready(pair.game_id, 0)
            await pair.bob.ready(pair.game_id, 1)
            while True:
                update = await line.update()
                assert update.HasField("prompt") or update.HasField("result")
                if update.HasField("result"):
                    break
                decision = update.prompt.decision
                await pair.submit(0, decision_id=decision.decision_id, option_id=pick(decision, 1))
                while True:
                    view = await pair.bob.view(pair.game_id, 1)
                    if not view.HasField("prompt"):
                        break
                    theirs = view.prompt.decision
                    await pair.submit(1, decision_id=theirs.decision_id, option_id=pick(theirs, 1))
            numbers = [e.seq for one in line.received for e in one.update.events]
            assert numbers == sorted(numbers)
            # Nothing of the turns of others is lost, it only comes later.
            assert set(numbers) >= set(range(first.seq + 1, update.seq + 1))


async def test_the_last_update_has_result_and_seed_and_the_stream_stays_open(
    server: Server,
) -> None:
    async with Pair(server.address) as pair:
        await pair.seated()
        async with Line(pair.ann) as line:
            await line.do(game_id=pair.game_id, seat=0, attach=p.Attach())
            await pair.ann.games.AbortGame(
                g.AbortGameRequest(game_id=pair.game_id), metadata=pair.ann.metadata
            )
            while not (update := await line.update()).HasField("result"):
                pass
            assert update.seed_reveal.seed == bytes(32)
            assert (await line.do(ping=p.Ping(nonce=1))).pong.nonce == 1


# --- Watch ---


async def watched(client: Client, game_id: str, **more: Any) -> list[update_pb2.Update]:
    call = client.play.Watch(p.WatchRequest(game_id=game_id, **more), metadata=client.metadata)
    found: list[update_pb2.Update] = []
    first = True
    async for response in call:
        assert response.HasField("welcome") == first
        first = False
        found += response.updates
    return found


async def test_watching_ends_with_the_result_and_shows_every_event_once(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        start = (await pair.eve.view(pair.game_id)).seq
        views = {
            "seat": asyncio.create_task(watched(pair.ann, pair.game_id, seat=0, after_seq=start)),
            "spectator": asyncio.create_task(watched(pair.eve, pair.game_id, after_seq=start)),
            "snapshot": asyncio.create_task(watched(pair.eve, pair.game_id)),
        }
        await asyncio.sleep(0)
        while (await pair.eve.view(pair.game_id)).status == game_pb2.GAME_STATUS_RUNNING:
            await pair.step(5)
        seen = {name: await asyncio.wait_for(task, PATIENCE) for name, task in views.items()}
        for updates in seen.values():
            assert updates[-1].HasField("result")
            assert updates[-1].status == game_pb2.GAME_STATUS_ENDED
            assert [one.HasField("result") for one in updates[:-1]].count(True) == 0
        until = seen["seat"][-1].seq
        for name in ("seat", "spectator"):
            numbers = [event.seq for one in seen[name] for event in one.events]
            if not any(one.snapshot for one in seen[name]):
                assert set(numbers) == set(range(start + 1, until + 1))
        for one in seen["spectator"] + seen["snapshot"]:
            assert not one.HasField("private_view")
            assert not one.HasField("prompt")
            assert not any(event.HasField("private_event") for event in one.events)
        assert seen["snapshot"][0].snapshot
        assert await watched(pair.eve, pair.game_id)  # of an ended game: the end at once


# --- long polls ---


async def test_a_long_poll_answers_when_there_is_something_new(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        now = (await pair.eve.view(pair.game_id)).seq
        waiting = asyncio.create_task(pair.eve.view(pair.game_id, after_seq=now, wait_ms=30_000))
        await pair.step()
        update = await asyncio.wait_for(waiting, PATIENCE)
        assert update.seq > now
        assert update.events
        assert update.HasField("public_view")
        quick = await pair.eve.view(pair.game_id, after_seq=update.seq, wait_ms=20)
        assert quick.seq == update.seq
        assert not quick.events


async def test_a_long_poll_for_the_own_prompt_sleeps_through_the_turns_of_others(
    server: Server,
) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        seat, _ = await pair.pending()
        other = 1 - seat
        waiting = asyncio.create_task(
            pair.client(other).view(
                pair.game_id, other, after_seq=0, wait_ms=30_000, wait_for_prompt=True
            )
        )
        while (await pair.pending())[0] == seat:
            assert not waiting.done()
            await pair.step()
        update = await asyncio.wait_for(waiting, PATIENCE)
        assert update.prompt.decision.seat == other


async def test_what_do_i_owe_waits_for_the_first_debt(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        seat, _ = await pair.pending()
        lazy = pair.client(1 - seat)
        request = p.ListMySeatsRequest(only_owing=True, wait_ms=30_000)

        def mine(found: p.ListMySeatsResponse) -> list[p.MySeat]:
            return [one for one in found.seats if one.game_id == pair.game_id]

        # Other games of this client may owe something; finish with those that do.
        found = await lazy.play.ListMySeats(
            p.ListMySeatsRequest(only_owing=True), metadata=lazy.metadata
        )
        assert not mine(found)
        while (await pair.pending())[0] == seat:
            await pair.step()
        found = await lazy.play.ListMySeats(request, metadata=lazy.metadata)
        (one,) = mine(found)
        assert one.seat == 1 - seat
        assert one.decision_id == (await pair.pending())[1].decision_id


async def test_list_my_seats_has_the_deadline_of_ready(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.seated(time_control=clock_pb2.TimeControl(ready_limit_ms=600_000))

        async def shown() -> int:
            return (await pair.ann.view(pair.game_id, 0)).ready_check.deadline_unix_ms

        before = await shown()
        found = await pair.ann.play.ListMySeats(
            p.ListMySeatsRequest(only_owing=True), metadata=pair.ann.metadata
        )
        (mine,) = [one for one in found.seats if one.game_id == pair.game_id]
        assert mine.owes_ready
        # A server that stalls gives everybody more time: by that it may differ.
        assert before - 1 <= mine.deadline_unix_ms <= await shown() + 1
        await pair.ann.ready(pair.game_id, 0)
        found = await pair.ann.play.ListMySeats(p.ListMySeatsRequest(), metadata=pair.ann.metadata)
        (mine,) = [one for one in found.seats if one.game_id == pair.game_id]
        assert not mine.owes_ready
        assert not mine.HasField("deadline_unix_ms")


# --- slow readers and floods ---


def resident_kb(pid: int) -> int:
    """What a process holds in memory."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise AssertionError("no VmRSS")


@asynccontextmanager
async def stopped_reader(server: Server, game_id: str, streams: int) -> AsyncIterator[Process]:
    """A client process that watches a game on so many streams, and is stopped."""
    command = (sys.executable, "-m", "tests.service.stopped_reader")
    reader = await asyncio.create_subprocess_exec(
        *(*command, server.address, game_id, str(streams)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    try:
        assert await said(reader) == "attached"
        reader.send_signal(signal.SIGSTOP)
        yield reader
    finally:
        if reader.returncode is None:
            reader.kill()
            await reader.wait()


async def said(process: Process) -> str:
    assert process.stdout is not None
    line = await asyncio.wait_for(process.stdout.readline(), PATIENCE)
    return line.decode().strip()


async def test_a_reader_that_does_not_read_gets_a_snapshot_and_costs_no_memory(
    server: Server,
) -> None:
    """The little that gRPC takes ahead is soon full; what comes then is sent in one update, later.

    Of a process that is stopped as a whole nothing reads on behind our back. Were the updates kept
    for it, the server would grow by 10 MB, and no snapshot would be needed.
    """
    streams = 60  # about as many as one connection may have
    async with Pair(server.address) as pair:
        await pair.started()
        await play(pair, 5)  # what is made once is made
        async with stopped_reader(server, pair.game_id, streams) as reader:
            before = resident_kb(server.process.pid)
            until = await play(pair, MANY)
            grown = resident_kb(server.process.pid) - before
            reader.send_signal(signal.SIGCONT)
            assert reader.stdin is not None
            reader.stdin.write(f"{until}\n".encode())
            found = [(await said(reader)).split() for _ in range(streams)]
            assert await reader.wait() == 0
    assert grown < 5_000, f"{grown} kB for {streams} streams that nobody reads"
    assert all(int(snapshots) == 1 for _, snapshots, _ in found), found
    assert all(int(updates) < MANY // 2 for updates, _, _ in found), found
    assert all(ordered == "True" for _, _, ordered in found)


async def test_a_flood_of_commands_is_answered_one_by_one_in_bounded_memory(
    server: Server,
) -> None:
    """As many empty commands as a message may have: each is refused, another game goes on."""
    async with Pair(server.address) as pair:
        await pair.started()
        before = resident_kb(server.process.pid)
        async with Line(pair.ann) as line:
            count = Settings().commands_per_message
            command = p.PlayCommand(request_id="x")
            flood = asyncio.create_task(line.send(*[command] * count))
            for _ in range(5):
                await pair.step()
            answered = 0
            while answered < count:
                report = await line.next()
                assert report.HasField("rejection")
                answered += 1
            await flood
        assert resident_kb(server.process.pid) - before < 60_000
