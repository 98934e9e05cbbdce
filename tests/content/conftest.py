"""What the tests of the content share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.content import Pack, load_pack
from tests.content.support import Draft

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def base() -> Pack:
    return load_pack()


@pytest.fixture
def draft(tmp_path: Path) -> Draft:
    return Draft(tmp_path)
