"""Imports point one way: rules <- content <- views <- engine <- service."""

from __future__ import annotations

import ast
import re
import sys
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

import pytest

from tests.foundations.tree import ROOT, SOURCE_ROOTS, tracked

if TYPE_CHECKING:
    from collections.abc import Iterator

# Each sub-package and the sub-packages it may import besides itself. cli may import everything.
ALLOWED: dict[str, set[str]] = {
    "v1": set(),
    "rules": set(),
    "content": {"rules"},
    "views": {"v1", "rules", "content"},
    "store": {"rules"},
    "engine": {"v1", "rules", "content", "views", "store"},
    "tournament": {"v1", "rules", "content", "views", "engine"},
    "service": {"v1", "rules", "content", "views", "store", "engine"},
    # Its search.py looks the bots up by name when it is called: they are built on it.
    "sdk": {"v1", "rules", "content", "views"},
    "bots": {"v1", "rules", "content", "views", "sdk"},
    "terminal": {"v1", "sdk"},
    "pettingzoo": {"v1", "rules", "content", "views", "sdk"},
    "conformance": {"v1"},
}
ALLOWED["cli"] = set(ALLOWED)

# The engine knows the records of a store, not how they are stored.
ONLY = {("engine", "store"): {"records", "errors"}}

# What computes and does nothing else; rules/ needs nothing but the standard library for it.
PURE = {"rules", "engine"}
# Of the standard library, what a pure core has no use for: clocks, chance, files, processes,
# the network, concurrency, and pickled or looked-up code.
# fmt: off
IMPURE = {
    "asyncio", "asyncore", "concurrent", "contextvars", "ctypes", "datetime", "email",
    "fileinput", "ftplib", "getpass", "glob", "http", "imaplib", "importlib", "io", "locale",
    "logging", "mmap", "multiprocessing", "os", "pathlib", "pickle", "pkgutil", "platform", "pty",
    "queue", "random", "resource", "runpy", "sched", "secrets", "select", "selectors", "shelve",
    "shutil", "signal", "smtplib", "socket", "socketserver", "sqlite3", "ssl", "subprocess",
    "sysconfig", "tempfile", "threading", "time", "tomllib", "urllib", "uuid", "xmlrpc",
    "zoneinfo", "_thread",
}
# fmt: on
IMPURE_CALLS = {"open", "input", "print", "exec", "eval", "compile", "__import__"}


def sub_package(path: str) -> str:
    """The sub-package that a source file belongs to."""
    parts = path.split("/")
    return parts[parts.index("endless_winter") + 1]


def imported(tree: ast.AST, package: str) -> Iterator[str]:
    """Every module that the tree imports, absolute; ``from a import b`` counts as ``a.b`` too."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1]
            base = ".".join([*above, *([node.module] if node.module else [])]) if node.level else ""
            base = base or node.module or ""
            yield from (f"{base}.{name.name}" for name in node.names)


def violations(source: str, package: str) -> list[str]:
    """What the source of a module in the package may not import or call."""
    tree = ast.parse(source)
    own = package.split(".")[1]
    found = []
    for module in imported(tree, package):
        top, _, rest = module.partition(".")
        if top == "endless_winter":
            other, part, *_ = [*rest.split("."), ""]
            if other != own and other not in ALLOWED[own]:
                found.append(f"{own} imports {other}")
            elif part not in ONLY.get((own, other), {part}):
                found.append(f"{own} imports {other}.{part}")
        elif own in PURE and top in IMPURE:
            found.append(f"{own} imports {top}")
        elif own == "rules" and top not in sys.stdlib_module_names:
            found.append(f"rules imports {top}")
    if own in PURE:
        found += [
            f"{own} calls {node.func.id}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in IMPURE_CALLS
        ]
    return found


SOURCES = [
    name
    for name in tracked()
    if name.startswith(SOURCE_ROOTS) and "/endless_winter/" in name and name.endswith(".py")
]


@pytest.mark.parametrize("path", SOURCES)
def test_a_module_imports_only_what_is_below_it(path: str) -> None:
    assert sub_package(path) in ALLOWED, f"say in ALLOWED what {sub_package(path)} may import"
    package = ".".join(path[path.index("endless_winter") :].split("/")[:-1])
    assert violations((ROOT / path).read_text(encoding="utf-8"), package) == []


def test_the_allowed_directions_have_no_circle() -> None:
    list(TopologicalSorter(ALLOWED).static_order())


@pytest.mark.parametrize(
    ("source", "package", "expected"),
    [
        ("import random", "endless_winter.rules", ["rules imports random"]),
        ("from os.path import join", "endless_winter.rules", ["rules imports os"]),
        ("import msgspec", "endless_winter.rules", ["rules imports msgspec"]),
        ("from endless_winter import v1", "endless_winter.rules", ["rules imports v1"]),
        ("from .. import content", "endless_winter.rules", ["rules imports content"]),
        ("from ..views import x", "endless_winter.content", ["content imports views"]),
        ("from ...service import x", "endless_winter.rules.deep", ["rules imports service"]),
        ("def f():\n  import time", "endless_winter.rules", ["rules imports time"]),
        ("open('x')", "endless_winter.rules", ["rules calls open"]),
        ("import endless_winter.cli.main", "endless_winter.service", ["service imports cli"]),
        ("import asyncio", "endless_winter.engine.replay", ["engine imports asyncio"]),
        ("from google import protobuf", "endless_winter.engine", []),
        ("from endless_winter.store.records import A", "endless_winter.engine", []),
        ("from ..store import errors", "endless_winter.engine", []),
        ("from ..store import sqlite", "endless_winter.engine", ["engine imports store.sqlite"]),
        ("import endless_winter.store", "endless_winter.engine", ["engine imports store."]),
        ("print(1)", "endless_winter.engine", ["engine calls print"]),
        ("from . import a\nfrom .a import b", "endless_winter.rules", []),
        ("import hashlib\nfrom endless_winter.rules import a", "endless_winter.rules", []),
        ("import msgspec, endless_winter.rules.a", "endless_winter.content", []),
    ],
)
def test_the_guard_sees_every_form_of_import(
    source: str, package: str, expected: list[str]
) -> None:
    assert violations(source, package) == expected


def test_nothing_that_is_shipped_imports_a_benchmark() -> None:
    imports = re.compile(r"^\s*(?:from|import) bench\b", re.MULTILINE)
    for name in tracked():
        if name.endswith(".py") and name.startswith(("proto/", "server/", "clients/")):
            assert not imports.search((ROOT / name).read_text(encoding="utf-8")), name
