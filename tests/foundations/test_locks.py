"""The locks: complete, pinned by hash, and agreeing with each other."""

from __future__ import annotations

import re
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.foundations.tree import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
GROUPS = PROJECT["dependency-groups"]
RUN = [*PROJECT["project"]["dependencies"], *PROJECT["build-system"]["requires"], *GROUPS["build"]]
SETS: dict[str, list[str]] = {
    "run": RUN,
    "test": [*RUN, *GROUPS["lint"], *(item for item in GROUPS["test"] if isinstance(item, str))],
    "bench": [*RUN, *GROUPS["bench"]],
    "ray": [*RUN, *PROJECT["project"]["optional-dependencies"]["ray"]],
}


def entries(name: str) -> dict[str, str]:
    """Each pin of a lock, ``name==version ; marker``, with the hashes under it."""
    text = (ROOT / "requirements" / f"{name}.lock").read_text().replace("\\\n", "")
    pairs = (line.partition(" --hash=") for line in text.splitlines())
    return {re.sub(" +", " ", pin).strip(): hashes for pin, _, hashes in pairs}


def pins(name: str) -> dict[str, set[str]]:
    """The versions pinned for each package; more than one when a marker decides."""
    found: dict[str, set[str]] = {}
    for pin in entries(name):
        requirement = Requirement(pin)
        versions = found.setdefault(canonicalize_name(requirement.name), set())
        versions.add(next(iter(requirement.specifier)).version)
    return found


@pytest.mark.parametrize("name", SETS)
def test_every_line_is_one_exact_version_with_its_hashes(name: str) -> None:
    assert entries(name)
    for pin, hashes in entries(name).items():
        assert re.fullmatch(r"[a-z0-9-]+==[^ ]+( ; .+)?", pin)
        assert re.fullmatch(r"sha256:[0-9a-f]{64}( +--hash=sha256:[0-9a-f]{64})*\s*", hashes), pin


@pytest.mark.parametrize("name", SETS)
def test_a_lock_holds_what_pyproject_asks_for(name: str) -> None:
    locked = pins(name)
    for text in SETS[name]:
        wanted = Requirement(text)
        versions = locked.get(canonicalize_name(wanted.name), set())
        assert versions, f"{text} is not in {name}.lock: run 'make lock'"
        assert all(wanted.specifier.contains(v, prereleases=True) for v in versions), text


def test_the_locks_agree_on_what_they_share() -> None:
    together: dict[str, set[str]] = {}
    for name in SETS:
        for pin in entries(name):
            together.setdefault(Requirement(pin).name, set()).add(pin)
    for package, all_pins in together.items():
        for name in SETS:
            mine = {pin for pin in entries(name) if Requirement(pin).name == package}
            assert mine in (set(), all_pins), f"{package} differs in {name}.lock"


def test_the_run_set_stays_lean() -> None:
    assert not pins("run").keys() & {"pytest", "mypy", "ruff", "ray", "catanatron", "numpy"}
