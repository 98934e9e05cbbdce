"""What a choice says to people: short plain English, with the titles of the pack."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import agenda, icons, options
from endless_winter.rules.terrain import OUTSIDE
from endless_winter.views import costs, detail, phrases
from endless_winter.views.phrases import PLACE_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules.megaliths import Sites
    from endless_winter.rules.tables import Tables
    from endless_winter.views.words import Words

_ZONES: Final = {
    options.FROM_HAND: "from your hand",
    options.FROM_DISCARD: "from your discard pile",
    options.FROM_ABOVE: "from above your board",
    options.FROM_PILE: "from your Eclipse pile",
}
_LESSER: Final = {
    options.AS_FOOD: "1 Food",
    options.AS_TOOL: "1 Tool",
    options.AS_OFFERING: "a step on the Offering track",
    options.AS_HONOR: "a step on the Honor track",
    options.AS_DRAW: "a drawn card",
}
_GIVEN_UP: Final = {
    icons.TOOL: "a Tool",
    icons.IDOL: "an Idol",
    icons.DRAW: "a drawn card",
    icons.MEGALITH: "a Megalith",
}
BOTTOMS: Final = {
    icons.INITIATE: "an Idol and a card to bury",
    icons.DEVELOP: "1 Tool and 1 Food",
    icons.MIGRATE: "a Camp and a Camp move",
    icons.HUNT: "the top Animal of the deck",
}


def label_of(words: Words, sites: Sites, full: int) -> str:
    """The label of an option in full (detail.py)."""
    tables = words.tables
    verb = options.verb_of(full)
    if verb == options.MEGALITH:
        site = options.a_of(full)
        height = f", level {sites.level[site]}" if sites.level[site] else ""
        body = f"Place a Megalith at {sites.x[site]},{sites.y[site]}{height}"
    else:
        body = LABELS[verb](tables, full)
    return body + _from(tables, full) + _closing(full)


def _for(tables: Tables, full: int) -> str:
    """What is paid for it."""
    cost = costs.cost_of(tables, full)
    return f" for {phrases.price(cost)}" if cost else ""


_SECTIONS: Final = ("top", "middle")


def _closing(full: int) -> str:
    """What it closes besides its own section (FIG-02)."""
    closed = [_SECTIONS[section] for section in costs.closed_by(full)[:-1]]
    if not closed:
        return ""
    return f"; closes the {' and '.join(closed)} section{'s' if len(closed) > 1 else ''}"


def _from(tables: Tables, full: int) -> str:
    """The source, where several compete."""
    kind = detail.source_of(full) >> 8
    number = detail.source_of(full) & 255
    if kind == options.HEX:
        return f" (hex {number})"
    if kind == options.CARD:
        return f" ({tables.cards[number].title})"
    if kind == options.ABILITY:
        return f" ({tables.cards[detail.subject_of(full)].title})"
    if kind == options.NOMAD_CARD:
        return f" ({tables.nomad_cards[number].title})"
    return ""


def _chief(tables: Tables, full: int) -> str:
    chief = tables.chiefs[options.a_of(full)]
    abilities = "; ".join(phrases.ability(ability) for ability in chief.abilities)
    return f"Lead with {chief.title} ({abilities})"


def _setup(tables: Tables, full: int) -> str:
    card = tables.setups[options.a_of(full)]
    parts = [
        phrases.amount(icons.FOOD, card.food),
        phrases.amount(icons.TOOL, card.tools),
        tables.cards[detail.subject_of(full)].title,
        *(tables.animals[animal].title for animal in card.animals),
    ]
    if card.camp:
        parts.append("a second Camp")
    return f"Take the Setup card {card.title} ({', '.join(parts)})"


def _place(_: Tables, full: int) -> str:
    chief = options.a_of(full) == 0
    place = options.b_of(full)
    figure = "the Chief" if chief else "a Tribe figure"
    return (
        f"Rest with {figure}" if place == icons.REST else f"Place {figure} in {PLACE_NAMES[place]}"
    )


def _play(tables: Tables, full: int) -> str:
    card = tables.cards[options.a_of(full)]
    return f"Play {card.title} ({phrases.tribe_card(card)})"


def _culture(tables: Tables, full: int) -> str:
    card = tables.cards[options.a_of(full)]
    words = f"Play the Culture card {card.title} ({phrases.culture_card(card)})"
    # CUL-01: the first of a turn is free.
    return f"{words} for a discarded card" if detail.number_of(full) else words


def _use(tables: Tables, full: int) -> str:
    card = tables.cards[options.a_of(full)]
    effect = card.abilities[options.b_of(full)]
    return f"Use {card.title}: {phrases.ability(effect, where=False)}"


def _lead(tables: Tables, full: int) -> str:
    chief = tables.chiefs[detail.subject_of(full)]
    ability = chief.abilities[options.a_of(full)]
    return f"Use your Chief {chief.title}: {phrases.ability(ability, where=False)}"


def _pay(tables: Tables, full: int) -> str:
    effect = costs.ability_of(tables, full)
    if detail.source_of(full) >> 8 in (options.ABILITY, options.CARD):
        return f"Use the ability: {phrases.ability(effect, where=False)}"
    token = tables.rest_tokens[detail.subject_of(full)]
    return f"Use the Rest token {token.title}: {phrases.ability(effect)}"


def _eat(_: Tables, full: int) -> str:
    return f"Spend {options.a_of(full)} Food for {phrases.halves(detail.number_of(full))} Labor"


def _initiate(tables: Tables, full: int) -> str:
    title = tables.cards[options.a_of(full)].title
    if detail.number_of(full):
        return f"Initiate {title} into your hand{_for(tables, full)}"
    return f"Initiate {title}: its deck is empty, 1 point{_for(tables, full)}"


def _tribe(tables: Tables, full: int) -> str:
    title = tables.cards[options.a_of(full)].title
    if not detail.number_of(full):
        return f"Take 1 point: the {title} deck is empty"
    if options.verb_of(full) == options.TRIBE:
        return f"Take {title} into your hand"
    return f"Take {title} to your discard pile"


def _hexes(tables: Tables, full: int) -> str:
    start = options.a_of(full)
    place = "your Starting Base" if start == OUTSIDE else f"hex {start}"
    return f"Move a Camp from {place} to hex {options.b_of(full)}{_for(tables, full)}"


def _new_camp(tables: Tables, full: int) -> str:
    home = detail.number_of(full)
    place = "your Starting Base" if home == OUTSIDE else f"the Base (hex {home})"
    return f"Place a Camp on {place}{_for(tables, full)}"


def _leave(_: Tables, full: int) -> str:
    operation = detail.number_of(full)
    if operation == agenda.ECLIPSE_CARDS:
        return "Leave the other Eclipse abilities unused"
    if operation == agenda.ECLIPSE_TERRAIN:
        return "Leave the benefits of the other hexes"
    if operation == agenda.ABILITIES:
        return "Leave the rest of the card unused"
    return "Leave the rest"


def _lesser(_: Tables, full: int) -> str:
    icon = icons.MEGALITH if detail.icon_of(full) == agenda.ADDITIONAL else options.a_of(full)
    return f"Take {_LESSER[options.b_of(full)]} instead of {_GIVEN_UP[icon]}"


def _tools(_: Tables, full: int) -> str:
    tools, food = options.a_of(full), options.b_of(full)
    parts = [phrases.amount(icons.TOOL, tools)] if tools else []
    if food:
        parts.append(f"{food} as Food" if tools else f"{food} Food instead of {_plural(food)}")
    return f"Take {' and '.join(parts)}"


def _plural(number: int) -> str:
    return "a Tool" if number == 1 else f"{number} Tools"


def _tip(tables: Tables, full: int) -> str:
    animal = tables.animals[options.a_of(full)]
    return f"Tip {_one(animal.title)} ({phrases.pool(animal.tip)})"


def _village(tables: Tables, full: int) -> str:
    return f"Build a Village at juncture {options.a_of(full)}{_for(tables, full)}"


def _bury(tables: Tables, full: int) -> str:
    return f"Bury {tables.cards[options.a_of(full)].title} {_ZONES[options.b_of(full)]}"


def _reveal(tables: Tables, full: int) -> str:
    count = detail.number_of(full)
    return f"Reveal {'1 Animal' if count == 1 else f'{count} Animals'}{_for(tables, full)}"


LABELS: Final[dict[int, Callable[[Tables, int], str]]] = {
    options.CHIEF: _chief,
    options.SETUP: _setup,
    options.CULTURE: _culture,
    options.PLACE: _place,
    options.PLAY: _play,
    options.USE: _use,
    options.LEAD: _lead,
    options.PAY: _pay,
    options.EAT: _eat,
    options.INITIATE: _initiate,
    options.RITE: lambda t, f: f"Recruit and/or bury{_for(t, f)}",
    options.DEVELOP: lambda t, f: f"Take the Culture card {_card(t, f)}{_for(t, f)}",
    options.DEVELOP_POINT: lambda t, f: f"Take 1 point{_for(t, f)}: no Culture card is left",
    options.REVEAL_TWO: _reveal,
    options.HUNT: lambda t, f: f"Hunt {_animal(t, f)}{_at(f)}{_for(t, f)}",
    options.HUNT_POINT: lambda t, f: f"Hunt: no Animal is left, 1 point{_for(t, f)}",
    options.BOTTOM: lambda _, f: f"Take the bottom action: {BOTTOMS[detail.column_of(f)]}",
    options.END: lambda _, __: "End the turn",
    options.PITCH: _new_camp,
    options.TRAVEL: _hexes,
    options.MOVE: _hexes,
    options.SETTLE: _village,
    options.VILLAGE: _village,
    options.DISCARD: lambda t, f: f"Discard {_card(t, f)}",
    options.PILE: lambda t, f: f"Add {_card(t, f)} to your Eclipse pile",
    options.DONE: lambda _, __: "The Eclipse pile is complete",
    options.FOOD: lambda _, f: f"Take {options.a_of(f)} Food",
    options.TOOLS: _tools,
    options.OFFERING: lambda _, __: "Move up on the Offering track",
    options.HONOR: lambda _, __: "Move up on the Honor track",
    options.DRAW: lambda _, __: "Draw a card",
    options.AS: _lesser,
    options.BURY: _bury,
    options.CAMP: _new_camp,
    options.TRIBE: _tribe,
    options.RECRUIT: _tribe,
    options.TAKE: lambda t, f: f"Take the Culture card {_card(t, f)}",
    options.ANIMAL: lambda t, f: f"Take {_animal(t, f)}{_at(f)}",
    options.BEAST: lambda _, __: "Take the top Animal of the deck",
    options.REVEAL: lambda _, __: "Reveal an Animal",
    options.TIP: _tip,
    options.STONE: lambda t, f: (
        f"Take the Sacred Stone {t.stones[options.a_of(f)].title}{_for(t, f)}"
    ),
    options.FEAST: lambda _, __: "Take Food up to your limit",
    options.SCORE: lambda t, f: f"Score the Sacred Stone {t.stones[options.a_of(f)].title}",
    options.LEAVE: _leave,
    options.POINTS: lambda _, f: f"Take {phrases.amount(icons.POINT, options.a_of(f))}",
    options.LABOR: lambda _, f: f"Take {phrases.halves(options.a_of(f))} Labor",
    options.TOKEN: lambda _, f: (
        "Put the open Rest token under the stack and take the next"
        if options.a_of(f)
        else "Take the open Rest token"
    ),
    options.NOMAD_REVEAL: lambda _, __: "Reveal the next Nomad card",
    options.NOMAD_COLUMN: lambda _, f: f"Place a figure in {PLACE_NAMES[options.a_of(f)]}",
    options.NOMAD_CULTURE: lambda t, f: f"Lay {_card(t, f)} onto the Sacrifice deck",
    options.NOMAD_BURY: lambda _, __: "Bury the top card of the Sacrifice deck",
    options.NOMAD_ANIMAL: lambda t, f: f"Take {_animal(t, f)} from place {options.b_of(f)}",
    options.NOMAD_PILE: lambda _, __: "Put the next Nomad card onto the Eclipse pile",
    options.NOMAD_GLACIERS: lambda _, f: _glaciers(options.a_of(f)),
    options.NOMAD_BUILD: lambda _, f: (
        f"{'Put the token' if options.b_of(f) else 'Build a Village'} at juncture {options.a_of(f)}"
    ),
    options.NOMAD_MAP: lambda _, f: (
        f"Reveal a Map card and move the {'outer' if options.a_of(f) else 'inner'} Camps"
    ),
    options.NOMAD_NOTHING: lambda _, __: "Nothing happens",
}


def _glaciers(points: int) -> str:
    if not points:
        return "Score nothing: no Camp on a Glacier"
    return f"Score {phrases.amount(icons.POINT, points)} for Camps on Glaciers"


def _card(tables: Tables, full: int) -> str:
    return tables.cards[options.a_of(full)].title


def _animal(tables: Tables, full: int) -> str:
    return _one(tables.animals[options.a_of(full)].title)


def _at(full: int) -> str:
    """Which of several equal Animals, where places matter (HUN-02)."""
    place = options.b_of(full)
    return f" from place {place - 1}" if place else ""


def _one(title: str) -> str:
    return f"{'an' if title[0] in 'AEIOU' else 'a'} {title}"
