"""The static catalogue of a content pack: everything printed, once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from endless_winter.content import provenance
from endless_winter.content.plugin import of_modules
from endless_winter.content.schema import AnimalType, PersonCard
from endless_winter.rules import actions, board, icons
from endless_winter.rules.config import MIN_PLAYERS
from endless_winter.rules.nomad.scoring import SETS_BY_COPIES
from endless_winter.rules.terrain import ADJACENT, COORDINATES, JUNCTURES
from endless_winter.v1 import catalog_pb2 as v
from endless_winter.v1 import effect_pb2
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.views import effects, nomad_reasons, nomad_steps, phrases
from endless_winter.views.plugin import SHOWN
from endless_winter.views.words import PLACES, SIDES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter.content.schema import Entry, Part
    from endless_winter.rules.tables import Card, NomadCard
    from endless_winter.views.words import Words

NOTICE: Final = (
    "Unofficial. Rules and names follow the published rulebooks; printed values that are lost are "
    "inferred or reconstructed by this project, and each value says which."
)

_ERAS: Final = (enums.ERA_UNSPECIFIED, enums.ERA_ONE, enums.ERA_TWO)
# The rules that sources name, which only modules bring.
RULES: Final[dict[str, str]] = {}
_HONOR_PLACES: Final = 4  # a place for each player on every level (IDL-03)
_GROUNDS_COLUMNS: Final = 3
_CULTURE_COLUMNS: Final = 4

# The lists of things that have an id.
_LISTS: Final = [
    field.name
    for field in v.Catalog.DESCRIPTOR.fields
    if field.message_type is not None and "item" in field.message_type.fields_by_name
]


def catalog_of(words: Words) -> v.Catalog:
    """The whole pack."""
    pack = words.pack
    content = pack.content
    catalog = v.Catalog(
        name=pack.title,
        version=pack.version,
        content_hash=pack.digest,
        notice=NOTICE,
        cards=[
            *_tribe_cards(words, content.tribe, v.CARD_KIND_TRIBE),
            *_tribe_cards(words, content.starting, v.CARD_KIND_STARTING),
            *_tribe_cards(words, of_modules(content, PersonCard), v.CARD_KIND_TRIBE),
            *_culture_cards(words),
        ],
        animals=_animals(words, (*content.animal, *of_modules(content, AnimalType))),
        chiefs=_chiefs(words),
        setup_cards=_setups(words),
        stones=_stones(words),
        terrains=_terrains(words),
        megalith_tiles=_tiles(words),
        megalith_layouts=_layouts(words),
        tokens=_tokens(words),
        nomad_cards=_nomad_cards(words),
        map_cards=_map_cards(words),
        tables=_tables(words),
        geometry=_geometry(),
        rules=[v.RuleText(rule_id=rule, text=text) for rule, text in sorted(RULES.items())],
    )
    for module in SHOWN.values():
        module.fill_catalog(words, catalog)
    for name in _LISTS:
        getattr(catalog, name).sort(key=lambda info: info.item.id)
    return catalog


def _tribe_cards(
    words: Words, entries: Iterable[PersonCard], kind: v.CardKind.ValueType
) -> list[v.CardInfo]:
    printed = {card.name: card for card in words.tables.cards}
    return [
        v.CardInfo(
            item=item(entry, _tribe_text(printed[entry.id]), entry.copies),
            kind=kind,
            labor_halves=printed[entry.id].labor,
            end_points=printed[entry.id].points,
            abilities=[effects.ability(one) for one in printed[entry.id].abilities],
        )
        for entry in entries
    ]


def _culture_cards(words: Words) -> list[v.CardInfo]:
    printed = {card.name: card for card in words.tables.cards}
    found: list[v.CardInfo] = []
    for culture in words.pack.content.culture:
        card = printed[culture.id]
        found.append(
            v.CardInfo(
                item=item(culture, phrases.culture_card(card)),
                kind=v.CARD_KIND_CULTURE,
                era=_ERAS[card.era],
                end_points=card.points,
                abilities=[effects.ability(one, at_once=True) for one in card.abilities],
            )
        )
    return found


def _tribe_text(card: Card) -> str:
    parts = [phrases.tribe_card(card)]
    parts += [phrases.ability(one) for one in card.abilities if one.where == icons.ECLIPSE]
    return "; ".join(parts)


def _animals(words: Words, entries: Iterable[AnimalType]) -> list[v.AnimalInfo]:
    printed = {animal.name: animal for animal in words.tables.animals}
    pairs = [(entry, printed[entry.id]) for entry in entries]
    return [
        v.AnimalInfo(
            item=item(entry, f"tip: {phrases.pool(animal.tip)}", animal.copies),
            tip=effects.benefit(animal.tip),
            set_points=animal.sets,
            wild=animal.wild,
            nomad_set_points=SETS_BY_COPIES.get(animal.copies, animal.sets),
        )
        for entry, animal in pairs
    ]


def _chiefs(words: Words) -> list[v.ChiefInfo]:
    found: list[v.ChiefInfo] = []
    for number, entry in enumerate(words.pack.content.chief):
        info = v.ChiefInfo(item=item(entry))
        for index, side in enumerate(entry.sides):
            chief = words.tables.chiefs[2 * number + index]
            info.sides.add(
                side=SIDES[index],
                name=chief.title,
                abilities=[effects.ability(one) for one in chief.abilities],
            )
            info.item.provenance.extend(sources_of(side, f"sides[{index}]."))
        found.append(info)
    return found


def _setups(words: Words) -> list[v.SetupCardInfo]:
    pairs = zip(words.pack.content.setup, words.tables.setups, strict=True)
    return [
        v.SetupCardInfo(
            item=item(entry),
            food=card.food,
            tools=card.tools,
            tribe_card_id=words.cards[card.tribe],
            animal_ids=sorted(words.animals[animal] for animal in card.animals),
            second_camp=card.camp,
        )
        for entry, card in pairs
    ]


def _stones(words: Words) -> list[v.StoneInfo]:
    printed = {stone.name: stone for stone in words.tables.stones}
    found: list[v.StoneInfo] = []
    for entry in words.pack.content.stone:
        scoring = effects.stone_scoring(words, printed[entry.id])
        found.append(
            v.StoneInfo(item=item(entry, scoring.text), era=_ERAS[entry.era], scoring=scoring)
        )
    return found


def _terrains(words: Words) -> list[v.TerrainInfo]:
    printed = {terrain.name: terrain for terrain in words.tables.terrains}
    kinds = {
        "base": enums.TERRAIN_KIND_BASE,
        "glacier": enums.TERRAIN_KIND_GLACIER,
        "land": enums.TERRAIN_KIND_LAND,
    }
    return [
        v.TerrainInfo(
            item=item(entry, phrases.pool(printed[entry.id].benefit), entry.copies),
            kind=kinds[entry.kind],
            benefit=effects.benefit(printed[entry.id].benefit),
        )
        for entry in words.pack.content.terrain
    ]


def _tiles(words: Words) -> list[v.MegalithTileInfo]:
    pairs = zip(words.pack.content.megalith_tile, words.tables.megalith_tiles, strict=True)
    return [
        v.MegalithTileInfo(
            item=item(entry),
            spaces=[
                v.MegalithSpaceInfo(
                    space=number,
                    grey=space.grey,
                    benefit=effects.benefit(space.benefit),
                    arrow_spaces=space.arrows,
                )
                for number, space in enumerate(spaces)
            ],
        )
        for entry, spaces in pairs
    ]


def _layouts(words: Words) -> list[v.MegalithLayoutInfo]:
    return [
        v.MegalithLayoutInfo(
            item=item(entry),
            default_for_players=[MIN_PLAYERS + number],
            slots=[v.MegalithSlot(x=x, y=y, turns=turns) for x, y, turns in entry.slots],
        )
        for number, entry in enumerate(words.pack.content.layout)
    ]


def _tokens(words: Words) -> list[v.TokenInfo]:
    content = words.pack.content
    tables = words.tables
    glacier = zip(content.glacier_token, tables.glacier_tokens, strict=True)
    rest = zip(content.rest_token, tables.rest_tokens, strict=True)
    found = [
        v.TokenInfo(
            item=item(entry, phrases.pool(token.effects[0].gains)),
            kind=v.TOKEN_KIND_GLACIER,
            effects=[effects.ability(one, at_once=True) for one in token.effects],
        )
        for entry, token in glacier
    ]
    found += [
        v.TokenInfo(
            item=item(entry, "; ".join(phrases.ability(one) for one in token.effects)),
            kind=v.TOKEN_KIND_REST,
            effects=[effects.ability(one) for one in token.effects],
        )
        for entry, token in rest
    ]
    return found


def _nomad_cards(words: Words) -> list[v.NomadCardInfo]:
    pairs = zip(words.pack.content.nomad_card, words.tables.nomad_cards, strict=True)
    return [
        v.NomadCardInfo(
            item=item(entry, _nomad_text(card)),
            column=PLACES[card.column],
            arrow_right=card.right,
            arrow_down=card.down,
            labor_halves=card.labor,
            cells=[
                v.NomadCell(
                    column=PLACES[column],
                    actions=[
                        v.NomadActionTerm(action=nomad_steps.ACTIONS[cell[at]], amount=cell[at + 1])
                        for at in range(0, len(cell), 2)
                    ],
                )
                for column, cell in enumerate(card.cells)
                if cell
            ],
        )
        for entry, card in pairs
    ]


def _nomad_text(card: NomadCard) -> str:
    parts: list[str] = []
    for column, cell in enumerate(card.cells):
        steps = [
            nomad_reasons.word(cell[at], 1) + (f" x{cell[at + 1]}" if cell[at + 1] > 1 else "")
            for at in range(0, len(cell), 2)
        ]
        if steps:
            parts.append(f"{phrases.PLACE_NAMES[column]}: {', '.join(steps)}")
    return "; ".join(parts)


def _map_cards(words: Words) -> list[v.MapCardInfo]:
    pairs = zip(words.pack.content.map_card, words.tables.map_cards, strict=True)
    return [
        v.MapCardInfo(item=item(entry), inner_hexes=card.inner, outer_hexes=card.outer)
        for entry, card in pairs
    ]


def _tables(words: Words) -> v.BoardTables:
    tables = words.tables
    content = words.pack.content
    return v.BoardTables(
        food_limits=[board.BASE_FOOD_LIMIT + camps for camps in range(board.CAMPS + 1)],
        food_labor_steps=tables.food_labor,
        tool_limit=board.MAX_TOOLS,
        stone_spaces=[
            v.StoneSpaceInfo(
                food=space.food, tools=space.tools, benefit=effects.benefit(space.benefit)
            )
            for space in tables.stone_spaces
        ],
        megalith_supply=[_always(pool) for pool in tables.supply],
        village_benefit=_always(tables.village_benefit),
        turn_order_benefits=[_always(pool) for pool in tables.turn_order],
        starting_order_benefits=[_always(pool) for pool in _STARTING_ORDER],
        offering=[
            v.OfferingSpaceInfo(benefit=effects.benefit(space.benefit), ratio=space.ratio)
            for space in tables.offering
        ],
        honor=[v.HonorSpaceInfo(points=s.points, places=_HONOR_PLACES) for s in tables.honor],
        honor_charts=[v.HonorChart(points_by_buried=chart) for chart in tables.honor_charts],
        sections=_sections(),
        starting_deck=words.card_counts(tables.starting),
        hunting_grounds_spaces=board.GROUNDS_PLACES,
        culture_spaces=board.DISPLAY_PLACES,
        hunting_grounds_columns=_GROUNDS_COLUMNS,
        culture_columns=_CULTURE_COLUMNS,
        provenance=[
            *sources_of(content.board, "board."),
            *sources_of(content.idols, "idols."),
            *(
                source
                for number, space in enumerate(content.stone_space)
                for source in sources_of(space, f"stone_spaces[{number}].")
            ),
        ],
    )


# SET-09: the 2nd gains a Food, the 3rd a Tool, the 4th both.
_STARTING_ORDER: Final = (
    b"",
    bytes((icons.FOOD, 1)),
    bytes((icons.TOOL, 1)),
    bytes((icons.FOOD, 1, icons.TOOL, 1)),
)


def _always(pool: bytes) -> effect_pb2.Effect:
    """A benefit in a list whose places count: an empty effect where nothing is gained."""
    return effects.benefit(pool) or effect_pb2.Effect()


def _sections() -> list[v.SectionInfo]:
    """The fixed actions of the columns and the Rest space (INI, DEV, MIG, HUN, RST)."""
    found: list[v.SectionInfo] = []
    for space, section, printed in (
        (
            enums.ACTION_SPACE_INITIATE,
            enums.SECTION_TOP,
            [effects.action(actions.INITIATE.cost(), _pool(icons.TRIBE), "a Tribe card into hand")],
        ),
        (
            enums.ACTION_SPACE_INITIATE,
            enums.SECTION_MIDDLE,
            [
                effects.action(
                    actions.RITE.cost(), _pool(icons.RECRUIT, icons.BURY), "recruit and/or bury"
                )
            ],
        ),
        (
            enums.ACTION_SPACE_INITIATE,
            enums.SECTION_BOTTOM,
            [effects.action(b"", _pool(icons.IDOL, icons.BURY), "an Idol and a card to bury")],
        ),
        (
            enums.ACTION_SPACE_DEVELOP,
            enums.SECTION_TOP,
            [effects.action(actions.DEVELOP.cost(), _pool(icons.CULTURE), "a Culture card")],
        ),
        (
            enums.ACTION_SPACE_DEVELOP,
            enums.SECTION_MIDDLE,
            [
                effects.action(
                    actions.STONE.cost(), _pool(icons.STONE), "a Sacred Stone, paying its space"
                )
            ],
        ),
        (
            enums.ACTION_SPACE_DEVELOP,
            enums.SECTION_BOTTOM,
            [effects.action(b"", _pool(icons.TOOL, icons.FOOD), "1 Tool and 1 Food")],
        ),
        (
            enums.ACTION_SPACE_MIGRATE,
            enums.SECTION_TOP,
            [
                effects.action(actions.PITCH.cost(), _pool(icons.CAMP), "place a Camp"),
                effects.action(actions.TRAVEL.cost(), _pool(icons.MOVE), "move a Camp"),
            ],
        ),
        (
            enums.ACTION_SPACE_MIGRATE,
            enums.SECTION_MIDDLE,
            [
                effects.action(
                    actions.SETTLE.cost(),
                    _pool(icons.VILLAGE),
                    "build a Village",
                    camps=board.VILLAGE_CAMPS,
                )
            ],
        ),
        (
            enums.ACTION_SPACE_MIGRATE,
            enums.SECTION_BOTTOM,
            [effects.action(b"", _pool(icons.CAMP, icons.MOVE), "a Camp and a Camp move")],
        ),
        (
            enums.ACTION_SPACE_HUNT,
            enums.SECTION_TOP,
            [
                effects.action(actions.REVEAL.cost(), bytes((icons.REVEAL, 2)), "reveal 2 Animals"),
                effects.action(actions.HUNT.cost(), _pool(icons.ANIMAL), "take an Animal"),
            ],
        ),
        (
            enums.ACTION_SPACE_HUNT,
            enums.SECTION_MIDDLE,
            [effects.action(actions.TIP.cost(), _pool(icons.TIP), "tip an Animal")],
        ),
        (
            enums.ACTION_SPACE_HUNT,
            enums.SECTION_BOTTOM,
            [effects.action(b"", _pool(icons.BEAST), "the top Animal of the deck")],
        ),
        (
            enums.ACTION_SPACE_REST,
            enums.SECTION_UNSPECIFIED,
            [
                effects.action(b"", _pool(icons.DRAW), "draw a card"),
                effects.action(b"", _pool(icons.TIP), "tip an Animal"),
            ],
        ),
    ):
        found.append(v.SectionInfo(space=space, section=section, effects=printed))
    return found


def _pool(*pieces: int) -> bytes:
    """One of each icon."""
    return b"".join(bytes((icon, 1)) for icon in pieces)


def _geometry() -> v.TerrainGeometry:
    return v.TerrainGeometry(
        hexes=[
            v.HexGeometry(
                hex=hex_,
                q=q,
                r=r,
                ring=max(abs(q), abs(r), abs(q + r)),
                adjacent_hexes=ADJACENT[hex_],
            )
            for hex_, (q, r) in enumerate(COORDINATES)
        ],
        junctures=[
            v.JunctureGeometry(juncture=number, hexes=hexes)
            for number, hexes in enumerate(JUNCTURES)
        ],
    )


# --- what everything has in common: its id, its words, where its values are from ---

_PROVENANCE: Final = {
    "rulebook": enums.PROVENANCE_RULEBOOK,
    "inferred": enums.PROVENANCE_INFERRED,
    "reconstructed": enums.PROVENANCE_RECONSTRUCTED,
    "public": enums.PROVENANCE_PUBLIC,
}
_HEAD: Final = ("id", "provenance", "sides")


def sources_of(part: Part, prefix: str = "") -> list[v.ValueProvenance]:
    """Where each value of an entry comes from; items of a list one by one if they differ."""
    found: list[v.ValueProvenance] = []
    for field in msgspec.structs.fields(part):
        if field.name in _HEAD or getattr(part, field.name) is None:
            continue
        origins = provenance(part, field.name)
        for number, word in enumerate(origins):
            group = field.name if len(origins) == 1 else f"{field.name}[{number}]"
            found.append(
                v.ValueProvenance(value_group=prefix + group, provenance=_PROVENANCE[word])
            )
    return found


def item(entry: Entry, text: str = "", copies: int = 1) -> v.ItemInfo:
    return v.ItemInfo(
        id=entry.id, name=entry.title, text=text, copies=copies, provenance=sources_of(entry)
    )
