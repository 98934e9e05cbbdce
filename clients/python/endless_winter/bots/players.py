"""The bots that come along, and the Nomad; the modules beside judge positions."""

from __future__ import annotations

import os
from hashlib import blake2b
from random import Random
from typing import TYPE_CHECKING, ClassVar, Final

from endless_winter.bots import monte_carlo, quick, search
from endless_winter.bots.evaluation import evaluate
from endless_winter.bots.learned import fitted
from endless_winter.bots.reasons import because
from endless_winter.bots.search import Choice
from endless_winter.rules import agenda
from endless_winter.sdk import Bot, BotFailed, NotThisGame, Plan, Wants
from endless_winter.views.plans import end_of_plan
from endless_winter.views.sampling import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.bots.monte_carlo import Worlds
    from endless_winter.rules import Game
    from endless_winter.sdk import Decision, Option, View


SEED_VARIABLE = "EW_BOT_SEED"
_PLANNED: Final = 30  # texts of a plan; servers take as many, and no turn has more


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


class _OfView:
    """The worlds that agree with a view, and the options that all of them offer."""

    def __init__(self, view: View) -> None:
        self._known = read(view)
        self.codes: list[int] = []
        self.last: Game | None = None  # that was drawn

    def draw(self, draw: Random) -> Game:
        self.last = game = self._known.draw(draw)
        self.codes = self.codes or game.options()
        return game


class _One:
    """One world, for the decisions of a plan."""

    def __init__(self, game: Game) -> None:
        self._game = game

    def draw(self, draw: Random) -> Game:
        del draw
        return self._game


