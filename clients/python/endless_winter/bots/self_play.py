"""Whole games of `heuristic` against itself on the rules core, without views and messages.

For measurements that need thousands of games. Each choice is made in a copy in which everything
that the seat cannot see is shuffled anew, so the bot knows here what it knows at a table.
"""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.bots import search
from endless_winter.rules import agenda, icons, options
from endless_winter.rules.chance import shuffle
from endless_winter.rules.config import Config
from endless_winter.rules.game import Game
from endless_winter.rules.rivers import area
from endless_winter.rules.rivers.agreed import RIVERS

if TYPE_CHECKING:
    from endless_winter.rules.state import Player, Position
    from endless_winter.rules.tables import Tables


class Played(NamedTuple):
    """What a game was like; lists are by seat."""

    players: int
    seed: int
    winner: int
    places: list[int]  # in the first turn order, from 0
    chiefs: list[str]
    setups: list[str]
    scores: list[dict[str, int]]  # points by category, those of 0 left out, and the total
    figures: list[list[int]]  # figures placed on Initiate, Develop, Migrate, Hunt, Rest
    decisions: int
    tie_broken: bool


PLACES = (icons.INITIATE, icons.DEVELOP, icons.MIGRATE, icons.HUNT, icons.REST)


def play(tables: Tables, players: int, seed: int) -> Played:
    """One game. Chief sides are drawn: measuring both needs games with both."""
    game = Game.new(Config(tables, players), seed.to_bytes(32, "big"))
    position = game.position
    order = position.order
    rng = Random(seed)
    figures = [[0] * len(PLACES) for _ in range(players)]
    decisions = 0
    while legal := game.options():
        decisions += 1
        kind, seat = position.agenda[-1][:2]
        if len(legal) == 1:
            code = legal[0]
        elif kind == agenda.CHOOSE_CHIEF:
            code = rng.choice(legal)
        else:
            code = search.choose(unseen(game, seat, rng))[0].option
        if options.verb_of(code) == options.PLACE:
            figures[seat][PLACES.index(options.b_of(code))] += 1
        game.apply(code)
    result = game.result
    assert result is not None
    return Played(
        players,
        seed,
        result.winner,
        [order.index(seat) for seat in range(players)],
        [tables.chiefs[player.chief].name for player in position.players],
        [tables.setups[player.setup].name for player in position.players],
        [score.by_name() | {"total": score.total} for score in result.scores],
        figures,
        decisions,
        result.tie_broken,
    )


# Modules of which nothing is hidden.
OPEN = ("mammoth",)


def unseen(game: Game, seat: int, rng: Random) -> Game:
    """A copy in which what the seat cannot see is as likely to be anything else.

    A module with pieces on the table that is not known here is a ValueError: the bot would see
    what nobody sees, and be measured with that.
    """
    other = game.copy()
    position = other.position
    seed = rng.randbytes(32)
    position.seed = seed
    position.animals = shuffle(seed, "unseen", 0, position.animals)
    position.culture = [
        shuffle(seed, "unseen", 1 + era, deck) for era, deck in enumerate(position.culture)
    ]
    for index, module in enumerate(position.modules):
        state = position.module_state[index]
        if module.name == RIVERS:
            pool = shuffle(seed, "unseen", 16, area.fish_pool(state))
            area.set_fish(position, index, pool, area.fish_discarded(state))
        elif state and module.name not in OPEN:
            raise ValueError(f"self-play does not know what is hidden of {module.name}")
    for player in position.players:
        number = 8 + player.seat
        if player.seat == seat:
            player.deck = shuffle(seed, "unseen", number, player.deck)
            continue
        _deal(position, player, shuffle(seed, "unseen", number, _hidden(position, player)))
    return other


def _piles_are_open(position: Position) -> bool:
    """ECL-01: everybody shows their pile when the Eclipse begins."""
    return len(position.agenda) > 1 and position.agenda[1][0] == agenda.ECLIPSE


def _hidden(position: Position, player: Player) -> bytes:
    """The cards of another seat whose places nobody else knows."""
    found = player.hand + player.deck + player.buried
    return found if _piles_are_open(position) else found + player.pile


def _deal(position: Position, player: Player, cards: bytes) -> None:
    """Give the hidden cards these places."""
    hand = len(player.hand)
    deck = hand + len(player.deck)
    buried = deck + len(player.buried)
    player.hand = bytes(sorted(cards[:hand]))
    player.deck = cards[hand:deck]
    player.buried = bytes(sorted(cards[deck:buried]))
    if not _piles_are_open(position):
        player.pile = bytes(sorted(cards[buried:]))


class Unseen:
    """What a seat knows of a game of the rules core, without a view: worlds to think in.

    Hidden pieces lie sorted before they are drawn anew, so nothing of their order is left.
    """

    __slots__ = ("_game", "_seat")

    def __init__(self, game: Game, seat: int) -> None:
        known = game.copy()
        position = known.position
        position.animals = bytes(sorted(position.animals))
        position.culture = [bytes(sorted(deck)) for deck in position.culture]
        for player in position.players:
            if player.seat == seat:
                player.deck = bytes(sorted(player.deck))
                continue
            _deal(position, player, bytes(sorted(_hidden(position, player))))
        self._game = known
        self._seat = seat

    def draw(self, rng: Random) -> Game:
        """A world that looks the same from the seat."""
        return unseen(self._game, self._seat, rng)
