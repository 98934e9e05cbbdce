"""The contract's messages, enums and comments, by name."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from google.protobuf.descriptor_pb2 import (
        DescriptorProto,
        EnumDescriptorProto,
        FieldDescriptorProto,
        FileDescriptorProto,
        FileDescriptorSet,
        MethodDescriptorProto,
    )

ROOT = Path(__file__).parents[2]
PROTO_ROOT = ROOT / "proto"
PACKAGE = "endless_winter.v1"
CONTRACT = PROTO_ROOT / "endless_winter" / "v1"
BUF = Path(sys.executable).parent / "buf"  # installed by the test lock

# Field numbers inside descriptor.proto, which source locations use as their path.
_FILE_ENUMS = 5
_ENUM_VALUES = 2


def proto_files() -> list[Path]:
    return sorted(CONTRACT.glob("*.proto"))


class Field(NamedTuple):
    """A field and the message that it belongs to."""

    message: DescriptorProto
    field: FieldDescriptorProto

    @property
    def name(self) -> str:
        return f"{self.message.name}.{self.field.name}"


class Schema:
    """All files of the contract. Its messages are never nested, and a test holds that."""

    def __init__(self, files: FileDescriptorSet) -> None:
        self.files: list[FileDescriptorProto] = list(files.file)
        self.messages: dict[str, DescriptorProto] = {
            message.name: message for file in self.files for message in file.message_type
        }
        self.enums: dict[str, EnumDescriptorProto] = {
            enum.name: enum for file in self.files for enum in file.enum_type
        }
        self.methods: dict[str, MethodDescriptorProto] = {
            f"{service.name}.{method.name}": method
            for file in self.files
            for service in file.service
            for method in service.method
        }

    def fields(self) -> list[Field]:
        return [
            Field(message, field) for message in self.messages.values() for field in message.field
        ]

    def fields_of(self, message: str) -> dict[str, FieldDescriptorProto]:
        return {field.name: field for field in self.messages[message].field}

    def parts_of(self, message: str) -> set[str]:
        """The names of all messages that the message can contain, itself included."""
        found: set[str] = set()
        to_do = [message]
        while to_do:
            name = to_do.pop()
            if name not in found:
                found.add(name)
                to_do += [short(f.type_name) for f in self.messages[name].field if f.type_name]
            to_do = [name for name in to_do if name in self.messages]
        return found

    def value_comments(self, enum: str) -> dict[str, str]:
        """The comment above each value of an enum."""
        for file in self.files:
            for index, found in enumerate(file.enum_type):
                if found.name == enum:
                    return {
                        value.name: _leading_comment(
                            file, [_FILE_ENUMS, index, _ENUM_VALUES, number]
                        )
                        for number, value in enumerate(found.value)
                    }
        raise KeyError(enum)


def short(type_name: str) -> str:
    """The name without the package."""
    return type_name.rsplit(".", 1)[-1]


def _leading_comment(file: FileDescriptorProto, path: list[int]) -> str:
    for location in file.source_code_info.location:
        if list(location.path) == path:
            return location.leading_comments.strip()
    return ""
