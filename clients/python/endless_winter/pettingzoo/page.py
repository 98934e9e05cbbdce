"""A row of numbers from 0 to 1, written from left to right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray


class Page:
    """Most of an observation is 0, and only what is not costs anything here."""

    __slots__ = ("_at", "_values", "end")

    def __init__(self) -> None:
        self._at: list[int] = []
        self._values: list[float] = []
        self.end: int = 0

    def one_of(self, number: int, size: int) -> None:
        """A 1 in one of several places; none if the number is none of them."""
        if 0 <= number < size:
            self._at.append(self.end + number)
            self._values.append(1.0)
        self.end += size

    def numbers(self, values: Iterable[float]) -> None:
        end = self.end
        for value in values:
            if value:
                self._at.append(end)
                self._values.append(value)
            end += 1
        self.end = end

    def pieces(self, zone: Iterable[int], each: Sequence[float]) -> None:
        """For each kind of piece how much of it is in the zone; one of them counts `each`."""
        size = len(each)
        amounts: dict[int, float] = {}
        for piece in zone:
            if piece < size:  # else it is a free place
                amounts[piece] = amounts.get(piece, 0.0) + each[piece]
        for piece, amount in amounts.items():
            self._at.append(self.end + piece)
            self._values.append(amount)
        self.end += size

    def array(self) -> NDArray[np.float32]:
        found = np.zeros(self.end, dtype=np.float32)
        found[self._at] = self._values
        return np.minimum(found, np.float32(1), out=found)
