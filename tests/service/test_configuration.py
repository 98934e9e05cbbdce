"""Settings: three sources, one precedence, and documents that list them all."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from endless_winter.cli.process import COMMAND, running
from endless_winter.cli.serve import serve
from endless_winter.service import configuration
from endless_winter.service.configuration import (
    CONFIG,
    OPTIONS,
    ConfigurationError,
    Option,
    resolve,
)
from endless_winter.service.identity import bot_hash, operator_hash
from tests.foundations.tree import EW, ROOT, run
from tests.service.player import Client

if TYPE_CHECKING:
    from pathlib import Path

TOKEN = "a-long-operator-token"


def other(option: Option) -> tuple[object, str]:
    """A value that is not the default, and its text."""
    if option.kind == "switch":
        return True, "true"
    if option.kind == "choice":
        return option.choices[-1], option.choices[-1]
    if option.kind == "texts":
        return (TOKEN,), TOKEN
    if option.kind == "number":
        return option.least + 7, str(option.least + 7)
    if option.kind == "seconds":
        return 2.5, "2.5"
    return "somewhere:1", "somewhere:1"


def written(option: Option, value: object) -> str:
    if isinstance(value, bool):
        return f"{option.key} = {str(value).lower()}\n"
    if isinstance(value, tuple):
        return f'{option.key} = ["{value[0]}"]\n'
    if isinstance(value, str):
        return f'{option.key} = "{value}"\n'
    return f"{option.key} = {value}\n"


@pytest.mark.parametrize("option", OPTIONS, ids=lambda option: option.name)
def test_a_flag_wins_over_the_environment_and_that_over_the_file(
    option: Option, tmp_path: Path
) -> None:
    value, text = other(option)
    file = tmp_path / "ew.toml"
    file.write_text(written(option, value))
    assert resolve({}, {})[option.key] == option.default
    assert resolve({}, {}, file)[option.key] == value
    assert resolve({}, {CONFIG.variable: str(file)})[option.key] == value
    assert resolve({}, {option.variable: text})[option.key] == value
    if option.default is not None:
        default = str(option.default) if option.default != () else "another-long-token"
        assert resolve({}, {option.variable: default}, file)[option.key] != value
    known = resolve({option.key: value}, {option.variable: "2"}, file)
    assert known[option.key] == value


def test_an_empty_variable_is_no_setting() -> None:
    assert resolve({}, {"EW_STORE": ""})["store"] == "endless-winter.db"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("storre = 'x'", "there is no setting 'storre'"),
        ("page_size = 'many'", "page_size in "),
        ("page_size = true", "page_size in "),
        ("page_size = 0", "must be from 1"),
        ("grace = nan", "must be from 0"),
        ("insecure = 1", "must be a switch"),
        ("synchronous = 'extra'", "not one of full, normal, off"),
        ("operator_token = [1]", "list of texts"),
        ("listen = ", "is not TOML"),
    ],
)
def test_what_a_file_says_wrongly_is_named(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "ew.toml"
    file.write_text(text)
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        resolve({}, {}, file)


@pytest.mark.parametrize(
    ("variable", "text"),
    [("EW_PAGE_SIZE", "x"), ("EW_INSECURE", "maybe"), ("EW_GRACE", "-1"), ("EW_LOG_LEVEL", "all")],
)
def test_what_the_environment_says_wrongly_is_named(variable: str, text: str) -> None:
    with pytest.raises(ConfigurationError, match=variable):
        resolve({}, {variable: text})


def test_a_wrong_setting_costs_one_line_and_status_2(tmp_path: Path) -> None:
    file = tmp_path / "ew.toml"
    file.write_text("storre = 'x'")
    done = run(EW, "serve", "--config", str(file))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "there is no setting 'storre'" in done.stderr


def test_operator_tokens_come_from_flag_file_and_environment_and_only_hashes_stay(
    tmp_path: Path,
) -> None:
    file = tmp_path / "tokens"
    file.write_text(f"# the hosts\n\n  {TOKEN}-1  \n{TOKEN}-2\n")
    flags = {"operator_token": (f"{TOKEN}-3",), "operator_token_file": file}
    settings = resolve(flags, {}).settings()
    assert settings.operators == tuple(operator_hash(f"{TOKEN}-{n}") for n in (3, 1, 2))
    assert TOKEN not in repr(settings)
    environment = {"EW_OPERATOR_TOKEN": f"{TOKEN}-1, {TOKEN}-2"}
    assert len(resolve({}, environment).settings().operators) == 2


def test_a_token_that_could_be_guessed_or_a_file_that_is_not_there_is_refused(
    tmp_path: Path,
) -> None:
    with pytest.raises(ConfigurationError, match="at least 16"):
        resolve({"operator_token": ("short",)}, {}).settings()
    with pytest.raises(ConfigurationError, match="cannot read"):
        resolve({"operator_token_file": tmp_path / "none"}, {}).settings()


def test_reserved_bots_come_from_flag_environment_and_file(tmp_path: Path) -> None:
    one, other = bot_hash("one"), bot_hash("other")
    wanted = (("a", one), ("a", other), ("b-2", other))
    texts = (f"a:{one.hex()}", f"a:{other.hex().upper()}", f"b-2:{other.hex()}")
    file = tmp_path / "ew.toml"
    file.write_text(f"reserved_bot = {list(texts)!r}\n")
    for known in (
        resolve({"reserved_bot": texts}, {}),
        resolve({}, {"EW_RESERVED_BOT": ", ".join(texts)}),
        resolve({}, {}, file),
    ):
        assert known.settings().reserved == wanted


@pytest.mark.parametrize("text", ["a", "a:", f"a b:{'0' * 64}", f"a:{'0' * 63}", f"a:{'x' * 64}"])
def test_a_reserved_bot_that_cannot_be_is_named(text: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(f"'{text}' is not NAME:SHA256")):
        resolve({"reserved_bot": (text,)}, {}).settings()


def test_every_option_is_a_flag_and_in_the_help() -> None:
    said = CliRunner().invoke(serve, ["--help"]).output
    for option in (CONFIG, *OPTIONS):
        assert option.flag in said


def test_the_document_has_the_table_of_all_settings() -> None:
    text = (ROOT / "docs" / "hosting.md").read_text()
    assert configuration.table() in text, (
        "docs/hosting.md needs the new table: print(endless_winter.service.configuration.table())"
    )


async def test_a_server_is_set_up_by_its_file(tmp_path: Path) -> None:
    file = tmp_path / "ew.toml"
    file.write_text('store = "other.db"\nsynchronous = "normal"\npage_size = 3\n')
    with running((*COMMAND, "--config", str(file)), folder=tmp_path) as server:
        async with Client(server.address, "ann") as ann:
            await ann.create(2)
    assert (tmp_path / "other.db").exists()
