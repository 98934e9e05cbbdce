"""Bots on a real server: whole games, cuts, errors, lateness."""

from __future__ import annotations

import asyncio
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import grpc
import pytest

from endless_winter.cli.process import COMMAND, running
from endless_winter.sdk import Bot, play_local
from endless_winter.sdk.bot import maker
from endless_winter.sdk.client import Client
from endless_winter.sdk.connection import Endpoint
from endless_winter.sdk.errors import Refused, ServerGone, WrongServer
from endless_winter.sdk.local import LocalTable
from endless_winter.sdk.runner import Runner
from endless_winter.v1 import clock_pb2, result_pb2, update_pb2
from endless_winter.v1 import play_service_pb2 as p
from tests.sdk.arena import PATIENCE, Running, attached, seats, steady
from tests.sdk.proxy import Proxy
from tests.sdk.scripted import Arena, Talk, scripted
from tests.service.test_tls import Files

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from endless_winter.cli.process import Server
    from endless_winter.sdk import Decision, Option, Result, Table, View


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running((*COMMAND, "--synchronous", "off", "--creates-per-minute", "0")) as found:
        yield found


def test_a_game_over_the_network_is_the_game_at_the_local_table(server: Server) -> None:
    with (
        attached(steady, server.address, "one"),
        attached(steady, server.address, "two"),
        Client(server.address) as client,
    ):
        game = client.create(seed=5, config=seats("one", "two"))
        result = client.result(game.game_id)
    local = play_local([steady, steady], seed=5)
    assert result.raw.seats == local.raw.seats
    assert result.raw.decisions == local.raw.decisions


class Witness(Bot):
    """Saves what it gets, and checks that it is what a local table would show."""

    def __init__(self) -> None:
        self.tables: list[Table] = []
        self.results: list[Result] = []
        self.over = threading.Event()
        self.local: LocalTable | None = None
        self.compared = 0

    def started(self, table: Table) -> None:
        self.tables.append(table)
        self.local = LocalTable(config=table.config, seed=9)

    def choose(self, decision: Decision, view: View) -> Option:
        # Both seats play defaults, so that the local table can follow.
        local = self.local
        assert local is not None
        while local.seat != decision.seat or local.view(view.seat).public != view.public:
            local.play(local.decision.default)
        same = [(option.text, option.label, option.raw.move) for option in local.decision.options]
        assert [(option.text, option.label, option.raw.move) for option in decision.options] == same
        assert local.view(view.seat).private == view.private
        assert view.catalog is local.catalog
        self.compared += 1
        chosen = decision.default
        local.play(chosen.text)
        return chosen

    def ended(self, result: Result) -> None:
        self.results.append(result)
        self.over.set()


def test_a_bot_gets_the_same_objects_over_the_network(server: Server) -> None:
    witness = Witness()
    with attached(witness, server.address, "witness", capacity=2) as bot:
        with Client(server.address) as client:
            game = client.create(seed=9, config=seats("witness", ""))
            seat = client.join(game.game_id, name="Ann")
            client.ready(game.game_id, seat)
            while True:
                seen = client.wait(game.game_id, seat)
                assert seen is not None
                if seen.decision is None:
                    break
                client.submit(seen.decision)
        assert witness.over.wait(PATIENCE)  # we may know the end before the bot does
        assert bot.lines[1:] == []
    (table,) = witness.tables
    assert (table.seat, table.players, table.game_id) == (0, 2, game.game_id)
    assert [one.display_name for one in table.info.seats] == ["witness", "Ann"]
    assert witness.compared > 20
    assert [result.completed for result in witness.results] == [True]


def test_several_games_on_one_stream_through_cuts(server: Server) -> None:
    games = 4
    with (
        Proxy(server.address) as proxy,
        Client(server.address) as client,
        attached(steady, proxy.address, "cut", capacity=games) as bot,
        attached(steady, server.address, "whole", capacity=games),
    ):
        made = [client.create(seed=n, config=seats("cut", "whole")) for n in range(games)]
        # Cut whenever the first game has come further by so many entries.
        next_cut, cuts = 30, 0
        for seen in client.watch(made[0].game_id):
            if seen.seq > next_cut and cuts < 3:
                cuts += 1
                # What is seen here may be long past: the bot may not be back from the last cut.
                bot.printed("attached to", cuts)
                proxy.cut()
                next_cut = seen.seq + 30
        results = [client.result(game.game_id) for game in made]
        assert cuts
        bot.printed("trying again", cuts)
        assert bot.runner.tally.failures == bot.runner.tally.late == 0
    for number, result in enumerate(results):
        assert result.raw.seats == play_local([steady, steady], seed=number).raw.seats


