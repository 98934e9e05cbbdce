"""Control groups: the kernel counts all that a bot's processes use, however short they live.

Where root runs a tournament and control groups can be made, each bot of a worker has one, which all
that it starts is born into and cannot leave. Elsewhere there is none, and ``processor_share.py``
does with what ``/proc`` shows. Both versions are known: in the first each controller has folders of
its own, in the second one folder has those that are enabled there.

A group is made inside of our own, so that limits that are set for us hold for bots as well.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import time
from functools import cache
from pathlib import Path
from typing import Final

REMOVE_SECONDS: Final = 2.0  # for processes that have been killed to be gone
_PREFIX: Final = "ew"
_V1: Final = frozenset(("cpu", "cpuacct", "pids"))
_numbers: Final = itertools.count()


class Group:
    """One bot's processes."""

    def __init__(self, folders: tuple[Path, ...]) -> None:
        """`folders` are of the same group, one for each hierarchy."""
        self.folders = folders

    def used(self) -> float | None:
        """Seconds of processor time of all that was ever in it; None: it does not say."""
        for folder in self.folders:
            with contextlib.suppress(OSError, ValueError):
                return int((folder / "cpuacct.usage").read_bytes()) / 1e9
            with contextlib.suppress(OSError, ValueError, IndexError):
                # In the second version it is there without a controller, and comes first.
                words = (folder / "cpu.stat").read_bytes().split()
                if words[0] == b"usage_usec":
                    return int(words[1]) / 1e6
        return None

    def lower(self) -> bool:
        """Let it have what others leave. False: it cannot be done here."""
        return self._set("cpu.idle", "1") or self._set("cpu.shares", "2")

    def restore(self) -> bool:
        return self._set("cpu.idle", "0") or self._set("cpu.shares", "1024")

    def limit(self, processes: int) -> bool:
        """At most so many processes and threads, 0: as many as it likes. False: as in `lower`."""
        return self._set("pids.max", str(processes) if processes else "max")

    def _set(self, name: str, value: str) -> bool:
        for folder in self.folders:
            with contextlib.suppress(OSError):
                # Not created: where it is missing, that is another controller's folder.
                with open(folder / name, "r+", encoding="ascii") as file:  # noqa: PTH123
                    file.write(value)
                return True
        return False

    def remove(self) -> None:
        """When all of its processes have ended, or soon will have."""
        until = time.monotonic() + REMOVE_SECONDS
        left = list(self.folders)
        while left and time.monotonic() < until:
            left = [folder for folder in left if not _removed(folder)]
            if left:
                time.sleep(0.01)


def make() -> Group | None:
    """A group; None: there are none here. Removes those of runs that ended without doing so."""
    if os.geteuid() != 0:
        return None
    name = f"{_PREFIX}-{os.getpid()}-{next(_numbers)}"
    folders = []
    for own in _own():
        _sweep(own)
        with contextlib.suppress(OSError):  # read-only, as in most containers
            (own / name).mkdir(exist_ok=True)
            folders.append(own / name)
    group = Group(tuple(folders))
    if group.used() is None:
        group.remove()
        return None
    group.restore()  # one of that name may have been left behind
    return group


@cache
def _own() -> tuple[Path, ...]:
    """The folders of the group that we are in, of the hierarchies that are of use here."""
    try:
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()
        groups = Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ()
    ours: dict[str, str] = {}  # by controller; the second version has no name
    for line in groups:
        _, controllers, path = line.split(":", 2)
        ours |= dict.fromkeys(controllers.split(","), path)
    found: list[Path] = []
    for line in mounts:
        before, _, after = line.partition(" - ")
        root, point = before.split()[3:5]
        kind, _, options = after.split()[:3]
        wanted = {"cgroup": _V1.intersection(options.split(",")), "cgroup2": {""}}.get(kind, set())
        paths = {Path(ours[one]) for one in wanted if one in ours}
        found += [
            Path(point, path.relative_to(root)) for path in paths if path.is_relative_to(root)
        ]
    return tuple(dict.fromkeys(found))


def _sweep(own: Path) -> None:
    """Remove the groups of runs that were killed; those that are still in use cannot be."""
    for folder in own.glob(f"{_PREFIX}-*-*"):
        runner = folder.name.split("-")[1]
        if not Path("/proc", runner).exists():
            _removed(folder)


def _removed(folder: Path) -> bool:
    try:
        folder.rmdir()  # of a control group, its files do not count
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True
