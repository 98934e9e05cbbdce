"""A position in words, for pipes and screen readers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.sdk import category_label, category_name
from endless_winter.terminal.describe import describe, ground_words
from endless_winter.terminal.panels import river
from endless_winter.terminal.panels.players import animal_words
from endless_winter.terminal.places import MAMMOTH
from endless_winter.terminal.seats import letter
from endless_winter.terminal.sheet import moment
from endless_winter.terminal.wording import SPACES, cards, chief_line, ordinal, plural
from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.sdk import Result
    from endless_winter.terminal.scene import Scene
    from endless_winter.v1 import view_public_pb2


def brief_words(scene: Scene) -> Iterator[str]:
    """What one needs for a choice: the moment, the own stores and hand."""
    yield f"{moment(scene)}."
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


def board_words(scene: Scene) -> Iterator[str]:
    """Everything that is to be seen."""
    yield from brief_words(scene)
    yield ""
    yield from _columns(scene)
    for player in scene.public.players:
        yield from _player(scene, player)
    yield from _terrain(scene)
    yield from _rivers(scene)
    yield from _megaliths(scene)
    yield from _supply(scene)


def _figures(player: view_public_pb2.PlayerView) -> str:
    parts = ["the Chief"] if player.chief_available else []
    if player.tribe_figures_available:
        parts.append(plural(player.tribe_figures_available, "Tribe figure"))
    return f"{' and '.join(parts) or 'no figure'} at home"


def _columns(scene: Scene) -> Iterator[str]:
    for column in scene.public.columns.columns:
        figures = [
            f"{scene.name(one.seat)}'s {'Chief' if one.figure == enums.FIGURE_CHIEF else 'figure'}"
            for one in column.figures
        ]
        free = "the bottom action is free" if not column.HasField("first_seat") else ""
        said = ", ".join(part for part in (*figures, free) if part) or "nobody"
        yield f"Column {SPACES.get(column.column, '?')}: {said}."


def _player(scene: Scene, player: view_public_pb2.PlayerView) -> Iterator[str]:
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
    for what, said in (
        ("Sacred Stones", stones),
        ("Animals", animal_words(scene, player)),
        ("Played", cards(scene.catalog, player.played)),
        ("Discard pile", cards(scene.catalog, player.discard_pile)),
    ):
        if said:
            yield f"  {what}: {said}."


def _terrain(scene: Scene) -> Iterator[str]:
    yield ""
    yield "Terrain, hex by hex (0 in the middle, 1 to 6 around it, 7 to 18 outside):"
    for one in scene.public.terrain.hexes:
        name, text = ground_words(scene, one)
        gift = f" ({text})" if text else ""
        camps = [f"{scene.name(c.seat)} {plural(c.count, 'Camp')}" for c in one.camps]
        held = [f"{scene.name(c.seat)} {c.count}" for c in one.influence]
        said = f": {', '.join(camps)}" if camps else ""
        if held:
            said += f"; Influence {', '.join(held)}" if said else f": Influence {', '.join(held)}"
        token = one.glacier_token.token_id
        if one.HasField("glacier_token"):
            said += f"; token {scene.catalog.title(token)}" if token else "; a hidden token"
        yield f"  {one.hex} {name}{gift}{said}."
    for village in scene.public.terrain.villages:
        yield f"  A Village of {scene.name(village.seat)} at juncture {village.juncture}."
    if scene.public.HasField("mammoth"):
        yield f"  {describe(scene, MAMMOTH)}"


def _rivers(scene: Scene) -> Iterator[str]:
    rivers = scene.public.rivers
    if not rivers.river_hexes:
        return
    yield ""
    course = ", ".join(map(str, rivers.river_hexes))
    yield f"The river, from the Headwaters through the hexes {course} to the Delta:"
    for title, lines in (
        ("", river.raft_words(scene)),
        ("", river.landmark_words(scene)),
        ("Fish: ", river.fish_words(scene)),
        ("", river.base_words(scene)),
    ):
        for line in lines:
            yield f"  {title}{line}"


def _megaliths(scene: Scene) -> Iterator[str]:
    yield ""
    placed = scene.public.megaliths.placed
    yield f"Megalith board: {plural(len(placed), 'Megalith')}."
    for stone in placed:
        whose = "neutral" if stone.neutral else scene.name(stone.seat)
        site = stone.site
        yield f"  {site.x},{site.y} level {site.level}: {whose}."


def _supply(scene: Scene) -> Iterator[str]:
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


def result_words(scene: Scene, result: Result) -> Iterator[str]:
    """How the game ended."""
    yield f"The game is over ({result.outcome.replace('_', ' ')})."
    for seat in sorted(result.raw.seats, key=lambda one: (one.place or 9, one.seat)):
        place = f"{ordinal(seat.place)}: " if seat.place else ""
        yield f"{place}{scene.name(seat.seat)}, {plural(seat.score, 'point')}"
        parts = [
            f"{category_label(category_name(one.category))} {one.points}" for one in seat.categories
        ]
        yield f"  {', '.join(parts) or 'nothing scored'}"
