"""Crash recovery: a write-ahead log with a bad place, what SQLite would drop, how to go on."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.store import checks, schema
from endless_winter.store.errors import StoreDamaged, StoreError
from endless_winter.store.lock import FileLock
from endless_winter.store.wal import read_log, wal_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_SHOWN: Final = 5


class Loss(NamedTuple):
    """What is lost of a log."""

    frame: int
    """The first bad frame, from 1; 0: the log's own header."""
    commits: int
    """How many complete commits are in it or behind it."""
    lost: tuple[str, ...]
    """Which entries of which games are gone with them, a line each, as far as can be read."""

    @property
    def place(self) -> str:
        return f"frame {self.frame}" if self.frame else "its header"

    @property
    def games(self) -> str:
        """In one line."""
        more = f" and {len(self.lost) - _SHOWN} games more" if len(self.lost) > _SHOWN else ""
        return ", ".join(self.lost[:_SHOWN]) + more or "no entries of games that can be read"


class _Views(NamedTuple):
    """A store as it would be with one log or another.

    In a copy: a link to the file would be one more name of it, and stay after a kill.
    """

    frame: int
    commits: int
    copy: Path
    seen: Path
    """The log as SQLite reads it, up to the bad place."""
    whole: Path
    """All frames, as if the bad one were right; of its page the one that a checkpoint has moved."""
    bare: Path
    """An empty log: right if a checkpoint had moved all of it."""

    def using(self, log: Path) -> Path:
        """The store with that log."""
        self.copy.with_name(self.copy.name + "-shm").unlink(missing_ok=True)
        shutil.copyfile(log, wal_of(self.copy))
        return self.copy

    def loss(self, chosen: Path) -> Loss:
        """What is lost if that one is taken."""
        before, after = _heads(self.using(self.whole)), _heads(self.using(chosen))
        lost = tuple(
            f"game {game_id}: "
            + (f"entries {left + 1} to {seq}" if seq > left + 1 else f"entry {seq}")
            for game_id, seq in sorted(before.items())
            if seq > (left := after.get(game_id, 0))
        )
        return Loss(self.frame, self.commits, lost)


@contextmanager
def _views(path: Path) -> Iterator[_Views | None]:
    """None: there is nothing wrong with the log. The store must be nobody else's meanwhile."""
    try:
        file = wal_of(path).open("rb")
    except FileNotFoundError:
        yield None
        return
    with file:
        log = read_log(file)
        if log is None or not log.commits:
            yield None
            return
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=_prefix(path)) as folder:
            names = ("copy", "seen", "whole", "bare")
            copy, seen, whole, bare = (Path(folder, name) for name in names)
            shutil.copyfile(path, copy)
            shutil.copyfile(wal_of(path), seen)
            with copy.open("rb") as store, whole.open("wb") as target:
                log.mend(file, store, target)
            bare.touch()
            yield _Views(log.bad, log.commits, copy, seen, whole, bare)


def _prefix(path: Path) -> str:
    return f".ew-{path.name}-"


def remove_leftovers(path: Path) -> None:
    """Remove the copies that a kill while looking at a log left. The caller has the lock."""
    prefix = _prefix(path)
    for found in path.parent.iterdir():
        if found.name.startswith(prefix) and "-" not in found.name[len(prefix) :]:
            shutil.rmtree(found, ignore_errors=True)


def _heads(path: Path) -> dict[str, int]:
    """Where logs end; none if the bad place does not let it be read."""
    select = "SELECT g.game_id, max(e.seq) FROM games g JOIN entries e ON e.game = g.id GROUP BY 1"
    try:
        with closing(schema.connect(path, write=False)) as connection:
            return dict(connection.execute(select).fetchall())
    except (sqlite3.Error, StoreError, UnicodeDecodeError):
        return {}


def _is_sound(path: Path) -> bool:
    try:
        with closing(schema.connect(path, write=False)) as connection:
            connection.execute("BEGIN")
            return next(checks.problems(connection), None) is None
    except (sqlite3.Error, StoreError):
        return False


def check(path: Path) -> str:
    """A warning about the last commit, or empty. Raises ``StoreDamaged`` for more than that.

    To be called before SQLite opens the file.
    """
    with _views(path) as views:
        if views is None:
            return ""
        loss = views.loss(views.seen)
        # What a checkpoint has moved already may not fit what SQLite would read before it.
        if loss.commits == 1 and _is_sound(views.using(views.seen)):
            return (
                f"the last commit in the write-ahead log of {path} cannot be read ({loss.place}) "
                f"and was dropped, with {loss.games}: perhaps it was never finished"
            )
    raise StoreDamaged(
        f"the store {path} is damaged: {loss.commits} commits of its write-ahead log lie "
        f"behind a bad place ({loss.place}), with {loss.games}; "
        f"'ew store recover {path} --keep FOLDER' keeps a copy and goes on with what is sound"
    )


def recover(path: Path, keep: Path) -> Loss | None:
    """Keep a copy of a store with a bad log, and make it one that can be served.

    With all commits if that is a sound store, else without those behind the bad place. None: there
    is nothing to recover, and nothing was done.
    """
    file = schema.resolve(path)
    if not file.is_file():
        raise StoreError(f"there is no store {path}")
    lock = FileLock(file)
    try:
        remove_leftovers(file)
        with _views(file) as views:
            if views is None:
                return None
            _copy(file, keep)
            _copy(wal_of(file), keep)
            logs = (views.whole, views.seen, views.bare)
            chosen = next((log for log in logs if _is_sound(views.using(log))), None)
            if chosen is None:
                raise StoreDamaged(f"no part of {path} is sound: a backup is needed")
            loss = views.loss(chosen)
            chosen.chmod(0o600)
            chosen.replace(wal_of(file))
        with closing(schema.open_writer(file, "full")) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        raise schema.translate(error) from error
    except OSError as error:
        raise StoreError(
            f"cannot recover {path} with a copy in {keep}: {error.strerror}"
        ) from error
    finally:
        lock.release()
    return loss


def _copy(source: Path, folder: Path) -> None:
    target = folder / source.name
    if target.exists():
        raise StoreError(f"{target} exists already; a copy does not overwrite")
    schema.create_private(target)
    shutil.copyfile(source, target)
    schema.fsync(target)
