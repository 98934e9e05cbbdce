"""Rounds: what a command changes is committed before anything of it is sent, and only once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from endless_winter.engine.refusal import Refusal
from endless_winter.engine.table import ENDED
from endless_winter.store.errors import StoreError
from endless_winter.store.memory import MemoryStore
from endless_winter.v1 import decision_pb2
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as reasons
from tests.engine.desk import Desk, Stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from endless_winter.engine.game import Game
    from endless_winter.store.records import Append, Uptime


def test_a_game_is_played_to_its_end_by_defaults() -> None:
    desk = Desk()
    game = desk.running()
    while game.table.status != ENDED:
        desk.answer(game)
    assert desk.store.heads([game.game_id])[game.game_id].chain == game.chain


def test_a_retried_answer_gets_the_first_reply_also_after_a_restart() -> None:
    desk = Desk()
    game = desk.running()
    command = desk.answer_of(game, "first")
    first = desk.do(command)
    again = desk.answer_of(game, "first", seat=command.seat, decision_id=command.decision_id)
    again.message = command.message
    assert desk.do(again) == first
    desk.restart()
    assert desk.do(again) == first


def test_a_stale_answer_is_refused() -> None:
    desk = Desk()
    game = desk.running()
    stale = game.table.decision_id
    seat = game.table.deciding_seat
    desk.answer(game)
    with pytest.raises(Refusal) as refused:
        desk.do(desk.answer_of(game, seat=seat, decision_id=stale, take_default=True))
    assert refused.value.reason == reasons.REJECTION_REASON_STALE_DECISION


class Torn(MemoryStore):
    """A store that once commits only one game of a round, and then fails."""

    torn = ""

    def commit(
        self, appends: Sequence[Append], uptime: Uptime | None = None
    ) -> list[StoreError | None]:
        if not self.torn:
            return super().commit(appends, uptime)
        ours = [append for append in appends if append.game_id == self.torn]
        self.torn = ""
        self.after = self._fail
        return super().commit(ours)

    def _fail(self, _: Sequence[Append]) -> None:
        self.after = None
        raise StoreError("nobody knows")


def test_of_a_round_with_unknown_result_each_game_is_looked_at() -> None:
    """One was committed, another not: both get the true reply."""
    store = Torn()
    desk = Desk(store)
    stored, lost = desk.running(), desk.running()
    before = lost.table.decision_id
    store.torn = stored.game_id
    answers = [desk.answer_of(stored), desk.answer_of(lost)]
    desk.put(answers[0])
    with pytest.raises(Refusal) as refused:
        desk.do(answers[1])
    assert refused.value.reason == reasons.REJECTION_REASON_STORE_UNAVAILABLE
    assert lost.table.decision_id == before
    assert store.heads([stored.game_id])[stored.game_id].seq == stored.table.seq
    assert store.read(stored.game_id)[-1].kind == "choice"
    assert store.read(lost.game_id)[-1].kind != "choice"
    desk.answer(lost)
    desk.answer(stored)


# --- streams ---


class Counting(MemoryStore):
    """Notes the size of every round, and calls the test in the middle of a commit."""

    def __init__(self) -> None:
        super().__init__()
        self.rounds: list[int] = []
        self.before = lambda appends: self.rounds.append(len(appends))


def attached(desk: Desk, game: Game, seat: int | None = None) -> Stream:
    """The stream of the seat that is asked, or of another one; it has read everything."""
    seat = game.table.deciding_seat if seat is None else seat
    stream = desk.stream(f"player {seat}")
    stream.attach(game, seat)
    stream.received()
    return stream


def answer(game: Game, request_id: str = "") -> p.PlayCommand:
    table = game.table
    chosen = decision_pb2.Answer(decision_id=table.decision_id, option_id=0)
    return p.PlayCommand(
        request_id=request_id, game_id=game.game_id, seat=table.deciding_seat, answer=chosen
    )


def of(game: Game, **command: p.Detach | p.Undo | p.SetStandingAnswers | str) -> p.PlayCommand:
    return p.PlayCommand(game_id=game.game_id, seat=game.table.deciding_seat, **command)  # type: ignore[arg-type] # by name


def kinds(stream: Stream) -> list[str | None]:
    """The answers that a client was sent, without updates."""
    found: list[str | None] = [report.WhichOneof("report") for report in stream.received()]
    return [kind for kind in found if kind != "update"]


def test_answers_of_many_streams_are_one_commit_and_each_is_acknowledged() -> None:
    store = Counting()
    desk = Desk(store)
    games = [desk.running() for _ in range(5)]
    streams = [attached(desk, game) for game in games]
    store.rounds.clear()
    for game, stream in zip(games, streams, strict=True):
        stream.put(answer(game))
    desk.run()
    assert store.rounds == [5]
    for stream in streams:
        assert [report.WhichOneof("report") for report in stream.received()][:2] == [
            "accepted",
            "update",
        ]


def test_nothing_leaves_before_it_is_committed() -> None:
    """Neither to who answered nor to anybody else."""
    store = MemoryStore()
    desk = Desk(store)
    game = desk.running()
    asked = game.table.deciding_seat
    streams = [attached(desk, game, seat) for seat in (asked, 1 - asked)]
    eve = desk.stream("eve")
    eve.attach(game)
    eve.received()
    sent: list[int] = []
    store.before = lambda _: sent.append(sum(len(stream.received()) for stream in (*streams, eve)))
    streams[0].send(answer(game))
    assert sent == [0]
    assert all(stream.received() for stream in (*streams, eve))


def test_a_refused_command_of_a_round_concerns_no_other() -> None:
    desk = Desk()
    games = [desk.running(), desk.running()]
    wrong, right = [attached(desk, game) for game in games]
    wrong.put(answer(games[0], "r" * 200), answer(games[0]))  # longer than any id may be
    right.put(answer(games[1]))
    desk.run()
    assert kinds(wrong) == ["rejection", "accepted"]
    assert kinds(right) == ["accepted"]


def test_commands_of_a_game_keep_their_order() -> None:
    """One of them changes the game in a round; the others follow, also one that is a read."""
    desk = Desk()
    game = desk.running()
    stream = attached(desk, game)
    standing = p.SetStandingAnswers()
    undo = p.Undo(decision_id=game.table.decision_id)
    stream.send(
        of(game, undo=undo, request_id="there is nothing to undo"),
        of(game, set_standing_answers=standing),
        of(game, set_standing_answers=standing),
        answer(game),
        of(game, detach=p.Detach()),
        answer(game),
    )
    assert kinds(stream) == [
        "rejection",
        "accepted",
        "accepted",
        "accepted",
        "detached",
        "rejection",
    ]


def test_what_follows_an_attach_waits_until_the_game_is_loaded() -> None:
    desk = Desk()
    game = desk.running()
    desk.restart()
    stream = desk.stream(f"player {game.table.deciding_seat}")
    stream.received()
    attach = p.PlayCommand(game_id=game.game_id, seat=game.table.deciding_seat, attach=p.Attach())
    stream.send(attach, answer(game))
    assert kinds(stream) == ["attached", "accepted"]


def test_what_was_read_before_the_client_was_done_is_carried_out() -> None:
    desk = Desk()
    game = desk.running()
    stream = attached(desk, game)
    decision_id = game.table.decision_id
    stream.put(answer(game))
    stream.play.end()
    assert not stream.play.is_over()
    desk.run()
    assert kinds(stream) == ["accepted"]
    assert stream.play.is_over()
    assert game.table.decision_id > decision_id


def test_what_waits_when_the_stream_breaks_is_not_carried_out() -> None:
    """Nobody would get updates: a game is not attached to a stream that is gone."""
    desk = Desk()
    game = desk.running()
    stream = attached(desk, game)
    decision_id = game.table.decision_id
    stream.put(answer(game))
    stream.close()
    assert game.table.decision_id == decision_id
    assert not game.is_watched()


def test_who_does_not_say_hello_is_refused_once() -> None:
    desk = Desk()
    game = desk.running()
    rude = desk.stream("rude", hello=False)
    rude.send(answer(game))
    assert kinds(rude) == ["rejection"]
    assert rude.play.is_over()


def test_an_answer_without_a_seat_is_refused_and_its_sender_goes_on_watching() -> None:
    desk = Desk()
    game = desk.running()
    stream = desk.stream("ann")
    stream.attach(game)
    stream.received()
    stream.send(p.PlayCommand(game_id=game.game_id, answer=decision_pb2.Answer()))
    [report] = stream.received()
    assert report.rejection.reason == reasons.REJECTION_REASON_NOT_ATTACHED
    desk.answer(game)
    assert [one.update.seq for one in stream.received()] == [game.table.seq]


def test_a_stream_is_read_on_only_while_little_of_it_waits() -> None:
    desk = Desk()
    stream = desk.stream("pings")
    stream.received()
    for _ in range(10_000):
        if stream.play.is_full():
            break
        stream.put(p.PlayCommand(ping=p.Ping()))
    else:
        raise AssertionError("it is never full")
    desk.run()
    assert stream.play.is_full(), "replies that nobody reads count too"
    stream.received()
    assert not stream.play.is_full()


@pytest.mark.parametrize(("message_bytes", "messages"), [(1 << 20, 1), (2_000, 8)])
def test_a_message_has_all_that_is_ready_up_to_its_size(message_bytes: int, messages: int) -> None:
    desk = Desk(message_bytes=message_bytes)
    games = [desk.running() for _ in range(8)]
    stream = desk.stream("eve")
    stream.received()
    stream.send(*(p.PlayCommand(game_id=game.game_id, attach=p.Attach()) for game in games))
    found = []
    while raw := stream.play.compose(desk.now):
        found.append(p.PlayResponse.FromString(raw).reports)
    assert len(found) == messages
    reports = [report.WhichOneof("report") for message in found for report in message]
    assert reports == ["attached"] * 8 + ["update"] * 8


def test_a_repeated_request_gets_no_other_reply_while_the_store_is_away() -> None:
    """Also where it would change nothing: only the store knows what the first reply was."""
    desk = Desk()
    game = desk.seated()
    first = desk.ready(game, 0, "r")
    desk.set_standing(game, 1)
    with desk.full_disk():
        assert desk.ready(game, 0, "r") == first
