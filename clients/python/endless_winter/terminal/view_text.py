"""A position as text: the whole table for pipes and screen readers, and one place in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.sdk import category_label, category_name
from endless_winter.terminal.panels import river
from endless_winter.terminal.panels.megaliths import spaces_of
from endless_winter.terminal.panels.players import animal_text
from endless_winter.terminal.panels.river import fish_lines
from endless_winter.terminal.panels.shore import rafts_at
from endless_winter.terminal.places import MAMMOTH
from endless_winter.terminal.seats import letter
from endless_winter.terminal.text import (
    ECLIPSE_STEPS,
    PHASES,
    SPACES,
    card_line,
    cards,
    chief_line,
    labor,
    ordinal,
    plural,
    setup_line,
    with_price,
)
from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from endless_winter.sdk import Result
    from endless_winter.terminal.places import Place
    from endless_winter.terminal.scene import Scene
    from endless_winter.v1 import view_public_pb2


def brief_lines(scene: Scene) -> Iterator[str]:
    """What one needs for a choice: the turn, the own stores and hand."""
    yield f"{turn_text(scene)}."
    if scene.seat is None:
        return
    player = scene.player(scene.seat)
    yield (
        f"You: {plural(player.score, 'point')}, Food {player.food} of {player.food_limit}, "
        f"Tools {player.tools} of 5, {_figures(player)}."
    )
    own = scene.private
    if own is not None:
        yield f"Your hand: {cards(scene.catalog, own.hand) or 'empty'}."


def table_lines(scene: Scene) -> Iterator[str]:
    """Everything that is to be seen."""
    yield from brief_lines(scene)
    yield ""
    yield from _column_lines(scene)
    for player in scene.public.players:
        yield from _player_lines(scene, player)
    yield from _terrain_lines(scene)
    yield from _river_lines(scene)
    yield from _megalith_lines(scene)
    yield from _supply_lines(scene)


def _figures(player: view_public_pb2.PlayerView) -> str:
    parts = ["the Chief"] if player.chief_available else []
    if player.tribe_figures_available:
        parts.append(plural(player.tribe_figures_available, "Tribe figure"))
    return f"{' and '.join(parts) or 'no figure'} at home"


def _column_lines(scene: Scene) -> Iterator[str]:
    for column in scene.public.columns.columns:
        figures = [
            f"{scene.name(one.seat)}'s {'Chief' if one.figure == enums.FIGURE_CHIEF else 'figure'}"
            for one in column.figures
        ]
        free = "the bottom action is free" if not column.HasField("first_seat") else ""
        text = ", ".join(part for part in (*figures, free) if part) or "nobody"
        yield f"Column {SPACES.get(column.column, '?')}: {text}."


def _player_lines(scene: Scene, player: view_public_pb2.PlayerView) -> Iterator[str]:
    seat = player.seat
    yield ""
    order = list(scene.public.turn.turn_order)
    place = f", {ordinal(order.index(seat) + 1)} in turn order" if seat in order else ""
    name = scene.name(seat)
    yield f"{name} (seat {letter(seat)}{place}): {plural(player.score, 'point')}."
    if player.chief_id:
        yield f"  Chief {chief_line(scene.catalog, player.chief_id, player.chief_side)}."
    yield (
        f"  Food {player.food} of {player.food_limit}, Tools {player.tools} of 5; at home "
        f"{plural(player.camps_on_board, 'Camp')}, {plural(player.villages_on_board, 'Village')}, "
        f"{player.neutral_megaliths} neutral and {player.coloured_megaliths} own Megaliths; "
        f"{_figures(player)}, {player.figures_at_rest} at rest."
    )
    yield (
        f"  Offering level {player.offering_level}, Honor level {player.honor_level}; hand "
        f"{player.hand_count}, deck {player.deck_count}, buried {player.buried_count}, "
        f"Eclipse pile {player.eclipse_pile_count}."
    )
    stones = ", ".join(scene.catalog.title(stone) for stone in player.stone_ids)
    for what, text in (
        ("Sacred Stones", stones),
        ("Animals", animal_text(scene, player)),
        ("Played", cards(scene.catalog, player.played)),
        ("Discard pile", cards(scene.catalog, player.discard_pile)),
    ):
        if text:
            yield f"  {what}: {text}."


def _terrain_lines(scene: Scene) -> Iterator[str]:
    yield ""
    yield "Terrain, hex by hex (0 in the middle, 1 to 6 around it, 7 to 18 outside):"
    for one in scene.public.terrain.hexes:
        name, text = hex_text(scene, one)
        gift = f" ({text})" if text else ""
        camps = [f"{scene.name(c.seat)} {plural(c.count, 'Camp')}" for c in one.camps]
        held = [f"{scene.name(c.seat)} {c.count}" for c in one.influence]
        text = f": {', '.join(camps)}" if camps else ""
        if held:
            text += f"; Influence {', '.join(held)}" if text else f": Influence {', '.join(held)}"
        token = one.glacier_token.token_id
        if one.HasField("glacier_token"):
            text += f"; token {scene.catalog.title(token)}" if token else "; a hidden token"
        yield f"  {one.hex} {name}{gift}{text}."
    for village in scene.public.terrain.villages:
        yield f"  A Village of {scene.name(village.seat)} at juncture {village.juncture}."
    if scene.public.HasField("mammoth"):
        yield f"  {place_text(scene, MAMMOTH)}"


def _river_lines(scene: Scene) -> Iterator[str]:
    rivers = scene.public.rivers
    if not rivers.river_hexes:
        return
    yield ""
    course = ", ".join(map(str, rivers.river_hexes))
    yield f"The river, from the Headwaters through the hexes {course} to the Delta:"
    for title, lines in (
        ("", river.raft_lines(scene)),
        ("", river.landmark_lines(scene)),
        ("Fish: ", river.fish_lines(scene)),
        ("", river.base_lines(scene)),
    ):
        for line in lines:
            yield f"  {title}{line}"


def _megalith_lines(scene: Scene) -> Iterator[str]:
    yield ""
    placed = scene.public.megaliths.placed
    yield f"Megalith board: {plural(len(placed), 'Megalith')}."
    for stone in placed:
        whose = "neutral" if stone.neutral else scene.name(stone.seat)
        site = stone.site
        yield f"  {site.x},{site.y} level {site.level}: {whose}."


def _supply_lines(scene: Scene) -> Iterator[str]:
    supply, catalog = scene.public.supply, scene.catalog
    yield ""
    animals = ", ".join(catalog.title(one.animal_id) for one in supply.hunting_grounds)
    yield f"Hunting Grounds: {animals or 'empty'}; {supply.animal_deck} in the deck."
    yield "Culture display:"
    for card in supply.culture_display:
        found = catalog.cards.get(card.card_id)
        yield f"  {catalog.title(card.card_id)}: {found.item.text if found else ''}."
    decks = ", ".join(f"{catalog.title(one.card_id)} {one.count}" for one in supply.tribe_decks)
    yield f"Tribe decks: {decks}."
    for era, stones in (("I", supply.stones_era_one), ("II", supply.stones_era_two)):
        yield f"Sacred Stones of Era {era}: {', '.join(map(catalog.title, stones)) or 'none'}."


def result_lines(scene: Scene, result: Result) -> Iterator[str]:
    """How the game ended."""
    yield f"The game is over ({result.outcome.replace('_', ' ')})."
    for seat in sorted(result.raw.seats, key=lambda one: (one.place or 9, one.seat)):
        place = f"{ordinal(seat.place)}: " if seat.place else ""
        yield f"{place}{scene.name(seat.seat)}, {plural(seat.score, 'point')}"
        parts = [
            f"{category_label(category_name(one.category))} {one.points}" for one in seat.categories
        ]
        yield f"  {', '.join(parts) or 'nothing scored'}"


def turn_text(scene: Scene) -> str:
    """Where the game stands, in a line."""
    turn = scene.public.turn
    parts = [f"Round {turn.round} of 4"] if turn.round else []
    parts.append(PHASES.get(turn.phase, ""))
    if turn.phase == enums.PHASE_ECLIPSE and turn.step in ECLIPSE_STEPS:
        parts[-1] += f", {ECLIPSE_STEPS[turn.step]}"
    if turn.HasField("active_seat"):
        name = scene.name(turn.active_seat)
        whose = "your turn" if name == "You" else f"turn of {name}"
        if turn.turn_number:
            whose += f" {turn.turn_number} of 3"
        if turn.space in SPACES:
            whose += (
                f" in {SPACES[turn.space]}" if turn.space != enums.ACTION_SPACE_REST else " at rest"
            )
        parts.append(whose)
    if turn.phase == enums.PHASE_ACTION and turn.space:
        parts.append(f"Labor {labor(turn.labor_halves)}")
    return " · ".join(part for part in parts if part)


def place_text(scene: Scene, place: Place) -> str:
    """A line or two about a place; empty where there is nothing to say."""
    text = _PLACES.get(place.kind)
    return "" if text is None else text(scene, place)


def _hex(scene: Scene, place: Place) -> str:
    one = scene.public.terrain.hexes[_number(place)]
    name, text = hex_text(scene, one)
    gives = "scores" if one.landmark_id else "gives"
    gift = f", {gives} {text}" if text else ""
    influence = ", ".join(f"{scene.name(count.seat)} {count.count}" for count in one.influence)
    held = f" Influence: {influence}." if influence else " Nobody has Influence there."
    token = one.glacier_token.token_id
    flipped = f" Token: {scene.catalog.title(token)} ({_text(scene, token)})." if token else ""
    return f"Hex {one.hex}: {name}{gift}.{_afloat(scene, one.hex)}{held}{flipped}"


def hex_text(scene: Scene, one: view_public_pb2.HexView) -> tuple[str, str]:
    """What a hex is called, and what most Influence there gives; a Landmark before its hex."""
    if one.kind == enums.TERRAIN_KIND_RIVER:
        return scene.catalog.title(one.terrain_id), "a Fish"
    landmark = scene.catalog.landmarks.get(one.landmark_id)
    if landmark is not None:
        return landmark.item.name, landmark.item.text
    terrain = scene.catalog.terrains.get(one.terrain_id)
    if terrain is None:
        return one.terrain_id, ""
    return terrain.item.name, terrain.item.text


def _afloat(scene: Scene, hex_: int) -> str:
    """What Rivers & Rafts adds to a hex: the Rafts there, or the River tile it is part of."""
    rivers = scene.public.rivers
    if hex_ in rivers.river_hexes:
        place = list(rivers.river_hexes).index(hex_) + 1
        return _rafts_text(scene, place)
    for tile in rivers.tiles:
        if hex_ in tile.hexes:
            return f" Part of the River tile {scene.catalog.title(tile.tile_id)}."
    return ""


def _rafts_text(scene: Scene, river_place: int) -> str:
    seats = rafts_at(scene, river_place)
    return f" Rafts: {', '.join(map(scene.name, seats))}." if seats else ""


def _river(scene: Scene, place: Place) -> str:
    """The Headwaters and the Delta; places between them are hexes."""
    number = _number(place)
    if not number:
        return f"The Headwaters, where the Rafts start each round.{_rafts_text(scene, number)}"
    closest = "who is closest to it scores for the river"
    return f"The Delta, where the river ends: {closest}.{_rafts_text(scene, number)}"


def _starting_base(scene: Scene, place: Place) -> str:
    for base in scene.public.rivers.starting_bases:
        if base.seat == place.which:
            near = f"at the hexes {base.first_hex} and {base.second_hex}"
            camps = plural(base.camps, "Camp")
            return f"{scene.whose(base.seat)} Starting Base {near}: {camps}."
    return ""


def _base_site(scene: Scene, place: Place) -> str:
    del scene
    assert isinstance(place.which, tuple)
    first, second = place.which
    return f"A Starting Base here: its Camps step onto hex {first} or {second}."


def _fish(scene: Scene, place: Place) -> str:
    del place
    return f"Fish: {' '.join(fish_lines(scene))}"


def _mammoth(scene: Scene, place: Place) -> str:
    del place
    mammoth = scene.public.mammoth
    where = (
        f"at juncture {mammoth.juncture}" if mammoth.HasField("juncture") else "beside the board"
    )
    force = max(scene.public.turn.round, 1)
    return (
        f"The Mammoth, {where}: Influence {force} on its 3 hexes. Less than it gets nothing there, "
        "at least as much as it and everybody gets the benefit twice."
    )


def _juncture(scene: Scene, place: Place) -> str:
    number = _number(place)
    corner = next(one for one in scene.catalog.geometry.junctures if one.juncture == number)
    for village in scene.public.terrain.villages:
        if village.juncture == number:
            return f"Juncture {number}: a Village of {scene.name(village.seat)}."
    around = ", ".join(str(one) for one in corner.hexes)
    return f"Juncture {number} between the hexes {around}."


def _site(scene: Scene, place: Place) -> str:
    assert isinstance(place.which, tuple)
    x, y, level = place.which
    for stone in scene.public.megaliths.placed:
        if (stone.site.x, stone.site.y, stone.site.level) == place.which:
            whose = "neutral" if stone.neutral else scene.name(stone.seat)
            return f"Megalith at {x},{y}, level {level}: {whose}."
    if level:
        return f"On top at {x},{y}, level {level}: 2 points per own Megalith below, 1 per other."
    for space in spaces_of(scene):
        if (space.x, space.y) == (x, y):
            if space.info.grey:
                return f"Starting space {x},{y}: another Megalith follows at an arrow."
            return f"Megalith space {x},{y}: {space.info.benefit.text}."
    return ""


def _space(scene: Scene, place: Place) -> str:
    number = _number(place)
    found = [
        f"{_SECTIONS.get(one.section, '')}{' or '.join(map(with_price, one.effects))}"
        for one in scene.catalog.tables.sections
        if one.space == number
    ]
    column = next((one for one in scene.public.columns.columns if one.column == number), None)
    taken = column is not None and column.HasField("first_seat")
    gone = " (bottom is taken)" if taken else ""
    return f"{SPACES.get(number, '?')}{gone}: {'; '.join(found)}."


_SECTIONS: dict[int, str] = {
    enums.SECTION_TOP: "top: ",
    enums.SECTION_MIDDLE: "middle: ",
    enums.SECTION_BOTTOM: "bottom: ",
}


def _section(scene: Scene, place: Place) -> str:
    assert isinstance(place.which, tuple)
    for one in scene.catalog.tables.sections:
        if (one.space, one.section) == place.which:
            texts = " or ".join(map(with_price, one.effects))
            return f"{SPACES.get(one.space, '?')}, {_SECTIONS[one.section]}{texts}."
    return ""


def _culture(scene: Scene, place: Place) -> str:
    for one in scene.public.supply.culture_display:
        if one.space == place.which:
            return _card_line(scene, one.card_id)
    return ""


def _card(scene: Scene, place: Place) -> str:
    return _card_line(scene, str(place.which))


def _card_line(scene: Scene, card_id: str) -> str:
    card = scene.catalog.cards.get(card_id)
    return "" if card is None else f"{card.item.name}: {card_line(card)}."


def _animal(scene: Scene, place: Place) -> str:
    animal = scene.catalog.animals.get(str(place.which))
    if animal is None:
        return ""
    sets = "wild" if animal.wild else "set " + "/".join(map(str, animal.set_points))
    mine = next(
        (one for one in scene.player(scene.eyes).animals if one.animal_id == place.which), None
    )
    have = (
        f" You have {mine.untipped} untipped."
        if mine is not None and scene.seat is not None
        else ""
    )
    return f"{animal.item.name}: {animal.item.text}; {sets}.{have}"


def _stone(scene: Scene, place: Place) -> str:
    stone = scene.catalog.stones.get(str(place.which))
    return "" if stone is None else f"{stone.item.name}: each Eclipse {stone.item.text}."


def _track(scene: Scene, place: Place) -> str:
    player = scene.player(scene.eyes)
    tables = scene.catalog.tables
    if place.which == enums.IDOL_TRACK_OFFERING:
        level = player.offering_level
        if level >= len(tables.offering):
            return "Offering track, at the top: each Idol is 1 point."
        following = tables.offering[level]
        gift = f", gives {following.benefit.text}" if following.benefit.text else ""
        ratio = f"{following.ratio} Food and Tools a point at the end"
        return f"Offering track, level {level + 1} next: {ratio}{gift}."
    level = player.honor_level
    if level >= len(tables.honor):
        return "Honor track: you are at the top."
    points = tables.honor[level].points
    most = "the highest scores most for buried cards"
    return f"Honor track, level {level + 1} next: {plural(points, 'point')}; {most}."


def _chief(scene: Scene, place: Place) -> str:
    del place
    player = scene.player(scene.eyes)
    if not player.chief_id:
        return ""
    return f"Chief {chief_line(scene.catalog, player.chief_id, player.chief_side)}."


def _score(scene: Scene, place: Place) -> str:
    del place
    player = scene.player(scene.eyes)
    parts = [f"{category_label(category_name(one.category))} {one.points}" for one in player.points]
    return f"{plural(player.score, 'point')} so far: {', '.join(parts) or 'none yet'}."


def _setup(scene: Scene, place: Place) -> str:
    landmark = scene.catalog.landmarks.get(str(place.which))
    if landmark is not None:
        return f"Landmark {landmark.item.name}: scores {landmark.item.text}."
    card = scene.catalog.setup_cards.get(str(place.which))
    if card is not None:
        return f"Setup card {card.item.name}: {setup_line(scene.catalog, card)}."
    chief = scene.catalog.chiefs.get(str(place.which))
    if chief is None:
        return ""
    sides = [
        f"{side.name}: {'; '.join(one.text for one in side.abilities)}" for side in chief.sides
    ]
    return f"Chief {chief.item.name}. {'. '.join(sides)}."


def _rest_token(scene: Scene, place: Place) -> str:
    del place
    tokens = scene.public.rest_tokens
    token_id = tokens.held_token_id or tokens.open_token_id
    return (
        f"Rest token {scene.catalog.title(token_id)}: {_text(scene, token_id)}." if token_id else ""
    )


def _deck(scene: Scene, place: Place) -> str:
    del place
    own = scene.private
    count = plural(scene.player(scene.eyes).deck_count, "card")
    if own is None:
        return f"The deck has {count}."
    if not own.deck:
        return "Your deck is empty: a draw shuffles your discard pile first."
    return f"Your deck has {count} in hidden order: {cards(scene.catalog, own.deck)}."


def _animal_deck(scene: Scene, place: Place) -> str:
    del place
    return f"The Animal deck has {plural(scene.public.supply.animal_deck, 'card')}, face down."


def _food(scene: Scene, place: Place) -> str:
    del place
    steps = ", ".join(f"{step}→{step - 1}" for step in scene.catalog.tables.food_labor_steps)
    return f"Food: a step down at {steps} gives 1 Labor when spent for it."


def _text(scene: Scene, item_id: str) -> str:
    found = scene.catalog.items.get(item_id)
    return found[0].text if found else ""


def _number(place: Place) -> int:
    assert isinstance(place.which, int)
    return place.which


_PLACES: dict[str, Callable[[Scene, Place], str]] = {
    "hex": _hex,
    "juncture": _juncture,
    "river": _river,
    "starting base": _starting_base,
    "base site": _base_site,
    "fish": _fish,
    "mammoth": _mammoth,
    "site": _site,
    "space": _space,
    "section": _section,
    "culture": _culture,
    "tribe deck": _card,
    "hand": _card,
    "discard": _card,
    "played": _card,
    "buried": _card,
    "pile card": _card,
    "grounds": _animal,
    "herd": _animal,
    "stone": _stone,
    "own stone": _stone,
    "track": _track,
    "chief": _chief,
    "score": _score,
    "rest token": _rest_token,
    "setup": _setup,
    "food": _food,
    "deck": _deck,
    "animal deck": _animal_deck,
}
