"""A game that was played, step by step."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from endless_winter.sdk import Result, View
from endless_winter.terminal.table import Lost, Refused, TableUpdate

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from endless_winter.sdk import Catalog, Decision, Option
    from endless_winter.v1 import (
        event_pb2,
        game_pb2,
        replay_pb2,
        result_pb2,
        view_private_pb2,
        view_public_pb2,
    )


class ReplayTable:
    """Frames to step through. Frames of the open table can be seen through anybody's eyes."""

    can_step = True

    def __init__(
        self,
        frames: Sequence[replay_pb2.ReplayFrame],
        catalog: Catalog,
        info: game_pb2.GameInfo,
        *,
        seat: int | None = None,
        at: int = 0,
        once: bool = False,
    ) -> None:
        """`once`: every step after the other to the end, for the line mode."""
        self._once = once
        self._frames = [frame for frame in frames if _public(frame) is not None]
        # What happened before the first position comes with it.
        self._events: list[tuple[event_pb2.Event, ...]] = []
        waiting: list[event_pb2.Event] = []
        for frame in frames:
            waiting += frame.events
            if _public(frame) is not None:
                self._events.append(tuple(waiting))
                waiting = []
        if waiting and self._events:
            self._events[-1] += tuple(waiting)
        self._catalog = catalog
        self._info = info
        self._seat = seat
        self._at = min(max(at, 0), max(len(self._frames) - 1, 0))
        self._changed = asyncio.Event()

    async def updates(self) -> AsyncIterator[TableUpdate]:
        if not self._frames:
            raise Lost(
                "This game has no positions to show: it was played by other rules or content."
            )
        while True:
            self._changed.clear()
            yield self._now()
            if not self._once:
                await self._changed.wait()
            elif self._at + 1 == len(self._frames):
                return
            else:
                self._at += 1

    def _now(self) -> TableUpdate:
        frame = self._frames[self._at]
        parts = (
            self._events[self._at : self._at + 1] if self._once else self._events[: self._at + 1]
        )
        events = tuple(event for part in parts for event in part)
        return TableUpdate(
            view=View(self._seat, self._catalog, self._info, lambda: self._views(frame)),
            events=events,
            clock=frame.clock if frame.HasField("clock") else None,
            result=self._result(),
            fresh=not self._once,
            step=(self._at, len(self._frames) - 1),
        )

    def _views(
        self, frame: replay_pb2.ReplayFrame
    ) -> tuple[view_public_pb2.PublicView, view_private_pb2.PrivateView | None]:
        public = _public(frame)
        assert public is not None
        if self._seat is None:
            return public, None
        if frame.HasField("omniscient_view"):
            return public, frame.omniscient_view.private_views[self._seat]
        return public, frame.view.private_view

    def _result(self) -> Result | None:
        if self._at + 1 < len(self._frames):
            return None
        found = _ending(self._events[-1])
        if found is None and self._info.HasField("result"):
            found = self._info.result
        return Result(found, self._info.game_id) if found is not None else None

    def switch_eyes(self) -> None:
        """The next seat's eyes, then a spectator's; only the open table has all of them."""
        if not self._frames or not self._frames[0].HasField("omniscient_view"):
            return
        seats = len(self._info.config.seats)
        following = 0 if self._seat is None else self._seat + 1
        self._seat = following if following < seats else None
        self._changed.set()

    def step(self, by: int) -> None:
        self._at = min(max(self._at + by, 0), max(len(self._frames) - 1, 0))
        self._changed.set()

    async def choose(self, decision: Decision, option: Option) -> None:
        del decision, option
        raise Refused("this is a replay: there is nothing to choose")

    async def undo(self, decision: Decision) -> None:
        del decision
        raise Refused("this is a replay: there is nothing to take back")

    async def leave(self) -> None:
        raise Refused("a replay has no seat to give up")

    def trouble(self) -> str:
        return ""

    def review(self) -> str:
        return ""

    async def close(self) -> None:
        pass


def _public(frame: replay_pb2.ReplayFrame) -> view_public_pb2.PublicView | None:
    if frame.HasField("omniscient_view"):
        return frame.omniscient_view.public_view
    return frame.view.public_view if frame.HasField("view") else None


def _ending(events: Sequence[event_pb2.Event]) -> result_pb2.GameResult | None:
    for event in events:
        if event.public_event.HasField("game_ended"):
            return event.public_event.game_ended.result
    return None
