"""The mutation runner, on a small project that is installed the way the real one is."""

from __future__ import annotations

import dataclasses
import importlib.machinery
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.tools import mutate as mutate_module
from tests.tools import mutations, renew

REPOSITORY = Path(__file__).resolve().parents[2]
PATIENT = ("--timeout", "250")  # where a run ends by itself, however busy the machine is

FILES = {
    "pyproject.toml": """
[tool.pytest.ini_options]
pythonpath = ["."]
addopts = ["--strict-markers", "-m", "not soak"]
markers = ["rule(*ids): rules", "soak: slow"]
""",
    "server/endless_winter/rules/__init__.py": "",
    "server/endless_winter/rules/food.py": """
LIMIT = 5
COSTS = {"camp": 1, "village": 3}


def capped(food: int) -> int:
    return min(food, LIMIT)


def twice(food: int) -> int:
    return food + food


def count_down(food: int) -> int:
    while food > 0:
        food -= 1
    return food
""",
    "server/endless_winter/rules/other.py": "UNUSED = 1\n",
    "server/endless_winter/rules/table.toml": "limit = 5\n",
    "clients/python/endless_winter/sdk/__init__.py": "",
    "proto/endless_winter/v1/__init__.py": "",
    "tests/helpers.py": "FIVE = 5\n",
    "tests/test_food.py": """
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from endless_winter.rules import food
from tests.helpers import FIVE


@pytest.fixture
def costs():
    return food.COSTS["camp"]


@pytest.mark.rule("FOO-01")
def test_capped():
    assert food.capped(9) == FIVE


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        pytest.param(0, 0, marks=pytest.mark.rule("FOO-02")),
        pytest.param(2, 4, marks=pytest.mark.rule("FOO-03")),
    ],
)
def test_twice(given, wanted):
    assert food.twice(given) == wanted


@pytest.mark.rule("END-01")
def test_ends():
    assert food.count_down(3) == 0


@pytest.mark.rule("FOO-05")
def test_fixture(costs):
    assert costs == 1


@pytest.mark.rule("FOO-06")
def test_data():
    table = Path(food.__file__).with_name("table.toml").read_text()
    assert tomllib.loads(table) == {"limit": 5}


@pytest.mark.rule("FOO-07")
def test_subprocess():
    code = "from endless_winter.rules import food; print(food.capped(9), food.__file__)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    assert out.split() == ["5", food.__file__]


@pytest.mark.rule("FOO-08")
def test_where_the_modules_come_from():
    import endless_winter
    from endless_winter import rules, sdk, v1

    here = str(Path(__file__).resolve().parents[1])
    assert not here.startswith("ORIGINAL")
    for module in (food, rules, sdk, v1):
        assert module.__file__.startswith(here)
    assert not any(entry.startswith("ORIGINAL") for entry in endless_winter.__path__)
    assert food.twice(2) == 4


@pytest.mark.rule("FOO-09")
def test_already_red():
    assert food.capped(9) == 6


@pytest.mark.soak
@pytest.mark.rule("FOO-10")
def test_slow():
    assert food.capped(9) == 5


def test_not_of_a_rule():
    assert False
""",
    "tests/test_escape.py": """
import sys

import pytest


@pytest.mark.rule("ESC-01")
def test_escape():
    sys.path.insert(0, "ORIGINAL/server/endless_winter/rules")
    import other

    assert other.UNUSED == 1
""",
    "tests/test_uncollectable.py": """
import pytest

import no_such_module


@pytest.mark.rule("UNC-01")
def test_never(): ...
""",
    "tests/mutations/foo.toml": '''
[[mutation]]
rule = "FOO-01"
name = "no cap"
file = "server/endless_winter/rules/food.py"
find = "min(food, LIMIT)"
replace = "food"

[[mutation]]
rule = "FOO-01"
name = "same size, same second"
file = "server/endless_winter/rules/food.py"
find = "LIMIT = 5"
replace = "LIMIT = 6"

[[mutation]]
rule = "FOO-01"
name = "elsewhere"
file = "server/endless_winter/rules/other.py"
find = "1"
replace = "2"

[[mutation]]
rule = "FOO-01"
name = "no syntax"
file = "server/endless_winter/rules/food.py"
find = "min(food, LIMIT)"
replace = "min("

[[mutation]]
rule = "FOO-01"
name = "no such name"
file = "server/endless_winter/rules/food.py"
find = "min(food, LIMIT)"
replace = "least(food)"

[[mutation]]
rule = "FOO-01"
name = "not collectable"
file = "server/endless_winter/rules/food.py"
find = "LIMIT = 5"
replace = "LIMIT = 1 // 0"

[[mutation]]
rule = "FOO-02"
name = "noticed only by the parameter of another rule"
file = "server/endless_winter/rules/food.py"
find = """
    return food + food
"""
replace = """
    return food
"""

[[mutation]]
rule = "FOO-03"
name = "not twice"
file = "server/endless_winter/rules/food.py"
find = "food + food"
replace = "food"

[[mutation]]
rule = "FOO-05"
name = "fixture fails"
file = "server/endless_winter/rules/food.py"
find = '"camp": 1'
replace = '"tent": 1'

[[mutation]]
rule = "FOO-06"
name = "data"
file = "server/endless_winter/rules/table.toml"
find = "5"
replace = "6"

[[mutation]]
rule = "FOO-06"
name = "no data"
file = "server/endless_winter/rules/table.toml"
find = "5"
replace = "="

[[mutation]]
rule = "FOO-07"
name = "seen by a subprocess"
file = "server/endless_winter/rules/food.py"
find = "LIMIT = 5"
replace = "LIMIT = 7"

[[mutation]]
rule = "FOO-08"
name = "import path"
file = "server/endless_winter/rules/food.py"
find = "return food"
replace = "return 1 + food"
count = 2

[[mutation]]
rule = "FOO-09"
name = "red before"
file = "server/endless_winter/rules/food.py"
find = "LIMIT = 5"
replace = "LIMIT = 7"

[[mutation]]
rule = "FOO-10"
name = "only in a soak"
file = "server/endless_winter/rules/food.py"
find = "LIMIT = 5"
replace = "LIMIT = 7"

[[mutation]]
rule = "FOO-11"
name = "no test"
file = "server/endless_winter/rules/food.py"
find = "LIMIT = 5"
replace = "LIMIT = 7"

[[mutation]]
rule = "UNC-01"
name = "uncollectable before"
file = "server/endless_winter/rules/food.py"
find = "LIMIT = 5"
replace = "LIMIT = 7"
''',
    "tests/mutations/end.toml": """
[[mutation]]
rule = "END-01"
name = "never ends"
file = "server/endless_winter/rules/food.py"
find = "food -= 1"
replace = "food += 1"
""",
    "tests/mutations/later/esc.toml": """
[[mutation]]
rule = "ESC-01"
name = "original tree"
file = "server/endless_winter/rules/other.py"
find = "1"
replace = "2"
""",
}
OUTCOMES = {
    "no cap": ("killed", "tests/test_food.py::test_capped"),
    "same size, same second": ("killed", "tests/test_food.py::test_capped"),
    "elsewhere": ("survived", "none of them imports server/endless_winter/rules/other.py"),
    "no syntax": ("broken", "cannot be parsed"),
    "no such name": ("broken", "NameError: name 'least' is not defined"),
    "not collectable": ("broken", "tests/test_food.py: cannot be collected"),
    "noticed only by the parameter of another rule": ("survived", "1 tests passed"),
    "not twice": ("killed", "tests/test_food.py::test_twice[2-4]"),
    "fixture fails": ("broken", "test_fixture: error in setup"),
    "data": ("killed", "tests/test_food.py::test_data"),
    "no data": ("broken", "cannot be parsed"),
    "seen by a subprocess": ("killed", "tests/test_food.py::test_subprocess"),
    "import path": ("killed", "test_where_the_modules_come_from"),
    "red before": ("broken", "red without the mutation: tests/test_food.py::test_already_red"),
    "only in a soak": ("broken", "no test of the rule was run"),
    "no test": ("broken", "no test names the rule"),
    "uncollectable before": ("broken", "red without the mutation: tests/test_uncollectable.py"),
}


