"""The Nomad's cards: what a pack must hold for solo games, and the tables that come of it.

A pack has all of them or none; without them it is good for every game but the solo one.
"""

from itertools import pairwise, product
from typing import Final

from endless_winter.content.reader import Source
from endless_winter.content.schema import MapCardEntry, NomadCardEntry
from endless_winter.rules import tables
from endless_winter.rules.icons import WHERE_NAMES
from endless_winter.rules.nomad.actions import ACTIONS
from endless_winter.rules.terrain import HEXES

NOMAD_CARDS: Final = 16
MAP_CARDS: Final = 6
MOST_ACTIONS: Final = 3  # of a cell
COLUMNS: Final = ("initiate", "develop", "migrate", "hunt")

_INNER: Final = range(1, 7)
_OUTER: Final = range(7, HEXES)


def check_nomad(source: Source) -> None:
    """Raise `ContentError` for the first thing that is not as in the box."""
    content = source.content
    if not content.nomad_card and not content.map_card:
        return
    for kind, entries, expected in (
        (NomadCardEntry, content.nomad_card, NOMAD_CARDS),
        (MapCardEntry, content.map_card, MAP_CARDS),
    ):
        if len(entries) != expected:
            raise source.section_error(kind, f"{len(entries)} entries, the game has {expected}")
    _check_pairings(source)
    _check_maps(source)


def _check_pairings(source: Source) -> None:
    """Every column with every pair of arrows, once."""
    seen: dict[tuple[str, str, str], str] = {}
    for card in source.content.nomad_card:
        pairing = (card.column, card.large_arrow, card.small_arrow)
        if pairing in seen:
            raise source.error(
                card, f'points to {", ".join(pairing)} like "{seen[pairing]}": each pairing once'
            )
        seen[pairing] = card.id
        if not (2 * card.labor).is_integer():
            raise source.error(card, f"labor {card.labor:g}: Labor comes in halves")
    every = set(product(COLUMNS, ("left", "right"), ("up", "down")))
    assert set(seen) == every  # 16 different ones of 16


def _check_maps(source: Source) -> None:
    for card in source.content.map_card:
        if len(card.inner) != 2 or not _in_a_row(card.inner, _INNER):
            raise source.error(card, "inner: two hexes side by side out of 1 to 6 expected")
        if len(card.outer) != 3 or not _in_a_row(card.outer, _OUTER):
            raise source.error(card, "outer: three hexes in a row out of 7 to 18 expected")
    if len({frozenset(card.inner) for card in source.content.map_card}) < 2:
        raise source.section_error(MapCardEntry, "all show the same inner hexes: no Camp can move")


def _in_a_row(hexes: tuple[int, ...], ring: range) -> bool:
    """Whether the hexes are consecutive, clockwise, in a ring that closes."""
    if any(hex_ not in ring for hex_ in hexes):
        return False
    return all((after - before) % len(ring) == 1 for before, after in pairwise(hexes))


def nomad_cards(source: Source) -> list[tables.NomadCard]:
    return [
        tables.NomadCard(
            card.id,
            card.title,
            WHERE_NAMES.index(card.column),
            card.large_arrow == "right",
            card.small_arrow == "down",
            int(2 * card.labor),
            [b"", *(_cell(source, card, column) for column in COLUMNS)],
        )
        for card in source.content.nomad_card
    ]


def map_cards(source: Source) -> list[tables.MapCard]:
    return [
        tables.MapCard(card.id, card.title, bytes(card.inner), bytes(card.outer))
        for card in source.content.map_card
    ]


def _cell(source: Source, card: NomadCardEntry, column: str) -> bytes:
    """The actions of a cell in their order: `megalith, bury`, `pile 2`."""
    text: str = getattr(card, column)
    cell = b""
    total = 0
    for item in text.split(","):
        name, _, number = item.strip().partition(" ")
        if name not in ACTIONS:
            known = ", ".join(ACTIONS)
            raise source.error(card, f'{column} "{text}": no action "{name}"; one of {known}')
        amount = number.strip() or "1"
        if not (amount.isascii() and amount.isdigit() and len(amount) == 1 and int(amount)):
            raise source.error(card, f'{column} "{text}": "{amount}" is not a number from 1 to 9')
        total += 1 if name in ("food", "point") else int(amount)
        cell += bytes((ACTIONS[name], int(amount)))
    if total > MOST_ACTIONS:
        raise source.error(card, f'{column} "{text}": {total} actions, a cell has 1 to 3')
    return cell
