"""Takes the default, always: quick, and a repeated game repeats."""


def choose(decision, view):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
    del view
    return decision.default
