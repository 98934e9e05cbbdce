"""``ew game``: games on a running server, created, found and joined."""

from __future__ import annotations

import shlex
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import wraps
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from endless_winter.cli.bot import built_in
from endless_winter.cli.game_making import (
    HARD,
    INVITED,
    VISIBILITY,
    Seat,
    clock_of,
    config_for,
    seats_of,
)
from endless_winter.cli.kind import Kind, kind_options
from endless_winter.cli.operator import DEFAULT, token_of, token_option
from endless_winter.cli.play import login
from endless_winter.cli.seating import joined, own_secret
from endless_winter.cli.tls import credentials_of, tls_options, tls_words
from endless_winter.v1 import config_pb2, game_pb2, game_service_pb2, rejection_pb2

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from endless_winter.sdk.client import Client
    from endless_winter.terminal.profile import Profile

_STATUSES = {
    "open": game_pb2.GAME_STATUS_OPEN,
    "starting": game_pb2.GAME_STATUS_STARTING,
    "running": game_pb2.GAME_STATUS_RUNNING,
    "ended": game_pb2.GAME_STATUS_ENDED,
    "suspended": game_pb2.GAME_STATUS_SUSPENDED,
}
_ADVICE = {
    rejection_pb2.REJECTION_REASON_INVITATION_INVALID: (
        "; its creator has the word, which belongs into EW_INVITATION or after --invitation"
    ),
    rejection_pb2.REJECTION_REASON_SEAT_TAKEN: "; 'ew game list --joinable' shows other games",
}


class Place(NamedTuple):
    """A server, and as whom it is called."""

    client: Client
    server: str
    words: str
    """The options with which other commands reach it."""
    profile: Profile
    keeps: bool
    """Whether the secret is ours to keep: not one that EW_CLIENT_SECRET brought."""


@click.group()
def game() -> None:
    """Create, find and join games on a running server.

    You are known to a server by a secret that is drawn once and stored in your data folder, as
    for 'ew play' (docs/play.md); EW_CLIENT_SECRET takes another. With an operator's token in
    EW_OPERATOR_TOKEN, or in a --token-file, you create and see what an operator may.

    \b
    For example:
      ew game create --seat open --seat bot:heuristic      you, and a bot that is attached there
      ew game list --joinable                              games with a free seat
      ew game join GAME                                    take one
      ew play --server 127.0.0.1:50051 --join GAME         and play it at this terminal
      ew game show GAME                                    who plays, what was agreed, who won
    """  # noqa: D301 # click's own mark


def _reaching(function: Callable[..., int]) -> Callable[..., int]:
    """The options that say where and as whom; the function gets a `Place` instead."""

    @wraps(function)
    def command(
        *,
        server: str,
        token_file: Path | None,
        tls_ca: Path | None,
        tls_cert: Path | None,
        tls_key: Path | None,
        **more: Any,
    ) -> int:
        with _reached(server, token_file, tls_ca, tls_cert, tls_key) as place:
            return function(place, **more)

    where = click.option(
        "--server",
        metavar="HOST:PORT",
        envvar="EW_SERVER",
        default=DEFAULT,
        show_envvar=True,
        show_default=True,
        help="The server.",
    )
    return where(token_option(tls_options(command)))


@contextmanager
def _reached(
    server: str,
    token_file: Path | None,
    ca: Path | None,
    cert: Path | None,
    key: Path | None,
) -> Iterator[Place]:
    from endless_winter.sdk.client import Client  # noqa: PLC0415 # only when needed
    from endless_winter.sdk.errors import BadAddress, SdkError, ServerGone  # noqa: PLC0415
    from endless_winter.terminal.profile import Profile, ProfileError, home  # noqa: PLC0415

    credentials = credentials_of(ca, cert, key)
    own = own_secret()
    words = shlex.join(["--server", server, *tls_words(ca, cert, key)])
    try:
        profile = Profile(home())
        secret = own or (profile.at(server).secret if server in profile else "")
        with Client(
            server,
            secret,
            credentials=credentials,
            operator_token=token_of(token_file),
            patience=0.0,
        ) as client:
            yield Place(client, server, words, profile, keeps=not own)
    except BadAddress as error:
        raise click.UsageError(str(error)) from error
    except ServerGone as error:
        raise click.ClickException(
            f"{error}; start one: ew serve, or name one: --server"
        ) from error
    except (ProfileError, SdkError) as error:
        raise click.ClickException(str(error)) from error


_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")


