"""The Nomad over the network: played by the server or by a client, it is the same game."""

from __future__ import annotations

import asyncio
import itertools
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from endless_winter.v1 import (
    config_pb2,
    game_pb2,
    game_service_pb2,
    operator_service_pb2,
    operator_service_pb2_grpc,
    play_service_pb2,
    replay_pb2,
)
from tests.service.player import Client, pick, play_unary
from tests.service.test_kill import log_of
from tests.service.wire import OPERATOR, refused, served

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


g = game_service_pb2
o = operator_service_pb2
p = play_service_pb2
OPEN = config_pb2.SEAT_KIND_OPEN
SERVED = config_pb2.SEAT_KIND_NOMAD
CLIENT = config_pb2.SEAT_KIND_NOMAD_CLIENT
Course = list[tuple[int, int, str, bytes]]


def course_of(entries: Sequence[replay_pb2.LogEntry]) -> Course:
    """Every choice and the fingerprint of the position after it."""
    return [
        (entry.choice.seat, entry.choice.option_id, entry.choice.text, entry.position_hash)
        for entry in entries
        if entry.HasField("choice")
    ]


# --- over real sockets ---


async def created(
    client: Client, nomad: Any, seed: int, **config: Any
) -> tuple[game_pb2.GameInfo, str]:
    """A solo game, and the invitation to the Nomad's seat if there is one."""
    wanted = config_pb2.GameConfig(
        seats=[config_pb2.SeatConfig(kind=kind) for kind in (OPEN, nomad)],
        nomad=config_pb2.NomadConfig(),
        **config,
    )
    response = await client.games.CreateGame(
        g.CreateGameRequest(config=wanted, seed=bytes([seed]) * 32), metadata=client.metadata
    )
    tokens = [one.token for one in response.invitations]
    assert len(tokens) == (nomad == CLIENT)
    return response.game, "".join(tokens)


def nomad_command(address: str, game_id: str, *words: str) -> subprocess.Popen[str]:
    """``ew bot nomad`` as anybody would run it."""
    command = (sys.executable, "-m", "endless_winter.cli", "bot", "nomad", "--game", game_id)
    return subprocess.Popen(
        [*command, *words],
        env={**os.environ, "EW_SERVER": address},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


async def test_a_nomad_client_plays_over_the_network_what_the_server_would(
    tmp_path: Path,
) -> None:
    games: list[tuple[str, str]] = []
    with served(tmp_path) as server:
        async with Client(server.address, "ann") as ann:
            for seed in (1, 2):
                one, _ = await created(ann, SERVED, seed)
                two, word = await created(ann, CLIENT, seed)
                games.append((one.game_id, two.game_id))
                assert one.seats[1].taken
                assert not two.seats[1].taken
                nomad = nomad_command(
                    server.address, two.game_id, "--invitation", word, "--explain"
                )
                saying = asyncio.create_task(asyncio.to_thread(nomad.communicate))
                for game_id in games[-1]:
                    assert await ann.join(game_id) == 0
                playing = asyncio.gather(
                    *(play_unary(ann, game_id, 0, seed) for game_id in games[-1])
                )
                await asyncio.wait((playing, saying), return_when=asyncio.FIRST_COMPLETED)
                if saying.done():  # without a Nomad we would wait for ever
                    assert nomad.returncode == 0, saying.result()
                results = [last.result for last in await playing]
                said, errors = await saying
                assert nomad.returncode == 0, errors
                assert "Each of its turns begins with a new card (SOL-07)." in said
                assert "the game is over (completed)" in errors
                assert results[0] == results[1]
            solo_games = await ann.games.ListGames(
                g.ListGamesRequest(solo=True), metadata=ann.metadata
            )
            assert {one.game_id for one in solo_games.games} == {*itertools.chain(*games)}
            others = await ann.games.ListGames(
                g.ListGamesRequest(solo=False), metadata=ann.metadata
            )
            assert not others.games
        assert server.stop() == 0
    where = str(tmp_path / "endless-winter.db")
    for one_id, two_id in games:
        course = course_of(log_of(where, one_id))
        assert course == course_of(log_of(where, two_id))
        assert len(course) > 100


async def test_the_nomads_seat_is_for_nobody_else() -> None:
    with served() as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "eve") as eve:
            game, _ = await created(ann, SERVED, 1)
            asked = g.CreateInvitationRequest(game_id=game.game_id, seat=1)
            assert (
                await refused(ann.games.CreateInvitation(asked, metadata=ann.metadata))
            ).reason == "INVALID_ARGUMENT"
            assert (await refused(eve.join(game.game_id, 1))).reason == "SEAT_TAKEN"
            assert (await refused(ann.ready(game.game_id, 1))).reason == "NOT_ALLOWED"
            await ann.join(game.game_id)
            assert (await refused(eve.join(game.game_id))).reason == "SEAT_TAKEN"
            await ann.ready(game.game_id, 0)
            assert (await ann.view(game.game_id, 0)).prompt.decision.seat == 0
            host: Any = operator_service_pb2_grpc.OperatorServiceStub(ann.channel)
            at: dict[str, Any] = {"game_id": game.game_id, "seat": 1}
            for call in (
                host.RevokeSeat(o.RevokeSeatRequest(**at, forfeit=True), metadata=OPERATOR),
                host.RebindSeat(o.RebindSeatRequest(**at), metadata=OPERATOR),
                host.HandSeatToBot(
                    o.HandSeatToBotRequest(**at, bot_name="nomad"), metadata=OPERATOR
                ),
            ):
                assert (await refused(call)).reason == "SEAT_TAKEN"
            other, word = await created(ann, CLIENT, 1)
            assert (await refused(eve.join(other.game_id, 1))).reason == "INVITATION_INVALID"
            asked = g.CreateInvitationRequest(game_id=other.game_id, seat=1)
            renewed = await ann.games.CreateInvitation(asked, metadata=ann.metadata)
            for token, taken in ((word, False), (renewed.invitation.token, True)):
                join = g.JoinGameRequest(game_id=other.game_id, invitation=token)
                call = eve.games.JoinGame(join, metadata=eve.metadata)
                if taken:
                    assert (await call).seat == 1
                else:
                    assert (await refused(call)).reason == "INVITATION_INVALID"


