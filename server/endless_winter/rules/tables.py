"""The plain tables that a content pack fills and the core reads.

Nothing here knows where the values come from. Every id is an index into one of the lists;
`names` of each list are the pack's stable string ids. Tables never change after loading, and
every game of a process shares them.
"""

from typing import Final

from endless_winter.rules.icons import ALWAYS, ANYWHERE, ECLIPSE, TOOL

# What a Sacred Stone counts (STN-01 .. STN-09).
STN_VILLAGES_TOUCHING: Final = 1  # param: terrain
STN_LAND_TYPES: Final = 2
STN_MEGALITHS_ON_BOARD: Final = 3
STN_MEGALITH_TILES: Final = 4
STN_BURIED: Final = 5
STN_STACKED: Final = 6
STN_IDOL_SPACES: Final = 7
STN_TIPPED_TYPES: Final = 8
STN_TIPPED_OF: Final = 9  # param: bit mask of Animal types
STN_VILLAGES_TOUCHING_ANY: Final = 10  # param: bit mask of terrains

NONE: Final = -1  # instead of an index


class Ability:
    """One printed effect: `where: when ? cost -> gains`.

    `cost` and `gains` are pools: bytes of (icon, amount) pairs. `trek` (one Camp up to twice or
    two Camps once each, ICO-03) is the same as two single moves, so a pool never holds it.
    """

    __slots__ = ("amount", "cost", "gains", "text", "when", "where")

    def __init__(
        self,
        gains: bytes,
        cost: bytes = b"",
        where: int = ANYWHERE,
        when: int = ALWAYS,
        amount: int = 0,
        text: str = "",
    ) -> None:
        self.gains: bytes = gains
        self.cost: bytes = cost
        self.where: int = where
        self.when: int = when
        self.amount: int = amount  # the n of the condition
        self.text: str = text


class Card:
    """A Tribe, starting or Culture card."""

    __slots__ = ("abilities", "era", "labor", "name", "points", "title")

    def __init__(
        self, name: str, title: str, labor: int, points: int, era: int, abilities: list[Ability]
    ) -> None:
        self.name: str = name
        self.title: str = title
        self.labor: int = labor  # in halves
        self.points: int = points  # end-game points (FIN-03)
        self.era: int = era  # 0: a Tribe card (SET-14), 1 or 2: a Culture card
        self.abilities: list[Ability] = abilities


class Animal:
    __slots__ = ("apart", "copies", "name", "sets", "tip", "title", "wild")

    def __init__(
        self,
        name: str,
        title: str,
        copies: int,
        sets: list[int],
        wild: bool,
        tip: bytes,
        apart: bool = False,
    ) -> None:
        self.name: str = name
        self.title: str = title
        self.copies: int = copies
        self.sets: list[int] = sets  # points for 1, 2, ... untipped cards (FIN-04)
        self.wild: bool = wild
        self.tip: bytes = tip  # the pool gained by tipping (HUN-04)
        self.apart: bool = apart  # in the box until a module brings it into play


class Chief:
    """One side of a Chief card; sides 2k and 2k+1 are the same card."""

    __slots__ = ("abilities", "name", "title")

    def __init__(self, name: str, title: str, abilities: list[Ability]) -> None:
        self.name: str = name
        self.title: str = title
        self.abilities: list[Ability] = abilities  # each usable once (FIG-06)


class SetupCard:
    __slots__ = ("animals", "camp", "food", "name", "title", "tools", "tribe")

    def __init__(
        self, name: str, title: str, food: int, tools: int, tribe: int, animals: bytes, camp: bool
    ) -> None:
        self.name: str = name
        self.title: str = title
        self.food: int = food
        self.tools: int = tools
        self.tribe: int = tribe
        self.animals: bytes = animals
        self.camp: bool = camp  # a second Camp on the Base tile (SET-06)


