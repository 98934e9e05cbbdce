"""``ew replay``: show, check, review and export games that were played."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from endless_winter.cli import replay_file, replay_review
from endless_winter.cli.catalog import content_option, read_pack
from endless_winter.cli.replay_file import Remote, ReplayError
from endless_winter.cli.replay_page import Links, page_of_frames, page_of_record
from endless_winter.cli.replay_review import reviewed
from endless_winter.cli.replay_steps import frames_of
from endless_winter.cli.tls import credentials_of, tls_options
from endless_winter.engine.replay.rewind import OMNISCIENT, SPECTATOR, Eyes, Rewind
from endless_winter.engine.replay.verifying import OtherVersion
from endless_winter.engine.replay.verifying import verify as verify_file
from endless_winter.sdk import Catalog
from endless_winter.terminal.event_text import DETAIL, HEADING, frame_lines
from endless_winter.terminal.seats import printable
from endless_winter.v1 import catalog_pb2, replay_pb2
from endless_winter.views import Words, catalog_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.content import Pack

FILE = click.Path(path_type=Path, dir_okay=False)
_EYES = ("open", "spectator", "0", "1", "2", "3")


def _server(function: click.decorators.FC) -> click.decorators.FC:
    function = tls_options(function)
    return click.option("--server", metavar="HOST:PORT", help="A server that has the game.")(
        function
    )


@click.group()
def replay() -> None:
    """Show, check, review and export games that were played.

    \b
    For example:
      ew replay export my-game --server 127.0.0.1:50051
      ew replay verify my-game.ewr
      ew replay show my-game.ewr | less
      ew replay page my-game.ewr
      ew replay review my-game.ewr
    """  # noqa: D301 # click's own mark


replay.add_command(replay_review.command)


@replay.command()
@click.argument("game_id")
@_server
@click.option("--store", metavar="STORE", help="A server's store: its file, or a database's URL.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON instead of binary protobuf.")
@click.option(
    "--out",
    type=FILE,
    metavar="FILE",
    help="Where to write; '-' for the standard output. Without it, GAME_ID.ewr or GAME_ID.json.",
)
def export(
    game_id: str,
    *,
    server: str | None,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    store: str | None,
    as_json: bool,
    out: Path | None,
) -> None:
    """Write the record of an ended game to a file.

    It comes from a running server or straight from a store. The file holds the whole log with
    the revealed seed: all that 'ew replay verify' needs.
    """
    if (server is None) == (store is None):
        raise click.UsageError("say --server or --store, one of them")
    try:
        if store is not None:
            file = replay_file.from_store(store, game_id)
        else:
            assert server is not None
            credentials = credentials_of(tls_ca, tls_cert, tls_key)
            with Remote(server, credentials=credentials) as remote:
                file = remote.export(game_id)
    except ReplayError as error:
        raise click.ClickException(str(error)) from error
    data = replay_file.to_bytes(file, as_json=as_json)
    if out is not None and str(out) == "-":
        sys.stdout.buffer.write(data)
        return
    target = out or Path(f"{game_id}.{'json' if as_json else 'ewr'}")
    try:
        with target.open("xb") as handle:
            handle.write(data)
    except FileExistsError as error:
        raise click.ClickException(f"{target} exists already; it is not overwritten") from error
    except OSError as error:
        raise click.ClickException(f"cannot write {target}: {error.strerror}") from error
    click.echo(f"{target}: {len(file.entries)} entries, {len(data)} bytes")


@replay.command()
@click.argument("file", type=FILE)
@content_option
def verify(file: Path, *, content: Path | None) -> None:
    """Play the game in FILE again on this machine and compare.

    Checks the seed against the commitment published at creation, that every choice was legal,
    every position's hash, every event, the result, and the file itself. Says in one line what is
    wrong and where, and then ends with status 1.
    """
    pack = read_pack(content)
    try:
        report = verify_file(replay_file.read(file), pack)
    except ReplayError as error:
        raise click.ClickException(str(error)) from error
    except OtherVersion as error:
        raise click.ClickException(f"{file}: {error}") from error
    if not report.verified:
        raise click.ClickException(f"{file}: {printable(report.line())}")
    click.echo(f"{file}: verified: {report.entries} entries, seed, choices, events and result")


@replay.command()
@click.argument("what", metavar="FILE|GAME_ID")
@_server
@click.option(
    "--eyes",
    type=click.Choice(_EYES),
    help="Everything open, a spectator's eyes, or those of a seat. "
    "Without it, a file is shown open, and a server's game as a spectator sees it.",
)
@click.option("--plain", is_flag=True, help="Plain text, also on a terminal.")
@content_option
def show(
    what: str,
    *,
    server: str | None,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    eyes: str | None,
    plain: bool,
    content: Path | None,
) -> None:
    """Print a game step by step, from a FILE or, with --server, from a server.

    A game of any version can be shown. Into a pipe the text is always plain. To see through a
    seat's eyes in a game that still runs, put its client secret into EW_CLIENT_SECRET.
    """
    pack = read_pack(content)
    try:
        if server is None:
            head, frames = _from_file(Path(what), eyes or "open")
            _say(head, plain=plain)
            _print(frames, _catalog(head, pack), plain=plain)
        else:
            credentials = credentials_of(tls_ca, tls_cert, tls_key)
            with Remote(server, credentials=credentials, secret=_secret()) as remote:
                perspective, seat = _perspective(eyes or "spectator")
                frames = remote.frames(what, perspective, seat)
                _print(frames, _catalog(None, pack), plain=plain)
    except ReplayError as error:
        raise click.ClickException(str(error)) from error
    except BrokenPipeError:
        # The reader has seen enough. Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


@replay.command("page")
@click.argument("what", metavar="FILE|GAME_ID")
@_server
@click.option(
    "--eyes",
    type=click.Choice(_EYES),
    help="Put into the page only what a spectator or a seat could see. "
    "Without it, all that you may see.",
)
@click.option("--review", is_flag=True, help="With what 'ew replay review' says; takes a minute.")
@click.option("--out", type=FILE, metavar="FILE", help="Where to write; else NAME.html.")
@content_option
def write_page(
    what: str,
    *,
    server: str | None,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    eyes: str | None,
    review: bool,
    out: Path | None,
    content: Path | None,
) -> None:
    """Write a game as a page that one can watch in a browser.

    The page is one file that holds everything: boards, every step, all eyes. It comes from a
    record or, with --server, from a server: of a game that still runs it shows what you may see
    of it. To see through a seat's eyes there, put its client secret into EW_CLIENT_SECRET.
    """
    pack = read_pack(content)
    try:
        if server is None:
            path = Path(what)
            target = out or path.with_suffix(".html")
            text = _page_of_file(path, eyes, pack, target, review=review)
        else:
            target = out or Path(f"{what}.html")
            credentials = credentials_of(tls_ca, tls_cert, tls_key)
            with Remote(server, credentials=credentials, secret=_secret()) as remote:
                text = _page_of_game(remote, what, eyes, pack, review=review)
    except ReplayError as error:
        raise click.ClickException(str(error)) from error
    try:
        with target.open("x", encoding="utf-8") as handle:
            handle.write(text)
    except FileExistsError as error:
        raise click.ClickException(f"{target} exists already; it is not overwritten") from error
    except OSError as error:
        raise click.ClickException(f"cannot write {target}: {error.strerror}") from error
    click.echo(f"{target}: {len(text.encode()):,} bytes; open it in a browser")


def _page_of_file(path: Path, eyes: str | None, pack: Pack, target: Path, *, review: bool) -> str:
    file = replay_file.read(path)
    if eyes in (None, "open"):
        beside = path.name if path.parent.absolute() == target.parent.absolute() else ""
        found = reviewed(file, pack) if review else None
        return page_of_record(file, pack, Links(record=beside), found)
    looking = _looking(path, len(file.game.seats), eyes)
    if review and looking.seat is None:
        raise ReplayError("--review is of a seat's choices, and a spectator has none")
    found = reviewed(file, pack, looking.seat) if review else None
    frames = frames_of(file, pack, looking)
    return page_of_frames(file.game, frames, looking.seat, pack, found)


def _page_of_game(
    remote: Remote, game_id: str, eyes: str | None, pack: Pack, *, review: bool
) -> str:
    game = remote.game(game_id)
    if eyes == "open" or (eyes is None and game.HasField("seed_reveal")):
        file = remote.export(game_id)
        found = reviewed(file, pack) if review else None
        return page_of_record(file, pack, Links(), found)
    if review:
        raise ReplayError("--review needs the whole record: of an ended game, with everything open")
    perspective, seat = _perspective(eyes or "spectator")
    whose = seat if perspective == replay_pb2.PERSPECTIVE_SEAT else None
    frames = remote.frames(game_id, perspective, seat, views=True)
    return page_of_frames(game, frames, whose, pack)


def _looking(path: Path, seats: int, eyes: str | None) -> Eyes:
    looking = {None: OMNISCIENT, "open": OMNISCIENT, "spectator": SPECTATOR}.get(eyes)
    if looking is None:
        assert eyes is not None
        if int(eyes) >= seats:
            raise ReplayError(f"{path}: the game has no seat {eyes}, only {seats} of them")
        looking = Eyes(seat=int(eyes))
    return looking


def _secret() -> str:
    """From the environment: on a command line everybody on the machine could read it."""
    secret = os.environ.get("EW_CLIENT_SECRET", "")
    if secret and not re.fullmatch(r"[0-9a-f]{64}", secret):
        raise click.UsageError("EW_CLIENT_SECRET must be 64 lower-case hexadecimal digits")
    return secret


def _from_file(
    path: Path, eyes: str
) -> tuple[replay_pb2.ReplayFile, Iterator[replay_pb2.ReplayFrame]]:
    file = replay_file.read(path)
    rewind = Rewind(None, None, _looking(path, len(file.game.seats), eyes))
    frames = (
        replay_pb2.ReplayFrame.FromString(rewind.frame(entry, views=False))
        for entry in file.entries
    )
    return file, frames


def _perspective(eyes: str) -> tuple[replay_pb2.Perspective.ValueType, int]:
    if eyes == "open":
        return replay_pb2.PERSPECTIVE_OMNISCIENT, 0
    if eyes == "spectator":
        return replay_pb2.PERSPECTIVE_SPECTATOR, 0
    return replay_pb2.PERSPECTIVE_SEAT, int(eyes)


def _catalog(file: replay_pb2.ReplayFile | None, pack: Pack) -> Catalog:
    """The names of components; none if the game was played with other content."""
    if file is not None and file.game.content_hash != pack.digest:
        return Catalog(catalog_pb2.Catalog())
    return Catalog.of(catalog_of(Words(pack)))


def _say(file: replay_pb2.ReplayFile, *, plain: bool) -> None:
    game = file.game
    title = f" ({game.config.title})" if game.config.title else ""
    text = (
        f"game {game.game_id}{title}: {len(game.seats)} seats, {len(file.entries)} entries, "
        f"rules {game.rules_version}, content {game.content_hash[:12]}"
    )
    _echo(HEADING, printable(text), plain=plain)


def _print(frames: Iterator[replay_pb2.ReplayFrame], catalog: Catalog, *, plain: bool) -> None:
    for style, text in frame_lines(frames, catalog):
        _echo(style, text, plain=plain)


def _echo(style: str, text: str, *, plain: bool) -> None:
    if plain:
        click.echo(text)
    else:
        click.secho(text, bold=style == HEADING, dim=style == DETAIL)
