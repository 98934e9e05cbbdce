"""What step 2 offers and why not: in words and as data, for who asks, and nobody else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.rules import Config, Game, actions, options
from endless_winter.rules import offers as core
from endless_winter.v1 import decision_pb2 as d
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.views import Scribe
from endless_winter.views import offers as shown
from tests.rules.scene import TABLES, scene
from tests.rules.walk import ALL, EXTRAS, RIVERS, SOLO, walk
from tests.views.redaction import WORDS

if TYPE_CHECKING:
    import pytest

    from tests.rules.scene import Scene

FEW = (0, 13, *SOLO[:1], *EXTRAS[:1], *RIVERS[:1], *ALL[:1])
ACT = d.DECISION_KIND_ACT


def explained(table: Scene) -> d.Decision:
    found = Scribe(WORDS, Config(TABLES)).decision(table.game, 1, explain=True)
    assert found is not None
    return found


def texts(table: Scene) -> list[str]:
    return [offer.text for offer in explained(table).offers]


def labels(table: Scene) -> dict[str, d.Option]:
    return {option.label: option for option in explained(table).options}


def test_an_animal_says_its_price_and_what_is_missing() -> None:
    hunt = scene(2).player(0, tools=0, hand=["hunter"]).turn(0).grounds("woolly_rhino")
    hunt.do("place tribe hunt", "play hunter")
    assert "take an Animal: 1 Labor and 1 Tool; you have 0 Tools" in texts(hunt)
    (offer,) = [one for one in explained(hunt).offers if one.action == d.TURN_ACTION_HUNT]
    assert offer.section == enums.SECTION_TOP
    assert [(one.icon, one.amount) for one in offer.costs] == [
        (enums.ICON_LABOR, 2),
        (enums.ICON_TOOL, 1),
    ]
    (why,) = offer.obstacles
    assert (why.kind, why.needed, why.had) == (d.OBSTACLE_KIND_TOOLS, 1, 0)
    assert why.text == "you have 0 Tools"


def test_what_is_short_is_said_in_one() -> None:
    hunt = scene(2).player(0, hand=["hunter"]).turn(0).grounds("woolly_rhino")
    hunt.do("place tribe hunt")
    assert "take an Animal: 1 Labor and 1 Tool; you have 0 Labor and 0 Tools" in texts(hunt)


def test_a_closed_section_says_what_closed_it() -> None:
    hunt = scene(2).player(0, tools=3, hand=["hunter"]).turn(0).do("place tribe hunt", "bottom")
    found = texts(hunt)
    assert (
        "take an Animal: 1 Labor and 1 Tool; the top section is closed: the bottom action was taken"
    ) in found
    assert "tip an Animal; the middle section is closed: the bottom action was taken" in found
    (offer,) = [one for one in explained(hunt).offers if one.action == d.TURN_ACTION_TIP]
    (why,) = offer.obstacles
    assert (why.kind, why.section) == (d.OBSTACLE_KIND_SECTION_CLOSED, enums.SECTION_BOTTOM)


def test_who_was_first_is_data() -> None:
    second = scene(2).player(1, hand=["hunter"]).turn(0)
    second.do("place tribe hunt", "end", "place tribe hunt")
    (offer,) = [one for one in explained(second).offers if one.action == d.TURN_ACTION_BOTTOM]
    assert offer.obstacles[0].seat == 0
    assert offer.text == (
        "the bottom action (the top Animal of the deck); "
        "another figure was the first here in this round"
    )


def test_an_option_says_what_it_costs_and_closes() -> None:
    hunt = scene(2).player(0, tools=1, hand=["hunter"], animals=["woolly_rhino"]).turn(0)
    hunt.grounds("woolly_rhino").do("place tribe hunt", "play hunter")
    found = labels(hunt)
    bottom = found[
        "Take the bottom action: the top Animal of the deck; closes the top and middle sections"
    ]
    assert list(bottom.closes) == [
        enums.SECTION_TOP,
        enums.SECTION_MIDDLE,
        enums.SECTION_BOTTOM,
    ]
    (tip,) = [one for label, one in found.items() if label.startswith("Tip")]
    assert tip.label.endswith("; closes the top section")
    assert list(tip.closes) == [enums.SECTION_TOP, enums.SECTION_MIDDLE]
    animal = found["Hunt a Woolly Rhino for 1 Labor and 1 Tool"]
    assert [(one.icon, one.amount) for one in animal.costs] == [
        (enums.ICON_LABOR, 2),
        (enums.ICON_TOOL, 1),
    ]
    assert not animal.closes
    hunt.do("tip woolly_rhino")
    while "bottom" not in hunt.texts:
        hunt.do(hunt.texts[-1])
    (bottom,) = [one for label, one in labels(hunt).items() if "bottom action" in label]
    assert list(bottom.closes) == [enums.SECTION_BOTTOM]
    assert "closes" not in bottom.label


def test_a_second_culture_card_costs_a_discard() -> None:
    turn = scene(2).player(0, hand=["smoked_meat", "spear_thrower", "brave"]).turn(0)
    (first,) = [one for label, one in labels(turn).items() if "Smoked Meat" in label]
    assert not first.costs
    turn.do("culture smoked_meat")
    while turn.kind != "turn":
        turn.do(turn.texts[-1])
    (second,) = [one for label, one in labels(turn).items() if "Spear-Thrower" in label]
    assert [one.icon for one in second.costs] == [enums.ICON_DISCARD]
    assert second.label.endswith("for a discarded card")


def test_every_kind_of_game_is_explained_in_words() -> None:
    """Every action and reason of the core has a number in the contract and a sentence."""
    for number in FEW:
        for game in walk(number):
            found = Scribe(WORDS, game.position.config).decision(game, 1, explain=True)
            if found is None:
                continue
            assert bool(found.offers) == (found.kind == ACT)
            for offer in found.offers:
                assert offer.action not in (d.TURN_ACTION_UNSPECIFIED, d.TURN_ACTION_MODULE)
                assert offer.text
                assert all(one.kind and one.text for one in offer.obstacles)


def test_every_reason_of_the_core_has_a_number_and_words() -> None:
    kinds = {getattr(core, name) for name in vars(core) if name.isupper() and name[0] != "_"}
    kinds = {kind for kind in kinds if isinstance(kind, int)}
    assert set(shown._KINDS) == kinds
    verbs = {action.verb for action in actions.ACTIONS} | {options.USE, options.LEAD, options.PAY}
    assert shown.ACTIONS.keys() >= verbs


def test_who_does_not_ask_gets_none_of_it_and_it_is_never_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Not a byte and not a call: the promise to bots, counted."""
    made: list[Game] = []
    real = Game.offers

    def counted(game: Game) -> list[core.Offer]:
        made.append(game)
        return real(game)

    monkeypatch.setattr(Game, "offers", counted)
    sizes = {True: 0, False: 0}
    for number in FEW:
        scribe = None
        for game in walk(number):
            scribe = scribe or Scribe(WORDS, game.position.config)
            for explain in (False, True):
                before = len(made)
                body = scribe.decision_bytes(game, 1, explain=explain)
                assert len(made) - before == (explain and bool(body))
                sizes[explain] += len(body)
                if not explain:
                    plain = d.Decision.FromString(body)
                    assert not plain.offers
                    assert not any(one.costs or one.closes for one in plain.options)
                elif body:
                    # Beside the explanations both are the same.
                    full = d.Decision.FromString(body)
                    del full.offers[:]
                    for one in full.options:
                        one.ClearField("costs")
                        one.ClearField("closes")
                    assert full == plain
    assert sizes[True] > sizes[False]


def test_without_labels_there_are_no_sentences() -> None:
    hunt = scene(2).player(0, hand=["hunter"]).turn(0).do("place tribe hunt")
    found = Scribe(WORDS, Config(TABLES)).decision(hunt.game, 1, explain=True, skip_labels=True)
    assert found is not None
    assert found.offers
    assert not any(one.text for one in found.offers)
    assert not any(why.text for one in found.offers for why in one.obstacles)
