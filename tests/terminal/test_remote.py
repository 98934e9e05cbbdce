"""The client against a real server: two people, lost connections, wrong secrets."""

from __future__ import annotations

import asyncio
import signal
import socket
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

import pytest

from endless_winter.cli.process import COMMAND, Server, running
from endless_winter.sdk.client import Client
from endless_winter.sdk.connection import Endpoint, new_secret
from endless_winter.terminal import remote
from endless_winter.terminal.app import TableApp
from endless_winter.terminal.plain import FAILED, Plain
from endless_winter.terminal.remote import RemoteTable
from endless_winter.terminal.table import Lost, Refused, TableUpdate
from tests.terminal.games import config
from tests.terminal.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from endless_winter.sdk import Decision
    from endless_winter.terminal.app import TableScreen


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with running(folder=tmp_path) as found:
        yield found


@contextmanager
def reserved_port() -> Iterator[int]:
    """A port for a server that comes back: bound all the while, so that nobody else gets it."""
    with socket.socket() as reserved:
        reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        reserved.bind(("127.0.0.1", 0))
        yield reserved.getsockname()[1]


def asked(screen: TableScreen) -> Decision | None:
    return screen.sheet.picker.decision if screen.sheet.picker is not None else None


def shown(screen: TableScreen) -> str:
    """All that stands on the screen, in one line; what is known gets there a moment later."""
    return " ".join("\n".join(screen.drawing.canvas.lines()).split())


def seated(server: Server, **more: object) -> tuple[str, list[Endpoint]]:
    """A game of two with both seats taken."""
    endpoints = [Endpoint.of(server.address, new_secret()) for _ in range(2)]
    game_id = ""
    for seat, endpoint in enumerate(endpoints):
        with Client(endpoint.address, endpoint.secret) as client:
            game_id = game_id or client.create(config=config(2, **more)).game_id
            client.join(game_id, seat, name=f"player {seat}")
    return game_id, endpoints


def at(port: int) -> tuple[str, ...]:
    """The command of a server that listens there."""
    return (*COMMAND[:-1], f"127.0.0.1:{port}")


class Follower:
    """Somebody at a table who takes the default whenever asked."""

    def __init__(self, table: RemoteTable) -> None:
        self.table = table
        self.choices = 0

    async def run(self) -> TableUpdate:
        async for update in self.table.updates():
            if update.decision is not None:
                self.choices += 1
                await self._insist(update.decision)
            if update.result is not None:
                return update
        raise AssertionError("the game has no end")

    async def _insist(self, decision: Decision) -> None:
        """Choose, however long there is no server."""
        while True:
            try:
                return await self.table.choose(decision, decision.default)
            except Refused as error:
                if "Not sent" not in str(error):
                    raise


@asynccontextmanager
async def opponent(endpoint: Endpoint, game_id: str, seat: int) -> AsyncIterator[Follower]:
    """Somebody who plays along; one who fails ends the test at once, which would wait for ever."""
    table = RemoteTable(endpoint, game_id, seat)
    follower = Follower(table)
    try:
        async with asyncio.TaskGroup() as group:
            playing = group.create_task(follower.run())
            try:
                yield follower
            finally:
                playing.cancel()
    finally:
        await table.close()


async def test_a_game_on_a_server_with_its_log_clock_and_undo(server: Server) -> None:
    clock = {"bank_ms": 540_000}  # "9:00" leaves room for a name
    game_id, (ann, bob) = seated(server, time_control=clock)
    app = TableApp(RemoteTable(ann, game_id, 0), confirm=False)
    async with app.run_test(size=(100, 32)) as pilot, opponent(bob, game_id, 1):
        screen = app.at_table
        await until(pilot, lambda: screen.sheet.picker is not None)
        await pilot.press("1")
        await until(
            pilot,
            lambda: (
                screen.sheet.picker is not None and screen.sheet.picker.decision.kind_name == "turn"
            ),
        )
        assert screen.sheet.picker is not None
        before = screen.sheet.picker.decision
        place = before.option("place tribe migrate")
        await pilot.press("down" if place.id else "home")
        screen.pick(place)
        await until(pilot, lambda: screen.sheet.can_undo)
        assert any("You place a Tribe figure in Migrate" in line.text for line in screen.desk.lines)
        assert screen.sheet.clocks[0].startswith(("8:", "9:"))
        await pilot.press("u")
        await until(
            pilot,
            lambda: (
                screen.sheet.picker is not None and screen.sheet.picker.decision.kind_name == "turn"
            ),
        )
        assert screen.sheet.picker.decision.id != before.id
        assert any("You take back" in line.text for line in screen.desk.lines)
        await until(pilot, lambda: "player 1" in "\n".join(screen.drawing.canvas.lines()))


async def test_a_server_that_is_killed_and_comes_back_costs_a_visible_wait_and_nothing_else(
    tmp_path: Path,
) -> None:
    with reserved_port() as port, running(at(port), folder=tmp_path) as first:
        game_id, (ann, bob) = seated(first)
        app = TableApp(RemoteTable(ann, game_id, 0), confirm=False)
        async with app.run_test(size=(100, 32)) as pilot, opponent(bob, game_id, 1):
            screen = app.at_table
            await until(pilot, lambda: asked(screen) is not None)
            opening = asked(screen)
            assert opening is not None
            await pilot.press("1")
            await until(pilot, lambda: getattr(asked(screen), "id", 0) > opening.id)
            before = asked(screen)
            assert before is not None
            printed = [line.text for line in screen.desk.lines]
            first.process.kill()
            first.process.wait()
            await until(pilot, lambda: "Connection lost" in shown(screen))
            assert asked(screen) is None  # nothing can be chosen while nobody listens
            assert "Trying again in" in shown(screen)
            with running(at(port), folder=tmp_path):
                await until(pilot, lambda: asked(screen) is not None)
                again = asked(screen)
                assert again is not None
                assert [one.text for one in again.options] == [one.text for one in before.options]
                assert [line.text for line in screen.desk.lines][: len(printed)] == printed
                await pilot.press("2")
                await until(
                    pilot,
                    lambda: (
                        screen.sheet.picker is not None
                        and screen.sheet.picker.decision.id > again.id
                    ),
                )


