"""What happens on the river, in the words of the log."""

from __future__ import annotations

import pytest

from endless_winter.sdk import LocalTable
from endless_winter.terminal.event_text import EventText
from endless_winter.v1 import event_pb2, ids_pb2, move_pb2, result_pb2, view_public_pb2


def line_of(event: event_pb2.PublicEvent) -> str:
    names = ("You", "Ann").__getitem__
    text = EventText(LocalTable(2, seed=1).catalog, names, (15, 5, 0, 2, 9))
    (line,) = text.lines([event_pb2.Event(public_event=event)])
    return line.text


def raft(seat: int, start: int, end: int) -> event_pb2.PublicEvent:
    move = move_pb2.RaftMove(from_river_place=start, to_river_place=end)
    return event_pb2.PublicEvent(raft_moved=event_pb2.RaftMoved(seat=seat, move=move))


def camp(seat: int, start: ids_pb2.CampSite, end: ids_pb2.CampSite) -> event_pb2.PublicEvent:
    return event_pb2.PublicEvent(
        camp_moved=event_pb2.CampMoved(by_seat=0, owner_seat=seat, from_site=start, to_site=end)
    )


BASE = ids_pb2.CampSite(starting_base_of_seat=0)
BOARD = ids_pb2.CampSite(board_of_seat=0)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (raft(0, 0, 3), "You move the Raft downriver to hex 0"),
        (raft(1, 5, 6), "Ann moves the Raft downriver to the Delta"),
        (raft(1, 3, 2), "Ann moves the Raft upriver to hex 5"),
        (raft(0, 4, 0), "Your Raft returns to the Headwaters"),
        (raft(1, 4, 0), "The Raft of Ann returns to the Headwaters"),
        (camp(0, BOARD, BASE), "You place a Camp on the Starting Base"),
        (
            camp(0, BASE, ids_pb2.CampSite(hex=7)),
            "You move a Camp from the Starting Base to hex 7",
        ),
        (
            camp(1, ids_pb2.CampSite(hex=4), ids_pb2.CampSite(hex=5)),
            "You move a Camp from hex 4 to 5 (of Ann)",
        ),
        (
            event_pb2.PublicEvent(
                starting_base_placed=event_pb2.StartingBasePlaced(
                    starting_base=view_public_pb2.StartingBaseView(
                        seat=1, first_hex=7, second_hex=18
                    )
                )
            ),
            "Ann attaches the Starting Base at the hexes 7 and 18",
        ),
        (
            event_pb2.PublicEvent(
                fish_drawn=event_pb2.FishDrawn(token_id="great_sturgeon", pool_refilled=True)
            ),
            "You catch Great Sturgeon; the discarded Fish are mixed again",
        ),
        (
            event_pb2.PublicEvent(
                village_built=event_pb2.VillageBuilt(
                    village=view_public_pb2.VillageView(juncture=4, seat=0), with_raft=True
                )
            ),
            "You build a Village at juncture 4 with the Raft",
        ),
        (
            event_pb2.PublicEvent(
                setup_chosen=event_pb2.SetupChosen(
                    landmark=move_pb2.LandmarkChoice(hex=6, landmark_id="tree")
                )
            ),
            "The Landmark on hex 6: Tree",
        ),
        (
            event_pb2.PublicEvent(
                points_scored=event_pb2.PointsScored(
                    seat=0,
                    points=3,
                    category=result_pb2.SCORE_CATEGORY_RAFTS,
                    cause=ids_pb2.Source(raft_of_seat=0),
                )
            ),
            "You score 3 points: Rafts",
        ),
        (
            event_pb2.PublicEvent(
                points_scored=event_pb2.PointsScored(
                    seat=0,
                    points=4,
                    category=result_pb2.SCORE_CATEGORY_LANDMARKS,
                    cause=ids_pb2.Source(landmark_id="volcano"),
                )
            ),
            "You score 4 points: Landmarks (Volcano)",
        ),
    ],
)
def test_what_happens_on_the_river_has_a_line(event: event_pb2.PublicEvent, words: str) -> None:
    assert line_of(event) == words
