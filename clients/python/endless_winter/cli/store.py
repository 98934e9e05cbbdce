"""``ew store``: back up, prune and check the file that a server keeps its games in."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import click

from endless_winter.store import recovery, upkeep
from endless_winter.store.errors import StoreError

DAY_MS = 24 * 60 * 60 * 1000
FILE = click.argument("file", type=click.Path(path_type=Path))


@click.group()
def store() -> None:
    """Look after the file that a server keeps its games in.

    All but 'recover' may be done while the server runs: it goes on serving meanwhile.

    \b
    Every night:
      ew store backup games.db games-$(date +%F).db
      ew store prune games.db --older-than 90
      ew store check games.db
    """  # noqa: D301 # click's own mark


@store.command()
@FILE
@click.argument("dest", type=click.Path(path_type=Path))
def backup(file: Path, dest: Path) -> None:
    """Copy the store FILE, as it is at one commit, to the new file DEST.

    The copy is checked like 'ew store check' does before it gets its name; it is one file that a
    server can be started with. An existing DEST is not overwritten. Copying FILE with other tools
    while a server runs can give a broken copy.
    """
    try:
        copied = upkeep.backup(file, dest)
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{dest}: {copied.games} games, {copied.entries} entries, checked")


@store.command()
@FILE
@click.option(
    "--older-than",
    "days",
    type=click.FloatRange(min=0),
    required=True,
    metavar="DAYS",
    help="Remove games that ended longer ago than this.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
def prune(file: Path, *, days: float, dry_run: bool) -> None:
    """Remove old games that have ended from the store FILE: log, seed, answers and listing.

    Games that have not ended stay, however old, and so do ended ones whose seal is still closed,
    and all content packs. The file does not shrink; the room is used again.
    """
    try:
        games, sealed = upkeep.prunable(file, time.time_ns() // 1_000_000 - int(days * DAY_MS))
        if not dry_run:
            upkeep.prune(file, games)
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    did = "would remove" if dry_run else "removed"
    for game in games:
        ended = datetime.fromtimestamp(game.ended_ms / 1000, UTC)
        click.echo(f"{did} {game.game_id}: ended {ended:%Y-%m-%d}, {game.entries} entries")
    entries = sum(game.entries for game in games)
    left = f"; {sealed} of that age stay, still sealed" if sealed else ""
    click.echo(f"{file}: {did} {len(games)} games, {entries} entries{left}")


@store.command()
@FILE
@click.option(
    "--replay",
    is_flag=True,
    help="Also play every game of this version's rules again, and compare the positions.",
)
def check(file: Path, *, replay: bool) -> None:
    """Check the store FILE: the file itself, every log by its chain of hashes, every other row.

    Prints a line for each thing that is wrong, and then ends with status 1: one flipped bit is
    enough. With --replay it finds
    games that a server of this version cannot continue, for some 10 ms a game; 'ew replay verify'
    says more of one that has ended.
    """
    try:
        wrong = list(upkeep.problems(file))
        if replay:
            from endless_winter.service import checking  # noqa: PLC0415 # the rules take a while

            wrong += [line for line in checking.problems(file) if line not in wrong]
        for line in wrong:
            click.echo(line)
        if wrong:
            raise click.ClickException(f"{file}: {len(wrong)} things are wrong")
        held = upkeep.contents(file)
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{file}: {held.games} games, {held.entries} entries, nothing wrong")


@store.command()
@FILE
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="FOLDER",
    help="Copy the store as it is now to this folder first.",
)
def recover(file: Path, *, keep: Path) -> None:
    """Go on with the store FILE although a part of its write-ahead log cannot be read.

    A server refuses to start from such a store, because it would lose the commits that lie behind
    the bad place. This copies FILE and its write-ahead log to FOLDER, keeps those commits if all of
    the store is sound with them, else drops them, and says which entries of which games were in
    them. No server may be using FILE.
    """
    try:
        loss = recovery.recover(file, keep)
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    if loss is None:
        click.echo(f"{file}: nothing to recover")
        return
    for line in loss.lost:
        click.echo(f"lost {line}")
    what = f"{len(loss.lost)} games lost entries" if loss.lost else "nothing was lost"
    click.echo(f"{file}: recovered from {loss.place} on, {what}; a copy is in {keep}")
