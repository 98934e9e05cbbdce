"""Bots that attach, seats that want them, capacity, and offers that go on to others."""

from __future__ import annotations

import asyncio
import hashlib
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from endless_winter.v1 import (
    arena_pb2,
    arena_service_pb2,
    arena_service_pb2_grpc,
    config_pb2,
)
from endless_winter.v1 import play_service_pb2 as p
from tests.service.bot_process import (
    OPEN_SEAT,
    STANDING,
    BotProcess,
    bot_seat,
    bots,
    seats_of,
    taken,
    wanted,
)
from tests.service.hosting import LOG, OPERATOR, hosted, log_lines, operator, reason_of
from tests.service.player import Client, play_stream, play_unary
from tests.service.wire import Line, name_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

a = arena_service_pb2


async def test_a_seat_asks_for_a_bot_by_name_and_the_two_play(tmp_path: Path) -> None:
    with hosted(tmp_path, *STANDING) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bot") as bot:
            game_id = await wanted(ann, OPEN_SEAT, bot_seat(options="depth=2"))
            other = await BotProcess(bot, "other").welcomed()
            mine = await BotProcess(bot).welcomed()
            offer = await mine.offer()
            assert (offer.game_id, offer.seat, offer.bot_options) == (game_id, 1, "depth=2")
            assert len(offer.config.seats) == 2
            mine.reply(offer)
            bound = await mine.bound()
            assert (bound.offer_id, bound.game_id, bound.seat) == (offer.offer_id, game_id, 1)
            found = await taken(ann, game_id, 1)
            assert found.display_name == "heuristic"
            assert not found.handed_to_bot
            seat = await ann.join(game_id)
            last, _ = await asyncio.gather(
                play_unary(ann, game_id, seat, 1), play_stream(bot, [(game_id, 1)], 1)
            )
            assert last.HasField("result")
            assert [(one.name, one.busy) for one in await bots(ann)] == [
                ("heuristic", 0),
                ("other", 0),
            ]
            for one in (mine, other):
                one.close()
                assert await one.call.read() is grpc.aio.EOF
            assert await bots(ann) == []


async def test_how_long_a_bot_was_asked_is_shown_to_operators_alone(tmp_path: Path) -> None:
    with hosted(tmp_path, *STANDING, "--operator-token", OPERATOR) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bot") as bot:
            mine = await BotProcess(bot).welcomed()
            game_id = await wanted(ann, OPEN_SEAT, bot_seat())
            mine.reply(await mine.offer())
            await taken(ann, game_id, 1)
            host = Client(server.address, "host")
            host.metadata = operator(*host.metadata)
            async with host:
                (before,) = await bots(host)
                assert before.asked_ms == 0
                seat = await ann.join(game_id)
                await asyncio.gather(
                    play_unary(ann, game_id, seat, 1), play_stream(bot, [(game_id, 1)], 1)
                )
                (after,) = await bots(host)
                assert after.asked_ms > 0
                assert await bots(host) == [after]  # the game is over: nothing waits for it
            (seen,) = await bots(ann)
            assert not seen.HasField("asked_ms")
            mine.call.cancel()


async def test_the_offer_of_a_vanished_and_of_a_declining_bot_goes_to_another(
    tmp_path: Path,
) -> None:
    with hosted(tmp_path, *STANDING) as server:
        names = ("ann", "one", "two")
        clients = [Client(server.address, name) for name in names]
        async with clients[0] as ann, clients[1] as one, clients[2] as two:
            first = await BotProcess(one).welcomed()
            game_id = await wanted(ann, OPEN_SEAT, bot_seat())
            await first.offer()
            second = await BotProcess(two).welcomed()
            first.call.cancel()
            offer = await second.offer()
            assert offer.game_id == game_id
            second.reply(offer, accept=False)
            third = await BotProcess(one).welcomed()
            third.reply(await third.offer())
            await taken(ann, game_id, 1)
            for process in (second, third):
                process.call.cancel()


