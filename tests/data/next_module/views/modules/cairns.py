"""Cairns as they are shown, in a field each of the contract's configuration, move and view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.content.modules.cairns import CairnEntry
from endless_winter.rules import options
from endless_winter.rules.modules.cairns import (
    CAIRN,
    CAIRN_ICON,
    CAIRNS,
    RAISE,
    CairnRules,
)
from endless_winter.v1 import cairns_pb2, catalog_pb2, config_pb2
from endless_winter.v1 import move_pb2 as m
from endless_winter.v1 import view_public_pb2 as v
from endless_winter.views.catalog import item
from endless_winter.views.plugin import NO_PIECES, Asked, ViewModule

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.content import Pack
    from endless_winter.rules import Config
    from endless_winter.rules.state import Position
    from endless_winter.rules.tables import Tables
    from endless_winter.views.sampling.lexicon import Lexicon
    from endless_winter.views.words import Words


def _which(full: int) -> cairns_pb2.CairnChoice:
    return cairns_pb2.CairnChoice(number=options.a_of(full))


class CairnsView(ViewModule):
    field: int = v.PublicView.CAIRNS_FIELD_NUMBER

    def phrases(self) -> dict[int, tuple[str, str]]:
        return {CAIRN_ICON: ("raise a Cairn", "raise {} Cairns")}

    def decisions(self) -> dict[int, Asked]:
        return {NO_PIECES: Asked("CRN-01", "Which Cairn do you raise?")}

    def rules(self) -> dict[str, str]:
        return {"CRN-01": "Whoever rests raises a Cairn."}

    def labels(self) -> dict[int, Callable[[Tables, int], str]]:
        return dict.fromkeys(
            (RAISE, CAIRN), lambda _, full: f"Raise Cairn number {options.a_of(full)}"
        )

    def moves(self) -> dict[int, Callable[[Words, int], m.Move]]:
        return {RAISE: lambda _, full: m.Move(raise_cairn=_which(full))}

    def targets(self) -> dict[int, Callable[[Words, int], m.Target]]:
        return {CAIRN: lambda _, full: m.Target(cairn=_which(full))}

    def fill_catalog(self, words: Words, catalog: catalog_pb2.Catalog) -> None:
        for entry in words.pack.content.entries(CairnEntry):
            catalog.tokens.add(item=item(entry, f"{entry.points} points"))

    def rules_of(self, message: config_pb2.GameConfig, pack: Pack) -> CairnRules | None:
        return CairnRules(message.cairns.most) if message.HasField("cairns") else None

    def fill_config(self, config: Config, message: config_pb2.GameConfig) -> None:
        rules = config.rules.get(CAIRNS)
        if isinstance(rules, CairnRules):
            message.cairns.most = rules.most

    def faces(self, position: Position, index: int) -> bytes | None:
        return position.module_state[index] or None

    def view(self, words: Words, faces: bytes) -> cairns_pb2.CairnsView:
        return cairns_pb2.CairnsView(raised=faces)

    def read(self, lexicon: Lexicon, view: v.PublicView, position: Position, index: int) -> None:
        position.module_state[index] = bytes(view.cairns.raised)


VIEW: Final = CairnsView()
