"""What the bot in JavaScript is installed from, and what make says where there is no node."""

from __future__ import annotations

import json
import os
import shutil
from typing import TYPE_CHECKING

import pytest

from tests.foundations.tree import ROOT, run
from tests.node.machine import FOLDER

if TYPE_CHECKING:
    from pathlib import Path

STAMP = "clients/node/node_modules/.installed"


@pytest.fixture
def fresh(tmp_path: Path) -> Path:
    """A tree with nothing installed, and a folder `bin` that is the whole PATH."""
    (tmp_path / "clients" / "node").mkdir(parents=True)
    for name in ("Makefile", "clients/node/package-lock.json"):
        shutil.copy2(ROOT / name, tmp_path / name)
    (tmp_path / "bin").mkdir()
    for name in ("sh", "touch", "mkdir", "find", "sort"):
        found = shutil.which(name)
        assert found is not None
        (tmp_path / "bin" / name).symlink_to(found)
    return tmp_path


def make(fresh: Path) -> tuple[int, str]:
    found = shutil.which("make")
    assert found is not None
    done = run(found, STAMP, cwd=fresh, env={**os.environ, "PATH": str(fresh / "bin")})
    return done.returncode, done.stdout + done.stderr


def test_a_machine_without_node_gets_a_message_about_skipped_tests(fresh: Path) -> None:
    status, said = make(fresh)
    assert status == 0
    missing = "THERE IS NO node OR NO npm HERE"
    assert f"{missing}: the checks of clients/node that need it will be SKIPPED" in said
    assert not (fresh / STAMP).exists()


def test_make_installs_once_and_runs_no_scripts_of_packages(fresh: Path) -> None:
    for name in ("node", "npm"):
        script = fresh / "bin" / name
        script.write_text('#!/bin/sh\nmkdir -p node_modules\necho "$0 $@" >> calls\n')
        script.chmod(0o755)
    assert make(fresh)[0] == 0
    assert make(fresh)[0] == 0
    (call,) = (fresh / "clients" / "node" / "calls").read_text().splitlines()
    assert "npm ci --ignore-scripts" in call


def test_the_lock_names_hashes_and_no_hosts() -> None:
    text = (FOLDER / "package-lock.json").read_text()
    packages = {name: one for name, one in json.loads(text)["packages"].items() if name}
    assert packages
    assert all(one["integrity"].startswith("sha512-") for one in packages.values())
    assert "http" not in text
    assert "resolved" not in text
    assert (FOLDER / ".npmrc").read_text() == "omit-lockfile-registry-resolved=true\n"


def test_the_package_pins_what_it_needs() -> None:
    wanted = json.loads((FOLDER / "package.json").read_text())
    locked = json.loads((FOLDER / "package-lock.json").read_text())["packages"]
    assert wanted["dependencies"]
    for name, version in wanted["dependencies"].items():
        assert locked[f"node_modules/{name}"]["version"] == version
    assert locked[""]["version"] == wanted["version"]
