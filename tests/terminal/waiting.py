"""How tests of the screen wait: for what they need, never for a time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.pilot import Pilot

TURNS = 200  # of the event loop; a key or a click and all that follows from it take some twenty


async def quiet(*_: Any) -> None:
    """Let everything happen that follows from a key: each step takes a turn of the event loop."""
    for _turn in range(TURNS):
        await asyncio.sleep(0)


async def until(pilot: Pilot[None], what: Callable[[], bool]) -> None:
    """Wait until something is so; the test's own time limit is the only one."""
    while not what():
        await pilot.pause()
        await asyncio.sleep(0.01)
