"""The server's benchmark: each measurement in a tiny form, and what its figures are made of."""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from bench import slim
from bench.counting import Counter
from bench.pacing import Pace
from bench.playing import Seating
from bench.prepared import names, prepare
from bench.protocol import QUICK, Run, Sizes, middle
from bench.serve import MEASUREMENTS, serve
from endless_winter.service import checking
from endless_winter.service.identity import holder_of
from endless_winter.store import upkeep
from endless_winter.store.opening import read_game
from endless_winter.store.records import Status
from endless_winter.v1 import decision_pb2, play_service_pb2, result_pb2, update_pb2

if TYPE_CHECKING:
    from pathlib import Path

p = play_service_pb2


def update(game_id: str, seat: int, **fields: object) -> p.PlayReport:
    sent = update_pb2.Update(seq=7, **fields)  # type: ignore[arg-type]
    return p.PlayReport(game_id=game_id, seat=seat, update=sent)


LIMITS: dict[str, dict[str, float | None]] = {
    "throughput": {
        "4 games, one stream, of the echo's rate": 1,
        "4 games, 4 streams, of the echo's rate": 0.5,
    },
    "latency": {},
    "store": {},
    "pace": {},
    "prompt": {"a prompt, of building it anew": 0.3},
    "start": {"start, 6 games": None},
    "memory": {"an idle game": 64, "with 4 seats connected": 170},
    "cost": {"a decision with 4 games, of 2": 1.2},
    "flat": {"memory gained in the second half": 2},
    "attack": {
        "answers: worst wait of others": 500,
        "answers: server's memory": 200,
        "resets: clocks that ran out": 0,
    },
}


def measured(tmp_path: Path, *names: str) -> tuple[dict[str, Any], str]:
    """The figures of a tiny run, and what it said meanwhile."""
    file = tmp_path / "figures.json"
    flags = [flag for name in names for flag in ("--only", name)]
    result = CliRunner().invoke(serve, ["--quick", "--repeat", "1", "--json", str(file), *flags])
    assert result.exit_code == 0, result.output
    assert "rules core" in result.stdout
    found: dict[str, Any] = json.loads(file.read_text())
    assert {"python", "cores", "compiled"} < set(found)
    targets = {target["name"]: target for target in found["targets"]}
    for name in names or MEASUREMENTS:
        for target, limit in LIMITS[name].items():
            assert targets[target]["limit"] == limit
            assert targets[target]["met"] in ((True, False) if limit is not None else (None,))
            assert target in result.stdout
    return found, result.stderr


def test_a_tiny_run_says_of_each_figure_whether_it_meets_its_limit(tmp_path: Path) -> None:
    _, said = measured(tmp_path, "throughput", "memory", "prompt")
    for name in ("throughput", "opening 24 streams"):
        assert f"bench serve: {name}" in said


@pytest.mark.soak
def test_every_measurement_runs(tmp_path: Path) -> None:
    found, _ = measured(tmp_path)
    targets = {target["name"]: target for target in found["targets"]}
    assert targets["one game: median wait"]["limit"] > 0
    assert targets["6 games at 200/s: p99"]["limit"] in (10, None)  # none if the echo is slow too
    assert len(found["runs"]["flat"]) == 20
    assert set(LIMITS) == set(MEASUREMENTS)


def test_only_what_was_asked_for_is_measured() -> None:
    result = CliRunner().invoke(serve, ["--quick", "--repeat", "1", "--only", "prompt"])
    assert result.exit_code == 0, result.output
    assert "a prompt, of building it anew" in result.stdout
    assert "echo" not in result.stdout
    wrong = CliRunner().invoke(serve, ["--only", "nothing"])
    assert wrong.exit_code == 2
    assert "throughput" in wrong.stderr


