"""docs/architecture.md names files and functions: they exist."""

from __future__ import annotations

import ast
import re

import pytest

from tests.foundations.tree import ROOT

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
TEXT = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| [^|]+ \| `([^`]+\.py)` \| `([\w.]+)` \|$", TEXT, re.MULTILINE)
# "engine/game.py        Game.committed" in the diagram; several names are set apart by commas.
STEPS = re.findall(r"((?:engine|service|store)/\w+\.py) +((?:[\w.]+)(?:, [\w.]+)*)", TEXT)
NAMED = [
    *ROWS,
    *(
        (f"server/endless_winter/{file}", name)
        for file, names in STEPS
        for name in names.split(", ")
    ),
]


def names_in(path: str) -> set[str]:
    """The functions and classes of a module, methods with their class."""
    found: set[str] = set()
    for node in ast.parse((ROOT / path).read_text(encoding="utf-8")).body:
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            methods = [
                n for n in node.body if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)
            ]
            found |= {f"{node.name}.{method.name}" for method in methods}
    return found


def test_the_document_names_the_questions_that_a_newcomer_has() -> None:
    asked = ("a stale answer", "a commit |", "a time-out", "a view is encoded", "a game is loaded")
    assert all(f"| {question}" in TEXT for question in (*asked, "a commit that fails"))


@pytest.mark.parametrize(("path", "name"), NAMED)
def test_a_named_place_exists(path: str, name: str) -> None:
    plain = {one.rpartition(".")[2] for one in names_in(path)}
    assert name in names_in(path) or (name in plain and "." not in name), f"{path} has no {name}"
