"""Metrics and log lines of a real server."""

from __future__ import annotations

import asyncio
import urllib.request
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from prometheus_client.parser import text_string_to_metric_families

from endless_winter.service.meters import BOUNDS, Histogram, Meters
from endless_winter.service.metrics import family
from endless_winter.store.errors import StoreError
from endless_winter.v1 import game_service_pb2
from tests.foundations.tree import EW, run
from tests.service.hosting import LOG, OPERATOR, hosted, log_lines, operator
from tests.service.player import Client, play_stream, play_unary
from tests.store.support import created

if TYPE_CHECKING:
    from pathlib import Path

Found = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def scraped(address: str) -> Found:
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=60) as answer:
        text = answer.read().decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def metrics_address(folder: Path) -> str:
    (line,) = [line for line in log_lines(folder) if line["event"] == "metrics"]
    return str(line["address"])


async def test_a_played_game_is_counted(tmp_path: Path) -> None:
    with hosted(tmp_path, "--metrics", "127.0.0.1:0") as server:
        address = metrics_address(tmp_path)
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            game = await ann.create(2)
            idle = await ann.create(2)
            assert idle.game_id != game.game_id
            one, two = await ann.join(game.game_id), await bob.join(game.game_id)
            await asyncio.gather(
                play_stream(ann, [(game.game_id, one)], 1), play_unary(bob, game.game_id, two, 1)
            )
            with pytest.raises(grpc.aio.AioRpcError):
                await ann.view("nothing")
            for number in range(3):
                invented: Any = ann.channel.unary_unary(
                    f"/endless_winter.v1.Invented{number}/Method"
                )
                with pytest.raises(grpc.aio.AioRpcError):
                    await invented(b"", metadata=ann.metadata)
            # A refused call is counted when its end is on its way: the client may know it before.
            missing = ("ew_calls_total", (("code", "NOT_FOUND"), ("method", "PlayService/GetView")))
            while missing not in (found := scraped(address)):
                await ann.view(game.game_id)
    assert found[missing] == 1
    assert not any("Invented" in value for _, labels in found for _, value in labels)
    assert found["ew_calls_total", (("code", "OK"), ("method", "GameService/CreateGame"))] == 2
    decisions = found["ew_decisions_total", ()]
    assert decisions > 100
    assert found["ew_log_entries_total", (("kind", "choice"),)] == decisions
    assert found["ew_log_entries_total", (("kind", "created"),)] == 2
    assert ("ew_games", (("status", "ended"),)) not in found
    assert found["ew_games", (("status", "open"),)] == 1
    assert found["ew_games_in_memory", (("status", "ended"),)] == 1
    assert found["ew_games_in_memory", (("status", "open"),)] == 1
    assert found["ew_commit_seconds_count", ()] >= decisions / 2
    assert (
        found["ew_commit_seconds_bucket", (("le", "+Inf"),)] == found["ew_commit_seconds_count", ()]
    )
    assert found["ew_commit_failures_total", ()] == 0
    assert found["ew_commands_waiting", ()] == 0
    assert found["ew_event_loop_lag_seconds", ()] >= 0
    assert ("ew_streams", ()) in found


async def test_unfinished_games_are_counted_before_anybody_asks_for_them(tmp_path: Path) -> None:
    def counted(name: str) -> dict[str, float]:
        found = scraped(metrics_address(tmp_path))
        return {labels[0][1]: n for (metric, labels), n in found.items() if metric == name and n}

    with hosted(tmp_path, "--metrics", "127.0.0.1:0") as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            games = [(await ann.create(2)).game_id for _ in range(4)]
            for game_id in games[:3]:
                await ann.join(game_id, 0)
                await bob.join(game_id, 1)
            await ann.ready(games[0], 0)
            await bob.ready(games[0], 1)
            abort = game_service_pb2.AbortGameRequest(game_id=games[1])
            await ann.games.AbortGame(abort, metadata=ann.metadata)
        assert counted("ew_games") == {"running": 1, "starting": 1, "open": 1}
        assert server.stop() == 0
    (tmp_path / LOG).unlink()
    with hosted(tmp_path, "--metrics", "127.0.0.1:0") as server:
        assert counted("ew_games_in_memory") == {}
        assert counted("ew_games") == {"running": 1, "starting": 1, "open": 1}
        async with Client(server.address, "ann") as ann:
            await ann.view(games[0])
            assert counted("ew_games_in_memory") == {"running": 1}
            assert counted("ew_games") == {"running": 1, "starting": 1, "open": 1}
            abort = game_service_pb2.AbortGameRequest(game_id=games[2])
            await ann.games.AbortGame(abort, metadata=ann.metadata)
        assert counted("ew_games") == {"running": 1, "open": 1}


def test_what_is_not_committed_is_a_failure_and_no_entry() -> None:
    meters = Meters()
    appends = [created("one"), created("two")]
    meters.committed(appends, [None, StoreError("no room")], 1.0)
    assert meters.entries == {"choice": 1}
    assert sum(meters.commit.counts) == 1
    assert meters.commit_failures == 1


def test_a_histogram_counts_each_value_once() -> None:
    histogram = Histogram()
    for value in (0.0, BOUNDS[0], 0.0006, 0.3, 100.0):
        histogram.add(value)
    counted = family(histogram, "x", "x")
    counts = {sample.labels["le"]: sample.value for sample in counted.samples if sample.labels}
    assert counts["0.0005"] == 2
    assert counts["0.001"] == 3
    assert counts["0.5"] == 4
    assert counts["+Inf"] == 5


def test_metrics_stay_on_this_machine_and_a_busy_port_costs_one_line(tmp_path: Path) -> None:
    done = run(EW, "serve", "--metrics", "0.0.0.0:1", cwd=tmp_path)
    assert done.returncode == 2
    assert "metrics have no TLS" in done.stderr
    with hosted(tmp_path, "--metrics", "127.0.0.1:0"):
        address = metrics_address(tmp_path)
        flags = ("--listen", "127.0.0.1:0", "--metrics", address, "--store", "other.db")
        done = run(EW, "serve", *flags, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr == f"ew: cannot serve metrics on {address}: address already in use\n"


async def test_a_log_line_has_request_game_and_seat_and_no_secret(tmp_path: Path) -> None:
    flags = ("--log-level", "debug", "--operator-token", OPERATOR)
    with hosted(tmp_path, *flags) as server:
        async with Client(server.address, "ann") as ann:
            ann.metadata = operator(*ann.metadata)
            game = await ann.create(2)
            seat = await ann.join(game.game_id)
            await ann.view(game.game_id, seat)
            await ann.view(game.game_id)
            await ann.games.ListGames(game_service_pb2.ListGamesRequest(), metadata=ann.metadata)
        assert server.stop() == 0
    lines = log_lines(tmp_path)
    calls = [line for line in lines if line["event"] == "call"]
    # gRPC's own words for every call would drown ours.
    assert not [line for line in lines if line["logger"].startswith("grpc")]
    view, watched = [line for line in calls if line["method"] == "PlayService/GetView"]
    assert "seat" not in watched
    assert view["game"] == game.game_id
    assert view["seat"] == seat
    assert view["code"] == "OK"
    assert view["level"] == "debug"
    assert len({line["request"] for line in calls}) == len(calls)
    text = (tmp_path / "serve.log").read_text()
    assert OPERATOR not in text
    assert dict(ann.metadata)["ew-client-secret"] not in text
