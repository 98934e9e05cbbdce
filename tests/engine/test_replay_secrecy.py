"""The replay channel shows nobody what is not theirs to know.

Part two of the proof of redaction (design.md): whatever is private in a log entry is changed, and
the replay-so-far of everybody else stays the same bytes. Planted leaks show that this would be
noticed.
"""

from __future__ import annotations

import copy
import random
from typing import TYPE_CHECKING

import pytest

from endless_winter.engine.events import entry_events, omniscient_events
from endless_winter.engine.replay import rewind
from endless_winter.engine.replay.rewind import SPECTATOR, Eyes, Rewind
from endless_winter.engine.table import new_table
from endless_winter.v1 import config_pb2, decision_pb2, replay_pb2
from endless_winter.views import Happened, Scribe, config_of, event_bytes, private_bytes, wire
from tests.engine.desk import PACK
from tests.service.logs import BANKS, DRAFT, MODULES, WORDS, Log, Playing, eventful
from tests.views.redaction import open_part

if TYPE_CHECKING:
    from endless_winter.engine.table import Table

EXTRAS = config_pb2.ModuleConfig(
    glacier_tokens=True, rest_tokens=True, warriors=True, sea_cows=True, mammoth=True
)
DECIDED = config_pb2.RiversConfig(landmark_mode=config_pb2.LANDMARK_CHOICE_MODE_DECIDED)
KINDS = (
    {"seats": 2},
    {"seats": 3, "modules": MODULES},
    {"seats": 4, "modules": MODULES, "setup_variant": DRAFT, "time_control": BANKS},
    {"seats": 2, "modules": EXTRAS, "rivers": config_pb2.RiversConfig(landmark_count=2)},
    {"seats": 4, "modules": EXTRAS, "rivers": DECIDED, "setup_variant": DRAFT},
)


Entries = list[replay_pb2.LogEntry]


def table_of(log: Log) -> Table:
    """The table before the first entry."""
    config = log.entries[0].created.config
    return new_table(log.game_id, config, config_of(config, PACK), log.stored.secret.seed)


def viewers(log: Log) -> list[Eyes]:
    return [SPECTATOR, *(Eyes(seat=seat) for seat in range(log.stored.header.seats))]


def replay(log: Log, entries: Entries, eyes: Eyes) -> bytes:
    """All that a viewer is sent of a game so far."""
    table = table_of(log)
    stepping = Rewind(table, Scribe(WORDS, table.rules), eyes)
    frames = []
    for entry in entries:
        stepping.step(entry)
        frames.append(stepping.frame(entry))
    return b"|".join(frames)


def owner(entry: replay_pb2.LogEntry) -> int:
    """Whose private part an entry has; -1: nobody's."""
    kind = entry.WhichOneof("entry")
    return {
        "choice": entry.choice.seat,
        "standing_answers": entry.standing_answers.seat,
    }.get(kind or "", -1)


def other_secrets(log: Log, seat: int, choices: random.Random) -> Entries:
    """The same log with other private parts wherever they belong to a seat."""
    entries = log.entries
    for entry in entries:
        entry.position_hash = choices.randbytes(16)  # nobody's before the end
        if owner(entry) == seat:
            if entry.HasField("choice"):
                entry.choice.text = f"a secret {choices.random()}"
                entry.choice.request_id = f"{choices.random()}"
                entry.choice.by_standing_answer = not entry.choice.by_standing_answer
            if entry.HasField("standing_answers"):
                entry.standing_answers.answers[0].kind = decision_pb2.DECISION_KIND_GAIN
        for event in entry.events:
            for secret in event.private_events:
                if secret.seat == seat:
                    secret.private_event.own_choice.text = f"a secret {choices.random()}"
    return entries


def check_entries(log: Log, choices: random.Random) -> None:
    """Change all that is private to a seat: the others' replays are the same bytes."""
    for seat in range(log.stored.header.seats):
        changed = other_secrets(log, seat, choices)
        for eyes in viewers(log):
            same = replay(log, log.entries, eyes) == replay(log, changed, eyes)
            if eyes.seat == seat:
                assert not same, "the owner's own replay has its secrets, or nothing was changed"
            else:
                assert same, f"the replay of {eyes} shows what seat {seat} alone may see"


def frame_after(table: Table, entry: replay_pb2.LogEntry, eyes: Eyes) -> bytes:
    return Rewind(table, Scribe(WORDS, table.rules), eyes).frame(entry)


