"""One serving process per file: a lock that ends with the process, however it ends."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from typing import TYPE_CHECKING

from endless_winter.store.errors import StoreError, StoreInUse

if TYPE_CHECKING:
    from pathlib import Path


class Lease:
    """Holds ``FILE.lock``. The lock is the kernel's, not the file's existence, so that nothing is
    left behind by a killed process; the number in the file is only for the error message.
    """

    def __init__(self, store: Path) -> None:
        self.path = store.with_name(store.name + ".lock")
        try:
            self.made = not self.path.exists()
            self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise StoreError(f"cannot lock the store {store}: {error.strerror}") from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(self._file, 32).decode("ascii", "replace").strip()
            os.close(self._file)
            who = f"process {holder}" if holder else "another process"
            raise StoreInUse(f"the store {store} is in use by {who}") from error
        with suppress(OSError):  # a full disk: then nobody is told who holds it
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self, *, remove: bool = False) -> None:
        """Let the next one in. The file stays: removing it could remove a successor's lock.

        Unless there is nothing that it could be a lock of.
        """
        if remove:
            with suppress(OSError):
                self.path.unlink()
        os.ftruncate(self._file, 0)
        os.close(self._file)
