"""``ew store``: back up, prune and check what a server keeps its games in."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

import click

from endless_winter.store import recovery, upkeep
from endless_winter.store.errors import StoreError
from endless_winter.store.opening import check_flag, is_database, roles, upkeep_of

DAY_MS = 24 * 60 * 60 * 1000
HASH_BYTES = 32
FILE = click.argument("file")
STORE = click.argument("where", metavar="STORE")


def _file(where: str, instead: str) -> Path:
    """A file, where a database needs something else."""
    if is_database(where):
        raise click.ClickException(f"that is for files; for a database {instead}")
    return Path(where)


@click.group()
def store() -> None:
    """Look after what a server keeps its games in.

    STORE is a file, or a database: postgresql://USER@HOST/DATABASE, with the password in ~/.pgpass
    or PGPASSWORD. All but 'recover' may be done while servers run: they go on meanwhile.

    \b
    Every night:
      ew store backup games.db games-$(date +%F).db
      ew store prune games.db --older-than 90
      ew store check games.db
    """  # noqa: D301 # click's own mark


@store.command()
@FILE
@click.argument("dest", type=click.Path(path_type=Path))
def backup(file: str, dest: Path) -> None:
    """Copy the store FILE, as it is at one commit, to the new file DEST.

    The copy is checked like 'ew store check' does before it gets its name; it is one file that a
    server can be started with. An existing DEST is not overwritten. Copying FILE with other tools
    while a server runs can give a broken copy.

    A backup is as secret as the store: it has the seeds of unfinished games. For a database use
    pg_dump, or PostgreSQL's own backups.
    """
    path = _file(file, "use pg_dump, or pg_basebackup with an archive of its log (docs/store.md)")
    try:
        copied = upkeep.backup(path, dest)
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{dest}: {copied.games} games, {copied.entries} entries, checked")


@store.command()
@STORE
@click.option(
    "--older-than",
    "days",
    type=click.FloatRange(min=0),
    required=True,
    metavar="DAYS",
    help="Remove games that ended longer ago than this.",
)
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and remove nothing.")
def prune(where: str, *, days: float, dry_run: bool) -> None:
    """Remove old games that have ended from STORE: log, seed, answers and listing.

    Games that have not ended stay, however old, and so do ended ones whose seal is still closed,
    and all content packs. The file does not shrink; the room is used again.
    """
    try:
        check_flag(where)
        work = upkeep_of(where)
        games, sealed = work.prunable(time.time_ns() // 1_000_000 - int(days * DAY_MS))
        if not dry_run:
            work.prune(games)
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    did = "would remove" if dry_run else "removed"
    for game in games:
        ended = datetime.fromtimestamp(game.ended_ms / 1000, UTC)
        click.echo(f"{did} {game.game_id}: ended {ended:%Y-%m-%d}, {game.entries} entries")
    entries = sum(game.entries for game in games)
    left = f"; {sealed} of that age stay, still sealed" if sealed else ""
    click.echo(f"{where}: {did} {len(games)} games, {entries} entries{left}")


@store.command()
@STORE
@click.option(
    "--replay",
    is_flag=True,
    help="Also play every game of this version's rules again, and compare the positions.",
)
def check(where: str, *, replay: bool) -> None:
    """Check STORE: every log by its chain of hashes, and of a file itself and every other row.

    Prints a line for each thing that is wrong, and then ends with status 1: one flipped bit is
    enough. With --replay it finds
    games that a server of this version cannot continue, for some 10 ms a game; 'ew replay verify'
    says more of one that has ended.
    """
    try:
        check_flag(where)
        work = upkeep_of(where)
        wrong = list(work.problems())
        if replay:
            from endless_winter.service import checking  # noqa: PLC0415 # the rules take a while

            wrong += [line for line in checking.problems(where) if line not in wrong]
        for line in wrong:
            click.echo(line)
        if wrong:
            raise click.ClickException(f"{where}: {len(wrong)} things are wrong")
        held = work.contents()
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{where}: {held.games} games, {held.entries} entries, nothing wrong")


@store.command()
@STORE
@click.argument("client", metavar="HASH")
def erase(where: str, client: str) -> None:
    """Erase a person from STORE: names, the client's hash, and what it asked for. Logs stay.

    HASH is the hash of the client's secret, 64 hexadecimal digits, as the table 'people' has it.
    Servers go on showing a name that they have in memory until they are started again.
    """
    try:
        hashed = bytes.fromhex(client)
    except ValueError:
        hashed = b""
    if len(hashed) != HASH_BYTES:
        raise click.BadParameter(f"'{client}' is not 64 hexadecimal digits", param_hint="HASH")
    try:
        check_flag(where)
        games = upkeep_of(where).erase(hashed)
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{where}: erased from {games} games")


@store.command("roles")
def print_roles() -> None:
    """Print the SQL that makes roles for a database: for servers, and for reports.

    A role for reports can read how games went, not what is hidden in them, nor who somebody is:
    'ew store roles | psql DATABASE', as the owner of the tables.
    """
    click.echo(roles(), nl=False)


@store.command()
@FILE
@click.option(
    "--keep",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    metavar="FOLDER",
    help="Copy the store as it is now to this folder first.",
)
def recover(file: str, *, keep: Path) -> None:
    """Go on with the store FILE although a part of its write-ahead log cannot be read.

    A server refuses to start from such a store, because it would lose the commits that lie behind
    the bad place. This copies FILE and its write-ahead log to FOLDER, keeps those commits if all of
    the store is sound with them, else drops them, and says which entries of which games were in
    them. No server may be using FILE.
    """
    path = _file(file, "PostgreSQL recovers by itself, or from its backups (docs/store.md)")
    try:
        loss = recovery.recover(path, keep)
    except StoreError as error:
        raise click.ClickException(str(error)) from error
    if loss is None:
        click.echo(f"{file}: nothing to recover")
        return
    for line in loss.lost:
        click.echo(f"lost {line}")
    what = f"{len(loss.lost)} games lost entries" if loss.lost else "nothing was lost"
    click.echo(f"{file}: recovered from {loss.place} on, {what}; a copy is in {keep}")