async def test_silent_bots_are_asked_in_turn_until_one_takes_the_seat(tmp_path: Path) -> None:
    """The test may be slow: an offer that it wants to take may have gone, and then comes again."""
    with hosted(tmp_path, "--offer-ms", "500") as server:
        names = ("ann", "one", "two")
        clients = [Client(server.address, name) for name in names]
        async with clients[0] as ann, clients[1] as one, clients[2] as two:
            silent = [await BotProcess(client).welcomed() for client in (one, two)]
            game_id = await wanted(ann, OPEN_SEAT, bot_seat())
            offers = []
            for process in (*silent, *silent):
                offers.append(await process.offer())
                closed = await process.read()
                assert closed.offer_closed.offer_id == offers[-1].offer_id
                assert closed.offer_closed.cause.reason == 23  # TOO_LATE
            assert len({offer.offer_id for offer in offers}) == 4
            first, second = silent
            first.reply(offers[0])
            while (await first.read()).offer_closed.offer_id != offers[0].offer_id:
                pass  # later ones come and go
            taking = asyncio.create_task(second.take_the_next())
            await taken(ann, game_id, 1)
            taking.cancel()
            await asyncio.gather(taking, return_exceptions=True)
            first.call.cancel()


async def test_an_offer_never_goes_beyond_what_a_bot_can_play(tmp_path: Path) -> None:
    with hosted(tmp_path, *STANDING) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bot") as bot:
            able = arena_pb2.BotAbility(seat_counts=[3])
            mine = await BotProcess(bot, capacity=9, ability=able).welcomed()
            await wanted(ann, OPEN_SEAT, bot_seat())
            right = await wanted(ann, OPEN_SEAT, OPEN_SEAT, bot_seat())
            assert (await mine.offer()).game_id == right
            mine.call.cancel()


async def test_a_seat_waits_for_its_bot_over_a_restart(tmp_path: Path) -> None:
    with hosted(tmp_path, *STANDING) as server:
        async with Client(server.address, "ann") as ann:
            game_id = await wanted(ann, OPEN_SEAT, bot_seat())
        assert server.stop() == 0
    with hosted(tmp_path, *STANDING) as server:
        async with Client(server.address, "bot") as bot:
            mine = await BotProcess(bot).welcomed()
            offer = await mine.offer()
            assert offer.game_id == game_id
            mine.reply(offer)
            await taken(bot, game_id, 1)
            mine.call.cancel()
        server.process.kill()
    with hosted(tmp_path, *STANDING) as server:
        async with Client(server.address, "bot") as bot:
            mine = await BotProcess(bot).welcomed()
            (info,) = await bots(bot)
            assert info.busy == 1  # the seat is still its own
            server.process.terminate()
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await aread(mine)
            assert reason_of(error.value)[0] == "DRAINING"
        assert server.process.wait(60) == 0
    assert [line for line in log_lines(tmp_path) if line["level"] == "error"] == []


async def aread(process: BotProcess) -> None:
    """Read to the end, and raise what ended the stream."""
    while await process.call.read() is not grpc.aio.EOF:
        pass
    code = await process.call.code()
    if code != grpc.StatusCode.OK:
        details = await process.call.trailing_metadata()
        raise grpc.aio.AioRpcError(code, grpc.aio.Metadata(), details)


async def test_a_seat_of_a_bot_is_for_bots(tmp_path: Path) -> None:
    with hosted(tmp_path, *STANDING) as server:
        async with Client(server.address, "ann") as ann:
            game_id = await wanted(ann, OPEN_SEAT, bot_seat())
            with pytest.raises(grpc.aio.AioRpcError):
                await ann.join(game_id, 1)


@pytest.mark.parametrize(
    ("first", "reason"),
    [
        ({"capacity": a.CapacityUpdate(capacity=1)}, "HELLO_EXPECTED"),
        ({"hello": a.BotHello(name="", capacity=1)}, "INVALID_ARGUMENT"),
        ({"hello": a.BotHello(name="x" * 41)}, "INVALID_ARGUMENT"),
        ({"hello": a.BotHello(name="x", capacity=2**31)}, "INVALID_ARGUMENT"),
        ({"hello": a.BotHello(name="x", least_revision=99)}, "CONTRACT_UNSUPPORTED"),
    ],
)
async def test_a_wrong_beginning_ends_the_stream_with_its_reason(
    tmp_path: Path, first: dict[str, Any], reason: str
) -> None:
    with hosted(tmp_path, *STANDING) as server:
        async with Client(server.address, "bot") as bot:
            stub = arena_service_pb2_grpc.ArenaServiceStub(bot.channel)

            async def requests() -> AsyncIterator[a.AttachBotRequest]:
                yield a.AttachBotRequest(**first)

            with pytest.raises(grpc.aio.AioRpcError) as error:
                async for _ in stub.AttachBot(requests(), metadata=bot.metadata):
                    pass
            assert reason_of(error.value)[0] == reason
            twice = await BotProcess(bot).welcomed()
            twice.send(hello=a.BotHello(name="heuristic"))
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await aread(twice)
            assert reason_of(error.value)[0] == "HELLO_EXPECTED"


