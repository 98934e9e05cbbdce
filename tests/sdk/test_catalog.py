"""Everything printed, by id."""

from __future__ import annotations

import pytest

from endless_winter.sdk import Catalog, LocalTable, NotThisGame
from endless_winter.v1 import catalog_pb2

CATALOG = LocalTable(seed=1).catalog


def test_every_list_of_the_contract_is_looked_up_by_id() -> None:
    lists = [
        field.name
        for field in catalog_pb2.Catalog.DESCRIPTOR.fields
        if field.message_type is not None and "item" in field.message_type.fields_by_name
    ]
    assert len(lists) > 10
    for name in lists:
        entries = getattr(CATALOG.raw, name)
        assert getattr(CATALOG, name) == {entry.item.id: entry for entry in entries}
        assert all(CATALOG.items[entry.item.id] for entry in entries)


def test_a_catalogue_is_cached_once_per_content_hash() -> None:
    again = catalog_pb2.Catalog.FromString(CATALOG.raw.SerializeToString())
    assert Catalog.of(again) is CATALOG
    assert Catalog.known(CATALOG.content_hash) is CATALOG
    assert Catalog.known("0" * 64) is None


def test_things_are_found_by_words() -> None:
    hunter = CATALOG.cards["hunter"]
    assert CATALOG.item("hunter") == hunter.item
    assert CATALOG.title("hunter") == hunter.item.name
    assert CATALOG.title("unheard_of") == "unheard_of"
    found = CATALOG.find("HUNT")
    assert hunter.item in found
    assert CATALOG.find("no such words at all") == []
    with pytest.raises(NotThisGame, match="unheard_of"):
        CATALOG.item("unheard_of")
    assert set(CATALOG.rules) == {rule.rule_id for rule in CATALOG.raw.rules}
