"""Whole tournaments over the network: servers and bots as processes."""

from __future__ import annotations

import csv
import itertools
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest

from endless_winter.rules.chance import verify
from endless_winter.tournament import seeds
from endless_winter.tournament.seeds import Key
from tests.foundations.tree import ROOT
from tests.tournament.running import (
    ENTRANTS,
    EW,
    LIMIT,
    PATIENT,
    command,
    finished,
    outcome,
    run,
    until_file,
    until_games,
    until_gone,
    written,
)

# Each starts a dozen processes, some several times: a busy machine needs its time for that.
pytestmark = pytest.mark.timeout(900)

NODE = ROOT / "clients" / "node"
NODE_BOT = NODE / "bot.js" if (NODE / "node_modules").exists() and shutil.which("node") else None
# Tells who it is and what it can read, then plays if there is something to play with.
SPY = f"""
id -u > found
try() {{ if "$@" > /dev/null 2>&1; then echo yes >> found; else echo no >> found; fi; }}
try cat ../../key
try cat ../../private/run-1/worker-0/games.db
try ls ../plain
exec node {NODE_BOT or "nothing"}
"""
TWO = {"plain": str(ENTRANTS / "plain.py"), "last": str(ENTRANTS / "last.py")}


def test_a_tournament_plays_all_its_games_and_leaves_its_reports(tmp_path: Path) -> None:
    spec = written(tmp_path / "cup.toml", TWO, format="round_robin", blocks=2, title="Cup")
    out = tmp_path / "out"
    done = run(spec, out, "--workers", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("ew tournament: 4 games; the report is ")
    found = finished(out)
    assert len(found.finished) == 4
    assert all(game.outcome == "completed" for game in found.finished.values())
    assert all(
        sum(seat.columns.values()) for game in found.finished.values() for seat in game.seats
    )
    assert all(
        seat.decisions and sum(seat.points.values()) == seat.score
        for game in found.finished.values()
        for seat in game.seats
    )
    for name in ("report.html", "report.md", "standings.csv", "games.csv"):
        assert "plain" in (out / name).read_text(), name
    # The seeds are those of the key that was committed to; each game's replay can be checked.
    assert found.header is not None
    assert found.ended is not None
    key = Key(bytes.fromhex(found.ended.key), bytes.fromhex(found.ended.salt))
    assert verify(found.header.key_commitment, key.key, key.salt)
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    reveals = {line["game"]: line["seed"] for line in lines if line["kind"] == "reveal"}
    games = [game.id for game in found.finished.values()]
    assert reveals == {game: key.seed(game).hex() for game in games}
    assert len(set(reveals.values())) == 4
    assert "2 sets in every seat rotation, every game on a secret seed of its own" in done.stdout
    assert not found.header.paired_seeds
    replay = next((out / "replays").glob("*.ewr"))
    page = replay.with_suffix(".html")
    assert f"replays/{page.name}" in (out / "report.html").read_text()
    drawn = page.read_text()
    assert 'type="application/json"' in drawn
    assert "plain" in drawn  # an entrant at the table
    checked = subprocess.run(
        [*EW, "replay", "verify", str(replay)], capture_output=True, text=True, check=False
    )
    assert "verified" in checked.stdout, checked.stderr
    # Keys and stores are for the owner alone.
    assert (out / "key").stat().st_mode & 0o077 == 0
    assert (out / "private").stat().st_mode & 0o077 == 0
    # The same command again has nothing to play, and more seeds would be known ones.
    again = run(spec, out)
    assert again.returncode == 0, again.stderr
    assert again.stdout.splitlines()[-1] == done.stdout.splitlines()[-1]
    more = run(spec, out, "--blocks", "3")
    assert more.returncode == 1
    assert "its key is public" in more.stderr
    until_gone(tmp_path)


def killed_and_resumed(tmp_path: Path, entrants: dict[str, str], kills: int, blocks: int) -> None:
    """Kill a tournament at random moments; go on; compare with one that is left alone."""
    chance = Random(kills)
    spec = written(
        tmp_path / "cup.toml",
        entrants,
        format="round_robin",
        players=len(entrants),
        paired_seeds=True,  # only on the same seeds do the same bots play the same games
        clock={"decision": 120.0},  # the same table is promised where nobody is late
    )
    out, alone = tmp_path / "out", tmp_path / "alone"
    for number in range(kills):
        more = ("--at-once", str(1 + number % 4), "--workers", str(1 + number % 2))
        process = subprocess.Popen(
            # So long that it has not ended by itself, however late we come to kill it.
            command(spec, out, "--quiet", "--blocks", "500", *more),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        before = len(finished(out).finished)
        # The first kill comes in the midst of play; others perhaps while it still starts.
        until_games(out, before + (chance.randrange(3) if number else 1), process)
        until_games(out, before + 6, process, seconds=chance.random())
        process.kill()
        process.wait()
        until_gone(out)  # servers and bots go with it, although nobody could tell them
        assert finished(out).ended is None
    begun = {int(game.block.rpartition(":")[2]) for game in finished(out).finished.values()}
    blocks = max(blocks, 2 + max(begun, default=0))  # and something is left to be played
    rest = ("--quiet", "--blocks", str(blocks))
    last = run(spec, out, *rest)
    assert last.returncode == 0, last.stderr
    whole = run(spec, alone, *rest, "--key", str(out / "key"))
    assert whole.returncode == 0, whole.stderr
    assert len(outcome(out)) == len(entrants) * blocks
    assert outcome(out) == outcome(alone)
    assert not any(seat.timeouts for game in finished(out).finished.values() for seat in game.seats)
    ours, theirs = ((folder / "standings.csv").read_text() for folder in (out, alone))
    assert _table(ours) == _table(theirs)
    assert len(_table(ours)) == len(entrants)


def _table(standings: str) -> list[dict[str, str]]:
    """Everything in it but how long bots took."""
    rows = csv.DictReader(standings.splitlines())
    return [{key: value for key, value in row.items() if "ms" not in key} for row in rows]


def test_a_killed_tournament_with_paired_seeds_ends_with_the_same_table(tmp_path: Path) -> None:
    killed_and_resumed(tmp_path, {"one": "random", "other": "random"}, 1, 4)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_paired_seeds_and_ten_kills_end_with_the_same_table(
    tmp_path: Path,
) -> None:
    entrants = {name: name for name in ("random", "greedy", "heuristic")}
    killed_and_resumed(tmp_path, entrants, 10, 8)


@pytest.mark.soak
def test_the_tournament_of_make_tournament_separates_the_bots(tmp_path: Path) -> None:
    done = subprocess.run(
        [*EW, "tournament", "--out", str(tmp_path / "out"), "--quiet"],
        capture_output=True,
        text=True,
        timeout=800,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(finished(tmp_path / "out").finished) >= 60
    with (tmp_path / "out" / "standings.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["entrant"] for row in rows] == ["heuristic", "greedy", "random"]
    for better, worse in itertools.pairwise(rows):
        assert float(better["low"]) > float(worse["high"])
    assert (tmp_path / "out" / "report.html").stat().st_size > 20_000


def test_a_solo_field_plays_against_the_nomad(tmp_path: Path) -> None:
    spec = written(
        tmp_path / "solo.toml",
        TWO,
        format="solo_field",
        blocks=1,
        workers=1,
        nomad={"extra_card": "true"},
    )
    spec.write_text(spec.read_text().replace('"true"', "true"))
    out = tmp_path / "out"
    done = run(spec, out)
    assert done.returncode == 0, done.stderr
    games = finished(out).finished.values()
    assert len(games) == 4
    for game in games:
        assert game.outcome == "completed"
        assert {seat.place for seat in game.seats} == {1, 2}
        (nomad,) = (seat for seat in game.seats if seat.entrant == "Nomad")
        assert nomad.score > 0
        assert not nomad.decisions  # it has none of its own
    assert "Nomad" in (out / "report.html").read_text()
    assert "solo field, each alone against the Nomad, 4 of 4 games, 2 sets" in done.stdout
    # Nobody plays its second seat on the seed of its first, nor on that of another.
    lines = [json.loads(line) for line in (out / "results.jsonl").read_text().splitlines()]
    assert len({line["seed"] for line in lines if line["kind"] == "reveal"}) == 4


def test_a_swiss_tournament_pairs_its_rounds_by_what_was_played(tmp_path: Path) -> None:
    entrants = {**TWO, "same": TWO["plain"]}
    spec = written(tmp_path / "cup.toml", entrants, format="swiss", rounds=2, blocks=1, workers=1)
    out = tmp_path / "out"
    done = run(spec, out, "--quiet")
    assert done.returncode == 0, done.stderr
    found = finished(out)
    assert found.ended is not None
    games = list(found.finished.values())
    assert {game.outcome for game in games} == {"completed"}
    # Three entrants: one sits out of each round, and not the same one again.
    met = [tuple(sorted({seat.entrant for seat in game.seats})) for game in games]
    assert len(met) == 4
    assert len(set(met)) == 2
    assert {name for pair in met for name in pair} == set(entrants)
    until_gone(tmp_path)


def test_a_sequential_test_ends_with_its_verdict_before_all_seeds_are_played(
    tmp_path: Path,
) -> None:
    spec = written(
        tmp_path / "cup.toml",
        TWO,
        format="sprt",
        blocks=200,
        # So far apart that a few seeds decide it.
        sprt={"rating0": 0.0, "rating1": 400.0, "alpha": 0.2, "beta": 0.2},
        paired_seeds=True,  # so that a key can be given: with drawn seeds luck decides the verdict
    )
    out = tmp_path / "out"
    seeds.keep(tmp_path / "key", Key(bytes(32), bytes(32)))
    done = run(spec, out, "--quiet", "--key", str(tmp_path / "key"))
    assert done.returncode == 0, done.stderr
    found = finished(out)
    assert found.ended is not None
    assert found.ended.verdict.startswith("plain is better than last (LLR ")
    assert "plain is better than last" in done.stdout
    assert {game.outcome for game in found.finished.values()} == {"completed"}
    assert len(found.finished) < 100
    until_gone(tmp_path)


def test_crashing_hanging_and_raving_bots_lose_and_hold_nobody_up(tmp_path: Path) -> None:
    node = {"node": f"cmd: node {NODE_BOT}"} if NODE_BOT else {}
    entrants = {
        "plain": str(ENTRANTS / "witness.py"),
        **node,
        "crash": str(ENTRANTS / "crash.py"),
        "hang": str(ENTRANTS / "hang.py"),
        "nonsense": f"cmd: {sys.executable} {ENTRANTS / 'nonsense.py'}",
        "absent": "cmd: sh -c 'exit 3'",
    }
    spec = written(
        tmp_path / "field.toml",
        entrants,
        format="gauntlet",
        blocks=1,
        at_once=8,
        workers=1,
        # Long for those who answer, however busy the machine is; only hang waits so long.
        clock={"decision": 12.0, "timeouts": 1, "disconnect": 6.0},
        # A dozen processes start on one core; only hang may let its second game wait so long.
        dead={"start": 120.0, "attempts": 1, "restarts": 2},
    )
    out = tmp_path / "out"
    done = run(spec, out)
    assert done.returncode == 0, done.stderr
    ends: dict[str, set[str]] = {}
    for game in finished(out).finished.values():
        for seat in game.seats:
            ends.setdefault(seat.entrant, set()).add(seat.reason)
            if seat.entrant == "plain" and "node" not in {one.entrant for one in game.seats}:
                assert seat.place == 1
    assert ends["plain"] == {"normal"}
    # Whatever the others did, a bot that is left learns how each game ended.
    ended = (out / "bots" / "plain" / "ended").read_text().split()
    games = finished(out).finished.values()
    played = {game.id for game in games if game.outcome == "completed"}
    # It may also have sat in a game that never began, and gets its end.
    assert played <= set(ended) <= {game.id for game in games}
    assert len(ended) == len(set(ended))
    if node:
        assert ends["node"] == {"normal"}
    # A bot that hangs in one game, or is not started again, may never say Ready for the other.
    assert "time_out" in ends["hang"] <= {"time_out", "never_started"}
    assert ends["nonsense"] == {"illegal_flood"}
    assert ends["absent"] == {"never_started"}
    assert ends["crash"] <= {"disconnected", "time_out", "never_started"}
    assert ends["crash"] & {"disconnected", "time_out"}
    assert "hang: lost on time in" in done.stdout
    assert "nonsense: lost by wrong answers in 2 of 2 games" in done.stdout
    why = "ended with status 3, 2 times without having attached; it said nothing"
    assert f"absent cannot play: it {why}" in done.stderr  # at once
    assert f"absent cannot play: it {why}" in done.stdout
    assert f"absent {why}" in done.stdout
    page = (out / "report.html").read_text()
    assert f"absent cannot play: it {why}" in page
    assert "cores, Linux " in page
    assert (
        "was killed" in (out / "logs" / "crash.log").read_text()
        or "status 9" in (out / "logs" / "crash.log").read_text()
    )
    until_gone(tmp_path)


@pytest.mark.parametrize(
    "number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.soak)]
)
def test_a_tournament_stops_in_order_on_a_signal(tmp_path: Path, number: signal.Signals) -> None:
    spec = written(tmp_path / "cup.toml", TWO, format="round_robin", blocks=500, workers=1)
    out = tmp_path / "out"
    # Who is run in the background ignores Ctrl-C, and so would what it starts.
    ours = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        command(spec, out, "--quiet"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    signal.signal(signal.SIGINT, ours)
    until_games(out, 1, process)
    process.send_signal(number)
    _, said = process.communicate(timeout=LIMIT)
    assert process.returncode == 1
    assert b"the same command goes on with it" in said
    assert len(said.splitlines()) == 1
    assert (out / "report.html").exists()
    until_gone(tmp_path)


def test_a_second_signal_to_stop_waits_for_no_bot(tmp_path: Path) -> None:
    # One that does not leave when it is asked to.
    (tmp_path / "stays.py").write_text(
        "import signal, threading\n"
        "def choose(decision, view):\n"
        "    return decision.default\n"
        "handler = signal.signal\n"
        "def stay(number, to):\n"
        "    return handler(number, signal.SIG_IGN if number == signal.SIGTERM else to)\n"
        "signal.signal = stay\n"
    )
    entrants = {"a": "stays.py", "b": "stays.py"}
    spec = written(tmp_path / "cup.toml", entrants, format="round_robin", blocks=500, workers=1)
    out = tmp_path / "out"
    ours = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        command(spec, out, "--quiet"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    signal.signal(signal.SIGINT, ours)
    until_games(out, 1, process)
    process.send_signal(signal.SIGINT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.5)  # it waits for its bots
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=LIMIT)
    assert process.returncode == 1
    assert [line for line in said.splitlines() if b"goes on with it" not in line] == []
    until_gone(tmp_path)


def test_a_new_tournament_leaves_the_one_before_as_it_was(tmp_path: Path) -> None:
    spec = written(tmp_path / "cup.toml", TWO, format="round_robin", blocks=1)
    for number in (1, 2):
        done = run(spec, tmp_path / "out", "--new")
        assert done.returncode == 0, done.stderr
        folder = tmp_path / ("out" if number == 1 else "out-2")
        assert f"a new tournament in {folder}\n" in done.stdout
        assert len(finished(folder).finished) == 2


def other_user() -> str:
    """A user that tests may become and that owns nothing; empty: there is none."""
    if os.geteuid() != 0:
        return ""
    return next((one.pw_name for one in pwd.getpwall() if one.pw_name == "nobody"), "")


@pytest.mark.skipif(not other_user(), reason="only root can run bots as another user")
def test_a_bot_that_runs_as_another_user_sees_its_own_folder_alone() -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o711)  # pytest's own are closed to others
        spy = folder / "spy.sh"
        spy.write_text(SPY)
        spy.chmod(0o755)
        spec = written(
            folder / "cup.toml",
            {"plain": TWO["plain"], "spy": f"cmd: sh {spy}"},
            format="round_robin",
            blocks=1,
            workers=1,
            dead={**PATIENT, "attempts": 1, "restarts": 0},
        )
        files = [str(NODE_BOT.parent)] if NODE_BOT else []
        as_nobody = f'name = "spy"\nuser = "{other_user()}"\nfiles = {json.dumps(files)}'
        spec.write_text(spec.read_text().replace('name = "spy"', as_nobody))
        out = folder / "out"
        done = run(spec, out)
        assert done.returncode == 0, done.stderr
        found = (out / "bots" / "spy" / "found").read_text().splitlines()
        assert found == [str(pwd.getpwnam(other_user()).pw_uid), "no", "no", "no"]
        outcomes = {game.outcome for game in finished(out).finished.values()}
        assert outcomes == {"completed" if NODE_BOT else "adjudicated"}
        until_gone(folder)


def test_a_user_that_bots_cannot_run_as_costs_one_line(tmp_path: Path) -> None:
    limits = {"user": "no-such-user"}
    spec = written(tmp_path / "cup.toml", TWO, format="round_robin", workers=1, limits=limits)
    done = run(spec, tmp_path / "out", "--quiet")
    assert done.returncode == 1
    assert "ew: bots cannot run as the user no-such-user: " in done.stderr
    assert len(done.stderr.splitlines()) == 1
    until_gone(tmp_path)


@pytest.mark.parametrize(
    ("entrants", "settings", "message"),
    [
        ({"a": "plain.py", "b": "no-such"}, {}, "no bot 'no-such'. There are greedy, heuristic"),
        ({"a": "cmd:", "b": "random"}, {}, "entrant a: 'cmd:' names no program"),
        ({"a": "random", "b": "greedy"}, {"players": 7}, "players: a game has 2 to 4"),
    ],
)
def test_a_mistake_in_a_spec_costs_one_line(
    tmp_path: Path, entrants: dict[str, str], settings: dict[str, int], message: str
) -> None:
    (tmp_path / "plain.py").write_text((ENTRANTS / "plain.py").read_text())
    spec = written(tmp_path / "cup.toml", entrants, format="round_robin", **settings)
    done = run(spec, tmp_path / "out")
    assert done.returncode == 1
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_a_key_of_another_tournament_needs_paired_seeds(tmp_path: Path) -> None:
    spec = written(tmp_path / "cup.toml", TWO, format="round_robin")
    (tmp_path / "key").write_text(Key.fresh().text())
    done = run(spec, tmp_path / "out", "--key", str(tmp_path / "key"))
    assert done.returncode == 1
    assert "seeds of which cards may have been seen: it needs paired_seeds = true" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(find_spec("ray") is not None, reason="Ray is installed here")
def test_a_cluster_without_the_extra_costs_one_line(tmp_path: Path) -> None:
    spec = written(tmp_path / "cup.toml", TWO, format="round_robin")
    done = run(spec, tmp_path / "out", "--executor", "ray")
    assert done.returncode == 1
    assert done.stderr == (
        "ew: --executor ray needs the Python module 'ray': install endless-winter[ray]\n"
    )


def test_a_bot_that_somebody_else_starts_finds_its_variables(tmp_path: Path) -> None:
    entrants = {"plain": TWO["plain"], "guest": "attach"}
    spec = written(tmp_path / "cup.toml", entrants, format="round_robin", blocks=1)
    out = tmp_path / "out"
    process = subprocess.Popen(
        command(spec, out, "--quiet"), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    environment = until_file(out / "private" / "run-1" / "worker-0" / "guest.env", process)
    assert environment.stat().st_mode & 0o077 == 0
    variables = dict(line.split("=", 1) for line in environment.read_text().splitlines())
    # The names of the others are theirs: the guest's token is good for its own alone.
    thief = subprocess.run(
        [*EW, "bot", "run", TWO["last"], "--quiet", "--name", "plain"],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=LIMIT,
        check=False,
    )
    assert thief.returncode == 1
    assert "the name is reserved" in thief.stderr
    guest = subprocess.Popen(
        [*EW, "bot", "run", TWO["last"], "--quiet"],
        env={**os.environ, **variables},
        stderr=subprocess.DEVNULL,
    )
    try:
        said, _ = process.communicate(timeout=LIMIT)
    finally:
        guest.terminate()
        guest.wait()
    assert process.returncode == 0, said
    games = finished(out).finished.values()
    assert [game.outcome for game in games] == ["completed", "completed"]
