"""Every command that the documents show, run as shown.

Convention: in a fenced ``console`` block each line that starts with ``$ `` is a command, and it
must end with status 0. A line ``ew serve`` is started, and stopped when it has said where it
listens, on a free port. ``ew health``, ``ew game`` and the like ask a server that the test runs in
place of the default address. Commands whose first word is in NOT_RUN are only looked at. A fenced
``python`` block is a whole program and must end with status 0 too.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from typing import TYPE_CHECKING, NamedTuple

import pytest

from endless_winter.cli.process import running
from tests.foundations.tree import BIN, EW, ROOT, passed, run, tracked

if TYPE_CHECKING:
    from pathlib import Path

NOT_RUN = {
    "make": "would run these tests inside themselves; checked to be a target of the Makefile",
    "git": "needs the network or changes the tree",
    "pip": "needs minutes; test_build.py does the same under 'make soak'",
    "EW_MYPYC=1": "needs minutes; test_build.py compiles a small rules core",
    "PYTHON=/path/to/python3.12": "a make command with a setting",
    "docker": "there need not be a Docker engine; test_dockerfile.py runs the build steps",
}
DEFAULT_ADDRESS = "127.0.0.1:50051"
COLUMNS = 100


class Shown(NamedTuple):
    """A command and the document that shows it."""

    document: str
    command: str


def commands(text: str) -> list[str]:
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


SHOWN = [
    Shown(name, command)
    for name in tracked()
    if name.endswith(".md")
    for command in commands((ROOT / name).read_text(encoding="utf-8"))
]
RUN = [
    shown
    for shown in SHOWN
    if shown.command.split()[0] not in NOT_RUN
    and not shown.command.startswith("ew match ")  # tests/sdk/test_readme.py plays these
]


@pytest.mark.parametrize("shown", RUN, ids=" ".join)
def test_a_shown_command_works(shown: Shown, tmp_path: Path) -> None:
    words = shlex.split(shown.command.partition(" #")[0])
    if (BIN / words[0]).exists():
        words[0] = str(BIN / words[0])
    if words[:2] == [str(EW), "serve"]:
        with running([*words, "--listen", "127.0.0.1:0"]) as server:
            assert server.stop() == 0
        return
    with running() as server:
        words = [server.address if word == DEFAULT_ADDRESS else word for word in words]
        env = {**os.environ, "EW_SERVER": server.address, "EW_HOME": str(tmp_path)}
        passed(run(*words, cwd=ROOT if words[0].endswith("python") else tmp_path, env=env))


def programs(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


PROGRAMS = [
    pytest.param(program, id=f"{name}-{number}")
    for name in tracked()
    if name.endswith(".md")
    for number, program in enumerate(programs((ROOT / name).read_text(encoding="utf-8")), 1)
]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_shown_program_works(program: str, tmp_path: Path) -> None:
    # docs/content.md loads a pack of the reader's own, which is a copy of the one we have.
    for source in (ROOT / "server" / "endless_winter" / "content").glob("*.toml"):
        shutil.copy2(source, tmp_path / source.name.replace("base", "mine"))
    passed(run(sys.executable, "-W", "error", "-c", program, cwd=tmp_path))


def test_the_readme_shows_a_program() -> None:
    assert programs((ROOT / "README.md").read_text())


def test_each_make_command_shown_is_a_target() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for document, command in SHOWN:
        words = command.split()
        if "make" in words:
            for word in words[words.index("make") + 1 : words.index("make") + 2]:
                assert f"\n{word}:" in makefile, f"{document}: {command}"


def test_the_readme_shows_the_two_commands_first() -> None:
    first, second = commands((ROOT / "README.md").read_text())[:2]
    assert first.split()[:2] == ["make", "tournament"]
    assert second.split()[:2] == ["make", "test"]


def test_the_index_links_every_page() -> None:
    linked = set(re.findall(r"\]\(([\w./-]+)\)", (ROOT / "docs/README.md").read_text()))
    pages = {
        name.removeprefix("docs/") for name in tracked() if re.fullmatch(r"docs/[\w-]+\.md", name)
    }
    assert pages - {"README.md"} <= linked


def anchors(text: str) -> set[str]:
    """Those of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", [name for name in tracked() if name.endswith(".md")])
def test_links_between_documents_lead_somewhere(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    for target, anchor in re.findall(r"\]\(([^)#:]*)(?:#([^)]*))?\)", text):
        page = (ROOT / name).parent / target if target else ROOT / name
        assert page.exists(), f"{name} links to {target}"
        if anchor:
            assert anchor in anchors(page.read_text(encoding="utf-8")), f"{name} links to #{anchor}"


@pytest.mark.parametrize("name", [name for name in tracked() if name.endswith(".md")])
def test_prose_is_wrapped_at_100_columns(name: str) -> None:
    """Tables, code, headings and lines that are one link or one word may be longer."""
    text = (ROOT / name).read_text(encoding="utf-8")
    prose = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for line in prose.splitlines():
        if not line.lstrip().startswith(("|", "#", "![")) and " " in line.strip(" -"):
            assert len(line) <= COLUMNS, f"{name}: {line}"
