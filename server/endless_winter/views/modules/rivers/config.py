"""Rivers & Rafts in the agreed game, both ways (RAF-02, RAF-04)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from endless_winter.rules.rivers.agreed import MAX_LANDMARKS, RiversRules, rules_in
from endless_winter.rules.rivers.parts import parts_in
from endless_winter.v1 import config_pb2 as v
from endless_winter.views.errors import BadGameConfig

if TYPE_CHECKING:
    from endless_winter.content import Pack
    from endless_winter.rules import Config


def rules_of(message: v.GameConfig, pack: Pack) -> RiversRules | None:
    if not message.HasField("rivers"):
        return None
    parts = parts_in(pack.tables)
    if parts is None:
        raise BadGameConfig("content_hash", "this content pack has no Rivers & Rafts")
    asked = message.rivers
    named = tuple(asked.landmark_ids)
    count = asked.landmark_count or len(named) or MAX_LANDMARKS
    if asked.landmark_count > MAX_LANDMARKS or len(named) > MAX_LANDMARKS:
        raise BadGameConfig("rivers.landmark_count", f"1 to {MAX_LANDMARKS} Landmarks")
    if asked.landmark_mode not in v.LandmarkChoiceMode.values():
        raise BadGameConfig("rivers.landmark_mode", f"no such value: {asked.landmark_mode}")
    if (asked.landmark_mode == v.LANDMARK_CHOICE_MODE_NAMED) != bool(named):
        raise BadGameConfig("rivers.landmark_ids", "they are given with mode NAMED, and only then")
    known = [landmark.name for landmark in parts.landmarks]
    for name in named:
        if name not in known:
            raise BadGameConfig("rivers.landmark_ids", f"the pack has {', '.join(known)}")
    if named and len(set(named)) != count:
        raise BadGameConfig("rivers.landmark_ids", "one for each Landmark hex, all different")
    decided = asked.landmark_mode == v.LANDMARK_CHOICE_MODE_DECIDED
    return RiversRules(landmarks=count, named=named, decided=decided)


def fill(config: Config, message: v.GameConfig) -> None:
    rivers = rules_in(config)
    if rivers is None:
        return
    mode = v.LANDMARK_CHOICE_MODE_RANDOM
    if rivers.named:
        mode = v.LANDMARK_CHOICE_MODE_NAMED
    elif rivers.decided:
        mode = v.LANDMARK_CHOICE_MODE_DECIDED
    message.rivers.CopyFrom(
        v.RiversConfig(
            landmark_count=rivers.landmarks, landmark_mode=mode, landmark_ids=rivers.named
        )
    )
