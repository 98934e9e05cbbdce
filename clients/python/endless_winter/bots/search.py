"""One step of search: each promising option, played to the end of the turn, then evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.bots.evaluation import evaluate
from endless_winter.bots.labor import BUYS
from endless_winter.bots.policy import Policy
from endless_winter.rules import agenda, options
from endless_winter.rules.icons import REST
from endless_winter.rules.options import a_of, b_of, verb_of
from endless_winter.rules.turn import works_here

if TYPE_CHECKING:
    from endless_winter.rules.game import Game

STEPS: Final = 40  # a turn that is longer than this is judged where it stands
TRIED: Final = 4  # options of a kind
CLOSE: Final = 0.8  # points: what the policy thinks so much worse is not tried
_ALWAYS: Final = frozenset((options.PLAY, options.LEAD, options.USE))


class Choice(NamedTuple):
    """An option and the final score that the seat may expect with it."""

    option: int
    worth: float


def choose(game: Game) -> list[Choice]:
    """The options that were looked at, the best first. The game must hold no secret of others."""
    position = game.position
    legal = game.options()
    if len(legal) == 1:
        return [Choice(legal[0], 0.0)]
    seat = position.agenda[-1][1]
    policy = Policy(position, seat)
    tried = candidates(game, policy)
    if len(tried) == 1:
        return [Choice(tried[0], 0.0)]
    choices = [Choice(code, look_ahead(game, code, policy)) for code in tried]
    choices.sort(key=lambda choice: -choice.worth)
    return choices


def look_ahead(game: Game, code: int, policy: Policy) -> float:
    """Take an option, go on by the policy until somebody else decides or a turn begins."""
    ahead = game.copy()
    ahead.apply(code)
    seat = policy.seat
    for _ in range(STEPS):
        if ahead.position.over:
            break
        frame = ahead.position.agenda[-1]
        if frame[1] != seat or frame[0] == agenda.TURN:
            break
        ahead.apply(policy.choose(ahead))
    return evaluate(ahead.position, seat)


def candidates(game: Game, policy: Policy) -> list[int]:
    """The options worth a look."""
    position = game.position
    kind = position.agenda[-1][0]
    if kind == agenda.TURN:
        player = position.players[policy.seat]
        culture = policy.culture_first(position, player, game.options())
        return placements(game, policy) if culture < 0 else [culture]
    if kind == agenda.ACT:
        return actions(game, policy)
    ranked = policy.ranked(game)
    if kind in (agenda.CHOOSE_CHIEF, agenda.CHOOSE_SETUP):
        return [ranked[0][1]]
    enough = ranked[0][0] - CLOSE
    return [code for worth, code in ranked[:TRIED] if worth >= enough]


def placements(game: Game, policy: Policy) -> list[int]:
    """Every place, the Chief only where it brings something."""
    position = game.position
    player = position.players[policy.seat]
    legal = game.options()
    places = [code for code in legal if verb_of(code) == options.PLACE]
    tribe_home = any(a_of(code) for code in places)
    abilities = position.tables.chiefs[player.chief].abilities
    return [
        code
        for code in places
        if not tribe_home
        or a_of(code)
        or any(works_here(ability.where, b_of(code)) for ability in abilities)
    ]


def actions(game: Game, policy: Policy) -> list[int]:
    """Of each kind of action the best few."""
    position = game.position
    player = position.players[policy.seat]
    legal = game.options()
    if position.place == REST and position.section == 0:
        return legal[:TRIED]
    scored: list[tuple[float, int]] = []
    found = [policy.act(position, player, legal)]
    last = legal[-1:]  # the end of the turn
    for code in legal:
        verb = verb_of(code)
        if verb in BUYS:
            scored.append((policy.buy(position, player, code), code))
        elif verb in _ALWAYS:
            found.append(code)
        elif verb == options.BOTTOM:
            last = [code]  # it costs nothing, so nobody ends the turn without it
        elif verb == options.EAT:
            if a_of(code) <= 2:
                found.append(code)
        elif verb != options.END:
            scored.append((policy.middle(position, player, code), code))
    scored.sort(reverse=True)
    found += [code for _, code in scored[:TRIED]] + last
    return list(dict.fromkeys(found))
