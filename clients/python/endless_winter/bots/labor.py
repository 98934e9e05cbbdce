"""Planning the Labor of a turn: what it could buy, and which cards or Food to spend on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

from endless_winter.bots import river
from endless_winter.bots.benefits import Benefits
from endless_winter.bots.weights import WEIGHTS
from endless_winter.rules import actions, board, icons, options, turn
from endless_winter.rules.modules.mammoth import DRIVE
from endless_winter.rules.options import a_of, b_of, verb_of
from endless_winter.rules.rivers import area, codes
from endless_winter.rules.zones import EMPTY

if TYPE_CHECKING:
    from endless_winter.rules.state import Player, Position

BUYS: Final = frozenset(
    (
        options.HUNT,
        options.HUNT_POINT,
        options.REVEAL_TWO,
        options.DEVELOP,
        options.INITIATE,
        options.TRAVEL,
        options.PITCH,
        DRIVE,
        codes.SAIL,
        codes.PITCH_AT_RAFT,
    )
)

# A half of Labor costs so much, all of it, halves, the option: a card to play or Food to eat.
Source: TypeAlias = tuple[float, float, int, int]


class Labor(Benefits):
    """Adds the actions of step 2."""

    def buy(self, position: Position, player: Player, code: int) -> float:
        """What an action of the top section brings, its Tool paid, its Labor being there."""
        verb = verb_of(code)
        a = a_of(code)
        tool = -self.tools(player, -1)
        if verb == options.HUNT:
            return self.animal(position, player, a) - tool
        if verb == options.DEVELOP:
            return self.new_card(position, a, to_hand=True)
        if verb == options.INITIATE:
            return self.tribe_card(position, a, to_hand=True) - tool
        if verb == options.TRAVEL:
            return self.move(position, player, a, b_of(code))
        if verb == options.PITCH:
            return self._pitch(position, player) - tool
        if verb == options.HUNT_POINT:
            return 1.0 - tool
        if verb == codes.SAIL:
            return self.sail(position, player, a, b_of(code))
        if verb == codes.PITCH_AT_RAFT:
            return self.camp_at_raft(position, player) - tool
        if verb == DRIVE:
            return 0.5 * self.mammoth(position, player, a)  # for twice the Labor
        return 0.4 if position.labor >= 4 and player.tools and not _any(position.grounds) else -0.1

    def _pitch(self, position: Position, player: Player) -> float:
        """A Camp onto the Base: worth the best hex beside it if there is Labor to go there."""
        best = 0.0
        if position.labor >= actions.TRAVEL.labor or (player.hand and self.turns):
            for hex_ in river.steps(position, player, self.camp_home):
                best = max(best, self.arrive(position, player, hex_))
        return max(best * 0.8, WEIGHTS.base_camp)

    def middle(self, position: Position, player: Player, code: int) -> float:
        verb = verb_of(code)
        if verb == options.RITE:
            worth = self.best_recruit(position) + self.best_bury(position, player)
            return worth + self.food(player, -actions.RITE.food)
        if verb in (options.SETTLE, codes.SETTLE_WITH_RAFT):
            return self.village(position, player, actions.SETTLE.food)
        return self.gain(position, player, code)

    def wishes(self, position: Position, player: Player) -> list[float]:
        """What more Labor could buy in this column, the best first."""
        place = position.place
        tool = -self.tools(player, -1)
        most = len(position.display)
        found: list[float] = []
        if place == icons.HUNT:
            most = player.tools
            found = [
                self.animal(position, player, animal) - tool
                for animal in position.grounds
                if animal != EMPTY
            ]
        elif place == icons.INITIATE:
            most = player.tools
            found = [
                self.tribe_card(position, card, to_hand=True) - tool
                for deck, card in enumerate(position.tribe_cards)
                if not position.taken & 1 << deck
            ]
        elif place == icons.DEVELOP:
            found = [
                self.new_card(position, card, to_hand=True)
                for card in position.display
                if card != EMPTY
            ]
        elif place == icons.MIGRATE:
            found = self._moves(position, player)
        found.sort(reverse=True)
        return found[:most]

    def _moves(self, position: Position, player: Player) -> list[float]:
        """The best single move of each Camp, to different hexes."""
        found: list[float] = []
        taken: set[int] = set()
        for start in player.camps:
            best = 0.0
            where = -1
            for end in river.steps(position, player, start):
                if end not in taken:
                    worth = self.move(position, player, start, end)
                    if worth > best:
                        best = worth
                        where = end
            if where >= 0:
                taken.add(where)
                found.append(best)
        if position.modules:
            found += self._sails(position, player)
        return found

    def _sails(self, position: Position, player: Player) -> list[float]:
        """The best move of the Raft, if there is one."""
        index = area.index_of(position)
        if index < 0:
            return []
        start = area.raft_of(position, index, player.seat)
        ends = range(start + 1, area.DELTA + 1)
        return [max((self.sail(position, player, start, end) for end in ends), default=0.0)]

    def _reserve(self, position: Position, player: Player) -> int:
        """Food that the middle section will want."""
        place = position.place
        if place == icons.INITIATE:
            return actions.RITE.food
        if place == icons.DEVELOP:
            for stone in board.stones_on_offer(position, player):
                if self.stone(position, player, stone) > 0.0:
                    return position.tables.stone_spaces[len(player.stones)].food
        elif place == icons.MIGRATE and len(player.camps) >= board.VILLAGE_CAMPS:
            return actions.SETTLE.food
        return 0

    def supply(self, position: Position, player: Player, plays: list[int], eats: list[int]) -> int:
        """The card to play or Food to eat next for what is wished for; -1 if it does not pay."""
        wishes = self.wishes(position, player)
        if not wishes or wishes[0] <= 0.0:
            return -1
        return self.plan(position, wishes, self.sources(position, player, plays, eats))[1]

    def sources(
        self, position: Position, player: Player, plays: list[int], eats: list[int]
    ) -> list[Source]:
        """The cards and the Food that Labor can come from, the cheapest first."""
        found: list[Source] = []
        for code in plays:
            card = a_of(code)
            halves = labor_here(position, card)
            if not halves:
                continue
            cost = self.held(position, card)
            found += [(cost / halves, cost, halves, code)] * player.hand.count(card)
        if eats:
            food = -self.food(player, -1)
            least = min(a_of(code) for code in eats)
            spare = player.food - self._reserve(position, player)
            code = next(code for code in eats if a_of(code) == least)
            amount = least
            while amount <= spare:
                found.append((food * amount / 2, food * amount, 2, code))
                spare -= amount
                amount = 2
        found.sort()
        return found

    def plan(
        self, position: Position, wishes: list[float], sources: list[Source]
    ) -> tuple[float, int]:
        """How much of what is wished for pays, what that brings, and what to spend first for it.

        Nothing to spend (-1) also if the Labor at hand is enough for what pays.
        """
        unit = actions.DEVELOP.labor if position.place == icons.DEVELOP else actions.TRAVEL.labor
        best = 0.0
        first = -1
        have = position.labor
        worth = 0.0
        paid = 0.0
        used = 0
        for number, wish in enumerate(wishes, 1):
            if wish <= 0.0:
                break
            worth += wish
            while have < number * unit and used < len(sources):
                paid += sources[used][1]
                have += sources[used][2]
                used += 1
            if have < number * unit:
                break
            if worth - paid > best and used:
                best = worth - paid
                first = sources[0][3]
        return best, first


def labor_here(position: Position, card: int) -> int:
    """The halves of Labor that a card gives in the column of this turn."""
    printed = position.tables.cards[card]
    halves = printed.labor
    for ability in printed.abilities:
        if (
            not ability.cost
            and ability.gains[0] == icons.LABOR
            and turn.works_here(ability.where, position.place)
        ):
            halves += ability.gains[1]
    return halves


def _any(grounds: bytes) -> bool:
    return grounds.count(EMPTY) < len(grounds)
