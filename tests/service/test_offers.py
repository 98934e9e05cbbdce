"""How often a seat is offered to a bot that cannot have it, on a clock that the test turns."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.service import arena, proposals
from endless_winter.service.arena import REST_MS, Bot
from endless_winter.store import StoreError
from endless_winter.v1 import arena_service_pb2, config_pb2, game_service_pb2, result_pb2
from tests.service.desk import caller, desk, settled

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.service.session import Session
    from tests.service.desk import Desk

a = arena_service_pb2
ROUNDS = 20  # so often a test looks for offers: enough to see that they do not stop


@pytest.fixture(autouse=True)
def _however_busy_the_machine_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who needs long to look at the seats waits, on a clock that no test turns."""
    monkeypatch.setattr(arena, "LONG", 3_600.0)


def seat(kind: config_pb2.SeatKind.ValueType, name: str = "") -> config_pb2.SeatConfig:
    return config_pb2.SeatConfig(kind=kind, bot_name=name)


async def wanting(at: Desk) -> Session:
    """A game whose seat 0 wants a bot."""
    seats = [seat(config_pb2.SEAT_KIND_BOT, "mine"), seat(config_pb2.SEAT_KIND_OPEN)]
    request = game_service_pb2.CreateGameRequest(config=config_pb2.GameConfig(seats=seats))
    session, _ = await at.hall.create(caller("host"), request)
    return session


def attached(at: Desk, secret: str = "bot") -> Bot:
    bot = Bot(a.BotHello(name="mine", capacity=5), caller(secret).holder)
    at.hall.arena.attach(bot)
    return bot


async def takes(at: Desk, *bots: Bot) -> int:
    """The bots take whatever they are offered, for some rounds; how many offers that were."""
    count = 0
    for _ in range(ROUNDS):
        for _ in range(3):
            await asyncio.sleep(0)  # the arena offers in a turn of its own
        for bot in bots:
            for offer in tuple(bot.offers.values()):
                if not offer.accepted:
                    count += 1
                    reply = a.OfferReply(offer_id=offer.offer_id, accept=True)
                    at.hall.arena.reply(bot, reply)
        await settled()
    return count


def full(*given: Any) -> None:
    """A store's `append_soon` on a full disk."""
    asyncio.get_running_loop().call_soon(given[-1], StoreError("no room"))


async def test_a_seat_is_not_offered_to_a_bot_that_an_operator_took_it_from(
    tmp_path: Path,
) -> None:
    async with desk(tmp_path) as at:
        session = await wanting(at)
        bot = attached(at)
        assert await takes(at, bot) == 1
        assert session.table.seats[0].holder == bot.holder
        await session.amend(None, lambda draft: proposals.free_seat(draft, 0, "revoked"))
        assert await takes(at, bot) == 0
        # It does not help to come back, or to have room for more.
        at.hall.arena.detach(bot)
        again = attached(at)
        at.hall.arena.resize(again, 9)
        assert await takes(at, again) == 0
        await at.time.advance(10 * REST_MS)
        assert await takes(at, again) == 0
        assert not session.table.seats[0].holder
        # Another takes it at once.
        other = attached(at, "other")
        assert await takes(at, again, other) == 1
        assert session.table.seats[0].holder == other.holder


async def test_an_operator_can_give_a_seat_back_to_the_bot_that_lost_it(tmp_path: Path) -> None:
    async with desk(tmp_path) as at:
        session = await wanting(at)
        bot = attached(at)
        await takes(at, bot)
        await session.amend(None, lambda draft: proposals.free_seat(draft, 0, "revoked"))

        async def bind(found: Bot) -> None:
            await session.amend(
                None, lambda draft: proposals.take_seat(draft, 0, found.holder, "", bot=True)
            )

        handing = asyncio.create_task(at.hall.arena.hand(session, 0, "mine", "", bind))
        for _ in range(5):
            await asyncio.sleep(0)
        (offer,) = bot.offers.values()
        at.hall.arena.reply(bot, a.OfferReply(offer_id=offer.offer_id, accept=True))
        await handing
        assert session.table.seats[0].holder == bot.holder


async def test_a_seat_that_cannot_be_bound_is_offered_again_after_a_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:
        session = await wanting(at)
        store = at.hall.store
        append = store.append_soon
        monkeypatch.setattr(store, "append_soon", full)
        bot = attached(at)
        assert await takes(at, bot) == 1
        for _ in range(3):
            await at.time.advance(REST_MS - 1)
            assert await takes(at, bot) == 0
            await at.time.advance(1)
            assert await takes(at, bot) == 1
        monkeypatch.setattr(store, "append_soon", append)
        await at.time.advance(REST_MS)
        assert await takes(at, bot) == 1
        assert session.table.seats[0].holder == bot.holder


async def test_a_game_that_ends_while_its_seat_rests_offers_nothing_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with desk(tmp_path) as at:
        session = await wanting(at)
        store = at.hall.store
        append = store.append_soon
        monkeypatch.setattr(store, "append_soon", full)
        bot = attached(at)
        assert await takes(at, bot) == 1
        monkeypatch.setattr(store, "append_soon", append)
        await session.abort(result_pb2.GAME_OUTCOME_ABORTED)
        await at.time.advance(REST_MS)
        assert await takes(at, bot) == 0
