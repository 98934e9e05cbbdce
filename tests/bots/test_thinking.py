"""What bots think in: worlds of their view and nothing else, within their time."""

from __future__ import annotations

import time
from random import Random
from typing import TYPE_CHECKING

import pytest

from endless_winter.bots import BOTS, Search, monte_carlo, named
from endless_winter.bots.policy import Policy
from endless_winter.bots.self_play import Unseen, unseen
from endless_winter.cli.process import COMMAND, running
from endless_winter.content import load_pack
from endless_winter.rules import Config, Game, agenda
from endless_winter.rules.icons import REST
from endless_winter.rules.options import PLACE, b_of, verb_of
from endless_winter.sdk import BotFailed, LocalTable
from endless_winter.sdk.client import Client
from endless_winter.sdk.model import then_of
from endless_winter.views import PublicEncoder, Words, private_bytes
from tests.sdk.arena import attached, seats, steady

if TYPE_CHECKING:
    from collections.abc import Iterator

    from endless_winter.sdk import Decision, Option, View

PACK = load_pack()
COUNTED = [f"{name}:worlds=1" if "worlds" in BOTS[name].SETTINGS else name for name in BOTS]


def games(players: int, seed: int, every: int) -> Iterator[Game]:
    """Positions of a game between policies, with a choice to make."""
    game = Game.new(Config(PACK.tables, players), seed.to_bytes(32, "big"))
    asked = 0
    while len(game.options()):
        if len(game.options()) > 1:
            asked += 1
            if asked % every == 0:
                yield game.copy()
        game.apply(Policy(game.position, game.position.agenda[-1][1]).choose(game))


def test_the_policy_places_figures_where_they_pay() -> None:
    places = [0] * (REST + 1)
    for seed in range(4):
        game = Game.new(Config(PACK.tables, 2), seed.to_bytes(32, "big"))
        while game.options():
            code = Policy(game.position, game.position.agenda[-1][1]).choose(game)
            if verb_of(code) == PLACE:
                places[b_of(code)] += 1
            game.apply(code)
    columns = [count for count in places if count]
    assert len(columns) == 5, "it goes everywhere"
    assert max(columns) < sum(columns) / 2


@pytest.mark.parametrize("players", [2, 4])
def test_worlds_of_a_seat_have_the_view_of_the_seat(players: int) -> None:
    words = Words(PACK)
    for game in games(players, 6, every=50):
        seat = game.position.agenda[-1][1]
        world = Unseen(game, seat).draw(Random(1))
        assert world.options() == game.options()
        for mine, theirs in ((game.position, world.position),):
            assert private_bytes(words, mine, seat) == private_bytes(words, theirs, seat)
            shown = [PublicEncoder(words).encode(position) for position in (mine, theirs)]
            assert shown[0] == shown[1]


@pytest.mark.parametrize("spec", COUNTED)
def test_no_bot_sees_more_than_its_seat_may(spec: str) -> None:
    """With everything hidden in another order it thinks the very same."""
    bot = named(spec)()
    for game in games(2, 5, every=90):
        seat = game.position.agenda[-1][1]
        other = unseen(game, seat, Random(3))
        thoughts = [bot.think(Unseen(one, seat), Random(9)) for one in (game, other)]
        assert thoughts[0] == thoughts[1]


def test_the_policy_looks_at_nothing_hidden() -> None:
    for game in games(3, 8, every=5):
        seat = game.position.agenda[-1][1]
        other = unseen(game, seat, Random(4))
        assert Policy(game.position, seat).choose(game) == Policy(other.position, seat).choose(
            other
        )


def test_bots_choose_over_the_network_as_at_the_local_table() -> None:
    asked: dict[str, list[str]] = {"network": [], "local": []}
    local = LocalTable(seed=5)
    seen_so_far = 0

    def witness(decision: Decision, view: View) -> Option:
        """Plays like its rival, and asks every bot at some decisions what it would do."""
        while local.seat != decision.seat or local.view(view.seat).public != view.public:
            local.play(steady(local.decision, local.view(local.seat)))
        nonlocal seen_so_far
        seen_so_far += 1
        if seen_so_far % 16 == 0:
            for spec in COUNTED:
                for where, (one, seen) in {
                    "network": (decision, view),
                    "local": (local.decision, local.view(view.seat)),
                }.items():
                    bot = named(spec)()
                    same = _renamed(one, decision)
                    choice = bot.choose(same, seen)
                    said = (same.pick(choice).text, *then_of(choice))
                    asked[where].append(f"{spec} {said}")
        return steady(decision, view)

    with (
        running((*COMMAND, "--synchronous", "off")) as server,
        attached(witness, server.address, "witness") as bot,
        attached(steady, server.address, "steady"),
        Client(server.address) as client,
    ):
        game = client.create(config=seats("witness", "steady"), seed=5)
        client.result(game.game_id)
        assert bot.runner.tally.failures == 0, bot.lines
    assert len(asked["network"]) > 2 * len(COUNTED)
    assert asked["network"] == asked["local"]


