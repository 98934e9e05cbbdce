"""``ew watch``: look at a game, live or step by step."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from endless_winter.cli.play import leave_in_order, no_screen, show
from endless_winter.cli.seating import own_secret
from endless_winter.cli.tls import credentials_of, tls_options

if TYPE_CHECKING:
    from collections.abc import Iterable

    import grpc

    from endless_winter.sdk.client import Client
    from endless_winter.terminal.table import Table
    from endless_winter.v1 import game_pb2, replay_pb2

_LISTED = 20


@click.command()
@click.argument("game", required=False, metavar="[GAME|FILE]")
@click.option("--server", metavar="HOST:PORT", help="The server; without it, your own games.")
@click.option("--replay", is_flag=True, help="Step through it, also while it still runs.")
@click.option(
    "--seat",
    type=click.IntRange(0, 3),
    help="Through the eyes of this seat, where that is allowed.",
)
@click.option("--plain", is_flag=True, help="Lines instead of a screen.")
@tls_options
def watch(
    *,
    game: str | None,
    server: str | None,
    replay: bool,
    seat: int | None,
    plain: bool,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> int:
    """Watch a game as a spectator, or step through one that is over.

    GAME is a game's id, FILE a record that 'ew replay export' wrote. Without either, the newest
    games are listed. In a replay the arrow keys step, Home and End jump, and e changes through
    whose eyes you look. To see through the eyes of your own seat in a game that still runs, put
    its client secret into EW_CLIENT_SECRET.
    """
    from endless_winter.sdk.errors import BadAddress, SdkError  # noqa: PLC0415 # only when needed

    plain = plain or no_screen()
    leave_in_order()
    try:
        with ExitStack() as stack:
            if game is not None and server is None and Path(game).is_file():
                return show(_from_file(Path(game), seat, plain=plain), plain=plain, confirm=False)
            if game is not None and _like_a_file(game):
                raise click.UsageError(f"there is no file {game}")
            credentials = credentials_of(tls_ca, tls_cert, tls_key)
            client = _client(stack, server, credentials)
            if game is None:
                return _list(client.games())
            info = client.game(game)
            _check_shown(info, server)
            table = _table(client, info, seat, credentials, stepping=replay, plain=plain)
            return show(table, plain=plain, confirm=False)
    except BadAddress as error:
        raise click.UsageError(str(error)) from error
    except SdkError as error:
        raise click.ClickException(str(error)) from error


def _like_a_file(name: str) -> bool:
    """No game's id has a dot or a slash."""
    return "." in name or "/" in name or os.sep in name


def _client(
    stack: ExitStack, server: str | None, credentials: grpc.ChannelCredentials | None
) -> Client:
    from endless_winter.cli.own_table import TableFailed, own_server  # noqa: PLC0415
    from endless_winter.sdk.client import Client  # noqa: PLC0415 # only when needed
    from endless_winter.terminal.profile import LOCAL, Profile, ProfileError, home  # noqa: PLC0415

    secret = own_secret()
    if server is None:
        try:
            secret = secret or Profile(home()).at(LOCAL).secret
            own, where = stack.enter_context(own_server(home()))
        except (TableFailed, ProfileError) as error:
            raise click.ClickException(str(error)) from error
        server = own.address
        if where is None:
            raise click.ClickException("'ew play' has your games open; end it first")
    return stack.enter_context(Client(server, secret, credentials=credentials, patience=0.0))


def _check_shown(info: game_pb2.GameInfo, server: str | None) -> None:
    """A game of another version has no positions here, but its events can be shown."""
    from endless_winter.v1 import game_pb2  # noqa: PLC0415 # only when needed

    if info.status != game_pb2.GAME_STATUS_SUSPENDED:
        return
    hint = ""
    if server is not None:
        hint = f"; 'ew replay show {info.game_id} --server {server}' prints what happened"
    raise click.ClickException(
        f"the game {info.game_id} was begun with other rules or content; its log stays, and can be "
        f"watched with the version that began it{hint}"
    )


