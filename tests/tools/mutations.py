"""The named mutations of tests/mutations/*.toml: small edits that must turn a rule's tests red."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

FOLDER = "tests/mutations"
_TEXTS = ("rule", "name", "file", "find", "replace")


class MutationError(Exception):
    """A mutation that is written wrongly or no longer fits its file."""


@dataclass(frozen=True)
class Mutation:
    """Replace `find` by `replace` in `file`; the tests of `rule` must notice."""

    source: str
    rule: str
    name: str
    file: str
    find: str
    replace: str
    count: int

    @property
    def label(self) -> str:
        """How messages name it."""
        return f"{self.rule} '{self.name}'"

    def mutate(self, text: str) -> str:
        """The mutated text; raises MutationError if `find` is not there exactly `count` times."""
        found = text.count(self.find)
        if found != self.count:
            wanted = "once" if self.count == 1 else f"{self.count} times"
            raise MutationError(
                f"{self.source}: {self.label} no longer applies: 'find' must occur exactly {wanted}"
                f" in {self.file}, found {found}"
            )
        return text.replace(self.find, self.replace)

    def apply(self, root: Path) -> str:
        """The mutated text of its file below the root, which stays as it is."""
        try:
            text = (root / self.file).read_bytes().decode()
        except OSError as error:
            raise MutationError(
                f"{self.source}: {self.label} no longer applies: {self.file} cannot be read"
                f" ({error.strerror})"
            ) from error
        return self.mutate(text)


def load_mutations(root: Path) -> list[Mutation]:
    """Every mutation of the project, by file name and then as written; raises MutationError."""
    mutations: list[Mutation] = []
    for path in sorted((root / FOLDER).glob("*.toml")):
        source = path.relative_to(root).as_posix()
        try:
            document = tomllib.loads(path.read_text(encoding="utf-8"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise MutationError(f"{source}: not valid TOML ({error})") from error
        entries = document.pop("mutation", [])
        if document:
            raise MutationError(f"{source}: unknown key '{next(iter(document))}'")
        if not (isinstance(entries, list) and all(isinstance(entry, dict) for entry in entries)):
            raise MutationError(f"{source}: mutations are written as [[mutation]] tables")
        mutations += [_mutation(source, n, entry) for n, entry in enumerate(entries, 1)]
    seen: set[tuple[str, str]] = set()
    for mutation in mutations:
        key = (mutation.rule, mutation.name)
        if key in seen:
            raise MutationError(f"{mutation.source}: {mutation.label} is defined twice")
        seen.add(key)
    return mutations


def _mutation(source: str, number: int, entry: dict[str, Any]) -> Mutation:
    name = entry.get("name")
    where = f"{source}: mutation {number}" + (f" '{name}'" if isinstance(name, str) else "")
    for key in _TEXTS:
        if not isinstance(entry.get(key), str):
            raise MutationError(f"{where}: '{key}' must be given, as a string")
        if key != "replace" and not entry[key].strip():
            raise MutationError(f"{where}: '{key}' is empty")
    for key in entry:
        if key not in {*_TEXTS, "count"}:
            raise MutationError(f"{where}: unknown key '{key}'")
    count = entry.get("count", 1)
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise MutationError(f"{where}: 'count' must be a whole number above 0")
    file = PurePosixPath(entry["file"])
    if file.is_absolute() or ".." in file.parts:
        raise MutationError(f"{where}: 'file' must be a path inside the project")
    if entry["find"] == entry["replace"]:
        raise MutationError(f"{where}: 'find' and 'replace' are the same")
    return Mutation(
        source=source,
        rule=entry["rule"],
        name=entry["name"],
        file=str(file),
        find=entry["find"],
        replace=entry["replace"],
        count=count,
    )
