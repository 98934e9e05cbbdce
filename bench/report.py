"""The figures as a table, as targets that are met or not, and as JSON."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.measure import Score

MEMORY_LIMIT = 40_000
CREATION_LIMIT = 0.02


@dataclass(frozen=True, slots=True)
class Figures:
    """One engine's figures; times in seconds, sizes in bytes."""

    name: str
    version: str
    games: int
    choices_per_second: float
    decisions_per_second: float
    games_per_second: float
    decisions_per_game: float
    decisions_per_game_error: float
    choices_per_game: float
    creation_share: float
    copy_seconds: float
    copy_bytes: float


@dataclass(frozen=True, slots=True)
class Target:
    """A figure beside its limit; ``low`` and ``high`` are its range over the passes."""

    name: str
    value: float
    low: float
    high: float
    limit: float | None
    at_least: bool
    unit: str

    @property
    def met(self) -> bool | None:
        """Whether the limit is met; None where there is no limit."""
        if self.limit is None:
            return None
        return self.value >= self.limit if self.at_least else self.value <= self.limit


def figures(name: str, version: str, score: Score, copy_bytes: float) -> Figures:
    """The figures of a score."""
    return Figures(
        name=name,
        version=version,
        games=score.games,
        choices_per_second=score.choices_per_second,
        decisions_per_second=score.decisions_per_second,
        games_per_second=score.games_per_second,
        decisions_per_game=score.decisions,
        decisions_per_game_error=score.decisions_error,
        choices_per_game=score.choices,
        creation_share=score.creation_share,
        copy_seconds=score.copying,
        copy_bytes=copy_bytes,
    )


def targets(
    ours: Score, catan: Score, chess: Score, *, position_bytes: float, compiled: bool
) -> list[Target]:
    """Ours against the yardsticks, with the limits for pure Python or for the compiled core."""
    creation = [sum(g.creating for g in p) / sum(g.playing for g in p) for p in ours.passes]
    share = ours.creation_share
    return [
        _ratio(
            "real choices/s, times catanatron's",
            (ours.choices_per_second, catan.choices_per_second),
            (ours.pass_choices_per_second(), catan.pass_choices_per_second()),
            limit=6 if compiled else 2,
        ),
        _ratio(
            "games/s, times catanatron's",
            (ours.games_per_second, catan.games_per_second),
            (ours.pass_games_per_second(), catan.pass_games_per_second()),
            limit=5 if compiled else None,
        ),
        _ratio(
            "copy(), times faster than catanatron's",
            (catan.copying, ours.copying),
            (catan.copy_passes, ours.copy_passes),
            limit=20 if compiled else 8,
        ),
        Target(
            "a position in memory",
            position_bytes / 1000,
            position_bytes / 1000,
            position_bytes / 1000,
            MEMORY_LIMIT / 1000,
            at_least=False,
            unit=" kB",
        ),
        Target(
            "creating a game, of playing it",
            share * 100,
            min(creation) * 100,
            max(creation) * 100,
            CREATION_LIMIT * 100,
            at_least=False,
            unit=" %",
        ),
        _ratio(
            "real choices/s, times python-chess's",
            (ours.choices_per_second, chess.choices_per_second),
            (ours.pass_choices_per_second(), chess.pass_choices_per_second()),
            limit=None,
        ),
        _ratio(
            "copy(), times faster than python-chess's",
            (chess.copying, ours.copying),
            (chess.copy_passes, ours.copy_passes),
            limit=None,
        ),
    ]


def _ratio(
    name: str,
    best: tuple[float, float],
    passes: tuple[Sequence[float], Sequence[float]],
    *,
    limit: float | None,
) -> Target:
    ratios = [one / other for one, other in zip(*passes, strict=True)]
    return Target(
        name,
        best[0] / best[1],
        min(ratios),
        max(ratios),
        limit,
        at_least=True,
        unit="x",
    )


def figure_lines(engines: Sequence[Figures]) -> list[str]:
    """The table of figures, one column for each engine."""
    rows: list[tuple[str, list[str]]] = [
        ("", [e.name for e in engines]),
        ("", [e.version for e in engines]),
        ("real choices/s", [f"{e.choices_per_second:,.0f}" for e in engines]),
        ("decisions/s, forced ones too", [f"{e.decisions_per_second:,.0f}" for e in engines]),
        ("games/s", [f"{e.games_per_second:,.1f}" for e in engines]),
        ("decisions in a game", [_mean(e) for e in engines]),
        ("  with a real choice", [_of_decisions(e) for e in engines]),
        ("creating a game, of playing it", [f"{e.creation_share:.2%}" for e in engines]),
        ("copy() at half of a game", [f"{e.copy_seconds * 1e6:,.2f} us" for e in engines]),
        ("memory of such a copy", [f"{e.copy_bytes / 1000:,.1f} kB" for e in engines]),
    ]
    return [f"{title:<32}" + "".join(f"{cell:>18}" for cell in cells) for title, cells in rows]


def target_lines(found: Sequence[Target]) -> list[str]:
    """The figures that have limits, with the limits beside them."""
    lines = [f"{'':<42}{'measured':>10}{'over the passes':>20}{'target':>18}"]
    for target in found:
        if target.limit is None:
            limit = "none"
        else:
            limit = f"{'at least' if target.at_least else 'at most'} {target.limit:g}{target.unit}"
        verdict = {True: "met", False: "MISSED", None: ""}[target.met]
        value = f"{target.value:,.2f}{target.unit}"
        spread = f"{target.low:,.2f} - {target.high:,.2f}"
        lines.append(f"{target.name:<42}{value:>10}{spread:>20}{limit:>18}  {verdict}".rstrip())
    return lines


def as_json(engines: Sequence[Figures], found: Sequence[Target]) -> dict[str, object]:
    """Both tables as plain values; not-a-number becomes null."""
    return {
        "engines": [_plain(asdict(e)) for e in engines],
        "targets": targets_as_json(found),
    }


def targets_as_json(found: Sequence[Target]) -> list[dict[str, object]]:
    """The targets as plain values."""
    return [_plain({**asdict(t), "met": t.met}) for t in found]


def _mean(e: Figures) -> str:
    error = e.decisions_per_game_error
    known = "" if math.isnan(error) else f" +-{error:,.1f}"
    return f"{e.decisions_per_game:,.1f}{known}"


def _of_decisions(e: Figures) -> str:
    return f"{e.choices_per_game:,.1f} ({e.choices_per_game / e.decisions_per_game:.0%})"


def _plain(values: dict[str, object]) -> dict[str, object]:
    return {
        key: None if isinstance(value, float) and math.isnan(value) else value
        for key, value in values.items()
    }
