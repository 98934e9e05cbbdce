"""The Mammoth (MAM): where it stands, all of which is public."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import options
from endless_winter.rules.modules.mammoth import (
    ACROSS_THE_CENTRE,
    DRIVE,
    DRIVING,
    DUE_TWICE,
    MAMMOTH,
    MAMMOTH_MOVED,
)
from endless_winter.rules.zones import EMPTY, ONE
from endless_winter.v1 import decision_pb2 as d
from endless_winter.v1 import event_pb2
from endless_winter.v1 import move_pb2 as m
from endless_winter.v1 import view_public_pb2 as v
from endless_winter.views import phrases
from endless_winter.views.plugin import ViewModule

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules.actions import Action
    from endless_winter.rules.state import Position
    from endless_winter.rules.tables import Tables
    from endless_winter.views.sampling.lexicon import Lexicon
    from endless_winter.views.words import Words


def _label(_: Tables, full: int) -> str:
    price = phrases.price(DRIVING.cost()) if options.verb_of(full) == DRIVE else "2 Camp moves"
    return f"Put the Mammoth on juncture {options.a_of(full)} for {price}"


def _juncture(full: int) -> m.JunctureChoice:
    return m.JunctureChoice(juncture=options.a_of(full))


class MammothView(ViewModule):
    field: int = v.PublicView.MAMMOTH_FIELD_NUMBER

    def labels(self) -> dict[int, Callable[[Tables, int], str]]:
        return {DRIVE: _label, MAMMOTH: _label}

    def moves(self) -> dict[int, Callable[[Words, int], m.Move]]:
        return {DRIVE: lambda _, full: m.Move(place_mammoth=_juncture(full))}

    def targets(self) -> dict[int, Callable[[Words, int], m.Target]]:
        return {MAMMOTH: lambda _, full: m.Target(mammoth=_juncture(full))}

    def actions(self) -> dict[int, Action]:
        return {DRIVE: DRIVING}

    def offers(self) -> dict[int, tuple[d.TurnAction.ValueType, str]]:
        return {DRIVE: (d.TURN_ACTION_PLACE_MAMMOTH, "put the Mammoth elsewhere")}

    def complete(self) -> tuple[int, ...]:
        return (DRIVE,)

    def events(
        self,
    ) -> dict[int, Callable[[Words, Position, int, int, int], list[event_pb2.PublicEvent]]]:
        return {
            MAMMOTH_MOVED: lambda _, __, seat, juncture, ___: [
                event_pb2.PublicEvent(
                    mammoth_moved=event_pb2.MammothMoved(seat=seat, juncture=juncture)
                )
            ]
        }

    def by_itself(self) -> tuple[int, ...]:
        return (MAMMOTH_MOVED,)

    def reasons(self) -> dict[int, tuple[str, Callable[[Words, int, int], str]]]:
        said = "Then the Mammoth goes across the centre from them, if nothing stands there"
        return {
            ACROSS_THE_CENTRE: ("MAM-03", lambda _, __, ___: said),
            DUE_TWICE: (
                "MAM-02",
                lambda _, hex_, __: f"With the Mammoth hex {hex_} gives it twice",
            ),
        }

    def faces(self, position: Position, index: int) -> int | None:
        state = position.module_state[index]
        return state[0] if state else None

    def view(self, _: Words, faces: int) -> v.MammothView:
        return v.MammothView(juncture=None if faces == EMPTY else faces)

    def read(self, _: Lexicon, view: v.PublicView, position: Position, index: int) -> None:
        seen = view.mammoth
        position.module_state[index] = ONE[seen.juncture if seen.HasField("juncture") else EMPTY]


VIEW: Final = MammothView()
