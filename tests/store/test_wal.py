"""The write-ahead log: damage in it is not taken for its end, and it does not grow for ever."""

from __future__ import annotations

import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from endless_winter.store import recovery, upkeep, wal
from endless_winter.store.errors import StoreDamaged, StoreError
from endless_winter.store.records import Head
from endless_winter.store.sqlite import CHECKPOINT_BYTES, SqliteStore
from tests.store.killed import Rounds, write_and_kill
from tests.store.support import add, create
from tests.store.support import request as asked
from tests.store.test_bits import flipped

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FRAME = 24 + 4096


def heads_after(rounds: Rounds) -> dict[str, int]:
    return {game_id: seq for said in rounds for game_id, (seq, _) in said.items()}


def places(size: int, times: int, chance: random.Random) -> list[int]:
    """Bits of a log: a third each in its header, in headers of frames, and anywhere."""
    frames = (size - 32) // FRAME
    found = []
    for number in range(times):
        if number % 3 == 0:
            found.append(chance.randrange(32 * 8))
        elif number % 3 == 1:
            frame = chance.randrange(max(0, frames - 40), frames)
            found.append((32 + frame * FRAME) * 8 + chance.randrange(24 * 8))
        else:
            found.append(chance.randrange(size * 8))
    return found


def flip_log(path: Path, rounds: Rounds, times: int) -> dict[str, int]:
    """Flip a bit of what a server left, and start again; how often it ended how."""
    file, log = path.read_bytes(), wal.wal_of(path).read_bytes()
    chance = random.Random(times)
    ends = {"all": 0, "refused": 0, "warned": 0}
    for bit in places(len(log), times, chance):
        copy = path.parent / "copy" / "games.db"
        copy.parent.mkdir()
        copy.write_bytes(file)
        wal.wal_of(copy).write_bytes(flipped(log, bit))
        try:
            store = SqliteStore.open(copy, synchronous="off")
        except StoreDamaged:
            ends["refused"] += 1
            recover(copy, rounds)
        else:
            warned = store.warnings != []
            ends["warned" if warned else "all"] += 1
            sound = rounds[:-1] if warned else rounds
            assert store_has(store, heads_after(sound)), f"bit {bit}: commits went without a word"
            store.close()
        assert list(upkeep.problems(copy)) == [], f"bit {bit}"
        shutil.rmtree(copy.parent)
    return ends


def recover(path: Path, rounds: Rounds) -> None:
    """What is lost is said, and nothing else is."""
    loss = recovery.recover(path, path.parent / "keep")
    assert loss is not None
    heads = heads_after(rounds)
    with SqliteStore.open(path, synchronous="off") as store:
        lost = {line.split()[1].rstrip(":") for line in loss.lost}
        assert store_has(store, {game: seq for game, seq in heads.items() if game not in lost})


def store_has(store: SqliteStore, wanted: dict[str, int]) -> bool:
    heads = store.heads(list(wanted))
    return all(game in heads and heads[game].seq >= seq for game, seq in wanted.items())


@pytest.fixture(params=["plain", "begun again", "half moved", "moved"])
def killed(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Rounds]:
    """A store with its commits in the log, or in a log that has begun again, or also in the file.

    What a checkpoint has moved must not be mixed with older pages from the log.
    """
    path = tmp_path / "games.db"
    if request.param in {"plain", "begun again"}:
        return path, write_and_kill(path, 1 if request.param == "plain" else 3, 40, "off")
    rounds: Rounds = []
    with (
        SqliteStore.open(tmp_path / "running.db", synchronous="off") as store,
        closing(sqlite3.connect(store.path, isolation_level=None)) as reader,
    ):
        create(store)
        for number in range(30):
            seq = add(store, "one", "x" * 50 * number, asked=asked(str(number)))
            rounds.append({"one": (seq, str(number))})
            if number == 15 and request.param == "half moved":
                reader.execute("BEGIN")  # nothing that is newer is moved as long as it reads
                reader.execute("SELECT * FROM games").fetchall()
        store.checkpoint()
        shutil.copyfile(store.path, path)
        shutil.copyfile(wal.wal_of(store.path), wal.wal_of(path))
    return path, rounds


def test_no_commit_vanishes_without_a_word_for_a_flipped_bit(killed: tuple[Path, Rounds]) -> None:
    ends = flip_log(*killed, 24)
    assert ends["refused"] > 0


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_no_commit_vanishes_for_thousands_of_flipped_bits(killed: tuple[Path, Rounds]) -> None:
    ends = flip_log(*killed, 2_000)
    assert ends["refused"] > 0
    assert ends["warned"] > 0


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Rounds]:
    """What a killed server left, without a checkpoint, and what it had acknowledged."""
    path = tmp_path_factory.mktemp("left") / "games.db"
    return path, write_and_kill(path, 1, 40, "off")


