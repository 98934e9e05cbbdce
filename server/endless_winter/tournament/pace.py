"""How many games a worker plays at a time, where the spec leaves that open.

One for each of its cores where bots think: then none waits for a core while its clock runs, and
one that looks at the time has all of it. Bots that hardly think leave the cores idle like that,
since they and their server wait for each other all the time. So a worker gets more games as long
as two things hold in the games that have ended on it:

- each bot took little processor time for a decision, as the kernel counts it, and
- no decision took, with so many games side by side, more than a small part of its clock.

Only how many games run at a time follows from this, never which, on what seed, or how one ends.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from endless_winter.tournament.spec import NOMAD

if TYPE_CHECKING:
    from endless_winter.tournament.results import Game
    from endless_winter.tournament.spec import Clock

MOST: Final = 32  # games of a worker: with more a message carries little more
GROWS: Final = 4  # times as many games at most as were tried
THINKS_MS: Final = 2.0  # processor time for a decision; a bot that takes more thinks
CLOCK: Final = 0.02  # the part of a clock that waiting for others may take
LONGEST_MS: Final = 200.0  # for a decision, however generous the clock is
FORGETS: Final = 0.8  # what a look back counts less with each game


class Pace:
    """The room of one worker."""

    def __init__(self, least: int, most: int, clock: Clock) -> None:
        """`least` games at a time at first and where bots think, `most` where they do not."""
        self._least = min(least, most)
        self._most = most
        self.room = self._least
        self._clock = clock
        self._ended = 0
        self._used_ms: Counter[str] = Counter()
        self._decisions: Counter[str] = Counter()
        self._slow_ms = 0.0  # the longest decision, for each game that was under way
        self._bank_ms = 0.0  # the most time charged in a game, likewise

    def ended(self, game: Game, beside: int, under_way: int) -> None:
        """A game has ended that began as one of `beside`; so many are under way still."""
        if self._least == self._most:
            return
        self._ended += 1
        for name, used in game.used.items():
            self._used_ms[name] += used.asked_ms + used.unasked_ms
        for seat in game.seats:
            self._decisions[seat.entrant] += seat.decisions
        if game.outcome != "completed":
            return
        longest = max(seat.longest_ms for seat in game.seats) / beside
        charged = max(seat.charged_ms for seat in game.seats) / beside
        self._slow_ms = max(longest, FORGETS * self._slow_ms)
        self._bank_ms = max(charged, FORGETS * self._bank_ms)
        self.room = self._least
        if not any(self._thinks(seat.entrant, under_way) for seat in game.seats):
            wanted = min(self._most, GROWS * beside, self._in_time())
            self.room = max(self._least, wanted)

    def _thinks(self, name: str, under_way: int) -> bool:
        """Whether an entrant uses much processor time; who cannot be measured counts as one."""
        if name == NOMAD:
            return False
        used = self._used_ms[name]
        # What is counted was used in games, too, that are still under way, about half of them.
        decisions = self._decisions[name] * (1 + under_way / 2 / self._ended)
        return not used or used > THINKS_MS * decisions

    def _in_time(self) -> int:
        """So many games leave each decision and each bank its time."""
        clock = self._clock
        longest = min(LONGEST_MS, CLOCK * 1000 * clock.decision) if clock.decision else LONGEST_MS
        rooms = [longest / max(self._slow_ms, 1.0)]
        if clock.bank:
            rooms.append(CLOCK * 1000 * clock.bank / max(self._bank_ms, 1.0))
        return int(min(rooms))
