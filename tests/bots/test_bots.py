"""The bots that come along play whole games, repeat themselves, explain themselves, and rank."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.bots import BOTS, Heuristic, Plain, named
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


# A search that is the same on every machine, and quick enough for tests.
SPECS = {name: f"{name}:worlds=1" if "worlds" in BOTS[name].SETTINGS else name for name in BOTS}


def made(name: str, seed: int = 7) -> Bot:
    bot = named(SPECS[name])()
    bot.seed = seed
    return bot


def play(names: list[str], seed: int, config: config_pb2.GameConfig | None = None) -> Result:
    table = LocalTable(players=len(names), seed=seed, config=config)
    bots = [made(name) for name in names]
    while not table.over:
        table.play(bots[table.seat].choose(table.decision, table.view(table.seat)))
    assert table.result is not None
    return table.result


def texts(names: list[str], seed: int, most: int = 1000) -> list[str]:
    """The first choices of a game, or all."""
    table = LocalTable(players=len(names), seed=seed)
    bots = [made(name) for name in names]
    found: list[str] = []
    while not table.over and len(found) < most:
        choice = table.decision.pick(
            bots[table.seat].choose(table.decision, table.view(table.seat))
        )
        found.append(choice.text)
        table.play(choice)
    return found


@pytest.mark.parametrize("name", BOTS)
def test_a_repeated_game_repeats(name: str) -> None:
    most = 12 if SPECS[name] != name else 1000
    assert texts([name, "random"], 3, most) == texts([name, "random"], 3, most)


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
    for _ in range(12):
        choice = table.decision.pick(bot.choose(table.decision, table.view(table.seat)))
        said = bot.explain()
        assert said
        assert f"{choice.text}:" not in said  # the choice itself is said by its label
        assert "\n" not in said
        table.play(choice)


def test_before_its_first_choice_a_bot_has_nothing_to_explain() -> None:
    assert {BOTS[name]().explain() for name in BOTS} == {""}


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


def test_quick_wins_against_greedy_and_makes_most_of_the_points_of_heuristic() -> None:
    assert play(["quick", "greedy"], 1).winner == 0
    first, second = play(["quick", "heuristic"], 2).scores, play(["heuristic", "quick"], 2).scores
    own, others = first[0] + second[1], first[1] + second[0]
    assert own > 0.6 * others  # too few games for the true share


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
