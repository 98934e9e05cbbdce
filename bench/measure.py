"""Measures several engines side by side on a machine that does other things too.

Every figure is CPU time of this process. The engines take turns and play the same games in each
pass; of each game the fastest pass counts, since all that disturbs a measurement makes it slower.
A turn lasts about as long for each engine, so one with short games plays several in a row: else
each of them would start with the caches full of another engine's code. The passes as they came
give the range of a ratio.
"""

from __future__ import annotations

import gc
import math
import statistics
from dataclasses import dataclass
from time import process_time
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

POSITIONS = 8
"""So many mid-game positions are copied and weighed."""
COPY_ROUNDS = 5
"""Copying is short, so each pass times it this often."""
COPY_BATCH_SECONDS = 0.002
TURN_SECONDS = 0.05
"""About the length of one catanatron game."""
MOST_GAMES_IN_A_TURN = 100


class Copyable(Protocol):
    """A position that can be copied; what the copy is does not matter here."""

    def copy(self) -> object:
        """An independent copy."""
        ...


class Subject(Protocol):
    """An engine that plays games by random choice."""

    @property
    def name(self) -> str:
        """What the table calls it."""
        ...

    @property
    def version(self) -> str:
        """Its release, or how it is built."""
        ...

    def play(self, seed: int) -> Played:
        """Play a whole game; the same seed gives the same game."""
        ...

    def position(self, seed: int, decisions: int) -> Copyable:
        """The game of that seed after so many decisions."""
        ...


class Played(NamedTuple):
    """One game: seconds to create and to play it, its decisions, and those with a real choice."""

    creating: float
    playing: float
    decisions: int
    choices: int


class NotRepeatable(Exception):  # it is what happened
    """An engine played another game from the same seed; the message is one line."""


@dataclass(frozen=True, slots=True)
class Score:
    """What one engine did; ``passes[p][g]`` is game g in pass p."""

    passes: list[list[Played]]
    copy_passes: list[float]
    copying: float

    @property
    def games(self) -> int:
        """How many different games were played."""
        return len(self.passes[0])

    @property
    def creating(self) -> float:
        """Seconds to create all the games, each at its best."""
        return sum(min(game.creating for game in played) for played in self._by_game())

    @property
    def playing(self) -> float:
        """Seconds to play all the games, each at its best, creation left out."""
        return sum(min(game.playing for game in played) for played in self._by_game())

    @property
    def decisions(self) -> float:
        """Decisions in a game, on average."""
        return statistics.fmean(game.decisions for game in self.passes[0])

    @property
    def decisions_error(self) -> float:
        """The standard error of that average, from the spread between games."""
        if self.games == 1:
            return math.nan
        spread = statistics.stdev(game.decisions for game in self.passes[0])
        return spread / math.sqrt(self.games)

    @property
    def choices(self) -> float:
        """Decisions with more than one option in a game, on average."""
        return statistics.fmean(game.choices for game in self.passes[0])

    @property
    def decisions_per_second(self) -> float:
        """Decisions listed, chosen and applied in a second, forced ones too."""
        return self.decisions * self.games / self.playing

    @property
    def choices_per_second(self) -> float:
        """The same, counting only decisions with a real choice; the forced ones' time stays in."""
        return self.choices * self.games / self.playing

    @property
    def games_per_second(self) -> float:
        """Whole games, creation included."""
        return self.games / (self.creating + self.playing)

    @property
    def creation_share(self) -> float:
        """Creating a game as a part of playing it."""
        return self.creating / self.playing

    def pass_choices_per_second(self) -> list[float]:
        """``choices_per_second`` of each pass as it came."""
        return [
            self.choices * self.games / sum(game.playing for game in games) for games in self.passes
        ]

    def pass_games_per_second(self) -> list[float]:
        """``games_per_second`` of each pass as it came."""
        return [
            self.games / sum(game.creating + game.playing for game in games)
            for games in self.passes
        ]

    def _by_game(self) -> Iterator[tuple[Played, ...]]:
        return zip(*self.passes, strict=True)