def _renamed(decision: Decision, like: Decision) -> Decision:
    """The same decision under another's game and number, which a bot's chance comes from."""
    prompt = type(decision.raw)()
    prompt.CopyFrom(decision.raw)
    prompt.decision.decision_id = like.id
    return type(decision)(prompt, like.catalog, like.game_id)


def test_a_search_keeps_to_its_time() -> None:
    bot = Search(ms=30)
    spent = []
    for game in games(4, 7, every=40):
        seat = game.position.agenda[-1][1]
        start = time.thread_time()
        bot.think(Unseen(game, seat), Random(2))
        spent.append(time.thread_time() - start)
    # A world that was begun is played to its end, in pure Python up to 0.3 s.
    assert sorted(spent)[len(spent) // 2] < 0.5


def test_a_search_that_is_pressed_for_time_answers_by_its_first_look() -> None:
    game = next(games(2, 7, every=40))
    seat = game.position.agenda[-1][1]
    worlds = Unseen(game, seat)
    hurried = monte_carlo.choose(worlds, Random(2), monte_carlo.Budget(10.0).within(0.0))
    first = monte_carlo.look(worlds.draw(Random(2)), seat)
    assert hurried[0].option == first[0].option


def test_more_worlds_cost_more_and_the_best_comes_first() -> None:
    for game in games(2, 3, every=70):
        if game.position.agenda[-1][0] == agenda.TURN:
            seat = game.position.agenda[-1][1]
            found = monte_carlo.choose(Unseen(game, seat), Random(1), monte_carlo.Budget(worlds=2))
            worths = [choice.worth for choice in found]
            assert worths[0] == max(worths)


@pytest.mark.parametrize(
    "spec", ["search:worlds", "search:worlds=0", "search:depth=3", "quick:ms=3", "search:ms=fast"]
)
def test_a_setting_that_a_bot_does_not_have_is_refused_in_a_line(spec: str) -> None:
    with pytest.raises(BotFailed, match=f"there is no bot {spec!r}: write "):
        named(spec)


def test_settings_stand_behind_the_name() -> None:
    bot = named("search:worlds=16")()
    assert isinstance(bot, Search)
    assert bot.budget == monte_carlo.Budget(worlds=16)


# --- plans ---

PLANNERS = [name for name in BOTS if BOTS[name].PLANS]


@pytest.mark.parametrize("name", PLANNERS)
def test_what_a_bot_plans_is_taken_and_saves_half_of_its_answers(name: str) -> None:
    table = LocalTable(seed=4)
    bots = [named(name)(), named(name)()]
    answers = planned = 0
    while not table.over and answers < 60:
        choice = bots[table.seat].choose(table.decision, table.view(table.seat))
        before = table.decisions
        table.play(choice)
        answers += 1
        planned += len(then_of(choice))
        # It plans as far as its view determines what it will be asked, and no further.
        assert table.decisions - before == 1 + len(then_of(choice))
    assert table.decisions > 2 * answers
    assert table.decisions == answers + planned


def test_quick_sends_half_as_many_answers_as_it_decides() -> None:
    with (
        running((*COMMAND, "--synchronous", "off")) as server,
        attached(BOTS["quick"], server.address, "one") as one,
        attached(BOTS["quick"], server.address, "two") as two,
        Client(server.address) as client,
    ):
        game = client.create(config=seats("one", "two"), seed=5)
        result = client.result(game.game_id)
        tallies = [one.runner.tally, two.runner.tally]
    assert sum(tally.failures for tally in tallies) == 0
    assert sum(tally.choices for tally in tallies) < result.raw.decisions / 2


def test_a_bot_in_a_hurry_plans_nothing() -> None:
    table = LocalTable(seed=4)
    prompt = type(table.decision.raw)()
    prompt.CopyFrom(table.decision.raw)
    prompt.deadline_unix_ms = prompt.sent_unix_ms = 1
    hurried = type(table.decision)(prompt, table.catalog, table.game_id)
    while not then_of(named("quick")().choose(table.decision, table.view(table.seat))):
        table.play(table.decision.default)
    prompt.decision.CopyFrom(table.decision.raw.decision)
    assert then_of(named("quick")().choose(hurried, table.view(table.seat))) == ()
