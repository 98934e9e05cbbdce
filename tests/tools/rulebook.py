"""The rule list of docs/rules.md: ids, families and how far each family has come."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

FINISHED = "finished"
NOT_BUILT = "not built"
STATUSES = (FINISHED, "in work", "later", NOT_BUILT)

RULE_ID = re.compile(r"[A-Z]{3}-[0-9]{2}")
_ENTRY = re.compile(rf"- ({RULE_ID.pattern}) \S")
_MALFORMED_ENTRY = re.compile(r"- [A-Z]{2,}-\S*")
_HEADER = ["family", "title", "status"]


class RulebookError(Exception):
    """docs/rules.md cannot be read as a rule list."""


@dataclass(frozen=True)
class Family:
    """A row of the status table, with the ids of the family in the order of the list."""

    name: str
    title: str
    status: str
    ids: tuple[str, ...]


def load_families(path: Path) -> list[Family]:
    """The families of the status table, each with its ids; raises RulebookError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise RulebookError(f"{path}: cannot be read ({error.strerror})") from error
    ids = _ids(path, lines)
    families = [
        Family(name, title, status, tuple(i for i in ids if i.startswith(f"{name}-")))
        for name, title, status in _table(path, lines)
    ]
    listed = {family.name for family in families}
    for rule in ids:
        if rule[:3] not in listed:
            raise RulebookError(f"{path}: {rule} is of a family that the status table lacks")
    for family in families:
        if not family.ids:
            raise RulebookError(f"{path}: family {family.name} of the status table has no rules")
    return families


def _ids(path: Path, lines: list[str]) -> list[str]:
    ids: list[str] = []
    for number, line in enumerate(lines, 1):
        entry = _ENTRY.match(line)
        if entry is None:
            if _MALFORMED_ENTRY.match(line):
                raise RulebookError(f"{path}:{number}: not of the form '- ABC-01 text'")
            continue
        if entry[1] in ids:
            raise RulebookError(f"{path}:{number}: {entry[1]} is listed twice")
        ids.append(entry[1])
    return ids


def _table(path: Path, lines: list[str]) -> list[tuple[str, str, str]]:
    rows: list[tuple[str, str, str]] = []
    inside = False
    for number, line in enumerate(lines, 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not inside:
            inside = line.startswith("|") and [cell.lower() for cell in cells] == _HEADER
            continue
        if not line.startswith("|"):
            break
        if set(line) <= set("|-: "):
            continue
        if len(cells) != len(_HEADER):
            raise RulebookError(f"{path}:{number}: the status table has three columns")
        name, title, status = cells
        if status not in STATUSES:
            allowed = ", ".join(STATUSES)
            raise RulebookError(f"{path}:{number}: status '{status}' is none of: {allowed}")
        if any(name == row[0] for row in rows):
            raise RulebookError(f"{path}:{number}: family {name} is listed twice")
        rows.append((name, title, status))
    if not rows:
        raise RulebookError(f"{path}: there is no table 'family | title | status'")
    return rows