class Thinker(Bot):
    """A bot that thinks in worlds that agree with what its seat knows, and in nothing else."""

    SETTINGS: ClassVar[tuple[str, ...]] = ()
    """What can be set by name, as in `search:ms=30`."""
    wants = Wants(labels=False, moves=False)
    PLANS: ClassVar[bool] = False
    """Whether it answers with its whole turn, planned in the world of its first decision."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed = own_seed() if seed is None else seed
        self._options: tuple[Option, ...] = ()
        self._found: list[tuple[int, Choice]] = []
        self._world: Game | None = None  # that it thought in

    def choose(self, decision: Decision, view: View) -> Option | Plan:
        self._options = options = decision.options
        self._found, self._world = [], None
        if len(options) == 1:
            return options[0]
        worlds = _OfView(view)
        draw = rng(self.seed, decision.game_id, decision.id)
        found = self.think(worlds, draw, decision.seconds_left)
        self._world = worlds.last
        self._found = [(worlds.codes.index(choice.option), choice) for choice in found]
        option = options[self._found[0][0]]
        if not self.PLANS or worlds.last is None:
            return option
        return Plan(option, *self._follow(worlds.last, found[0].option, draw, decision))

    def _follow(self, world: Game, code: int, draw: Random, decision: Decision) -> Iterator[str]:
        """What it would choose after an option in a world, as far as a plan is taken there."""
        seat = world.position.agenda[-1][1]
        ahead = world.copy()
        ahead.listen()
        happened = ahead.apply(code)
        for _ in range(_PLANNED):
            left = decision.seconds_left
            # Half of the time, and no more: to be late costs more than messages.
            if left is not None and left <= decision.seconds_spent:
                return
            if end_of_plan(happened, ahead.position, seat):
                return
            code = self.think(_One(ahead), draw)[0].option
            yield ahead.text(code)
            happened = ahead.apply(code)

    def think(self, worlds: Worlds, draw: Random, left: float | None = None) -> list[Choice]:
        """The options looked at, the best first, each with the points that it expects.

        `left` are the seconds until it is too late.
        """
        raise NotImplementedError

    def explain(self) -> str:
        """Why, and the final score that it expects, also with its next best options."""
        if self._world is None:
            return "the only option" if self._options else ""
        (_, chosen), *others = self._found
        if not others:
            return because(self._world, chosen.option)
        why = because(self._world, chosen.option, others[0][1].option)
        rest = ", ".join(
            f"{self._options[number].text} {choice.worth:.1f}" for number, choice in others[:3]
        )
        return f"{why}; I expect {chosen.worth:.1f} points, else {rest}"

    def expects(self) -> float | None:
        """The final score that it expects, where it compared options by that."""
        return self._found[0][1].worth if len(self._found) > 1 else None


class Plain(Thinker):
    """`random`: any legal option, all alike; the seed decides which."""

    wants = Wants(view=False, labels=False, moves=False)

    def choose(self, decision: Decision, view: View) -> Option:
        del view
        self._options = decision.options
        return rng(self.seed, decision.game_id, decision.id).choice(self._options)

    def think(self, worlds: Worlds, draw: Random, left: float | None = None) -> list[Choice]:
        del left
        return [Choice(draw.choice(worlds.draw(Random(0)).options()), 0.0)]

    def explain(self) -> str:
        return f"drawn from {len(self._options)} options" if self._options else ""


_STEPS = 40  # a turn that is longer is judged where it stands
_HALF_LABOR = 0.4  # what Labor in hand seems to be good for


class Greedy(Thinker):
    """`greedy`: takes each option in a world that agrees with its view, and the best of them.

    It sees what an option brings at once, and not what the turn could still make of it. Where to
    place a figure is the exception, since by itself that brings nothing: there it plays the turn
    to its end in this manner.
    """

    PLANS = True

    def think(self, worlds: Worlds, draw: Random, left: float | None = None) -> list[Choice]:
        del left
        game = worlds.draw(draw)
        found = [Choice(*one) for one in zip(game.options(), one_step(game), strict=True)]
        found.sort(key=lambda choice: -choice.worth)
        return found


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


class Quick(Thinker):
    """`quick`: a player who does not think ahead, but knows what things are worth.

    It ranks options by what each brings at once, and columns by what the turn there may bring. The
    other bots play games on in this way when they look ahead.
    """

    SETTINGS = ("slip",)
    PLANS = True

    def __init__(self, seed: int | None = None, *, slip: int = 0) -> None:
        """`slip`: of a hundred decisions it takes so many without looking, as beginners do."""
        super().__init__(seed)
        self.slip = slip

    def think(self, worlds: Worlds, draw: Random, left: float | None = None) -> list[Choice]:
        del left
        game = worlds.draw(draw)
        if self.slip and draw.randrange(100) < self.slip:
            return [Choice(draw.choice(game.options()), 0.0)]
        return quick.choose(game)


class Heuristic(Thinker):
    """`heuristic`: plans its turn, judges what it leads to, takes the best.

    It looks at each promising option in a world that agrees with its view, plays its turn to the
    end and asks what the position is worth then: what Labor buys now and which cards are better
    saved, cards to bury, sets of Animals, Sacred Stones, the Honor track, hexes, the Eclipse.
    """

    PLANS = True

    def think(self, worlds: Worlds, draw: Random, left: float | None = None) -> list[Choice]:
        del left
        return search.choose(worlds.draw(draw))


class Learned(Thinker):
    """`learned`: judges positions by an evaluation that was fitted on self-play.

    Otherwise it is a `search` with little time.
    """

    SETTINGS = ("ms", "worlds")
    USUAL_MS: ClassVar[int] = 5

    def __init__(self, seed: int | None = None, *, ms: int = 0, worlds: int = 0) -> None:
        super().__init__(seed)
        self.budget = monte_carlo.budget_of(0 if worlds else ms or self.USUAL_MS, worlds)

    def think(self, worlds: Worlds, draw: Random, left: float | None = None) -> list[Choice]:
        return monte_carlo.choose(worlds, draw, self.budget.within(left), fitted())


class Search(Learned):
    """`search`: plays its best options to the end of the round, in many worlds.

    The budget is processor time for a decision, or a number of worlds: then the same decision has
    the same answer on every machine.
    """

    USUAL_MS = 100

    def think(self, worlds: Worlds, draw: Random, left: float | None = None) -> list[Choice]:
        return monte_carlo.choose(worlds, draw, self.budget.within(left))


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
