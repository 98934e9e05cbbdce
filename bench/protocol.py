"""One run of ``python -m bench serve``: how large it is, and what it has found so far."""

from __future__ import annotations

import secrets
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bench.report import Target

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured. The issue's numbers are the defaults."""

    games: int = 64
    answers: int = 6_000
    turns: int = 6  # of so many answers, where servers take turns
    single: int = 400
    paced_games: int = 1_000
    paced_streams: int = 10
    per_second: int = 1_000
    paced_answers: int = 10_000
    idle_games: int = 5_000
    played: int = 120  # decisions of each prepared game
    counts: tuple[int, ...] = (10, 100, 1_000, 5_000)
    cost_answers: int = 2_000
    flat_answers: int = 100_000
    prompts: int = 3  # whole games whose prompts are built both ways
    attack_seconds: float = 8.0
    attacks: tuple[str, ...] = ()  # all of them


QUICK = Sizes(
    games=4,
    answers=60,
    turns=2,
    single=20,
    paced_games=6,
    paced_streams=2,
    per_second=200,
    paced_answers=40,
    idle_games=6,
    played=10,
    counts=(2, 4),
    cost_answers=40,
    flat_answers=120,
    prompts=1,
    attack_seconds=0.5,
    attacks=("answers", "resets"),
)


@dataclass(slots=True)
class Run:
    """What the measurements share."""

    folder: Path
    repeat: int
    sizes: Sizes
    progress: Callable[[str], None]
    store: str = ""
    """The address of a database that is compared with a file; empty: it is left out."""
    secret: str = field(default_factory=lambda: secrets.token_hex(32))
    targets: list[Target] = field(default_factory=list)
    figures: list[tuple[str, str]] = field(default_factory=list)
    raw: dict[str, Any] = field(default_factory=dict)

    def note(self, name: str, text: str) -> None:
        """A figure that explains the others."""
        self.figures.append((name, text))

    def inside(self, name: str) -> Path:
        """A folder of its own for a server."""
        found = self.folder / name
        found.mkdir(exist_ok=True)
        return found

    def judge(
        self,
        name: str,
        values: Sequence[float],
        limit: float | None,
        *,
        at_least: bool = False,
        unit: str = "",
        value: float | None = None,
    ) -> None:
        """A figure over its repeats, beside its limit; without `value`, the median counts."""
        counts = statistics.median(values) if value is None else value
        self.targets.append(
            Target(name, counts, min(values), max(values), limit, at_least=at_least, unit=unit)
        )


def middle(runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The run with the median rate."""
    return sorted(runs, key=lambda run: float(run["per_second"]))[len(runs) // 2]
