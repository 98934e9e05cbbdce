"""The processor time of bots: how much they use while they are asked, and while they are not.

A worker's server and bots share its cores, and a game waits for one bot at a time. So what a bot
computes while no game waits for it, it takes from the bot that is asked. Whoever does that to
more than a small share of a core gets what others leave, until it has behaved for a while.

The server knows how long each bot was asked (`ListBots`), the kernel what its processes used
(control groups, or ``/proc``). Processor time that does not fit into the time asked was used while
not asked.
"""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from endless_winter.tournament.groups import Group

POLL: Final = 0.2  # seconds between looks
COSTS: Final = 50  # and at least so many times what a look takes
# Asked time that was not used and may be made up for later: clocks are read one after the other,
# and the kernel counts in steps of 10 ms.
CREDIT: Final = 0.05
BURNS: Final = 0.1  # of a core while not asked: more is a lower share
BEHAVES: Final = 0.03
WEIGHT: Final = 0.4  # of the last look: who takes a whole core is found by the first
SLOW: Final = 0.1  # seconds for a server's answer: then it does not come to its turn
FIRST_PENANCE: Final = 2.0  # seconds, doubled each time
LONGEST_PENANCE: Final = 60.0
_TICK: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PROC: Final = Path("/proc")


class Process(NamedTuple):
    """What the kernel says of a process; times in seconds."""

    pid: int
    parent: int
    session: int
    own: float
    children: float
    """Of those that have ended and were waited for."""


class Used(NamedTuple):
    """Processor time in seconds."""

    asked: float = 0.0
    unasked: float = 0.0
    lowered: int = 0
    """How often its share was lowered."""


def snapshot() -> dict[int, Process]:
    """All processes; empty where there is no /proc to be read."""
    found = {}
    try:
        names = [name for name in os.listdir(_PROC) if name.isdecimal()]  # noqa: PTH208 # often
    except OSError:
        return {}
    for name in names:
        with contextlib.suppress(OSError, ValueError, IndexError):  # it has just ended
            with open(f"/proc/{name}/stat", "rb") as file:  # noqa: PTH123
                words = file.read().rpartition(b")")[2].split()
            own, children = (int(words[at]) + int(words[at + 1]) for at in (11, 13))
            pid = int(name)
            found[pid] = Process(pid, int(words[1]), int(words[3]), own / _TICK, children / _TICK)
    return found


def family(root: int, known: Mapping[int, Process]) -> list[Process]:
    """A process and all that it has started, as far as they still have a parent there."""
    if root not in known:
        return []
    below: dict[int, list[Process]] = {}
    for process in known.values():
        below.setdefault(process.parent, []).append(process)
    found = [known[root]]
    for process in found:
        found += below.get(process.pid, ())
    return found


class Meter:
    """The processor time of one bot's processes, from look to look."""

    def __init__(self) -> None:
        self._last: dict[int, Process] = {}

    def used(self, now: Iterable[Process]) -> float:
        """Seconds since the last look.

        What ended in between is known by its parent, less what it was counted for itself; where
        the parent does not wait for its children the kernel forgets them, and what was seen of
        them is all that is known.
        """
        seen = {process.pid: process for process in now}
        own = children = 0.0
        for pid, process in seen.items():
            before = self._last.get(pid)
            own += process.own - (before.own if before is not None else 0.0)
            children += process.children - (before.children if before is not None else 0.0)
        gone = sum(
            process.own + process.children for pid, process in self._last.items() if pid not in seen
        )
        self._last = seen
        return own + max(children - gone, 0.0)


class Account:
    """What one bot used, and whether it burns."""

    def __init__(self, cores: int) -> None:
        self.lowered = False
        self._cores = cores
        self._balance = 0.0
        self._level = 0.0
        self._times = 0
        self._counted = False
        self._until = 0.0
        self._used = Used()

    def look(self, now: float, seconds: float, used: float, asked: float, *, counts: bool) -> None:
        """`used` and `asked` since the last look, `seconds` ago; `counts`: it is no start-up."""
        fits = min(asked, seconds) * self._cores
        self._balance = max(self._balance + used - fits, -CREDIT)
        unasked = max(self._balance, 0.0)
        self._balance -= unasked
        unasked = min(unasked, used)
        if counts and not self._counted:  # what it did to start up is over
            self._counted = True
            self.lowered = False
            self._level = 0.0
        self._level += WEIGHT * (unasked / seconds - self._level)
        times = 0
        if not self.lowered and self._level > BURNS:
            self.lowered = True
            self._until = now + min(FIRST_PENANCE * 2**self._times, LONGEST_PENANCE)
            times = 1
            self._times += counts  # a start-up is forgiven
        elif self.lowered and self._level < BEHAVES and now >= self._until:
            self.lowered = False
        if counts:
            before = self._used
            self._used = Used(
                before.asked + used - unasked,
                before.unasked + unasked,
                before.lowered + times,
            )

    def take(self) -> Used:
        """What was used since this was asked last."""
        found, self._used = self._used, Used()
        return found


