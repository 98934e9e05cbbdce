"""``ew bot check`` as a command: what it prints, and how it ends."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from endless_winter.conformance import CHECKS
from tests.foundations.tree import EW, ROOT, passed, run
from tests.node.machine import BOT as NODE_BOT
from tests.node.machine import needs_node

if TYPE_CHECKING:
    import subprocess

FAULTY = [sys.executable, str(Path(__file__).parent / "faulty_bot.py")]
SDK_BOT = '''
from endless_winter.sdk import Plan

def choose(decision, view):
    """Whatever comes last, and the end of the turn after it."""
    return Plan(decision.options[-1], "end", "done")
'''


def check(*arguments: str) -> subprocess.CompletedProcess[str]:
    return run(EW, "bot", "check", *arguments)


# What a bot by the book is given: so much that no busy machine makes it fail.
PATIENT = ("--limit", "20", "--start", "120", "--patience", "60")


@needs_node
@pytest.mark.parametrize(
    "only",
    [("attaches", "takes-seat", "whole-game"), pytest.param((), marks=pytest.mark.soak)],
    ids=["a game", "all"],
)
def test_the_bot_in_javascript_passes_the_checks(only: tuple[str, ...]) -> None:
    chosen = [word for name in only for word in ("--only", name)]
    done = check("--json", *PATIENT, *chosen, shlex.join(NODE_BOT))
    found = json.loads(done.stdout)
    assert only or [one["name"] for one in found["checks"]] == [one.name for one in CHECKS]
    passes = {one["name"] for one in found["checks"] if one["status"] == "pass"}
    # It makes no plans.
    assert passes >= set(only or (one.name for one in CHECKS)) - {"short-plan"}, found
    assert found["passed"] is True
    assert done.returncode == 0


def test_a_bot_of_the_sdk_passes_every_check(tmp_path: Path) -> None:
    path = tmp_path / "last.py"
    path.write_text(SDK_BOT)
    done = check(*PATIENT, shlex.join([str(EW), "bot", "run", "--quiet", str(path)]))
    assert done.stdout.count("\npass  ") == len(CHECKS) - 1, done.stdout
    assert f"{len(CHECKS)} passed, 0 failed, 0 skipped: " in done.stdout
    assert done.returncode == 0


GRPC_SAYS = (
    "Traceback (most recent call last):",
    '  File "src/python/grpcio/grpc/_cython/',
    "asyncio.exceptions.CancelledError",
)


def test_a_failed_check_says_why_and_what_to_do() -> None:
    done = check("--only", "leaves", "--only", "attaches", shlex.join([*FAULTY, "wrong name"]))
    lines = done.stdout.splitlines()
    assert lines[0].split() == [
        "FAIL",
        "attaches",
        *["It", "attaches", "to", "the", "arena", "under", "its", "name"],
    ]
    assert (
        lines[1].strip().startswith("why: it attached as 'somebody', but EW_BOT_NAME is 'checked-")
    )
    assert lines[2].strip().startswith("what to do: Call ArenaService.AttachBot at EW_SERVER")
    assert lines[3].startswith("0 passed, 1 failed, 13 skipped: ")
    assert len(lines) == 4
    # gRPC itself now and then says that a call was cancelled when its server was stopped.
    said = [line for line in done.stderr.splitlines() if not line.startswith(GRPC_SAYS)]
    assert said == []
    assert done.returncode == 1


def test_a_bot_that_dies_is_reported_with_its_last_output() -> None:
    mourned = "import sys; sys.exit('no licence to play')"
    done = check(shlex.join([sys.executable, "-c", mourned]))
    assert (
        "its process ended by itself (status 1); its last words: no licence to play" in done.stdout
    )
    assert done.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "Missing argument 'CMD': the command line that starts the bot"),
        (("/nonexistent/bot",), "cannot start '/nonexistent/bot': there is no such program"),
        (("my_bot.py",), "there is no such program; to start a bot of the SDK write ew bot check "),
        (("heuristic",), 'write ew bot check "ew bot run heuristic"'),
        (("",), "the command of the bot is empty"),
        (('bot "',), "No closing quotation"),
        (("--only", "luck", "bot"), "'luck' is not one of 'attaches', 'takes-seat'"),
    ],
)
def test_a_command_that_cannot_be_used_costs_one_line(
    arguments: tuple[str, ...], says: str
) -> None:
    done = check(*arguments)
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""
    assert done.returncode == 2


def test_the_list_of_checks_is_the_one_in_the_document() -> None:
    listed = [line.split()[0] for line in passed(check("--list")).splitlines()]
    assert listed == [one.name for one in CHECKS]
    text = (ROOT / "docs" / "conformance.md").read_text(encoding="utf-8")
    shown = [line.split("`")[1] for line in text.splitlines() if line.startswith("| `")]
    assert [name for name in shown if not name.startswith("--")] == listed
