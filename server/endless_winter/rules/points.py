"""A player's points by category (events.py), in the hot state: two bytes each, signed.

Immutable like every zone, so that a copy shares them; the score is kept beside them as a number,
since it is read far more often than they are.
"""

from typing import Final

CATEGORIES: Final = 32  # more than there are; those of final scoring stay 0
NO_POINTS: Final = bytes(2 * CATEGORIES)
MOST_POINTS: Final = (1 << 15) - 1  # of one category


def points_of(points: bytes, category: int) -> int:
    at = 2 * category
    number = points[at] << 8 | points[at + 1]
    return number if number <= MOST_POINTS else number - (1 << 16)


def with_points(points: bytes, category: int, number: int) -> bytes:
    """The same with so many more."""
    at = 2 * category
    total = points_of(points, category) + number
    return points[:at] + total.to_bytes(2, "big", signed=True) + points[at + 2 :]


def by_category(points: bytes) -> list[int]:
    """All of them, by the number of the category."""
    return [points_of(points, category) for category in range(CATEGORIES)]
