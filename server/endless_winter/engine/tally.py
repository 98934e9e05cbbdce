"""What the seats of a game have done so far: answers, time, and where their figures went.

One flat list of numbers for all seats, since it is copied and changed with every choice.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from endless_winter.views.words import PLACES

_ANSWERS: Final = 0
_CHARGED_MS: Final = 1
_LONGEST_MS: Final = 2
_PLACED: Final = 3  # from here on one for each place of a figure, by the core's number
_WIDTH: Final = _PLACED + len(PLACES)


class Doings(NamedTuple):
    """What one seat has done."""

    answers: int
    """Choices of its own; what the clock or a forfeit chose is not counted."""
    charged_ms: int
    longest_ms: int
    placed: tuple[int, ...]
    """How often it placed a figure, by the core's number of the place."""


def none(seats: int) -> list[int]:
    return [0] * (seats * _WIDTH)


def count_answer(tally: list[int], seat: int, charged_ms: int) -> None:
    at = seat * _WIDTH
    tally[at + _ANSWERS] += 1
    tally[at + _CHARGED_MS] += charged_ms
    if charged_ms > tally[at + _LONGEST_MS]:  # noqa: PLR1730 # max() takes longer
        tally[at + _LONGEST_MS] = charged_ms


def count_figure(tally: list[int], seat: int, place: int) -> None:
    tally[seat * _WIDTH + _PLACED + place] += 1


def take_back(tally: list[int], before: list[int]) -> None:
    """Choices were taken back: they cost their time all the same, but placed nothing."""
    for at in range(0, len(tally), _WIDTH):
        tally[at + _PLACED : at + _WIDTH] = before[at + _PLACED : at + _WIDTH]


def of_seat(tally: list[int], seat: int) -> Doings:
    at = seat * _WIDTH
    return Doings(
        tally[at + _ANSWERS],
        tally[at + _CHARGED_MS],
        tally[at + _LONGEST_MS],
        tuple(tally[at + _PLACED : at + _WIDTH]),
    )
