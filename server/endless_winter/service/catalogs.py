"""`CatalogService`: everything printed, once per content pack, and the server itself."""

from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING, Any

import grpc

from endless_winter.content import ContentError, pack_of
from endless_winter.service.calls import unary
from endless_winter.service.pages import not_a_token, place_of, token_for
from endless_winter.service.refusal import Refusal
from endless_winter.service.versions import server_info
from endless_winter.v1 import catalog_service_pb2 as c
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import Words, catalog_of, wire

if TYPE_CHECKING:
    from endless_winter.service.hall import Hall
    from endless_winter.service.identity import Caller

SERVICE = "endless_winter.v1.CatalogService"
_HASH = re.compile(r"\A[0-9a-f]{64}\Z")
_MOST_KEPT = 8  # encoded catalogues of old packs, some 25 kB each


class CatalogServicer:
    """Registered by hand, because a catalogue is encoded once and sent as it is."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.settings = hall.settings
        self._encoded: dict[str, bytes] = {}

    def handlers(self) -> dict[str, grpc.RpcMethodHandler[Any, Any]]:
        """Its methods by name, for a server."""
        return {
            "GetServerInfo": grpc.unary_unary_rpc_method_handler(
                self.GetServerInfo,
                request_deserializer=c.GetServerInfoRequest.FromString,
                response_serializer=c.GetServerInfoResponse.SerializeToString,
            ),
            "GetCatalog": grpc.unary_unary_rpc_method_handler(
                self.GetCatalog, request_deserializer=c.GetCatalogRequest.FromString
            ),
            "ListCatalogs": grpc.unary_unary_rpc_method_handler(
                self.ListCatalogs,
                request_deserializer=c.ListCatalogsRequest.FromString,
                response_serializer=c.ListCatalogsResponse.SerializeToString,
            ),
        }

    @unary
    async def GetServerInfo(
        self, request: c.GetServerInfoRequest, caller: Caller
    ) -> c.GetServerInfoResponse:
        del request, caller
        return c.GetServerInfoResponse(server=server_info(self.hall))

    @unary
    async def GetCatalog(self, request: c.GetCatalogRequest, caller: Caller) -> bytes:
        del caller
        wanted = request.content_hash or self.hall.pack.digest
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
        if digest == self.hall.pack.digest:
            body = catalog_of(Words(self.hall.pack)).SerializeToString(deterministic=True)
        else:
            body = await self._old_catalog(digest)
        if len(self._encoded) >= _MOST_KEPT:
            self._encoded.clear()
        self._encoded[digest] = body
        return body

    async def _old_catalog(self, digest: str) -> bytes:
        kept = await self.hall.store.get_pack(digest) if _HASH.match(digest) else None
        if kept is None:
            raise Refusal(
                reasons.REJECTION_REASON_NOT_FOUND, "no such content pack", field="content_hash"
            )
        try:
            pack = await asyncio.to_thread(pack_of, kept)
        except ContentError as error:
            raise Refusal(
                reasons.REJECTION_REASON_VERSION_UNAVAILABLE,
                "the content pack is kept here, but this version of the server cannot read it",
            ) from error
        return catalog_of(Words(pack)).SerializeToString(deterministic=True)

    @unary
    async def ListCatalogs(
        self, request: c.ListCatalogsRequest, caller: Caller
    ) -> c.ListCatalogsResponse:
        """The default first, then by hash; a page begins after the last hash of the one before."""
        del caller
        default = self.hall.pack
        hashes = [
            digest for digest in await self.hall.store.list_packs() if digest != default.digest
        ]
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
        """Name and version of a kept pack, also of one that this program could not play with."""
        kept = await self.hall.store.get_pack(digest)
        try:
            told = json.loads(kept or b"{}")
            name, version = str(told.get("title", "")), str(told.get("version", ""))
        except (ValueError, AttributeError):
            name = version = ""
        return c.CatalogSummary(content_hash=digest, name=name, version=version)