@pytest.fixture
def damaged(left: tuple[Path, Rounds], path: Path) -> Path:
    """The same with a bad frame amid its log."""
    for source, target in ((left[0], path), (wal.wal_of(left[0]), wal.wal_of(path))):
        shutil.copyfile(source, target)
    change_log(path, lambda log: flipped(log, (32 + len(log) // FRAME // 2 * FRAME + 2_000) * 8))
    return path


def change_log(path: Path, change: Callable[[bytes], bytes]) -> None:
    log = wal.wal_of(path)
    log.write_bytes(change(log.read_bytes()))


def refusal(path: Path) -> str:
    before = path.read_bytes(), wal.wal_of(path).read_bytes()
    with pytest.raises(StoreDamaged) as caught:
        SqliteStore.open(path)
    assert (path.read_bytes(), wal.wal_of(path).read_bytes()) == before, "nothing was touched"
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_start_that_would_lose_commits_is_refused_and_names_the_games(
    damaged: Path, left: tuple[Path, Rounds]
) -> None:
    said = refusal(damaged)
    assert f"'ew store recover {damaged} --keep FOLDER' keeps a copy and goes on with" in said
    games = re.findall(r"game (game-[-0-9]+): entr", said)
    assert games
    assert set(games) <= set(heads_after(left[1]))


def test_recover_keeps_a_copy_and_says_what_was_lost(damaged: Path, tmp_path: Path) -> None:
    file, log = damaged.read_bytes(), wal.wal_of(damaged).read_bytes()
    keep = tmp_path / "keep"
    loss = recovery.recover(damaged, keep)
    assert loss is not None
    assert (keep / "games.db").read_bytes() == file
    assert (keep / "games.db-wal").read_bytes() == log
    assert {one.stat().st_mode & 0o777 for one in keep.iterdir()} == {0o600}
    assert list(upkeep.problems(damaged)) == []
    assert recovery.recover(damaged, tmp_path / "again") is None
    with SqliteStore.open(damaged, synchronous="off") as store:
        assert store.warnings == []
        for line in loss.lost:
            game_id, first = re.fullmatch(r"game (\S+): entr(?:y|ies) (\d+).*", line).groups()  # type: ignore[union-attr] # a failure of the test
            heads = store.heads([game_id])
            assert heads.get(game_id, Head(0, b"")).seq == int(first) - 1


def test_recover_overwrites_nothing(damaged: Path, tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="exists already"):
        recovery.recover(damaged, tmp_path)
    refusal(damaged)


@pytest.mark.parametrize("start", [0, 8_192, 100_000])
def test_a_bad_sector_is_noticed(left: tuple[Path, Rounds], path: Path, start: int) -> None:
    shutil.copyfile(left[0], path)
    shutil.copyfile(wal.wal_of(left[0]), wal.wal_of(path))
    change_log(path, lambda log: log[:start] + bytes(4_096) + log[start + 4_096 :])
    assert "behind a bad place" in refusal(path)


def test_what_works_beside_a_server_does_not_drop_commits_either(
    damaged: Path, tmp_path: Path
) -> None:
    for call in (
        lambda: list(upkeep.problems(damaged)),
        lambda: upkeep.backup(damaged, tmp_path / "copy.db"),
        lambda: upkeep.prune(damaged, []),
        lambda: upkeep.contents(damaged),
    ):
        with pytest.raises(StoreDamaged, match="ew store recover"):
            call()
    refusal(damaged)


def test_a_torn_last_commit_is_reported_and_the_start_goes_on(
    left: tuple[Path, Rounds], path: Path
) -> None:
    shutil.copyfile(left[0], path)
    shutil.copyfile(wal.wal_of(left[0]), wal.wal_of(path))
    change_log(path, lambda log: flipped(log, len(log) * 8 - 1))
    with SqliteStore.open(path, synchronous="off") as store:
        (warning,) = store.warnings
        assert warning.startswith(f"the last commit in the write-ahead log of {path} cannot be")
        assert store_has(store, heads_after(left[1][:-1]))
    assert list(upkeep.problems(path)) == []


def test_a_flipped_bit_of_a_page_is_not_taken_for_one_of_a_frame_s_header(
    left: tuple[Path, Rounds], path: Path
) -> None:
    """The highest bit of a word changes the checksum as that of a page's number may do."""
    log = wal.wal_of(left[0]).read_bytes()
    ends = [at for at in range(32, len(log), FRAME) if log[at + 4 : at + 8] != bytes(4)]
    for start in {ends[-2] + FRAME, ends[-1]}:
        for word in range(0, 1024, 101):
            shutil.copyfile(left[0], path)
            wal.wal_of(path).write_bytes(flipped(log, (start + 24 + 4 * word + 3) * 8 + 7))
            with SqliteStore.open(path, synchronous="off") as store:
                (warning,) = store.warnings
                assert warning.startswith("the last commit")
                assert store_has(store, heads_after(left[1][:-1]))


def test_a_bad_page_that_a_checkpoint_has_moved_is_taken_from_the_file(
    path: Path, tmp_path: Path
) -> None:
    """Newer commits are in the log alone, older ones also in the file: no log alone is right."""
    with (
        SqliteStore.open(tmp_path / "running.db", synchronous="off") as store,
        closing(sqlite3.connect(store.path, isolation_level=None)) as reader,
    ):
        create(store)
        add(store, "one", "x" * 3_000)
        add(store, "one", "y" * 3_000)
        reader.execute("BEGIN")  # nothing that is newer is moved as long as it reads
        reader.execute("SELECT * FROM games").fetchall()
        for _ in range(4):
            last = add(store, "one", "z" * 3_000)
        store.checkpoint()
        shutil.copyfile(store.path, path)
        shutil.copyfile(wal.wal_of(store.path), wal.wal_of(path))
    change_log(path, lambda log: flipped(log, (log.rindex(b"x" * 3_000) + 1_000) * 8))
    assert "commits of its write-ahead log lie behind a bad place" in refusal(path)
    loss = recovery.recover(path, tmp_path / "keep")
    assert loss is not None
    assert loss.lost == ()
    assert list(upkeep.problems(path)) == []
    with SqliteStore.open(path, synchronous="off") as store:
        assert store_has(store, {"one": last})


KILLED = """
import resource, signal, sys
from endless_winter.store.sqlite import SqliteStore

signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.setrlimit(resource.RLIMIT_FSIZE, (8_000, 8_000))
SqliteStore.open(sys.argv[1])
"""


def test_a_kill_while_the_log_is_looked_at_leaves_nothing_for_ever(
    left: tuple[Path, Rounds], path: Path
) -> None:
    """A limit on the size of files kills the start as it writes its copies."""
    shutil.copyfile(left[0], path)
    shutil.copyfile(wal.wal_of(left[0]), wal.wal_of(path))
    change_log(path, lambda log: flipped(log, len(log) * 8 - 1))
    done = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert done.returncode == -signal.SIGXFSZ
    assert len(list(path.parent.iterdir())) == 3, "it was amid that"
    assert path.stat().st_nlink == 1, "and the store has its one name"
    with SqliteStore.open(path, synchronous="off") as store:
        assert len(store.warnings) == 1
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def grow(store: SqliteStore, game_id: str, size: int) -> None:
    for _ in range(size >> 18):
        add(store, game_id, "x" * (1 << 18))


def test_the_log_begins_again_after_a_checkpoint(path: Path) -> None:
    with SqliteStore.open(path, synchronous="off") as store:
        create(store)
        checkpoints = 0
        for _ in range(12):
            grow(store, "one", CHECKPOINT_BYTES // 4)
            if store.checkpoint_due():
                store.checkpoint()
                checkpoints += 1
        assert 1 < checkpoints < 6
        assert wal.wal_of(path).stat().st_size < 1.5 * CHECKPOINT_BYTES


def test_a_log_that_a_reader_held_up_begins_again_later(path: Path) -> None:
    with SqliteStore.open(path, synchronous="off") as store:
        create(store)
        with closing(sqlite3.connect(path)) as reader:
            reader.execute("BEGIN")
            reader.execute("SELECT * FROM games").fetchall()
            grow(store, "one", 2 * CHECKPOINT_BYTES)
            assert store.checkpoint_due()
            store.checkpoint()
            assert not store.checkpoint_due(), "not with each commit, as long as it helps nothing"
            grow(store, "one", 2 * CHECKPOINT_BYTES)
            assert store.checkpoint_due()
        store.checkpoint()
        grown = wal.wal_of(path).stat().st_size
        grow(store, "one", CHECKPOINT_BYTES // 2)
        assert wal.wal_of(path).stat().st_size <= grown
        assert not store.checkpoint_due()
