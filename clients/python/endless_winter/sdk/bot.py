"""A bot: something that gets a decision and a view and returns one of the options."""

from __future__ import annotations

import inspect
from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple, TypeAlias

from endless_winter.sdk.errors import BotFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.sdk.model import Decision, Option, Plan, Result, Table, View

Choice: TypeAlias = "Option | str | int | Plan"
Chooser: TypeAlias = "Callable[[Decision, View], Choice]"
# Whatever a bot can be given as: a class, an instance, or a function that chooses.
BotLike: TypeAlias = "type[Bot] | Bot | Chooser"


class Wants(NamedTuple):
    """What a bot looks at; a server builds and sends it nothing else.

    Views are most of what a decision costs, and labels and moves half of the rest.
    """

    view: bool = True
    """The position: `view` of `choose`."""
    labels: bool = True
    """`label` and `reason` of options."""
    moves: bool = True
    """`move` of options."""

    @staticmethod
    def of(make: Callable[[], Bot]) -> Wants:
        """Of the bots that are made so; of a function it is not known, so it gets everything."""
        found = getattr(_made_by(make), "wants", None)
        return found if isinstance(found, Wants) else Wants()


class Bot:
    """Write a class with `choose`; each game and seat gets an instance of its own."""

    wants: ClassVar[Wants] = Wants()
    """What it looks at. To say that it needs less, `wants = Wants(labels=False)`, saves time."""

    def started(self, table: Table) -> None:
        """A game begins (or goes on after a restart); clocks do not run yet."""

    def choose(self, decision: Decision, view: View) -> Choice:
        """One of `decision.options`: the option itself, its text or its id.

        A `Plan` says in the same answer what is to follow.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method choose(decision, view)")

    def ended(self, result: Result) -> None:
        """The game is over."""

    def explain(self) -> str:
        """Why the last choice was made, in a line; shown by --explain."""
        return ""

    def expects(self) -> float | None:
        """The final score expected after the last choice; None: it is not said."""
        return None


class FunctionBot(Bot):
    """A bot that is a function."""

    def __init__(self, function: Chooser) -> None:
        self.function: Chooser = function

    def choose(self, decision: Decision, view: View) -> Choice:
        return self.function(decision, view)

    def explain(self) -> str:
        """The first line of what the function says about itself."""
        said = inspect.getdoc(self.function)
        return said.splitlines()[0] if said else ""


def _made_by(make: Callable[[], Bot]) -> object:
    """The class, or the one instance."""
    if not isinstance(make, partial):
        return make
    return make.args[0] if make.func is _same else make.func


def _same(bot: Bot) -> Bot:
    return bot


def _can_be_asked(choose: Callable[..., object], name: str, *before: None) -> None:
    """Refuse at once what would fail at every decision; `before` stands for self."""
    if inspect.iscoroutinefunction(choose) or inspect.isasyncgenfunction(choose):
        raise BotFailed(f"{name} is 'async def': write a plain 'def' that returns an option")
    try:
        takes = inspect.signature(choose)
    except (TypeError, ValueError):  # not to be known of some callables, and no reason to refuse
        return
    try:
        takes.bind(*before, None, None)
    except TypeError:
        self = "self, " if before or inspect.ismethod(choose) else ""
        raise BotFailed(
            f"{name} takes {takes}, but it is called with a decision and a view: "
            f"write choose({self}decision, view)"
        ) from None


def maker(bot: BotLike) -> Callable[[], Bot]:
    """What makes an instance for each game and seat.

    An instance given ready-made is used for every game: good for tests, wrong for a bot that
    remembers things and plays two games at once.
    """
    if isinstance(bot, Bot):
        _can_be_asked(bot.choose, f"choose of {type(bot).__name__}")
        return partial(_same, bot)
    if isinstance(bot, type):
        if issubclass(bot, Bot):
            _can_be_asked(bot.choose, f"choose of {bot.__name__}", None)
            return bot
        raise BotFailed(f"class {bot.__name__} is no bot: derive it from endless_winter.sdk.Bot")
    if callable(bot):
        _can_be_asked(bot, getattr(bot, "__name__", "the bot"))
        function = bot
        return lambda: FunctionBot(function)
    raise BotFailed(f"{bot!r} is no bot: give a Bot class or a function choose(decision, view)")
