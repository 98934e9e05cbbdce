"""What a pack must hold to be this game: counts, references, provenance.

The counts are those of the box, and the rules lean on them (SET-02 .. SET-12). What is printed
on a component may be anything the effect language can say.
"""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from endless_winter.content.nomad import check_nomad
from endless_winter.content.plugin import content_modules, of_modules
from endless_winter.content.reader import Source
from endless_winter.content.schema import (
    AnimalType,
    CardEntry,
    ChiefCard,
    CultureCard,
    Entry,
    GlacierToken,
    MegalithTile,
    Part,
    PersonCard,
    RestToken,
    SacredStone,
    Setup,
    StartingCard,
    StonePlace,
    TerrainType,
    TileLayout,
    TribeCard,
)

TILE_WIDTH: Final = 4
TILE_HEIGHT: Final = 2
STARTING_CARDS: Final = 9
CULTURE_CARDS: Final = 20  # per Era
STONES: Final = 10  # per Era
TRIBE_COPIES: Final = 15
# The starting cards that SET-07 names.
BRAVE: Final = "brave"
TRIBESWOMAN: Final = "tribeswoman"

_COUNTS: Final[tuple[tuple[type[Entry], int], ...]] = (
    (TribeCard, 5),
    (CultureCard, 40),
    (AnimalType, 7),
    (ChiefCard, 5),
    (Setup, 5),
    (SacredStone, 20),
    (TerrainType, 8),
    (MegalithTile, 4),
    (TileLayout, 3),
    (StonePlace, 3),
    (GlacierToken, 10),
    (RestToken, 5),
)
_ANIMAL_COPIES: Final = {10: 5, 5: 2}  # types by copies: 60 cards
_TERRAIN_TILES: Final = {"base": (1, 1), "glacier": (1, 6), "land": (6, 3)}  # types, tiles each
_NO_PROVENANCE: Final = ("id", "provenance", "sides")


def check(source: Source) -> None:
    """Raise `ContentError` for the first thing that is not as in the box."""
    _check_counts(source)
    _check_cards(source)
    _check_animals(source)
    _check_chiefs(source)
    _check_setups(source)
    _check_stones(source)
    _check_terrain(source)
    _check_layouts(source)
    _check_stone_spaces(source)
    _check_board(source)
    _check_idols(source)
    check_nomad(source)
    for module in content_modules().values():
        module.check(source)
    for part in _parts(source):
        _check_provenance(source, part)


def _parts(source: Source) -> list[Part]:
    content = source.content
    parts: list[Part] = [content.board, content.idols]
    for kind, _ in _COUNTS:
        parts.extend(getattr(content, kind.section))
    parts.extend(content.starting)
    parts.extend(content.nomad_card)
    parts.extend(content.map_card)
    parts.extend(of_modules(content, Entry))
    parts.extend(side for chief in content.chief for side in chief.sides)
    return parts


def _check_counts(source: Source) -> None:
    for kind, expected in _COUNTS:
        found = len(getattr(source.content, kind.section))
        if found != expected:
            raise source.section_error(kind, f"{found} entries, the game has {expected}")


def _check_cards(source: Source) -> None:
    content = source.content
    more = of_modules(content, PersonCard)
    people: tuple[PersonCard, ...] = (*content.tribe, *content.starting, *more)
    cards: tuple[CardEntry, ...] = (*people, *content.culture)
    seen: dict[str, CardEntry] = {}
    for card in cards:
        if card.id in seen:
            raise source.error(card, f"a {seen[card.id].label} has the same id")
        seen[card.id] = card
    for person in people:
        if not (2 * person.labor).is_integer():
            raise source.error(person, f"labor {person.labor:g}: Labor comes in halves")
    _check_people(source)
    _check_culture(source)


def _check_people(source: Source) -> None:
    content = source.content
    for tribe in (*content.tribe, *of_modules(content, PersonCard)):
        if tribe.copies != TRIBE_COPIES:
            reason = f"{tribe.copies} copies, the game has {TRIBE_COPIES} of each Tribe card"
            raise source.error(tribe, reason)
    dealt = sum(card.copies for card in content.starting)
    if dealt != STARTING_CARDS:
        reason = f"{dealt} cards per player, the game has {STARTING_CARDS}"
        raise source.section_error(StartingCard, reason)
    for name in (BRAVE, TRIBESWOMAN):
        if not any(card.id == name and card.copies for card in content.starting):
            reason = f'no "{name}": every starting hand holds one'
            raise source.section_error(StartingCard, reason)


