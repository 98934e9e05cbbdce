"""A server of one's own: what happens when it ends, cannot write, or runs other rules."""

from __future__ import annotations

import io
import os
import resource
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import pytest

from endless_winter.cli import own_table
from endless_winter.cli.own_table import OwnServer, own_server
from endless_winter.cli.process import ServerFailed
from endless_winter.terminal import remote
from endless_winter.terminal.app import TableApp
from endless_winter.terminal.plain import Plain
from endless_winter.terminal.profile import LOCAL, Profile
from endless_winter.terminal.remote import RemoteTable
from endless_winter.terminal.table import Lost
from tests.terminal.test_plain import EW, ew
from tests.terminal.test_remote import asked, opponent, seated, shown
from tests.terminal.waiting import until

if TYPE_CHECKING:
    from collections.abc import Iterator


def kill(server: OwnServer) -> None:
    os.kill(server._server.process.pid, signal.SIGKILL)


@contextmanager
def playing(home: Path) -> Iterator[subprocess.Popen[str]]:
    """``ew play`` as a process with pipes; it is gone when the block ends."""
    with subprocess.Popen(
        [*EW, "play", "--plain", "--against", "random"],
        env={**os.environ, "EW_HOME": str(home), "USER": "tester"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.terminate()


def read_until(stream: IO[str], words: str) -> list[str]:
    lines = []
    for line in stream:
        lines.append(line.rstrip("\n"))
        if words in line:
            return lines
    raise AssertionError(f"{words!r} was not said: {lines}")


def children(process: subprocess.Popen[str]) -> dict[str, int]:
    """The sub-commands of ``ew`` that a process runs, with their process ids."""
    found = {}
    for task in Path(f"/proc/{process.pid}/task").iterdir():
        try:
            numbers = (task / "children").read_text().split()
        except OSError:  # a thread that has just ended
            continue
        for child in numbers:
            words = Path(f"/proc/{child}/cmdline").read_text().split("\0")
            found[words[words.index("endless_winter.cli") + 1]] = int(child)
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc to find the server")
def test_a_game_in_lines_goes_on_when_its_server_is_killed(tmp_path: Path) -> None:
    with playing(tmp_path) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        read_until(process.stdout, "Your choice")
        process.stdin.write("1\n")
        process.stdin.flush()
        read_until(process.stdout, "Your choice")
        first = children(process)["serve"]
        os.kill(first, signal.SIGKILL)
        process.stdin.write("place chief hunt\n")
        process.stdin.flush()
        said = read_until(process.stdout, "Your choice")
        assert "> Place the Chief in Hunt" in said
        assert any("Your own server has ended (status -9); it is started again" in s for s in said)
        assert children(process)["serve"] != first
        process.stdin.write("log\nquit\n")
        process.stdin.close()
        rest = process.stdout.read()
        assert process.wait() == 0
        assert process.stderr is not None
        assert "Traceback" not in process.stderr.read()
    assert "You place the Chief" in rest  # what was chosen before is still there


async def test_the_screen_says_that_the_server_is_started_again_and_goes_on(
    tmp_path: Path,
) -> None:
    with own_server(tmp_path) as (server, where):
        assert where == tmp_path
        game_id, (ann, bob) = seated(server._server)
        app = TableApp(RemoteTable(ann, game_id, 0, own=server), confirm=False)
        async with app.run_test(size=(100, 32)) as pilot, opponent(bob, game_id, 1):
            screen = app.at_table
            for _ in range(2):
                await until(pilot, lambda: asked(screen) is not None)
                before = asked(screen)
                assert before is not None
                # It answers before the line in which it says so is read.
                await until(pilot, lambda: server._server.process.poll() is None)
                kill(server)
                await until(pilot, lambda: "Your own server has ended" in shown(screen))
                assert "it is started again" in shown(screen)
                assert "Connection lost" not in shown(screen)
                await until(pilot, lambda: asked(screen) is not None)
                again = asked(screen)
                assert again is not None
                assert again.id == before.id
                await pilot.press("1")
                await until(pilot, lambda: getattr(asked(screen), "id", 0) > before.id)  # noqa: B023
        last = server._server.process
    assert last.poll() is not None  # none is left


async def test_a_server_that_cannot_be_started_again_ends_the_game_with_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with own_server(tmp_path) as (server, _):
        game_id, (ann, _) = seated(server._server)

        def broken(*_: object, **__: object) -> None:
            raise ServerFailed("no luck")

        monkeypatch.setattr(own_table, "running", broken)
        monkeypatch.setattr(own_table, "_RETRIES", (0, 0))
        kill(server)
        server._guard.join()
        with pytest.raises(Lost, match=r"cannot be started again \(no luck\); see .*play\.log"):
            async for _ in RemoteTable(ann, game_id, 0, own=server).updates():
                pass
    assert server._server.process.poll() is not None


@contextmanager
def full_disk(server: OwnServer) -> Iterator[None]:
    """The server cannot write to any file, as if there were no room."""
    pid = server._server.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


@pytest.mark.skipif(sys.platform != "linux", reason="needs prlimit")
async def test_a_log_that_cannot_be_written_is_called_that_and_the_choice_is_made_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with own_server(tmp_path) as (server, _):
        game_id, (ann, bob) = seated(server._server)
        app = TableApp(RemoteTable(ann, game_id, 0, own=server), confirm=False)
        async with app.run_test(size=(100, 32)) as pilot, opponent(bob, game_id, 1):
            screen = app.at_table
            await until(pilot, lambda: asked(screen) is not None)
            before = asked(screen)
            assert before is not None
            with full_disk(server):
                await pilot.press("1")
                await until(pilot, lambda: "trying again" in screen.sheet.note)
                note = screen.sheet.note
                assert f"cannot write its log in {tmp_path} (is the disk full?)" in note
                assert "Your choice was not made" in note
                assert asked(screen) is not None
                assert screen.sheet.waiting == ""
            await until(pilot, lambda: getattr(asked(screen), "id", 0) > before.id)

            # In lines each attempt is said, and in the end that it was for nothing.
            monkeypatch.setattr(remote, "_WAITS", (1,))
            again = asked(screen)
            assert again is not None
            said: list[str] = []
            with full_disk(server):
                table = screen.table
                assert not await Plain(table, io.StringIO(), said.append)._try(
                    table.choose(again, again.options[0])
                )
            assert len(said) == 2
            assert "Your choice was not made; trying again in 1 s (attempt 2)" in said[0]
            assert "Your choice was not made: choose again later." in said[1]


def test_a_game_of_other_rules_says_what_can_be_done(tmp_path: Path) -> None:
    with own_server(tmp_path) as (server, _):
        game_id, (ann, _) = seated(server._server)
    (store,) = tmp_path.rglob("*.db")
    with closing(sqlite3.connect(store)) as connection, connection:
        connection.execute("UPDATE games SET rules_version = 'another'")
    profile = Profile(tmp_path)
    mine = profile.at(LOCAL)
    mine.secret, mine.game_id = ann.secret, game_id
    profile.save(LOCAL)
    done = ew("play", "--resume", home=tmp_path)
    assert done.returncode == 1
    assert f"the game {game_id} cannot go on here: it was begun with other rules" in done.stderr
    assert "'ew play' begins a new one" in done.stderr
