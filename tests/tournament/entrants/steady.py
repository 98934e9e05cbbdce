"""Needs 30 ms of processor time for each of its first choices in a game."""

import time

from endless_winter.sdk import Bot


class Steady(Bot):
    left = 12

    def choose(self, decision, view):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN201
        del view
        if self.left:
            self.left -= 1
            until = time.thread_time() + 0.03
            while time.thread_time() < until:
                pass
        return decision.default
