"""File descriptors: connections may not use up those that the server itself needs."""

from __future__ import annotations

import resource
from contextlib import suppress

SPARE = 256  # for the store, the metrics, gRPC's own, and whatever a library opens for a moment
FEWEST = 64  # connections, also where hardly any files may be open


def raise_limit() -> None:
    """Take as many descriptors as the system gives to whoever asks."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with suppress(ValueError, OSError):  # some systems name a limit that they do not give
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def connections(wanted: int) -> int:
    """How many connections may be open at a time, so that some descriptors are left."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    return min(wanted, max(soft - SPARE, FEWEST))
