"""A bot that says what it looks at is sent nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.bots import BOTS
from endless_winter.cli.process import COMMAND, running
from endless_winter.sdk import Bot, Client, Decision, NotThisGame, Option, View, Wants, maker
from endless_winter.sdk.loading import load
from tests.sdk.arena import attached, seats

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.cli.process import Server


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running((*COMMAND, "--synchronous", "off", "--creates-per-minute", "0")) as found:
        yield found


class Sparing(Bot):
    """Looks at texts alone, and notes what else there was."""

    wants = Wants(view=False, labels=False, moves=False)

    def __init__(self) -> None:
        self.seen: list[tuple[bool, bool, bool]] = []

    def choose(self, decision: Decision, view: View) -> Option:
        option = decision.default
        try:
            looked = view.round >= 0
        except NotThisGame:
            looked = False
        self.seen.append((looked, bool(option.label), option.raw.HasField("move")))
        return option


class Curious(Sparing):
    wants = Wants()


def test_what_a_bot_does_not_want_is_not_sent(server: Server) -> None:
    sparing, curious = Sparing(), Curious()
    with (
        attached(sparing, server.address, "sparing"),
        attached(curious, server.address, "curious"),
        Client(server.address) as client,
    ):
        game = client.create(seed=5, config=seats("sparing", "curious"))
        client.result(game.game_id)
    assert set(sparing.seen) == {(False, False, False)}
    assert set(curious.seen) == {(True, True, True)}


def test_what_is_wanted_is_known_of_classes_instances_and_settings() -> None:
    assert Wants.of(maker(Sparing)) == Wants(view=False, labels=False, moves=False)
    assert Wants.of(maker(Sparing())) == Sparing.wants
    assert Wants.of(maker(lambda decision, _: decision.default)) == Wants()
    assert Wants.of(load("search:ms=10", BOTS)) == BOTS["search"].wants


def test_only_the_bot_that_needs_no_position_does_without() -> None:
    assert [name for name, bot in BOTS.items() if not bot.wants.view] == ["random"]
