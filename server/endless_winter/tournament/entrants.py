"""What an entrant is made of and how it is started: files beside the spec, and a command line."""

from __future__ import annotations

import hashlib
import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from endless_winter.tournament.errors import TournamentError

if TYPE_CHECKING:
    from endless_winter.tournament.spec import Entrant

ATTACH: Final = "attach"
COMMAND: Final = "cmd:"


def resolved(entrant: Entrant, folder: Path) -> Entrant:
    """A bot starts in a folder of its own, so files beside the spec go by their whole path.

    What they say goes into the fingerprint: an edited bot is another bot, a moved one is not.
    """
    entrant = msgspec.structs.replace(entrant, files=_files(entrant, folder))
    if entrant.bot.startswith(COMMAND):
        return _command_resolved(entrant, folder)
    file, suffix, chosen = entrant.bot.rpartition(".py")
    if not suffix or (chosen and not chosen.startswith(":")):
        return entrant
    path = (folder / f"{file}.py").resolve()
    digest = f"{_digest(entrant, path)}{chosen}"
    return msgspec.structs.replace(
        entrant, bot=f"{path}{chosen}", fingerprint=digest, named=(str(path),)
    )


def _files(entrant: Entrant, folder: Path) -> tuple[str, ...]:
    found = tuple(os.path.normpath(folder.absolute() / path) for path in entrant.files)
    for path in found:
        if not Path(path).exists():
            raise TournamentError(f"entrant {entrant.name}: files: {path} is not there")
    return found


def _command_resolved(entrant: Entrant, folder: Path) -> Entrant:
    """Words that name files beside the spec; whole paths (an interpreter) are left as they are."""
    whole, said, named = command_of(entrant), [], []
    for number, word in enumerate(whole):
        beside = not word.startswith(("/", "-")) and ("." in word or "/" in word)
        path = Path(os.path.normpath(folder.absolute() / word))
        if beside and path.is_file():
            whole[number] = str(path)
            said.append(_digest(entrant, path))
        else:
            said.append(word)
        installed = number == 0 and path.parent.name in ("bin", "sbin")
        if whole[number].startswith("/") and path.is_file() and not installed:
            named.append(str(path))
    fingerprint = shlex.join(said) if said != command_of(entrant) else ""
    bot = f"{COMMAND} {shlex.join(whole)}"
    return msgspec.structs.replace(entrant, bot=bot, fingerprint=fingerprint, named=tuple(named))


def _digest(entrant: Entrant, path: Path) -> str:
    try:
        return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
    except OSError as error:
        raise TournamentError(
            f"entrant {entrant.name}: {path} cannot be read: {error.strerror}"
        ) from error


def command_of(entrant: Entrant) -> list[str]:
    """The words of an entrant's command line; that of a bot that ``ew bot run`` plays is ours."""
    if not entrant.bot.startswith(COMMAND):
        return [sys.executable, "-m", "endless_winter.cli", "bot", "run", entrant.bot, "--quiet"]
    try:
        words = shlex.split(entrant.bot.removeprefix(COMMAND))
    except ValueError as error:
        raise TournamentError(f"entrant {entrant.name}: no command line: {error}") from error
    if not words:
        raise TournamentError(f"entrant {entrant.name}: 'cmd:' names no program")
    return words
