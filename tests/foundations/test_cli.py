"""``ew`` on the command line: what it says and how it ends."""

from __future__ import annotations

import sys
from importlib import metadata

import pytest

from tests.foundations.tree import EW, passed, run


def test_version_names_the_release_and_the_kind_of_core() -> None:
    said = passed(run(EW, "--version"))
    assert said.startswith(f"ew {metadata.version('endless-winter')} (rules core: ")


def test_help_teaches_the_commands_without_loading_them() -> None:
    said = passed(run(EW, "--help"))
    for word in ("serve", "health", "tournament", "match"):
        assert f"\n  {word} " in said
    assert "\n    ew tournament     " in said, "the examples keep their lines"


def test_no_command_at_all_gets_the_help() -> None:
    done = run(EW)
    assert done.returncode == 2
    assert done.stderr == passed(run(EW, "--help"))


def test_help_does_not_import_grpc() -> None:
    script = (
        "import sys\n"
        "from endless_winter.cli.main import ew\n"
        "ew.main(['--help'], standalone_mode=False)\n"
        "print(sorted({'grpc', 'google', 'msgspec'} & set(sys.modules)))"
    )
    assert passed(run(sys.executable, "-c", script)).endswith("\n[]\n")


@pytest.mark.parametrize("command", ["serve", "health", "tournament"])
def test_each_command_has_its_own_help(command: str) -> None:
    assert f"Usage: ew {command}" in passed(run(EW, command, "--help"))


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--vresion"], "ew: No such option '--vresion'"),
        (["helath"], "ew: No such command 'helath'. Did you mean 'health'? See 'ew --help'.\n"),
        (["s"], "ew: No such command 's'. See 'ew --help'.\n"),
        (["sevre"], "ew: No such command 'sevre'. (Did you mean one of: 'serve', 'store'?) See "),
        (["serve", "here"], "ew serve: Got unexpected extra argument (here). See 'ew serve"),
        (["serve", "--prot", "1"], "ew serve: No such option '--prot'"),
        (
            ["serve", "--listen", "nowhere"],
            "ew serve: Invalid value for --listen: 'nowhere' is not",
        ),
        (["serve", "--listen", "::1:0"], "ew serve: Invalid value for --listen: '::1:0' needs"),
        (["serve", "--listen", "127.0.0.1:70000"], "ew serve: Invalid value for --listen: '70000'"),
        (["serve", "--listen", "0.0.0.0:0"], "ew serve: '0.0.0.0' may be reached from other mach"),
        (["serve", "--listen", "example.test:0"], "ew serve: 'example.test' may be reached"),
        (["health"], "ew health: Missing argument 'HOST:PORT'"),
        (["health", "here"], "ew health: Invalid value for HOST:PORT: 'here' is not HOST:PORT"),
        (["health", "127.0.0.1:70000"], "ew health: Invalid value for HOST:PORT: '70000' is not"),
    ],
)
def test_a_mistake_costs_one_line_and_status_2(arguments: list[str], line: str) -> None:
    done = run(EW, *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(line)
    assert done.stderr.count("\n") == 1


def test_a_missing_optional_module_is_named_in_one_line() -> None:
    script = (
        "from endless_winter.cli import main\n"
        "main.COMMANDS['extra'] = main.Lazy('endless_winter.cli.nothing_here', '')\n"
        "main.main()"
    )
    done = run(sys.executable, "-c", script, "extra")
    assert done.returncode == 1
    assert done.stderr == (
        "ew: 'extra' needs the Python module 'endless_winter.cli.nothing_here', "
        "which is not installed\n"
    )
