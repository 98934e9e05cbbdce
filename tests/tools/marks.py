"""Which tests name which rules, read from their source text without importing it.

Understood are `@pytest.mark.rule("GLD-01", ...)` on functions and classes, `pytestmark`,
and `pytest.param(..., marks=pytest.mark.rule(...))`, written in the decorator itself or in
a module constant that the decorator mentions. Whatever else calls the mark is a problem,
because a mark that this scan cannot attach to a test would silently prove nothing.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path


@dataclass(frozen=True, order=True)
class Marked:
    """A test that names a rule."""

    rule: str
    file: str
    """Relative to the root of the project, with forward slashes."""
    test: str
    """The rest of pytest's node id, without parameters: `TestClass::test_name`."""

    @property
    def node_id(self) -> str:
        """The test as pytest takes it on its command line."""
        return f"{self.file}::{self.test}"


@dataclass
class Marks:
    """All rule marks of a project."""

    tests: list[Marked] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    def rules(self) -> set[str]:
        """The ids that at least one test names."""
        return {marked.rule for marked in self.tests}


def scan(root: Path) -> Marks:
    """The rule marks of tests/**/*.py below the root, in a stable order."""
    marks = Marks()
    for path in sorted((root / "tests").rglob("*.py")):
        file = path.relative_to(root).as_posix()
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"), filename=file)
        except SyntaxError as error:
            marks.problems.append(f"{file}:{error.lineno}: cannot be parsed ({error.msg})")
            continue
        module = _Module(tree)
        if _is_collected(path):
            found = {Marked(rule, file, test) for test, rule in module.attach()}
            marks.tests.extend(sorted(found))
        marks.problems.extend(f"{file}:{line}: {text}" for line, text in module.problems())
    marks.tests.sort()
    return marks


def _is_collected(path: Path) -> bool:
    return path.stem.startswith("test_") or path.stem.endswith("_test")


class _Module:
    """One test file: finds the marks, and notes which of them belong to a test."""

    def __init__(self, tree: ast.Module) -> None:
        self._body = tree.body
        self._aliases = {
            target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and _is_rule_mark(node.value, set())
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        self._calls = {
            node: _literals(node)
            for node in ast.walk(tree)
            if isinstance(node, ast.Call) and _is_rule_mark(node.func, self._aliases)
        }
        self._constants = dict(_assignments(tree.body))
        self._attached: set[ast.Call] = set()

    def attach(self) -> Iterator[tuple[str, str]]:
        """Pairs of (test, rule id)."""
        yield from self._scope(self._body, "", [])

    def problems(self) -> Iterator[tuple[int, str]]:
        """Marks that name nothing readable, or belong to no test (call after attach)."""
        for call, rules in sorted(self._calls.items(), key=lambda item: item[0].lineno):
            if not rules:
                yield call.lineno, "rule ids must be written as string literals"
            elif call not in self._attached:
                yield call.lineno, f"the mark of {', '.join(rules)} is not attached to a test"

    def _scope(
        self, body: list[ast.stmt], prefix: str, inherited: list[ast.expr]
    ) -> Iterator[tuple[str, str]]:
        own = [value for name, value in _assignments(body) if name == "pytestmark"]
        around = [*inherited, *own]
        for node in body:
            if isinstance(node, ast.ClassDef):
                if node.name.startswith("Test"):
                    marks = [*around, *node.decorator_list]
                    yield from self._scope(node.body, f"{prefix}{node.name}::", marks)
            elif _is_test(node):
                for rule in self._rules([*around, *node.decorator_list], set()):
                    yield prefix + node.name, rule

    def _rules(self, expressions: Iterable[ast.expr], seen: set[str]) -> Iterator[str]:
        for expression in expressions:
            for node in ast.walk(expression):
                if isinstance(node, ast.Call) and node in self._calls:
                    self._attached.add(node)
                    yield from self._calls[node]
                elif isinstance(node, ast.Name) and node.id not in seen:
                    constant = self._constants.get(node.id)
                    if constant is not None:
                        yield from self._rules([constant], seen | {node.id})


def _is_test(node: ast.stmt) -> TypeGuard[ast.FunctionDef | ast.AsyncFunctionDef]:
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test")


def _assignments(body: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for node in body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    yield target.id, node.value
        elif (
            isinstance(node, ast.AnnAssign)
            and isinstance(node.target, ast.Name)
            and node.value is not None
        ):
            yield node.target.id, node.value


def _is_rule_mark(node: ast.expr, aliases: set[str]) -> bool:
    """Whether it reads pytest.mark.rule, mark.rule, or a name given to one of them."""
    if isinstance(node, ast.Name):
        return node.id in aliases
    if not (isinstance(node, ast.Attribute) and node.attr == "rule"):
        return False
    holder = node.value
    return (isinstance(holder, ast.Attribute) and holder.attr == "mark") or (
        isinstance(holder, ast.Name) and holder.id == "mark"
    )


def _literals(call: ast.Call) -> tuple[str, ...]:
    """The ids of a mark; nothing if any of them is not a plain string."""
    ids = [arg.value for arg in call.args if isinstance(arg, ast.Constant)]
    texts = tuple(value for value in ids if isinstance(value, str))
    return texts if len(texts) == len(call.args) and not call.keywords else ()
