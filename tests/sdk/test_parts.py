"""A view in the game's words: complete, typed, immutable, and built only when asked."""

from __future__ import annotations

import doctest
import inspect
import random
import re
import subprocess
import sys
import typing
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter import sdk
from endless_winter.sdk import LocalTable, NotThisGame, View, model
from endless_winter.sdk.parts import printed
from endless_winter.sdk.parts.part import Part
from endless_winter.sdk.seen import Seen
from endless_winter.v1 import catalog_pb2, config_pb2, update_pb2, view_private_pb2, view_public_pb2
from tests.sdk.test_pages import CONFIGS
from tests.tools.pages import classes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from google.protobuf.descriptor import Descriptor


PARTS: list[Any] = [kind for kind in classes() if issubclass(kind, Part)]


def positions(config: config_pb2.GameConfig, every: int = 40) -> Iterator[LocalTable]:
    """A random game, now and then."""
    table, choices = LocalTable(seed=3, config=config), random.Random(3)
    while not table.over:
        if table.decision.id % every == 1:
            yield table
        table.play(choices.choice(table.decision.options))
    yield table


def fields(part: object) -> dict[str, object]:
    names = [name for name in dir(type(part)) if not name.startswith("_")]
    return {name: getattr(part, name) for name in names if is_property(part, name)}


def is_property(part: object, name: str) -> bool:
    return isinstance(getattr(type(part), name), property)


def parts_of(value: object) -> Iterator[Part[Any]]:
    """A part and everything in it, printed things left out: they are looked at on their own."""
    if isinstance(value, dict):
        value = (*value, *value.values())
    if isinstance(value, tuple):
        for one in value:
            yield from parts_of(one)
    elif isinstance(value, Part):
        yield value
        if not isinstance(value, printed.Printed):
            for one in fields(value).values():
                yield from parts_of(one)


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
def test_everything_can_be_looked_at_in_every_kind_of_game(config: config_pb2.GameConfig) -> None:
    for table in positions(config):
        for seat in (None, *range(table.players)):
            view = table.view(seat)
            for name in dir(View):
                if name.startswith("_") or (seat is None and name in OWN):
                    continue
                for part in parts_of(getattr(view, name)):
                    assert re.fullmatch(r"<.+>", repr(part))
                    assert part == type(part)(part.raw, table.catalog)
                    assert hash(part) == hash(type(part)(part.raw, table.catalog))


OWN = {"me", "hand", "fresh", "deck", "buried", "eclipse_pile", "private"}


def test_a_spectator_has_no_secrets() -> None:
    view = LocalTable(seed=1).view(None)
    for name in OWN:
        with pytest.raises(NotThisGame, match="a spectator has no"):
            getattr(view, name)


def message_of(kind: Any) -> Descriptor:
    (base,) = [base for base in kind.__orig_bases__ if typing.get_args(base)]
    found: Descriptor = typing.get_args(base)[0].DESCRIPTOR
    return found


def messages(top: Descriptor) -> Iterator[Descriptor]:
    yield top
    for field in top.fields:
        if field.message_type is not None:
            yield from messages(field.message_type)


# Small messages that have no class: numbers by seat, multisets, places; each is read where it is.
PLAIN = {
    "CardCount", "SeatCount", "TokenCount", "DeckSize", "CardSpace", "AnimalSpace", "PlacedFigure",
    "GlacierTokenView", "MegalithSite", "RaftView", "CategoryScore", "ColumnsView", "TerrainView",
    "MammothView", "Source", "SectionSource", "BoardSource", "IdolSource",
    "ModuleConfig", "RiversConfig", "NomadConfig",
}  # fmt: skip
# A convenience of the contract that is derived here, and a number that only the contract needs.
DERIVED = {"HexView.kind", "PendingBenefit.index"}


TOPS: Any = (view_public_pb2.PublicView, view_private_pb2.PrivateView, config_pb2.GameConfig)


