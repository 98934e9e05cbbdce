"""Advice for the player: what a good player would do now, from the own view alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.sdk import NotThisGame, hint_text, hints

if TYPE_CHECKING:
    from endless_winter.sdk import Decision, Option, View


def advice(decision: Decision, view: View) -> tuple[Option, str]:
    """The option to take, and the hint in words. It takes a moment: not in the event loop."""
    try:
        found = hints(decision, view)
    except NotThisGame:  # the server has another content pack
        return decision.default, "There is no hint: this game has other cards than this program."
    return found[0].option, hint_text(found)


def review_lines(command: str) -> list[str]:
    """After a game: how to learn from it; `command` reviews it, and may be missing."""
    return [f"What you could expect, and what cost you most: {command}"] if command else []
