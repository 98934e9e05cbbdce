"""Why bots chose: what their processes wrote of it, for the records of their games.

A bot writes into its own folder, whatever it likes. So nothing is believed but what concerns its
own seats, and nothing is read but a plain file.
"""

from __future__ import annotations

import json
import os
import stat
from typing import TYPE_CHECKING, Final

from endless_winter.v1 import replay_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from endless_winter.tournament.results import Game

FILE: Final = "reasons.jsonl"
_LONGEST_LINE: Final = 4096
_LONGEST_TEXT: Final = 400
_MOST_POINTS: Final = 10_000.0
_MOST_BYTES: Final = 256 << 20  # of one bot's file; what comes after is not looked at


def read(
    out: Path, games: Iterable[Game], names: Iterable[str]
) -> dict[str, list[replay_pb2.ChoiceReason]]:
    """What the entrants said of their choices in some games, by game."""
    wanted = {game.id: game for game in games}
    found: dict[str, dict[tuple[int, int], replay_pb2.ChoiceReason]] = {}
    for name in names:
        for line in _lines(out / "bots" / name / FILE):
            one = _reason(line)
            if one is None:
                continue
            game_id, reason = one
            game = wanted.get(game_id)
            if game is None or reason.seat >= len(game.seats):
                continue
            if game.seats[reason.seat].entrant == name:
                # Asked again after a restart, a bot says it again: the last word counts.
                found.setdefault(game_id, {})[reason.seat, reason.decision_id] = reason
    return {game: [one[key] for key in sorted(one)] for game, one in found.items()}


def _lines(path: Path) -> Iterator[str]:
    try:
        number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return  # it said nothing
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        return
    with open(number, "rb") as file:  # noqa: PTH123 # a number, not a path
        while file.tell() < _MOST_BYTES:
            line = file.readline(_LONGEST_LINE)
            if not line:
                return
            yield line.decode("utf-8", "replace")


def _reason(line: str) -> tuple[str, replay_pb2.ChoiceReason] | None:
    """A line as its game and what it says; None: it is none."""
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(said, dict):
        return None
    game, seat, decision = said.get("game"), said.get("seat"), said.get("decision")
    if not isinstance(game, str) or type(seat) is not int or type(decision) is not int:
        return None
    if not 0 <= seat < 1 << 8 or not 0 <= decision < 1 << 32:
        return None
    why, expects = said.get("why"), said.get("expects")
    reason = replay_pb2.ChoiceReason(
        seat=seat,
        decision_id=decision,
        text=why[:_LONGEST_TEXT] if isinstance(why, str) else "",
    )
    if isinstance(expects, int | float) and abs(expects) < _MOST_POINTS:  # NaN is not either
        reason.expected_tenths = round(10 * expects)
    return game, reason
