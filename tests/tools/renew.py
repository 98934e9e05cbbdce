"""Renews mutations whose quoted source has changed (`mutate.py --renew`).

A mutation quotes the lines that it breaks. When those lines change it no longer applies, and its
rule has lost a proof. This module finds the nearest lines of today, and, where it can, carries the
mutation over to them: quotes that moved to another file, renamed words, other indentation, and
changes that lie beside what the mutation changes.
"""

from __future__ import annotations

import dataclasses
import json
import re
import tomllib
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from tests.tools.mutations import MutationError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tests.tools.mutations import Mutation

COMMAND = ".venv/bin/python tests/tools/mutate.py --renew"
_NEAR = 0.6  # below this likeness, lines are shown but never taken
_APART = 0.05  # the second nearest must be this much less alike, else neither is taken
_SHOWN = 2
_WORDS = re.compile(r"\w+|[^\w\s]")
_TOKENS = re.compile(r"\w+|\s+|[^\w\s]")
_BLOCK = re.compile(r"^(?=\[\[mutation\]\])", re.MULTILINE)
_VALUE = r"""(?:\"{3}[\s\S]*?\"{3}|'{3}[\s\S]*?'{3}|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""


@dataclass(frozen=True)
class Place:
    """A stretch of source that may be what a quote has become."""

    file: str
    line: int
    text: str
    likeness: float

    def __str__(self) -> str:
        return f"{self.file}:{self.line}\n" + _marked("+", self.text)


@dataclass(frozen=True)
class Lost:
    """A mutation that no longer applies, and what there is in its place."""

    mutation: Mutation
    problem: str
    places: list[Place]
    """The nearest first."""
    renewed: Mutation | None
    """The mutation on the nearest place; None if a person has to look."""

    def explain(self, proofs: int) -> str:
        """What is lost and how to renew it; the rule has so many mutations."""
        rule = self.mutation.rule
        lines = [
            self.problem,
            f"  {rule} has lost one of its {proofs} proofs. It quoted:",
            _marked("-", self.mutation.find),
            *(f"  nearest now: {place}" for place in self.places[:_SHOWN]),
            f"  To renew it: {COMMAND} {rule}",
        ]
        return "\n".join(lines)

    def by_hand(self) -> str:
        """What a person has to write, where the tool does not know."""
        lines = [
            f"  By hand, in {self.mutation.source}: 'file' and 'find' name the lines that decide",
            "  the rule now, 'replace' is the same text with the mistake. The mistake was:",
            *mistake(self.mutation),
            f"  Then: .venv/bin/python tests/tools/mutate.py --rule {self.mutation.rule}",
        ]
        return "\n".join(lines)


def lost(mutation: Mutation, root: Path) -> Lost | None:
    """Why the mutation does not apply, and what it could become; None if it applies."""
    try:
        mutation.apply(root)
    except MutationError as error:
        problem = str(error)
    else:
        return None
    moved = [file for file in _neighbours(mutation, root) if _fits(mutation, root, file)]
    if len(moved) == 1:
        place = Place(moved[0], _line(root, moved[0], mutation.find), mutation.find, 1.0)
        return Lost(mutation, problem, [place], dataclasses.replace(mutation, file=moved[0]))
    places = list(_places(mutation, root, [mutation.file]))
    if not any(place.likeness >= _NEAR for place in places):
        places += _places(mutation, root, _neighbours(mutation, root))
    places = _best(places)
    return Lost(mutation, problem, places, _renewed(mutation, root, places))


def write(root: Path, old: Mutation, new: Mutation) -> None:
    """Put the new file, find and replace into the mutation's entry."""
    path = root / old.source
    blocks = _BLOCK.split(path.read_text(encoding="utf-8"))
    for number, block in enumerate(blocks):
        entry: dict[str, object] = next(iter(tomllib.loads(block).get("mutation", [])), {})
        if (entry.get("rule"), entry.get("name")) == (old.rule, old.name):
            blocks[number] = _rewritten(block, entry, new)
    path.write_text("".join(blocks), encoding="utf-8")


