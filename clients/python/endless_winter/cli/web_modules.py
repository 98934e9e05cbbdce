"""The modules of clients/web as one script, for a page that has to hold everything itself."""

from __future__ import annotations

import re
from importlib import resources
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_IMPORT: Final = re.compile(r'^import \{([^}]*)\} from "\./([a-z_/]+\.js)";\n', re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:const|function|class) )", re.MULTILINE)
_NAME: Final = re.compile(
    r"^(?:export )?(?:async )?(?:const|let|function\*?|class) (\w+)", re.MULTILINE
)
_COMMENT: Final = re.compile(r"^ */\*\*.*?\*/\n|/\*\*.*?\*/ ?", re.MULTILINE | re.DOTALL)
_LEFT: Final = re.compile(r"^\s*(?:import|export)\b.*$", re.MULTILINE)


class BadModule(Exception):
    """A module is written in a way that cannot be joined with the others."""


def folder() -> Traversable:
    """Where the modules and styles are, in a work tree and in an installed package alike."""
    return resources.files("endless_winter.web")


def text(name: str) -> str:
    return folder().joinpath(name).read_text(encoding="utf-8")


def joined(name: str) -> str:
    """A module and all that it imports in one scope, each once, after what it imports itself.

    So all top-level names must differ, and imports have one form: `import { a, b } from "./c.js";`.
    """
    parts: list[str] = []
    names: dict[str, str] = {}
    _add(name, parts, names, [])
    return "".join(parts)


def _add(name: str, parts: list[str], names: dict[str, str], path: list[str]) -> None:
    if name in path:
        raise BadModule(f"{' imports '.join([*path, name])}")
    if name in names:
        return
    source = text(name)
    for found in _IMPORT.finditer(source):
        _add(found[2], parts, names, [*path, name])
    names[name] = name
    for found in _NAME.finditer(source):
        other = names.setdefault(found[1], name)
        if other != name:
            raise BadModule(f"{name} and {other} both have a top-level '{found[1]}'")
    # The types are for those who read the modules; in a page they would be a fifth of the script.
    body = _COMMENT.sub("", _EXPORT.sub("", _IMPORT.sub("", source)))
    left = _LEFT.search(body)
    if left is not None:
        raise BadModule(f"{name}: cannot be joined: {left[0].strip()}")
    parts.append(f"// {name}\n{body.strip()}\n")
