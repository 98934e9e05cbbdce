"""A pack's tables as JSON and back, by the standard library alone.

Reading a pack needs msgspec, which other Pythons on this machine need not have; the rules core
needs nothing. So a test hands the tables over in this form.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import Any

from endless_winter.rules import tables as kinds


def plain(value: object) -> Any:
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, tuple):
        return {"tuple": [plain(item) for item in value]}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (str, int)):
        return value
    kind = type(value).__name__
    parts = {name: plain(getattr(value, name)) for name in parameters()[kind]}
    return {"class": kind, "parts": parts}


def rebuilt(value: Any) -> Any:
    if isinstance(value, list):
        return [rebuilt(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "bytes" in value:
        return bytes.fromhex(value["bytes"])
    if "tuple" in value:
        return tuple(rebuilt(item) for item in value["tuple"])
    parts = {name: rebuilt(part) for name, part in value["parts"].items()}
    return getattr(kinds, value["class"])(**parts)


def changed(tables: kinds.Tables, **parts: Any) -> kinds.Tables:
    """Tables with some parts replaced; `copy.copy` cannot make them of a compiled class."""
    names = parameters()["Tables"]
    return kinds.Tables(**{name: getattr(tables, name) for name in names} | parts)


@cache
def parameters() -> dict[str, list[str]]:
    """What each class is made of, from its source: a compiled class does not say."""
    source = Path(kinds.__file__).with_name("tables.py").read_text(encoding="utf-8")
    found = {}
    for kind in ast.parse(source).body:
        if isinstance(kind, ast.ClassDef):
            for method in kind.body:
                if isinstance(method, ast.FunctionDef) and method.name == "__init__":
                    found[kind.name] = [argument.arg for argument in method.args.args[1:]]
    return found
