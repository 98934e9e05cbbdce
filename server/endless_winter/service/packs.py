"""Content packs by their hash: the one that new games get, and those of older games.

A game needs the rules version that it was begun with, but not the pack that the server was
started with: the store keeps every pack by its hash.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from endless_winter.content import ContentError, pack_of
from endless_winter.service import logs
from endless_winter.v1 import config_pb2
from endless_winter.views import Scribe, Words, config_of

if TYPE_CHECKING:
    from endless_winter.content import Pack
    from endless_winter.rules import Config
    from endless_winter.store import Store

_CONFIGS = 1000  # different configurations that are kept for the games that share them
_OLDER = 8  # older packs that are kept at hand; games that are in memory keep theirs anyway


class Kit:
    """What all games of one pack share."""

    def __init__(self, pack: Pack) -> None:
        self.pack = pack
        self._words = Words(pack)
        self._scribes: dict[str, Scribe] = {}
        self._configs: dict[bytes, tuple[config_pb2.GameConfig, Config]] = {}

    def config(self, octets: bytes) -> tuple[config_pb2.GameConfig, Config]:
        """A configuration, one for all games that have the same."""
        known = self._configs.get(octets)
        if known is None:
            if len(self._configs) >= _CONFIGS:
                self._configs.clear()
            config = config_pb2.GameConfig.FromString(octets)
            known = self._configs[octets] = config, config_of(config, self.pack)
        return known

    def scribe(self, rules: Config) -> Scribe:
        scribe = self._scribes.get(rules.layout)
        if scribe is None:
            scribe = self._scribes[rules.layout] = Scribe(self._words, rules)
        return scribe


class Packs:
    """All packs that a game of this store may have."""

    def __init__(self, store: Store, pack: Pack) -> None:
        self.served = Kit(pack)
        self._store = store
        self._older: dict[str, Kit | None] = {}  # the one that was asked for last comes last
        self._reading = asyncio.Lock()

    async def of(self, content_hash: str) -> Kit | None:
        """The pack of a game; None: it is not kept, or this version cannot read it."""
        if content_hash == self.served.pack.digest:
            return self.served
        async with self._reading:  # one at a time, each once
            if content_hash in self._older:
                found = self._older.pop(content_hash)
            else:
                found = await self._read(content_hash)
            self._older[content_hash] = found
            if len(self._older) > _OLDER:
                del self._older[next(iter(self._older))]
        return found

    async def _read(self, content_hash: str) -> Kit | None:
        kept = await self._store.get_pack(content_hash)
        if kept is None:
            return None
        try:
            pack = await asyncio.to_thread(pack_of, kept)
        except ContentError as error:
            logs.log.warning("a content pack cannot be read", pack=content_hash, why=str(error))
            return None
        if pack.digest != content_hash:
            logs.log.warning("a content pack is not what its hash says", pack=content_hash)
            return None
        return Kit(pack)
