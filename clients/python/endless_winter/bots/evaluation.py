"""What a position is worth to a seat: the final score that it may expect, in points.

Points on the table count as they are. Everything else is what it will probably become: cards that
will be drawn again, hexes that will bring their benefit in each Eclipse to come, Sacred Stones that
will score again, buried cards by the chart that the Honor track will give. Only what the seat may
know is looked at; of its own deck the cards, not their order.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from endless_winter.bots.ahead import ahead, eclipse_to_come, turns_to_come
from endless_winter.bots.land import between, stones_worth, terrain_worth, village_stones
from endless_winter.bots.prices import ROUNDS, TURNS, prices
from endless_winter.bots.weights import WEIGHTS
from endless_winter.rules import agenda, icons, scoring
from endless_winter.rules.board import MEGALITHS
from endless_winter.rules.zones import EMPTY

if TYPE_CHECKING:
    from endless_winter.rules.state import Player, Position

DRAWS_A_ROUND: Final = 5.6  # with what is drawn besides


def evaluate(position: Position, seat: int) -> float:
    """The final score that the seat may expect."""
    player = position.players[seat]
    if position.over:
        return float(player.score + sum(scoring.final_points(position, player)))
    now = eclipse_to_come(position, seat)
    turns = turns_to_come(position, player)
    return (
        player.score
        + animals_worth(position, player, turns)
        + _cards(position, player, turns, now)
        + _stock(position, player, turns, now)
        + offering_worth(position, player, turns, now)
        + honor_worth(position, player, turns)
        + terrain_worth(position, player, now)
        + stones_worth(position, player, now)
        + _order(position, player, now)
    )


PARTS: Final = (
    "score",
    "animals",
    "cards",
    "stock",
    "offering",
    "honor",
    "terrain",
    "stones",
    "order",
)


def parts(position: Position, seat: int) -> list[float]:
    """What `evaluate` adds up, in the order of `PARTS`; not when the game is over."""
    player = position.players[seat]
    now = eclipse_to_come(position, seat)
    turns = turns_to_come(position, player)
    return [
        float(player.score),
        animals_worth(position, player, turns),
        _cards(position, player, turns, now),
        _stock(position, player, turns, now),
        offering_worth(position, player, turns, now),
        honor_worth(position, player, turns),
        terrain_worth(position, player, now),
        stones_worth(position, player, now),
        _order(position, player, now),
    ]


# --- cards ---


def _cards(position: Position, player: Player, turns: int, now: int) -> float:
    tables = position.tables
    round_ = position.round
    points = ahead(tables, round_, now).points
    rest = player.hand + player.discard + player.above + player.pile
    total = 0.0
    for card in player.buried:
        total += points[card]
    full = prices(tables, TURNS * ROUNDS).card_play
    in_deck = 0.0
    for card in player.deck:
        total += points[card]
        in_deck += full[card]
    in_rest = 0.0
    for card in rest:
        total += points[card]
        in_rest += full[card]
    rounds = ROUNDS - round_
    if rounds:
        draws = DRAWS_A_ROUND * rounds
        deck = len(player.deck)
        if draws <= deck:
            flow = in_deck * draws / deck
        else:
            again = (draws - deck) / max(deck + len(rest), 1)
            flow = in_deck * (1.0 + again) + in_rest * again
        total += flow * WEIGHTS.deck
    home = player.figures.count(0)
    stage = prices(tables, turns)
    if player.hand:
        if home:
            play = stage.card_play
            held = 0.0
            for card in player.hand:
                held += play[card]
            total += held
        elif rounds:
            held = 0.0
            for card in player.hand:
                held += full[card]
            total += held * WEIGHTS.kept_card
    if home and not player.figures[0] and player.chief != EMPTY:
        for ability in tables.chiefs[player.chief].abilities:
            total += WEIGHTS.chief * max(stage.ability(ability), 0.0)
    if now and player.pile:
        eclipse = prices(tables, TURNS * rounds).card_eclipse
        for card in player.pile:
            total += eclipse[card]
    return total


def _order(position: Position, player: Player, now: int) -> float:
    """Turn order by the Labor of figures at rest and of the Eclipse pile (ECL-02)."""
    if not now or (len(position.agenda) > 1 and position.agenda[1][0] == agenda.ECLIPSE):
        return 0.0
    labor = ahead(position.tables, position.round, now).labor
    own = 3.0 * player.figures.count(icons.REST)
    for card in player.pile:
        own += labor[card]
    if player.figures.count(0):
        own += 1.0
    before = 0.0
    for other in position.players:
        if other is player:
            continue
        theirs = 3.0 * other.figures.count(icons.REST) + 2.2 * len(other.pile)
        home = other.figures.count(0)
        theirs += 1.5 * home
        chance = 0.5 + (own - theirs) / (4.0 + 3.0 * home)
        before += min(max(chance, 0.0), 1.0)
    weight = WEIGHTS.order if position.round < ROUNDS else 0.6 * WEIGHTS.order
    return before * weight / math.sqrt(len(position.players) - 1)


# --- Food, Tools, Megaliths and Villages on the board, the Idol board ---


def _stock(position: Position, player: Player, turns: int, now: int) -> float:
    price = prices(position.tables, turns).icon
    food = player.food
    tools = player.tools
    total = 0.0
    if turns:
        total += price[icons.FOOD] * food * (1.0 - WEIGHTS.food_curve * food)
        total += price[icons.TOOL] * tools * (1.0 - WEIGHTS.tool_curve * tools)
    table = ahead(position.tables, position.round, now)
    placed = MEGALITHS - player.megaliths
    space = placed >> 1
    total += table.supply[space]
    if placed & 1:
        total += 0.4 * (table.supply[space + 1] - table.supply[space])
    if player.villages:
        total += (table.village + village_stones(position, player, now)) * len(player.villages)
    return total


def left_over_rate(position: Position, player: Player, turns: int) -> float:
    """Points for one more Food or Tool at the end of the game."""
    if turns > 2 or not player.offering:
        return 0.0
    rate = 1.0 / position.tables.offering[player.offering - 1].ratio
    return rate if not turns else 0.3 * rate


def offering_worth(position: Position, player: Player, turns: int, now: int) -> float:
    """FIN-01: Food and Tools at the end, by the ratio that the marker may reach."""
    track = position.tables.offering
    held = player.food + player.tools
    level = player.offering
    if not turns and not now:
        return float(held // track[level - 1].ratio) if level else 0.0
    stock = float(held)
    if turns:
        stock = 4.0 if turns > 2 else 3.0 + 0.3 * held
    reach = level + WEIGHTS.offering_rate * turns + 0.3 * now
    low = min(int(reach), len(track))
    high = min(low + 1, len(track))
    rate_low = 1.0 / track[low - 1].ratio if low else 0.0
    rate_high = 1.0 / track[high - 1].ratio
    return stock * (rate_low + (rate_high - rate_low) * (reach - int(reach))) + 0.25 * level


def honor_worth(position: Position, player: Player, turns: int) -> float:
    """The points still to come on the Honor track, and the chart for buried cards (FIN-02)."""
    tables = position.tables
    track = tables.honor
    level = player.honor
    reach = level + WEIGHTS.honor_rate * turns
    total = 0.0
    for step in range(level, min(int(reach), len(track))):
        total += track[step].points
    if reach < len(track):
        total += track[int(reach)].points * (reach - int(reach))
    buried = len(player.buried) + WEIGHTS.bury_rate * turns
    ahead_of_me = 0.0
    spread = 1.0 + 0.25 * turns
    queue = position.honor_queue
    for other in position.players:
        if other is player:
            continue
        lead = level - other.honor + 0.0
        if level and lead == 0:
            lead = 0.5 if queue.index(player.seat) < queue.index(other.seat) else -0.5
        chance = 0.5 - 0.5 * lead / spread
        ahead_of_me += min(max(chance, 0.0), 1.0)
    charts = tables.honor_charts
    place = min(int(ahead_of_me), len(charts) - 1)
    lower = min(place + 1, len(charts) - 1)
    share = ahead_of_me - int(ahead_of_me)
    chart = between(charts[place], buried) * (1.0 - share) + between(charts[lower], buried) * share
    if not level:
        chart *= min(0.15 * turns, 0.9)
    return total + chart


# --- Animals ---


def animals_worth(position: Position, player: Player, turns: int) -> float:
    """FIN-04, and what sets may still grow to; an odd Animal may be tipped instead."""
    if not player.animals:
        return 0.0
    tables = position.tables.animals
    total = float(scoring.animal_points(position, player))
    if not turns:
        return total
    price = prices(position.tables, turns)
    grow = WEIGHTS.set_growth * min(turns, 5) / 5.0
    best = 0.0
    second = 0.0
    last = -1
    for animal in player.animals:
        if animal == last:
            continue
        last = animal
        printed = tables[animal]
        if printed.wild:
            continue
        number = player.animals.count(animal)
        sets = printed.sets
        if number < len(sets):
            gain = float(sets[number] - sets[number - 1])
            if gain > best:
                best, second = gain, best
            elif gain > second:
                second = gain
        if number == 1:
            total += WEIGHTS.tip * max(price.pool(printed.tip) - sets[0], 0.0)
    return total + grow * (best + 0.6 * second)
