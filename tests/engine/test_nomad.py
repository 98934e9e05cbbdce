"""The Nomad: played by the server or by a client, it is the same game."""

from __future__ import annotations

import itertools
import random
import re
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from endless_winter.cli.replay import replay
from endless_winter.engine.replay.rewind import SPECTATOR, Eyes, Rewind
from endless_winter.engine.replay.verifying import POSITIONS, verify
from endless_winter.engine.table import RUNNING, new_table
from endless_winter.rules.config import NOMAD_SWITCHES
from endless_winter.v1 import (
    clock_pb2,
    config_pb2,
    decision_pb2,
    event_pb2,
    replay_pb2,
    result_pb2,
)
from endless_winter.views import Scribe, config_of
from tests.engine.desk import PACK, Desk
from tests.service.logs import WORDS, Playing

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from endless_winter.engine.game import Game

OPEN = config_pb2.SEAT_KIND_OPEN
SERVED = config_pb2.SEAT_KIND_NOMAD
CLIENT = config_pb2.SEAT_KIND_NOMAD_CLIENT
# None, each alone (the second extra card needs the first), and all together.
EACH = [
    (),
    *[(name,) for name in NOMAD_SWITCHES[:-1]],
    ("extra_card", "second_extra_card"),
    NOMAD_SWITCHES,
]
ALL = [
    tuple(itertools.compress(NOMAD_SWITCHES, on))
    for on in itertools.product((0, 1), repeat=len(NOMAD_SWITCHES))
    if on[0] or not on[-1]
]
MODULES = config_pb2.ModuleConfig(glacier_tokens=True, rest_tokens=True)

Course = list[tuple[int, int, str, bytes]]


def kinds_of(nomad: config_pb2.SeatKind.ValueType, seat: int = 1) -> list[Any]:
    return [OPEN, nomad] if seat else [nomad, OPEN]


def difficulty(switches: Sequence[str] = ()) -> config_pb2.NomadConfig:
    return config_pb2.NomadConfig(**dict.fromkeys(switches, True))


# --- the same game both ways ---


def played(number: int, kinds: Sequence[Any], **config: Any) -> Playing:
    """A whole game without a server; the player's choices depend on the game alone."""
    playing = Playing(number, kinds=kinds, **config)
    while playing.table.status == RUNNING:
        game = playing.table.game
        assert game is not None
        seat = playing.table.deciding_seat
        assert not playing.table.seats[seat].served, "a served seat is never asked"
        words = "|".join(game.text(code) for code in game.options())
        own = random.Random(f"{number} {seat} {game.position.round} {words}")
        playing.choose(own.randrange(len(game.options())))
    return playing


def course_of(entries: Sequence[replay_pb2.LogEntry]) -> Course:
    """Every choice and the fingerprint of the position after it."""
    return [
        (entry.choice.seat, entry.choice.option_id, entry.choice.text, entry.position_hash)
        for entry in entries
        if entry.HasField("choice")
    ]


def check_both_ways(number: int, switches: Sequence[str], seat: int) -> None:
    more = {"nomad": difficulty(switches), "modules": MODULES if number % 2 else None}
    by_server = played(number, kinds_of(SERVED, seat), **more).log()
    by_client = played(number, kinds_of(CLIENT, seat), **more).log()
    course = course_of(by_server.entries)
    assert course == course_of(by_client.entries)
    assert sum(who == seat for who, *_ in course) > 50
    for log, origin in (
        (by_server, event_pb2.CHOICE_ORIGIN_SERVER),
        (by_client, event_pb2.CHOICE_ORIGIN_PLAYER),
    ):
        choices = [entry.choice for entry in log.entries if entry.HasField("choice")]
        assert {one.origin for one in choices if one.seat == seat} == {origin}
        assert all(one.option_id == 0 for one in choices if one.seat == seat)
        assert verify(log.record(), PACK).line() == ""
    mine, theirs = (log.entries[-1].ended.result for log in (by_server, by_client))
    assert mine == theirs
    assert sorted(one.place for one in mine.seats) == [1, 2]


@pytest.mark.parametrize("switches", EACH, ids="+".join)
def test_the_server_and_a_client_play_the_same_game(switches: tuple[str, ...]) -> None:
    number = EACH.index(switches)
    check_both_ways(number, switches, seat=number % 2)


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_the_server_and_a_client_play_the_same_game_whatever_is_switched_on() -> None:
    assert len(ALL) == 96
    for number, switches in enumerate(ALL):
        for seat in (0, 1):
            check_both_ways(1000 + 2 * number + seat, switches, seat)


