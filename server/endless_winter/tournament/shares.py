"""From places to a number between 0 and 1 that means the same in games of any size."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def shares(places: Sequence[int]) -> list[float]:
    """For each seat, which part of its opponents it left behind; an equal place is half."""
    others = len(places) - 1
    if others < 1:
        return [1.0] * len(places)
    return [
        (sum(other > place for other in places) + (places.count(place) - 1) / 2) / others
        for place in places
    ]