def _table(
    client: Client,
    info: game_pb2.GameInfo,
    seat: int | None,
    credentials: grpc.ChannelCredentials | None,
    *,
    stepping: bool,
    plain: bool,
) -> Table:
    from endless_winter.sdk.connection import Endpoint  # noqa: PLC0415 # only when needed
    from endless_winter.terminal.remote import RemoteTable  # noqa: PLC0415
    from endless_winter.terminal.replay import ReplayTable  # noqa: PLC0415
    from endless_winter.v1 import game_pb2  # noqa: PLC0415

    over = info.status == game_pb2.GAME_STATUS_ENDED
    if not stepping and not over:
        endpoint = Endpoint.of(client.addresses, client.secret, credentials=credentials)
        return RemoteTable(endpoint, info.game_id, seat)
    frames = _frames(client, info, seat)
    return ReplayTable(frames, client.catalog(info.content_hash), info, seat=seat, once=plain)


def _frames(
    client: Client, info: game_pb2.GameInfo, seat: int | None
) -> list[replay_pb2.ReplayFrame]:
    """The open table where it may be seen, so that eyes can be changed."""
    from endless_winter.sdk.errors import Refused  # noqa: PLC0415 # only when needed
    from endless_winter.v1 import rejection_pb2  # noqa: PLC0415

    try:
        return list(client.replay(info.game_id, omniscient=True))
    except Refused as error:
        if error.reason != rejection_pb2.REJECTION_REASON_NOT_REVEALED_YET:
            raise
    return list(client.replay(info.game_id, seat))


def _from_file(path: Path, seat: int | None, *, plain: bool) -> Table:
    from endless_winter.cli.catalog import read_pack  # noqa: PLC0415 # only when needed
    from endless_winter.cli.replay_file import ReplayError, read  # noqa: PLC0415
    from endless_winter.engine.replay.rewind import OMNISCIENT, Rewind  # noqa: PLC0415
    from endless_winter.engine.table import new_table  # noqa: PLC0415
    from endless_winter.rules import RULES_VERSION  # noqa: PLC0415
    from endless_winter.sdk import Catalog  # noqa: PLC0415
    from endless_winter.terminal.replay import ReplayTable  # noqa: PLC0415
    from endless_winter.v1 import replay_pb2  # noqa: PLC0415
    from endless_winter.views import Scribe, Words, catalog_of, config_of  # noqa: PLC0415

    try:
        file = read(path)
    except ReplayError as error:
        raise click.ClickException(str(error)) from error
    pack = read_pack(None)
    info = file.game
    if info.content_hash != pack.digest or info.rules_version != str(RULES_VERSION):
        raise click.ClickException(
            f"{path}: played by other rules or content, there are no positions to show; "
            f"'ew replay show {path}' prints what happened"
        )
    if seat is not None and seat >= len(info.config.seats):
        raise click.ClickException(f"{path}: the game has no seat {seat}")
    words = Words(pack)
    rules = config_of(info.config, pack)
    table = new_table(info.game_id, info.config, rules, info.seed_reveal.seed)
    rewind = Rewind(table, Scribe(words, rules), OMNISCIENT)
    frames = []
    for entry in file.entries:
        rewind.step(entry)
        frames.append(replay_pb2.ReplayFrame.FromString(rewind.frame(entry)))
    catalog = Catalog.of(catalog_of(words))
    return ReplayTable(frames, catalog, info, seat=seat, once=plain)


def _list(games: Iterable[game_pb2.GameInfo]) -> int:
    """The newest games, one a line."""
    from endless_winter.cli.game_text import line_of  # noqa: PLC0415 # only when needed

    count = 0
    for count, info in enumerate(games, 1):
        if count > _LISTED:
            click.echo("and older ones")
            break
        click.echo(line_of(info))
    if not count:
        click.echo("there are no games")
    return 0
