"""What all reports say, before it has a form."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.tournament.statistics.apart import MOST_TIMES
from endless_winter.tournament.statistics.table import Table, table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.tournament.results import Game, Results
    from endless_winter.tournament.schedule import Plan
    from endless_winter.tournament.spec import Spec
    from endless_winter.tournament.statistics.apart import Neighbours
    from endless_winter.tournament.statistics.table import Standing

FORMATS: Final = {
    "round_robin": "round robin",
    "gauntlet": "gauntlet",
    "swiss": "Swiss",
    "sprt": "sequential test",
    "solo_field": "solo field",
}
COLUMNS: Final = ("initiate", "develop", "migrate", "hunt", "rest")
ENDS: Final = {
    "time_out": "lost on time",
    "disconnected": "stayed away and lost",
    "illegal_flood": "lost by wrong answers",
    "abandoned": "left and lost",
    "server_fault": "a fault of the server",
    "never_started": "never came and lost",
}


class Summary(NamedTuple):
    """A tournament, ready to be shown."""

    spec: Spec
    plan: Plan
    results: Results
    table: Table
    games: list[Game]
    """Those that count, in the order of the schedule."""
    voids: list[Game]
    """Attempts that were played again."""

    @property
    def heading(self) -> str:
        """What was played, in a line."""
        form = FORMATS[self.spec.format]
        who = "each alone against the Nomad" if self.spec.solo else f"{self.spec.players} players"
        return (
            f"{form}, {who}, {self.table.games} of {self.plan.total} games, {self.sets} "
            f"in every seat rotation, {self.seeds}"
        )

    @property
    def sets(self) -> str:
        count = self.table.blocks
        return f"{count} set{'s' * (count != 1)}"

    @property
    def seeds(self) -> str:
        """Which games share a seed."""
        if not self.spec.paired_seeds:
            return "every game on a secret seed of its own"
        who = "its games of all entrants" if self.spec.solo else "its games"
        return f"paired seeds: one seed for each set, shared by {who}"

    @property
    def verdict(self) -> str:
        """Of a sequential test; empty: there is none."""
        verdict = self.plan.verdict
        if verdict is None:
            return ""
        first, second = self.spec.names[:2]
        sprt = self.spec.sprt
        word = (
            f"{first} is better than {second}"
            if verdict.better
            else f"{first} is not better than {second}"
            if verdict.not_better
            else f"not decided whether {first} is better than {second}"
        )
        return (
            f"{word}: LLR {verdict.llr:.2f} in [{verdict.lower:.2f}, {verdict.upper:.2f}] after "
            f"{verdict.blocks} sets ({self.seeds}), {100 * verdict.mean:.1f} % of games ahead "
            f"(tested: {sprt.rating0:g} against {sprt.rating1:g} points)"
        )


def summarize(spec: Spec, plan: Plan, results: Results, *, resamples: int = 1000) -> Summary:
    games = plan.counted(results.finished)
    scheduled = {match.id for match in plan.matches()}
    voids = [
        game for game in results.games.values() if not game.finished and game.match in scheduled
    ]
    found = table(spec.everyone, games, resamples=resamples)
    return Summary(spec, plan, results, found, games, voids)


def remarks(summary: Summary) -> list[str]:
    """What happened to each entrant besides playing; one line each."""
    found = []
    for standing in summary.table.standings:
        found += _remarks(standing)
    notes: dict[str, set[str]] = {}  # of attempts, but a game that is tried twice is one game
    for game in [*summary.voids, *summary.games]:
        if game.note:
            notes.setdefault(game.note, set()).add(game.match)
    found += [f"{len(matches)} games: {note}" for note, matches in sorted(notes.items())]
    return found


def undecided(summary: Summary) -> list[str]:
    """Which neighbours are not told apart yet, and what would do it; one line each."""
    return [_undecided(summary, pair) for pair in summary.table.neighbours if not pair.apart]


def _undecided(summary: Summary, pair: Neighbours) -> str:
    gap, spec = pair.gap, summary.spec
    said = (
        f"{pair.ahead} and {pair.behind} are not told apart yet "
        f"({signed(gap.value)} \N{PLUS-MINUS SIGN} {gap.margin:.0f} points in {pair.games} games)"
    )
    if pair.needed is None:
        return f"{said}: if they differ as it looks, it takes more than {MOST_TIMES} times as many"
    if spec.format == "sprt":  # which ends when it is decided
        return f"{said}: if they differ as it looks, it takes about {pair.needed} games"
    blocks = math.ceil(spec.blocks * pair.needed / summary.plan.total)
    return (
        f"{said}: if they differ as it looks, it takes about {pair.needed} games "
        f"(--new --blocks {blocks})"
    )


def _remarks(standing: Standing) -> list[str]:
    name = standing.entrant
    found = [
        f"{name}: {ENDS.get(reason, reason)} in {count} of {standing.games} games"
        for reason, count in sorted(standing.ends.items())
    ]
    if standing.timeouts:
        found.append(f"{name}: late {standing.timeouts} times; the default was played then")
    if standing.wrong_answers:
        found.append(f"{name}: {standing.wrong_answers} answers were refused")
    return found


def signed(value: float) -> str:
    rounded = round(value)
    return f"{rounded:+d}".replace("-", "\N{MINUS SIGN}") if rounded else "0"


def rating(standing: Standing) -> str:
    return signed(standing.rating.value) if standing.rated else "-"


def interval(standing: Standing) -> str:
    if not standing.rated:
        return "never played"
    return f"{signed(standing.rating.low)} to {signed(standing.rating.high)}"


def places(standing: Standing, size: int) -> str:
    return "-".join(map(str, [*standing.places, *([0] * size)][:size]))


def source_names(standings: Sequence[Standing]) -> list[str]:
    """The categories that brought points, the largest first."""
    total: dict[str, int] = {}
    for standing in standings:
        for category, points in standing.sources.items():
            total[category] = total.get(category, 0) + points
    return sorted(total, key=lambda category: (-total[category], category))
