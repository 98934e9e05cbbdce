"""Every component in plain words, and the search in them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.terminal.text import SPACES, labor, plural, setup_line
from endless_winter.v1 import catalog_pb2, effect_pb2
from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.sdk import Catalog


class Entry(NamedTuple):
    """One thing: what it is, what it is called, and what there is to say about it."""

    item_id: str
    kind: str
    title: str
    lines: tuple[str, ...]


_KINDS = {
    catalog_pb2.CARD_KIND_TRIBE: "Tribe card",
    catalog_pb2.CARD_KIND_STARTING: "Starting card",
    catalog_pb2.CARD_KIND_CULTURE: "Culture card",
}
_ERAS = {enums.ERA_ONE: " of Era I", enums.ERA_TWO: " of Era II"}
_TOKENS = {
    catalog_pb2.TOKEN_KIND_GLACIER: "Glacier token",
    catalog_pb2.TOKEN_KIND_REST: "Rest token",
    catalog_pb2.TOKEN_KIND_FISH: "Fish token",
}


def entries(catalog: Catalog) -> list[Entry]:
    """All entries, by kind and title."""
    raw = catalog.raw
    found = [
        *map(_card, raw.cards),
        *map(_animal, raw.animals),
        *map(_chief, raw.chiefs),
        *(_setup(catalog, card) for card in raw.setup_cards),
        *map(_stone, raw.stones),
        *(Entry(t.item.id, "Terrain", t.item.name, _terrain(t)) for t in raw.terrains),
        *(_tile(tile) for tile in raw.megalith_tiles),
        *(
            Entry(t.item.id, _TOKENS.get(t.kind, "Token"), t.item.name, (_sentence(t.item.text),))
            for t in raw.tokens
        ),
        *(
            Entry(one.item.id, "Landmark", one.item.name, (_landmark(one.item.text),))
            for one in raw.landmarks
        ),
        *map(_river_tile, raw.river_tiles),
        *(Entry(*piece) for piece in PIECES),
        *map(_nomad, raw.nomad_cards),
        *_boards(raw.tables),
    ]
    return sorted(found, key=lambda entry: (entry.kind, entry.title))


def search(found: list[Entry], words: str) -> list[Entry]:
    """Entries with all the words, those that have them in the title first."""
    wanted = words.casefold().split()
    hits = []
    for entry in found:
        title = entry.title.casefold()
        everything = f"{title} {entry.kind} {' '.join(entry.lines)}".casefold()
        if all(one in everything for one in wanted):
            exact = title == words.casefold().strip()
            hits.append((not exact, not all(one in title for one in wanted), entry))
    return [entry for _, _, entry in sorted(hits, key=lambda hit: hit[:2])]


def _sentence(text: str) -> str:
    """A text of the catalogue as a sentence."""
    return f"{text[:1].upper()}{text[1:]}." if text else "Nothing is printed on it."


def _card(card: catalog_pb2.CardInfo) -> Entry:
    culture = card.kind == catalog_pb2.CARD_KIND_CULTURE
    lines = []
    if not culture:
        lines.append(
            f"Gives {labor(card.labor_halves)} Labor when played or revealed in the Eclipse."
        )
    lines += [_ability(effect) for effect in card.abilities]
    if culture:
        lines.append("Played before the figure; the first is free, each later one costs a discard.")
    lines.append(f"At the end: {plural(card.end_points, 'point')}.")
    lines.append(
        _copies(
            card.item,
            "each player's deck" if card.kind == catalog_pb2.CARD_KIND_STARTING else "the box",
        )
    )
    return Entry(
        card.item.id,
        f"{_KINDS.get(card.kind, 'Card')}{_ERAS.get(card.era, '')}",
        card.item.name,
        tuple(lines),
    )


def _ability(effect: effect_pb2.Effect) -> str:
    """An ability as a sentence: when it may be used, and what it does."""
    if effect.timing == effect_pb2.EFFECT_TIMING_ECLIPSE:
        return f"On the Eclipse pile: {effect.text.removeprefix('Eclipse: ')}."
    return f"Ability: {effect.text}."


def _copies(item: catalog_pb2.ItemInfo, where: str) -> str:
    return f"{item.copies or 1} in {where}."


def _animal(animal: catalog_pb2.AnimalInfo) -> Entry:
    points = ", ".join(f"{points} for {n}" for n, points in enumerate(animal.set_points, 1))
    sets = f"A set of untipped ones scores at the end: {points}." if points else ""
    lines = [f"Tipped: {animal.tip.text}. A tipped Animal is out of set scoring."]
    if animal.wild:
        lines.append("Wild: joins a set of another type at the end, never makes one of its own.")
    if sets:
        lines.append(sets)
    return Entry(
        animal.item.id, "Animal", animal.item.name, (*lines, _copies(animal.item, "the deck"))
    )


def _chief(chief: catalog_pb2.ChiefInfo) -> Entry:
    lines = [
        f"{'AB'[number]}, {side.name}: {'; '.join(effect.text for effect in side.abilities)}."
        for number, side in enumerate(chief.sides[:2])
    ]
    lines.append("Once, in the turn in which the Chief figure is placed.")
    return Entry(chief.item.id, "Chief", chief.item.name, tuple(lines))


def _setup(catalog: Catalog, card: catalog_pb2.SetupCardInfo) -> Entry:
    return Entry(
        card.item.id, "Setup card", card.item.name, (f"Start with {setup_line(catalog, card)}.",)
    )


def _stone(stone: catalog_pb2.StoneInfo) -> Entry:
    kind = f"Sacred Stone{_ERAS.get(stone.era, '')}"
    lines = (f"In each Eclipse phase: {stone.item.text}.",)
    return Entry(stone.item.id, kind, stone.item.name, lines)


def _terrain(terrain: catalog_pb2.TerrainInfo) -> tuple[str, ...]:
    if not terrain.item.text:
        return ("Where new Camps are placed. It gives nothing, and no Village touches it.",)
    return (f"Most Influence here (or tied) gives in the Eclipse phase: {terrain.item.text}.",)


def _tile(tile: catalog_pb2.MegalithTileInfo) -> Entry:
    spaces = [one.benefit.text or "starting space" for one in tile.spaces]
    lines = (f"Upper row: {'; '.join(spaces[:4])}.", f"Lower row: {'; '.join(spaces[4:])}.")
    return Entry(tile.item.id, "Megalith tile", tile.item.name, lines)


def _landmark(text: str) -> str:
    return f"Most Influence on its hex (or tied) scores in the Eclipse phase: {text}."


def _river_tile(tile: catalog_pb2.RiverTileInfo) -> Entry:
    where = "in the middle of the board" if tile.central else "at an end of the river"
    lines = [f"A tile of three hexes {where}."]
    for number, side in enumerate(tile.sides[:2]):
        lines.append(f"Side {'AB'[number]}: {', '.join(side.terrain_ids)}.")
    return Entry(tile.item.id, "River tile", tile.item.name, tuple(lines))


def _nomad(card: catalog_pb2.NomadCardInfo) -> Entry:
    arrows = f"{'right' if card.arrow_right else 'left'}, {'down' if card.arrow_down else 'up'}"
    lines = [
        f"Column {SPACES.get(card.column, '?')}; arrows {arrows}; {labor(card.labor_halves)} Labor."
    ]
    if card.item.text:
        lines.append(_sentence(card.item.text))
    return Entry(card.item.id, "Nomad card", card.item.name, tuple(lines))


def _boards(tables: catalog_pb2.BoardTables) -> Iterator[Entry]:
    for space, name in SPACES.items():
        lines = []
        for one in tables.sections:
            if one.space == space:
                label = {
                    1: "Top, any number of times",
                    2: "Middle, once",
                    3: "Bottom, for the first figure of the round",
                }
                texts = "; ".join(f"{effect.text}{_price(effect)}" for effect in one.effects)
                lines.append(f"{label.get(one.section, 'In order')}: {texts}.")
        if any(one.section for one in tables.sections if one.space == space):
            lines.append("A section closes those above it.")
        yield Entry(f"space {space}", "Board", name, tuple(lines))
    ratio = ", ".join(f"{n}: {space.ratio}" for n, space in enumerate(tables.offering, 1))
    gifts = "; ".join(
        f"level {n}: {space.benefit.text}"
        for n, space in enumerate(tables.offering, 1)
        if space.benefit.text
    )
    yield Entry(
        "offering",
        "Board",
        "Offering track",
        (
            f"On the way: {gifts}.",
            f"At the end, a point for each so many Food and Tools, by level: {ratio}.",
            "On the top space each further Idol gives 1 point.",
        ),
    )
    points = "; ".join(
        f"level {n}: {one.points}" for n, one in enumerate(tables.honor, 1) if one.points
    )
    charts = [", ".join(map(str, chart.points_by_buried)) for chart in tables.honor_charts]
    names = ("highest marker", "second", "others")
    yield Entry(
        "honor",
        "Board",
        "Honor track",
        (
            f"Points on the way: {points}.",
            *(
                f"At the end, {name}: {chart} points for 0, 1, 2, … buried cards."
                for name, chart in zip(names, charts, strict=False)
            ),
        ),
    )
    stones = "; ".join(
        f"{n}. {one.food} Food and {plural(one.tools, 'Tool')} (gives {one.benefit.text})"
        for n, one in enumerate(tables.stone_spaces, 1)
    )
    yield Entry("stones", "Board", "Sacred Stone spaces", (f"Costs and gifts: {stones}.",))
    order = "; ".join(f"{n}. {one.text}" for n, one in enumerate(tables.turn_order_benefits, 1))
    supply = "; ".join(
        f"space {n}: {one.text}" for n, one in enumerate(tables.megalith_supply, 1) if one.text
    )
    yield Entry(
        "board",
        "Board",
        "Eclipse benefits",
        (
            f"By the new turn order: {order}.",
            f"Each Village placed: {tables.village_benefit.text}.",
            f"Emptied Megalith spaces: {supply}.",
        ),
    )
    food = ", ".join(f"{n}→{n - 1}" for n in tables.food_labor_steps)
    yield Entry(
        "food",
        "Board",
        "Food for Labor",
        (
            f"The Food marker gives 1 Labor on each of these steps down: {food}.",
            f"Food limit by Camps off the board: {', '.join(map(str, tables.food_limits))}.",
            f"At most {tables.tool_limit} Tools.",
        ),
    )


def _price(effect: effect_pb2.Effect) -> str:
    """What an action costs, behind its text: ", for 1 Labor and 1 Tool"."""
    costs = [_cost(term) for term in effect.costs]
    return f", for {' and '.join(costs)}" if costs else ""


def _cost(term: effect_pb2.EffectTerm) -> str:
    if term.icon == enums.ICON_LABOR:
        return f"{labor(term.amount)} Labor"
    if term.icon == enums.ICON_FOOD:
        return f"{term.amount} Food"
    if term.icon == enums.ICON_RETURN_CAMP:
        return f"the {plural(term.amount, 'Camp')} around it"
    return plural(term.amount, _COST_NAMES[term.icon])


_COST_NAMES = {enums.ICON_TOOL: "Tool", enums.ICON_DISCARD: "card"}
_RIVERS = "Rivers & Rafts"

PIECES: Final[tuple[tuple[str, str, str, tuple[str, ...]], ...]] = (
    (
        "raft",
        _RIVERS,
        "Raft",
        (
            "A Camp move may move your Raft instead: downriver any distance, upriver one hex.",
            "It counts as a Camp for Influence and for Villages.",
            "Used for a Village it returns to the Headwaters, as all Rafts do before each round.",
            "It scores at the end of your Eclipse turn if nobody is closer to the Delta:",
            "1 point for each own Camp on a River hex, and 1 for the Raft itself.",
        ),
    ),
    (
        "starting base",
        _RIVERS,
        "Starting Base",
        (
            "Outside the board, at two of its hexes; there is no Base tile.",
            "New Camps go there, or to the River hex of your Raft.",
            "Its Camps move onto one of the two hexes; no Camp moves back.",
        ),
    ),
    (
        "headwaters",
        _RIVERS,
        "Headwaters and Delta",
        (
            "Where the river begins and ends, outside the board. Only Rafts go there.",
            "They are no hexes: no Influence, no Fish, no Villages.",
        ),
    ),
    (
        "mammoth",
        "Miniature",
        "The Mammoth",
        (
            "Two Camp moves together put it onto any empty juncture.",
            "In the Eclipse phase its Influence on its three hexes is the number of the round.",
            "Less than it gets nothing there.",
            "At least as much as it and as everybody gets the benefit of the hex twice.",
        ),
    ),
)
