"""Where the Nomad builds, and where its Camps roam (NMD-11, NMD-12)."""

from typing import Final

from endless_winter.rules import agenda, board, events
from endless_winter.rules.chance import shuffle
from endless_winter.rules.events import emit
from endless_winter.rules.nomad import arrows
from endless_winter.rules.nomad.area import Area, area_of, keep, newest_card
from endless_winter.rules.state import Position
from endless_winter.rules.terrain import JUNCTURES
from endless_winter.rules.zones import ONE, with_piece

INNER: Final = 0
OUTER: Final = 1
FIRST_OUTER: Final = 7  # hexes below are the centre and the inner ring

# What a Map card was revealed for: the second number of its event.
FOR_SET_UP: Final = 0  # all Camps (SOL-04)
FOR_INNER: Final = 1  # sequence B (NMD-12)
FOR_OUTER: Final = 2  # sequence A (NMD-11)
STAYS: Final = 4  # and it shows where they stand already

MAP_STEP: Final = 6  # the number of the record: a Map card is due (steps.py has the others)
_MAP_STREAM: Final = "map-cards"
_NOWHERE: Final = -1


def shuffled_maps(position: Position, times: int) -> bytes:
    number = len(position.tables.map_cards)
    return shuffle(position.seed, _MAP_STREAM, times, bytes(range(number)))


def building_sites(position: Position, seat: int) -> list[int]:
    """The free junctures between three own Camps.

    Where the token stands already is not free: it would move nowhere.
    """
    camps = position.players[seat].camps
    for index, module in enumerate(position.modules):
        camps += module.stands_in(position, index, seat)
    sites: list[int] = []
    for juncture, hexes in enumerate(JUNCTURES):
        if (
            hexes[0] in camps
            and hexes[1] in camps
            and hexes[2] in camps
            and board.can_be_built_on(position, juncture)
        ):
            sites.append(juncture)
    return sites


def building_site(position: Position, seat: int, area: Area) -> int:
    """The one of them that the arrows mean; -1: there is none."""
    sites = building_sites(position, seat)
    if not sites:
        return _NOWHERE
    places = [arrows.JUNCTURE_PLACES[juncture] for juncture in sites]
    return sites[arrows.pointed(newest_card(position, area), places)]


def needs_token(position: Position, seat: int) -> bool:
    return len(position.players[seat].villages) == board.VILLAGES


def build(position: Position, seat: int, juncture: int, token: bool) -> None:
    """NMD-11: the Camps stay, no Food is paid; a Map card for the outer Camps is due."""
    position.agenda.append((agenda.NOMAD, seat, MAP_STEP, b""))
    emit(position, events.NOMAD_BUILT, seat, juncture, int(token))
    if token:
        area = area_of(position)
        area.token = juncture
        keep(position, area)
        return
    player = position.players[seat]
    player.villages = with_piece(player.villages, juncture)
    for index, module in enumerate(position.modules):
        module.village_placed(position, index, seat, juncture)


def reveal_map(position: Position, area: Area) -> int:
    """The next Map card; used up, they are shuffled (NMD-12)."""
    if not area.maps:
        area.map_shuffles += 1
        area.maps = shuffled_maps(position, area.map_shuffles)
        area.seen_maps = b""
    card = area.maps[0]
    area.maps = area.maps[1:]
    area.seen_maps += ONE[card]
    return card


def roam(position: Position, seat: int, ring: int) -> None:
    """Send the Camps of a ring where the next Map card shows.

    In the inner ring a card that moves nothing is passed over for the next one (NMD-12).
    """
    area = area_of(position)
    moved = False
    tries = 2 * len(position.tables.map_cards)
    while tries and not moved:
        number = reveal_map(position, area)
        card = position.tables.map_cards[number]
        tries = tries - 1 if ring == INNER else 0
        hexes = card.outer if ring == OUTER else card.inner
        stays = all(hex_ in position.players[seat].camps for hex_ in hexes)
        use = FOR_OUTER if ring == OUTER else FOR_INNER
        emit(position, events.MAP_REVEALED, seat, number, use | (STAYS if stays else 0))
        moved = _send(position, seat, hexes)
    keep(position, area)
    if moved and ring == INNER:
        for index, module in enumerate(position.modules):
            module.inner_camps_relocated(position, index, seat)


def _send(position: Position, seat: int, hexes: bytes) -> bool:
    """Move the Camps of a ring onto these hexes of it; those already there stay."""
    player = position.players[seat]
    outer = hexes[0] >= FIRST_OUTER
    leaving = [
        hex_ for hex_ in player.camps if (hex_ >= FIRST_OUTER) == outer and hex_ not in hexes
    ]
    entered = [hex_ for hex_ in hexes if hex_ not in player.camps]
    for at, start in enumerate(leaving):
        board.move_camp(position, player, start, entered[at])
    return bool(leaving)
