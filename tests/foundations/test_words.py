"""The field's words lead to the right place: a reader who searches for one finds code and page."""

from __future__ import annotations

import pytest

from tests.foundations.tree import ROOT

# Each word, the module in which a reader should find it, and the page.
PLACES = {
    "authentication": ("service/identity.py", "docs/protocol.md"),
    "backpressure": ("service/rounds.py", "docs/architecture.md"),
    "checkpoint": ("store/sqlite.py", "docs/store.md"),
    "crash recovery": ("store/recovery.py", "docs/store.md"),
    "durable": ("store/protocol.py", "docs/architecture.md"),
    "fsync": ("store/sqlite.py", "docs/store.md"),
    "graceful shutdown": ("service/host.py", "docs/hosting.md"),
    "hidden information": ("views/__init__.py", "docs/protocol.md"),
    "idempotency": ("engine/commands.py", "docs/protocol.md"),
    "pagination": ("service/rpc/pages.py", "docs/protocol.md"),
    "rate limit": ("service/limits.py", "docs/hosting.md"),
    "subscription": ("engine/subscription.py", "docs/architecture.md"),
}
# Authors of clients search the contract.
IN_THE_CONTRACT = {
    "durable": "play_service.proto",
    "idempotency key": "play_service.proto",
    "rate limit": "rejection.proto",
}


def found(word: str, path: str) -> bool:
    return word in (ROOT / path).read_text(encoding="utf-8").lower()


@pytest.mark.parametrize("word", PLACES)
def test_a_word_of_the_field_is_in_the_code_and_on_the_page(word: str) -> None:
    module, page = PLACES[word]
    assert found(word, f"server/endless_winter/{module}")
    assert found(word, page)


@pytest.mark.parametrize("word", PLACES)
def test_the_glossary_leads_from_a_word_of_the_field_to_its_module(word: str) -> None:
    glossary = (ROOT / "docs/glossary.md").read_text(encoding="utf-8").lower()
    rows = [row for row in glossary.splitlines() if row.startswith("| ") and word in row]
    assert any(f"`{PLACES[word][0]}`" in row for row in rows), rows


@pytest.mark.parametrize("word", IN_THE_CONTRACT)
def test_a_word_of_the_field_is_in_the_contract(word: str) -> None:
    assert found(word, f"proto/endless_winter/v1/{IN_THE_CONTRACT[word]}")