def test_what_a_bot_raises_is_shown_and_the_default_is_played(server: Server) -> None:
    def clumsy(decision: Decision, _: View) -> Option | str:
        if decision.kind_name == "turn":
            raise RuntimeError("my own mistake")
        return "nonsense" if decision.kind_name == "chief_side" else decision.default

    with (
        attached(clumsy, server.address, "clumsy") as bot,
        attached(lambda d, _: d.default, server.address, "plain") as other,
        Client(server.address) as client,
    ):
        game = client.create(seed=2, config=seats("clumsy", "plain"))
        result = client.result(game.game_id)
        line = bot.printed("Traceback")
        again = bot.printed("RuntimeError at test_runner.py:")
        wrong = bot.printed("no option 'nonsense'")
        assert other.lines[1:] == []
    assert again.endswith("10 times so far")  # in full once, then it is counted
    assert sum("Traceback" in one for one in bot.lines) == 1
    assert 'raise RuntimeError("my own mistake")' in line
    assert "sdk/playing.py" not in line
    assert "(turn): the bot raised, the default is played" in line
    assert "decision" in wrong
    assert "(chief_side)" in wrong
    assert "the default is played" in wrong
    assert bot.runner.tally.failures > 2
    # Nothing but defaults was played, and nothing that the server had to refuse.
    assert result.raw.seats == play_local([lambda d, _: d.default] * 2, seed=2).raw.seats


def test_a_bot_that_cannot_be_made_plays_defaults(server: Server) -> None:
    class Broken(Bot):
        def __init__(self) -> None:
            raise RuntimeError("no model file")

    with (
        attached(Broken, server.address, "broken") as bot,
        attached(lambda d, _: d.default, server.address, "other"),
        Client(server.address) as client,
    ):
        result = client.result(client.create(config=seats("broken", "other")).game_id)
        assert "the bot did not start, defaults are played" in bot.printed("no model file")
    assert result.completed


def test_a_late_decision_is_named(server: Server) -> None:
    dreaming, release = threading.Event(), threading.Event()
    slow: list[int] = []

    def dreamer(decision: Decision, _: View) -> Option:
        assert decision.seconds_left is not None
        if decision.kind_name == "turn" and not slow:
            slow.append(decision.id)
            dreaming.set()
            release.wait(PATIENCE)
        return decision.default

    control = clock_pb2.TimeControl(decision_limit_ms=700, timeouts_to_forfeit=100)
    with (
        attached(dreamer, server.address, "dreamer") as bot,
        attached(lambda d, _: d.default, server.address, "awake"),
        Client(server.address) as client,
    ):
        game = client.create(config=seats("dreamer", "awake", time_control=control))
        assert dreaming.wait(PATIENCE)
        # On a busy machine others may be late as well.
        line = bot.printed(f"decision {slow[0]} (turn): late")
        for seen in client.watch(game.game_id):
            if seen.seq > slow[0]:  # the server has not waited any longer
                break
        release.set()
        result = client.result(game.game_id)
    assert f"game {game.game_id}, seat 0, decision " in line
    assert bot.runner.tally.late >= 1
    assert bot.runner.tally.failures == 0
    assert result.raw.seats[0].timeouts >= 1


def test_choices_are_explained_when_asked(server: Server) -> None:
    class Wise(Bot):
        def choose(self, decision: Decision, view: View) -> int:
            self.why = f"{view.me.food} food"
            return decision.default.id

        def explain(self) -> str:
            return self.why

    with (
        attached(Wise, server.address, "wise", explain=True) as bot,
        attached(steady, server.address, "other"),
        Client(server.address) as client,
    ):
        game = client.create(config=seats("wise", "other"))
        client.result(game.game_id)
        line = bot.printed("(turn, ")
    assert f"wise: game {game.game_id}, seat 0:" in bot.lines  # once for all choices of a game
    assert re.fullmatch(r"wise: \d+: [A-Z].* - \d+ food \(turn, \d+ options, \d+\.\d ms\)", line)


