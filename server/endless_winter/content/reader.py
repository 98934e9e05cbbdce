"""From files to checked structs: TOML, the parts of a pack, and the shape of each entry."""

import tomllib
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from endless_winter.content.errors import ContentError
from endless_winter.content.plugin import content_type, module_sections
from endless_winter.content.schema import (
    ALL_OTHERS,
    AnimalType,
    Board,
    ChiefCard,
    Content,
    CultureCard,
    Entry,
    GlacierToken,
    Idols,
    MapCardEntry,
    MegalithTile,
    NomadCardEntry,
    PackInfo,
    Part,
    RestToken,
    SacredStone,
    Setup,
    StartingCard,
    StonePlace,
    TerrainType,
    TileLayout,
    TribeCard,
)
from endless_winter.rules.modules import REGISTRY

_LISTS: Final[tuple[type[Entry], ...]] = (
    TribeCard,
    StartingCard,
    CultureCard,
    AnimalType,
    ChiefCard,
    Setup,
    SacredStone,
    TerrainType,
    MegalithTile,
    TileLayout,
    StonePlace,
    GlacierToken,
    RestToken,
    NomadCardEntry,
    MapCardEntry,
)
_SINGLES: Final[tuple[type[Part], ...]] = (Board, Idols)
_FILE: Final = "whole file"  # the entry of an error that concerns no entry

T = TypeVar("T", bound=msgspec.Struct)


def sections() -> tuple[type[Part], ...]:
    """Every section that a pack can have."""
    return (*_LISTS, *module_sections(), *_SINGLES)


class Source:
    """A pack's content, and the file that each part of it came from."""

    __slots__ = ("content", "files", "main")

    def __init__(self, content: Content, main: str, files: dict[tuple[str, str], str]) -> None:
        self.content: Content = content
        self.main: str = main
        self.files: dict[tuple[str, str], str] = files

    def error(self, part: Part, reason: str) -> ContentError:
        """What is wrong with one part."""
        name = part.id if isinstance(part, Entry) else ""
        file = self.files.get((part.section, name), self.main)
        return ContentError(file, f'{part.label} "{name}"' if name else part.label, reason)

    def section_error(self, section: type[Part], reason: str) -> ContentError:
        """What is wrong with all the parts of a kind together, such as their number."""
        found = [file for (name, _), file in self.files.items() if name == section.section]
        return ContentError(found[0] if found else self.main, f"[{section.section}]", reason)


def read(path: Path) -> Source:
    """Read a main file and what it includes, and check the shape of every entry."""
    main = path.name
    root = _parse(path)
    info = _convert(root.pop("pack", None), PackInfo, main, "[pack]")
    documents = [(main, root)]
    for name in _included(path, info):
        if name in (file for file, _ in documents):
            raise ContentError(main, "[pack]", f'includes "{name}" twice')
        documents.append((name, _parse(path.with_name(name))))

    known = {section.section for section in sections()}
    for file, document in documents:
        for key in document:
            if key == "pack":
                raise ContentError(file, "[pack]", "only the main file has this section")
            if key not in known:
                raise ContentError(file, f"[{key}]", f"unknown section{_unregistered(file)}")

    files: dict[tuple[str, str], str] = {}
    parts: dict[str, Any] = {"name": info.name, "title": info.title, "version": info.version}
    for section in (*_LISTS, *module_sections()):
        parts[section.section] = tuple(_entries(section, documents, files))
    for single in _SINGLES:
        parts[single.section] = _single(single, documents, files, main)
    return Source(content_type()(**parts), main, files)


def _unregistered(file: str) -> str:
    """What may be wrong where nobody knows a section: its module has no line in the registry."""
    name = file.removesuffix(".toml")
    if name in REGISTRY or not Path(__file__).with_name("modules").joinpath(f"{name}.py").exists():
        return ""
    return f': content/modules/{name}.py is not asked, since rules.modules.REGISTRY has no "{name}"'


def _included(path: Path, info: PackInfo) -> list[str]:
    """The names of all included files, in their order; all of them lie beside the main one."""
    names: list[str] = []
    for name in info.includes:
        if name != ALL_OTHERS:
            names.append(name)
            continue
        home = path.resolve().parent
        # As in a shell, what is hidden is not meant: editors keep their own files there.
        for file in sorted(path.parent.glob("[!.]*.toml")):
            if file.name == path.name or file.name in info.includes:
                continue
            if file.resolve().parent != home:
                reason = "is a link out of the pack's folder: [pack] must include it by its name"
                raise ContentError(file.name, _FILE, reason)
            names.append(file.name)
    return names


def _parse(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ContentError(path.name, _FILE, f"cannot be read: {reason} ({path})") from error
    except UnicodeDecodeError as error:
        raise ContentError(path.name, _FILE, f"is not UTF-8 at byte {error.start}") from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ContentError(path.name, _FILE, f"is not TOML: {error}") from error


def _convert(raw: object, kind: type[T], file: str, entry: str) -> T:
    if raw is None:
        raise ContentError(file, entry, "missing")
    try:
        return msgspec.convert(raw, kind, strict=True)
    except msgspec.ValidationError as error:
        raise ContentError(file, entry, str(error)) from error


def _entries(
    kind: type[Entry],
    documents: list[tuple[str, dict[str, Any]]],
    files: dict[tuple[str, str], str],
) -> list[Entry]:
    entries: list[Entry] = []
    for file, document in documents:
        raws = document.get(kind.section, [])
        if not isinstance(raws, list):
            reason = f"is not an array of tables: write [[{kind.section}]]"
            raise ContentError(file, f"[{kind.section}]", reason)
        for number, raw in enumerate(raws, 1):
            name = raw.get("id") if isinstance(raw, dict) else None
            label = f'{kind.label} "{name}"' if isinstance(name, str) else f"{kind.label} {number}"
            entry = _convert(raw, kind, file, label)
            key = (kind.section, entry.id)
            if key in files:
                raise ContentError(file, label, f"the id is already taken in {files[key]}")
            files[key] = file
            if isinstance(entry, ChiefCard):
                for side in entry.sides:
                    files[side.section, side.id] = file
            entries.append(entry)
    return entries


def _single(
    kind: type[Part],
    documents: list[tuple[str, dict[str, Any]]],
    files: dict[tuple[str, str], str],
    main: str,
) -> Part:
    holders = [
        (file, document[kind.section]) for file, document in documents if kind.section in document
    ]
    if len(holders) > 1:
        names = " and ".join(file for file, _ in holders)
        raise ContentError(holders[1][0], f"[{kind.section}]", f"stands in {names}")
    file, raw = holders[0] if holders else (main, None)
    files[kind.section, ""] = file
    return _convert(raw, kind, file, f"[{kind.section}]")
