"""How many unfinished games a creator may have, and all creators of one network address."""

from __future__ import annotations

import pytest

from endless_winter.engine.caller import Caller
from endless_winter.engine.creating import CreateGame
from endless_winter.engine.creators import Creators
from endless_winter.engine.refusal import Refusal
from endless_winter.engine.settings import Settings
from endless_winter.store.records import Query
from endless_winter.v1 import game_service_pb2 as g
from tests.engine.desk import Desk, config, refused

ANN = Caller(b"ann", False)
BOB = Caller(b"bob", False)


def test_the_creators_of_one_address_have_so_many_unfinished_games_together() -> None:
    creators = Creators(Settings(games_per_creator=2, clients_per_peer=2))
    here = [Caller(bytes([number]), False, "here") for number in range(1, 6)]
    assert creators.enter("a", here[0])
    assert creators.enter("b", here[0])
    with pytest.raises(Refusal) as refused:
        creators.enter("c", here[0])
    assert refused.value.name == "LIMIT_REACHED"
    assert refused.value.message == "a creator has at most 2 unfinished games"
    assert creators.enter("c", here[1])
    assert creators.enter("d", here[2])
    with pytest.raises(Refusal) as refused:
        creators.enter("e", here[3])
    message = refused.value.message
    assert message == "all creators of one network address have at most 4 unfinished games"
    assert creators.enter("e", here[3]._replace(peer="elsewhere"))
    assert creators.enter("f", here[3]._replace(operator=True))
    creators.leave("d")
    assert creators.enter("d", here[4])
    for game_id in "abcdef":
        creators.leave(game_id)
        creators.leave(game_id)
    assert len(creators) == 0


def test_a_game_of_before_the_start_counts_for_its_creator_alone() -> None:
    creators = Creators(Settings(games_per_creator=1, clients_per_peer=1))
    creators.found("a", ANN.client)
    assert not creators.enter("a", BOB._replace(peer="here"))
    with pytest.raises(Refusal):
        creators.enter("b", ANN._replace(peer="here"))
    assert creators.enter("b", BOB._replace(peer="here"))
    with pytest.raises(Refusal):
        creators.enter("c", Caller(b"eve", False, "here"))


def test_behind_a_proxy_the_addresses_of_creators_are_not_looked_at() -> None:
    creators = Creators(Settings(games_per_creator=1, clients_per_peer=0))
    for number in range(100):
        assert creators.enter(str(number), Caller(bytes([number, 1]), False, "here"))


def test_games_that_are_created_in_one_round_all_count() -> None:
    desk = Desk(games_per_creator=3)
    commands = [
        CreateGame(
            g.CreateGameRequest(config=config()),
            desk.asked("host"),
            f"game-{number}",
            f"player-{number}",
            bytes(32),
            bytes(32),
        )
        for number in range(9)
    ]
    desk.put(*commands)
    desk.run()
    assert len(desk.store.list_games(Query(everything=True)).games) == 3


def test_a_game_that_could_not_be_created_does_not_count() -> None:
    desk = Desk(games_per_creator=1)
    with desk.full_disk():
        for _ in range(3):
            with refused("STORE_UNAVAILABLE"):
                desk.create()
    desk.create()
    with refused("LIMIT_REACHED"):
        desk.create()
