"""Runs a command as a child that ends with its parent and keeps within limits.

    python -I -S launch.py PARENT MEMORY_MB FILE_MB PROCESSES USER CORES GROUPS COMMAND ...

USER is a name, or the number of a user that has none. PROCESSES is how many that user may have.
GROUPS are the folders of a control group (groups.py), with colons between them. A COMMAND
that is bubblewrap ignores SIGTERM: it is for the bot in it, which has its time to end.

A program of its own, because what it does must happen between fork and exec, and the runner has
threads: Python code between the two could hang there. Standard library only, quick to start.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
import warnings  # noqa: F401 # os.execvp imports it, and the other user may not read our Python

PR_SET_PDEATHSIG = 1
NOT_STARTED = 127
SANDBOX = "bwrap"


def main(arguments: list[str]) -> None:
    parent, memory_mb, file_mb, processes = map(int, arguments[:4])
    user, cores, groups, command = *arguments[4:7], arguments[7:]
    if groups:
        _join(groups.split(":"))
    if cores:
        os.sched_setaffinity(0, map(int, cores.split(",")))
    _without_haste()
    if memory_mb:
        # Data, not address space: some runtimes reserve terabytes that they never use.
        _limit(resource.RLIMIT_DATA, memory_mb << 20)
    _limit(resource.RLIMIT_CORE, 0)
    if file_mb:
        _limit(resource.RLIMIT_FSIZE, file_mb << 20)
    if processes:
        _limit(resource.RLIMIT_NPROC, processes)
    if user:
        _become(user)
    _end_with_parent(parent)
    if command[0] == SANDBOX:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        os.execvp(command[0], command)  # noqa: S606 # what the user asked for
    except OSError as error:
        sys.stderr.write(f"{command[0]} cannot be started: {error.strerror}\n")
        sys.exit(NOT_STARTED)


def _join(groups: list[str]) -> None:
    """All that we start is born into them, too."""
    try:
        for group in groups:
            with open(f"{group}/cgroup.procs", "w", encoding="ascii") as file:  # noqa: PTH123
                file.write("0")  # who writes
    except OSError as error:
        sys.stderr.write(f"cannot join the control group {group}: {error.strerror}\n")
        sys.exit(NOT_STARTED)


def _without_haste() -> None:
    """Do not push others off a shared core on waking up (Linux only).

    A server and its bots wake each other all the time. If each takes the core at once, there is a
    switch for every message; if it waits its turn, messages come together.
    """
    if sys.platform == "linux":
        with contextlib.suppress(OSError):  # some containers forbid it: then it is only slower
            os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))


def _limit(kind: int, most: int) -> None:
    _, hard = resource.getrlimit(kind)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(kind, (most, most))


def _become(user: str) -> None:
    """Another user, if we may."""
    import pwd  # noqa: PLC0415 # rarely needed

    try:
        if user.isdecimal():
            os.setgroups([])
            os.setgid(int(user))
            os.setuid(int(user))
            return
        known = pwd.getpwnam(user)
        os.initgroups(user, known.pw_gid)
        os.setgid(known.pw_gid)
        os.setuid(known.pw_uid)
    except (KeyError, OSError) as error:
        sys.stderr.write(f"cannot run as the user {user}: {error}\n")
        sys.exit(NOT_STARTED)


def _end_with_parent(parent: int) -> None:
    """Have the kernel kill us when the runner is gone, even by kill -9 (Linux only)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it was gone before we asked
            sys.exit(NOT_STARTED)


if __name__ == "__main__":
    main(sys.argv[1:])
