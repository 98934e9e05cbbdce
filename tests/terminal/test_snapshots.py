"""The layout stays as it is, unless somebody means to change it."""

from __future__ import annotations

import pytest

from endless_winter.terminal.app import TableApp
from tests.terminal.offline import OfflineTable
from tests.terminal.snapshots import FOLDER, SCREENS, screens


@pytest.fixture(scope="module")
def drawn() -> dict[str, str]:
    return dict(screens())


@pytest.mark.parametrize("name", [screen[0] for screen in SCREENS])
def test_a_screen_looks_as_before(name: str, drawn: dict[str, str]) -> None:
    before = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert drawn[name].splitlines() == before.splitlines(), (
        "if that is meant: python -m tests.terminal.snapshots --write"
    )


def test_no_picture_without_a_test() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == {screen[0] for screen in SCREENS}


async def test_what_is_drawn_is_what_the_terminal_gets() -> None:
    app = TableApp(OfflineTable(0, [lambda decision, _: decision.default], seed=1))
    async with app.run_test(size=(100, 32)) as pilot:
        await pilot.pause()
        drawing = app.at_table.drawing
        shown = ["".join(part.text for part in drawing.render_line(y)) for y in range(32)]
        assert [line.rstrip() for line in shown] == drawing.canvas.lines()
        assert all(len(line) == 100 for line in shown)
