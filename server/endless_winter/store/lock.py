"""One server for each file: a lock on the file itself, which ends with the process."""

from __future__ import annotations

import fcntl
import os
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

from endless_winter.store import schema
from endless_winter.store.errors import StoreError, StoreInUse
from endless_winter.store.wal import wal_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_PATIENCE: Final = 30  # seconds
_PAUSE: Final = 0.02
_held: Final[set[tuple[int, int]]] = set()
"""The files that this process serves from, by device and inode.

To close any descriptor of a file drops the locks of SQLite on it in this process, so a second
server inside one must be refused before it opens the file.
"""


class FileLock:
    """Holds the file; taken before SQLite opens it and released after SQLite has closed it.

    The lock belongs to the inode: names, links and files beside it do not matter. But SQLite finds
    the write-ahead log by name, so a file with several names is refused.
    """

    def __init__(self, path: Path) -> None:
        if not path.exists():
            check_log_belongs(path, b"")
        schema.create_private(path)
        if not path.is_file():
            raise StoreError(f"there is no store {path}")
        try:
            self._key = identity(path)
            if self._key in _held:
                raise StoreInUse(f"the store {path} is in use by process {os.getpid()}")
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            try:
                self._take(path)
            except Exception:
                os.close(self._file)
                raise
        except OSError as error:
            raise StoreError(f"cannot open the store {path}: {error.strerror}") from error
        _held.add(self._key)

    def _take(self, path: Path) -> None:
        end = time.monotonic() + _PATIENCE
        while not _locked(self._file, fcntl.LOCK_EX):
            # Somebody may be looking at the file (`unserved`): they share their lock.
            if time.monotonic() > end or not _locked(self._file, fcntl.LOCK_SH):
                raise StoreInUse(f"the store {path} is in use by {_holder(self._key[1])}")
            fcntl.flock(self._file, fcntl.LOCK_UN)
            time.sleep(_PAUSE)
        if identity(self._file) != identity(path):
            raise StoreError(f"the store {path} was replaced just now; try again")
        check_names(path)
        head = os.pread(self._file, schema.HEADER, 0)
        schema.look_at(path, head)
        check_log_belongs(path, head)
        if os.fstat(self._file).st_mode & 0o777 != 0o600:  # not its owner's alone
            os.fchmod(self._file, 0o600)

    def release(self) -> None:
        """Let the next one in."""
        _held.discard(self._key)
        os.close(self._file)


@contextmanager
def unserved(path: Path) -> Iterator[bool]:
    """Whether there is no server for the file; if so none starts meanwhile."""
    if identity(path) in _held:
        yield False
        return
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        free = _locked(file, fcntl.LOCK_SH)
        if free:
            check_log_belongs(path, os.pread(file, schema.HEADER, 0))
        yield free
    finally:
        os.close(file)


def check_names(path: Path) -> None:
    """Refuse a file with several names: each would have a write-ahead log of its own."""
    names = path.stat().st_nlink
    if names > 1:
        raise StoreError(
            f"the store {path} has {names} names (hard links), and a write-ahead log beside one of "
            f"them: keep that name and remove the others ('find DIR -samefile {path}' shows them)"
        )


def check_log_belongs(path: Path, head: bytes) -> None:
    """Refuse a write-ahead log beside a file, by its start, that has none: SQLite would drop it."""
    log = wal_of(path)
    if log.exists() and not schema.is_in_wal_mode(head):
        raise StoreError(
            f"{log} is not the write-ahead log of {path}, which {'has none' if head else 'is new'};"
            " if the store was moved, move it back; if it was replaced, or is to be begun anew, "
            f"move {log.name} and {path.name}-shm away"
        )


def _locked(file: int, kind: int) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def identity(file: Path | int) -> tuple[int, int]:
    """Which file it is, whatever its name: device and inode."""
    found = os.fstat(file) if isinstance(file, int) else file.stat()
    return found.st_dev, found.st_ino


def _holder(inode: int) -> str:
    """The process that has the lock, where the system says."""
    try:
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except OSError:
        lines = []
    for line in lines:
        # 1: FLOCK  ADVISORY  WRITE 30953 fe:00:2146494 0 EOF
        words = line.split()
        if words[1:2] == ["FLOCK"] and words[5].endswith(f":{inode}"):
            return f"process {words[4]}"
    return "another process"
