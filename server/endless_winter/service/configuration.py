"""What a host can set: one table of options, read from flags, the environment and a file.

Everything else is made from this table: the flags of ``ew serve``, the names in the environment
(``EW_`` and the name in capitals), the keys of the TOML file, and the table in docs/hosting.md.
A flag wins over the environment, the environment over the file, the file over the default.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from endless_winter.engine.seats import BOT_NAME
from endless_winter.engine.settings import Settings
from endless_winter.service.identity import operator_hash

if TYPE_CHECKING:
    from collections.abc import Mapping

PREFIX = "EW_"
SHORTEST_TOKEN = 16  # characters; a shorter operator token could be guessed

_SHA256 = re.compile(r"\A[0-9a-fA-F]{64}\Z")

Kind = Literal["text", "path", "switch", "number", "seconds", "choice", "texts"]


class ConfigurationError(Exception):
    """A setting cannot be used; the message is one line that names where it stands."""


@dataclass(frozen=True, slots=True)
class Option:
    """One thing that can be set. ``least`` is the smallest number; None as default: not set."""

    name: str
    kind: Kind
    default: Any
    help: str
    metavar: str = ""
    choices: tuple[str, ...] = ()
    least: int = 0

    @property
    def flag(self) -> str:
        return f"--{self.name}"

    @property
    def variable(self) -> str:
        """Its name in the environment."""
        return PREFIX + self.name.replace("-", "_").upper()

    @property
    def key(self) -> str:
        """Its name in the file and in Python."""
        return self.name.replace("-", "_")

    @property
    def shown_default(self) -> str:
        if self.default is None or self.default == ():
            return "not set"
        if self.kind == "switch":
            return "off"
        return f"{self.default:g}" if isinstance(self.default, float) else str(self.default)


def _number(name: str, help_: str, least: int = 0) -> Option:
    """A number that is one of the engine's settings, with its default there."""
    metavar = "MS" if name.endswith("-ms") else "BYTES" if name.endswith("-bytes") else "N"
    default = getattr(Settings(), name.replace("-", "_"))
    return Option(name, "number", default, help_, metavar, least=least)


def _file(name: str, help_: str) -> Option:
    return Option(name, "path", None, help_, "FILE")


def _switch(name: str, help_: str) -> Option:
    return Option(name, "switch", default=False, help=help_)


