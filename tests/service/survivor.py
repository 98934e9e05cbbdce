"""A client that plays all seats of many games and outlives its server: it resumes where it was."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from endless_winter.v1 import config_pb2, decision_pb2, game_service_pb2, play_service_pb2
from tests.service.player import Client, pick
from tests.service.wire import OPERATOR, Line

if TYPE_CHECKING:
    from endless_winter.v1 import result_pb2

p = play_service_pb2
g = game_service_pb2
NAME = "survivor"
Key = tuple[str, int]


class Acknowledged(NamedTuple):
    """What the server has said is in the log."""

    game_id: str
    seat: int
    seq: int
    decision_id: int
    text: str


class Survivor:
    """What the client remembers from one server's life to the next."""

    def __init__(self, seats: list[int]) -> None:
        self.games = {f"game-{number}": count for number, count in enumerate(seats)}
        self.results: dict[str, result_pb2.GameResult] = {}
        self.acknowledged: list[Acknowledged] = []
        self._seqs: dict[Key, int] = {}
        self._unanswered: dict[tuple[str, int, str], p.PlayCommand] = {}

    async def create(self, address: str) -> None:
        async with Client(address, NAME) as client:
            for number, (game_id, seats) in enumerate(self.games.items()):
                open_seats = [config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)] * seats
                request = g.CreateGameRequest(
                    config=config_pb2.GameConfig(seats=open_seats),
                    game_id=game_id,
                    seed=bytes([number + 1]) * 32,
                    request_id=game_id,
                )
                await client.games.CreateGame(request, metadata=(*client.metadata, *OPERATOR))
                for seat in range(seats):
                    await client.join(game_id, seat)

    async def live(self, address: str, enough: int = -1) -> bool:
        """Play until all games have ended, or until `enough` choices are acknowledged."""
        async with Client(address, NAME) as client, Line(client) as line:
            for game_id, seats in self.games.items():
                if game_id not in self.results:
                    for seat in range(seats):
                        await self._attach(line, game_id, seat)
            for command in list(self._unanswered.values()):
                await line.send(command)
            while len(self.results) < len(self.games):
                report = await line.next()
                if report.HasField("rejection"):
                    raise AssertionError(f"{report}")
                if report.HasField("accepted"):
                    self._accepted(report)
                    if len(self.acknowledged) == enough:
                        return False
                elif report.HasField("update"):
                    await self._update(line, report)
        return True

    async def _attach(self, line: Line, game_id: str, seat: int) -> None:
        after = self._seqs.get((game_id, seat))
        attach = p.Attach(after_seq=after) if after is not None else p.Attach()
        await line.send(p.PlayCommand(game_id=game_id, seat=seat, attach=attach))
        if after is None:
            await self._send(
                line, p.PlayCommand(request_id="r", game_id=game_id, ready=p.Ready(), seat=seat)
            )

    async def _send(self, line: Line, command: p.PlayCommand) -> None:
        self._unanswered[(command.game_id, command.seat, command.request_id)] = command
        await line.send(command)

    def _accepted(self, report: p.PlayReport) -> None:
        key = (report.game_id, report.seat, report.request_id)
        if key not in self._unanswered:
            return  # the second answer to a command that was sent twice
        command = self._unanswered.pop(key)
        if command.HasField("answer"):
            accepted = report.accepted
            self.acknowledged.append(
                Acknowledged(
                    report.game_id, report.seat, accepted.seq, accepted.decision_id, accepted.text
                )
            )

    async def _update(self, line: Line, report: p.PlayReport) -> None:
        update = report.update
        key = (report.game_id, report.seat)
        assert update.seq >= self._seqs.get(key, 0), "the server forgot something"
        self._seqs[key] = update.seq
        if update.HasField("result"):
            self.results[report.game_id] = update.result
        elif update.HasField("prompt"):
            decision = update.prompt.decision
            answer = decision_pb2.Answer(
                decision_id=decision.decision_id, option_id=pick(decision, 1)
            )
            await self._send(
                line,
                p.PlayCommand(
                    request_id=f"d{decision.decision_id}",
                    game_id=report.game_id,
                    seat=report.seat,
                    answer=answer,
                ),
            )
