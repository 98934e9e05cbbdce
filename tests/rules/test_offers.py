"""Why not: what step 2 offers, with its cost, and why some of it is closed.

Random play shows that the answer agrees with the legal options and with what is paid, in every
kind of game; scenes show the single reasons.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.rules import actions, agenda, events, icons, options
from endless_winter.rules import offers as why
from tests.rules.scene import CARDS, scene
from tests.rules.walk import ALL, EXTRAS, OTHERS, RIVERS, SOLO, name_of, random_of, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from endless_winter.rules import Game
    from endless_winter.rules.offers import Offer
    from tests.rules.scene import Scene

FEW = (*range(0, 36, 9), *SOLO[:1], *EXTRAS[:2], *RIVERS[:2], *ALL[:2], *OTHERS[:2])
MANY = (*range(36), *SOLO, *EXTRAS, *RIVERS, *ALL, *OTHERS)


def asked(numbers: Iterable[int]) -> Iterator[tuple[int, Game]]:
    for number in numbers:
        for game in walk(number):
            if game.decision is not None:
                yield number, game


def agree(number: int, game: Game) -> None:
    """An option for each open offer, one open offer for each option, a reason for all the rest."""
    legal = game.options()
    found = game.offers()
    assert bool(found) == (game.position.agenda[-1][0] == agenda.ACT)
    for offer in found:
        said = f"{name_of(number)}: verb {offer.verb}, code {offer.code}, {offer.obstacles}"
        assert offer.is_open(legal) == (not offer.obstacles), said
        for _, needed, had, _ in offer.obstacles:
            assert not needed or had < needed or needed == actions_camps(offer), said
    if found:
        for code in legal:
            own = [one for one in found if not one.obstacles and one.is_open([code])]
            assert len(own) == (code != options.option(options.END)), game.text(code)


def actions_camps(offer: Offer) -> int:
    """A Village needs three Camps on the right hexes: there may be three elsewhere."""
    return 3 if offer.verb == options.SETTLE else -1


def paid(game: Game, code: int) -> dict[int, int] | None:
    """What leaves the seat's board for an option, by icon; None: it ends the turn as well."""
    after = game.copy()
    after.listen()
    seat = game.position.agenda[-1][1]
    found: dict[int, int] = {}
    for kind, who, number, reason, _, _ in after.apply(code):
        if who == seat and kind == events.FOOD_EATEN:
            found[icons.FOOD] = found.get(icons.FOOD, 0) + number
        if who == seat and kind == events.FOOD_PAID and not reason:
            found[icons.FOOD] = found.get(icons.FOOD, 0) + number
        if who == seat and kind == events.TOOLS_PAID:
            found[icons.TOOL] = found.get(icons.TOOL, 0) + number
        if kind == events.TURN_ENDED:
            return None
    spent = game.position.labor - after.position.labor
    if spent > 0:
        found[icons.LABOR] = spent
    return found


