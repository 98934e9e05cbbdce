"""Wheels, sdists and installs, each from a clean copy of the tree."""

from __future__ import annotations

import os
import shutil
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from tests.foundations.tree import (
    SOURCE_ROOTS,
    clean_copy,
    needs_compiler,
    needs_git,
    passed,
    run,
    tracked,
)

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.timeout(900)  # builds take minutes where there is much else to do

FAKE_RULES = {
    "__init__.py": '"""A rules core of three modules that need each other."""\n',
    "camp.py": (
        "class Camp:\n    def __init__(self, food: int) -> None:\n        self.food = food\n"
    ),
    "hunt.py": (
        "from endless_winter.rules.camp import Camp\n\n\n"
        "def hunt(camp: Camp, animals: int) -> int:\n"
        "    camp.food += 2 * animals\n    return camp.food\n"
    ),
    "game.py": (
        "from endless_winter.rules import camp, hunt\n\n\n"
        "def play() -> int:\n    return hunt.hunt(camp.Camp(1), 3)\n"
    ),
}
FAKE_BOT = (
    "from endless_winter.rules import game\n\n\ndef choose() -> int:\n    return game.play()\n"
)
PLAY = (
    "import endless_winter.rules.camp, endless_winter.rules.game as game\n"
    "print(game.play(), game.__file__.endswith('.so'))"
)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return clean_copy(tmp_path / "copy")


@pytest.fixture
def with_fake_rules(copy: Path) -> Path:
    """The copy with a small rules core in place of the real one, so that compiling is quick.

    Of the bots there is one small module too.
    """
    rules = copy / "server" / "endless_winter" / "rules"
    shutil.rmtree(rules, ignore_errors=True)
    rules.mkdir()
    for name, text in FAKE_RULES.items():
        (rules / name).write_text(text)
    bots = copy / "clients" / "python" / "endless_winter" / "bots"
    shutil.rmtree(bots)
    bots.mkdir()
    (bots / "__init__.py").write_text("from endless_winter.sdk import Bot\n")
    (bots / "quick.py").write_text(FAKE_BOT)
    return copy


# What is compiled here is only looked at, so it need not be fast.
COMPILED = {"EW_MYPYC": "rules", "MYPYC_OPT_LEVEL": "0"}


def pip_wheel(source: Path, **variables: str) -> Path:
    """Build a wheel with the tools of this environment; returns the wheel."""
    target = source.parent / "wheels"
    command = (sys.executable, "-m", "pip", "-v", "wheel", "--no-deps", "--no-build-isolation")
    done = run(*command, "-w", target, ".", cwd=source, env={**os.environ, **variables})
    passed(done)
    (target / "log").write_text(done.stdout + done.stderr)
    (wheel,) = target.glob("*.whl")
    return wheel


def play(import_root: Path) -> list[str]:
    """Play the fake game with only the given folder on the import path."""
    script = f"import sys; sys.path[:0] = [{str(import_root)!r}]\n{PLAY}"
    return passed(run(sys.executable, "-S", "-c", script)).split()


def test_a_wheel_holds_sources_contract_stubs_and_data(copy: Path) -> None:
    wheel = pip_wheel(copy)
    assert wheel.name.endswith("-py3-none-any.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    shipped = {
        name.removeprefix(root + "/")
        for root in SOURCE_ROOTS
        for name in tracked()
        if name.startswith(f"{root}/endless_winter/")
    }
    assert shipped <= held
    assert {name.partition("/")[0].partition("-")[0] for name in held} == {"endless_winter"}
    protos = [name for name in shipped if name.endswith(".proto")]
    assert protos
    for proto in protos:
        stem = proto.removesuffix(".proto")
        assert {f"{stem}_pb2.py", f"{stem}_pb2.pyi"} <= held
    packages = {
        "/".join(name.split("/")[:2])
        for name in held
        if name.startswith("endless_winter/") and name.endswith(".py")
    }
    assert {f"{package}/py.typed" for package in packages} <= held
    assert "endless_winter/__init__.py" not in held
    services = [name for name in held if name.endswith("_pb2_grpc.py")]
    assert {f"{name}i" for name in services} <= held
    descriptors = "endless_winter/v1/contract.binpb"
    assert descriptors in held
    extra = held - shipped - {descriptors}
    assert [n for n in extra if "_pb2" not in n and ".dist-info/" not in n] == []


def test_a_wheel_build_clears_old_stubs_away_and_leaves_compiled_modules_alone(
    copy: Path,
) -> None:
    stale = copy / "proto" / "endless_winter" / "v1" / "gone_pb2.py"
    stale.write_text("")
    compiled = copy / "server" / "endless_winter" / "rules" / "game.cpython-311.so"
    compiled.write_bytes(b"")
    wheel = pip_wheel(copy)
    assert not stale.exists(), "a removed .proto must not stay importable"
    assert compiled.exists(), "an editable install may use it"
    assert not [n for n in zipfile.ZipFile(wheel).namelist() if n.endswith((".so", "gone_pb2.py"))]


