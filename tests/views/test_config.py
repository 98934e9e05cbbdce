"""Configurations: the contract's to the core's and back, and what is refused."""

from __future__ import annotations

import random
from typing import Any

import pytest
from google.protobuf.message import DecodeError

from endless_winter.rules import Game
from endless_winter.rules.config import NOMAD_SWITCHES
from endless_winter.rules.rivers.agreed import rules_in
from endless_winter.v1 import clock_pb2
from endless_winter.v1 import config_pb2 as v
from endless_winter.views import BadGameConfig, config_of, message_of
from tests.rules.walk import ALL, EXTRAS, OTHERS, RIVERS, SOLO, seed_of
from tests.rules.walk import config_of as walk_config
from tests.views.redaction import PACK

TWO = [v.SeatConfig(), v.SeatConfig()]
SOLO_SEATS = [v.SeatConfig(), v.SeatConfig(kind=v.SEAT_KIND_NOMAD)]
NOISY = (*range(36), *RIVERS)
LATER_MODE = v.RiversConfig.FromString(b"\x10\x09")
UNKNOWN = v.SeatConfig.FromString(b"\x08\x4d")  # a kind of seat of some later contract: 77


def test_every_kind_of_game_goes_there_and_back() -> None:
    for number in (*range(36), *SOLO, *EXTRAS, *RIVERS, *ALL, *OTHERS):
        config = walk_config(number)
        message = message_of(config)
        again = config_of(v.GameConfig.FromString(message.SerializeToString()), PACK)
        for part in ("players", "setup_draft", "chief_draft", "layout", "modules"):
            assert getattr(again, part) == getattr(config, part), part
        assert again.tables.digest == config.tables.digest
        for switch in ("seat", *NOMAD_SWITCHES):
            assert getattr(again.nomad, switch, None) == getattr(config.nomad, switch, None)
        for part in ("landmarks", "named", "decided"):
            assert getattr(rules_in(again), part, None) == getattr(rules_in(config), part, None)
        Game.new(again, seed_of(number))


def test_the_plainest_configuration_is_a_game_for_as_many_players_as_seats() -> None:
    for players in (2, 3, 4):
        config = config_of(v.GameConfig(seats=[v.SeatConfig()] * players), PACK)
        assert (config.players, config.modules, config.setup_draft) == (players, (), False)