OPTIONS: tuple[Option, ...] = (
    Option(
        "listen",
        "text",
        "127.0.0.1:50051",
        "Where to listen; port 0 takes any free one.",
        "HOST:PORT",
    ),
    Option(
        "unix-socket",
        "texts",
        (),
        "Listen on this Unix socket as well, without TLS; those who may write to it may connect. "
        "May be given several times; each has connections of its own.",
        "FILE",
    ),
    Option(
        "store",
        "text",
        "endless-winter.db",
        "Where the games are stored: a file, which is made if it does not exist, or a database, "
        "postgresql://USER@HOST/DATABASE.",
        "STORE",
    ),
    Option(
        "synchronous",
        "choice",
        "full",
        "How durable a commit to a file is: it survives loss of power (full: fsync), of the "
        "process (normal), or nothing to speak of (off).",
        choices=("full", "normal", "off"),
    ),
    _file(
        "content",
        "Another content pack: its main TOML file. Without it, the pack that comes along.",
    ),
    _switch("insecure", "Allow a host that other machines can reach, without TLS."),
    _file("tls-cert", "The server's certificate chain (PEM)."),
    _file("tls-key", "The key of that certificate (PEM)."),
    _file("tls-client-ca", "Only clients with a certificate of this authority (PEM) may connect."),
    Option(
        "operator-token",
        "texts",
        (),
        f"A word of at least {SHORTEST_TOKEN} characters that makes its sender an operator; "
        "may be given several times. Others on this machine can read flags: prefer the file.",
        "TOKEN",
    ),
    _file(
        "operator-token-file",
        "Operator tokens, one a line; empty lines and lines with # are skipped.",
    ),
    _switch("operators-create", "Only operators may create games."),
    _switch("operators-seed", "Only operators may bring the seed of a game."),
    Option(
        "reserved-bot",
        "texts",
        (),
        "A name of bots that only those with its token may attach under, and the SHA-256 of the "
        "token, 64 hexadecimal digits; may be given several times, also for one name.",
        "NAME:SHA256",
    ),
    _switch("reserved-bots-only", "Bots may attach under reserved names alone."),
    Option(
        "grace",
        "seconds",
        10.0,
        "How long calls in flight may go on after SIGTERM.",
        "SECONDS",
    ),
    Option(
        "metrics",
        "text",
        None,
        "Serve Prometheus metrics by HTTP there; a loopback address.",
        "HOST:PORT",
    ),
    Option(
        "log-level",
        "choice",
        "info",
        "The least important log lines to write (to standard error, as JSON).",
        choices=("debug", "info", "warning", "error"),
    ),
    _number("message-bytes", "The largest message in either direction, in bytes.", least=65536),
    _number("attachments-per-stream", "Games and seats attached on one Play stream.", least=1),
    _number("streams-per-client", "Streams open at a time per client.", least=1),
    _number(
        "waits-per-client",
        "Long polls of a client that wait at a time; more are answered at once.",
        least=1,
    ),
    _number(
        "calls-per-connection",
        "Calls under way at a time on one connection; more wait in the client. Half of them may "
        "be streams and long polls. 0: any number (behind a proxy).",
    ),
    _number(
        "calls-per-address",
        "Calls under way at a time of one network address (IPv6: of a /64 network), of any kind; "
        "those of health are counted apart. 0: any number (behind a proxy, for tournaments).",
    ),
    _number(
        "pending-calls",
        "Calls of one method that may wait to be taken; gRPC cancels what is more.",
        least=100,
    ),
    _number(
        "connections",
        "Connections at a time, of all clients; one too many is closed. At most as many as the "
        "limit on open files allows, but for some that the server needs itself.",
        least=1,
    ),
    _number(
        "handshake-ms", "How long a new connection has to say what HTTP/2 and TLS want.", least=100
    ),
    _number(
        "idle-ms",
        "A connection without any call for so long is closed; clients connect again by "
        "themselves. 0: never.",
    ),
    _number("games-per-creator", "Unfinished games per creator.", least=1),
    _number(
        "creates-per-minute",
        "Rate limit: games that a client may create a minute, in the long run, seats that it gives "
        "up before the start included; 0: any number.",
    ),
    _number("create-burst", "Games that a client may create at once after a pause.", least=1),
    _number(
        "lists-per-minute",
        "Rate limit: lists that a client may ask for a minute, in the long run; 0: any number.",
    ),
    _number("list-burst", "Lists that a client may ask for at once after a pause.", least=1),
    _number(
        "clients-per-peer",
        "All clients of one network address together may do so many times what one may; "
        "0: addresses are not looked at (behind a proxy).",
    ),
    _number(
        "keepalive-ms",
        "After so long a silence a client is asked whether it is there (HTTP/2 ping).",
        least=100,
    ),
    _number(
        "keepalive-timeout-ms",
        "How long it has to answer that; then its connection is cut.",
        least=100,
    ),
    _number("page-size", "The largest page of a list.", least=1),
    _number("wait-ms", "The longest wait of a long poll."),
    _number(
        "wrong-answers-to-forfeit",
        "Wrong answers to one decision that end a seat, where the game names no number.",
        least=1,
    ),
    _number(
        "timeouts-to-forfeit",
        "Expired clocks that forfeit a seat, where the game names no number.",
        least=1,
    ),
    _number(
        "ready-limit-ms",
        "How long all seats have to say Ready, where the game names no limit.",
        least=1,
    ),
    _number(
        "start-limit-ms",
        "A game that has not started so long after it was created is aborted; 0: never.",
    ),
    _number("offer-ms", "How long an offer of a seat to a bot stands.", least=1),
)

BY_KEY = {option.key: option for option in OPTIONS}
CONFIG = _file("config", "Read settings from this TOML file.")


@dataclass(frozen=True, slots=True)
class Configuration:
    """All settings with their values."""

    values: Mapping[str, Any]

    def __getitem__(self, key: str) -> Any:
        return self.values[key]

    def path(self, key: str) -> Path | None:
        value = self.values[key]
        return Path(value) if value is not None else None

    def settings(self) -> Settings:
        """What the service itself looks at. Of operator tokens only the hashes."""
        own = {field.name for field in fields(Settings)}
        values = {key: value for key, value in self.values.items() if key in own}
        return Settings(**values, operators=self._operators(), reserved=self._reserved())

    def _reserved(self) -> tuple[tuple[str, bytes], ...]:
        found = []
        for text in self.values["reserved_bot"]:
            name, _, digest = text.partition(":")
            if not BOT_NAME.match(name) or not _SHA256.match(digest):
                raise ConfigurationError(
                    f"reserved bots: '{text}' is not NAME:SHA256, the hash in 64 hexadecimal digits"
                )
            found.append((name, bytes.fromhex(digest)))
        return tuple(found)

    def _operators(self) -> tuple[bytes, ...]:
        tokens = list(self.values["operator_token"])
        where = self.path("operator_token_file")
        if where is not None:
            try:
                lines = where.read_text().splitlines()
            except (OSError, UnicodeError) as error:
                raise ConfigurationError(f"operator tokens: cannot read {where}") from error
            tokens += [line.strip() for line in lines if line.strip()[:1] not in ("", "#")]
        if any(len(token) < SHORTEST_TOKEN or not token.isascii() for token in tokens):
            raise ConfigurationError(
                f"an operator token has at least {SHORTEST_TOKEN} ASCII characters"
            )
        return tuple(dict.fromkeys(operator_hash(token) for token in tokens))