def test_slim_messages_read_what_the_contract_writes() -> None:
    decision = decision_pb2.Decision(
        decision_id=300, options=[decision_pb2.Option(option_id=n, text=f"o{n}") for n in range(5)]
    )
    prompt = decision_pb2.Prompt(decision=decision, sent_unix_ms=1)
    ended = update("g2", 1)
    ended.update.result.SetInParent()
    ended.update.result.outcome = result_pb2.GAME_OUTCOME_ABORTED
    body = p.PlayResponse(
        reports=[
            p.PlayReport(welcome=p.Welcome()),
            update("g1", 3, prompt=prompt),
            update("g1", 2),
            ended,
        ]
    ).SerializeToString()
    found = slim.read(body)
    assert found.over == [b"g2"]
    (asked,) = found.asked
    assert asked.key == (b"g1", 3)
    (command,) = p.PlayRequest.FromString(asked.answer).commands
    assert (command.game_id, command.seat, command.answer.decision_id) == ("g1", 3, 300)
    assert command.answer.option_id == 300 * 7919 % 5


def test_a_rejection_stops_the_load_with_its_reason() -> None:
    report = p.PlayReport(game_id="g")
    report.rejection.message = "that was wrong"
    with pytest.raises(RuntimeError, match="that was wrong"):
        slim.read(p.PlayResponse(reports=[report]).SerializeToString())


@pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**32, 2**63])
def test_answers_are_commands_of_the_contract(number: int) -> None:
    raw = slim.command((b"game", 0), number, number % 2**32)
    again = slim.command((b"x" * 200, 3), 1, 2)
    one, two = p.PlayRequest.FromString(raw + again).commands
    assert (one.seat, one.answer.decision_id) == (0, number)
    assert one.HasField("seat")
    assert two.game_id == "x" * 200


def test_the_warm_up_does_not_count() -> None:
    counter = Counter(4, warm=2)
    counter.weigh(1000)
    for wait in (9.0, 9.0, 0.1, 0.2, 0.3, 0.4, 9.0):
        counter.count(wait)
        counter.weigh(10)
    found = counter.figures()
    assert counter.over
    assert found["p50_ms"] == pytest.approx(300)
    assert found["most_ms"] == pytest.approx(400)
    assert found["size"] == 10


def test_a_game_that_ends_gives_its_place_when_all_its_seats_know() -> None:
    seating = Seating((0, 1), ["next"])
    assert seating.successor(b"a") is None
    assert seating.successor(b"b") is None
    assert seating.successor(b"a") == "next"
    with pytest.raises(RuntimeError, match="spare"):
        seating.successor(b"b")


async def test_what_is_due_stays_due_while_nothing_is_ready() -> None:
    clock = itertools.count(0, 0.01)  # a hundredth passes at every look
    pace: Pace[int] = Pace(1000, lambda: next(clock))
    sent: list[tuple[float, int]] = []
    looks = 0

    async def send(due: float, piece: int) -> None:
        sent.append((due, piece))

    def over() -> bool:
        nonlocal looks
        looks += 1
        if looks == 5:  # only now the server has asked anything
            for piece in range(10):
                pace.ready(piece)
        return len(sent) == 10

    await pace.run(send, over, [])
    assert [piece for _, piece in sent] == list(range(10))
    # However late they went out: each counts from its own moment, a thousandth after the other.
    assert [due for due, _ in sent] == pytest.approx([n / 1000 for n in range(10)])


def test_prepared_games_are_what_a_server_would_have_written(tmp_path: Path) -> None:
    store = tmp_path / "games.db"
    prepare(store, games=20, seats=3, decisions=5, secret="ab" * 32)
    assert list(upkeep.problems(store)) == []
    assert list(checking.problems(store)) == []
    assert upkeep.contents(store).games == len(names(20))
    found = read_game(store, "b19")  # more than are really played
    assert found is not None
    record, entries = found
    assert record.header.status == Status.RUNNING
    assert set(record.header.holders.values()) == {holder_of("ab" * 32)}
    assert [entry.kind for entry in entries].count("choice") == 5


def test_the_median_counts_unless_a_value_is_given(tmp_path: Path) -> None:
    assert middle([{"per_second": 1}, {"per_second": 3}, {"per_second": 2}]) == {"per_second": 2}
    run = Run(tmp_path, 3, QUICK, lambda _: None)
    run.judge("wait", [5, 1, 3], 2)
    run.judge("rate", [5, 1, 3], 4, at_least=True, value=5)
    assert [(t.value, t.low, t.high, t.met) for t in run.targets] == [
        (3, 1, 5, False),
        (5, 1, 5, True),
    ]
    assert Sizes().counts == (10, 100, 1000, 5000)
