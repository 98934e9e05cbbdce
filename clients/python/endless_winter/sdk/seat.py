"""A seat that a bot plays: what the server sends about it, and what is answered.

All of this runs in the network's thread; the bot's own code is called elsewhere (playing.py),
through jobs.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from typing import TYPE_CHECKING, Final

from endless_winter.sdk.errors import NotThisGame, reason_name
from endless_winter.sdk.model import Decision, Option, Result, Table, View
from endless_winter.v1 import decision_pb2, game_pb2
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.sdk.catalog import Catalog
    from endless_winter.sdk.playing import Author, Player
    from endless_winter.sdk.stream import Key, PlayStream
    from endless_winter.v1 import play_service_pb2 as p
    from endless_winter.v1 import update_pb2, view_private_pb2, view_public_pb2

# Seconds after the deadline until a decision is called late without the server having said so.
GRACE: Final = 0.5

_LATE: Final = frozenset(
    (reasons.REJECTION_REASON_TOO_LATE, reasons.REJECTION_REASON_STALE_DECISION)
)
# The answer came when there was nothing to answer any more; no fault of the bot's.
_OVER: Final = frozenset(
    (
        reasons.REJECTION_REASON_GAME_ENDED,
        reasons.REJECTION_REASON_SEAT_FORFEITED,
        reasons.REJECTION_REASON_NOT_YOUR_DECISION,
        reasons.REJECTION_REASON_REQUEST_ID_REUSED,
    )
)


class Desk:
    """What all seats of a runner share: the stream, the bot, and the two threads."""

    __slots__ = ("call", "do", "due", "line", "player")

    def __init__(
        self,
        line: PlayStream,
        player: Player,
        *,
        do: Callable[[Callable[[], None]], None],
        call: Callable[..., None],
        due: Callable[[float], None],
    ) -> None:
        """`do` has something done in the thread that plays, `call` in the network's.

        `due` has seats looked at, at a time of the network's loop.
        """
        self.line = line
        self.player = player
        self.do = do
        self.call = call
        self.due = due

    def say(self, line: str) -> None:
        self.player.say(f"{self.player.name}: {line}")


class PlayedSeat:
    """One game and seat."""

    __slots__ = (
        "_answered",
        "_author",
        "_before",
        "_decision",
        "_desk",
        "_late",
        "_early",
        "catalog",
        "due",
        "info",
        "key",
        "options",
        "starting",
    )

    def __init__(self, desk: Desk, key: Key, author: Author, options: str) -> None:
        """`options` are those that the offer had for the bot."""
        self.key: Key = key
        self.options: str = options
        self.info: game_pb2.GameInfo | None = None
        self.catalog: Catalog | None = None
        self.starting: bool = False  # the bot was asked to get ready
        self.due: float | None = None  # when its decision is late, by the loop's clock
        self._desk = desk
        self._author = author
        self._early: deque[update_pb2.Update] = deque()  # what came before the catalogue
        self._decision: Decision | None = None  # what is thought about or being answered
        self._before: Decision | None = None  # the one before
        self._answered = 0  # the newest decision that is over; ids only rise
        self._late: set[int] = set()  # decisions that were said to be late

    @property
    def name(self) -> str:
        return self._author.name

    def table(self) -> Table:
        """What the bot learns of the game at its start."""
        game_id, number = self.key
        assert number is not None
        assert self.catalog is not None
        # A feed begins with a snapshot, so there always is one; a bot should not die if not.
        info = self.info or game_pb2.GameInfo(game_id=game_id)
        options = self.options
        if not options and number < len(info.config.seats):
            options = info.config.seats[number].bot_options  # a seat of an earlier run
        return Table(number, self.catalog, info, options)

    # --- updates ---

    def read_up(self, catalog: Catalog) -> bool:
        """The catalogue is there: now updates can be read. Whether the game asks for Ready."""
        self.catalog = catalog
        asked = [self.take_update(self._early.popleft()) for _ in range(len(self._early))]
        return any(asked)

    def take_update(self, update: update_pb2.Update) -> bool:
        """An update; True: the game asks for Ready and the bot was not asked yet."""
        if self.catalog is None:
            self._early.append(update)
            return False
        if update.HasField("game"):
            self.info = update.game
        if update.HasField("result"):
            result = Result(update.result, self.key[0])
            self._decision = None
            self._desk.do(lambda: self._author.end(result))
        elif update.HasField("ready_check"):
            first = not self.starting
            self.starting = True
            return first
        elif update.HasField("prompt"):
            self._asked(self.catalog, update)
        return False

    def start(self, request_id: str) -> None:
        """Have the bot get ready, and say so when it is."""
        table = self.table()

        def begin() -> None:
            self._author.begin(table)
            self._desk.call(self._desk.line.ready, self.key, request_id)

        self._desk.do(begin)

    def gone(self) -> None:
        """The seat is not ours any more; what is still thought about is not answered."""
        self._decision = None

    def _asked(self, catalog: Catalog, update: update_pb2.Update) -> None:
        number = update.prompt.decision.decision_id
        if number <= self._answered:
            return  # sent twice, and over: a choice is made once
        if self._decision is not None:
            if self._decision.id == number:
                return  # asked again after a cut; it is being thought about or answered
            if not self._desk.line.unanswered(self.key):
                self._overdue(self._decision)
        decision = Decision(update.prompt, catalog, self.key[0], received=time.monotonic())
        self._before, self._decision = self._decision, decision
        table = self.table()

        def read() -> tuple[view_public_pb2.PublicView, view_private_pb2.PrivateView | None]:
            if not update.HasField("public_view"):
                raise NotThisGame("the bot wants no view: take view=False out of its 'wants'")
            return update.public_view, update.private_view

        view = View(self.key[1], catalog, table.info, read)
        left = decision.seconds_left
        self.due = None
        if left is not None:
            self.due = asyncio.get_running_loop().time() + left + GRACE
            self._desk.due(self.due)
        self._desk.do(lambda: self._choose(table, decision, view))

    # --- answers ---

    def _choose(self, table: Table, decision: Decision, view: View) -> None:
        """In the thread that plays: have the bot choose."""
        if self._decision is decision:  # else it is over already
            option, then, spent = self._author.choose(table, decision, view)
            self._desk.call(self._answer, decision, option, then, spent)

    def _answer(
        self, decision: Decision, option: Option | None, then: tuple[str, ...], spent: float
    ) -> None:
        if self._decision is not decision:
            return
        answer = decision_pb2.Answer(decision_id=decision.id, think_ms=int(spent * 1000))
        if option is None:
            answer.take_default = True
        else:
            answer.option_id = option.id
            answer.plan.extend(then[: self._desk.line.plan_texts])
        # The same decision has the same request id, also after a restart of this process.
        self._desk.line.answer(self.key, f"d{decision.id}", answer)

    def accepted(self, number: int) -> None:
        """The answer to a decision is in the log."""
        self._done(number, over=True)

    def refused(self, command: p.PlayCommand, rejection: reasons.Rejection) -> None:
        """A command of this seat was refused for good."""
        name = reason_name(rejection.reason)
        if not command.HasField("answer"):
            what = command.WhichOneof("command")
            self._desk.say(f"{self.name}: {what} was refused, {name}: {rejection.message}")
            return
        number = command.answer.decision_id
        known = (self._decision, self._before)
        decision = next((one for one in known if one is not None and one.id == number), None)
        if rejection.reason in _LATE:
            if decision is not None:
                self._overdue(decision)
        elif rejection.reason not in _OVER:
            kind = f" ({decision.kind_name})" if decision is not None else ""
            self._desk.player.tally.failures += 1
            self._desk.say(
                f"{self.name}, decision {number}{kind}: "
                f"{_chosen(command.answer, decision)} was refused, {name}: {rejection.message}"
            )
            second = f"d{number}-default"
            if (
                decision is not None
                and decision is self._decision
                and command.request_id != second  # a third answer would only be one more mistake
            ):
                again = decision_pb2.Answer(decision_id=number)
                if command.answer.take_default:
                    again.option_id = decision.default.id  # the same in other words
                else:
                    again.take_default = True
                self._desk.line.answer(self.key, second, again)
                return
        # After any other refusal the server may ask again.
        self._done(number, over=rejection.reason in _LATE | _OVER)

    def _done(self, number: int, *, over: bool) -> None:
        if over:
            self._answered = max(self._answered, number)
        if self._decision is not None and self._decision.id == number:
            self._before, self._decision = self._decision, None
            self.due = None

    # --- time ---

    def look(self, now: float) -> None:
        """Whether time is up for the decision."""
        if self.due is None or now < self.due:
            return
        self.due = None
        if self._decision is not None and not self._desk.line.unanswered(self.key):
            self._overdue(self._decision)

    def _overdue(self, decision: Decision) -> None:
        """A decision was over before its answer came: say which."""
        if decision.id in self._late:
            return
        self._late.add(decision.id)
        self._desk.player.tally.late += 1
        what = "late" if decision.seconds_left is not None else "answered by somebody else"
        self._desk.say(
            f"{self.name}, decision {decision.id} ({decision.kind_name}): "
            f"{what}, no answer of ours within {decision.seconds_spent:.1f} s"
        )


def _chosen(answer: decision_pb2.Answer, decision: Decision | None) -> str:
    if answer.take_default:
        return "the default"
    if decision is not None and answer.option_id < len(decision.options):
        return f"option {answer.option_id} {decision.options[answer.option_id].text!r}"
    return f"option {answer.option_id}"
