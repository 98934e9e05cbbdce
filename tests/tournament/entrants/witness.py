"""Takes the default, and writes down how each of its games ended: survivors must get it."""

from pathlib import Path

from endless_winter.sdk import Bot


class Witness(Bot):
    def choose(self, decision, view):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
        del view
        return decision.default

    def ended(self, result):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
        with Path("ended").open("a") as file:
            file.write(f"{result.game_id}\n")
