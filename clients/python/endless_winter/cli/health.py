"""``ew health``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from endless_winter.cli.probe import NoAnswer, Probe
from endless_winter.service.address import AddressError, parse

if TYPE_CHECKING:
    import grpc

FILE = click.Path(path_type=Path, dir_okay=False, exists=True)


@click.command()
@click.argument("address", metavar="HOST:PORT")
@click.option(
    "--timeout", default=5.0, show_default=True, type=click.FloatRange(min=0), metavar="SECONDS"
)
@click.option(
    "--tls-ca", type=FILE, metavar="FILE", help="Use TLS, with this authority's certificate (PEM)."
)
@click.option(
    "--tls-cert", type=FILE, metavar="FILE", help="Show this certificate (PEM) to the server."
)
@click.option("--tls-key", type=FILE, metavar="FILE", help="The key of that certificate (PEM).")
def health(
    address: str,
    *,
    timeout: float,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> int:
    """Ask the server at HOST:PORT whether it is ready.

    Ends with status 0 when it is, with 1 when it is not or does not answer.
    """
    try:
        parse(address)
    except AddressError as error:
        raise click.BadParameter(str(error), param_hint="HOST:PORT") from error
    credentials = _credentials(tls_ca, tls_cert, tls_key)
    with Probe(address, timeout=timeout, credentials=credentials) as probe:
        try:
            state = probe.health()
        except NoAnswer as error:
            raise click.ClickException(str(error)) from error
    click.echo(f"ew health: {address} is {state}")
    return 0 if state == "SERVING" else 1


def _credentials(
    ca: Path | None, cert: Path | None, key: Path | None
) -> grpc.ChannelCredentials | None:
    import grpc  # noqa: PLC0415 # only when needed

    if (cert is None) != (key is None):
        raise click.UsageError("--tls-cert and --tls-key go together")
    if ca is None:
        if cert is not None:
            raise click.UsageError("--tls-cert needs --tls-ca")
        return None
    return grpc.ssl_channel_credentials(
        ca.read_bytes(),
        key.read_bytes() if key is not None else None,
        cert.read_bytes() if cert is not None else None,
    )
