"""Where a figure pays: what each column would bring, without playing it out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.bots import river
from endless_winter.bots.labor import Labor
from endless_winter.bots.prices import ROUNDS
from endless_winter.bots.weights import WEIGHTS
from endless_winter.rules import actions, board, icons, options, turn
from endless_winter.rules.icons import REST
from endless_winter.rules.options import option
from endless_winter.rules.zones import EMPTY, distinct

if TYPE_CHECKING:
    from endless_winter.rules.state import Player, Position

PLACES: Final = 1 + max(icons.HUNT, REST)
# Found by comparing with what a turn played to its end brings.
_REST_ORDER: Final = 0.35  # of the price of a place in turn order: 3 Labor for it


class Placing(Labor):
    """Adds what a figure brings."""

    def figures(self, position: Position, player: Player) -> list[float]:
        """By place: the best that the turn of a figure there may bring."""
        found = [0.0] * PLACES
        self.home -= 1  # cards that are not spent now are for the turns after this one
        for place in range(icons.INITIATE, icons.HUNT + 1):
            position.place = place
            found[place] = self._column(position, player)
        position.place = REST
        found[REST] = self._rest(position, player)
        position.place = 0
        self.home += 1
        return found

    def chiefs(self, position: Position, player: Player) -> list[float]:
        """By place: what the Chief brings there besides, its ability being lost elsewhere."""
        found = [0.0] * PLACES
        if player.chief == EMPTY:
            return found
        for ability in position.tables.chiefs[player.chief].abilities:
            lost = WEIGHTS.chief * max(self.price.ability(ability), 0.0)
            for place in range(1, PLACES):
                if turn.works_here(ability.where, place):
                    found[place] += max(self.pool(position, player, ability.gains), 0.0)
                found[place] -= lost
        return found

    def _rest(self, position: Position, player: Player) -> float:
        """A card, an Animal to tip, and 3 Labor for turn order (RST-01, ECL-02)."""
        worth = self._draw(player) + self._best_tip(position, player)
        weight = WEIGHTS.order if position.round < ROUNDS else 0.6 * WEIGHTS.order
        return worth + _REST_ORDER * weight

    def _column(self, position: Position, player: Player) -> float:
        place = position.place
        cards = position.tables.cards
        worth = 0.0
        plays = [
            option(options.PLAY, card) for card in distinct(player.hand) if not cards[card].era
        ]
        eats = [
            option(options.EAT, player.food - step + 1)
            for step in position.tables.food_labor
            if step <= player.food
        ]
        sources = self.sources(position, player, plays, eats)
        worth += self.plan(position, self._all_wishes(position, player), sources)[0]
        worth += self._middle(position, player)
        if not position.first[place]:
            worth += self.pool(position, player, turn.BOTTOMS[place])
        return worth

    def _all_wishes(self, position: Position, player: Player) -> list[float]:
        """With Camps that are still to be placed: a Tool and a Labor bring one to a hex."""
        found = self.wishes(position, player)
        if position.place == icons.MIGRATE:
            new = min(player.tools, board.CAMPS - len(player.camps))
            best = 0.0
            for hex_ in river.steps(position, player, self.camp_home) if new else b"":
                best = max(best, self.arrive(position, player, hex_))
            found += [best * 0.8 + self.tools(player, -1)] * new
            found.sort(reverse=True)
        return found

    def _middle(self, position: Position, player: Player) -> float:
        place = position.place
        best = 0.0
        if place == icons.INITIATE:
            if player.food >= actions.RITE.food:
                best = self.best_recruit(position) + self.best_bury(position, player)
                best += self.food(player, -actions.RITE.food)
        elif place == icons.DEVELOP:
            for stone in board.stones_on_offer(position, player):
                best = max(best, self.stone(position, player, stone))
        elif place == icons.MIGRATE:
            if player.food >= actions.SETTLE.food and board.village_sites(position, player):
                best = self.village(position, player, actions.SETTLE.food)
        else:
            best = self._best_tip(position, player)
        return max(best, 0.0)

    def _best_tip(self, position: Position, player: Player) -> float:
        best = 0.0
        for animal in distinct(player.animals):
            best = max(best, self.tip(position, player, animal))
        return best
