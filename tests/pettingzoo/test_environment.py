"""The environment passes PettingZoo's own tests and plays whole games by its mask."""

from __future__ import annotations

import random
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from pettingzoo.test.api_test import api_test
from pettingzoo.test.seed_test import seed_test

from endless_winter.pettingzoo import EndlessWinterEnv, env, environment, layout, raw_env
from endless_winter.sdk import LocalTable, NotThisGame
from endless_winter.v1 import config_pb2

if TYPE_CHECKING:
    from pettingzoo import AECEnv

# What PettingZoo says about every environment that is not in its own list: an observation with a
# mask is a dict, and an agent whose game is over has no legal action.
usual_remarks = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array",
    "ignore:Observation space for each agent probably should be",
    "ignore:Action mask numpy array is all zeros",
)


def config_with(players: int, variant: int = 0, *, tokens: bool = False) -> config_pb2.GameConfig:
    return config_pb2.GameConfig(
        seats=[config_pb2.SeatConfig() for _ in range(players)],
        setup_variant=config_pb2.SetupVariant.values()[variant],
        modules=config_pb2.ModuleConfig(glacier_tokens=tokens, rest_tokens=tokens),
    )


def play(game: AECEnv[str, Any, Any], seed: int) -> tuple[dict[str, float], int]:
    """A game of random choices by the mask; the rewards, and how many choices there were."""
    game.reset(seed=seed)
    choices = random.Random(seed)
    total = dict.fromkeys(game.possible_agents, 0.0)
    steps = 0
    for agent in game.agent_iter():
        seen, reward, over, cut, _ = game.last()
        assert not cut
        total[agent] += reward
        if over:
            game.step(None)
            continue
        assert seen is not None
        legal = np.flatnonzero(seen["action_mask"])
        game.step(int(legal[choices.randrange(len(legal))]))
        steps += 1
    return total, steps


def repeatable(game: AECEnv[str, Any, Any]) -> AECEnv[str, Any, Any]:
    """With actions drawn from a seed: api_test seeds its games but not what it does in them."""
    for number, agent in enumerate(game.possible_agents):
        game.action_space(agent).seed(number)
    return game


@usual_remarks
@pytest.mark.parametrize("players", [2, 4])
def test_api_test(players: int) -> None:
    # More cycles than a game has choices, so that its end is tested too.
    api_test(repeatable(env(players)), num_cycles=400)  # type: ignore[no-untyped-call]


@usual_remarks
def test_api_test_with_a_draft_and_modules() -> None:
    game = env(config=config_with(3, 3, tokens=True))
    api_test(repeatable(game), num_cycles=40)  # type: ignore[no-untyped-call]


@usual_remarks
@pytest.mark.parametrize("players", [2, 3])
def test_seed_test(players: int) -> None:
    seed_test(lambda: env(players), num_cycles=60)  # type: ignore[no-untyped-call]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_masked_random_play_finishes_games(players: int) -> None:
    for seed in (1, 2):
        rewards, steps = play(env(players), seed)
        assert steps > 40 * players
        assert sorted(rewards.values()) == pytest.approx(
            [-1 / (players - 1)] * (players - 1) + [1.0]
        )


def test_the_mask_is_exactly_the_list_of_options() -> None:
    game = raw_env(config=config_with(3, 3, tokens=True))
    game.reset(seed=5)
    choices = random.Random(5)
    while not game.table.over:
        chooser = game.agent_selection
        legal = np.flatnonzero(game.observe(chooser)["action_mask"])
        decision = game.decision
        assert {game.option_of(int(action)).text for action in legal} == {
            option.text for option in decision.options
        }
        assert len(legal) == len(decision.options)
        for agent in game.agents:
            if agent != chooser:
                assert not game.observe(agent)["action_mask"].any()
        option = choices.choice(decision.options)
        game.step(game.action_of(option))


