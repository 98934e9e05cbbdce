"""Write the contract's messages as TypeScript types, for checking the modules of clients/web.

    python tests/tools/web_types.py > clients/web/endless_winter/web/contract.d.ts

They are the contract's JSON, in which fields with their default value are left out.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from google.protobuf.descriptor import FieldDescriptor as F

from endless_winter.v1 import catalog_pb2, replay_pb2, result_pb2

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor

_ROOTS: Final = (
    catalog_pb2.Catalog.DESCRIPTOR,
    replay_pb2.OmniscientView.DESCRIPTOR,
    result_pb2.SeatResult.DESCRIPTOR,
)
_LONG: Final = (F.TYPE_INT64, F.TYPE_UINT64, F.TYPE_SINT64, F.TYPE_FIXED64, F.TYPE_SFIXED64)
_TEXT: Final = (F.TYPE_STRING, F.TYPE_BYTES, F.TYPE_ENUM, *_LONG)


def _type(field: F) -> str:
    if field.message_type is not None:
        name: str = field.message_type.name
    elif field.type in _TEXT:
        name = "string"
    else:
        name = "boolean" if field.type == F.TYPE_BOOL else "number"
    return f"{name}[]" if field.is_repeated else name


def _reached(message: Descriptor, found: dict[str, Descriptor]) -> None:
    if message.name not in found:
        found[message.name] = message
        for field in message.fields:
            if field.message_type is not None:
                _reached(field.message_type, found)


def types() -> str:
    found: dict[str, Descriptor] = {}
    for root in _ROOTS:
        _reached(root, found)
    parts = ["// Made of the contract by tests/tools/web_types.py."]
    for name, message in sorted(found.items()):
        fields = "".join(f"  {field.json_name}?: {_type(field)};\n" for field in message.fields)
        parts.append(f"export interface {name} {{\n{fields}}}")
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    sys.stdout.write(types())
