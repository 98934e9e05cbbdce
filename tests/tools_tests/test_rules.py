"""`make rules`: what it accepts, what it refuses, and what it says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.tools import marks, rulebook, rules

REPOSITORY = Path(__file__).resolve().parents[2]
LIST = """\
# Rules

| family | title | status |
| --- | --- | --- |
| AAA | First | {status} |
| BBB | Second | later |

## AAA First
- AAA-01 One.
- AAA-02 Two.

## BBB Second
- BBB-01 Three.
"""
MUTATION = """
[[mutation]]
rule = "{rule}"
name = "{name}"
file = "core.py"
find = "{find}"
replace = "2"
"""


class Project:
    """A tiny project with a rule list, a test file and mutations."""

    def __init__(self, root: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.root = root
        self._capsys = capsys
        self.write("core.py", "x = 1\n")
        self.rule_list()

    def write(self, path: str, text: str) -> None:
        """Write a file of the project."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text), encoding="utf-8")

    def rule_list(self, status: str = "in work") -> None:
        """Write the rule list, with this status of AAA."""
        self.write("docs/rules.md", LIST.format(status=status))

    def test(self, *ids: str) -> None:
        """Write one test that names these ids."""
        names = ", ".join(f'"{i}"' for i in ids)
        self.write(
            "tests/test_x.py",
            f"import pytest\n\n@pytest.mark.rule({names})\ndef test_x() -> None: ...\n",
        )

    def mutations(self, *ids: str, find: str = "1") -> None:
        """Write one mutation for each of these ids."""
        text = "".join(MUTATION.format(rule=i, name=f"m{n}", find=find) for n, i in enumerate(ids))
        self.write("tests/mutations/aaa.toml", text)

    def run(self) -> tuple[int, str]:
        """Exit code and output of the command."""
        code = rules.main(["--root", str(self.root)])
        return code, self._capsys.readouterr().out


@pytest.fixture
def project(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Project:
    """A project without tests and mutations, nothing of it finished."""
    return Project(tmp_path, capsys)


def test_gaps_of_unfinished_families_are_listed_and_accepted(project: Project) -> None:
    project.test("AAA-02")
    code, out = project.run()
    assert code == 0
    assert "  AAA (in work): AAA-01\n" in out
    assert "  BBB (later): all 1\n" in out
    assert out.splitlines()[-1].startswith("rules: ok: 1 of 3 ids have a test, 0 a mutation")


def test_counts_are_printed_per_family(project: Project) -> None:
    project.test("AAA-01")
    project.mutations("AAA-01", "AAA-02")
    _, out = project.run()
    row = next(line for line in out.splitlines() if line.startswith("AAA"))
    assert row.split() == ["AAA", "in", "work", "2", "1", "2", "First"]


def test_a_complete_finished_family_is_accepted(project: Project) -> None:
    project.rule_list("finished")
    project.test("AAA-01", "AAA-02")
    project.mutations("AAA-01", "AAA-02")
    assert project.run()[0] == 0


def test_a_missing_test_of_a_finished_family_fails(project: Project) -> None:
    project.rule_list("finished")
    project.test("AAA-01")
    project.mutations("AAA-01", "AAA-02")
    code, out = project.run()
    assert code == 1
    assert "missing tests:\n  AAA (finished): AAA-02\n" in out
    assert out.splitlines()[-1].startswith("rules: FAILED: ")
    assert out.splitlines()[-1].endswith("0 problems, 1 gaps in finished families")


def test_a_missing_mutation_of_a_finished_family_fails(project: Project) -> None:
    project.rule_list("finished")
    project.test("AAA-01", "AAA-02")
    project.mutations("AAA-02")
    code, out = project.run()
    assert code == 1
    assert "missing mutations:\n  AAA (finished): AAA-01\n" in out


def test_nothing_is_owed_to_a_family_that_is_not_built(project: Project) -> None:
    project.rule_list("not built")
    code, out = project.run()
    assert code == 0
    assert "AAA (" not in out


def test_an_unknown_id_of_a_test_fails_and_names_the_test(project: Project) -> None:
    project.test("AAA-01", "AAA-99")
    code, out = project.run()
    assert code == 1
    assert "  tests/test_x.py::test_x: AAA-99 is not in docs/rules.md\n" in out


def test_an_unknown_id_of_a_mutation_fails_and_names_the_mutation(project: Project) -> None:
    project.mutations("CCC-01")
    code, out = project.run()
    assert code == 1
    assert "  tests/mutations/aaa.toml: 'm0': CCC-01 is not in docs/rules.md\n" in out


def test_a_mutation_that_no_longer_fits_its_file_fails(project: Project) -> None:
    project.mutations("AAA-01", find="gone")
    code, out = project.run()
    assert code == 1
    assert "'find' must occur exactly once in core.py, found 0" in out


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = ", "not valid TOML"),
        ("x = 1", "unknown key 'x'"),
        ("mutation = 1", "written as [[mutation]] tables"),
        ('[[mutation]]\nrule = "AAA-01"\n', "mutation 1: 'name' must be given, as a string"),
        (MUTATION.format(rule="AAA-01", name="m", find=""), "mutation 1 'm': 'find' is empty"),
        (MUTATION.format(rule="AAA-01", name="m", find="2"), "'find' and 'replace' are the same"),
        (MUTATION.format(rule="AAA-01", name="m", find="1") * 2, "AAA-01 'm' is defined twice"),
        (MUTATION.format(rule="AAA-01", name="m", find="1") + "count = 0\n", "whole number"),
        (MUTATION.format(rule="AAA-01", name="m", find="1") + "line = 3\n", "unknown key 'line'"),
        (
            MUTATION.format(rule="AAA-01", name="m", find="1").replace("core", "../core"),
            "path inside the project",
        ),
    ],
)
def test_a_badly_written_mutation_fails_with_its_file_and_reason(
    project: Project, text: str, message: str
) -> None:
    project.write("tests/mutations/aaa.toml", text)
    code, out = project.run()
    assert code == 1
    assert "tests/mutations/aaa.toml: " in out
    assert message in out


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("| later |", "| soon |", "status 'soon' is none of"),
        ("| BBB | Second | later |\n", "", "BBB-01 is of a family that the status table lacks"),
        ("- BBB-01 Three.\n", "", "family BBB of the status table has no rules"),
        ("AAA-02", "AAA-01", "AAA-01 is listed twice"),
        ("AAA-02", "AAA-2", "not of the form"),
        ("| BBB | Second", "| AAA | Second", "family AAA is listed twice"),
        ("| Second | later |", "| later |", "has three columns"),
        ("| family |", "| group |", "there is no table"),
    ],
)
def test_a_rule_list_that_cannot_be_read_fails(
    project: Project, old: str, new: str, message: str
) -> None:
    project.write("docs/rules.md", LIST.format(status="in work").replace(old, new))
    code, out = project.run()
    assert code == 1
    assert message in out
    assert out.splitlines()[-1] == "rules: FAILED: the rule list cannot be read"