def favour(pid: int, *, much: bool) -> None:
    """Let a session come before others, if we may, or give it the share of everybody again."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/autogroup").write_text("-15" if much else "0", encoding="ascii")


def lower(processes: Iterable[Process], *, threads: bool) -> None:
    """Let processes have what others leave; done again, it reaches what they have started since.

    `threads`: even if it cannot be undone, which of threads only root can.
    """
    _share(processes, "19", os.SCHED_IDLE if threads or os.geteuid() == 0 else None)


def restore(processes: Iterable[Process]) -> None:
    _share(processes, "0", os.SCHED_BATCH)


def _share(processes: Iterable[Process], nice: str, policy: int | None) -> None:
    """Sessions and threads: which of them share out a core depends on the machine.

    Where autogroups are on, each session is one competitor, and within it each thread; otherwise
    all threads are.
    """
    sessions = set()
    for process in processes:
        if process.session not in sessions:
            sessions.add(process.session)
            with contextlib.suppress(OSError):  # no autogroups, or too often: then next time
                Path(f"/proc/{process.pid}/autogroup").write_text(nice, encoding="ascii")
        if policy is None:
            continue
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{process.pid}/task"):  # noqa: PTH208
                with contextlib.suppress(OSError):
                    os.sched_setscheduler(int(thread), policy, os.sched_param(0))


def _exact(process: Process) -> Process:
    """With its time in nanoseconds, where the steps of the kernel's clock hide all of it."""
    if process.own < 2 / _TICK:
        with contextlib.suppress(OSError, ValueError, IndexError):
            with open(f"/proc/{process.pid}/schedstat", "rb") as file:  # noqa: PTH123
                seconds = int(file.read().split()[0]) / 1e9
            return process._replace(own=max(process.own, seconds))
    return process


class _Families:
    """The processes of each bot at one time, which are looked up only if somebody asks."""

    def __init__(self, first: Mapping[str, int]) -> None:
        self._first = first
        self._known: dict[int, Process] | None = None

    def of(self, name: str) -> list[Process]:
        if self._known is None:
            self._known = snapshot()
        return [_exact(process) for process in family(self._first.get(name, 0), self._known)]


class Shares:
    """The bots of one worker."""

    def __init__(self, cores: int) -> None:
        self._cores = cores
        self._groups: dict[str, Group] = {}
        self._used: dict[str, float] = {}  # of groups
        self._meters: dict[str, Meter] = {}  # of those who have none
        self._accounts: dict[str, Account] = {}
        self._asked: dict[str, int] = {}
        self._begun = False
        self._last = 0.0

    @property
    def burning(self) -> bool:
        """Whether anybody has a lower share now."""
        return any(account.lowered for account in self._accounts.values())

    def begin(self) -> None:
        """Games begin: what those who are attached use from now on counts."""
        self._begun = True

    def group(self, name: str, group: Group) -> None:
        """All that a bot starts is in a control group."""
        self._groups[name] = group

    def look(self, processes: Mapping[str, int], asked_ms: Mapping[str, int]) -> None:
        """Look once. `processes` are the first of each bot, `asked_ms` those who are attached."""
        now = time.monotonic()
        seconds, self._last = now - self._last, now
        families = _Families(processes)
        for name in processes:
            first = name not in self._accounts
            account = self._accounts.setdefault(name, Account(self._cores))
            used = self._used_since(name, families)
            asked = self._asked_since(name, asked_ms) / 1000
            if first or not self._begun:  # before the first game nobody can be made late
                continue
            was = account.lowered
            counts = self._begun and name in asked_ms
            account.look(now, seconds, used, asked, counts=counts)
            if account.lowered:
                group = self._groups.get(name)
                if group is None or not group.lower():
                    lower(families.of(name), threads=counts)
            elif was:
                self._restore(name, families)

    def _used_since(self, name: str, families: _Families) -> float:
        group = self._groups.get(name)
        used = group.used() if group is not None else None
        if used is None:
            return self._meters.setdefault(name, Meter()).used(families.of(name))
        before, self._used[name] = self._used.get(name, 0.0), used
        return used - before

    def _asked_since(self, name: str, asked_ms: Mapping[str, int]) -> int:
        now = asked_ms.get(name, 0)
        before, self._asked[name] = self._asked.get(name, 0), now
        return now - before if now >= before else now  # it has attached anew

    def _restore(self, name: str, families: _Families) -> None:
        group = self._groups.get(name)
        if group is None or not group.restore():
            restore(families.of(name))

    def release(self, processes: Mapping[str, int]) -> None:
        """Games are over: a bot with a lower share gets it back, so that it can end in order."""
        families = _Families(processes)
        for name, account in self._accounts.items():
            if account.lowered:
                self._restore(name, families)

    def close(self) -> None:
        """The bots have ended."""
        for group in self._groups.values():
            group.remove()

    def take(self) -> dict[str, Used]:
        """What each used since this was asked last."""
        return {name: account.take() for name, account in self._accounts.items()}
