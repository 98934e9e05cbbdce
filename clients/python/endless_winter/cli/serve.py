"""``ew serve``."""

from __future__ import annotations

import asyncio
import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from endless_winter.cli.catalog import read_pack
from endless_winter.service.configuration import (
    CONFIG,
    OPTIONS,
    Configuration,
    ConfigurationError,
    Option,
    resolve,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import grpc

    from endless_winter.content import Pack
    from endless_winter.engine.settings import Settings
    from endless_winter.service.address import Address


def click_option(option: Option) -> Callable[[Any], Any]:
    """An option of the configuration as a flag. Defaults come later, after environment and file."""
    help_text = option.help
    if option.default not in (None, (), False):
        help_text += f"  [default: {option.shown_default}]"
    more: dict[str, Any] = {"help": help_text}
    if option.kind == "switch":
        return click.option(f"{option.flag}/--no-{option.name}", option.key, default=None, **more)
    if option.kind == "choice":
        more["type"] = click.Choice(option.choices)
    elif option.kind == "number":
        more["type"] = click.IntRange(min=option.least)
    elif option.kind == "seconds":
        more["type"] = click.FloatRange(min=option.least)
    elif option.kind == "path":
        more["type"] = click.Path(path_type=Path, dir_okay=False)
    elif option.kind == "texts":
        more["multiple"] = True
    if option.metavar:
        more["metavar"] = option.metavar
    return click.option(option.flag, option.key, **more)


def configured(function: Callable[..., Any]) -> Callable[..., Any]:
    """All flags, in the order of the table."""
    for option in reversed((CONFIG, *OPTIONS)):
        function = click_option(option)(function)
    return function


@click.command()
@configured
def serve(*, config: Path | None, **flags: Any) -> None:
    """Run a server until SIGTERM or Ctrl-C.

    Prints one line with the address when it is ready. Games live in the store: a server that is
    started again on the same store goes on with them.

    Each setting can also stand in the environment (EW_LISTEN for --listen) or in the TOML file
    (listen = "..."). A flag wins over the environment, the environment over the file.
    """
    from endless_winter.service import (  # noqa: PLC0415 # only when needed
        logs,
        server,
        tls,
    )
    from endless_winter.service.metrics import MetricsError  # noqa: PLC0415
    from endless_winter.store.errors import StoreError  # noqa: PLC0415
    from endless_winter.store.opening import check_flag  # noqa: PLC0415

    try:
        check_flag(flags["store"])
        known = resolve(flags, os.environ, config)
        settings = known.settings()
    except (ConfigurationError, StoreError) as error:
        raise click.UsageError(str(error)) from error
    where = _address(known["listen"], "--listen")
    try:
        credentials = tls.server_credentials(
            known.path("tls_cert"), known.path("tls_key"), known.path("tls_client_ca")
        )
    except tls.TlsError as error:
        raise click.UsageError(str(error)) from error
    if not (where.is_loopback or credentials is not None or known["insecure"]):
        raise click.UsageError(
            f"'{where.host}' may be reached from other machines and there is no TLS; "
            "use 127.0.0.1, give --tls-cert and --tls-key, or say --insecure"
        )
    metrics = _address(known["metrics"], "--metrics") if known["metrics"] is not None else None
    if metrics is not None and not (metrics.is_loopback or known["insecure"]):
        raise click.UsageError(
            f"'{metrics.host}' may be reached from other machines and metrics have no TLS; "
            "use 127.0.0.1, or say --insecure"
        )
    pack = read_pack(known.path("content"))
    logs.configure(known["log_level"])
    server.raise_file_limit()
    try:
        asyncio.run(_run(known, settings, where, pack, credentials, metrics))
    except (server.ListenError, MetricsError, StoreError) as error:
        raise click.ClickException(str(error)) from error
    _say("ew serve: drained, stopped")


def _address(text: str, hint: str) -> Address:
    from endless_winter.service import address  # noqa: PLC0415

    try:
        return address.parse(text)
    except address.AddressError as error:
        raise click.BadParameter(str(error), param_hint=hint) from error


async def _run(
    known: Configuration,
    settings: Settings,
    where: Address,
    pack: Pack,
    credentials: grpc.ServerCredentials | None,
    metrics: Address | None,
) -> None:
    from endless_winter.service import logs  # noqa: PLC0415
    from endless_winter.service.clock import Clock  # noqa: PLC0415
    from endless_winter.service.host import Host  # noqa: PLC0415
    from endless_winter.service.metrics import serving_metrics  # noqa: PLC0415
    from endless_winter.service.server import serve as run  # noqa: PLC0415
    from endless_winter.store.opening import open_store  # noqa: PLC0415

    with ExitStack() as stack:
        store = open_store(known["store"], synchronous=known["synchronous"])
        stack.callback(store.close)
        for warning in store.warnings:
            logs.log.warning(warning)
        host = Host(store, pack, clock=Clock(), settings=settings)
        if metrics is not None:
            stack.enter_context(serving_metrics(metrics, host, host.meters))
        await run(
            where,
            host=host,
            grace=known["grace"],
            ready=_announce,
            credentials=credentials,
            unix_sockets=known["unix_socket"],
        )


def _say(text: str) -> None:
    """Print a line; that nobody reads on (`ew serve | head -1`) is no failure."""
    try:
        click.echo(text)
    except BrokenPipeError:
        # What is left in the buffer would fail once more when the process ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _announce(where: object) -> None:
    # Flushed by click: scripts wait for this line.
    click.echo(f"ew serve: listening on {where}")
