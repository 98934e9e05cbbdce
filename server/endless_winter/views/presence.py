"""Seats and option ids that are 0, and those that are left out.

They have explicit presence, so that seat 0 and option 0 do not vanish in JSON, and everything that
is sent names them. What is read may leave them out and means 0: a move that a client put together,
or a record that was written before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from google.protobuf.descriptor import FieldDescriptor

if TYPE_CHECKING:
    from google.protobuf.message import Message

M = TypeVar("M", bound="Message")

_NAMES: Final = frozenset(("seat", "owner_seat", "by_seat", "option_id"))
# Here an absent seat means nobody's.
_OR_NOBODY: Final = frozenset(("MegalithPlaced", "ModuleEvent"))


def filled(message: M) -> M:
    """A copy that names every seat and option id."""
    found = type(message)()
    found.CopyFrom(message)
    _fill(found)
    return found


def _fill(message: Message) -> None:
    for field in message.DESCRIPTOR.fields:
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            if field.is_repeated:
                for one in getattr(message, field.name):
                    _fill(one)
            elif message.HasField(field.name):
                _fill(getattr(message, field.name))
        elif field.name in _NAMES and message.DESCRIPTOR.name not in _OR_NOBODY:
            setattr(message, field.name, getattr(message, field.name))
