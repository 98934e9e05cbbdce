"""Bots that wait for games, and seats that wait for bots.

A bot process attaches with a name and a capacity. A seat that wants a bot of that name is offered
to one of them after another until one takes it; then the seat is bound to that bot's client
secret, like any other. What a bot plays is counted from the games themselves, so that a bot that
comes back, or a server that was restarted, knows what is still under way.
"""

from __future__ import annotations

import asyncio
import secrets
from collections import deque
from typing import TYPE_CHECKING

from endless_winter.arena.ability import lacking
from endless_winter.service import logs
from endless_winter.service.calls import fault, store_failed
from endless_winter.service.identity import BOT_NAME
from endless_winter.service.refusal import Refusal, draining
from endless_winter.service.table import ENDED, OPEN, STARTING
from endless_winter.store import StoreError
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import config_pb2
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine

    from endless_winter.service.session import Session
    from endless_winter.service.settings import Settings
    from endless_winter.service.timekeeper import Timekeeper

MOST_CAPACITY = 100_000
MOST_VERSION = 80
MOST_HELLO = 4096  # octets: what it says of its abilities is looked at for every seat
MOST_UNREAD = 1000  # messages, beside two for each seat that a bot can play
LONG = 0.001  # seconds: who needs longer to look at all seats does it less often
SHARE = 10  # of the time that has gone by since it was done last
REST_MS = 1000  # a seat that could not be bound (a full disk, say) is offered again after this

Key = tuple[str, int]


class Bot:
    """One attached process."""

    def __init__(self, hello: a.BotHello, holder: bytes) -> None:
        if not BOT_NAME.match(hello.name):
            raise _invalid("hello.name", "a bot's name has at most 40 letters, digits, '-' and '_'")
        if hello.ByteSize() > MOST_HELLO:
            raise _invalid("hello", f"at most {MOST_HELLO} octets")
        if len(hello.version) > MOST_VERSION or not hello.version.isprintable():
            raise _invalid("hello.version", f"a version has at most {MOST_VERSION} characters")
        self.name = hello.name
        self.version = hello.version
        self.holder = holder
        self.ability = hello.ability
        self.offers: dict[str, Offer] = {}
        self.set_capacity(hello.capacity)
        self._out: deque[a.AttachBotResponse] = deque()
        self._wake = asyncio.Event()
        self._end: Refusal | None = None
        self._over = False

    def set_capacity(self, capacity: int) -> None:
        if capacity > MOST_CAPACITY:
            raise _invalid("capacity", f"at most {MOST_CAPACITY} seats")
        self.capacity = capacity

    def send(self, message: a.AttachBotResponse) -> None:
        if self._end is not None:
            return  # it has heard the last already
        if len(self._out) >= MOST_UNREAD + 2 * self.capacity:
            self._out.clear()
            self.finish(_unread())
            return
        self._out.append(message)
        self._wake.set()

    def finish(self, why: Refusal | None = None) -> None:
        self._over = True
        self._end = why
        self._wake.set()

    async def messages(self) -> AsyncIterator[a.AttachBotResponse]:
        """What the bot is told, until its stream ends; a refusal ends it with its reason."""
        while True:
            while self._out:
                yield self._out.popleft()
            if self._end is not None:
                raise self._end
            if self._over:
                return
            await self._wake.wait()
            self._wake.clear()

    def plays(self, config: config_pb2.GameConfig) -> bool:
        """Whether a game is within what the bot said that it can play."""
        counts = self.ability.seat_counts
        if counts and len(config.seats) not in counts:
            return False
        return not any(lacking(self.ability, config))


class Want:
    """A seat that wants a bot."""

    def __init__(self, session: Session, seat: int, bot_name: str, options: str) -> None:
        self.session = session
        self.seat = seat
        self.bot_name = bot_name
        self.options = options
        self.offer: Offer | None = None
        self.resting = False  # it was taken and could not be bound: not offered for a moment
        self.declined: set[Bot] = set()
        # How often a bot did not answer in time: those who did so less often are asked before it.
        self.missed: dict[Bot, int] = {}
        # Set when an operator hands the seat over and waits for it, and how it is then bound.
        self.handed: asyncio.Future[None] | None = None
        self.bind: Callable[[Bot], Coroutine[None, None, None]] = self._take

    def miss(self, bot: Bot) -> None:
        self.missed[bot] = self.missed.get(bot, 0) + 1

    async def _take(self, bot: Bot) -> None:
        await self.session.take_seat(self.seat, bot.holder, bot.name)

    def bars(self, bot: Bot) -> bool:
        """Whether an operator took the seat from this bot; only an operator gives it back."""
        revoked = self.session.table.seats[self.seat].revoked
        return self.handed is None and bot.holder in revoked

    @property
    def key(self) -> Key:
        return self.session.table.game_id, self.seat


