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
from endless_winter.rules.fingerprint import fingerprint
from endless_winter.rules.options import verb_of

if TYPE_CHECKING:
    from random import Random

    from endless_winter.rules.game import Game
    from endless_winter.rules.state import Frame, Position

MOST: Final = 8  # options that are played out
WIDTH: Final = 6.0  # points: what looks so much worse than the best is not played out
PRIOR: Final = 0.25  # a look to the end of the turn counts as so many worlds
PRIOR_OF_FEW: Final = 1.0  # and as so many where worlds are played on by the policy alone
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
    clock = Clock(budget)
    world = worlds.draw(rng)
    legal = world.options()
    if len(legal) == 1:
        return [Choice(legal[0], 0.0)]
    seat = world.position.agenda[-1][1]
    looked = look(world, seat, judge)
    least = looked[0].worth - WIDTH
    seen: set[bytes] = set()
    kept: list[Choice] = []
    rest: list[Choice] = []  # worse, or another way to the same end
    for one in looked:
        new = one.worth >= least and one.end not in seen and len(kept) < MOST
        (kept if new else rest).append(Choice(one.option, one.worth))
        seen.add(one.end)
    if len(kept) > 1:
        kept = _halve(worlds, rng, seat, kept, clock, judge)
    return kept + rest


class Clock:
    """What a decision may still cost: its budget, and the seconds until it is too late."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self._start = time.thread_time()
        self._over = time.monotonic() + budget.left
        self._longest = 0.0

    def allows(self, share: float) -> bool:
        """Whether one more roll-out fits into this share of the budget."""
        if time.monotonic() + self._longest > self._over:
            return False
        seconds = self.budget.seconds
        spent = time.thread_time() - self._start
        return not seconds or spent + self._longest <= seconds * share

    def roll_out(self, world: Game, code: int, seat: int, judge: Judge) -> float:
        start = time.thread_time()
        margin = roll_out(world, code, seat, judge, looks=self.budget.looks)
        self._longest = max(self._longest, time.thread_time() - start)
        return margin


def _halve(
    worlds: Worlds, rng: Random, seat: int, kept: list[Choice], clock: Clock, judge: Judge
) -> list[Choice]:
    phases = (len(kept) - 1).bit_length()
    looks = clock.budget.looks
    prior = PRIOR if looks else PRIOR_OF_FEW
    totals = [prior * (one.worth - kept[0].worth) for one in kept]
    alive = list(range(len(kept)))
    dropped: list[int] = []
    played = 0
    expected = kept[0].worth
    most = clock.budget.worlds
    for phase in range(1, phases + 1):
        if len(alive) == 1:
            break
        while not most or played * phases < most * phase:
            world = worlds.draw(rng)
            margins: list[float] = []
            for one in alive:
                # Where worlds tell much, the first is for as many options as there is time for.
                if not clock.allows(phase / phases if played or not looks else 1.0):
                    break
                margins.append(clock.roll_out(world, kept[one].option, seat, judge))
            if looks and not played and len(margins) > 1:
                dropped = alive[len(margins) :] + dropped
                alive = alive[: len(margins)]
            elif len(margins) < len(alive):  # a world counts for all of them, or for none
                break
            for at, one in enumerate(alive):
                totals[one] += margins[at] - margins[0]
            played += 1
        alive.sort(key=lambda one: -totals[one])
        half = (len(alive) + 1) // 2
        dropped = alive[half:] + dropped
        alive = alive[:half]
    order = alive + dropped
    number = played + prior
    first = totals[order[0]]
    return [
        Choice(kept[one].option, expected + min(totals[one] - first, 0.0) / number) for one in order
    ]


class Looked(NamedTuple):
    """An option, what the position is worth at the end of the turn, and the position's hash."""

    option: int
    worth: float
    end: bytes


def look(game: Game, seat: int, judge: Judge = PLAIN) -> list[Looked]:
    """The options worth a look, the best first."""
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
    found = [_to_turns_end(game, code, policy, judge) for code in tried]
    found.sort(key=lambda one: -one.worth)
    return found


def _to_turns_end(game: Game, code: int, policy: Policy, judge: Judge) -> Looked:
    after = game.copy()
    position = after.position
    turn = position.turn
    seat = policy.seat
    after.apply(code)
    for _ in range(search.STEPS):
        if position.over or position.turn != turn or position.agenda[-1][1] != seat:
            break
        after.apply(policy.choose(after))
    return Looked(code, judge.worth(position, seat), fingerprint(position))


class Policies:
    """The policy of each seat in a world that is played on: a new one for each of its turns."""

    def __init__(self, seats: int) -> None:
        self._known: list[Policy | None] = [None] * seats
        self._made_for: list[tuple[bytes, Frame]] = [(b"", (0, 0, 0, b""))] * seats

    def of_chooser(self, position: Position) -> Policy:
        records = position.agenda
        seat = records[-1][1]
        # Figures change with each turn, the record above the round's with each step of the Eclipse.
        now = (position.players[seat].figures, records[min(1, len(records) - 1)])
        known = self._known[seat]
        if known is None or self._made_for[seat] != now:
            known = Policy(position, seat)
            self._known[seat] = known
            self._made_for[seat] = now
        return known


def roll_out(game: Game, code: int, seat: int, judge: Judge, *, looks: bool) -> float:
    """The points over the best rival's that the seat may expect at the end of the round."""
    after = game.copy()
    position = after.position
    round_ = position.round
    policies = Policies(len(position.players))
    after.apply(code)
    for _ in range(STEPS):
        if position.over or position.round != round_:
            break
        policy = policies.of_chooser(position)
        after.apply(quick.play_on(after, policy) if looks else policy.choose(after))
    best = -FOREVER
    for player in position.players:
        if player.seat != seat:
            best = max(best, judge.worth(position, player.seat))
    return judge.worth(position, seat) - best