def says_what_is_paid(number: int, game: Game) -> int:
    """The cost of an offer is what its options take; how many were tried."""
    tried = 0
    for offer in game.offers():
        codes = [code for code in game.options() if offer.is_open([code])]
        if offer.verb == options.EAT or not codes:
            continue
        code = codes[len(codes) // 2]
        taken = paid(game, code)
        cost = dict(zip(offer.cost[::2], offer.cost[1::2], strict=True))
        cost.pop(icons.DISCARD, None)  # asked for next
        if taken is not None and (taken or cost):
            assert taken == cost, (name_of(number), game.text(code))
            tried += 1
    return tried


def test_what_is_offered_agrees_with_the_legal_options() -> None:
    for number, game in asked(FEW):
        agree(number, game)


def test_a_cost_is_what_is_paid() -> None:
    tried = 0
    for number in FEW:
        sample = random_of(-number)
        for game in walk(number):
            if game.decision is not None and sample.random() < 0.2:
                tried += says_what_is_paid(number, game)
    assert tried > 150


@pytest.mark.soak
def test_both_in_every_kind_of_game() -> None:
    for number, game in asked(MANY):
        agree(number, game)
        says_what_is_paid(number, game)


def test_the_core_finds_no_reason_against_what_is_open() -> None:
    """Openness is read from the options; the reasons by themselves agree with it."""
    for _, game in asked((*range(0, 36, 12), *SOLO[:1])):
        position = game.position
        player = position.players[position.agenda[-1][1]]
        for offer in game.offers():
            for action in actions.ACTIONS:
                here = action.place in (0, position.place)
                if here and action.verb == offer.verb and not offer.code and not offer.obstacles:
                    assert why.obstacles(position, player, action) == []


# --- single reasons ---


def table(place: str, **fields: object) -> Scene:
    found = scene(2).player(0, **fields).turn(0)
    return found.do(f"place tribe {place}")


def reasons(found: Scene, verb: int, code: int = 0) -> list[tuple[int, int, int, int]]:
    (offer,) = [one for one in found.game.offers() if one.verb == verb and one.code == code]
    return offer.obstacles


@pytest.mark.rule("HUN-02")
@pytest.mark.rule("LAB-05")
def test_what_is_missing_for_an_animal_is_counted() -> None:
    hunt = table("hunt", tools=0, hand=["hunter"]).grounds("woolly_rhino")
    assert reasons(hunt, options.HUNT) == [(why.LABOR, 2, 0, 0), (why.TOOLS, 1, 0, 0)]


@pytest.mark.rule("FIG-02")
@pytest.mark.rule("FIG-04")
def test_the_bottom_action_closes_the_others() -> None:
    hunt = table("hunt", tools=3, animals=["woolly_rhino"], hand=["hunter"]).do("bottom")
    assert reasons(hunt, options.HUNT) == [(why.SECTION, 0, 0, actions.BOTTOM)]
    assert reasons(hunt, options.TIP) == [(why.SECTION, 0, 0, actions.BOTTOM)]
    assert reasons(hunt, options.BOTTOM) == [(why.SECTION, 0, 0, actions.BOTTOM)]


@pytest.mark.rule("FIG-03")
def test_the_middle_action_closes_the_top_and_itself() -> None:
    hunt = table("hunt", animals=["woolly_rhino", "woolly_rhino"], food=0)
    hunt.do("tip woolly_rhino")
    assert reasons(hunt, options.REVEAL_TWO) == [(why.SECTION, 0, 0, actions.MIDDLE)]
    assert reasons(hunt, options.TIP) == [(why.SECTION, 0, 0, actions.MIDDLE)]
    assert reasons(hunt, options.BOTTOM) == []


@pytest.mark.rule("FIG-04")
def test_the_bottom_action_belongs_to_the_first_figure() -> None:
    second = scene(2).player(1, hand=["hunter"]).turn(0)
    second.do("place tribe hunt", "end", "place tribe hunt")
    assert reasons(second, options.BOTTOM) == [(why.NOT_FIRST, 0, 0, 0)]


@pytest.mark.rule("MIG-04")
def test_a_village_wants_camps_around_a_juncture_and_food() -> None:
    migrate = table("migrate", camps=[1, 2, 18], food=2, tools=1)
    assert reasons(migrate, options.SETTLE) == [(why.FOOD, 3, 2, 0), (why.NO_SITE, 3, 3, 0)]


@pytest.mark.rule("MIG-01")
def test_with_all_camps_placed_there_is_none_to_place() -> None:
    migrate = table("migrate", camps=[0, 0, 1, 1, 2], tools=1)
    assert reasons(migrate, options.PITCH) == [(why.NO_CAMP, 1, 0, 0)]


@pytest.mark.rule("LAB-06")
@pytest.mark.rule("INI-01")
def test_an_initiated_card_waits_and_its_deck_is_used() -> None:
    initiate = table("initiate", tools=2, food=5, hand=["brave"])
    initiate.do("play brave", "initiate elder")
    elder = CARDS["elder"]
    played = options.option(options.PLAY, elder)
    again = options.option(options.INITIATE, elder)
    assert reasons(initiate, options.PLAY, played) == [(why.FRESH, 0, 0, 0)]
    assert reasons(initiate, options.INITIATE, again) == [(why.DECK_USED, 0, 0, 0)]


@pytest.mark.rule("CUL-04")
def test_a_culture_card_comes_too_late_in_step_2() -> None:
    hunt = table("hunt", hand=["smoked_meat"])
    code = options.option(options.CULTURE, CARDS["smoked_meat"])
    assert reasons(hunt, options.CULTURE, code) == [(why.TOO_LATE, 0, 0, 0)]


@pytest.mark.rule("RST-01")
@pytest.mark.rule("RST-02")
def test_at_rest_the_draw_comes_first_and_no_tribe_card_is_played() -> None:
    rest = table("rest", hand=["hunter"], deck=["brave"], animals=["woolly_rhino"])
    code = options.option(options.PLAY, CARDS["hunter"])
    assert reasons(rest, options.TIP) == [(why.DRAW_FIRST, 0, 0, 0)]
    assert reasons(rest, options.PLAY, code) == [(why.AT_REST, 0, 0, 0)]
    rest.do("draw")
    assert reasons(rest, options.DRAW) == [(why.SECTION, 0, 0, actions.TOP)]
    assert reasons(rest, options.TIP) == []


@pytest.mark.rule("FIG-06")
def test_the_chief_helps_in_the_turn_of_its_figure_only() -> None:
    lead = [one for one in table("hunt").game.offers() if one.verb == options.LEAD]
    assert lead
    assert all(one.obstacles == [(why.NO_CHIEF, 0, 0, 0)] for one in lead)
