"""``cairns``: how many a seat can raise; 0: without."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from endless_winter.tournament.plugin import GameModule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from endless_winter.v1 import config_pb2


class _Cairns(GameModule):
    takes: type = int
    default: object = 0

    def mistake(self, game: Mapping[str, Any]) -> str:
        return "cairns: not fewer than none" if game["cairns"] < 0 else ""

    def fill_config(self, game: Mapping[str, Any], config: config_pb2.GameConfig) -> None:
        if game["cairns"]:
            config.cairns.most = game["cairns"]


GAME: Final = _Cairns()
