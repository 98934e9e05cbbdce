"""Starting Bases (RAF-06): where they may be attached, and the steps from there.

Around the 12 outer hexes there are 12 sites that touch exactly two of them: site n touches the
nth and the next one. The cells beyond the corners touch one hex only; two of them are taken by
the Headwaters and the Delta. Sites 2k and 2k + 1 lie next to each other, on one side of the board.
"""

from typing import Final

from endless_winter.rules import agenda
from endless_winter.rules.events import emit
from endless_winter.rules.options import a_of, b_of, option
from endless_winter.rules.rivers import codes
from endless_winter.rules.rivers.area import BASES_AT, SEATS, base_of, set_byte
from endless_winter.rules.state import Position
from endless_winter.rules.terrain import HEXES
from endless_winter.rules.zones import EMPTY

FIRST_OUTER: Final = 7
SITES: Final = HEXES - FIRST_OUTER

# The two hexes of each site, the lower first.
TOUCHED: Final[list[bytes]] = [
    bytes(sorted((FIRST_OUTER + site, FIRST_OUTER + (site + 1) % SITES))) for site in range(SITES)
]


def put_on_agenda(position: Position, index: int) -> None:
    """In reverse turn order: the last in order lies on top. Only persons have one (SRF-01)."""
    for seat in position.order:
        if position.kinds[seat].owns_cards:
            record = bytes((codes.ATTACH_BASE,))
            position.agenda.append((agenda.MODULE, seat, index, record))


def free_sites(position: Position, index: int) -> list[int]:
    """Sites where no Base is, nor next to it."""
    taken = position.module_state[index][BASES_AT : BASES_AT + SEATS]
    return [site for site in range(SITES) if site not in taken and site ^ 1 not in taken]


def attach_options(position: Position, index: int) -> list[int]:
    return [
        option(codes.ATTACH, TOUCHED[site][0], TOUCHED[site][1])
        for site in free_sites(position, index)
    ]


def attach(position: Position, index: int, seat: int, code: int) -> None:
    site = TOUCHED.index(bytes((a_of(code), b_of(code))))
    set_byte(position, index, BASES_AT + seat, site)
    emit(position, codes.BASE_ATTACHED, seat, a_of(code), b_of(code))


def steps(position: Position, index: int, seat: int) -> bytes:
    """The hexes that a Camp can go to from its Starting Base."""
    site = base_of(position, index, seat)
    return b"" if site == EMPTY else TOUCHED[site]
