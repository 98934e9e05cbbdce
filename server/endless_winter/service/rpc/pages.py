"""Pagination: how much of a list goes into one answer, and the token that leads to the next page.

A page is never larger than what a client takes. Its token is bound to the list and to the filters
of the request: with others it would skip entries or repeat them, so it is refused.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

from endless_winter.engine.refusal import Refusal
from endless_winter.v1 import (
    arena_service_pb2,
    catalog_service_pb2,
    game_service_pb2,
    play_service_pb2,
)
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from endless_winter.engine.settings import Settings

# gRPC refuses larger messages unless a client says otherwise.
CLIENTS_TAKE = 4 << 20
_REST = 256  # for the token, which is far shorter
_FRAME = 8  # around an entry: its field, and a length of up to 4 bytes

ListRequest: TypeAlias = (
    game_service_pb2.ListGamesRequest
    | play_service_pb2.ListMySeatsRequest
    | arena_service_pb2.ListBotsRequest
    | catalog_service_pb2.ListCatalogsRequest
)
_NO_FILTERS = ("page_size", "page_token", "wait_ms")  # may differ from page to page
_DIGEST_BYTES = 6  # against mistakes, not against forgery: a token gives no right to anything


class Room:
    """What is left of a page in bytes. The first entry always fits: none is as large as a page."""

    def __init__(self, settings: Settings) -> None:
        self._left = room(settings)
        self._empty = True

    def takes(self, entry: Message) -> bool:
        """Whether one more fits; if so it is on the page."""
        size = entry.ByteSize() + _FRAME
        if size > self._left and not self._empty:
            return False
        self._left -= size
        self._empty = False
        return True


def room(settings: Settings) -> int:
    """The bytes that the entries of a page may have."""
    return min(settings.message_bytes, CLIENTS_TAKE) - _REST


def place_of(request: ListRequest) -> str:
    """Where the page begins that a request asks for, in the list's own words; empty: at the start.

    Raises `Refusal` if its token is not of this list with these filters.
    """
    if not request.page_token:
        return ""
    digest, _, place = request.page_token.partition(".")
    if not place or digest != _digest(request):
        raise not_a_token()
    return place


def token_for(request: ListRequest, place: str) -> str:
    """The token of the page after the one that was asked for; empty: that was the last."""
    return f"{_digest(request)}.{place}" if place else ""


def not_a_token() -> Refusal:
    return Refusal(
        reasons.REJECTION_REASON_PAGE_TOKEN_INVALID,
        "not a page token of this list with these filters; begin again without one",
        field="page_token",
    )


def _digest(request: ListRequest) -> str:
    """Of the list's name and the filters."""
    filters = type(request)()
    filters.MergeFromString(request.SerializeToString())
    for name in _NO_FILTERS:
        if name in filters.DESCRIPTOR.fields_by_name:
            filters.ClearField(name)  # type: ignore[arg-type] # not every list has all of them
    query = filters.DESCRIPTOR.full_name.encode() + b" " + filters.SerializeToString()
    return blake2b(query, digest_size=_DIGEST_BYTES).hexdigest()