@dataclass(frozen=True)
class Done:
    """A finished command."""

    code: int
    lines: list[str]

    def of(self, name: str) -> str:
        """The line of a mutation."""
        found = [line for line in self.lines if line[17:].startswith(f"{name} ")]
        assert len(found) == 1, (name, self.lines)
        return found[0]


def make_project(root: Path) -> None:
    """Write the project, and an environment folder that installs it in editable mode."""
    for path, text in FILES.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text.replace("ORIGINAL", str(root)), encoding="utf-8")
    # A compiled module beside its source, left over from a build: it must never be loaded.
    suffix = importlib.machinery.EXTENSION_SUFFIXES[0]
    (root / "server/endless_winter/rules" / f"food{suffix}").write_bytes(b"not a library")
    site = root.with_name("site")
    site.mkdir()
    roots = ("proto", "server", "clients/python")
    (site / "editable.pth").write_text("".join(f"{root / r}\n" for r in roots), encoding="utf-8")
    hook = f"import site\nsite.addsitedir({str(site)!r})\n"
    (site / "sitecustomize.py").write_text(hook, encoding="utf-8")


def mutate(root: Path, *arguments: str) -> Done:
    """Run the command on the project, with its editable install in place."""
    environment = {**os.environ, "PYTHONPATH": str(root.with_name("site"))}
    done = subprocess.run(
        [sys.executable, REPOSITORY / "tests/tools/mutate.py", "--root", root, *arguments],
        capture_output=True,
        text=True,
        cwd=root,
        env=environment,
        check=False,
    )
    assert done.stderr == ""
    return Done(done.returncode, done.stdout.splitlines())


