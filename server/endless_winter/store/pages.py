"""Page tokens: which game the next page of a list comes after."""

from __future__ import annotations

import base64

from endless_winter.store.errors import BadPageToken
from endless_winter.store.records import Header, Page, page_token


def page_of(found: list[tuple[int, Header]], limit: int) -> Page:
    """A page of at most ``limit`` of the games found, which are one more where there are more."""
    games = tuple(header for _, header in found[:limit])
    keys = tuple(key for key, _ in found[:limit])
    page = Page(games, "", keys)
    return Page(games, page.after(limit), keys) if len(found) > limit else page


def read_token(token: str) -> tuple[int, int]:
    """When the game was created, and its key. Raises ``BadPageToken``."""
    try:
        padded = token.encode("ascii") + b"=" * (-len(token) % 4)
        created_ms, key = base64.urlsafe_b64decode(padded).decode("ascii").split(".")
        found = int(created_ms), int(key)
    except ValueError as error:
        raise BadPageToken("not a page token of this store") from error
    if max(map(abs, found)) >= 1 << 63 or page_token(*found) != token:
        raise BadPageToken("not a page token of this store")
    return found
