"""Wake-ups between nodes, by LISTEN and NOTIFY.

A NOTIFY is a statement of its own after the commit: inside a round it would take a lock that every
committing node waits for.
"""

from __future__ import annotations

import json
import os
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

import psycopg

from endless_winter.store.errors import StoreError
from endless_winter.store.records import Wake

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from psycopg import Connection

    from endless_winter.store.postgres.connection import Address

CHANNEL: Final = "endless_winter"
MOST_BYTES: Final = 7_999  # of a payload, by PostgreSQL
QUIET_SECONDS: Final = 5.0  # after this long without a wake it is tried whether the line is there
AGAIN_SECONDS: Final = 0.5

_Part = tuple[str, str, Any]


def payloads(wake: Wake) -> Iterator[str]:
    """A wake as texts of at most `MOST_BYTES`; together they say the same."""
    parts: list[_Part] = [
        *(("h", game, seq) for game, seq in wake.heads.items()),
        *(("c", game, client.hex()) for game, all_ in wake.clients.items() for client in all_),
        *(("b", game, name) for game, name in wake.bots.items()),
    ]
    waiting: list[_Part] = []
    size = 2
    for part in parts:
        bytes_ = len(json.dumps(part)) + 2
        if size + bytes_ > MOST_BYTES:
            yield json.dumps(waiting)
            waiting, size = [], 2
        waiting.append(part)
        size += bytes_
    if waiting or not parts:
        yield json.dumps(waiting)


def wake_of(payload: str) -> Wake:
    """What a payload says; an empty wake if it is none of ours."""
    heads: dict[str, int] = {}
    clients: dict[str, tuple[bytes, ...]] = {}
    bots: dict[str, str] = {}
    try:
        for kind, game, value in json.loads(payload):
            if kind == "h":
                heads[game] = int(value)
            elif kind == "c":
                clients[game] = (*clients.get(game, ()), bytes.fromhex(value))
            elif kind == "b":
                bots[game] = str(value)
    except (TypeError, ValueError):
        return Wake()
    return Wake(heads, clients, bots)


def notify(connection: Connection[Any], wake: Wake) -> None:
    """Wake the other nodes."""
    for payload in payloads(wake):
        connection.execute(b"SELECT pg_notify(%s, %s)", (CHANNEL, payload))


class Listener:
    """A thread that hears the wakes, on a connection of its own, until it is closed."""

    def __init__(self, address: Address, heard: Callable[[Wake], None]) -> None:
        self._address = address
        self._heard = heard
        self._closing = threading.Event()
        self._connection: Connection[Any] | None = None
        self._connect()
        self._thread = threading.Thread(target=self._run, name="store-listener", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._closing.set()
        connection = self._connection
        if connection is not None and not connection.closed:
            with (
                suppress(OSError, psycopg.Error),  # the thread may be about to close it
                socket.socket(fileno=os.dup(connection.fileno())) as line,
            ):
                line.shutdown(socket.SHUT_RDWR)
        self._thread.join()

    def _connect(self) -> None:
        connection = self._address.connect()
        try:
            connection.execute(f"LISTEN {CHANNEL}".encode())
        except psycopg.Error as error:
            connection.close()
            raise self._address.translate(error) from None
        self._connection = connection

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                if self._connection is None:
                    self._connect()
                    self._heard(Wake())  # some may have been lost
                self._listen()
            except (psycopg.Error, StoreError, OSError):
                if self._connection is not None:
                    self._connection.close()
                    self._connection = None
                self._closing.wait(AGAIN_SECONDS)
        if self._connection is not None:
            self._connection.close()

    def _listen(self) -> None:
        connection = self._connection
        assert connection is not None
        while not self._closing.is_set():
            for notice in connection.notifies(timeout=QUIET_SECONDS):
                self._heard(wake_of(notice.payload))
            connection.execute(b"SELECT 1")
