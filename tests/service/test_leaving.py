"""Leaving and aborting: asked twice it is done once, and who comes after has a fresh start."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.service.games import GameServicer
from endless_winter.service.refusal import Refusal
from endless_winter.service.table import ENDED, OPEN, RUNNING, STARTING
from endless_winter.v1 import (
    config_pb2,
    decision_pb2,
    game_service_pb2,
    replay_pb2,
    result_pb2,
)
from tests.service.desk import caller, config, desk

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.service.identity import Caller
    from endless_winter.service.session import Session
    from tests.service.desk import Desk

g = game_service_pb2
HOST = caller("host")


async def ask(at: Desk, method: Any, request: Any, by: Caller = HOST) -> Any:
    """A unary call, without its way over the network."""
    return await method.__wrapped__(GameServicer(at.hall), request, by)


def ended_of(payloads: list[bytes]) -> replay_pb2.LogEnded:
    (found,) = [
        entry.ended
        for entry in map(replay_pb2.LogEntry.FromString, payloads)
        if entry.HasField("ended")
    ]
    return found


async def test_an_abort_that_is_repeated_is_answered_again(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated()
        game_id = session.table.game_id
        abort = g.AbortGameRequest(game_id=game_id, request_id="a", note="rained off")
        for _ in range(2):
            answer = await ask(at, GameServicer.AbortGame, abort)
            assert answer.game.status == ENDED
        log = [entry.payload for entry in await at.hall.store.read(game_id)]
        assert ended_of(log).note == "rained off"
        with pytest.raises(Refusal, match="ended"):
            await ask(at, GameServicer.AbortGame, g.AbortGameRequest(game_id=game_id))


@pytest.mark.parametrize("note", ["x" * 201, "two\nlines"])
async def test_a_note_that_cannot_be_shown_is_refused(tmp_path: Path, note: str) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated()
        abort = g.AbortGameRequest(game_id=session.table.game_id, note=note)
        with pytest.raises(Refusal) as refused:
            await ask(at, GameServicer.AbortGame, abort)
        assert refused.value.field == "note"
        assert session.table.status == STARTING


async def test_a_creator_who_aborts_while_the_game_starts_is_too_late(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated()
        await session.ready(0, "")
        starting = asyncio.create_task(session.ready(1, ""))
        await asyncio.sleep(0)  # it has entered the gate, and waits for the log
        abort = g.AbortGameRequest(game_id=session.table.game_id)
        with pytest.raises(Refusal, match="only operators may abort"):
            await ask(at, GameServicer.AbortGame, abort)
        await starting
        assert session.table.status == RUNNING


@pytest.mark.parametrize("running", [False, True])
async def test_leaving_that_is_repeated_is_answered_again(tmp_path: Path, *, running: bool) -> None:
    async with desk(tmp_path) as at:
        session = await (at.running() if running else at.seated())
        player = caller("player 1")
        leave = g.LeaveGameRequest(game_id=session.table.game_id, seat=1, request_id="bye")
        for _ in range(2):
            await ask(at, GameServicer.LeaveGame, leave, player)
        assert bool(session.table.seats[1].forfeited) == running
        with pytest.raises(Refusal):  # somebody else's word is not this one's
            await ask(at, GameServicer.LeaveGame, leave, caller("player 2"))


async def test_who_has_left_a_closed_game_may_ask_again_and_nobody_else(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated(visibility=config_pb2.VISIBILITY_CLOSED)
        leave = g.LeaveGameRequest(game_id=session.table.game_id, seat=1, request_id="bye")
        first = await ask(at, GameServicer.LeaveGame, leave, caller("player 1"))
        assert not first.game.seats[1].taken
        again = await ask(at, GameServicer.LeaveGame, leave, caller("player 1"))
        assert not again.HasField("game")
        with pytest.raises(Refusal, match="no such game"):
            await ask(at, GameServicer.LeaveGame, leave, caller("eve"))


async def test_who_has_left_sees_the_game_as_late_as_others_do(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated(spectator_delay_ms=600_000)
        leave = g.LeaveGameRequest(game_id=session.table.game_id, seat=1, request_id="bye")
        await ask(at, GameServicer.LeaveGame, leave, caller("player 1"))
        await session.take_seat(1, caller("player 2").holder, "")
        for seat in range(2):
            await session.ready(seat, "")
        again = await ask(at, GameServicer.LeaveGame, leave, caller("player 1"))
        assert session.table.status == RUNNING
        assert again.game.status == OPEN


async def test_who_has_come_back_can_leave_again_under_the_same_id(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated()
        leave = g.LeaveGameRequest(game_id=session.table.game_id, seat=1, request_id="bye")
        for _ in range(3):
            await ask(at, GameServicer.LeaveGame, leave, caller("player 1"))
            assert not session.table.seats[1].holder
            await session.take_seat(1, caller("player 1").holder, "")


async def test_who_comes_after_is_not_answered_what_another_was(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated()
        await session.ready(1, "ready")
        await session.leave(caller("player 1"), 1)
        await session.take_seat(1, caller("player 2").holder, "")
        await session.ready(1, "ready")
        assert session.table.seats[1].ready
        await session.ready(0, "ready")
        assert session.table.status == RUNNING


def reserved(at: Desk, salt: bytes) -> Any:
    seats = config(2)
    seats.seats[1].kind = config_pb2.SEAT_KIND_RESERVED
    return at.hall.create(HOST, g.CreateGameRequest(config=seats, seed=bytes(32), salt=salt))


async def test_an_invitation_cannot_be_made_from_what_another_game_told(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        salt = bytes(range(32))
        first, _ = await reserved(at, salt)
        second: Session
        second, invitations = await reserved(at, salt)
        await first.abort(result_pb2.GAME_OUTCOME_ABORTED)
        told = first.reveal_of(first.table)
        assert told is not None
        assert told.salt == salt
        word = f"invitation:{second.table.game_id}:1:0".encode()
        forged = hmac.new(told.salt, word, hashlib.blake2b).hexdigest()[:48]
        join = g.JoinGameRequest(game_id=second.table.game_id, seat=1, invitation=forged)
        with pytest.raises(Refusal, match="invitation"):
            await ask(at, GameServicer.JoinGame, join, caller("eve"))
        join.invitation = invitations[0].token
        assert (await ask(at, GameServicer.JoinGame, join, caller("bob"))).seat == 1


async def test_an_invitation_that_is_replaced_while_it_is_used_is_void(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, invitations = await reserved(at, bytes(32))
        game_id = session.table.game_id
        renew = g.CreateInvitationRequest(game_id=game_id, seat=1)
        renewing = asyncio.create_task(ask(at, GameServicer.CreateInvitation, renew))
        await asyncio.sleep(0)
        join = g.JoinGameRequest(game_id=game_id, seat=1, invitation=invitations[0].token)
        with pytest.raises(Refusal, match="fits no seat"):
            await ask(at, GameServicer.JoinGame, join, caller("bob"))
        join.invitation = (await renewing).invitation.token
        assert (await ask(at, GameServicer.JoinGame, join, caller("bob"))).seat == 1


async def test_a_bots_seat_is_no_seat_for_others_and_its_name_one_that_a_bot_can_have(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        seats = config(2)
        seats.seats[1].kind = config_pb2.SEAT_KIND_BOT
        seats.seats[1].bot_name = "bad name!"
        with pytest.raises(Refusal) as refused:
            await at.hall.create(HOST, g.CreateGameRequest(config=seats))
        assert refused.value.field == "config.seats[1].bot_name"
        seats.seats[1].bot_name = "heuristic"
        session, _ = await at.hall.create(HOST, g.CreateGameRequest(config=seats))
        join = g.JoinGameRequest(game_id=session.table.game_id, seat=1)
        with pytest.raises(Refusal, match="for a bot"):
            await ask(at, GameServicer.JoinGame, join, caller("bob"))


async def test_undo_in_a_game_without_it_says_so(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.running()
        table = session.table
        with pytest.raises(Refusal, match="without undo"):
            await session.undo(table.deciding_seat, "", table.decision_id)


async def test_standing_answers_go_with_whoever_gave_them(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated()
        answers = [decision_pb2.StandingAnswer(kind=decision_pb2.DECISION_KIND_GAIN)]
        await session.set_standing(1, "", answers, at.time.now)
        assert session.standing_answers(1) == answers
        await session.leave(caller("player 1"), 1)
        await session.take_seat(1, caller("player 2").holder, "")
        assert session.standing_answers(1) == []


async def test_fields_that_are_not_known_are_not_kept_with_a_game(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        unknown = bytes((0xFA, 0xFF, 0x7F, 100)) + b"x" * 100  # field 262,127: a hundred octets
        wanted = config_pb2.GameConfig.FromString(config(2).SerializeToString() + unknown)
        assert len(wanted.SerializeToString()) > 100
        session, _ = await at.hall.create(HOST, g.CreateGameRequest(config=wanted))
        assert unknown not in session.info().SerializeToString()
        header = await at.hall.store.get_game(session.table.game_id)
        assert header is not None
        assert unknown not in header.config
