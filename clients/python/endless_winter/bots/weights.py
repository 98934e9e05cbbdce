"""The parts of the evaluation that are a matter of judgement, found by self-play."""

from __future__ import annotations

from typing import Final


class Weights:
    __slots__ = (
        "hold",
        "base_camp",
        "bury_rate",
        "honor_rate",
        "offering_rate",
        "set_growth",
        "kept_card",
        "deck",
        "order",
        "chief",
        "tip",
        "village",
        "village_two",
        "village_stone",
        "food_curve",
        "tool_curve",
        "rafts",
    )

    def __init__(self) -> None:
        self.hold: float = 0.8  # a hex that is led now is still led an Eclipse later
        self.base_camp: float = 0.35  # of a good hex: a Camp on the Base tile
        self.bury_rate: float = 0.3  # cards that will be buried in a turn to come
        self.honor_rate: float = 0.12  # Honor levels in a turn to come
        self.offering_rate: float = 0.12
        self.set_growth: float = 0.45  # chance that a set of Animals gets its next one, time given
        self.kept_card: float = 0.8  # of a card's play: kept for the next round
        self.deck: float = 0.8  # of a card's play: to come by drawing
        self.order: float = 1.2  # to be one place earlier in turn order
        self.chief: float = 0.7  # of the Chief's ability, while the Chief is at home
        self.tip: float = 0.5  # of an Animal's tip, while it could be tipped
        self.village: float = 0.5  # of a Village's worth: three Camps stand ready for it
        self.village_two: float = 0.15  # the same with two
        self.village_stone: float = 0.3  # a Stone that scores for a Village will come
        self.food_curve: float = 0.03
        self.tool_curve: float = 0.06
        self.rafts: float = 1.0  # of what a Raft may bring


WEIGHTS: Final = Weights()
