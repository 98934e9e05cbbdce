"""The one error of a tournament that its user can do something about."""

from __future__ import annotations


class TournamentError(Exception):
    """A tournament cannot be run or read; the message is one line."""


def one_line(text: object) -> str:
    """Text with anything unprintable escaped, on one line."""
    words = " ".join(str(text).split())
    return "".join(char if char.isprintable() else ascii(char)[1:-1] for char in words)
