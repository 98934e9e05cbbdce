"""A bot's own stream: it attaches to the arena by name and takes the seats it is offered."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

import grpc

from endless_winter.sdk.connection import LEAST_REVISION, error_of, sdk_version
from endless_winter.sdk.errors import Refused
from endless_winter.v1 import arena_pb2, arena_service_pb2_grpc, play_service_pb2_grpc
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.sdk.connection import Endpoint
    from endless_winter.sdk.stream import Key

# Every option is listed in every kind of game, so a bot can always choose.
ABILITY: Final = arena_pb2.BotAbility(rivers=True, modules=True, solo=True, nomad=True)


class Offers:
    """Attaches a bot, on each new connection again."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        name: str,
        capacity: int,
        token: str,
        welcomed: Callable[[], None],
        held: Callable[[Key], None],
        taken: Callable[[Key, str], None],
    ) -> None:
        """What is called: when the bot is attached; for each seat that it holds already; and for
        each seat that has just become its own, with its options.
        """
        self._endpoint = endpoint
        self._hello = a.BotHello(
            name=name,
            version=sdk_version(),
            capacity=capacity,
            ability=ABILITY,
            token=token,
            least_revision=LEAST_REVISION,
        )
        self._welcomed = welcomed
        self._held = held
        self._taken = taken
        self._accepted: dict[str, str] = {}  # offers that wait to be bound: the bot's options

    async def attend(self, channel: grpc.aio.Channel) -> None:
        """Take offers until the stream ends."""
        stub = arena_service_pb2_grpc.ArenaServiceStub(channel)
        call: grpc.aio.StreamStreamCall[a.AttachBotRequest, a.AttachBotResponse] = stub.AttachBot(
            metadata=self._endpoint.metadata
        )
        self._accepted.clear()
        try:
            await call.write(a.AttachBotRequest(hello=self._hello))
            while isinstance(message := await call.read(), a.AttachBotResponse):
                if message.HasField("welcome"):
                    self._welcomed()
                    # Not earlier: a seat that is bound before the welcome is in this list
                    # alone, one that is bound after it by SeatBound.
                    await self._return_to_seats(channel)
                else:
                    await self._take(call, message)
        except grpc.RpcError as error:
            found = error_of(error, self._endpoint.address)
            draining = reasons.REJECTION_REASON_DRAINING
            if not (isinstance(found, Refused) and found.reason == draining):
                raise
            # The Play stream hears Goodbye, finishes what is under way, and then ends too.
            await asyncio.sleep(30.0)
        finally:
            call.cancel()

    async def _return_to_seats(self, channel: grpc.aio.Channel) -> None:
        """Seats that this secret holds: of an earlier run, or accepted just before a cut."""
        stub = play_service_pb2_grpc.PlayServiceStub(channel)
        token = ""
        while True:
            request = p.ListMySeatsRequest(page_token=token)
            page = await stub.ListMySeats(request, metadata=self._endpoint.metadata)
            for seat in page.seats:
                self._held((seat.game_id, seat.seat))
            token = page.next_page_token
            if not token:
                return

    async def _take(
        self,
        call: grpc.aio.StreamStreamCall[a.AttachBotRequest, a.AttachBotResponse],
        message: a.AttachBotResponse,
    ) -> None:
        kind = message.WhichOneof("message")
        if kind == "seat_offer":
            offer = message.seat_offer
            self._accepted[offer.offer_id] = offer.bot_options
            reply = a.OfferReply(offer_id=offer.offer_id, accept=True)
            await call.write(a.AttachBotRequest(offer_reply=reply))
        elif kind == "seat_bound":
            bound = message.seat_bound  # the offer may be one of an earlier stream
            options = self._accepted.pop(bound.offer_id, "")
            self._taken((bound.game_id, bound.seat), options)
        elif kind == "offer_closed":
            self._accepted.pop(message.offer_closed.offer_id, None)
