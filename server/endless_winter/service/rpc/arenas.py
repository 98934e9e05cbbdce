"""`ArenaService`: bots attach and are offered seats."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc

from endless_winter.engine.matchmaking import Bot
from endless_winter.engine.refusal import Refusal, draining, fault
from endless_winter.engine.stream import check_revision
from endless_winter.service import logs
from endless_winter.service.calls import parsed
from endless_winter.service.identity import entitled
from endless_winter.service.rpc.pages import Room, place_of, token_for
from endless_winter.v1 import arena_pb2
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from endless_winter.engine.caller import Caller
    from endless_winter.service.host import Host


class ArenaServicer:
    """Thin: matchmaking decides who gets which seat."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.settings = host.settings

    async def AttachBot(self, caller: Caller, context: Any) -> None:
        host = self.host
        ready = asyncio.Event()
        first = await self._next(context)
        # Only its games themselves know which of its seats were handed to it as a bot.
        await host.load_seats(caller.client)
        bot = self._hello(caller.client, first, ready)
        bot.send(a.AttachBotResponse(welcome=a.BotWelcome(server=host.server_info())))
        host.engine.matchmaking.attach(bot)
        host.rounds.schedule()
        logs.log.info("bot attached", bot=bot.name, capacity=bot.capacity)
        reader = asyncio.create_task(self._read(bot, context))
        try:
            while bot.out or not bot.over:
                while bot.out:
                    await context.write(bot.out.popleft().SerializeToString())
                if not bot.over:
                    await ready.wait()
                    ready.clear()
            if bot.end is not None:
                raise bot.end
        finally:
            reader.cancel()
            host.engine.matchmaking.detach(bot)
            host.rounds.schedule()
            logs.log.info("bot gone", bot=bot.name)

    async def _next(self, context: Any) -> a.AttachBotRequest | None:
        """What a bot says next; None: it is done."""
        raw = await context.read()
        if raw is grpc.aio.EOF:
            return None
        return parsed(a.AttachBotRequest, raw, self.settings.request_bytes)

    def _hello(self, client: bytes, first: a.AttachBotRequest | None, ready: asyncio.Event) -> Bot:
        if first is None or not first.HasField("hello"):
            raise Refusal(reasons.REJECTION_REASON_HELLO_EXPECTED, "the first message is BotHello")
        check_revision(first.hello.least_revision)
        if self.host.draining:
            raise draining()
        bot = Bot(first.hello, client, ready.set)
        only = self.settings.reserved_bots_only
        if not entitled(bot.name, first.hello.token, self.settings.reserved, only_reserved=only):
            raise Refusal(
                reasons.REJECTION_REASON_NOT_ALLOWED,
                "the name is reserved: BotHello.token must be the token that belongs to it",
            )
        return bot

    async def _read(self, bot: Bot, context: Any) -> None:
        """Do what a bot says, until it is done; nonsense ends its stream."""
        try:
            while (request := await self._next(context)) is not None:
                self._take(bot, request)
                self.host.rounds.schedule()
        except Refusal as refusal:
            bot.finish(refusal)
        except grpc.aio.AbortError:  # by us: the server drains, say
            bot.finish()
        except Exception:  # noqa: BLE001 # it ends this stream and nothing else
            logs.log.exception("a bot's stream failed")
            bot.finish(fault())
        else:
            bot.finish()

    def _take(self, bot: Bot, request: a.AttachBotRequest) -> None:
        matchmaking = self.host.engine.matchmaking
        kind = request.WhichOneof("message")
        if kind == "offer_reply":
            matchmaking.reply(bot, request.offer_reply, self.host.clock.now())
        elif kind == "capacity":
            matchmaking.resize(bot, request.capacity.capacity)
        elif kind == "hello":
            raise Refusal(reasons.REJECTION_REASON_HELLO_EXPECTED, "BotHello came twice")
        else:
            raise Refusal(
                reasons.REJECTION_REASON_NOT_SUPPORTED, "a message that is not known here"
            )

    async def ListBots(self, request: a.ListBotsRequest, caller: Caller) -> a.ListBotsResponse:
        matchmaking = self.host.engine.matchmaking
        most = self.settings.page_size
        size = min(request.page_size or most, most)
        after = place_of(request)
        names = sorted(name for name in matchmaking.bots if name > after)
        room = Room(self.settings)
        bots: list[arena_pb2.BotInfo] = []
        for name in names[:size]:
            attached = matchmaking.bots[name]
            bot = arena_pb2.BotInfo(
                name=name,
                version=attached[-1].version,
                capacity=sum(bot.capacity for bot in attached),
                busy=matchmaking.busy(name),
                instances=len(attached),
                ability=attached[-1].ability,
                # To the others of a game it would show how the thoughts of a bot go.
                asked_ms=self._asked_ms(name) if caller.operator else None,
            )
            if not room.takes(bot):
                break
            bots.append(bot)
        more = bots[-1].name if len(names) > len(bots) else ""
        return a.ListBotsResponse(bots=bots, next_page_token=token_for(request, more))

    def _asked_ms(self, name: str) -> int:
        """How long games have waited for the bots of a name that are attached."""
        engine, now = self.host.engine, self.host.clock.now()
        clients = {bot.client for bot in engine.matchmaking.bots[name]}
        return sum(engine.lobby.asked_ms(client, now) for client in clients)
