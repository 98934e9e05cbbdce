"""The results file is the only truth, and survives whatever happens to its writer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import msgspec
import pytest

from endless_winter.rules.chance import verify
from endless_winter.tournament import results, seeds
from endless_winter.tournament.errors import TournamentError
from endless_winter.tournament.results import Begun, Game, Header, Journal, Reveal, Seat, seats_of
from endless_winter.tournament.schedule import plan
from endless_winter.tournament.seeds import Key
from endless_winter.v1 import enums_pb2, result_pb2
from tests.tournament.tables import WORLD, game_of, spec_of

if TYPE_CHECKING:
    from pathlib import Path

HEADER = Header(
    format=1,
    title="t",
    key_commitment="aa",
    rules_version="1",
    content_hash="c0ffee",
    entrants=("a", "b"),
    begun_ms=1,
)


def some_games(count: int) -> list[Game]:
    spec = spec_of("a", "b", blocks=count)
    return [game_of(match, (1, 2)) for match in plan(spec, WORLD, {}).matches()][:count]


def test_what_was_appended_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    games = some_games(3)
    with Journal(path) as journal:
        journal.append([HEADER])
        journal.append(games[:2])
        journal.append(
            [games[2], Reveal(block="a+b:0", seed="5eed"), Reveal(game=games[1].id, seed="5e")]
        )
    found, whole = results.read(path)
    assert whole == path.stat().st_size
    assert found.header == HEADER
    assert list(found.games.values()) == games
    assert found.finished == {game.match: game for game in games}
    assert found.revealed == {"a+b:0", games[1].id}
    assert [found.public(game) for game in games] == [True, True, False]
    assert all(json.loads(line)["kind"] for line in path.read_text().splitlines())


def test_wherever_a_write_is_torn_the_whole_lines_stay(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    games = some_games(2)
    with Journal(path) as journal:
        journal.append([HEADER, games[0]])
        before = path.stat().st_size
        journal.append([games[1]])
    data = path.read_bytes()
    for cut in range(before, len(data), 5):
        path.write_bytes(data[:cut])
        with Journal(path) as journal:
            assert list(journal.results.games.values()) == games[:1]
            journal.append([games[1]])
        assert path.read_bytes() == data


def test_damage_elsewhere_is_an_error_and_never_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(b'{"kind": "ga\n')
    with pytest.raises(TournamentError, match="line 1 is damaged"):
        Journal(path)
    path.write_bytes(b'{"kind": "game", "id": 3}\n')
    with pytest.raises(TournamentError, match="line 1 is damaged"):
        results.read(path)


def test_one_process_at_a_time_writes(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    with Journal(path), pytest.raises(TournamentError, match="another process"):
        Journal(path)
    Journal(path).close()


def test_the_first_word_on_a_game_is_the_last(tmp_path: Path) -> None:
    (game,) = some_games(1)
    with Journal(tmp_path / "results.jsonl") as journal:
        journal.append([game, msgspec.structs.replace(game, decisions=1)])
        assert journal.results.games[game.id].decisions == 500


def test_an_attempt_that_does_not_count_is_remembered_as_one(tmp_path: Path) -> None:
    (game,) = some_games(1)
    with Journal(tmp_path / "results.jsonl") as journal:
        journal.append([msgspec.structs.replace(game, outcome="void")])
        assert journal.results.attempts == {game.match: 1}
        assert journal.results.finished == {}
        journal.append([msgspec.structs.replace(game, id=f"{game.match}-2", attempt=2)])
        assert journal.results.finished[game.match].attempt == 2


def test_an_attempt_that_left_no_result_is_remembered_and_is_no_failure(tmp_path: Path) -> None:
    (game,) = some_games(1)
    path = tmp_path / "results.jsonl"
    with Journal(path) as journal:
        journal.append([Begun(game.match, 1), Begun(game.match, 2)])
    found, _ = results.read(path)
    assert found.last == {game.match: 2}
    assert (found.attempts, found.absences, found.finished) == ({}, {}, {})


def test_a_key_is_readable_by_its_owner_alone_and_opens_its_commitment(tmp_path: Path) -> None:
    key = Key.fresh()
    path = tmp_path / "key"
    seeds.keep(path, key)
    assert path.stat().st_mode & 0o777 == 0o600
    assert seeds.load(path) == key
    assert verify(key.commitment, key.key, key.salt)
    assert key.key.hex() not in repr(key)
    with pytest.raises(FileExistsError):
        seeds.keep(path, Key.fresh())


def test_a_key_that_was_not_written_to_its_end_is_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(_: int) -> None:
        raise InterruptedError

    path = tmp_path / "key"
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", killed)
        with pytest.raises(InterruptedError):
            seeds.keep(path, Key.fresh())
    assert not path.exists()
    key = Key.fresh()
    seeds.keep(path, key)  # the next run begins anew
    assert seeds.load(path) == key
    assert list(tmp_path.iterdir()) == [path]


def test_seeds_follow_from_the_key_and_the_block() -> None:
    key = Key(bytes(range(32)), bytes(32))
    assert key.seed("a+b:0") == key.seed("a+b:0")
    made = {key.seed("a+b:0"), key.seed("a+b:1"), Key.fresh().seed("a+b:0"), key.game_salt("x-1")}
    assert len(made) == 4
    assert all(len(one) == 32 for one in made)
    # Computed apart: printf 'seed:a+b:0' | openssl dgst -sha256 -mac HMAC -macopt hexkey:000102...
    assert key.seed("a+b:0").hex() == VECTOR


VECTOR = "2ca8efed91f3eab4a523fe8f0847f0f20ee1b07868c6e16ebab2945753849bb7"


@pytest.mark.parametrize("text", ["", "ab\ncd\n", f"{'z' * 64}\n{'0' * 64}\n", "é"])
def test_a_key_file_without_a_key_is_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / "key"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(TournamentError, match="key"):
        seeds.load(path)


def test_a_line_has_what_the_result_has() -> None:
    result = result_pb2.GameResult(
        seats=[
            result_pb2.SeatResult(
                seat=0,
                reason=result_pb2.END_REASON_NORMAL,
                place=1,
                score=70,
                categories=[
                    result_pb2.CategoryScore(
                        category=result_pb2.SCORE_CATEGORY_SACRED_STONES, points=12
                    )
                ],
            ),
            result_pb2.SeatResult(
                seat=1,
                reason=result_pb2.END_REASON_ILLEGAL_FLOOD,
                place=2,
                timeouts=3,
                wrong_answers=8,
            ),
        ]
    )
    statistics = result_pb2.GameStatistics(
        seats=[
            result_pb2.SeatStatistics(
                seat=0,
                answers=90,
                charged_ms=4000,
                longest_ms=150,
                figures=[
                    result_pb2.FigureCount(space=enums_pb2.ACTION_SPACE_HUNT, figures=5),
                    result_pb2.FigureCount(space=enums_pb2.ACTION_SPACE_REST, figures=1),
                ],
            ),
            result_pb2.SeatStatistics(seat=1),
        ]
    )
    first, second = seats_of(result, statistics, ["ann", "bob"])
    assert first == Seat(
        entrant="ann",
        place=1,
        score=70,
        decisions=90,
        charged_ms=4000,
        longest_ms=150,
        points={"sacred_stones": 12},
        columns={"hunt": 5, "rest": 1},
    )
    assert second == Seat(
        entrant="bob", place=2, reason="illegal_flood", timeouts=3, wrong_answers=8
    )
