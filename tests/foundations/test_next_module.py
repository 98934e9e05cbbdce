"""The next module needs new files and one line in the registry (docs/add-a-module.md).

In a copy of the project a module is added that is none of ours, with a section of a content pack,
an icon that is printed on a card, rules of its own, a decision and points, an option of the command
line and a key of tournaments.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from endless_winter.content.reader import sections
from endless_winter.rules.modules import REGISTRY
from tests.foundations.tree import ROOT

FILES = ROOT / "tests" / "data" / "next_module"
SERVER = Path("server") / "endless_winter"
PARTS = {part: SERVER / part for part in ("rules", "content", "views", "arena")} | {
    "cli": Path("clients/python/endless_winter/cli")
}
IMPORT = "from endless_winter.rules.nomad.module import NOMAD_MODULE\n"
LINE = '    "rivers": RIVERS_MODULE,\n'
# What is the modules' own, below each of them.
OWN = re.compile(r"modules/|rivers/|nomad/")
WORDS = re.compile(r"\b(rafts?|rivers?|landmarks?|fish|mammoths?|warriors?|sea[ _]cows?)\b")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of the core, the content, what shows and what asks for them, with the module added."""
    without = shutil.ignore_patterns("__pycache__", "*.so")
    for part, package in PARTS.items():
        shutil.copytree(ROOT / package, tmp_path / package, ignore=without)
        for file in (FILES / part).rglob("*.*"):
            new = tmp_path / package / file.relative_to(FILES / part)
            assert not new.exists()
            shutil.copy(file, new)
    registry = tmp_path / SERVER / "rules/modules/__init__.py"
    text = registry.read_text(encoding="utf-8")
    assert text.count(IMPORT) == text.count(LINE) == 1
    text = text.replace(IMPORT, f"from endless_winter.rules.modules.cairns import Cairns\n{IMPORT}")
    registry.write_text(text.replace(LINE, f'{LINE}    "cairns": Cairns(),\n'), encoding="utf-8")
    return tmp_path


def packs(tree: Path) -> tuple[Path, Path]:
    """One that has the module's section and its icon on a card, and one that has it wrong."""
    content = tree / SERVER / "content"
    found = []
    for name in ("good", "bad"):
        folder = tree / name
        folder.mkdir()
        for file in content.glob("*.toml"):
            shutil.copy(file, folder)
        main = folder / "base.toml"
        text = main.read_text(encoding="utf-8")
        text = text.replace('"rivers.toml"]', '"rivers.toml", "cairns.toml"]')
        main.write_text(
            text.replace('"eclipse: tool"]', '"eclipse: cairn 2"]', 1), encoding="utf-8"
        )
        found.append(main)
    spoilt = found[1].with_name("cairns.toml")
    text = spoilt.read_text(encoding="utf-8")
    spoilt.write_text(text.replace("points = 2", "points = 0"), encoding="utf-8")
    return (found[0], found[1])


@pytest.mark.parametrize(
    ("program", "says"), [("play", "played"), ("show", "shown"), ("ask", "asked")]
)
def test_a_module_of_new_files_and_one_line_is_played_and_shown(
    tree: Path, program: str, says: str
) -> None:
    roots = (tree / "server", tree / "clients/python")
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, roots))}
    done = subprocess.run(
        [sys.executable, FILES / f"{program}.py", *packs(tree)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{says}\n"


@pytest.mark.parametrize(
    ("part", "files"),
    [("rules", "*.py"), ("content", "*.py"), ("arena", "*.py"), ("cli", "kind.py")],
)
def test_the_base_files_know_no_module_by_name(part: str, files: str) -> None:
    folder = ROOT / PARTS[part]
    for path in folder.rglob(files):
        if OWN.match(path.relative_to(folder).as_posix()):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            assert WORDS.search(line.lower()) is None, (path.name, number, line)


@pytest.mark.parametrize("part", ["content", "arena", "cli"])
def test_what_is_a_modules_own_is_found_under_its_name(part: str) -> None:
    files = {path.stem for path in (ROOT / PARTS[part] / "modules").glob("[!_]*.py")}
    assert {"rivers", "sea_cows"} <= files <= set(REGISTRY)


def test_no_two_sections_of_a_pack_have_the_same_name() -> None:
    names = [section.section for section in sections()]
    assert len(set(names)) == len(names)
