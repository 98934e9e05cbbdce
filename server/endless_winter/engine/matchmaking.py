"""Bots that wait for games, and seats that wait for bots.

A bot process attaches with a name and a capacity. A seat that wants a bot of that name is offered
to one of them after another until one takes it; then the seat is bound to that bot's client
secret, like any other. What a bot plays is counted from the games themselves, so that a bot that
comes back, or a server that was restarted, knows what is still under way.
"""

from __future__ import annotations

from collections import Counter, deque
from typing import TYPE_CHECKING, Final

from endless_winter.engine.ability import lacking
from endless_winter.engine.caller import Caller
from endless_winter.engine.clocks import MATCH, OFFER
from endless_winter.engine.commands import Asked, Command, HandSeatToBot, Reply, TakeSeat
from endless_winter.engine.refusal import Refusal, draining, invalid
from endless_winter.engine.seats import check_bot_name, check_text
from endless_winter.engine.table import ENDED, OPEN, STARTING
from endless_winter.store.records import Player
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import config_pb2
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.engine.clocks import Now
    from endless_winter.engine.engine import Engine
    from endless_winter.engine.game import Game

MOST_CAPACITY: Final = 100_000
MOST_VERSION: Final = 80
MOST_HELLO: Final = 4096  # bytes: its abilities are compared with every seat
MOST_UNREAD: Final = 1000  # messages, beside two for each seat that a bot can play
MANY: Final = 1000  # seats that were looked at in vain: the next look is not at once
PAUSE_MS: Final = 100
REST_MS: Final = 1000  # a seat that could not be bound (a full disk, say) is offered again then

Key = tuple[str, int]


class Bot:
    """One attached process, and what it is still to be sent."""

    def __init__(self, hello: a.BotHello, client: bytes, notify: Callable[[], None]) -> None:
        check_bot_name(hello.name, "hello.name")
        if hello.ByteSize() > MOST_HELLO:
            raise invalid("hello", f"at most {MOST_HELLO} bytes")
        check_text(hello.version, "hello.version", MOST_VERSION)
        self.name = hello.name
        self.version = hello.version
        self.client = client
        self.ability = hello.ability
        self.offers: dict[str, Offer] = {}
        self.set_capacity(hello.capacity)
        self.out: deque[a.AttachBotResponse] = deque()
        self.end: Refusal | None = None
        """Why its stream ends once everything before is sent."""
        self.over = False
        self._notify = notify

    def set_capacity(self, capacity: int) -> None:
        if capacity > MOST_CAPACITY:
            raise invalid("capacity", f"at most {MOST_CAPACITY} seats")
        self.capacity = capacity

    def send(self, message: a.AttachBotResponse) -> None:
        if self.over:
            return
        if len(self.out) >= MOST_UNREAD + 2 * self.capacity:
            self.out.clear()
            self.finish(
                Refusal(
                    reasons.REJECTION_REASON_LIMIT_REACHED,
                    "too many messages wait for this bot to read them",
                )
            )
            return
        self.out.append(message)
        self._notify()

    def finish(self, why: Refusal | None = None) -> None:
        """The stream ends once everything before is sent."""
        self.over = True
        self.end = why
        self._notify()

    def plays(self, config: config_pb2.GameConfig) -> bool:
        """Whether a game is within what the bot said that it can play."""
        counts = self.ability.seat_counts
        if counts and len(config.seats) not in counts:
            return False
        return not any(lacking(self.ability, config))


class Want:
    """A seat that wants a bot."""

    def __init__(self, game: Game, seat: int, bot_name: str, options: str) -> None:
        self.game = game
        self.seat = seat
        self.bot_name = bot_name
        self.options = options
        self.offer: Offer | None = None
        self.rests_until_ms = 0  # it was taken and could not be bound: not offered before
        self.declined: set[Bot] = set()
        # How often a bot did not answer in time: those who did so less often are asked before it.
        self.missed: Counter[Bot] = Counter()
        # An operator hands the seat over, and waits for it.
        self.handed: HandSeatToBot | None = None

    @property
    def key(self) -> Key:
        return self.game.game_id, self.seat

    def bars(self, bot: Bot) -> bool:
        """Whether an operator took the seat from this bot; only an operator gives it back."""
        return self.handed is None and bot.client in self.game.table.seats[self.seat].revoked