async def test_two_people_play_to_the_end_and_a_spectator_sees_it(server: Server) -> None:
    game_id, (ann, bob) = seated(server)
    nobody = Endpoint.of(server.address, new_secret())
    watched = RemoteTable(nobody, game_id, None)

    async def watch() -> list[TableUpdate]:
        return [update async for update in watched.updates()]

    ends = await asyncio.gather(
        Follower(RemoteTable(ann, game_id, 0)).run(),
        Follower(RemoteTable(bob, game_id, 1)).run(),
        watch(),
    )
    assert ends[0].result is not None
    seen = ends[2]
    assert seen[-1].result is not None
    assert seen[-1].result.scores == ends[0].result.scores
    assert all(update.decision is None for update in seen)
    await watched.close()


async def first_of(table: RemoteTable) -> TableUpdate:
    try:
        async for update in table.updates():
            return update
    finally:
        await table.close()
    raise AssertionError("no update")


async def test_a_wrong_secret_game_or_seat_is_an_error_and_not_retried(server: Server) -> None:
    game_id, (ann, _) = seated(server)
    stranger = Endpoint.of(server.address, new_secret())
    for endpoint, game, seat in ((stranger, game_id, 0), (ann, game_id, 1), (ann, "nowhere", 0)):
        with pytest.raises(Lost) as lost:
            await first_of(RemoteTable(endpoint, game, seat))
        assert "refused" in str(lost.value)
        assert "\n" not in str(lost.value)


async def test_lost_in_the_screen_is_a_line_and_in_the_line_mode_a_status(server: Server) -> None:
    game_id, _ = seated(server)
    stranger = Endpoint.of(server.address, new_secret())
    app = TableApp(RemoteTable(stranger, game_id, 0))
    async with app.run_test(size=(100, 32)) as pilot:
        await until(pilot, lambda: "refused" in shown(app.at_table))
        assert app.at_table.desk.lost
        await pilot.press("q")
    assert app.return_code == 1
    assert "refused" in app.farewell
    lines: list[str] = []
    with open("/dev/null", encoding="utf-8") as nothing:  # noqa: PTH123, ASYNC230 # an empty input
        table = RemoteTable(stranger, game_id, 0)
        assert await Plain(table, nothing, lines.append).run() == FAILED
    assert "refused" in lines[-1]


async def test_waiting_for_others_says_how_they_join(server: Server) -> None:
    ann = Endpoint.of(server.address, new_secret())
    with Client(ann.address, ann.secret) as client:
        game_id = client.create(config=config(2)).game_id
        client.join(game_id, 0, name="ann")
    update = await first_of(RemoteTable(ann, game_id, 0))
    assert f"ew play --server {server.address} --join {game_id}" in update.waiting


async def test_a_line_that_is_dead_without_a_word_is_noticed(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "_BEAT", 0.1)
    game_id, (ann, bob) = seated(server)
    app = TableApp(RemoteTable(ann, game_id, 0), confirm=False)
    async with app.run_test(size=(100, 32)) as pilot, opponent(bob, game_id, 1):
        screen = app.at_table
        await until(pilot, lambda: asked(screen) is not None)
        monkeypatch.setattr(remote, "_CALL", 0.5)  # not before: a slow answer is no silence
        server.process.send_signal(signal.SIGSTOP)
        try:
            await until(pilot, lambda: "is silent" in screen.sheet.waiting)
        finally:
            server.process.send_signal(signal.SIGCONT)
        monkeypatch.setattr(remote, "_CALL", 10.0)
        await until(pilot, lambda: asked(screen) is not None)
        await pilot.press("1")
        await until(pilot, lambda: any("You lead with" in line.text for line in screen.desk.lines))


async def test_a_choice_sent_while_the_server_is_away_arrives_once_it_is_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remote, "_WAITS", (1,) * 200)  # however long it is away
    with reserved_port() as port, running(at(port), folder=tmp_path) as first:
        game_id, (ann, bob) = seated(first)
        table = RemoteTable(ann, game_id, 0)
        updates = table.updates()
        async with opponent(bob, game_id, 1):
            async for update in updates:
                if update.decision is not None:
                    break
            assert update.decision is not None
            first.process.kill()
            first.process.wait()
            sent = asyncio.create_task(table.choose(update.decision, update.decision.options[1]))
            await asyncio.sleep(0)
            with running(at(port), folder=tmp_path):
                await sent
                await table.choose(update.decision, update.decision.options[1])  # harmless twice
                async for later in updates:
                    if later.decision is not None and later.decision.id > update.decision.id:
                        break
    await table.close()


async def test_a_game_that_never_begins_says_so(server: Server) -> None:
    ann = Endpoint.of(server.address, new_secret())
    with Client(ann.address, ann.secret) as client:
        game_id = client.create(config=config(2)).game_id
        client.join(game_id, 0, name="ann")
        client.abort(game_id)
    with pytest.raises(Lost, match="ended before it began"):
        await first_of(RemoteTable(ann, game_id, 0))
