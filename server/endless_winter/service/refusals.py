"""What a limit refuses: counted by kind, and told to the host in few lines.

A flood is refused thousands of times a second. A line for each would be a flood of its own, so
there is at most one for each kind every few seconds. It says how many there were, and who got most.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections import Counter
from typing import TYPE_CHECKING

from endless_winter.service import logs

if TYPE_CHECKING:
    from endless_winter.service.meters import Meters

EVERY_SECONDS = 2.0
MOST_ADDRESSES = 1000  # that are counted for a line; the others are only counted in all
NAMED = 3  # of them, those that were refused most often


class Refusals:
    """Of one server."""

    def __init__(self, meters: Meters) -> None:
        self._meters = meters
        self._untold: dict[str, Counter[str]] = {}  # by kind and address, since the last line

    def note(self, kind: str, address: str) -> None:
        """Something was refused; a line about it follows soon."""
        self._meters.refusals[kind] += 1
        found = self._untold.get(kind)
        if found is None:
            found = self._untold[kind] = Counter()
            asyncio.get_running_loop().call_later(
                # Not in the context of this call: the line is about many.
                EVERY_SECONDS,
                self._tell,
                kind,
                context=contextvars.Context(),
            )
        known = address in found or len(found) < MOST_ADDRESSES
        found[address if known else ""] += 1

    def _tell(self, kind: str) -> None:
        found = self._untold.pop(kind)
        logs.log.warning(
            "a limit refuses",
            kind=kind,
            refused=found.total(),
            addresses=dict(found.most_common(NAMED)),
        )
