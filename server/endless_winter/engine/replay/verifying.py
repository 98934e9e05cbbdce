"""A record is played again and compared, step by step. Needs no server and no store.

What is wrong is found where it first shows: the seed against its commitment, every choice
against the legal list, every position against its hash, every event, the result, and the head of
the file against the log. A record of other rules or content cannot be checked here at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from endless_winter.engine import clocks
from endless_winter.engine.events import entry_events, omniscient_events
from endless_winter.engine.outcome import result_of, without_result
from endless_winter.engine.replay.record import file_hash, head_of
from endless_winter.engine.table import ENDED, RUNNING, STARTING, new_table, position_hash
from endless_winter.rules import RULES_VERSION, RulesError
from endless_winter.rules.chance import SALT_BYTES, SEED_BYTES, commitment
from endless_winter.v1 import event_pb2, replay_pb2, result_pb2
from endless_winter.v1 import replay_service_pb2 as r
from endless_winter.views import BadGameConfig, Words, config_of, filled, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from google.protobuf.message import Message

    from endless_winter.content import Pack
    from endless_winter.engine.table import Table
    from endless_winter.v1.replay_pb2 import LogEntry, ReplayFile
    from endless_winter.v1.replay_service_pb2 import VerifyCheckKind

COMMITMENT = r.VERIFY_CHECK_KIND_COMMITMENT
CONTENT = r.VERIFY_CHECK_KIND_CONTENT
POSITIONS = r.VERIFY_CHECK_KIND_POSITIONS
EVENTS = r.VERIFY_CHECK_KIND_EVENTS
RESULT = r.VERIFY_CHECK_KIND_RESULT
FILE = r.VERIFY_CHECK_KIND_FILE

KINDS = (COMMITMENT, CONTENT, POSITIONS, EVENTS, RESULT, FILE)
_FORCED = (event_pb2.CHOICE_ORIGIN_CLOCK, event_pb2.CHOICE_ORIGIN_FORFEIT)
_NOT_COMPLETED = (
    result_pb2.GAME_OUTCOME_ABORTED,
    result_pb2.GAME_OUTCOME_NEVER_STARTED,
    result_pb2.GAME_OUTCOME_SERVER_FAULT,
)


class OtherVersion(Exception):
    """The record belongs to other rules or content; the message is one line."""


@dataclass(slots=True)
class Report:
    """What was compared, and the first thing of each kind that is wrong."""

    entries: int = 0
    wrong: dict[VerifyCheckKind.ValueType, tuple[int, str]] = field(default_factory=dict)
    unchecked: bool = False  # the game could not be played again to its end

    @property
    def verified(self) -> bool:
        return not self.wrong

    def note(self, kind: VerifyCheckKind.ValueType, message: str, seq: int = 0) -> None:
        self.wrong.setdefault(kind, (seq, message))

    def line(self) -> str:
        """What is wrong and where, in one line; empty: nothing is."""
        for kind in KINDS:
            if kind in self.wrong:
                seq, message = self.wrong[kind]
                return f"entry {seq}: {message}" if seq else message
        return ""

    def checks(self) -> list[r.VerifyCheck]:
        found = []
        for kind in KINDS:
            seq, message = self.wrong.get(kind, (0, ""))
            late = self.unchecked and kind in (EVENTS, RESULT) and not message
            if late:
                message = "not compared to the end: the game could not be played again"
            found.append(
                r.VerifyCheck(
                    kind=kind,
                    passed=kind not in self.wrong and not late,
                    first_bad_seq=seq,
                    message=message,
                )
            )
        return found


def verify(file: ReplayFile, pack: Pack) -> Report:
    """Play a record again and compare everything.

    Raises:
        OtherVersion: this program has other rules, or `pack` is not the game's content.
    """
    report = Report()
    if not file.entries or file.entries[0].WhichOneof("entry") != "created":
        report.note(FILE, "the log does not begin with the creation of the game", 1)
        report.unchecked = True
        return report
    created = file.entries[0].created
    _check_version(file, created, pack)
    _check_seal(report, file, created)
    _check_content(report, file, created)
    if not report.wrong:
        _play(report, file, created, pack)
    report.unchecked = report.unchecked or report.entries < len(file.entries)
    _check_file(report, file)
    return report


def _check_version(file: ReplayFile, created: replay_pb2.LogCreated, pack: Pack) -> None:
    ours = str(RULES_VERSION)
    for stated in (created.rules_version, file.game.rules_version):
        if stated != ours:
            raise OtherVersion(
                f"the game was played by rules version {stated[:40]!r}, and this program has "
                f"{ours}: it can be shown, not verified"
            )
    if created.content_hash != pack.digest:
        raise OtherVersion(
            f"the game was played with the content pack {created.content_hash[:64]!r}, and this is "
            f"{pack.name} {pack.version} ({pack.digest}): it can be shown, not verified"
        )


def _check_seal(report: Report, file: ReplayFile, created: replay_pb2.LogCreated) -> None:
    reveal = file.game.seed_reveal
    if not file.game.HasField("seed_reveal"):
        report.note(COMMITMENT, "the seed is not revealed")
    elif len(reveal.seed) != SEED_BYTES or len(reveal.salt) != SALT_BYTES:
        report.note(COMMITMENT, f"a seed has {SEED_BYTES} bytes, and a salt {SALT_BYTES}")
    elif commitment(reveal.seed, reveal.salt) != created.seed_commitment.hex():
        report.note(COMMITMENT, "seed and salt do not give the commitment published at creation", 1)
    elif file.game.seed_commitment != created.seed_commitment:
        report.note(COMMITMENT, "the head names another commitment than the log")


def _check_content(report: Report, file: ReplayFile, created: replay_pb2.LogCreated) -> None:
    if file.game.content_hash != created.content_hash:
        report.note(CONTENT, "the head names another content pack than the log")
    elif created.config.content_hash not in ("", created.content_hash):
        report.note(CONTENT, "the configuration asks for another content pack", 1)


def _play(report: Report, file: ReplayFile, created: replay_pb2.LogCreated, pack: Pack) -> None:
    try:
        rules = config_of(created.config, pack)
    except BadGameConfig as error:
        report.note(POSITIONS, f"no game can be made of its configuration: {error}", 1)
        return
    reveal = file.game.seed_reveal
    table = new_table(file.game.game_id, created.config, rules, reveal.seed)
    words = Words(pack)
    for number, entry in enumerate(file.entries, 1):
        if entry.seq != number:
            report.note(FILE, f"numbered {entry.seq}: the log has a gap or a repetition", number)
            return
        problem = _problem(table, entry)
        if not problem and entry.WhichOneof("entry") == "ended":
            _check_result(report, table, entry)
        if not problem:
            problem = _apply(report, table, entry, words, reveal)
        if problem:
            report.note(POSITIONS, problem, number)
            return
        report.entries = number
    if table.status != ENDED:
        report.note(RESULT, "the log stops before the end of the game", len(file.entries))


def _apply(
    report: Report,
    table: Table,
    entry: LogEntry,
    words: Words,
    reveal: result_pb2.SeedReveal,
) -> str:
    """Let an entry happen and compare position and events; what is wrong with the position."""
    try:
        happened = table.apply(entry)
    except (RulesError, ValueError, LookupError) as error:
        return f"cannot be played again: {error}"
    if position_hash(table) != entry.position_hash:
        return "leads to another position than the logged hash says"
    held = table.config.hold_reveal and not table.released
    due = entry_events(entry, table, happened, words, None if held else reveal)
    if not _same(omniscient_events(due), entry.events):
        report.note(EVENTS, "the logged events are not those that follow from it", entry.seq)
    return ""


def _same(due: Iterable[Message], logged: Iterable[Message]) -> bool:
    """Whether they say the same; records of before the first release leave a seat 0 out."""
    due, logged = list(due), list(logged)
    # Filled in only where it matters: that takes far longer than to compare.
    return due == logged or [filled(one) for one in due] == [filled(one) for one in logged]


# --- whether an entry can be the next one ---


def _problem(table: Table, entry: LogEntry) -> str:
    """Why an entry cannot come next; empty: it can."""
    kind = entry.WhichOneof("entry")
    wrong = ""
    if kind is None:
        wrong = "an entry that says nothing"
    elif kind == "created" and entry.seq != 1:
        wrong = "the game is created a second time"
    elif kind == "seat":
        wrong = _no_seat(table, entry.seat.seat.seat)
    elif kind == "ready":
        wrong = _no_seat(table, entry.ready.seat) if table.is_open() else "Ready after the start"
    elif kind == "started":
        ready = all(seat.ready or seat.served for seat in table.seats)
        if table.status != STARTING or not ready:
            wrong = "the game starts before everybody is seated and ready, or twice"
    elif kind == "choice":
        wrong = _wrong_choice(table, entry.choice)
    elif kind == "standing_answers":
        ended = table.status == ENDED
        number = entry.standing_answers.seat
        wrong = "standing answers after the end" if ended else _no_seat(table, number)
    elif kind == "undo":
        wrong = _wrong_undo(table, entry.undo)
    elif kind == "forfeit":
        wrong = _wrong_forfeit(table, entry.forfeit.seat)
    elif kind == "ended" and table.status == ENDED:
        wrong = "the game ends twice"
    elif kind == "released" and not (
        table.status == ENDED and table.config.hold_reveal and not table.released
    ):
        wrong = "a seal is opened that was not there"
    return wrong


def _no_seat(table: Table, seat: int) -> str:
    """Why nobody can have a seat; empty: somebody can."""
    if seat >= len(table.seats):
        return f"the game has no seat {seat}"
    return "nobody holds the Nomad's seat: the server plays it" if table.seats[seat].served else ""


def _wrong_choice(table: Table, choice: replay_pb2.LogChoice) -> str:
    if table.status != RUNNING or table.game is None or not table.game.options():
        return "a choice while nothing was asked"
    if choice.seat != table.deciding_seat:
        return f"seat {choice.seat} chose, and it was the choice of seat {table.deciding_seat}"
    if choice.decision_id != table.decision_id:
        return f"answers decision {choice.decision_id}, and {table.decision_id} was asked"
    decision = table.game.decision
    assert decision is not None
    if choice.option_id >= len(decision.options):
        return f"option {choice.option_id} of only {len(decision.options)}"
    code = decision.options[choice.option_id]
    text = table.game.text(code)
    if choice.text != text:
        return f"option {choice.option_id} is {text!r}, not {choice.text[:80]!r}"
    seat = table.seats[choice.seat]
    standing = kind_of(table.game) in seat.standing
    if choice.by_standing_answer and not standing:
        return "a standing answer that was not set"
    by_default = choice.origin in _FORCED or choice.by_standing_answer
    if by_default and code != decision.default:
        return f"the default was due, and {text!r} is another option"
    if (choice.origin == event_pb2.CHOICE_ORIGIN_FORFEIT) != bool(seat.forfeited):
        return "a forfeited seat is played by defaults, and no other"
    if (choice.origin == event_pb2.CHOICE_ORIGIN_SERVER) != seat.served:
        return "the server plays the Nomad's seat, and no other"
    bank = clocks.bank_after_ms(table, choice.seat, choice.timing.charged_ms)
    if (choice.bank_after_ms if choice.HasField("bank_after_ms") else None) != bank:
        return f"leaves {bank} ms in the bank, not what the log says"
    return ""


def _wrong_undo(table: Table, undo: replay_pb2.LogUndo) -> str:
    if not table.can_undo(undo.seat):
        return "nothing could be taken back"
    if undo.back_to_seq not in [undoable.seq for undoable in table.undo]:
        return f"goes back to entry {undo.back_to_seq}, which cannot be gone back to"
    return ""


def _wrong_forfeit(table: Table, seat: int) -> str:
    if table.status != RUNNING:
        return "a seat is forfeited while the game does not run"
    missing = _no_seat(table, seat)
    if not missing and table.seats[seat].forfeited:
        return "a seat is forfeited twice"
    return missing


# --- the end, and the file as a whole ---


def _check_result(report: Report, table: Table, entry: LogEntry) -> None:
    """`table` is as before the end."""
    stated = filled(entry.ended.result)
    if table.game is not None and table.game.position.over:
        due = result_of(table)
    elif stated.outcome in _NOT_COMPLETED:
        due = without_result(table, stated.outcome)
    else:
        report.note(RESULT, "the game was not played to its end", entry.seq)
        return
    if _scored(due) == _scored(stated):
        return
    for mine, other in zip(due.seats, stated.seats, strict=False):
        if mine.score != other.score:
            text = f"seat {mine.seat} has {mine.score} points, not {other.score}"
            report.note(RESULT, text, entry.seq)
        elif mine.place != other.place:
            text = f"seat {mine.seat} is in place {mine.place}, not {other.place}"
            report.note(RESULT, text, entry.seq)
    report.note(RESULT, "the result is another than the one in the log", entry.seq)


def _scored(result: result_pb2.GameResult) -> result_pb2.GameResult:
    """Without the refused answers, which no log has: they change nothing."""
    plain = result_pb2.GameResult()
    plain.CopyFrom(result)
    for seat in plain.seats:
        seat.wrong_answers = 0
    return plain


def _check_file(report: Report, file: ReplayFile) -> None:
    """The head repeats what the log says; the hash finds what nothing else can, such as times."""
    stated = file.game
    due = head_of(
        stated.game_id,
        file.entries,
        tournament_id=stated.tournament_id,
        reveal=stated.seed_reveal if stated.HasField("seed_reveal") else None,
    )
    due, stated = filled(due), filled(stated)
    if due != stated:
        kind = FILE if due.result == stated.result else RESULT
        names = [one.name for one in stated.DESCRIPTOR.fields]
        names = [name for name in names if getattr(due, name) != getattr(stated, name)]
        report.note(kind, f"the head of the file says another {' and '.join(names)} than the log")
    if file.file_hash and file.file_hash != file_hash(file):
        report.note(FILE, "the file was changed or damaged: its hash is another")