def _rewritten(block: str, entry: dict[str, object], new: Mutation) -> str:
    for key in ("file", "find", "replace"):
        value = getattr(new, key)
        if value != entry[key]:
            entry[key] = value
            found = re.search(rf"^{key}\s*=\s*{_VALUE}", block, re.MULTILINE)
            assert found is not None
            block = f"{block[: found.start()]}{key} = {_quoted(value)}{block[found.end() :]}"
    assert tomllib.loads(block) == {"mutation": [entry]}
    return block


def mistake(mutation: Mutation) -> tuple[str, str]:
    """The lines of the quote and what they become."""
    return _marked("-", mutation.find), _marked("+", mutation.replace or "(nothing)")


def _marked(mark: str, text: str) -> str:
    return "\n".join(f"    {mark} {line}" for line in text.strip("\n").splitlines())


def _neighbours(mutation: Mutation, root: Path) -> list[str]:
    """The other files of the mutation's package."""
    here = PurePosixPath(mutation.file)
    folder = root.joinpath(*here.parts[:3]) if len(here.parts) > 3 else root / here.parent
    files = (path.relative_to(root).as_posix() for path in folder.rglob(f"*{here.suffix}"))
    return sorted(file for file in files if file != mutation.file)


def _fits(mutation: Mutation, root: Path, file: str) -> bool:
    return _text(root, file).count(mutation.find) == mutation.count


def _text(root: Path, file: str) -> str:
    try:
        return (root / file).read_bytes().decode()
    except OSError:
        return ""


def _line(root: Path, file: str, quote: str) -> int:
    text = _text(root, file)
    return text.count("\n", 0, text.index(quote) + len(quote) - len(quote.lstrip())) + 1


def _places(mutation: Mutation, root: Path, files: Iterable[str]) -> Iterator[Place]:
    """Every stretch of these files that is somewhat like the quote."""
    wanted = _WORDS.findall(mutation.find)
    counted = Counter(wanted)
    height = mutation.find.strip("\n").count("\n") + 1
    for file in files:
        text = _text(root, file)
        words = list(_WORDS.finditer(text))
        plain = [word[0] for word in words]
        starts = _line_starts(text, words)
        for index in range(len(starts)):
            for lines in {max(1, height - 1), height, height + 1}:
                first, last = starts[index], starts[min(index + lines, len(starts) - 1)]
                if (counted & Counter(plain[first:last])).total() * 2 < len(wanted):
                    continue
                begin, end = _trimmed(wanted, plain[first:last])
                span = words[first + begin : first + end]
                if span:
                    start, stop = _with_space(text, span[0].start(), span[-1].end(), mutation.find)
                    line = text.count("\n", 0, span[0].start()) + 1
                    likeness = _likeness(wanted, plain[first + begin : first + end])
                    yield Place(file, line, text[start:stop], likeness)


def _likeness(wanted: list[str], found: list[str]) -> float:
    """From 0 to 1; the same words under other names are more alike than their number says."""
    likeness = SequenceMatcher(None, wanted, found, False).ratio()
    return (1 + likeness) / 2 if _renames(wanted, found) is not None else likeness


def _line_starts(text: str, words: list[re.Match[str]]) -> list[int]:
    """The number of the first word of each line that has words, and the number of all words."""
    starts = [
        number
        for number, word in enumerate(words)
        if number == 0 or "\n" in text[words[number - 1].end() : word.start()]
    ]
    return [*starts, len(words)]


def _trimmed(wanted: list[str], window: list[str]) -> tuple[int, int]:
    """The part of the window that stands for the wanted words: a quote may be part of a line."""
    blocks = SequenceMatcher(None, wanted, window, False).get_matching_blocks()[:-1]
    if not blocks:
        return 0, 0
    first, last = blocks[0], blocks[-1]
    begin = max(0, first.b - first.a)
    end = last.b + last.size + len(wanted) - last.a - last.size
    return begin, min(end, len(window))


