"""Takes the last option while the game is young, then the default."""


def choose(decision, view):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
    return decision.options[-1] if view.round == 1 and decision.id % 3 else decision.default
