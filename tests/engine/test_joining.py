"""Joining: the same answer to the same request, one seat for one invitation, and who may come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from endless_winter.engine.creating import invitations_of
from endless_winter.engine.engine import MOST_REMEMBERED
from endless_winter.store.sqlite import SqliteStore
from endless_winter.v1 import config_pb2
from tests.engine.desk import Desk, client, refused

if TYPE_CHECKING:
    from pathlib import Path

    from endless_winter.engine.game import Game

OPEN = config_pb2.SEAT_KIND_OPEN
RESERVED = config_pb2.SEAT_KIND_RESERVED


def created(desk: Desk, *kinds: Any, **more: Any) -> tuple[Game, list[str]]:
    """A game with these seats, and the words for those that take one."""
    game = desk.create(kinds=kinds, **more)
    return game, [one.token for one in invitations_of(game)]


# --- the request id ---


def test_a_join_that_is_repeated_gets_the_seat_of_the_first_time() -> None:
    desk = Desk()
    game, _ = created(desk, OPEN, OPEN, OPEN)
    desk.join(game, 2, "ann")
    assert desk.join(game, 1, "ann", request_id="j") == 1
    assert desk.join(game, None, "bob", request_id="j") == 0  # its own id
    seq = game.table.seq
    for _ in range(2):
        assert desk.join(game, 1, "ann", request_id="j") == 1
        assert desk.join(game, None, "bob", request_id="j") == 0
        assert game.table.seq == seq
        for other in (0, 2, None):
            with refused("REQUEST_ID_REUSED"):
                desk.join(game, other, "ann", request_id="j")
        desk.restart()
        game = desk.find(game)


def test_a_join_that_changes_nothing_is_remembered_too() -> None:
    desk = Desk()
    game, _ = created(desk, OPEN, OPEN)
    desk.join(game, 1, "ann")
    seq = game.table.seq
    assert desk.join(game, None, "ann", request_id="j") == 1
    with refused("REQUEST_ID_REUSED"):
        desk.join(game, 0, "ann", request_id="j")
    desk.join(game, 0, "ann")
    assert desk.join(game, None, "ann", request_id="j") == 1
    assert game.table.seq == seq + 1


def test_a_late_retry_does_not_bring_anybody_back_to_a_seat() -> None:
    desk = Desk()
    game, _ = created(desk, OPEN, OPEN)
    desk.join(game, 1, "ann", request_id="j")
    desk.leave(game, 1, "ann")
    assert desk.join(game, 1, "ann", request_id="j") == 1
    assert not game.table.seats[1].holder
    assert desk.join(game, 1, "ann", request_id="k") == 1
    assert game.table.seats[1].holder == client("ann")


def test_who_says_ready_twice_gets_the_same_under_each_id() -> None:
    desk = Desk()
    game = desk.seated(3)
    first = desk.ready(game, 0, "one")
    desk.ready(game, 1)
    second = desk.ready(game, 0, "two")
    assert first != second
    desk.ready(game, 2)  # the game starts
    assert desk.ready(game, 0, "one") == first
    assert desk.ready(game, 0, "two") == second
    with refused("REQUEST_ID_REUSED"):
        desk.set_standing(game, 0, request_id="two")
    seq = game.table.seq
    desk.restart()
    game = desk.find(game)
    assert desk.ready(game, 0, "two") == second
    assert game.table.seq == seq


def test_requests_that_change_nothing_do_not_fill_the_store() -> None:
    desk = Desk()
    game = desk.running()
    for number in range(MOST_REMEMBERED + 5):
        assert desk.join(game, 0, "player 0", request_id=f"again {number}") == 0
    caller = desk.join_of(game, 0, "player 0", request_id="again 0").key(game)
    assert caller is not None
    answers = [
        desk.store.find_request(caller.caller, f"again {number}", game.game_id)
        for number in range(MOST_REMEMBERED + 5)
    ]
    assert sum(one is not None for one in answers) == MOST_REMEMBERED


# --- invitations ---


def test_an_invitation_binds_its_seat_to_who_holds_another() -> None:
    desk = Desk()
    game, words = created(desk, OPEN, RESERVED, RESERVED)
    assert desk.join(game, None, "ann") == 0
    for _ in range(2):  # and gives the same seat again
        assert desk.join(game, None, "ann", invitation=words[0]) == 1
        assert desk.join(game, 2, "ann", invitation=words[1]) == 2
    assert {seat.holder for seat in game.table.seats} == {client("ann")}
    assert desk.join(game, None, "ann") == 0
    with refused("SEAT_TAKEN"):
        desk.join(game, None, "bob", invitation=words[0])


def test_a_wrong_invitation_is_refused_to_who_holds_a_seat() -> None:
    desk = Desk()
    game, words = created(desk, OPEN, RESERVED)
    desk.join(game, 0, "ann")
    with refused("INVITATION_INVALID"):
        desk.join(game, None, "ann", invitation="x")
    assert desk.join(game, 0, "ann", invitation=words[0]) == 0  # it says which
    assert not game.table.seats[1].holder


def test_each_request_for_an_invitation_gets_its_own_word_again() -> None:
    desk = Desk()
    game, words = created(desk, OPEN, RESERVED)
    words += [desk.invite(game, 1, request_id=f"i{number}") for number in range(3)]
    assert len(set(words)) == 4
    words += [desk.rebind(game, 1, f"r{number}") for number in range(2)]
    desk.restart()
    game = desk.find(game)
    for word in words[:-1]:
        with refused("INVITATION_INVALID"):
            desk.join(game, None, "ann", invitation=word)
    for number in range(3):
        assert desk.invite(game, 1, request_id=f"i{number}") == words[1 + number]
    assert desk.join(game, None, "ann", invitation=words[-1]) == 1
    for number in range(2):  # also when it has been used
        assert desk.rebind(game, 1, f"r{number}") == words[4 + number]


def test_a_repeated_creation_gets_the_words_of_the_first_time() -> None:
    desk = Desk()
    game = desk.create(kinds=[OPEN, RESERVED], request_id="c")
    first = invitations_of(game)
    newer = desk.invite(game, 1)
    again = desk.create(kinds=[OPEN, RESERVED], request_id="c")
    assert again is game
    assert invitations_of(again) == first
    assert newer not in [one.token for one in first]


def test_nobody_gets_the_word_that_somebody_else_made_under_the_same_id() -> None:
    desk = Desk()
    game, _ = created(desk, OPEN, RESERVED)
    made = [
        desk.invite(game, 1, name, operator=operator, request_id="the same")
        for name, operator in (("op", True), ("host", False), ("op", True), ("host", False))
    ]
    assert made[:2] == made[2:]
    assert made[0] != made[1]


def test_an_invitation_that_is_replaced_before_it_is_used_is_void() -> None:
    desk = Desk()
    game, words = created(desk, OPEN, RESERVED)
    late = desk.join_of(game, 1, "bob", invitation=words[0])
    newer = desk.invite(game, 1)
    with refused("INVITATION_INVALID"):
        desk.do(late)
    assert desk.join(game, 1, "bob", invitation=newer) == 1


def test_an_invitation_cannot_be_made_from_what_another_game_revealed() -> None:
    """A creator can bring the same salt again, and it is public after the end of the first game."""
    desk = Desk()
    first, words = created(desk, OPEN, RESERVED)
    other, other_words = created(desk, OPEN, RESERVED, name="eve")
    same = desk.create(kinds=[OPEN, RESERVED], name="eve")
    assert first.identity.secret == other.identity.secret == same.identity.secret
    words = [*words, *other_words, *(one.token for one in invitations_of(same))]
    assert len(set(words)) == 3
    for word in words[1:]:
        with refused("INVITATION_INVALID"):
            desk.join(first, 1, "eve", invitation=word)


def test_the_store_keeps_no_word(tmp_path: Path) -> None:
    store = SqliteStore.open(tmp_path / "games.db")
    desk = Desk(store)
    game, words = created(desk, OPEN, RESERVED)
    words.append(desk.invite(game, 1, request_id="i"))
    desk.join(game, 1, "ann", request_id="j", invitation=words[-1])
    store.close()
    stored = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert game.game_id.encode() in stored
    assert not [word for word in words if word.encode() in stored]


# --- who was revoked ---


def test_who_was_revoked_from_a_seat_gets_another_that_is_free() -> None:
    desk = Desk()
    game, _ = created(desk, OPEN, OPEN)
    assert desk.join(game, None, "ann") == 0
    desk.revoke(game, 0)
    with refused("SEAT_REVOKED"):
        desk.join(game, 0, "ann")
    assert desk.join(game, None, "ann") == 1
    desk.revoke(game, 1)
    with refused("SEAT_REVOKED"):
        desk.join(game, None, "ann")
    for seat in range(2):
        assert desk.join(game, seat, "bob") == seat
    with refused("SEAT_TAKEN"):
        desk.join(game, None, "ann")


# --- seats of bots, and what is stored of a configuration ---


def bot_seat(name: str) -> list[config_pb2.SeatConfig]:
    return [
        config_pb2.SeatConfig(kind=OPEN),
        config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_BOT, bot_name=name),
    ]


def test_a_bots_seat_is_no_seat_for_others_and_its_name_one_that_a_bot_can_have() -> None:
    desk = Desk()
    with refused("INVALID_ARGUMENT") as why:
        desk.create(bot_seat("bad name!"))
    assert why.value.field == "config.seats[1].bot_name"
    game = desk.create(bot_seat("heuristic"))
    with refused("SEAT_TAKEN") as why:
        desk.join(game, 1, "bob")
    assert "for a bot" in why.value.message


def test_unknown_fields_are_not_stored_with_a_game() -> None:
    desk = Desk()
    unknown = bytes((0xFA, 0xFF, 0x7F, 100)) + b"x" * 100  # field 262,127: a hundred bytes
    seats = [config_pb2.SeatConfig.FromString(unknown), config_pb2.SeatConfig()]
    game = desk.create(seats)
    assert unknown not in game.info(desk.now).SerializeToString()
    record = desk.store.load(game.game_id)
    assert record is not None
    assert unknown not in record.header.config
    assert unknown not in b"".join(one.payload for one in desk.entries(game.game_id))


def test_a_creation_that_is_refused_leaves_the_count_of_its_creators_games_alone() -> None:
    desk = Desk(games_per_creator=1)
    desk.create(name="host", operator=True, game_id="mine", request_id="c")
    desk.create(name="host", operator=True, game_id="mine", request_id="c")
    with refused("ALREADY_EXISTS"):
        desk.create(name="host", operator=True, game_id="mine")
    with refused("LIMIT_REACHED"):
        desk.create(name="host")
