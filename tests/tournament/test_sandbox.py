"""Entrants are isolated: a thief among them gets nothing, by whatever means there are here."""

from __future__ import annotations

import asyncio
import importlib
import json
import os
import shutil
import socket
import sys
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest

from endless_winter.tournament import groups, isolation, sandbox, schedule, seeds, spec
from endless_winter.tournament.errors import TournamentError
from endless_winter.tournament.seeds import Key
from endless_winter.tournament.worker import Folders, Order, Worker
from tests.tournament.running import ENTRANTS, PATIENT, until_gone, written
from tests.tournament.tables import WORLD
from tests.tournament.test_processes import until
from tests.tournament.test_tournament import NODE_BOT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

pytestmark = pytest.mark.timeout(300)

# Not the Python of the tests: that may lie where other users cannot come to.
PYTHON = next(
    (one for one in ("/usr/bin/python3", "/usr/local/bin/python3") if Path(one).exists()), ""
)
HERE = isolation.unusable()
in_a_sandbox = pytest.mark.skipif(bool(HERE), reason=f"LOUD: the sandbox is not tested: {HERE}")
as_users = pytest.mark.skipif(
    os.geteuid() != 0 or not PYTHON,
    reason="LOUD: bots as other users are not tested: only root can, with a Python for everybody",
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that other users can come to; pytest's own are closed to them."""
    with TemporaryDirectory(prefix="ew-test-") as name:
        Path(name).chmod(0o711)
        yield Path(name).resolve()


def field(folder: Path, mode: str, python: str) -> spec.Spec:
    """A thief and a victim, each in a folder of its own."""
    entrants = {}
    for name in ("thief", "victim"):
        own = folder / "cup" / name
        own.mkdir(parents=True)
        (folder / "cup").chmod(0o711)
        shutil.copy(ENTRANTS / f"{name}.py", own)
        entrants[name] = f"cmd: {python} {name}/{name}.py"
    path = folder / "cup" / "cup.toml"
    return spec.read(
        written(path, entrants, format="round_robin", limits={"sandbox": mode, "memory_mb": 0})
    )


@asynccontextmanager
async def running(worker: Worker) -> AsyncIterator[None]:
    """A worker whose bots need not attach."""
    starting = asyncio.create_task(worker.start())
    try:
        yield
    finally:
        starting.cancel()
        await asyncio.gather(starting, return_exceptions=True)
        await worker.stop()


async def content(path: Path) -> dict[str, object]:
    """What a bot has written; it does so in one step."""
    await until(path.exists)
    found: dict[str, object] = json.loads(await asyncio.to_thread(path.read_text))
    return found


async def stolen(folder: Path, mode: str, python: str) -> dict[str, object]:
    """What a thief gets in a tournament."""
    cup = field(folder, mode, python)
    folders = Folders(folder / "out", 1)
    (folder / "out").mkdir()
    (folder / "out" / "private").mkdir(mode=0o700)
    seeds.keep(folder / "out" / "key", Key.fresh())
    worker = Worker(cup, folders, 0, capacity=1)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        async with running(worker):
            planted = await content(folders.bot("victim") / "planted")
            ours = folders.worker(0)
            targets = {
                **planted,
                "host port": listener.getsockname()[1],
                "pid": worker._keepers["victim"].pid,
                "read": {
                    "the key": str(folder / "out" / "key"),
                    "the store": str(ours / "games.db"),
                    "the operator's token": str(ours / "operator"),
                    "the victim's folder": str(folders.bot("victim")),
                    "the victim's file": str(folders.bot("victim") / "secret"),
                    "the victim's log": str(folders.log("victim")),
                    "the victim's source": str(folder / "cup" / "victim" / "victim.py"),
                    "the spec": str(folder / "cup" / "cup.toml"),
                },
                "write": {
                    "to the victim's folder": str(folders.bot("victim") / "stolen"),
                    "to the tournament's": str(folder / "out" / "stolen"),
                    "to its own sources": str(folder / "cup" / "thief" / "stolen"),
                },
            }
            home = folders.bot("thief")
            (home / "targets.new").write_text(json.dumps(targets))
            (home / "targets.new").chmod(0o644)
            (home / "targets.new").rename(home / "targets")
            loot = await content(home / "loot")
    until_gone(folder)
    return loot


@in_a_sandbox
async def test_a_thief_in_a_sandbox_gets_nothing(folder: Path) -> None:
    loot = await stolen(folder, "required", sys.executable)
    assert {name for name, got in loot.items() if got} == set()
    assert len(loot) == 18


@as_users
async def test_a_thief_that_is_another_user_gets_no_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolation, "unusable", lambda: "there is none today")
    loot = await stolen(folder, "auto", PYTHON)
    # Sources are as their owner keeps them; processes and the network are shared.
    assert {name for name, got in loot.items() if got} <= {
        "read the victim's source",
        "read the spec",
        "port of the host",
        "port of the victim",
        "socket of the victim",
        "a way out",
        "process of the victim",
    }
    assert loot["port of the victim"]


