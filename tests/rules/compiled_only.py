"""A pytest plugin: the run fails unless every module of the rules core is a compiled one.

`-p tests.rules.compiled_only`; test_compiled.py uses it in an environment of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

LEAST = 20  # modules; fewer would mean that the core was hardly used


def modules() -> dict[str, str]:
    """The imported modules of the core and their files."""
    return {
        name: str(getattr(module, "__file__", ""))
        for name, module in sys.modules.items()
        if name.startswith("endless_winter.rules")
    }


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    files = modules()
    pure = [name for name, file in files.items() if not file.endswith((".so", ".pyd"))]
    compiled = len(files) - len(pure)
    # The packages themselves may be plain files.
    if compiled < LEAST or any(Path(files[name]).name != "__init__.py" for name in pure):
        session.exitstatus = pytest.ExitCode.INTERNAL_ERROR
    print(f"\nrules core: {compiled} modules compiled, pure: {', '.join(pure) or 'none'}")
