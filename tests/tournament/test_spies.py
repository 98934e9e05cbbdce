"""Bots that note what they were dealt, for all their processes: do they learn a secret by it?"""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from endless_winter.store.errors import StoreError
from endless_winter.store.opening import read_game
from endless_winter.tournament.results import Begun, Line, Reveal, decoder
from tests.tournament.running import (
    ENTRANTS,
    LIMIT,
    command,
    finished,
    processes_in,
    run,
    until_games,
    until_gone,
    written,
)

pytestmark = pytest.mark.timeout(900)

SPIES = {"one": str(ENTRANTS / "spy.py"), "two": str(ENTRANTS / "spy.py")}


def lines(out: Path) -> list[Line]:
    """What the results say, line by line."""
    return [decoder.decode(line) for line in (out / "results.jsonl").read_bytes().splitlines()]


class Games:
    """What two spies noted of the games that both played to the end."""

    def __init__(self, out: Path) -> None:
        found: dict[str, list[dict[str, Any]]] = {}
        for name in SPIES:
            for line in (out / "bots" / name / "named.jsonl").read_text().splitlines():
                one = json.loads(line)
                found.setdefault(one["game"], []).append(one)
        self.noted = {game: pair for game, pair in found.items() if len(pair) == 2}

    def right(self, what: str) -> dict[str, int]:
        """In which games how many of the two spies had the other's hand right."""
        return {
            game: sum(mine[what] == other["hand"] for mine, other in ((a, b), (b, a)))
            for game, (a, b) in self.noted.items()
        }

    @property
    def chance(self) -> float:
        """How often two hands are the same, of those that were dealt."""
        dealt = Counter(tuple(one["hand"]) for pair in self.noted.values() for one in pair)
        count = dealt.total()
        return sum(times * (times - 1) for times in dealt.values()) / (count * (count - 1))

    def total(self, what: str) -> int:
        return sum(one[what] for pair in self.noted.values() for one in pair)


def noted(out: Path, name: str) -> list[str]:
    """The lands under which a spy has noted a hand, also in games that came to no end."""
    notes = out / "bots" / name / "notes"
    return [file.name.split("-")[1] for file in notes.glob("hand-*")]


def given(out: Path) -> dict[str, bytes]:
    """The seeds of all games that any server has created, by game."""
    stores = list((out / "private").glob("run-*/worker-*/games.db"))
    begun = [one for one in lines(out) if isinstance(one, Begun)]
    found = {}
    for one in begun:
        game_id = f"{one.match}-{one.attempt}"
        stored = [game for store in stores if (game := read_game(store, game_id)) is not None]
        assert len(stored) <= 1  # never created twice
        if stored:
            found[game_id] = stored[0][0].secret.seed
    return found


def spec_of(folder: Path, **settings: Any) -> Path:
    settings = {"format": "round_robin", "workers": 1, "at_once": 2, **settings}
    return written(folder / "cup.toml", SPIES, **settings)


def server_of(out: Path) -> int:
    """The process of the server that plays."""
    (server,) = (
        process
        for process in processes_in(out / "private")
        if b"serve" in Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
    )
    return server


def until_in_mid_game(out: Path, process: subprocess.Popen[bytes]) -> None:
    """Wait until a server has a game that has not come to its end."""
    until = time.monotonic() + LIMIT

    def under_way() -> bool:
        try:
            begun = given(out).keys()
        except StoreError:  # its server is just starting
            return False
        return bool(begun - {game.id for game in finished(out).finished.values()})

    while not under_way():
        assert process.poll() is None, "the tournament ended before"
        assert time.monotonic() < until, "no game was under way in time"
        time.sleep(0.01)


def interrupted(tmp_path: Path, blocks: int) -> Path:
    """A tournament of spies whose server is killed, then all of it; played to its end."""
    spec, out = spec_of(tmp_path, blocks=blocks), tmp_path / "out"
    process = subprocess.Popen(
        command(spec, out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    until_games(out, 1, process)
    until_in_mid_game(out, process)
    os.kill(server_of(out), signal.SIGKILL)
    until_games(out, len(finished(out).finished) + 2, process)
    until_in_mid_game(out, process)
    process.kill()
    process.wait()
    until_gone(out)
    assert finished(out).ended is None
    done = run(spec, out)
    assert done.returncode == 0, done.stderr
    assert len(finished(out).finished) == 2 * blocks
    return out


def nothing_is_named(out: Path) -> None:
    games = Games(out)
    # Who was killed at the end of a game may not have noted it: two at a time, twice.
    assert len(games.noted) >= len(finished(out).finished) - 4
    assert set(games.right("named").values()) == {0}
    assert games.total("tried") == 0  # nor is a card of the Animal or Culture deck predicted
    # Guessing is left, and it is right no more often than chance lets it. Five standard errors:
    # the seeds are drawn, and luck must not fail the test; a spy that knew would be right always.
    guesses, chance = 2 * len(games.noted), games.chance
    hits = sum(games.right("guessed").values())
    assert hits <= guesses * chance + 5 * math.sqrt(guesses * chance * (1 - chance)) + 1
    # No land was seen twice, whatever became of the games on it.
    for name in SPIES:
        assert len(noted(out, name)) == len(set(noted(out, name))) >= len(games.noted)


def no_seed_is_used_twice(out: Path) -> None:
    seeds = given(out)
    ended = {game.id for game in finished(out).finished.values()}
    assert seeds.keys() > ended  # the servers were given more games than came to an end
    assert len(set(seeds.values())) == len(seeds)
    revealed = {one.game: one.seed for one in lines(out)
                if isinstance(one, Reveal)}  # fmt: skip
    assert revealed == {game: seeds[game].hex() for game in ended}


def test_spies_name_no_hidden_card_however_the_tournament_is_interrupted(tmp_path: Path) -> None:
    out = interrupted(tmp_path, 8)
    nothing_is_named(out)
    no_seed_is_used_twice(out)


@pytest.mark.soak
def test_spies_name_no_hidden_card_in_two_hundred_games(tmp_path: Path) -> None:
    out = interrupted(tmp_path, 100)
    nothing_is_named(out)
    no_seed_is_used_twice(out)
    games = Games(out)
    print(
        f"{len(games.noted)} games: named {sum(games.right('named').values())}, "
        f"guessed {sum(games.right('guessed').values())} of {2 * len(games.noted)}, "
        f"by chance {100 * games.chance:.1f} %"
    )


def test_where_seeds_are_shared_the_same_spies_name_hands_and_cards(tmp_path: Path) -> None:
    spec, out = spec_of(tmp_path, blocks=3, paired_seeds=True), tmp_path / "out"
    done = run(spec, out)
    assert done.returncode == 0, done.stderr
    games = Games(out)
    rotations = {game.id: game.rotation for game in finished(out).finished.values()}
    right = games.right("named")
    # Who looks up later has the note of who came first; as they play side by side, mostly both.
    assert sum(times == 2 for times in right.values()) >= 3
    assert {rotations[game] for game, times in right.items() if times} == {0, 1}
    assert games.total("hits") == games.total("tried") > 0