def test_a_missing_rule_list_fails(project: Project) -> None:
    (project.root / "docs/rules.md").unlink()
    code, out = project.run()
    assert code == 1
    assert "cannot be read (No such file or directory)" in out


SPELLINGS = '''
import pytest
from pytest import mark

rule = pytest.mark.rule
INNER = [pytest.param(1, marks=pytest.mark.rule("PAR-03"))]
CASES = [*INNER, pytest.param(2, marks=[mark.skip, rule("PAR-04")])]
pytestmark = [pytest.mark.rule("MOD-01")]


@pytest.mark.rule("FUN-01", "FUN-02")
def test_function() -> None: ...


@mark.rule("ASY-01")
async def test_async() -> None: ...


@rule("ALI-01")
def test_alias() -> None: ...


@pytest.mark.parametrize("x", [pytest.param(1, marks=pytest.mark.rule("PAR-01")), 2])
def test_parameter(x: int) -> None: ...


@pytest.mark.parametrize("x", CASES)
def test_constant(x: int) -> None: ...


@pytest.mark.rule("CLS-01")
class TestGroup:
    pytestmark = pytest.mark.rule("CLS-02")

    @pytest.mark.rule("MET-01")
    def test_method(self) -> None: ...


def helper() -> str:
    """Not a mark: pytest.mark.rule("DOC-01")."""
    return 'pytest.mark.rule("STR-01")'
'''


def test_every_spelling_of_the_mark_is_found_without_importing(project: Project) -> None:
    project.write("tests/deep/test_spellings.py", SPELLINGS + "\nraise SystemExit\n")
    found = marks.scan(project.root)
    assert found.problems == []
    by_test: dict[str, list[str]] = {}
    for marked in found.tests:
        assert marked.file == "tests/deep/test_spellings.py"
        by_test.setdefault(marked.test, []).append(marked.rule)
    assert by_test == {
        "test_function": ["FUN-01", "FUN-02", "MOD-01"],
        "test_async": ["ASY-01", "MOD-01"],
        "test_alias": ["ALI-01", "MOD-01"],
        "test_parameter": ["MOD-01", "PAR-01"],
        "test_constant": ["MOD-01", "PAR-03", "PAR-04"],
        "TestGroup::test_method": ["CLS-01", "CLS-02", "MET-01", "MOD-01"],
    }


@pytest.mark.parametrize(
    ("path", "text", "message"),
    [
        ("tests/test_y.py", "@mark.rule(*IDS)\ndef test_y(): ...\n", ":1: rule ids must be"),
        ("tests/test_y.py", "@mark.rule()\ndef test_y(): ...\n", ":1: rule ids must be"),
        ("tests/test_y.py", "@mark.rule('AAA-01')\ndef helper(): ...\n", ":1: the mark of AAA-01"),
        ("tests/test_y.py", "X = mark.rule('AAA-01')\n", ":1: the mark of AAA-01 is not attached"),
        ("tests/cases.py", "@mark.rule('AAA-01')\ndef test_y(): ...\n", ":1: the mark of AAA-01"),
        ("tests/test_y.py", "def (:\n", ":1: cannot be parsed"),
    ],
)
def test_a_mark_that_proves_nothing_fails(
    project: Project, path: str, text: str, message: str
) -> None:
    project.write(path, text)
    code, out = project.run()
    assert code == 1
    assert path + message in out


def test_the_command_runs_by_its_path_as_the_makefile_starts_it(project: Project) -> None:
    done = subprocess.run(
        [sys.executable, REPOSITORY / "tests/tools/rules.py", "--root", project.root],
        capture_output=True,
        text=True,
        cwd=project.root,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith("rules: ok: 0 of 3 ids")


def test_the_projects_own_rule_list_can_be_read() -> None:
    families = rulebook.load_families(REPOSITORY / "docs" / "rules.md")
    assert len(families) == 29
    assert sum(len(family.ids) for family in families) == 188
    for family in families:
        numbers = [int(rule.split("-")[1]) for rule in family.ids]
        assert numbers == list(range(1, len(numbers) + 1)), family.name
