"""What a bot does, message by message, held against the rules that always apply.

The watch sees everything that the bot sends and everything that reaches it. Situations ask it how
far the bot is; mistakes that no situation is about are noted here, under the name of their check.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from endless_winter.v1 import rejection_pb2

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.v1 import decision_pb2, play_service_pb2, update_pb2

LONGEST_REQUEST_ID = 64
MOST_UNASKED = 200  # commands beyond what reports could have caused
CONTRACT_REVISION = 1  # of the server that the checker starts

# After one of these the decision is over, or its answer is final: it must not be answered again.
OVER = frozenset(
    (
        "STALE_DECISION",
        "TOO_LATE",
        "NOT_YOUR_DECISION",
        "GAME_ENDED",
        "SEAT_FORFEITED",
        "SEAT_REVOKED",
        "NOT_ATTACHED",
    )
)
# What a correct client never provokes.
MISTAKES = frozenset(
    (
        "INVALID_ARGUMENT",
        "TOO_LARGE",
        "SEAT_NOT_FOUND",
        "HELLO_EXPECTED",
        "CONTRACT_UNSUPPORTED",
        "ALREADY_ATTACHED",
        "GAME_NOT_STARTED",
        "NOT_YOUR_DECISION",
        "UNKNOWN_DECISION",
        "ILLEGAL_OPTION",
        "REQUEST_ID_REUSED",
        "STANDING_ANSWER_IMPOSSIBLE",
        "UNDO_IMPOSSIBLE",
        "NOT_SUPPORTED",
    )
)


def reason_of(rejection: rejection_pb2.Rejection) -> str:
    """The reason by its short name; a number for one that is not known here."""
    try:
        name = rejection_pb2.RejectionReason.Name(rejection.reason)
    except ValueError:
        return str(rejection.reason)
    return name.removeprefix("REJECTION_REASON_")


@dataclass(slots=True)
class Sent:
    """An answer of the bot."""

    request_id: str
    line: int
    at: float
    answer: decision_pb2.Answer

    @property
    def choice(self) -> bytes:
        """What was chosen, without the remark about the time."""
        return self._plain().SerializeToString(deterministic=True)

    @property
    def first_choice(self) -> bytes:
        """The same without the plan: what was chosen for the decision itself."""
        plain = self._plain()
        plain.ClearField("plan")
        return plain.SerializeToString(deterministic=True)

    def _plain(self) -> decision_pb2.Answer:
        plain = type(self.answer)()
        plain.CopyFrom(self.answer)
        plain.ClearField("think_ms")
        return plain


@dataclass(slots=True)
class Chair:
    """A seat of the bot: what it was sent, and what it did."""

    game_id: str
    seat: int
    seq: int = 0  # the newest that it was sent
    updated: bool = False
    ready: bool = False
    ended: bool = False
    revoked: bool = False
    result: update_pb2.Update | None = None
    result_lines: set[int] = field(default_factory=set)  # the streams on which it was sent
    prompts: dict[int, float] = field(default_factory=dict)  # decision: when it was asked
    prompt_line: dict[int, int] = field(default_factory=dict)  # and on which stream
    prompt_seq: dict[int, int] = field(default_factory=dict)
    options: dict[int, int] = field(default_factory=dict)  # how many a decision has
    answers: dict[int, list[Sent]] = field(default_factory=dict)
    accepted: list[int] = field(default_factory=list)
    rejected: dict[int, list[str]] = field(default_factory=dict)
    attaches: list[tuple[int, int | None]] = field(default_factory=list)  # line, after_seq
    commands: int = 0
    since_end: int = 0  # commands since it was sent the end of the game
    requests: dict[str, bytes] = field(default_factory=dict)
    final: dict[tuple[int, str], str] = field(default_factory=dict)  # refused for good: the reason
    attach_id: str | None = None  # an Attach that is not answered yet
    turned_away: tuple[int, str] | None = None  # line and reason of a refusal for good

    def overdue(self, limit: float, now: float) -> int | None:
        """A decision that is pending and was asked longer ago than `limit`; None: none."""
        if self.ended or not self.prompts:
            return None
        newest = max(self.prompts)
        if newest in self.answers or newest in self.accepted:
            return None
        return newest if now - self.prompts[newest] > limit else None


class Watch:
    """All seats of the bot, and the mistakes that were noted."""

    def __init__(self, limit: float, now: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._now = now
        self.chairs: dict[tuple[str, int], Chair] = {}
        self.mistakes: dict[str, list[str]] = {}
        self.expected: set[tuple[str, str]] = set()  # (game, reason): provoked by the checker
        self.ours: set[str] = set()  # games in which the checker makes the bot late
        self._bound: set[tuple[str, int]] = set()  # seats that the server has called the bot's
        self._hello: set[int] = set()
        self._unasked = 0
        self.flooding = False

    def chair(self, game_id: str, seat: int) -> Chair:
        return self.chairs.setdefault((game_id, seat), Chair(game_id, seat))

    def note(self, check: str, why: str) -> None:
        """A mistake; each is reported once."""
        known = self.mistakes.setdefault(check, [])
        if why not in known and len(known) < 5:
            known.append(why)

    def bound(self, game_id: str, seat: int) -> None:
        """The server says that a seat is the bot's: by SeatBound, or in the list of its seats."""
        self._bound.add((game_id, seat))
        self.chair(game_id, seat).turned_away = None

    def restarted(self) -> None:
        """The bot is another process now: it cannot know what the first one knew."""
        for chair in self.chairs.values():
            chair.updated = False
            chair.result_lines.clear()
            chair.answers = {decision: [] for decision in chair.accepted}
        self._unasked = 0
        self.flooding = False

    # --- from the bot ---

    def command(self, line: int, command: play_service_pb2.PlayCommand) -> None:
        kind = command.WhichOneof("command") or "nothing known"
        self._unasked += 1
        if self._unasked > MOST_UNASKED and not self.flooding:
            self.flooding = True
            self.note(
                "no-flood",
                f"it sent {MOST_UNASKED} commands more than the server's reports can explain",
            )
        if line not in self._hello:
            self._hello.add(line)
            if kind != "hello":
                self.note("hello", f"the first command of a Play stream was {kind}, not Hello")
            elif command.hello.least_revision > CONTRACT_REVISION:
                said = command.hello.least_revision
                self.note("hello", f"Hello needs contract revision {said}, which does not exist")
        elif kind == "hello":
            self.note("hello", "Hello came twice on one Play stream")
        if not command.game_id or not command.HasField("seat"):
            return
        chair = self.chair(command.game_id, command.seat)
        chair.commands += 1
        if chair.ended or chair.revoked:
            chair.since_end += kind != "detach"
        if kind == "attach":
            self._attach(line, chair, command)
        elif not chair.ended and kind in ("ready", "answer", "set_standing_answers", "undo"):
            self._request(line, chair, command)
            if kind == "answer":
                self._answer(line, chair, command)

    def _attach(self, line: int, chair: Chair, command: play_service_pb2.PlayCommand) -> None:
        attach = command.attach
        after = attach.after_seq if attach.HasField("after_seq") else None
        chair.attaches.append((line, after))
        chair.attach_id = command.request_id
        if (chair.game_id, chair.seat) not in self._bound:
            self.note(
                "seat-bound", "it attached a seat before it was sent that the seat is its own"
            )
        if chair.turned_away is not None and chair.turned_away[0] == line:
            reason = chair.turned_away[1]
            self.note(
                "rejections", f"it attached a game again, although {reason} had no retry_after_ms"
            )
        # What was sent on a stream that broke may never have been read; sent twice, it has been.
        if line in chair.result_lines or len(chair.result_lines) > 1:
            self.note("stops", "it attached a game again of which it had been sent the result")
        elif after is None and chair.updated:
            self.note("resumes", "it attached a game again without after_seq")
        elif after is not None and after > chair.seq:
            self.note(
                "resumes", f"it attached with after_seq {after}, but was sent only {chair.seq}"
            )

    def _request(self, line: int, chair: Chair, command: play_service_pb2.PlayCommand) -> None:
        name = command.request_id
        if (line, name) in chair.final:
            reason = chair.final[line, name]
            self.note(
                "rejections", f"it sent '{name}' again, although {reason} had no retry_after_ms"
            )
        if not name:
            self.note("request-ids", "a command that is logged came without a request id")
            return
        if len(name) > LONGEST_REQUEST_ID:
            self.note("request-ids", f"a request id has {len(name)} characters; 64 are allowed")
        plain = type(command)()
        plain.CopyFrom(command)
        if plain.HasField("answer"):
            plain.answer.ClearField("think_ms")  # only a remark: a retry may say something else
        body = plain.SerializeToString(deterministic=True)
        known = chair.requests.setdefault(name, body)
        if known != body:
            self.note("request-ids", f"the request id '{name}' was used for two different commands")

    def _answer(self, line: int, chair: Chair, command: play_service_pb2.PlayCommand) -> None:
        answer = command.answer
        decision = answer.decision_id
        sent = Sent(command.request_id, line, self._now(), answer)
        earlier = chair.answers.setdefault(decision, [])
        if decision not in chair.prompts:
            self.note("own-decisions", f"it answered decision {decision}, which it was never asked")
        elif not earlier and chair.game_id not in self.ours:
            took = sent.at - chair.prompts[decision]
            if took > self._limit:
                self.note("in-time", f"an answer took {took:.1f} s; allowed are {self._limit:g} s")
        reasons = chair.rejected.get(decision, [])
        if any(reason in OVER for reason in reasons):
            self.note(
                "rejections",
                f"it answered decision {decision} again after it was refused with {reasons[-1]}",
            )
        elif earlier and not reasons:
            first = earlier[0]
            if sent.request_id != first.request_id:
                where = "repeats" if line != first.line else "one-answer"
                self.note(
                    where,
                    f"it answered one decision under two request ids ('{first.request_id}', "
                    f"then '{sent.request_id}')",
                )
            elif sent.choice != first.choice:
                self.note("one-answer", "it answered one decision with two different choices")
        earlier.append(sent)

    # --- to the bot ---

    def report(self, line: int, report: play_service_pb2.PlayReport) -> None:
        if report.HasField("seat") or report.HasField("welcome"):
            self._unasked -= 3  # such a report may well cause a command or two
            self._unasked = max(self._unasked, 0)
        # Others, such as Pong, cause none: else whether a flood of pings is seen would depend on
        # how quickly they are answered.
        if not report.HasField("seat"):
            if report.HasField("rejection"):
                self._rejected(line, None, report)
            return
        chair = self.chair(report.game_id, report.seat)
        kind = report.WhichOneof("report")
        if kind == "update":
            self._update(line, chair, report.update)
        elif kind == "accepted":
            if report.accepted.decision_id:
                chair.accepted.append(report.accepted.decision_id)
            else:
                chair.ready = True
        elif kind == "rejection":
            self._rejected(line, chair, report)
        elif kind == "attached":
            chair.attach_id = None
        elif kind == "detached" and reason_of(report.detached.cause) == "SEAT_REVOKED":
            chair.revoked = True

    def _update(self, line: int, chair: Chair, update: update_pb2.Update) -> None:
        chair.seq = max(chair.seq, update.seq)
        chair.updated = True
        if update.HasField("prompt"):
            decision = update.prompt.decision.decision_id
            chair.options.setdefault(decision, len(update.prompt.decision.options))
            # What was sent on a stream that broke may never have been read, and the time that
            # the line, the server or a new process of the bot needs to come back is no thinking.
            anew = chair.prompt_line.setdefault(decision, line) != line
            if decision not in chair.prompts or (anew and not chair.answers.get(decision)):
                chair.prompts[decision] = self._now()
                chair.prompt_line[decision] = line
            chair.prompt_seq.setdefault(decision, update.seq)
        if update.HasField("result"):
            chair.ended = True
            chair.result = update
            chair.result_lines.add(line)

    def _rejected(
        self, line: int, chair: Chair | None, report: play_service_pb2.PlayReport
    ) -> None:
        reason = reason_of(report.rejection)
        final = not report.rejection.HasField("retry_after_ms")
        game_id = chair.game_id if chair is not None else ""
        if chair is not None and report.request_id == chair.attach_id:
            chair.attach_id = None
            chair.turned_away = (line, reason) if final else None
        elif chair is not None:
            if final:
                chair.final[line, report.request_id] = reason
            for decision, sent in chair.answers.items():
                if any(one.request_id == report.request_id for one in sent):
                    chair.rejected.setdefault(decision, []).append(reason)
                    chair.requests.pop(report.request_id, None)
        if reason in MISTAKES and (game_id, reason) not in self.expected:
            self.note(
                "legal", f"the server refused a command: {reason}: {report.rejection.message}"
            )