def chosen(
    before: Table, entry: replay_pb2.LogEntry, option_id: int
) -> tuple[Table, replay_pb2.LogEntry]:
    """The table after another choice, and its entry as it would have been logged."""
    table = before.copy()
    assert table.game is not None
    other = replay_pb2.LogEntry(seq=entry.seq, time_unix_ms=entry.time_unix_ms)
    other.choice.CopyFrom(entry.choice)
    other.choice.option_id = option_id
    other.choice.text = table.game.text(table.game.options()[option_id])
    events = entry_events(other, table, table.apply(other), WORDS, None)
    other.events.extend(omniscient_events(events))
    return table, other


def check_hidden_choices(log: Log) -> int:
    """Had a card gone face down instead of another, the others' next frame were the same."""
    table = table_of(log)
    found = 0
    for entry in log.entries:
        if entry.HasField("choice") and table.game is not None:
            options = table.game.options()
            shown = open_part(options[entry.choice.option_id])
            others = [
                number
                for number, code in enumerate(options)
                if open_part(code) == shown and number != entry.choice.option_id
            ]
            reveals = any(one.public_event.HasField("piles_revealed") for one in entry.events)
            for number in others if not reveals else ():
                mine = chosen(table, entry, entry.choice.option_id)
                other = chosen(table, entry, number)
                found += 1
                for eyes in viewers(log):
                    if eyes.seat != entry.choice.seat:
                        assert frame_after(*mine, eyes) == frame_after(*other, eyes), (
                            f"the replay of {eyes} shows the choice of entry {entry.seq}"
                        )
        table.apply(entry)
    return found


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_what_is_private_in_the_log_changes_nobody_elses_replay(kind: int) -> None:
    log = Playing(100 + kind, **KINDS[kind]).play(120).log()
    check_entries(log, random.Random(kind))


def test_nor_in_a_game_with_every_kind_of_log_entry() -> None:
    check_entries(eventful(1), random.Random(9))


@pytest.mark.parametrize("kind", range(len(KINDS)))
def test_a_replay_does_not_name_a_card_that_went_face_down(kind: int) -> None:
    logs = [Playing(number + kind, **KINDS[kind]).play().log() for number in (200, 210)]
    assert sum(check_hidden_choices(log) for log in logs) > 5


# --- planted leaks: each must be caught ---


def test_a_leak_of_private_events_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    def leaky(seq: int, events: list[Happened], seat: int | None) -> list[bytes]:
        del seat
        return [event_bytes(seq, event.public, event.private) for event in events]

    monkeypatch.setattr(rewind, "viewer_events", leaky)
    with pytest.raises(AssertionError, match="shows what seat"):
        check_entries(Playing(1).play(40).log(), random.Random(1))


@pytest.mark.parametrize("leak", ["position_hash", "request_id", "by_standing_answer"])
def test_a_leak_of_an_entrys_own_fields_is_caught(
    leak: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Rewind.frame

    def leaky(self: Rewind, entry: replay_pb2.LogEntry, *, views: bool = True) -> bytes:
        public = {
            "position_hash": entry.position_hash,
            "request_id": entry.choice.request_id.encode(),
            "by_standing_answer": bytes([entry.choice.by_standing_answer]),
        }[leak]
        return plain(self, entry, views=views) + wire.message(60, public)

    monkeypatch.setattr(Rewind, "frame", leaky)
    with pytest.raises(AssertionError, match="shows what seat"):
        check_entries(Playing(1).play(40).log(), random.Random(1))


def test_a_leak_of_anothers_cards_in_the_view_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = Rewind.frame

    def leaky(self: Rewind, entry: replay_pb2.LogEntry, *, views: bool = True) -> bytes:
        frame, table = plain(self, entry, views=views), self.table
        if table is None or table.game is None:
            return frame
        return frame + private_bytes(WORDS, table.game.position, table.deciding_seat)

    monkeypatch.setattr(Rewind, "frame", leaky)
    with pytest.raises(AssertionError, match="shows the choice"):
        check_hidden_choices(Playing(200).play().log())


def test_a_leak_by_the_wrong_seats_view_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        rewind,
        "private_bytes",
        lambda words, position, seat: private_bytes(
            words, position, (seat + 1) % len(position.players)
        ),
    )
    with pytest.raises(AssertionError, match="shows the choice"):
        check_hidden_choices(Playing(200).play().log())


def test_a_leak_by_a_sequence_number_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A frame that counts what it showed in secret."""
    plain = Rewind.frame

    def leaky(self: Rewind, entry: replay_pb2.LogEntry, *, views: bool = True) -> bytes:
        counted = copy.copy(entry)
        counted.seq += len(entry.choice.text) % 2
        return plain(self, counted, views=views)

    monkeypatch.setattr(Rewind, "frame", leaky)
    with pytest.raises(AssertionError):
        check_entries(Playing(1).play(60).log(), random.Random(1))
