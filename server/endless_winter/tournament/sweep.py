"""Ends groups of processes when the one who started this is gone, however that happened.

    python -I -S sweep.py

It reads standard input: a line ``+N`` for a group that was started, ``-N`` for one that has
been ended. When the input ends, it kills the groups that are left. The kernel
ends the processes that the runner has started itself (launch.py); what those have started in turn
is known by its group alone. A program of its own, because only who is left can do it.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys


def main() -> None:
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)  # meant for the runner, which then ends in order
    groups: set[int] = set()
    for line in sys.stdin:
        number = int(line[1:])
        if line[0] == "+":
            groups.add(number)
        else:
            groups.discard(number)
    for group in groups:
        with contextlib.suppress(OSError):  # the whole group is gone, or another user's
            os.killpg(group, signal.SIGKILL)


if __name__ == "__main__":
    main()
