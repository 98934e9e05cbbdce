"""Ends its process in the middle of a game, again and again."""

import os


def choose(decision, view):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
    if view.round >= 2:
        os._exit(9)
    return decision.default