def test_a_bot_that_is_started_again_goes_on_with_its_games(server: Server) -> None:
    # The opponent waits until the bot has come back.
    back = threading.Event()
    chosen: list[str] = []

    def waits(decision: Decision, _: View) -> Option:
        if decision.kind_name == "turn":
            assert back.wait(PATIENCE)
        return decision.default

    def notes(decision: Decision, _: View) -> Option:
        chosen.append(decision.kind_name)
        return decision.default

    with attached(waits, server.address, "waits"), Client(server.address) as client:
        with attached(notes, server.address, "again"):
            game = client.create(seed=3, config=seats("waits", "again"))
            for seen in client.watch(game.game_id):
                if seen.view is not None and seen.view.public.turn.round == 1:
                    break
        before = len(chosen)
        with attached(notes, server.address, "again"):
            back.set()
            result = client.result(game.game_id)
    assert len(chosen) > before
    assert result.raw.seats == play_local([lambda d, _: d.default] * 2, seed=3).raw.seats


async def test_a_game_that_is_over_is_not_attached_again() -> None:
    """Two streams report a seat: one may call it the bot's after the other reported its end."""
    arena = Arena()
    catalog = LocalTable(seed=1).catalog

    async def script(talk: Talk) -> None:
        await talk.welcome()
        arena.bound("first", 0)
        first = await talk.receive("attach")
        assert (first.game_id, first.seat) == ("first", 0)
        talk.send(first, attached=p.Attached(content_hash=catalog.content_hash))
        end = update_pb2.Update(seq=1, result=result_pb2.GameResult())
        talk.send(first, request_id="", update=end)
        while not runner.tally.games:  # noqa: ASYNC110 # counted in the thread that plays
            await asyncio.sleep(0.01)
        arena.bound("first", 0)
        arena.bound("second", 1)
        second = await talk.receive("attach")
        assert (second.game_id, second.seat) == ("second", 1)

    async with scripted(script, arena=arena) as (address, finished):
        said: list[str] = []
        runner = Runner(maker(steady), Endpoint(address), name="bot", say=said.append)
        playing = asyncio.create_task(asyncio.to_thread(runner.run))
        await asyncio.wait_for(finished.wait(), PATIENCE)
        runner.stop()
        await asyncio.wait_for(playing, PATIENCE)


def test_a_server_that_is_gone_in_mid_game_is_reported_after_a_visible_wait() -> None:
    with running() as server:
        bot = Running(steady, server.address, "left", patience=1.0)
        bot.thread.start()
        bot.printed("attached to")
        with Client(server.address) as client:
            client.create(config=seats("left", ""))
        server.process.kill()
        bot.thread.join(PATIENCE)
    assert isinstance(bot.error, ServerGone)
    assert "gave up after 1 s, the games stay where they are" in str(bot.error)
    assert bot.printed("trying again in")


def test_what_a_server_refuses_for_good_is_reported_at_once(server: Server) -> None:
    for name, expected in (("no good name!", "INVALID_ARGUMENT"), ("x" * 41, "INVALID_ARGUMENT")):
        bot = Running(steady, server.address, name)
        bot.thread.start()
        bot.thread.join(PATIENCE)
        assert isinstance(bot.error, Refused)
        assert bot.error.name == expected
        assert bot.error.field == "hello.name"


def test_another_kind_of_server_is_reported_at_once() -> None:
    server = grpc.server(ThreadPoolExecutor(1))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        bot = Running(steady, f"127.0.0.1:{port}", "lost")
        bot.thread.start()
        bot.thread.join(PATIENCE)
    finally:
        server.stop(0).wait()
    assert isinstance(bot.error, WrongServer)
    assert "no Endless Winter server" in str(bot.error)


def test_bots_and_scripts_reach_a_server_by_tls(tmp_path: Path) -> None:
    files = Files(tmp_path)
    with running((*COMMAND, *files.server_flags)) as server:
        endpoint = Endpoint.of(server.address, credentials=files.channel())
        said: list[str] = []
        runner = Runner(maker(steady), endpoint, name="safe", capacity=2, say=said.append)
        thread = threading.Thread(target=runner.run)
        thread.start()
        with Client(server.address, credentials=files.channel()) as client:
            game = client.create(config=seats("safe", "safe"))
            assert client.result(game.game_id).completed
        runner.stop()
        thread.join(PATIENCE)
        with pytest.raises(ServerGone, match="no server answers"):
            Client(server.address, patience=0.0).server()
    assert said == [f"safe: attached to {server.address}, waiting for games"]
