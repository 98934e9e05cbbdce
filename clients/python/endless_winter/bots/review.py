"""What a seat's choices of a whole game were worth: the points expected, and what cost most.

Everything is judged from the view that the seat had when it chose, in worlds that agree with that
view. So a review knows nothing that its seat could not know. Choices that look bad are found as
`heuristic` looks at options, to the end of the turn, and then measured in other worlds, which are
played on by `quick` in every seat to the end of the round: what pays later has paid by then.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.bots import quick
from endless_winter.bots.evaluation import evaluate
from endless_winter.bots.reasons import expected, reasons
from endless_winter.views.sampling import read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from endless_winter.content import Pack
    from endless_winter.rules.game import Game
    from endless_winter.sdk import Decision, Option, View

WORST: Final = 3  # choices that a review names
_MEASURED: Final = 8  # turns of those that seem worst that are played on
_WORLDS: Final = 12  # in which they are measured
_CURVE_WORLDS: Final = 4  # for each step of the curve
_LEAST: Final = 1.0  # points: what costs less than this is no mistake
_STEPS: Final = 2000  # no round is so long


class Moment(NamedTuple):
    """A choice that a seat made, with what it saw then."""

    seq: int
    """The log entry of the choice."""
    decision: Decision
    view: View
    chosen: Option
    by: str
    """Who chose: "player", or "time", "standing" or "forfeit" where the default was taken."""


class Judged(NamedTuple):
    """An option with the final score that could be expected, and what spoke for it."""

    option: Option
    points: float
    why: str


class Costly(NamedTuple):
    """A choice, with one that promised more."""

    moment: Moment
    chosen: Judged
    better: Judged
    cost: float
    """Points that it cost, on average over the worlds that the seat could think of."""


class Expected(NamedTuple):
    """A step of the curve: what the seat could expect after it had placed a figure."""

    moment: Moment
    points: float


class Review(NamedTuple):
    """A seat's game."""

    curve: tuple[Expected, ...]
    worst: tuple[Costly, ...]


def review(
    moments: Sequence[Moment],
    done: Callable[[float], None] = lambda _: None,
    *,
    pack: Pack | None = None,
) -> Review:
    """Judge a seat's choices, in their order; `done` is called with the share judged so far.

    A game with another content pack than the engine's own needs its `pack`.
    """
    curve: list[Expected] = []
    found: dict[tuple[int, str, int], tuple[float, Moment, Option]] = {}
    for number, moment in enumerate(moments, 1):
        if moment.chosen.move.kind == "place_figure":
            (points,) = _played_on(moment, [moment.chosen], _CURVE_WORLDS, pack)
            curve.append(Expected(moment, points))
        if len(moment.decision.options) > 1:
            tried = expected(moment.decision, moment.view, [moment.chosen], pack=pack)
            best, most = tried[0]
            points = next(points for option, points in tried if option == moment.chosen)
            turn = (moment.view.round, moment.view.phase, moment.view.turn.number)
            if best != moment.chosen and most - points > found.get(turn, (0.0,))[0]:
                found[turn] = (most - points, moment, best)
        done(_FINDING * number / len(moments))
    worst = sorted(found.values(), key=lambda one: (-one[0], one[1].seq))[:_MEASURED]
    measured: list[Costly] = []
    for number, (_, moment, best) in enumerate(worst, 1):
        chosen, better = _played_on(moment, [moment.chosen, best], _WORLDS, pack)
        if better - chosen >= _LEAST:
            measured.append(_costly(moment, best, (chosen, better), pack))
        done(_FINDING + (1 - _FINDING) * number / len(worst))
    done(1.0)
    measured.sort(key=lambda one: (-one.cost, one.moment.seq))
    return Review(tuple(curve), tuple(measured[:WORST]))


_FINDING: Final = 0.6  # of the time


def _played_on(
    moment: Moment, options: Sequence[Option], count: int, pack: Pack | None
) -> list[float]:
    """The points to expect with each option, in the same worlds: luck that hits all cancels out."""
    known = read(moment.view, pack=pack)
    draw = Random(f"review/{moment.decision.id}")  # other worlds than those that found them
    totals = [0.0] * len(options)
    for _ in range(count):
        world = known.draw(draw)
        codes = world.options()
        for number, option in enumerate(options):
            totals[number] += _to_rounds_end(world, codes[option.id], moment.decision.seat)
    return [total / count for total in totals]


def _to_rounds_end(world: Game, code: int, seat: int) -> float:
    after = world.copy()
    position = after.position
    round_ = position.round
    after.apply(code)
    for _ in range(_STEPS):
        if position.over or position.round != round_:
            break
        after.apply(quick.choose(after)[0].option)
    return evaluate(position, seat)


def _costly(moment: Moment, best: Option, points: tuple[float, float], pack: Pack | None) -> Costly:
    chosen, better = points
    said = {
        one.option.id: one.text
        for one in reasons(moment.decision, moment.view, (moment.chosen, best), pack=pack)
    }
    return Costly(
        moment,
        Judged(moment.chosen, chosen, said[moment.chosen.id]),
        Judged(best, better, said[best.id]),
        better - chosen,
    )
