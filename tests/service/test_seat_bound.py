"""A bot attaches a seat when it is told that the seat is its own: never too early, never lost."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from endless_winter.service.arena import Bot
from endless_winter.store import StoreError
from endless_winter.v1 import arena_service_pb2, config_pb2, game_service_pb2, play_service_pb2
from endless_winter.v1 import rejection_pb2 as r
from tests.service.desk import caller, desk
from tests.service.hosting import hosted
from tests.service.player import Client
from tests.service.test_arena import OPEN_SEAT, STANDING, BotProcess, bot_seat, wanted
from tests.service.wire import Line, name_of

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from endless_winter.service.session import Session
    from tests.service.desk import Desk

a, p = arena_service_pb2, play_service_pb2
CLOSED = config_pb2.VISIBILITY_CLOSED


async def attach(client: Client, game_id: str, seat: int) -> p.PlayReport:
    """What a stream hears to an Attach."""
    async with Line(client) as line:
        command = p.PlayCommand(request_id="a", game_id=game_id, seat=seat, attach=p.Attach())
        await line.send(command)
        return await line.answer_to("a")


async def test_a_closed_game_is_there_as_soon_as_its_seat_is_bound(tmp_path: Path) -> None:
    with hosted(tmp_path, *STANDING) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bot") as bot:
            game_id = await wanted(ann, bot_seat(), OPEN_SEAT, visibility=CLOSED)
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


class Held:
    """A store whose commits wait until the test lets them go."""

    def __init__(self, at: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        self._append = at.hall.store.append_soon
        self._waiting: list[tuple[Any, ...]] = []
        self.asked = asyncio.Event()
        monkeypatch.setattr(at.hall.store, "append_soon", self._hold)

    def _hold(self, *given: Any) -> None:
        self._waiting.append(given)
        self.asked.set()

    def let_go(self) -> None:
        for given in self._waiting:
            self._append(*given)

    def fail(self, error: Exception) -> None:
        for given in self._waiting:
            asyncio.get_running_loop().call_soon(given[-1], error)


async def accepted(at: Desk, monkeypatch: pytest.MonkeyPatch) -> tuple[Session, Bot, Held, str]:
    """A bot that has taken a seat, whose binding is on its way to the disk."""
    request = game_service_pb2.CreateGameRequest(
        config=config_pb2.GameConfig(seats=[bot_seat("mine"), OPEN_SEAT])
    )
    session, _ = await at.hall.create(caller("host"), request)
    bot = attached(at)
    held = Held(at, monkeypatch)
    offer = (await next_of(bot)).seat_offer
    at.hall.arena.reply(bot, a.OfferReply(offer_id=offer.offer_id, accept=True))
    await held.asked.wait()
    return session, bot, held, offer.offer_id


def attached(at: Desk) -> Bot:
    """A new stream of the bot."""
    bot = Bot(a.BotHello(name="mine", capacity=5), caller("bot").holder)
    at.hall.arena.attach(bot)
    return bot


async def next_of(bot: Bot) -> a.AttachBotResponse:
    async with asyncio.timeout(60):
        return await anext(bot.messages())


async def test_nothing_is_told_before_the_seat_is_in_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:
        session, bot, held, offer_id = await accepted(at, monkeypatch)
        told = asyncio.create_task(next_of(bot))
        for _ in range(20):
            await asyncio.sleep(0)
        assert not told.done()
        assert not session.table.seats[0].holder
        held.let_go()
        bound = (await told).seat_bound
        assert (bound.offer_id, bound.game_id) == (offer_id, session.table.game_id)
        assert session.table.seats[0].holder == bot.holder


async def test_a_bot_whose_stream_broke_hears_on_the_next_one_that_the_seat_is_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has asked for its seats already, and this one was not among them."""
    async with desk(tmp_path) as at:
        session, bot, held, offer_id = await accepted(at, monkeypatch)
        at.hall.arena.detach(bot)
        again = attached(at)
        held.let_go()
        bound = (await next_of(again)).seat_bound
        assert (bound.offer_id, bound.game_id) == (offer_id, session.table.game_id)


async def test_a_bot_whose_old_stream_died_unnoticed_hears_on_the_new_one_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:
        beside = attached(at)  # another process of the same bot: it was there before
        at.hall.arena.resize(beside, 0)
        _, bot, held, offer_id = await accepted(at, monkeypatch)
        again = attached(at)
        held.let_go()
        for one in (bot, again):
            assert (await next_of(one)).seat_bound.offer_id == offer_id
        beside.finish()
        assert [told async for told in beside.messages()] == []


async def test_a_seat_that_could_not_be_bound_is_told_as_closed_and_offered_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:
        _, bot, held, offer_id = await accepted(at, monkeypatch)
        held.fail(StoreError("no room"))
        closed = (await next_of(bot)).offer_closed
        assert closed.offer_id == offer_id
        assert closed.cause.reason == r.REJECTION_REASON_STORE_UNAVAILABLE
        await at.time.advance(10_000)
        assert (await next_of(bot)).HasField("seat_offer")
