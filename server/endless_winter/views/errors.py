"""What can be wrong with what somebody gives to this package; each is said in one line."""

from __future__ import annotations


class BadGameConfig(Exception):
    """A configuration that no game can be made of: the field at fault, and why."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(f"{field}: {reason}")
        self.field: str = field
        self.reason: str = reason


class BadView(Exception):
    """A view that no position can be built from; says why in one line."""