def test_a_broken_proto_stops_the_build_is_named_and_costs_no_stubs(copy: Path) -> None:
    folder = copy / "proto" / "endless_winter" / "v1"
    (folder / "clock_pb2.py").write_text("# of the last build; something may be using it\n")
    (folder / "broken.proto").write_text(
        'syntax = "proto3";\npackage endless_winter.v1;\nmessage {\n'
    )
    command = (sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", ".")
    done = run(*command, cwd=copy)
    assert done.returncode != 0
    assert "broken.proto:3" in done.stdout + done.stderr
    assert [path.name for path in (copy / "proto").rglob("*_pb2*")] == ["clock_pb2.py"]
    assert not list((copy / "proto").glob(".stubs-*"))


@needs_compiler
def test_the_switch_compiles_every_module_into_a_wheel(with_fake_rules: Path) -> None:
    wheel = pip_wheel(with_fake_rules, **COMPILED)
    assert not wheel.name.endswith("-none-any.whl")
    held = zipfile.ZipFile(wheel).namelist()
    (tags,) = (name for name in held if name.endswith(".dist-info/WHEEL"))
    assert b"Root-Is-Purelib: false" in zipfile.ZipFile(wheel).read(tags)
    for name in FAKE_RULES:
        stem = f"endless_winter/rules/{name.removesuffix('.py')}."
        assert [n for n in held if n.startswith(stem) and n.endswith(".so")], name
    bots = [n for n in held if n.startswith("endless_winter/bots/") and n.endswith(".so")]
    assert [name.split("/")[2].partition(".")[0] for name in bots] == ["quick"]
    unpacked = with_fake_rules.parent / "unpacked"
    zipfile.ZipFile(wheel).extractall(unpacked)
    assert play(unpacked) == ["7", "True"]
    assert not list(with_fake_rules.rglob("*.so")), "a wheel leaves the tree as it was"


@needs_compiler
def test_the_switch_compiles_an_editable_install_and_its_absence_undoes_it(
    with_fake_rules: Path,
) -> None:
    server = with_fake_rules / "server"
    command = (sys.executable, "-m", "pip", "-q", "install", "--no-deps", "--no-build-isolation")
    target = ("--target", with_fake_rules.parent / "site", "--upgrade", "-e", ".")
    compiled = {**os.environ, **COMPILED}
    passed(run(*command, *target, cwd=with_fake_rules, env=compiled))
    assert play(server) == ["7", "True"]
    bots = with_fake_rules / "clients" / "python" / "endless_winter" / "bots"
    assert [path.name.partition(".")[0] for path in bots.glob("*.so")] == ["quick"]
    passed(run(*command, *target, cwd=with_fake_rules))
    assert play(server) == ["7", "False"]
    assert not list(with_fake_rules.rglob("*.so"))


def test_without_a_compiler_the_build_says_so_in_one_line_and_stays_pure(
    with_fake_rules: Path,
) -> None:
    wheel = pip_wheel(with_fake_rules, **COMPILED, CC="/nonexistent/cc")
    assert wheel.name.endswith("-py3-none-any.whl")
    warned = [
        line
        for line in (wheel.parent / "log").read_text().splitlines()
        if "the rules core stays pure Python" in line
    ]
    assert len(warned) == 1
    assert "EW_MYPYC=rules: mypyc failed (error: " in warned[0]
    assert "'/nonexistent/cc'); the rules core stays" in warned[0]


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A new environment with nothing in it but pip; returns its python."""
    passed(run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv"))
    python = tmp_path / "venv" / "bin" / "python"
    passed(run(sys.executable, "-m", "pip", "-q", "--python", python, "install", "pip"))
    return python


@pytest.mark.soak
@pytest.mark.parametrize("how", ["plain", "editable", "wheel", "sdist"])
def test_every_kind_of_install_works_in_a_fresh_environment(
    copy: Path, fresh: Path, how: str
) -> None:
    pip = (fresh, "-m", "pip", "-q")
    if how == "plain":
        passed(run(*pip, "install", ".", cwd=copy))
    elif how == "editable":
        passed(run(*pip, "install", "-e", ".", cwd=copy))
    else:
        passed(run(*pip, "install", "build"))
        passed(run(fresh, "-m", "build", f"--{how}", "-o", copy / "out", cwd=copy))
        (made,) = (copy / "out").iterdir()
        passed(run(*pip, "install", made))
    elsewhere = copy.parent  # not the tree: only what was installed may be found
    assert passed(run(fresh.parent / "ew", "--version", cwd=elsewhere)).startswith("ew ")
    said = passed(run(fresh.parent / "ew", "tournament", "--blocks", "1", cwd=elsewhere))
    assert "3 games; the report is" in said.splitlines()[-1]


@pytest.mark.soak
@needs_git
def test_the_two_commands_work_from_a_clean_copy(copy: Path) -> None:
    passed(run("git", "init", "-q", cwd=copy))
    said = passed(run("make", "tournament", f"PYTHON={sys.executable}", cwd=copy))
    assert said.splitlines()[-1].startswith("ew tournament: ")
    passed(run("git", "add", "-A", cwd=copy))
    quick = "ARGS=tests/foundations/test_tree.py"
    said = passed(run("make", "test", quick, f"PYTHON={sys.executable}", cwd=copy))
    assert said.splitlines()[-1].startswith("make test: every test passed")
