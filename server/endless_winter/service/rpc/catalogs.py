"""`CatalogService`: everything printed, once per content pack, and the server itself."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING

from endless_winter.engine.refusal import Refusal
from endless_winter.service.rpc.pages import not_a_token, place_of, token_for
from endless_winter.v1 import catalog_service_pb2 as c
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import Words, catalog_of, wire

if TYPE_CHECKING:
    from endless_winter.engine.caller import Caller
    from endless_winter.engine.packs import Kit
    from endless_winter.service.host import Host

_HASH = re.compile(r"\A[0-9a-f]{64}\Z")
_MOST_CACHED = 8  # encoded catalogues of old packs, some 25 kB each


class CatalogServicer:
    """A catalogue is encoded once and sent as it is."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.settings = host.settings
        self._encoded: dict[str, bytes] = {}

    async def GetServerInfo(
        self, request: c.GetServerInfoRequest, caller: Caller
    ) -> c.GetServerInfoResponse:
        del request, caller
        return c.GetServerInfoResponse(server=self.host.server_info())

    async def GetCatalog(self, request: c.GetCatalogRequest, caller: Caller) -> bytes:
        del caller
        wanted = request.content_hash or self.host.pack.digest
        body = await self._catalog(wanted)
        answer = wire.text(c.GetCatalogResponse.CONTENT_HASH_FIELD_NUMBER, wanted)
        if request.cached_content_hash == wanted:
            return answer
        return answer + wire.message(c.GetCatalogResponse.CATALOG_FIELD_NUMBER, body)

    async def _catalog(self, digest: str) -> bytes:
        """The serialized catalogue of a pack that is served or was once."""
        found = self._encoded.get(digest)
        if found is not None:
            return found
        kit = await self._kit(digest)
        body = catalog_of(Words(kit.pack)).SerializeToString(deterministic=True)
        if len(self._encoded) >= _MOST_CACHED:
            self._encoded.clear()
        self._encoded[digest] = body
        return body

    async def _stored(self, digest: str) -> bytes | None:
        return await asyncio.to_thread(self.host.store.get_pack, digest)

    async def _kit(self, digest: str) -> Kit:
        is_own = digest == self.host.pack.digest
        if not is_own and not (_HASH.match(digest) and await self._stored(digest)):
            raise Refusal(
                reasons.REJECTION_REASON_NOT_FOUND, "no such content pack", field="content_hash"
            )
        kit = await self.host.loader.kit(digest)
        if kit is None:
            raise Refusal(
                reasons.REJECTION_REASON_VERSION_UNAVAILABLE,
                "the content pack is stored here, but this version of the server cannot read it",
            )
        return kit

    async def ListCatalogs(
        self, request: c.ListCatalogsRequest, caller: Caller
    ) -> c.ListCatalogsResponse:
        """The default first, then by hash; a page begins after the last hash of the one before."""
        del caller
        default = self.host.pack
        stored = await asyncio.to_thread(self.host.store.list_packs)
        hashes = [digest for digest in stored if digest != default.digest]
        place = place_of(request)
        first = not place
        if not first:
            if not _HASH.match(place):
                raise not_a_token()
            if place != default.digest:
                hashes = [digest for digest in hashes if digest > place]
        size = min(request.page_size or self.settings.page_size, self.settings.page_size)
        page = c.ListCatalogsResponse()
        if first:
            page.catalogs.add(
                content_hash=default.digest,
                name=default.title,
                version=default.version,
                is_default=True,
            )
        for digest in hashes[: size - len(page.catalogs)]:
            page.catalogs.append(await self._summary(digest))
        if len(hashes) + first > size:
            page.next_page_token = token_for(request, page.catalogs[-1].content_hash)
        return page

    async def _summary(self, digest: str) -> c.CatalogSummary:
        """Name and version of a stored pack, also of one that this program could not play with."""
        data = await self._stored(digest)
        try:
            printed = json.loads(data or b"{}")
            name, version = str(printed.get("title", "")), str(printed.get("version", ""))
        except (ValueError, AttributeError):
            name = version = ""
        return c.CatalogSummary(content_hash=digest, name=name, version=version)
