"""The author's side of playing: calls the bot, and bears whatever it does.

All of this runs in the thread that called `Runner.run`, one call at a time.
"""

from __future__ import annotations

import json
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final

from endless_winter.sdk.bot import Bot
from endless_winter.sdk.errors import IllegalChoice
from endless_winter.sdk.model import then_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.sdk.model import Decision, Option, Result, Table, View

_HERE: Final = str(Path(__file__).parent)
# A mistake is shown in full once; how often it came again is said at these counts and at the end.
_SAID_AGAIN: Final = frozenset(10**power for power in range(1, 10))
_ILLEGAL: Final = "a choice that is not among the options"


class Tally:
    """What has been done so far."""

    __slots__ = ("choices", "failures", "games", "late")

    def __init__(self) -> None:
        self.games: int = 0  # played to their end
        self.choices: int = 0  # that the bot was asked for; one with a plan is one
        self.failures: int = 0  # times that the bot raised or chose something illegal
        self.late: int = 0  # decisions whose time was up


class Author:
    """The bot of one game and seat, made when it is needed first."""

    __slots__ = ("_bot", "_player", "name")

    def __init__(self, player: Player, name: str) -> None:
        self.name: str = name  # of the game and seat, for messages
        self._player: Player = player
        self._bot: Bot | None = None

    def begin(self, table: Table) -> Bot:
        """Make the bot and introduce it to its game; nothing if it was done before."""
        if self._bot is None:
            player = self._player
            try:
                bot = player.make()
                bot.started(table)
            except Exception as error:  # noqa: BLE001 # whatever the author's code raises
                player.failed(f"{self.name}: the bot did not start, defaults are played", error)
                bot = _Defaults()
            self._bot = bot
        return self._bot

    def choose(
        self, table: Table, decision: Decision, view: View
    ) -> tuple[Option | None, tuple[str, ...], float]:
        """The bot's choice, what is to follow it, and the seconds it took.

        None: the default is to be played.
        """
        player = self._player
        bot = self.begin(table)
        before = time.monotonic()
        option: Option | None = None
        then: tuple[str, ...] = ()
        try:
            choice = bot.choose(decision, view)
            option = decision.pick(choice)
            then = then_of(choice)
        except IllegalChoice as error:
            player.mistake(_ILLEGAL, f"{self.name}: {error}; the default is played")
        except Exception as error:  # noqa: BLE001 # whatever the author's code raises
            what = f"{self.name}, decision {decision.id} ({decision.kind_name})"
            player.failed(f"{what}: the bot raised, the default is played", error)
        spent = time.monotonic() - before
        player.tally.choices += 1
        if player.explain or player.keep is not None:
            self._explain(bot, decision, option, then, spent)
        return option, then, spent

    def _explain(
        self,
        bot: Bot,
        decision: Decision,
        option: Option | None,
        then: tuple[str, ...],
        spent: float,
    ) -> None:
        why, expects = "the default, after an error", None
        if option is not None:
            try:
                why = " ".join(bot.explain().split())
                expects = bot.expects()
            except Exception as error:  # noqa: BLE001 # whatever the author's code raises
                self._player.failed(f"{self.name}: explain() raised", error)
        if self._player.keep is not None:
            self._player.keep(reason_line(decision, why, expects))
        if not self._player.explain:
            return
        chosen = option or decision.default
        asked = f"{decision.kind_name}, {len(decision.options)} options, {spent * 1000:.1f} ms"
        player = self._player
        if player.explained != self.name:  # a heading for the lines of a game
            player.explained = self.name
            player.say(f"{player.name}: {self.name}:")
        player.say(
            f"{player.name}: {decision.id}: {chosen.label or chosen.text}"
            f"{''.join([f', then {text}' for text in then])}"
            f"{f' - {why}' if why else ''} ({asked})"
        )

    def end(self, result: Result) -> None:
        self._player.tally.games += 1
        if self._bot is not None:
            try:
                self._bot.ended(result)
            except Exception as error:  # noqa: BLE001 # whatever the author's code raises
                self._player.failed(f"{self.name}: ended() raised", error)


def reason_line(decision: Decision, why: str, expects: float | None) -> str:
    """Why a choice was made, as a tournament reads it (docs/tournaments.md)."""
    found: dict[str, object] = {
        "game": decision.game_id,
        "seat": decision.raw.decision.seat,
        "decision": decision.id,
        "why": why,
    }
    if expects is not None:
        found["expects"] = round(expects, 2)
    return json.dumps(found, ensure_ascii=False)


class Player:
    """What all games of one bot have in common."""

    __slots__ = ("_mistakes", "explain", "explained", "keep", "make", "name", "say", "tally")

    def __init__(
        self,
        make: Callable[[], Bot],
        name: str,
        say: Callable[[str], None],
        *,
        explain: bool,
        keep: Callable[[str], None] | None = None,
    ) -> None:
        """`keep` gets why each choice was made, as a line of JSON."""
        self.make: Callable[[], Bot] = make
        self.name: str = name
        self.say: Callable[[str], None] = say
        self.explain: bool = explain
        self.keep: Callable[[str], None] | None = keep
        self.explained: str = ""  # the game and seat of the last explained choice
        self.tally: Tally = Tally()
        self._mistakes: dict[str, int] = {}  # how often, by where and what

    def failed(self, what: str, error: Exception) -> None:
        """Show the author's own part of a traceback, the first time that it is raised there."""
        frames = error.__traceback__
        while frames is not None and frames.tb_frame.f_code.co_filename.startswith(_HERE):
            frames = frames.tb_next
        shown = traceback.TracebackException(type(error), error, frames)
        where = f"{type(error).__name__} at {_place(shown)}"
        self.mistake(where, f"{what}\n{''.join(shown.format()).rstrip()}")

    def mistake(self, which: str, said: str) -> None:
        """Say a mistake the first time, then only count it."""
        self.tally.failures += 1
        count = self._mistakes[which] = self._mistakes.get(which, 0) + 1
        if count == 1:
            self.say(f"{self.name}: {said}")
        elif count in _SAID_AGAIN:
            self.say(f"{self.name}: {which}: {count} times so far")

    def sum_up(self) -> None:
        """Say how often each mistake came, if more than once."""
        for which, count in self._mistakes.items():
            if count > 1 and count not in _SAID_AGAIN:
                self.say(f"{self.name}: {which}: {count} times in all")


def _place(shown: traceback.TracebackException) -> str:
    """The innermost line of the author's code."""
    last = shown.stack[-1] if shown.stack else None
    return f"{Path(last.filename).name}:{last.lineno}" if last is not None else "an unknown line"


class _Defaults(Bot):
    """Plays for a bot that could not be made."""

    def choose(self, decision: Decision, view: View) -> Option:
        del view
        return decision.default
