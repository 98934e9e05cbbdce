"""A word that is not known, and those that it may have been meant for."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a sentence that refuses a word: ``, did you mean 'heuristic'?`` or nothing."""
    close = get_close_matches(word, list(known), n=1)
    return f", did you mean {close[0]!r}?" if close else ""
