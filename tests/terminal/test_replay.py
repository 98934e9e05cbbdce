"""Stepping through a game that is over; the words of the log."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from endless_winter.cli.process import running
from endless_winter.cli.watch import _from_file
from endless_winter.sdk.client import Client
from endless_winter.sdk.connection import Endpoint
from endless_winter.terminal.app import TableApp
from endless_winter.terminal.event_text import EventText
from endless_winter.terminal.remote import RemoteTable
from endless_winter.terminal.replay import ReplayTable
from endless_winter.terminal.scene import Scene
from endless_winter.terminal.table import Lost, Refused
from endless_winter.v1 import event_pb2, replay_pb2
from tests.foundations.tree import EW, passed, run
from tests.terminal.games import MODULES, config

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.sdk import Catalog
    from endless_winter.v1 import game_pb2


class Played:
    """A finished game with everything that a replay needs."""

    def __init__(self, folder: Path) -> None:
        with running(folder=folder) as server, Client(server.address) as client:
            game_id = client.create(config=config(2, modules=MODULES), seed=5).game_id
            for seat in range(2):
                client.join(game_id, seat, name=f"player {seat}")
            asyncio.run(self._play(client, game_id))
            self.info: game_pb2.GameInfo = client.game(game_id)
            self.catalog: Catalog = client.catalog(self.info.content_hash)
            self.frames: list[replay_pb2.ReplayFrame] = list(
                client.replay(game_id, omniscient=True)
            )
            self.file = folder / "game.ewr"
            passed(
                run(EW, "replay", "export", game_id, "--server", server.address, "--out", self.file)
            )

    async def _play(self, client: Client, game_id: str) -> None:
        """Both seats, busier than the defaults."""
        endpoint = Endpoint.of(client.address, client.secret)

        async def seat(number: int) -> None:
            table = RemoteTable(endpoint, game_id, number)
            async for update in table.updates():
                decision = update.decision
                if decision is not None:
                    busy = [one for one in decision.options if one.text not in ("end", "leave")]
                    pick = (busy or list(decision.options))[decision.id % len(busy or [0])]
                    await table.choose(decision, pick)
            await table.close()

        await asyncio.gather(seat(0), seat(1))


@pytest.fixture(scope="module")
def game(tmp_path_factory: pytest.TempPathFactory) -> Played:
    return Played(tmp_path_factory.mktemp("replay"))


async def test_steps_go_forward_back_to_the_end_and_to_the_start(game: Played) -> None:
    app = TableApp(ReplayTable(game.frames, game.catalog, game.info))
    async with app.run_test(size=(100, 32)) as pilot:
        await pilot.pause()
        screen = app.at_table

        def seen() -> tuple[int, int, str]:
            scene = screen.sheet.scene
            assert scene is not None
            assert screen.sheet.step is not None
            return screen.sheet.step[0], len(screen.desk.lines), str(scene.public)

        start = seen()
        assert start[0] == 0
        await pilot.press("right", "right", "right")
        third = seen()
        assert third[0] == 3
        assert third[2] != start[2]
        await pilot.press("pagedown")
        assert seen()[0] == 13
        await pilot.press("pageup")
        assert seen() == third
        await pilot.press("end")
        last = seen()
        assert screen.sheet.step == (last[0], last[0])
        scene = screen.sheet.scene
        assert scene is not None
        assert scene.result is not None
        assert scene.result.scores == [seat.score for seat in game.info.result.seats]
        await pilot.press("right")
        assert seen() == last
        await pilot.press("left")
        assert seen()[0] == last[0] - 1
        assert screen.sheet.scene is not None
        assert screen.sheet.scene.result is None
        screen.aside(-20)
        screen.aside(-20)  # before the first has been shown
        await pilot.pause()
        assert seen()[0] == last[0] - 41
        await pilot.press("home", "left")
        assert seen() == start
        assert "step 0 of" in screen.drawing.canvas.lines()[0]


async def test_the_open_table_is_seen_through_anybodys_eyes(game: Played) -> None:
    app = TableApp(ReplayTable(game.frames, game.catalog, game.info, at=20))
    async with app.run_test(size=(100, 32)) as pilot:
        await pilot.pause()
        hands = []
        for _ in range(4):
            scene = app.at_table.sheet.scene
            assert scene is not None
            hands.append((scene.seat, None if scene.private is None else str(scene.private.hand)))
            await pilot.press("e")
        assert [seat for seat, _ in hands] == [None, 0, 1, None]
        assert hands[0][1] is None
        assert hands[1][1] != hands[2][1]


async def test_a_record_in_a_file_is_the_same_replay(game: Played) -> None:
    from_file = _from_file(game.file, None, plain=True)
    from_server = ReplayTable(game.frames, game.catalog, game.info, once=True)
    ours = [update async for update in from_file.updates()]
    theirs = [update async for update in from_server.updates()]
    assert len(ours) == len(theirs) > 50
    for one, other in zip(ours, theirs, strict=True):
        assert one.view is not None
        assert other.view is not None
        assert one.view.public == other.view.public
        assert one.events == other.events
    with pytest.raises(Refused):
        await from_file.undo(None)  # type: ignore[arg-type] # whatever it is


async def test_the_header_says_where_in_the_game_and_in_the_record_one_is(game: Played) -> None:
    app = TableApp(ReplayTable(game.frames, game.catalog, game.info, at=20))
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.pause()

        def header() -> str:
            return " ".join(app.at_table.drawing.canvas.lines()[0].split())

        middle = header()
        assert middle.startswith("Endless Winter Round 1 of 4 · Action phase · turn of player ")
        assert middle.endswith(f"step 20 of {len(game.frames) - 6}")  # before it, nobody had begun
        await pilot.press("end")
        last = len(game.frames) - 6
        assert header() == (
            f"Endless Winter Round 4 of 4 · Final scoring done step {last} of {last}"
        )


def test_a_record_that_is_not_there_costs_one_line(tmp_path: Path) -> None:
    done = run(EW, "watch", "nofile.ewr")
    assert done.returncode == 2
    assert done.stderr == ("ew watch: there is no file nofile.ewr. See 'ew watch --help'.\n")
    empty = tmp_path / "empty.ewr"
    empty.write_bytes(b"not a record")
    done = run(EW, "watch", str(empty))
    assert done.returncode == 1
    assert done.stderr.startswith(f"ew: {empty}: ")
    assert done.stderr.count("\n") == 1


async def test_a_game_without_positions_says_so(game: Played) -> None:
    bare = [replay_pb2.ReplayFrame(seq=frame.seq, events=frame.events) for frame in game.frames]
    with pytest.raises(Lost, match="other rules"):
        async for _ in ReplayTable(bare, game.catalog, game.info).updates():
            pass


def test_the_log_speaks_in_words_and_names(game: Played) -> None:
    scene = None
    for frame in game.frames:
        if frame.HasField("omniscient_view"):
            scene = frame.omniscient_view.public_view
    assert scene is not None
    text = EventText(game.catalog, ("You", "Ann").__getitem__)
    lines = [line.text for frame in game.frames for line in text.lines(frame.events)]
    assert len(lines) > 100
    for line in lines:
        assert "_" not in line, line  # no content id and no name of a field
        assert "seat" not in line, line
    assert any(line.startswith("You ") for line in lines)
    assert any(line.startswith("Ann plays ") for line in lines)


@pytest.mark.parametrize(
    ("verb", "you", "ann"),
    [
        ("take it", "You take it", "Ann takes it"),
        ("pass", "You pass", "Ann passes"),
        ("bury it", "You bury it", "Ann buries it"),
        ("play", "You play", "Ann plays"),
    ],
)
def test_verbs_agree_with_their_names(verb: str, you: str, ann: str, game: Played) -> None:
    text = EventText(game.catalog, ("You", "Ann").__getitem__)
    assert (text.does(0, verb), text.does(1, verb)) == (you, ann)


def test_every_kind_of_event_has_words(game: Played) -> None:
    text = EventText(game.catalog, ("You", "Ann").__getitem__)
    for field in event_pb2.PublicEvent.DESCRIPTOR.fields:
        public = event_pb2.PublicEvent()
        getattr(public, field.name).SetInParent()
        lines = list(text.lines([event_pb2.Event(public_event=public)]))
        assert all(line.text for line in lines)
    assert list(text.lines([event_pb2.Event()])) == []  # a newer server's


def test_a_name_that_is_no_text_does_no_harm(game: Played) -> None:
    view = next(f.omniscient_view for f in game.frames if f.HasField("omniscient_view"))
    game.info.seats[1].display_name = "\x1b[31mBob\u202e\n宽"
    scene = Scene(view.public_view, None, None, game.catalog, game.info, ("A", "B"))
    from endless_winter.terminal.seats import names_of

    names = names_of(scene.info.seats, 0, 2)
    assert names[0] == "You"
    assert names[1] == "?[31mBob???"
    game.info.seats[1].display_name = "you"
    assert names_of(scene.info.seats, 0, 2) == ("You", "you B")
    game.info.seats[0].display_name = "you"
    assert names_of(scene.info.seats, None, 2) == ("you A", "you B")
