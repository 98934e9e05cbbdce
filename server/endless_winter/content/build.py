"""From a checked pack to the tables of the core: ids become indices, effects become pools."""

from typing import Final

from endless_winter.content.checks import (
    BRAVE,
    TILE_HEIGHT,
    TILE_WIDTH,
    TRIBE_COPIES,
    TRIBESWOMAN,
)
from endless_winter.content.effects import pool_text, shape
from endless_winter.content.making import Making
from endless_winter.content.nomad import map_cards, nomad_cards
from endless_winter.content.plugin import content_modules
from endless_winter.content.printed import ability_of, animal_of, benefit_of, person_of, pool_of
from endless_winter.content.reader import Source
from endless_winter.content.schema import (
    ChiefSide,
    CultureCard,
    GlacierToken,
    MegalithTile,
    Part,
    RestToken,
    SacredStone,
    TerrainType,
)
from endless_winter.rules import tables
from endless_winter.rules.icons import ANYWHERE, ECLIPSE, LABOR, WHERE_NAMES
from endless_winter.rules.tables import Ability, Tables

_SPACES: Final = 8
_CHIEF_ABILITIES: Final = 4
_START: Final = "start"  # `start: right, down` is a grey starting space with its arrows
_STEPS: Final = {"left": (-1, 0), "right": (1, 0), "up": (0, -1), "down": (0, 1)}
_KINDS: Final = {
    "villages_touching": tables.STN_VILLAGES_TOUCHING,
    "land_types": tables.STN_LAND_TYPES,
    "megaliths_on_board": tables.STN_MEGALITHS_ON_BOARD,
    "megalith_tiles": tables.STN_MEGALITH_TILES,
    "buried": tables.STN_BURIED,
    "stacked": tables.STN_STACKED,
    "idol_spaces": tables.STN_IDOL_SPACES,
    "tipped_types": tables.STN_TIPPED_TYPES,
    "tipped_of": tables.STN_TIPPED_OF,
}
_TERRAIN_ORDER: Final = ("base", "glacier", "land")


def build(source: Source, digest: str) -> Tables:
    """The tables of a pack that `check` has passed."""
    content = source.content
    cultures = sorted(content.culture, key=lambda card: card.era)  # stable: file order in an Era
    terrains = sorted(content.terrain, key=lambda tile: _TERRAIN_ORDER.index(tile.kind))
    animal_ids = {animal.id: index for index, animal in enumerate(content.animal)}
    tribe_ids = {card.id: index for index, card in enumerate(content.tribe)}
    terrain_ids = {terrain.id: index for index, terrain in enumerate(terrains)}

    cards = [person_of(source, card) for card in (*content.tribe, *content.starting)]
    cards.extend(
        tables.Card(card.id, card.title, 0, card.points, card.era, abilities)
        for card, abilities in _cultures(source, cultures)
    )
    starting_ids = {
        card.id: index for index, card in enumerate(content.starting, len(content.tribe))
    }
    idols = content.idols
    board = content.board
    making = Making(
        source,
        cards,
        [animal_of(source, entry) for entry in content.animal],
        _terrains(source, terrains),
        _stones(content.stone, terrain_ids, animal_ids),
    )
    built = {name: module.build(making) for name, module in content_modules().items()}
    return Tables(
        name=content.name,
        digest=digest,
        cards=making.cards,
        tribe_types=len(content.tribe),
        tribe_copies=TRIBE_COPIES,
        starting=bytes(
            starting_ids[card.id] for card in content.starting for _ in range(card.copies)
        ),
        brave=starting_ids[BRAVE],
        tribeswoman=starting_ids[TRIBESWOMAN],
        animals=making.animals,
        chiefs=[
            tables.Chief(side.id, side.title, _chief(source, side))
            for chief in content.chief
            for side in chief.sides
        ],
        setups=[
            tables.SetupCard(
                setup.id,
                setup.title,
                setup.food,
                setup.tools,
                tribe_ids[setup.tribe],
                bytes(sorted(animal_ids[animal] for animal in setup.animals)),
                setup.camp,
            )
            for setup in content.setup
        ],
        stones=making.stones,
        terrains=making.terrains,
        layouts=[tables.Layout(layout.id, list(layout.slots)) for layout in content.layout],
        megalith_tiles=[_tile(source, tile) for tile in content.megalith_tile],
        stone_spaces=[
            tables.StoneSpace(
                space.food, space.tools, benefit_of(source, space, "benefit", space.benefit)
            )
            for space in content.stone_space
        ],
        offering=[
            tables.IdolSpace(pool_of(source, idols, "offering_benefit", benefit), 0, ratio)
            for ratio, benefit in zip(idols.offering_ratio, idols.offering_benefit, strict=True)
        ],
        honor=[tables.IdolSpace(b"", points, 0) for points in idols.honor_points],
        honor_charts=[
            list(idols.honor_left),
            list(idols.honor_middle),
            list(idols.honor_right),
        ],
        turn_order=[pool_of(source, board, "turn_order", text) for text in board.turn_order],
        food_labor=list(board.food_labor),
        supply=[pool_of(source, board, "supply", text) for text in board.supply],
        village_benefit=pool_of(source, board, "village", board.village),
        glacier_tokens=[
            tables.Token(token.id, token.title, [_glacier(source, token)])
            for token in content.glacier_token
        ],
        rest_tokens=[
            tables.Token(token.id, token.title, _rest(source, token))
            for token in content.rest_token
        ],
        nomad_cards=nomad_cards(source),
        map_cards=map_cards(source),
        module_parts={name: parts for name, parts in built.items() if parts is not None},
    )


