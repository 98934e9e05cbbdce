"""What cannot be taken back is asked for once more: how often that is right."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from typing import TYPE_CHECKING

from endless_winter.cli.process import COMMAND, running
from endless_winter.sdk.client import Client
from endless_winter.sdk.connection import Endpoint, new_secret
from endless_winter.terminal.finality import why_final
from endless_winter.terminal.remote import RemoteTable
from endless_winter.terminal.scene import Scene
from tests.terminal.games import MODULES, PACK, config, positions

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.sdk import LocalTable

DULL = ("end", "leave", "done", "place tribe rest", "place chief rest")


def final(table: LocalTable) -> dict[str, str]:
    """The options of a position that are asked for twice, and why."""
    scene = Scene.of(table.view(table.seat))
    decision = table.decision
    found = {one.text: why_final(one, decision, scene) for one in decision.options}
    return {text: why for text, why in found.items() if why}


def test_what_ends_reveals_or_sets_up_is_final_and_playing_a_card_is_not() -> None:
    seen: dict[str, str] = {}
    free: set[str] = set()
    for table in positions(2, 9, modules=True):
        found = final(table)
        seen.update(found)
        free |= {one.text for one in table.decision.options} - set(found)
    assert seen["end"] == "it ends your turn"
    assert seen["leave"] == "what you leave is lost"
    assert seen["done"] == "the others play on"
    assert seen["draw"] == "it reveals a hidden card"
    assert any(text.startswith("chief ") for text in seen)
    assert {"play brave", "place chief hunt", "rite", "pitch"} <= free


def test_in_a_game_without_undo_everything_is_final() -> None:
    table = next(iter(positions(2, 9)))
    table.info.config.undo_allowed = False
    assert len(final(table)) == len(table.decision.options)


async def test_the_judgement_agrees_with_the_server_nearly_always(tmp_path: Path) -> None:
    """Whether a choice could be taken back shows in the seat's next decision."""
    judged: Counter[tuple[bool, bool]] = Counter()

    async def seat(endpoint: Endpoint, game_id: str, number: int) -> None:
        chance = random.Random(number)
        table = RemoteTable(endpoint, game_id, number)
        asked: bool | None = None
        async for update in table.updates():
            decision = update.decision
            if decision is None or update.view is None:
                continue
            if asked is not None:
                judged[asked, decision.can_undo] += 1
            busy = [one for one in decision.options if one.text not in DULL]
            option = chance.choice(busy or list(decision.options))
            asked = bool(why_final(option, decision, Scene.of(update.view)))
            await table.choose(decision, option)
        await table.close()

    with running((*COMMAND, "--content", str(PACK)), folder=tmp_path) as server:
        endpoints = [Endpoint.of(server.address, new_secret()) for _ in range(2)]
        game_id = ""
        for endpoint in endpoints:
            with Client(endpoint.address, endpoint.secret) as client:
                game_id = (
                    game_id or client.create(config=config(2, modules=MODULES), seed=1).game_id
                )
                client.join(game_id)
        await asyncio.gather(*(seat(one, game_id, n) for n, one in enumerate(endpoints)))
    missed, right = judged[False, False], judged[True, False]
    needless, quiet = judged[True, True], judged[False, True]
    assert right > 20
    assert missed <= 0.15 * (missed + right), judged
    assert needless <= 0.3 * (needless + quiet), judged
