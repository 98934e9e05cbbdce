"""Where everything stands in an observation, and how long each part is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.pettingzoo import rivers
from endless_winter.rules.game import sites_of
from endless_winter.rules.modules import REGISTRY
from endless_winter.rules.modules.warriors import warrior_in
from endless_winter.rules.rivers.agreed import RIVERS
from endless_winter.rules.tables import NONE
from endless_winter.rules.terrain import HEXES, JUNCTURES
from endless_winter.v1 import decision_pb2
from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    from endless_winter.rules import Config

PHASES: Final = max(enums.Phase.values()) + 1
STEPS: Final = max(enums.Step.values()) + 1
# The kinds of the games that are encoded: with none of them a module asks by the general one.
KINDS: Final = decision_pb2.DECISION_KIND_ABILITIES + 1
ROUNDS: Final = 5  # 0: set-up
PLACES: Final = 5  # the four columns and the Rest space
BENEFITS: Final = 32  # icons, with the two that only a pool has (rules/agenda.py)
# The modules that have their places here and among the actions. Others are refused: numbers and
# sections of games that learners know must not move, so that a place has to be given by hand.
KNOWN: Final = ("glacier_tokens", "rest_tokens", "warriors", "mammoth", "sea_cows", RIVERS)
# Icons of modules stand behind them, where there are modules with icons of their own.
OF_MODULES: Final = sorted(icon for name in KNOWN for icon in REGISTRY[name].icon_names())


class Sizes:
    """How much there is of everything in a pack."""

    def __init__(self, config: Config) -> None:
        tables = config.tables
        self.players: int = config.players
        # The Warrior's card is the last one: it is counted where it is in play.
        self.cards: int = len(tables.cards)
        if warrior_in(tables) != NONE and "warriors" not in config.modules:
            self.cards -= 1
        self.animals: int = len(set(tables.animal_copies))  # those of expansions come last
        self.chiefs: int = len(tables.chiefs)
        self.setups: int = len(tables.setups)
        self.stones: int = len(tables.stones)
        self.terrains: int = len(tables.terrains)
        self.tiles: int = len(tables.megalith_tiles)
        self.sites: int = len(sites_of(config).x)
        self.glacier_tokens: int = len(tables.glacier_tokens)
        self.rest_tokens: int = len(tables.rest_tokens)
        self.tribes: int = tables.tribe_types
        if "sea_cows" in config.modules:
            self.animals = len(tables.animals)
        self.benefits: int = BENEFITS
        if any(REGISTRY[name].icon_names() for name in config.modules):
            self.benefits += len(OF_MODULES)
        self.rivers: list[tuple[str, int]] = []
        if RIVERS in config.modules:
            self.rivers = rivers.sections(config.players, tables)
        self.mammoth: int = len(JUNCTURES) if "mammoth" in config.modules else 0
        # The most that one card or token has.
        self.abilities: int = max(
            *[len(card.abilities) for card in tables.cards],
            *[len(token.effects) for token in tables.rest_tokens],
        )


def sections_of(n: Sizes) -> list[tuple[str, int]]:
    """Every section and its length; docs/search.md explains them."""
    seats = n.players
    found = [
        ("round", ROUNDS),
        ("phase", PHASES),
        ("step", STEPS),
        ("decision_kind", KINDS),
        ("choosing_seat", seats),
        ("active_seat", seats),
        ("turn", 8),
        ("place", PLACES),
        ("initiated", n.tribes),
        ("ready_abilities", n.abilities * n.cards),
        ("pool", n.benefits),
        ("waiting", n.benefits),
        ("played_culture", n.cards),
        ("unused_abilities", n.abilities),
        ("eclipse_cards", n.cards),
        ("tribe_decks", n.tribes),
        ("display", n.cards),
        ("deck_sizes", 3),
        ("hunting_grounds", n.animals),
        ("stones", n.stones),
        ("first_in_column", 4 * seats),
        ("draft", n.chiefs // 2 + n.setups),
        ("rest_token_open", n.rest_tokens),
        ("rest_token_held", n.rest_tokens),
        ("rest_token_unused", n.abilities),
        ("rest_token_taken", 1),
        ("terrain", HEXES * n.terrains),
        ("camps", HEXES * seats),
        ("influence", HEXES * seats),
        ("glacier_tokens", HEXES * (1 + n.glacier_tokens)),
        ("resolved_hexes", HEXES),
        ("villages", len(JUNCTURES) * seats),
        ("mammoth", n.mammoth),
        *n.rivers,
        ("megalith_tiles", n.tiles * n.tiles),
        ("megaliths", n.sites * (1 + seats)),
    ]
    for seat in range(seats):
        found += [(f"seat_{seat}.{name}", length) for name, length in _of_a_seat(n)]
    found += [
        (f"own.{zone}", n.cards) for zone in ("hand", "deck", "buried", "eclipse_pile", "fresh")
    ]
    return found


def _of_a_seat(n: Sizes) -> list[tuple[str, int]]:
    return [
        ("place_in_order", n.players),
        ("board", 20),
        ("chief", n.chiefs),
        ("setup_card", n.setups),
        ("chief_figure", 1 + PLACES),
        ("tribe_figures", PLACES),
        ("stones", n.stones),
        ("untipped", n.animals),
        ("tipped", n.animals),
        ("discard_pile", n.cards),
        ("played", n.cards),
        ("eclipse_pile", n.cards),
        ("owned", n.cards),
    ]
