"""Where a server listens, and whether that is safe without TLS."""

from __future__ import annotations

import errno
import ipaddress
import socket
from pathlib import Path
from typing import NamedTuple


class AddressError(ValueError):
    """The text is not ``HOST:PORT``; the message is one line for the user."""


class Address(NamedTuple):
    """A host (a name or an IP address, without brackets) and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Only this machine can reach it. Other names than ``localhost`` could mean anything."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def parse(text: str) -> Address:
    """``HOST:PORT``, with brackets around an IPv6 host. Port 0 lets the system choose."""
    host, colon, port = text.rpartition(":")
    if not colon or not host:
        raise AddressError(f"'{text}' is not HOST:PORT")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise AddressError(f"'{text}' needs brackets around its IPv6 host, as in [::1]:0")
    if not (port.isascii() and port.isdigit() and int(port) <= 65535):
        raise AddressError(f"'{port}' is not a port from 0 to 65535")
    return Address(host, int(port))


def claim(path: str) -> None:
    """Make room for a Unix socket at the path; what a server that is gone left there is removed.

    gRPC would remove that of a running server, too, and does not report why it cannot listen.
    """
    with socket.socket(socket.AF_UNIX) as probe:
        try:
            probe.connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            Path(path).unlink(missing_ok=True)
        else:
            raise FileExistsError(errno.EADDRINUSE, "a server listens there")
    with socket.socket(socket.AF_UNIX) as probe:
        probe.bind(path)
    Path(path).unlink()


def why_not(address: Address) -> str:
    """The system's reason why the address cannot be listened on; gRPC does not pass it on."""
    try:
        family, kind, protocol, _, target = socket.getaddrinfo(
            address.host, address.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.bind(target)
            probe.listen()
    except OSError as error:
        return (error.strerror or str(error)).lower()
    return "gRPC could not listen there"
