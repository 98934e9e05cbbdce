"""How many games a worker plays at a time: many where bots hardly think, else one for each core."""

from __future__ import annotations

import pytest

from endless_winter.tournament.pace import MOST, Pace
from endless_winter.tournament.results import Game, Seat, Use
from endless_winter.tournament.spec import Clock

QUICK = 0.4  # ms of processor time for a decision
DECISIONS = 80


def game(
    *cpu_ms: float,
    longest: int = 4,
    charged: int = 80,
    outcome: str = "completed",
    beside: int = 1,
    counted: float = 1.0,
) -> Game:
    """A game of two bots that took so much processor time for each decision.

    It was played as one of `beside`, which waited for each other. `counted`: in so many games was
    used what is counted with it.
    """
    seats = tuple(
        Seat(
            entrant=name,
            place=1,
            decisions=DECISIONS,
            charged_ms=charged * beside,
            longest_ms=longest * beside,
        )
        for name in "ab"
    )
    used = {
        name: Use(asked_ms=round(counted * cpu * DECISIONS))
        for name, cpu in zip("ab", cpu_ms or (QUICK, QUICK), strict=True)
    }
    return Game("g", "m", "s", 0, 1, outcome, seats, used=used)


def rooms(pace: Pace, count: int, *cpu_ms: float, longest: int = 4, charged: int = 80) -> list[int]:
    """The room after each of so many games, all of which began when all room was taken."""
    found = []
    before = 0.0
    for number in range(1, count + 1):
        beside = pace.room
        so_far = number + (beside - 1) / 2  # those under way are played by half
        counted = max(so_far - before, 0.0)
        played = game(*cpu_ms, longest=longest, charged=charged, beside=beside, counted=counted)
        before = so_far
        pace.ended(played, beside, beside - 1)
        found.append(pace.room)
    return found


def test_bots_that_hardly_think_get_many_games_at_a_time() -> None:
    assert rooms(Pace(1, MOST, Clock()), 4) == [4, 16, 32, 32]


@pytest.mark.parametrize("cpu", [5.0, 100.0])
def test_where_one_bot_thinks_all_play_one_game_at_a_time(cpu: float) -> None:
    assert rooms(Pace(1, MOST, Clock()), 4, QUICK, cpu) == [1, 1, 1, 1]
    assert rooms(Pace(2, MOST, Clock()), 2, QUICK, cpu) == [2, 2]


def test_a_bot_that_begins_to_think_later_has_its_core_for_itself_again() -> None:
    pace = Pace(1, MOST, Clock())
    assert rooms(pace, 5)[-1] == MOST
    assert rooms(pace, 1, QUICK, 60.0) == [1]


def test_a_bot_that_waits_for_something_is_not_taken_for_a_quick_one() -> None:
    # It uses no processor time, but is asked for a second: two games could ask it side by side.
    assert rooms(Pace(1, MOST, Clock()), 4, longest=1000) == [1, 1, 1, 1]


def test_the_shorter_the_clock_the_fewer_games() -> None:
    clocks = [Clock(decision=seconds) for seconds in (10.0, 2.0, 1.0, 0.4, 0.1)]
    assert [rooms(Pace(1, MOST, clock), 4)[-1] for clock in clocks] == [32, 10, 5, 2, 1]


def test_a_bank_is_not_spent_on_waiting() -> None:
    assert rooms(Pace(1, MOST, Clock(decision=0.0, bank=20.0)), 4)[-1] == 5
    assert rooms(Pace(1, MOST, Clock(bank=2.0)), 4)[-1] == 1


def test_who_cannot_be_measured_counts_as_one_who_thinks() -> None:
    assert rooms(Pace(1, MOST, Clock()), 3, 0.0, QUICK) == [1, 1, 1]


def test_a_machine_that_stood_still_for_once_costs_little() -> None:
    pace = Pace(1, MOST, Clock())
    rooms(pace, 5)
    assert rooms(pace, 1, longest=12) == [16]  # that is 400 ms, shared by 32 games
    assert rooms(pace, 6)[-1] == MOST


def test_a_number_that_is_set_stays() -> None:
    assert rooms(Pace(7, 7, Clock()), 3, 50.0, 50.0) == [7, 7, 7]
    assert Pace(4, 1, Clock()).room == 1  # bots that play one game at a time


def test_a_game_that_was_not_played_says_nothing() -> None:
    pace = Pace(1, MOST, Clock())
    pace.ended(game(0.0, 0.0, outcome="void"), 1, 0)
    assert rooms(pace, 1) == [4]
