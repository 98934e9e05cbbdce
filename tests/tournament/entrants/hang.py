"""Thinks for ever about its first decision."""

import threading


def choose(decision, view):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
    del view
    threading.Event().wait()
    return decision.default
