"""Options as structured moves, and answers back to options."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import agenda, icons, options
from endless_winter.rules.hooks import FIRST_OF_MODULES
from endless_winter.rules.terrain import OUTSIDE
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import ids_pb2 as ids
from endless_winter.v1 import move_pb2 as m
from endless_winter.views import detail
from endless_winter.views.words import BURY_ZONES, FIGURES, ICONS, PLACES

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules.megaliths import Sites
    from endless_winter.views.words import Words

# What a lesser benefit is taken as (GLD-03).
_FORMS: Final[dict[int, tuple[enums.Icon.ValueType, enums.IdolTrack.ValueType]]] = {
    options.AS_FOOD: (enums.ICON_FOOD, enums.IDOL_TRACK_UNSPECIFIED),
    options.AS_TOOL: (enums.ICON_TOOL, enums.IDOL_TRACK_UNSPECIFIED),
    options.AS_DRAW: (enums.ICON_DRAW, enums.IDOL_TRACK_UNSPECIFIED),
    options.AS_OFFERING: (enums.ICON_IDOL, enums.IDOL_TRACK_OFFERING),
    options.AS_HONOR: (enums.ICON_IDOL, enums.IDOL_TRACK_HONOR),
}
# Entries that an option takes as a whole.
_WHOLE: Final = (icons.FOOD, icons.POINT, icons.LABOR)
# Records that are steps of the Eclipse, ended as a whole.
_STEPS: Final = (agenda.ECLIPSE_CARDS, agenda.ECLIPSE_TERRAIN)


def move_of(words: Words, sites: Sites, full: int) -> m.Move:
    """The move of an option in full (detail.py)."""
    if detail.index_of(full) >= 0:
        return _gain(words, sites, full)
    make = MOVES.get(options.verb_of(full))
    return make(words, full) if make is not None else m.Move()


def _site(place: int, full: int) -> ids.CampSite:
    """Where a Camp stands or goes: a hex, or its owner's place outside the board."""
    if place == OUTSIDE:
        return ids.CampSite(starting_base_of_seat=detail.seat_of(full))
    return ids.CampSite(hex=place)


def _new_camp(full: int) -> m.CampPlacement:
    return m.CampPlacement(site=_site(detail.number_of(full), full))


def _card(words: Words, full: int) -> m.CardChoice:
    return m.CardChoice(card_id=words.cards[options.a_of(full)])


def _use(words: Words, full: int) -> m.Move:
    """An ability: of a card above the board, the Chief, or a source whose cost is paid first."""
    verb = options.verb_of(full)
    kind = detail.source_of(full) >> 8
    number = detail.source_of(full) & 255
    subject = detail.subject_of(full)
    if verb == options.USE:
        source = ids.Source(card_id=words.cards[options.a_of(full)])
        ability = options.b_of(full)
    elif verb == options.LEAD:
        source = ids.Source(chief_id=words.chiefs[subject])
        ability = options.a_of(full)
    elif kind == options.ABILITY:
        source = ids.Source(card_id=words.cards[subject])
        ability = number
    elif kind == options.CARD:
        source = ids.Source(card_id=words.cards[number])
        ability = subject
    elif kind == options.TOKEN_EFFECT:
        source = ids.Source(token_id=words.rest_tokens[subject])
        ability = number
    else:
        source = ids.Source(hex=number)
        ability = 0
    return m.Move(use_ability=m.AbilityChoice(source=source, ability=ability))


def _chief(words: Words, full: int) -> m.Move:
    side = options.a_of(full)
    choice = m.ChiefSideChoice(chief_id=words.chiefs[side], side=words.chief_sides[side])
    return m.Move(choose_chief_side=choice)


def _place(_: Words, full: int) -> m.Move:
    return m.Move(
        place_figure=m.FigurePlacement(
            figure=FIGURES[options.a_of(full)], space=PLACES[options.b_of(full)]
        )
    )


def _eat(_: Words, full: int) -> m.Move:
    food = m.FoodForLabor(food=options.a_of(full), labor_halves=detail.number_of(full))
    return m.Move(spend_food=food)


def _culture(words: Words, full: int) -> m.CultureCardChoice:
    return m.CultureCardChoice(
        space=detail.number_of(full), card_id=words.cards[options.a_of(full)]
    )


def camp_move(full: int) -> m.CampMove:
    return m.CampMove(
        owner_seat=detail.seat_of(full),
        from_site=_site(options.a_of(full), full),
        to_hex=options.b_of(full),
    )


def _leave(_: Words, full: int) -> m.Move:
    if detail.number_of(full) in _STEPS:
        return m.Move(end_step=m.EndStep())
    return m.Move(leave=m.LeaveBenefits())


def _tribe(words: Words, full: int) -> m.TribeCardChoice:
    return m.TribeCardChoice(card_id=words.cards[options.a_of(full)])


def _animal(words: Words, full: int) -> m.AnimalChoice:
    place = options.b_of(full)
    return m.AnimalChoice(
        space=place - 1 if place else None, animal_id=words.animals[options.a_of(full)]
    )


def _stone(words: Words, full: int) -> m.StoneChoice:
    return m.StoneChoice(stone_id=words.stones[options.a_of(full)])


def _tip(words: Words, full: int) -> m.AnimalTip:
    return m.AnimalTip(animal_id=words.animals[options.a_of(full)])


