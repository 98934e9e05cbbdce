"""Events as text: the same lines in the terminal and in replays, also for unknown events."""

from __future__ import annotations

import pytest

from endless_winter.content import load_pack
from endless_winter.rules import Config, Game
from endless_winter.sdk import LocalTable, category_label, category_name
from endless_winter.terminal import event_text
from endless_winter.terminal.canvas import Canvas
from endless_winter.terminal.event_text import EventText, Line, fields, fields_text, frame_lines
from endless_winter.terminal.panels.log import draw_result
from endless_winter.terminal.scene import Scene
from endless_winter.terminal.view_text import result_lines
from endless_winter.v1 import (
    enums_pb2,
    event_pb2,
    ids_pb2,
    replay_pb2,
    result_pb2,
    view_public_pb2,
)
from endless_winter.views import Words, happened, result_of

MOVED = event_pb2.Event(
    public_event=event_pb2.PublicEvent(mammoth_moved=event_pb2.MammothMoved(seat=0, juncture=0))
)
MIXED = event_pb2.Event(public_event=event_pb2.PublicEvent(fish_mixed=event_pb2.FishMixed(count=8)))


ANN_AND_YOU = ("Ann", "You").__getitem__


def terminal_text(event: event_pb2.PublicEvent) -> str:
    text = EventText(LocalTable(2, seed=1).catalog, ("You", "ben").__getitem__)
    lines = [line.text for line in text.lines([event_pb2.Event(public_event=event)])]
    return " / ".join(lines)


def replay_text(event: event_pb2.PublicEvent) -> str:
    frame = replay_pb2.ReplayFrame(seq=7, events=[event_pb2.Event(public_event=event)])
    lines = frame_lines([frame], LocalTable(2, seed=1).catalog)
    return " / ".join(line[17:] for _, line in lines)


