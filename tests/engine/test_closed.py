"""A closed game exists for those who take part in it, and for operators."""

from __future__ import annotations

from endless_winter.v1 import config_pb2, decision_pb2
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as reasons
from tests.engine.desk import Desk

CLOSED = config_pb2.VISIBILITY_CLOSED


def test_a_stream_finds_a_closed_game_only_if_its_client_takes_part() -> None:
    desk = Desk()
    game = desk.running(visibility=CLOSED)
    stranger = desk.stream("eve")
    for seat in (None, 0, 9):
        stranger.attach(game, seat)
    found = [one.rejection.reason for one in stranger.received()[1:]]
    assert found == [reasons.REJECTION_REASON_GAME_NOT_FOUND] * 3
    host = desk.stream("host")
    host.attach(game)
    assert host.received()[-1].rejection.reason == reasons.REJECTION_REASON_SPECTATORS_CLOSED
    player = desk.stream("player 0")
    player.attach(game, 0)
    assert any(one.HasField("attached") for one in player.received())


def test_nor_does_a_retry_find_one_that_has_ended() -> None:
    desk = Desk()
    game = desk.running(visibility=CLOSED)
    desk.abort(game, operator=True)
    stranger = desk.stream("eve")
    answer = decision_pb2.Answer(decision_id=6, take_default=True)
    stranger.send(p.PlayCommand(game_id=game.game_id, seat=0, request_id="r", answer=answer))
    rejection = stranger.received()[-1].rejection
    assert rejection.reason == reasons.REJECTION_REASON_GAME_NOT_FOUND


def test_on_a_stream_a_hidden_game_looks_like_none() -> None:
    desk = Desk()
    game = desk.running(visibility=CLOSED)
    standing = p.SetStandingAnswers()
    commands = [
        p.PlayCommand(answer=decision_pb2.Answer(decision_id=6, take_default=True)),
        p.PlayCommand(ready=p.Ready()),
        p.PlayCommand(undo=p.Undo(decision_id=6)),
        p.PlayCommand(set_standing_answers=standing),
        p.PlayCommand(attach=p.Attach()),
        p.PlayCommand(detach=p.Detach()),
    ]
    for command in commands:
        for request_id in ("", "r", "r" * 65):
            found = []
            for game_id in (game.game_id, "no-such-game"):
                stranger = desk.stream("eve")
                command.request_id, command.game_id, command.seat = request_id, game_id, 0
                stranger.send(command)
                found.append(stranger.received()[-1].rejection)
            assert found[0] == found[1], command
