"""What a tournament is: a TOML file, checked, with a clear line for each mistake."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Final, Literal

import msgspec

from endless_winter.content.spelling import did_you_mean
from endless_winter.tournament import plugin
from endless_winter.tournament.entrants import ATTACH, resolved
from endless_winter.tournament.errors import TournamentError, one_line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Format = Literal["round_robin", "gauntlet", "swiss", "sprt", "solo_field"]

NOMAD: Final = "Nomad"
SHORTEST: Final = 0.001  # seconds: the contract counts milliseconds, and none of them is no limit
LONGEST: Final = 86_400.0
MOST_TIMEOUTS: Final = 1_000_000
MOST_MEMORY_MB: Final = 1_000_000_000
FEWEST_PROCESSES: Final = 64  # with fewer even a bot of one file may not come up: threads count
MOST_PROCESSES: Final = 1_000_000
MOST_RATING: Final = 2000.0  # either way; beyond it a hypothesis says that somebody always wins
_NAME: Final = re.compile(r"\A[A-Za-z0-9_-]{1,40}\Z")
_UNKNOWN: Final = re.compile(r"unknown field `([^`]*)`")
_NOT_OF_THESE: Final = re.compile(r"\AInvalid enum value '(.*)'\Z")
_PATH: Final = re.compile(r" - at `\$\.?([^`]*)`\Z")


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A part of the file; a key that is not known is a mistake, not a comment."""


class Entrant(Table, frozen=True):
    """Who takes part.

    `bot` is one that comes along, a Python file (relative to the spec), ``cmd: ...`` for any
    program, or ``attach`` for one that somebody else starts.
    """

    name: str
    bot: str = ""
    options: str = ""
    user: str = ""
    """Run it as this user, instead of that of the limits."""
    files: tuple[str, ...] = ()
    """What it may read in its sandbox beside its own folder; paths beside the spec, or whole."""
    server: Literal["", "tcp"] = ""
    """In a sandbox it finds the server at a Unix socket, or by ``tcp`` through a relay."""
    fingerprint: str = ""
    """Set by `read`, not in the file: hashes of the bot's files."""
    named: tuple[str, ...] = ()
    """Set by `read`: the files that its `bot` names."""


class _Game(Table, frozen=True):
    """The variants of every game; its modules follow from the contract."""

    setup_variant: Literal["standard", "setup_draft", "chief_and_setup_draft"] = "standard"
    megalith_layout: str = ""


if TYPE_CHECKING:
    GameOptions = _Game
else:
    GameOptions = msgspec.defstruct(
        "GameOptions", plugin.keys(), bases=(_Game,), module=__name__, frozen=True, kw_only=True
    )


class Clock(Table, frozen=True):
    """The time control, in seconds; 0 means that there is no such limit."""

    decision: float = 10.0
    bank: float = 0.0
    increment: float = 0.0
    timeouts: int = 3
    """Expiries after which a seat is forfeited."""
    disconnect: float = 15.0
    """How long a bot may be away while it owes a choice."""


class Dead(Table, frozen=True):
    """What becomes of bots that do not come, or do not stay."""

    start: float = 30.0
    """Seconds within which a game must have begun; then it is played again."""
    attempts: int = 2
    """How often a game is tried; then those who did not come have lost it."""
    restarts: int = 5
    """How often a process that ends is started again without having played a game."""


class Limits(Table, frozen=True):
    """What a bot's processes may use."""

    memory_mb: int = 4096
    """Memory of each process; 0: no limit."""
    processes: int = 512
    """Processes and threads of a bot at a time; 0: no limit."""
    user: str = ""
    """Run bots as this user; needs the right to become it. An entrant may have its own."""
    cores: int = 1
    """Cores of each worker, which its server and bots share and no other worker uses; 0: any."""
    sandbox: Literal["auto", "required", "off"] = "auto"
    """Whether bots run in a sandbox: where there is one, nowhere else, or never."""


class Nomad(Table, frozen=True):
    """What makes the Nomad of a solo field harder (SOL-11, XPT)."""

    extra_card: bool = False
    token_is_village: bool = False
    setup_card: bool = False
    idol_head_start: bool = False
    four_player_terrain: bool = False
    bottom_actions: bool = False
    second_extra_card: bool = False


