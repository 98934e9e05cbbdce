"""A spec is checked, and each mistake gets one line that says where it is."""

from __future__ import annotations

import pickle
from importlib import resources
from typing import TYPE_CHECKING

import msgspec
import pytest

from endless_winter.tournament import plugin
from endless_winter.tournament.entrants import command_of
from endless_winter.tournament.errors import TournamentError
from endless_winter.tournament.spec import parse, read
from endless_winter.v1 import config_pb2

if TYPE_CHECKING:
    from pathlib import Path

    from google.protobuf.descriptor import FieldDescriptor

TWO = '[[entrant]]\nname = "a"\n[[entrant]]\nname = "b"\n'


def written(folder: Path, text: str) -> Path:
    path = folder / "spec.toml"
    path.write_text(text)
    return path


def test_a_small_spec_has_sensible_defaults(tmp_path: Path) -> None:
    spec = read(written(tmp_path, f'format = "round_robin"\n{TWO}'))
    assert spec.names == ("a", "b")
    assert [entrant.bot for entrant in spec.entrant] == ["a", "b"]
    assert (spec.players, spec.clock.decision, spec.dead.attempts) == (2, 10.0, 2)
    assert not spec.paired_seeds


def test_the_spec_that_comes_along_says_that_seeds_are_not_shared() -> None:
    with resources.as_file(resources.files("endless_winter.tournament") / "small.toml") as small:
        assert "\npaired_seeds = false" in small.read_text()
        assert not read(small).paired_seeds


def test_a_python_file_is_found_beside_the_spec_and_known_by_what_it_says(tmp_path: Path) -> None:
    (tmp_path / "my_bot.py").write_text("1")
    entrants = TWO.replace('"b"', '"b"\nbot = "my_bot.py:Name"')
    path = written(tmp_path, f'format = "round_robin"\n{entrants}')
    before = read(path).entrant[1]
    assert before.bot == f"{tmp_path / 'my_bot.py'}:Name"
    (tmp_path / "my_bot.py").write_text("2")
    assert read(path).entrant[1].fingerprint != before.fingerprint


def test_a_program_finds_its_files_wherever_it_starts(tmp_path: Path) -> None:
    (tmp_path / "my bot.js").write_text("1")
    entrants = TWO.replace('"b"', '"b"\nbot = "cmd: node \'my bot.js\' --fast"')
    path = written(tmp_path, f'format = "round_robin"\n{entrants}')
    before = read(path).entrant[1]
    assert command_of(before) == ["node", str(tmp_path / "my bot.js"), "--fast"]
    assert str(tmp_path) not in before.fingerprint  # moved elsewhere it is still the same bot
    (tmp_path / "my bot.js").write_text("2")
    assert read(path).entrant[1].fingerprint != before.fingerprint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f'format = "ring"\n{TWO}', "format: there is no 'ring', only gauntlet, round_robin, "),
        (f'format = "swis"\n{TWO}', "sprt, swiss, did you mean 'swiss'?"),
        (
            f'format = "round_robin"\n{TWO}[game]\nsetup_variant = "draft"\n',
            "game.setup_variant: there is no 'draft', only chief_and_setup_draft, ",
        ),
        (
            f'format = "round_robin"\nblock = 3\n{TWO}',
            "there is no setting 'block', did you mean 'blocks'?",
        ),
        (
            f'format = "round_robin"\n{TWO}bto = "x"\n',
            "entrant[1]: there is no setting 'bto', did you mean 'bot'?",
        ),
        (
            f'format = "round_robin"\n{TWO}[clock]\nbanks = 3\n',
            "clock: there is no setting 'banks'",
        ),
        (f'format = "round_robin"\nblocks = "3"\n{TWO}', "blocks: Expected 'int', got 'str'"),
        (f'format = "round_robin"\nblocks = 0\n{TWO}', "blocks: at least 1"),
        ('format = "round_robin"\n', "missing 'entrant'"),
        (f'format = "round_robin"\nplayers = 5\n{TWO}', "players: a game has 2 to 4, not 5"),
        (f'format = "round_robin"\nplayers = 3\n{TWO}', "entrant: a game of 3 needs at least 3"),
        (f'format = "sprt"\n{TWO}[[entrant]]\nname = "c"\n', "entrant: an sprt of 2-player games"),
        (f'format = "solo_field"\n{TWO}[[entrant]]\nname = "Nomad"\n', "the Nomad's own"),
        (f'format = "solo_field"\n{TWO}[nomad]\nsecond_extra_card = true', "needs the first"),
        (f'format = "round_robin"\n{TWO}[[entrant]]\nname = "a"\n', "two have the same name"),
        (f'format = "round_robin"\n{TWO}[[entrant]]\nname = "a b"\n', "the name 'a b' is not"),
        (f'format = "round_robin"\n{TWO}[game]\nrivers = 4\n', "game: 1 to 3 Landmarks"),
        (f'format = "round_robin"\n{TWO}[game]\nsea_cows = true\n', "sea_cows needs rivers"),
        (f'format = "round_robin"\n{TWO}bot = "no.py"\n', "no.py cannot be read"),
        (f'format = "round_robin"\n{TWO}[clock]\ndecision = 0\n', "a hanging bot would never"),
        (f'format = "round_robin"\n{TWO}[limits]\nprocesses = 8\n', "processes: 0, or 64 to"),
        (f'format = "sprt"\n{TWO}[sprt]\nrating1 = -1.0\n', "rating1 is larger than rating0"),
        (f'format = "sprt"\n{TWO}[sprt]\nalpha = 0.7\n', "between 0 and 0.5"),
        ("format = ", "is not TOML"),
    ],
)
def test_a_mistake_gets_one_line_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TournamentError) as caught:
        read(written(tmp_path, text))
    error = str(caught.value)
    assert error.startswith(str(tmp_path / "spec.toml"))
    assert message in error
    assert "\n" not in error


