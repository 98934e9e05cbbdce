"""Answers of many streams in one turn of the loop: carried out, committed and told together."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from endless_winter.service import play_stream, rounds, wakeups
from endless_winter.service.identity import Caller
from endless_winter.service.orders import read_orders
from endless_winter.service.play_stream import PlayStream
from endless_winter.store import SqliteStore, writer
from endless_winter.v1 import decision_pb2
from endless_winter.v1 import play_service_pb2 as p
from tests.service.desk import Desk, caller, desk

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.service.session import Session


class Line:
    """The stream of one seat, driven from both ends."""

    def __init__(self, at: Desk, session: Session, seat: int) -> None:
        self.session = session
        self.seat = seat
        self.reports: list[p.PlayReport] = []
        self.told = asyncio.Event()
        self.commands: asyncio.Queue[Any] = asyncio.Queue()
        holder = Caller(caller(f"player {seat}").holder, operator=False)
        self.stream = PlayStream(at.hall, holder)
        self.tasks = [
            asyncio.create_task(self.stream.read(self.commands.get)),
            asyncio.create_task(self.stream.write(self.send)),
        ]
        attach = p.PlayCommand(game_id=session.table.game_id, seat=seat, attach=p.Attach())
        self.say(p.PlayRequest(commands=[p.PlayCommand(hello=p.Hello()), attach]))

    async def send(self, body: bytes) -> None:
        self.reports += p.PlayResponse.FromString(body).reports
        self.told.set()

    def say(self, request: Any) -> None:
        self.commands.put_nowait(request)

    def answer(self, **more: Any) -> None:
        """An answer as it is read from the wire."""
        table = self.session.table
        answer = decision_pb2.Answer(decision_id=table.decision_id, option_id=0)
        command = p.PlayCommand(game_id=table.game_id, seat=self.seat, answer=answer, **more)
        orders = read_orders(p.PlayRequest(commands=[command]).SerializeToString())
        assert orders is not None
        self.say(orders)

    def kinds(self) -> list[str | None]:
        found: list[str | None] = [report.WhichOneof("report") for report in self.reports]
        self.reports.clear()
        return found

    async def close(self) -> None:
        self.say(grpc.aio.EOF)
        await asyncio.wait_for(asyncio.gather(*self.tasks), 60)
        self.stream.close()


async def turns(count: int = 60) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def lines(at: Desk, games: int) -> list[Line]:
    """A stream for the seat that is asked, of each of some games."""
    sessions = [await at.running() for _ in range(games)]
    found = [Line(at, session, session.table.deciding_seat) for session in sessions]
    await turns()
    for line in found:
        assert line.kinds() == ["welcome", "attached", "update"]
    return found


def commits(at: Desk) -> int:
    store = at.hall.store
    assert isinstance(store, SqliteStore)
    return store.stats.transactions


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every commit is made in the event loop, however busy the machine is."""
    monkeypatch.setattr(writer, "QUICK", 3_600)


async def test_answers_of_one_turn_are_one_commit_and_each_stream_is_told(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        open_lines = await lines(at, 5)
        before = commits(at)
        asked = [line.session.table.decision_id for line in open_lines]
        for line in open_lines:
            line.answer()
        await turns()
        assert commits(at) - before == 1
        for line, decision_id in zip(open_lines, asked, strict=True):
            assert line.session.table.decision_id > decision_id
            assert line.kinds()[:2] == ["accepted", "update"]
            await line.close()


async def test_a_round_is_not_unbounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "MOST", 2)
    async with desk(tmp_path) as at:
        open_lines = await lines(at, 5)
        before = commits(at)
        for line in open_lines:
            line.answer()
        await turns()
        assert commits(at) - before == 3
        for line in open_lines:
            assert line.kinds()[0] == "accepted"
            await line.close()


