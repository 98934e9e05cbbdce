"""Where the screen gets updates and sends choices: a server, or a replay."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from endless_winter.sdk import Decision, Option, Result, View
    from endless_winter.v1 import clock_pb2, event_pb2, game_pb2


class Refused(Exception):
    """A choice was not taken; the message is one line, and the game goes on."""


class Lost(Exception):
    """The game cannot go on here; the message is one line that says what to do."""


@dataclass(frozen=True)
class TableUpdate:
    """What changed. What is None has not changed, except for the decision: None is nobody's."""

    view: View | None = None
    decision: Decision | None = None
    events: tuple[event_pb2.Event, ...] = ()
    clock: clock_pb2.ClockReading | None = None
    result: Result | None = None
    info: game_pb2.GameInfo | None = None
    waiting: str = ""
    """Set while nothing can be shown or chosen: what is waited for."""
    fresh: bool = False
    """The log starts anew: events of before are missing, or are sent again."""
    step: tuple[int, int] = field(default=(0, 0))
    """In a replay: the step shown and the last one."""


class OwnServer(Protocol):
    """A server that was started for this game alone, and is started again when it ends."""

    folder: Path
    """Where its log is."""
    store: Path
    """The file in which it stores its games."""

    def ended(self) -> str:
        """What happened to its process since this was asked last, in one line; empty: nothing."""
        ...

    def given_up(self) -> str:
        """Why it cannot be started again; empty: it runs, or will soon."""
        ...


class Table(Protocol):
    """A game in which one seat may be ours."""

    can_step: bool
    """Whether it is a replay."""

    def updates(self) -> AsyncIterator[TableUpdate]:
        """Updates until the end of the game. Raises `Lost`."""
        ...

    async def choose(self, decision: Decision, option: Option) -> None:
        """Send a choice. Raises `Refused`."""
        ...

    async def undo(self, decision: Decision) -> None:
        """Take back the last own choice. Raises `Refused`."""
        ...

    async def leave(self) -> None:
        """Give the seat up for good. Raises `Refused`."""
        ...

    def step(self, by: int) -> None:
        """In a replay: so many steps on, or back; never beyond its ends."""
        ...

    def switch_eyes(self) -> None:
        """In a replay: look through the next seat's eyes, where that is allowed."""
        ...

    def trouble(self) -> str:
        """What is wrong with processes that the game needs; empty: nothing."""
        ...

    def review(self) -> str:
        """The command that reviews this game when it is over; empty: there is none."""
        ...

    async def close(self) -> None: ...
