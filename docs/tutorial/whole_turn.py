"""Every option is tried, and a player that plans its Labor plays the turn to its end."""

import random
from collections.abc import Callable

from endless_winter.rules import Game
from endless_winter.sdk import Bot, Decision, Option, View, evaluate, read, rollout_policy

WORLDS = 1
STEPS = 40  # a turn that is longer is judged where it stands


class WholeTurn(Bot):
    """Looks at each option to the end of the turn and says what it expects."""

    def __init__(self) -> None:
        self.why = ""

    def choose(self, decision: Decision, view: View) -> Option:
        if len(decision.options) == 1:
            return decision.options[0]
        rng = random.Random(f"{decision.game_id} {decision.id}")
        known = read(view)
        totals = [0.0] * len(decision.options)
        for _ in range(WORLDS):
            world = known.draw(rng)
            policy = rollout_policy(world.position, decision.seat)
            for number, code in enumerate(world.options()):
                game = world.copy()
                game.apply(code)
                finish_turn(game, decision.seat, policy)
                totals[number] += evaluate(game.position, decision.seat)
        most = max(totals)
        self.why = f"{view.me.score} points now, {most / WORLDS:.0f} expected"
        return decision.options[totals.index(most)]

    def explain(self) -> str:
        return self.why


def finish_turn(game: Game, seat: int, policy: Callable[[Game], int]) -> None:
    """Play on until somebody else decides or the next turn begins."""
    for _ in range(STEPS):
        pending = game.decision
        if pending is None or pending.seat != seat or pending.kind_name == "turn":
            return
        game.apply(policy(game))