@pytest.mark.parametrize(
    ("parts", "field", "reason"),
    [
        ({"seats": []}, "seats", "2 to 4 seats, not 0"),
        ({"seats": [v.SeatConfig()] * 5}, "seats", "2 to 4 seats, not 5"),
        ({"seats": SOLO_SEATS}, "nomad", "missing"),
        ({"seats": [*SOLO_SEATS, v.SeatConfig()], "nomad": v.NomadConfig()}, "seats", "one player"),
        ({"seats": SOLO_SEATS[1:] * 2, "nomad": v.NomadConfig()}, "seats", "one player"),
        (
            {"seats": SOLO_SEATS, "nomad": v.NomadConfig(second_extra_card=True)},
            "nomad.second_extra_card",
            "needs extra_card",
        ),
        (
            {"seats": SOLO_SEATS, "nomad": v.NomadConfig(), "setup_variant": 2},
            "setup_variant",
            "no draft",
        ),
        ({"seats": [v.SeatConfig(), UNKNOWN]}, "seats[1].kind", "no such value: 77"),
        (
            {"seats": [v.SeatConfig(kind=v.SEAT_KIND_BOT), v.SeatConfig()]},
            "seats[0].bot_name",
            "names its bot",
        ),
        (
            {"seats": [v.SeatConfig(bot_name="heuristic"), v.SeatConfig()]},
            "seats[0].bot_name",
            "only a bot's seat",
        ),
        (
            {"rivers": v.RiversConfig(landmark_count=4)},
            "rivers.landmark_count",
            "1 to 3 Landmarks",
        ),
        ({"rivers": LATER_MODE}, "rivers.landmark_mode", "no such value"),
        (
            {"rivers": v.RiversConfig(landmark_mode=v.LANDMARK_CHOICE_MODE_NAMED)},
            "rivers.landmark_ids",
            "with mode NAMED",
        ),
        ({"rivers": v.RiversConfig(landmark_ids=["tree"])}, "rivers.landmark_ids", "only then"),
        (
            {
                "rivers": v.RiversConfig(
                    landmark_mode=v.LANDMARK_CHOICE_MODE_NAMED, landmark_ids=["geyser"]
                )
            },
            "rivers.landmark_ids",
            "the pack has volcano, butte, arch",
        ),
        (
            {
                "rivers": v.RiversConfig(
                    landmark_count=2,
                    landmark_mode=v.LANDMARK_CHOICE_MODE_NAMED,
                    landmark_ids=["tree", "tree"],
                )
            },
            "rivers.landmark_ids",
            "all different",
        ),
        ({"nomad": v.NomadConfig()}, "nomad", "no seat is the Nomad's"),
        (
            {"modules": v.ModuleConfig(sea_cows=True)},
            "modules.sea_cows",
            "only with Rivers & Rafts",
        ),
        ({"setup_variant": 9}, "setup_variant", "no such value: 9"),
        ({"visibility": 9}, "visibility", "no such value: 9"),
        ({"megalith_layout_id": "spiral"}, "megalith_layout_id", "the pack has"),
        ({"content_hash": "00"}, "content_hash", "no such content pack"),
        ({"title": "x" * 81}, "title", "at most 80"),
        ({"title": "a\nb"}, "title", "cannot be shown"),
        ({"tags": [str(n) for n in range(9)]}, "tags", "at most 8"),
        ({"tags": ["b", "a"]}, "tags", "not sorted"),
        ({"tags": ["a", "a"]}, "tags", "twice"),
        ({"tags": [""]}, "tags[0]", "1 to 40"),
        ({"spectator_delay_ms": -1}, "spectator_delay_ms", "from 0 to"),
        (
            {"time_control": clock_pb2.TimeControl(bank_ms=-5)},
            "time_control.bank_ms",
            "from 0 to",
        ),
        *(
            (
                {"time_control": clock_pb2.TimeControl(**{name: 0})},
                f"time_control.{name}",
                "leave it out",
            )
            for name in (
                "bank_ms",
                "decision_limit_ms",
                "disconnect_limit_ms",
                "ready_limit_ms",
                "turn_limit_ms",
            )
        ),
        (
            {"time_control": clock_pb2.TimeControl(increment_per_turn_ms=5)},
            "time_control.increment_per_turn_ms",
            "no bank",
        ),
    ],
)
def test_what_cannot_be_played_is_refused_with_field_and_reason(
    parts: dict[str, Any], field: str, reason: str
) -> None:
    message = v.GameConfig(**{"seats": TWO, **parts})
    with pytest.raises(BadGameConfig) as refused:
        config_of(message, PACK)
    assert refused.value.field == field
    assert reason in refused.value.reason
    assert str(refused.value) == f"{field}: {refused.value.reason}"


def test_whatever_a_configuration_holds_it_is_a_game_or_is_refused() -> None:
    """Bytes of real configurations, cut, flipped and mixed."""
    noise = random.Random(5)
    played = refused = 0
    for number in range(2000):
        body = bytearray(message_of(walk_config(NOISY[number % len(NOISY)])).SerializeToString())
        for _ in range(noise.randrange(4)):
            body[noise.randrange(len(body))] = noise.randrange(256)
        try:
            message = v.GameConfig.FromString(bytes(body))
        except DecodeError:  # not even a message: never comes this far
            continue
        try:
            Game.new(config_of(message, PACK), seed_of(number))
            played += 1
        except BadGameConfig:
            refused += 1
    assert played > 100
    assert refused > 100


def test_clocks_and_words_are_no_business_of_the_core() -> None:
    message = v.GameConfig(
        seats=TWO,
        title="A friendly game",
        tags=["ladder", "test"],
        time_control=clock_pb2.TimeControl(bank_ms=60_000, increment_per_turn_ms=1000),
        content_hash=PACK.digest,
    )
    assert config_of(message, PACK).players == 2
