"""Ports that nobody else can get while a test has no server on them."""

from __future__ import annotations

import socket
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def nobody() -> Iterator[str]:
    """An address at which nobody listens, unless the test has a server listen there.

    The port is bound and never listened on: the system gives it to no other server, and to no
    client as its own end. A server that asks for it gets it, since both allow the address to be
    used again.
    """
    with socket.socket() as held:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        held.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{held.getsockname()[1]}"
