"""``ew replay``: games are exported, shown and checked from the command line."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from functools import cache
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from endless_winter.cli import replay_file
from endless_winter.cli.process import COMMAND, running
from endless_winter.cli.replay import replay
from endless_winter.cli.replay_file import ReplayError
from endless_winter.engine.replay.record import file_hash
from endless_winter.engine.replay.verifying import OtherVersion, verify
from endless_winter.v1 import replay_pb2
from tests.engine.desk import PACK
from tests.rules.scene import FROZEN
from tests.service.logs import Playing, eventful, stored_in
from tests.service.player import secret
from tests.service.test_tls import Files

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

GAME = "game-0"


@cache
def _data() -> bytes:
    return eventful().record().SerializeToString(deterministic=True)


def record() -> replay_pb2.ReplayFile:
    return replay_pb2.ReplayFile.FromString(_data())


def ew(*words: str | Path, **environment: str) -> Result:
    done = CliRunner().invoke(replay, [str(word) for word in words], env=environment)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return done


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "game.ewr"
    path.write_bytes(_data())
    return path


def saved(tmp_path: Path, changed: replay_pb2.ReplayFile) -> Path:
    """A changed record whose own hash is made to fit."""
    changed.file_hash = file_hash(changed)
    path = tmp_path / "changed.ewr"
    path.write_bytes(changed.SerializeToString())
    return path


# --- verify ---


def test_a_good_file_is_verified_in_one_line(file: Path) -> None:
    done = ew("verify", file)
    assert done.exit_code == 0
    count = len(record().entries)
    assert done.output == f"{file}: verified: {count} entries, seed, choices, events and result\n"


def test_a_forged_file_gets_one_line_with_the_place(tmp_path: Path) -> None:
    changed = record()
    entry = next(one for one in changed.entries if one.seq > 40 and one.HasField("choice"))
    entry.choice.option_id += 1
    path = saved(tmp_path, changed)
    done = ew("verify", path)
    assert done.exit_code == 1
    assert done.output.count("\n") == 1
    assert f"{path}: entry {entry.seq}: option" in done.output
    changed = record()
    changed.game.seed_reveal.seed = bytes(32)
    done = ew("verify", saved(tmp_path, changed))
    assert "seed and salt do not give the commitment" in done.output
    changed = record()
    changed.entries[90].position_hash = bytes(16)
    done = ew("verify", saved(tmp_path, changed))
    assert "entry 91: leads to another position" in done.output


def test_a_flipped_byte_is_found(file: Path) -> None:
    data = bytearray(_data())
    data[len(data) // 2] ^= 4
    file.write_bytes(data)
    done = ew("verify", file)
    assert done.exit_code == 1
    assert done.output.count("\n") == 1
    assert str(file) in done.output


def test_another_version_is_refused_with_a_clear_word_but_shown(tmp_path: Path) -> None:
    changed = record()
    changed.entries[0].created.rules_version = changed.game.rules_version = "0"
    path = saved(tmp_path, changed)
    done = ew("verify", path)
    assert done.exit_code == 1
    assert "rules version '0'" in done.output
    assert "it can be shown, not verified" in done.output
    assert "The end (completed)" in ew("show", path).output


def test_another_content_pack_is_refused_with_a_clear_word(file: Path) -> None:
    done = ew("verify", file, "--content", FROZEN)
    assert done.exit_code == 1
    assert f"content pack '{PACK.digest}'" in done.output
    assert "it can be shown, not verified" in done.output


def test_a_file_that_is_no_replay_costs_one_line(tmp_path: Path) -> None:
    for name, data in (
        ("empty", b""),
        ("text", b"hello"),
        ("json", b'{"contract_revision": 1}'),
        ("list", b"[1, 2]"),
        ("other", b'{"cards": []}'),
    ):
        path = tmp_path / name
        path.write_bytes(data)
        for command in ("verify", "show"):
            done = ew(command, path)
            assert done.exit_code == 1, name
            assert done.output.count("\n") == 1
            assert "not a replay" in done.output
    assert "cannot be read" in ew("verify", tmp_path / "missing").output


# --- show ---


def test_a_game_is_shown_open_through_a_seats_eyes_and_a_spectators(file: Path) -> None:
    opened = ew("show", file, "--plain").output
    assert opened.startswith(f"game {GAME}: 3 seats")
    for words in (
        "player 0 (seat 0) sits down",
        "=== Round 1 ===",
        "=== Round 4 ===",
        "takes back",
        "The clock of",
        "changes standing answers",
        "The server was restarted",
        "out of the game (time out)",
        "The end (completed): 1. ",
    ):
        assert words in opened
    drawn = [line for line in opened.splitlines() if " draws " in line]
    assert drawn
    assert all(": " in line.split(" draws ")[1] for line in drawn)
    for eyes in ("0", "1", "2", "spectator"):
        shown = ew("show", file, "--eyes", eyes, "--plain").output
        own = f"player {eyes} (seat {eyes})"
        for line in shown.splitlines():
            if " draws " in line:
                known = ": " in line.split(" draws ")[1]
                assert known == (own in line)
        assert ("chooses: place" in shown) == (eyes != "spectator")
    assert "no seat 3" in ew("show", file, "--eyes", "3").output


def test_shown_names_cannot_command_the_terminal(tmp_path: Path) -> None:
    changed = record()
    changed.game.game_id = "evil\x1b[2J"
    for entry in changed.entries:
        for event in entry.events:
            if event.public_event.HasField("seat_changed"):
                event.public_event.seat_changed.seat.display_name = "x\x1b]0;owned\x07\u202e"
    shown = ew("show", saved(tmp_path, changed)).output
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\u202e" not in shown
    assert "x?]0;owned?? (seat 0)" in shown


def test_show_works_in_a_pipe_that_is_closed_early(file: Path) -> None:
    command = [sys.executable, "-m", "endless_winter.cli", "replay", "show", str(file)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        first = process.stdout.readline()
        process.stdout.close()
        complaints = process.stderr.read()
        status = process.wait(60)
    assert first.startswith(b"game ")
    assert (status, complaints) == (0, b"")


# --- export ---


def test_a_game_is_exported_from_a_store_and_from_a_server_alike(tmp_path: Path) -> None:
    log = eventful()
    running_game = Playing(5).play(20).log()
    held = Playing(6, hold_reveal=True).play().log()
    store = tmp_path / "endless-winter.db"
    stored_in(store, log, running_game, held)
    out = tmp_path / "a.ewr"
    done = ew("export", GAME, "--store", store, "--out", out)
    assert done.exit_code == 0, done.output
    assert done.output == f"{out}: {len(log.logged)} entries, {out.stat().st_size} bytes\n"
    assert replay_file.read(out) == log.record()
    again = ew("export", GAME, "--store", store, "--out", out)
    assert (again.exit_code, "not overwritten" in again.output) == (1, True)
    as_json = tmp_path / "a.json"
    ew("export", GAME, "--store", store, "--json", "--out", as_json)
    assert json.loads(as_json.read_text())["game"]["game_id"] == GAME
    assert replay_file.read(as_json) == log.record()
    assert ew("verify", as_json).exit_code == 0
    for game_id, words in (
        (running_game.game_id, "has not ended"),
        (held.game_id, "held back"),
        ("nothing", "there is no game 'nothing'"),
    ):
        refused = ew("export", game_id, "--store", store, "--out", tmp_path / "b")
        assert (refused.exit_code, refused.output.count("\n")) == (1, 1)
        assert words in refused.output
    with running(folder=tmp_path) as server:
        served = tmp_path / "served.ewr"
        done = ew("export", GAME, "--server", server.address, "--out", served)
        assert done.exit_code == 0, done.output
        assert served.read_bytes() == out.read_bytes()
        shown = ew("show", GAME, "--server", server.address, "--plain").output
        assert shown in ew("show", out, "--eyes", "spectator", "--plain").output
        opened = ew("show", GAME, "--server", server.address, "--eyes", "open", "--plain").output
        assert opened in ew("show", out, "--plain").output
        for game_id, reason in (
            (running_game.game_id, "NOT_REVEALED_YET"),
            (held.game_id, "NOT_REVEALED_YET"),
            ("nothing", "GAME_NOT_FOUND"),
        ):
            refused = ew("export", game_id, "--server", server.address, "--out", tmp_path / "b")
            assert (refused.exit_code, refused.output.count("\n")) == (1, 1)
            assert reason in refused.output
        refused = ew("show", running_game.game_id, "--server", server.address, "--eyes", "0")
        assert "SECRET_MISSING" in refused.output
        address = server.address
    assert "no answer" in ew("export", GAME, "--server", address).output
    assert not (tmp_path / "b").exists()


def test_a_running_game_is_shown_through_the_eyes_of_its_holder_over_tls(
    tmp_path: Path,
) -> None:
    files = Files(tmp_path)
    (key, mine), (_, other) = (secret(name)[0] for name in ("ann", "bob"))
    assert key == "ew-client-secret"
    log = Playing(5, names=("ann", "bob")).play(30).log()
    stored_in(tmp_path / "endless-winter.db", log)
    with running((*COMMAND, *files.server_flags), folder=tmp_path) as server:
        asked = ("show", log.game_id, "--server", server.address, "--tls-ca", files.ca)
        shown = ew(*asked, "--eyes", "0", "--plain", EW_CLIENT_SECRET=mine).output
        assert "ann (seat 0) chooses: " in shown
        assert "bob (seat 1) chooses: " not in shown
        assert "bob (seat 1) chooses\n" in shown
        refused = ew(*asked, "--eyes", "0", EW_CLIENT_SECRET=other)
        assert "NOT_ALLOWED" in refused.output
        wrong = ew(*asked, "--eyes", "0", EW_CLIENT_SECRET="short")
        assert (wrong.exit_code, "64 lower-case" in wrong.output) == (2, True)
        clear = ew("show", log.game_id, "--server", server.address)
        assert "no answer" in clear.output


def test_export_needs_one_source() -> None:
    for words in ((), ("--server", "a:1", "--store", "b")):
        done = ew("export", GAME, *words)
        assert done.exit_code == 2
        assert "--server or --store" in done.output


# --- fuzz ---


def mutant(data: bytes, choices: random.Random) -> bytes:
    """A damaged copy: bytes changed, cut out, repeated or put in."""
    changed = bytearray(data)
    for _ in range(choices.choice((1, 1, 1, 4))):
        at = choices.randrange(len(changed))
        size = choices.choice((1, 1, 2, 30, 500))
        what = choices.randrange(8)
        if what == 0:
            del changed[at : at + size]
        elif what == 1:
            changed[at:at] = changed[at : at + size]
        elif what == 2:
            changed[at:at] = choices.randbytes(size)
        else:
            changed[at] ^= 1 << choices.randrange(8)
    return bytes(changed)


def said_of(data: bytes) -> str:
    """What reading and verifying say of some bytes; empty: they were read as a replay."""
    try:
        found = replay_file.parse(data)
    except ReplayError as error:
        return f"unread: {error}"
    try:
        return verify(found, PACK).line()
    except OtherVersion as error:
        return str(error)


@pytest.mark.parametrize("seed", [1, 2])
def test_whatever_the_bytes_reading_and_verifying_say_so_in_their_own_words(seed: int) -> None:
    choices = random.Random(seed)
    small = Playing(seed).play(8).log()
    binary = small.record().SerializeToString()
    text = replay_file.to_bytes(small.record(), as_json=True)
    read = 0
    for number in range(400):
        data = (
            mutant(binary, choices),
            mutant(text, choices),
            mutant(binary, choices),
            choices.randbytes(choices.randrange(200)),
            b"{" + choices.randbytes(50),
        )[number % 5]
        said = said_of(data)
        assert said, f"seed {seed}, number {number}: a game that never ended was verified"
        assert "\n" not in said
        read += not said.startswith("unread")
    assert read > 50, f"seed {seed}: too few were read at all"


def test_deep_json_is_refused() -> None:
    with pytest.raises(ReplayError):
        replay_file.parse(b'{"game":' * 50_000)
    with pytest.raises(ReplayError):
        replay_file.parse(b'{"entries":' + b"[" * 100_000)


def test_hostile_contents_are_shown_and_refused_without_a_fault(tmp_path: Path) -> None:
    """Well-formed messages with numbers that no game has."""
    choices = random.Random(3)
    numbers = (0, 1, 3, 255, 2**31 - 1, 2**32 - 1)
    for _ in range(60):
        changed = record()
        entry = choices.choice(changed.entries)
        kind = entry.WhichOneof("entry")
        assert kind is not None
        body = getattr(entry, kind)
        for field in body.DESCRIPTOR.fields:
            if field.type == field.TYPE_UINT32:
                setattr(body, field.name, choices.choice(numbers))
        for event in entry.events:
            inner = event.public_event.WhichOneof("event")
            part = getattr(event.public_event, inner or "choice_made")
            for field in part.DESCRIPTOR.fields:
                if field.type == field.TYPE_UINT32 and not field.is_repeated:
                    setattr(part, field.name, choices.choice(numbers))
        entry.time_unix_ms = choices.choice((-(2**63), 2**63 - 1, 0))
        path = saved(tmp_path, changed)
        assert ew("verify", path).exit_code in (0, 1)
        assert ew("show", path).exit_code == 0
