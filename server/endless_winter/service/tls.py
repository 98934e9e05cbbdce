"""Certificates for a server, read and checked before it listens."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import grpc

if TYPE_CHECKING:
    from pathlib import Path


class TlsError(Exception):
    """The certificates cannot be used; the message is one line for the user."""


def server_credentials(
    cert: Path | None, key: Path | None, client_ca: Path | None
) -> grpc.ServerCredentials | None:
    """What the server shows and demands; None: no TLS."""
    if cert is None and key is None:
        if client_ca is not None:
            raise TlsError("--tls-client-ca needs --tls-cert and --tls-key")
        return None
    if cert is None or key is None:
        raise TlsError("--tls-cert and --tls-key go together")
    _check(cert, key, client_ca)
    return grpc.ssl_server_credentials(
        [(_read(key), _read(cert))],
        root_certificates=_read(client_ca) if client_ca is not None else None,
        require_client_auth=client_ca is not None,
    )


def _check(cert: Path, key: Path, client_ca: Path | None) -> None:
    """Broken files are named here; the transport would take them and refuse every client."""
    for path in (cert, key, client_ca):
        if path is not None:
            _read(path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        # An empty password, because otherwise an encrypted key would ask on the terminal.
        context.load_cert_chain(cert, key, password="")
    except (ssl.SSLError, ValueError) as error:
        raise TlsError(f"{cert} and {key} are no certificate and its key, in PEM") from error
    if client_ca is not None:
        try:
            context.load_verify_locations(client_ca)
        except ssl.SSLError as error:
            raise TlsError(f"{client_ca} holds no certificate, in PEM") from error


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise TlsError(f"cannot read {path}") from error
