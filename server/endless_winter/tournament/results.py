"""The results file: one line of JSON for each thing that happened, only ever added to.

It is the only truth of a tournament. What is scheduled and not finished here is still to be
played; whatever was under way when the machine stopped is played again, and unless seeds are
paired as another attempt, on another seed. A torn last line, as a crash in the middle of writing
leaves it, is cut off.
"""

from __future__ import annotations

import fcntl
import os
from functools import cache
from typing import TYPE_CHECKING, Final, Self

import msgspec

from endless_winter.tournament.errors import TournamentError, one_line
from endless_winter.v1 import enums_pb2, result_pb2
from endless_winter.views.categories import category_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from types import TracebackType

FORMAT: Final = 2
NEVER_STARTED: Final = "never_started"  # the reason of a seat whose bot did not come
PLACED: Final = ("completed", "adjudicated")


class Header(msgspec.Struct, frozen=True, tag="tournament", tag_field="kind"):
    """The first line: what the tournament was when it began."""

    format: int
    title: str
    key_commitment: str
    rules_version: str
    content_hash: str
    entrants: tuple[str, ...]
    begun_ms: int
    paired_seeds: bool = True
    """Whether rotations share seeds. Files of format 1 do not say so; there they always do."""


class Started(msgspec.Struct, frozen=True, tag="started", tag_field="kind"):
    """A worker that was started: its machine, and what became of its bots before any game."""

    machine: str
    versions: dict[str, str]
    """Of those that attached, as they reported them."""
    failed: dict[str, str] = {}
    """Why others cannot play: what they said last, or what they did not say."""


class Begun(msgspec.Struct, frozen=True, tag="begun", tag_field="kind"):
    """An attempt at a game, written before it is sent to a server.

    From then on somebody may have seen a card of its seed: whatever becomes of it, the next attempt
    has another number, and with it another seed. Where seeds are paired there are no such lines.
    """

    match: str
    attempt: int


class Seat(msgspec.Struct, frozen=True, omit_defaults=True):
    """What became of one seat."""

    entrant: str
    place: int = 0
    """From 1; 0: the game has no places."""
    score: int = 0
    reason: str = "normal"
    """Why its part ended, in the words of the contract's EndReason."""
    timeouts: int = 0
    wrong_answers: int = 0
    decisions: int = 0
    """Answers of its own; what the clock or a forfeit chose is not counted."""
    charged_ms: int = 0
    longest_ms: int = 0
    points: dict[str, int] = {}
    """Where the score came from, by category."""
    columns: dict[str, int] = {}
    """How often it placed a figure in each column, or rested."""


class Use(msgspec.Struct, frozen=True, omit_defaults=True):
    """Processor time of an entrant's processes on one worker, since the game before."""

    asked_ms: int = 0
    """While a game waited for it."""
    unasked_ms: int = 0
    lowered: int = 0
    """How often it got a lower share for that."""


class Game(msgspec.Struct, frozen=True, omit_defaults=True, tag="game", tag_field="kind"):
    """One attempt at a game."""

    id: str
    match: str
    """The same for all attempts at one scheduled game."""
    block: str
    rotation: int
    attempt: int
    outcome: str
    """completed, adjudicated (some never came), or void (played again as the next attempt)."""
    seats: tuple[Seat, ...]
    decisions: int = 0
    rounds: int = 0
    milliseconds: int = 0
    store: str = ""
    """The file that holds its log, relative to the results."""
    note: str = ""
    isolation: str = ""
    """How the bots of its worker were isolated: bubblewrap, user or none; empty: not known."""
    used: dict[str, Use] = {}
    """Of all entrants, whether they play in this game or not; empty: not known."""

    @property
    def finished(self) -> bool:
        """Whether it counts; otherwise the match is tried again."""
        return self.outcome in PLACED


class Reveal(
    msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag="reveal", tag_field="kind"
):
    """All games on a seed have ended: the seed, of a game, or of a block where seeds are paired."""

    seed: str
    game: str = ""
    block: str = ""

    @property
    def of(self) -> str:
        return self.game or self.block


class Ended(msgspec.Struct, frozen=True, tag="ended", tag_field="kind"):
    """Every scheduled game is finished: the key that all seeds come from."""

    key: str
    salt: str
    ended_ms: int
    verdict: str = ""


