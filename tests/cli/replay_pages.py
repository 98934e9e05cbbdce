"""Pages of replays as their readers find them: the data in them, and positions made of changes."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any

from endless_winter.cli.replay_page import Links, page_of_record
from endless_winter.v1 import config_pb2, replay_pb2
from tests.engine.desk import PACK
from tests.service.logs import MODULES, Playing

_DATA = re.compile(r'<script type="application/json" id="replay">(.*?)</script>')
NASTY = '</script><script>document.title="x"</script><b>&"'


def data_of(page: str) -> dict[str, Any]:
    (found,) = _DATA.findall(page)
    data: dict[str, Any] = json.loads(found)
    return data


def patched(value: Any, change: Any) -> Any:
    """The same as in frames.js, to read a page without a browser."""
    if not isinstance(change, dict):
        return change
    if isinstance(value, list):
        made = list(value)
        if "$" in change:
            start, count, *added = change["$"]
            made[start : start + count] = added
            return made
        for place, one in change.items():
            made[int(place)] = patched(made[int(place)], one)
        return made
    found = dict(value or {})
    for name, one in change.items():
        if one is None:
            del found[name]
        else:
            found[name] = patched(found.get(name), one)
    return found


def _in_full(change: Any, fields: dict[str, str]) -> Any:
    if isinstance(change, list):
        return [_in_full(one, fields) for one in change]
    if not isinstance(change, dict):
        return change
    return {fields.get(name, name): _in_full(one, fields) for name, one in change.items()}


def positions_of(data: dict[str, Any]) -> list[Any]:
    """The position after each step; None before the first one."""
    found, now = [], None
    for step in data["steps"]:
        if "change" in step:
            now = patched(now, _in_full(step["change"], data["fields"]))
        found.append(now)
    return found


@cache
def four_players() -> replay_pb2.ReplayFile:
    """A whole game of four with everything on the table, one of them with a nasty name."""
    extras = config_pb2.ModuleConfig(
        glacier_tokens=True, rest_tokens=True, warriors=True, sea_cows=True, mammoth=True
    )
    playing = Playing(
        11, 4, modules=extras, rivers=config_pb2.RiversConfig(landmark_count=3)
    ).play()
    file = playing.log().record()
    for seat, name in enumerate((NASTY, "Bö <i>", "quick", "quick")):
        file.game.seats[seat].display_name = name
    choices = [one for one in file.entries if one.HasField("choice")]
    for number, entry in enumerate(choices[::7]):
        choice = entry.choice
        file.reasons.add(
            seat=choice.seat,
            decision_id=choice.decision_id,
            text=f"reason {number} {NASTY}",
            expected_tenths=400 + 3 * number,
        )
    return file


@cache
def solo() -> replay_pb2.ReplayFile:
    """A whole game against the Nomad."""
    kinds = [config_pb2.SEAT_KIND_OPEN, config_pb2.SEAT_KIND_NOMAD]
    harder = config_pb2.NomadConfig()
    return Playing(12, kinds=kinds, modules=MODULES, nomad=harder).play().log().record()


def _judged(label: str, expected: float) -> dict[str, Any]:
    return {"text": "rest", "label": label, "expected": expected, "why": "it brings a card"}


# As `ew replay review` has it; to make one takes many seconds.
REVIEW: dict[str, Any] = {
    "review": 1,
    "game_id": "game-11",
    "seats": [
        {
            "seat": seat,
            "name": "",
            "score": 30,
            "curve": [
                {"seq": seq, "round": 1, "phase": "action", "turn": 1, "text": "place chief rest",
                 "label": "Rest", "expected": 40.0 + seq / 10}
                for seq in (60, 120, 200)
            ],
            "worst": [
                {"seq": 120, "round": 1, "phase": "action", "turn": 2, "kind": "turn",
                 "prompt": "Where?", "by": "player", "chosen": _judged(NASTY, 40.0),
                 "better": _judged("Hunt", 52.0), "cost": 12.0}
            ],
        }
        for seat in (0, 1)
    ],
}  # fmt: skip


@cache
def page_of_four() -> str:
    links = Links(record="four.ewr", home="../report.html")
    return page_of_record(four_players(), PACK, links, REVIEW)


@cache
def page_of_solo() -> str:
    return page_of_record(solo(), PACK, Links())
