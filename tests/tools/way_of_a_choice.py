"""How long the way of one choice through the server is: Python calls and files.

    python tests/tools/way_of_a_choice.py [--files]

Two seats on one Play stream play a game by defaults, on a store in a file. The answers are traced
one by one, each alone in its round: from the bytes that gRPC hands over to the bytes of the next
question. The median answer counts. Needs the server in pure Python.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from endless_winter.content import load_pack
from endless_winter.engine import engine
from endless_winter.engine.caller import Caller
from endless_winter.engine.commands import JoinGame
from endless_winter.engine.settings import Settings
from endless_winter.service.clock import Clock
from endless_winter.service.host import Host
from endless_winter.service.identity import holder_of
from endless_winter.service.rpc.play import PlayServicer
from endless_winter.store.sqlite import SqliteStore
from endless_winter.v1 import config_pb2, decision_pb2, game_service_pb2
from endless_winter.v1 import play_service_pb2 as p

if TYPE_CHECKING:
    from types import FrameType

SERVER = Path(engine.__file__).parents[1]
COMMIT = "store/writing.py"
SECRET = "ab" * 32
SEATS = (0, 1)
FIRST = 20  # answers before those that are traced: what is done once is done
TRACED = 60


class Way:
    """The Python functions of the server that were called, by file."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    def trace(self, frame: FrameType, event: str, _: object) -> None:
        file = Path(frame.f_code.co_filename)
        if event == "call" and SERVER in file.parents:
            self.calls[file.relative_to(SERVER).as_posix()] += 1

    def outside(self, *packages: str) -> Counter[str]:
        """Without some packages."""
        return Counter({f: n for f, n in self.calls.items() if f.split("/")[0] not in packages})


class Wire:
    """A Play stream's connection: what a servicer asks of gRPC."""

    def __init__(self) -> None:
        self._in: asyncio.Queue[bytes] = asyncio.Queue()
        self._out: asyncio.Queue[bytes] = asyncio.Queue()

    async def read(self) -> bytes:
        return await self._in.get()

    async def write(self, message: bytes) -> None:
        self._out.put_nowait(message)

    async def ask(self, *commands: p.PlayCommand) -> p.PlayReport | None:
        """Send commands; the report with the next question, or None at the end of the game."""
        self._in.put_nowait(p.PlayRequest(commands=commands).SerializeToString())
        while True:
            for report in p.PlayResponse.FromString(await self._out.get()).reports:
                if report.HasField("rejection"):
                    raise RuntimeError(report.rejection.message)
                if report.update.HasField("prompt"):
                    return report
                if report.update.HasField("result"):
                    return None


async def begun(host: Host) -> str:
    """A game whose seats are all ours; its id."""
    caller = Caller(holder_of(SECRET))
    kinds = [config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN) for _ in SEATS]
    config = config_pb2.GameConfig(seats=kinds)
    create = game_service_pb2.CreateGameRequest(config=config, seed=bytes(32))
    game = await host.create(caller, create)
    for seat in SEATS:
        join = game_service_pb2.JoinGameRequest(game_id=game.game_id, seat=seat)
        await host.rounds.call(JoinGame(join, host.asked(caller), host.new_id()))
    return game.game_id


def answer(asked: p.PlayReport) -> p.PlayCommand:
    """The default."""
    decision = asked.update.prompt.decision
    (default,) = [option.option_id for option in decision.options if option.is_default]
    chosen = decision_pb2.Answer(decision_id=decision.decision_id, option_id=default)
    return p.PlayCommand(game_id=asked.game_id, seat=asked.seat, answer=chosen)


async def traced(wire: Wire, command: p.PlayCommand) -> tuple[p.PlayReport | None, Way]:
    way = Way()
    sys.setprofile(way.trace)
    try:
        return await wire.ask(command), way
    finally:
        sys.setprofile(None)


async def ways(host: Host) -> list[Way]:
    """The ways of some answers of one game."""
    game_id = await begun(host)
    wire: Any = Wire()
    playing = asyncio.create_task(PlayServicer(host).Play(Caller(holder_of(SECRET)), wire))
    commands = [p.PlayCommand(hello=p.Hello(least_revision=1))]
    for seat in SEATS:
        commands.append(p.PlayCommand(game_id=game_id, seat=seat, attach=p.Attach()))
        commands.append(p.PlayCommand(game_id=game_id, seat=seat, ready=p.Ready()))
    asked = await wire.ask(*commands)
    found: list[Way] = []
    for number in range(FIRST + TRACED):
        if asked is None:
            break
        asked, way = await traced(wire, answer(asked))
        # A commit that is left to a thread, as after a slow one, is not seen.
        if number >= FIRST and COMMIT in way.calls:
            found.append(way)
    playing.cancel()
    await asyncio.gather(playing, return_exceptions=True)
    return found


async def median() -> Way:
    """The median way of an answer, by calls outside the rules core."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "games.db")
        with SqliteStore.open(path, synchronous="off") as store:
            host = Host(store, load_pack(), clock=Clock(), settings=Settings())
            found = await ways(host)
            await host.close()
    if not found:
        raise SystemExit("every commit was slow and left to the thread: try on a quieter machine")
    return sorted(found, key=lambda way: way.outside("rules").total())[len(found) // 2]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--files", action="store_true", help="name them, with their calls")
    wanted = parser.parse_args()
    if not engine.__file__.endswith(".py"):
        raise SystemExit("the server is compiled: calls can only be counted in pure Python")
    way = asyncio.run(median())
    if wanted.files:
        for file, calls in way.calls.most_common():
            print(f"{calls:5}  {file}")
    for name, packages in (
        ("one choice", ()),
        ("outside rules/", ("rules",)),
        ("outside rules/ and views/", ("rules", "views")),
    ):
        outside = way.outside(*packages)
        print(f"{name}: {outside.total()} calls in {len(outside)} files")
    return 0


if __name__ == "__main__":
    sys.exit(main())
