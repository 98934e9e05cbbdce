"""The bots' own randomness: a keyed hash of (the bot's seed, game id, decision id).

No generator is carried along from decision to decision, so a repeated game repeats, also if the
bot was restarted in the middle of it.
"""

from __future__ import annotations

import os
from hashlib import blake2b
from random import Random

from endless_winter.sdk import BotFailed

SEED_VARIABLE = "EW_BOT_SEED"


def own_seed() -> int:
    """The seed that the process was given; 0 without one."""
    given = os.environ.get(SEED_VARIABLE, "0")
    try:
        return int(given)
    except ValueError:
        raise BotFailed(f"{SEED_VARIABLE} is a whole number, not {given!r}") from None


def rng(seed: int, game_id: str, decision_id: int) -> Random:
    """A generator for one decision."""
    key = seed.to_bytes(16, "big", signed=True)
    digest = blake2b(f"{game_id}/{decision_id}".encode(), key=key, digest_size=16).digest()
    return Random(int.from_bytes(digest, "big"))
