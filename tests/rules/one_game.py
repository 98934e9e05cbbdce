"""Plays whole games and prints a digest of everything that happened; a script of its own.

    PYTHONPATH=server python tests/rules/one_game.py < games.json

Needs the rules core and the standard library, nothing else. The input is what `games` of
test_determinism.py makes: the tables, and the games to play.
"""

from __future__ import annotations

import json
import random
import sys
from hashlib import blake2b
from pathlib import Path
from typing import Any

if __name__ == "__main__":  # started as a script: the folder of the project is not on the path
    sys.path.insert(0, str(Path(__file__).parents[2]))

from endless_winter.rules import Config, Game
from endless_winter.rules.config import NomadRules
from endless_winter.rules.position import write
from tests.rules.plain_tables import rebuilt


def digest_of(game: Game, choices: random.Random) -> str:
    """Of every list of options, every choice, every event and the final position, in order."""
    log = blake2b(digest_size=16)
    happened = game.take_events()
    while (decision := game.decision) is not None:
        texts = [game.text(code) for code in decision.options]
        # random() alone is promised to stay the same in every version of Python.
        choice = int(choices.random() * len(texts))
        entry = [
            [[*event[:4], event[4].hex()] for event in happened],
            decision.seat,
            decision.kind_name,
            game.text(decision.default),
            texts,
            choice,
        ]
        log.update(json.dumps(entry).encode())
        happened = game.apply(decision.options[choice], decision.seat)
    log.update(json.dumps(write(game.position)).encode())
    result = game.result
    assert result is not None
    log.update(json.dumps([result.ranking, [score.total for score in result.scores]]).encode())
    return log.hexdigest()


def play(tables: Any, wanted: dict[str, Any]) -> str:
    config = Config(
        tables,
        players=wanted["players"],
        setup_draft=wanted["setup_draft"],
        chief_draft=wanted["chief_draft"],
        layout=wanted["layout"],
        modules=tuple(wanted["modules"]),
        nomad=NomadRules(**wanted["nomad"]) if "nomad" in wanted else None,
    )
    game = Game.new(config, bytes.fromhex(wanted["seed"]), True)
    return digest_of(game, random.Random(wanted["choices"]))


if __name__ == "__main__":
    given = json.load(sys.stdin)
    for one in given["games"]:
        print(play(rebuilt(given["tables"]), one))
