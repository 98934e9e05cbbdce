"""Processes of bots: they keep their limits, end with their parent, and are started again."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from endless_winter.tournament import launch, processes
from endless_winter.tournament.processes import Keeper, how_it_ended

if TYPE_CHECKING:
    from collections.abc import Callable

LAUNCH = str(Path(launch.__file__))
EAT = "x = bytearray(200 << 20); print('ate')"


def launched(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", "-S", LAUNCH, str(os.getpid()), *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_process_that_eats_more_memory_than_it_may_fails() -> None:
    assert launched("0", "0", "0", "", "", "", sys.executable, "-c", EAT).stdout == "ate\n"
    done = launched("100", "0", "0", "", "", "", sys.executable, "-c", EAT)
    assert done.returncode == 1
    assert "MemoryError" in done.stderr


def test_a_process_cannot_fill_the_disk(tmp_path: Path) -> None:
    write = f"open({str(tmp_path / 'x')!r}, 'wb').write(bytes(3 << 20))"
    assert launched("0", "2", "0", "", "", "", sys.executable, "-c", write).returncode != 0
    assert (tmp_path / "x").stat().st_size <= 2 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has it in Python")
def test_a_process_runs_on_its_cores_alone() -> None:
    mine = sorted(os.sched_getaffinity(0))
    show = "import os; print(sorted(os.sched_getaffinity(0)))"
    assert launched("0", "0", "0", "", "", "", sys.executable, "-c", show).stdout == f"{mine}\n"
    last = launched("0", "0", "0", "", str(mine[-1]), "", sys.executable, "-c", show)
    assert last.stdout == f"[{mine[-1]}]\n"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has it")
def test_a_process_waits_its_turn_on_a_core() -> None:
    show = "import os; print(os.sched_getscheduler(0) == os.SCHED_BATCH)"
    assert launched("0", "0", "0", "", "", "", sys.executable, "-c", show).stdout == "True\n"


def test_a_missing_program_costs_one_line() -> None:
    done = launched("0", "0", "0", "", "", "", "no-such-program")
    assert done.returncode == launch.NOT_STARTED
    assert done.stderr == "no-such-program cannot be started: No such file or directory\n"


def test_an_unknown_user_costs_one_line() -> None:
    done = launched("0", "0", "0", "no-such-user", "", "", "true")
    assert done.returncode == launch.NOT_STARTED
    assert "cannot run as the user no-such-user" in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's promise is Linux's")
def test_a_process_whose_parent_is_gone_does_not_start() -> None:
    done = subprocess.run(
        [sys.executable, "-I", "-S", LAUNCH, "1", "0", "0", "0", "", "", "", "echo", "started"],
        capture_output=True,
        check=False,
    )
    assert done.returncode == launch.NOT_STARTED
    assert done.stdout == b""


def test_the_environment_is_not_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOST", "x")
    passed = processes.environment({"EW_BOT_NAME": "bot"})
    assert passed["EW_BOT_NAME"] == "bot"
    assert "PATH" in passed
    assert "SECRET_OF_THE_HOST" not in passed


def test_how_a_process_ended_is_described() -> None:
    assert how_it_ended(3) == "ended with status 3"
    assert how_it_ended(-signal.SIGKILL) == "was killed by SIGKILL"
    assert how_it_ended(-200) == "was killed by signal 200"


def keeper(folder: Path, command: list[str], restarts: int) -> Keeper:
    return Keeper(
        "bot",
        command,
        folder=folder,
        log=folder / "bot.log",
        variables={},
        memory_mb=0,
        user="",
        restarts=restarts,
    )


async def test_a_bot_that_ends_is_started_again_until_that_is_no_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "SHORTEST_PAUSE", 0.01)
    process = keeper(tmp_path, ["sh", "-c", "echo hello; exit 4"], restarts=2)
    process.begin()
    process.attached()
    assert process._task is not None
    await process._task
    assert process.dead == (
        "ended with status 4, 3 times without having played a game; it said last: hello"
    )
    log = (tmp_path / "bot.log").read_text()
    assert log.count("\nhello\n") == 3
    assert "not started again" in log
    await process.stop()


async def test_a_bot_that_cannot_start_is_tried_twice_and_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "SHORTEST_PAUSE", 0.01)
    process = keeper(
        tmp_path, ["sh", "-c", "echo; echo SyntaxError: line 3 >&2; exit 2"], restarts=9
    )
    process.begin()
    assert process._task is not None
    await process._task
    assert process.dead == (
        "ended with status 2, 2 times without having attached; it said last: SyntaxError: line 3"
    )
    await process.stop()


async def test_a_bot_that_has_played_is_started_again_however_often_it_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "SHORTEST_PAUSE", 0.01)
    process = keeper(tmp_path, ["sh", "-c", "exit 4"], restarts=1)
    process.begin()
    while process.ends < 6:
        process.played()
        await asyncio.sleep(0.005)
    assert not process.dead
    await process.stop()


async def test_a_bot_that_is_let_go_is_not_started_again(tmp_path: Path) -> None:
    process = keeper(tmp_path, ["sh", "-c", "while [ ! -e go ]; do sleep 0.01; done"], restarts=9)
    process.begin()
    log = tmp_path / "bot.log"
    await until(lambda: log.exists() and "started" in log.read_text())
    process.let_go()
    (tmp_path / "go").touch()
    assert process._task is not None
    await process._task
    assert log.read_text().count("started") == 1
    await process.stop()


async def test_what_a_bot_started_ends_with_it(tmp_path: Path) -> None:
    script = "sleep 1000 & echo $! > child; wait"
    process = keeper(tmp_path, ["sh", "-c", script], restarts=0)
    process.begin()
    child = tmp_path / "child"
    await until(lambda: child.exists() and child.read_text().endswith("\n"))
    await process.stop()
    number = int(child.read_text())
    await until(lambda: not _runs(number))


# A runner: starts a bot that starts something else, says so, and waits to be killed.
RUNNER = """
import asyncio, sys
from pathlib import Path
from endless_winter.tournament import processes

async def main():
    folder = Path(sys.argv[1])
    script = "sleep 1000 & echo $! > child; wait"
    with (folder / "log").open("wb") as log:
        await processes.start(["sh", "-c", script], folder=folder, log=log, variables={})
    print("started", flush=True)
    await asyncio.sleep(1000)

asyncio.run(main())
"""


async def test_what_a_bot_started_ends_with_a_runner_that_is_killed(tmp_path: Path) -> None:
    runner = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", RUNNER, str(tmp_path)), stdout=asyncio.subprocess.PIPE
    )
    assert runner.stdout is not None
    assert await runner.stdout.readline() == b"started\n"
    child = tmp_path / "child"
    await until(lambda: child.exists() and child.read_text().endswith("\n"))
    number = int(child.read_text())
    assert _runs(number)
    runner.kill()
    await runner.wait()
    await until(lambda: not _runs(number))


async def until(holds: Callable[[], bool]) -> None:
    for _ in range(20_000):
        if holds():
            return
        await asyncio.sleep(0.005)
    raise AssertionError("it did not come about")


def _runs(pid: int) -> bool:
    """Whether a process still runs; one that only waits to be buried does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