async def refused(bot: BotProcess) -> tuple[grpc.StatusCode, str]:
    """How a bot's stream ended instead of a welcome."""
    with pytest.raises(grpc.aio.AioRpcError) as error:
        await aread(bot)
    return error.value.code(), reason_of(error.value)[0]


async def test_a_reserved_name_is_for_those_with_its_token(tmp_path: Path) -> None:
    flags = [
        f"--reserved-bot={name}:{hashlib.sha256(token.encode()).hexdigest()}"
        for name, token in (("champion", "first"), ("champion", "second"), ("rival", "other"))
    ]
    denied = (grpc.StatusCode.PERMISSION_DENIED, "NOT_ALLOWED")
    with hosted(tmp_path, *flags) as server:
        async with Client(server.address, "thief") as thief, Client(server.address, "bot") as bot:
            for token in ("", "firs", "other", "FIRST", "first\n"):
                assert await refused(BotProcess(thief, "champion", token=token)) == denied
            assert await bots(thief) == []
            # Two tokens of one name, so that one can be replaced while both are good.
            for token in ("first", "second"):
                await BotProcess(bot, "champion", token=token).welcomed()
            await BotProcess(bot, "rival", token="other").welcomed()
            await BotProcess(thief, "nobody", token="whatever").welcomed()
            assert [(one.name, one.instances) for one in await bots(thief)] == [
                ("champion", 2),
                ("nobody", 1),
                ("rival", 1),
            ]
            # A seat of that name goes to nobody else.
            game_id = await wanted(thief, OPEN_SEAT, bot_seat("rival"))
            assert await refused(BotProcess(thief, "rival")) == denied
            assert not (await seats_of(thief, game_id))[1].taken
    said = (tmp_path / LOG).read_text()
    assert "first" not in said
    assert "champion" in said


async def test_a_bot_that_says_too_much_of_itself_is_refused(tmp_path: Path) -> None:
    with hosted(tmp_path) as server:
        async with Client(server.address, "bot") as bot:
            ability = arena_pb2.BotAbility(seat_counts=[2] * 5_000)
            talking = BotProcess(bot, ability=ability)
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await aread(talking)
            assert reason_of(error.value) == ("INVALID_ARGUMENT", {"field": "hello"})


async def attach(client: Client, game_id: str, seat: int) -> p.PlayReport:
    """The reply of a stream to an Attach."""
    async with Line(client) as line:
        command = p.PlayCommand(request_id="a", game_id=game_id, seat=seat, attach=p.Attach())
        await line.send(command)
        return await line.answer_to("a")


async def test_a_closed_game_is_there_as_soon_as_its_seat_is_bound(tmp_path: Path) -> None:
    with hosted(tmp_path, *STANDING) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bot") as bot:
            game_id = await wanted(
                ann, bot_seat(), OPEN_SEAT, visibility=config_pb2.VISIBILITY_CLOSED
            )
            mine = await BotProcess(bot).welcomed()
            offer = await mine.offer()
            early = await attach(bot, game_id, offer.seat)
            assert name_of(early.rejection) == "GAME_NOT_FOUND"
            assert not early.rejection.HasField("retry_after_ms")
            mine.reply(offer)
            bound = await mine.bound()
            assert (bound.offer_id, bound.game_id) == (offer.offer_id, game_id)
            assert bound.HasField("seat")
            assert bound.seat == 0
            assert (await attach(bot, game_id, bound.seat)).HasField("attached")
            mine.call.cancel()
