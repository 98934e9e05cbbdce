"""The table of a tournament."""

from __future__ import annotations

import math
import random

import msgspec
import pytest

from endless_winter.tournament.results import Game, Seat
from endless_winter.tournament.schedule import plan
from endless_winter.tournament.statistics.table import seat_effects, table
from tests.tournament.tables import WORLD, by_strength, game_of, play_all, spec_of


def test_the_standings_of_three_games_are_those_counted_by_hand() -> None:
    spec = spec_of("a", "b", "c", players=3, blocks=1)
    matches = list(plan(spec, WORLD, {}).matches())  # abc, bca, cab
    games = [
        game_of(matches[0], (1, 2, 3)),
        game_of(matches[1], (2, 3, 1)),  # a first, b second, c third
        game_of(matches[2], (1, 2, 2)),  # c first, a and b share the second place
    ]
    found = table(spec.names, games, resamples=100)
    a, b, c = (found.standing(name) for name in "abc")
    assert [a.wins, b.wins, c.wins] == [2, 0, 1]
    assert [a.points, b.points, c.points] == [2.25, 1.25, 1.0]
    assert a.places == [2, 1, 0]
    assert c.places == [1, 0, 2]
    assert a.mean_place == pytest.approx(4 / 3)
    assert a.scores == [90, 90, 80] or sorted(a.scores) == [80, 90, 90]
    assert found.meetings["a", "b"].ahead == 2.5
    assert found.meetings["b", "a"].ahead == 0.5
    assert found.meetings["c", "a"].games == 3
    assert found.standings[0].entrant == "a"
    assert (found.games, found.blocks) == (3, 1)


def test_the_order_of_the_results_does_not_change_the_table() -> None:
    spec = spec_of("a", "b", "c", players=2, blocks=6)
    games = list(play_all(spec, by_strength({"a": 1, "b": 0.5, "c": 0})).values())
    before = table(spec.names, games, resamples=100)
    random.Random(2).shuffle(games)
    assert table(spec.names, games, resamples=100) == before


def test_a_table_without_games_is_a_table() -> None:
    found = table(("a", "b"), [])
    assert [one.entrant for one in found.standings] == ["a", "b"]
    assert all(math.isfinite(one.rating.value) for one in found.standings)
    assert found.standings[0].rank == found.standings[1].rank == 1
    assert found.standings[0].mean_score == found.standings[0].share == 0.0


def test_a_game_that_was_never_played_costs_places_but_no_rating() -> None:
    spec = spec_of("a", "b", players=2, blocks=1)
    first, second = plan(spec, WORLD, {}).matches()
    absent = (
        Seat(entrant="b", place=1),
        Seat(entrant="a", place=2, reason="never_started"),
    )
    games = [
        game_of(first, (1, 2)),
        game_of(second, (1, 2), outcome="adjudicated", seats=absent),
    ]
    found = table(spec.names, games, resamples=100)
    a = found.standing("a")
    assert (a.games, a.unrated, a.wins, a.ends) == (2, 1, 1.0, {"never_started": 1})
    assert a.rating.value > 0  # of the one game that was played
    assert found.lengths == [500]


def test_who_never_played_stands_last_and_without_a_rating() -> None:
    spec = spec_of("absent", "good", "bad", players=2, blocks=4)
    games = play_all(spec, by_strength({"absent": 0, "good": 9, "bad": -9}))
    for match, game in games.items():
        if "absent" in {seat.entrant for seat in game.seats}:
            seats = tuple(
                Seat(entrant=seat.entrant, place=2 if seat.entrant == "absent" else 1)
                for seat in game.seats
            )
            games[match] = msgspec.structs.replace(game, outcome="adjudicated", seats=seats)
    found = table(spec.names, list(games.values()), resamples=50)
    assert [(one.entrant, one.rank, one.rated) for one in found.standings] == [
        ("good", 1, True),
        ("bad", 2, True),
        ("absent", 3, False),
    ]
    assert found.standing("absent").rating.value > found.standing("bad").rating.value


