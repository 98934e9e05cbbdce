"""A copy of the base pack that a test may edit."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from endless_winter.content import ContentError, load
from endless_winter.content.pack import BASE

if TYPE_CHECKING:
    from pathlib import Path


class Draft:
    """The files of the base pack in a folder of the test's own."""

    def __init__(self, folder: Path) -> None:
        for file in BASE.parent.glob("*.toml"):
            shutil.copy(file, folder)
        self.main = folder / BASE.name

    def file(self, name: str) -> Path:
        return self.main.with_name(name)

    def edit(self, old: str, new: str, file: str = BASE.name) -> None:
        """Replace the first place of a text that must be there."""
        path = self.file(file)
        text = path.read_text(encoding="utf-8")
        assert old in text, f"{file} does not hold {old!r}"
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    def refusal(self) -> str:
        """Why the pack is refused, in one line."""
        with pytest.raises(ContentError) as refused:
            load(self.main)
        assert "\n" not in str(refused.value)
        return str(refused.value)

    def edit_entry(self, entry: str, old: str, new: str, file: str = BASE.name) -> None:
        """The same, looking only from the line `id = "entry"` on."""
        path = self.file(file)
        head, mark, tail = path.read_text(encoding="utf-8").partition(f'id = "{entry}"')
        assert old in mark + tail, f"{entry} does not hold {old!r}"
        path.write_text(head + (mark + tail).replace(old, new, 1), encoding="utf-8")
