"""One server for each file: a lock on the file itself, which ends with the process."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import Final

from endless_winter.store import schema
from endless_winter.store.errors import StoreError, StoreInUse

_TRIES: Final = 5
_PAUSE: Final = 0.02  # seconds
_held: Final[set[tuple[int, int]]] = set()
"""The files that this process serves from, by device and inode.

To close any descriptor of a file drops the locks of SQLite on it in this process, so a second
server inside one must be refused before it opens the file.
"""


class FileLock:
    """Holds the file; taken before SQLite opens it and released after SQLite has closed it.

    The lock belongs to the inode: names, links and files beside it do not matter.
    """

    def __init__(self, path: Path) -> None:
        schema.create_private(path)
        if not path.is_file():
            raise StoreError(f"there is no store {path}")
        try:
            self._key = _key(path.stat())
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
        for left in reversed(range(_TRIES)):
            try:
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except OSError as error:
                if not left:
                    holder = _holder(self._key[1])
                    raise StoreInUse(f"the store {path} is in use by {holder}") from error
                time.sleep(_PAUSE)  # somebody may just have looked (`is_served`)
        if _key(os.fstat(self._file)) != _key(path.stat()):
            raise StoreError(f"the store {path} was replaced just now; try again")
        schema.look_at(path, os.pread(self._file, 100, 0))
        if os.fstat(self._file).st_mode & 0o777 != 0o600:  # not its owner's alone
            os.fchmod(self._file, 0o600)

    @property
    def names(self) -> int:
        """How many names (hard links) the file has."""
        return os.fstat(self._file).st_nlink

    def release(self) -> None:
        """Let the next one in."""
        _held.discard(self._key)
        os.close(self._file)


def is_served(path: Path) -> bool:
    """Whether there is a server for the file now."""
    if _key(path.stat()) in _held:
        return True
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(file)
    return False


def _key(found: os.stat_result) -> tuple[int, int]:
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
