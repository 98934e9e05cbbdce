"""The shape of the contract keeps secrets apart: what can contain what, message by message."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.contract.schema import short

if TYPE_CHECKING:
    from tests.contract.schema import Schema

# What only one seat may see, and what nobody may see before the end.
PRIVATE = {"PrivateView", "PrivateEvent", "Decision", "Option", "Prompt", "Answer", "Move"}
SEALED = {"OmniscientView", "OmniscientEvent", "LogEntry", "ReplayFile"}
# Everything that reaches a client while a game runs.
RUNNING = [
    "PlayResponse",
    "WatchResponse",
    "GetViewResponse",
    "SubmitMoveResponse",
    "ListMySeatsResponse",
    "GetGameResponse",
    "ListGamesResponse",
    "AttachBotResponse",
]


@pytest.mark.parametrize("message", ["PublicView", "PublicEvent", "GameInfo", "GameConfig"])
def test_a_public_message_can_contain_nothing_private(schema: Schema, message: str) -> None:
    assert not schema.parts_of(message) & (PRIVATE | SEALED)


@pytest.mark.parametrize("message", RUNNING)
def test_nothing_sealed_fits_into_what_a_running_game_sends(schema: Schema, message: str) -> None:
    assert not schema.parts_of(message) & SEALED


def test_the_public_view_has_only_counts_of_secret_zones(schema: Schema) -> None:
    fields = schema.fields_of("PlayerView")
    for zone in ("hand", "deck", "buried", "eclipse_pile"):
        assert f"{zone}_count" in fields
    assert not {"hand", "deck", "buried"} & set(fields)


def test_a_private_view_belongs_to_one_seat_and_shows_no_order(schema: Schema) -> None:
    fields = schema.fields_of("PrivateView")
    assert "seat" in fields
    for name, field in fields.items():
        assert name == "seat" or short(field.type_name) == "CardCount", name


def test_seeds_come_in_by_one_door_and_go_out_by_one(schema: Schema) -> None:
    named = {field.name for field in schema.fields() if field.field.name in {"seed", "salt"}}
    assert named == {
        "CreateGameRequest.seed",
        "CreateGameRequest.salt",
        "SeedReveal.seed",
        "SeedReveal.salt",
    }


def test_position_hashes_stay_in_the_log(schema: Schema) -> None:
    hashes = [f.name for f in schema.fields() if "position_hash" in f.field.name]
    assert hashes == ["LogEntry.position_hash"]


def test_secret_words_leave_only_in_the_answer_that_makes_them(schema: Schema) -> None:
    holders = {m for m in schema.messages if "Invitation" in schema.parts_of(m)}
    assert holders == {
        "Invitation",
        "CreateGameResponse",
        "CreateInvitationResponse",
        "RebindSeatResponse",
    }


def test_the_public_view_is_a_field_of_its_own_in_an_update(schema: Schema) -> None:
    """So its bytes can be made once and put into the update of every viewer."""
    fields = schema.fields_of("Update")
    assert short(fields["public_view"].type_name) == "PublicView"
    assert short(fields["private_view"].type_name) == "PrivateView"


def test_a_view_is_a_function_of_the_position_alone(schema: Schema) -> None:
    """Clocks and connections are sent beside it."""
    parts = schema.parts_of("PublicView")
    assert not parts & {"ClockReading", "SeatClock", "SeatInfo", "GameInfo"}
    for name in parts:
        assert not [field for field in schema.fields_of(name) if field.endswith("_unix_ms")]


def test_copies_of_a_card_cannot_be_distinguished(schema: Schema) -> None:
    suspicious = ("copy_id", "instance_id", "card_uid", "uuid")
    assert [f.name for f in schema.fields() if f.field.name.endswith(suspicious)] == []
