"""``ew tournament``: for now the thinnest real thing, a server process that answers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import click

from endless_winter.cli.probe import NoAnswer, Probe
from endless_winter.cli.process import Server, ServerFailed, running
from endless_winter.service import contract

if TYPE_CHECKING:
    from google.protobuf.descriptor import FileDescriptor


@click.command()
def tournament() -> None:
    """Start a server process on a free port, ask it over the network, and stop it.

    Tournaments themselves come later. Until then this shows that the parts under them work:
    the server starts, answers health and reflection, describes the contract, and drains.
    """
    try:
        with running() as server:
            ask(server)
            status = server.stop()
    except (NoAnswer, ServerFailed) as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"stop:        SIGTERM, drained, exit status {status}")
    if status:
        raise click.ClickException(f"the server ended with status {status}")
    click.echo("ew tournament: a server was started, asked and stopped; tournaments come later")


def ask(server: Server) -> None:
    """Print what the server says about itself; any wrong answer is an error."""
    click.echo(f"server:      process {server.process.pid} on {server.address}")
    with Probe(server.address) as probe:
        state = probe.health()
        click.echo(f"health:      {state}")
        if state != "SERVING":
            raise click.ClickException(f"the server says {state} instead of SERVING")
        click.echo(f"services:    {', '.join(probe.services())}")
        expected = {name: file.name for file in contract.files() for name in symbols(file)}
        described = {name: file.name for name, file in probe.files_with(expected).items()}
    if not expected:
        raise click.ClickException("this build holds no contract; install it again")
    wrong = sorted(name for name, file in expected.items() if described.get(name) != file)
    if wrong:
        raise click.ClickException(f"reflection does not describe {wrong[0]} ({len(wrong)} such)")
    kinds = Counter(kind for file in contract.files() for kind in symbols(file).values())
    counts = ", ".join(f"{kinds[kind]} {kind}s" for kind in ("service", "message", "enum"))
    files = len(set(described.values()))
    click.echo(f"contract:    {contract.PACKAGE}: {counts} in {files} files, by reflection")


def symbols(file: FileDescriptor) -> dict[str, str]:
    """The top-level names that a file of the contract defines, and what each is."""
    return {
        **{service.full_name: "service" for service in file.services_by_name.values()},
        **{message.full_name: "message" for message in file.message_types_by_name.values()},
        **{enum.full_name: "enum" for enum in file.enum_types_by_name.values()},
    }
