"""What buf guards: style, comments, format, and compatibility from the first release on."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from tests.contract.schema import BUF, PROTO_ROOT, ROOT
from tests.foundations.tree import needs_git, passed, run

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.contract.conftest import Buf

BREAKING = 100  # buf's status for "findings", apart from failures of buf itself


def test_buf_comes_with_the_test_environment() -> None:
    assert BUF.is_file(), "install requirements/test.lock into the environment of this Python"


def test_lint_is_clean_and_includes_comments(buf: Buf) -> None:
    done = buf("lint")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "COMMENTS" in (ROOT / "buf.yaml").read_text()


def test_lint_finds_a_field_without_a_comment(buf: Buf, contract_copy: Path) -> None:
    clock = contract_copy / "proto" / "endless_winter" / "v1" / "clock.proto"
    text = clock.read_text()
    comment = "  // Whether this clock is running.\n"
    assert comment in text
    clock.write_text(text.replace(comment, ""))
    done = buf("lint", cwd=contract_copy)
    assert done.returncode == BREAKING
    assert '"running"' in done.stdout


def test_format_is_clean(buf: Buf) -> None:
    done = buf("format", "--diff", "--exit-code")
    assert (done.returncode, done.stdout) == (0, "")


def test_no_dependency_needs_a_registry() -> None:
    assert "deps" not in (ROOT / "buf.yaml").read_text().replace("No deps", "")
    assert not (ROOT / "buf.lock").exists()


@pytest.fixture
def contract_copy(tmp_path: Path) -> Path:
    """The contract to be edited; beside it, in "released", as it is."""
    for folder in (tmp_path / "copy", tmp_path / "released"):
        shutil.copytree(PROTO_ROOT, folder / "proto", ignore=shutil.ignore_patterns("*.py*", "__*"))
        shutil.copy2(ROOT / "buf.yaml", folder)
    return tmp_path / "copy"


def breaking(buf: Buf, copy: Path) -> subprocess.CompletedProcess[str]:
    return buf("breaking", "--against", "../released", cwd=copy)


def edit(copy: Path, file: str, old: str, new: str) -> None:
    path = copy / "proto" / "endless_winter" / "v1" / file
    text = path.read_text()
    assert text.count(old) == 1, f"{file}: {old!r}"
    path.write_text(text.replace(old, new))


def test_an_unchanged_contract_breaks_nothing(buf: Buf, contract_copy: Path) -> None:
    done = breaking(buf, contract_copy)
    assert (done.returncode, done.stdout) == (0, "")


def test_an_added_field_breaks_nothing(buf: Buf, contract_copy: Path) -> None:
    edit(
        contract_copy,
        "update.proto",
        "  GameInfo game = 12;\n",
        "  GameInfo game = 12;\n  // New.\n  uint32 added = 14;\n",
    )
    assert breaking(buf, contract_copy).returncode == 0


@pytest.mark.parametrize(
    ("file", "old", "new", "finding"),
    [
        ("update.proto", "GameInfo game = 12;", "GameInfo game = 14;", '"12"'),
        ("ids.proto", "uint32 level = 3;", "string level = 3;", '"level"'),
        ("enums.proto", "ICON_TOOL = 3;", "ICON_TOOLS = 3;", '"ICON_TOOL"'),
        ("play_service.proto", "rpc SubmitMove(", "rpc SendMove(", '"SubmitMove"'),
    ],
    ids=["moved field number", "changed type", "renamed value", "renamed method"],
)
def test_a_breaking_change_is_caught(
    buf: Buf, contract_copy: Path, file: str, old: str, new: str, finding: str
) -> None:
    edit(contract_copy, file, old, new)
    done = breaking(buf, contract_copy)
    assert done.returncode == BREAKING
    assert finding in done.stdout


@needs_git
def test_make_lint_holds_the_contract_to_the_last_release_tag(contract_copy: Path) -> None:
    """The lines of the Makefile, with buf as the only linter, before and after a release."""
    makefile = (ROOT / "Makefile").read_text()
    recipe = makefile[makefile.index("\t@tag=$$(git describe") :].partition("\t@echo")[0]
    (contract_copy / "Makefile").write_text(f"BIN := {BUF.parent}\nlint:\n{recipe}")
    git = ("git", "-c", "user.name=test", "-c", "user.email=test@example.invalid")
    passed(run("git", "init", "-q", cwd=contract_copy))
    assert "skipped, there is no release tag" in passed(run("make", "lint", cwd=contract_copy))
    passed(run("git", "add", "-A", cwd=contract_copy))
    passed(run(*git, "commit", "-qm", "A release", cwd=contract_copy))
    passed(run("git", "tag", "v1.0.0", cwd=contract_copy))
    assert "compatible with v1.0.0" in passed(run("make", "lint", cwd=contract_copy))
    edit(contract_copy, "update.proto", "GameInfo game = 12;", "GameInfo game = 14;")
    done = run("make", "lint", cwd=contract_copy)
    assert done.returncode != 0
    assert 'field "12"' in done.stdout
