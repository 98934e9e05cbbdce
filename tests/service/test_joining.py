"""Joining: the same answer to the same request, one seat for one invitation, and who may come."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.service import committing, proposals
from endless_winter.service.asked import Asked
from endless_winter.service.games import GameServicer
from endless_winter.service.operators import OperatorServicer
from endless_winter.service.refusal import Refusal
from endless_winter.v1 import config_pb2, game_service_pb2
from endless_winter.v1 import operator_service_pb2 as o
from tests.service.desk import Context, caller, config, desk

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.service.identity import Caller
    from endless_winter.service.session import Session
    from tests.service.desk import Desk

g = game_service_pb2
HOST = caller("host")
ANN, BOB = caller("ann"), caller("bob")
OPERATOR = caller("operator")._replace(operator=True)
OPEN = config_pb2.SEAT_KIND_OPEN
RESERVED = config_pb2.SEAT_KIND_RESERVED
CLOSED = config_pb2.VISIBILITY_CLOSED


async def ask(at: Desk, method: Any, request: Any, by: Caller) -> Any:
    """A unary call, without its way over the network."""
    servicer = OperatorServicer if hasattr(OperatorServicer, method.__name__) else GameServicer
    return await method.__wrapped__(servicer(at.hall), request, by)


async def reason(at: Desk, method: Any, request: Any, by: Caller) -> str:
    with pytest.raises(Refusal) as refused:
        await ask(at, method, request, by)
    return refused.value.name


async def created(at: Desk, *kinds: Any, **more: Any) -> tuple[Session, list[str]]:
    """A game with these seats, and the words for those that take one."""
    wanted = config(len(kinds), **more)
    for seat, kind in zip(wanted.seats, kinds, strict=True):
        seat.kind = kind
    session, invitations = await at.hall.create(HOST, g.CreateGameRequest(config=wanted))
    return session, [one.token for one in invitations]


async def join(at: Desk, session: Session, by: Caller, **more: Any) -> int:
    request = g.JoinGameRequest(game_id=session.table.game_id, **more)
    found: int = (await ask(at, GameServicer.JoinGame, request, by)).seat
    return found


async def not_joined(at: Desk, session: Session, by: Caller, **more: Any) -> str:
    request = g.JoinGameRequest(game_id=session.table.game_id, **more)
    return await reason(at, GameServicer.JoinGame, request, by)


async def revoke(at: Desk, session: Session, seat: int) -> None:
    request = o.RevokeSeatRequest(game_id=session.table.game_id, seat=seat)
    await ask(at, OperatorServicer.RevokeSeat, request, OPERATOR)


# --- the request id ---


async def test_a_join_that_is_repeated_is_told_the_seat_of_the_first_time(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, _ = await created(at, OPEN, OPEN, OPEN)
        await join(at, session, ANN, seat=2)
        assert await join(at, session, ANN, request_id="j", seat=1) == 1
        assert await join(at, session, BOB, request_id="j") == 0  # its own id
        seq = session.table.seq
        for by, more in ((ANN, {"seat": 1}), (BOB, {})):
            assert await join(at, session, by, request_id="j", **more) == (1 if more else 0)
        assert session.table.seq == seq
        for other in ({"seat": 0}, {"seat": 1, "display_name": "Ann"}, {}):
            assert await not_joined(at, session, ANN, request_id="j", **other) == (
                "REQUEST_ID_REUSED"
            )
    async with desk(tmp_path) as at:
        session = await at.hall.find(session.table.game_id, HOST)
        assert await join(at, session, ANN, request_id="j", seat=1) == 1
        assert await not_joined(at, session, ANN, request_id="j", seat=2) == "REQUEST_ID_REUSED"
        assert session.table.seq == seq


async def test_a_join_that_changes_nothing_is_remembered_too(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, _ = await created(at, OPEN, OPEN)
        await join(at, session, ANN, seat=1)
        seq = session.table.seq
        assert await join(at, session, ANN, request_id="j") == 1
        assert await not_joined(at, session, ANN, request_id="j", seat=0) == "REQUEST_ID_REUSED"
        await join(at, session, ANN, seat=0)
        assert await join(at, session, ANN, request_id="j") == 1
        assert session.table.seq == seq + 1


async def test_a_late_retry_does_not_bring_anybody_back_to_a_seat(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, _ = await created(at, OPEN, OPEN)
        await join(at, session, ANN, request_id="j", seat=1)
        await session.leave(ANN, 1)
        assert await join(at, session, ANN, request_id="j", seat=1) == 1
        assert not session.table.seats[1].holder
        assert await join(at, session, ANN, request_id="k", seat=1) == 1
        assert session.table.seats[1].holder


async def test_a_closed_game_answers_a_retry_of_who_has_left_it_and_nobody_else(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        session, words = await created(at, RESERVED, RESERVED, visibility=CLOSED)
        wanted = g.JoinGameRequest(
            game_id=session.table.game_id, request_id="j", invitation=words[1]
        )
        first = await ask(at, GameServicer.JoinGame, wanted, ANN)
        assert (first.seat, first.game.seats[1].taken) == (1, True)
        await session.leave(ANN, 1)
        again = await ask(at, GameServicer.JoinGame, wanted, ANN)
        assert (again.seat, again.HasField("game")) == (1, False)
        assert await reason(at, GameServicer.JoinGame, wanted, BOB) == "GAME_NOT_FOUND"
        wanted.display_name = "Ann"
        assert await reason(at, GameServicer.JoinGame, wanted, ANN) == "REQUEST_ID_REUSED"


async def test_who_says_ready_twice_is_told_the_same_under_each_id(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await at.seated(3)
        first = await session.ready(0, "one")
        await session.ready(1, "")
        second = await session.ready(0, "two")
        assert first != second
        await session.ready(2, "")  # the game starts
        assert await session.ready(0, "one") == first
        assert await session.ready(0, "two") == second
        with pytest.raises(Refusal) as refused:
            await session.set_standing(0, "two", [], at.time.now)
        assert refused.value.name == "REQUEST_ID_REUSED"
        seq = session.table.seq
    async with desk(tmp_path) as at:
        session = await at.hall.find(session.table.game_id, HOST)
        assert await session.ready(0, "two") == second
        assert session.table.seq == seq


# --- invitations ---


async def test_an_invitation_binds_its_seat_to_who_holds_another(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, words = await created(at, OPEN, RESERVED, RESERVED)
        assert await join(at, session, ANN) == 0
        for _ in range(2):  # and gives the same seat again
            assert await join(at, session, ANN, invitation=words[0]) == 1
            assert await join(at, session, ANN, invitation=words[1], seat=2) == 2
        assert [seat.holder for seat in session.table.seats] == [ANN.holder] * 3
        assert await join(at, session, ANN) == 0
        assert await not_joined(at, session, BOB, invitation=words[0]) == "SEAT_TAKEN"


async def test_a_wrong_invitation_is_told_so_to_who_holds_a_seat(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, words = await created(at, OPEN, RESERVED)
        await join(at, session, ANN, seat=0)
        assert await not_joined(at, session, ANN, invitation="x") == "INVITATION_INVALID"
        assert await join(at, session, ANN, seat=0, invitation=words[0]) == 0  # it says which
        assert not session.table.seats[1].holder


async def test_each_request_for_an_invitation_is_told_its_own_word_again(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, words = await created(at, OPEN, RESERVED)
        game_id = session.table.game_id
        made = [words[0]]
        for number in range(3):
            invite = g.CreateInvitationRequest(game_id=game_id, seat=1, request_id=f"i{number}")
            answer = await ask(at, GameServicer.CreateInvitation, invite, HOST)
            made.append(answer.invitation.token)
        assert len(set(made)) == 4
        rebind = o.RebindSeatRequest(game_id=game_id, seat=1, request_id="r0")
        answer = await ask(at, OperatorServicer.RebindSeat, rebind, OPERATOR)
        made.append(answer.invitation.token)
        rebind.request_id = "r1"
        answer = await ask(at, OperatorServicer.RebindSeat, rebind, OPERATOR)
        made.append(answer.invitation.token)
    async with desk(tmp_path) as at:
        session = await at.hall.find(game_id, HOST)
        for word in made[:-1]:
            assert await not_joined(at, session, ANN, invitation=word) == "INVITATION_INVALID"
        for number in range(3):
            invite.request_id = f"i{number}"
            answer = await ask(at, GameServicer.CreateInvitation, invite, HOST)
            assert answer.invitation.token == made[1 + number]
        assert await join(at, session, ANN, invitation=made[-1]) == 1
        for number in range(2):  # also when it has been used
            rebind.request_id = f"r{number}"
            answer = await ask(at, OperatorServicer.RebindSeat, rebind, OPERATOR)
            assert answer.invitation.token == made[4 + number]


async def test_a_repeated_creation_is_told_the_words_of_the_first_time(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        wanted = config(2)
        wanted.seats[1].kind = RESERVED
        request = g.CreateGameRequest(config=wanted, request_id="c")
        first = await ask(at, GameServicer.CreateGame, request, HOST)
        invite = g.CreateInvitationRequest(game_id=first.game.game_id, seat=1)
        newer = await ask(at, GameServicer.CreateInvitation, invite, HOST)
        again = await ask(at, GameServicer.CreateGame, request, HOST)
        assert again.invitations == first.invitations
        assert newer.invitation not in again.invitations


async def test_nobody_is_told_the_word_that_somebody_else_made_under_the_same_id(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        session, _ = await created(at, OPEN, RESERVED)
        invite = g.CreateInvitationRequest(
            game_id=session.table.game_id, seat=1, request_id="the same"
        )
        made = [
            (await ask(at, GameServicer.CreateInvitation, invite, by)).invitation.token
            for by in (OPERATOR, HOST, OPERATOR, HOST)
        ]
        assert made[:2] == made[2:]
        assert made[0] != made[1]


def octets_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


async def test_the_store_keeps_no_word(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, words = await created(at, OPEN, RESERVED)
        invite = g.CreateInvitationRequest(game_id=session.table.game_id, seat=1, request_id="i")
        answer = await ask(at, GameServicer.CreateInvitation, invite, HOST)
        words.append(answer.invitation.token)
        await join(at, session, ANN, request_id="j", invitation=words[-1])
    kept = octets_in(tmp_path)
    assert session.table.game_id.encode() in kept
    assert not [word for word in words if word.encode() in kept]


async def test_an_invitation_of_an_earlier_version_is_not_told_as_another_word(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        session, _ = await created(at, OPEN, RESERVED)
        rebind = o.RebindSeatRequest(game_id=session.table.game_id, seat=1, request_id="r")
        # As it was kept then: the number of the entry, and nothing of the word.
        await session.amend(
            Asked(255, "r", b"rebind", rebind), lambda draft: proposals.free_seat(draft, 1)
        )
        assert await reason(at, OperatorServicer.RebindSeat, rebind, OPERATOR) == (
            "INVITATION_INVALID"
        )


# --- who was revoked ---


async def test_who_was_revoked_from_a_seat_gets_another_that_is_free(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session, _ = await created(at, OPEN, OPEN)
        assert await join(at, session, ANN) == 0
        await revoke(at, session, 0)
        assert await not_joined(at, session, ANN, seat=0) == "SEAT_REVOKED"
        assert await join(at, session, ANN) == 1
        await revoke(at, session, 1)
        assert await not_joined(at, session, ANN) == "SEAT_REVOKED"
        for seat in range(2):
            assert await join(at, session, BOB, seat=seat) == seat
        assert await not_joined(at, session, ANN) == "SEAT_TAKEN"


async def test_requests_that_change_nothing_do_not_fill_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(committing, "MOST_REMEMBERED", 5)
    async with desk(tmp_path) as at:
        session = await at.running()
        games = GameServicer(at.hall)
        context: Any = Context("player 0")
        for number in range(20):
            again = game_service_pb2.JoinGameRequest(
                game_id=session.table.game_id, seat=0, request_id=f"again {number}"
            )
            assert (await games.JoinGame(again, context)).seat == 0
    with closing(sqlite3.connect(tmp_path / "games.db")) as connection:
        assert connection.execute("SELECT count(*) FROM requests").fetchone() == (5,)
        assert connection.execute("SELECT count(*) FROM moments").fetchone() == (0,)
