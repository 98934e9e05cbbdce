"""What waits to be gained, entry by entry: the pool that the options of a decision refer to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import agenda, eclipse, icons, options
from endless_winter.rules.turn import MIDDLE_DONE, TOP
from endless_winter.rules.zones import distinct
from endless_winter.v1 import benefit_pb2 as benefit
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import ids_pb2 as ids
from endless_winter.views.words import ICONS, UNNAMED_ICONS

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules.state import Frame, Player, Position
    from endless_winter.views.words import Words


# Where entries with a module's icon come from.
SOURCES: Final[dict[int, Callable[[Words, Position, int], ids.Source]]] = {}


class Entry:
    """One benefit that waits."""

    __slots__ = ("amount", "icon", "source", "subject")

    def __init__(self, source: int, icon: int, amount: int, subject: int) -> None:
        self.source: int = source  # as in an option: kind << 8 | number
        self.icon: int = icon  # of the core, with the two that are no icons of the vocabulary
        self.amount: int = amount
        self.subject: int = subject  # the Sacred Stone that scores, the grey site, ...

    def packed(self) -> int:
        """All of it in one number below 2**40."""
        return self.source << 24 | self.icon << 16 | self.amount << 8 | self.subject


def entries_of(pool: bytes, player: Player, source: int = 0, subject: int = 0) -> list[Entry]:
    """The entries of a pool; each Sacred Stone that has yet to score is one of its own."""
    found: list[Entry] = []
    for at in range(0, len(pool), 2):
        icon = pool[at]
        amount = pool[at + 1]
        if icon == agenda.SCORE_STONES:
            found += [
                Entry(source, icon, 1, stone)
                for slot, stone in enumerate(player.stones)
                if amount & 1 << slot
            ]
        elif icon == agenda.ADDITIONAL:
            found.append(Entry(source, icon, 1, amount))
        else:
            found.append(Entry(source, icon, amount, subject))
    return found


def pool_of(position: Position, frame: Frame) -> list[Entry]:
    """What the pending decision is about; sources with a cost are paid for first."""
    operation, seat, number, pieces = frame
    player = position.players[seat]
    if operation == agenda.GAIN:
        return entries_of(pieces, player)
    found: list[Entry] = []
    if operation == agenda.ABILITIES:
        abilities = position.tables.cards[number].abilities
        for index in pieces:
            if not abilities[index].cost:
                source = options.source(options.ABILITY, index)
                found += entries_of(abilities[index].gains, player, source, number)
    elif operation == agenda.ECLIPSE_CARDS:
        for card in distinct(pieces):
            ability = eclipse.eclipse_ability(position, card)
            if ability is not None and not ability.cost:
                source = options.source(options.CARD, card)
                found += entries_of(ability.gains, player, source, card)
    elif operation == agenda.ECLIPSE_TERRAIN:
        for hex_ in eclipse.leading_hexes(position, player, pieces):
            source = options.source(options.HEX, hex_)
            found += entries_of(eclipse.benefit_of(position, hex_).gains, player, source, hex_)
    elif operation == agenda.ACT and position.place == icons.REST:
        if position.section == TOP:
            found.append(Entry(0, icons.DRAW, 1, 0))
        elif position.section == MIDDLE_DONE:
            found.append(Entry(0, icons.TIP, 1, 0))
    return found


def pending_benefit(
    words: Words, position: Position, index: int, entry: Entry
) -> benefit.PendingBenefit:
    return benefit.PendingBenefit(
        index=index,
        source=entry_source(words, position, entry),
        icon=ICONS[entry.icon],
        amount=entry.amount,
        module_icon=UNNAMED_ICONS.get(entry.icon, ""),
    )


def entry_source(words: Words, position: Position, entry: Entry) -> ids.Source | None:
    """Where an entry comes from, as far as the position tells."""
    if entry.icon == agenda.SCORE_STONES:
        return ids.Source(stone_id=words.stones[entry.subject])
    if entry.icon == agenda.ADDITIONAL:
        return ids.Source(megalith=megalith_site(position, entry.subject))
    kind = entry.source >> 8
    if kind == options.HEX:
        return ids.Source(hex=entry.subject)
    if kind in (options.CARD, options.ABILITY):
        return ids.Source(card_id=words.cards[entry.subject])
    if entry.icon in SOURCES:
        return SOURCES[entry.icon](words, position, entry.icon)
    if position.place == icons.REST and position.agenda[-1][0] == agenda.ACT:
        return ids.Source(section=ids.SectionSource(space=enums.ACTION_SPACE_REST))
    return None


def megalith_site(position: Position, site: int) -> ids.MegalithSite:
    sites = position.sites
    return ids.MegalithSite(x=sites.x[site], y=sites.y[site], level=sites.level[site])