async def test_without_a_sandbox_a_thief_gets_everything(folder: Path) -> None:
    loot = await stolen(folder, "off", sys.executable)
    missed = {name for name, got in loot.items() if not got}
    assert missed <= {"a way out"}  # the machine may have none


@in_a_sandbox
async def test_games_are_played_in_a_sandbox_by_bots_of_all_kinds(folder: Path) -> None:
    """One that comes along, a Python file with a module beside it, and Node both ways."""
    own = folder / "mine"
    own.mkdir()
    (own / "bot.py").write_text("from taste import choose\n")
    (own / "taste.py").write_text("def choose(decision, view):\n    return decision.default\n")
    entrants = {"random": "random", "mine": "mine/bot.py"}
    if NODE_BOT is not None:
        entrants |= {"node": f"cmd: node {NODE_BOT}", "relayed": f"cmd: node {NODE_BOT}"}
    path = written(
        folder / "cup.toml",
        entrants,
        format="round_robin",
        players=len(entrants),
        limits={"sandbox": "required"},
    )
    relayed = 'name = "relayed"\nserver = "tcp"'
    path.write_text(path.read_text().replace('name = "relayed"', relayed))
    cup = spec.read(path)
    worker = Worker(cup, Folders(folder / "out", 1), 0, capacity=1)
    match = next(iter(schedule.plan(cup, WORLD, {}).matches()))
    try:
        await worker.start()
        game = await worker.play(Order(match, 1, bytes(32), bytes(32)))
    finally:
        await worker.stop()
    assert game.outcome == "completed", game.note
    assert game.isolation == "bubblewrap"
    assert {seat.reason for seat in game.seats} == {"normal"}
    assert all(seat.decisions for seat in game.seats)
    if NODE_BOT is None:
        pytest.skip("LOUD: Node in a sandbox is not tested: there is no node, or no node_modules")
    assert "attached to unix:" in (folder / "out" / "logs" / "node.log").read_text()
    assert "attached to 127.0.0.1:" in (folder / "out" / "logs" / "relayed.log").read_text()


