"""Asks for games with Cairns at the command line and in a tournament; runs where play.py does."""

from __future__ import annotations

import sys

import click
import msgspec
from click.testing import CliRunner

from endless_winter.cli.kind import Kind, kind_options
from endless_winter.content import load_pack
from endless_winter.rules.modules.cairns import CAIRNS
from endless_winter.tournament import plugin
from endless_winter.tournament.errors import TournamentError
from endless_winter.tournament.spec import parse
from endless_winter.v1 import config_pb2
from endless_winter.views import config_of

pack = load_pack(sys.argv[1])
wanted: list[Kind] = []


@click.command()
@kind_options
def command(*, kind: Kind) -> int:
    wanted.append(kind)
    return 0


def look(config: config_pb2.GameConfig, most: int) -> None:
    config.seats.extend([config_pb2.SeatConfig()] * 2)
    rules = config_of(config, pack)
    assert set(rules.modules) == {CAIRNS, "warriors"}
    assert rules.rules[CAIRNS].written() == {"most": most}


assert "How many Cairns" in CliRunner().invoke(command, ["--help"]).output
assert "at least 1" in CliRunner().invoke(command, ["--cairns", "0"]).output
CliRunner().invoke(command, ["--cairns", "7", "--warriors"])
config = config_pb2.GameConfig()
wanted.pop().apply_to(config)
look(config, 7)

table = {"format": "round_robin", "entrant": [{"name": "a"}, {"name": "b"}]}
try:
    parse(table | {"game": {"cairns": -1}})
except TournamentError as error:
    assert str(error) == "game: cairns: not fewer than none"
else:
    raise AssertionError
config = config_pb2.GameConfig()
spec = parse(table | {"game": {"cairns": 5, "warriors": True}})
plugin.fill_config(msgspec.structs.asdict(spec.game), config)
look(config, 5)
print("asked")
