"""What mypyc does not bear: it evaluates the fields of a NamedTuple or dataclass at import.

A name that is imported under TYPE_CHECKING alone is a null pointer then, and the import of the
compiled module ends in a crash, depending on what was imported before.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tests.foundations.tree import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SERVER = ROOT / "server" / "endless_winter"
COMPILED = ("rules", "views", "engine", "store/records.py")
PURE = ("views/sampling", "engine/replay")  # left out by proto/hatch_build.py


def modules() -> list[Path]:
    found: list[Path] = []
    for name in COMPILED:
        path = SERVER / name
        found += sorted(path.rglob("*.py")) if path.is_dir() else [path]
    pure = [SERVER / name for name in PURE]
    return [path for path in found if not any(folder in path.parents for folder in pure)]


def type_only(tree: ast.Module) -> set[str]:
    """The names that are imported for the type checker alone."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for imported in ast.walk(node):
                if isinstance(imported, (ast.Import, ast.ImportFrom)):
                    names |= {alias.asname or alias.name for alias in imported.names}
    return names


def fields(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """The annotated fields of named tuples and dataclasses."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.ClassDef):
            continue
        made = " ".join(map(ast.unparse, [*node.bases, *node.decorator_list]))
        if "NamedTuple" in made or "dataclass" in made:
            for line in node.body:
                if isinstance(line, ast.AnnAssign):
                    yield f"{node.name}.{ast.unparse(line.target)}", line.annotation


def offenders(source: str) -> list[str]:
    tree = ast.parse(source)
    unknown = type_only(tree)
    return [
        name
        for name, annotation in fields(tree)
        if any(isinstance(part, ast.Name) and part.id in unknown for part in ast.walk(annotation))
    ]


@pytest.mark.parametrize("module", modules(), ids=lambda path: str(path.relative_to(SERVER)))
def test_fields_of_compiled_classes_have_types_that_are_imported(module: Path) -> None:
    assert offenders(module.read_text()) == []


def test_a_field_of_a_type_that_is_not_imported_is_found() -> None:
    imported = "if TYPE_CHECKING:\n    from a import B\n"
    source = f"{imported}class C(NamedTuple):\n    at: int\n    b: B | None\n"
    assert offenders(source) == ["C.b"]
