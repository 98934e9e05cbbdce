"""The Nomad over the network: played by the server or by a client, it is the same game."""

from __future__ import annotations

import asyncio
import itertools
import os
import random
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from endless_winter.cli.replay import replay
from endless_winter.rules.config import NOMAD_SWITCHES
from endless_winter.rules.nomad.area import area_of
from endless_winter.service import proposals
from endless_winter.service.rewind import SPECTATOR, Eyes, Rewind, new_table
from endless_winter.service.session import Session
from endless_winter.service.table import RUNNING
from endless_winter.service.verifying import POSITIONS, verify
from endless_winter.v1 import (
    clock_pb2,
    config_pb2,
    decision_pb2,
    event_pb2,
    game_pb2,
    game_service_pb2,
    operator_service_pb2,
    operator_service_pb2_grpc,
    play_service_pb2,
    replay_pb2,
    result_pb2,
)
from endless_winter.views import Scribe, config_of
from tests.rules.walk import SOLO
from tests.service.desk import Desk, caller, desk
from tests.service.logs import PACK, WORDS, Playing
from tests.service.player import Client, pick, play_unary
from tests.service.test_kill import log_of
from tests.service.test_secrecy import compare_walks
from tests.service.wire import OPERATOR, refused, served

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from endless_winter.service.refusal import Refusal

g = game_service_pb2
o = operator_service_pb2
p = play_service_pb2
OPEN = config_pb2.SEAT_KIND_OPEN
SERVED = config_pb2.SEAT_KIND_NOMAD
CLIENT = config_pb2.SEAT_KIND_NOMAD_CLIENT
# None, each alone (the second extra card needs the first), and all together.
EACH = [
    (),
    *[(name,) for name in NOMAD_SWITCHES[:-1]],
    ("extra_card", "second_extra_card"),
    NOMAD_SWITCHES,
]
ALL = [
    tuple(itertools.compress(NOMAD_SWITCHES, on))
    for on in itertools.product((0, 1), repeat=len(NOMAD_SWITCHES))
    if on[0] or not on[-1]
]
MODULES = config_pb2.ModuleConfig(glacier_tokens=True, rest_tokens=True)

Course = list[tuple[int, int, str, bytes]]


def kinds_of(nomad: config_pb2.SeatKind.ValueType, seat: int = 1) -> list[Any]:
    return [OPEN, nomad] if seat else [nomad, OPEN]


def difficulty(switches: Sequence[str] = ()) -> config_pb2.NomadConfig:
    return config_pb2.NomadConfig(**dict.fromkeys(switches, True))


# --- the same game both ways ---


def played(number: int, kinds: Sequence[Any], **config: Any) -> Playing:
    """A whole game without a server; the player's choices depend on the game alone."""
    playing = Playing(number, kinds=kinds, **config)
    while playing.table.status == RUNNING:
        game = playing.table.game
        assert game is not None
        seat = playing.table.deciding_seat
        assert not playing.table.seats[seat].served, "a served seat is never asked"
        words = "|".join(game.text(code) for code in game.options())
        own = random.Random(f"{number} {seat} {game.position.round} {words}")
        playing.choose(own.randrange(len(game.options())))
    return playing


def course_of(entries: Sequence[replay_pb2.LogEntry]) -> Course:
    """Every choice and the fingerprint of the position after it."""
    return [
        (entry.choice.seat, entry.choice.option_id, entry.choice.text, entry.position_hash)
        for entry in entries
        if entry.HasField("choice")
    ]


def check_both_ways(number: int, switches: Sequence[str], seat: int) -> None:
    more = {"nomad": difficulty(switches), "modules": MODULES if number % 2 else None}
    by_server = played(number, kinds_of(SERVED, seat), **more).log()
    by_client = played(number, kinds_of(CLIENT, seat), **more).log()
    course = course_of(by_server.entries)
    assert course == course_of(by_client.entries)
    assert sum(who == seat for who, *_ in course) > 50
    for log, origin in (
        (by_server, event_pb2.CHOICE_ORIGIN_SERVER),
        (by_client, event_pb2.CHOICE_ORIGIN_PLAYER),
    ):
        choices = [entry.choice for entry in log.entries if entry.HasField("choice")]
        assert {one.origin for one in choices if one.seat == seat} == {origin}
        assert all(one.option_id == 0 for one in choices if one.seat == seat)
        assert verify(log.record(), PACK).line() == ""
    mine, theirs = by_server.table.result, by_client.table.result
    assert mine is not None
    assert mine == theirs
    assert sorted(one.place for one in mine.seats) == [1, 2]


@pytest.mark.parametrize("switches", EACH, ids="+".join)
def test_the_server_and_a_client_play_the_same_game(switches: tuple[str, ...]) -> None:
    number = EACH.index(switches)
    check_both_ways(number, switches, seat=number % 2)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_the_server_and_a_client_play_the_same_game_whatever_is_switched_on() -> None:
    assert len(ALL) == 96
    for number, switches in enumerate(ALL):
        for seat in (0, 1):
            check_both_ways(1000 + 2 * number + seat, switches, seat)