Line = Header | Started | Begun | Game | Reveal | Ended
decoder: Final = msgspec.json.Decoder(Line)
_encoder: Final = msgspec.json.Encoder()


def seats_of(
    result: result_pb2.GameResult,
    statistics: result_pb2.GameStatistics,
    entrants: Sequence[str],
) -> tuple[Seat, ...]:
    """The seats of a finished game as a line of the results has them."""
    return tuple(
        Seat(
            entrant=entrant,
            place=seat.place,
            score=seat.score,
            reason=_short_name(result_pb2.EndReason.Name(seat.reason), "END_REASON_"),
            timeouts=seat.timeouts,
            wrong_answers=seat.wrong_answers,
            decisions=done.answers,
            charged_ms=done.charged_ms,
            longest_ms=done.longest_ms,
            points={_category(one.category): one.points for one in seat.categories},
            columns={
                _short_name(enums_pb2.ActionSpace.Name(one.space), "ACTION_SPACE_"): one.figures
                for one in done.figures
            },
        )
        for seat, done, entrant in zip(result.seats, statistics.seats, entrants, strict=True)
    )


_category = cache(category_name)


@cache  # a tournament keeps the results of all its games: they share these texts
def _short_name(name: str, prefix: str) -> str:
    return name.removeprefix(prefix).lower()


class Results:
    """What the file says, by what is asked of it."""

    def __init__(self) -> None:
        self.header: Header | None = None
        self.started: list[Started] = []
        """The machines of all runs, each once."""
        self.games: dict[str, Game] = {}
        self.finished: dict[str, Game] = {}
        """The game that counts, by match."""
        self.attempts: dict[str, int] = {}
        """Attempts that did not count, by match."""
        self.absences: dict[str, int] = {}
        """Those among them to which bots did not come."""
        self.last: dict[str, int] = {}
        """The number of the last attempt that was begun, by match."""
        self.revealed: set[str] = set()
        """The games, and where seeds are paired the blocks, whose seeds are public."""
        self.ended: Ended | None = None

    def add(self, line: Line) -> None:
        if isinstance(line, Header):
            self.header = self.header or line
        elif isinstance(line, Started):
            if line not in self.started:
                self.started.append(line)
        elif isinstance(line, Reveal):
            self.revealed.add(line.of)
        elif isinstance(line, Ended):
            self.ended = line
        elif isinstance(line, Begun):
            self._count(line)
        elif line.id not in self.games:  # the first word on a game is the last
            self.games[line.id] = line
            self._count(line)
            if line.finished:
                self.finished.setdefault(line.match, line)
                return
            self.attempts[line.match] = self.attempts.get(line.match, 0) + 1
            if any(seat.reason == NEVER_STARTED for seat in line.seats):
                self.absences[line.match] = self.absences.get(line.match, 0) + 1

    def _count(self, line: Begun | Game) -> None:
        self.last[line.match] = max(line.attempt, self.last.get(line.match, 0))

    def public(self, game: Game) -> bool:
        """Whether the seed of a game is revealed."""
        return game.id in self.revealed or game.block in self.revealed


def read(path: Path) -> tuple[Results, int]:
    """The results, and how many bytes of the file are whole lines."""
    results = Results()
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return results, 0
    except OSError as error:
        raise TournamentError(f"{path}: cannot be read: {error.strerror}") from error
    whole = data.rfind(b"\n") + 1
    for number, line in enumerate(data[:whole].splitlines(), 1):
        try:
            results.add(decoder.decode(line))
        except (msgspec.ValidationError, msgspec.DecodeError) as error:
            raise TournamentError(f"{path}: line {number} is damaged: {one_line(error)}") from error
    return results, whole


class Journal:
    """The results file, open for adding; at most one process has it open."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            try:
                # The kernel lets go of it when the process ends, however that happens.
                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise TournamentError(
                    f"{path}: another process runs this tournament; wait for it or stop it"
                ) from error
            self.results, whole = read(path)
            os.ftruncate(self._file, whole)
        except BaseException:
            os.close(self._file)
            raise

    def append(self, lines: Iterable[Line]) -> None:
        """Add lines; they are on the disk when this returns."""
        added = list(lines)
        data = b"".join(_encoder.encode(line) + b"\n" for line in added)
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]
        os.fsync(self._file)
        for line in added:
            self.results.add(line)

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