def _terrains(source: Source, entries: list[TerrainType]) -> list[tables.Terrain]:
    return [
        tables.Terrain(
            entry.id,
            entry.title,
            entry.copies,
            pool_of(source, entry, "benefit", entry.benefit),
            entry.kind == "land",
        )
        for entry in entries
    ]


def _stones(
    entries: tuple[SacredStone, ...], terrains: dict[str, int], animals: dict[str, int]
) -> list[tables.Stone]:
    return [
        tables.Stone(
            stone.id,
            stone.title,
            stone.era,
            _KINDS[stone.kind],
            _param(stone, terrains, animals),
            stone.each or 0,
            stone.per or 1,
            list(stone.scale or ()),
        )
        for stone in sorted(entries, key=lambda stone: stone.era)
    ]


def _cultures(source: Source, cards: list[CultureCard]) -> list[tuple[CultureCard, list[Ability]]]:
    """Culture abilities: used in step 1 of a turn, so in no column, and no two cards alike."""
    result: list[tuple[CultureCard, list[Ability]]] = []
    shapes: dict[tuple[int, tuple[str, ...]], str] = {}
    for card in cards:
        abilities = [ability_of(source, card, text) for text in card.abilities]
        for ability, text in zip(abilities, card.abilities, strict=True):
            _anywhere(source, card, ability, text)
        key = (card.era, tuple(sorted(shape(ability) for ability in abilities)))
        if key in shapes:
            raise source.error(card, f'differs from "{shapes[key]}" of its Era only in amounts')
        shapes[key] = card.id
        result.append((card, abilities))
    return result


def _chief(source: Source, side: ChiefSide) -> list[Ability]:
    if not 1 <= len(side.abilities) <= _CHIEF_ABILITIES:
        raise source.error(
            side, f"{len(side.abilities)} abilities, a Chief's side has 1 to {_CHIEF_ABILITIES}"
        )
    abilities: list[Ability] = []
    for text in side.abilities:
        ability = ability_of(source, side, text)
        if ability.where == ECLIPSE:
            raise source.error(side, f'ability "{text}": a Chief has no Eclipse ability')
        abilities.append(ability)
    return abilities


def _glacier(source: Source, token: GlacierToken) -> Ability:
    pool = benefit_of(source, token, "benefit", token.benefit)
    return Ability(pool, text=pool_text(pool))


def _rest(source: Source, token: RestToken) -> list[Ability]:
    if not 1 <= len(token.effects) <= 2:
        raise source.error(token, f"{len(token.effects)} effects, a Rest token has 1 or 2")
    effects: list[Ability] = []
    for text in token.effects:
        effect = ability_of(source, token, text, "effect")
        _anywhere(source, token, effect, text)
        if LABOR in effect.gains[::2]:
            raise source.error(token, f'effect "{text}": a Rest turn has no use for Labor')
        effects.append(effect)
    return effects


def _anywhere(source: Source, part: Part, ability: Ability, text: str) -> None:
    if ability.where != ANYWHERE:
        name = WHERE_NAMES[ability.where]
        raise source.error(part, f'ability "{text}": cannot be tied to "{name}"')


def _param(stone: SacredStone, terrains: dict[str, int], animals: dict[str, int]) -> int:
    if stone.terrain is not None:
        return terrains[stone.terrain]
    return sum(1 << animals[animal] for animal in stone.animals or ())


def _tile(source: Source, tile: MegalithTile) -> list[tables.MegalithSpace]:
    if len(tile.spaces) != _SPACES:
        raise source.error(tile, f"{len(tile.spaces)} spaces, a tile has {_SPACES}")
    grey = [text.startswith(f"{_START}:") for text in tile.spaces]
    if not any(grey):
        raise source.error(tile, "no grey starting space")
    spaces: list[tables.MegalithSpace] = []
    for index, text in enumerate(tile.spaces):
        if grey[index]:
            arrows = _arrows(source, tile, index, grey)
            spaces.append(tables.MegalithSpace(b"", True, arrows))
            continue
        benefit = benefit_of(source, tile, f"space {index + 1}", text)
        spaces.append(tables.MegalithSpace(benefit, False, b""))
    return spaces


def _arrows(source: Source, tile: MegalithTile, index: int, grey: list[bool]) -> bytes:
    """The two ordinary spaces of the tile that a grey space's arrows point to (MEG-08)."""
    text = tile.spaces[index]
    where = f'space {index + 1} "{text}"'
    names = [name.strip() for name in text.partition(":")[2].split(",")]
    if len(names) != 2 or len(set(names)) != 2 or not set(names) <= _STEPS.keys():
        words = ", ".join(_STEPS)
        raise source.error(tile, f"{where}: needs two different arrows out of {words}")
    row, column = divmod(index, TILE_WIDTH)
    targets: list[int] = []
    for name in names:
        x, y = column + _STEPS[name][0], row + _STEPS[name][1]
        if not (0 <= x < TILE_WIDTH and 0 <= y < TILE_HEIGHT):
            raise source.error(tile, f'{where}: the arrow "{name}" leaves the tile')
        if grey[y * TILE_WIDTH + x]:
            raise source.error(tile, f'{where}: the arrow "{name}" points to a grey space')
        targets.append(y * TILE_WIDTH + x)
    return bytes(sorted(targets))
