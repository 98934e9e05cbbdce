"""Bots by name, file and command line."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import pytest

from endless_winter.sdk import Bot, BotFailed, maker, play_local
from endless_winter.sdk.loading import command_of, is_command, load, name_of

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.sdk import Decision, Option, View

CLASS = """
from endless_winter.sdk import Bot

class Base(Bot):
    def choose(self, decision, view):
        return decision.default

class Mine(Base):
    pass
"""
FUNCTION = """
import helper

def choose(decision, view):
    "Whatever the helper likes."
    return helper.pick(decision)
"""


class First(Bot):
    def choose(self, decision: Decision, view: View) -> Option:
        del view
        return decision.options[0]


def test_a_built_in_bot_by_its_name() -> None:
    assert isinstance(load("first", {"first": First})(), First)
    with pytest.raises(
        BotFailed, match=r"no bot 'frist', did you mean 'first'\? There are first; or give a "
    ):
        load("frist", {"first": First})


def test_the_one_bot_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "my_bot.py"
    file.write_text(CLASS)
    assert type(load(str(file), {})()).__name__ == "Mine"
    assert type(load(f"{file}:Base", {})()).__name__ == "Base"
    (tmp_path / "helper.py").write_text("def pick(decision):\n    return decision.default\n")
    file.write_text(FUNCTION)
    make = load(str(file), {})
    assert make().explain() == "Whatever the helper likes."
    assert play_local([make(), make()], seed=1).completed


@pytest.mark.parametrize(
    ("text", "chosen", "expected"),
    [
        ("x = 1\n", "", "has no bot: write a function choose"),
        ("x = 1\n", ":x", "'x' in .* is no bot"),
        ("x = 1\n", ":y", "has no 'y'"),
        (CLASS + "class Other(Base):\n    pass\n", "", r"several bots \(Mine, Other\): say which"),
        ("class Mine:\n    pass\n", ":Mine", "derive it from endless_winter.sdk.Bot"),
        ("import nowhere_to_be_found\n", "", r"ModuleNotFoundError: .*\(line 1\)"),
        ("def choose(d, v)\n", "", "SyntaxError: expected ':'.*line 1"),
        ("async def choose(d, v):\n    return 0\n", "", "choose is 'async def': write a plain"),
        ("def choose(d):\n    return 0\n", "", r"choose takes \(d\), .*: write choose\(dec"),
        (CLASS + "    async def choose(self, d, v):\n        ...\n", "", "of Mine is 'async def'"),
        (CLASS + "    def choose(d, v):\n        ...\n", "", r"of Mine .* write choose\(self, "),
        ("x = 1\nraise SystemExit(3)\n", "", r"SystemExit: 3 \(line 2\)"),
    ],
)
def test_a_file_without_a_bot_costs_one_line(
    tmp_path: Path, text: str, chosen: str, expected: str
) -> None:
    file = tmp_path / "bad_bot.py"
    file.write_text(text)
    with pytest.raises(BotFailed, match=expected) as caught:
        load(f"{file}{chosen}", {})
    assert "\n" not in str(caught.value)
    assert "bad_bot.py" in str(caught.value)


def test_whatever_can_take_a_decision_and_a_view_is_a_bot() -> None:
    def more(decision: Decision, _: View, *, often: int = 3) -> int:
        return decision.default.id * often

    for function in (more, lambda *_: 0, partial(more, often=1)):
        assert callable(maker(function))


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(BotFailed, match="there is no file"):
        load(str(tmp_path / "none.py"), {})


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("heuristic", "heuristic"),
        ("bots/my_bot.py", "my_bot"),
        ("bots/my_bot.py:Bold", "Bold"),
        ("my bot (2).py", "my-bot-2"),
        ("cmd: node --trace-warnings clients/node/bot.js", "bot"),
        ("cmd: ./player", "player"),
        ("\u00fc.py", "bot"),
        (f"{'x' * 60}.py", "x" * 32),
    ],
)
def test_a_bot_is_called_after_its_file(spec: str, name: str) -> None:
    assert name_of(spec) == name


def test_a_command_line_is_read_like_a_shell_does() -> None:
    assert is_command("cmd: node 'my bot.js'")
    assert command_of("cmd: node 'my bot.js'") == ["node", "my bot.js"]
    for wrong in ("cmd:", "cmd: 'unclosed"):
        with pytest.raises(BotFailed):
            command_of(wrong)
    with pytest.raises(BotFailed, match="only started"):
        load("cmd: node bot.js", {})
