"""``ew health``."""

from __future__ import annotations

import click

from endless_winter.cli.probe import NoAnswer, Probe
from endless_winter.service.address import AddressError, parse


@click.command()
@click.argument("address", metavar="HOST:PORT")
@click.option(
    "--timeout", default=5.0, show_default=True, type=click.FloatRange(min=0), metavar="SECONDS"
)
def health(address: str, *, timeout: float) -> int:
    """Ask the server at HOST:PORT whether it is ready.

    Ends with status 0 when it is, with 1 when it is not or does not answer.
    """
    try:
        parse(address)
    except AddressError as error:
        raise click.BadParameter(str(error), param_hint="HOST:PORT") from error
    with Probe(address, timeout=timeout) as probe:
        try:
            state = probe.health()
        except NoAnswer as error:
            raise click.ClickException(str(error)) from error
    click.echo(f"ew health: {address} is {state}")
    return 0 if state == "SERVING" else 1
