"""A pack's tables as JSON and back, by the standard library alone.

Reading a pack needs msgspec, which other Pythons on this machine need not have; the rules core
needs nothing. So a test hands the tables over in this form.
"""

from __future__ import annotations

import ast
from functools import cache
from importlib import import_module
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
    if isinstance(value, dict):
        return {"dict": {key: plain(item) for key, item in value.items()}}
    if value is None or isinstance(value, (str, int)):
        return value
    kind = type(value)
    parts = {
        name: plain(getattr(value, name)) for name in parameters(kind.__module__)[kind.__name__]
    }
    return {"file": kind.__module__, "class": kind.__name__, "parts": parts}


def rebuilt(value: Any) -> Any:
    if isinstance(value, list):
        return [rebuilt(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "bytes" in value:
        return bytes.fromhex(value["bytes"])
    if "tuple" in value:
        return tuple(rebuilt(item) for item in value["tuple"])
    if "dict" in value:
        return {key: rebuilt(item) for key, item in value["dict"].items()}
    parts = {name: rebuilt(part) for name, part in value["parts"].items()}
    return getattr(import_module(value["file"]), value["class"])(**parts)


def changed(tables: kinds.Tables, **parts: Any) -> kinds.Tables:
    """Tables with some parts replaced; `copy.copy` cannot make them of a compiled class."""
    names = parameters(kinds.__name__)["Tables"]
    return kinds.Tables(**{name: getattr(tables, name) for name in names} | parts)


@cache
def parameters(module: str) -> dict[str, list[str]]:
    """What each class of a file is made of, from its source: a compiled class does not say."""
    file = Path(import_module(module).__file__ or "").with_name(f"{module.rpartition('.')[2]}.py")
    source = file.read_text(encoding="utf-8")
    found = {}
    for kind in ast.parse(source).body:
        if isinstance(kind, ast.ClassDef):
            for method in kind.body:
                if isinstance(method, ast.FunctionDef) and method.name == "__init__":
                    found[kind.name] = [argument.arg for argument in method.args.args[1:]]
    return found
