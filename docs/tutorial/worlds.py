"""Every option is tried in several worlds; the rest of the turn is played by words."""

import random

from endless_winter.rules import Game
from endless_winter.sdk import Decision, View, evaluate, read

GOOD = ("initiate", "rite", "bury", "lead", "honor", "stone", "hunt", "bottom")
WORLDS = 2
STEPS = 40  # a turn that is longer is judged where it stands


def choose(decision: Decision, view: View) -> int:
    if len(decision.options) == 1:
        return 0
    rng = random.Random(f"{decision.game_id} {decision.id}")
    known = read(view)  # once; then a world costs little
    totals = [0.0] * len(decision.options)
    for _ in range(WORLDS):
        world = known.draw(rng)
        for number, code in enumerate(world.options()):
            game = world.copy()
            game.apply(code)
            finish_turn(game, decision.seat, rng)
            totals[number] += evaluate(game.position, decision.seat)
    return totals.index(max(totals))


def finish_turn(game: Game, seat: int, rng: random.Random) -> None:
    """Play on until somebody else decides or the next turn begins."""
    for _ in range(STEPS):
        pending = game.decision
        if pending is None or pending.seat != seat or pending.kind_name == "turn":
            return
        texts = {code: game.text(code) for code in pending.options}
        liked = [code for word in GOOD for code, text in texts.items() if word in text]
        game.apply(liked[0] if liked else rng.choice(pending.options))
