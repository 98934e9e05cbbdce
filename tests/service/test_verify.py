"""A record is checked step by step: whatever is changed in it is found, and said where."""

from __future__ import annotations

import random
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest
from google.protobuf.message import DecodeError

from endless_winter.content import load_pack
from endless_winter.engine.commands import ReleaseReveal
from endless_winter.engine.replay.record import file_hash
from endless_winter.engine.replay.verifying import (
    COMMITMENT,
    CONTENT,
    EVENTS,
    FILE,
    POSITIONS,
    RESULT,
    OtherVersion,
    verify,
)
from endless_winter.v1 import event_pb2, replay_pb2
from tests.engine.desk import PACK
from tests.rules.scene import FROZEN
from tests.service.logs import DRAFT, MODULES, Playing, eventful

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.v1.replay_service_pb2 import VerifyCheckKind


@cache
def _bytes() -> bytes:
    return eventful().record().SerializeToString()


def record() -> replay_pb2.ReplayFile:
    """A fresh copy of an eventful game's record."""
    return replay_pb2.ReplayFile.FromString(_bytes())


def first(file: replay_pb2.ReplayFile, kind: str, after: int = 0) -> replay_pb2.LogEntry:
    return next(e for e in file.entries if e.seq > after and e.WhichOneof("entry") == kind)


def without_zeros(message: Any) -> None:
    """As it was written before seats and option ids had explicit presence."""
    for field, value in message.ListFields():
        if field.message_type is not None:
            for one in value if field.is_repeated else (value,):
                without_zeros(one)
        elif value or message.DESCRIPTOR.name in ("MegalithPlaced", "ModuleEvent"):
            continue  # there an absent seat has always meant nobody
        elif field.name in ("seat", "owner_seat", "by_seat", "option_id"):
            message.ClearField(field.name)


def test_a_record_of_before_seats_had_presence_is_still_verified() -> None:
    file = record()
    without_zeros(file)
    assert file != record()
    file.file_hash = file_hash(file)
    assert verify(file, PACK).line() == ""


def flipped(data: bytes) -> bytes:
    return bytes([data[0] ^ 1]) + data[1:]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_games_of_every_kind_are_verified(seats: int) -> None:
    kinds: tuple[dict[str, Any], ...] = ({}, {"modules": MODULES, "setup_variant": DRAFT})
    for number, config in enumerate(kinds):
        file = Playing(10 * seats + number, seats, **config).play().log().record()
        report = verify(file, PACK)
        assert report.line() == ""
        assert report.entries == len(file.entries)
        assert all(check.passed for check in report.checks())


@pytest.mark.parametrize("number", range(3))
def test_a_game_with_undo_clocks_forfeits_standing_answers_and_a_restart_is_verified(
    number: int,
) -> None:
    file = eventful(number).record()
    kinds = {entry.WhichOneof("entry") for entry in file.entries}
    assert {"undo", "forfeit", "standing_answers", "restart", "ended"} <= kinds
    assert verify(file, PACK).line() == ""


def test_a_game_that_was_held_back_and_one_that_was_aborted_are_verified() -> None:
    held = Playing(1, hold_reveal=True).play()
    assert verify(held.log().record(), PACK).line() == ""
    asked = held.desk.asked("operator", operator=True)
    held.desk.do(ReleaseReveal(held.game.game_id, asked))
    file = held.log().record()
    assert file.entries[-1].HasField("released")
    assert verify(file, PACK).line() == ""
    file.entries.append(file.entries[-1])
    file.entries[-1].seq += 1
    file.file_hash = file_hash(file)
    assert "a seal is opened" in verify(file, PACK).line()

    for most in (0, 30):
        playing = Playing(2).play(most)
        playing.desk.abort(playing.game, operator=True)
        assert verify(playing.log().record(), PACK).line() == ""


# --- each of these changes is found, in the right place, also if the file's hash is made to fit ---


def _option(file: replay_pb2.ReplayFile) -> int:
    entry = first(file, "choice", 40)
    entry.choice.option_id += 1
    return entry.seq


def _text(file: replay_pb2.ReplayFile) -> int:
    entry = first(file, "choice", 50)
    entry.choice.text += "x"
    return entry.seq


