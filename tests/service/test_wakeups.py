"""The loop of the server: woken once for many events of gRPC, and never too seldom."""

from __future__ import annotations

import asyncio
import selectors
import socket
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

from endless_winter.service import wakeups

if TYPE_CHECKING:
    import pytest


class Poller:
    """As gRPC's: an octet for each event, and whoever is woken reads one and handles all."""

    def __init__(self) -> None:
        self.reader, self.writer = socket.socketpair()
        self.events: list[int] = []
        self.handled: list[int] = []
        self.woken = 0
        self.enough = asyncio.Event()

    def push(self, *events: int) -> None:
        for event in events:
            self.events.append(event)
            self.writer.send(b"1")

    def handle(self, most: int) -> None:
        self.woken += 1
        assert len(self.reader.recv(1)) == 1
        events, self.events = self.events, []
        self.handled += events
        if 3 in events:
            self.push(100, 101)  # more comes while some is handled
        if len(self.handled) >= most:
            self.enough.set()

    def close(self) -> None:
        asyncio.get_running_loop().remove_reader(self.reader)
        self.reader.close()
        self.writer.close()


async def _handled(module: str, monkeypatch: pytest.MonkeyPatch) -> Poller:
    poller = Poller()
    monkeypatch.setattr(Poller, "__module__", module)
    callback = partial(poller.handle, 12)  # as gRPC gives it
    asyncio.get_running_loop().add_reader(poller.reader, callback)
    poller.push(*range(10))
    await asyncio.wait_for(poller.enough.wait(), 60)
    for _ in range(20):
        await asyncio.sleep(0)
    poller.close()
    return poller


def test_many_events_wake_the_loop_once(monkeypatch: pytest.MonkeyPatch) -> None:
    poller = wakeups.run(_handled("grpc._cython.cygrpc", monkeypatch))
    assert poller.handled == [*range(10), 100, 101]
    assert poller.woken == 2, "once for the ten, once for what came meanwhile"


def test_sockets_of_others_are_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    poller = wakeups.run(_handled("elsewhere", monkeypatch))
    assert poller.woken == 12


# In a process of its own: gRPC makes one socket for all servers of a process.
SCRIPT = """
import os
import threading

import grpc
from endless_winter.service import wakeups

async def start():
    server = grpc.aio.server()
    server.add_insecure_port("127.0.0.1:0")
    await server.start()
    await server.stop(None)
    calm = [os.sched_getscheduler(one.native_id) == os.SCHED_BATCH for one in threading.enumerate()]
    print("threads that do not push in:", sum(calm), "of", len(calm))

recognised = wakeups._of_grpc
wakeups._of_grpc = lambda callback: print("recognised:", recognised(callback)) or True
wakeups.run(start())
"""


def test_grpcs_own_socket_and_thread_are_recognised() -> None:
    """If gRPC wakes the loop in another way one day, nothing breaks, but this tells."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "recognised: True\nthreads that do not push in: 1 of 2\n"


class Watched:
    """A selector with one socket, a clock that moves when it is looked at, and its looks."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        self.looks = 0
        self.ours, self.theirs = socket.socketpair()
        self.selector = wakeups.Attentive()
        self.selector.register(self.ours, selectors.EVENT_READ)
        monkeypatch.setattr(wakeups, "perf_counter", self._passes)
        monkeypatch.setattr(wakeups, "_give_way", self._looked)

    def _passes(self) -> float:
        self.now += wakeups.ATTENTIVE / 10
        return self.now

    def _looked(self) -> None:
        self.looks += 1

    def wait(self, timeout: float | None) -> tuple[bool, int]:
        """Whether something came, and how often it was looked for in vain."""
        self.looks = 0
        found = bool(self.selector.select(timeout))
        if found:
            self.ours.recv(1)
        return found, self.looks

    def close(self) -> None:
        self.selector.close()
        self.ours.close()
        self.theirs.close()


def test_the_loop_looks_for_a_while_before_it_sleeps_while_waits_are_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = Watched(monkeypatch)
    assert watched.wait(0.001) == (False, 0), "at first it sleeps"
    watched.now += 1
    watched.theirs.send(b".")
    assert watched.wait(None) == (True, 0), "that was a short wait"
    watched.theirs.send(b".")
    assert watched.wait(None) == (True, 0), "what is there need not be looked for"
    found, looks = watched.wait(0.001)
    assert not found
    assert looks >= 5, "it does not sleep at once"
    assert watched.now > 1 + wakeups.ATTENTIVE
    watched.close()


def test_a_long_wait_puts_the_loop_to_sleep_until_one_is_short_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    watched = Watched(monkeypatch)
    watched.theirs.send(b".")
    assert watched.wait(None) == (True, 0)
    plain = selectors.DefaultSelector.select

    def late(selector: selectors.DefaultSelector, timeout: float | None = None) -> object:
        if timeout != 0:
            watched.now += 10 * wakeups.ATTENTIVE
        return plain(selector, timeout)

    monkeypatch.setattr(selectors.DefaultSelector, "select", late)
    assert watched.wait(0.001)[1] > 0
    assert watched.wait(0.001) == (False, 0), "nothing is looked for in vain again"
    assert watched.wait(0) == (False, 0), "and never when there is no time to wait"
    monkeypatch.setattr(selectors.DefaultSelector, "select", plain)
    watched.theirs.send(b".")
    assert watched.wait(None) == (True, 0)
    assert watched.wait(0.001)[1] > 0
    watched.close()


def test_the_loop_is_attentive_and_keeps_its_timers() -> None:
    async def timed() -> float:
        loop = asyncio.get_running_loop()
        assert isinstance(loop._selector, wakeups.Attentive)  # type: ignore[attr-defined] # asyncio's own
        start = loop.time()
        await asyncio.sleep(0.01)
        return loop.time() - start

    assert wakeups.run(timed()) >= 0.01
