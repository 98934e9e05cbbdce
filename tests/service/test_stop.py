"""However busy the server is when it is stopped: it drains, and its status says so."""

from __future__ import annotations

import asyncio
import signal
import subprocess
from typing import TYPE_CHECKING

import grpc
import pytest

from bench.counting import Counter
from bench.playing import Client, Seating, play
from endless_winter.cli.process import COMMAND
from tests.service.hosting import hosted, log_lines

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from endless_winter.cli.process import Server

GAMES = 12
GRACE = ("--grace", "600")  # a drain that took this long would be noticed
NO_END = 10**9


class Countdown(Counter):
    """Wakes the test when so many decisions were made."""

    def __init__(self, decisions: int) -> None:
        super().__init__(NO_END)
        self.come = asyncio.Event()
        self._left = decisions

    def count(self, wait: float) -> None:
        del wait
        self._left -= 1
        if self._left == 0:
            self.come.set()


async def stopped_under_load(
    server: Server, *, streams: int, decisions: int, stop: Callable[[], None]
) -> int:
    """The status of a server that is stopped after so many decisions of its games."""
    async with grpc.aio.insecure_channel(server.address) as channel:
        client = Client(channel, "ab" * 32, 2)
        games = await client.new_games(GAMES)
        countdown = Countdown(decisions)
        share = GAMES // streams
        playing = [
            asyncio.create_task(
                play(
                    client.stream(),
                    games[at : at + share],
                    Seating((0, 1), []),
                    countdown,
                    new=True,
                    most=0,
                )
            )
            for at in range(0, GAMES, share)
        ]
        # Calls that begin and end all the time, beside the streams.
        calling = asyncio.create_task(call_again_and_again(client, games))
        coming = asyncio.create_task(countdown.come.wait())
        await asyncio.wait((coming, *playing), return_when=asyncio.FIRST_COMPLETED)
        assert countdown.come.is_set()
        stop()
        status = await asyncio.to_thread(server.process.wait, 120)
        calling.cancel()
        outcomes = await asyncio.gather(*playing, calling, return_exceptions=True)
    assert all(isinstance(one, BaseException) for one in outcomes)  # the server ended them all
    return status


async def call_again_and_again(client: Client, games: list[str]) -> None:
    while True:
        await client.look_at(games)


@pytest.mark.parametrize(("streams", "decisions"), [(1, 1), (1, 150), (GAMES, 60)])
async def test_a_busy_server_stops_with_status_0(
    tmp_path: Path, streams: int, decisions: int
) -> None:
    with hosted(tmp_path, *GRACE) as server:
        status = await stopped_under_load(
            server, streams=streams, decisions=decisions, stop=server.process.terminate
        )
    lines = log_lines(tmp_path)
    assert status == 0, lines
    assert not [line for line in lines if line["level"] in ("error", "critical")], lines


async def test_further_signals_to_stop_change_nothing(tmp_path: Path) -> None:
    with hosted(tmp_path, *GRACE) as server:

        def stop() -> None:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGTERM):
                server.process.send_signal(number)

        async def nag() -> None:
            while server.process.poll() is None:
                server.process.send_signal(signal.SIGTERM)
                server.process.send_signal(signal.SIGINT)
                await asyncio.sleep(0.002)

        nagging: list[asyncio.Task[None]] = []

        def stop_and_nag() -> None:
            stop()
            nagging.append(asyncio.create_task(nag()))

        status = await stopped_under_load(server, streams=1, decisions=20, stop=stop_and_nag)
        await nagging[0]
    assert status == 0, log_lines(tmp_path)


def test_a_server_whose_listener_has_gone_stops_with_status_0(tmp_path: Path) -> None:
    """Like `ew serve | head -1` in a script that only wants the address."""
    process = subprocess.Popen(
        COMMAND, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert "listening on" in process.stdout.readline()
    process.stdout.close()
    process.terminate()
    error = process.stderr.read()
    process.stderr.close()
    assert process.wait(120) == 0, error
    assert "Traceback" not in error


@pytest.mark.soak
@pytest.mark.parametrize("number", range(40))
async def test_a_busy_server_stops_with_status_0_at_any_time(tmp_path: Path, number: int) -> None:
    with hosted(tmp_path, *GRACE) as server:
        status = await stopped_under_load(
            server,
            streams=(1, 4, GAMES)[number % 3],
            decisions=1 + number * 7,
            stop=server.process.terminate,
        )
    assert status == 0, log_lines(tmp_path)
