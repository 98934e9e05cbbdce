"""Several addresses of the same games: a node falls silent, and clients go on at the next."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from endless_winter.cli.process import running
from endless_winter.sdk.client import Client
from endless_winter.sdk.connection import Endpoint
from endless_winter.sdk.errors import BadAddress
from tests.node.machine import environment, needs_node, started
from tests.sdk.arena import attached, seats, steady
from tests.sdk.ports import nobody

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.cli.process import Server

NOTICED_SECONDS = 9.5  # five by design; the machine may be busy. With one address it is up to 20.
FAR = 40  # entries

Nodes = tuple["Server", "Server"]


@pytest.fixture
def nodes(database: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Nodes]:
    """Two servers of the same games."""
    monkeypatch.setenv("EW_STORE", database)
    with running() as first, running() as second:
        yield first, second
        os.kill(first.process.pid, signal.SIGCONT)


def played_on(nodes: Nodes, names: tuple[str, str]) -> None:
    """Stop the first server in the middle of a game, and see the game's end at the second."""
    first, second = nodes
    with (
        Client(f"{first.address},{second.address}", patience=60.0) as both,
        Client(second.address, patience=60.0) as host,
    ):
        game_id = both.create(config=seats(*names)).game_id
        assert both.address == first.address
        for seen in both.watch(game_id):
            if seen.seq >= FAR:
                break
        os.kill(first.process.pid, signal.SIGSTOP)
        stopped = time.monotonic()
        before = host.look(game_id).seq
        for seen in host.watch(game_id):
            if seen.seq > before + 1:  # a server that loads a game adds an entry
                break
        gap = time.monotonic() - stopped
        print(f"{gap:.1f} s after the first server was stopped the game went on at the second")
        assert gap < NOTICED_SECONDS
        assert both.game(game_id).game_id == game_id
        assert both.address == second.address
        assert [seat.wrong_answers for seat in host.result(game_id).raw.seats] == [0, 0]


def test_a_bot_goes_on_at_the_next_server_when_one_is_silent(nodes: Nodes) -> None:
    addresses = ",".join(server.address for server in nodes)
    with attached(steady, addresses, "one"), attached(steady, addresses, "two"):
        played_on(nodes, ("one", "two"))


@needs_node
def test_a_bot_in_javascript_goes_on_at_the_next_server_when_one_is_silent(nodes: Nodes) -> None:
    addresses = ",".join(server.address for server in nodes)
    with (
        started(environment(addresses, "node", "ab" * 32)),
        attached(steady, addresses, "two"),
    ):
        played_on(nodes, ("node", "two"))


def test_a_server_that_is_not_there_costs_a_moment() -> None:
    with nobody() as gone, running() as server, Client(f"{gone},{server.address}") as client:
        assert client.address == server.address
        assert client.addresses == f"{server.address},{gone}"


def test_each_address_is_checked_and_used_once() -> None:
    found = Endpoint.of("a:1, b:2,a:1,unix:/x")
    assert (found.address, found.others) == ("a:1", ("b:2", "unix:/x"))
    assert found.next().addresses == "b:2,unix:/x,a:1"
    assert found.next().secret == found.secret
    alone = Endpoint.of("a:1")
    assert alone.next() == alone
    for wrong in ("a:1,b", "a:1,,b:2", "a:1,"):
        with pytest.raises(BadAddress, match="several are separated by commas"):
            Endpoint.of(wrong)
