"""CONTRIBUTING.md names every package, and what it may import."""

from __future__ import annotations

import re

from tests.foundations.test_imports import ALLOWED, ONLY
from tests.foundations.tree import ROOT, tracked

TEXT = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| `([\w/]+)` \| [^|]+ \| ([^|]+) \|$", TEXT, re.MULTILINE)


def test_the_table_of_packages_is_the_rule_that_the_tests_enforce() -> None:
    shown = {
        name: set(ALLOWED) - {name} if may == "everything" else set(re.findall(r"`(\w+)`", may))
        for name, _, may in ROWS
    }
    assert shown == {name: may - {name} for name, may in ALLOWED.items()}


def test_a_package_is_in_the_source_root_that_the_table_names() -> None:
    for name, root, _ in ROWS:
        assert any(path.startswith(f"{root}/endless_winter/{name}/") for path in tracked()), name


def test_the_parts_that_a_package_may_import_are_named() -> None:
    assert ONLY["engine", "store"] == {"records", "errors"}
    assert "of `store` the records and errors" in TEXT