class Sprt(Table, frozen=True):
    """The sequential test: is the first entrant `rating1` better than the second, or `rating0`?"""

    rating0: float = 0.0
    rating1: float = 30.0
    alpha: float = 0.05
    beta: float = 0.05


class Spec(Table, frozen=True):
    """A tournament."""

    format: Format
    entrant: tuple[Entrant, ...]
    title: str = "Tournament"
    players: int = 2
    """Seats in a game; a solo field has one player and the Nomad, whatever this says."""
    blocks: int = 10
    """Sets of games, one for each seat rotation, of each group of entrants.

    Swiss: in each round; SPRT: the most.
    """
    paired_seeds: bool = False
    """Share a seed over the games of a block, in a solo field over all entrants.

    For fields of one's own bots alone: who plays a seed twice knows what was hidden.
    """
    explain: bool = False
    """Keep in the records of games why bots chose, where they say it."""
    rounds: int = 5
    """Swiss alone: how many."""
    workers: int = 0
    """Servers side by side, each with its own bot processes; 0: as many as cores."""
    at_once: int = 0
    """Games side by side, on all workers together; 0: as many as cores."""
    game: GameOptions = GameOptions()
    clock: Clock = Clock()
    dead: Dead = Dead()
    limits: Limits = Limits()
    sprt: Sprt = Sprt()
    nomad: Nomad = Nomad()
    folder: str = "/"
    """Set by `read`, not in the file: where it lies."""

    @property
    def solo(self) -> bool:
        return self.format == "solo_field"

    @property
    def seats(self) -> int:
        """Seats in a game, the Nomad's included."""
        return 2 if self.solo else self.players

    @property
    def everyone(self) -> tuple[str, ...]:
        """All who are in the table: in a solo field the Nomad too."""
        return (*self.names, NOMAD) if self.solo else self.names

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(entrant.name for entrant in self.entrant)

    @property
    def attached(self) -> tuple[Entrant, ...]:
        """The entrants that somebody else starts."""
        return tuple(entrant for entrant in self.entrant if entrant.bot == ATTACH)


