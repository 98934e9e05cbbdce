"""Events: what happened, for whoever watches.

An event is (kind, seat, a, b, secret, cause): a and b may be known to all, `secret` are pieces
whose faces only the seat may see. `cause` is the source of points and of whatever else is gained
or paid (sources.py), known to all; 0 for other events. Events are recorded only while somebody
listens.
"""

from typing import Final

from endless_winter.rules.hooks import FIRST_OF_MODULES
from endless_winter.rules.state import Position

CHIEF_CHOSEN: Final = 1  # chief side
SETUP_CHOSEN: Final = 2  # setup card
GAME_BEGAN: Final = 3
TURN_BEGAN: Final = 4  # round
CULTURE_PLAYED: Final = 5  # card
FIGURE_PLACED: Final = 6  # figure, place
TRIBE_PLAYED: Final = 7  # card
ABILITY_USED: Final = 8  # card, ability
CHIEF_USED: Final = 9  # chief side, ability
FOOD_EATEN: Final = 10  # Food, Labor halves
FOOD_GAINED: Final = 11  # amount kept
FOOD_PAID: Final = 12  # amount, 1 if it was lost above the limit (MIG-05)
TOOLS_GAINED: Final = 13  # amount kept
TOOLS_PAID: Final = 14  # amount
LABOR_GAINED: Final = 15  # halves
OFFERING_MOVED: Final = 16  # new level
HONOR_MOVED: Final = 17  # new level
CARDS_DRAWN: Final = 18  # how many; secret: which
DECK_SHUFFLED: Final = 19  # cards in the new deck
CARD_DISCARDED: Final = 20  # card
CARD_BURIED: Final = 21  # zone; secret: which
CARD_PILED: Final = 22  # secret: which
PILE_REVEALED: Final = 23  # card
LABOR_COUNTED: Final = 24  # halves
ORDER_MADE: Final = 25  # place
TRIBE_TAKEN: Final = 26  # card, 1 into the discard pile
CULTURE_TAKEN: Final = 27  # card
ANIMAL_TAKEN: Final = 28  # animal, 1 from the deck
ANIMAL_REVEALED: Final = 29  # animal
ANIMAL_TIPPED: Final = 30  # animal
STONE_TAKEN: Final = 31  # stone
CAMP_PLACED: Final = 32  # hex
CAMP_MOVED: Final = 33  # from, to
VILLAGE_PLACED: Final = 34  # juncture, 1 + the hex where a piece stood in for a Camp
MEGALITH_PLACED: Final = 35  # site
POINTS: Final = 36  # amount, category
TURN_ENDED: Final = 37
ECLIPSE_BEGAN: Final = 38  # round
PREPARED: Final = 39  # the round to come
GAME_ENDED: Final = 40
CULTURE_DEALT: Final = 41  # card, place in the display
GLACIER_TOKEN_FLIPPED: Final = 42  # token, hex
REST_TOKEN_TAKEN: Final = 43  # token
REST_TOKEN_SHOWN: Final = 44  # token
ECLIPSE_TURN_BEGAN: Final = 45  # place in the new order, from 1
REST_TOKEN_HIDDEN: Final = 46  # token: face down to the bottom of the stack
NOMAD_REVEALED: Final = 47  # Nomad card
NOMAD_COLUMN: Final = 48  # column, its grounds packed (nomad/grounds.py)
NOMAD_ACTED: Final = 49  # 1 + Nomad card or 0, its grounds packed, due icon, done icon: a byte each
NOMAD_CULTURE: Final = 50  # card, onto the Sacrifice deck
NOMAD_BURIED: Final = 51  # the top of the Sacrifice deck, which nobody has seen
NOMAD_PILED: Final = 52  # a Nomad card that nobody has seen
NOMAD_PILE_REVEALED: Final = 53  # Nomad card
NOMAD_BUILT: Final = 54  # juncture, 1 the token
NOMAD_SHUFFLED: Final = 55  # Nomad cards in the new deck
MAP_REVEALED: Final = 56  # Map card, what for (nomad/roaming.py)

