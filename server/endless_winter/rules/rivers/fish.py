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
    times = position.module_state[index][MIXED_AT]
    set_fish(position, index, shuffle(position.seed, "fish", times, pool), discarded)
    set_byte(position, index, MIXED_AT, (times + 1) % 256)


def draw(position: Position, index: int, seat: int) -> None:
    """Reveal a Fish, gain it, discard it; the special one sends the discards back."""
    state = position.module_state[index]
    if not fish_pool(state):
        discarded = fish_discarded(state)
        emit(position, codes.FISH_MIXED, seat, len(discarded))
        mix(position, index, discarded, b"")
        state = position.module_state[index]
    pool = fish_pool(state)
    number = pool[0]
    pool = pool[1:]
    discarded = fish_discarded(state) + bytes((number,))
    fish = parts_of(position).fish[number]
    emit(position, codes.FISH_DRAWN, seat, number, int(fish.special))
    if fish.special:
        mix(position, index, bytes(sorted(pool + discarded)), b"")
    else:
        set_fish(position, index, pool, discarded)
    _gain(position, seat, fish, source(codes.FISH_TOKEN, number))


def _gain(position: Position, seat: int, fish: Fish, where: int) -> None:
    """A person's points are scored at once; a Nomad scores them by a step of its own."""
    player = position.players[seat]
    if not position.kinds[seat].owns_cards:
        board.push_gain(position, player, fish.benefit, where)
        return
    if fish.points:
        position.cause = where
        board.score(position, player, fish.points, codes.BY_FISH)
    if fish.others:
        board.push_gain(position, player, fish.others, where)
