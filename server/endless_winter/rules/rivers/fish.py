"""Fish tokens: a hidden pool, and what was drawn lying open beside it (RAF-11)."""

from endless_winter.rules import board
from endless_winter.rules.chance import shuffle
from endless_winter.rules.events import emit
from endless_winter.rules.rivers import codes
from endless_winter.rules.rivers.area import (
    MIXED_AT,
    fish_discarded,
    fish_pool,
    parts_of,
    set_byte,
    set_fish,
)
from endless_winter.rules.rivers.parts import Fish
from endless_winter.rules.sources import source
from endless_winter.rules.state import Position


def all_fish(position: Position) -> bytes:
    return b"".join(
        bytes((number,)) * fish.copies for number, fish in enumerate(parts_of(position).fish)
    )


def mix(position: Position, index: int, pool: bytes, discarded: bytes) -> None:
    """All of the pool in a new random order; what was discarded stays so."""
    set_fish(position, index, _mixed(position, index, pool), discarded)


def _mixed(position: Position, index: int, fish: bytes) -> bytes:
    times = position.module_state[index][MIXED_AT]
    set_byte(position, index, MIXED_AT, (times + 1) % 256)
    return shuffle(position.seed, "fish", times, fish)


def draw(position: Position, index: int, seat: int, number: int) -> None:
    """Reveal Fish, gain and discard them; the special one sends the discards back.

    RAF-13: all are drawn before the first is gained. They are discarded in the order in which
    they were drawn.
    """
    state = position.module_state[index]
    pool = fish_pool(state)
    discarded = fish_discarded(state)
    drawn = b""
    for _ in range(number):
        if not pool:
            emit(position, codes.FISH_MIXED, seat, len(discarded))
            pool = _mixed(position, index, discarded)
            discarded = b""
        drawn += pool[:1]
        pool = pool[1:]
    gained = b""
    for one in drawn:
        fish = parts_of(position).fish[one]
        emit(position, codes.FISH_DRAWN, seat, one, int(fish.special))
        discarded += bytes((one,))
        if fish.special:
            pool = _mixed(position, index, bytes(sorted(pool + discarded)))
            discarded = b""
        gained = together(gained, _gained(position, seat, fish, source(codes.FISH_TOKEN, one)))
    set_fish(position, index, pool, discarded)
    # Of several Fish there is one pool: it goes by the first of them.
    where = source(codes.FISH_TOKEN, drawn[0])
    board.push_gain(position, position.players[seat], gained, where)


def together(pool: bytes, more: bytes) -> bytes:
    """Two pools as one, so that what they bring comes in the order that the player likes."""
    amounts: dict[int, int] = {}
    for at in range(0, len(pool), 2):
        amounts[pool[at]] = pool[at + 1]
    for at in range(0, len(more), 2):
        amounts[more[at]] = amounts.get(more[at], 0) + more[at + 1]
    found = b""
    for icon, amount in amounts.items():
        found += bytes((icon, amount))
    return found


def _gained(position: Position, seat: int, fish: Fish, where: int) -> bytes:
    """A person's points are scored at once; a Nomad scores them by a step of its own."""
    if not position.kinds[seat].owns_cards:
        return fish.benefit
    if fish.points:
        position.cause = where
        board.score(position, position.players[seat], fish.points, codes.BY_FISH)
    return fish.others
