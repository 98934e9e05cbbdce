"""Games that are over leave memory and streams; polls are woken by a client's own games."""

from __future__ import annotations

from endless_winter.v1 import rejection_pb2, result_pb2
from tests.engine.desk import Desk, client

MOST_IN_MEMORY = 300


def test_ended_games_are_forgotten_and_found_again() -> None:
    desk = Desk()
    games = []
    for _ in range(MOST_IN_MEMORY + 50):
        game = desk.seated()
        desk.abort(game)
        games.append(game)
        assert len(desk.engine.games) <= MOST_IN_MEMORY
    held = desk.engine.lobby.seats[client("player 0")]
    assert {game_id for game_id, _ in held} == set(desk.engine.games)
    assert games[0].game_id not in desk.engine.games
    assert games[-1].game_id in desk.engine.games
    for game in games[:5]:
        result = desk.find(game).table.result
        assert result is not None
        assert result.outcome == result_pb2.GAME_OUTCOME_ABORTED
    assert len(desk.engine.games) <= MOST_IN_MEMORY


def test_an_ended_game_that_is_watched_is_not_forgotten() -> None:
    """Its stream has not read the end yet."""
    desk = Desk()
    game = desk.seated()
    stream = desk.stream("player 0")
    stream.attach(game, 0)
    stream.received()
    desk.abort(game)
    for _ in range(MOST_IN_MEMORY):
        desk.abort(desk.seated())
    assert desk.engine.games[game.game_id] is game
    assert any(report.update.HasField("result") for report in stream.received())


def test_a_game_that_is_over_is_sent_and_then_no_longer_attached() -> None:
    desk = Desk()
    game = desk.seated()
    stream = desk.stream("player 0")
    stream.attach(game, 0)
    stream.received()
    desk.abort(game)
    update, detached = stream.received()
    assert update.update.HasField("result")
    assert detached.detached.cause.reason == rejection_pb2.REJECTION_REASON_GAME_ENDED
    # Who wants to see the end once more can.
    stream.attach(game, 0)
    attached, update, detached = stream.received()
    assert attached.HasField("attached")
    assert update.update.HasField("result")
    assert detached.HasField("detached")


def test_a_poll_for_what_is_owed_is_woken_by_the_clients_own_games_alone() -> None:
    desk = Desk()
    mine: list[bool] = []
    others: list[bool] = []
    desk.engine.lobby.wait(client("player 0"), "one", lambda: mine.append(True))
    desk.engine.lobby.wait(client("somebody else"), "two", lambda: others.append(True))
    desk.seated()
    assert mine
    assert not others
