"""How entrants were run, and what they did with the processor."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from endless_winter.tournament.report.summary import Summary

_ISOLATION: Final = {
    "bubblewrap": "entrants ran in sandboxes of their own (bubblewrap)",
    "user": (
        "entrants ran as users of their own without a sandbox: they could not read each other's "
        "folders, the stores or the key, but could see other processes and use the network"
    ),
    "none": (
        "WARNING: entrants were not kept apart: each could read what the others and the tournament "
        "keep secret, the stores and the key included"
    ),
}


class Processor(NamedTuple):
    """The processor time of an entrant, in seconds."""

    asked: float
    unasked: float
    decisions: int
    lowered: int

    @property
    def asked_ms(self) -> float:
        """For a decision."""
        return 1000 * self.asked / max(self.decisions, 1)

    @property
    def unasked_ms(self) -> float:
        return 1000 * self.unasked / max(self.decisions, 1)


def isolation_lines(summary: Summary) -> list[str]:
    """How entrants were isolated, the worst last; one line each."""
    kinds = Counter(game.isolation for game in summary.results.games.values())
    known = [kind for kind in _ISOLATION if kinds[kind]]
    guests = ", ".join(one.name for one in summary.spec.attached)
    more = [f"{guests} was started by somebody else, wherever that is"] if guests else []
    if len(known) == 1 and not kinds[""]:
        return [_ISOLATION[known[0]], *more]
    return [*(f"in {kinds[kind]} games {_ISOLATION[kind]}" for kind in known), *more]


def warnings(summary: Summary) -> list[str]:
    """What a reader must know before the results are believed."""
    return [line for line in isolation_lines(summary) if "WARNING" in line]


class About(NamedTuple):
    """An entrant as the report names it."""

    name: str
    bot: str
    version: str
    """As its processes reported it; several, if they differ."""
    files: str
    """The hash of its files; empty: it is known by its name alone."""
    options: str


def field(summary: Summary) -> list[About]:
    """Who took part, in the order of the spec."""
    versions: dict[str, list[str]] = {}
    for worker in summary.results.started:
        for name, version in worker.versions.items():
            if version and version not in versions.setdefault(name, []):
                versions[name].append(version)
    return [
        About(
            one.name,
            one.bot,
            ", ".join(versions.get(one.name, ())),
            one.fingerprint,
            one.options,
        )
        for one in summary.spec.entrant
    ]


def machines(summary: Summary) -> list[str]:
    """Where bots ran, each machine once."""
    return list(dict.fromkeys(worker.machine for worker in summary.results.started))


def failures(summary: Summary) -> list[str]:
    """Who could not even start, and what it said last; one line each."""
    found = {
        f"{name} cannot play: it {why}"
        for worker in summary.results.started
        for name, why in worker.failed.items()
    }
    return sorted(found)


def processor(summary: Summary) -> dict[str, Processor]:
    """By entrant; only those whose processes could be measured."""
    asked: Counter[str] = Counter()
    unasked: Counter[str] = Counter()
    lowered: Counter[str] = Counter()
    decisions: Counter[str] = Counter()
    for game in summary.results.games.values():
        for name, used in game.used.items():
            asked[name] += used.asked_ms
            unasked[name] += used.unasked_ms
            lowered[name] += used.lowered
        for seat in game.seats:
            decisions[seat.entrant] += seat.decisions
    return {
        name: Processor(asked[name] / 1000, unasked[name] / 1000, decisions[name], lowered[name])
        for name in summary.spec.names
        if name in asked
    }


def burners(summary: Summary) -> list[str]:
    """Who took processor time that others were asked in; one line each."""
    return [
        f"{name}: burned {one.unasked:.1f} s of processor time while it was not asked "
        f"({one.unasked_ms:.1f} ms a decision; {one.asked:.1f} s while it was); "
        f"its share was lowered {one.lowered} times"
        for name, one in processor(summary).items()
        if one.lowered
    ]
