"""What the clocks show."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from endless_winter.v1 import clock_pb2


def clocks_of(reading: clock_pb2.ClockReading, passed: float) -> dict[int, str]:
    """What each clock shows, so many seconds after it was read."""
    limit = None
    if reading.HasField("deadline_unix_ms"):
        limit = (reading.deadline_unix_ms - reading.server_time_unix_ms) / 1000 - passed
    found = {}
    for one in reading.seats:
        left = one.bank_ms / 1000 if one.HasField("bank_ms") else None
        if one.running:
            left = left - passed if left is not None else limit
        if left is not None:
            found[one.seat] = _face(int(max(left, 0)))
    return found


def _face(seconds: int) -> str:
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
