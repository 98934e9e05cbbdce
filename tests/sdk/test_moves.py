"""An option in parts, and what it takes from: everything that the contract's move says."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest

from endless_winter.sdk import LocalTable, Move
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import move_pb2
from tests.sdk.test_pages import CONFIGS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from google.protobuf.descriptor import Descriptor
    from google.protobuf.message import Message

    from endless_winter.sdk import Decision
    from endless_winter.v1 import config_pb2


def short(enum: Any, prefix: str) -> Callable[[Any], str]:
    """A number of the contract in the words of the SDK."""
    return lambda value: enum.Name(value).removeprefix(prefix).lower() if value else ""


def itself(value: Any) -> Any:
    return value


def hex_of(value: Any) -> int | None:
    """The hex of a place of a Camp."""
    kind = value.WhichOneof("site")
    return {"hex": int(value.hex), "starting_base_of_seat": 19}.get(kind)


# Each field of the contract's move: where it is found, and how it is said there.
FIELDS: dict[str, tuple[Callable[[Move], Any], Callable[[Any], Any]]] = {
    "card_id": (lambda move: move.card and move.card.id, itself),
    "animal_id": (lambda move: move.animal and move.animal.id, itself),
    "stone_id": (lambda move: move.stone and move.stone.id, itself),
    "chief_id": (lambda move: move.chief and move.chief.id, itself),
    "setup_card_id": (lambda move: move.setup_card and move.setup_card.id, itself),
    "landmark_id": (lambda move: move.landmark and move.landmark.id, itself),
    "nomad_card_id": (lambda move: move.nomad_card and move.nomad_card.id, itself),
    "source": (lambda move: move.source and move.source.raw, itself),
    "megalith_site": (lambda move: move.site, lambda value: (value.x, value.y, value.level)),
    "from_site": (lambda move: move.from_hex, hex_of),
    "site": (lambda move: move.to_hex, hex_of),
    "hex": (lambda move: move.to_hex, itself),
    "side": (lambda move: move.side, short(enums.Side, "SIDE_")),
    "zone": (lambda move: move.zone, short(enums.Zone, "ZONE_")),
    "figure": (lambda move: move.figure, short(enums.Figure, "FIGURE_")),
    "column": (lambda move: move.space, short(enums.ActionSpace, "ACTION_SPACE_")),
    "idol_track": (lambda move: move.track, short(enums.IdolTrack, "IDOL_TRACK_")),
    "taken": (lambda move: move.taken, short(enums.Icon, "ICON_")),
    "gained": (lambda move: move.taken, short(enums.Icon, "ICON_")),
    "step": (lambda move: move.nomad_step, short(move_pb2.NomadStep, "NOMAD_STEP_")),
    "action": (lambda move: move.nomad_action, short(enums.NomadAction, "NOMAD_ACTION_")),
    "first_hex": (lambda move: move.hexes and move.hexes[0], itself),
    "second_hex": (lambda move: move.hexes and move.hexes[1], itself),
    "labor_halves": (lambda move: move.labor, lambda value: value / 2),
    "from_river_place": (lambda move: move.from_river, itself),
    "to_river_place": (lambda move: move.to_river, itself),
    "owner_seat": (lambda move: move.owner, itself),
    "count": (lambda move: move.amount, itself),
    "ability": (lambda move: move.ability, itself),
    "food": (lambda move: move.food, itself),
    "tools": (lambda move: move.tools, itself),
    "to_hex": (lambda move: move.to_hex, itself),
    "juncture": (lambda move: move.juncture, itself),
    "with_raft": (lambda move: move.with_raft, itself),
    "amount": (lambda move: move.amount, itself),
    "pool_index": (lambda move: move.pool_index, itself),
    "take_next": (lambda move: move.take_next, itself),
}
# A place for a figure, or in other moves a space of the display.
PLACE = (lambda move: move.space, short(enums.ActionSpace, "ACTION_SPACE_"))
DISPLAY = (lambda move: move.display_space, itself)


def leaves(message: Message) -> Iterator[tuple[str, Any]]:
    """What is set in a message and below it, down to what is looked at as one."""
    for field, value in message.ListFields():
        if field.name not in FIELDS and field.message_type is not None:
            yield from leaves(value)
        else:
            yield field.name, value


def decisions(config: config_pb2.GameConfig, seed: int) -> Iterator[Decision]:
    table, choices = LocalTable(seed=seed, config=config), random.Random(seed)
    while not table.over:
        yield table.decision
        table.play(choices.choice(table.decision.options))


def fields(message: Descriptor) -> set[str]:
    found = set()
    for field in message.fields:
        if field.name in FIELDS or field.message_type is None:
            found.add(field.name)
        else:
            found |= fields(field.message_type)
    return found


def test_every_field_of_a_move_has_a_name() -> None:
    assert fields(move_pb2.Move.DESCRIPTOR) - {*FIELDS, "space"} == set()


@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS.keys())
def test_a_move_says_all_that_the_message_says(config: config_pb2.GameConfig) -> None:
    for decision in decisions(config, 1):
        for option in decision.options:
            move = option.move
            assert move.kind in (Move.kind.__doc__ or ""), option
            assert repr(move).startswith(f"<Move {move.kind}")
            for name, value in leaves(move.raw):
                space = PLACE if move.kind == "place_figure" else DISPLAY
                read, said = space if name == "space" else FIELDS[name]
                assert read(move) == said(value), (option, name, value)


def test_a_benefit_is_taken_from_the_pool() -> None:
    seen = set()
    for decision in decisions(CONFIGS["rivers"], 2):
        for option in decision.options:
            move = option.move
            if move.kind == "gain" and " as " not in option.text:
                assert move.pool_index is not None
                benefit = decision.pool[move.pool_index]
                assert (benefit.icon, 0) == (move.taken, 0) or benefit.icon.startswith("camp")
                assert move.amount is not None
                assert 1 <= move.amount <= max(benefit.amount, 2)
                seen.add(benefit.icon)
    assert {"food", "camp_move", "idol", "draw"} <= seen


def test_where_a_benefit_comes_from_is_said() -> None:
    names = set()
    for decision in decisions(CONFIGS["base"], 3):
        names |= {benefit.source.name for benefit in decision.pool}
        names |= {decision.source.name} if decision.source else set()
    assert {"Rest", "Hunter", "Megalith at 3,1"} <= names
    assert not {"section", "board", "idol"} & names


def test_a_move_cannot_be_changed() -> None:
    move = LocalTable(seed=1).decision.options[0].move
    with pytest.raises(AttributeError, match=r"Move.side cannot be set"):
        move.side = "b"  # type: ignore[misc]
