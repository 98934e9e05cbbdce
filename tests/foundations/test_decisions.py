"""docs/decisions: the index, the files and every mention of them agree."""

from __future__ import annotations

import re

import pytest

from tests.foundations.tree import ROOT, tracked

FOLDER = "docs/decisions/"
RECORDS = [name for name in tracked() if name.startswith(FOLDER) and name[len(FOLDER)].isdigit()]
NUMBERS = {name[len(FOLDER) :][:4] for name in RECORDS}
STATUS = re.compile(r"accepted|superseded by \d{4}")
LINES_OF_A_PAGE = 60


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def test_the_index_lists_each_record_with_its_title_and_status() -> None:
    listed = re.findall(
        r"^\| \[(\d{4})\]\(([^)]+)\) \| (.+) \| (.+) \|$", text(f"{FOLDER}README.md"), re.MULTILINE
    )
    found = []
    for name in RECORDS:
        title = re.match(r"# (\d{4}): (.+)\n", text(name))
        status = re.search(r"^Status: (.+)\.$", text(name), re.MULTILINE)
        assert title is not None, name
        assert status is not None, name
        found.append((title[1], name.removeprefix(FOLDER), title[2], status[1]))
    assert listed == found


@pytest.mark.parametrize("name", RECORDS)
def test_a_record_has_a_number_a_status_a_decision_and_a_page(name: str) -> None:
    found = text(name)
    number = name.removeprefix(FOLDER)[:4]
    assert re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", name.removeprefix(FOLDER))
    assert found.startswith(f"# {number}: ")
    status = re.search(r"^Status: (.+)\.$", found, re.MULTILINE)
    assert status is not None
    assert STATUS.fullmatch(status[1])
    assert "**Decision.**" in found
    assert len(found.splitlines()) <= LINES_OF_A_PAGE


def test_no_number_is_used_twice() -> None:
    assert len(NUMBERS) == len(RECORDS)


def test_a_decision_that_something_mentions_exists() -> None:
    mention = re.compile(r"\bdecision\s(\d{1,4})\b|docs/decisions/(\d{4})")
    for name in tracked():
        # tests/sdk speaks of decisions of a game.
        if name.endswith((".py", ".md", ".toml", ".proto")) and not name.startswith("tests/sdk/"):
            for numbers in mention.findall(text(name)):
                number = "".join(numbers).zfill(4)
                assert number in NUMBERS, f"{name} mentions decision {number}"
