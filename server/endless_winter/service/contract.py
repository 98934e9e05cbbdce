"""The contract as the running program knows it."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING

import endless_winter.v1

if TYPE_CHECKING:
    from google.protobuf.descriptor import FileDescriptor

PACKAGE = "endless_winter.v1"


def files() -> list[FileDescriptor]:
    """Every file of the contract, by name."""
    names = (module.name for module in pkgutil.iter_modules(endless_winter.v1.__path__))
    modules = (
        importlib.import_module(f"{PACKAGE}.{name}")
        for name in sorted(names)
        if name.endswith("_pb2")
    )
    return [module.DESCRIPTOR for module in modules]