@pytest.mark.parametrize("top", TOPS)
def test_every_field_of_the_contract_is_shown(top: Any) -> None:
    by_message = {message_of(kind).name: kind for kind in PARTS}
    by_message[view_public_pb2.PublicView.DESCRIPTOR.name] = View
    by_message[view_private_pb2.PrivateView.DESCRIPTOR.name] = View
    for message in messages(top.DESCRIPTOR):
        if message.name in PLAIN:
            continue
        source = inspect.getsource(by_message[message.name])
        for field in message.fields:
            if f"{message.name}.{field.name}" not in DERIVED and field.name != "seat":
                assert f".{field.name}" in source, f"{message.name}.{field.name}"


def test_every_printed_thing_can_be_looked_at() -> None:
    catalog = LocalTable(seed=1).catalog
    seen = 0
    for field in catalog_pb2.Catalog.DESCRIPTOR.fields:
        find = getattr(catalog, field.name.removesuffix("s"), None)
        if not callable(find) or field.message_type is None:
            continue
        for raw in getattr(catalog.raw, field.name):
            thing = find(raw.item.id)
            assert thing is find(raw.item.id)
            assert (thing.id, thing.name, thing.text) == (raw.item.id, raw.item.name, raw.item.text)
            for value in fields(thing).values():
                assert all(repr(part) for part in parts_of(value))
            seen += 1
    assert seen > 100
    with pytest.raises(NotThisGame, match="unheard_of"):
        catalog.card("unheard_of")


def test_the_words_say_what_the_messages_say() -> None:
    table, choices = LocalTable(players=3, seed=5), random.Random(5)
    while table.view(table.seat).round < 3:
        table.play(choices.choice(table.decision.options))
    view = table.view(table.seat)
    me = view.public.players[table.seat]
    assert view.me.food == me.food
    assert view.me.animals[0].animal.id == me.animals[0].animal_id
    assert len(view.hand) == view.me.hand_count == sum(one.count for one in view.private.hand)
    for card in view.hand:
        assert card.labor == table.catalog.cards[card.id].labor_halves / 2
        assert card.points == table.catalog.cards[card.id].end_points
    assert sum(view.me.points.values()) == view.me.score
    assert view.phase == view.turn.phase == "action"
    assert view.turn.choosing_seat == table.seat
    assert [hex_.number for hex_ in view.hexes] == list(range(19))
    for hex_ in view.hexes:
        assert all(hex_.number in view.hexes[other].neighbours for other in hex_.neighbours)
    assert {deck.id for deck in view.supply.tribe_decks} == {
        one.card_id for one in view.public.supply.tribe_decks
    }
    assert [column.name for column in view.columns] == ["initiate", "develop", "migrate", "hunt"]


def test_a_view_cannot_be_changed() -> None:
    view = LocalTable(seed=1).view(0)
    with pytest.raises(AttributeError, match=r"Player.food cannot be set"):
        view.me.food = 9  # type: ignore[misc]
    with pytest.raises(AttributeError, match="cannot be deleted"):
        del view.hexes[0].raw
    assert view.me.food == 0


def test_a_view_that_nobody_looks_at_is_not_read() -> None:
    table = LocalTable(seed=1)
    view = table.view(0)
    assert view.catalog.card("hunter").name == "Hunter"
    assert repr(view)
    assert not view.is_read
    assert view.me.food == 0
    assert view.is_read


def test_a_view_over_the_network_shows_the_same() -> None:
    table, choices = LocalTable(seed=2), random.Random(2)
    for _ in range(60):
        table.play(choices.choice(table.decision.options))
    here = table.view(0)
    sent = update_pb2.Update(
        game=table.info, public_view=here.public, private_view=here.private
    ).SerializeToString()
    there = Seen(update_pb2.Update.FromString(sent), table.game_id, 0, table.catalog).view
    assert there is not None
    for name in dir(View):
        if is_property(here, name):
            assert getattr(here, name) == getattr(there, name), name


def test_the_sdk_does_not_load_the_bots() -> None:
    """They are built on it; search.py looks them up when it is called."""
    program = (
        "import sys; from endless_winter.sdk import evaluate, rollout_policy; "
        "assert not any(name.startswith('endless_winter.bots') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)


def test_the_examples_of_the_docstrings_work() -> None:
    assert doctest.testmod(model, raise_on_error=True).attempted >= 4
    assert doctest.testmod(sdk, raise_on_error=True).attempted >= 3
    assert doctest.testmod(printed, raise_on_error=True).attempted >= 3
