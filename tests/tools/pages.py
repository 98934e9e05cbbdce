"""Writes the parts of documents that are made from the code.

    .venv/bin/python -m tests.tools.pages

writes the table of every field of a view into docs/sdk.md, and docs/moves.md. A test compares.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import re
from typing import TYPE_CHECKING, Final

from endless_winter.sdk import Decision, Option, Plan, Result, Seen, Table, View
from endless_winter.sdk.parts import (
    agreed,
    boards,
    modules,
    move,
    offered,
    player,
    printed,
    table,
    turn,
)
from endless_winter.sdk.parts.part import Part
from endless_winter.sdk.parts.printed import Printed
from tests.foundations.tree import ROOT
from tests.tools.moves import moves_page

if TYPE_CHECKING:
    from types import ModuleType

COMMAND: Final = ".venv/bin/python -m tests.tools.pages"
_BEGIN: Final = f"<!-- made by {COMMAND} -->\n"
_END: Final = "<!-- end of what is made -->\n"
_LEFT_OUT: Final = {"is_read", "raw"}  # of every part, and said above the tables
_MODULES: Final[tuple[ModuleType, ...]] = (
    turn,
    offered,
    move,
    agreed,
    player,
    table,
    modules,
    printed,
    boards,
)


def classes() -> list[type]:
    """What a bot gets, and everything that it is made of, in the order of the tables."""
    found: list[type] = [View, Decision, Option, Plan, Table, Result, Seen]
    for module in _MODULES:
        own = [
            one
            for one in vars(module).values()
            if isinstance(one, type) and issubclass(one, Part) and one.__module__ == module.__name__
        ]
        found += [one for one in own if one is not Printed]
    return found


def fields_of(kind: type) -> dict[str, tuple[str, str]]:
    """The type and the meaning of each field; with brackets after the name, of each method."""
    found = attributes_of(kind)
    for above in reversed(kind.__mro__):
        for name, member in vars(above).items():
            if name.startswith("_") or name in _LEFT_OUT:
                continue
            function = member.fget if isinstance(member, property) else member
            if not inspect.isfunction(function):
                continue
            given = ", ".join(list(inspect.signature(function).parameters)[1:])
            shown = name if isinstance(member, property) else f"{name}({given})"
            said = inspect.getdoc(function) or ""
            found[shown] = (str(function.__annotations__["return"]), " ".join(said.split()))
    return found


def attributes_of(kind: type) -> dict[str, tuple[str, str]]:
    """The type and the meaning of each plain attribute; the meaning stands below it, as a text."""
    (body,) = ast.parse(inspect.getsource(kind)).body
    assert isinstance(body, ast.ClassDef)
    found = {}
    for one, below in itertools.pairwise(body.body):
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            if one.target.id.startswith("_") or one.target.id in _LEFT_OUT:
                continue
            said = below.value if isinstance(below, ast.Expr) else None
            text = said.value if isinstance(said, ast.Constant) else ""
            found[one.target.id] = (ast.unparse(one.annotation), str(text))
    return found


def fields_tables() -> str:
    """A table for each class."""
    parts: list[str] = []
    for kind in classes():
        lines = [f"### {kind.__name__}", ""]
        lines += [(inspect.getdoc(kind) or "").split("\n\n")[0].replace("\n", " "), ""]
        lines += ["| field | type | meaning |", "| --- | --- | --- |"]
        for name, (returned, said) in fields_of(kind).items():
            plain = re.sub(r"\w+_pb2\.\w+\.ValueType", "int", returned)
            lines.append(f"| `{name}` | `{_cell(plain)}` | {_cell(said)} |")
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def with_fields(page: str) -> str:
    """The page with its tables made anew."""
    pattern = re.compile(f"({re.escape(_BEGIN)}).*({re.escape(_END)})", re.DOTALL)
    made, count = pattern.subn(lambda found: f"{found[1]}\n{fields_tables()}\n{found[2]}", page)
    assert count == 1, "docs/sdk.md has no place for the tables"
    return made


def main() -> None:
    sdk = ROOT / "docs" / "sdk.md"
    sdk.write_text(with_fields(sdk.read_text(encoding="utf-8")), encoding="utf-8")
    (ROOT / "docs" / "moves.md").write_text(moves_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
