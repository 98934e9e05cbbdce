"""Events that the log has no words for, as those of a later module are: told by their fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.cli import replay_text
from endless_winter.sdk import LocalTable
from endless_winter.terminal import telling
from endless_winter.terminal.wording import fields, said
from endless_winter.v1 import event_pb2, ids_pb2, replay_pb2, view_public_pb2

if TYPE_CHECKING:
    import pytest

MOVED = event_pb2.Event(
    public_event=event_pb2.PublicEvent(mammoth_moved=event_pb2.MammothMoved(seat=0, juncture=0))
)
MIXED = event_pb2.Event(public_event=event_pb2.PublicEvent(fish_mixed=event_pb2.FishMixed(count=8)))


def test_the_table_says_who_and_where_even_if_both_are_0(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("mammoth_moved", "fish_mixed"):
        monkeypatch.delitem(telling._TOLD, kind)  # as if it were new
    teller = telling.Teller(LocalTable(2, seed=1).catalog, ("Ann", "You"))
    assert list(teller.lines([MOVED, MIXED])) == [
        telling.Line("Ann: mammoth moved, juncture 0", 0),
        telling.Line("fish mixed, count 8"),
    ]


def test_what_a_module_tells_in_its_own_words_is_told_in_them() -> None:
    teller = telling.Teller(LocalTable(2, seed=1).catalog, ("Ann", "You"))
    flown = event_pb2.ModuleEvent(module="ravens", name="flown", seat=0, text="the Raven\nflies")
    gone = event_pb2.ModuleEvent(module="ravens", name="gone", text="the Raven is gone")
    told = [event_pb2.PublicEvent(module_event=event) for event in (flown, gone)]
    assert list(teller.lines(event_pb2.Event(public_event=event) for event in told)) == [
        telling.Line("Ann: the Raven?flies", 0),
        telling.Line("the Raven is gone"),
    ]


def test_a_replay_says_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(replay_text._TEXTS, "mammoth_moved")  # as if it were new
    ((_, line),) = replay_text.Teller({}).lines([replay_pb2.ReplayFrame(seq=7, events=[MOVED])])
    assert line.endswith("  seat 0: mammoth moved, juncture 0")


def test_a_replay_tells_who_moved_a_camp_and_whose_it_was() -> None:
    """RAF-15: a raid is not the owner's own move."""
    start, end = ids_pb2.CampSite(hex=7), ids_pb2.CampSite(hex=8)
    for by, line in ((1, "seat 1: a Camp from"), (0, "seat 0 moves a Camp of seat 1 from")):
        moved = event_pb2.CampMoved(owner_seat=1, by_seat=by, from_site=start, to_site=end)
        event = event_pb2.Event(public_event=event_pb2.PublicEvent(camp_moved=moved))
        frame = replay_pb2.ReplayFrame(seq=7, events=[event])
        ((_, told),) = replay_text.Teller({}).lines([frame])
        assert told.endswith(f"  {line} hex 7 to hex 8")


def test_lists_and_messages_within_a_message_are_told_too() -> None:
    pile = event_pb2.RevealedPile(
        seat=1, labor_halves=3, cards=[ids_pb2.CardCount(card_id="hunter", count=2)]
    )
    told = event_pb2.PilesRevealed(piles=[pile, event_pb2.RevealedPile(seat=0)])
    assert said(fields(told)) == (
        "piles (seat 1, cards (card id hunter, count 2), labor halves 3)"
        " and (seat 0, labor halves 0)"
    )
    village = event_pb2.VillageBuilt(village=view_public_pb2.VillageView(seat=1))
    assert (
        said(fields(village)) == "village (seat 1, juncture 0, nomad token False), with raft False"
    )
