"""Seats are offered to bots: to which, how often, and what a bot is sent once it is bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.engine.ability import field_for, lacking
from endless_winter.engine.matchmaking import MOST_UNREAD, REST_MS, Bot
from endless_winter.engine.refusal import Refusal
from endless_winter.store.memory import MemoryStore
from endless_winter.v1 import arena_pb2, arena_service_pb2, clock_pb2, config_pb2
from endless_winter.v1 import rejection_pb2 as reasons
from tests.engine.desk import Desk, client

if TYPE_CHECKING:
    from endless_winter.engine.game import Game

a = arena_service_pb2
OPEN_SEAT = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)
BOT_SEAT = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_BOT, bot_name="mine")


def wanting(desk: Desk, **more: Any) -> Game:
    """A game whose seat 0 wants a bot."""
    return desk.create([BOT_SEAT, OPEN_SEAT], **more)


def received(bot: Bot) -> list[a.AttachBotResponse]:
    found = list(bot.out)
    bot.out.clear()
    return found


def offers(bot: Bot) -> list[a.SeatOffer]:
    """What a bot is offered now; anything else that it was sent is thrown away."""
    return [one.seat_offer for one in received(bot) if one.HasField("seat_offer")]


def takes(desk: Desk, *bots: Bot) -> int:
    """The bots take whatever they are offered, as long as there is something; how often."""
    count = 0
    while found := [(bot, offer) for bot in bots for offer in offers(bot)]:
        for bot, offer in found:
            count += 1
            assert count < 50, "it does not stop"
            desk.reply(bot, offer.offer_id)
    return count


# --- who is offered what ---


def test_a_seat_is_not_offered_to_a_bot_that_an_operator_took_it_from() -> None:
    desk = Desk()
    game = wanting(desk)
    bot = desk.bot()
    assert takes(desk, bot) == 1
    assert game.table.seats[0].holder == bot.client
    desk.revoke(game, 0)
    assert takes(desk, bot) == 0
    # It does not help to come back, or to have room for more.
    desk.engine.matchmaking.detach(bot)
    again = desk.bot()
    desk.engine.matchmaking.resize(again, 9)
    desk.advance(10 * REST_MS)
    assert takes(desk, again) == 0
    assert not game.table.seats[0].holder
    # Another takes it at once.
    other = desk.bot(who="other")
    assert takes(desk, again, other) == 1
    assert game.table.seats[0].holder == other.client


def test_an_operator_can_give_a_seat_back_to_the_bot_that_lost_it() -> None:
    desk = Desk()
    game = wanting(desk)
    bot = desk.bot()
    takes(desk, bot)
    desk.revoke(game, 0)
    replies = desk.hand(game, 0, "mine")
    assert not replies.found
    assert takes(desk, bot) == 1
    ((_, reply),) = replies.found
    assert isinstance(reply, bytes)
    assert game.table.seats[0].holder == bot.client


def test_handing_over_without_a_free_bot_is_refused_and_may_be_retried() -> None:
    desk = Desk()
    game = desk.running()
    ((_, reply),) = desk.hand(game, 0, "mine").found
    assert isinstance(reply, Refusal)
    assert reply.name == "BOT_UNAVAILABLE"
    assert reply.retry_after_ms
    assert game.table.seats[0].holder == client("player 0")


def test_a_silent_bot_is_asked_again_after_the_others() -> None:
    desk = Desk(offer_ms=500)
    wanting(desk)
    bots = [desk.bot(), desk.bot(who="other")]
    asked = []
    for _ in range(4):
        ((bot, offer),) = [(bot, offer) for bot in bots for offer in offers(bot)]
        asked.append(bot)
        desk.advance(500)
        closed = bot.out.popleft().offer_closed
        assert closed.offer_id == offer.offer_id
        assert closed.cause.reason == reasons.REJECTION_REASON_TOO_LATE
        desk.reply(bot, offer.offer_id)  # too late
        assert received(bot)[-1].offer_closed.offer_id == offer.offer_id
    assert asked == [*bots, *bots]


def test_offers_go_on_from_who_declines_or_vanishes() -> None:
    desk = Desk()
    game = wanting(desk)
    first = desk.bot(who="first")
    (offer,) = offers(first)
    second, third = desk.bot(who="second"), desk.bot(who="third")
    desk.reply(first, offer.offer_id, accept=False)
    taken = [bot for bot in (second, third) if offers(bot)]
    assert len(taken) == 1
    desk.engine.matchmaking.detach(taken[0])
    desk.run()
    (last,) = {second, third} - set(taken)
    assert takes(desk, first, last) == 1
    assert game.table.seats[0].holder == last.client


def test_capacity_is_respected_and_free_again_when_a_game_ends() -> None:
    desk = Desk()
    bot = desk.bot(capacity=2)
    games = [wanting(desk) for _ in range(4)]
    found = offers(bot)
    assert [offer.game_id for offer in found] == [game.game_id for game in games[:2]]
    for offer in found:
        desk.reply(bot, offer.offer_id)
    assert not offers(bot)
    desk.abort(games[0])
    (third,) = offers(bot)
    assert third.game_id == games[2].game_id
    desk.engine.matchmaking.resize(bot, 0)
    desk.reply(bot, third.offer_id)  # it stands, whatever the capacity is now
    assert games[2].table.seats[0].holder == bot.client
    desk.engine.matchmaking.resize(bot, 3)
    desk.run()
    assert [offer.game_id for offer in offers(bot)] == [games[3].game_id]


def test_what_a_bot_plays_is_known_after_a_restart() -> None:
    desk = Desk()
    games = [wanting(desk) for _ in range(2)]
    bot = desk.bot(capacity=1)
    assert takes(desk, bot) == 1
    desk.restart()
    again = desk.bot(capacity=1)
    assert desk.engine.matchmaking.busy("mine") == 1
    assert takes(desk, again) == 0
    desk.abort(games[0])
    (offer,) = offers(again)
    assert offer.game_id == games[1].game_id


def test_however_often_many_seats_that_find_no_bot_are_not_looked_at_all_the_time() -> None:
    desk = Desk()
    bot = desk.bot(ability=arena_pb2.BotAbility(seat_counts=[3]))
    for _ in range(1_001):
        wanting(desk)
    right = desk.create([BOT_SEAT, OPEN_SEAT, OPEN_SEAT])
    assert not offers(bot), "there was a look in vain just now"
    desk.advance(1_000)
    assert [offer.game_id for offer in offers(bot)] == [right.game_id]


@pytest.mark.parametrize(
    ("ability", "seats", "more"),
    [
        ({"seat_counts": [3]}, 3, {}),
        ({"rivers": True}, 2, {"rivers": config_pb2.RiversConfig()}),
        ({"modules": True}, 2, {"modules": config_pb2.ModuleConfig(mammoth=True)}),
        ({"solo": True}, 2, {"nomad": config_pb2.NomadConfig()}),
    ],
)
def test_each_ability_opens_its_games(
    ability: dict[str, Any], seats: int, more: dict[str, Any]
) -> None:
    config = config_pb2.GameConfig(seats=[OPEN_SEAT] * seats, **more)
    desk = Desk()
    assert desk.bot(ability=arena_pb2.BotAbility(**ability)).plays(config)
    assert not desk.bot(ability=arena_pb2.BotAbility(seat_counts=[2])).plays(config)


def test_what_a_game_needs_of_a_bot_is_named_by_the_fields_of_its_ability() -> None:
    config = config_pb2.GameConfig(
        seats=[OPEN_SEAT] * 2,
        time_control=clock_pb2.TimeControl(),
        rivers=config_pb2.RiversConfig(),
        nomad=config_pb2.NomadConfig(),
        modules=config_pb2.ModuleConfig(sea_cows=True),
    )
    assert list(lacking(arena_pb2.BotAbility(), config)) == ["modules", "rivers", "solo"]
    assert list(lacking(arena_pb2.BotAbility(modules=True, nomad=True), config)) == [
        "rivers",
        "solo",
    ]
    # A later module with a message of its own has no field of its own here.
    assert field_for("cairns") == "modules"


def test_a_bot_that_does_not_read_is_let_go() -> None:
    bot = Desk().bot(capacity=1)
    for _ in range(MOST_UNREAD + 10):
        bot.send(a.AttachBotResponse())
    assert not bot.out
    assert bot.over
    assert bot.end is not None
    assert "wait for this bot" in bot.end.message


# --- seats that cannot be bound ---


def test_a_seat_that_cannot_be_bound_is_offered_again_after_a_rest() -> None:
    desk = Desk()
    game = wanting(desk)
    with desk.full_disk():
        bot = desk.bot()
        (offer,) = offers(bot)
        for _ in range(3):
            desk.reply(bot, offer.offer_id)
            closed = received(bot)[0].offer_closed
            assert closed.offer_id == offer.offer_id
            assert closed.cause.reason == reasons.REJECTION_REASON_STORE_UNAVAILABLE
            desk.advance(REST_MS - 1)
            assert not offers(bot)
            desk.advance(1)
            (offer,) = offers(bot)
    desk.reply(bot, offer.offer_id)
    assert game.table.seats[0].holder == bot.client


def test_a_game_that_ends_while_its_seat_rests_offers_nothing_more() -> None:
    desk = Desk()
    game = wanting(desk)
    with desk.full_disk():
        assert takes(desk, desk.bot()) == 1
    desk.abort(game)
    bot = desk.bot()
    desk.advance(10 * REST_MS)
    assert not offers(bot)


# --- what a bot is sent about its seat ---


def test_seat_bound_is_sent_after_the_seat_is_committed() -> None:
    store = MemoryStore()
    desk = Desk(store)
    game = wanting(desk)
    bot = desk.bot()
    (offer,) = offers(bot)
    early: list[object] = []
    store.after = lambda _: early.extend(bot.out)
    desk.reply(bot, offer.offer_id)
    assert not early, "nothing was sent before the commit"
    bound = received(bot)[0].seat_bound
    assert (bound.offer_id, bound.game_id, bound.seat) == (offer.offer_id, game.game_id, 0)
    assert game.table.seats[0].holder == bot.client


@pytest.mark.parametrize("noticed", [True, False])
def test_a_bot_whose_stream_broke_gets_seat_bound_on_the_next_one(*, noticed: bool) -> None:
    """It has asked for its seats already, and this one was not among them."""
    store = MemoryStore()
    desk = Desk(store)
    beside = desk.bot(capacity=0)  # another process of the same bot: it was there before
    wanting(desk)
    bot = desk.bot()
    (offer,) = offers(bot)
    again: list[Bot] = []

    def reconnect(_: object) -> None:
        store.before = None
        if noticed:
            desk.engine.matchmaking.detach(bot)
        other = Bot(a.BotHello(name="mine", capacity=5), bot.client, lambda: None)
        desk.engine.matchmaking.attach(other)
        again.append(other)

    store.before = reconnect  # while the binding is on its way to the disk
    desk.reply(bot, offer.offer_id)
    for one in again if noticed else (*again, bot):
        assert [message.seat_bound.offer_id for message in received(one)] == [offer.offer_id]
    assert not received(beside)
