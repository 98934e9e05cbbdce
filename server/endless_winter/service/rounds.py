"""What comes in one turn of the event loop is done together, a step at a time for all streams.

First the answers that have arrived are carried out, those of all streams; then all that follows is
one commit; then it is put into words, while the disk is asked to keep the commit; and when it does,
the messages go out. Each step runs the same code many times in a row, which is much quicker than
running all of them in turn for each answer; and who answers alone has all of it done in one turn.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from endless_winter.service.wakeups import WakeupLoop

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.service.play_stream import PlayStream

MOST = 256  # answers of a round, about: the first shall not wait long for the last


class Rounds:
    """Of one server: whose answers have arrived, and who may have something to say."""

    def __init__(self, flush: Callable[[], None], kept: Callable[[], None]) -> None:
        """`flush` commits what was appended, `kept` waits until it can be told."""
        self._flush = flush
        self._kept = kept
        self._arrived: list[PlayStream] = []
        self._news: list[PlayStream] = []
        self._planned = False

    def arrived(self, stream: PlayStream) -> None:
        """Answers of a stream are there. Where nothing else is going on, they are done at once."""
        self._arrived.append(stream)
        if not self._planned and _nobody_else():
            self._planned = True
            self._run()
        else:
            self._soon()

    def news(self, stream: PlayStream) -> None:
        """A stream may have something to say."""
        self._news.append(stream)
        self._soon()

    def _soon(self) -> None:
        if not self._planned:
            self._planned = True
            asyncio.get_running_loop().call_soon(self._run)

    def _run(self) -> None:
        try:
            try:
                self._carry_out()
                messages = self._compose()
            finally:
                self._kept()  # nobody else has had a turn since the commit
            for stream, message in messages:
                stream.send(message)
        finally:
            self._planned = False
            if self._arrived or self._news:
                self._soon()

    def _carry_out(self) -> None:
        if not self._arrived:
            return
        arrived, self._arrived = self._arrived, []
        count = 0
        for number, stream in enumerate(arrived):
            if count >= MOST:
                self._arrived = arrived[number:] + self._arrived
                break
            try:
                count += stream.carry_out()
            except Exception as error:  # noqa: BLE001 # that stream fails, and no other
                stream.fail(error)
        self._flush()

    def _compose(self) -> list[tuple[PlayStream, bytes]]:
        news, self._news = self._news, []
        messages: list[tuple[PlayStream, bytes]] = []
        for stream in news:
            try:
                message = stream.compose()
            except Exception as error:  # noqa: BLE001 # as above
                stream.fail(error)
            else:
                if message:
                    messages.append((stream, message))
        return messages


def _nobody_else() -> bool:
    loop = asyncio.get_running_loop()
    return isinstance(loop, WakeupLoop) and loop.is_idle()
