"""A turn in one answer: the texts of a plan are taken one by one, together with the choice."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.engine import draft as drafts
from endless_winter.engine import table as tables
from endless_winter.engine.commands import MOST_PLAN_TEXTS
from endless_winter.engine.refusal import Refusal
from endless_winter.engine.replay.verifying import verify
from endless_winter.engine.table import ENDED, RUNNING, position_hash
from endless_winter.rules.fingerprint import fingerprint
from endless_winter.store.errors import StoreError
from endless_winter.v1 import clock_pb2, decision_pb2, event_pb2
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.views.plans import end_of_plan
from tests.engine.desk import PACK, Desk, refused
from tests.engine.state import state_of
from tests.engine.test_conflict import writers
from tests.engine.twins import Server, name_of
from tests.rules.walk import ALL, EXTRAS, RIVERS, SOLO, Choices, walk
from tests.views.redaction import twin_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from endless_winter import rules
    from endless_winter.engine.game import Game
    from endless_winter.rules.state import Event

NOT_ENDED = decision_pb2.PLAN_END_UNSPECIFIED
NO_SUCH_OPTION = decision_pb2.PLAN_END_NO_SUCH_OPTION
REVEALED = decision_pb2.PLAN_END_REVEALED
NEW_TURN = decision_pb2.PLAN_END_NEW_TURN
NOT_YOURS = decision_pb2.PLAN_END_NOT_YOUR_DECISION
WRONG = "no option of any decision"


def at_hand(game: Game) -> rules.Game:
    """The position, to be played on apart from the game."""
    assert game.table.game is not None
    return game.table.game.copy()


def course(game: rules.Game, choices: Random, most: int = MOST_PLAN_TEXTS + 1) -> list[str]:
    """What the deciding seat may choose next, as long as it decides, whatever comes to light."""
    ahead = game.copy()
    seat = ahead.position.agenda[-1][1]
    found: list[str] = []
    while len(found) < most and ahead.options() and ahead.position.agenda[-1][1] == seat:
        code = choices.choice(ahead.options())
        found.append(ahead.text(code))
        ahead.apply(code)
    return found


def quiet_course(game: rules.Game, choices: Random) -> list[str]:
    """The same, up to the last choice that leads to a question of the same turn."""
    ahead = game.copy()
    ahead.listen()
    seat = ahead.position.agenda[-1][1]
    found: list[str] = []
    while True:
        code = choices.choice(ahead.options())
        text = ahead.text(code)
        if end_of_plan(ahead.apply(code), ahead.position, seat):
            return found
        found.append(text)


def planned(game: Game, least: int = 3) -> list[str]:
    """Texts that are all taken, and after which the seat is asked again; empty: not here."""
    for number in range(50):
        found = quiet_course(at_hand(game), Random(number))
        if len(found) >= least:
            return found
    return []


def with_a_plan(desk: Desk, **more: Any) -> tuple[Game, list[str]]:
    """A game in which a seat can make a plan of three texts or more."""
    game = desk.running(**more)
    desk.play(game, Random(1), until=lambda game: bool(planned(game)))
    return game, planned(game)


def send(desk: Desk, game: Game, texts: list[str], request_id: str = "") -> p.Accepted:
    return desk.answer(game, request_id, text=texts[0], plan=texts[1:])


# --- what is taken ---


def test_a_plan_is_taken_with_its_answer_one_entry_for_each_text() -> None:
    desk = Desk()
    game, texts = with_a_plan(desk)
    seat, seq = game.table.deciding_seat, game.table.seq
    accepted = send(desk, game, texts, "plan")
    assert (accepted.seq, accepted.text) == (seq + 1, texts[0])
    assert (accepted.plan_taken, accepted.plan_end) == (len(texts) - 1, NOT_ENDED)
    assert game.table.seq == game.table.decision_id == seq + len(texts)
    assert game.table.deciding_seat == seat
    entries = [entry.choice for entry in desk.log(game)[seq:]]
    assert [entry.text for entry in entries] == texts
    assert [entry.decision_id for entry in entries] == list(range(seq, seq + len(texts)))
    assert {entry.request_id for entry in entries} == {"plan"}


def test_games_with_plans_are_those_of_single_answers_and_verify() -> None:
    for seed in range(4):
        choices = Random(seed)
        desk, other = Desk(), Desk()
        game, single = desk.running(3, undo_allowed=True), other.running(3, undo_allowed=True)
        answers = 0
        ends = set()
        while game.table.status == RUNNING:
            texts = course(at_hand(game), choices)
            accepted = send(desk, game, texts[: MOST_PLAN_TEXTS + 1])
            ends.add(accepted.plan_end)
            answers += 1
            for text in texts[: accepted.plan_taken + 1]:
                other.answer(single, text=text)
            assert state_of(game.table) == state_of(single.table)
        assert answers < game.table.choices * 0.7
        assert ends >= {NOT_ENDED, REVEALED}
        assert verify(desk.record(game), PACK).line() == ""
        desk.restart()
        again = desk.find(game)
        assert state_of(again.table) == state_of(game.table)


def test_the_time_of_a_plan_is_charged_to_its_first_choice() -> None:
    desk = Desk()
    control = clock_pb2.TimeControl(bank_ms=1_000_000)
    game, texts = with_a_plan(desk, time_control=control)
    seat, seq = game.table.deciding_seat, game.table.seq
    bank = game.table.seats[seat].bank_ms
    desk.advance(700)
    accepted = send(desk, game, texts)
    assert accepted.timing.charged_ms == 700
    entries = [entry.choice for entry in desk.log(game)[seq:]]
    assert [entry.timing.charged_ms for entry in entries] == [700] + [0] * (len(texts) - 1)
    assert bank is not None
    assert game.table.seats[seat].bank_ms == bank - 700


def test_undo_takes_back_one_text_of_a_plan_at_a_time() -> None:
    desk = Desk()
    game, texts = with_a_plan(desk, undo_allowed=True)
    seat = game.table.deciding_seat
    ahead = at_hand(game)
    positions = []
    for text in texts:
        positions.append(fingerprint(ahead.position))
        ahead.apply(ahead.parse(text))
    send(desk, game, texts)
    for position in reversed(positions):
        desk.undo(game, seat)
        assert position_hash(game.table) == position


def test_standing_answers_are_taken_between_the_texts_of_a_plan() -> None:
    """A text answers what the seat would be asked, and that is never of a standing kind."""
    desk = Desk()
    game = desk.running()
    pile = decision_pb2.DECISION_KIND_ECLIPSE_PILE
    for seat in (0, 1):
        desk.set_standing(game, seat, pile)
    choices = Random(5)
    standing = 0
    while game.table.status == RUNNING:
        seq = game.table.seq
        accepted = send(desk, game, course(at_hand(game), choices, 8))
        entries = [entry.choice for entry in desk.log(game)[seq:] if entry.HasField("choice")]
        taken = [entry for entry in entries if not entry.by_standing_answer]
        assert len(taken) == accepted.plan_taken + 1
        standing += len(entries) - len(taken)
    assert standing


# --- what ends a plan ---


def prompt_of(desk: Desk, game: Game) -> decision_pb2.Prompt:
    """The pending question, as a stream of its seat gets it."""
    seat = game.table.deciding_seat
    stream = desk.stream(f"player {seat}")
    stream.attach(game, seat)
    (update,) = [one.update for one in stream.received() if one.HasField("update")]
    stream.close()
    return update.prompt


def test_the_first_text_that_is_no_option_ends_the_plan_and_the_question_says_so() -> None:
    desk = Desk(wrong_answers_to_forfeit=1)
    game, texts = with_a_plan(desk)
    accepted = send(desk, game, [*texts[:2], WRONG, texts[2]])
    assert (accepted.plan_taken, accepted.plan_end) == (1, NO_SUCH_OPTION)
    asked = prompt_of(desk, game)
    assert asked.decision.decision_id == accepted.seq + 1
    assert asked.plan_end == NO_SUCH_OPTION
    assert asked.wrong_answers_left == 1  # it is no wrong answer
    desk.answer(game, text=texts[2])
    if game.table.deciding_seat >= 0:
        assert prompt_of(desk, game).plan_end == NOT_ENDED


def test_what_comes_to_light_another_seat_a_turn_or_the_end_ends_a_plan() -> None:
    met: dict[int, int] = {}
    for seed in range(6):
        choices = Random(seed)
        desk = Desk()
        game = desk.running(1 + seed % 3 + 1)
        while game.table.status == RUNNING:
            seat = game.table.deciding_seat
            reveals, turns = game.table.reveals, game.table.turns
            accepted = send(desk, game, [*course(at_hand(game), choices, 6), WRONG])
            table, end = game.table, accepted.plan_end
            met[end] = met.get(end, 0) + 1
            assert (end == REVEALED) == (table.reveals > reveals)
            if end == NEW_TURN:
                assert table.turns > turns
            if end == NOT_YOURS:
                assert table.deciding_seat != seat or table.status == ENDED
            if end == NO_SUCH_OPTION:
                assert (table.deciding_seat, table.turns) == (seat, turns)
            if table.status == RUNNING and table.deciding_seat == seat:
                assert prompt_of(desk, game).plan_end == end
    assert min(met[REVEALED], met[NOT_YOURS], met[NO_SUCH_OPTION]) > 20


def test_a_late_answer_takes_nothing_of_its_plan() -> None:
    desk = Desk()
    control = clock_pb2.TimeControl(decision_limit_ms=500)
    game, texts = with_a_plan(desk, time_control=control)
    late = desk.answer_of(game, text=texts[0], plan=texts[1:])
    desk.ms += 501  # its time-out has not come yet
    late.asked = late.asked._replace(now=desk.now)
    seq = game.table.seq
    with refused("TOO_LATE"):
        desk.do(late)
    entries = [entry.choice for entry in desk.log(game)[seq:]]
    assert [entry.origin for entry in entries] == [event_pb2.CHOICE_ORIGIN_CLOCK]


def test_a_plan_that_is_too_long_is_refused_whole() -> None:
    desk = Desk()
    game, texts = with_a_plan(desk)
    seq = game.table.seq
    with refused("TOO_LARGE") as why:
        send(desk, game, [texts[0], *[texts[1]] * (MOST_PLAN_TEXTS + 1)])
    assert why.value.field == "plan"
    assert game.table.seq == seq
    send(desk, game, [texts[0], *[WRONG] * MOST_PLAN_TEXTS])


def test_the_choice_itself_must_fit_for_its_plan_to_be_looked_at() -> None:
    desk = Desk()
    game, texts = with_a_plan(desk)
    seq = game.table.seq
    with refused("ILLEGAL_OPTION"):
        send(desk, game, [WRONG, *texts])
    assert game.table.seq == seq


# --- commits ---


def test_a_retried_plan_gets_its_first_answer_also_after_a_restart() -> None:
    desk = Desk()
    game, texts = with_a_plan(desk)
    decision = game.table.decision_id
    first = send(desk, game, [*texts, WRONG], "plan")
    seq = game.table.seq

    def again(*plan: str) -> p.Accepted:
        known = desk.find(game)
        return desk.answer(known, "plan", decision_id=decision, text=texts[0], plan=plan)

    assert again(*texts[1:], WRONG) == first
    desk.restart()
    assert again(*texts[1:], WRONG) == first
    with refused("REQUEST_ID_REUSED"):
        again(*texts[1:])
    assert desk.find(game).table.seq == seq


def test_a_plan_that_cannot_be_committed_has_not_happened() -> None:
    desk = Desk()
    game, texts = with_a_plan(desk)
    before = state_of(game.table)
    with desk.full_disk(), pytest.raises((Refusal, StoreError)):
        send(desk, game, texts, "plan")
    assert state_of(game.table) == before
    assert send(desk, game, texts, "plan").plan_taken == len(texts) - 1


def test_nothing_of_a_plan_is_done_after_another_writer_was_first() -> None:
    mine, game, other, same = writers()
    mine.play(game, Random(1), until=lambda game: bool(planned(game)))
    other.load(game.game_id)
    texts = planned(game)
    late = mine.answer_of(game, text=texts[0], plan=texts[1:])
    other.answer(same)
    with refused("STALE_DECISION"):
        mine.do(late)
    assert game.table.seq == same.table.seq


def test_a_plan_comes_in_one_update_with_the_events_of_each_text() -> None:
    desk = Desk()
    game, texts = with_a_plan(desk)
    seq = game.table.seq
    viewers = [desk.stream(f"player {seat}") for seat in (0, 1)]
    for seat, stream in enumerate(viewers):
        stream.attach(game, seat)
        stream.received()
    send(desk, game, texts)
    for stream in viewers:
        (report,) = stream.received()
        made = [one for one in report.update.events if one.public_event.HasField("choice_made")]
        assert [one.seq for one in made] == list(range(seq + 1, seq + 1 + len(texts)))


# --- nothing hidden shows ---

SMALL = (0, 1, 2, 10, 13, 20, 28, *SOLO[:2], *EXTRAS[:2], *RIVERS[:2], *ALL[:2])


def dealt(game: rules.Game) -> bool:
    return game.decision is not None and game.position.round > 0


def answered(game: rules.Game, texts: list[str]) -> tuple[int, int]:
    """How many texts are taken of a plan, and why no more."""
    server = Server(game)
    seat = game.position.agenda[-1][1]
    accepted = server.desk.answer(
        server.game, seat=seat, name=name_of(seat), text=texts[0], plan=texts[1:]
    )
    return accepted.plan_taken, accepted.plan_end


def plans_show_nothing(numbers: Iterable[int], share: float) -> int:
    """In two games that its seat cannot tell apart, as much of a plan is taken; how often."""
    compared = 0
    for number in numbers:
        choices = Choices(f"plans {number}")
        for step, game in enumerate(walk(number)):
            if not dealt(game) or choices.random() > share:
                continue
            seat = game.position.agenda[-1][1]
            texts = course(game, choices, 8)  # as if it knew what will come to light
            twin = twin_of(game, seat, choices)
            assert answered(game, texts) == answered(twin, texts), f"walk {number}, step {step}"
            compared += 1
    return compared


def test_how_much_of_a_plan_is_taken_shows_nothing_hidden() -> None:
    assert plans_show_nothing(SMALL, 0.06) > 100


@pytest.mark.skipif(not str(drafts.__file__).endswith(".py"), reason="the engine is compiled")
def test_a_plan_that_went_on_after_a_reveal_would_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(event: Event) -> bool:
        del event
        return False

    monkeypatch.setattr(tables, "is_revealing", nothing)
    with pytest.raises(AssertionError, match="walk"):
        plans_show_nothing(SMALL, 0.3)
