"""Runs pytest in forked children on copies of the project, away from the original sources.

The parent has imported pytest and its plugins but nothing of the project; a child points the
import path at its copy, runs the chosen tests there and writes down what happened. Forking
saves the start of an interpreter and of pytest's plugins for every single run.
"""

from __future__ import annotations

import compileall
import contextlib
import dataclasses
import io
import json
import os
import py_compile
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Sequence
    from types import ModuleType

SOURCE_ROOTS = ("server", "clients/python", "proto")
_LEFT_OUT = shutil.ignore_patterns(
    # Compiled modules would be imported in place of the mutated sources.
    *("*.so", "*.pyd", "__pycache__", "*.pyc"),
    *(".git", ".hypothesis", ".*_cache", "node_modules", "build", "dist"),
)
_MEMORY = 4 << 30
# Exceptions that say "this is no longer a program" rather than "the rule is broken".
_NOT_A_PROGRAM = (SyntaxError, ImportError, NameError)


@dataclass
class Report:
    """What one pytest run did."""

    exit_code: int = -1
    passed: dict[str, list[str]] = field(default_factory=dict)
    """The rule ids of each test that passed, by node id."""
    failed: list[str] = field(default_factory=list)
    """Tests that failed while being called."""
    errors: list[str] = field(default_factory=list)
    """Everything else that went wrong: collection, fixtures, code that is no program."""
    seconds: dict[str, float] = field(default_factory=dict)
    escaped: list[str] = field(default_factory=list)
    """Modules that came from the original tree or from a compiled file."""
    modules: list[str] = field(default_factory=list)
    """Files of the copy that were imported, relative to it."""


