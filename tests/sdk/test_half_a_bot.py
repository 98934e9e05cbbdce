"""A program that speaks only part of the protocol: ``ew match`` says what comes next."""

from __future__ import annotations

import queue
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
import grpc
import pytest

from endless_winter.cli.bot_process import Entrant
from endless_winter.cli.match import Match, _attached
from endless_winter.cli.process import COMMAND, Server, running
from endless_winter.sdk.client import Client
from endless_winter.v1 import arena_service_pb2 as a
from endless_winter.v1 import arena_service_pb2_grpc, game_pb2
from tests.service.player import secret

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 240  # seconds; a test that waits longer has failed


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running((*COMMAND, "--synchronous", "off")) as found:
        yield found


@pytest.fixture
def client(server: Server) -> Iterator[Client]:
    with Client(server.address) as found:
        yield found


class Half:
    """Attaches under a name, and does nothing that the test does not ask for."""

    def __init__(self, channel: grpc.Channel, name: str) -> None:
        self.requests: queue.SimpleQueue[a.AttachBotRequest | None] = queue.SimpleQueue()
        self.requests.put(a.AttachBotRequest(hello=a.BotHello(name=name, capacity=1)))
        stub: Any = arena_service_pb2_grpc.ArenaServiceStub(channel)
        found = stub.AttachBot(
            iter(self.requests.get, None), metadata=secret(name), timeout=PATIENCE
        )
        self.responses: Iterator[a.AttachBotResponse] = found
        assert next(self.responses).HasField("welcome")

    def accept(self) -> None:
        offer = next(self.responses).seat_offer
        reply = a.OfferReply(offer_id=offer.offer_id, accept=True)
        self.requests.put(a.AttachBotRequest(offer_reply=reply))


@contextmanager
def halves(address: str, *names: str) -> Iterator[list[Half]]:
    with grpc.insecure_channel(address) as channel:
        bots = [Half(channel, name) for name in names]
        try:
            yield bots
        finally:
            for bot in bots:
                bot.requests.put(None)


class Process:
    """A bot's process that runs, and no more."""

    def __init__(self, name: str) -> None:
        self.entrant = Entrant("cmd: it", name)

    def status(self) -> int | None:
        return None


def a_match(client: Client, *names: str) -> Match:
    return Match(client, [Entrant("cmd: it", name) for name in names], [], 0.0, start_limit=0.0)


def test_a_bot_that_only_attaches_gets_the_advice_to_answer_offers(
    server: Server, client: Client
) -> None:
    with (
        halves(server.address, "deaf", "mute"),
        pytest.raises(click.ClickException) as error,
    ):
        a_match(client, "deaf", "mute").play([[1, 2]], 1, "half")
    assert error.value.message == (
        "the bot deaf attached, but did not take its seat within 0 s; a program must answer each "
        "SeatOffer by an OfferReply that accepts it"
    )


def test_a_bot_that_only_accepts_gets_the_advice_to_attach_and_say_ready(
    server: Server, client: Client
) -> None:
    with halves(server.address, "taker", "giver") as bots:
        match = a_match(client, "taker", "giver")
        game = client.create(bots=["taker", "giver"])
        for bot in bots:
            bot.accept()
        watched = client.watch(game.game_id)
        assert any(seen.status == game_pb2.GAME_STATUS_STARTING for seen in watched)
        match._waiting[game.game_id] = 0.0, ["taker", "giver"]
        with pytest.raises(click.ClickException) as error:
            match._check_begun()
    assert error.value.message == (
        "the bot taker took its seat, but was not ready within 0 s; a program must attach the game "
        "on PlayService.Play and send Ready"
    )


def test_a_bot_under_another_name_gets_the_advice_where_its_name_is_set(
    server: Server, client: Client
) -> None:
    processes: Any = [Process("mine")]
    with halves(server.address, "a-name-of-its-own"), pytest.raises(click.ClickException) as error:
        _attached(client, processes, 0.0, True)
    assert error.value.message == (
        "the bot mine did not attach within 0 s, but one called 'a-name-of-its-own' did; a program "
        "must read EW_SERVER, EW_CLIENT_SECRET and EW_BOT_NAME and call ArenaService.AttachBot"
    )
