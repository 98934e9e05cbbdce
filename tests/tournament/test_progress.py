"""What is shown while a tournament runs: how far it is, how fast, how long still, who leads."""

from __future__ import annotations

import io
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec
import pytest
from rich.console import Console
from rich.live import Live

from endless_winter.cli import tournament_progress
from endless_winter.cli.tournament_progress import Board, Lines, progress_of
from endless_winter.tournament.results import Game, Results
from endless_winter.tournament.schedule import plan
from tests.tournament.tables import WORLD, by_strength, spec_of

if TYPE_CHECKING:
    from endless_winter.tournament.spec import Spec


class Clock:
    """A clock that tests move on."""

    def __init__(self) -> None:
        self.now = 1000.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(tournament_progress, "time", made)
    return made


@pytest.fixture
def spec() -> Spec:
    return spec_of("strong", "weak", players=2, blocks=10, title="Winter cup")


def watched(spec: Spec, clock: Clock, progress: Lines, results: Results, games: int) -> None:
    """Tell somebody who looks on of the first games, three seconds each."""
    play = by_strength({"strong": 3, "weak": 0})
    known = plan(spec, WORLD, {})
    progress.began(known, [])
    for match in islice(known.matches(), games):
        clock.now += 3.0
        game = play(match)
        results.add(game)
        progress.played(known, game)


def test_a_pipe_gets_a_line_now_and_then(
    spec: Spec, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    results = Results()
    lines = Lines(spec, results, quiet=False)
    watched(spec, clock, lines, results, 10)
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "Winter cup: strong, weak; 20 games"
    progress, leaders = said[-1].split("; ")
    assert progress == "9 of 20 games, 20 a minute, 0:33 left"
    first, second = leaders.split(", ")
    assert first.startswith("strong +")
    assert second.startswith("weak ")
    assert "±" in first
    assert len(said) == 4  # not one for each game


def test_a_screen_gets_the_bar_and_the_table_with_its_margins(spec: Spec, clock: Clock) -> None:
    results = Results()
    screen = Console(file=io.StringIO(), force_terminal=True, width=100, height=30)
    with Live(console=screen, auto_refresh=False) as live:
        board = Board(spec, results, live)
        watched(spec, clock, board, results, 0)
        assert "starting servers and bots" in shown(live)
        watched(spec, clock, board, results, 10)
        board.lost("the machine is gone")
        void = void_of(results)
        clock.now += 3.0
        board.played(plan(spec, WORLD, {}), void)
        lines = [line.rstrip() for line in shown(live).splitlines()]
    assert lines[0] == "Winter cup"
    assert lines[1].startswith("━━")
    assert lines[1].endswith("10 of 20 games, 18 a minute, 0:33 left")
    assert " ".join(lines[3].split()).startswith("entrant rating ± 95 % games wins")
    assert [line.split()[1] for line in lines[4:6]] == ["strong", "weak"]
    assert lines[-2] == "a worker was lost and is replaced: the machine is gone"
    assert lines[-1] == "void: weak never took its seat"


def void_of(results: Results) -> Game:
    """A game that did not count."""
    some = next(iter(results.finished.values()))
    return msgspec.structs.replace(some, id="x", outcome="void", note="weak never took its seat")


def shown(live: Live) -> str:
    plain = Console(file=io.StringIO(), width=100)
    shown: Any = live.get_renderable()
    with plain.capture() as capture:
        plain.print(shown)
    return capture.get()


def test_quiet_is_quiet(spec: Spec, clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    results = Results()
    with progress_of(spec, results, quiet=True) as progress:
        watched(spec, clock, progress, results, 10)
    assert capsys.readouterr().out == ""


def test_resuming_prints_what_is_done(
    spec: Spec, clock: Clock, capsys: pytest.CaptureFixture[str]
) -> None:
    del clock
    results = Results()
    known = plan(spec, WORLD, {})
    for match in islice(known.matches(), 8):
        results.add(by_strength({"strong": 3, "weak": 0})(match))
    Lines(spec, results, quiet=False).began(known, list(results.finished.values()))
    assert capsys.readouterr().out == "Winter cup: strong, weak; 20 games, 8 of them done\n"