class Offer:
    """A want, offered to a bot; the command that binds the seat comes from here."""

    __slots__ = ("_matchmaking", "accepted", "beside", "bot", "offer_id", "want")

    def __init__(self, matchmaking: Matchmaking, want: Want, bot: Bot, offer_id: str) -> None:
        self._matchmaking = matchmaking
        self.offer_id = offer_id
        self.want = want
        self.bot = bot
        self.accepted = False
        self.beside: tuple[Bot, ...] = ()  # the bots of this name when it was accepted

    def deliver(self, command: Command, reply: Reply) -> None:
        del command
        self._matchmaking.bound(self, reply)


class Matchmaking:
    """All attached bots and all seats that want one."""

    def __init__(self, engine: Engine) -> None:
        self.bots: dict[str, list[Bot]] = {}
        self._engine = engine
        self._wants: dict[str, dict[Key, Want]] = {}
        self._offers: dict[str, Offer] = {}
        self._held: dict[Key, bytes] = {}
        self._busy: Counter[bytes] = Counter()
        self.due: dict[str, None] = {}
        """Names of bots whose seats are looked at next."""
        self._not_before_ms: dict[str, int] = {}

    # --- seats ---

    def note(self, game: Game) -> None:
        """A game is new, or its seats or its status have changed."""
        table = game.table
        for number, seat in enumerate(table.seats):
            key = (table.game_id, number)
            if seat.kind != config_pb2.SEAT_KIND_BOT and not seat.handed_to_bot:
                self.hold(key, b"")
                continue
            self.hold(key, seat.holder if table.status != ENDED else b"")
            wanted = (
                seat.kind == config_pb2.SEAT_KIND_BOT
                and not (seat.player_id or seat.key)
                and table.status in (OPEN, STARTING)
            )
            known = self._wants.get(seat.bot_name, {}).get(key)
            if wanted and known is None:
                options = table.config.seats[number].bot_options
                self._want(Want(game, number, seat.bot_name, options))
            elif not wanted and known is not None and known.handed is None:
                self._drop(known)

    def hold(self, key: Key, client: bytes) -> None:
        """Count what each client plays as a bot."""
        before = self._held.pop(key, b"")
        if client:
            self._held[key] = client
        if before == client:
            return
        if before:
            self._busy[before] -= 1
            if not self._busy[before]:
                del self._busy[before]
        if client:
            self._busy[client] += 1
        else:  # somebody has room again
            for bots in self.bots.values():
                for bot in bots:
                    if bot.client == before:
                        self.look_again(bot.name)

    def _want(self, want: Want) -> None:
        self._wants.setdefault(want.bot_name, {})[want.key] = want
        self.look_again(want.bot_name)

    def _drop(self, want: Want) -> None:
        """The seat wants nobody any more."""
        named = self._wants.get(want.bot_name, {})
        if named.get(want.key) is want:
            del named[want.key]
            if not named:
                del self._wants[want.bot_name]
        offer, want.offer = want.offer, None
        if offer is not None and not offer.accepted:
            gone = Refusal(reasons.REJECTION_REASON_SEAT_TAKEN, "the seat went elsewhere")
            self._close(offer, gone)

    # --- bots ---

    def attach(self, bot: Bot) -> None:
        self.bots.setdefault(bot.name, []).append(bot)
        self._engine.lobby.presence.follow(bot.client)
        self.look_again(bot.name)

    def detach(self, bot: Bot) -> None:
        """A bot's stream is gone; what it was offered goes to others."""
        bots = self.bots.get(bot.name, [])
        if bot not in bots:
            return
        bots.remove(bot)
        if not bots:
            del self.bots[bot.name]
        self._engine.lobby.presence.unfollow(bot.client)
        for offer in tuple(bot.offers.values()):
            if not offer.accepted:
                self._forget_offer(offer)
        for want in self._wants.get(bot.name, {}).values():
            want.declined.discard(bot)
            want.missed.pop(bot, None)
        self.look_again(bot.name)

    def resize(self, bot: Bot, capacity: int) -> None:
        bot.set_capacity(capacity)
        for want in self._wants.get(bot.name, {}).values():
            want.declined.discard(bot)
        self.look_again(bot.name)

    def free(self, bot: Bot) -> int:
        """How many more seats its processes can play; those of one secret share them."""
        family = [one for one in self.bots.get(bot.name, ()) if one.client == bot.client]
        used = self._busy[bot.client] + sum(len(one.offers) for one in family)
        return sum(one.capacity for one in family) - used

    def busy(self, name: str) -> int:
        """How many seats the bots of a name play."""
        clients = {bot.client for bot in self.bots.get(name, ())}
        return sum(self._busy[client] for client in clients)

    # --- offering ---

    def look_again(self, name: str) -> None:
        """Seats of a name may find a bot: they are looked at with the next round."""
        self.due[name] = None

    def match(self, now: Now) -> None:
        """Offer what can be offered."""
        due, self.due = self.due, {}
        if self._engine.draining:
            return
        for name in due:
            not_before = self._not_before_ms.get(name, 0)
            if now.ms < not_before:
                self._engine.timers.push(not_before, MATCH, name)
            elif self._match(name, now) > MANY:
                self._not_before_ms[name] = now.ms + PAUSE_MS

    def _match(self, name: str, now: Now) -> int:
        """Offer the seats of a name; how many found no bot."""
        vain = 0
        room = any(self.free(bot) > 0 for bot in self.bots.get(name, ()))
        for want in tuple(self._wants.get(name, {}).values()):
            if want.offer is not None or want.rests_until_ms > now.ms:
                continue
            bot = self._candidate(want) if room else None
            if bot is not None:
                self._offer(want, bot, now)
                continue
            vain += 1
            if want.handed is not None:
                command = want.handed
                self._drop(want)
                command.deliver(_unavailable(name))
        return vain

    def _candidate(self, want: Want) -> Bot | None:
        config = want.game.table.config
        found = None
        best = (0, 0)
        for bot in self.bots.get(want.bot_name, ()):
            if bot in want.declined or not bot.plays(config) or len(bot.offers) >= bot.capacity:
                continue
            free = self.free(bot)
            if free <= 0 or want.bars(bot):
                continue
            missed = want.missed[bot]
            if missed and want.handed is not None:
                continue  # an operator waits: each bot is asked once
            rank = (-missed, free - len(bot.offers))
            if found is None or rank > best:
                found, best = bot, rank
        return found

    def _offer(self, want: Want, bot: Bot, now: Now) -> None:
        limit = self._engine.settings.offer_ms
        offer = Offer(self, want, bot, self._engine.new_id())
        want.offer = offer
        bot.offers[offer.offer_id] = self._offers[offer.offer_id] = offer
        self._engine.timers.push(now.ms + limit, OFFER, offer.offer_id)
        bot.send(
            a.AttachBotResponse(
                seat_offer=a.SeatOffer(
                    offer_id=offer.offer_id,
                    game_id=want.key[0],
                    seat=want.seat,
                    config=want.game.table.config,
                    bot_options=want.options,
                    expires_unix_ms=now.unix_ms + limit,
                )
            )
        )

    def _forget_offer(self, offer: Offer) -> None:
        offer.want.offer = None
        self._offers.pop(offer.offer_id, None)
        offer.bot.offers.pop(offer.offer_id, None)

    def expire(self, offer_id: str) -> None:
        """The time of an offer is over."""
        offer = self._offers.get(offer_id)
        if offer is None or offer.accepted:
            return
        offer.want.missed[offer.bot] += 1
        self._close(offer, _too_late())
        self.look_again(offer.want.bot_name)

    def _close(self, offer: Offer, cause: Refusal) -> None:
        """Notify the bot that an offer is gone."""
        self._forget_offer(offer)
        offer.bot.send(_closed(offer.offer_id, cause))

    def reply(self, bot: Bot, reply: a.OfferReply, now: Now) -> None:
        """A bot takes an offer or declines it."""
        offer = bot.offers.get(reply.offer_id)
        if offer is None or offer.accepted:
            if reply.accept and offer is None:
                bot.send(_closed(reply.offer_id[:40], _too_late()))
            return
        want = offer.want
        if reply.accept:
            offer.accepted = True
            offer.beside = tuple(self.bots.get(bot.name, ()))
            self._engine.inbox.append(self._binding(offer, now))
            return
        self._forget_offer(offer)
        want.declined.add(bot)
        self.look_again(bot.name)

    def _binding(self, offer: Offer, now: Now) -> Command:
        """The command that binds the seat to the bot."""
        want, bot = offer.want, offer.bot
        player = Player(self._engine.new_id(), bot.client, bot.name)
        asked = Asked(Caller(bot.client), offer, now)
        if want.handed is None:
            return TakeSeat(want.key[0], want.seat, asked, player)
        asked = Asked(want.handed.caller, offer, now)
        return HandSeatToBot(want.handed.request, asked, player)

    def bound(self, offer: Offer, reply: Reply) -> None:
        """What came of binding a seat to the bot that took it."""
        want, bot = offer.want, offer.bot
        self._forget_offer(offer)
        if not isinstance(reply, Refusal):
            self._report_bound(offer)
            self._drop(want)
        else:
            bot.send(_closed(offer.offer_id, reply))
            if want.handed is not None or reply.reason in _OVER:
                self._drop(want)
            else:  # the log could not be written: it still wants one
                want.missed[bot] += 1
                # A bot takes what it is offered at once, so without a rest this would go round
                # as quickly as the server can.
                want.rests_until_ms = self._engine.rest_until_ms(REST_MS, want.bot_name)
        if want.handed is not None:
            want.handed.deliver(reply)
            self.note(want.game)  # if it failed, a seat of a bot wants one as before
        self.look_again(bot.name)

    def _report_bound(self, offer: Offer) -> None:
        """Notify the bot that the seat is its own: on its stream, and on one that it opened since.

        The list of its seats that it asked for after that welcome may not have had this one yet.
        """
        bot = offer.bot
        streams = [one for one in self.bots.get(bot.name, ()) if one.client == bot.client]
        # The old one may be dead without our knowing it yet.
        notified = [one for one in streams if one is bot or one not in offer.beside] or streams[:1]
        game_id, seat = offer.want.key
        bound = a.SeatBound(offer_id=offer.offer_id, game_id=game_id, seat=seat)
        for one in notified:
            one.send(a.AttachBotResponse(seat_bound=bound))

    def hand(self, game: Game, command: HandSeatToBot) -> None:
        """Give a seat to a bot, on behalf of an operator, who gets the reply to the command."""
        seat, name = command.check_playing(game), command.request.bot_name
        before = self._wants.get(name, {}).get((game.game_id, seat))
        if before is not None:
            if before.handed is not None:
                raise Refusal(reasons.REJECTION_REASON_CONFLICT, "the seat is being handed over")
            self._drop(before)
        want = Want(game, seat, name, command.request.bot_options)
        want.handed = command
        self._want(want)

    def drain(self) -> None:
        """No more offers; every bot's stream ends."""
        for bots in self.bots.values():
            for bot in bots:
                bot.finish(draining())
        for named in self._wants.values():
            for want in named.values():
                if want.handed is not None and (want.offer is None or not want.offer.accepted):
                    want.handed.deliver(draining())


_OVER: Final = frozenset(
    (
        reasons.REJECTION_REASON_GAME_STARTED,
        reasons.REJECTION_REASON_GAME_ENDED,
        reasons.REJECTION_REASON_SEAT_TAKEN,
        reasons.REJECTION_REASON_DRAINING,
        reasons.REJECTION_REASON_GAME_NOT_FOUND,
    )
)


def _closed(offer_id: str, cause: Refusal) -> a.AttachBotResponse:
    closed = a.OfferClosed(offer_id=offer_id, cause=cause.message_out())
    return a.AttachBotResponse(offer_closed=closed)


def _too_late() -> Refusal:
    return Refusal(reasons.REJECTION_REASON_TOO_LATE, "the offer is gone")


def _unavailable(name: str) -> Refusal:
    return Refusal(
        reasons.REJECTION_REASON_BOT_UNAVAILABLE,
        f"no bot '{name[:40]}' is attached that has room for this game; 'ew bot run' attaches one",
    )
