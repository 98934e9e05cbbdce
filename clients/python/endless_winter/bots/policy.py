"""A quick, plain way to play: what one would do without thinking ahead.

It ranks the options of a decision by what each brings at once and plans only the Labor of the turn
under way. The search (search.py) plays turns to their end with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.bots.benefits import NEVER
from endless_winter.bots.labor import BUYS
from endless_winter.bots.placing import Placing
from endless_winter.bots.weights import WEIGHTS
from endless_winter.bots.worth import CARD_ORDER
from endless_winter.rules import agenda, icons, options, turn
from endless_winter.rules.icons import REST
from endless_winter.rules.options import a_of, b_of, verb_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.rules.game import Game
    from endless_winter.rules.state import Player, Position

_AT_ONCE: Final = frozenset((options.USE, options.LEAD))
_LAST: Final = frozenset((options.BOTTOM, options.LEAD, options.END))
_MEANS: Final = frozenset((icons.FOOD, icons.TOOL, icons.LABOR, icons.DRAW))


class Policy(Placing):
    """The quick way to play for one seat."""

    def choose(self, game: Game) -> int:
        """The option that the policy takes."""
        legal = game.options()
        if len(legal) == 1:
            return legal[0]
        position = game.position
        kind = position.agenda[-1][0]
        player = position.players[self.seat]
        if kind == agenda.ACT:
            return self.act(position, player, legal)
        if kind == agenda.TURN:
            return self.place(position, player, legal)
        score = self._scorer(kind)
        best = legal[-1]
        most = NEVER
        for code in legal:
            worth = score(position, player, code)
            if worth > most:
                most = worth
                best = code
        return best

    def ranked(self, game: Game) -> list[tuple[float, int]]:
        """All options but those of ACT and TURN with what each brings, the best first."""
        position = game.position
        player = position.players[self.seat]
        score = self._scorer(position.agenda[-1][0])
        found = [(score(position, player, code), code) for code in game.options()]
        found.sort(key=lambda one: -one[0])
        return found

    # Scorers share the signature of `gain`.
    # ruff: noqa: ARG002

    def _scorer(self, kind: int) -> Callable[[Position, Player, int], float]:
        if kind == agenda.BUILD_PILE:
            return self._pile
        if kind == agenda.PAY_DISCARD:
            return self._discard
        if kind == agenda.CHOOSE_CHIEF:
            return self._chief
        if kind == agenda.CHOOSE_SETUP:
            return self._setup
        return self.gain

    def _pile(self, position: Position, player: Player, code: int) -> float:
        if verb_of(code) == options.DONE:
            return 0.0
        card = a_of(code)
        if position.tables.cards[card].era:
            return -1.0
        piled = self.eclipse[card] + CARD_ORDER * position.tables.cards[card].labor
        kept = self.full[card] * WEIGHTS.kept_card if self.rounds else 0.0
        return piled - kept

    def _discard(self, position: Position, player: Player, code: int) -> float:
        if verb_of(code) == options.PLAY:
            return NEVER
        return -self.held(position, a_of(code))

    def _chief(self, position: Position, player: Player, code: int) -> float:
        total = 0.0
        for ability in position.tables.chiefs[a_of(code)].abilities:
            worth = self.price.ability(ability)
            total += worth * 0.75 if ability.where else worth
        return total

    def _setup(self, position: Position, player: Player, code: int) -> float:
        card = position.tables.setups[a_of(code)]
        icon = self.icon
        total = card.food * icon[icons.FOOD] + card.tools * icon[icons.TOOL]
        total += 2.0 * len(card.animals) + self.full[position.tribe_cards[card.tribe]]
        return total + (1.5 if card.camp else 0.0)

    def place(self, position: Position, player: Player, legal: list[int]) -> int:
        """Culture cards that bring something, then the figure that brings most."""
        choice = self.culture_first(position, player, legal)
        if choice >= 0:
            return choice
        return self.placements(position, player, legal)[0][1]

    def placements(
        self, position: Position, player: Player, legal: list[int]
    ) -> list[tuple[float, int]]:
        """Every figure in every place with what it brings, the best first."""
        figures = self.figures(position, player)
        chief = self.chiefs(position, player)
        found: list[tuple[float, int]] = []
        for code in legal:
            if verb_of(code) == options.PLACE:
                place = b_of(code)
                worth = figures[place]
                if a_of(code) == turn.CHIEF_FIGURE:
                    worth += chief[place]
                found.append((worth, code))
        found.sort(key=lambda one: -one[0])
        return found

    def culture_first(self, position: Position, player: Player, legal: list[int]) -> int:
        """The Culture card that brings most now; -1: none is better played than kept."""
        best = 0.3
        choice = -1
        for code in legal:
            if verb_of(code) == options.CULTURE:
                worth = self.culture(position, player, a_of(code))
                if worth > best:
                    best = worth
                    choice = code
        return choice

    def act(self, position: Position, player: Player, legal: list[int]) -> int:
        """Step 2: means first, then what Labor buys, the Chief, the middle, the bottom, the end."""
        plays: list[int] = []
        eats: list[int] = []
        last: list[int] = []  # the Chief, the bottom
        best_buy = 0.0
        buy = -1
        best_middle = 0.05
        middle = -1
        for code in legal:
            verb = verb_of(code)
            if verb == options.PLAY:
                plays.append(code)
            elif verb == options.EAT:
                eats.append(code)
            elif verb in _AT_ONCE and self._at_once(position, player, code):
                return code
            elif verb in BUYS:
                worth = self.buy(position, player, code)
                if worth > best_buy:
                    best_buy = worth
                    buy = code
            elif verb in _LAST:
                last.append(code)
            elif verb != options.USE:
                worth = self.middle(position, player, code)
                if worth > best_middle:
                    best_middle = worth
                    middle = code
        if buy >= 0:
            return buy
        if position.section == turn.TOP and position.place != REST:
            supply = self.supply(position, player, plays, eats)
            if supply >= 0:
                return supply
        # The Chief stands behind the bottom in the list and has time until the end of step 2.
        if middle >= 0:
            return middle
        return last[0] if last else legal[0]

    def _at_once(self, position: Position, player: Player, code: int) -> bool:
        """An ability that brings something and the Chief's means for this turn's actions."""
        if verb_of(code) == options.USE:
            return self.ability(position, player, b_of(code), a_of(code)) > 0.1
        return self._brings_means(position, player, a_of(code))

    def _brings_means(self, position: Position, player: Player, number: int) -> bool:
        """Whether the Chief brings what this turn's actions are paid with."""
        pool = position.tables.chiefs[player.chief].abilities[number].gains
        return any(icon in _MEANS for icon in pool[::2])