async def test_a_wrong_answer_in_a_round_is_refused_and_the_others_count(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        wrong, right = await lines(at, 2)
        wrong.answer(request_id="r" * 200)  # longer than any may be
        wrong.answer()
        right.answer()
        await turns()
        assert sorted(map(str, wrong.kinds()[:2])) == ["accepted", "rejection"]
        assert right.kinds()[0] == "accepted"
        for line in (wrong, right):
            await line.close()


async def test_commands_of_a_stream_keep_their_order_around_answers(tmp_path: Path) -> None:
    """A message with anything else in it does not overtake the answers before it."""
    async with desk(tmp_path) as at:
        (line,) = await lines(at, 1)
        decision_id = line.session.table.decision_id
        detach = p.PlayCommand(
            game_id=line.session.table.game_id, seat=line.seat, detach=p.Detach()
        )
        line.answer()
        line.say(p.PlayRequest(commands=[detach]))
        await turns()
        assert line.session.table.decision_id > decision_id, "the answer came first"
        await line.close()
        answers = [kind for kind in line.kinds() if kind != "update"]
        assert answers == ["accepted", "detached"]


async def test_what_arrived_before_the_client_left_is_carried_out(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        (line,) = await lines(at, 1)
        decision_id = line.session.table.decision_id
        line.answer()
        await line.close()
        assert line.session.table.decision_id > decision_id
        assert line.kinds()[0] == "accepted"


def test_who_is_alone_is_done_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> None:
        async with desk(tmp_path) as at:
            (line,) = await lines(at, 1)
            planned: list[str] = []
            soon = at.hall.rounds._soon

            def noted() -> None:
                if not at.hall.rounds._planned:
                    planned.append("later")
                soon()

            monkeypatch.setattr(at.hall.rounds, "_soon", noted)
            line.told.clear()
            asyncio.get_running_loop().call_later(0.001, line.answer)
            await line.told.wait()  # nobody wants a turn meanwhile
            assert planned == []
            assert line.kinds()[:2] == ["accepted", "update"]
            await line.close()

    wakeups.run(play())


async def test_a_refusal_after_the_client_has_half_closed_does_not_keep_the_stream_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its answers may wait for a round that comes after the reader has seen the end."""
    monkeypatch.setattr(rounds, "MOST", 1)
    async with desk(tmp_path) as at:
        *ahead, last = await lines(at, 5)
        last.say(
            p.PlayRequest(
                commands=[
                    p.PlayCommand(
                        game_id=last.session.table.game_id, seat=last.seat, detach=p.Detach()
                    )
                ]
            )
        )
        await turns()
        last.kinds()
        for line in ahead:
            line.answer()
        last.answer()
        await last.close()
        assert last.kinds() == ["rejection"]
        for line in ahead:
            await line.close()


async def test_who_does_not_say_hello_is_refused_once(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        (line,) = await lines(at, 1)
        rude = Line(at, line.session, line.seat)
        rude.commands.get_nowait()
        for _ in range(3):
            rude.answer()
        await asyncio.wait_for(rude.tasks[1], 60)
        assert rude.kinds() == ["rejection"]
        rude.tasks[0].cancel()
        await line.close()


async def test_an_answer_does_not_overtake_an_undo_of_the_same_message(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        (line,) = await lines(at, 1)
        table = line.session.table
        undo = p.PlayCommand(
            game_id=table.game_id, seat=line.seat, undo=p.Undo(decision_id=table.decision_id)
        )
        answer = p.PlayCommand(
            game_id=table.game_id,
            seat=line.seat,
            answer=decision_pb2.Answer(decision_id=table.decision_id, option_id=0),
        )
        line.say(p.PlayRequest(commands=[undo, answer]))
        await turns()
        assert line.kinds()[:2] == ["rejection", "accepted"], "there was nothing to undo"
        await line.close()


class Disk:
    """A disk that looks at what has been told by the time it has kept a commit."""

    def __init__(self, lines: list[Line]) -> None:
        self.lines = lines
        self.told: list[int] = []
        self.begun = 0

    def begin(self) -> None:
        self.begun += 1

    def finish(self) -> None:
        self.told.append(sum(len(line.reports) for line in self.lines))

    def close(self) -> None:
        pass


async def test_nothing_leaves_before_the_disk_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither to whoever answered nor to anybody else, though it is carried out and in words."""
    monkeypatch.setattr(writer, "BESIDE", 3)
    async with desk(tmp_path) as at:
        open_lines = await lines(at, 4)
        others = [Line(at, line.session, 1 - line.seat) for line in open_lines]
        await turns()
        for other in others:
            assert other.kinds() == ["welcome", "attached", "update"]
        disk: Any = Disk(open_lines + others)
        store = at.hall.store
        assert isinstance(store, SqliteStore)
        monkeypatch.setattr(store._writer.commits, "flusher", disk)
        asked = [line.session.table.decision_id for line in open_lines]
        for line in open_lines:
            line.answer()
        await turns()
        assert disk.told == [0]
        assert disk.begun == 1
        for line, decision_id in zip(open_lines, asked, strict=True):
            assert line.session.table.decision_id > decision_id
            assert line.kinds()[:2] == ["accepted", "update"]
        for other in others:
            assert "update" in other.kinds()
        for line in (*open_lines, *others):
            await line.close()


class Held:
    """A store whose appends of one game wait until they are let go."""

    def __init__(self, at: Desk, game_id: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.waiting: list[tuple[Any, ...]] = []
        self._store = at.hall.store
        self._append = at.hall.store.append_soon
        self._game_id = game_id
        monkeypatch.setattr(at.hall.store, "append_soon", self._hold)

    def _hold(self, *given: Any) -> None:
        if given[0] == self._game_id:
            self.waiting.append(given)
        else:
            self._append(*given)

    def let_go(self) -> None:
        waiting, self.waiting = self.waiting, []
        for given in waiting:
            self._append(*given)
        self._store.flush()
        self._store.kept()


async def side_by_side(at: Desk) -> tuple[Line, Session]:
    """A stream with two games, in both of which its seat is asked."""
    (line,) = await lines(at, 1)
    other = await at.running()
    while other.table.deciding_seat != line.seat:
        other = await at.running()
    line.say(p.PlayRequest(commands=[of(other, line.seat, attach=p.Attach())]))
    await turns()
    assert line.kinds() == ["attached", "update"]
    return line, other


def of(session: Session, seat: int, **command: Any) -> p.PlayCommand:
    return p.PlayCommand(game_id=session.table.game_id, seat=seat, **command)


async def test_what_waits_in_one_game_keeps_no_other_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:
        line, other = await side_by_side(at)
        held = Held(at, line.session.table.game_id, monkeypatch)
        standing = of(line.session, line.seat, set_standing_answers=p.SetStandingAnswers())
        detach = of(line.session, line.seat, detach=p.Detach())
        attach = of(line.session, line.seat, attach=p.Attach())
        line.say(p.PlayRequest(commands=[standing, detach, attach]))
        line.answer()  # of the same game, as one that is read straight from the bytes
        await turns()
        assert len(held.waiting) == 1, "the answer is not before its turn"
        decision_id = other.table.decision_id
        line.session, first = other, line.session
        line.answer()
        await turns()
        assert other.table.decision_id > decision_id
        assert line.kinds()[0] == "accepted"
        held.let_go()
        await turns()
        held.let_go()
        await turns()
        ours = [
            report.WhichOneof("report")
            for report in line.reports
            if report.game_id == first.table.game_id
        ]
        assert [kind for kind in ours if kind != "update"] == [
            "accepted",
            "detached",
            "attached",
            "accepted",
        ]
        assert not line.stream._lanes
        await line.close()


async def test_what_waits_when_the_client_is_done_is_carried_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:
        line, _ = await side_by_side(at)
        held = Held(at, line.session.table.game_id, monkeypatch)
        standing = of(line.session, line.seat, set_standing_answers=p.SetStandingAnswers())
        detach = of(line.session, line.seat, detach=p.Detach())
        line.say(p.PlayRequest(commands=[standing, detach]))
        await turns()
        closing = asyncio.create_task(line.close())
        await turns()
        assert not closing.done()
        held.let_go()
        await closing
        assert [kind for kind in line.kinds() if kind != "update"] == ["accepted", "detached"]


async def test_what_waits_when_the_stream_breaks_is_not_carried_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody would be told: a game is not attached to a stream that is gone."""
    async with desk(tmp_path) as at:
        line, _ = await side_by_side(at)
        session = line.session
        held = Held(at, session.table.game_id, monkeypatch)
        standing = of(session, line.seat, set_standing_answers=p.SetStandingAnswers())
        detach = of(session, line.seat, detach=p.Detach())
        attach = of(session, line.seat, attach=p.Attach())
        line.say(p.PlayRequest(commands=[standing, detach, attach]))
        await turns()
        for task in line.tasks:
            task.cancel()
        line.stream.close()
        await turns()
        held.let_go()
        await turns()
        assert not session.feeds
        assert not line.stream._followers


async def test_a_lane_is_bounded_as_everything_is_that_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(play_stream, "MOST_WAITING", 10)
    async with desk(tmp_path) as at:
        line, _ = await side_by_side(at)
        held = Held(at, line.session.table.game_id, monkeypatch)
        standing = of(line.session, line.seat, set_standing_answers=p.SetStandingAnswers())
        detach = of(line.session, line.seat, detach=p.Detach())
        line.say(p.PlayRequest(commands=[standing, *[detach] * 50]))
        await turns()
        assert sum(map(len, line.stream._lanes.values())) <= 10
        held.let_go()
        await turns(300)
        answers = [kind for kind in line.kinds() if kind != "update"]
        assert answers == ["accepted", "detached", *["rejection"] * 49]
        await line.close()


async def test_a_lane_does_not_wait_for_answers_of_other_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where commits take long there is always one of those under way."""
    async with desk(tmp_path) as at:
        line, other = await side_by_side(at)
        first = line.session
        Held(at, other.table.game_id, monkeypatch)
        line.session = other
        line.answer()  # under way for ever
        await turns()
        assert line.stream._under_way == 1
        line.kinds()
        line.say(p.PlayRequest(commands=[of(first, line.seat, detach=p.Detach())]))
        await turns()
        assert line.kinds() == ["detached"]
        for task in line.tasks:
            task.cancel()
        line.stream.close()
