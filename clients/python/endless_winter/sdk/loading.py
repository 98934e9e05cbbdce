"""Bots by name: built-in ones, Python files, or any command line.

`heuristic` is a bot that comes along, `search:ms=30` one with a setting, `my_bot.py` the one bot in
a Python file, `my_bot.py:Name` the class or function of that name in it, `cmd: node bot.js` a
program of its own in any language.
"""

from __future__ import annotations

import importlib.util
import inspect
import re
import shlex
import sys
import traceback
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from endless_winter.content.spelling import did_you_mean
from endless_winter.sdk.bot import Bot, maker
from endless_winter.sdk.errors import BotFailed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

    from endless_winter.sdk.bot import BotLike

COMMAND: Final = "cmd:"
_LONGEST: Final = 32  # characters of a bot's name, so that "-2" fits behind it


def is_command(spec: str) -> bool:
    return spec.lstrip().startswith(COMMAND)


def command_of(spec: str) -> list[str]:
    """The words of a command line that was given as ``cmd: ...``."""
    try:
        words = shlex.split(spec.lstrip().removeprefix(COMMAND))
    except ValueError as error:
        raise BotFailed(f"{spec!r} is no command line: {error}") from error
    if not words:
        raise BotFailed(f"{spec!r} names no program: write for example 'cmd: node bot.js'")
    return words


def is_file(spec: str) -> bool:
    return _file_and_name(spec)[0].endswith(".py")


def name_of(spec: str) -> str:
    """A name for a bot in the arena: letters, digits, "-" and "_"."""
    if is_command(spec):
        words = command_of(spec)
        stems = [Path(word).stem for word in words if not word.startswith("-")]
        raw = stems[1] if len(stems) > 1 else stems[0]
    else:
        file, chosen = _file_and_name(spec)
        raw = chosen or Path(file).stem
    return re.sub(r"[^A-Za-z0-9_-]+", "-", raw).strip("-")[:_LONGEST] or "bot"


def load(spec: str, built_in: Mapping[str, type[Bot]]) -> Callable[[], Bot]:
    """What makes the bot of a name or file; `BotFailed` says in a line why there is none."""
    if is_command(spec):
        raise BotFailed(f"{spec!r} is a program of its own: it cannot be loaded, only started")
    if not is_file(spec):
        name, colon, settings = spec.partition(":")
        if name not in built_in:
            raise BotFailed(no_bot(spec, built_in))
        bot = built_in[name]
        return partial(bot, **_settings(bot, spec, settings)) if colon else maker(bot)
    file, chosen = _file_and_name(spec)
    module = _module(Path(file))
    found = _named(module, chosen, file) if chosen else _only(module, file)
    try:
        return maker(found)
    except BotFailed as error:
        raise BotFailed(f"{file}: {error}") from error


def _settings(bot: type[Bot], spec: str, settings: str) -> dict[str, int]:
    """What stands behind a bot's name: numbers by name, of those that its class lists."""
    known: tuple[str, ...] = getattr(bot, "SETTINGS", ())
    found: dict[str, int] = {}
    for setting in settings.split(","):
        key, _, value = setting.partition("=")
        if key not in known or not value.isdecimal() or not int(value):
            name = spec.partition(":")[0]
            write = " or ".join(f"{name}:{one}=NUMBER" for one in known) or name
            raise BotFailed(f"there is no bot {spec!r}: write {write}")
        found[key] = int(value)
    return found


def no_bot(spec: str, built_in: Mapping[str, type[Bot]]) -> str:
    """What is said of a bot that is not there."""
    known = ", ".join(sorted(built_in)) or "none"
    return (
        f"no bot {spec!r}{did_you_mean(spec, built_in) or '.'} There are {known}; or give a "
        'Python file (my_bot.py) or a program ("cmd: node bot.js")'
    )


def _file_and_name(spec: str) -> tuple[str, str]:
    file, colon, chosen = spec.rpartition(":")
    if colon and file.endswith(".py"):
        return file, chosen
    return spec, ""


def _module(file: Path) -> ModuleType:
    if not file.is_file():
        raise BotFailed(f"there is no file {file}")
    name = f"ew_bot_{re.sub(r'[^A-Za-z0-9_]', '_', file.stem)}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise BotFailed(f"{file} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses and pickles of the author look there
    folder = str(file.resolve().parent)
    if folder not in sys.path:
        sys.path.insert(0, folder)  # as if it were started itself: it may import its neighbours
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        where = _last_line(error, file)
        raise BotFailed(
            f"{file} cannot be loaded: {type(error).__name__}: {_one_line(error)}{where}"
        ) from error
    return module


def _last_line(error: BaseException, file: Path) -> str:
    """Where in the author's file it went wrong."""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).resolve() == file.resolve()
    ]
    if isinstance(error, SyntaxError):
        return ""  # its message names the line
    return f" (line {lines[-1]})" if lines else ""


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split())


def _named(module: ModuleType, chosen: str, file: str) -> BotLike:
    found = getattr(module, chosen, None)
    if found is None:
        raise BotFailed(f"{file} has no {chosen!r}")
    if isinstance(found, Bot) or callable(found):
        return found  # type: ignore[no-any-return] # maker() looks closer
    raise BotFailed(f"{chosen!r} in {file} is no bot: a bot is a Bot class or a function")


def _only(module: ModuleType, file: str) -> BotLike:
    """The one bot of a file: its Bot class, or its function `choose`."""
    classes = [
        one
        for one in vars(module).values()
        if inspect.isclass(one) and issubclass(one, Bot) and one.__module__ == module.__name__
    ]
    # A base class that another class of the file refines is not meant.
    last = [one for one in classes if not any(o is not one and issubclass(o, one) for o in classes)]
    if len(last) == 1:
        return last[0]
    if last:
        names = ", ".join(one.__name__ for one in last)
        raise BotFailed(f"{file} has several bots ({names}): say which, {file}:{last[0].__name__}")
    choose = getattr(module, "choose", None)
    if callable(choose):
        return choose  # type: ignore[no-any-return] # maker() looks closer
    raise BotFailed(
        f"{file} has no bot: write a function choose(decision, view) or a class derived from Bot"
    )
