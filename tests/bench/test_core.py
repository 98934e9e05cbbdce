"""The benchmark's arithmetic and its errors, with engines made here (no yardstick installed)."""

from __future__ import annotations

import math

import click
import pytest

from bench import measure, memory, report, yardsticks
from bench.ours import EndlessWinter
from endless_winter.content import load


class Position:
    """A list that can be copied."""

    def __init__(self, size: int) -> None:
        self.cells = list(range(1000, 1000 + size))

    def copy(self) -> Position:
        """Cells are shared, the list is not."""
        other = Position(0)
        other.cells = self.cells.copy()
        return other


class Clockwork:
    """An engine that reports given times: 10 decisions, 4 of them real."""

    name = "clockwork"
    version = "1"

    def __init__(self, times: list[float], *, drift: bool = False) -> None:
        self._times = times
        self._drift = drift
        self._played = 0

    def play(self, seed: int) -> measure.Played:
        """The next of the given times, the last one from then on."""
        del seed
        time = self._times[min(self._played, len(self._times) - 1)]
        self._played += 1
        decisions = self._played if self._drift else 10
        return measure.Played(time / 10, time, decisions, 4)

    def position(self, seed: int, decisions: int) -> Position:
        """Any position will do."""
        del seed, decisions
        return Position(100)


def race(*engines: Clockwork, repeat: int = 3) -> list[measure.Score]:
    """One game in each pass."""
    return measure.race(engines, seconds=1e-9, repeat=repeat, seed=0, progress=lambda _: None)


def test_the_fastest_pass_of_each_game_counts_and_the_warm_up_does_not() -> None:
    """Two warm-ups of 0.1 s, then passes of 4, 2 and 5 s."""
    (score,) = race(Clockwork([0.1, 0.1, 4, 2, 5]))
    assert score.games == 1
    assert score.playing == 2
    assert score.choices_per_second == 4 / 2
    assert score.decisions_per_second == 10 / 2
    assert score.games_per_second == pytest.approx(1 / 2.2)
    assert score.creation_share == pytest.approx(0.1)
    assert score.pass_choices_per_second() == [1, 2, 0.8]
    assert math.isnan(score.decisions_error)
    assert score.copying > 0


def test_an_engine_that_does_not_repeat_its_game_is_not_measured() -> None:
    """Two passes over different games have no common figure."""
    with pytest.raises(measure.NotRepeatable, match="clockwork played 3 decisions, then 4"):
        race(Clockwork([1], drift=True))


@pytest.mark.parametrize(
    ("compiled", "expected"),
    [
        (False, [True, None, False, False, False, None, None]),
        (True, [False, False, False, False, False, None, None]),
    ],
)
def test_the_limits_depend_on_whether_the_core_is_compiled(
    *, compiled: bool, expected: list[bool | None]
) -> None:
    """Three times as fast is enough in pure Python, not when compiled."""
    ours, catan, chess = race(Clockwork([1]), Clockwork([3]), Clockwork([1]))
    found = report.targets(ours, catan, chess, position_bytes=40_001, compiled=compiled)
    assert found[0].value == pytest.approx(3)
    assert [target.met for target in found] == expected
    assert "MISSED" in "\n".join(report.target_lines(found))


def test_a_position_weighs_what_it_does_not_share() -> None:
    """A thousand cells of 8 bytes and their ints, without the table beside them."""
    table = list(range(10_000, 20_000))
    alone = memory.deep_size([1000 + n for n in range(1000)], shared=[table])
    assert 36_000 < alone < 38_000
    assert memory.deep_size([table, 1, None, int], shared=[table]) < 200


def test_a_copy_weighs_what_was_allocated_for_it() -> None:
    """The list of a copy, not the cells that it shares."""
    assert 8_000 < memory.copy_size([Position(1000)]) < 9_500


def test_a_missing_yardstick_is_one_line_with_the_way_out() -> None:
    """What users see who call it outside of 'make bench'."""
    with pytest.raises(click.ClickException, match=r"'no_such_engine'.*run 'make bench'"):
        yardsticks.load("no_such_engine")


def test_solo_games_are_measured_too() -> None:
    engine = EndlessWinter(2, load(), solo=True)
    first, again = engine.play(3), engine.play(3)
    assert (first.decisions, first.choices) == (again.decisions, again.choices)
    assert first.decisions > 2 * first.choices  # the Nomad's steps are decisions without a choice