def test_only_equal_results_share_a_rank() -> None:
    spec = spec_of("never", "rarely", "good", players=2, blocks=2)
    games = play_all(spec, by_strength({"never": 0, "rarely": 0, "good": 9}))
    for match, game in games.items():
        # Neither of two was ever there; of their own game one came to its table.
        names = [seat.entrant for seat in game.seats]
        first = "good" if "good" in names else "rarely"
        seats = tuple(Seat(entrant=name, place=1 if name == first else 2) for name in names)
        games[match] = msgspec.structs.replace(game, outcome="adjudicated", seats=seats)
    found = table(spec.names, list(games.values()), resamples=50)
    assert [one.rated for one in found.standings] == [False] * 3
    assert [(one.entrant, one.rank) for one in found.standings] == [
        ("good", 1),
        ("rarely", 2),
        ("never", 3),
    ]


def test_attempts_that_do_not_count_are_left_out() -> None:
    spec = spec_of("a", "b", players=2, blocks=1)
    first, second = plan(spec, WORLD, {}).matches()
    games = [game_of(first, (1, 2)), game_of(second, (0, 0), outcome="void")]
    assert table(spec.names, games, resamples=100).games == 1


def test_time_and_late_answers_are_added_up() -> None:
    spec = spec_of("a", "b", players=2, blocks=1)

    def timed(game: Game, ms: int) -> Game:
        seat = msgspec.structs.replace(
            game.seats[0], decisions=4, charged_ms=ms, longest_ms=ms // 2, timeouts=1
        )
        return msgspec.structs.replace(game, seats=(seat, *game.seats[1:]))

    first, second = plan(spec, WORLD, {}).matches()
    games = [timed(game_of(first, (1, 2)), 100), game_of(second, (1, 2))]
    a = table(spec.names, games, resamples=100).standing("a")
    assert (a.mean_ms, a.longest_ms, a.timeouts) == (25.0, 50, 1)


def test_a_seat_that_always_wins_is_seen_whoever_sits_there() -> None:
    spec = spec_of("a", "b", "c", players=3, blocks=4)
    games = [game_of(match, (1, 2, 3)) for match in plan(spec, WORLD, {}).matches()]
    effects = seat_effects(games)
    assert [one.win_rate for one in effects] == [1.0, 0.0, 0.0]
    assert [one.games for one in effects] == [12, 12, 12]
    assert [one.mean_score for one in effects] == [90, 80, 70]
    # A block that is not whole would count the entrants and not the seats.
    assert seat_effects(games[:2]) == []


def lucky_field(
    names: tuple[str, ...], blocks: int, draw: random.Random, *, paired: bool
) -> list[Game]:
    """A solo field of equals, the Nomad too, where mostly the seed decides who wins."""
    spec = spec_of(*names, format="solo_field", blocks=blocks, paired_seeds=paired)
    games = []
    for block in plan(spec, WORLD, {}).blocks:
        kind = 0.0
        for match in block.matches:
            if not (paired and kind):
                kind = draw.choice((0.95, 0.05))  # how likely one beats the Nomad on this seed
            won = draw.random() < kind
            first = (match.entrants[0] == "Nomad") ^ won
            games.append(game_of(match, (1, 2) if first else (2, 1)))
    return games


@pytest.mark.parametrize("paired", [False, True])
def test_intervals_of_a_solo_field_know_whether_its_entrants_share_the_luck_of_a_seed(
    paired: bool,
) -> None:
    names = ("a", "b", "c", "d")
    draw = random.Random(6)
    found = [
        table((*names, "Nomad"), lucky_field(names, 12, draw, paired=paired), resamples=100)
        for _ in range(60)
    ]
    nomads = [one.standing("Nomad").rating for one in found]
    hits = sum(rating.low <= 0 <= rating.high for rating in nomads)
    # 95 % of 60 is 57; on shared seeds, with each entrant's games for themselves, it would be 45.
    assert hits >= 54


def test_seats_of_a_paired_solo_field_are_compared_seed_by_seed() -> None:
    def field(*names: str) -> list[Game]:
        spec = spec_of(*names, format="solo_field", blocks=20, paired_seeds=True)
        return [
            game_of(match, (1, 2) if at % 2 else (2, 1))
            for at, block in enumerate(plan(spec, WORLD, {}).blocks)
            for match in block.matches
        ]

    alone, together = seat_effects(field("a")), seat_effects(field(*"abcd"))
    assert [one.games for one in together] == [160, 160]
    # Who does just as the first says nothing new about a seed.
    assert [one.win_margin for one in together] == [one.win_margin for one in alone]
    assert [one.score_margin for one in together] == [one.score_margin for one in alone]
