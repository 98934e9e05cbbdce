"""An event loop that is woken once for many events of gRPC, and not interrupted for each.

gRPC's thread writes an octet into a socket for each event, and the loop's turn that follows reads
one octet and handles all events that there are. When many come together, the other octets wake the
loop again and again for nothing: a turn each, beside a choice that takes a few of them.

That thread is woken by nearly everything the loop does, and Linux lets it run at once, in the place
of the loop if there is no other: two switches for one octet that nobody waits for. So it is told
not to push in. Where there is an idle processor, or when the loop has come to its end, it runs as
soon as before.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from _typeshed import FileDescriptorLike

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

_GRPC = "grpc."  # the modules whose sockets carry nothing but wake-ups
_POLLER = "_poll_wrapper"  # what gRPC's thread runs, and so part of its name
_MANY = 4096


class WakeupLoop(asyncio.SelectorEventLoop):
    """asyncio's own loop otherwise."""

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