@dataclass(frozen=True)
class Child:
    """A run under way."""

    pid: int
    deadline: float
    result: Path
    log: Path

    def finished(self) -> Report | str | None:
        """None while it runs; then its report, "timeout", or how it died."""
        pid, status = os.waitpid(self.pid, os.WNOHANG)
        if pid == 0:
            if time.monotonic() < self.deadline:
                return None
            self.kill()
            return "timeout"
        _kill_group(self.pid)  # whatever the tests have left behind
        try:
            return Report(**json.loads(self.result.read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return f"the run died (wait status {status})"

    def kill(self) -> None:
        """End the run and everything that it has started."""
        _kill_group(self.pid)
        with contextlib.suppress(ChildProcessError, ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)  # it may not lead its group yet
            os.waitpid(self.pid, 0)


def _kill_group(pid: int) -> None:
    # The child makes itself the leader of a group first of all; before that there is none.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def warm_up() -> None:
    """Import pytest's plugins, through pytest, so that children find them ready."""
    for name in ("PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "PYTEST_XDIST_WORKER"):
        os.environ.pop(name, None)
    silence = io.StringIO()
    with (
        tempfile.TemporaryDirectory() as empty,
        contextlib.redirect_stdout(silence),
        contextlib.redirect_stderr(silence),
    ):
        config = Path(empty) / "pytest.ini"
        config.write_text("[pytest]\n", encoding="utf-8")
        pytest.main(["-q", "-p", "no:cacheprovider", "-c", str(config), empty])


def copy_tree(root: Path, target: Path) -> None:
    """Copy the project without environments, caches and anything compiled."""

    def ignore(folder: str, names: list[str]) -> set[str]:
        environments = {n for n in names if (Path(folder) / n / "pyvenv.cfg").exists()}
        return _LEFT_OUT(folder, names) | environments

    shutil.copytree(root, target, ignore=ignore, symlinks=True)
    # Checked by hash, not by time and size: a mutated file is recompiled for certain, all others
    # never. Runs of mutations write no bytecode, so that this stays as it is.
    with contextlib.redirect_stdout(io.StringIO()):
        compileall.compile_dir(
            target, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH
        )


def start(
    root: Path,
    copy: Path,
    arguments: Sequence[str],
    rules: Iterable[str],
    timeout: float,
    place: Path,
    *,
    warm_cache: bool = False,
) -> Child:
    """Fork a child that runs the tests of these rules in the copy; `place` names its files.

    With `warm_cache` it leaves pytest's compiled tests behind for later runs.
    """
    child = Child(
        pid=0,
        deadline=time.monotonic() + timeout,
        result=place.with_suffix(".json"),
        log=place.with_suffix(".log"),
    )
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        code = 70
        try:
            os.setsid()
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            _redirect(child.log)
            sys.dont_write_bytecode = not warm_cache
            # No failing examples of one mutation for the next: verdicts do not depend on order.
            os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(place.with_suffix(".hypothesis"))
            report = _run(root, copy, arguments, frozenset(rules))
            child.result.write_text(json.dumps(dataclasses.asdict(report)), encoding="utf-8")
            code = 0
        except BaseException:  # noqa: BLE001 - nothing of the child may reach the parent's code
            traceback.print_exc()
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)
    return dataclasses.replace(child, pid=pid)


def _redirect(log: Path) -> None:
    with log.open("wb") as file, Path(os.devnull).open("rb") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)


def _run(root: Path, copy: Path, arguments: Sequence[str], rules: frozenset[str]) -> Report:
    with contextlib.suppress(ValueError):  # a lower limit is set already
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    os.chdir(copy)
    for name, module in list(sys.modules.items()):
        if name != "__main__" and (_belongs_to(root, module) or name.split(".")[0] == "tests"):
            del sys.modules[name]
    sys.path[:] = _moved(sys.path, root, copy)
    path = [entry for entry in os.environ.get("PYTHONPATH", "").split(os.pathsep) if entry]
    os.environ["PYTHONPATH"] = os.pathsep.join(_moved(path, root, copy))
    os.environ["PYTHONDONTWRITEBYTECODE"] = "1"

    options = ["-q", "-p", "no:cacheprovider", "--import-mode=importlib", f"--rootdir={copy}"]
    if (copy / "pyproject.toml").exists():
        options.append(f"--config-file={copy / 'pyproject.toml'}")
    if "_hypothesis_pytestplugin" in sys.modules:
        options.append("--hypothesis-seed=0")  # the same verdict every time
    recorder = _Recorder(rules)
    code = pytest.main([*options, *arguments], plugins=[recorder])
    report = recorder.report
    report.exit_code = int(code)
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or module.__name__ == "__main__":
            continue
        if Path(file).is_relative_to(copy):
            report.modules.append(Path(file).relative_to(copy).as_posix())
        elif _belongs_to(root, module):
            report.escaped.append(file)
    return report


def _moved(path: Sequence[str], root: Path, copy: Path) -> list[str]:
    """An import path that has the copy in every place of the original, and in front."""
    moved = [str(copy / source) for source in SOURCE_ROOTS if (copy / source).is_dir()]
    for entry in path:
        place = Path(entry).resolve() if entry else copy
        inside = place.is_relative_to(root) and not _in_environment(root, place)
        new = str(copy / place.relative_to(root)) if inside else entry or str(copy)
        if new not in moved:
            moved.append(new)
    return moved


def _in_environment(root: Path, place: Path) -> bool:
    """Whether a path inside the project belongs to a virtual environment there."""
    prefixes = [Path(prefix).resolve() for prefix in {sys.prefix, sys.base_prefix}]
    return any(prefix != root and place.is_relative_to(prefix) for prefix in prefixes)


def _belongs_to(root: Path, module: ModuleType) -> bool:
    """Whether a module, or a part of a namespace package, comes from the original tree."""
    try:
        files = [module.__file__] if getattr(module, "__file__", None) else list(module.__path__)
    except (AttributeError, KeyError):
        return False
    places = [Path(file).resolve() for file in files if isinstance(file, str)]
    return any(p.is_relative_to(root) and not _in_environment(root, p) for p in places)


class _Recorder:
    """A pytest plugin: keeps the tests of the wanted rules, and notes how they end."""

    def __init__(self, rules: frozenset[str]) -> None:
        self.report = Report()
        self._wanted = rules
        self._rules: dict[str, list[str]] = {}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> None:
        chosen: list[pytest.Item] = []
        left_out: list[pytest.Item] = []
        for item in items:
            named = {rule for mark in item.iter_markers("rule") for rule in mark.args}
            self._rules[item.nodeid] = sorted(named & self._wanted)
            (chosen if self._rules[item.nodeid] else left_out).append(item)
        items[:] = chosen
        config.hook.pytest_deselected(items=left_out)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.report.errors.append(f"{report.nodeid}: cannot be collected")

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        ours = self.report
        ours.seconds[item.nodeid] = ours.seconds.get(item.nodeid, 0.0) + report.duration
        if report.passed and report.when == "call":
            ours.passed[item.nodeid] = self._rules[item.nodeid]
        elif report.failed and report.when == "call":
            raised = call.excinfo.value if call.excinfo is not None else None
            if isinstance(raised, _NOT_A_PROGRAM):
                ours.errors.append(f"{item.nodeid}: {type(raised).__name__}: {raised}")
            else:
                ours.failed.append(item.nodeid)
        elif report.failed:
            ours.errors.append(f"{item.nodeid}: error in {report.when}")
        return report
