"""The game as a PettingZoo AEC environment over a local table."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import numpy as np
from gymnasium import spaces

from endless_winter.content import Pack, load_pack
from endless_winter.pettingzoo.actions import ActionTable, table_of
from endless_winter.pettingzoo.layout import KNOWN
from endless_winter.pettingzoo.observations import Observer
from endless_winter.sdk import LocalTable, Option
from endless_winter.views import config_of
from endless_winter.views.sampling import Sampler
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.sdk import Decision
    from endless_winter.v1 import config_pb2

Observation = dict[str, Any]
Reward = Literal["win", "margin"]
Illegal = Literal["raise", "default"]

_SEED_BITS: Final = 256
_MARGIN: Final = 100  # points that count as 1


class EndlessWinterEnv(AECEnv[str, Observation, Any]):
    """One game; agents are "seat_0", "seat_1", ...

    `reward` is paid when the game ends: "win" gives the winner 1 and the others together -1;
    "margin" gives each seat its points less the mean of the others', in hundreds. `illegal` says
    what an action does whose mask is 0: "raise" an error, or take the "default" option.
    """

    metadata: ClassVar[dict[str, Any]] = {  # type: ignore[misc]  # the base declares no ClassVar
        "name": "endless_winter_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        players: int = 2,
        *,
        config: config_pb2.GameConfig | None = None,
        pack: Pack | str | Path | None = None,
        reward: Reward = "win",
        illegal: Illegal = "raise",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        if reward not in ("win", "margin"):
            raise ValueError(f'reward is "win" or "margin", not {reward!r}')
        if illegal not in ("raise", "default"):
            raise ValueError(f'illegal is "raise" or "default", not {illegal!r}')
        if render_mode not in (None, "ansi"):
            raise ValueError(f'render_mode is "ansi" or None, not {render_mode!r}')
        self.render_mode: str | None = render_mode
        self._pack: Pack = pack if isinstance(pack, Pack) else load_pack(pack)
        # A table says in one line what is wrong with a configuration.
        self._table: LocalTable = LocalTable(players, seed=0, config=config, pack=self._pack)
        self._config: config_pb2.GameConfig = self._table.info.config
        self._reward: Reward = reward
        self._illegal: Illegal = illegal
        self._rng: random.Random = random.Random()
        rules = config_of(self._config, self._pack)
        for name in rules.modules:
            if name not in KNOWN:
                raise ValueError(
                    f'the module "{name}" has no place in the observations and actions of these '
                    f"environments; they know {', '.join(KNOWN)}"
                )
        self._sampler: Sampler = Sampler(self._pack, rules)
        self.actions: ActionTable = table_of(rules)
        self.observer: Observer = Observer(rules)
        self._legal: dict[int, int] | None = None
        self.possible_agents = [f"seat_{seat}" for seat in range(rules.players)]
        self.agents = []
        self._spaces: dict[str, spaces.Dict] = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0.0, 1.0, (self.observer.size,), np.float32),
                    "action_mask": spaces.Box(0, 1, (len(self.actions),), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self._choices: dict[str, spaces.Discrete] = {
            agent: spaces.Discrete(len(self.actions)) for agent in self.possible_agents
        }

    # --- what a learner asks ---

    def observation_space(self, agent: str) -> spaces.Dict:
        return self._spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self._choices[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002 - of the interface
        """A new game; with a seed the one that `LocalTable(seed=seed)` plays.

        Without one the games that follow a seeded one are drawn from its seed.
        """
        if seed is not None:
            self._rng = random.Random(seed)
            chance = seed
        else:
            chance = self._rng.getrandbits(_SEED_BITS)
        self._table = LocalTable(seed=chance, config=self._config, pack=self._pack)
        self._legal = None
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None  # type: ignore[assignment]  # as the base itself does
        self.agent_selection = self.possible_agents[self._table.seat]

    def observe(self, agent: str) -> Observation:
        seat = self.possible_agents.index(agent)
        view = self._table.view(seat)
        chooses = not self._table.over and self._table.seat == seat
        mask = np.zeros(len(self.actions), dtype=np.int8)
        kind = 0
        if chooses:
            kind = self._table.decision.kind
            mask[list(self._options())] = 1
        known = self._sampler.read(view.public, view.private)
        observation = self.observer.observe(known, view.public, kind)
        return {"observation": observation, "action_mask": mask}

    def step(self, action: Any) -> None:
        """Carry out an action of the agent that chooses; None once its game is over."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self._cumulative_rewards[agent] = 0.0
        self._clear_rewards()
        self._table.play(self._chosen(action))
        self._legal = None
        if self._table.over:
            self.rewards = self._final_rewards()
            self.terminations = dict.fromkeys(self.agents, True)
        else:
            self.agent_selection = self.possible_agents[self._table.seat]
        self._accumulate_rewards()
        if self._table.over:
            self._deads_step_first()

    def render(self) -> str | None:
        """With render_mode "ansi": where the game stands, in a few lines."""
        if self.render_mode is None:
            return None
        public = self._table.view(None).public
        lines = [f"round {public.turn.round}"]
        lines += [
            f"seat_{player.seat}: {player.score} points, {player.food} Food, "
            f"{player.tools} Tools, {player.hand_count} cards in hand"
            for player in public.players
        ]
        if self._table.over:
            lines.append("the game is over")
        else:
            decision = self._table.decision
            lines.append(
                f"seat_{decision.seat}: {decision.prompt} ({len(decision.options)} options)"
            )
        return "\n".join(lines)

    def close(self) -> None:
        """Nothing is held open."""

    # --- between numbers and the words of the game ---

    @property
    def table(self) -> LocalTable:
        """The table that is played at; it knows everything, so it is no part of an observation."""
        return self._table

    @property
    def decision(self) -> Decision:
        """The pending decision, as a bot of the SDK gets it."""
        return self._table.decision

    def option_of(self, action: int) -> Option:
        """The option of the pending decision that an action means."""
        return self._table.decision.options[self._chosen(action)]

    def action_of(self, option: Option | str) -> int:
        """The action that an option of the pending decision is, for learning from bots."""
        return self.actions.number(self._table.decision.pick(option).text)

    # --- inside ---

    def _options(self) -> dict[int, int]:
        """The legal actions, each with the id of its option."""
        if self._legal is None:
            number = self.actions.number
            self._legal = {
                number(option.text): option.id for option in self._table.decision.options
            }
            # Were two options one action, the mask would hide one of them.
            assert len(self._legal) == len(self._table.decision.options)
        return self._legal

    def _chosen(self, action: int | None) -> int:
        chosen = None if action is None else self._options().get(int(action))
        if chosen is not None:
            return chosen
        decision = self._table.decision
        if self._illegal == "default":
            return decision.default.id
        known = action is not None and 0 <= action < len(self.actions)
        what = f"action {action} ({self.actions.names[int(action)]})" if known else f"{action!r}"  # type: ignore[arg-type]
        raise ValueError(
            f"{what} is not legal now for {self.agent_selection}: "
            f"choose where the action_mask is 1 ({len(decision.options)} actions)"
        )

    def _final_rewards(self) -> dict[str, float]:
        result = self._table.result
        assert result is not None
        seats = result.raw.seats
        others = len(seats) - 1
        if self._reward == "win":
            return {
                f"seat_{seat.seat}": 1.0 if seat.place == 1 else -1.0 / others for seat in seats
            }
        points = [seat.score for seat in seats]
        return {
            f"seat_{seat.seat}": (seat.score - (sum(points) - seat.score) / others) / _MARGIN
            for seat in seats
        }


def raw_env(players: int = 2, **settings: Any) -> EndlessWinterEnv:
    """The environment without PettingZoo's checks of how it is used."""
    return EndlessWinterEnv(players, **settings)


def env(players: int = 2, **settings: Any) -> AECEnv[str, Observation, Any]:
    """The environment; `settings` are those of `EndlessWinterEnv`."""
    checked: AECEnv[str, Observation, Any] = wrappers.OrderEnforcingWrapper(
        EndlessWinterEnv(players, **settings)
    )
    return checked
