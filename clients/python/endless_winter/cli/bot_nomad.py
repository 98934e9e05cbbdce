"""``ew bot nomad``: plays the Nomad's seat of a solo game that waits for a client."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from endless_winter.cli.tls import credentials_of, tls_options

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.sdk import Result
    from endless_winter.sdk.client import Client
    from endless_winter.v1 import game_pb2

NAME = "Nomad"


@click.command()
@click.option("--game", "game_id", required=True, metavar="ID", help="The game.")
@click.option(
    "--invitation",
    default="",
    metavar="WORD",
    help="The word for the Nomad's seat; not needed to come back with the same EW_CLIENT_SECRET.",
)
@click.option("--server", metavar="HOST:PORT", help="The server.  [EW_SERVER, or 127.0.0.1:50051]")
@click.option("--explain", is_flag=True, help="Say each step and why it is this one.")
@tls_options
def nomad(
    game_id: str,
    *,
    invitation: str,
    server: str | None,
    explain: bool,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> int:
    """Play the Nomad in a solo game, until the game ends.

    The game has a seat of the kind NOMAD_CLIENT; its creator has the invitation. Where the server
    plays the Nomad itself, nobody is needed for it: the game is the same.

    EW_CLIENT_SECRET is whose seat it is: with the same secret a Nomad that is started again goes
    on with its game.
    """
    from endless_winter.sdk.client import Client  # noqa: PLC0415 # only when needed
    from endless_winter.sdk.connection import DEFAULT_ADDRESS  # noqa: PLC0415
    from endless_winter.sdk.errors import BadAddress, SdkError  # noqa: PLC0415

    address = server or os.environ.get("EW_SERVER") or DEFAULT_ADDRESS
    try:
        with Client(
            address,
            os.environ.get("EW_CLIENT_SECRET", ""),
            credentials=credentials_of(tls_ca, tls_cert, tls_key),
        ) as client:
            result = play(client, game_id, invitation, explain=explain)
    except BadAddress as error:
        raise click.UsageError(str(error)) from error
    except SdkError as error:
        raise click.ClickException(str(error)) from error
    except KeyboardInterrupt:
        return 0
    scores = ", ".join(f"seat {one.seat}: {one.score}" for one in result.raw.seats)
    click.echo(f"the game is over ({result.outcome}); {scores}", err=True)
    return 0


def play(client: Client, game_id: str, invitation: str, *, explain: bool = False) -> Result:
    """Take the Nomad's seat of a game and play it to the end."""
    from endless_winter.bots import Nomad  # noqa: PLC0415 # only when needed
    from endless_winter.sdk.errors import Refused  # noqa: PLC0415
    from endless_winter.v1 import game_pb2  # noqa: PLC0415
    from endless_winter.v1 import rejection_pb2 as reasons  # noqa: PLC0415

    over = (reasons.REJECTION_REASON_STALE_DECISION, reasons.REJECTION_REASON_TOO_LATE)
    seat = _take_seat(client, game_id, invitation)
    if client.game(game_id).status in (game_pb2.GAME_STATUS_OPEN, game_pb2.GAME_STATUS_STARTING):
        client.ready(game_id, seat)
    bot = Nomad()
    while True:
        seen = client.wait(game_id, seat)
        assert seen is not None  # without a timeout it waits for a decision or the end
        if seen.result is not None:
            return seen.result
        decision, view = seen.decision, seen.view
        assert decision is not None
        assert view is not None  # it comes with each decision
        try:
            client.submit(decision, bot.choose(decision, view))
        except Refused as refused:
            if refused.reason not in over:  # the clock was quicker; it took the same step
                raise
        if explain:
            click.echo(bot.explain())


def _take_seat(client: Client, game_id: str, invitation: str) -> int:
    """The Nomad's seat; a closed game shows itself only to those who have joined."""
    from endless_winter.sdk.errors import NotThisGame, Refused  # noqa: PLC0415 # only when needed

    try:
        seat = _nomad_seat(client.game(game_id))
    except Refused:
        if not invitation:
            raise
        seat = client.join(game_id, name=NAME, invitation=invitation)
        if seat != _nomad_seat(client.game(game_id)):
            client.leave(game_id, seat)
            raise NotThisGame("the invitation is for the player's seat, not the Nomad's") from None
        return seat
    if seat is None:
        raise NotThisGame(f"no client plays a Nomad in the game {game_id}")
    return client.join(game_id, seat, name=NAME, invitation=invitation)


def _nomad_seat(info: game_pb2.GameInfo) -> int | None:
    from endless_winter.v1 import config_pb2  # noqa: PLC0415 # only when needed

    kinds = [one.kind for one in info.seats]
    client = config_pb2.SEAT_KIND_NOMAD_CLIENT
    return kinds.index(client) if client in kinds else None
