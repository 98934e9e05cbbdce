"""The powers of the host: seats revoked, rebound, handed to bots, and seals opened."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

import grpc
import pytest

from endless_winter.v1 import (
    config_pb2,
    game_pb2,
    game_service_pb2,
    operator_service_pb2,
    operator_service_pb2_grpc,
    play_service_pb2,
    result_pb2,
)
from tests.service.bot_process import OPEN_SEAT, BotProcess, bots, seats_of
from tests.service.hosting import OPERATOR, hosted, log_lines, operator, reason_of
from tests.service.player import Client, Stream, pick, play_unary

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable
    from pathlib import Path

o = operator_service_pb2
p = play_service_pb2
TOKEN = ("--operator-token", OPERATOR)


async def reason(call: Awaitable[Any]) -> str:
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await call
    return reason_of(error.value)[0]


class Table:
    """A game of Ann and Bob, with the host beside it."""

    def __init__(self, address: str) -> None:
        self.ann = Client(address, "ann")
        self.bob = Client(address, "bob")
        self.cat = Client(address, "cat")
        self.host: Any = operator_service_pb2_grpc.OperatorServiceStub(self.ann.channel)
        self.game_id = ""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *args: object) -> None:
        for client in (self.ann, self.bob, self.cat):
            await client.channel.close()

    async def started(self, **config: Any) -> Table:
        game = await self.ann.create(2, **config)
        self.game_id = game.game_id
        assert await self.ann.join(self.game_id) == 0
        assert await self.bob.join(self.game_id) == 1
        await self.ann.ready(self.game_id, 0)
        await self.bob.ready(self.game_id, 1)
        return self

    async def call(self, name: str, **request: Any) -> Any:
        message = getattr(o, f"{name}Request")
        if name != "ReleaseReveal":
            request = {"game_id": self.game_id, **request}
        return await getattr(self.host, name)(message(**request), metadata=operator())

    async def take(self, client: Client, seat: int, invitation: str) -> int:
        request = game_service_pb2.JoinGameRequest(
            game_id=self.game_id, seat=seat, invitation=invitation, display_name=client.name
        )
        response = await client.games.JoinGame(request, metadata=client.metadata)
        found: int = response.seat
        return found


async def attached(client: Client, game_id: str, seat: int) -> AsyncIterator[p.PlayReport]:
    """The reports of a stream on which a seat is attached and seen."""
    stream = Stream(client)
    stream.send(p.PlayCommand(game_id=game_id, seat=seat, attach=p.Attach()))
    reports = stream.reports()
    async for report in reports:
        if report.HasField("update"):
            break
    return reports


async def test_a_revoked_seat_is_cut_off_everywhere_and_waits_for_a_successor(
    tmp_path: Path,
) -> None:
    with hosted(tmp_path, *TOKEN) as server:
        async with Table(server.address) as table:
            await table.started()
            ann = table.ann
            reports = await attached(ann, table.game_id, 0)
            watch = aiter(
                ann.play.Watch(p.WatchRequest(game_id=table.game_id, seat=0), metadata=ann.metadata)
            )
            await anext(watch)
            seq = (await ann.view(table.game_id, 0)).seq
            poll = asyncio.create_task(ann.view(table.game_id, 0, after_seq=seq, wait_ms=60_000))
            await asyncio.sleep(0)
            answer = await table.call("RevokeSeat", seat=0, note="asked to")
            assert not answer.game.seats[0].taken
            assert answer.game.status == game_pb2.GAME_STATUS_RUNNING
            cut = await anext(reports)
            assert cut.detached.cause.reason == 10  # SEAT_REVOKED
            assert await reason(anext(watch)) == "SEAT_REVOKED"
            assert await reason(poll) == "SEAT_REVOKED"
            assert await reason(ann.view(table.game_id, 0)) == "SEAT_REVOKED"
            assert await reason(ann.submit(table.game_id, 0, decision_id=1)) == "SEAT_REVOKED"
            # Spectators see what everyone may; nobody takes the seat without an invitation.
            assert (await ann.view(table.game_id)).status == game_pb2.GAME_STATUS_RUNNING
            assert await reason(table.cat.join(table.game_id, 0)) == "GAME_STARTED"
            assert not (await table.bob.view(table.game_id, 1)).HasField("result")


async def test_a_rebound_seat_goes_to_the_holder_of_the_new_invitation_and_play_goes_on(
    tmp_path: Path,
) -> None:
    with hosted(tmp_path, *TOKEN) as server:
        async with Table(server.address) as table:
            await table.started()
            first = await table.call("RebindSeat", seat=0, request_id="r1")
            again = await table.call("RebindSeat", seat=0, request_id="r1")
            assert again.invitation == first.invitation
            assert await reason(table.call("RebindSeat", seat=1, request_id="r1")) == (
                "REQUEST_ID_REUSED"
            )
            newer = await table.call("RebindSeat", seat=0)
            assert newer.invitation != first.invitation
            old = table.take(table.cat, 0, first.invitation.token)
            assert await reason(old) == "INVITATION_INVALID"
            assert await table.take(table.cat, 0, newer.invitation.token) == 0
            assert await table.take(table.cat, 0, newer.invitation.token) == 0  # a retry
            assert await reason(table.take(table.ann, 0, newer.invitation.token)) == "SEAT_TAKEN"
        server.process.kill()
    with hosted(tmp_path, *TOKEN) as server:  # it is all in the log
        async with Table(server.address) as later:
            later.game_id = table.game_id
            assert await reason(later.ann.view(table.game_id, 0)) == "SEAT_REVOKED"
            seats = await seats_of(later.bob, table.game_id)
            assert [seat.display_name for seat in seats] == ["cat", "bob"]
            ends = await asyncio.gather(
                on(later.cat, table.game_id, 0), on(later.bob, table.game_id, 1)
            )
    assert [one.reason for one in ends[0].seats] == [result_pb2.END_REASON_NORMAL] * 2


async def on(client: Client, game_id: str, seat: int) -> result_pb2.GameResult:
    """Play a running game to its end."""
    while True:
        update = await client.view(game_id, seat, wait_ms=30_000, wait_for_prompt=True)
        if update.HasField("result"):
            return update.result
        decision = update.prompt.decision
        await client.submit(
            game_id, seat, decision_id=decision.decision_id, option_id=pick(decision, 7)
        )


async def test_a_seat_revoked_with_forfeit_is_played_by_defaults(tmp_path: Path) -> None:
    with hosted(tmp_path, *TOKEN) as server:
        async with Table(server.address) as table:
            await table.started()
            answer = await table.call("RevokeSeat", seat=0, forfeit=True)
            assert answer.game.seats[0].forfeited == result_pb2.END_REASON_ABANDONED
            for name in ("RevokeSeat", "RebindSeat"):
                assert await reason(table.call(name, seat=0)) == "SEAT_FORFEITED"
            result = await on(table.bob, table.game_id, 1)
            assert [one.place for one in result.seats] == [2, 1]
            assert result.seats[0].reason == result_pb2.END_REASON_ABANDONED
            assert await reason(table.call("RevokeSeat", seat=1)) == "GAME_ENDED"


async def test_before_the_start_a_revoked_client_may_not_come_back_to_the_seat(
    tmp_path: Path,
) -> None:
    with hosted(tmp_path, *TOKEN) as server:
        async with Table(server.address) as table:
            table.game_id = (await table.ann.create(2)).game_id
            await table.ann.join(table.game_id)
            assert await reason(table.call("RevokeSeat", seat=1)) == "INVALID_ARGUMENT"
            await table.call("RevokeSeat", seat=0)
            assert await reason(table.ann.join(table.game_id, 0)) == "SEAT_REVOKED"
            assert await table.cat.join(table.game_id, 0) == 0
            bound = await table.call("RebindSeat", seat=1)
            assert await reason(table.bob.join(table.game_id, 1)) == "INVITATION_INVALID"
            assert await reason(table.bob.join(table.game_id)) == "SEAT_TAKEN"
            assert await table.take(table.ann, 1, bound.invitation.token) == 1


async def test_a_seat_is_handed_to_a_bot_or_stays_where_it_is(tmp_path: Path) -> None:
    with hosted(tmp_path, *TOKEN, "--offer-ms", "60000") as server:
        async with Table(server.address) as table:
            await table.started()
            request = {"seat": 0, "bot_name": "heuristic", "bot_options": "x", "request_id": "h"}
            assert await reason(table.call("HandSeatToBot", **request)) == "BOT_UNAVAILABLE"
            with pytest.raises(grpc.aio.AioRpcError) as refusal:
                await table.call("HandSeatToBot", **request)
            assert reason_of(refusal.value)[1]["retry_after_ms"] == "1000"
            assert (await table.ann.view(table.game_id, 0)).status == game_pb2.GAME_STATUS_RUNNING
            async with Client(server.address, "bot") as client:
                bot = await BotProcess(client, capacity=1).welcomed()
                handing = asyncio.ensure_future(table.call("HandSeatToBot", **request))
                bot.reply(await bot.offer(), accept=False)
                assert await reason(handing) == "BOT_UNAVAILABLE"
                bot.send(capacity=bot_capacity(1))
                handing = asyncio.ensure_future(table.call("HandSeatToBot", **request))
                offer = await bot.offer()
                assert (offer.game_id, offer.seat, offer.bot_options) == (table.game_id, 0, "x")
                bot.reply(offer)
                bound = await bot.bound()
                assert (bound.offer_id, bound.game_id) == (offer.offer_id, table.game_id)
                answer = await handing
                assert answer.game.seats[0].handed_to_bot
                assert answer.game.seats[0].display_name == "heuristic"
                again = await table.call("HandSeatToBot", **request)  # a retry asks no bot
                assert again.game.seats[0].handed_to_bot
                assert await reason(table.ann.view(table.game_id, 0)) == "SEAT_REVOKED"
                ends = await asyncio.gather(
                    on(client, table.game_id, 0), on(table.bob, table.game_id, 1)
                )
                assert ends[0] == ends[1]
                bot.call.cancel()


async def test_a_seat_that_was_handed_to_a_bot_counts_after_a_restart(tmp_path: Path) -> None:
    """As soon as the bot is there: nobody has asked for the game itself yet."""
    with hosted(tmp_path, *TOKEN, "--offer-ms", "60000") as server:
        async with Table(server.address) as table:
            await table.started()
            async with Client(server.address, "bot") as client:
                bot = await BotProcess(client, capacity=2).welcomed()
                handing = asyncio.ensure_future(
                    table.call("HandSeatToBot", seat=0, bot_name="heuristic")
                )
                bot.reply(await bot.offer())
                await handing
        server.process.kill()
    with hosted(tmp_path, *TOKEN, "--offer-ms", "60000") as server:
        async with Client(server.address, "bot") as client:
            await BotProcess(client, capacity=2).welcomed()
            assert [(one.capacity, one.busy) for one in await bots(client)] == [(2, 1)]


def bot_capacity(number: int) -> Any:
    from endless_winter.v1 import arena_service_pb2

    return arena_service_pb2.CapacityUpdate(capacity=number)


async def test_a_held_seal_opens_only_by_an_operator(tmp_path: Path) -> None:
    with hosted(tmp_path, *TOKEN) as server:
        async with Table(server.address) as table:
            game = await table.ann.create(2, hold_reveal=True)
            table.game_id = game.game_id
            await table.ann.join(table.game_id)
            await table.bob.join(table.game_id)
            early = table.call("ReleaseReveal", game_ids=[table.game_id])
            assert await reason(early) == "NOT_REVEALED_YET"
            last, _ = await asyncio.gather(
                play_unary(table.ann, table.game_id, 0, 1),
                play_unary(table.bob, table.game_id, 1, 1),
            )
            assert not last.HasField("seed_reveal")
            answer = await table.call("ReleaseReveal", game_ids=[table.game_id])
            assert answer.games[0].seed_reveal.seed == bytes(32)
            again = await table.call("ReleaseReveal", game_ids=[table.game_id])
            assert again == answer
        server.process.kill()
    with hosted(tmp_path, *TOKEN) as server:
        async with Client(server.address, "ann") as ann:
            found = await ann.games.GetGame(
                game_service_pb2.GetGameRequest(game_id=table.game_id), metadata=ann.metadata
            )
            assert found.game.seed_reveal.seed == bytes(32)


@pytest.mark.parametrize("token", [None, OPERATOR[:-1], OPERATOR + "x", OPERATOR.upper(), "x"])
async def test_without_the_token_nothing_happens(tmp_path: Path, token: str | None) -> None:
    with hosted(tmp_path, *TOKEN) as server:
        async with Table(server.address) as table:
            await table.started()
            before = await table.ann.view(table.game_id, 0)
            metadata = table.ann.metadata  # even the creator and holder may not
            if token is not None:
                metadata = (*metadata, ("ew-operator-token", token))
            seat: dict[str, Any] = {"game_id": table.game_id, "seat": 0}
            calls = {
                "RevokeSeat": o.RevokeSeatRequest(**seat),
                "RebindSeat": o.RebindSeatRequest(**seat),
                "HandSeatToBot": o.HandSeatToBotRequest(**seat, bot_name="x"),
                "ReleaseReveal": o.ReleaseRevealRequest(game_ids=[table.game_id]),
            }
            for name, request in calls.items():
                assert await reason(getattr(table.host, name)(request, metadata=metadata)) == (
                    "NOT_ALLOWED"
                )
            assert (await table.ann.view(table.game_id, 0)).seq == before.seq


async def test_what_does_not_exist_or_has_no_form_is_refused(tmp_path: Path) -> None:
    with hosted(tmp_path, *TOKEN) as server:
        async with Table(server.address) as table:
            await table.started()
            assert await reason(table.call("RevokeSeat", seat=7)) == "SEAT_NOT_FOUND"
            assert await reason(table.call("RebindSeat", seat=0, note="x" * 201)) == (
                "INVALID_ARGUMENT"
            )
            assert await reason(table.call("HandSeatToBot", seat=0, bot_name="")) == (
                "INVALID_ARGUMENT"
            )
            table.game_id = "none"
            assert await reason(table.call("RevokeSeat", seat=0)) == "GAME_NOT_FOUND"
            assert await reason(table.call("ReleaseReveal", game_ids=["none"])) == (
                "GAME_NOT_FOUND"
            )


async def test_what_operators_do_is_logged_without_their_token(tmp_path: Path) -> None:
    with hosted(tmp_path, *TOKEN) as server:
        async with Table(server.address) as table:
            await table.started()
            bound = await table.call("RebindSeat", seat=1)
        assert server.stop() == 0
    (line,) = [line for line in log_lines(tmp_path) if "rebound" in line["event"]]
    assert line["game"] == table.game_id
    assert line["seat"] == 1
    text = (tmp_path / "serve.log").read_text()
    assert OPERATOR not in text
    assert bound.invitation.token not in text


async def test_a_client_that_left_before_the_start_sees_no_more_of_the_seat(
    tmp_path: Path,
) -> None:
    with hosted(tmp_path, *TOKEN) as server:
        async with Table(server.address) as table:
            config = config_pb2.GameConfig(seats=[OPEN_SEAT] * 2)
            request = game_service_pb2.CreateGameRequest(config=config)
            made = await table.ann.games.CreateGame(request, metadata=table.ann.metadata)
            game_id = made.game.game_id
            await table.ann.join(game_id)
            reports = await attached(table.ann, game_id, 0)
            leave = game_service_pb2.LeaveGameRequest(game_id=game_id, seat=0)
            await table.ann.games.LeaveGame(leave, metadata=table.ann.metadata)
            assert (await anext(reports)).detached.cause.reason == 4  # NOT_ALLOWED


async def test_a_choice_that_waits_behind_a_revocation_is_not_made(tmp_path: Path) -> None:
    """Sent together, so that some choices wait for the log when the seat is taken away."""
    with hosted(tmp_path, *TOKEN) as server:
        async with Table(server.address) as table:
            await table.started()
            for number in range(8):
                update = await table.ann.view(table.game_id, 0)
                mover = table.ann if update.HasField("prompt") else table.bob
                seat = 0 if mover is table.ann else 1
                decision = (await mover.view(table.game_id, seat)).prompt.decision
                first = asyncio.ensure_future(table.call("RebindSeat", seat=seat))
                second = asyncio.ensure_future(
                    mover.submit(table.game_id, seat, decision_id=decision.decision_id, option_id=0)
                )
                both: Any = await asyncio.gather(first, second, return_exceptions=True)
                bound, choice = both
                now = (await mover.view(table.game_id)).seq
                if isinstance(choice, grpc.aio.AioRpcError):
                    assert reason_of(choice)[0] == "SEAT_REVOKED", number
                else:  # it came first: the revocation is the entry after all that followed
                    assert choice.seq < now
                assert await table.take(mover, seat, bound.invitation.token) == seat


async def test_a_creator_does_not_learn_whom_an_operator_invites(tmp_path: Path) -> None:
    with hosted(tmp_path, *TOKEN) as server:
        async with Table(server.address) as table:
            reserved = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_RESERVED)
            request = game_service_pb2.CreateGameRequest(
                config=config_pb2.GameConfig(seats=[OPEN_SEAT, reserved]), request_id="c"
            )
            ann = table.ann
            made = await ann.games.CreateGame(request, metadata=ann.metadata)
            table.game_id = made.game.game_id
            bound = await table.call("RebindSeat", seat=1)
            again = await ann.games.CreateGame(request, metadata=ann.metadata)
            assert again.invitations == made.invitations  # the first, which is worth nothing now
            assert bound.invitation not in again.invitations
            invite = game_service_pb2.CreateInvitationRequest(game_id=table.game_id, seat=1)
            asking = ann.games.CreateInvitation(invite, metadata=ann.metadata)
            assert await reason(asking) == "NOT_ALLOWED"
            first = made.invitations[0].token
            assert await reason(table.take(ann, 1, first)) == "INVITATION_INVALID"
            assert await table.take(table.bob, 1, bound.invitation.token) == 1
