"""What a document names in backticks exists: files, commands, options, settings, code.

Fenced blocks are left to test_documents.py, which runs them, except for the `ew`, `make` and
`python -m bench` lines of blocks that it does not run: those are read here too.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING

import click
import pytest

from bench import bench
from endless_winter.cli.main import ew
from tests.foundations.tree import ROOT, tracked

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCUMENTS = [name for name in tracked() if name.endswith(".md") and not name.startswith("tests/")]
SOURCES = ("server/", "clients/", "proto/", "bench/", "tests/")
FILE = re.compile(r"[\w.@*-]*(?:/[\w.@*-]+)*(?:\.(?:py|md|toml|proto|js|lock|png|pyi)|/)")
NAME = re.compile(r"([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)(?:\(\))?")
GROUPS: dict[tuple[str, ...], click.Command] = {("ew",): ew, ("python", "-m", "bench"): bench}

# What a document may name although it is not ours, by the reason.
NOT_OURS = {
    "files of the reader, made by a command, or kinds of files": {
        ".proto", ".toml", "my_bot.py", "bots/NAME/", "private/", "replays/", "report.md", "runs/",
    },
    "options of pip, Docker and tests/tools": {
        "--modules", "--no-build-isolation", "--privileged", "--require-hashes",
        "--security-opt seccomp=unconfined --security-opt systempaths=unconfined",
    },
    "names of other programs, libraries and kernels": {
        "cgroup.subtree_control", "cp", "google.rpc.RetryInfo", "nft", "play_tick",
        "sched_autogroup_enabled", "timeit",
    },
    "a name of the example beside it, a hash, or a pattern": {
        "GOOD", "aaeabb8045e8", "game.unwrapped.observer.sections", "seat_1", "seat_N.board", "/",
    },
}  # fmt: skip
EXCEPT = set().union(*NOT_OURS.values())


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def inline(document: str) -> list[str]:
    """Everything in backticks outside of fenced blocks, on one line each."""
    prose = re.sub(r"^```.*?^```$", "", document, flags=re.MULTILINE | re.DOTALL)
    return [" ".join(code.split()) for code in re.findall(r"`([^`]+)`", prose)]


def shown(document: str) -> list[str]:
    """Lines of fenced blocks that call one of our commands."""
    blocks = re.findall(r"^```(?:\w*)\n(.*?)^```$", document, re.MULTILINE | re.DOTALL)
    lines = [line.strip().removeprefix("$ ") for block in blocks for line in block.splitlines()]
    # Two spaces begin an explanation.
    return [re.split(r"\s{2,}| #| \\$| > ", line)[0] for line in lines if is_command(line)]


def is_command(code: str) -> bool:
    output = re.match(r"[\w -]+: ", code)  # "python -m bench core: 4 players"
    return code.startswith(("ew ", "make ", "python -m bench ")) and not output


@cache
def targets() -> frozenset[str]:
    return frozenset(re.findall(r"^([a-z]+):", text("Makefile"), re.MULTILINE))


def options(command: click.Command) -> set[str]:
    found = {"--help", "-h"}
    for parameter in command.params:
        found |= {*parameter.opts, *parameter.secondary_opts}
    return found


def children(command: click.Command) -> dict[str, click.Command]:
    if not isinstance(command, click.Group):
        return {}
    context = click.Context(command)
    found = {name: command.get_command(context, name) for name in command.list_commands(context)}
    return {name: child for name, child in found.items() if child is not None}


@cache
def all_options() -> frozenset[str]:
    found: set[str] = set()
    waiting: list[click.Command] = [ew, bench]
    while waiting:
        command = waiting.pop()
        found |= options(command)
        waiting += children(command).values()
    return frozenset(found)


def problems_of_command(code: str) -> Iterator[str]:
    words = code.split()
    if words[0] == "make":
        yield from (word for word in words[1:2] if word not in targets())
        return
    (prefix, command), *_ = [
        item for item in GROUPS.items() if tuple(words[: len(item[0])]) == item[0]
    ]
    allowed = options(command)
    words = words[len(prefix) :]
    while words and (known := children(command)):
        several = words[0].split("|")  # "ew game create|list"
        if words[0].startswith("-") or words[0].isupper() or words[0] == "...":
            break
        yield from (f"{name} of {code}" for name in several if name not in known)
        if several[0] not in known:
            return
        command, words = known[several[0]], words[1:]
        allowed |= options(command)
    if children(command):
        allowed |= all_options()  # it does not say which sub-command takes it
    for word in words:
        option = word.partition("=")[0]
        if option.startswith("--") and option not in allowed:
            yield f"{option} of {code}"


@cache
def words_of_code() -> frozenset[str]:
    """Every word of sources, but for comments and docstrings: names, and words in strings."""
    found: set[str] = set()
    for name in tracked():
        if name == "tests/foundations/test_names_in_documents.py":
            continue  # it names what does not exist
        if name.endswith(".py") and name.startswith(SOURCES):
            found |= words_of_python(text(name))
        elif name.endswith(".proto"):
            found |= set(re.findall(r"\w+", re.sub(r"//.*", "", text(name))))
        elif name.endswith((".toml", ".js", ".json", ".yaml", "Makefile", "Dockerfile")):
            found |= set(re.findall(r"[\w-]+|\w+", text(name)))
        found |= {part.partition(".")[0] for part in name.split("/")}
    return frozenset(found)


def words_of_python(source: str) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        for field in ("id", "attr", "arg", "name", "asname", "module"):
            if isinstance(value := getattr(node, field, None), str):
                found |= set(value.split("."))
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found |= set(re.findall(r"[\w-]+|\w+", node.value)) if "\n" not in node.value else set()
    return found


@cache
def members() -> dict[str, frozenset[str]]:
    """Classes of the sources with what they have, messages and services of the contract too."""
    found: dict[str, set[str]] = {}
    bases: dict[str, set[str]] = {}
    for name in tracked():
        if name.endswith(".py") and name.startswith(SOURCES):
            for node in ast.walk(ast.parse(text(name))):
                if isinstance(node, ast.ClassDef):
                    has = found.setdefault(node.name, set())
                    bases.setdefault(node.name, set()).update(
                        base.id for base in node.bases if isinstance(base, ast.Name)
                    )
                    has |= words_of_python(ast.unparse(node))
        elif name.endswith(".proto"):
            plain = re.sub(r"//.*", "", text(name))
            for kind, body in re.findall(
                r"^(?:message|service|enum) (\w+) \{(.*?)^\}", plain, re.MULTILINE | re.DOTALL
            ):
                found.setdefault(kind, set()).update(re.findall(r"\w+", body))
    for kind, above in bases.items():
        for base in above:
            found[kind] |= found.get(base, set())
    return {kind: frozenset(has) for kind, has in found.items()}


@cache
def files() -> frozenset[str]:
    found = set(tracked())
    for name in tracked():
        parts = name.split("/")
        found |= {"/".join(parts[:end]) for end in range(1, len(parts))}
    return frozenset(found)


def is_file(code: str) -> bool:
    """Whether a path of the tree ends like this: documents leave the first folders out."""
    pattern = re.escape(code.rstrip("/")).replace(r"\*", "[^/]*")
    return any(re.search(f"(?:^|/){pattern}$", name) for name in files())


def is_name(code: str) -> bool:
    """Whether every part is a word of the code, and a member is one of its class or message."""
    parts = code.removesuffix("()").split(".")
    if not all(is_word(part) for part in parts):
        return False
    return all(member in members()[kind] for kind, member in pairwise(parts) if kind in members())


def is_word(word: str) -> bool:
    if word in words_of_code() or word.removesuffix("_total") in words_of_code():
        return True  # the second: a counter among the metrics
    if word.startswith("EW_"):  # a setting of a flag
        return f"--{word.removeprefix('EW_').lower().replace('_', '-')}" in all_options()
    return word.isupper() and any(known.endswith(f"_{word}") for known in words_of_code())


def problems(document: str) -> list[str]:
    found: list[str] = []
    for code in [*shown(document), *inline(document)]:
        if code in EXCEPT:
            continue
        if is_command(code):
            found += problems_of_command(code)
        elif code.startswith(("pytest ", "python ")):
            words = [re.sub(r"^bench\.(\w+)$", r"bench/\1.py", word) for word in code.split()]
            found += [word for word in words if word.endswith(".py") and not is_file(word)]
        elif code.startswith("--"):
            found += [code] if code.split()[0].partition("=")[0] not in all_options() else []
        elif FILE.fullmatch(code):
            found += [] if is_file(code) else [code]
        elif NAME.fullmatch(code):
            found += [] if is_name(code) else [code]
    return [one for one in found if one not in EXCEPT]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_what_a_document_names_exists(name: str) -> None:
    assert problems(text(name)) == []


def test_each_exception_is_needed() -> None:
    named = {code for name in DOCUMENTS for code in [*inline(text(name)), *shown(text(name))]}
    parts = {part.partition("=")[0] for code in named for part in code.split()}
    assert sorted(EXCEPT - named - parts) == []


@pytest.mark.parametrize(
    "stale",
    [
        "`server/endless_winter/service/gone.py`",
        "`ew serve --no-such-option`",
        "`ew gone`",
        "`make gone`",
        "`python -m bench gone`",
        "`pytest -m soak tests/gone.py`",
        "`python -m bench.gone`",
        "`--no-such-option`",
        "`NoSuchClass`",
        "`Game.no_such_method`",
        "`EW_NO_SUCH_SETTING`",
        "`PlayService.Gone`",
        "```text\new store gone FILE\n```",
    ],
)
def test_a_stale_name_is_noticed(stale: str) -> None:
    assert problems(stale)