@pytest.mark.parametrize("key", ["decision", "bank", "increment", "disconnect"])
@pytest.mark.parametrize("seconds", ["nan", "inf", "-1", "1e30", "0.0001", "86401"])
def test_a_time_that_no_clock_can_keep_is_refused(tmp_path: Path, key: str, seconds: str) -> None:
    path = written(tmp_path, f'format = "round_robin"\n{TWO}[clock]\n{key} = {seconds}\n')
    with pytest.raises(
        TournamentError, match=rf"clock\.{key}: 0, or 0\.001 to 86400 seconds, not "
    ):
        read(path)


@pytest.mark.parametrize(
    ("section", "setting", "message"),
    [
        ("dead", "start = nan", "dead.start: more than 0 and at most 86400 seconds, not nan"),
        ("dead", "start = inf", "dead.start: more than 0 and at most 86400 seconds, not inf"),
        ("dead", "start = 0", "dead.start: more than 0"),
        ("clock", "timeouts = 5_000_000_000", "clock.timeouts: 1 to 1000000"),
        ("limits", "memory_mb = 100_000_000_000_000", "limits.memory_mb: 0, or 256 to"),
        ("sprt", "rating0 = -200000", "sprt.rating0: between -2000 and 2000, not -200000"),
        ("sprt", "rating1 = 20000", "sprt.rating1: between -2000 and 2000, not 20000"),
        ("sprt", "rating0 = nan", "sprt.rating0: between -2000 and 2000, not nan"),
        ("sprt", "rating1 = inf", "sprt.rating1: between -2000 and 2000, not inf"),
        ("sprt", "alpha = nan", "alpha and beta are between 0 and 0.5"),
    ],
)
def test_a_number_beyond_all_bounds_is_refused(
    tmp_path: Path, section: str, setting: str, message: str
) -> None:
    path = written(tmp_path, f'format = "sprt"\n{TWO}[{section}]\n{setting}\n')
    with pytest.raises(TournamentError) as caught:
        read(path)
    assert message in str(caught.value)


def test_the_shortest_and_the_longest_time_are_times() -> None:
    entrants = [{"name": "a"}, {"name": "b"}]
    clock = {"decision": 0.001, "bank": 86_400.0, "increment": 0.0, "disconnect": 0.0}
    spec = parse({"format": "round_robin", "entrant": entrants, "clock": clock})
    assert (spec.clock.decision, spec.clock.bank) == (0.001, 86_400.0)


def table(game: dict[str, object]) -> config_pb2.GameConfig:
    """What the table [game] makes of a configuration."""
    entrants = [{"name": "a"}, {"name": "b"}]
    spec = parse({"format": "round_robin", "entrant": entrants, "game": game})
    spec = pickle.loads(pickle.dumps(spec))  # as Ray hands it over
    config = config_pb2.GameConfig()
    plugin.fill_config(msgspec.structs.asdict(spec.game), config)
    return config


def test_without_modules_it_is_the_plain_game() -> None:
    assert table({}) == config_pb2.GameConfig(modules=config_pb2.ModuleConfig())


@pytest.mark.parametrize(
    "field", list(config_pb2.ModuleConfig.DESCRIPTOR.fields), ids=lambda f: f.name
)
def test_every_switch_of_the_contract_is_a_key_of_its_name(field: FieldDescriptor) -> None:
    found = table({field.name: True, "rivers": 2})  # Sea Cows need a river
    assert found.modules == config_pb2.ModuleConfig(**{field.name: True})
    assert found.rivers == config_pb2.RiversConfig(landmark_count=2)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match="cannot be read: No such file"):
        read(tmp_path / "none.toml")