EVENT_NAMES: Final = (
    "none",
    "chief_chosen",
    "setup_chosen",
    "game_began",
    "turn_began",
    "culture_played",
    "figure_placed",
    "tribe_played",
    "ability_used",
    "chief_used",
    "food_eaten",
    "food_gained",
    "food_paid",
    "tools_gained",
    "tools_paid",
    "labor_gained",
    "offering_moved",
    "honor_moved",
    "cards_drawn",
    "deck_shuffled",
    "card_discarded",
    "card_buried",
    "card_piled",
    "pile_revealed",
    "labor_counted",
    "order_made",
    "tribe_taken",
    "culture_taken",
    "animal_taken",
    "animal_revealed",
    "animal_tipped",
    "stone_taken",
    "camp_placed",
    "camp_moved",
    "village_placed",
    "megalith_placed",
    "points",
    "turn_ended",
    "eclipse_began",
    "prepared",
    "game_ended",
    "culture_dealt",
    "glacier_token_flipped",
    "rest_token_taken",
    "rest_token_shown",
    "eclipse_turn_began",
    "rest_token_hidden",
    "nomad_revealed",
    "nomad_column",
    "nomad_acted",
    "nomad_culture",
    "nomad_buried",
    "nomad_piled",
    "nomad_pile_revealed",
    "nomad_built",
    "nomad_shuffled",
    "map_revealed",
)

# The categories of points: the second number of POINTS, and the lines of the result. Numbers and
# names are those of the contract (ScoreCategory; a test compares them). Numbers that are missing
# here are those of modules, which add their names (modules/__init__.py).
BY_CULTURE_CARD: Final = 1
BY_TRIBE_CARD: Final = 2
BY_CHIEF: Final = 3
BY_TERRAIN: Final = 4
BY_TURN_ORDER: Final = 5
BY_MEGALITH: Final = 6
BY_HONOR: Final = 7
BY_OFFERING: Final = 8  # a space of the Offering track, or an Idol beyond it (IDL-02)
BY_STONE: Final = 9
BY_ANIMAL: Final = 10  # tipped
BY_BOARD: Final = 11  # spaces of the player board
BY_EMPTY_SUPPLY: Final = 12  # nothing was left to take (INI-02, HUN-02, HUN-05)
BY_GLACIER_TOKEN: Final = 13
BY_REST_TOKEN: Final = 14
BY_NOMAD: Final = 18  # the Nomad's own actions
BY_MODULE: Final = 19  # a module that has no category of its own
FINAL_OFFERING: Final = 20
FINAL_HONOR: Final = 21
FINAL_CARDS: Final = 22
FINAL_ANIMALS: Final = 23

CATEGORY_NAMES: Final[dict[int, str]] = {
    BY_CULTURE_CARD: "culture_cards",
    BY_TRIBE_CARD: "tribe_cards",
    BY_CHIEF: "chief",
    BY_TERRAIN: "terrain",
    BY_TURN_ORDER: "turn_order",
    BY_MEGALITH: "megaliths",
    BY_HONOR: "honor_track",
    BY_OFFERING: "offering_track",
    BY_STONE: "sacred_stones",
    BY_ANIMAL: "tipped_animals",
    BY_BOARD: "player_board",
    BY_EMPTY_SUPPLY: "empty_supply",
    BY_GLACIER_TOKEN: "glacier_tokens",
    BY_REST_TOKEN: "rest_tokens",
    BY_NOMAD: "nomad_actions",
    BY_MODULE: "modules",
    FINAL_OFFERING: "final_offering",
    FINAL_HONOR: "final_honor",
    FINAL_CARDS: "final_cards",
    FINAL_ANIMALS: "final_animals",
}

# Events of the base game that name their cause; those of modules all do.
WITH_CAUSE: Final = frozenset(
    (
        FOOD_EATEN,
        FOOD_GAINED,
        FOOD_PAID,
        TOOLS_GAINED,
        TOOLS_PAID,
        LABOR_GAINED,
        OFFERING_MOVED,
        HONOR_MOVED,
        CARDS_DRAWN,
        CARD_BURIED,
        TRIBE_TAKEN,
        CULTURE_TAKEN,
        ANIMAL_TAKEN,
        ANIMAL_TIPPED,
        STONE_TAKEN,
        CAMP_PLACED,
        CAMP_MOVED,
        VILLAGE_PLACED,
        MEGALITH_PLACED,
        POINTS,
        NOMAD_CULTURE,
        NOMAD_BURIED,
        NOMAD_BUILT,
    )
)


def emit(
    position: Position, kind: int, seat: int, a: int = 0, b: int = 0, secret: bytes = b""
) -> None:
    events = position.events
    if events is not None:
        cause = position.cause if kind in WITH_CAUSE or kind >= FIRST_OF_MODULES else 0
        events.append((kind, seat, a, b, secret, cause))
