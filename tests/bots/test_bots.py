"""The bots that come along play whole games, repeat themselves, explain themselves, and rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.bots import BOTS, Greedy, Heuristic, Plain
from endless_winter.bots.players import rng
from endless_winter.content import load_pack
from endless_winter.rules import Config
from endless_winter.rules.config import NomadRules
from endless_winter.rules.rivers.agreed import RiversRules
from endless_winter.sdk import BotFailed, LocalTable
from endless_winter.v1 import config_pb2
from endless_winter.views import message_of

if TYPE_CHECKING:
    from endless_winter.sdk import Bot, Result


def made(name: str, seed: int = 7) -> Bot:
    return {"random": Plain, "greedy": Greedy, "heuristic": Heuristic}[name](seed=seed)


def play(names: list[str], seed: int, config: config_pb2.GameConfig | None = None) -> Result:
    table = LocalTable(players=len(names), seed=seed, config=config)
    bots = [made(name) for name in names]
    while not table.over:
        table.play(bots[table.seat].choose(table.decision, table.view(table.seat)))
    assert table.result is not None
    return table.result


def texts(names: list[str], seed: int) -> list[str]:
    """The choices of a whole game."""
    table = LocalTable(players=len(names), seed=seed)
    bots = [made(name) for name in names]
    found = []
    while not table.over:
        choice = table.decision.pick(
            bots[table.seat].choose(table.decision, table.view(table.seat))
        )
        found.append(choice.text)
        table.play(choice)
    return found


@pytest.mark.parametrize("name", BOTS)
def test_a_repeated_game_repeats(name: str) -> None:
    assert texts([name, "random"], 3) == texts([name, "random"], 3)


def test_the_seed_of_a_bot_counts() -> None:
    table = LocalTable(seed=3)
    choices = {
        str(Plain(seed=seed).choose(table.decision, table.view(table.seat))) for seed in range(20)
    }
    assert len(choices) > 1


def test_chance_is_a_function_of_seed_game_and_decision() -> None:
    drawn = {rng(*key).random() for key in ((1, "a", 1), (2, "a", 1), (1, "b", 1), (1, "a", 2))}
    assert len(drawn) == 4
    assert rng(1, "a", 1).random() in drawn


def test_a_seed_that_is_no_number_is_refused_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EW_BOT_SEED", "seven")
    with pytest.raises(BotFailed, match="EW_BOT_SEED is a whole number, not 'seven'"):
        Plain()


def test_a_bot_takes_its_seed_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EW_BOT_SEED", "12")
    assert Heuristic().seed == 12


@pytest.mark.parametrize("name", BOTS)
def test_every_choice_is_explained_in_a_line(name: str) -> None:
    table = LocalTable(seed=5)
    bot = made(name)
    for _ in range(40):
        choice = table.decision.pick(bot.choose(table.decision, table.view(table.seat)))
        said = bot.explain()
        assert said
        assert f"{choice.text}:" not in said  # the choice itself is said by its label
        assert "\n" not in said
        table.play(choice)


def test_before_its_first_choice_a_bot_has_nothing_to_explain() -> None:
    assert [BOTS[name]().explain() for name in BOTS] == ["", "", ""]


@pytest.mark.parametrize("weaker", ["random", "greedy"])
def test_heuristic_wins_from_both_seats(weaker: str) -> None:
    first = play(["heuristic", weaker], 1)
    second = play([weaker, "heuristic"], 1)
    assert (first.winner, second.winner) == (0, 1)
    assert first.scores[0] > 2 * first.scores[1]


def test_heuristic_wins_among_four() -> None:
    result = play(["greedy", "greedy", "heuristic", "random"], 4)
    assert result.winner == 2
    assert result.scores[2] > 60


def test_all_of_them_play_with_warriors_and_the_mammoth() -> None:
    seat = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)
    config = config_pb2.GameConfig(
        seats=[seat, seat, seat],
        modules=config_pb2.ModuleConfig(warriors=True, mammoth=True),
    )
    result = play(["heuristic", "greedy", "random"], 8, config)
    assert result.completed
    assert result.winner == 0


@pytest.mark.parametrize("solo", [False, True])
def test_all_of_them_play_on_the_river_with_everything(solo: bool) -> None:
    config = message_of(
        Config(
            load_pack().tables,
            2 if solo else 3,
            modules=(
                "glacier_tokens",
                "rest_tokens",
                "warriors",
                "sea_cows",
                "mammoth",
                RiversRules(2, decided=True),
            ),
            nomad=NomadRules(seat=1) if solo else None,
        )
    )
    result = play(["heuristic", "greedy", "random"][:: 2 if solo else 1], 8, config)
    assert result.completed


def test_heuristic_plays_drafts_and_modules() -> None:
    seat = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)
    config = config_pb2.GameConfig(
        seats=[seat, seat, seat],
        setup_variant=config_pb2.SETUP_VARIANT_CHIEF_AND_SETUP_DRAFT,
        modules=config_pb2.ModuleConfig(glacier_tokens=True, rest_tokens=True),
    )
    result = play(["heuristic", "greedy", "random"], 8, config)
    assert result.completed
    assert result.winner == 0
