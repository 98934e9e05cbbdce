"""Specs and results for tests, without any game being played."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

from endless_winter.tournament.report.summary import Summary, summarize
from endless_winter.tournament.results import Game, Header, Results, Seat
from endless_winter.tournament.schedule import Match, World, plan
from endless_winter.tournament.spec import Spec, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

WORLD = World("1", "c0ffee")


def spec_of(*names: str, **more: Any) -> Spec:
    data = {"format": "round_robin", "entrant": [{"name": name} for name in names], **more}
    return parse(data)


def game_of(match: Match, places: tuple[int, ...], **more: Any) -> Game:
    """A completed game; a better place has ten points more."""
    seats = tuple(
        Seat(entrant=name, place=place, score=100 - 10 * place)
        for name, place in zip(match.entrants, places, strict=True)
    )
    given = {"outcome": "completed", "seats": seats, "decisions": 500, **more}
    return Game(
        id=match.game_id(1),
        match=match.id,
        block=match.block,
        rotation=match.rotation,
        attempt=1,
        **given,
    )


def by_strength(strength: Mapping[str, float]) -> Callable[[Match], Game]:
    """The stronger entrant comes first, except for a little chance that the match's id decides."""

    def play(match: Match) -> Game:
        draw = random.Random(match.id)
        value = {name: strength[name] + draw.gauss(0, 1) for name in match.entrants}
        order = sorted(match.entrants, key=lambda name: -value[name])
        return game_of(match, tuple(order.index(name) + 1 for name in match.entrants))

    return play


def play_all(spec: Spec, play: Callable[[Match], Game]) -> dict[str, Game]:
    """Play what is scheduled until nothing more follows."""
    finished: dict[str, Game] = {}
    while True:
        known = plan(spec, WORLD, finished)
        todo = [match for match in known.matches() if match.id not in finished]
        if not todo:
            return finished
        for match in todo:
            finished[match.id] = play(match)


def summary_of(spec: Spec, games: dict[str, Game]) -> Summary:
    """What a report says of finished games."""
    found = Results()
    found.add(
        Header(
            format=1,
            title=spec.title,
            key_commitment="ab" * 32,
            rules_version="1",
            content_hash="c0",
            entrants=spec.names,
            begun_ms=0,
        )
    )
    for game in games.values():
        found.add(game)
    return summarize(spec, plan(spec, WORLD, found.finished), found, resamples=100)
