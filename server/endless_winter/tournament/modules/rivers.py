"""``rivers``: Rivers & Rafts with so many Landmarks, 1 to 3; 0: without (RAF-02)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from endless_winter.rules.rivers.agreed import MAX_LANDMARKS
from endless_winter.tournament.plugin import GameModule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from endless_winter.v1 import config_pb2


class _Rivers(GameModule):
    takes: type = int
    default: object = 0

    def mistake(self, game: Mapping[str, Any]) -> str:
        return "" if 0 <= game["rivers"] <= MAX_LANDMARKS else f"1 to {MAX_LANDMARKS} Landmarks"

    def fill_config(self, game: Mapping[str, Any], config: config_pb2.GameConfig) -> None:
        if game["rivers"]:
            config.rivers.landmark_count = game["rivers"]


GAME: Final = _Rivers()
