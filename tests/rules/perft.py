"""Perft: how many sequences of choices there are from fixed positions, and what walks meet.

    python -m tests.rules.perft --write

writes tests/data/perft.toml anew; without --write it prints what would differ. A count says
nothing about what is right, but it notices each option too many or too few.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.rules.river_scene import river
from tests.rules.scene import Scene, scene
from tests.rules.walk import RIVERS, SOLO, begin, name_of, random_of, walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules import Game

FILE = Path(__file__).parents[1] / "data" / "perft.toml"
DEPTH = 4
MOST = 60_000  # sequences; a depth with more is left out
WALKS = (*range(36), *SOLO, *RIVERS)


def perft(game: Game, depth: int) -> int:
    """How many different sequences of that many choices the game allows; an early end counts."""
    if depth == 0 or game.decision is None:
        return 1
    if depth == 1:
        return len(game.options())
    total = 0
    for code in game.options():
        copy = game.copy()
        copy.apply(code)
        total += perft(copy, depth - 1)
    return total


def _hunting_party() -> Scene:
    return (
        scene(2)
        .player(0, food=4, tools=2, hand=["hunter", "brave", "tribesman"], animals=["woolly_rhino"])
        .grounds("woolly_rhino", "woolly_rhino")
        .turn(0)
        .do("place chief hunt")
    )


def _camps_for_a_village() -> Scene:
    return (
        scene(2)
        .player(0, food=5, tools=1, hand=["pathfinder", "brave"], camps=[0, 1, 2, 7])
        .turn(0)
        .do("place tribe migrate")
    )


def _culture() -> Scene:
    hand = ["barter_day", "teaching_stones", "brave", "brave"]
    table = scene(3).player(0, food=3, tools=2, hand=hand)
    return table.display("ember_feast", "", "bone_flute").turn(0)


def _eclipse() -> Scene:
    pile = ["shaman", "elder", "brave", "crafter"]
    camps = [1, 2, 9]
    return (
        scene(2)
        .player(0, food=3, tools=4, pile=pile, discard=["hunter"], camps=camps)
        .player(1, deck=["hunter"], camps=[2, 9])
        .eclipse()
    )


def _megaliths() -> Scene:
    return scene(2).player(0, deck=["hunter"], tools=1, megaliths=8).gain(0, "megalith 2, idol")


def _rite() -> Scene:
    hand = ["elder", "hunter", "hunter"]
    table = scene(2).player(0, food=2, tools=2, hand=hand, discard=["brave"])
    return table.turn(0).do("place tribe initiate")


def _on_the_river() -> Scene:
    table = river("monolith").rafts(3).player(0, food=5, tools=1, camps=[1, 2, 19], hand=["brave"])
    return table.turn(0).do("place tribe migrate", "play brave")


def _eclipse_on_the_river() -> Scene:
    table = river("butte", "tree").rafts(4).player(0, camps=[0, 6, 7], pile=["pathfinder"])
    return table.player(1, camps=[0, 6]).eclipse()


SCENES: dict[str, Callable[[], Scene]] = {
    "hunting_party": _hunting_party,
    "camps_for_a_village": _camps_for_a_village,
    "culture": _culture,
    "eclipse": _eclipse,
    "megaliths": _megaliths,
    "rite": _rite,
    "on_the_river": _on_the_river,
    "eclipse_on_the_river": _eclipse_on_the_river,
}
# Positions on the way of walks: (walk, step).
PLACES = (
    *((0, 0), (8, 0), (13, 40), (19, 90), (29, 150), (35, 260)),
    *((SOLO[0], 0), (SOLO[1], 30), (SOLO[2], 120)),
    *((RIVERS[2], 0), (RIVERS[4], 60), (RIVERS[7], 120)),
)


def positions() -> dict[str, Game]:
    found = {name: made().game for name, made in SCENES.items()}
    for number, step in PLACES:
        game = begin(number)
        for at, one in enumerate(walk(number)):
            if at == step:
                game = one.copy()
                break
        found[f"walk_{number}_step_{step}"] = game
    return found


def counts(game: Game) -> list[int]:
    """By depth, as far as there are not too many."""
    found: list[int] = []
    for depth in range(1, DEPTH + 1):
        if found and found[-1] * len(game.options()) > MOST:
            break
        found.append(perft(game, depth))
    return found


def checksum(number: int) -> str:
    """Of the number of options at each step of a walk, and of their texts."""
    digest = blake2b(digest_size=8)
    game = begin(number)
    choices = random_of(number)
    steps = listed = 0
    while game.decision is not None:
        steps += 1
        listed += len(game.options())
        digest.update("|".join(game.text(code) for code in game.options()).encode() + b"\n")
        game.apply(choices.option(game))
    return f"{steps} decisions, {listed} options, {digest.hexdigest()}"


def measured() -> dict[str, dict[str, Any]]:
    return {
        "perft": {name: counts(game) for name, game in positions().items()},
        "walks": {str(number): checksum(number) for number in WALKS},
    }


def committed() -> dict[str, dict[str, Any]]:
    return tomllib.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}


def text_of(found: dict[str, dict[str, Any]]) -> str:
    lines = [
        "# Made by 'python -m tests.rules.perft --write'.",
        "# Sequences of 1, 2, 3 and 4 choices from fixed positions.",
        "[perft]",
        *(f"{name} = {numbers}" for name, numbers in found["perft"].items()),
        "",
        "# What random walks meet, with a digest of every list of options.",
        "[walks]",
    ]
    for number, text in found["walks"].items():
        lines.append(f'{number} = "{text}" # {name_of(int(number))}')
    return "\n".join([*lines, ""])


def main() -> int:
    parser = argparse.ArgumentParser(description="Perft counts.")
    parser.add_argument("--write", action="store_true", help="write them anew")
    found = measured()
    if parser.parse_args().write:
        FILE.write_text(text_of(found), encoding="utf-8")
        return 0
    before = committed()
    changed = 0
    for part, values in found.items():
        for name, value in values.items():
            was = before.get(part, {}).get(name)
            if was != value:
                changed += 1
                print(f"{part} {name}: {was} -> {value}")
    print(f"{changed} of the counts have changed")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
