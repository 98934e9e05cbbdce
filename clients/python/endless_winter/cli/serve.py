"""``ew serve``."""

from __future__ import annotations

import asyncio

import click

DEFAULT = "127.0.0.1:50051"


@click.command()
@click.option(
    "--listen",
    default=DEFAULT,
    show_default=True,
    metavar="HOST:PORT",
    help="Where to listen; port 0 takes any free one.",
)
@click.option(
    "--insecure", is_flag=True, help="Allow a host that other machines can reach, without TLS."
)
@click.option(
    "--grace",
    default=10.0,
    show_default=True,
    type=click.FloatRange(min=0),
    metavar="SECONDS",
    help="How long calls in flight may go on after SIGTERM.",
)
def serve(listen: str, *, insecure: bool, grace: float) -> None:
    """Run a server until SIGTERM or Ctrl-C.

    Prints one line with the address when it is ready. So far it answers the standard health and
    reflection services, and reflection describes the whole contract; no games are served yet.
    """
    from endless_winter.service import address, server  # noqa: PLC0415 # grpc only when needed

    try:
        where = address.parse(listen)
    except address.AddressError as error:
        raise click.BadParameter(str(error), param_hint="--listen") from error
    if not (where.is_loopback or insecure):
        raise click.UsageError(
            f"'{where.host}' may be reached from other machines and there is no TLS; "
            "use 127.0.0.1, or say --insecure"
        )
    try:
        asyncio.run(server.serve(where, grace=grace, ready=_announce))
    except server.ListenError as error:
        raise click.ClickException(str(error)) from error
    click.echo("ew serve: drained, stopped")


def _announce(where: object) -> None:
    # Flushed by click: scripts wait for this line.
    click.echo(f"ew serve: listening on {where}")
