"""A pack's tables as JSON and back, by the standard library alone.

Reading a pack needs msgspec, which other Pythons on this machine need not have; the rules core
needs nothing. So a test hands the tables over in this form.
"""

from __future__ import annotations

from typing import Any

from endless_winter.rules import tables as kinds


def plain(value: object) -> Any:
    if isinstance(value, bytes):
        return {"bytes": value.hex()}
    if isinstance(value, tuple):
        return {"tuple": [plain(item) for item in value]}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if value is None or isinstance(value, (str, int)):
        return value
    names = [name for name in dir(value) if not name.startswith("_")]
    parts = {name: plain(getattr(value, name)) for name in names}
    return {"class": type(value).__name__, "parts": parts}


def rebuilt(value: Any) -> Any:
    if isinstance(value, list):
        return [rebuilt(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "bytes" in value:
        return bytes.fromhex(value["bytes"])
    if "tuple" in value:
        return tuple(rebuilt(item) for item in value["tuple"])
    kind = getattr(kinds, value["class"])
    made = kind.__new__(kind)
    for name, part in value["parts"].items():
        setattr(made, name, rebuilt(part))
    return made