def test_a_seed_plays_the_game_of_a_local_table() -> None:
    game = raw_env(2)
    game.reset(seed=7)
    table = LocalTable(2, seed=7)
    assert game.table.info == table.info
    while not table.over:
        assert game.decision.raw == table.decision.raw
        game.step(game.action_of(table.decision.default))
        table.play(table.decision.default)
    assert game.table.result is not None
    assert game.table.result.raw == table.result.raw if table.result else False


def test_games_after_a_seeded_one_follow_from_its_seed() -> None:
    def three_games() -> list[str]:
        game = raw_env(2)
        game.reset(seed=3)
        ids = [game.table.game_id]
        for _ in range(2):
            game.reset()
            ids.append(game.table.game_id)
        return ids

    first = three_games()
    assert first == three_games()
    assert len(set(first)) == 3


def test_margin_rewards_are_points_over_the_others_in_hundreds() -> None:
    game = raw_env(3, reward="margin")
    rewards, _ = play(game, 4)
    assert game.table.result is not None
    points = [seat.score for seat in game.table.result.raw.seats]
    for seat, score in enumerate(points):
        others = (sum(points) - score) / 2
        assert rewards[f"seat_{seat}"] == pytest.approx((score - others) / 100)


def test_an_illegal_action_is_refused_and_nothing_happens() -> None:
    game = raw_env(2)
    game.reset(seed=1)
    before = game.decision
    illegal = int(np.flatnonzero(game.observe(game.agent_selection)["action_mask"] == 0)[0])
    with pytest.raises(ValueError, match=r"not legal now for seat_.*action_mask is 1"):
        game.step(illegal)
    with pytest.raises(ValueError, match="not legal"):
        game.step(10**6)
    with pytest.raises(ValueError, match="not legal"):
        game.step(None)
    assert game.decision is before


def test_an_illegal_action_can_be_the_default_instead() -> None:
    game = raw_env(2, illegal="default")
    game.reset(seed=1)
    while not game.table.over:
        game.step(10**6)
    by_default = LocalTable(2, seed=1)
    while not by_default.over:
        by_default.play(by_default.decision.default)
    assert game.table.result is not None
    assert by_default.result is not None
    assert game.table.result.raw == by_default.result.raw


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        ({"reward": "fame"}, "reward is"),
        ({"illegal": "ignore"}, "illegal is"),
        ({"render_mode": "human"}, "render_mode is"),
    ],
)
def test_a_wrong_setting_is_named(settings: dict[str, Any], line: str) -> None:
    with pytest.raises(ValueError, match=line):
        EndlessWinterEnv(2, **settings)


def test_a_wrong_number_of_players_is_named() -> None:
    with pytest.raises(NotThisGame, match="2 to 4"):
        env(7)


def test_a_module_without_a_place_among_the_numbers_is_refused_in_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What a later module is before it has one."""
    known = tuple(name for name in layout.KNOWN if name != "mammoth")
    monkeypatch.setattr(environment, "KNOWN", known)
    config = config_with(2, tokens=True)
    env(config=config)
    config.modules.mammoth = True
    with pytest.raises(ValueError, match=r'^the module "mammoth" has no place.*, rivers$'):
        env(config=config)


def test_ansi_rendering_says_where_the_game_stands() -> None:
    game = raw_env(2, render_mode="ansi")
    game.reset(seed=1)
    shown = game.render()
    assert shown is not None
    assert "seat_0: 0 points" in shown
    assert game.decision.prompt in shown
    while not game.table.over:
        game.step(game.action_of(game.decision.default))
    assert "over" in (game.render() or "")
    assert raw_env(2).render() is None
    game.close()


@pytest.mark.parametrize("missing", ["pettingzoo", "gymnasium", "numpy"])
def test_without_pettingzoo_one_line_says_what_to_install(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(sys.modules):
        if name.startswith("endless_winter.pettingzoo"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)  # as if it were not installed
    with pytest.raises(ModuleNotFoundError) as caught:
        __import__("endless_winter.pettingzoo")
    assert str(caught.value) == (
        f"endless_winter.pettingzoo needs {missing}: pip install 'endless-winter[pettingzoo]'"
    )
