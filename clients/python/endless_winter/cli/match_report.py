"""Who won a match, and why: from results to text."""

from __future__ import annotations

from math import sqrt
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.views.categories import category_label, in_order

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from endless_winter.sdk import Result

_REASONS = 3  # named in the last sentence


class Played(NamedTuple):
    """A finished game: who sat where, and its result."""

    seed: int
    seats: tuple[int, ...]  # the bot of each seat, by its number in the match
    result: Result


class Record:
    """What one bot did in all games."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.scores: list[int] = []
        self.places: list[int] = []
        self.points: dict[str, int] = {}
        self.ends: dict[str, int] = {}  # how its part ended, where not as it should
        self.timeouts = 0
        self.wrong_answers = 0

    def add(self, result: Result, seat: int) -> None:
        raw = result.raw.seats[seat]
        self.scores.append(raw.score)
        self.places.append(raw.place)
        self.timeouts += raw.timeouts
        self.wrong_answers += raw.wrong_answers
        for category, points in result.categories(seat).items():
            self.points[category] = self.points.get(category, 0) + points
        reason = result.reason(seat)
        if reason != "normal":
            self.ends[reason] = self.ends.get(reason, 0) + 1

    @property
    def wins(self) -> int:
        return self.places.count(1)

    @property
    def mean_score(self) -> float:
        return fmean(self.scores) if self.scores else 0.0

    @property
    def mean_place(self) -> float:
        return fmean(self.places) if self.places else 0.0

    def mean_points(self, category: str) -> float:
        return self.points.get(category, 0) / len(self.scores) if self.scores else 0.0


def interval(wins: int, games: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson's)."""
    z = 1.96
    share = wins / games
    middle = share + z * z / (2 * games)
    spread = z * sqrt(share * (1 - share) / games + z * z / (4 * games * games))
    scale = 1 + z * z / games
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def records_of(names: Sequence[str], played: Sequence[Played]) -> list[Record]:
    records = [Record(name) for name in names]
    for game in played:
        for seat, bot in enumerate(game.seats):
            records[bot].add(game.result, seat)
    return records


def line_of(names: Sequence[str], game: Played, number: int, of: int) -> str:
    """One game in a line."""
    shown = ", ".join(
        f"{names[bot]} {score}" for bot, score in zip(game.seats, game.result.scores, strict=True)
    )
    winner = game.result.winner
    if not game.result.completed:
        end = game.result.outcome.replace("_", " ")
    else:
        end = "tie" if winner is None else f"{names[game.seats[winner]]} wins"
    return f"game {number:>{len(str(of))}} of {of}  seed {game.seed}: {shown}  ({end})"


def report(
    names: Sequence[str],
    played: Sequence[Played],
    stumbled: Mapping[str, int | None] | None = None,
) -> str:
    """The tables and the last word.

    `stumbled` are the bots that raised or chose something illegal, and how often if that is known:
    what they have won was won by defaults.
    """
    troubles = [_stumble(name, times) for name, times in (stumbled or {}).items()]
    games = [game for game in played if game.result.completed]
    if not games:
        return "\n".join(["no game was played to its end", *troubles])
    records = records_of(names, games)
    parts = [_standings(records), "", _sources(records), ""]
    parts += [line for record in records for line in _remarks(record)]
    parts += [_verdict(records, len(games)), *troubles]
    return "\n".join(parts)


def _standings(records: Sequence[Record]) -> str:
    width = max(len(record.name) for record in records)
    lines = [f"{'':{width}}  games  wins  win %    (95 %)  mean points  mean place"]
    lines += [
        f"{record.name:{width}}  {len(record.scores):5}  {record.wins:4}"
        f"  {100 * record.wins / len(record.scores):5.1f}  {_range(record):>8}"
        f"  {record.mean_score:11.1f}  {record.mean_place:10.2f}"
        for record in sorted(records, key=lambda one: (-one.wins, one.mean_place))
    ]
    return "\n".join(lines)


def _range(record: Record) -> str:
    low, high = interval(record.wins, len(record.scores))
    return f"{100 * low:.0f}..{100 * high:.0f}"


def _sources(records: Sequence[Record]) -> str:
    found = in_order({key for one in records for key, points in one.points.items() if points})
    label = max(len(category_label(key)) for key in [*found, "Terrain"])
    widths = [max(len(record.name), 7) for record in records]
    heads = "  ".join(f"{one.name:>{width}}" for one, width in zip(records, widths, strict=True))
    lines = [f"{'points from':{label}}  {heads}"]
    for key in found:
        cells = [
            f"{record.mean_points(key):{width}.1f}"
            for record, width in zip(records, widths, strict=True)
        ]
        lines.append(f"{category_label(key):{label}}  {'  '.join(cells)}")
    return "\n".join(line.rstrip() for line in lines)


def _remarks(record: Record) -> list[str]:
    found = [
        f"{record.name}: {reason.replace('_', ' ')} in {count} of {len(record.scores)} games"
        for reason, count in sorted(record.ends.items())
    ]
    if record.timeouts:
        found.append(f"{record.name}: late {record.timeouts} times, the default was played")
    if record.wrong_answers:
        found.append(f"{record.name}: {record.wrong_answers} answers were refused")
    return found


def _stumble(name: str, times: int | None) -> str:
    often = "" if times is None else f" {times} time{'' if times == 1 else 's'}"
    return f"but {name} raised or chose something illegal{often}: defaults were played instead"


def _verdict(records: Sequence[Record], games: int) -> str:
    """Who won, and the categories that made the difference to the second."""
    first, second = sorted(records, key=lambda one: (-one.wins, one.mean_place, -one.mean_score))[
        :2
    ]
    if (first.wins, first.mean_place) == (second.wins, second.mean_place):
        return f"nobody won: {first.name} and {second.name} did equally well in {games} games"
    keys = {*first.points, *second.points}
    gaps = sorted(
        ((first.mean_points(key) - second.mean_points(key), category_label(key)) for key in keys),
        reverse=True,
    )
    lead = first.mean_score - second.mean_score
    won = f"{first.name} won {first.wins} of {games} games, {lead:+.1f} points a game"
    ahead = [f"{label} {gap:+.1f}" for gap, label in gaps[:_REASONS] if gap > 0]
    behind = [f"{label} {gap:+.1f}" for gap, label in gaps[-1:] if gap < 0]
    why = f"; mostly by {', '.join(ahead)}" if ahead else ""
    but = f"; behind in {behind[0]}" if behind else ""
    low, _ = interval(first.wins, games)
    chance = "" if low > 1 / len(records) else " (so few games may be chance)"
    return f"{won} over {second.name}{why}{but}{chance}"