def _check_culture(source: Source) -> None:
    content = source.content
    for era in (1, 2):
        found = sum(card.era == era for card in content.culture)
        if found != CULTURE_CARDS:
            reason = f"{found} cards of Era {era}, the game has {CULTURE_CARDS}"
            raise source.section_error(CultureCard, reason)
    for culture in content.culture:
        if not 1 <= len(culture.abilities) <= 2:
            raise source.error(culture, f"{len(culture.abilities)} abilities, it has 1 or 2")


def _check_animals(source: Source) -> None:
    animals = source.content.animal
    found = Counter(animal.copies for animal in animals)
    if found != _ANIMAL_COPIES:
        copies = ", ".join(str(animal.copies) for animal in animals)
        reason = f"copies {copies}: the game has 5 types of 10 cards and 2 types of 5"
        raise source.section_error(AnimalType, reason)
    more = of_modules(source.content, AnimalType)
    for animal in more:
        if any(animal is not other and animal.id == other.id for other in (*animals, *more)):
            raise source.error(animal, "an animal has the same id")
    for animal in (*animals, *more):
        if animal.wild and animal.sets:
            raise source.error(animal, "a wild Animal is never a set of its own (FIN-04)")
        if not animal.wild and not animal.sets:
            raise source.error(animal, "sets: no points for any number of cards")
        if any(more < less for less, more in pairwise(animal.sets)):
            raise source.error(animal, "sets: more cards score less")


def _check_chiefs(source: Source) -> None:
    owner: dict[str, str] = {}
    for chief in source.content.chief:
        for side in chief.sides:
            if side.id in owner:
                raise source.error(side, f'chief "{owner[side.id]}" has a side with the same id')
            owner[side.id] = chief.id


def _check_setups(source: Source) -> None:
    content = source.content
    tribes = {card.id for card in content.tribe}
    copies = {animal.id: animal.copies for animal in content.animal}
    wanted: Counter[str] = Counter()
    for setup in content.setup:
        if setup.tribe not in tribes:
            raise source.error(setup, f'unknown Tribe card "{setup.tribe}"')
        if not setup.animals:
            raise source.error(setup, "no Animal: every Setup card shows one or more")
        for animal in setup.animals:
            if animal not in copies:
                raise source.error(setup, f'unknown animal "{animal}"')
            wanted[animal] += 1
            if wanted[animal] > copies[animal]:
                raise source.error(setup, f'more of "{animal}" than there are cards')


def _check_stones(source: Source) -> None:
    content = source.content
    for era in (1, 2):
        found = sum(stone.era == era for stone in content.stone)
        if found != STONES:
            reason = f"{found} stones of Era {era}, the game has {STONES}"
            raise source.section_error(SacredStone, reason)
    for stone in content.stone:
        _check_stone_value(source, stone)
    hexes = {terrain.id for terrain in content.terrain if terrain.kind != "base"}
    animals = {animal.id for animal in content.animal}
    for stone in content.stone:
        if (stone.kind == "villages_touching") != (stone.terrain is not None):
            raise source.error(stone, 'exactly the kind "villages_touching" names a terrain')
        if (stone.kind == "tipped_of") != (stone.animals is not None):
            raise source.error(stone, 'exactly the kind "tipped_of" names animals')
        if stone.terrain is not None and stone.terrain not in hexes:
            raise source.error(stone, f'unknown terrain "{stone.terrain}"')
        if stone.animals is not None:
            if not stone.animals or len(set(stone.animals)) != len(stone.animals):
                raise source.error(stone, "animals: one or more, each once")
            for animal in stone.animals:
                if animal not in animals:
                    raise source.error(stone, f'unknown animal "{animal}"')


def _check_stone_value(source: Source, stone: SacredStone) -> None:
    if (stone.each is None) != (stone.per is None):
        raise source.error(stone, "each and per belong together")
    if (stone.each is None) == (stone.scale is None):
        raise source.error(stone, "needs either each and per, or a scale")
    if stone.scale is None:
        return
    if stone.scale[:1] != (0,) or not any(stone.scale):
        raise source.error(stone, "scale: points for 0, 1, 2, ... counted, so it starts at 0")
    if any(more < less for less, more in pairwise(stone.scale)):
        raise source.error(stone, "scale: more scores less")


def _check_terrain(source: Source) -> None:
    for kind, (types, tiles) in _TERRAIN_TILES.items():
        found = [terrain for terrain in source.content.terrain if terrain.kind == kind]
        if len(found) != types:
            reason = f"{len(found)} types of {kind}, the game has {types}"
            raise source.section_error(TerrainType, reason)
        for terrain in found:
            if terrain.copies != tiles:
                raise source.error(terrain, f"{terrain.copies} tiles, the game has {tiles}")
            if kind == "base" and terrain.benefit.strip():
                raise source.error(terrain, "the Base tile has no benefit (MIG-08)")