def test_without_a_sandbox_there_is_a_warning_or_no_tournament(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(isolation, "unusable", lambda: "there is none today")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    entrants = {"one": "random", "guest": "attach"}
    path = written(folder / "cup.toml", entrants, format="round_robin")
    (line,) = isolation.warnings(spec.read(path), folder)
    assert line.startswith("no sandbox: there is none today; one can read what you can")
    path = written(
        folder / "cup.toml", entrants, format="round_robin", limits={"sandbox": "required"}
    )
    with pytest.raises(TournamentError, match=r"limits\.sandbox is required: there is none today"):
        isolation.warnings(spec.read(path), folder)


@in_a_sandbox
async def test_what_a_sandbox_lacks_is_asked_for_by_files(folder: Path) -> None:
    tool = folder / "tools" / "tool"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho found it\n")
    tool.chmod(0o755)
    cup = folder / "cup"
    cup.mkdir()
    entrants = dict.fromkeys("ab", f"cmd: sh -c 'exec {tool}'") | {"c": "cmd: no-such-program"}
    path = written(
        cup / "cup.toml",
        entrants,
        format="round_robin",
        limits={"sandbox": "required", "memory_mb": 0},
        dead={**PATIENT, "restarts": 0},
    )
    path.write_text(path.read_text().replace('name = "b"', 'name = "b"\nfiles = ["../tools"]'))
    worker = Worker(spec.read(path), Folders(folder / "out", 1), 0, capacity=1)
    try:
        await worker.start()
    finally:
        await worker.stop()
    logs = {name: (folder / "out" / "logs" / f"{name}.log").read_text() for name in "abc"}
    assert f"{tool}: not found" in logs["a"]
    assert "found it" in logs["b"]
    assert "no-such-program cannot be started in the sandbox: No such file" in logs["c"]
    assert "must be named in 'files' of the entrant" in logs["c"]


def test_a_bot_can_import_what_compiled_modules_of_this_package_share(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In an editable install it lies beside the package, in a source root that stays hidden."""
    package, shared = folder / "root" / "endless_winter", folder / "root" / "0af__mypyc.x86_64.so"
    package.mkdir(parents=True)
    shared.touch()
    (folder / "root" / "notes.txt").touch()
    monkeypatch.setattr(importlib.import_module("endless_winter"), "__path__", [str(package)])
    words = sandbox.command(
        home=folder / "home",
        visible=(),
        accounts=folder,
        socket=None,
        user=sandbox.User(),
        relay=False,
    )
    bound = {words[at + 1] for at, word in enumerate(words) if word == "--ro-bind"}
    assert {one for one in bound if f"{folder}/root/" in one} == {str(package), str(shared)}


def test_files_that_are_not_there_or_hold_the_tournament_cost_one_line(folder: Path) -> None:
    path = written(folder / "cup.toml", {"a": "random", "b": "random"}, format="round_robin")
    plain = path.read_text()
    path.write_text(plain.replace('name = "a"', 'name = "a"\nfiles = ["nowhere"]'))
    with pytest.raises(TournamentError, match=r"entrant a: files: \S+/nowhere is not there"):
        spec.read(path)
    path.write_text(plain.replace('name = "a"', 'name = "a"\nfiles = ["."]'))
    cup = spec.read(path)
    with pytest.raises(TournamentError, match="name smaller parts, or choose another --out"):
        sandbox.visible_to(cup.entrant[0], cup, folder / "out")


def test_a_bot_sees_its_own_folder_but_none_that_others_lie_in(folder: Path) -> None:
    for name in ("a/bot.py", "b/bot.py", "b/c/bot.py", "beside.py", "d/bot.js"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).touch()
    entrants = {
        "a": "a/bot.py",
        "b": "b/bot.py",
        "c": "b/c/bot.py",
        "d": "cmd: node d/bot.js",
        "same-as-d": "cmd: node d/../d/bot.js",
        "beside": "beside.py",
    }
    cup = spec.read(written(folder / "cup.toml", entrants, format="round_robin"))
    seen = {
        entrant.name: [
            str(path.relative_to(folder))
            for path in sandbox.visible_to(entrant, cup, folder / "out")
            if path.is_relative_to(folder)
        ]
        for entrant in cup.entrant
    }
    assert seen == {
        "a": ["a"],
        "b": ["b/bot.py"],  # in its folder is another's
        "c": ["b/c"],
        "d": ["d"],
        "same-as-d": ["d"],
        "beside": ["beside.py"],
    }


def test_a_bin_beside_a_lib_is_no_toolchain_if_the_tournament_lies_there(folder: Path) -> None:
    for name in ("bin/thief", "tools/bin/run", "rival/bot.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch(mode=0o755)
    for name in ("lib", "tools/lib"):
        (folder / name).mkdir()
    entrants = {
        "thief": f"cmd: {folder}/bin/thief",
        "honest": f"cmd: {folder}/tools/bin/run",
        "rival": "rival/bot.py",
    }
    cup = spec.read(written(folder / "cup.toml", entrants, format="round_robin"))
    thief, honest, _ = (
        {path for path in sandbox.visible_to(one, cup, folder / "out") if path.exists()}
        for one in cup.entrant
    )
    assert thief == {folder / "bin" / "thief"}
    assert honest == {folder / "tools"}


GUEST = """
trap 'echo ended in order >> ended; exit 0' TERM
(setsid sh -c 'while true; do sleep 0.02; date +%s%N > alive; done' &)
while true; do sleep 0.02; done
"""


@in_a_sandbox
async def test_a_bot_in_a_sandbox_ends_in_order_and_nothing_of_it_stays(folder: Path) -> None:
    cup = folder / "cup"
    cup.mkdir()
    (cup / "guest.sh").write_text(GUEST)
    bots = dict.fromkeys("ab", "cmd: sh guest.sh")
    path = written(cup / "cup.toml", bots, format="round_robin", limits={"sandbox": "required"})
    folders = Folders(folder / "out", 1)
    worker = Worker(spec.read(path), folders, 0, capacity=1)
    async with running(worker):
        for name in bots:
            await until((folders.bot(name) / "alive").exists)
    until_gone(folder)  # also what left its session
    assert (folders.bot("a") / "ended").read_text() == "ended in order\n"


async def crowd_of(folder: Path, python: str, processes: int) -> int:
    """How many processes a bot gets that wants three hundred."""
    own = folder / "cup" / "crowd"
    own.mkdir(parents=True)
    (folder / "cup").chmod(0o711)
    shutil.copy(ENTRANTS / "crowd.py", own)
    path = written(
        folder / "cup" / "cup.toml",
        {"crowd": f"cmd: {python} crowd/crowd.py", "none": "attach"},
        format="round_robin",
        workers=1,
        limits={"processes": processes},
    )
    folders = Folders(folder / "out", 1)
    async with running(Worker(spec.read(path), folders, 0, capacity=1)):
        count = folders.bot("crowd") / "count"
        await until(count.exists)
        got = int(count.read_text())
    until_gone(folder)
    return got


@in_a_sandbox
async def test_a_bot_in_a_sandbox_has_only_so_many_processes(folder: Path) -> None:
    assert 32 < await crowd_of(folder, sys.executable, 64) < 64


@in_a_sandbox
async def test_a_bot_has_only_so_many_processes_where_there_are_no_control_groups(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "make", lambda: None)
    assert 32 < await crowd_of(folder, sys.executable, 64) < 64


@as_users
async def test_a_bot_that_is_another_user_has_only_so_many_processes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(groups, "make", lambda: None)
    monkeypatch.setattr(isolation, "unusable", lambda: "there is none today")
    assert 32 < await crowd_of(folder, PYTHON, 64) < 64


@in_a_sandbox
async def test_a_limit_of_0_is_none(folder: Path) -> None:
    assert await crowd_of(folder, sys.executable, 0) == 300