def test_an_unknown_event_says_who_and_where_even_if_both_are_0(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for kind in ("mammoth_moved", "fish_mixed"):
        monkeypatch.delitem(event_text._TEXTS, kind)  # as if it were new
    text = EventText(LocalTable(2, seed=1).catalog, ANN_AND_YOU)
    assert list(text.lines([MOVED, MIXED])) == [
        Line("Ann: mammoth moved, juncture 0", 0),
        Line("fish mixed, count 8"),
    ]
    assert replay_text(MOVED.public_event) == "seat 0: mammoth moved, juncture 0"


def test_an_event_of_a_module_is_shown_by_its_sentence() -> None:
    text = EventText(LocalTable(2, seed=1).catalog, ANN_AND_YOU)
    flown = event_pb2.ModuleEvent(module="ravens", name="flown", seat=0, text="the Raven\nflies")
    gone = event_pb2.ModuleEvent(module="ravens", name="gone", text="the Raven is gone")
    events = [event_pb2.PublicEvent(module_event=event) for event in (flown, gone)]
    assert list(text.lines(event_pb2.Event(public_event=event) for event in events)) == [
        Line("Ann: the Raven?flies", 0),
        Line("the Raven is gone"),
    ]


def test_a_replay_says_who_moved_a_camp_and_whose_it_was() -> None:
    """RAF-15: a raid is not the owner's own move."""
    start, end = ids_pb2.CampSite(hex=7), ids_pb2.CampSite(hex=8)
    for by, line in (
        (1, "seat 1 moves a Camp from hex 7 to 8"),
        (0, "seat 0 moves a Camp from hex 7 to 8 (of seat 1)"),
    ):
        moved = event_pb2.CampMoved(owner_seat=1, by_seat=by, from_site=start, to_site=end)
        assert replay_text(event_pb2.PublicEvent(camp_moved=moved)) == line


def test_a_replay_has_a_line_for_steps_that_a_board_shows() -> None:
    for event, line in (
        (event_pb2.PublicEvent(turn_ended=event_pb2.TurnEnded(seat=1)), "seat 1 ends the turn"),
        (event_pb2.PublicEvent(choice_made=event_pb2.ChoiceMade(seat=1)), "seat 1 chooses"),
        (event_pb2.PublicEvent(), "Something that this version does not know"),
    ):
        assert replay_text(event) == line
        assert terminal_text(event) == ""


def test_lists_and_messages_within_a_message_are_shown_too() -> None:
    pile = event_pb2.RevealedPile(
        seat=1, labor_halves=3, cards=[ids_pb2.CardCount(card_id="hunter", count=2)]
    )
    revealed = event_pb2.PilesRevealed(piles=[pile, event_pb2.RevealedPile(seat=0)])
    assert fields_text(fields(revealed)) == (
        "piles (seat 1, cards (card id hunter, count 2), labor halves 3)"
        " and (seat 0, labor halves 0)"
    )
    village = event_pb2.VillageBuilt(village=view_public_pb2.VillageView(seat=1))
    assert (
        fields_text(fields(village))
        == "village (seat 1, juncture 0, nomad token False), with raft False"
    )


_THIRD = ids_pb2.IdolSource(track=enums_pb2.IDOL_TRACK_OFFERING, level=3)
_HUNT_BOTTOM = ids_pb2.SectionSource(
    space=enums_pb2.ACTION_SPACE_HUNT, section=enums_pb2.SECTION_BOTTOM
)
_SECOND_STONE = ids_pb2.BoardSource(kind=ids_pb2.BOARD_SPACE_KIND_STONE, space=2)
SOURCES = [
    (ids_pb2.Source(hex=7), "hex 7"),
    (ids_pb2.Source(card_id="elder"), "Elder"),
    (ids_pb2.Source(turn_order_place=2), "2nd in turn order"),
    (ids_pb2.Source(megalith=ids_pb2.MegalithSite(x=3, y=4)), "Megalith at 3,4"),
    (ids_pb2.Source(megalith=ids_pb2.MegalithSite(x=3, y=4, level=1)), "Megalith stack at 3,4"),
    (
        ids_pb2.Source(idol=ids_pb2.IdolSource(track=enums_pb2.IDOL_TRACK_OFFERING, level=3)),
        "Offering track, level 3",
    ),
    (ids_pb2.Source(section=_HUNT_BOTTOM), "Hunt, bottom section"),
    (ids_pb2.Source(section=ids_pb2.SectionSource(space=enums_pb2.ACTION_SPACE_REST)), "Rest"),
    (ids_pb2.Source(board=ids_pb2.BoardSource()), "player board"),
    (ids_pb2.Source(board=_SECOND_STONE), "Sacred Stone space 2"),
    (ids_pb2.Source(glacier_tokens_at_juncture=5), "Glacier tokens at juncture 5"),
    (ids_pb2.Source(rule_id="FIN-03"), "final scoring"),
    (ids_pb2.Source(rule_id="cairn"), "cairn"),
]


@pytest.mark.parametrize(("source", "words"), SOURCES)
def test_a_gain_is_shown_with_its_cause(source: ids_pb2.Source, words: str) -> None:
    gained = event_pb2.ResourceChanged(seat=1, resource=enums_pb2.ICON_FOOD, change=2, cause=source)
    event = event_pb2.PublicEvent(resource_changed=gained)
    assert terminal_text(event) == f"ben gains 2 Food ({words})"
    assert replay_text(event) == f"seat 1 gains 2 Food ({words})"


def test_points_have_the_category_names_of_the_result() -> None:
    for name, category in result_pb2.ScoreCategory.items():
        if category:
            label = category_label(category_name(category))
            scored = event_pb2.PointsScored(seat=1, points=2, category=category)
            scored.cause.hex = 7
            event = event_pb2.PublicEvent(points_scored=scored)
            assert terminal_text(event) == f"ben scores 2 points: {label} (hex 7)", name
            assert replay_text(event) == f"seat 1 scores 2 points: {label} (hex 7)", name


def test_final_scoring_has_a_line_for_each_category() -> None:
    """Every category of every seat, before the end; the lines add up to the result."""
    pack = load_pack()
    game = Game.new(Config(pack.tables), bytes(32), True)
    last: list[event_pb2.PublicEvent] = []
    while game.decision is not None:
        happening = game.apply(game.decision.default)
        last = [
            event_pb2.PublicEvent.FromString(one.public)
            for one in happened(Words(pack), game.position, happening)
        ]
    result = result_of(game)
    assert result is not None
    lines = [terminal_text(event) for event in last]
    replay = [replay_text(event) for event in last]
    found = 0
    for seat in result.seats:
        for part in seat.categories:
            name = category_name(part.category)
            if name.startswith("final_"):
                found += 1
                points = "1 point" if part.points == 1 else f"{part.points} points"
                scores = "You score" if seat.seat == 0 else "ben scores"
                label = category_label(name)
                assert f"{scores} {points}: {label} (final scoring)" in lines
                assert f"seat {seat.seat} scores {points}: {label} (final scoring)" in replay
    assert found > 2


def test_the_end_on_the_screen_and_in_plain_words_has_the_names_of_a_match() -> None:
    table = LocalTable(2, seed=5)
    scene = Scene.of(table.view(0))
    while not table.over:
        table.play(table.decision.default)
    result = table.result
    assert result is not None
    shown = scene.ended(result)
    canvas = Canvas(80, 24)
    draw_result(shown, canvas)
    words = "\n".join(result_lines(shown, result))
    names = {name for seat in (0, 1) for name in result.categories(seat)}
    assert "final_offering" in names
    for name in names:
        assert any(line.strip().startswith(category_label(name)) for line in canvas.lines())
        assert f"{category_label(name)} " in words
