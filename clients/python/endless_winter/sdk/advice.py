"""What a good player would do, and why: the judgement of the package's bots, in words.

    best, *others = hints(decision, view)
    best.option, best.points, best.why    # "two Tools buy three Animals"

Judged from the view alone, as `heuristic` does, in a few worlds that agree with it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.sdk.errors import NotThisGame
from endless_winter.views.errors import BadView

if TYPE_CHECKING:
    from endless_winter.content import Pack
    from endless_winter.sdk.model import Decision, Option, View


class Hint(NamedTuple):
    """An option that is worth a thought."""

    option: Option
    points: float
    """The final score that the seat may expect with it; 0 where there is nothing to compare."""
    why: str
    """What speaks for it, without a full stop."""


def hints(decision: Decision, view: View, *, pack: Pack | None = None) -> list[Hint]:
    """The options worth a thought, the best first: the first is what `heuristic` would do.

    The same decision has the same hints. It takes some ten milliseconds. A game with another
    content pack than the engine's own needs its `pack`; without it `NotThisGame` says so.
    """
    if len(decision.options) == 1:
        return [Hint(decision.options[0], 0.0, "there is nothing else to do")]
    # The bots are built on this package, and so are not imported by it.
    reasons = import_module("endless_winter.bots.reasons").reasons
    try:
        found = reasons(decision, view, pack=pack)
    except BadView as error:
        raise NotThisGame(str(error)) from error
    return [Hint(one.option, one.points, one.text) for one in found]


def hint_text(found: list[Hint]) -> str:
    """Hints in a sentence or two, for people."""
    best, *others = found
    text = f"Hint: {best.option.label}: {best.why}"
    if not others:
        return f"{text}."
    rest = ", ".join(f"{one.option.label} {one.points:.0f}" for one in others[:2])
    return f"{text}. About {best.points:.0f} points in the end; else {rest}."
