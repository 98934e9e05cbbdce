"""The Idol board: the Offering and the Honor track."""

from endless_winter.rules import events
from endless_winter.rules.board import push_gain, score
from endless_winter.rules.events import emit
from endless_winter.rules.sources import OFFERING, source
from endless_winter.rules.state import Player, Position
from endless_winter.rules.zones import ONE, without


def advance_offering(position: Position, player: Player) -> None:
    """IDL-02: a benefit on entering some spaces; on the top space 1 point for the Idol."""
    track = position.tables.offering
    if player.offering == len(track):
        score(position, player, 1, events.BY_OFFERING)
        return
    player.offering += 1
    emit(position, events.OFFERING_MOVED, player.seat, player.offering)
    where = source(OFFERING, player.offering)
    push_gain(position, player, track[player.offering - 1].benefit, where)


def can_advance_honor(position: Position, player: Player) -> bool:
    return player.honor < len(position.tables.honor)


def advance_honor(position: Position, player: Player) -> None:
    """IDL-03: behind those already on the level, whose order the queue keeps."""
    player.honor += 1
    queue = position.honor_queue
    if player.seat in queue:
        queue = without(queue, player.seat)
    position.honor_queue = queue + ONE[player.seat]
    emit(position, events.HONOR_MOVED, player.seat, player.honor)
    score(position, player, position.tables.honor[player.honor - 1].points, events.BY_HONOR)


def honor_earned(position: Position, player: Player) -> int:
    """The points of all levels of the Honor track that the player has come to."""
    start = position.kinds[player.seat].honor_start(position)
    return sum(space.points for space in position.tables.honor[start : player.honor])


def honor_ranking(position: Position) -> list[int]:
    """Seats on the Honor track, the highest first; on a level the leftmost first (FIN-02)."""
    players = position.players
    ranked = [seat for seat in position.honor_queue if players[seat].honor]
    # The sort is stable, so the queue's order decides within a level.
    ranked.sort(key=lambda seat: -players[seat].honor)
    return ranked
