"""Clients that neither speak nor close: the server asks them, and cuts off who does not answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from endless_winter.v1 import (
    clock_pb2,
    decision_pb2,
    game_service_pb2,
    play_service_pb2,
    result_pb2,
)
from tests.service.bare import ACK, PING, bare, frame
from tests.service.hosting import hosted
from tests.service.player import Client
from tests.service.wire import Line

if TYPE_CHECKING:
    from collections.abc import Iterator

p = play_service_pb2
ROOT = Path(__file__).parents[2]
PING_MS = 500
TIMEOUT_MS = 3000
QUICK = ("--keepalive-ms", str(PING_MS), "--keepalive-timeout-ms", str(TIMEOUT_MS))


@contextmanager
def bystander(address: str, name: str, game_id: str, seat: int) -> Iterator[int]:
    """The process of a client that attaches its seat, says Ready, and makes no choice."""
    words = [address, name, game_id, "stream", str(seat), "0", "0"]
    command = [sys.executable, "-m", "tests.service.seat_process", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline().split() == ["snapshot"]
            yield process.pid
        finally:
            process.kill()  # also one that is stopped


async def question(line: Line) -> int:
    """The next decision that is asked of us."""
    while not (update := await line.update()).HasField("prompt"):
        pass
    return update.prompt.decision.decision_id


async def test_a_client_whose_process_is_stopped_is_away(tmp_path: Path) -> None:
    """Its connection stays open and its system takes what is sent; only pings find out."""
    control = clock_pb2.TimeControl(disconnect_limit_ms=100)
    with hosted(tmp_path, *QUICK) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            game_id = (await ann.create(2, time_control=control)).game_id
            mine, his = await ann.join(game_id), await bob.join(game_id)
            asking = game_service_pb2.GetGameRequest(game_id=game_id)
            with bystander(server.address, "bob", game_id, his) as process:
                async with Line(ann) as line:
                    await line.do(game_id=game_id, seat=mine, attach=p.Attach())
                    await line.do(game_id=game_id, seat=mine, ready=p.Ready())
                    owed = await question(line)
                    while True:  # until the choice is his
                        answer = decision_pb2.Answer(decision_id=owed, take_default=True)
                        await line.do(game_id=game_id, seat=mine, answer=answer)
                        update = await line.update()
                        if not update.HasField("prompt"):
                            break
                        owed = update.prompt.decision.decision_id
                    os.kill(process, signal.SIGSTOP)
                    # He never chooses: once she is asked again his seat is played by defaults. She
                    # has said nothing for as long as he, and is still there.
                    await question(line)
                    info = (await ann.games.GetGame(asking, metadata=ann.metadata)).game
                    assert info.seats[his].forfeited == result_pb2.END_REASON_DISCONNECTED
                    assert not info.seats[his].connected
                    assert info.seats[mine].connected


async def test_a_client_may_ask_whether_the_server_is_there(tmp_path: Path) -> None:
    """By default gRPC cuts off who pings more than once in five minutes: too_many_pings."""
    with hosted(tmp_path, "--keepalive-ms", "200") as server:
        async with bare(server.address) as client:
            for number in range(5):
                for _ in range(3):  # the server's pings tell the time: more than half a second
                    await client.until(PING, 0)
                nonce = number.to_bytes(8, "big")
                client.send(frame(PING, 0, nonce))
                assert await client.until(PING, ACK) == nonce
