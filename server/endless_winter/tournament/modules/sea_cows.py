"""Sea Cows swim where there is a river (RAF-13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from endless_winter.tournament.plugin import GameModule

if TYPE_CHECKING:
    from collections.abc import Mapping


class _SeaCows(GameModule):
    def mistake(self, game: Mapping[str, Any]) -> str:
        return "sea_cows needs rivers" if game["sea_cows"] and not game["rivers"] else ""


GAME: Final = _SeaCows()