def test_all_that_the_nomad_does_is_committed_with_what_caused_it() -> None:
    """So no game can stop in the middle of its turn: not by a crash either."""
    playing = Playing(1, kinds=kinds_of(SERVED), nomad=difficulty())
    longest = 0
    while playing.table.status == RUNNING:
        before = len(playing.draft.steps)
        assert playing.table.deciding_seat == 0
        playing.choose()
        longest = max(longest, len(playing.draft.steps) - before)
    assert longest > 5


def test_a_client_can_leave_the_nomads_steps_to_a_standing_answer() -> None:
    playing = Playing(2, kinds=kinds_of(CLIENT), nomad=difficulty())
    answer = decision_pb2.StandingAnswer(kind=decision_pb2.DECISION_KIND_NOMAD)
    proposals.set_standing(playing.draft, 1, [answer])
    while playing.table.status == RUNNING:
        assert playing.table.deciding_seat == 0
        playing.choose()
    assert verify(playing.log().record(), PACK).line() == ""


# --- records ---


def record() -> replay_pb2.ReplayFile:
    return played(3, kinds_of(SERVED), nomad=difficulty()).log().record()


def test_a_record_says_that_the_server_plays_the_nomad_and_nobody_else() -> None:
    file = record()
    (seat,) = [one for one in file.game.seats if one.kind == SERVED]
    assert (seat.taken, seat.ready, seat.display_name) == (True, True, "Nomad")
    for who, origin in (
        (1, event_pb2.CHOICE_ORIGIN_PLAYER),
        (0, event_pb2.CHOICE_ORIGIN_SERVER),
    ):
        wrong = record()
        entry = next(e for e in wrong.entries if e.HasField("choice") and e.choice.seat == who)
        entry.choice.origin = origin
        report = verify(wrong, PACK)
        assert report.wrong[POSITIONS] == (
            entry.seq,
            "the server plays the Nomad's seat, and no other",
        )


def test_a_record_in_which_somebody_takes_the_nomads_seat_is_wrong() -> None:
    wrong = record()
    entry = next(e for e in wrong.entries if e.HasField("ready"))
    entry.ready.seat = 1
    report = verify(wrong, PACK)
    assert "the server plays it" in report.wrong[POSITIONS][1]


def test_a_replay_tells_the_nomads_steps_in_words(tmp_path: Path) -> None:
    path = tmp_path / "solo.ewr"
    path.write_bytes(record().SerializeToString())
    checked = CliRunner().invoke(replay, ["verify", str(path)])
    assert ": verified: " in checked.output
    for eyes in ("open", "spectator", "0", "1"):
        shown = CliRunner().invoke(replay, ["show", str(path), "--eyes", eyes])
        assert shown.exit_code == 0
        lines = shown.output
        assert "the game starts: the Nomad (seat 1), player 0 (seat 0)" in lines
        assert "the Nomad (seat 1) places a tribe figure" in lines
        assert "_id:" not in lines, "every event of it has words"
        assert re.search(r"Nomad card: [A-Z]", lines)
        assert re.search(r"column: [a-z]+\. [A-Z].* names [A-Z].* \(SOL-08\)\.", lines)
        assert re.search(r"^ +[A-Z].* due \(SOL-09\)\.", lines, re.MULTILINE)
        assert re.search(r"Map card: [A-Z].*\. It shows where its Camps start \(SOL-04\)\.", lines)
        assert re.search(r"the Nomad \(seat 1\) [0-9.]+ Labor", lines)


def step_through(file: replay_pb2.ReplayFile, eyes: Eyes) -> list[bytes]:
    """The frames of a replay as somebody sees them."""
    config = file.game.config
    rules = config_of(config, PACK)
    table = new_table(file.game.game_id, config, rules, file.game.seed_reveal.seed)
    rewind = Rewind(table, Scribe(WORDS, rules), eyes)
    frames = []
    for entry in file.entries:
        rewind.step(entry, b"somebody")
        frames.append(rewind.frame(entry))
    return frames


def test_a_replay_through_the_nomads_eyes_shows_no_more_than_a_spectators() -> None:
    file = record()
    for mine, theirs in zip(
        step_through(file, Eyes(seat=1)), step_through(file, SPECTATOR), strict=True
    ):
        nomad = replay_pb2.ReplayFrame.FromString(mine)
        spectator = replay_pb2.ReplayFrame.FromString(theirs)
        assert nomad.view.public_view == spectator.view.public_view
        assert not [
            field for field, _ in nomad.view.private_view.ListFields() if field.name != "seat"
        ]


# --- clocks, undo, forfeits ---


async def solo(at: Desk, nomad: Any = SERVED, **config: Any) -> Session:
    """A solo game whose player is ready; the seat of a client is taken too."""
    wanted = config_pb2.GameConfig(
        seats=[config_pb2.SeatConfig(kind=kind) for kind in kinds_of(nomad)],
        nomad=difficulty(),
        **config,
    )
    session, _ = await at.hall.create(
        caller("host"), g.CreateGameRequest(config=wanted, seed=bytes(32))
    )
    for seat in (0,) if nomad == SERVED else (0, 1):
        await session.take_seat(seat, caller(f"player {seat}").holder, f"player {seat}")
        await session.ready(seat, "")
    return session


