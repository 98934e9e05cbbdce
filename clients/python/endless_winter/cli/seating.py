"""A seat for a person: on a server of one's own with bots, or on another's."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

import click

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import ExitStack
    from pathlib import Path

    import grpc

    from endless_winter.cli.kind import Kind
    from endless_winter.cli.own_table import OwnServer
    from endless_winter.sdk.client import Client
    from endless_winter.terminal.profile import Profile, ServerProfile
    from endless_winter.terminal.table import Table
    from endless_winter.v1 import config_pb2, game_pb2

SECRET = re.compile(r"\A[0-9a-f]{64}\Z")


def own_secret() -> str:
    """EW_CLIENT_SECRET, which counts before a stored secret; empty: it is not set."""
    own = os.environ.get("EW_CLIENT_SECRET", "")
    if own and not SECRET.match(own):
        raise click.UsageError("EW_CLIENT_SECRET must be 64 lower-case hexadecimal digits")
    return own


class Wish(NamedTuple):
    """What game is wanted."""

    against: tuple[str, ...]
    join: str | None
    create: bool
    resume: bool
    players: int
    seat: int | None
    name: str
    kind: Kind
    minutes: float
    undo: bool
    nomad: tuple[str, ...] | None
    """Against the Nomad, with these switches; None: not."""


def table_for(
    stack: ExitStack, wish: Wish, server: str | None, credentials: grpc.ChannelCredentials | None
) -> Table:
    """The table to sit at, with everything that has to run for it."""
    from endless_winter.terminal.profile import LOCAL, Profile, ProfileError, home  # noqa: PLC0415

    try:
        profile = Profile(home())
        if wish.resume and server is None:
            server = profile.last()
            if server is None:
                raise click.UsageError("there is no game to go on with; 'ew play' begins one")
            server = None if server == LOCAL else server
        if server is None:
            return _own(stack, wish, profile, home())
        return _elsewhere(stack, wish, profile, server, credentials)
    except ProfileError as error:
        raise click.ClickException(str(error)) from error


def _own(stack: ExitStack, wish: Wish, profile: Profile, folder: Path) -> Table:
    from endless_winter.cli.bot import findable  # noqa: PLC0415 # only when needed
    from endless_winter.cli.own_table import LOG, TableFailed, own_bots, own_server  # noqa: PLC0415
    from endless_winter.sdk.client import Client  # noqa: PLC0415 # only when needed
    from endless_winter.sdk.errors import Refused  # noqa: PLC0415
    from endless_winter.terminal.profile import LOCAL, ServerProfile, make  # noqa: PLC0415
    from endless_winter.v1 import rejection_pb2  # noqa: PLC0415

    mine = profile.at(LOCAL)
    against = tuple(mine.against) if wish.resume else wish.against
    for spec in against:
        findable(spec)
    make(folder)
    click.echo("Starting a server and the bots …", err=True)
    try:
        server, where = stack.enter_context(own_server(folder))
        if where is None:
            if wish.resume:
                raise click.ClickException("another 'ew play' has your games; end that one first")
            click.echo("Another 'ew play' has your games; this one will not be stored.", err=True)
            mine = ServerProfile()
        bots = stack.enter_context(own_bots(against, server.address, mine.bot_secret, folder / LOG))
        client = stack.enter_context(Client(server.address, mine.secret))
        bots.wait(client)
    except TableFailed as error:
        raise click.ClickException(str(error)) from error
    try:
        if not wish.resume:
            mine.game_id = client.create(config=_config(wish)).game_id
            mine.seat = client.join(mine.game_id, 0, name=wish.name)
            mine.against = list(against)
        _still_there(client, mine)
    except Refused as error:
        if error.reason == rejection_pb2.REJECTION_REASON_STORE_UNAVAILABLE:
            raise click.ClickException(
                f"the server cannot write its log in {server.folder}; is the disk full?"
            ) from error
        raise
    if where is not None:
        profile.save(LOCAL)
    return _seat(client, mine, trouble=bots.trouble, own=server)


def _elsewhere(
    stack: ExitStack,
    wish: Wish,
    profile: Profile,
    server: str,
    credentials: grpc.ChannelCredentials | None,
) -> Table:
    from endless_winter.sdk.client import Client  # noqa: PLC0415 # only when needed

    mine = profile.at(server)
    own = own_secret()
    mine.secret = own or mine.secret
    client = stack.enter_context(Client(server, mine.secret, credentials=credentials, patience=0.0))
    if wish.resume:
        if not mine.game_id:
            raise click.UsageError(f"no game of yours is known on {server}")
    elif wish.create:
        info = client.create(config=_config(wish))
        mine.game_id = info.game_id
        mine.seat = client.join(info.game_id, 0, name=wish.name)
    else:
        assert wish.join is not None
        mine.game_id = wish.join
        mine.seat = joined(client, wish.join, wish.seat, name=wish.name)
    if not own:
        profile.save(server)
    _still_there(client, mine, server)
    return _seat(client, mine, credentials=credentials)


def joined(
    client: Client, game_id: str, seat: int | None, *, name: str, invitation: str | None = None
) -> int:
    """A seat in the game: the one held already, or a free one; EW_INVITATION may be its word."""
    for mine in client.my_seats(ended=True):
        if mine.game_id == game_id and seat in (None, mine.seat):
            return mine.seat
    word = os.environ.get("EW_INVITATION", "") if invitation is None else invitation
    return client.join(game_id, seat, name=name, invitation=word)


def _still_there(client: Client, mine: ServerProfile, server: str = "") -> None:
    """A game that is over or gone is said at once."""
    from endless_winter.v1 import game_pb2  # noqa: PLC0415 # only when needed

    info: game_pb2.GameInfo = client.game(mine.game_id)
    where = f" --server {server}" if server else ""
    if info.status == game_pb2.GAME_STATUS_SUSPENDED:
        new = f"ew play{where} --create" if server else "ew play"
        raise click.ClickException(
            f"the game {mine.game_id} cannot go on here: it was begun with other rules than "
            f"{server or 'this version'} runs, or its log is damaged; the log stays. "
            f"'{new}' begins a new one"
        )
    if info.status == game_pb2.GAME_STATUS_ENDED:
        raise click.ClickException(
            f"the game {mine.game_id} is over; 'ew watch {mine.game_id}{where}' shows it"
        )


def _seat(
    client: Client,
    mine: ServerProfile,
    *,
    credentials: grpc.ChannelCredentials | None = None,
    trouble: Callable[[], str] = lambda: "",
    own: OwnServer | None = None,
) -> Table:
    from endless_winter.sdk.connection import Endpoint  # noqa: PLC0415 # only when needed
    from endless_winter.terminal.remote import RemoteTable  # noqa: PLC0415

    endpoint = Endpoint.of(client.addresses, mine.secret, credentials=credentials)
    return RemoteTable(endpoint, mine.game_id, mine.seat, trouble=trouble, own=own)


def _config(wish: Wish) -> config_pb2.GameConfig:
    from endless_winter.sdk import solo_config  # noqa: PLC0415 # only when needed
    from endless_winter.sdk.loading import name_of  # noqa: PLC0415
    from endless_winter.v1 import clock_pb2, config_pb2  # noqa: PLC0415

    people = wish.players - len(wish.against)
    config = config_pb2.GameConfig(
        seats=[config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)] * people
        + [
            config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_BOT, bot_name=name_of(spec))
            for spec in wish.against
        ],
        undo_allowed=wish.undo,
    )
    if wish.nomad is not None:
        solo = solo_config(switches=wish.nomad)
        del config.seats[:]
        config.MergeFrom(solo)
    wish.kind.apply_to(config)
    if wish.minutes:
        config.time_control.CopyFrom(clock_pb2.TimeControl(bank_ms=int(wish.minutes * 60_000)))
    return config