def test_all_that_the_nomad_does_is_committed_with_what_caused_it() -> None:
    """So no game can stop in the middle of its turn: not by a crash either."""
    playing = Playing(1, kinds=kinds_of(SERVED), nomad=difficulty())
    longest = 0
    while playing.table.status == RUNNING:
        before = playing.table.seq
        assert playing.table.deciding_seat == 0
        playing.choose()
        longest = max(longest, playing.table.seq - before)
    assert longest > 5


def test_a_client_can_leave_the_nomads_steps_to_a_standing_answer() -> None:
    playing = Playing(2, kinds=kinds_of(CLIENT), nomad=difficulty())
    playing.desk.set_standing(playing.game, 1, decision_pb2.DECISION_KIND_NOMAD)
    while playing.table.status == RUNNING:
        assert playing.table.deciding_seat == 0
        playing.choose()
    assert verify(playing.log().record(), PACK).line() == ""


# --- records ---


def record() -> replay_pb2.ReplayFile:
    return played(3, kinds_of(SERVED), nomad=difficulty()).log().record()


def test_a_record_says_that_the_server_plays_the_nomad_and_nobody_else() -> None:
    file = record()
    (seat,) = [one for one in file.game.seats if one.kind == SERVED]
    assert (seat.taken, seat.ready, seat.display_name) == (True, True, "Nomad")
    for who, origin in (
        (1, event_pb2.CHOICE_ORIGIN_PLAYER),
        (0, event_pb2.CHOICE_ORIGIN_SERVER),
    ):
        wrong = record()
        entry = next(e for e in wrong.entries if e.HasField("choice") and e.choice.seat == who)
        entry.choice.origin = origin
        report = verify(wrong, PACK)
        assert report.wrong[POSITIONS] == (
            entry.seq,
            "the server plays the Nomad's seat, and no other",
        )


def test_a_record_in_which_somebody_takes_the_nomads_seat_is_wrong() -> None:
    wrong = record()
    entry = next(e for e in wrong.entries if e.HasField("ready"))
    entry.ready.seat = 1
    report = verify(wrong, PACK)
    assert "the server plays it" in report.wrong[POSITIONS][1]


def test_a_replay_shows_the_nomads_steps_as_text(tmp_path: Path) -> None:
    path = tmp_path / "solo.ewr"
    path.write_bytes(record().SerializeToString())
    checked = CliRunner().invoke(replay, ["verify", str(path)])
    assert ": verified: " in checked.output
    for eyes in ("open", "spectator", "0", "1"):
        shown = CliRunner().invoke(replay, ["show", str(path), "--eyes", eyes])
        assert shown.exit_code == 0
        lines = shown.output
        assert "The game begins: the Nomad (seat 1), player 0 (seat 0)" in lines
        assert "The Nomad (seat 1) places a Tribe figure" in lines
        assert "_id:" not in lines, "every event of it has words"
        assert re.search(r"The Nomad reveals [A-Z]", lines)
        assert re.search(
            r"The Nomad goes to [A-Z][a-z]+: [A-Z].* names [A-Z].* \(SOL-08\)\.", lines
        )
        assert re.search(r"^ +The Nomad: [A-Z].* due \(SOL-09\)\.", lines, re.MULTILINE)
        assert re.search(r"Map card: [A-Z].*\. It shows where its Camps start \(SOL-04\)\.", lines)
        assert re.search(r"the Nomad \(seat 1\) [0-9½]+ Labor \([A-Z]", lines)


def step_through(file: replay_pb2.ReplayFile, eyes: Eyes) -> list[bytes]:
    """The frames of a replay as somebody sees them."""
    config = file.game.config
    rules = config_of(config, PACK)
    table = new_table(file.game.game_id, config, rules, file.game.seed_reveal.seed)
    rewind = Rewind(table, Scribe(WORDS, rules), eyes)
    frames = []
    for entry in file.entries:
        rewind.step(entry)
        frames.append(rewind.frame(entry))
    return frames


