"""``ew replay review``: what a seat could expect and what cost it most, by its own eyes."""

from __future__ import annotations

import json
import random
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from endless_winter.bots.review import Review, review
from endless_winter.cli.replay import replay
from endless_winter.cli.replay_file import ReplayError
from endless_winter.cli.replay_moments import moments_of
from endless_winter.cli.replay_review import lines, reviewed
from endless_winter.engine.replay.record import file_hash
from endless_winter.engine.table import RUNNING
from endless_winter.v1 import config_pb2, replay_pb2
from endless_winter.views import Scribe
from tests.engine.desk import PACK, Desk
from tests.foundations.tree import ROOT
from tests.service.logs import eventful

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from endless_winter import rules
    from endless_winter.engine.game import Game

MINE, OTHER = 0, 1
# What the other seat does, the first that is offered: it shows nothing of its cards.
QUIET = ("place tribe initiate", "rite", "leave", "done", "end", "place chief rest", "place tribe")


def texts(game: Game) -> list[str]:
    at = game.table.game
    assert at is not None
    return [at.text(code) for code in at.options()]


def quiet(offered: list[str], secret: str) -> str:
    if secret in offered:
        return secret
    found = [text for word in QUIET for text in offered if text.startswith(word)]
    return found[0] if found else offered[0]


@cache
def played(buried: str) -> bytes:
    """The first round of a game in which the other seat has buried this card, unseen."""
    secret = f"bury {buried} hand"
    desk = Desk()
    game = desk.running(2, seed=bytes(31) + b"\x05")
    while game.table.status == RUNNING:
        at = game.table.game
        assert at is not None
        if at.position.round == 2:
            desk.abort(game, operator=True)
            break
        offered = texts(game)
        if game.table.deciding_seat == OTHER:
            text = quiet(offered, secret)
            secret = "" if text == secret else secret
            desk.answer(game, text=text)
        else:
            desk.answer(game, text=random.Random(len(offered)).choice(offered))
    return desk.record(game).SerializeToString(deterministic=True)


def record(buried: str = "tribesman") -> replay_pb2.ReplayFile:
    return replay_pb2.ReplayFile.FromString(played(buried))


@pytest.fixture(scope="module")
def mine() -> dict[str, str]:
    """The review of the own seat, as JSON, for two games that differ in what it has not seen."""
    return {
        buried: json.dumps(reviewed(record(buried), PACK, MINE))
        for buried in ("tribesman", "tribeswoman")
    }


def test_games_that_differ_in_what_a_seat_has_not_seen_have_the_same_review(
    mine: dict[str, str],
) -> None:
    one, two = record("tribesman"), record("tribeswoman")
    secrets = [
        {entry.choice.text for entry in each.entries if entry.choice.seat == OTHER}
        for each in (one, two)
    ]
    assert secrets[0] ^ secrets[1] == {"bury tribesman hand", "bury tribeswoman hand"}
    choices = [
        [entry.choice.text for entry in each.entries if entry.choice.seat == MINE]
        for each in (one, two)
    ]
    assert choices[0] == choices[1]
    assert mine["tribesman"] == mine["tribeswoman"]
    (seat,) = json.loads(mine["tribesman"])["seats"]
    assert seat["worst"]


def test_a_review_that_knew_what_its_seat_cannot_know_is_caught(
    mine: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = Scribe.decision_bytes

    def leaky(self: Scribe, game: rules.Game, decision_id: int) -> bytes:
        return honest(self, game, decision_id + sum(game.position.players[OTHER].buried))

    monkeypatch.setattr(Scribe, "decision_bytes", leaky)
    assert json.dumps(reviewed(record("tribeswoman"), PACK, MINE)) != mine["tribesman"]


def test_the_choices_that_cost_most_come_first_and_from_different_turns(
    mine: dict[str, str],
) -> None:
    (seat,) = json.loads(mine["tribesman"])["seats"]
    worst = seat["worst"]
    costs = [one["cost"] for one in worst]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] >= 1
    assert len({(one["round"], one["phase"], one["turn"]) for one in worst}) == len(worst) <= 3
    for one in worst:
        gained = one["better"]["expected"] - one["chosen"]["expected"]
        assert gained == pytest.approx(one["cost"], abs=0.11)
        assert one["better"]["text"] != one["chosen"]["text"]
        assert one["better"]["why"]
        entry = record().entries[one["seq"] - 1]
        assert entry.choice.text == one["chosen"]["text"]
        assert entry.choice.seat == MINE
    assert [step["text"][:5] for step in seat["curve"]] == ["place"] * 3
    assert [(step["round"], step["turn"]) for step in seat["curve"]] == [(1, 1), (1, 2), (1, 3)]