async def step(client: Client, game_id: str, seat: int, most: int) -> int:
    """Answer so many prompts of a seat that is asked; how many there were."""
    done = 0
    while done < most:
        update = await client.view(game_id, seat)
        if not update.HasField("prompt"):
            break
        decision = update.prompt.decision
        await client.submit(
            game_id, seat, decision_id=decision.decision_id, option_id=pick(decision, 5)
        )
        done += 1
    return done


async def test_kill_in_the_middle_of_the_nomads_turn_loses_nothing(tmp_path: Path) -> None:
    """Three steps into a turn of a Nomad client the server dies; so does it between its turns."""
    ids: dict[Any, str] = {}
    cut = ""
    with served(tmp_path) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "nomad") as nomad:
            for kind in (SERVED, CLIENT):
                game, word = await created(ann, kind, 7)
                ids[kind] = game.game_id
                await ann.join(game.game_id)
                if kind == CLIENT:
                    join = g.JoinGameRequest(game_id=game.game_id, invitation=word)
                    await nomad.games.JoinGame(join, metadata=nomad.metadata)
                    await nomad.ready(game.game_id, 1)
                await ann.ready(game.game_id, 0)
            cut = ids[CLIENT]
            await step(ann, cut, 0, 1000)
            await step(nomad, cut, 1, 1000)  # its first turn
            await step(ann, cut, 0, 1000)
            assert await step(nomad, cut, 1, 3) == 3
            before = await nomad.view(cut, 1)
            assert before.HasField("prompt")
            await step(ann, ids[SERVED], 0, 30)
            between = await ann.view(ids[SERVED], 0)
        server.process.kill()
        server.process.wait()
    with served(tmp_path) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "nomad") as nomad:
            after = await nomad.view(cut, 1)
            assert after.prompt.decision == before.prompt.decision
            assert after.public_view == before.public_view
            again = await ann.view(ids[SERVED], 0)
            assert again.prompt.decision == between.prompt.decision
            assert again.public_view == between.public_view
            results = []
            for game_id in (ids[SERVED], cut):
                while not (update := await ann.view(game_id, 0)).HasField("result"):
                    assert await step(ann, game_id, 0, 1000) + (
                        await step(nomad, game_id, 1, 1000) if game_id == cut else 0
                    )
                results.append(update.result)
            assert results[0] == results[1]
        assert server.stop() == 0
    where = str(tmp_path / "endless-winter.db")
    logs = [log_of(where, game_id) for game_id in (ids[SERVED], cut)]
    assert course_of(logs[0]) == course_of(logs[1])
    assert all(sum(entry.HasField("restart") for entry in log) == 1 for log in logs)
