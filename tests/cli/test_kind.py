"""Which game is played: the options that ``ew play`` and ``ew match`` share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from endless_winter.cli.kind import Kind, kind_options
from endless_winter.content import load_pack
from endless_winter.rules.rivers.agreed import rules_in
from endless_winter.v1 import config_pb2
from endless_winter.views import config_of

if TYPE_CHECKING:
    from google.protobuf.descriptor import FieldDescriptor

FOUND: list[Kind] = []


@click.command()
@click.argument("bots", nargs=-1)
@kind_options
def command(*, bots: tuple[str, ...], kind: Kind) -> int:
    """Take them."""
    assert isinstance(bots, tuple)
    FOUND.append(kind)
    return 0


def config(*words: str) -> config_pb2.GameConfig:
    done = CliRunner().invoke(command, words)
    assert done.exit_code == 0, done.output
    found = config_pb2.GameConfig(seats=[config_pb2.SeatConfig()] * 2)
    FOUND.pop().apply_to(found)
    return found


def test_without_options_it_is_the_plain_game() -> None:
    assert config("a", "b") == config_pb2.GameConfig(seats=[config_pb2.SeatConfig()] * 2)


def test_every_module_and_draft_can_be_asked_for() -> None:
    words = ("--with", "rest-tokens", "--with", "chief-draft", "--rivers", "2", "--warriors")
    wanted = config(*words, "--sea-cows", "--mammoth")
    assert wanted.setup_variant == config_pb2.SETUP_VARIANT_CHIEF_AND_SETUP_DRAFT
    rules = config_of(wanted, load_pack())
    assert set(rules.modules) == {"rivers", "rest_tokens", "warriors", "sea_cows", "mammoth"}
    river = rules_in(rules)
    assert river is not None
    assert (river.landmarks, river.decided) == (2, False)


@pytest.mark.parametrize(
    "field", list(config_pb2.ModuleConfig.DESCRIPTOR.fields), ids=lambda f: f.name
)
def test_every_switch_of_the_contract_can_be_asked_for_by_its_name(field: FieldDescriptor) -> None:
    words = ("--with", field.name.replace("_", "-"), "--rivers")  # Sea Cows need a river
    assert config(*words).modules == config_pb2.ModuleConfig(**{field.name: True})


@pytest.mark.parametrize(
    ("words", "landmarks", "named", "decided"),
    [
        (("--rivers",), 3, (), False),
        (("--rivers", "1"), 1, (), False),
        (("--rivers", "decided"), 3, (), True),
        (("--rivers", "tree,arch"), 2, ("tree", "arch"), False),
    ],
)
def test_landmarks_are_random_decided_or_named(
    words: tuple[str, ...], landmarks: int, named: tuple[str, ...], decided: bool
) -> None:
    rules = rules_in(config_of(config(*words), load_pack()))
    assert rules is not None
    assert (rules.landmarks, rules.named, rules.decided) == (landmarks, named, decided)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--sea-cows",), "--sea-cows needs --rivers"),
        (("--rivers", "4"), "1 to 3 Landmarks"),
        (("--rivers", "0"), "1 to 3 Landmarks"),
        (("--rivers", "tree,tree"), "all different"),
        (("--rivers", "heuristic", "random"), "not 'heuristic'"),
        (("--with", "setup-draft", "--with", "chief-draft"), "give only one of them"),
    ],
)
def test_what_does_not_go_together_is_refused_in_a_line(
    words: tuple[str, ...], message: str
) -> None:
    done = CliRunner().invoke(command, words)
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())
