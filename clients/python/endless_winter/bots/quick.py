"""The bot `quick`: it looks ahead where that pays most, and goes by the policy elsewhere.

A look to the end of the turn where a figure is placed or a benefit is taken makes most of the
points that a look at every decision makes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.bots import search
from endless_winter.bots.policy import Policy
from endless_winter.bots.search import Choice
from endless_winter.rules import agenda, options
from endless_winter.rules.options import verb_of

if TYPE_CHECKING:
    from endless_winter.rules.game import Game

LOOKS: Final = (agenda.TURN, agenda.GAIN)
PLACES: Final = 3  # for a figure that `play_on` looks at
# Of these the policy finds the best as well: a look changed 4 of 215 such choices.
KNOWN: Final = frozenset((options.BURY, options.RECRUIT, options.REVEAL, options.SCORE))


def choose(game: Game) -> list[Choice]:
    """The options that were looked at, the best first."""
    kind, seat = game.position.agenda[-1][:2]
    if kind in LOOKS:
        return search.choose(game)
    return [Choice(Policy(game.position, seat).choose(game), 0.0)]


def play_on(game: Game, policy: Policy) -> int:
    """The same with fewer options looked at, for worlds that are played on by the thousand."""
    legal = game.options()
    if len(legal) == 1:
        return legal[0]
    position = game.position
    kind = position.agenda[-1][0]
    if kind == agenda.TURN:
        player = position.players[policy.seat]
        culture = policy.culture_first(position, player, legal)
        if culture >= 0:
            return culture
        ranked = policy.placements(position, player, legal)[:PLACES]
    elif kind == agenda.GAIN:
        ranked = policy.ranked(game)[: search.TRIED]
        if verb_of(ranked[0][1]) in KNOWN:
            return ranked[0][1]
        least = ranked[0][0] - search.CLOSE
        ranked = [one for one in ranked if one[0] >= least]
    else:
        return policy.choose(game)
    best = ranked[0][1]
    if len(ranked) > 1:
        most = search.look_ahead(game, best, policy)
        for _, code in ranked[1:]:
            worth = search.look_ahead(game, code, policy)
            if worth > most:
                most = worth
                best = code
    return best
