"""Rivers & Rafts (RAF), as it is shown: every named point that it answers at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules.rivers.parts import parts_in
from endless_winter.v1 import decision_pb2 as d
from endless_winter.v1 import view_public_pb2
from endless_winter.views.modules.rivers import catalog, config, sampling, view, words
from endless_winter.views.plugin import Asked, ViewModule

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from endless_winter.content import Pack
    from endless_winter.rules import Config
    from endless_winter.rules.actions import Action
    from endless_winter.rules.rivers.agreed import RiversRules
    from endless_winter.rules.state import Frame, Position
    from endless_winter.rules.tables import Tables
    from endless_winter.v1 import (
        benefit_pb2,
        catalog_pb2,
        config_pb2,
        enums_pb2,
        event_pb2,
        ids_pb2,
        move_pb2,
        replay_pb2,
    )
    from endless_winter.views.sampling.lexicon import Lexicon
    from endless_winter.views.words import Words


class RiversView(ViewModule):
    field: int = view_public_pb2.PublicView.RIVERS_FIELD_NUMBER

    def icons(self) -> dict[int, enums_pb2.Icon.ValueType]:
        return words.ICONS

    def phrases(self) -> dict[int, tuple[str, str]]:
        return words.PHRASES

    def nomad_actions(self) -> dict[int, enums_pb2.NomadAction.ValueType]:
        return words.NOMAD_ACTIONS

    def decisions(self) -> dict[int, Asked]:
        return words.DECISIONS

    def rules(self) -> dict[str, str]:
        return words.RULES

    def labels(self) -> dict[int, Callable[[Tables, int], str]]:
        return words.LABELS

    def actions(self) -> dict[int, Action]:
        return words.ACTIONS

    def offers(self) -> dict[int, tuple[d.TurnAction.ValueType, str]]:
        return words.OFFERS

    def moves(self) -> dict[int, Callable[[Words, int], move_pb2.Move]]:
        return words.MOVES

    def targets(self) -> dict[int, Callable[[Words, int], move_pb2.Target]]:
        return words.TARGETS

    def taken_plainly(self) -> tuple[int, ...]:
        return words.TAKEN_PLAINLY

    def numbers(self) -> dict[int, Callable[[Position, int, int], int]]:
        return words.NUMBERS

    def events(
        self,
    ) -> dict[int, Callable[[Words, Position, int, int, int], list[event_pb2.PublicEvent]]]:
        return view.EVENTS

    def by_itself(self) -> tuple[int, ...]:
        return view.BY_ITSELF

    def revealing(self) -> tuple[int, ...]:
        return view.REVEALING

    def reasons(self) -> dict[int, tuple[str, Callable[[Words, int, int], str]]]:
        return words.REASONS

    def givers(self) -> dict[int, tuple[str, Callable[[Words, int], str]]]:
        return words.GIVERS

    def sources(self) -> dict[int, Callable[[Words, Position, int], ids_pb2.Source]]:
        return words.SOURCES

    def categories(self) -> dict[str, str]:
        return words.CATEGORIES

    def causes(self) -> dict[int, Callable[[Words, int], ids_pb2.Source]]:
        return words.CAUSES

    def add_words(self, of_pack: Words) -> None:
        parts = parts_in(of_pack.tables)
        if parts is not None:
            words.add(of_pack, parts)

    def fill_catalog(self, of_pack: Words, found: catalog_pb2.Catalog) -> None:
        catalog.fill(of_pack, found)

    def rules_of(self, message: config_pb2.GameConfig, pack: Pack) -> RiversRules | None:
        return config.rules_of(message, pack)

    def fill_config(self, agreed: Config, message: config_pb2.GameConfig) -> None:
        config.fill(agreed, message)

    def faces(self, position: Position, index: int) -> view.Faces | None:
        return view.faces_of(position, index)

    def view(self, of_pack: Words, faces: view.Faces) -> view_public_pb2.RiversView:
        return view.rivers_view(of_pack, faces)

    def spread(self, position: Position, index: int) -> bytes:
        return view.rafts_of(position, index)

    def fill_draft(
        self, of_pack: Words, position: Position, index: int, draft: view_public_pb2.DraftView
    ) -> None:
        draft.landmark_ids.extend(view.landmarks_on_offer(of_pack, position))

    def uncover(
        self, of_pack: Words, position: Position, index: int, table: replay_pb2.OmniscientView
    ) -> None:
        view.uncover(of_pack, position, index, table)

    def add_numbers(self, lexicon: Lexicon, of_pack: Words) -> None:
        sampling.add_numbers(lexicon, of_pack)

    def terrain_of(self, lexicon: Lexicon, hex_: view_public_pb2.HexView) -> int:
        return sampling.terrain_of(lexicon, hex_)

    def icon_of(
        self, lexicon: Lexicon, position: Position, benefit: benefit_pb2.PendingBenefit
    ) -> int:
        return sampling.landmark_icon(lexicon, position, benefit)

    def first_choices(
        self, seen: view_public_pb2.PublicView, position: Position, index: int
    ) -> list[Frame]:
        return sampling.landmarks_due(seen, position, index)

    def last_choices(
        self, seen: view_public_pb2.PublicView, position: Position, index: int
    ) -> list[Frame]:
        return sampling.bases_due(seen, position, index)

    def read(
        self, lexicon: Lexicon, seen: view_public_pb2.PublicView, position: Position, index: int
    ) -> sampling.Unseen:
        return sampling.read(lexicon, seen, position, index)

    def deal(self, position: Position, index: int, unseen: sampling.Unseen, rng: Random) -> None:
        sampling.deal(position, index, unseen, rng)


VIEW: Final = RiversView()
