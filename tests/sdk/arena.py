"""Bots in this process on a real server, and games for them."""

from __future__ import annotations

import hashlib
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from endless_winter.sdk.bot import BotLike, maker
from endless_winter.sdk.connection import Endpoint
from endless_winter.sdk.runner import Runner
from endless_winter.v1 import config_pb2

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.sdk import Decision, Option, View

PATIENCE = 240.0  # seconds; a test that waits longer has failed


def steady(decision: Decision, view: View) -> Option:
    """A choice that depends on the decision alone, so that games repeat."""
    assert view.seat == decision.seat
    words = "|".join(option.text for option in decision.options)
    number = int.from_bytes(hashlib.sha256(words.encode()).digest()[:4], "big")
    return decision.options[number % len(decision.options)]


class Running:
    """A runner in a thread, and the lines that it printed."""

    def __init__(self, bot: BotLike, address: str, name: str, **more: Any) -> None:
        self.lines: list[str] = []
        self.error: BaseException | None = None
        self.ended = False
        self._changed = threading.Condition()
        secret = hashlib.sha256(name.encode()).hexdigest()
        self.runner = Runner(
            maker(bot), Endpoint.of(address, secret), name=name, say=self._say, **more
        )
        self.thread = threading.Thread(target=self._run)

    def _say(self, line: str) -> None:
        with self._changed:
            self.lines.append(line)
            self._changed.notify_all()

    def _run(self) -> None:
        try:
            self.runner.run()
        except Exception as error:  # noqa: BLE001 # the test looks at it
            self.error = error
        with self._changed:
            self.ended = True
            self._changed.notify_all()

    def printed(self, words: str, times: int = 1) -> str:
        """Wait until a line has these words, and return the last one that has them."""
        with self._changed:

            def found() -> list[str]:
                return [line for line in self.lines if words in line]

            self._changed.wait_for(lambda: self.ended or len(found()) >= times, PATIENCE)
            assert len(found()) >= times, (self.lines, self.error)
            return found()[-1]

    def stop(self) -> None:
        self.runner.stop()
        self.thread.join(PATIENCE)
        assert not self.thread.is_alive()


@contextmanager
def attached(bot: BotLike, address: str, name: str, **more: Any) -> Iterator[Running]:
    """A bot that waits for games."""
    found = Running(bot, address, name, **more)
    found.thread.start()
    try:
        found.printed("attached to")
        yield found
    finally:
        found.stop()
    if found.error is not None:
        raise found.error


def seats(*names: str, **more: Any) -> config_pb2.GameConfig:
    """A game of bots; an empty name is an open seat."""
    return config_pb2.GameConfig(
        seats=[
            config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_BOT, bot_name=name)
            if name
            else config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)
            for name in names
        ],
        **more,
    )