def _chooser(file: replay_pb2.ReplayFile) -> int:
    entry = first(file, "choice", 20)
    entry.choice.seat = (entry.choice.seat + 1) % 3
    return entry.seq


def _decision(file: replay_pb2.ReplayFile) -> int:
    entry = first(file, "choice", 20)
    entry.choice.decision_id -= 1
    return entry.seq


def _hash(file: replay_pb2.ReplayFile) -> int:
    entry = file.entries[100]
    entry.position_hash = flipped(entry.position_hash)
    return entry.seq


def _bank(file: replay_pb2.ReplayFile) -> int:
    entry = first(file, "choice", 30)
    entry.choice.bank_after_ms += 1
    return entry.seq


def _origin(file: replay_pb2.ReplayFile) -> int:
    entry = first(file, "choice", 30)
    entry.choice.origin = event_pb2.CHOICE_ORIGIN_FORFEIT
    return entry.seq


def _undo(file: replay_pb2.ReplayFile) -> int:
    entry = first(file, "undo")
    entry.undo.back_to_seq -= 1
    return entry.seq


def _no_seat(file: replay_pb2.ReplayFile) -> int:
    entry = first(file, "ready")
    entry.ready.seat = 9
    return entry.seq


def _early(file: replay_pb2.ReplayFile) -> int:
    entry = first(file, "ready")
    entry.started.SetInParent()
    return entry.seq


def _empty(file: replay_pb2.ReplayFile) -> int:
    entry = first(file, "restart")
    entry.ClearField("restart")
    return entry.seq


def _configuration(file: replay_pb2.ReplayFile) -> int:
    del file.entries[0].created.config.seats[:]
    del file.game.config.seats[:]
    return 1


def _event(file: replay_pb2.ReplayFile) -> int:
    entry = first(file, "choice", 60)
    entry.events[0].public_event.choice_made.seat += 1
    return entry.seq


def _secret_event(file: replay_pb2.ReplayFile) -> int:
    entry = next(e for e in file.entries if any(one.private_events for one in e.events))
    secret = next(one for one in entry.events if one.private_events).private_events[0]
    secret.private_event.own_choice.text += "x"
    return entry.seq


def _lost_event(file: replay_pb2.ReplayFile) -> int:
    entry = first(file, "choice", 60)
    del entry.events[-1]
    return entry.seq


def _score(file: replay_pb2.ReplayFile) -> int:
    file.entries[-1].ended.result.seats[1].score += 1
    return file.entries[-1].seq


def _head_result(file: replay_pb2.ReplayFile) -> int:
    file.game.result.seats[0].place = 1
    file.game.result.seats[0].score += 100
    return 0


def _cut(file: replay_pb2.ReplayFile) -> int:
    del file.entries[-1]
    return len(file.entries)


def _seed(file: replay_pb2.ReplayFile) -> int:
    file.game.seed_reveal.seed = flipped(file.game.seed_reveal.seed)
    return 1


def _salt(file: replay_pb2.ReplayFile) -> int:
    file.game.seed_reveal.salt = flipped(file.game.seed_reveal.salt)
    return 1


def _commitment(file: replay_pb2.ReplayFile) -> int:
    created = file.entries[0].created
    created.seed_commitment = flipped(created.seed_commitment)
    file.game.seed_commitment = created.seed_commitment
    return 1


def _no_seed(file: replay_pb2.ReplayFile) -> int:
    file.game.ClearField("seed_reveal")
    return 0


def _short_seed(file: replay_pb2.ReplayFile) -> int:
    file.game.seed_reveal.seed = b"short"
    return 0


def _head_content(file: replay_pb2.ReplayFile) -> int:
    file.game.content_hash = "0" * 64
    return 0


def _gap(file: replay_pb2.ReplayFile) -> int:
    del file.entries[80]
    return 81


def _twice(file: replay_pb2.ReplayFile) -> int:
    file.entries.insert(80, file.entries[79])
    return 81


def _name(file: replay_pb2.ReplayFile) -> int:
    file.game.seats[0].display_name = "somebody else"
    return 0


