"""The processor: who burns it while it is not asked makes nobody late, and is named."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

import pytest

from endless_winter.tournament import groups, schedule, spec
from endless_winter.tournament.processor_share import (
    CREDIT,
    POLL,
    Account,
    Meter,
    Process,
    Shares,
    Used,
    family,
)
from endless_winter.tournament.worker import Folders, Order, Worker
from tests.tournament.running import ENTRANTS, written
from tests.tournament.tables import WORLD


def usable() -> bool:
    group = groups.make()
    if group is not None:
        group.remove()
    return group is not None


pytestmark = pytest.mark.timeout(300)
with_groups = pytest.mark.skipif(
    not usable(), reason="LOUD: control groups are not tested: none can be made here"
)


async def test_a_bot_that_burns_while_it_is_not_asked_makes_nobody_late(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "make", lambda: None)
    await beside_a_burner(tmp_path, "burner", max(os.sched_getaffinity(0)))


@with_groups
async def test_processes_too_short_lived_to_be_seen_make_nobody_late(tmp_path: Path) -> None:
    # Not the core of the other test, which may run at the same time.
    await beside_a_burner(tmp_path, "ghost", min(os.sched_getaffinity(0)))


async def beside_a_burner(tmp_path: Path, burner: str, core: int) -> None:
    # 30 ms of a core are no hurry in 2 s. Beside 80 processes of equal rank they take 2.4 s.
    bots = {"one": "steady", "other": "steady", "burner": burner}
    entrants = {name: str(ENTRANTS / f"{file}.py") for name, file in bots.items()}
    path = written(tmp_path / "cup.toml", entrants, format="round_robin", clock={"decision": 2.0})
    cup = spec.read(path)
    worker = Worker(cup, Folders(tmp_path / "out", 1), 0, capacity=1, cores=(core,))
    first = next(iter(schedule.plan(cup, WORLD, {}).matches()))
    assert set(first.entrants) == {"one", "other"}
    go = tmp_path / "out" / "bots" / "burner" / "go"
    try:
        await worker.start()
        go.touch()
        game = await worker.play(Order(first, 1, secrets.token_bytes(32), secrets.token_bytes(32)))
    finally:
        go.unlink(missing_ok=True)
        await worker.stop()
    assert game.outcome == "completed"
    assert [seat.timeouts for seat in game.seats] == [0, 0]
    used = game.used
    assert used["burner"].lowered
    assert used["burner"].unasked_ms >= 50  # little, since its share was lowered at once
    assert used["burner"].asked_ms == 0
    for name in ("one", "other"):
        assert used[name].lowered <= 1  # on a busy core a start can look like burning, once
        # What it needed for its choices is reported as such.
        assert used[name].asked_ms >= 250
        assert used[name].unasked_ms < 200


@pytest.mark.soak  # nothing keeps these from the tests beside it
def test_short_lived_processes_are_noticed_without_control_groups(tmp_path: Path) -> None:
    """Most of what they use, that is; a lower share none of them keeps."""
    go = tmp_path / "go"
    go.touch()
    core = str(min(os.sched_getaffinity(0)))
    chains = [sys.executable, "-I", "-S", str(ENTRANTS / "ghost.py"), "chains"]
    ghost = subprocess.Popen(["taskset", "-c", core, *chains], cwd=tmp_path)
    shares = Shares(1)
    shares.begin()
    try:
        seen = 0.0
        until = time.monotonic() + 30
        while seen < 0.2 and time.monotonic() < until:  # ticks alone show some 0.01
            shares.look({"ghost": ghost.pid}, {"ghost": 0})
            time.sleep(POLL)
            seen += shares.take()["ghost"].unasked
    finally:
        go.unlink()
        ghost.wait()
    assert seen >= 0.2


@with_groups
async def test_control_groups_are_gone_when_their_processes_are(tmp_path: Path) -> None:
    path = written(tmp_path / "cup.toml", {"a": "random", "b": "random"}, format="round_robin")
    group = groups.make()
    assert group is not None
    parents = [folder.parent for folder in group.folders]
    group.remove()
    worker = Worker(spec.read(path), Folders(tmp_path / "out", 1), 0, capacity=1)
    try:
        await worker.start()
        assert all(any(parent.glob(f"ew-{os.getpid()}-*")) for parent in parents)
    finally:
        await worker.stop()
    assert not any(any(parent.glob(f"ew-{os.getpid()}-*")) for parent in parents)


@with_groups
def test_the_next_run_removes_the_control_groups_of_one_that_was_killed() -> None:
    source = "import os\nfrom endless_winter.tournament import groups\n"
    source += "print(*groups.make().folders, flush=True)\nos.kill(os.getpid(), 9)\n"
    killed = subprocess.run([sys.executable, "-c", source], capture_output=True, check=False)
    left = [Path(word) for word in killed.stdout.decode().split()]
    assert left
    assert all(folder.exists() for folder in left)
    group = groups.make()
    assert group is not None
    group.remove()
    assert not any(folder.exists() for folder in left)


def process(pid: int, own: float, children: float = 0.0, parent: int = 1) -> Process:
    return Process(pid, parent, pid, own, children)


def test_processes_that_ended_are_counted_once() -> None:
    meter = Meter()
    assert meter.used([process(10, 1.0), process(11, 2.0, parent=10)]) == 3.0
    # One has ended after half a second more, and its parent has waited for it.
    assert meter.used([process(10, 1.0, children=2.5)]) == 0.5
    # One began and ended between two looks.
    assert meter.used([process(10, 1.0, children=2.75)]) == 0.25
    # A parent that does not wait for its children hides what they did since the last look, no more.
    assert meter.used([process(10, 1.0, children=2.75), process(12, 4.0, parent=10)]) == 4.0
    assert meter.used([process(10, 1.5, children=2.75)]) == 0.5


def test_a_family_is_all_that_a_process_has_started() -> None:
    known = {one.pid: one for one in (process(10, 0), process(11, 0, parent=10))}
    known |= {one.pid: one for one in (process(12, 0, parent=11), process(13, 0))}
    assert [one.pid for one in family(10, known)] == [10, 11, 12]
    assert family(99, known) == []


def looks(account: Account, *, used: float, asked: float, times: int, begin: float = 0.0) -> float:
    for number in range(times):
        account.look(begin + number * 0.2, 0.2, used, asked, counts=True)
    return begin + times * 0.2


def test_who_thinks_while_it_is_asked_keeps_its_share() -> None:
    account = Account(cores=1)
    looks(account, used=0.1, asked=0.1, times=100)
    assert not account.lowered
    used = account.take()
    assert used.asked == pytest.approx(10.0)
    assert used.unasked == pytest.approx(0.0)
    assert account.take() == Used()
    # With two cores it may think with both.
    account = Account(cores=2)
    looks(account, used=0.4, asked=0.2, times=100)
    assert not account.lowered


def test_time_asked_cannot_be_saved_up_for_later() -> None:
    account = Account(cores=1)
    now = looks(account, used=0.0, asked=0.2, times=50)  # asleep for ten seconds
    looks(account, used=0.2, asked=0.0, times=1, begin=now)
    assert account.lowered
    assert account.take().unasked == pytest.approx(0.2 - CREDIT)


def test_a_share_is_given_back_to_who_behaves_and_later_each_time() -> None:
    account = Account(cores=1)
    now = 0.0
    waits = []
    for _ in range(3):
        now = looks(account, used=0.2, asked=0.0, times=1, begin=now)
        begin = now
        for _ in range(300):
            if not account.lowered:
                break
            now = looks(account, used=0.0, asked=0.0, times=1, begin=now)
        waits.append(now - begin)
    assert [round(wait) for wait in waits] == [2, 4, 8]
    assert account.take().lowered == 3


def test_a_start_up_is_not_counted() -> None:
    account = Account(cores=1)
    account.look(0.0, 0.2, 0.2, 0.0, counts=False)
    lowered = [account.lowered]  # nobody is hurt by that
    assert account.take() == Used()
    # Nor does it linger: who behaves from then on has its share, who does not is named.
    account.look(0.2, 0.2, 0.0, 0.0, counts=True)
    lowered.append(account.lowered)
    account.look(0.4, 0.2, 0.2, 0.0, counts=True)
    assert [*lowered, account.lowered] == [True, False, True]
    assert account.take().lowered == 1
