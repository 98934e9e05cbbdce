"""The public surface: what is exported, documented, and agreed with the server."""

from __future__ import annotations

import doctest
import re
from importlib.util import find_spec
from pathlib import Path

from endless_winter import sdk
from endless_winter.engine.stream import CONTRACT_REVISION
from endless_winter.sdk import local
from endless_winter.sdk.connection import CONTRACT, LEAST_REVISION
from endless_winter.service.contract import PACKAGE
from tests.foundations.tree import ROOT


def test_everything_that_is_exported_is_documented() -> None:
    page = (ROOT / "docs" / "sdk.md").read_text(encoding="utf-8")
    code = " ".join(re.findall(r"`([^`]*)`", page) + re.findall(r"```.*?```", page, re.DOTALL))
    words = set(re.findall(r"\w+", code))
    assert [name for name in sdk.__all__ if name not in words] == []


def test_each_part_of_a_decision_and_a_view_is_documented() -> None:
    page = (ROOT / "docs" / "sdk.md").read_text(encoding="utf-8")
    for kind in (sdk.Decision, sdk.Option, sdk.View, sdk.Table, sdk.Result, sdk.Seen):
        (row,) = re.findall(rf"^\| `{kind.__name__}`.*$", page, re.MULTILINE) or [page]
        missing = [
            name
            for name in dir(kind)
            if not name.startswith("_") and name != "is_read" and name not in row
        ]
        assert missing == [], kind


def test_the_sdk_and_the_server_speak_of_the_same_contract() -> None:
    assert LEAST_REVISION <= CONTRACT_REVISION
    assert CONTRACT == PACKAGE


def test_the_package_is_typed() -> None:
    spec = find_spec("endless_winter.sdk")
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).with_name("py.typed").exists()


def test_the_example_of_the_local_table_works() -> None:
    assert doctest.testmod(local, raise_on_error=True).attempted >= 3