def resolve(
    flags: Mapping[str, Any], environment: Mapping[str, str], file: Path | None = None
) -> Configuration:
    """Bring the three sources together; a flag that was not given is None (or empty)."""
    if file is None and environment.get(CONFIG.variable):
        file = Path(environment[CONFIG.variable])
    written = read_file(file) if file is not None else {}
    values: dict[str, Any] = {}
    for option in OPTIONS:
        key = option.key
        if flags.get(key) not in (None, ()):
            values[key] = _check(option, flags[key], option.flag)
        elif environment.get(option.variable, "") != "":
            values[key] = _from_text(option, environment[option.variable], option.variable)
        elif key in written:
            values[key] = _check(option, written[key], f"{key} in {file}")
        else:
            values[key] = option.default
    return Configuration(values)


def read_file(path: Path) -> dict[str, Any]:
    """The keys of a TOML file; a key that nothing knows is an error, not a silent nothing."""
    try:
        found = tomllib.loads(path.read_text())
    except OSError as error:
        raise ConfigurationError(
            f"cannot read the configuration {path}: {error.strerror}"
        ) from error
    except UnicodeError as error:
        raise ConfigurationError(
            f"cannot read the configuration {path}: it is not a text in UTF-8"
        ) from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path} is not TOML: {error}") from error
    unknown = sorted(found.keys() - BY_KEY.keys())
    if unknown:
        raise ConfigurationError(f"{path}: there is no setting '{unknown[0]}'")
    return found


_YES = frozenset(("1", "true", "yes", "on"))
_NO = frozenset(("0", "false", "no", "off"))


def _from_text(option: Option, text: str, where: str) -> Any:
    """A value from the environment, where everything is text."""
    if option.kind == "switch":
        if text.lower() not in _YES | _NO:
            raise ConfigurationError(f"{where}: '{text}' is neither true nor false")
        return text.lower() in _YES
    if option.kind == "texts":
        return tuple(part.strip() for part in text.split(",") if part.strip())
    if option.kind in ("number", "seconds"):
        try:
            number: Any = int(text) if option.kind == "number" else float(text)
        except ValueError as error:
            raise ConfigurationError(f"{where}: '{text}' is not a number") from error
        return _check(option, number, where)
    return _check(option, text, where)


def _check(option: Option, value: Any, where: str) -> Any:
    """A value of the option's kind and range."""
    kind = option.kind
    if kind == "texts":
        texts = (value,) if isinstance(value, str) else value
        if not isinstance(texts, list | tuple) or not all(isinstance(t, str) for t in texts):
            raise ConfigurationError(f"{where}: must be a list of texts")
        return tuple(texts)
    wanted: dict[str, tuple[type, ...]] = {
        "switch": (bool,),
        "number": (int,),
        "seconds": (int, float),
    }
    types = wanted.get(kind, (str,))
    value = str(value) if isinstance(value, Path) else value
    fits: bool = isinstance(value, types) and (kind == "switch") == isinstance(value, bool)
    if not fits:
        words = {"path": "a text", "choice": "a text", "seconds": "a number of seconds"}
        raise ConfigurationError(f"{where}: must be {words.get(kind, f'a {kind}')}")
    if kind == "choice" and value not in option.choices:
        raise ConfigurationError(f"{where}: '{value}' is not one of {', '.join(option.choices)}")
    # "not >=" also refuses what is not a number at all (nan).
    if kind in ("number", "seconds") and not option.least <= value <= _MOST:
        raise ConfigurationError(f"{where}: must be from {option.least} to {_MOST}")
    return float(value) if kind == "seconds" else value


_MOST = 1 << 31


def table() -> str:
    """The table of docs/hosting.md."""
    rows = [
        "| flag | environment | file | default | what it sets |",
        "| --- | --- | --- | --- | --- |",
    ]
    for option in (CONFIG, *OPTIONS):
        values = f" One of: {', '.join(option.choices)}." if option.choices else ""
        flag = f"{option.flag} {option.metavar}".strip()
        key = f"`{option.key}`" if option is not CONFIG else "-"
        rows.append(
            f"| `{flag}` | `{option.variable}` | {key} | {option.shown_default} "
            f"| {option.help}{values} |"
        )
    return "\n".join(rows)
