"""Flat Monte Carlo: the best few options, each played to the end of the round in the same worlds.

Options are ranked by a look to the end of the turn first. Then worlds that agree with the view are
drawn, and in each the options still in question are taken and played on by `quick` in every seat.
What counts is the own points over the best rival's. After each phase the worse half of the options
is dropped (sequential halving), so that most of the time goes to the close ones.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from endless_winter.bots import quick, search
from endless_winter.bots.learned import PLAIN, Judge
from endless_winter.bots.policy import Policy
from endless_winter.bots.search import Choice
from endless_winter.rules import agenda, options
from endless_winter.rules.options import verb_of

if TYPE_CHECKING:
    from random import Random

    from endless_winter.rules.game import Game

MOST: Final = 8  # options that are played out
WIDTH: Final = 6.0  # points: what looks so much worse than the best is not played out
PRIOR: Final = 1.0  # a look to the end of the turn counts as so many worlds
LOOKS_MS: Final = 20  # with less time worlds are played on without looking ahead
STEPS: Final = 2000  # of a roll-out; no round is so long
FOREVER: Final = 1e9


class Worlds(Protocol):
    """What a seat knows: worlds that agree with it can be drawn."""

    def draw(self, rng: Random) -> Game: ...


class Budget(NamedTuple):
    """Either so many seconds of processor time, or so many worlds for the last two options.

    `left` are the seconds by the clock on the wall in which it has to be over in any case. With
    little time worlds are played on by the policy alone, not by `quick`, which looks ahead.
    """

    seconds: float = 0.0
    worlds: int = 0
    left: float = FOREVER
    looks: bool = True

    def within(self, left: float | None) -> Budget:
        """At most a quarter of the time that is left, half of it where the machine is busy."""
        if left is None:
            return self
        seconds = min(self.seconds, left / 4) if self.seconds else 0.0
        return Budget(seconds, self.worlds, left / 2, self.looks)


def budget_of(ms: int, worlds: int) -> Budget:
    """So many milliseconds, or so many worlds."""
    return Budget(ms / 1000, worlds, looks=not ms or ms >= LOOKS_MS)


def choose(worlds: Worlds, rng: Random, budget: Budget, judge: Judge = PLAIN) -> list[Choice]:
    """The options that were looked at, the best first."""
    start = time.thread_time()
    over = time.monotonic() + budget.left
    world = worlds.draw(rng)
    legal = world.options()
    if len(legal) == 1:
        return [Choice(legal[0], 0.0)]
    seat = world.position.agenda[-1][1]
    ranked = look(world, seat, judge)
    kept = [one for one in ranked[:MOST] if one.worth >= ranked[0].worth - WIDTH]
    if len(kept) == 1:
        return ranked
    return _halve(worlds, rng, seat, kept, start, over, budget, judge) + ranked[len(kept) :]


def _halve(
    worlds: Worlds,
    rng: Random,
    seat: int,
    kept: list[Choice],
    start: float,
    over: float,
    budget: Budget,
    judge: Judge,
) -> list[Choice]:
    phases = (len(kept) - 1).bit_length()
    totals = [PRIOR * (one.worth - kept[0].worth) for one in kept]
    alive = list(range(len(kept)))
    dropped: list[int] = []
    played = 0
    longest = 0.0
    expected = kept[0].worth
    for phase in range(phases):
        until = start + budget.seconds * (phase + 1) / phases if budget.seconds else FOREVER
        most = budget.worlds * (phase + 1) // phases if budget.worlds else 1 << 30
        while played < most:
            world = worlds.draw(rng)
            margins: list[float] = []
            for one in alive:
                now = time.thread_time()
                if now + longest > until or time.monotonic() + longest > over:
                    break
                margins.append(roll_out(world, kept[one].option, seat, judge, looks=budget.looks))
                longest = max(longest, time.thread_time() - now)
            if len(margins) < len(alive):  # a world counts for all of them, or for none
                break
            best = margins[0]
            for at, one in enumerate(alive):
                totals[one] += margins[at] - best
            played += 1
        alive.sort(key=lambda one: -totals[one])
        half = max((len(alive) + 1) // 2, 1)
        dropped = alive[half:] + dropped
        alive = alive[:half]
    order = alive + dropped
    number = played + PRIOR
    first = totals[order[0]]
    return [
        Choice(kept[one].option, expected + min(totals[one] - first, 0.0) / max(number, 1.0))
        for one in order
    ]


def look(game: Game, seat: int, judge: Judge = PLAIN) -> list[Choice]:
    """The options worth a look, each with the worth of the position at the end of the turn."""
    policy = Policy(game.position, seat)
    position = game.position
    kind = position.agenda[-1][0]
    if kind == agenda.TURN:
        tried = [code for code in game.options() if verb_of(code) == options.CULTURE]
        tried += search.placements(game, policy)
    elif kind == agenda.ACT:
        tried = search.actions(game, policy)
    else:
        tried = [code for _, code in policy.ranked(game)[:MOST]]
    found = [Choice(code, _to_turns_end(game, code, policy, judge)) for code in tried]
    found.sort(key=lambda one: -one.worth)
    return found


def _to_turns_end(game: Game, code: int, policy: Policy, judge: Judge) -> float:
    after = game.copy()
    position = after.position
    turn = position.turn
    seat = policy.seat
    after.apply(code)
    for _ in range(search.STEPS):
        if position.over or position.turn != turn or position.agenda[-1][1] != seat:
            break
        after.apply(policy.choose(after))
    return judge.worth(position, seat)


def roll_out(game: Game, code: int, seat: int, judge: Judge, *, looks: bool) -> float:
    """The points over the best rival's that the seat may expect at the end of the round."""
    after = game.copy()
    position = after.position
    round_ = position.round
    after.apply(code)
    for _ in range(STEPS):
        if position.over or position.round != round_:
            break
        if looks:
            after.apply(quick.choose(after)[0].option)
        else:
            after.apply(Policy(position, position.agenda[-1][1]).choose(after))
    best = -FOREVER
    for player in position.players:
        if player.seat != seat:
            best = max(best, judge.worth(position, player.seat))
    return judge.worth(position, seat) - best