def mutate_nothing(capsys: pytest.CaptureFixture[str], root: Path, *arguments: str) -> Done:
    """The command without a process of its own, where it ends before anything is run."""
    code = mutate_module.main(["--root", str(root), *arguments])
    return Done(code, capsys.readouterr().out.splitlines())


def contents(root: Path) -> dict[str, bytes]:
    """Every file of the project."""
    return {str(p): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project of this file."""
    root = tmp_path.resolve() / "project"
    make_project(root)
    return root


def test_each_kind_of_mutation_gets_its_verdict(project: Path) -> None:
    before = contents(project)
    done = mutate(project, "--family", "FOO", "--family", "UNC", *PATIENT)
    assert contents(project) == before

    for name, (outcome, reason) in OUTCOMES.items():
        line = done.of(name)
        assert line.startswith(outcome), line
        assert reason in line

    # Survivors and broken mutations fail the command.
    assert done.code == 1
    assert done.lines[-1].startswith(
        "mutate: FAILED: 6 of 17 mutations killed, 2 survived, 9 broken, 0 timeout, in "
    )
    # Verdicts come in the order of the files, whichever run ends first.
    order = [done.lines.index(done.of(name)) for name in OUTCOMES]
    assert order == sorted(order)
    # The log of a broken run follows its line.
    assert any("least" in line for line in done.lines[done.lines.index(done.of("no such name")) :])
    # What is red without any mutation is said first.
    assert done.lines[0] == "the unmutated tree is not green:"


def test_killed_mutations_alone_are_a_success(project: Path) -> None:
    done = mutate(project, "--rule", "FOO-03", "--rule", "FOO-08", "-j", "1", *PATIENT)
    assert done.code == 0, done.lines
    assert done.lines[-1].startswith("mutate: ok: 2 of 2 mutations killed, 0 survived, ")


def test_a_quiet_run_names_only_what_was_not_killed(project: Path) -> None:
    done = mutate(project, "--rule", "FOO-02", "--rule", "FOO-03", "--quiet", *PATIENT)
    assert [line.split()[0] for line in done.lines] == ["survived", "mutate:"]


def test_a_run_without_end_counts_as_killed_and_is_reported(project: Path) -> None:
    done = mutate(project, "--rule", "END-01", "--timeout", "1")
    assert done.code == 0
    assert done.of("never ends").startswith("timeout")
    assert "1 of 1 mutations killed, 0 survived, 0 broken, 1 timeout" in done.lines[-1]


def test_tests_that_load_the_original_tree_are_found_out(project: Path) -> None:
    folder = project / "tests/mutations"
    (folder / "later/esc.toml").rename(folder / "esc.toml")
    done = mutate(project, "--family", "ESC", *PATIENT)
    assert done.code == 1
    original = project / "server/endless_winter/rules/other.py"
    assert f"tests load {original}, not the copy" in done.of("original tree")


def test_a_sample_depends_on_its_seed_alone(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def sample(size: str, seed: str) -> list[str]:
        arguments = ("--sample", size, "--seed", seed, "--list")
        return mutate_nothing(capsys, project, *arguments).lines

    first = sample("5", "1")
    assert len(first) == 6
    assert sample("5", "1") == first
    assert sample("5", "2") != first
    assert len(sample("99", "1")) == 19


def test_the_list_runs_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = mutate_nothing(capsys, project, "--family", "UNC", "--list")
    assert done.code == 0
    assert done.lines == [
        "UNC-01  uncollectable before  (server/endless_winter/rules/food.py)",
        "mutate: 1 mutations listed, none run",
    ]


FOOD = "server/endless_winter/rules/food.py"
TWICE = "def twice(food: int) -> int:\n    return food + food\n"


def edit(root: Path, file: str, old: str, new: str) -> None:
    text = (root / file).read_text(encoding="utf-8")
    assert old in text
    (root / file).write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"food + food"', '"return"', "FOO-03 'not twice' no longer applies: 'find' must occur"),
        ('"food + food"', '"gone"', "FOO-03 'not twice' no longer applies: 'find' must occur"),
        ("count = 2", "count = 3", "'find' must occur exactly 3 times"),
        ("rules/table.toml", "rules/gone.toml", "rules/gone.toml cannot be read"),
    ],
)
def test_a_mutation_that_does_not_fit_is_an_error_that_names_it_and_its_file(
    project: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str
) -> None:
    edit(project, "tests/mutations/foo.toml", old, new)
    done = mutate_nothing(capsys, project, "--all")
    assert done.code == 1
    assert done.lines[0].startswith("tests/mutations/foo.toml: FOO-")
    assert "server/endless_winter/rules/" in done.lines[0]
    assert message in done.lines[0]
    assert done.lines[-1].endswith("no longer apply")


def test_a_changed_line_says_which_rule_lost_its_proof_and_how_to_renew_it(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    edit(project, FOOD, "return food + food", "return sum((food, food))")
    done = mutate_nothing(capsys, project, "--rule", "FOO-03")
    assert done.code == 1
    said = "\n".join(done.lines)
    assert "FOO-03 'not twice' no longer applies" in said
    assert "FOO-03 has lost one of its 1 proofs. It quoted:\n    - food + food" in said
    assert f"nearest now: {FOOD}:" in said
    assert "mutate.py --renew FOO-03" in said


def test_renewing_follows_a_renamed_word_and_writes_what_its_tests_kill(project: Path) -> None:
    old = next(m for m in mutations.load_mutations(project) if m.rule == "FOO-03")
    broken = TWICE.replace("food + food", "food")
    renew.write(project, old, dataclasses.replace(old, find=TWICE, replace=broken))
    edit(project, FOOD, TWICE, TWICE.replace("food", "meals"))
    done = mutate(project, "--renew", "FOO-03", *PATIENT)
    assert done.code == 0, done.lines
    assert done.lines[-1].startswith("mutate: ok: 1 mutations renewed")
    renewed = next(m for m in mutations.load_mutations(project) if m.rule == "FOO-03")
    assert renewed.find == TWICE.replace("food", "meals")
    assert renewed.replace == "def twice(meals: int) -> int:\n    return meals\n"
    again = mutate(project, "--renew", "FOO-03")
    assert again.lines == [
        "mutate: ok: 0 mutations renewed (read the difference), 0 left to renew by hand"
    ]


def test_renewing_follows_lines_to_another_file_of_the_package(project: Path) -> None:
    edit(project, FOOD, TWICE, "from endless_winter.rules.other import twice\n")
    edit(project, FOOD.replace("food", "other"), "UNUSED = 1\n", TWICE)
    done = mutate(project, "--renew", "FOO-03", *PATIENT)
    assert done.code == 0, done.lines
    text = (project / "tests/mutations/foo.toml").read_text(encoding="utf-8")
    assert 'file = "server/endless_winter/rules/other.py"\nfind = "food + food"' in text


def test_what_cannot_be_renewed_stays_and_is_shown_with_its_mistake(project: Path) -> None:
    # Now there are two such lines, and a survivor that would stay one.
    edit(project, FOOD, "return food + food", "more = food + food\n    return food + food")
    edit(project, FOOD.replace("food", "other"), "UNUSED = 1", "UNUSED = 3")
    edit(project, "tests/mutations/foo.toml", 'find = "1"', 'find = "UNUSED = 1"')
    edit(project, "tests/mutations/foo.toml", 'replace = "2"', 'replace = "UNUSED = 2"')
    before = (project / "tests/mutations/foo.toml").read_text(encoding="utf-8")
    done = mutate(project, "--renew", "FOO-01", "FOO-03", *PATIENT)
    assert done.code == 1
    assert (project / "tests/mutations/foo.toml").read_text(encoding="utf-8") == before
    said = "\n".join(done.lines)
    assert "The mistake was:\n    - food + food\n    + food\n" in said
    assert "Tried on these lines, the mutation survived" in said
    assert done.lines[-1].startswith("mutate: FAILED: 0 mutations renewed")


@pytest.mark.parametrize(
    ("find", "replace", "current", "wanted"),
    [
        ("if a > b:", "if a >= b:", "if x > b:", "if x >= b:"),
        ("    a()\n    b()", "    b()", "        a()\n        b()", "        b()"),
        ("f(a, 2)", "f(a, 1)", "f(a, 2, c)", "f(a, 1, c)"),
        ("pay(a, 1)\n", "", "pay(player, 1)\n", ""),
        ("x = a + b", "x = a", "x = a - b * c", "x = a"),
        ("min(a, b)", "max(a, b)", "lowest(a, b, c)", None),
    ],
)
def test_a_mistake_is_made_again_in_changed_lines_or_not_at_all(
    find: str, replace: str, current: str, wanted: str | None
) -> None:
    assert renew.merged(find, replace, current) == wanted


@pytest.mark.parametrize("text", ["plain", 'a "b"', "a 'b' \"c\"", "x\n  y\n", "\\", '\n"'])
def test_a_renewed_text_is_read_back_as_it_was(project: Path, text: str) -> None:
    old = next(m for m in mutations.load_mutations(project) if m.name == "not twice")
    renew.write(project, old, dataclasses.replace(old, find=text, replace=text + "!"))
    new = next(m for m in mutations.load_mutations(project) if m.name == "not twice")
    assert (new.find, new.replace) == (text, text + "!")


def test_a_rule_without_mutations_fails(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = mutate_nothing(capsys, project, "--rule", "FOO-99")
    assert (done.code, done.lines) == (1, ["mutate: FAILED: no such mutation"])


def test_a_project_without_mutations_passes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = mutate_nothing(capsys, tmp_path, "--sample", "3")
    assert (done.code, done.lines) == (0, ["mutate: ok: no mutations to run"])
