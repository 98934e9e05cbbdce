"""Long polls: what wakes those who wait, and what is not looked at for each of them."""

from __future__ import annotations

from functools import partial

from endless_winter.engine.table import ENDED
from tests.engine.desk import Desk, client


def test_who_waits_to_owe_something_is_woken_when_it_does_and_by_nothing_else() -> None:
    desk = Desk()
    game = desk.running()
    idle = 1 - game.table.deciding_seat
    lobby, who = desk.engine.lobby, client(f"player {idle}")
    woken: list[int] = []
    for number in range(3):
        lobby.wait(who, number, partial(woken.append, number))
    assert lobby.owes_nothing(who), "thousands of seats need not be looked at for each poll"
    while game.table.deciding_seat != idle:
        assert not woken
        desk.answer(game)
    assert woken == [0, 1, 2]
    assert not lobby.owes_nothing(who)
    desk.answer(game)
    assert woken == [0, 1, 2]


def test_who_gives_up_waiting_is_not_woken() -> None:
    desk = Desk()
    game = desk.seated()
    lobby, who = desk.engine.lobby, client("player 0")
    woken: list[str] = []
    for name in ("stays", "goes"):
        lobby.wait(who, name, partial(woken.append, name))
    lobby.done(who, "goes")
    desk.ready(game, 1)
    assert woken == ["stays"]


def test_an_update_of_a_game_wakes_only_the_polls_it_concerns() -> None:
    desk = Desk()
    game = desk.seated()
    woken: list[str] = []
    game.polls["next"] = (lambda: True, lambda: woken.append("next"))
    game.polls["end"] = (lambda: game.table.status == ENDED, lambda: woken.append("end"))
    desk.ready(game, 0)
    assert woken == ["next"]
    del game.polls["next"]
    desk.abort(game)
    assert woken == ["next", "end"]


def test_a_drain_wakes_everybody() -> None:
    desk = Desk()
    game = desk.running(spectator_delay_ms=1_000)
    woken: list[str] = []
    desk.engine.lobby.wait(client("player 0"), "list", lambda: woken.append("list"))
    assert game.delayed is not None
    for name, source in (("view", game), ("late", game.delayed)):
        source.polls[name] = (lambda: True, partial(woken.append, name))
    desk.engine.drain()
    assert woken == ["list", "view", "late"]
