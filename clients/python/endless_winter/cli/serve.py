"""``ew serve``."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

import click

from endless_winter.cli.catalog import content_option, read_pack

if TYPE_CHECKING:
    from endless_winter.content import Pack
    from endless_winter.service.address import Address

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
    "--store",
    default=Path("endless-winter.db"),
    show_default=True,
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Where the games are kept; made if it does not exist.",
)
@content_option
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
def serve(*, listen: str, store: Path, content: Path | None, insecure: bool, grace: float) -> None:
    """Run a server until SIGTERM or Ctrl-C.

    Prints one line with the address when it is ready. Games live in the store: a server that is
    started again on the same file goes on with them.
    """
    from endless_winter.service import address, server  # noqa: PLC0415 # grpc only when needed
    from endless_winter.store import StoreError  # noqa: PLC0415

    try:
        where = address.parse(listen)
    except address.AddressError as error:
        raise click.BadParameter(str(error), param_hint="--listen") from error
    if not (where.is_loopback or insecure):
        raise click.UsageError(
            f"'{where.host}' may be reached from other machines and there is no TLS; "
            "use 127.0.0.1, or say --insecure"
        )
    pack = read_pack(content)
    try:
        asyncio.run(_run(where, store, pack, grace))
    except (server.ListenError, StoreError) as error:
        raise click.ClickException(str(error)) from error
    click.echo("ew serve: drained, stopped")


async def _run(where: Address, store: Path, pack: Pack, grace: float) -> None:
    from endless_winter.service.hall import Hall  # noqa: PLC0415
    from endless_winter.service.server import serve as run  # noqa: PLC0415
    from endless_winter.service.settings import Settings  # noqa: PLC0415
    from endless_winter.service.timekeeper import Timekeeper  # noqa: PLC0415
    from endless_winter.store import SqliteStore  # noqa: PLC0415

    async with await SqliteStore.open(store) as logs:
        hall = Hall(logs, pack, time=Timekeeper(), settings=Settings())
        await run(where, hall=hall, grace=grace, ready=_announce)


def _announce(where: object) -> None:
    # Flushed by click: scripts wait for this line.
    click.echo(f"ew serve: listening on {where}")
