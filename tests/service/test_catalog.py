"""The catalogue and the server's own facts, asked over a socket without any secret."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
import pytest

from endless_winter.cli.process import running
from endless_winter.content import ContentError, load_pack, pack_of
from endless_winter.rules import RULES_VERSION
from endless_winter.store.records import (
    NO_CHAIN,
    Append,
    Creation,
    LogEntry,
    NewGame,
    Secret,
    chain_after,
)
from endless_winter.store.sqlite import SqliteStore
from endless_winter.v1 import catalog_service_pb2 as c
from endless_winter.v1 import catalog_service_pb2_grpc
from endless_winter.views import Words, catalog_of
from tests.rules.scene import FROZEN
from tests.service.logs import reason

if TYPE_CHECKING:
    from pathlib import Path

PACK = load_pack()
OLD = load_pack(FROZEN)
UNREADABLE = "e" * 64


def fill(path: Path) -> None:
    """A store with games of an old pack, and of one that no program of today could read."""
    old = {OLD.digest: OLD.canonical, UNREADABLE: b'{"title": "Very old", "version": "0"}'}
    with SqliteStore.open(path, synchronous="off") as store:
        for number, (digest, pack) in enumerate(old.items()):
            game_id = f"game-{number}"
            chain = chain_after(NO_CHAIN, game_id, 1, "created", 0, b"")
            game = NewGame(
                created_ms=0, rules_version="0", content_hash=digest, config=b"", commitment=b""
            )
            append = Append(
                game_id,
                0,
                [LogEntry(1, "created", 0, b"", chain)],
                creation=Creation(game, Secret(bytes(32), bytes(32)), pack),
            )
            assert store.commit([append]) == [None]


async def test_the_catalogue_service_needs_no_secret(tmp_path: Path) -> None:
    assert OLD.digest != PACK.digest
    fill(tmp_path / "endless-winter.db")
    with running(folder=tmp_path) as server:
        async with grpc.aio.insecure_channel(server.address) as channel:
            stub = catalog_service_pb2_grpc.CatalogServiceStub(channel)
            await check_server(stub)
            await check_catalogs(stub)
            await check_pages(stub)


async def check_server(stub: catalog_service_pb2_grpc.CatalogServiceAsyncStub) -> None:
    info = (await stub.GetServerInfo(c.GetServerInfoRequest())).server
    assert info.contract == "endless_winter.v1"
    assert info.rules_version == str(RULES_VERSION)
    assert info.content_hash == PACK.digest
    assert info.server_time_unix_ms > 0
    assert info.limits.message_bytes > 0
    assert not info.unsupported  # what the contract has, this server offers


async def check_catalogs(stub: catalog_service_pb2_grpc.CatalogServiceAsyncStub) -> None:
    plain = await stub.GetCatalog(c.GetCatalogRequest())
    assert plain.content_hash == PACK.digest
    assert plain.catalog == catalog_of(Words(PACK))
    named = await stub.GetCatalog(c.GetCatalogRequest(content_hash=PACK.digest))
    assert named == plain
    cached = await stub.GetCatalog(c.GetCatalogRequest(cached_content_hash=PACK.digest))
    assert cached == c.GetCatalogResponse(content_hash=PACK.digest)
    stale = await stub.GetCatalog(c.GetCatalogRequest(cached_content_hash=OLD.digest))
    assert stale == plain
    old = await stub.GetCatalog(c.GetCatalogRequest(content_hash=OLD.digest))
    assert old.catalog == catalog_of(Words(OLD))
    for wrong in ("0" * 64, "nonsense", "../" * 9):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await stub.GetCatalog(c.GetCatalogRequest(content_hash=wrong))
        assert reason(caught.value) == "NOT_FOUND"
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.GetCatalog(c.GetCatalogRequest(content_hash=UNREADABLE))
    assert reason(caught.value) == "VERSION_UNAVAILABLE"


async def check_pages(stub: catalog_service_pb2_grpc.CatalogServiceAsyncStub) -> None:
    whole = await stub.ListCatalogs(c.ListCatalogsRequest())
    assert whole.next_page_token == ""
    assert whole.catalogs[0] == c.CatalogSummary(
        content_hash=PACK.digest, name=PACK.title, version=PACK.version, is_default=True
    )
    others = {one.content_hash: (one.name, one.is_default) for one in whole.catalogs[1:]}
    assert others == {OLD.digest: (OLD.title, False), UNREADABLE: ("Very old", False)}
    for size in (1, 2, 3):
        found: list[c.CatalogSummary] = []
        token = ""
        while True:
            page = await stub.ListCatalogs(c.ListCatalogsRequest(page_size=size, page_token=token))
            assert len(page.catalogs) <= size
            found += page.catalogs
            token = page.next_page_token
            if not token:
                break
        assert found == list(whole.catalogs)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.ListCatalogs(c.ListCatalogsRequest(page_token="elsewhere"))
    assert reason(caught.value) == "PAGE_TOKEN_INVALID"


def test_a_pack_is_the_same_from_its_canonical_form_and_anything_else_is_refused() -> None:
    for pack in (PACK, OLD):
        again = pack_of(pack.canonical)
        assert (again.digest, again.content) == (pack.digest, pack.content)
    for wrong in (b"", b"{}", b"[" * 5000, PACK.canonical[:-2], PACK.canonical + b"x", b"\xff"):
        with pytest.raises(ContentError):
            pack_of(wrong)


def test_every_rule_that_a_source_names_has_a_text() -> None:
    rules = catalog_of(Words(PACK)).rules
    assert [rule.rule_id for rule in rules] == ["RAF-04", "RAF-06", "RTK-02"]
    assert all(rule.text for rule in rules)
