"""`ArenaService`: bots attach and are offered seats."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

import grpc

from endless_winter.service import logs, versions
from endless_winter.service.arena import Bot
from endless_winter.service.calls import fault, refuse, refuse_at_the_door, store_failed, unary
from endless_winter.service.identity import caller_of, entitled
from endless_winter.service.malformed import Malformed
from endless_winter.service.pages import Room, place_of, token_for
from endless_winter.service.refusal import Refusal, draining
from endless_winter.store import StoreError
from endless_winter.v1 import arena_pb2, arena_service_pb2_grpc
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from endless_winter.service.hall import Hall
    from endless_winter.service.identity import Caller

log = logging.getLogger("endless_winter.service")

SERVICE = "endless_winter.v1.ArenaService"


class ArenaServicer(arena_service_pb2_grpc.ArenaServiceServicer):
    """Thin: the arena of the hall knows what to do."""

    def __init__(self, hall: Hall) -> None:
        self.hall = hall
        self.settings = hall.settings

    async def AttachBot(
        self, request_iterator: AsyncIterator[a.AttachBotRequest], context: Any
    ) -> AsyncIterator[a.AttachBotResponse]:
        arena = self.hall.arena
        try:
            caller = caller_of(context.invocation_metadata() or (), self.settings.operators)
            holder = caller.known()
        except Refusal as refusal:
            await refuse_at_the_door(context, refusal)
            return
        try:
            # Not earlier: gRPC complains about messages that nobody ever asks for.
            requests = aiter(request_iterator)
            first = await anext(requests, None)
            # Only its games themselves know which of its seats were handed to it as a bot.
            await self.hall.load_seats(holder)
            bot = self._hello(holder, first)
        except Refusal as refusal:
            await refuse(context, refusal)
            return
        except StoreError:
            log.exception("the store failed: a bot attaches")
            await refuse(context, store_failed())
            return
        welcome = a.BotWelcome(server=versions.server_info(self.hall))
        bot.send(a.AttachBotResponse(welcome=welcome))
        self.hall.presence.follow(holder)
        arena.attach(bot)
        logs.log.info("bot attached", bot=bot.name, capacity=bot.capacity)
        reader = asyncio.create_task(self._read(bot, requests))
        try:
            async for message in bot.messages():
                yield message
        except Refusal as refusal:
            await refuse(context, refusal)
        finally:
            reader.cancel()
            arena.detach(bot)
            self.hall.presence.unfollow(holder)
            logs.log.info("bot gone", bot=bot.name)

    def _hello(self, holder: bytes, first: object) -> Bot:
        if isinstance(first, Malformed):
            raise first.refusal
        if not isinstance(first, a.AttachBotRequest) or not first.HasField("hello"):
            raise Refusal(reasons.REJECTION_REASON_HELLO_EXPECTED, "the first message is BotHello")
        if first.hello.least_revision > versions.CONTRACT_REVISION:
            raise Refusal(
                reasons.REJECTION_REASON_CONTRACT_UNSUPPORTED,
                f"this server has revision {versions.CONTRACT_REVISION} of the contract, "
                f"the client needs {first.hello.least_revision}",
            )
        if self.hall.draining:
            raise draining()
        bot = Bot(first.hello, holder)
        only = self.settings.reserved_bots_only
        if not entitled(bot.name, first.hello.token, self.settings.reserved, only_reserved=only):
            raise Refusal(
                reasons.REJECTION_REASON_NOT_ALLOWED,
                "the name is reserved: BotHello.token must be the token that belongs to it",
            )
        return bot

    async def _read(self, bot: Bot, requests: AsyncIterator[Any]) -> None:
        """Carry out what a bot says, until it is done; nonsense ends its stream."""
        try:
            async for request in requests:
                self._told(bot, request)
        except Refusal as refusal:
            bot.finish(refusal)
        except grpc.aio.AbortError:  # by us: the server drains, say
            bot.finish()
        except Exception:  # whatever it is, it ends this stream and nothing else
            log.exception("a bot's stream failed")
            bot.finish(fault())
        else:
            bot.finish()

    def _told(self, bot: Bot, request: a.AttachBotRequest | Malformed) -> None:
        if isinstance(request, Malformed):
            raise request.refusal
        kind = request.WhichOneof("message")
        if kind == "offer_reply":
            self.hall.arena.reply(bot, request.offer_reply)
        elif kind == "capacity":
            self.hall.arena.resize(bot, request.capacity.capacity)
        elif kind == "hello":
            raise Refusal(reasons.REJECTION_REASON_HELLO_EXPECTED, "BotHello came twice")
        else:
            raise Refusal(
                reasons.REJECTION_REASON_NOT_SUPPORTED, "a message that is not known here"
            )

    @unary
    async def ListBots(self, request: a.ListBotsRequest, caller: Caller) -> a.ListBotsResponse:
        arena = self.hall.arena
        most = self.settings.page_size
        size = min(request.page_size or most, most)
        after = place_of(request)
        names = sorted(name for name in arena.bots if name > after)
        room = Room(self.settings)
        bots: list[arena_pb2.BotInfo] = []
        for name in names[:size]:
            attached = arena.bots[name]
            bot = arena_pb2.BotInfo(
                name=name,
                version=attached[-1].version,
                capacity=sum(bot.capacity for bot in attached),
                busy=arena.busy(name),
                instances=len(attached),
                ability=attached[-1].ability,
                # To the others of a game it would tell how the thoughts of a bot go.
                asked_ms=self._asked_ms(name) if caller.operator else None,
            )
            if not room.takes(bot):
                break
            bots.append(bot)
        more = bots[-1].name if len(names) > len(bots) else ""
        return a.ListBotsResponse(bots=bots, next_page_token=token_for(request, more))

    def _asked_ms(self, name: str) -> int:
        """How long games have waited for the bots of a name that are attached."""
        holders = {bot.holder for bot in self.hall.arena.bots[name]}
        return sum(self.hall.asked_ms(holder) for holder in holders)
