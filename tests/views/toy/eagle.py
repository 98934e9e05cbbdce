"""The Eagle, a module that no box holds: what it would show.

A module brings fields of move and view along. A test cannot, so the Eagle borrows the Mammoth's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import agenda, options
from endless_winter.rules.zones import EMPTY
from endless_winter.v1 import catalog_pb2, ids_pb2, view_private_pb2
from endless_winter.v1 import event_pb2 as e
from endless_winter.v1 import move_pb2 as m
from endless_winter.v1 import view_public_pb2 as v
from endless_winter.views.plugin import Asked, ViewModule
from tests.views.toy.rules import ASKED, EGGS, PERCH, PERCHED

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from endless_winter.rules.state import Frame, Position
    from endless_winter.rules.tables import Tables
    from endless_winter.views.sampling.lexicon import Lexicon
    from endless_winter.views.words import Words

RULE: Final = "EGL-01"


def _eggs(eggs: bytes) -> list[ids_pb2.CardCount]:
    return [ids_pb2.CardCount(card_id="egg", count=number) for number in eggs]


class EagleView(ViewModule):
    field: int = v.PublicView.MAMMOTH_FIELD_NUMBER

    def decisions(self) -> dict[int, Asked]:
        return {ASKED: Asked(RULE, "Where does the Eagle perch?")}

    def rules(self) -> dict[str, str]:
        return {RULE: "The Eagle perches where you say."}

    def labels(self) -> dict[int, Callable[[Tables, int], str]]:
        return {PERCH: lambda _, full: f"Let the Eagle perch on juncture {options.a_of(full)}"}

    def moves(self) -> dict[int, Callable[[Words, int], m.Move]]:
        return {
            PERCH: lambda _, full: m.Move(
                place_mammoth=m.JunctureChoice(juncture=options.a_of(full))
            )
        }

    def complete(self) -> tuple[int, ...]:
        return (PERCH,)

    def sentences(self) -> dict[int, str]:
        return {PERCHED: "the Eagle perches on juncture {0}"}

    def secrets(self) -> dict[int, Callable[[Words, bytes], e.PrivateEvent]]:
        return {PERCHED: lambda _, eggs: e.PrivateEvent(card_faces=e.CardFaces(cards=_eggs(eggs)))}

    def private(
        self, words: Words, position: Position, index: int, seat: int
    ) -> view_private_pb2.PrivateView | None:
        eggs = position.module_state[index][1:]
        return None if seat else view_private_pb2.PrivateView(fresh=_eggs(eggs))

    def fill_catalog(self, words: Words, catalog: catalog_pb2.Catalog) -> None:
        catalog.tokens.add(item=catalog_pb2.ItemInfo(id="an_eagle", name="Eagle", copies=1))

    def faces(self, position: Position, index: int) -> int | None:
        state = position.module_state[index]
        return state[0] if state else None

    def view(self, words: Words, faces: int) -> v.MammothView:
        return v.MammothView(juncture=None if faces == EMPTY else faces)

    def last_choices(self, view: v.PublicView, position: Position, index: int) -> list[Frame]:
        return [
            (agenda.MODULE, item.seat, index, bytes((ASKED,)))
            for item in view.turn.agenda
            if item.source.rule_id == RULE
        ]

    def read(self, lexicon: Lexicon, view: v.PublicView, position: Position, index: int) -> int:
        seen = view.mammoth
        perch = seen.juncture if seen.HasField("juncture") else EMPTY
        if view.HasField("mammoth"):
            position.module_state[index] = bytes((perch, 0))
        return perch

    def deal(self, position: Position, index: int, unseen: int, rng: Random) -> None:
        if position.module_state[index]:
            position.module_state[index] = bytes((unseen, rng.choice(EGGS)))


VIEW: Final = EagleView()
