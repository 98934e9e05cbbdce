"""Warriors, Sea Cows and the Mammoth in the words of the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.rules import Config, Game
from endless_winter.v1 import catalog_pb2, event_pb2
from endless_winter.v1 import decision_pb2 as d
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.views import PublicEncoder, Scribe, catalog_of, happened, match, public_view
from tests.rules.scene import TABLES, scene
from tests.views.redaction import WORDS

if TYPE_CHECKING:
    from tests.rules.scene import Scene

BOTH = ("warriors", "mammoth")


def wild(at: int = 255) -> Scene:
    return scene(3, modules=BOTH).table(module_state=[b"", bytes((at,))])


def offered(table: Scene, text: str) -> d.Option:
    scribe = Scribe(WORDS, table.position.config)
    decision = d.Decision.FromString(scribe.decision_bytes(table.game, 1))
    (found,) = [one for one in decision.options if one.text == text]
    return found


def answered(table: Scene, option: d.Option) -> str:
    """The option that the move alone is understood as."""
    scribe = Scribe(WORDS, table.position.config)
    place = match(d.Answer(move=option.move), table.game, scribe)
    return table.texts[place]


def public_events(table: Scene, text: str) -> list[event_pb2.PublicEvent]:
    table.game.listen()
    events = table.game.apply(table.game.parse(text))
    return [
        event_pb2.PublicEvent.FromString(one.public)
        for one in happened(WORDS, table.position, events)
    ]


# --- Warriors ---


@pytest.mark.rule("RAF-15")
def test_a_raid_names_the_owner_of_the_camp() -> None:
    table = wild().player(1, camps=[7]).player(2, camps=[7]).gain(0, "raid")
    one = offered(table, "raid 2 7>8")
    assert one.label == "Move a Camp of seat 2 from hex 7 to hex 8"
    gain = one.move.gain
    assert (gain.taken, gain.amount) == (enums.ICON_CAMP_MOVE_OPPONENT, 1)
    move = gain.target.camp_move
    assert (move.owner_seat, move.from_site.hex, move.to_hex) == (2, 7, 8)
    assert answered(table, one) == "raid 2 7>8"


@pytest.mark.rule("RAF-15")
def test_the_public_event_says_who_moved_whose_camp() -> None:
    table = wild().player(2, camps=[7]).gain(0, "raid")
    (event,) = [one for one in public_events(table, "raid 2 7>8") if one.HasField("camp_moved")]
    moved = event.camp_moved
    assert (moved.owner_seat, moved.by_seat) == (2, 0)
    assert (moved.from_site.hex, moved.to_site.hex) == (7, 8)


@pytest.mark.rule("RAF-15")
def test_the_view_shows_the_decks_that_are_in_play() -> None:
    table = wild().tribe_deck("warrior", 7)
    decks = public_view(WORDS, table.position).supply.tribe_decks
    assert {deck.card_id: deck.count for deck in decks}["warrior"] == 7
    assert "pathfinder" not in {deck.card_id for deck in decks}
    plain = public_view(WORDS, scene(2).position).supply.tribe_decks
    assert "warrior" not in {deck.card_id for deck in plain}


@pytest.mark.rule("RAF-15")
def test_the_label_of_a_setup_card_says_warrior() -> None:
    for modules, title, other in (
        (("warriors",), "Warrior", "Pathfinder"),
        ((), "Pathfinder", "Warrior"),
    ):
        config = Config(TABLES, 4, setup_draft=True, modules=modules)
        game = Game.new(config, bytes(32))
        while (decision := game.decision) is not None and decision.kind_name != "choose_setup":
            game.apply(decision.default)
        asked = d.Decision.FromString(Scribe(WORDS, config).decision_bytes(game, 1))
        labels = " ".join(one.label for one in asked.options)
        assert title in labels
        assert other not in labels


# --- the Mammoth ---


@pytest.mark.rule("MAM-01")
def test_the_view_says_where_it_stands() -> None:
    for at in (255, 0, 23):
        position = wild(at).position
        view = public_view(WORDS, position)
        assert view.HasField("mammoth")
        assert view.mammoth.HasField("juncture") == (at != 255)
        assert view.mammoth.juncture == (0 if at == 255 else at)
        assert view.ByteSize() == len(PublicEncoder(WORDS).encode(position))
    assert not public_view(WORDS, scene(2).position).HasField("mammoth")


@pytest.mark.rule("MAM-01")
def test_in_migrate_it_is_a_move_of_its_own() -> None:
    table = wild().table(labor=4).do("place tribe migrate")
    one = offered(table, "drive 6")
    assert one.label == "Put the Mammoth on juncture 6 for 2 Labor"
    assert one.move.place_mammoth.juncture == 6
    assert answered(table, one) == "drive 6"


@pytest.mark.rule("MAM-01")
def test_of_a_pool_it_takes_two_camp_moves() -> None:
    table = wild().player(0, camps=[7]).gain(0, "move 2")
    one = offered(table, "mammoth 6")
    assert one.label == "Put the Mammoth on juncture 6 for 2 Camp moves"
    gain = one.move.gain
    assert (gain.taken, gain.amount) == (enums.ICON_CAMP_MOVE, 2)
    assert gain.target.mammoth.juncture == 6
    assert answered(table, one) == "mammoth 6"


@pytest.mark.rule("MAM-01")
def test_the_public_event_says_where_it_goes() -> None:
    table = wild().player(0, camps=[7]).gain(0, "move 2")
    moved = [
        one.mammoth_moved
        for one in public_events(table, "mammoth 6")
        if one.HasField("mammoth_moved")
    ]
    assert [(one.seat, one.juncture) for one in moved] == [(0, 6)]


# --- the catalogue ---


@pytest.mark.rule("RAF-13", "RAF-15")
def test_the_catalogue_has_the_cards() -> None:
    catalog = catalog_of(WORDS)
    (warrior,) = [card for card in catalog.cards if card.item.id == "warrior"]
    assert (warrior.kind, warrior.item.copies) == (catalog_pb2.CARD_KIND_TRIBE, 15)
    assert warrior.item.text == (
        "1.5 Labor, in Migrate: 1 Tool; "
        "Eclipse: move a Camp from hex to hex, move an opponent's Camp"
    )
    (sea_cow,) = [animal for animal in catalog.animals if animal.item.id == "sea_cow"]
    assert (sea_cow.item.copies, list(sea_cow.set_points)) == (5, [2, 5])
    assert list(sea_cow.nomad_set_points) == [2, 5]
    assert [(term.icon, term.amount) for term in sea_cow.tip.gains] == [(enums.ICON_FISH, 2)]