@game.command()
@click.option(
    "--seat",
    "seats",
    multiple=True,
    type=Seat(),
    metavar="SEAT",
    help="A seat, in seat order: open (anyone may join), reserved (for the "
    "holder of its invitation, which is printed), bot:NAME (a bot that is attached to the server; "
    "bot:NAME:OPTIONS gives it something), nomad, nomad-client (docs/nomad.md).",
)
@click.option(
    "--players",
    type=click.IntRange(2, 4),
    help="Seats in all; those that --seat does not name are open.  [default: 2, or as many as are "
    "named]",
)
@click.option("--solo", is_flag=True, help="One player against the Nomad.")
@click.option(
    "--hard",
    multiple=True,
    type=click.Choice(HARD),
    help="A harder Nomad; several times for several (docs/nomad.md).",
)
@kind_options
@click.option(
    "--clock",
    "minutes",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="MINUTES",
    help="Thinking time for each seat; 0: no such limit.",
)
@click.option(
    "--increment",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="SECONDS",
    help="With --clock: added for each turn.",
)
@click.option(
    "--decision-limit",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="SECONDS",
    help="The most for one decision; 0: no such limit.",
)
@click.option(
    "--turn-limit",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="HOURS",
    help="The most for one turn, for games by correspondence; 0: no such limit.",
)
@click.option(
    "--visibility",
    type=click.Choice(list(VISIBILITY)),
    default="public",
    show_default=True,
    help="public: listed, anyone may watch; unlisted: not listed; closed: no spectators.",
)
@click.option(
    "--delay",
    type=click.FloatRange(min=0),
    default=0.0,
    metavar="SECONDS",
    help="Spectators see the game so much later.",
)
@click.option("--undo", is_flag=True, help="Allow taking back.")
@click.option("--title", default="", metavar="TEXT", help="A name for people.")
@click.option("--tag", "tags", multiple=True, metavar="WORD", help="A word to find it by.")
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    metavar="NUMBER",
    help="Play on this seed, which everybody can see; a server may reserve that to operators.",
)
@_json
@_reaching
def create(
    place: Place,
    *,
    seats: tuple[config_pb2.SeatConfig, ...],
    players: int | None,
    solo: bool,
    hard: tuple[str, ...],
    kind: Kind,
    minutes: float,
    increment: float,
    decision_limit: float,
    turn_limit: float,
    visibility: str,
    delay: float,
    undo: bool,
    title: str,
    tags: tuple[str, ...],
    seed: int | None,
    as_json: bool,
) -> int:
    """Create a game and print its id.

    The id stands alone on the first line of the standard output; a line "seat N WORD" follows for
    each invitation, which works once.

    \b
    For example:
      ew game create                                       two open seats
      ew game create --players 3 --seat bot:heuristic      a bot and two open seats
      ew game create --seat reserved --seat reserved --visibility closed
      ew game create --solo --hard extra-card              against the Nomad
      ew game create --rivers --with setup-draft --clock 30 --increment 10
      ew game create --seat bot:mine --seat bot:yours --json
    """  # noqa: D301 # click's own mark
    from endless_winter.cli import game_text  # noqa: PLC0415 # only when needed

    config = config_for(
        seats_of(seats, players, solo=solo),
        kind=kind,
        hard=hard,
        clock=clock_of(minutes, increment, decision_limit, turn_limit),
        visibility=visibility,
        delay=delay,
        undo=undo,
        title=title,
        tags=tags,
    )
    client = place.client
    info = client.create(config=config, seed=seed)
    _keep(place)
    invitations = [
        game_service_pb2.Invitation(seat=seat, token=client.invite(info.game_id, seat))
        for seat, one in enumerate(config.seats)
        if one.kind in INVITED
    ]
    if as_json:
        made = game_service_pb2.CreateGameResponse(game=info, invitations=invitations)
        click.echo(game_text.as_json(made))
        return 0
    click.echo(info.game_id)
    for one in invitations:
        click.echo(f"seat {one.seat} {one.token}")
    _say_next(place, info, invitations)
    return 0


def _say_next(
    place: Place, info: game_pb2.GameInfo, invitations: Sequence[game_service_pb2.Invitation]
) -> None:
    """What has to happen until the game can begin; not on the standard output."""
    kinds = [seat.kind for seat in info.config.seats]
    if config_pb2.SEAT_KIND_OPEN in kinds:
        click.echo(f"take a seat: ew game join {info.game_id} {place.words}", err=True)
    if invitations:
        click.echo(
            f"with an invitation: EW_INVITATION=WORD ew game join {info.game_id} {place.words}",
            err=True,
        )
    there = {bot.name for bot in place.client.bots()}
    wanted = {seat.bot_name for seat in info.config.seats if seat.bot_name}
    for name in sorted(wanted - there):
        bot = name if name in built_in() else f"FILE --name {name}"
        click.echo(
            f"no bot {name!r} is attached there; its seat waits for one: "
            f"ew bot run {bot} {place.words}",
            err=True,
        )


def _keep(place: Place) -> None:
    """A secret that has created or joined something is needed again."""
    if place.keeps and place.server not in place.profile:
        place.profile.at(place.server).secret = place.client.secret
        place.profile.save(place.server)


