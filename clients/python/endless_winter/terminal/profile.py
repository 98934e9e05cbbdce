"""What is stored between games: secrets, and the last game on each server.

A secret gives the seats that were taken with it, so only its owner may read the file.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from endless_winter.sdk.connection import new_secret

LOCAL = "local"  # the own server on this machine, whatever its port
_SECRET = re.compile(r"\A[0-9a-f]{64}\Z")


class ProfileError(Exception):
    """The file cannot be read or written; the message is one line."""


def home() -> Path:
    """Where games and secrets are stored: EW_HOME, or the user's data folder."""
    named = os.environ.get("EW_HOME")
    if named:
        return Path(named)
    data = os.environ.get("XDG_DATA_HOME")
    return (Path(data) if data else Path.home() / ".local" / "share") / "endless-winter"


def cannot_use(folder: Path, error: OSError) -> str:
    """Why a folder is of no use, and what to do."""
    why = error.strerror or str(error)
    if folder.exists() and not folder.is_dir():
        why = "it is no folder"
    return f"cannot store games in {folder}: {why}; set EW_HOME to a folder that you may write to"


def make(folder: Path) -> None:
    """Make the folder if it is not there, for its owner alone."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    except OSError as error:
        raise ProfileError(cannot_use(folder, error)) from error


@dataclass
class ServerProfile:
    """The secrets and the last game of one server."""

    secret: str = field(default_factory=new_secret)
    game_id: str = ""
    seat: int = 0
    against: list[str] = field(default_factory=list)
    bot_secrets: dict[str, str] = field(default_factory=dict)

    def bot_secret(self, name: str) -> str:
        """The secret of an own bot; with the same one it finds its seats again."""
        return self.bot_secrets.setdefault(name, new_secret())


class Profile:
    """The file; every change is written at once, in one piece."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "player.json"
        self._servers: dict[str, ServerProfile] = {}
        self._read()

    def _read(self) -> None:
        try:
            raw = json.loads(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return
        except OSError as error:
            raise ProfileError(cannot_use(self.path.parent, error)) from error
        except ValueError as error:
            raise ProfileError(f"{self.path} cannot be read ({error}); move it away") from error
        try:
            self._servers = {name: _server_profile(one) for name, one in raw["servers"].items()}
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise ProfileError(f"{self.path} is damaged ({error}); move it away") from error

    def __contains__(self, server: str) -> bool:
        """Whether the server is in the file."""
        return server in self._servers

    def at(self, server: str) -> ServerProfile:
        """The entry of a server; each has a secret of its own."""
        return self._servers.setdefault(server, ServerProfile())

    def last(self) -> str | None:
        """The server of the last game that was joined."""
        return next(
            (name for name, server in reversed(self._servers.items()) if server.game_id), None
        )

    def save(self, server: str) -> None:
        """Write the file; the server named becomes the last."""
        self._servers[server] = self._servers.pop(server)
        text = json.dumps(
            {"servers": {name: asdict(server) for name, server in self._servers.items()}}, indent=1
        )
        fresh = self.path.with_suffix(".new")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            fresh.unlink(missing_ok=True)
            handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text + "\n")
            fresh.replace(self.path)
        except OSError as error:
            raise ProfileError(f"cannot write {self.path}: {error.strerror}") from error


def _server_profile(raw: dict[str, Any]) -> ServerProfile:
    server = ServerProfile(**raw)
    for secret in (server.secret, *server.bot_secrets.values()):
        if not _SECRET.match(secret):
            raise ValueError("a secret has the wrong form")
    return server