def test_the_page_names_every_field_of_the_json(mine: dict[str, str]) -> None:
    page = (ROOT / "docs" / "replays.md").read_text(encoding="utf-8")
    (shape,) = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    shown, made = json.loads(shape), json.loads(mine["tribesman"])
    assert keys_of(shown) == keys_of(made)


def keys_of(value: object) -> set[str]:
    if isinstance(value, dict):
        return set(value) | {one for part in value.values() for one in keys_of(part)}
    if isinstance(value, list):
        return {one for part in value for one in keys_of(part)}
    return set()


def test_the_text_says_what_the_json_says(mine: dict[str, str]) -> None:
    found = json.loads(mine["tribesman"])
    text = "\n".join(lines(found))
    (seat,) = found["seats"]
    for one in seat["worst"]:
        assert one["chosen"]["label"] in text
        assert one["better"]["label"] in text
        assert one["better"]["why"] in " ".join(text.split())
    for step in seat["curve"]:
        assert f"round {step['round']}, turn {step['turn']} " in text
    seat["worst"], seat["curve"] = [], []
    text = "\n".join(lines(found))
    assert "No choice cost a point or more." in text
    assert "No figure was placed." in text


def test_what_was_taken_back_is_not_judged() -> None:
    file = eventful().record()
    undone = {
        number
        for entry in file.entries
        if entry.HasField("undo")
        for number in range(entry.undo.back_to_seq + 1, entry.seq + 1)
    }
    chosen = {entry.seq for entry in file.entries if entry.HasField("choice")}
    assert undone & chosen
    found = {one.seq for seat in moments_of(file, PACK) for one in seat}
    assert found == chosen - undone


def test_the_nomad_is_not_judged() -> None:
    desk = Desk()
    nomad = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_NOMAD)
    mine = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)
    game = desk.create([mine, nomad], nomad=config_pb2.NomadConfig())
    desk.join(game, 0, "player 0")
    desk.ready(game, 0)
    desk.play(game)
    found = moments_of(desk.record(game), PACK)
    assert len(found[0]) > 20
    assert found[1] == []
    with pytest.raises(ReplayError, match="seat 1 chose nothing"):
        reviewed(desk.record(game), PACK, 1)


def test_nothing_to_judge_is_an_empty_review() -> None:
    assert review([]) == Review((), ())


def test_a_record_that_cannot_be_played_again_is_refused_in_a_line(tmp_path: Path) -> None:
    def said(change: Callable[[replay_pb2.ReplayFile], None], *options: str) -> str:
        changed = record()
        change(changed)
        changed.file_hash = file_hash(changed)
        path = tmp_path / "game.ewr"
        path.write_bytes(changed.SerializeToString())
        done = CliRunner().invoke(replay, ["review", str(path), *options])
        assert done.exit_code == 1, done.output
        assert len(done.stderr.splitlines()) == 1
        return done.stderr

    def other_rules(file: replay_pb2.ReplayFile) -> None:
        file.entries[0].created.rules_version = "99"

    def other_content(file: replay_pb2.ReplayFile) -> None:
        file.entries[0].created.content_hash = "ab" * 32

    def no_seed(file: replay_pb2.ReplayFile) -> None:
        file.game.seed_reveal.seed = b""

    def other_choice(file: replay_pb2.ReplayFile) -> None:
        next(one for one in file.entries if one.HasField("choice")).choice.option_id = 99

    def no_creation(file: replay_pb2.ReplayFile) -> None:
        del file.entries[0]

    assert "rules version '99'" in said(other_rules)
    assert "--content FILE" in said(other_content)
    assert "seed is not revealed" in said(no_seed)
    assert "option 99 does not exist" in said(other_choice)
    assert "does not begin with the creation" in said(no_creation)
    assert "no seat 3, only 2" in said(lambda _: None, "--seat", "3")
