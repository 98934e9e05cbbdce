"""What all typed parts of a view and of the catalogue share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from endless_winter.sdk.catalog import Catalog

M = TypeVar("M", bound="Message")


def short_names(enum: Any, prefix: str) -> dict[int, str]:
    """The values of a contract's enum in the game's words; what is not specified is ""."""
    return {
        number: name.removeprefix(prefix).lower() if number else "" for name, number in enum.items()
    }


class Part(Generic[M]):
    """Something of the game, read from the contract's message when it is asked for.

    It cannot be changed. `raw` is the message itself, for a field that has no name here yet.
    """

    __slots__ = ("_catalog", "raw")

    raw: M
    _catalog: Catalog

    def __init__(self, raw: M, catalog: Catalog) -> None:
        object.__setattr__(self, "raw", raw)
        object.__setattr__(self, "_catalog", catalog)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(
            f"{type(self).__name__}.{name} cannot be set: a view is only looked at"
        )

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"{type(self).__name__}.{name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.raw == other.raw

    def __hash__(self) -> int:
        return hash((type(self), self.raw.SerializeToString(deterministic=True)))