def _with_space(text: str, start: int, stop: int, quote: str) -> tuple[int, int]:
    """The stretch with the space around it that the quote had too."""
    before = quote[: len(quote) - len(quote.lstrip())]
    if before:
        run = text[:start][len(text[:start].rstrip()) :]
        newline = run.rfind("\n")
        start -= len(run) - (newline if "\n" in before else newline + 1)
    after = quote[len(quote.rstrip()) :]
    if after:
        run = text[stop:][: len(text[stop:]) - len(text[stop:].lstrip())]
        stop += run.find("\n") + 1 if after == "\n" else len(run)
    return start, stop


def _best(places: list[Place]) -> list[Place]:
    """The nearest first; of those that overlap only the nearest."""
    found: list[Place] = []
    for place in sorted(places, key=lambda place: (-place.likeness, len(place.text))):
        height = max(1, place.text.strip("\n").count("\n") + 1)
        if not any(
            other.file == place.file and abs(other.line - place.line) <= height for other in found
        ):
            found.append(place)
    return found


def _renewed(mutation: Mutation, root: Path, places: list[Place]) -> Mutation | None:
    """The mutation on the nearest place, if that place and the mistake there are beyond doubt."""
    if not places or places[0].likeness < _NEAR or mutation.count != 1:
        return None
    if len(places) > 1 and places[0].likeness - places[1].likeness < _APART:
        return None
    place = places[0]
    replace = merged(mutation.find, mutation.replace, place.text)
    if replace is None or replace == place.text:
        return None
    new = dataclasses.replace(mutation, file=place.file, find=place.text, replace=replace)
    return new if _fits(new, root, new.file) else None


def merged(find: str, replace: str, current: str) -> str | None:
    """The mistake that turns `find` into `replace`, made in `current`; None if they collide."""
    if not replace.strip():
        return replace
    base, broken, now = (_TOKENS.findall(text) for text in (find, replace, current))
    if (names := _renames(base, now)) is not None:
        return "".join(names.get(token, token) for token in broken)
    mistake = _changes(base, broken)
    changes = [
        change
        for change in _changes(base, now)
        # What the mistake takes away may look different by now.
        if not any(m.start <= change.start and change.stop <= m.stop and not m.to for m in mistake)
    ]
    every = sorted([*mistake, *changes], key=lambda change: (change.start, change.stop))
    if any(one.stop > two.start or one.start == two.start for one, two in pairwise(every)):
        return None
    for change in reversed(every):
        base[change.start : change.stop] = change.to
    return "".join(base)


@dataclass(frozen=True)
class _Change:
    start: int
    stop: int
    to: list[str]


def _changes(old: list[str], new: list[str]) -> list[_Change]:
    codes = SequenceMatcher(None, old, new, False).get_opcodes()
    return [_Change(i, j, new[k:m]) for kind, i, j, k, m in codes if kind != "equal"]


def _renames(old: list[str], new: list[str]) -> dict[str, str] | None:
    """Which word became which, if nothing but renaming happened; None otherwise."""
    if len(old) != len(new):
        return None
    names: dict[str, str] = {}
    for one, other in zip(old, new, strict=True):
        if names.setdefault(one, other) != other:
            return None
    return names if len(set(names.values())) == len(names) else None


def _quoted(text: str) -> str:
    """A string as TOML, in the form that reads best."""
    if "\n" in text and "\\" not in text and '"""' not in text and not text.endswith('"'):
        return f'"""\n{text}"""'
    if not any(sign in text for sign in '"\\\n'):
        return f'"{text}"'
    if not any(sign in text for sign in "'\n"):
        return f"'{text}'"
    return json.dumps(text, ensure_ascii=False)