class Offer:
    """A want, offered to a bot."""

    def __init__(
        self, want: Want, bot: Bot, limit_ms: int, expire: Callable[[Offer], None]
    ) -> None:
        self.offer_id = secrets.token_urlsafe(9)
        self.want = want
        self.bot = bot
        self.accepted = False
        self.beside: tuple[Bot, ...] = ()  # the bots of this name when it was accepted
        loop = asyncio.get_running_loop()
        self.timer = loop.call_later(limit_ms / 1000, expire, self)


class Arena:
    """All attached bots and all seats that want one."""

    def __init__(self, settings: Settings, time: Timekeeper) -> None:
        self.bots: dict[str, list[Bot]] = {}
        self._settings = settings
        self._time = time
        self._wants: dict[str, dict[Key, Want]] = {}
        self._held: dict[Key, bytes] = {}
        self._busy: dict[bytes, set[Key]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._due: set[str] = set()  # names of bots whose seats will be looked at
        self._not_before = 0.0  # by the loop's clock
        self._draining = False

    # --- seats ---

    def note(self, session: Session) -> None:
        """A game is new, or its seats or its state have changed."""
        table = session.table
        for number, seat in enumerate(table.seats):
            if seat.kind != config_pb2.SEAT_KIND_BOT and not seat.handed_to_bot:
                if (table.game_id, number) in self._held:
                    self.hold((table.game_id, number), b"")
                continue
            key = (table.game_id, number)
            self.hold(key, seat.holder if table.status != ENDED else b"")
            wanted = (
                seat.kind == config_pb2.SEAT_KIND_BOT
                and not (seat.holder or seat.key)
                and table.status in (OPEN, STARTING)
            )
            known = self._wants.get(seat.bot_name, {}).get(key)
            if wanted and known is None:
                options = table.config.seats[number].bot_options
                self._want(Want(session, number, seat.bot_name, options))
            elif not wanted and known is not None and known.handed is None:
                self._drop(known, _gone())

    def hold(self, key: Key, holder: bytes) -> None:
        """Count what each client secret plays as a bot."""
        before = self._held.get(key, b"")
        if before == holder:
            return
        if before:
            busy = self._busy[before]
            busy.discard(key)
            if not busy:
                del self._busy[before]
            del self._held[key]
        if holder:
            self._held[key] = holder
            self._busy.setdefault(holder, set()).add(key)
        else:  # somebody has room again
            for bots in self.bots.values():
                for bot in bots:
                    if bot.holder == before:
                        self._soon(bot.name)

    def _want(self, want: Want) -> None:
        self._wants.setdefault(want.bot_name, {})[want.key] = want
        self._soon(want.bot_name)

    def _drop(self, want: Want, cause: Refusal) -> None:
        """The seat wants nobody any more."""
        named = self._wants.get(want.bot_name, {})
        if named.get(want.key) is want:
            del named[want.key]
            if not named:
                del self._wants[want.bot_name]
        offer, want.offer = want.offer, None
        if offer is not None and not offer.accepted:
            self._close(offer, cause)

    # --- bots ---

    def attach(self, bot: Bot) -> None:
        self.bots.setdefault(bot.name, []).append(bot)
        self._soon(bot.name)

    def detach(self, bot: Bot) -> None:
        """A bot's stream is gone; what it was offered goes to others."""
        bots = self.bots.get(bot.name, [])
        if bot in bots:
            bots.remove(bot)
            if not bots:
                del self.bots[bot.name]
        for offer in tuple(bot.offers.values()):
            if not offer.accepted:
                offer.timer.cancel()
                del bot.offers[offer.offer_id]
                offer.want.offer = None
        for want in self._wants.get(bot.name, {}).values():
            want.declined.discard(bot)
            want.missed.pop(bot, None)
        self._soon(bot.name)

    def resize(self, bot: Bot, capacity: int) -> None:
        bot.set_capacity(capacity)
        for want in self._wants.get(bot.name, {}).values():
            want.declined.discard(bot)
        self._soon(bot.name)

    def free(self, bot: Bot) -> int:
        """How many more seats its processes can play; those of one secret share them."""
        family = [one for one in self.bots.get(bot.name, ()) if one.holder == bot.holder]
        used = len(self._busy.get(bot.holder, ())) + sum(len(one.offers) for one in family)
        return sum(one.capacity for one in family) - used

    def busy(self, name: str) -> int:
        """How many seats the bots of a name play."""
        holders = {bot.holder for bot in self.bots.get(name, ())}
        return sum(len(self._busy.get(holder, ())) for holder in holders)

    # --- offering ---

    def _soon(self, name: str) -> None:
        """Once for all who ask now; and where it takes long, not all the time."""
        if name in self._due:
            return
        self._due.add(name)
        loop = asyncio.get_running_loop()
        wait = self._not_before - loop.time()
        if wait > 0:
            loop.call_later(wait, self._match_due, name)
        else:
            loop.call_soon(self._match_due, name)

    def _match_due(self, name: str) -> None:
        self._due.discard(name)
        loop = asyncio.get_running_loop()
        start = loop.time()
        self._match(name)
        taken = loop.time() - start
        if taken > LONG:
            self._not_before = start + SHARE * taken

    def _match(self, name: str) -> None:
        """Offer what can be offered."""
        if self._draining:
            return
        for want in tuple(self._wants.get(name, {}).values()):
            if want.offer is not None or want.resting:
                continue
            bot = self._candidate(want)
            if bot is not None:
                self._offer(want, bot)
            elif want.handed is not None:
                if not want.handed.done():
                    want.handed.set_exception(_unavailable(name))
                self._drop(want, _gone())

    def _candidate(self, want: Want) -> Bot | None:
        config = want.session.table.config
        found = None
        best = (0, 0)
        for bot in self.bots.get(want.bot_name, ()):
            if bot in want.declined or not bot.plays(config) or len(bot.offers) >= bot.capacity:
                continue
            free = self.free(bot)
            if free <= 0 or want.bars(bot):
                continue
            missed = want.missed.get(bot, 0)
            if missed and want.handed is not None:
                continue  # an operator waits: everybody is asked once
            rank = (-missed, free - len(bot.offers))
            if found is None or rank > best:
                found, best = bot, rank
        return found

    def _offer(self, want: Want, bot: Bot) -> None:
        limit = self._settings.offer_ms
        offer = Offer(want, bot, limit, self._expire)
        want.offer = offer
        bot.offers[offer.offer_id] = offer
        bot.send(
            a.AttachBotResponse(
                seat_offer=a.SeatOffer(
                    offer_id=offer.offer_id,
                    game_id=want.key[0],
                    seat=want.seat,
                    config=want.session.table.config,
                    bot_options=want.options,
                    expires_unix_ms=self._time.unix_ms() + limit,
                )
            )
        )

    def _expire(self, offer: Offer) -> None:
        if offer.accepted or offer.want.offer is not offer:
            return
        offer.want.offer = None
        offer.want.miss(offer.bot)
        self._close(offer, _too_late())
        self._soon(offer.want.bot_name)

    def _close(self, offer: Offer, cause: Refusal) -> None:
        """Tell the bot that an offer is gone."""
        offer.timer.cancel()
        offer.bot.offers.pop(offer.offer_id, None)
        offer.bot.send(_closed(offer.offer_id, cause))

    def reply(self, bot: Bot, reply: a.OfferReply) -> None:
        """A bot takes an offer or declines it."""
        offer = bot.offers.get(reply.offer_id)
        if offer is None or offer.accepted:
            if reply.accept and offer is None:
                bot.send(_closed(reply.offer_id[:40], _too_late()))
            return
        offer.timer.cancel()
        if reply.accept:
            offer.accepted = True
            offer.beside = tuple(self.bots.get(bot.name, ()))
            self._spawn(self._seat(offer))
            return
        del bot.offers[offer.offer_id]
        offer.want.offer = None
        offer.want.declined.add(bot)
        self._soon(bot.name)

    async def _seat(self, offer: Offer) -> None:
        """Bind the seat to the bot that took it."""
        want, bot = offer.want, offer.bot
        try:
            await want.bind(bot)
            self._bound(offer)
            if want.handed is not None and not want.handed.done():
                want.handed.set_result(None)
        except Exception as error:  # noqa: BLE001 # the bot hears of it, whatever it is
            refusal = _refusal_of(error)
            bot.send(_closed(offer.offer_id, refusal))
            if want.handed is not None:
                if not want.handed.done():
                    want.handed.set_exception(refusal)
            elif refusal.reason not in _OVER:  # the log could not be written: it still wants one
                offer.accepted = False
                want.miss(bot)
                # A bot takes what it is offered at once, so without a rest this would go round
                # as quickly as the server can.
                want.resting = True
                self._time.call_later(REST_MS, lambda _: self._rested(want), 0)
        finally:
            bot.offers.pop(offer.offer_id, None)
            want.offer = None
            if offer.accepted:
                self._drop(want, _gone())
            self._soon(bot.name)

    def _bound(self, offer: Offer) -> None:
        """Tell the bot that the seat is its own: on its stream, and on one that it opened since.

        The list of its seats that it asked for after that welcome may not have had this one yet.
        """
        bot = offer.bot
        streams = [one for one in self.bots.get(bot.name, ()) if one.holder == bot.holder]
        # The old one may be dead without our knowing it yet.
        told = [one for one in streams if one is bot or one not in offer.beside] or streams[:1]
        game_id, seat = offer.want.key
        bound = a.SeatBound(offer_id=offer.offer_id, game_id=game_id, seat=seat)
        for one in told:
            one.send(a.AttachBotResponse(seat_bound=bound))

    def _rested(self, want: Want) -> None:
        want.resting = False
        self._soon(want.bot_name)

    async def hand(
        self,
        session: Session,
        seat: int,
        bot_name: str,
        options: str,
        bind: Callable[[Bot], Coroutine[None, None, None]],
    ) -> None:
        """Give a seat to a bot, on behalf of an operator; `bind` is called with who takes it."""
        key = (session.table.game_id, seat)
        before = self._wants.get(bot_name, {}).get(key)
        if before is not None:
            if before.handed is not None:
                raise Refusal(reasons.REJECTION_REASON_CONFLICT, "the seat is being handed over")
            self._drop(before, _gone())
        want = Want(session, seat, bot_name, options)
        want.handed = asyncio.get_running_loop().create_future()
        want.bind = bind
        self._want(want)
        try:
            await want.handed
        finally:
            self._drop(want, _gone())
            self.note(session)  # if it failed, a seat of a bot wants one as before

    def drain(self) -> None:
        """No more offers; every bot's stream ends."""
        self._draining = True
        for bots in self.bots.values():
            for bot in bots:
                bot.finish(draining())
        for named in self._wants.values():
            for want in named.values():
                if want.handed is not None and not want.handed.done():
                    want.handed.set_exception(draining())

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            logs.log.error("a seat could not be given to a bot", exc_info=task.exception())


_OVER = frozenset(
    (
        reasons.REJECTION_REASON_GAME_STARTED,
        reasons.REJECTION_REASON_GAME_ENDED,
        reasons.REJECTION_REASON_SEAT_TAKEN,
        reasons.REJECTION_REASON_DRAINING,
    )
)


def _closed(offer_id: str, cause: Refusal) -> a.AttachBotResponse:
    closed = a.OfferClosed(offer_id=offer_id, cause=cause.message_out())
    return a.AttachBotResponse(offer_closed=closed)


def _refusal_of(error: Exception) -> Refusal:
    if isinstance(error, Refusal):
        return error
    logs.log.error("a seat could not be given to a bot", exc_info=error)
    return store_failed() if isinstance(error, StoreError) else fault()


def _invalid(field: str, message: str) -> Refusal:
    return Refusal(reasons.REJECTION_REASON_INVALID_ARGUMENT, message, field=field)


def _gone() -> Refusal:
    return Refusal(reasons.REJECTION_REASON_SEAT_TAKEN, "the seat went elsewhere")


def _unread() -> Refusal:
    return Refusal(
        reasons.REJECTION_REASON_LIMIT_REACHED, "too many messages wait for this bot to read them"
    )


def _too_late() -> Refusal:
    return Refusal(reasons.REJECTION_REASON_TOO_LATE, "the offer is gone")


def _unavailable(name: str) -> Refusal:
    return Refusal(
        reasons.REJECTION_REASON_BOT_UNAVAILABLE,
        f"no bot '{name[:40]}' is attached that has room for this game; 'ew bot run' attaches one",
    )
