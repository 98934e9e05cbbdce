"""An event loop that is woken once for many events of gRPC, and not interrupted for each.

gRPC's thread writes an octet into a socket for each event, and the loop's turn that follows reads
one octet and handles all events that there are. When many come together, the other octets wake the
loop again and again for nothing: a turn each, beside a choice that takes a few of them.

That thread is woken by nearly everything the loop does, and Linux lets it run at once, in the place
of the loop if there is no other: two switches for one octet that nobody waits for. So it is told
not to push in. Where there is an idle processor, or when the loop has come to its end, it runs as
soon as before.

To fall asleep and to be woken takes a good part of the time in which a quick bot answers. So while
waits are short, the loop looks for a moment whether something has come before it sleeps.
"""

from __future__ import annotations

import asyncio
import os
import selectors
import socket
import threading
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from _typeshed import FileDescriptorLike

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_GRPC = "grpc."  # the modules whose sockets carry nothing but wake-ups
_POLLER = "_poll_wrapper"  # what gRPC's thread runs, and so part of its name
_MANY = 4096
ATTENTIVE = 0.0003  # seconds: so short is a wait for which nobody should sleep


_give_way = getattr(os, "sched_yield", lambda: None)  # not every system has it


class Attentive(selectors.DefaultSelector):
    """Sleeps only when waits are long: after a short one it looks for a while before it does.

    A long wait ends that. So a server whose clients take their time never looks in vain, and one
    that has nothing to do does it once. Whoever else wants the processor gets it meanwhile.
    """

    def __init__(self) -> None:
        super().__init__()
        self._awake = False

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is not None and timeout <= 0:
            return super().select(timeout)
        start = perf_counter()
        end = start + (ATTENTIVE if timeout is None else min(timeout, ATTENTIVE))
        while self._awake:
            found = super().select(0)
            if found:
                return found
            _give_way()
            self._awake = perf_counter() < end
        spent = perf_counter() - start
        found = super().select(None if timeout is None else max(timeout - spent, 0))
        self._awake = perf_counter() < end
        return found


class WakeupLoop(asyncio.SelectorEventLoop):
    """asyncio's own loop otherwise."""

    def __init__(self) -> None:
        super().__init__(Attentive())

    def add_reader(
        self, fd: FileDescriptorLike, callback: Callable[[*Ts], Any], *args: *Ts
    ) -> None:
        if isinstance(fd, socket.socket) and _of_grpc(callback):
            super().add_reader(fd, _once_for_all, fd, partial(callback, *args))
            _let_the_loop_finish()
        else:
            super().add_reader(fd, callback, *args)

    def is_idle(self) -> bool:
        """Whether nobody wants a turn but whoever asks this."""
        return not self._ready  # type: ignore[attr-defined] # asyncio's own, and not in its stubs


def _of_grpc(callback: Callable[..., object]) -> bool:
    inner = callback.func if isinstance(callback, partial) else callback
    return type(getattr(inner, "__self__", inner)).__module__.startswith(_GRPC)


def _let_the_loop_finish() -> None:
    """Have gRPC's thread push in no more; it runs when gRPC asks for its socket to be watched."""
    if not hasattr(os, "SCHED_BATCH"):
        return  # only Linux has it
    for thread in threading.enumerate():
        if _POLLER in thread.name and thread.native_id is not None:
            with suppress(OSError):  # not allowed everywhere, and nothing depends on it
                os.sched_setscheduler(thread.native_id, os.SCHED_BATCH, os.sched_param(0))


def _once_for_all(wakeups: socket.socket, handle: Callable[[], object]) -> None:
    """Leave one octet, which the handler reads.

    An octet is written after its event is there. So the events of those that are thrown away are
    handled now, and an event that comes meanwhile brings an octet of its own.
    """
    waiting = len(wakeups.recv(_MANY, socket.MSG_PEEK))
    if waiting > 1:
        wakeups.recv(waiting - 1)
    handle()


def run(work: Coroutine[Any, Any, T]) -> T:
    """As `asyncio.run`, in such a loop."""
    with asyncio.Runner(loop_factory=WakeupLoop) as runner:
        return runner.run(work)
