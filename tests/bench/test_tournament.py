"""A tiny form of ``python -m bench tournament``: it measures, and every game is played."""

from __future__ import annotations

import asyncio
import sys
from typing import TYPE_CHECKING

import pytest

from bench.tournament import GROWTH, grown, impossible, plain, served, tournament
from endless_winter.tournament.host import Host

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_tournament_of_trivial_bots_has_a_rate(tmp_path: Path) -> None:
    found = tournament(tmp_path / "x", workers=1, at_once=4, games=8, looks=8)
    assert found.games > 0
    assert found.decisions > 100 * found.games
    assert min(found.processor.values()) > 0.001
    assert len(found.memory) == 8
    assert min(found.memory) > 20e6


@pytest.mark.skipif(sys.platform != "linux", reason="sets how processes are scheduled")
def test_a_tournament_is_measured_beside_a_server_with_its_own_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stopped(Exception):
        """The command has been seen; nothing is started."""

    commands: list[list[str]] = []

    def seen(command: list[str], **more: object) -> None:
        del more
        commands.append(command)
        raise Stopped

    monkeypatch.setattr("bench.processes.running", seen)
    monkeypatch.setattr("endless_winter.tournament.processes.start", seen)
    with pytest.raises(Stopped):
        plain(tmp_path / "plain", places=4, per_second=1.0)
    with pytest.raises(Stopped):
        asyncio.run(Host(tmp_path / "host", tokens={"a": "x"}).start())
    bare, ours = map(set, commands)
    assert {"--synchronous", "normal", "--log-level", "warning"} <= bare < ours
    rights = {"--operator-token-file", "operator", "--operators-create", "--operators-seed"}
    # And what keeps entrants from crowding each other out.
    fences = ("--reserved-bot", "--unix-socket", "--connections", "--calls-per-connection")
    assert {
        word for word in ours - bare if not (word.startswith(fences) or word.isdecimal())
    } == rights


def test_a_rate_that_no_server_can_serve_is_an_error() -> None:
    assert impossible(19_000.0, 10_000.0, 2) == ""
    assert "the measurement is wrong" in impossible(21_000.0, 10_000.0, 2)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_tournament_is_no_quicker_than_its_servers_are_alone(tmp_path: Path) -> None:
    alone = served(tmp_path / "served", answers=400)
    found = tournament(tmp_path / "x", workers=1, at_once=0, games=4, bot="random")
    assert impossible(found.decisions, alone, 1) == ""


def test_a_memory_leak_is_distinguished_from_caches_that_fill_up() -> None:
    fills = [50, 90, 99, 100, 101, 100, 102, 101, 100, 101]
    leaks = [50 + 5 * number for number in range(10)]
    assert grown(fills) < GROWTH < grown(leaks)
    assert grown([70]) == 1
