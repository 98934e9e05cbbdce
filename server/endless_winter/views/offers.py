"""What step 2 offers and why some of it is closed, for the asked seat: as data and in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import actions, icons, offers, options
from endless_winter.v1 import decision_pb2 as d
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import ids_pb2 as ids
from endless_winter.views import effects, phrases
from endless_winter.views.labels import BOTTOMS
from endless_winter.views.pools import SECTIONS
from endless_winter.views.turn import unused_effects
from endless_winter.views.words import PLACES

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules.offers import Obstacle, Offer
    from endless_winter.rules.state import Position
    from endless_winter.rules.tables import Ability
    from endless_winter.views.words import Words

# By verb, what it is and what people call it; modules add theirs.
ACTIONS: Final[dict[int, tuple[d.TurnAction.ValueType, str]]] = {
    options.INITIATE: (d.TURN_ACTION_INITIATE, "initiate a Tribe card"),
    options.RITE: (d.TURN_ACTION_RITE, "recruit a Tribe card and/or bury a card"),
    options.DEVELOP: (d.TURN_ACTION_DEVELOP, "take a Culture card"),
    options.STONE: (d.TURN_ACTION_TAKE_STONE, "take a Sacred Stone"),
    options.PITCH: (d.TURN_ACTION_PLACE_CAMP, "place a Camp"),
    options.TRAVEL: (d.TURN_ACTION_MOVE_CAMP, "move a Camp"),
    options.SETTLE: (d.TURN_ACTION_BUILD_VILLAGE, "build a Village, its Camps come home"),
    options.REVEAL_TWO: (d.TURN_ACTION_REVEAL_ANIMALS, "reveal 2 Animals"),
    options.HUNT: (d.TURN_ACTION_HUNT, "take an Animal"),
    options.TIP: (d.TURN_ACTION_TIP, "tip an Animal"),
    options.BOTTOM: (d.TURN_ACTION_BOTTOM, "the bottom action"),
    options.DRAW: (d.TURN_ACTION_DRAW, "draw a card"),
    options.PLAY: (d.TURN_ACTION_PLAY_TRIBE_CARD, "play a Tribe card"),
    options.CULTURE: (d.TURN_ACTION_PLAY_CULTURE_CARD, "play a Culture card"),
    options.EAT: (d.TURN_ACTION_EAT_FOOD, "spend Food for Labor"),
    options.USE: (d.TURN_ACTION_USE_CARD, "use a card"),
    options.LEAD: (d.TURN_ACTION_USE_CHIEF, "use your Chief"),
    options.PAY: (d.TURN_ACTION_USE_TOKEN, "use the Rest token"),
}
_KINDS: Final[dict[int, d.ObstacleKind.ValueType]] = {
    offers.LABOR: d.OBSTACLE_KIND_LABOR,
    offers.TOOLS: d.OBSTACLE_KIND_TOOLS,
    offers.FOOD: d.OBSTACLE_KIND_FOOD,
    offers.CARDS: d.OBSTACLE_KIND_CARDS,
    offers.SECTION: d.OBSTACLE_KIND_SECTION_CLOSED,
    offers.NOT_FIRST: d.OBSTACLE_KIND_NOT_FIRST,
    offers.NO_CAMP: d.OBSTACLE_KIND_NO_CAMP,
    offers.NO_CAMP_TO_MOVE: d.OBSTACLE_KIND_NO_CAMP_TO_MOVE,
    offers.NO_VILLAGE: d.OBSTACLE_KIND_NO_VILLAGE,
    offers.NO_SITE: d.OBSTACLE_KIND_NO_SITE,
    offers.STONE_SPACES: d.OBSTACLE_KIND_STONE_SPACES,
    offers.NO_STONE: d.OBSTACLE_KIND_NO_STONE,
    offers.NO_ANIMAL: d.OBSTACLE_KIND_NO_ANIMAL,
    offers.GROUNDS_EMPTY: d.OBSTACLE_KIND_GROUNDS_EMPTY,
    offers.GROUNDS_FULL: d.OBSTACLE_KIND_GROUNDS_FULL,
    offers.NO_ANIMAL_CARDS: d.OBSTACLE_KIND_NO_ANIMAL_CARDS,
    offers.DECK_USED: d.OBSTACLE_KIND_DECK_USED,
    offers.NO_TRIBE_CARD: d.OBSTACLE_KIND_NO_TRIBE_CARD,
    offers.FRESH: d.OBSTACLE_KIND_FRESH,
    offers.USED: d.OBSTACLE_KIND_USED,
    offers.ELSEWHERE: d.OBSTACLE_KIND_WORKS_ELSEWHERE,
    offers.CONDITION: d.OBSTACLE_KIND_CONDITION,
    offers.NOTHING_TO_GAIN: d.OBSTACLE_KIND_NOTHING_TO_GAIN,
    offers.AT_REST: d.OBSTACLE_KIND_AT_REST,
    offers.TOO_LATE: d.OBSTACLE_KIND_TOO_LATE,
    offers.DRAW_FIRST: d.OBSTACLE_KIND_DRAW_FIRST,
    offers.NO_CHIEF: d.OBSTACLE_KIND_NO_CHIEF,
    offers.NO_JUNCTURE: d.OBSTACLE_KIND_NO_JUNCTURE,
}
NO_ABILITY: Final = -1  # the offer is about no ability
_SECTION_NAMES: Final = ("top", "middle", "bottom")
# What each says; {} is what there is.
_WORDS: Final[dict[int, str]] = {
    offers.NOT_FIRST: "another figure was the first here in this round",
    offers.NO_CAMP: "all your Camps are on the map",
    offers.NO_CAMP_TO_MOVE: "you have no Camp on the map",
    offers.NO_VILLAGE: "all your Villages are built",
    offers.NO_SITE: "no free juncture has a Camp of yours on each of its 3 hexes",
    offers.STONE_SPACES: "your {} spaces for Sacred Stones are covered",
    offers.NO_STONE: "no Sacred Stone is left",
    offers.NO_ANIMAL: "you have no Animal to tip",
    offers.GROUNDS_EMPTY: "the Hunting Grounds are empty",
    offers.GROUNDS_FULL: "the Hunting Grounds are full",
    offers.NO_ANIMAL_CARDS: "the Animal deck is empty",
    offers.NO_TRIBE_CARD: "you have no Tribe card in hand",
    offers.USED: "it was used in this turn",
    offers.NOTHING_TO_GAIN: "it would bring nothing now",
    offers.AT_REST: "no Tribe cards are played at Rest",
    offers.TOO_LATE: "Culture cards are played before the figure",
    offers.DRAW_FIRST: "the draw comes first",
    offers.NO_CHIEF: "only in the turn of your Chief figure",
    offers.NO_JUNCTURE: "no juncture is free",
    offers.CARDS: "you have {} cards in hand",
}
_STOCKS: Final = {offers.LABOR: icons.LABOR, offers.TOOLS: icons.TOOL, offers.FOOD: icons.FOOD}


def offers_of(
    words: Words, position: Position, found: list[Offer], *, skip_labels: bool
) -> list[d.ActionOffer]:
    return [_offer(words, position, offer, skip_labels=skip_labels) for offer in found]


def _offer(words: Words, position: Position, offer: Offer, *, skip_labels: bool) -> d.ActionOffer:
    in_column = position.place != icons.REST and offer.section != actions.NO_SECTION
    action, said = ACTIONS.get(offer.verb, (d.TURN_ACTION_MODULE, "an action of a module"))
    about = _ABOUT.get(offer.verb) if offer.code else None
    source, ability = None, NO_ABILITY
    if about is not None:
        source, ability, said = about(words, position, offer)
    if offer.verb == options.BOTTOM:
        said += f" ({BOTTOMS[position.place]})"
    # What an ability costs is in its own words.
    if offer.cost and ability == NO_ABILITY:
        said += f": {phrases.price(offer.cost)}"
    return d.ActionOffer(
        action=action,
        section=SECTIONS[offer.section] if in_column else enums.SECTION_UNSPECIFIED,
        costs=effects.terms(offer.cost),
        source=source,
        ability=max(ability, 0),
        obstacles=[
            _obstacle(position, offer, one, skip_labels=skip_labels) for one in offer.obstacles
        ],
        text="" if skip_labels else "; ".join([said, *_reasons(position, offer)]),
    )


def _obstacle(
    position: Position, offer: Offer, obstacle: Obstacle, *, skip_labels: bool
) -> d.Obstacle:
    kind, needed, had, which = obstacle
    in_column = kind == offers.SECTION and position.place != icons.REST
    elsewhere = kind == offers.ELSEWHERE
    return d.Obstacle(
        kind=_KINDS[kind],
        needed=needed,
        had=had,
        section=SECTIONS[which] if in_column else enums.SECTION_UNSPECIFIED,
        seat=which if kind == offers.NOT_FIRST else None,
        column=PLACES[which] if elsewhere else enums.ACTION_SPACE_UNSPECIFIED,
        condition=effects.condition(which, needed) if kind == offers.CONDITION else None,
        text="" if skip_labels else _words(position, offer, obstacle),
    )


def _reasons(position: Position, offer: Offer) -> list[str]:
    """All obstacles in words; what is short in one: "you have 0 Labor and 0 Tools"."""
    short = [
        phrases.amount(_STOCKS[kind], had) for kind, _, had, _ in offer.obstacles if kind in _STOCKS
    ]
    found = [f"you have {' and '.join(short)}"] if short else []
    return found + [
        _words(position, offer, one) for one in offer.obstacles if one[0] not in _STOCKS
    ]


def _words(position: Position, offer: Offer, obstacle: Obstacle) -> str:
    kind, needed, had, which = obstacle
    if kind in _STOCKS:
        return f"you have {phrases.amount(_STOCKS[kind], had)}"
    if kind == offers.SECTION:
        if position.place == icons.REST:
            return "it is done once in a turn"
        done = f"the {_SECTION_NAMES[which]} action was taken"
        if offer.section == which:
            return f"{done}, once in a turn"
        return f"the {_SECTION_NAMES[offer.section]} section is closed: {done}"
    if kind == offers.DECK_USED:
        return (
            "its deck was used in this turn" if offer.code else "all decks were used in this turn"
        )
    if kind == offers.FRESH:
        return (
            "initiated in this turn" if offer.code else "those in hand were initiated in this turn"
        )
    if kind == offers.ELSEWHERE:
        return f"it works in {phrases.PLACE_NAMES[which]}"
    if kind == offers.CONDITION:
        return f"you have {had} of the {needed} it needs"
    return _WORDS[kind].format(had)


# --- offers about one card, Chief or token: where from, which ability, in words ---

_About = tuple[ids.Source, int, str]


def _deck(words: Words, _: Position, offer: Offer) -> _About:
    card = options.a_of(offer.code)
    return ids.Source(card_id=words.cards[card]), NO_ABILITY, f"initiate {_title(words, card)}"


def _card(words: Words, _: Position, offer: Offer) -> _About:
    card = options.a_of(offer.code)
    return ids.Source(card_id=words.cards[card]), NO_ABILITY, f"play {_title(words, card)}"


def _ability(words: Words, _: Position, offer: Offer) -> _About:
    card, number = options.a_of(offer.code), options.b_of(offer.code)
    effect_ = words.tables.cards[card].abilities[number]
    said = f"use {_title(words, card)}: {phrases.ability(effect_, where=False)}"
    return ids.Source(card_id=words.cards[card]), number, said


def _chief(words: Words, position: Position, offer: Offer) -> _About:
    # FIG-06: it can only be the own one.
    chief = position.players[position.agenda[-1][1]].chief
    number = options.a_of(offer.code)
    side = words.tables.chiefs[chief]
    said = f"use your Chief {side.title}: {phrases.ability(side.abilities[number])}"
    return ids.Source(chief_id=words.chiefs[chief]), number, said


def _token(words: Words, position: Position, offer: Offer) -> _About:
    token, _ = unused_effects(position)
    number = options.source_of(offer.code) & 255
    effects_: list[Ability] = words.tables.rest_tokens[token].effects
    said = f"use the Rest token {words.tables.rest_tokens[token].title}: "
    said += phrases.ability(effects_[number])
    return ids.Source(token_id=words.rest_tokens[token]), number, said


def _title(words: Words, card: int) -> str:
    return words.tables.cards[card].title


_ABOUT: Final[dict[int, Callable[[Words, Position, Offer], _About]]] = {
    options.INITIATE: _deck,
    options.PLAY: _card,
    options.CULTURE: _card,
    options.USE: _ability,
    options.LEAD: _chief,
    options.PAY: _token,
}
