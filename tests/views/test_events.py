"""Events: what everybody gets, and what one seat gets besides."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from endless_winter.rules import events as e
from endless_winter.rules.modules import MODULE_EVENT_NAMES
from endless_winter.rules.sources import HEX, MEGALITH, source
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import event_pb2 as v
from endless_winter.v1 import result_pb2
from endless_winter.views import Words, happened, public_view, result_of
from endless_winter.views import events as event_views
from tests.rules.scene import scene
from tests.rules.walk import ALL, EXTRAS, OTHERS, RIVERS, SOLO, begin, random_of
from tests.views.redaction import PACK, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.rules import Game
    from endless_winter.rules.state import Event
    from endless_winter.views import Happened
    from tests.rules.scene import Scene

FEW_KINDS = (*range(0, 36, 5), *SOLO[:3], *EXTRAS[:4], *RIVERS[:4], *ALL[:2], *OTHERS)


HEX_7 = source(HEX, 7)


def steps(number: int) -> Iterator[tuple[Game, list[Event]]]:
    """A walk, each step with what happened in it."""
    game = begin(number, listen=True)
    choices = random_of(number)
    yield game, game.take_events()
    while game.decision is not None:
        code = choices.option(game)
        yield game, game.apply(code)


def after(table: Scene, *texts: str) -> list[Happened]:
    """The events of some choices in a scene."""
    game = table.game
    game.listen()
    found: list[Happened] = []
    for text in texts:
        found += happened(WORDS, game.position, game.apply(game.parse(text)))
    return found


def public(one: Happened) -> v.PublicEvent:
    return v.PublicEvent.FromString(one.public)


def moved(events: list[Happened]) -> list[tuple[v.CardsMoved, Happened]]:
    return [
        (public(one).cards_moved, one)
        for one in events
        if public(one).WhichOneof("event") == "cards_moved"
    ]


def test_every_event_of_the_core_has_a_message() -> None:
    grouped = {e.PILE_REVEALED, e.NOMAD_PILE_REVEALED, e.LABOR_COUNTED, e.ORDER_MADE}
    grouped |= {*event_views._SECRET_MOVES}
    every = {*range(1, len(e.EVENT_NAMES)), *MODULE_EVENT_NAMES}
    assert grouped | event_views.PUBLIC.keys() == every


def test_every_event_says_something_and_private_parts_belong_to_a_seat() -> None:
    kinds = set()
    for number in FEW_KINDS:
        for game, happening in steps(number):
            for one in happened(WORDS, game.position, happening):
                kind = public(one).WhichOneof("event")
                assert kind is not None
                kinds.add(kind)
                assert (one.seat >= 0) == bool(one.private)
                if one.private:
                    faces = v.PrivateEvent.FromString(one.private).card_faces.cards
                    assert sum(card.count for card in faces) == public(one).cards_moved.count
    assert len(kinds) > 22


def test_events_are_written_as_protobuf_writes_them_and_alike_from_memory() -> None:
    for number in FEW_KINDS:
        for game, happening in steps(number):
            again = happened(Words(PACK), game.position, happening)
            for one, anew in zip(happened(WORDS, game.position, happening), again, strict=True):
                assert one.public == public(one).SerializeToString(deterministic=True)
                secret = v.PrivateEvent.FromString(one.private)
                assert one.private == secret.SerializeToString(deterministic=True)
                encoded = (one.public, one.seat, one.private)
                assert encoded == (anew.public, anew.seat, anew.private)


def test_numbers_too_large_for_the_cache_are_encoded_all_the_same() -> None:
    position = scene(2).turn(0).game.position
    for points in (3, 255, 256, 3 + (1 << 16)):
        for seat in (0, 1):
            (one,) = happened(WORDS, position, [(e.POINTS, seat, points, e.BY_TERRAIN, b"", HEX_7)])
            assert public(one).points_scored.points == points
            assert public(one).points_scored.seat == seat


def test_drawn_cards_are_a_number_to_all_and_faces_to_their_owner() -> None:
    table = scene(2).player(0, deck=["hunter", "elder"]).gain(0, "draw 2")
    ((draw, one),) = moved(after(table, "draw"))
    assert (draw.from_zone, draw.to_zone, draw.count) == (enums.ZONE_DECK, enums.ZONE_HAND, 1)
    assert not draw.open_cards
    assert one.seat == 0
    faces = v.PrivateEvent.FromString(one.private).card_faces.cards
    assert [card.card_id for card in faces] == ["hunter"]


def test_a_card_buried_from_the_hand_is_face_down() -> None:
    table = scene(2).player(0, hand=["hunter", "brave"]).gain(0, "bury")
    ((bury, one),) = moved(after(table, "bury hunter hand"))
    assert (bury.from_zone, bury.to_zone) == (enums.ZONE_HAND, enums.ZONE_BURIED)
    assert not bury.open_cards
    assert one.seat == 0


def test_a_card_buried_from_the_discard_pile_was_open_to_all() -> None:
    table = scene(2).player(0, hand=["brave"], discard=["hunter"]).gain(0, "bury")
    ((bury, one),) = moved(after(table, "bury hunter discard"))
    assert [card.card_id for card in bury.open_cards] == ["hunter"]
    assert (one.seat, one.private) == (-1, b"")


def test_piles_and_the_turn_order_are_one_event_each() -> None:
    met = 0
    for game, happening in steps(5):
        shown = [public(one) for one in happened(WORDS, game.position, happening)]
        for one in shown:
            if one.WhichOneof("event") == "piles_revealed":
                assert [pile.seat for pile in one.piles_revealed.piles] == [0, 1, 2, 3]
                met += 1
            if one.WhichOneof("event") == "turn_order_set":
                assert sorted(one.turn_order_set.turn_order) == [0, 1, 2, 3]
    assert met == 4


def test_turns_have_their_number() -> None:
    numbers = set()
    for game, happening in steps(3):
        for one in happened(WORDS, game.position, happening):
            event = public(one)
            if event.WhichOneof("event") == "turn_started":
                numbers.add(event.turn_started.turn_number)
                if event.turn_started.turn_number:
                    view = public_view(WORDS, game.position).turn
                    assert view.turn_number == event.turn_started.turn_number
                    assert view.active_seat == event.turn_started.seat
    assert numbers == {0, 1, 2, 3}


def test_points_add_up_to_the_score() -> None:
    for number in (1, 5, 20):
        totals = dict.fromkeys(range(4), 0)
        for game, happening in steps(number):
            for one in happened(WORDS, game.position, happening):
                event = public(one)
                if event.WhichOneof("event") == "points_scored":
                    totals[event.points_scored.seat] += event.points_scored.points
                    assert event.points_scored.category in result_pb2.ScoreCategory.values()
        result = result_of(game)
        assert result is not None
        assert [totals[seat.seat] for seat in result.seats] == [seat.score for seat in result.seats]


def test_points_by_category_can_be_followed_by_events_and_are_in_the_view_and_the_result() -> None:
    for number in (*FEW_KINDS[::3], *RIVERS[:2], *ALL[:2]):
        totals: dict[int, Counter[int]] = {seat: Counter() for seat in range(4)}
        for game, happening in steps(number):
            for one in happened(WORDS, game.position, happening):
                event = public(one)
                if event.WhichOneof("event") == "points_scored":
                    scored = event.points_scored
                    totals[scored.seat][scored.category] += scored.points
            if not game.position.over:
                for player in public_view(WORDS, game.position).players:
                    assert {one.category: one.points for one in player.points} == totals[
                        player.seat
                    ]
                    assert sum(one.points for one in player.points) == player.score
        result = result_of(game)
        assert result is not None
        for seat in result.seats:
            assert {one.category: one.points for one in seat.categories} == totals[seat.seat]


CAUSED = {
    "resource_changed",
    "points_scored",
    "animal_taken",
    "animal_tipped",
    "stone_taken",
    "camp_moved",
    "village_built",
    "megalith_set",
    "idol_moved",
    "fish_drawn",
}


def test_every_event_of_points_and_gains_names_its_cause() -> None:
    found: set[str] = set()
    for number in (*FEW_KINDS[::3], *RIVERS[:2]):
        for game, happening in steps(number):
            for one in happened(WORDS, game.position, happening):
                event = public(one)
                kind = event.WhichOneof("event")
                assert kind is not None
                body = getattr(event, kind)
                if kind == "cards_moved":  # played, discarded, piled ones have no cause
                    gained = body.to_zone in (enums.ZONE_HAND, enums.ZONE_BURIED)
                    assert not gained or body.cause.WhichOneof("origin"), event
                elif kind in CAUSED:
                    assert body.cause.WhichOneof("origin"), event
                found.add(kind)
    assert found >= CAUSED


def test_the_same_site_of_two_layouts_is_not_mixed_up_as_a_cause() -> None:
    """Events are kept for all games of a pack, and a layout has numbers of its own for sites."""
    words = Words(PACK)
    places = set()
    for layout in ("two", "three"):
        position = scene(2, layout=layout).game.position
        site = 12
        cause = source(MEGALITH, site)
        for event in (
            (e.POINTS, 0, 2, e.BY_MEGALITH, b"", cause),
            (e.CARDS_DRAWN, 0, 1, 0, b"\1", cause),
        ):
            (one,) = happened(words, position, [event])
            shown = public(one)
            at = getattr(shown, shown.WhichOneof("event") or "").cause.megalith
            sites = position.sites
            assert (at.x, at.y, at.level) == (sites.x[site], sites.y[site], sites.level[site])
            places.add((at.x, at.y))
    assert len(places) > 1


def test_food_and_tools_can_be_followed_by_events_alone() -> None:
    """After the set-up, which has no events for what it deals."""
    for number in (1, 5, 33):
        known: dict[tuple[int, enums.Icon.ValueType], int] = {}
        for game, happening in steps(number):
            for one in happened(WORDS, game.position, happening):
                event = public(one)
                if event.WhichOneof("event") == "resource_changed" and known:
                    changed = event.resource_changed
                    if changed.resource != enums.ICON_LABOR:
                        known[changed.seat, changed.resource] += changed.change
            view = public_view(WORDS, game.position)
            now = {}
            for player in view.players:
                now[player.seat, enums.ICON_FOOD] = player.food
                now[player.seat, enums.ICON_TOOL] = player.tools
            assert known in ({}, now)
            if view.turn.phase != enums.PHASE_SETUP:
                known = now


def test_a_village_brings_its_camps_home() -> None:
    for game, happening in steps(1):
        shown = [public(one) for one in happened(WORDS, game.position, happening)]
        kinds = [one.WhichOneof("event") for one in shown]
        if "village_built" in kinds:
            at = kinds.index("village_built")
            home = [one.camp_moved for one in shown[at - 3 : at]]
            assert all(move.to_site.WhichOneof("site") == "board_of_seat" for move in home)
            return
    raise AssertionError("no Village in this walk")


def test_the_first_figure_in_a_column_is_marked() -> None:
    table = scene(2).turn(0)
    placed = [public(one) for one in after(table, "place chief hunt")]
    figure = next(one.figure_placed for one in placed if one.HasField("figure_placed"))
    assert (figure.seat, figure.first, figure.figure) == (0, True, enums.FIGURE_CHIEF)