@game.command("list")
@click.option("--joinable", is_flag=True, help="Only games with a seat that you could take.")
@click.option("--mine", is_flag=True, help="Only games that you created or have a seat in.")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice(list(_STATUSES)),
    help="Only games that stand so; several times for several.",
)
@click.option("--tag", default="", metavar="WORD", help="Only games with this tag.")
@click.option("--tournament", default="", metavar="ID", help="Only games of this tournament.")
@click.option("--seats", type=click.IntRange(2, 4), help="Only games with so many seats.")
@click.option("--rivers/--no-rivers", default=None, help="Only with, or without, Rivers & Rafts.")
@click.option("--solo/--no-solo", default=None, help="Only, or no, games against the Nomad.")
@click.option(
    "--since",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"]),
    help="Only games created from then on (UTC).",
)
@click.option(
    "--limit",
    type=click.IntRange(min=0),
    default=20,
    show_default=True,
    help="The most games; 0: all.",
)
@_json
@_reaching
def list_(
    place: Place,
    *,
    joinable: bool,
    mine: bool,
    statuses: tuple[str, ...],
    tag: str,
    tournament: str,
    seats: int | None,
    rivers: bool | None,
    solo: bool | None,
    since: datetime | None,
    limit: int,
    as_json: bool,
) -> int:
    """List games, the newest first: public ones, and those that are yours.

    One line for each: its id, how it stands, who plays. All filters must hold.

    \b
    For example:
      ew game list --joinable
      ew game list --mine --status running --status starting
      ew game list --tag ladder --since 2026-01-31 --limit 0 --json
    """  # noqa: D301 # click's own mark
    from endless_winter.cli import game_text  # noqa: PLC0415 # only when needed

    since_ms = None if since is None else int(since.replace(tzinfo=UTC).timestamp() * 1000)
    found = place.client.games(
        joinable=joinable,
        mine=mine,
        tag=tag,
        statuses=[_STATUSES[status] for status in statuses],
        tournament_id=tournament,
        seats=seats or 0,
        rivers=rivers,
        solo=solo,
        created_from_unix_ms=since_ms,
    )
    games = list(islice(found, limit or None))
    if as_json:
        click.echo(game_text.as_json(game_service_pb2.ListGamesResponse(games=games)))
        return 0
    for info in games:
        click.echo(game_text.line_of(info))
    if not games:
        click.echo("there are no such games", err=True)
    elif limit and next(found, None) is not None:
        click.echo("there are more: --limit 0 shows all", err=True)
    return 0


@game.command()
@click.argument("game_id", metavar="GAME")
@_json
@_reaching
def show(place: Place, *, game_id: str, as_json: bool) -> int:
    """Show one game: what was agreed, its seats, how it stands or ended.

    The board itself is for 'ew watch'.
    """
    from endless_winter.cli import game_text  # noqa: PLC0415 # only when needed

    info = place.client.game(game_id)
    if as_json:
        click.echo(game_text.as_json(info))
        return 0
    for line in game_text.lines_of(info):
        click.echo(line)
    return 0


@game.command()
@click.argument("game_id", metavar="GAME")
@click.option("--seat", type=click.IntRange(0, 3), help="This seat.  [default: any that is free]")
@click.option("--name", default="", help="The name that others see.  [default: your login name]")
@click.option(
    "--invitation",
    default="",
    envvar="EW_INVITATION",
    show_envvar=True,
    metavar="WORD",
    help="The word for a reserved seat; it works once.",
)
@_json
@_reaching
def join(
    place: Place,
    *,
    game_id: str,
    seat: int | None,
    name: str,
    invitation: str,
    as_json: bool,
) -> int:
    """Take a seat in GAME, or find the one that you hold already.

    'ew play' and 'ew play --resume' then play it at this terminal; a bot or script of yours plays
    it with the same secret (EW_CLIENT_SECRET).
    """
    from endless_winter.cli import game_text  # noqa: PLC0415 # only when needed
    from endless_winter.sdk.errors import Refused  # noqa: PLC0415

    client = place.client
    try:
        own = joined(client, game_id, seat, name=(name or login())[:40], invitation=invitation)
    except Refused as error:
        raise click.ClickException(f"{error}{_ADVICE.get(error.reason, '')}") from error
    if place.keeps:  # also for 'ew play --resume'
        mine = place.profile.at(place.server)
        mine.secret, mine.game_id, mine.seat = client.secret, game_id, own
        place.profile.save(place.server)
    if as_json:
        info = client.game(game_id)
        click.echo(game_text.as_json(game_service_pb2.JoinGameResponse(seat=own, game=info)))
        return 0
    click.echo(f"{game_id}: you have seat {own}")
    click.echo(f"play it: ew play {place.words} --join {game_id} --seat {own}", err=True)
    return 0
