"""The line mode: questions and answers through a pipe."""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from endless_winter.bots import LEVELS
from endless_winter.cli import play
from endless_winter.cli.main import main
from endless_winter.terminal.plain import ENDED, NO_MORE_INPUT, Plain
from tests.terminal.games import PACK, chooser
from tests.terminal.offline import OfflineTable

if TYPE_CHECKING:
    from pathlib import Path

EW = [sys.executable, "-m", "endless_winter.cli"]


def ew(*words: str, home: Path, said: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*EW, *words],
        input=said,
        env={**os.environ, "EW_HOME": str(home), "USER": "tester"},
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )


async def played(said: str, **more: bool) -> tuple[int, list[str]]:
    """A local game with this input; the exit status and the lines."""
    lines: list[str] = []
    table = OfflineTable(0, [chooser(1)], seed=21, pack=PACK)  # type: ignore[list-item] # a function is a bot
    status = await Plain(table, io.StringIO(said), lines.append, **more).run()
    return status, lines


async def test_a_game_is_played_by_numbers_to_its_end() -> None:
    status, lines = await played("2\n1\n" * 300)
    assert status == ENDED
    text = "\n".join(lines)
    assert "The game is over (completed)." in text
    assert re.search(r"^1st: (You|Player B), \d+ points?$", text, re.MULTILINE)


async def test_an_option_can_be_answered_by_its_text() -> None:
    _, lines = await played("1\nplace chief hunt\n")
    assert "> Place the Chief in Hunt" in lines


async def test_commands_are_answered_and_the_question_stays() -> None:
    said = "?\nboard\nlook mammoth\nlook xyzzy\nlog\noptions\nnonsense\n77\n\n"
    status, lines = await played(said)
    assert status == NO_MORE_INPUT
    text = "\n".join(lines)
    for expected in (
        "Answer with the number of an option",
        "Terrain, hex by hex",
        "Culture display:",
        "Woolly Mammoth (Animal)",
        "Nothing printed has these words.",
        "'nonsense' is none of the 2 options",
        "'77' is none of the 2 options",
        "The input has ended before the game",
    ):
        assert expected in text
    assert text.count("Which side of your Chief?") == 2  # at first, and for "options"


async def test_a_choice_is_taken_back() -> None:
    _, lines = await played("1\n5\nundo\n4\n")
    asked = [line for line in lines if line.startswith("Play a Culture card")]
    assert len(asked) == 2
    _, lines = await played("1\nundo\nundo\n")
    assert "nothing can be taken back now" in lines


async def test_final_choices_are_confirmed_on_request() -> None:
    _, lines = await played("1\nyes\nplace tribe migrate\nend\nno\nend\nyes\n", confirm=True)
    asked = [line for line in lines if "Not to be taken back" in line]
    assert len(asked) == 3  # the Chief, and the end of the turn twice
    assert lines.count("> End the turn") == 1


async def test_leaving_is_no_failure() -> None:
    status, _ = await played("quit\n")
    assert status == ENDED


def test_a_whole_game_through_a_pipe_against_a_bot_of_its_own(tmp_path: Path) -> None:
    done = ew("play", "--plain", "--against", "random", home=tmp_path, said="1\n" * 400)
    assert done.returncode == 0, done.stderr
    assert "The game is over (completed)." in done.stdout
    assert "Traceback" not in done.stderr
    assert (tmp_path / "player.json").stat().st_mode & 0o777 == 0o600

    # It is over: there is nothing to go on with, and it can be watched again.
    again = ew("play", "--plain", "--resume", home=tmp_path)
    assert again.returncode == 1
    assert "is over; 'ew watch" in again.stderr
    listed = ew("watch", home=tmp_path).stdout.split()
    assert listed[1] == "ended"
    shown = ew("watch", listed[0], "--plain", home=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "tester leads with" in shown.stdout
    *said, last = done.stdout.rstrip().splitlines()
    assert shown.stdout.rstrip().splitlines()[-4:] == [
        line.replace("You", "tester") for line in said[-4:]
    ]

    # The last line is a command that reviews it, from what the server has stored.
    command = shlex.split(last.partition(": ")[2])
    assert command[:4] == ["ew", "replay", "review", listed[0]]
    assert (tmp_path / "endless-winter.db").samefile(command[command.index("--store") + 1])


def test_a_level_is_a_bot_of_that_strength(tmp_path: Path) -> None:
    assert len(LEVELS) == play.LEVELS
    assert play.bot_of(5) == play.bot_of(None)
    done = ew("play", "--level", "2", home=tmp_path, said="1\n1\n1\n")
    assert done.returncode == NO_MORE_INPUT
    profile = (tmp_path / "player.json").read_text()
    assert play.bot_of(2) in profile


def test_a_game_left_half_way_is_gone_on_with(tmp_path: Path) -> None:
    first = ew("play", "--against", "random", home=tmp_path, said="1\n1\n1\n")
    assert first.returncode == NO_MORE_INPUT
    assert "The input has ended before the game" in first.stdout
    second = ew("play", "--resume", home=tmp_path, said="log\nquit\n")
    assert second.returncode == 0, second.stderr
    question = first.stdout.rsplit("\n\n", 1)[1].splitlines()[0]
    assert question in second.stdout
    assert "You rest with a Tribe figure" in second.stdout  # the log tells what was before


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["--server", "127.0.0.1:1", "--create"], 1, "no server answers at 127.0.0.1:1"),
        (["--server", "nonsense", "--create"], 2, "is no address"),
        (["--server", "127.0.0.1:1"], 2, "say --create, --join GAME or --resume"),
        (["--join", "x"], 2, "--join needs --server"),
        (["--level", "3", "--against", "random"], 2, "--level is for new games"),
        (["--level", "9"], 2, "9 is not in the range 1<=x<=8"),
        (["--create", "--resume"], 2, "do not go together"),
        (["--resume"], 2, "no game to go on with"),
        (["--against", "nobody"], 2, "no bot 'nobody'"),
        (["--against", "nobody.py"], 2, "no file nobody.py"),
        (["--against", "random"] * 4, 2, "more than the seats"),
    ],
)
def test_a_mistake_costs_one_line(
    words: list[str],
    status: int,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("EW_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "argv", ["ew", "play", *words])
    with pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == status
    output = capsys.readouterr()
    assert said in output.err
    assert len(output.err.strip().splitlines()) == 1
    assert output.out == ""


def test_a_bot_that_cannot_be_loaded_is_named_with_its_log(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("raise RuntimeError('no such luck')")
    done = ew("play", "--against", str(tmp_path / "broken.py"), home=tmp_path / "home")
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    assert "The bot broken has ended" in last
    assert "no such luck" in (tmp_path / "home" / "play.log").read_text()
    assert "Traceback" not in done.stderr
