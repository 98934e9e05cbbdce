"""What a benefit, an ability or a whole pool of icons would bring here and now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.bots import evaluation
from endless_winter.bots.weights import WEIGHTS
from endless_winter.bots.worth import Worth
from endless_winter.rules import board, gains, icons, options
from endless_winter.rules.board import food_room, holds
from endless_winter.rules.modules.mammoth import MAMMOTH
from endless_winter.rules.modules.warriors import RAID
from endless_winter.rules.options import a_of, b_of, source_of, verb_of
from endless_winter.rules.rivers import codes
from endless_winter.rules.tables import STN_TIPPED_OF, STN_TIPPED_TYPES
from endless_winter.rules.turn import BETWEEN
from endless_winter.rules.zones import EMPTY, without

if TYPE_CHECKING:
    from endless_winter.rules.state import Player, Position

NEVER: Final = -99.0
_FIRST: Final = 0.02  # among equals


class Benefits(Worth):
    """Adds the benefits to what single things are worth."""

    def tip(self, position: Position, player: Player, animal: int) -> float:
        key = (2, player.animals, animal)
        lost = self._memo.get(key)
        if lost is None:
            own = player.animals
            before = evaluation.animals_worth(position, player, self.turns)
            player.animals = without(own, animal)
            lost = before - evaluation.animals_worth(position, player, self.turns)
            player.animals = own
            for stone in player.stones:
                printed = position.tables.stones[stone]
                if printed.kind == STN_TIPPED_OF and printed.param & 1 << animal:
                    lost -= 2.0 * (self.rounds + self.now)
                elif printed.kind == STN_TIPPED_TYPES and animal not in player.tipped:
                    lost -= 1.0 * (self.rounds + self.now)
            self._memo[key] = lost
        return self.pool(position, player, position.tables.animals[animal].tip) - lost

    def pool(self, position: Position, player: Player, pool: bytes) -> float:
        """What a pool would bring here: prices, without what would be lost."""
        total = 0.0
        icon = self.icon
        for at in range(0, len(pool), 2):
            kind = pool[at]
            amount = pool[at + 1]
            if kind == icons.FOOD:
                total += self.food(player, amount)
            elif kind == icons.TOOL:
                total += self.tools(player, amount)
            elif kind == icons.FEAST:
                total += self.food(player, food_room(player))
            elif kind == icons.BURY:
                total += amount * self.best_bury(position, player)
            elif kind == icons.VILLAGE:
                if gains.pool_possible(position, player, pool[at : at + 2]):
                    total += self.village(position, player, 0)
            elif kind == icons.TIP:
                best = 0.0
                for animal in player.animals:
                    best = max(best, self.tip(position, player, animal))
                total += best
            elif kind == icons.ANIMAL:
                best = 0.0
                for animal in position.grounds:
                    if animal != EMPTY:
                        best = max(best, self.animal(position, player, animal))
                total += best
            elif kind == icons.STONE:
                best = 0.0
                for stone in board.stones_on_offer(position, player):
                    best = max(best, self.stone(position, player, stone))
                total += best
            else:
                total += icon[kind] * amount
        return total

    def ability(self, position: Position, player: Player, number: int, card: int) -> float:
        """An ability of a card, used now."""
        ability = position.tables.cards[card].abilities[number]
        if ability.when and not holds(position, player, ability):
            return 0.0
        if not gains.usable(position, player, ability):
            return 0.0
        return self.pool(position, player, ability.gains) - self.cost(player, ability.cost)

    def culture(self, position: Position, player: Player, card: int) -> float:
        """Playing a Culture card now, against keeping it."""
        total = 0.0
        for number in range(len(position.tables.cards[card].abilities)):
            total += max(self.ability(position, player, number, card), 0.0)
        if position.cultures_played:
            others = [self.held(position, other) for other in without(player.hand, card)]
            total -= min(others, default=0.0)
        return total

    def gain(self, position: Position, player: Player, code: int) -> float:
        """What an option that takes a benefit brings."""
        verb = verb_of(code)
        a = a_of(code)
        if verb == options.LEAVE:
            return 0.0
        if verb == options.MEGALITH:
            return self.megalith(position, player, a)
        if verb == options.AS:
            return self._lesser(position, player, b_of(code))
        if verb == options.MOVE:
            return self.move(position, player, a, b_of(code))
        if verb == options.BURY:
            return self.bury(position, player, a, b_of(code))
        if verb == options.OFFERING:
            return self.idol(position, player, honor=False)
        if verb == options.HONOR:
            return self.idol(position, player, honor=True)
        if verb == options.TOOLS:
            return self.tools(player, a) + self.food(player, b_of(code))
        if verb == options.TIP:
            return self.tip(position, player, a)
        if verb == options.PAY:
            return self._paid(position, player, code)
        if verb == options.DRAW:
            return self._draw(player)
        if verb in BETWEEN:
            return self._between(position, player, code)
        if verb == RAID:
            return self.raid(position, player, code)
        if verb in codes.WORDS:
            return self._on_the_river(position, player, code)
        return self._piece(position, player, verb, a)

    def _between(self, position: Position, player: Player, code: int) -> float:
        """Something else of step 2 first: only a card's ability; the rest has time until later."""
        if verb_of(code) == options.USE:
            return self.ability(position, player, b_of(code), a_of(code))
        return NEVER

    def _piece(self, position: Position, player: Player, verb: int, a: int) -> float:
        """The rarer ones."""
        if verb == options.ANIMAL:
            return self.animal(position, player, a)
        if verb == MAMMOTH:
            return self.mammoth(position, player, a)
        if verb == options.TRIBE:
            return self.tribe_card(position, a, to_hand=True)
        if verb == options.RECRUIT:
            return self.tribe_card(position, a, to_hand=False)
        if verb == options.TAKE:
            return self.new_card(position, a, to_hand=True)
        if verb == options.STONE:
            return self.stone(position, player, a)
        if verb == options.VILLAGE:
            return self.village(position, player, 0)
        if verb == options.FOOD:
            return self.food(player, a) + _FIRST
        if verb == options.FEAST:
            return self.food(player, food_room(player))
        if verb == options.CAMP:
            return self.icon[icons.CAMP] + _FIRST
        if verb == options.BEAST:
            return self.icon[icons.BEAST]
        if verb == options.SCORE:
            return 0.005  # after everything that might still raise it
        if verb == options.TOKEN:
            return 0.0 if a else 0.1
        return 0.1

    def _on_the_river(self, position: Position, player: Player, code: int) -> float:
        """What only Rivers & Rafts has."""
        verb, a, b = verb_of(code), a_of(code), b_of(code)
        if verb == codes.RAFT:
            return self.sail(position, player, a, b)
        if verb == codes.VILLAGE_WITH_RAFT:
            return self.village(position, player, 0)
        if verb == codes.CAMP_AT_RAFT:
            return self.icon[icons.CAMP] + self.camp_at_raft(position, player)
        if verb == codes.FISH:
            return self.icon[codes.FISH_ICON] * a
        if verb == codes.LANDMARK:
            return 0.005  # as with a Stone
        if verb == codes.ATTACH:
            hexes = self.table.hexes
            return hexes[position.terrain[a]] + hexes[position.terrain[b]]
        return 0.1

    def _draw(self, player: Player) -> float:
        if not (player.deck or player.discard):
            return 0.0
        if self.home:
            return self.average * 0.95
        return self.average * WEIGHTS.kept_card if self.rounds else 0.02

    def _lesser(self, position: Position, player: Player, form: int) -> float:
        if form == options.AS_FOOD:
            return self.food(player, 1)
        if form == options.AS_TOOL:
            return self.tools(player, 1)
        if form == options.AS_OFFERING:
            return self.idol(position, player, honor=False)
        if form == options.AS_HONOR:
            return self.idol(position, player, honor=True)
        return self._draw(player)

    def _paid(self, position: Position, player: Player, code: int) -> float:
        """The option to pay a source's cost: a card of the pile or an ability just played."""
        source = source_of(code)
        number = source & 255
        if source >> 8 == options.CARD:
            card = number
            for at, ability in enumerate(position.tables.cards[card].abilities):
                if ability.where == icons.ECLIPSE:
                    return self.ability(position, player, at, card)
            return 0.0
        if source >> 8 == options.ABILITY:
            return self.ability(position, player, number, position.agenda[-1][2])
        return 0.2
