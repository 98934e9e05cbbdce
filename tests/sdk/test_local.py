"""The local table: the same decisions and redacted views as a server sends."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from endless_winter.content import load_pack
from endless_winter.engine.table import ENDED
from endless_winter.rules import Config, Game
from endless_winter.sdk import (
    Bot,
    IllegalChoice,
    LocalTable,
    NotThisGame,
    Plan,
    play_local,
    seed_bytes,
)
from endless_winter.v1 import config_pb2, decision_pb2, result_pb2
from endless_winter.views import Scribe, Words, private_view, public_view, result_of
from tests.engine.desk import Desk
from tests.engine.test_plans import at_hand, course

if TYPE_CHECKING:
    from endless_winter.sdk import Decision, Option, Result, Table, View


def drawn(seed: int) -> random.Random:
    return random.Random(seed)


def played(table: LocalTable, rng: random.Random, choices: int) -> LocalTable:
    for _ in range(choices):
        if not table.over:
            table.play(rng.randrange(len(table.decision.options)))
    return table


@pytest.mark.parametrize("players", [2, 3, 4])
def test_each_seat_sees_what_the_reference_encoder_shows_it(players: int) -> None:
    pack = load_pack()
    words = Words(pack)
    config = Config(pack.tables, players)
    scribe = Scribe(words, config)
    game = Game.new(config, seed_bytes(7))
    table = LocalTable(players, seed=7)
    rng = drawn(players)
    number = 0
    while not table.over:
        number += 1
        decision = table.decision
        if number % 10 == 1:
            assert decision.raw.decision == scribe.decision(game, number)
            for seat in range(players):
                view = table.view(seat)
                assert view.public == public_view(words, game.position)
                assert view.private == private_view(words, game.position, seat)
                assert view.raw.public_view == view.public
        option = rng.choice(decision.options)
        game.apply(game.options()[option.id])
        table.play(option)
    result = table.result
    assert result is not None
    assert result.raw == result_of(game, decisions=number)


def test_a_view_stays_as_it_was_though_it_is_read_later() -> None:
    read_at_once = played(LocalTable(seed=3), drawn(1), 40)
    read_later = played(LocalTable(seed=3), drawn(1), 40)
    seen = read_at_once.view(0).raw
    unread = read_later.view(0)
    played(read_later, drawn(2), 30)
    assert unread.raw == seen
    assert read_later.view(0).raw != seen


def test_a_copy_goes_its_own_way() -> None:
    table = played(LocalTable(seed=5), drawn(1), 25)
    copy = table.copy()
    before = table.view(1).raw
    played(copy, drawn(2), 30)
    assert table.view(1).raw == before
    again = table.copy()
    played(table, drawn(2), 30)
    assert again.view(1).raw == before
    assert table.view(0).raw == copy.view(0).raw
    assert table.decision.raw == copy.decision.raw


def test_a_choice_is_an_option_its_text_or_its_id() -> None:
    tables = [LocalTable(seed=1) for _ in range(3)]
    while not tables[0].over:
        number = tables[0].decision.id % len(tables[0].decision.options)
        tables[0].play(tables[0].decision.options[number])
        tables[1].play(tables[1].decision.options[number].text)
        tables[2].play(number)
    results = [table.result for table in tables]
    assert results[0] is not None
    assert all(result is not None and result.raw == results[0].raw for result in results)


def test_a_wrong_choice_names_the_decision_and_what_it_offers() -> None:
    table = LocalTable(seed=1)
    decision = table.decision
    other = played(LocalTable(seed=1), drawn(1), 30).decision.options[-1]
    for wrong in (999, -1, "no such text", True, None, 1.0, other):
        with pytest.raises(
            IllegalChoice, match=f"decision 1 .{decision.kind_name}.*offers"
        ) as caught:
            table.play(wrong)  # type: ignore[arg-type]
        assert "\n" not in str(caught.value)
        assert decision.options[0].text in str(caught.value)
        assert decision.kind_name in str(caught.value)
    assert table.decision is decision


def test_the_decision_has_its_parts() -> None:
    table = LocalTable(seed=2)
    kinds = set()
    while not table.over:
        decision = table.decision
        kinds.add(decision.kind_name)
        assert [option.id for option in decision.options] == list(range(len(decision.options)))
        assert decision.default.is_default
        assert decision.option(decision.default.text) == decision.default
        assert decision.seat == table.seat
        assert decision.prompt.endswith("?")
        assert decision.seconds_left is None
        assert all(o.text and o.label and o.move.kind for o in decision.options)
        table.play(decision.options[-1] if decision.kind_name == "turn" else decision.default)
    assert {"chief_side", "turn", "act", "gain"} <= kinds


def test_the_view_has_its_parts() -> None:
    table = played(LocalTable(3, seed=4), drawn(4), 60)
    view = table.view(2)
    assert view.me.seat == 2
    assert [player.seat for player in view.opponents] == [0, 1]
    assert view.round == view.public.turn.round > 0
    assert view.info.game_id == table.game_id
    assert len(view.config.seats) == 3
    assert view.catalog.content_hash == view.info.content_hash
    spectator = table.view()
    assert spectator.public == view.public
    assert not spectator.raw.HasField("private_view")
    with pytest.raises(NotThisGame, match="spectator"):
        _ = spectator.private
    with pytest.raises(NotThisGame, match="spectator"):
        _ = spectator.me
    with pytest.raises(NotThisGame, match="no seat 3"):
        table.view(3)


def test_the_same_seed_is_the_same_game_and_stays_hidden() -> None:
    assert LocalTable(seed=9).view(0).raw == LocalTable(seed=seed_bytes(9)).view(0).raw
    assert LocalTable(seed=9).game_id == LocalTable(seed=9).game_id != LocalTable(seed=8).game_id
    assert LocalTable().game_id != LocalTable().game_id
    for wrong in (-1, 1 << 256, b"short"):
        with pytest.raises(NotThisGame, match="seed"):
            LocalTable(seed=wrong)


def test_a_configuration_brings_modules_and_drafts() -> None:
    config = config_pb2.GameConfig(
        seats=[
            config_pb2.SeatConfig(
                kind=config_pb2.SEAT_KIND_BOT, bot_name="mine", bot_options="bold"
            )
            for _ in range(3)
        ],
        setup_variant=config_pb2.SETUP_VARIANT_CHIEF_AND_SETUP_DRAFT,
        modules=config_pb2.ModuleConfig(rest_tokens=True),
    )
    table = LocalTable(config=config, seed=1)
    assert table.players == 3
    assert table.decision.kind_name == "chief"
    assert played(table, drawn(1), 20).view(0).public.HasField("rest_tokens")
    assert table.table(1).options == "bold"
    with pytest.raises(NotThisGame, match="2 to 4 seats"):
        LocalTable(config=config_pb2.GameConfig())
    with pytest.raises(NotThisGame, match="2 to 4 players"):
        LocalTable(players=7)
    with pytest.raises(NotThisGame, match=r"nowhere\.toml"):
        LocalTable(pack="nowhere.toml")


def test_a_table_that_is_over_says_so() -> None:
    table = LocalTable(seed=1)
    assert table.result is None
    while not table.over:
        table.play(table.decision.default)
    for question in (lambda: table.decision, lambda: table.seat, lambda: table.play(0)):
        with pytest.raises(NotThisGame, match="over"):
            question()


class Diary(Bot):
    """Writes down each call, and plays the last option."""

    diaries: list[Diary]

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.diaries.append(self)

    def started(self, table: Table) -> None:
        self.calls.append(f"started {table.seat} of {table.players} in {table.game_id}")

    def choose(self, decision: Decision, view: View) -> Option:
        assert decision.seat == view.seat == view.private.seat
        self.calls.append("chose")
        return decision.options[-1]

    def ended(self, result: Result) -> None:
        self.calls.append(f"ended {result.outcome}")


def test_a_class_gets_an_instance_per_seat_and_every_call() -> None:
    Diary.diaries = []
    result = play_local([Diary, Diary], seed=3)
    assert len(Diary.diaries) == 2
    for seat, diary in enumerate(Diary.diaries):
        assert diary.calls[0] == f"started {seat} of 2 in {result.game_id}"
        assert diary.calls[-1] == "ended completed"
        assert set(diary.calls[1:-1]) == {"chose"}
    chosen = sum(diary.calls.count("chose") for diary in Diary.diaries)
    assert chosen == result.raw.decisions


def test_a_result_says_who_won_and_why() -> None:
    rng = drawn(1)
    result = play_local([lambda d, _: rng.choice(d.options)] * 3, seed=11)
    assert result.completed
    assert result.winner == result.places.index(1)
    assert sorted(result.places) == [1, 2, 3]
    for seat in range(3):
        assert sum(result.categories(seat).values()) == result.scores[seat]
        assert result.reason(seat) == "normal"
    aborted = result_pb2.GameResult(outcome=result_pb2.GAME_OUTCOME_ABORTED)
    assert type(result)(aborted).winner is None


def test_what_a_bot_raises_is_raised() -> None:
    def broken(_: Decision, __: View) -> Option:
        raise RuntimeError("my own mistake")

    with pytest.raises(RuntimeError, match="my own mistake"):
        play_local([broken, broken], seed=1)
    with pytest.raises(IllegalChoice, match="no option 'nonsense'"):
        play_local([lambda _, __: "nonsense"] * 2, seed=1)
    with pytest.raises(NotImplementedError, match="Bot has no method choose"):
        play_local([Bot, Bot], seed=1)
    seats = [config_pb2.SeatConfig(), config_pb2.SeatConfig()]
    with pytest.raises(NotThisGame, match="3 bots for a game of 2"):
        play_local([broken] * 3, seed=1, config=config_pb2.GameConfig(seats=seats))


# --- plans ---


def test_a_plan_is_taken_at_a_local_table_as_by_a_server() -> None:
    ends = set()
    for seed in range(3):
        choices = drawn(seed)
        desk = Desk()
        game = desk.running(2, seed=seed_bytes(seed))
        table = LocalTable(2, seed=seed)
        while not table.over:
            texts = [*course(at_hand(game), choices, 6), "no such option"][:7]
            seat, before = table.seat, table.decisions
            table.play(Plan(*texts))
            accepted = desk.answer(game, text=texts[0], plan=texts[1:])
            assert (table.result is not None) == (game.table.status == ENDED)
            if table.result is not None:
                break
            assert table.decisions - before == accepted.plan_taken + 1
            ended = decision_pb2.PlanEnd.Name(accepted.plan_end)[len("PLAN_END_") :].lower()
            assert table.decision.plan_end == (ended if table.seat == seat else "")
            assert table.seat == game.table.deciding_seat
            ends.add(ended)
        assert table.result is not None
        assert game.table.result is not None
        assert table.result.scores == [one.score for one in game.table.result.seats]
    assert ends == {"no_such_option", "revealed", "not_your_decision", "new_turn"}


def test_a_plan_leaves_views_and_copies_of_before_as_they_are() -> None:
    table = LocalTable(2, seed=3)
    view, twin = table.view(0), table.copy()
    table.play(Plan(table.decision.default, "no such option"))
    assert view.raw == twin.view(0).raw
    assert twin.decision.plan_end == ""


def test_what_a_plan_holds_besides_texts_is_an_illegal_choice() -> None:
    table = LocalTable(2, seed=3)
    with pytest.raises(IllegalChoice, match="3 in a plan is no text"):
        Plan(table.decision.default, 3)  # type: ignore[arg-type] # what an author may write
    with pytest.raises(IllegalChoice, match="no option 99"):
        table.play(Plan(99, "end"))
    assert Plan(1, "end") == Plan(1, "end") != Plan(1)
    assert repr(Plan(1)) == "<Plan 1, then nothing>"