class Stone:
    """A Sacred Stone: it counts something of its owner (`kind`, `param`) and scores for it.

    Either `each` points for every `per` counted, rounded down, or a printed `scale` of points
    for 0, 1, 2, ... counted, whose last value holds for more.
    """

    __slots__ = ("apart", "each", "era", "kind", "name", "param", "per", "scale", "title")

    def __init__(
        self,
        name: str,
        title: str,
        era: int,
        kind: int,
        param: int,
        each: int,
        per: int,
        scale: list[int],
        apart: bool = False,
    ) -> None:
        self.name: str = name
        self.title: str = title
        self.era: int = era
        self.kind: int = kind
        self.param: int = param
        self.each: int = each
        self.per: int = per
        self.scale: list[int] = scale  # empty: `each` for every `per`
        self.apart: bool = apart  # in the box until a module brings it into play


class Terrain:
    """A type of hex: 0 the Base, 1 the Glacier, then the land types, then those of modules."""

    __slots__ = ("ability", "benefit", "copies", "land", "name", "title")

    def __init__(self, name: str, title: str, copies: int, benefit: bytes, land: bool) -> None:
        self.name: str = name
        self.title: str = title
        self.copies: int = copies
        self.benefit: bytes = benefit  # the pool of ECL-03c; empty: none
        self.land: bool = land
        self.ability: Ability = Ability(benefit)  # the same as a source among others


class Layout:
    """A way to lay out the four Megalith tiles: for each, its corner and quarter turns."""

    __slots__ = ("name", "slots")

    def __init__(self, name: str, slots: list[tuple[int, int, int]]) -> None:
        self.name: str = name
        self.slots: list[tuple[int, int, int]] = slots  # x, y, clockwise quarter turns


class MegalithSpace:
    """A space of a Megalith tile, seen with the tile unturned: 4 columns, 2 rows.

    A grey starting space has no benefit pool of its own; its arrows name the two ordinary
    spaces (indices 0..7 on the same tile) for the additional Megalith (MEG-08).
    """

    __slots__ = ("arrows", "benefit", "grey")

    def __init__(self, benefit: bytes, grey: bool, arrows: bytes) -> None:
        self.benefit: bytes = benefit
        self.grey: bool = grey
        self.arrows: bytes = arrows


class StoneSpace:
    """A Sacred Stone space of the player board: what it costs, what lies under the tile."""

    __slots__ = ("benefit", "food", "tools")

    def __init__(self, food: int, tools: int, benefit: bytes) -> None:
        self.food: int = food
        self.tools: int = tools
        self.benefit: bytes = benefit


class IdolSpace:
    """A level of an Idol track. Level 0 is below the first space and has no entry here."""

    __slots__ = ("benefit", "points", "ratio")

    def __init__(self, benefit: bytes, points: int, ratio: int) -> None:
        self.benefit: bytes = benefit  # Offering only
        self.points: int = points  # Honor only (IDL-03)
        self.ratio: int = ratio  # Offering only: Food and Tools for one point (FIN-01)


class Token:
    """A Glacier token (one pool) or a Rest token (its effects, each usable on its own)."""

    __slots__ = ("effects", "name", "title")

    def __init__(self, name: str, title: str, effects: list[Ability]) -> None:
        self.name: str = name
        self.title: str = title
        self.effects: list[Ability] = effects


class NomadCard:
    """A card of the Nomad: which column, which arrows, what it does in each column (SOL-08)."""

    __slots__ = ("cells", "column", "down", "labor", "name", "right", "title")

    def __init__(
        self,
        name: str,
        title: str,
        column: int,
        right: bool,
        down: bool,
        labor: int,
        cells: list[bytes],
    ) -> None:
        self.name: str = name
        self.title: str = title
        self.column: int = column  # where its Action indicator points
        self.right: bool = right  # the large arrow: right, else left
        self.down: bool = down  # the small arrow: down, else up
        self.labor: int = labor  # in halves (NMD-15)
        self.cells: list[bytes] = cells  # by column, [0] is empty: (action, amount) pairs in order


class MapCard:
    """Where the Nomad's Camps go: 2 hexes of the inner ring, 3 of the outer (SOL-04)."""

    __slots__ = ("inner", "name", "outer", "title")

    def __init__(self, name: str, title: str, inner: bytes, outer: bytes) -> None:
        self.name: str = name
        self.title: str = title
        self.inner: bytes = inner
        self.outer: bytes = outer


class ModuleParts:
    """What a pack holds of a module: for each a class of its own, in a file of the module's."""

    __slots__ = ()


