"""The field's words lead to the right place: a reader who searches for one finds code and page."""

from __future__ import annotations

import pytest

from tests.foundations.tree import ROOT

# Each word, the module in which a reader should find it, and the page.
PLACES = {
    "checkpoint": ("store/sqlite.py", "docs/store.md"),
    "idempotency": ("engine/commands.py", "docs/protocol.md"),
    "rate limit": ("service/limits.py", "docs/hosting.md"),
    "backpressure": ("service/rounds.py", "docs/architecture.md"),
    "durable": ("store/protocol.py", "docs/architecture.md"),
    "fsync": ("store/sqlite.py", "docs/store.md"),
    "subscription": ("engine/subscription.py", "docs/architecture.md"),
}


def found(word: str, path: str) -> bool:
    return word in (ROOT / path).read_text(encoding="utf-8").lower()


@pytest.mark.parametrize("word", PLACES)
def test_a_word_of_the_field_is_in_the_code_the_page_and_the_glossary(word: str) -> None:
    module, page = PLACES[word]
    assert found(word, f"server/endless_winter/{module}")
    assert found(word, page)
    assert found(word, "docs/glossary.md")
