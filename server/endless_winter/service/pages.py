"""How much of a list goes into one answer: never more octets than a client takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from endless_winter.service.settings import Settings

# gRPC refuses larger messages unless a client says otherwise.
CLIENTS_TAKE = 4 << 20
_REST = 256  # for the token, which is far shorter
_FRAME = 8  # around an entry: its field, and a length of up to 4 octets


class Room:
    """What is left of a page in octets. The first entry always fits: none is as large as a page."""

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
    """The octets that the entries of a page may have."""
    return min(settings.message_bytes, CLIENTS_TAKE) - _REST
