"""A table without a network: for trying the client out and for its tests."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from endless_winter.sdk import LocalTable
from endless_winter.sdk.bot import maker
from endless_winter.terminal.table import Refused, TableUpdate

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from endless_winter.sdk import Decision, Option
    from endless_winter.sdk.bot import BotLike
    from endless_winter.v1 import config_pb2


class OfflineTable:
    """A local game: a person in one seat, bots in the others."""

    can_step = False

    def __init__(
        self,
        seat: int,
        bots: Sequence[BotLike],
        *,
        seed: int | None = None,
        undo: bool = True,
        pack: Path | None = None,
        config: config_pb2.GameConfig | None = None,
    ) -> None:
        """`pack` is the file of another content pack, `config` what game it is."""
        self.game = LocalTable(len(bots) + 1, config=config, seed=seed, pack=pack, explain=True)
        self.game.info.config.undo_allowed = undo
        self.seat = seat
        others = iter(bots)
        self._bots = {
            number: maker(next(others))() for number in range(self.game.players) if number != seat
        }
        self._before: list[LocalTable] = []
        self._changed = asyncio.Event()
        self._left = False

    async def updates(self) -> AsyncIterator[TableUpdate]:
        for number, bot in self._bots.items():
            bot.started(self.game.table(number))
        while True:
            self._let_others_play()
            self._changed.clear()
            now = self._now()
            yield now
            if now.result is not None:
                return
            await self._changed.wait()

    def _let_others_play(self) -> None:
        game = self.game
        while not game.over and game.seat != self.seat:
            seat = game.seat
            decision = game.decision
            game.play(decision.pick(self._bots[seat].choose(decision, game.view(seat))))
            self._before.clear()

    def _now(self) -> TableUpdate:
        game = self.game
        view = game.view(self.seat)
        if game.over:
            return TableUpdate(view=view, result=game.result)
        game.decision.raw.decision.can_undo = bool(self._before)
        return TableUpdate(view=view, decision=game.decision)

    async def choose(self, decision: Decision, option: Option) -> None:
        if self.game.over or decision.id != self.game.decision.id:
            raise Refused("that choice is over")
        self._before.append(self.game.copy())
        self.game.play(option)
        self._changed.set()

    async def undo(self, decision: Decision) -> None:
        del decision
        if not self._before:
            raise Refused("nothing can be taken back now")
        self.game = self._before.pop()
        self._changed.set()

    async def leave(self) -> None:
        self._left = True

    def given_up(self) -> bool:
        """Whether the seat was given up for good."""
        return self._left

    def step(self, by: int) -> None:
        """A running game has no steps to go to."""

    def switch_eyes(self) -> None:
        """One's eyes are one's own."""

    def trouble(self) -> str:
        return ""

    def review(self) -> str:
        return ""

    async def close(self) -> None:
        pass
