"""How a command reaches a server by TLS: the same options everywhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    import grpc

FILE = click.Path(path_type=Path, dir_okay=False, exists=True)
_OPTIONS = {
    "--tls-ca": "Use TLS, with this authority's certificate (PEM).",
    "--tls-cert": "Show this certificate (PEM) to the server.",
    "--tls-key": "The key of that certificate (PEM).",
}


def tls_options(function: click.decorators.FC) -> click.decorators.FC:
    """``--tls-ca``, ``--tls-cert`` and ``--tls-key``, for every command that calls a server."""
    for name, text in reversed(_OPTIONS.items()):
        function = click.option(name, type=FILE, metavar="FILE", help=text)(function)
    return function


def tls_words(ca: Path | None, cert: Path | None, key: Path | None) -> list[str]:
    """The same options for another command."""
    given = zip(_OPTIONS, (ca, cert, key), strict=True)
    return [word for name, file in given if file is not None for word in (name, str(file))]


def credentials_of(
    ca: Path | None, cert: Path | None, key: Path | None
) -> grpc.ChannelCredentials | None:
    """What the options say; None: in the clear."""
    import grpc  # noqa: PLC0415 # only when needed

    if (cert is None) != (key is None):
        raise click.UsageError("--tls-cert and --tls-key go together")
    if ca is None:
        if cert is not None:
            raise click.UsageError("--tls-cert needs --tls-ca")
        return None
    try:
        return grpc.ssl_channel_credentials(
            ca.read_bytes(),
            key.read_bytes() if key is not None else None,
            cert.read_bytes() if cert is not None else None,
        )
    except OSError as error:
        raise click.ClickException(f"cannot read {error.filename}: {error.strerror}") from error