async def test_a_served_nomad_has_no_bank_and_its_turns_cost_nobody_time(tmp_path: Path) -> None:
    control = clock_pb2.TimeControl(bank_ms=10_000, increment_per_turn_ms=1000)
    async with desk(tmp_path) as at:
        session = await solo(at, time_control=control)
        while session.table.turns < 3:
            at.time.now += 1
            spent = session.bank_ms(0)
            assert session.bank_ms(1) is None
            await at.answer(session)
            assert session.table.deciding_seat == 0
            bank = session.bank_ms(0)
            assert bank is not None
            assert spent is not None
            assert bank - spent in (0, 1000), "its own time, and an increment for each own turn"


async def test_when_the_players_clock_runs_out_the_nomad_still_takes_its_turns(
    tmp_path: Path,
) -> None:
    control = clock_pb2.TimeControl(decision_limit_ms=1000, timeouts_to_forfeit=100)
    async with desk(tmp_path) as at:
        session = await solo(at, time_control=control)
        while session.table.turns < 4:
            await at.time.advance(1001)
            assert session.table.deciding_seat == 0
        assert session.table.seats[0].timeouts > 0
        assert session.table.seats[1].timeouts == 0


async def test_a_nomad_client_that_is_gone_is_played_on_and_keeps_its_place(
    tmp_path: Path,
) -> None:
    """Its steps are the same whoever takes them, so its points count."""
    control = clock_pb2.TimeControl(decision_limit_ms=1000, timeouts_to_forfeit=2)
    async with desk(tmp_path) as at:
        session = await solo(at, CLIENT, time_control=control)
        while session.table.status == RUNNING:
            if session.table.deciding_seat == 0:
                await at.answer(session)
            else:
                await at.time.advance(1001)
        result = session.table.result
        assert result is not None
        player, nomad = result.seats
        assert nomad.reason == result_pb2.END_REASON_TIME_OUT
        assert nomad.timeouts == 2
        assert (nomad.place < player.place) == (nomad.score > player.score)
        assert nomad.score > player.score, "a player by defaults does not beat it"


async def test_a_player_who_gives_up_loses_to_the_nomad(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await solo(at)
        await session.leave(caller("player 0"), 0)
        result = session.table.result
        assert result is not None
        assert [one.place for one in result.seats] == [2, 1]
        assert result.seats[0].reason == result_pb2.END_REASON_ABANDONED


async def test_spectators_with_a_delay_see_the_nomads_turn_late_and_whole(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await solo(at, spectator_delay_ms=5000)
        late = session.late
        assert late is not None
        while session.table.turns < 2:  # the Nomad has had its first turn
            await at.answer(session)
        await at.time.advance(4999)
        assert late.info().seq < session.table.seq
        await at.time.advance(1)
        assert late.info().seq == session.table.seq


async def test_what_the_nomad_did_cannot_be_taken_back(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        for kind in (SERVED, CLIENT):
            session = await solo(at, kind, undo_allowed=True)
            own = 0
            while session.table.status == RUNNING:
                table = session.table
                if table.deciding_seat == 1:
                    assert not table.can_undo(1)
                    await at.answer(session)
                    assert not session.table.can_undo(0)
                    continue
                own += table.can_undo(0)
                turns = table.turns
                await at.answer(session)
                if session.table.turns != turns:
                    assert not session.table.can_undo(0)
            assert own > 0, "within its own turn the player can"


# --- a planted leak ---


async def test_a_leak_of_the_nomads_deck_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    real = Session._refusal

    def leaky(self: Session, reason: Any, message: str, **more: Any) -> Refusal:
        game = self.table.game
        assert game is not None
        deck = area_of(game.position).deck
        return real(self, reason, f"{message} [{deck[:1]!r}]", **more)

    monkeypatch.setattr(Session, "_refusal", leaky)
    with pytest.raises(AssertionError, match=r"sizes|other bytes"):
        await compare_walks(SOLO[:2], 0.2, served=True)


# --- over real sockets ---


async def created(
    client: Client, nomad: Any, seed: int, **config: Any
) -> tuple[game_pb2.GameInfo, str]:
    """A solo game, and the invitation to the Nomad's seat if there is one."""
    wanted = config_pb2.GameConfig(
        seats=[config_pb2.SeatConfig(kind=kind) for kind in kinds_of(nomad)],
        nomad=difficulty(),
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
    for one_id, two_id in games:
        course = course_of(await log_of(tmp_path, one_id))
        assert course == course_of(await log_of(tmp_path, two_id))
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
    logs = [await log_of(tmp_path, game_id) for game_id in (ids[SERVED], cut)]
    assert course_of(logs[0]) == course_of(logs[1])
    assert all(sum(entry.HasField("restart") for entry in log) == 1 for log in logs)
