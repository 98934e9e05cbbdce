"""docs/write-a-bot.md shows what bot and server really say."""

from __future__ import annotations

import re

from tests.node.machine import FOLDER, needs_node
from tests.node.walkthrough import BLOCK, DOCUMENT, captured, written


@needs_node
async def test_the_messages_in_the_document_are_the_real_ones() -> None:
    shown = DOCUMENT.read_text(encoding="utf-8")
    real = written(shown, await captured())
    assert shown == real, "run 'python -m tests.node.walkthrough' and read what has changed"


def test_the_document_walks_through_every_kind_of_message() -> None:
    blocks = [match[2] for match in BLOCK.finditer(DOCUMENT.read_text(encoding="utf-8"))]
    assert len(blocks) == len(set(blocks)) >= 15
    text = "".join(match[3] for match in BLOCK.finditer(DOCUMENT.read_text(encoding="utf-8")))
    for kind in ("hello", "welcome", "seat_offer", "attach", "ready_check", "prompt", "answer"):
        assert f'"{kind}"' in text
    for kind in ("accepted", "rejection", "result", "detached", "after_seq"):
        assert f'"{kind}"' in text


def test_the_functions_that_the_document_names_are_there() -> None:
    code = (FOLDER / "protocol.js").read_text() + (FOLDER / "choose.js").read_text()
    named = set(
        re.findall(r"\(`([a-zA-Z]+)`[,) ]|`([a-z]+)` in `protocol.js`", DOCUMENT.read_text())
    )
    names = {first or second for first, second in named} - {"Goodbye"}
    assert {"refused", "askForSeats", "takeUpdate", "open"} <= names
    for name in names:
        assert re.search(rf"\b{name}\(", code), f"there is no function {name}"
