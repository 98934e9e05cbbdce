"""The next module needs new files and one line in the registry (docs/add-a-module.md).

In a copy of the project a module is added that is none of ours, with a section of a content pack,
an icon that is printed on a card, rules of its own, a decision and points, an option of the command
line and a key of tournaments. The contract of the copy gets one field each in configuration, move
and view, and its stubs by the function that the build uses.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from endless_winter.content.reader import sections
from endless_winter.rules.modules import REGISTRY
from endless_winter.v1 import config_pb2
from tests.foundations.tree import ROOT

FILES = ROOT / "tests" / "data" / "next_module"
SERVER = Path("server") / "endless_winter"
PROTO = Path("proto") / "endless_winter" / "v1"
PARTS = {part: SERVER / part for part in ("rules", "content", "views", "tournament")} | {
    "cli": Path("clients/python/endless_winter/cli")
}
# The end of the registry: new modules are behind all others.
LAST_LINE = re.compile(r"^REGISTRY\b.*= \{\n(?: .*\n)*(?=\}\n)", re.MULTILINE)
NOT_REGISTERED = "no module has that name in REGISTRY of rules/modules/__init__.py; add its line"
# One field each, and where it goes: behind this line. A move has one more for benefits, in Target.
FIELDS = (
    ("config.proto", "message GameConfig {\n", "CairnsConfig cairns = 63;"),
    ("move.proto", "  oneof action {\n", "CairnChoice raise_cairn = 63;"),
    ("move.proto", "  oneof on {\n", "CairnChoice cairn = 63;"),
    ("view_public.proto", "message PublicView {\n", "CairnsView cairns = 63;"),
)
OF_EVERY_GAME = ("seats", "modules", "time_control")  # of the messages in a configuration
# What is the modules' own, below each of them.
OWN = re.compile(r"modules/|rivers/|nomad/")
WORDS = re.compile(
    r"\b(rafts?|rivers?|landmarks?|fish|mammoths?|warriors?|sea[ _]cows?|raf|srf|mam)\b"
)


@pytest.fixture(scope="module")
def contract(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the contract with the module's fields, and stubs of it."""
    root = tmp_path_factory.mktemp("contract")
    folder = root / PROTO
    folder.mkdir(parents=True)
    ours = (ROOT / PROTO).glob("*.proto")
    for file in (*ours, ROOT / PROTO / "__init__.py", FILES / "proto/cairns.proto"):
        shutil.copy(file, folder)
    for name, line, field in FIELDS:
        replace(folder / name, line, f"{line}    {field}\n")
    for name in sorted({name for name, _, _ in FIELDS}):
        package = "package endless_winter.v1;\n"
        replace(folder / name, package, f'{package}import "endless_winter/v1/cairns.proto";\n')
    build = importlib.util.spec_from_file_location("hatch_build", ROOT / "proto/hatch_build.py")
    assert build is not None
    assert build.loader is not None
    module = importlib.util.module_from_spec(build)
    build.loader.exec_module(module)
    assert module.generate_stubs(root)
    return root / "proto"


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
    lines = LAST_LINE.search(text)
    assert lines is not None, f"{registry.name} has no REGISTRY that ends with a line of its own"
    text = (
        f"{text[: lines.start()]}from endless_winter.rules.modules.cairns import Cairns\n\n"
        f'{lines[0]}    "cairns": Cairns(),\n{text[lines.end() :]}'
    )
    registry.write_text(text, encoding="utf-8")
    return tmp_path


def packs(tree: Path) -> list[Path]:
    """With the module's section and its icon on a card, with the section wrong, with neither."""
    content = tree / SERVER / "content"
    found = []
    for name in ("good", "bad", "without"):
        folder = tree / name
        folder.mkdir()
        for file in content.glob("*.toml"):
            shutil.copy(file, folder)
        found.append(folder / "base.toml")
    for main in found[:2]:
        # What the Brave can do in the Eclipse phase, however the pack is tuned.
        brave = re.search(r'"action: labor 1", "eclipse: [a-z0-9 ]+"\]', main.read_text("utf-8"))
        assert brave is not None
        replace(main, brave.group(), '"action: labor 1", "eclipse: cairn 2"]')
    replace(found[1].with_name("cairns.toml"), "points = 2", "points = 0")
    found[2].with_name("cairns.toml").unlink()
    return found


def replace(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text, f"{file.name} does not hold {old!r}"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize(
    ("program", "says"), [("play", "played"), ("show", "shown"), ("ask", "asked")]
)
def test_a_module_of_new_files_and_one_line_is_played_and_shown(
    tree: Path, contract: Path, program: str, says: str
) -> None:
    roots = (contract, tree / "server", tree / "clients/python")
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
    [("rules", "*.py"), ("content", "*.py"), ("tournament", "*.py"), ("cli", "kind.py")],
)
def test_the_base_files_know_no_module_by_name(part: str, files: str) -> None:
    folder = ROOT / PARTS[part]
    for path in folder.rglob(files):
        if OWN.match(path.relative_to(folder).as_posix()):
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            assert WORDS.search(line.lower()) is None, (path.name, number, line)


@pytest.mark.parametrize("part", ["content", "views", "tournament", "cli"])
def test_what_is_a_modules_own_is_found_under_its_name(part: str) -> None:
    folder = ROOT / PARTS[part] / "modules"
    files = {path.stem for path in folder.glob("[!_]*") if path.suffix == ".py" or path.is_dir()}
    assert "rivers" in files
    for name in files:
        assert name in REGISTRY, f"{part}/modules/{name} is never looked at: {NOT_REGISTERED}"


def test_what_switches_a_module_on_is_called_as_the_module() -> None:
    for switch in config_pb2.ModuleConfig.DESCRIPTOR.fields:
        assert switch.name in REGISTRY, f"ModuleConfig.{switch.name}: {NOT_REGISTERED}"
    for field in config_pb2.GameConfig.DESCRIPTOR.fields:
        if field.message_type is not None and field.name not in OF_EVERY_GAME:
            assert field.name in REGISTRY, f"GameConfig.{field.name}: {NOT_REGISTERED}"


def test_no_two_sections_of_a_pack_have_the_same_name() -> None:
    names = [section.section for section in sections()]
    assert len(set(names)) == len(names)
