"""Presence: when a seat counts as there, for the limit on staying away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.v1 import clock_pb2, result_pb2
from tests.engine.desk import Desk, client

if TYPE_CHECKING:
    from endless_winter.engine.game import Game
    from tests.engine.desk import Stream

AWAY_MS = 30_000
GONE = result_pb2.END_REASON_DISCONNECTED


def limited(desk: Desk, limit_ms: int = AWAY_MS) -> tuple[Game, int]:
    """A running game with a limit on staying away, and the seat that owes a choice."""
    game = desk.running(time_control=clock_pb2.TimeControl(disconnect_limit_ms=limit_ms))
    return game, game.table.deciding_seat


def attached(desk: Desk, game: Game, seat: int, name: str = "") -> Stream:
    stream = desk.stream(name or f"player {seat}")
    stream.attach(game, seat)
    return stream


def forfeited(game: Game, seat: int) -> int:
    return game.table.seats[seat].forfeited


def gone_after(desk: Desk, game: Game, seat: int, milliseconds: int = AWAY_MS) -> bool:
    """Whether the seat is out after this time, and not before."""
    desk.advance(milliseconds - 1)
    before = forfeited(game, seat)
    desk.advance(1)
    return not before and forfeited(game, seat) == GONE


def test_who_owes_a_choice_and_stays_away_too_long_is_out() -> None:
    desk = Desk()
    game, seat = limited(desk)
    stream = attached(desk, game, seat)
    desk.advance(10**6)  # as long as it is there it may think
    assert not forfeited(game, seat)
    stream.close()
    desk.advance(AWAY_MS - 1)
    game.note_client_seen(client(f"player {seat}"), desk.now)  # a call about the game
    assert gone_after(desk, game, seat)
    assert game.table.deciding_seat == 1 - seat


def test_who_owes_nothing_may_stay_away() -> None:
    desk = Desk()
    game, _ = limited(desk)
    for _ in range(4):
        stream = attached(desk, game, game.table.deciding_seat)
        desk.advance(100_000)
        desk.answer(game)
        stream.close()
        desk.advance(20_000)
    assert not any(seat.forfeited for seat in game.table.seats)


def test_the_time_of_a_stalled_server_is_no_absence() -> None:
    desk = Desk()
    game, seat = limited(desk)
    desk.advance(60_000, stalled=True)
    assert gone_after(desk, game, seat)


def test_who_is_away_when_the_server_starts_has_the_whole_limit_to_come() -> None:
    desk = Desk()
    game, seat = limited(desk)
    desk.advance(AWAY_MS - 1)
    desk.restart()
    assert gone_after(desk, desk.find(game), seat)


def test_a_revoked_holder_who_does_not_read_is_not_the_next_one() -> None:
    desk = Desk()
    game, seat = limited(desk)
    unread = attached(desk, game, seat)
    desk.advance(10 * AWAY_MS)
    assert game.info(desk.now).seats[seat].connected
    desk.take_over(game, seat, "successor")
    assert not game.info(desk.now).seats[seat].connected
    desk.advance(AWAY_MS - 1)
    assert not forfeited(game, seat)
    assert unread.received()[-1].HasField("detached")  # read at last: no sign of its successor
    desk.advance(1)
    assert forfeited(game, seat) == GONE


def test_who_takes_a_seat_over_has_the_whole_limit_to_come() -> None:
    desk = Desk()
    game, seat = limited(desk)
    desk.advance(AWAY_MS - 1)
    desk.take_over(game, seat, "successor")
    desk.advance(AWAY_MS - 1)
    assert not forfeited(game, seat)
    attached(desk, game, seat, "successor")
    desk.advance(10 * AWAY_MS)
    assert not forfeited(game, seat)


def test_the_calls_of_a_revoked_holder_are_not_those_of_the_next_one() -> None:
    desk = Desk()
    game, seat = limited(desk)
    game.here.enter(client(f"player {seat}"))
    desk.take_over(game, seat, "successor")
    assert gone_after(desk, game, seat)


def test_a_call_about_all_games_counts_in_each_until_it_ends() -> None:
    desk = Desk()
    game, seat = limited(desk)
    other, _ = limited(desk)
    presence, who = desk.engine.lobby.presence, client(f"player {seat}")
    presence.enter(who)
    desk.advance(10 * AWAY_MS + 7)
    presence.leave(who)
    presence.note_seen(who, desk.ms)
    assert gone_after(desk, game, seat)
    assert forfeited(other, seat) == GONE


def test_however_short_the_limit_who_waits_is_not_looked_for_all_the_time() -> None:
    desk = Desk()
    game, seat = limited(desk, 500)
    game.here.enter(client(f"player {seat}"))
    rings, until = 0, desk.ms + 10_000
    while (due := desk.engine.timers.next_ms()) is not None and due <= until:
        desk.advance(due - desk.ms)
        rings += 1
    assert not forfeited(game, seat)
    assert rings <= 10


def test_a_change_at_one_seat_makes_nobody_else_forgotten() -> None:
    desk = Desk()
    game, seat = limited(desk)
    desk.advance(AWAY_MS - 1)
    desk.engine.lobby.presence.note_seen(client(f"player {seat}"), desk.ms)
    desk.take_over(game, 1 - seat, "successor")
    assert gone_after(desk, game, seat)


def test_who_holds_no_seat_any_more_is_not_remembered() -> None:
    desk = Desk()
    game, seat = limited(desk)
    presence, who = desk.engine.lobby.presence, client(f"player {seat}")
    presence.note_seen(who, desk.ms)
    assert presence.last_seen_ms(who) == desk.ms
    desk.take_over(game, seat, "successor")
    assert presence.last_seen_ms(who) < 0