def race(
    subjects: Sequence[Subject],
    *,
    seconds: float,
    repeat: int,
    seed: int,
    progress: Callable[[str], None],
) -> list[Score]:
    """Let the subjects play and copy in turns; ``seconds`` is for one subject in one pass."""
    turns = []
    for subject in subjects:
        subject.play(seed)  # the first game fills caches; it is not counted
        once = subject.play(seed)
        games_in_turn = round(TURN_SECONDS / max(once.creating + once.playing, 1e-6))
        turns.append(min(max(games_in_turn, 1), MOST_GAMES_IN_A_TURN))
    played: list[list[list[Played]]] = [[] for _ in subjects]
    copied: list[list[list[float]]] = [[] for _ in subjects]
    positions: list[list[Copyable]] = []
    for number in range(repeat):
        progress(f"pass {number + 1} of {repeat}")
        gc.collect()
        rounds = len(played[0][0]) // turns[0] if number else None
        games = _play_in_turns(subjects, turns, seed, rounds, seconds * len(subjects))
        if not positions:
            positions = [
                middles(subject, seed, first)
                for subject, first in zip(subjects, games, strict=True)
            ]
        for index, subject in enumerate(subjects):
            played[index].append(games[index])
            _check_repeatable(subject, played[index][0], games[index])
        for index, times in enumerate(_copy_in_turns(positions)):
            copied[index].append(times)
    return [
        Score(
            passes=passes,
            copy_passes=[statistics.fmean(times) for times in copies],
            copying=statistics.fmean(min(times) for times in zip(*copies, strict=True)),
        )
        for passes, copies in zip(played, copied, strict=True)
    ]


def middles(subject: Subject, seed: int, games: Sequence[Played]) -> list[Copyable]:
    """The first few games, each stopped half way."""
    return [
        subject.position(seed + number, game.decisions // 2)
        for number, game in enumerate(games[:POSITIONS])
    ]


def _play_in_turns(
    subjects: Sequence[Subject],
    turns: Sequence[int],
    seed: int,
    rounds: int | None,
    seconds: float,
) -> list[list[Played]]:
    """A turn of each, of so many games: so many rounds, or as many as fit into the seconds."""
    games: list[list[Played]] = [[] for _ in subjects]
    end = process_time() + seconds
    number = 0
    while number < rounds if rounds is not None else number == 0 or process_time() < end:
        for index, subject in enumerate(subjects):
            for _ in range(turns[index]):
                games[index].append(subject.play(seed + len(games[index])))
        number += 1
    return games


def _check_repeatable(subject: Subject, first: list[Played], again: list[Played]) -> None:
    for one, other in zip(first, again, strict=True):
        if (one.decisions, one.choices) != (other.decisions, other.choices):
            raise NotRepeatable(
                f"{subject.name} played {one.decisions} decisions, then {other.decisions} "
                "from the same seed: not one game, so not one measurement"
            )


def _copy_in_turns(positions: list[list[Copyable]]) -> list[list[float]]:
    """Seconds for one copy of each position of each subject, the best of a few rounds."""
    best = [[math.inf] * len(places) for places in positions]
    for _ in range(COPY_ROUNDS):
        for index, places in enumerate(positions):
            for place, position in enumerate(places):
                best[index][place] = min(best[index][place], _time_copy(position))
    return best


def _time_copy(position: Copyable) -> float:
    """Seconds for one copy, made and dropped again, averaged over a short batch."""
    copy = position.copy
    start = process_time()
    copy()
    once = process_time() - start
    count = max(10, round(COPY_BATCH_SECONDS / max(once, 1e-7)))
    numbers = range(count)
    start = process_time()
    for _ in numbers:
        copy()
    return (process_time() - start) / count