class Tables:
    """Everything that is printed on the components of one content pack."""

    def __init__(
        self,
        name: str,
        digest: str,
        cards: list[Card],
        tribe_types: int,
        tribe_copies: int,
        starting: bytes,
        brave: int,
        tribeswoman: int,
        animals: list[Animal],
        chiefs: list[Chief],
        setups: list[SetupCard],
        stones: list[Stone],
        terrains: list[Terrain],
        layouts: list[Layout],
        megalith_tiles: list[list[MegalithSpace]],
        stone_spaces: list[StoneSpace],
        offering: list[IdolSpace],
        honor: list[IdolSpace],
        honor_charts: list[list[int]],
        turn_order: list[bytes],
        food_labor: list[int],
        supply: list[bytes],
        village_benefit: bytes,
        glacier_tokens: list[Token],
        rest_tokens: list[Token],
        nomad_cards: list[NomadCard],
        map_cards: list[MapCard],
        module_parts: dict[str, ModuleParts] | None = None,
    ) -> None:
        self.name: str = name
        self.digest: str = digest  # the pack's content hash, hexadecimal
        # Cards by id: the Tribe types first (0 .. tribe_types-1), then the starting cards,
        # then the Culture cards of Era I and of Era II, then the Tribe cards of modules.
        self.cards: list[Card] = cards
        self.tribe_types: int = tribe_types
        self.tribe_copies: int = tribe_copies
        self.starting: bytes = starting  # the 9 starting cards of a player, sorted (SET-07)
        self.brave: int = brave
        self.tribeswoman: int = tribeswoman
        self.animals: list[Animal] = animals
        self.chiefs: list[Chief] = chiefs
        self.setups: list[SetupCard] = setups
        self.stones: list[Stone] = stones
        self.terrains: list[Terrain] = terrains
        self.layouts: list[Layout] = layouts
        self.megalith_tiles: list[list[MegalithSpace]] = megalith_tiles
        self.stone_spaces: list[StoneSpace] = stone_spaces
        self.offering: list[IdolSpace] = offering  # [i] is level i + 1
        self.honor: list[IdolSpace] = honor
        self.honor_charts: list[list[int]] = honor_charts  # left, middle, right: points by buried
        self.turn_order: list[bytes] = turn_order  # pool for the 1st, 2nd, 3rd, 4th (ECL-03a)
        # The steps of the Food track, counted from 0, that show a Labor icon (LAB-04).
        self.food_labor: list[int] = food_labor
        self.supply: list[bytes] = supply  # pool of Megalith supply space 1..5, emptied (ECL-04)
        self.village_benefit: bytes = village_benefit  # pool per Village placed (ECL-04)
        self.glacier_tokens: list[Token] = glacier_tokens
        self.rest_tokens: list[Token] = rest_tokens
        # Both empty in a pack that is not meant for solo games.
        self.nomad_cards: list[NomadCard] = nomad_cards
        self.map_cards: list[MapCard] = map_cards
        # By the module's name, of those that are in this pack.
        self.module_parts: dict[str, ModuleParts] = {} if module_parts is None else module_parts
        # Derived once, since every set-up needs them.
        self.tribe_cards: bytes = bytes(range(tribe_types))
        self.era_cards: list[bytes] = [
            bytes(number for number, card in enumerate(cards) if card.era == era) for era in (1, 2)
        ]
        # Whether a Tribe card's ability in step 2 costs Tools, so that it makes room for some.
        self.cards_cost_tools: bool = any(
            TOOL in ability.cost[::2]
            for card in cards
            for ability in card.abilities
            if not card.era and ability.where != ECLIPSE
        )
        self.era_stones: list[bytes] = [
            bytes(n for n, stone in enumerate(stones) if stone.era == era and not stone.apart)
            for era in (1, 2)
        ]
        self.animal_copies: bytes = b"".join(
            bytes((number,)) * animal.copies
            for number, animal in enumerate(animals)
            if not animal.apart
        )
        lands = [number for number, terrain in enumerate(terrains) if terrain.land]
        self.one_of_each_land: bytes = bytes(lands)
        self.spare_lands: bytes = b"".join(
            bytes((land,)) * (terrains[land].copies - 1) for land in lands
        )
