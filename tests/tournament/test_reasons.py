"""Why bots chose, read from what their processes wrote: whatever stands there."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from endless_winter.tournament import reasons
from endless_winter.tournament.results import Game, Seat

if TYPE_CHECKING:
    from pathlib import Path


def game() -> Game:
    seats = tuple(Seat(entrant=name, place=1, score=10) for name in ("ann", "bob"))
    return Game(
        id="g", match="m", block="b", rotation=0, attempt=1, outcome="completed", seats=seats
    )


def written(out: Path, name: str, *lines: object) -> Path:
    path = out / "bots" / name / reasons.FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = [one if isinstance(one, str) else json.dumps(one) for one in lines]
    path.write_text("".join(f"{text}\n" for text in texts))
    return path


def said(**more: Any) -> dict[str, Any]:
    return {"game": "g", "seat": 0, "decision": 7, "why": "because", "expects": 41.5} | more


def test_each_bot_is_believed_of_its_own_seats_alone(tmp_path: Path) -> None:
    played = game()
    written(tmp_path, "ann", said(), said(seat=1, why="not mine"), said(seat=9), said(game="h"))
    written(tmp_path, "bob", said(seat=1, decision=8, why="so"), said(why="not mine either"))
    (found,) = reasons.read(tmp_path, [played], ["ann", "bob", "nobody"]).values()
    texts = [(one.seat, one.decision_id, one.text) for one in found]
    assert texts == [(0, 7, "because"), (1, 8, "so")]
    assert found[0].expected_tenths == 415


def test_what_is_no_reason_is_passed_over(tmp_path: Path) -> None:
    played = game()
    written(
        tmp_path,
        "ann",
        "no json",
        "[" * 3000,
        "[1, 2]",
        said(decision="7"),
        said(decision=-1),
        said(seat=True),
        said(decision=1 << 40),
        said(decision=1, why=["a", "list"], expects="much"),
        '{"game": "g", "seat": 0, "decision": 2, "expects": NaN}',
        said(decision=3, why="x" * 3000),
        said(decision=4, why="x" * 100_000),
        said(decision=5),
        said(decision=5, why="the last word"),
    )
    (found,) = reasons.read(tmp_path, [played], ["ann"]).values()
    assert [one.decision_id for one in found] == [1, 2, 3, 5]
    assert [one.text for one in found] == ["", "", "x" * 400, "the last word"]
    assert [one.HasField("expected_tenths") for one in found] == [False, False, True, True]


def test_only_a_plain_file_is_read(tmp_path: Path) -> None:
    played = game()
    elsewhere = written(tmp_path, "elsewhere", said())
    for make in (
        lambda path: path.symlink_to(elsewhere),
        os.mkfifo,
        lambda path: path.mkdir(),
    ):
        path = tmp_path / "bots" / "ann" / reasons.FILE
        path.parent.mkdir(exist_ok=True)
        make(path)
        assert reasons.read(tmp_path, [played], ["ann"]) == {}
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
