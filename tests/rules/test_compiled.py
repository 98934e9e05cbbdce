"""The core tests in a compiled build, and the pure fallback where there is no compiler."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.foundations.tree import clean_copy

pytestmark = pytest.mark.soak

COMPILER = shutil.which((os.environ.get("CC") or "cc").split()[0])
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler (cc)")


def run(*command: str | Path, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def wheel_of(tree: Path, **variables: str) -> tuple[Path, str]:
    """A wheel of the tree, built with the tools of this environment, and what the build said."""
    target = tree.parent / "wheels"
    command = (sys.executable, "-m", "pip", "-v", "wheel", "--no-deps", "--no-build-isolation")
    done = run(*command, "-w", target, ".", cwd=tree, EW_MYPYC="1", **variables)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    (wheel,) = target.glob("*.whl")
    return wheel, said


def environment_with(wheel: Path, folder: Path) -> Path:
    """A fresh environment with only the wheel in it, and the other packages of this one in reach.

    They come by a path entry, which does not bring this environment's own editable install along.
    """
    done = run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    assert done.returncode == 0, done.stderr
    site = next(folder.glob("lib/python*/site-packages"))
    zipfile.ZipFile(wheel).extractall(site)
    (site / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return folder / "bin" / "python"


@needs_compiler
@pytest.mark.timeout(1800)
def test_the_core_tests_pass_in_a_compiled_build(tmp_path: Path) -> None:
    tree = clean_copy(tmp_path / "tree")
    wheel, said = wheel_of(tree)
    assert "stays pure Python" not in said
    python = environment_with(wheel, tmp_path / "venv")
    # Only tests and pyproject: the sources are not there to be imported by mistake.
    for root in ("server", "proto", "clients"):
        shutil.rmtree(tree / root)
    found = run(
        python, "-c", "import endless_winter.rules.game as g; print(g.__file__)", cwd=tmp_path
    )
    assert found.stdout.strip().endswith(".so"), found.stdout + found.stderr
    assert str(tmp_path / "venv") in found.stdout
    # A named tuple of a class that is not loaded yet ends the process.
    site = Path(found.stdout.strip()).parents[2]
    names = sorted(
        path.relative_to(site).as_posix().partition(".")[0].replace("/", ".")
        for path in site.glob("endless_winter/**/*.so")
    )
    assert "endless_winter.engine.engine" in names
    for name in names:
        alone = run(python, "-c", f"import {name}", cwd=tmp_path)
        assert alone.returncode == 0, f"{name} cannot be imported alone: {alone.stderr}"
    done = run(
        *(python, "-m", "pytest", "-q", "-p", "no:cacheprovider"),
        *("-p", "tests.rules.compiled_only", "tests/rules"),
        cwd=tree,
        PYTHONPATH=str(tree),
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert "rules core: " in done.stdout
    assert " passed" in done.stdout


@pytest.mark.timeout(1800)
def test_with_a_broken_compiler_the_build_warns_in_one_line_and_stays_pure(
    tmp_path: Path,
) -> None:
    tree = clean_copy(tmp_path / "tree")
    wheel, said = wheel_of(tree, CC="/bin/false")
    assert wheel.name.endswith("-py3-none-any.whl")
    assert not [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".so")]
    warned = [line for line in said.splitlines() if "the rules core stays pure Python" in line]
    assert len(warned) == 1
    assert "EW_MYPYC=1: mypyc failed (" in warned[0]
    python = environment_with(wheel, tmp_path / "venv")
    played = run(
        python,
        "-c",
        "from endless_winter.content import load\n"
        "from endless_winter.rules import Config, Game, game\n"
        "one = Game.new(Config(load(), players=2), bytes(32))\n"
        "while one.decision is not None: one.apply(one.decision.default)\n"
        "print(one.result.winner, game.__file__)",
        cwd=tmp_path,
    )
    assert played.stdout.strip().endswith("game.py"), played.stderr