MOVES: Final[dict[int, Callable[[Words, int], m.Move]]] = {
    options.CHIEF: _chief,
    options.SETUP: lambda words, full: m.Move(
        choose_setup_card=m.SetupCardChoice(setup_card_id=words.setups[options.a_of(full)])
    ),
    options.CULTURE: lambda words, full: m.Move(play_culture_card=_card(words, full)),
    options.PLACE: _place,
    options.PLAY: lambda words, full: m.Move(play_tribe_card=_card(words, full)),
    options.USE: _use,
    options.LEAD: _use,
    options.PAY: _use,
    options.EAT: _eat,
    options.INITIATE: lambda words, full: m.Move(initiate=_tribe(words, full)),
    options.RITE: lambda _, __: m.Move(rite=m.Rite()),
    options.DEVELOP: lambda words, full: m.Move(develop=_culture(words, full)),
    options.DEVELOP_POINT: lambda _, __: m.Move(develop=m.CultureCardChoice()),
    options.REVEAL_TWO: lambda _, full: m.Move(
        reveal_animals=m.AnimalReveal(count=detail.number_of(full))
    ),
    options.HUNT: lambda words, full: m.Move(hunt=_animal(words, full)),
    options.HUNT_POINT: lambda _, __: m.Move(hunt=m.AnimalChoice()),
    options.BOTTOM: lambda _, full: m.Move(
        take_bottom=m.BottomAction(column=PLACES[detail.column_of(full)])
    ),
    options.END: lambda _, __: m.Move(end_turn=m.EndTurn()),
    options.PITCH: lambda _, full: m.Move(place_camp=_new_camp(full)),
    options.TRAVEL: lambda _, full: m.Move(move_camp=camp_move(full)),
    options.SETTLE: lambda _, full: m.Move(
        build_village=m.VillageSite(juncture=options.a_of(full))
    ),
    options.STONE: lambda words, full: m.Move(take_stone=_stone(words, full)),
    options.TIP: lambda words, full: m.Move(tip_animal=_tip(words, full)),
    options.DISCARD: lambda words, full: m.Move(discard=_card(words, full)),
    options.PILE: lambda words, full: m.Move(add_to_pile=_card(words, full)),
    options.DONE: lambda _, __: m.Move(finish_pile=m.PileDone()),
    options.LEAVE: _leave,
    options.TOKEN: lambda _, full: m.Move(
        choose_rest_token=m.RestTokenChoice(take_next=bool(options.a_of(full)))
    ),
}


def target_of(words: Words, sites: Sites, code: int) -> m.Target | None:
    """What an option is done to, of a person or of the Nomad."""
    return _target(words, sites, code)


def _gain(words: Words, sites: Sites, full: int) -> m.Move:
    """An option that takes from the pool."""
    verb = options.verb_of(full)
    index = detail.index_of(full)
    if verb == options.TOOLS:
        split = m.ToolSplit(pool_index=index, tools=options.a_of(full), food=options.b_of(full))
        return m.Move(split_tools=split)
    icon = detail.icon_of(full)
    taken = ICONS[icon]
    target: m.Target | None
    if verb == options.AS:
        taken, track = _FORMS[options.b_of(full)]
        target = m.Target(idol_track=track) if track else None
    else:
        target = _target(words, sites, full)
    return m.Move(
        gain=m.BenefitChoice(
            pool_index=index,
            taken=taken,
            amount=_amount(full, icon),
            target=target,
        )
    )


def _amount(full: int, icon: int) -> int:
    """How many units of its entry an option uses up."""
    verb = options.verb_of(full)
    if verb == options.AS:
        return 1
    if verb >= FIRST_OF_MODULES:
        return detail.units_of(full)
    return options.a_of(full) if icon in _WHOLE else 1


def _target(words: Words, sites: Sites, full: int) -> m.Target | None:
    verb = options.verb_of(full)
    if verb == options.MEGALITH:
        site = options.a_of(full)
        return m.Target(
            megalith_site=ids.MegalithSite(
                x=sites.x[site], y=sites.y[site], level=sites.level[site]
            )
        )
    make = TARGETS.get(verb)
    return make(words, full) if make is not None else None


TARGETS: Final[dict[int, Callable[[Words, int], m.Target]]] = {
    options.OFFERING: lambda _, __: m.Target(idol_track=enums.IDOL_TRACK_OFFERING),
    options.HONOR: lambda _, __: m.Target(idol_track=enums.IDOL_TRACK_HONOR),
    options.BURY: lambda words, full: m.Target(
        card=m.CardFromZone(
            card_id=words.cards[options.a_of(full)], zone=BURY_ZONES[options.b_of(full)]
        )
    ),
    options.CAMP: lambda _, full: m.Target(camp_placement=_new_camp(full)),
    options.MOVE: lambda _, full: m.Target(camp_move=camp_move(full)),
    options.VILLAGE: lambda _, full: m.Target(village=m.VillageSite(juncture=options.a_of(full))),
    options.TRIBE: lambda words, full: m.Target(tribe_card=_tribe(words, full)),
    options.RECRUIT: lambda words, full: m.Target(tribe_card=_tribe(words, full)),
    options.TAKE: lambda words, full: m.Target(culture_card=_culture(words, full)),
    options.ANIMAL: lambda words, full: m.Target(animal=_animal(words, full)),
    options.TIP: lambda words, full: m.Target(tip=_tip(words, full)),
    options.STONE: lambda words, full: m.Target(stone=_stone(words, full)),
    options.NOMAD_CULTURE: lambda words, full: m.Target(
        culture_card=m.CultureCardChoice(
            space=options.b_of(full), card_id=words.cards[options.a_of(full)]
        )
    ),
    options.NOMAD_ANIMAL: lambda words, full: m.Target(
        animal=m.AnimalChoice(space=options.b_of(full), animal_id=words.animals[options.a_of(full)])
    ),
    options.NOMAD_BUILD: lambda _, full: m.Target(
        village=m.VillageSite(juncture=options.a_of(full))
    ),
}