def read(path: Path) -> Spec:
    """The spec of a file. Raises `TournamentError` with the file, the place and the reason."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TournamentError(f"{path}: cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TournamentError(f"{path}: is not TOML: {one_line(error)}") from error
    try:
        spec = parse(data)
        entrants = tuple(resolved(entrant, path.parent) for entrant in spec.entrant)
        folder = str(path.parent.absolute())
        return msgspec.structs.replace(spec, entrant=entrants, folder=folder)
    except TournamentError as error:
        raise TournamentError(f"{path}: {error}") from error


def parse(data: object) -> Spec:
    """The spec of a parsed file, checked as far as it goes without looking at other files."""
    try:
        spec = msgspec.convert(data, Spec)
    except msgspec.ValidationError as error:
        raise TournamentError(_in_words(str(error))) from error
    _check(spec)
    entrants = tuple(
        entrant if entrant.bot else msgspec.structs.replace(entrant, bot=entrant.name)
        for entrant in spec.entrant
    )
    return msgspec.structs.replace(spec, entrant=entrants)


def _in_words(message: str) -> str:
    """What msgspec says, in the words of the file."""
    where = path = ""
    found = _PATH.search(message)
    if found:
        path = found[1]
        where, message = f"{path}: ", message[: found.start()]
    if unknown := _UNKNOWN.search(message):
        meant = did_you_mean(unknown[1], _known(path))
        message = f"there is no setting '{unknown[1]}'{meant}"
    elif wrong := _NOT_OF_THESE.search(message):
        known = _known(path)
        meant = did_you_mean(wrong[1], known)
        message = f"there is no '{wrong[1]}', only {', '.join(known)}{meant}"
    message = message.replace("Object missing required field", "missing").replace("`", "'")
    return one_line(f"{where}{message}")


def _known(path: str) -> list[str]:
    """What may stand at a place of the file: the keys of a table, or the values of a key."""
    kind = msgspec.inspect.type_info(Spec)
    for key in re.sub(r"\[[^]]*\]", "", path).split("."):
        if isinstance(kind, msgspec.inspect.VarTupleType):
            kind = kind.item_type
        if key and isinstance(kind, msgspec.inspect.StructType):
            kind = next(field.type for field in kind.fields if field.encode_name == key)
    if isinstance(kind, msgspec.inspect.VarTupleType):
        kind = kind.item_type
    if isinstance(kind, msgspec.inspect.StructType):
        return [field.encode_name for field in kind.fields if field.encode_name != "fingerprint"]
    return (
        [str(value) for value in kind.values]
        if isinstance(kind, msgspec.inspect.LiteralType)
        else []
    )


def _check(spec: Spec) -> None:
    for where, wrong in _mistakes(spec):
        if wrong:
            raise TournamentError(where)


def _mistakes(spec: Spec) -> list[tuple[str, bool]]:
    names = spec.names
    n = spec.players
    least = 1 if spec.solo else n
    bad = next((name for name in names if not _NAME.match(name)), "")
    clock, dead, sprt = spec.clock, spec.dead, spec.sprt
    return [
        ("entrant: the name Nomad is the Nomad's own", NOMAD in names),
        (
            "nomad: the second extra card needs the first",
            spec.nomad.second_extra_card and not spec.nomad.extra_card,
        ),
        (f"players: a game has 2 to 4, not {n}", not 2 <= n <= 4),
        *((f"game: {why}", True) for why in plugin.mistakes(msgspec.structs.asdict(spec.game))),
        (
            f"entrant: a game of {n} needs at least {least}, there are {len(names)}",
            len(names) < least,
        ),
        (
            f"entrant: the name {bad!r} is not at most 40 letters, digits, '-' and '_'",
            bool(bad),
        ),
        ("entrant: two have the same name", len(set(names)) != len(names)),
        (
            f"entrant: an sprt of {n}-player games has {n}, the first two are compared",
            spec.format == "sprt" and len(names) != n,
        ),
        (
            "entrant: a fingerprint is computed, not given",
            any(entrant.fingerprint for entrant in spec.entrant),
        ),
        (
            "entrant: named files are found, not given; use 'files'",
            any(entrant.named for entrant in spec.entrant),
        ),
        ("folder: it is known, not given", spec.folder != "/"),
        ("blocks: at least 1", spec.blocks < 1),
        ("rounds: at least 1", spec.rounds < 1),
        ("workers: at least 0", spec.workers < 0),
        ("at_once: at least 0", spec.at_once < 0),
        *_times(clock),
        (
            "clock: without a limit per decision and without a bank a hanging bot would never lose",
            clock.decision <= 0 and clock.bank <= 0,
        ),
        (f"clock.timeouts: 1 to {MOST_TIMEOUTS}", not 1 <= clock.timeouts <= MOST_TIMEOUTS),
        (
            f"dead.start: more than 0 and at most {LONGEST:.0f} seconds, not {dead.start:g}",
            not 0 < dead.start <= LONGEST,
        ),
        ("dead.attempts: at least 1", dead.attempts < 1),
        ("dead.restarts: at least 0", dead.restarts < 0),
        (
            f"limits.memory_mb: 0, or 256 to {MOST_MEMORY_MB}",
            spec.limits.memory_mb != 0 and not 256 <= spec.limits.memory_mb <= MOST_MEMORY_MB,
        ),
        (
            f"limits.processes: 0, or {FEWEST_PROCESSES} to {MOST_PROCESSES}",
            spec.limits.processes != 0
            and not FEWEST_PROCESSES <= spec.limits.processes <= MOST_PROCESSES,
        ),
        ("limits.cores: 0 or more", spec.limits.cores < 0),
        *(
            (
                f"sprt.{key}: between {-MOST_RATING:.0f} and {MOST_RATING:.0f}, not {rating:g}",
                not -MOST_RATING <= rating <= MOST_RATING,
            )
            for key, rating in (("rating0", sprt.rating0), ("rating1", sprt.rating1))
        ),
        ("sprt: rating1 is larger than rating0", sprt.rating1 <= sprt.rating0),
        (
            "sprt: alpha and beta are between 0 and 0.5",
            not (0 < sprt.alpha < 0.5 and 0 < sprt.beta < 0.5),
        ),
    ]


def _times(clock: Clock) -> Iterator[tuple[str, bool]]:
    for key in ("decision", "bank", "increment", "disconnect"):
        seconds: float = getattr(clock, key)
        yield (
            f"clock.{key}: 0, or {SHORTEST:g} to {LONGEST:.0f} seconds, not {seconds:g}",
            # Asked so that what is not a number is wrong, too.
            not (seconds == 0 or SHORTEST <= seconds <= LONGEST),
        )
