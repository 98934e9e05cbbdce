"""What things are worth to a seat here: the next Animal of a set, a card to bury, a hex."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.bots import evaluation, land, river
from endless_winter.bots.ahead import ahead, eclipse_to_come, turns_to_come
from endless_winter.bots.prices import ROUNDS, TURNS, prices
from endless_winter.bots.weights import WEIGHTS
from endless_winter.rules import agenda, icons, options
from endless_winter.rules.board import MAX_TOOLS, camp_home, food_room
from endless_winter.rules.megaliths import BOARD_SITES
from endless_winter.rules.tables import STN_VILLAGES_TOUCHING
from endless_winter.rules.terrain import ADJACENT, HEXES, JUNCTURES
from endless_winter.rules.zones import with_piece

if TYPE_CHECKING:
    from endless_winter.rules.state import Player, Position

_SITE: Final = 0.7  # a Megalith that leaves the supply, besides what its place brings
_SPITE: Final = 0.2  # of a benefit: another seat does not get it
CARD_ORDER: Final = 0.08  # a half of Labor in the Eclipse pile, for turn order


class Worth:
    """For one seat, with what it knew when this was made.

    It is made once for a decision and used for all positions that are looked at, so what the
    others have is as it was; what the seat itself has is looked up anew.
    """

    def __init__(self, position: Position, seat: int) -> None:
        player = position.players[seat]
        tables = position.tables
        self.seat = seat
        self.turns = turns_to_come(position, player)
        self.now = eclipse_to_come(position, seat)
        self.home = player.figures.count(0)
        self.rounds = ROUNDS - position.round
        self.price = prices(tables, self.turns)
        self.icon = self.price.icon
        self.table = ahead(tables, position.round, self.now)
        self.full = prices(tables, TURNS * ROUNDS).card_play
        self.eclipse = prices(tables, TURNS * self.rounds).card_eclipse
        self.most = land.influence_to_reach(position, player)
        self.times = land.benefit_times(position)
        self.camp_home = camp_home(position)
        self._memo: dict[tuple[int, bytes, int], float] = {}
        self._arrivals = [-1.0] * (HEXES + 1)  # not looked up yet
        self._camps = b""
        self._villages = b""
        self.food_price = self.icon[icons.FOOD] if self.turns else 0.0
        self.tool_price = self.icon[icons.TOOL] if self.turns else 0.0
        self.left_over = evaluation.left_over_rate(position, player, self.turns)
        self._flow(player)

    def _flow(self, player: Player) -> None:
        """How often a card of the discard pile will be drawn, and what an average card does."""
        cycle = player.hand + player.deck + player.discard + player.above + player.pile
        draws = evaluation.DRAWS_A_ROUND * self.rounds - len(player.deck)
        self.flow = WEIGHTS.deck * max(draws, 0.0) / (len(cycle) + 1)
        total = 0.0
        for card in cycle:
            total += self.full[card]
        self.average = total / max(len(cycle), 1)

    def food(self, player: Player, amount: int) -> float:
        """So much more Food; a negative amount: less."""
        kept = min(amount, food_room(player))
        curve = 1.0 - WEIGHTS.food_curve * (2 * player.food + kept)
        return kept * (self.food_price * curve + self.left_over)

    def tools(self, player: Player, amount: int) -> float:
        kept = min(amount, MAX_TOOLS - player.tools)
        curve = 1.0 - WEIGHTS.tool_curve * (2 * player.tools + kept)
        return kept * (self.tool_price * curve + self.left_over)

    def cost(self, player: Player, cost: bytes) -> float:
        total = 0.0
        for at in range(0, len(cost), 2):
            if cost[at] == icons.FOOD:
                total -= self.food(player, -cost[at + 1])
            elif cost[at] == icons.TOOL:
                total -= self.tools(player, -cost[at + 1])
            else:
                total += self.icon[icons.DISCARD] * cost[at + 1]
        return total

    def held(self, position: Position, card: int) -> float:
        """A card in hand: to be played in a turn to come, kept, or put on the Eclipse pile."""
        if self.home:
            return self.price.card_play[card]
        kept = self.full[card] * WEIGHTS.kept_card if self.rounds else 0.0
        if position.tables.cards[card].era:
            return kept
        piled = self.eclipse[card] + CARD_ORDER * position.tables.cards[card].labor
        return max(kept, piled)

    def new_card(self, position: Position, card: int, *, to_hand: bool) -> float:
        worth = self.table.points[card] + self.flow * (self.full[card] - self.average)
        return worth + self.held(position, card) if to_hand else worth

    def tribe_card(self, position: Position, card: int, *, to_hand: bool) -> float:
        if not position.tribes[position.tribe_cards.index(card)]:
            return 1.0  # INI-02
        return self.new_card(position, card, to_hand=to_hand)

    def best_recruit(self, position: Position) -> float:
        best = 0.0
        for card in position.tribe_cards:
            best = max(best, self.tribe_card(position, card, to_hand=False))
        return best

    def bury(self, position: Position, player: Player, card: int, zone: int) -> float:
        """A card under the Burial Cap: the chart's next step, without the card's further use."""
        key = (0, player.buried, 0)
        step = self._memo.get(key)
        if step is None:
            before = evaluation.honor_worth(position, player, self.turns)
            buried = player.buried
            player.buried = buried + b"\0"
            step = evaluation.honor_worth(position, player, self.turns) - before
            player.buried = buried
            self._memo[key] = step
        lost = self.flow * (self.full[card] - self.average)
        if zone == options.FROM_HAND:
            lost += self.held(position, card)
        elif zone == options.FROM_PILE and _still_to_use(position, card):
            lost += self.eclipse[card]
        return step - lost

    def best_bury(self, position: Position, player: Player) -> float:
        best = 0.0
        last = -1
        for card in player.discard:
            if card != last:
                last = card
                best = max(best, self.bury(position, player, card, options.FROM_DISCARD))
        for card in player.above:
            best = max(best, self.bury(position, player, card, options.FROM_ABOVE))
        if not best:
            for card in player.hand:
                best = max(best, self.bury(position, player, card, options.FROM_HAND))
        return best

    def animal(self, position: Position, player: Player, animal: int) -> float:
        """One more of this type."""
        key = (1, player.animals, animal)
        worth = self._memo.get(key)
        if worth is None:
            own = player.animals
            before = evaluation.animals_worth(position, player, self.turns)
            player.animals = with_piece(own, animal)
            worth = evaluation.animals_worth(position, player, self.turns) - before
            player.animals = own
            self._memo[key] = worth
        return worth

    def stone(self, position: Position, player: Player, stone: int) -> float:
        key = (3, player.stones, stone)
        worth = self._memo.get(key)
        if worth is None:
            space = position.tables.stone_spaces[len(player.stones)]
            worth = land.stone_worth(position, player, position.tables.stones[stone], self.now)
            worth += self.price.pool(space.benefit)
            worth += self.food(player, -space.food) + self.tools(player, -space.tools)
            self._memo[key] = worth
        return worth

    def idol(self, position: Position, player: Player, *, honor: bool) -> float:
        key = (4 if honor else 5, bytes((player.honor, player.offering)), 0)
        worth = self._memo.get(key)
        if worth is not None:
            return worth
        if honor:
            before = evaluation.honor_worth(position, player, self.turns)
            player.honor += 1
            queue = position.honor_queue
            if player.seat not in queue:
                position.honor_queue = queue + bytes((player.seat,))
            worth = evaluation.honor_worth(position, player, self.turns) - before
            worth += position.tables.honor[player.honor - 1].points
            player.honor -= 1
            position.honor_queue = queue
        elif player.offering == len(position.tables.offering):
            worth = 1.0
        else:
            before = evaluation.offering_worth(position, player, self.turns, self.now)
            player.offering += 1
            worth = evaluation.offering_worth(position, player, self.turns, self.now) - before
            worth += self.price.pool(position.tables.offering[player.offering - 1].benefit)
            player.offering -= 1
        self._memo[key] = worth
        return worth

    def move(self, position: Position, player: Player, start: int, end: int) -> float:
        """A Camp from hex to hex: leads won and lost, and better hexes beyond."""
        return self.arrive(position, player, end) - self._depart(position, player, start)

    def arrive(self, position: Position, player: Player, hex_: int) -> float:
        """One more Camp of the own on a hex; remembered as long as Camps and Villages stay."""
        if player.camps is not self._camps or player.villages is not self._villages:
            self._camps = player.camps
            self._villages = player.villages
            self._arrivals = [-1.0] * (HEXES + 1)
        if self._arrivals[hex_] < 0.0:
            self._arrivals[hex_] = self._arrive(position, player, hex_)
        return self._arrivals[hex_]

    def _arrive(self, position: Position, player: Player, hex_: int) -> float:
        hexes = self.table.hexes
        terrain = position.terrain
        if hex_ == self.camp_home:
            return 0.0
        own = _influence(player, hex_)
        most = self.most[hex_]
        worth = 0.05
        if own + 1 >= most and own < max(most, 1):
            worth = hexes[terrain[hex_]] * self.times[hex_]
        for beyond in ADJACENT[hex_]:
            if beyond != self.camp_home and self.most[beyond] <= 1 and beyond not in player.camps:
                worth = max(worth, 0.35 * hexes[terrain[beyond]])
        return worth

    def _depart(self, position: Position, player: Player, hex_: int) -> float:
        if hex_ == self.camp_home:
            return WEIGHTS.base_camp * 0.5 if self.turns else 0.0
        own = _influence(player, hex_)
        most = self.most[hex_]
        if own >= most and own - 1 < max(most, 1):
            return self.table.hexes[position.terrain[hex_]] * self.times[hex_]
        return 0.0

    def sail(self, position: Position, player: Player, start: int, end: int) -> float:
        """The own Raft from place to place of the river."""
        if not self.now or not WEIGHTS.rafts:
            return -0.1
        worth = river.worth_at(position, player, end, self.most)
        return worth - river.worth_at(position, player, start, self.most)

    def camp_at_raft(self, position: Position, player: Player) -> float:
        """A new Camp on the hex of the Raft: where else it would have to walk to."""
        worth = self.arrive(position, player, river.raft_hex(position, player))
        return max(worth, WEIGHTS.base_camp)

    def raid(self, position: Position, player: Player, code: int) -> float:
        """Another seat's Camp from hex to hex: a lead won, none given away (RAF-15)."""
        hexes = self.table.hexes
        start, end = options.a_of(code), options.b_of(code)
        owner = position.players[options.c_of(code)]
        there = hexes[position.terrain[start]] * self.times[start]
        own = _influence(player, start)
        theirs = _influence(owner, start)
        worth = 0.05
        if theirs >= self.most[start] and theirs > own:
            worth += there if own and own == theirs - 1 else _SPITE * there
        own = _influence(player, end)
        if own and own >= self.most[end] and _influence(owner, end) == own:
            worth -= hexes[position.terrain[end]] * self.times[end]
        return worth

    def mammoth(self, position: Position, player: Player, juncture: int) -> float:
        """The Mammoth here: hexes led in spite of it count twice, others not at all (MAM-02)."""
        most = land.influence_of_others(position, player)
        worth = self._contested(position, player, most, JUNCTURES[juncture])
        # The hexes that it leaves are as they were without it.
        left = [hex_ for hex_, times in enumerate(self.times) if times > 1]
        return worth - self._contested(position, player, most, bytes(left))

    def _contested(
        self, position: Position, player: Player, most: list[int], hexes: bytes
    ) -> float:
        total = 0.0
        for hex_ in hexes:
            own = _influence(player, hex_)
            worth = self.table.hexes[position.terrain[hex_]]
            if own and own >= most[hex_]:
                total += worth if own >= position.round else -worth
            elif most[hex_]:
                total += _SPITE * (worth if most[hex_] < position.round else -worth)
        return total

    def village(self, position: Position, player: Player, food: int) -> float:
        worth = self.table.village + 0.6 * self.rounds + 0.3 + self.food(player, -food)
        worth += land.village_stones(position, player, self.now)
        for stone in player.stones:
            if position.tables.stones[stone].kind == STN_VILLAGES_TOUCHING:
                worth += 1.2 * (self.rounds + self.now)
        return worth

    def megalith(self, position: Position, player: Player, site: int) -> float:
        if site < BOARD_SITES:
            return _SITE + self.price.space[position.tiles[site >> 3]][site & 7]
        points = 0.0
        for below in position.sites.below[site]:
            points += 2.0 if position.megaliths[below] == 2 + player.seat else 0.9
        return _SITE + points


def _influence(player: Player, hex_: int) -> int:
    own = player.camps.count(hex_)
    for juncture in player.villages:
        if hex_ in JUNCTURES[juncture]:
            own += 2
    return own


def _still_to_use(position: Position, card: int) -> bool:
    """Whether the Eclipse ability of a card in the pile is still to come."""
    return any(frame[0] == agenda.ECLIPSE_CARDS and card in frame[3] for frame in position.agenda)
