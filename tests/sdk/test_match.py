"""``ew match`` and ``ew bot run`` as commands: what they print, and how they end."""

from __future__ import annotations

import itertools
import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from endless_winter.cli.bot import bot as bot_group
from endless_winter.cli.match import match, seeds_of
from endless_winter.cli.match_report import (
    Played,
    interval,
    line_of,
    records_of,
    report,
)
from endless_winter.cli.process import COMMAND, running
from endless_winter.sdk import Result
from endless_winter.sdk.client import Client
from endless_winter.tournament.executor import cores
from endless_winter.v1 import result_pb2
from endless_winter.views.categories import LABELS
from tests.foundations.tree import EW
from tests.sdk.arena import attached, seats, steady

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from endless_winter.cli.process import Server

PATIENCE = 240


def ew(*words: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(EW), *words],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Bots of every kind."""
    bots = {
        "plain": "def choose(d, v):\n    'As it comes.'\n    return d.default\n",
        "raises": "def choose(d, v):\n    if d.id % 9 == 0:\n        1 / 0\n    return d.default\n",
        "dies": "import os\ndef choose(d, v):\n    os._exit(7)\n",
        "broken": "import nowhere_to_be_found\n",
    }
    for name, text in bots.items():
        (tmp_path / f"{name}.py").write_text(text)
    return tmp_path


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running((*COMMAND, "--synchronous", "off")) as found:
        yield found


# --- the report ---


def result(*scores: int, outcome: int = result_pb2.GAME_OUTCOME_COMPLETED) -> Result:
    """Points all from Megaliths, but one from Animals."""
    order = sorted(scores, reverse=True)
    return Result(
        result_pb2.GameResult(
            outcome=outcome,  # type: ignore[arg-type] # a number will do
            seats=[
                result_pb2.SeatResult(
                    seat=seat,
                    score=score,
                    place=order.index(score) + 1,
                    reason=result_pb2.END_REASON_NORMAL,
                    categories=[
                        result_pb2.CategoryScore(
                            category=result_pb2.SCORE_CATEGORY_MEGALITHS, points=score - seat
                        ),
                        result_pb2.CategoryScore(
                            category=result_pb2.SCORE_CATEGORY_FINAL_ANIMALS, points=seat
                        ),
                    ],
                )
                for seat, score in enumerate(scores)
            ],
        )
    )


def test_every_category_has_a_name_for_people(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {
        name.removeprefix("SCORE_CATEGORY_").lower()
        for name in dict(result_pb2.ScoreCategory.items())
    }
    assert set(LABELS) == names - {"unspecified"}
    assert len(set(LABELS.values())) == len(LABELS)
    # One that a later module adds is called as in the contract.
    score = result_pb2.CategoryScore(category=result_pb2.SCORE_CATEGORY_FISH, points=5)
    monkeypatch.delitem(LABELS, "fish")
    played = Played(1, (0, 1), result(30, 10))
    played.result.raw.seats[0].categories.append(score)
    assert ["fish", "5.0", "0.0"] in [
        line.split() for line in report(["ann", "bob"], [played]).splitlines()
    ]


def test_points_go_to_the_bot_and_not_to_the_seat() -> None:
    played = [Played(1, (0, 1), result(30, 10)), Played(1, (1, 0), result(20, 25))]
    ann, bob = records_of(["ann", "bob"], played)
    assert (ann.scores, ann.places, ann.wins) == ([30, 25], [1, 1], 2)
    assert (bob.scores, bob.places, bob.wins) == ([10, 20], [2, 2], 0)
    assert ann.mean_points("megaliths") == (30 + 24) / 2
    assert ann.mean_points("final_animals") == 0.5
    assert ann.mean_score == 27.5


def test_the_report_says_who_won_and_by_what() -> None:
    played = [Played(1, (0, 1), result(30, 10)), Played(1, (1, 0), result(20, 25))]
    lines = report(["ann", "bob"], played).splitlines()
    assert lines[1].split() == ["ann", "2", "2", "100.0", "34..100", "27.5", "1.00"]
    assert lines[2].split() == ["bob", "2", "0", "0.0", "0..66", "15.0", "2.00"]
    assert ["Megaliths", "27.0", "14.5"] in [line.split() for line in lines]
    assert lines[-1] == (
        "ann won 2 of 2 games, +12.5 points a game over bob; mostly by Megaliths +12.5"
        " (so few games may be chance)"
    )
    assert line_of(["ann", "bob"], played[1], 2, 10) == (
        "game  2 of 10  seed 1: bob 20, ann 25  (ann wins)"
    )


def test_an_interval_is_wilsons_and_many_games_are_not_called_chance() -> None:
    low, high = interval(60, 100)
    assert (round(low, 4), round(high, 4)) == (0.5020, 0.6906)  # the textbook's value
    assert interval(0, 10)[0] == 0.0
    assert interval(10, 10)[1] == 1.0
    many = [Played(1, (0, 1), result(30, 10))] * 10
    assert "chance" not in report(["ann", "bob"], many)


def test_a_report_says_even_matches_troubles_and_unfinished_games() -> None:
    even = [Played(1, (0, 1), result(30, 10)), Played(1, (1, 0), result(30, 10))]
    even[0].result.raw.seats[1].reason = result_pb2.END_REASON_TIME_OUT
    even[0].result.raw.seats[1].timeouts = 3
    even[0].result.raw.seats[0].wrong_answers = 2
    text = report(["ann", "bob"], even)
    assert text.endswith("nobody won: ann and bob did equally well in 2 games")
    assert "bob: time out in 1 of 2 games" in text
    assert "bob: late 3 times" in text
    assert "ann: 2 answers were refused" in text
    text = report(["ann", "bob"], even, {"ann": 1, "bob": None})
    assert text.splitlines()[-2:] == [
        "but ann raised or chose something illegal 1 time: defaults were played instead",
        "but bob raised or chose something illegal: defaults were played instead",
    ]
    aborted = Played(1, (0, 1), result(0, 0, outcome=result_pb2.GAME_OUTCOME_ABORTED))
    assert line_of(["ann", "bob"], aborted, 1, 1).endswith("(aborted)")
    assert report(["ann", "bob"], [aborted]) == "no game was played to its end"


# --- ew match ---


def test_a_match_of_three_with_a_program_of_its_own(folder: Path, server: Server) -> None:
    command = f"cmd: {sys.executable} -m endless_winter.cli bot run plain.py --quiet"
    ran = ew("match", "plain.py", command, "plain.py", "--server", server.address, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("3 games: plain-")
    assert ran.stdout.splitlines()[1] == "every game on a seed of its own, secret"
    assert len(set(re.findall(r"  seed (\d+): ", ran.stdout))) == 3
    names = [word for word in ran.stdout.splitlines()[0].split()[2:] if word != "against"]
    assert len(set(names)) == 3
    assert ran.stderr == ""


def test_explained_choices_go_to_standard_error(folder: Path) -> None:
    more = ("--explain", "--seed", "5", "--paired-seeds")
    ran = ew("match", "plain.py", "plain.py", *more, cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert "As it comes." in ran.stderr
    assert ran.stdout.count("seed 5: ") == 2
    # Each bot has a heading for each of its two games, in their order.
    # Two processes write beside each other: a heading need not begin a line.
    plain, second = (
        re.findall(rf"(?<![\w-]){name}: game ([\w-]+), seat", ran.stderr)
        for name in ("plain", "plain-2")
    )
    assert len(plain) == len(set(plain)) == 2
    assert plain == second
    assert re.search(
        r"^plain: 6: Lead with .* - As it comes\. \(chief_side, ", ran.stderr, re.MULTILINE
    )


def test_each_game_has_a_seed_that_nobody_can_know_unless_it_is_asked_otherwise() -> None:
    drawn = seeds_of(20, 3, None, paired=False)
    assert [len(orders) for orders in drawn] == [3] * 20
    flat = [seed for orders in drawn for seed in orders]
    assert len(set(flat)) == 60
    assert len({after - before for before, after in itertools.pairwise(flat)}) == 59  # no counting
    assert max(flat) > 1 << 60
    assert seeds_of(2, 2, 5, paired=False) == [[5, 6], [7, 8]]
    assert seeds_of(2, 3, 5, paired=True) == [[5] * 3, [6] * 3]
    shared = seeds_of(4, 2, None, paired=True)
    assert len({seed for orders in shared for seed in orders}) == 4
    assert all(first == second for first, second in shared)


def test_explained_games_are_not_played_side_by_side(folder: Path) -> None:
    ran = ew("match", "plain.py", "plain.py", "--explain", "--at-once", "2", cwd=folder)
    assert ran.returncode == 2
    assert "--explain plays one game at a time: leave out --at-once" in ran.stderr


def test_what_a_bot_prints_carries_its_name(folder: Path) -> None:
    (folder / "talks.py").write_text(
        "import os\n"
        "print('aloud')\n"
        "os.write(2, b'not text: \\xff\\n')\n"
        "def choose(d, v):\n"
        "    return d.default\n"
    )
    ran = ew("match", "talks.py", "plain.py", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    assert sorted(ran.stderr.splitlines()) == [
        "talks: aloud",
        "talks: not text: \N{REPLACEMENT CHARACTER}",
    ]


def test_each_game_of_a_match_can_be_saved_and_verified(folder: Path) -> None:
    ran = ew("match", "plain.py", "plain.py", "--replays", "saved/here", cwd=folder)
    assert ran.returncode == 0, ran.stderr
    files = sorted((folder / "saved" / "here").iterdir())
    assert [file.name.split("-")[:2] for file in files] == [["game", "1"], ["game", "2"]]
    for file in files:
        checked = ew("replay", "verify", str(file), cwd=folder)
        assert checked.returncode == 0, checked.stderr


def test_a_folder_for_replays_that_cannot_be_made_is_refused_at_once(folder: Path) -> None:
    ran = ew("match", "plain.py", "plain.py", "--replays", "plain.py/saved", cwd=folder)
    assert ran.returncode == 1
    assert ran.stderr.startswith("ew: plain.py/saved: cannot be made: ")
    assert ran.stdout == ""


@pytest.mark.parametrize(
    ("bot", "words"),
    [
        ("raises.py", r"ew: raises-\w+ raised or chose something illegal \(see above\)"),
        (
            "dies.py",
            r"ew: the bot dies-\w+ ended with status 7; what it said, if anything, is above",
        ),
    ],
)
def test_a_bad_bot_ends_with_status_1_and_a_line(
    folder: Path, server: Server, bot: str, words: str
) -> None:
    where = ("--server", server.address, "--seed", "1")
    ran = ew("match", bot, "plain.py", *where, cwd=folder)
    assert ran.returncode == 1
    assert re.match(words, ran.stderr.splitlines()[-1])
    if bot == "raises.py":
        assert "ZeroDivisionError" in ran.stderr
        lines = ran.stdout.splitlines()
        assert "games" in lines[-2]
        assert ran.stderr.count("Traceback") == 1  # then it is counted
        said = r"raises-\w+: ZeroDivisionError at raises\.py:3: (\d+) times (?:so far|in all)"
        counted = re.findall(said, ran.stderr)
        failed = int(counted[-1])
        assert failed > 1
        assert re.fullmatch(
            rf"but raises-\w+ raised or chose something illegal {failed} times: "
            "defaults were played instead",
            lines[-1],
        )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["plain.py"], "a game has 2 to 4 bots, not 1"),
        (["plain.py"] * 5, "a game has 2 to 4 bots, not 5"),
        (["plain.py", "none.py"], "there is no file none.py"),
        (["plain.py", "nobody"], "no bot 'nobody'. There are "),
        (["plain.py", "cmd:"], "names no program"),
        (["plain.py", "cmd: ./none"], "cannot start './none': there is no such program"),
        (["plain.py", "cmd: ./plain.py"], "'./plain.py': it is not executable (chmod +x)"),
        (["plain.py", "plain.py", "--server", "nowhere"], "'nowhere' is no address"),
    ],
)
def test_a_wrong_command_costs_one_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(folder)
    ran = CliRunner().invoke(match, words)
    assert ran.exit_code == 2
    assert message in ran.stderr.splitlines()[-1]


@pytest.mark.parametrize("asked", [(), ("--at-once", "7")])
def test_as_many_games_run_at_a_time_as_there_are_cores_unless_more_are_asked_for(
    folder: Path, server: Server, asked: tuple[str, ...]
) -> None:
    # One who leaves at once, having written down how many games it must play at a time.
    leaves = "cmd: sh -c 'echo $EW_BOT_CAPACITY > at-once'"
    more = ("--games", "1000", "--server", server.address, *asked)
    ran = ew("match", leaves, "plain.py", *more, cwd=folder)
    assert ran.returncode == 1
    assert (folder / "at-once").read_text() == (f"{asked[1]}\n" if asked else f"{cores()}\n")


def test_a_program_that_never_attaches_is_named(folder: Path, server: Server) -> None:
    idle = f"cmd: {sys.executable} -c 'import time; time.sleep(600)'"
    more = ("--server", server.address, "--start-limit", "0.5")
    ran = ew("match", idle, "plain.py", *more, cwd=folder)
    assert ran.returncode == 1
    last = ran.stderr.splitlines()[-1]
    assert "did not attach within 0.5 s" in last
    assert "EW_SERVER" in last


def test_a_program_that_cannot_be_started_costs_one_line(folder: Path) -> None:
    (folder / "no_interpreter").write_text("exit 0\n")
    (folder / "no_interpreter").chmod(0o755)
    ran = ew("match", "cmd: ./no_interpreter", "plain.py", cwd=folder)
    assert ran.returncode == 1
    (line,) = ran.stderr.splitlines()
    assert line.startswith("ew: cannot start './no_interpreter': ")
    assert "does its first line name its interpreter (#!)?" in line


# --- ew bot run ---


def test_a_bot_is_run_by_its_variables_and_ends_on_a_signal(folder: Path, server: Server) -> None:
    secret = "0123456789abcdef" * 4
    process = subprocess.Popen(
        [str(EW), "bot", "run", "plain.py"],
        cwd=folder,
        env={
            **os.environ,
            "EW_SERVER": server.address,
            "EW_CLIENT_SECRET": secret,
            "EW_BOT_NAME": "named",
            "EW_BOT_CAPACITY": "3",
        },
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        assert (
            process.stderr.readline() == f"named: attached to {server.address}, waiting for games\n"
        )
        with Client(server.address, secret) as client:
            (bot,) = [bot for bot in client.bots() if bot.name == "named"]
            assert bot.capacity == 3
            with attached(steady, server.address, "other"):
                game = client.create(config=seats("named", "other"))
                assert client.result(game.game_id).completed
            assert [seat.game_id for seat in client.my_seats(ended=True)] == [game.game_id]
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read().splitlines()[-1].endswith(" 0 failed, 0 late")
    finally:
        process.kill()
        process.wait()
        process.stderr.close()


def test_sigterm_is_heeded_whichever_thread_takes_it_and_nothing_is_broken_off(
    folder: Path, server: Server
) -> None:
    """And the alarm that it sets is off when the last line is written, however long that takes."""
    (folder / "alarmed.py").write_text(
        "import runpy, signal, sys, threading\n"
        "import click\n"
        "def taken():\n"
        "    sys.stdin.readline()\n"
        "    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)\n"
        "threading.Thread(target=taken, daemon=True).start()\n"
        "echo = click.echo\n"
        "def say(text, **more):\n"
        "    left, _ = signal.getitimer(signal.ITIMER_REAL)\n"
        "    echo(f'{text}; alarm in {left:g} s', **more)\n"
        "click.echo = say\n"
        "sys.argv = ['ew', 'bot', 'run', 'plain.py']\n"
        "runpy.run_module('endless_winter.cli', run_name='__main__')\n"
    )
    with subprocess.Popen(
        [sys.executable, "alarmed.py"],
        cwd=folder,
        env={**os.environ, "EW_SERVER": server.address},
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        try:
            assert "waiting for games" in process.stderr.readline()
            _, said = process.communicate("now\n", timeout=PATIENCE)
            assert said.endswith("0 games, 0 choices, 0 failed, 0 late; alarm in 0 s\n"), said
            assert process.returncode == 0
        finally:
            process.kill()


@pytest.mark.parametrize(
    ("words", "environment", "message"),
    [
        (["plain.py", "--server", "here"], {}, "'here' is no address: write HOST:PORT"),
        (["plain.py"], {"EW_CLIENT_SECRET": "abc"}, "64 lower-case hexadecimal digits"),
        (["plain.py"], {"EW_BOT_CAPACITY": "many"}, "EW_BOT_CAPACITY is a number"),
        (["none.py"], {}, "there is no file none.py"),
        (["broken.py"], {}, "broken.py cannot be loaded: ModuleNotFoundError"),
        (["nobody"], {}, "no bot 'nobody'"),
    ],
)
def test_a_bot_that_cannot_run_says_why_in_a_line(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    environment: dict[str, str],
    message: str,
) -> None:
    monkeypatch.chdir(folder)
    ran = CliRunner().invoke(bot_group, ["run", *words], env=environment)
    assert ran.exit_code == 2
    assert message in ran.stderr.splitlines()[-1]


def test_a_server_that_is_not_there_costs_a_visible_wait_and_a_line(folder: Path) -> None:
    command = ("bot", "run", "plain.py", "--server", "127.0.0.1:1")
    with subprocess.Popen(
        [str(EW), *command], cwd=folder, stderr=subprocess.PIPE, text=True
    ) as waiting:
        assert waiting.stderr is not None
        assert "trying again in" in waiting.stderr.readline()
        waiting.kill()
    ran = ew(*command, "--patience", "0.2", cwd=folder)
    assert ran.returncode == 1
    assert ran.stderr.splitlines()[-1].startswith("ew: no server answers at 127.0.0.1:1")
    assert "Traceback" not in ran.stderr


def test_a_bot_that_does_not_play_such_games_is_named(folder: Path, server: Server) -> None:
    (folder / "modest.py").write_text(
        "import runpy, sys\n"
        "from endless_winter.sdk import offers\n"
        "offers.ABILITY.Clear()\n"
        "sys.argv = ['ew', 'bot', 'run', 'plain.py', '--quiet']\n"
        "runpy.run_module('endless_winter.cli', run_name='__main__')\n"
    )
    modest = f"cmd: {sys.executable} {folder / 'modest.py'}"
    ran = ew("match", modest, "plain.py", "--server", server.address, "--mammoth", cwd=folder)
    assert ran.returncode == 1
    assert "set ability.modules in its BotHello" in ran.stderr.splitlines()[-1]
