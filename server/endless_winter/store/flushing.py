"""Has the disk keep what was written to a file, beside other work where the C library can do that.

A thread of the interpreter could not: to begin and to end it would have to wait until the event
loop, which has work to do meanwhile, leaves the interpreter to it.
"""

from __future__ import annotations

import ctypes
import errno
import logging
import os
import sqlite3
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

log = logging.getLogger("endless_winter.store")

DISK_FAILED = 74  # how the process ends when the disk cannot be trusted (EX_IOERR)
AWAKE = 0.001  # seconds for which the end is awaited without sleeping: it is near as a rule
NAP = 0.0002  # seconds

# Of `struct aiocb`, where pointers have eight octets: the file, and how its end is announced. What
# else is in it is the library's own, and needs less room than this.
_ROOM = 512
_FILE_AT = 0
_ANNOUNCED_AT = 44
_NOT_ANNOUNCED = 1  # SIGEV_NONE
_POINTER = 8


def lost(error: Exception) -> None:
    """The disk may have lost choices that were committed, and who knows what else.

    Nobody outside was told of them yet. To try again would not help: what could not be written may
    be taken for written by then. So the process ends as if it had been killed, and the next one
    reads what the disk has.
    """
    log.critical("the disk failed to keep what was written, so the server ends: %s", error)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(DISK_FAILED)


def failed(error: Exception) -> bool:
    """Whether an error of SQLite says that the disk did not keep what was written."""
    return getattr(error, "sqlite_errorcode", 0) in (
        sqlite3.SQLITE_IOERR_FSYNC,
        sqlite3.SQLITE_IOERR_DIR_FSYNC,
    )


class _Library(NamedTuple):
    """What the C library offers for it."""

    begin: Any  # aio_fsync
    error: Any  # aio_error
    end: Any  # aio_return


def _library() -> _Library | None:
    if sys.platform != "linux" or ctypes.sizeof(ctypes.c_void_p) != _POINTER:
        return None
    if len(os.sched_getaffinity(0)) == 1:  # with one processor nothing is beside another
        return None
    for name in (None, "librt.so.1"):  # an older one has them elsewhere
        try:
            found = ctypes.PyDLL(name)  # none of them waits, so all keep the interpreter
            return _Library(found.aio_fsync, found.aio_error, found.aio_return)
        except (OSError, AttributeError):
            continue
    return None


class Flusher:
    """Of one file, which stays the same file as long as this is open."""

    def __init__(self, path: Path) -> None:
        """May raise ``OSError``."""
        self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        self._library = _library()
        self._begun = False
        self._block = ctypes.create_string_buffer(_ROOM)
        ctypes.c_int.from_buffer(self._block, _FILE_AT).value = self._file
        ctypes.c_int.from_buffer(self._block, _ANNOUNCED_AT).value = _NOT_ANNOUNCED

    def begin(self) -> None:
        """Let the disk begin, if that can be done beside other work; ``finish`` has to follow."""
        library = self._library
        if library is None or self._begun:
            return
        if library.begin(os.O_DSYNC, self._block):
            self._library = None  # it cannot, and is not asked again
        else:
            self._begun = True

    def finish(self) -> None:
        """Return when all that was written before is kept. Raises ``OSError``."""
        library = self._library
        if library is None or not self._begun:
            os.fdatasync(self._file)
            return
        patience = time.monotonic() + AWAKE
        while (state := library.error(self._block)) == errno.EINPROGRESS:
            time.sleep(NAP if time.monotonic() > patience else 0)  # others may have the interpreter
        self._begun = False
        library.end(self._block)
        if state:
            raise OSError(state, os.strerror(state))

    def close(self) -> None:
        if self._begun:
            self.finish()
        os.close(self._file)
