"""What all games of one content pack share: its words, its layouts, its configurations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.v1 import config_pb2
from endless_winter.views import Scribe, Words, config_of

if TYPE_CHECKING:
    from endless_winter.content import Pack
    from endless_winter.rules import Config

_CONFIGS = 1000  # different configurations that are cached for the games that share them


class Kit:
    """A content pack, ready to play with."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self._words = Words(pack)
        self._scribes: dict[str, Scribe] = {}
        self._configs: dict[bytes, tuple[config_pb2.GameConfig, Config]] = {}

    def config(self, encoded: bytes) -> tuple[config_pb2.GameConfig, Config]:
        """A configuration, one for all games that have the same."""
        known = self._configs.get(encoded)
        if known is None:
            if len(self._configs) >= _CONFIGS:
                self._configs.clear()
            config = config_pb2.GameConfig.FromString(encoded)
            known = self._configs[encoded] = config, config_of(config, self.pack)
        return known

    def scribe(self, rules: Config) -> Scribe:
        scribe = self._scribes.get(rules.layout)
        if scribe is None:
            scribe = self._scribes[rules.layout] = Scribe(self._words, rules)
        return scribe