def _check_layouts(source: Source) -> None:
    tiles = len(source.content.megalith_tile)
    for layout in source.content.layout:
        if len(layout.slots) != tiles:
            raise source.error(layout, f"{len(layout.slots)} slots for {tiles} tiles")
        owner: dict[tuple[int, int], int] = {}
        for number, (x, y, turns) in enumerate(layout.slots, 1):
            across, down = (TILE_HEIGHT, TILE_WIDTH) if turns % 2 else (TILE_WIDTH, TILE_HEIGHT)
            for cell in ((x + dx, y + dy) for dx in range(across) for dy in range(down)):
                if cell in owner:
                    reason = f"slots {owner[cell]} and {number} overlap at {cell[0]}, {cell[1]}"
                    raise source.error(layout, reason)
                owner[cell] = number
        if not _connected(set(owner)):
            raise source.error(layout, "the tiles do not all touch along an edge")


def _connected(cells: set[tuple[int, int]]) -> bool:
    left = set(cells)
    todo = [left.pop()]
    while todo:
        x, y = todo.pop()
        near = {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)} & left
        left -= near
        todo.extend(near)
    return not left


def _check_stone_spaces(source: Source) -> None:
    for cheap, dear in pairwise(source.content.stone_space):
        if dear.food < cheap.food or dear.tools < cheap.tools:
            raise source.error(dear, f'costs less than "{cheap.id}" to its left')
        if (dear.food, dear.tools) == (cheap.food, cheap.tools):
            raise source.error(dear, f'costs the same as "{cheap.id}" to its left')


def _check_board(source: Source) -> None:
    board = source.content.board
    _length(source, board, "turn_order", board.turn_order, 4)
    _length(source, board, "supply", board.supply, 5)
    if not _rising(board.food_labor) or not all(1 <= step <= 10 for step in board.food_labor):
        raise source.error(board, "food_labor: rising steps of the Food track, 1 to 10")


def _check_idols(source: Source) -> None:
    idols = source.content.idols
    levels = len(idols.offering_ratio)
    if not levels:
        raise source.error(idols, "offering_ratio: no levels")
    _length(source, idols, "offering_benefit", idols.offering_benefit, levels)
    if any(above > below for below, above in pairwise(idols.offering_ratio)):
        raise source.error(idols, "offering_ratio: a higher level is never worse")
    if sum(bool(text.strip()) for text in idols.offering_benefit) != 3:
        raise source.error(idols, "offering_benefit: three levels give a benefit")
    if len(idols.honor_points) < 3:
        raise source.error(idols, "honor_points: fewer than three levels")
    charts = (idols.honor_left, idols.honor_middle, idols.honor_right)
    names = ("honor_left", "honor_middle", "honor_right")
    for name, chart in zip(names, charts, strict=True):
        if not chart or chart[0] != 0:
            raise source.error(idols, f"{name}: points for 0, 1, 2, ... buried, it starts at 0")
        if any(more < less for less, more in pairwise(chart)):
            raise source.error(idols, f"{name}: more buried cards score less")
        _length(source, idols, name, chart, len(idols.honor_left))
    for (left, worse), (better, lower) in pairwise(zip(names, charts, strict=True)):
        if any(low > high for high, low in zip(worse, lower, strict=True)):
            raise source.error(idols, f"{better}: scores more than {left}")


def _length(source: Source, part: Part, field: str, values: Sequence[object], wanted: int) -> None:
    if len(values) != wanted:
        raise source.error(part, f"{field}: {len(values)} values, there are {wanted}")


def _rising(values: Sequence[int]) -> bool:
    return all(less < more for less, more in pairwise(values))


def _check_provenance(source: Source, part: Part) -> None:
    if isinstance(part.provenance, str):
        return
    values = {
        field: value
        for field in part.__struct_fields__
        if field not in _NO_PROVENANCE and (value := getattr(part, field)) is not None
    }
    for field in part.provenance:
        if field not in values:
            raise source.error(part, f'provenance of "{field}", which it does not have')
    for field, value in values.items():
        words = part.provenance.get(field)
        if words is None:
            raise source.error(part, f'no provenance for "{field}"')
        if isinstance(words, tuple) and (not isinstance(value, tuple) or len(words) != len(value)):
            reason = f'provenance of "{field}": {len(words)} words, but not as many values'
            raise source.error(part, reason)
