"""Placing Megaliths: where it is legal, what it brings."""

from typing import Final

from endless_winter.rules import agenda, events
from endless_winter.rules.board import MEGALITHS as MEGALITHS_IN_ALL
from endless_winter.rules.board import NEUTRAL_MEGALITHS, push_gain, score
from endless_winter.rules.events import emit
from endless_winter.rules.megaliths import BOARD_SITES
from endless_winter.rules.sources import MEGALITH, source
from endless_winter.rules.state import Player, Position
from endless_winter.rules.tables import MegalithSpace
from endless_winter.rules.zones import replaced

NEUTRAL: Final = 1
OWN: Final = 2  # + seat


def space_at(position: Position, site: int) -> MegalithSpace:
    return position.tables.megalith_tiles[position.tiles[site >> 3]][site & 7]


def next_is_neutral(player: Player) -> bool:
    """MEG-01: the two neutral ones leave the board first."""
    return player.megaliths > MEGALITHS_IN_ALL - NEUTRAL_MEGALITHS


def legal_sites(position: Position, player: Player) -> list[int]:
    """MEG-02, MEG-03: where the player's next Megalith may go."""
    found: list[int] = []
    if not player.megaliths:
        return found
    neutral = next_is_neutral(player)
    built = position.megaliths
    sites = position.sites
    for site in range(BOARD_SITES):
        if built[site]:
            continue
        if space_at(position, site).grey:
            if neutral:
                found.append(site)
            continue
        for near in sites.neighbours[site]:
            if built[near]:
                found.append(site)
                break
    if not neutral:
        for site in range(BOARD_SITES, len(built)):
            if not built[site]:
                below = sites.below[site]
                if built[below[0]] and built[below[1]] and built[below[2]] and built[below[3]]:
                    found.append(site)
    return found


def additional_sites(position: Position, grey: int) -> list[int]:
    """MEG-08: the two spaces that a starting space's arrows point to, as far as free."""
    base = grey & ~7
    return [
        base + space
        for space in space_at(position, grey).arrows
        if not position.megaliths[base + space]
    ]


def place_megalith(position: Position, player: Player, site: int) -> None:
    """MEG-04, MEG-05: the space's benefit on the board, points on a stack."""
    owner = NEUTRAL if next_is_neutral(player) else OWN + player.seat
    player.megaliths -= 1
    position.megaliths = replaced(position.megaliths, site, owner)
    emit(position, events.MEGALITH_PLACED, player.seat, site)
    here = source(MEGALITH, site)
    if site < BOARD_SITES:
        space = space_at(position, site)
        if space.grey:
            push_gain(position, player, bytes((agenda.ADDITIONAL, site)), here)
        else:
            push_gain(position, player, space.benefit, here)
        return
    position.cause = here
    points = 0
    for carrier in position.sites.below[site]:
        below = position.megaliths[carrier]
        if below == OWN + player.seat:
            points += 2
        else:
            points += 1
            if below >= OWN:
                score(position, position.players[below - OWN], 1, events.BY_MEGALITH)
    score(position, player, points, events.BY_MEGALITH)
