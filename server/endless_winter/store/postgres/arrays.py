"""Lists as binary arrays of PostgreSQL: each column of a round is one parameter.

psycopg's own lists look at every item for its type; these know it. A round of 256 choices costs a
third of the processor time so (python -m bench serve --only postgres).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any, ClassVar, Final

from psycopg import pq
from psycopg.adapt import Dumper

if TYPE_CHECKING:
    from psycopg import Connection

_HEAD: Final = struct.Struct(">5i")
_LENGTH: Final = struct.Struct(">i")
_BIGINT: Final = struct.Struct(">q")
_NULL: Final = _LENGTH.pack(-1)


class Bigints(list[int | None]):
    """bigint[]."""


class Byteas(list[bytes | None]):
    """bytea[]."""


class Texts(list[str | None]):
    """text[]."""


class Flags(list[bool | None]):
    """boolean[]."""


class _ArrayDumper(Dumper):
    format = pq.Format.BINARY
    element: ClassVar[int]

    def dump(self, obj: Any) -> bytes:
        parts = [_HEAD.pack(1, int(None in obj), self.element, len(obj), 1)]
        for item in obj:
            if item is None:
                parts.append(_NULL)
            else:
                data = self.encode(item)
                parts += (_LENGTH.pack(len(data)), data)
        return b"".join(parts)

    @staticmethod
    def encode(item: Any) -> bytes:
        raise NotImplementedError


class _Bigints(_ArrayDumper):
    oid = 1016
    element = 20

    @staticmethod
    def encode(item: int) -> bytes:
        return _BIGINT.pack(item)


class _Byteas(_ArrayDumper):
    oid = 1001
    element = 17

    @staticmethod
    def encode(item: bytes) -> bytes:
        return item


class _Texts(_ArrayDumper):
    oid = 1009
    element = 25

    @staticmethod
    def encode(item: str) -> bytes:
        return item.encode()


class _Flags(_ArrayDumper):
    oid = 1000
    element = 16

    @staticmethod
    def encode(item: object) -> bytes:
        return b"\1" if item else b"\0"


def register(connection: Connection[Any]) -> None:
    """Teach a connection these types."""
    for kind, dumper in ((Bigints, _Bigints), (Byteas, _Byteas), (Texts, _Texts), (Flags, _Flags)):
        connection.adapters.register_dumper(kind, dumper)
