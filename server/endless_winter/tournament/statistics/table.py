"""The whole table of a tournament: standings, head to head, seats, time."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import fmean, stdev
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.tournament.statistics.apart import Neighbours, neighbours
from endless_winter.tournament.statistics.ratings import (
    Finish,
    Rating,
    Stratum,
    estimates,
    shares,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from endless_winter.tournament.results import Game, Seat


@dataclass(slots=True)
class Standing:
    """An entrant in the table."""

    entrant: str
    rating: Rating
    rank: int = 0
    games: int = 0
    wins: float = 0.0
    """A first place shared by two is half a win for each."""
    points: float = 0.0
    """The sum of the shares of opponents left behind."""
    places: list[int] = field(default_factory=list)
    """How often it came 1st, 2nd, 3rd, 4th."""
    scores: list[int] = field(default_factory=list)
    ends: dict[str, int] = field(default_factory=dict)
    """How its part ended where not as it should, by reason."""
    timeouts: int = 0
    wrong_answers: int = 0
    decisions: int = 0
    charged_ms: int = 0
    longest_ms: int = 0
    columns: dict[str, int] = field(default_factory=dict)
    sources: dict[str, int] = field(default_factory=dict)
    """Points in all games, by category."""
    unrated: int = 0
    """Games that were adjudicated without being played."""

    @property
    def rated(self) -> bool:
        """Whether it has played at all; otherwise its rating says nothing about it."""
        return self.games > self.unrated

    @property
    def share(self) -> float:
        return self.points / self.games if self.games else 0.0

    @property
    def win_rate(self) -> float:
        return self.wins / self.games if self.games else 0.0

    @property
    def mean_score(self) -> float:
        return fmean(self.scores) if self.scores else 0.0

    @property
    def mean_place(self) -> float:
        count = sum(self.places)
        placed = sum(place * times for place, times in enumerate(self.places, 1))
        return placed / count if count else 0.0

    @property
    def mean_ms(self) -> float:
        """Time charged per decision."""
        return self.charged_ms / self.decisions if self.decisions else 0.0


class Meeting(NamedTuple):
    """How one entrant did against another, game by game."""

    games: int
    ahead: float
    """Games in which it came before the other; an equal place is half."""

    @property
    def share(self) -> float:
        return self.ahead / self.games if self.games else 0.0


class SeatEffect(NamedTuple):
    """What a seat is worth, whatever entrant has it; intervals of 95 % over blocks."""

    seat: int
    games: int
    win_rate: float
    win_margin: float
    mean_score: float
    score_margin: float


@dataclass(slots=True)
class Table:
    """Everything that a report shows."""

    standings: list[Standing]
    """Best first."""
    meetings: dict[tuple[str, str], Meeting]
    seats: list[SeatEffect]
    games: int
    blocks: int
    lengths: list[int]
    """Decisions in each completed game."""
    neighbours: list[Neighbours]
    """Each entrant with the next one in the standings, as far as both are rated."""

    def standing(self, entrant: str) -> Standing:
        return next(one for one in self.standings if one.entrant == entrant)


def table(names: Sequence[str], games: Sequence[Game], *, resamples: int = 1000) -> Table:
    """The table of finished games; their order does not matter."""
    games = sorted((game for game in games if game.finished), key=lambda game: game.id)
    number = {name: at for at, name in enumerate(names)}
    rated = [game for game in games if game.outcome == "completed"]
    found = estimates(_strata(games, number), len(names), resamples=resamples)
    rating = dict(zip(names, found.ratings(), strict=True))
    standings = {name: Standing(name, rating[name]) for name in names}
    meetings: dict[tuple[str, str], list[float]] = {}
    for game in games:
        _count(standings, game)
        for one in game.seats:
            for other in game.seats:
                if one is not other:
                    ahead = 0.5 if one.place == other.place else float(one.place < other.place)
                    meetings.setdefault((one.entrant, other.entrant), []).append(ahead)
    # Who never played has no rating to stand before others with.
    ordered = sorted(
        standings.values(),
        key=lambda one: (not one.rated, -one.rating.value, -one.share, number[one.entrant]),
    )
    for at, standing in enumerate(ordered):
        before = ordered[at - 1]
        same = at and _result(standing) == _result(before)
        standing.rank = before.rank if same else at + 1
    return Table(
        ordered,
        {pair: Meeting(len(ahead), sum(ahead)) for pair, ahead in meetings.items()},
        seat_effects(rated),
        len(games),
        len({game.block for game in games}),
        [game.decisions for game in rated],
        [
            neighbours(
                one.entrant,
                other.entrant,
                found.gap(number[one.entrant], number[other.entrant]),
                len(rated),
            )
            for one, other in pairwise(ordered)
            if one.rated and other.rated
        ],
    )


def _result(one: Standing) -> tuple[object, ...]:
    """What must be equal for a shared rank: a rating alone says nothing of who never played."""
    return one.rated, one.rating.value, one.share, one.places, one.mean_score


def _strata(games: Sequence[Game], number: Mapping[str, int]) -> list[Stratum]:
    """The games that are rated by block, and the blocks by who plays on them.

    A block stays whole: each seat is in it equally often, and where seeds are paired its games
    share the luck of one, in a solo field those of all entrants.
    """
    players: dict[str, set[str]] = {}
    rated: dict[str, list[Finish]] = {}
    for game in games:
        players.setdefault(game.block, set()).update(seat.entrant for seat in game.seats)
        if game.outcome == "completed":
            finish = Finish(
                tuple(number[seat.entrant] for seat in game.seats),
                tuple(seat.place for seat in game.seats),
            )
            rated.setdefault(game.block, []).append(finish)
    grouped: dict[frozenset[str], list[tuple[Finish, ...]]] = {}
    for block, finishes in rated.items():
        grouped.setdefault(frozenset(players[block]), []).append(tuple(sorted(finishes)))
    return [Stratum(tuple(blocks)) for blocks in grouped.values()]


def _count(standings: Mapping[str, Standing], game: Game) -> None:
    gained = shares([seat.place for seat in game.seats])
    first = min(seat.place for seat in game.seats)
    winners = sum(seat.place == first for seat in game.seats)
    for seat, share in zip(game.seats, gained, strict=True):
        one = standings[seat.entrant]
        one.games += 1
        one.points += share
        one.wins += (seat.place == first) / winners
        while len(one.places) < len(game.seats):
            one.places.append(0)
        one.places[seat.place - 1] += 1
        if seat.reason != "normal":
            one.ends[seat.reason] = one.ends.get(seat.reason, 0) + 1
        if game.outcome != "completed":
            one.unrated += 1
            continue
        _play(one, seat)


def _play(one: Standing, seat: Seat) -> None:
    one.scores.append(seat.score)
    one.timeouts += seat.timeouts
    one.wrong_answers += seat.wrong_answers
    one.decisions += seat.decisions
    one.charged_ms += seat.charged_ms
    one.longest_ms = max(one.longest_ms, seat.longest_ms)
    for column, times in seat.columns.items():
        one.columns[column] = one.columns.get(column, 0) + times
    for category, points in seat.points.items():
        one.sources[category] = one.sources.get(category, 0) + points


def seat_effects(games: Sequence[Game]) -> list[SeatEffect]:
    """Wins and scores by seat. Only groups of which every rotation of a block was completed count:
    there each entrant sat in each seat equally often, so that what is left is the seat.

    A block is one observation, also that of a paired solo field, where several groups play on it.
    """
    groups: dict[tuple[str, frozenset[str]], list[Game]] = {}
    for game in games:
        group = frozenset(seat.entrant for seat in game.seats)
        groups.setdefault((game.block, group), []).append(game)
    blocks: dict[str, list[Game]] = {}
    for (block_id, _), rotations in groups.items():
        if len(rotations) == len(rotations[0].seats):
            blocks.setdefault(block_id, []).extend(rotations)
    whole = list(blocks.values())
    found = []
    for seat in range(max((len(block[0].seats) for block in whole), default=0)):
        wins, scores, count = [], [], 0
        for block in whole:
            if seat < len(block[0].seats):
                wins.append(fmean(_won(game, seat) for game in block))
                scores.append(fmean(game.seats[seat].score for game in block))
                count += len(block)
        found.append(SeatEffect(seat, count, *_mean(wins), *_mean(scores)))
    return found


def _won(game: Game, seat: int) -> float:
    first = min(one.place for one in game.seats)
    winners = sum(one.place == first for one in game.seats)
    return (game.seats[seat].place == first) / winners


def _mean(values: Sequence[float]) -> tuple[float, float]:
    """The mean and half its interval of 95 %."""
    if not values:
        return 0.0, 0.0
    spread = stdev(values) if len(values) > 1 else 0.0
    return fmean(values), 1.96 * spread / math.sqrt(len(values))
