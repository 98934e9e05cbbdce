"""The bots that come along, and the Nomad; the modules beside judge positions."""

from __future__ import annotations

import os
from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, Final

from endless_winter.bots import search
from endless_winter.bots.evaluation import evaluate
from endless_winter.rules import agenda
from endless_winter.sdk import Bot, BotFailed, NotThisGame
from endless_winter.views.sampling import sample

if TYPE_CHECKING:
    from endless_winter.bots.search import Choice
    from endless_winter.rules import Game
    from endless_winter.sdk import Decision, Option, View


SEED_VARIABLE = "EW_BOT_SEED"


def own_seed() -> int:
    """The seed that the process was given; 0 without one."""
    given = os.environ.get(SEED_VARIABLE, "0")
    try:
        return int(given)
    except ValueError:
        raise BotFailed(f"{SEED_VARIABLE} is a whole number, not {given!r}") from None


def rng(seed: int, game_id: str, decision_id: int) -> Random:
    """A generator for one decision: a keyed hash of the bot's seed, game id and decision id.

    No generator is carried along from decision to decision, so a repeated game repeats, also if
    the bot was restarted in the middle of it.
    """
    key = seed.to_bytes(16, "big", signed=True)
    digest = blake2b(f"{game_id}/{decision_id}".encode(), key=key, digest_size=16).digest()
    return Random(int.from_bytes(digest, "big"))


class Plain(Bot):
    """`random`: any legal option, all alike; the seed decides which."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed = own_seed() if seed is None else seed
        self._reason = ""

    def choose(self, decision: Decision, view: View) -> Option:
        del view
        options = decision.options
        option = rng(self.seed, decision.game_id, decision.id).choice(options)
        self._reason = f"drawn from {len(options)} options"
        return option

    def explain(self) -> str:
        return self._reason


_STEPS = 40  # a turn that is longer is judged where it stands
_HALF_LABOR = 0.4  # what Labor in hand seems to be good for


class Greedy(Bot):
    """`greedy`: takes each option in a world that agrees with its view, and the best of them.

    It sees what an option brings at once, and not what the turn could still make of it. Where to
    place a figure is the exception, since by itself that brings nothing: there it plays the turn
    to its end in this manner.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = own_seed() if seed is None else seed
        self._reason = ""

    def choose(self, decision: Decision, view: View) -> Option:
        options = decision.options
        if len(options) == 1:
            self._reason = "the only option"
            return options[0]
        draw = rng(self.seed, decision.game_id, decision.id)
        game = sample(view, draw)
        worths = one_step(game)
        best = _best(worths)
        self._reason = f"leads to {worths[best]:.1f} points"
        return options[best]

    def explain(self) -> str:
        return self._reason


def one_step(game: Game) -> list[float]:
    """The worth of the position right after each option; after a figure, at the end of the turn."""
    kind, seat = game.position.agenda[-1][:2]
    found = []
    for code in game.options():
        after = game.copy()
        after.apply(code)
        if kind == agenda.TURN:  # by itself a figure brings nothing
            _finish(after, seat)
        position = after.position
        worth = evaluate(position, seat)
        if not position.over and position.agenda[-1][:2] == (agenda.ACT, seat):
            worth += _HALF_LABOR * position.labor
        found.append(worth)
    return found


def _finish(game: Game, seat: int) -> None:
    """Play the turn on, one step at a time."""
    for _ in range(_STEPS):
        if game.position.over:
            return
        kind, chooser = game.position.agenda[-1][:2]
        if chooser != seat or kind == agenda.TURN:
            return
        game.apply(game.options()[_best(one_step(game))])


def _best(worths: list[float]) -> int:
    """The place of the best; of equals the first."""
    return worths.index(max(worths))


class Heuristic(Bot):
    """`heuristic`: plans its turn, judges what it leads to, takes the best.

    It looks at each promising option in a world that agrees with its view, plays its turn to the
    end and asks what the position is worth then: what Labor buys now and which cards are better
    saved, cards to bury, sets of Animals, Sacred Stones, the Honor track, hexes, the Eclipse.
    """

    def __init__(self, seed: int | None = None) -> None:
        self.seed = own_seed() if seed is None else seed
        self._options: tuple[Option, ...] = ()
        self._found: list[tuple[int, Choice]] = []

    def choose(self, decision: Decision, view: View) -> Option:
        self._options = options = decision.options
        self._found = []
        if len(options) == 1:
            return options[0]
        draw = rng(self.seed, decision.game_id, decision.id)
        game = sample(view, draw)
        codes = game.options()
        self._found = [(codes.index(choice.option), choice) for choice in search.choose(game)]
        return options[self._found[0][0]]

    def explain(self) -> str:
        """The best options it looked at, each with the final score that it expects."""
        if not self._found:
            return "the only option" if self._options else ""
        if len(self._found) == 1:
            return "plainly the thing to do"
        expected = self._found[0][1].worth
        others = ", ".join(
            f"{self._options[number].text} {choice.worth:.1f}"
            for number, choice in self._found[1:4]
        )
        return f"I expect {expected:.1f} points; else {others}"


NOMAD_DECISION: Final = "nomad"


class Nomad(Bot):
    """`nomad`: plays the Nomad's seat of a solo game by its cards, one option a step."""

    def __init__(self) -> None:
        self._reason = ""

    def choose(self, decision: Decision, view: View) -> Option:
        del view  # all that its seat may see, and more than it needs
        if decision.kind_name != NOMAD_DECISION:
            raise NotThisGame(
                f"the Nomad follows its cards and cannot answer a {decision.kind_name} question: "
                "give it the Nomad's seat of a solo game"
            )
        (option,) = decision.options
        self._reason = option.reason
        return option

    def explain(self) -> str:
        return self._reason