def _status(file: replay_pb2.ReplayFile) -> int:
    file.game.started_unix_ms += 1
    return 0


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (_option, POSITIONS),
        (_text, POSITIONS),
        (_chooser, POSITIONS),
        (_decision, POSITIONS),
        (_hash, POSITIONS),
        (_bank, POSITIONS),
        (_origin, POSITIONS),
        (_undo, POSITIONS),
        (_no_seat, POSITIONS),
        (_early, POSITIONS),
        (_empty, POSITIONS),
        (_configuration, POSITIONS),
        (_event, EVENTS),
        (_secret_event, EVENTS),
        (_lost_event, EVENTS),
        (_score, RESULT),
        (_head_result, RESULT),
        (_cut, RESULT),
        (_seed, COMMITMENT),
        (_salt, COMMITMENT),
        (_commitment, COMMITMENT),
        (_no_seed, COMMITMENT),
        (_short_seed, COMMITMENT),
        (_head_content, CONTENT),
        (_gap, FILE),
        (_twice, FILE),
        (_name, FILE),
        (_status, FILE),
    ],
    ids=lambda value: value.__name__.strip("_") if callable(value) else "",
)
def test_a_change_is_found_with_its_place(
    change: Callable[[replay_pb2.ReplayFile], int], kind: VerifyCheckKind.ValueType
) -> None:
    file = record()
    seq = change(file)
    file.file_hash = file_hash(file)
    report = verify(file, PACK)
    assert not report.verified
    assert report.wrong[kind][0] == seq
    check = next(one for one in report.checks() if one.kind == kind)
    assert (check.passed, check.first_bad_seq) == (False, seq)
    line = report.line()
    assert line
    assert "\n" not in line
    if kind not in (RESULT, FILE):  # which may be said of the head as well
        assert line.startswith(f"entry {seq}: ") == bool(seq)


def test_another_legal_choice_leads_to_another_position() -> None:
    """A forger who writes a legal option with its right text is found by the hash."""
    playing = Playing(3).play(30)
    game = playing.table.game
    assert game is not None
    while len(game.options()) < 2:
        playing.choose(0)
        game = playing.table.game
        assert game is not None
    seq = playing.table.seq + 1
    other = game.text(game.options()[1])
    playing.choose(0)
    file = playing.play().log().record()
    choice = file.entries[seq - 1].choice
    choice.option_id, choice.text = 1, other
    file.file_hash = file_hash(file)
    line = verify(file, PACK).line()
    assert line == f"entry {seq}: leads to another position than the logged hash says"


def test_what_nothing_else_can_check_is_checked_by_the_hash_of_the_file() -> None:
    file = record()
    file.entries[50].time_unix_ms += 1
    assert "changed or damaged" in verify(file, PACK).line()
    file = record()
    file.file_hash = flipped(file.file_hash)
    assert "changed or damaged" in verify(file, PACK).line()


def test_a_flipped_bit_anywhere_is_found() -> None:
    """Or the file still says exactly the same; 200 places, drawn from seed 1."""
    choices = random.Random(1)
    plain = record()
    data = _bytes()
    found = 0
    for _ in range(200):
        at = choices.randrange(len(data))
        broken = data[:at] + bytes([data[at] ^ 1 << choices.randrange(8)]) + data[at + 1 :]
        try:
            file = replay_pb2.ReplayFile.FromString(broken)
            wrong = file == plain or not verify(file, PACK).verified
        except (DecodeError, OtherVersion):
            wrong = True
        assert wrong, f"byte {at} of {len(data)}"
        found += 1
    assert found == 200


def test_other_rules_and_other_content_are_refused_with_a_clear_word() -> None:
    file = record()
    file.entries[0].created.rules_version = file.game.rules_version = "0"
    with pytest.raises(OtherVersion, match=r"version '0'.*this program has.*not verified"):
        verify(file, PACK)
    other = load_pack(FROZEN)
    if other.digest != PACK.digest:
        with pytest.raises(OtherVersion, match="content pack"):
            verify(record(), other)
    file = record()
    file.entries[0].created.content_hash = file.game.content_hash = "f" * 64
    with pytest.raises(OtherVersion, match="content pack 'ffff"):
        verify(file, PACK)


def test_a_log_that_does_not_begin_with_its_creation_is_refused() -> None:
    file = record()
    del file.entries[0]
    report = verify(file, PACK)
    assert "creation" in report.line()
    assert not any(check.passed for check in report.checks() if check.kind in (EVENTS, RESULT))