def test_a_replay_through_the_nomads_eyes_shows_no_more_than_a_spectators() -> None:
    file = record()
    for mine, theirs in zip(
        step_through(file, Eyes(seat=1)), step_through(file, SPECTATOR), strict=True
    ):
        nomad = replay_pb2.ReplayFrame.FromString(mine)
        spectator = replay_pb2.ReplayFrame.FromString(theirs)
        assert nomad.view.public_view == spectator.view.public_view
        assert not [
            field for field, _ in nomad.view.private_view.ListFields() if field.name != "seat"
        ]


# --- clocks, undo, forfeits ---


def solo(desk: Desk, nomad: Any = SERVED, **config: Any) -> Game:
    """A solo game whose player is ready; the seat of a client is taken too."""
    game = desk.create(kinds=kinds_of(nomad), nomad=difficulty(), **config)
    for seat in (0,) if nomad == SERVED else (0, 1):
        word = game.invitations.of_creation(seat) if seat else ""
        desk.join(game, seat, f"player {seat}", invitation=word)
        desk.ready(game, seat)
    return game


def test_a_served_nomad_has_no_bank_and_its_turns_cost_nobody_time() -> None:
    desk = Desk()
    control = clock_pb2.TimeControl(bank_ms=10_000, increment_per_turn_ms=1000)
    game = solo(desk, time_control=control)
    while game.table.turns < 3:
        desk.advance(1)
        spent = game.banks_ms(desk.now)[0]
        assert game.banks_ms(desk.now)[1] is None
        desk.answer(game)
        assert game.table.deciding_seat == 0
        bank = game.banks_ms(desk.now)[0]
        assert bank is not None
        assert spent is not None
        assert bank - spent in (0, 1000), "its own time, and an increment for each own turn"


def test_when_the_players_clock_runs_out_the_nomad_still_takes_its_turns() -> None:
    desk = Desk()
    control = clock_pb2.TimeControl(decision_limit_ms=1000, timeouts_to_forfeit=100)
    game = solo(desk, time_control=control)
    while game.table.turns < 4:
        desk.advance(1000)
        assert game.table.deciding_seat == 0
    assert game.table.seats[0].timeouts > 0
    assert game.table.seats[1].timeouts == 0


def test_a_nomad_client_that_is_gone_is_played_on_and_keeps_its_place() -> None:
    """Its steps are the same with any player, so its points count."""
    desk = Desk()
    control = clock_pb2.TimeControl(decision_limit_ms=1000, timeouts_to_forfeit=2)
    game = solo(desk, CLIENT, time_control=control)
    while game.table.status == RUNNING:
        if game.table.deciding_seat == 0:
            desk.answer(game)
        else:
            desk.advance(1000)
    result = game.table.result
    assert result is not None
    player, nomad = result.seats
    assert nomad.reason == result_pb2.END_REASON_TIME_OUT
    assert nomad.timeouts == 2
    assert (nomad.place < player.place) == (nomad.score > player.score)
    assert nomad.score > player.score, "a player by defaults does not beat it"


def test_a_player_who_gives_up_loses_to_the_nomad() -> None:
    desk = Desk()
    game = solo(desk)
    desk.leave(game, 0, "player 0")
    result = game.table.result
    assert result is not None
    assert [one.place for one in result.seats] == [2, 1]
    assert result.seats[0].reason == result_pb2.END_REASON_ABANDONED


def test_spectators_with_a_delay_see_the_nomads_turn_late_and_whole() -> None:
    desk = Desk()
    game = solo(desk, spectator_delay_ms=5000)
    late = game.delayed
    assert late is not None
    while game.table.turns < 2:  # the Nomad has had its first turn
        desk.answer(game)
    desk.advance(4999)
    assert late.info(desk.now).seq < game.table.seq
    desk.advance(1)
    assert late.info(desk.now).seq == game.table.seq


@pytest.mark.parametrize("kind", [SERVED, CLIENT])
def test_what_the_nomad_did_cannot_be_taken_back(kind: Any) -> None:
    desk = Desk()
    game = solo(desk, kind, undo_allowed=True)
    own = 0
    while game.table.status == RUNNING:
        if game.table.deciding_seat == 1:
            assert not game.table.can_undo(1)
            desk.answer(game)
            assert not game.table.can_undo(0)
            continue
        own += game.table.can_undo(0)
        turns = game.table.turns
        desk.answer(game)
        if game.table.turns != turns:
            assert not game.table.can_undo(0)
    assert own > 0, "within its own turn the player can"
