"""Since the own last turn: what others did, what was done to the seat, which leads it lost."""

from __future__ import annotations

from endless_winter.sdk.since import LostLead, lost_leads, since_last_turn
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import event_pb2, ids_pb2, view_public_pb2


def event(**public: object) -> event_pb2.Event:
    return event_pb2.Event(public_event=event_pb2.PublicEvent(**public))  # type: ignore[arg-type]


def begins(seat: int) -> event_pb2.Event:
    return event(turn_started=event_pb2.TurnStarted(seat=seat, turn_number=1))


def ends(seat: int) -> event_pb2.Event:
    return event(turn_ended=event_pb2.TurnEnded(seat=seat))


def scores(seat: int, points: int) -> event_pb2.Event:
    return event(points_scored=event_pb2.PointsScored(seat=seat, points=points))


def camp(owner: int, by: int, to_hex: int) -> event_pb2.Event:
    moved = event_pb2.CampMoved(
        owner_seat=owner,
        by_seat=by,
        from_site=ids_pb2.CampSite(hex=1),
        to_site=ids_pb2.CampSite(hex=to_hex),
    )
    return event(camp_moved=moved)


def test_it_begins_where_the_own_turn_ended() -> None:
    own = [begins(0), scores(0, 1), ends(0)]
    theirs = [begins(1), scores(1, 2), ends(1), begins(2), camp(2, 2, 7), ends(2)]
    assert since_last_turn([*own, *theirs], 0).events == theirs


def test_in_the_own_turn_it_stays_as_it_was() -> None:
    theirs = [begins(1), scores(1, 2), ends(1)]
    now = [begins(0), scores(0, 1)]
    found = since_last_turn([begins(0), ends(0), *theirs, *now], 0)
    assert found.events == theirs
    found.take([ends(0)])
    assert found.events == []


def test_an_eclipse_turn_ends_with_the_next_turn_or_round() -> None:
    later = [scores(1, 3)]
    assert since_last_turn([begins(0), begins(1), *later], 0).events == later
    rounds = [begins(0), event(round_started=event_pb2.RoundStarted(round=2)), *later]
    assert since_last_turn(rounds, 0).events == later


def test_what_was_done_to_a_seat_is_what_changed_its_own_things() -> None:
    pushed = camp(0, 1, 7)
    food = event(
        resource_changed=event_pb2.ResourceChanged(seat=0, resource=enums.ICON_FOOD, change=-1)
    )
    others = [begins(1), camp(1, 1, 7), pushed, scores(1, 2), food, ends(1)]
    assert since_last_turn(others, 0).done_to_me == [pushed, food]
    assert since_last_turn(others, 2).done_to_me == []


def board(*influence: dict[int, int]) -> view_public_pb2.PublicView:
    hexes = [
        view_public_pb2.HexView(
            hex=number,
            influence=[ids_pb2.SeatCount(seat=seat, count=count) for seat, count in one.items()],
        )
        for number, one in enumerate(influence)
    ]
    return view_public_pb2.PublicView(terrain=view_public_pb2.TerrainView(hexes=hexes))


def test_a_lead_is_lost_where_somebody_has_more_now() -> None:
    before = board({0: 2, 1: 1}, {0: 1, 1: 1}, {0: 1, 1: 2}, {}, {0: 1})
    after = board({0: 2, 1: 4}, {0: 1, 1: 1}, {0: 1, 1: 3}, {1: 1}, {})
    assert lost_leads(before, after, 0) == [LostLead(0, 1, 4, 2)]
    assert lost_leads(before, after, 1) == []
