"""Loading a pack: the way in for everybody else."""

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from endless_winter.content.build import build
from endless_winter.content.checks import check
from endless_winter.content.errors import ContentError
from endless_winter.content.plugin import content_type
from endless_winter.content.reader import Source, read
from endless_winter.content.schema import Content
from endless_winter.rules.tables import Tables

BASE: Final = Path(__file__).with_name("base.toml")


class Pack:
    """A content pack: what it says (`content`), what the core plays with (`tables`), its hash."""

    __slots__ = ("_canonical", "content", "digest", "tables")

    def __init__(self, content: Content, digest: str, tables: Tables) -> None:
        self.content: Content = content
        self.digest: str = digest
        self.tables: Tables = tables
        self._canonical: bytes | None = None

    @property
    def canonical(self) -> bytes:
        """The content as canonical JSON: what the hash is made of, and what a store keeps."""
        if self._canonical is None:  # every new game asks for it
            self._canonical = _canonical(self.content)
        return self._canonical

    @property
    def name(self) -> str:
        return self.content.name

    @property
    def title(self) -> str:
        return self.content.title

    @property
    def version(self) -> str:
        return self.content.version


def load_pack(path: str | Path | None = None) -> Pack:
    """Load a pack from its main file; without one, the pack that comes with the engine.

    Raises `ContentError`, which names file, entry and reason, if anything is wrong with it.
    """
    return _base() if path is None else _load(Path(path))


def load(path: str | Path | None = None) -> Tables:
    """The tables of a pack: `load_pack` for those who only play."""
    return load_pack(path).tables


def pack_of(canonical: bytes) -> Pack:
    """A pack from its canonical JSON, as a store keeps it; it is checked like one from files.

    Its hash is that of these bytes, also where this version would write them otherwise, because
    there is more to say by now.

    Raises `ContentError` if it is none, or one that only an older program could read.
    """
    where = "stored pack"
    try:
        content = msgspec.json.decode(canonical, type=content_type())
    except (msgspec.DecodeError, RecursionError) as error:
        raise ContentError(where, "whole file", str(error)) from error
    source = Source(content, where, {})
    check(source)
    digest = _hash(canonical)
    return Pack(content, digest, build(source, digest))


@cache
def _base() -> Pack:
    return _load(BASE)


def _load(path: Path) -> Pack:
    source = read(path)
    check(source)
    digest = _digest(source.content)
    return Pack(source.content, digest, build(source, digest))


def _digest(content: Content) -> str:
    """BLAKE2b-256 of the content as canonical JSON: comments, key order and files are not in it."""
    return _hash(_canonical(content))


def _hash(canonical: bytes) -> str:
    return hashlib.blake2b(canonical, digest_size=32).hexdigest()


def _canonical(content: Content) -> bytes:
    plain = msgspec.to_builtins(content)
    text = json.dumps(plain, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("ascii")
