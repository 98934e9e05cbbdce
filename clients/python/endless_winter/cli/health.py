"""``ew health``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from endless_winter.cli.probe import NoAnswer, Probe
from endless_winter.cli.tls import credentials_of, tls_options
from endless_winter.service.address import AddressError, parse

if TYPE_CHECKING:
    from pathlib import Path


@click.command()
@click.argument("address", metavar="HOST:PORT")
@click.option(
    "--timeout", default=5.0, show_default=True, type=click.FloatRange(min=0), metavar="SECONDS"
)
@tls_options
def health(
    address: str,
    *,
    timeout: float,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> int:
    """Ask the server at HOST:PORT, or unix:PATH, whether it is ready.

    Ends with status 0 when it is, with 1 when it is not or does not answer.
    """
    try:
        if not address.startswith("unix:"):
            parse(address)
    except AddressError as error:
        raise click.BadParameter(str(error), param_hint="HOST:PORT") from error
    credentials = credentials_of(tls_ca, tls_cert, tls_key)
    with Probe(address, timeout=timeout, credentials=credentials) as probe:
        try:
            state = probe.health()
        except NoAnswer as error:
            raise click.ClickException(str(error)) from error
    click.echo(f"ew health: {address} is {state}")
    return 0 if state == "SERVING" else 1
