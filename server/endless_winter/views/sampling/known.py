"""What a viewer knows of a position, and worlds that agree with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.rules import Game, agenda
from endless_winter.rules.config import NOMAD
from endless_winter.rules.modules.glacier_tokens import FACE_UP
from endless_winter.rules.modules.rest_tokens import GONE, HELD, ON_OFFER
from endless_winter.rules.zones import ONE, distinct
from endless_winter.views.boards import GLACIER_TOKENS, REST_TOKENS
from endless_winter.views.errors import BadView
from endless_winter.views.plugin import shown
from endless_winter.views.sampling.nomad import deal as deal_nomad
from endless_winter.views.sampling.nomad import unseen_of
from endless_winter.views.sampling.parts import FACE_DOWN

if TYPE_CHECKING:
    from random import Random

    from endless_winter.rules.state import Player, Position
    from endless_winter.v1 import view_private_pb2, view_public_pb2
    from endless_winter.views.plugin import ViewModule
    from endless_winter.views.sampling.lexicon import Lexicon
    from endless_winter.views.sampling.nomad import Unseen
    from endless_winter.views.sampling.reading import Public, Reader

_SEED_BYTES: Final = 32


class Hidden(NamedTuple):
    """The cards of another seat that lie somewhere out of sight."""

    seat: int
    cards: bytes
    hand: int  # how many of them
    buried: int
    pile: int  # 0 once the piles are open
    fresh: bytes  # cards that came into the hand in this very turn, for all to see


class Known:
    """Everything that follows from one view; `draw` deals the rest anew, as often as you like.

    Reading a view costs several times as much as a draw: a search that wants many worlds of one
    decision reads once and draws often.
    """

    __slots__ = (
        "_animals",
        "_culture",
        "_decks",
        "_game",
        "_glacier",
        "_hidden",
        "_modules",
        "_nomad",
        "_own_deck",
        "_position",
        "_rest",
        "_same_options",
        "seat",
    )

    def __init__(
        self,
        reader: Reader,
        public: view_public_pb2.PublicView,
        private: view_private_pb2.PrivateView | None,
    ) -> None:
        lexicon = reader.lexicon
        read = reader.read(public)
        position = read.position
        self.seat: int = -1 if private is None else private.seat  # -1: a spectator
        self._position: Position = position
        self._hidden: list[Hidden] = _hidden(public, read, self.seat)
        self._own_deck: bytes = b""
        if private is not None:
            player = position.players[self.seat]
            player.hand = lexicon.zone(private.hand)
            player.buried = lexicon.zone(private.buried)
            if private.eclipse_pile:  # else it is empty, or open
                player.pile = lexicon.zone(private.eclipse_pile)
            player.deck = self._own_deck = lexicon.zone(private.deck)
            position.fresh = lexicon.zone(private.fresh)
        dealt = all(frame[0] != agenda.DEAL for frame in position.agenda)
        self._culture: list[bytes] = _unseen_culture(read)
        self._nomad: Unseen | None = None
        self._animals: bytes = _unseen_animals(read) if dealt else b""
        # Each: index of the module, then what its state is made of.
        self._glacier: tuple[int, bytes, bytes] | None = None
        self._rest: tuple[int, bytes, bytes, bytes] | None = None
        self._modules: list[tuple[ViewModule, int, object]] = []
        for index, name in enumerate(reader.config.modules):
            unseen = shown(name).read(lexicon, public, position, index)
            if unseen is not None:
                self._modules.append((shown(name), index, unseen))
            if name == NOMAD:
                self._nomad = unseen_of(lexicon, public, position, index, read.board.token)
            elif dealt and name == GLACIER_TOKENS:
                self._glacier = (index, read.board.faces, _unseen_tokens(read))
            elif dealt and name == REST_TOKENS:
                self._rest = (index, *_rest_tokens(lexicon, public, position))
        _check_culture(read, self._culture, self._nomad)
        self._decks: tuple[int, int] = read.supply.culture_decks
        # What the viewer itself may choose does not depend on what it has not seen, so that one
        # list serves all its worlds (docs/decisions/0042).
        self._same_options: bool = bool(position.agenda) and position.agenda[-1][1] == self.seat
        self._game: Game | None = None

    @property
    def position(self) -> Position:
        """What is known, in the core's numbers; hidden zones are empty. Not to be changed."""
        return self._position

    def draw(self, rng: Random) -> Game:
        """A game in a position that has this very view, with a fresh seed.

        It depends on the view and on `rng` alone.
        """
        last = self._game
        if last is not None:
            game = last.copy()
            self._deal(game.position, rng)
            return game
        position = self._position.copy()
        self._deal(position, rng)
        game = Game.at(position)
        if self._same_options:
            self._game = game.copy()
        return game

    def _deal(self, position: Position, rng: Random) -> None:
        random = rng.random
        position.seed = rng.randbytes(_SEED_BYTES)
        if self._own_deck:
            position.players[self.seat].deck = bytes(sorted(self._own_deck, key=lambda _: random()))
        for hidden in self._hidden:
            player = position.players[hidden.seat]
            if hidden.fresh:
                _deal_mover(position, player, hidden, rng)
            else:
                cards = sorted(hidden.cards, key=lambda _: random())
                _lay_out(player, hidden, cards)
        first = sorted(self._culture[0], key=lambda _: random())
        second = sorted(self._culture[1], key=lambda _: random())
        if self._nomad is not None:
            one, two = self._decks
            deal_nomad(position, self._nomad, first[one:], second[two:], rng)
            del first[one:], second[two:]
        position.culture = [bytes(first), bytes(second)]
        position.animals = bytes(sorted(self._animals, key=lambda _: random()))
        if self._glacier is not None:
            index, faces, unseen = self._glacier
            tokens = iter(sorted(unseen, key=lambda _: random()))
            position.module_state[index] = bytes(
                [next(tokens) if face == FACE_DOWN else face for face in faces]
            )
        for module, index, hidden_part in self._modules:
            module.deal(position, index, hidden_part, rng)
        if self._rest is not None:
            index, top, unseen, bottom = self._rest
            middle = bytes(sorted(unseen, key=lambda _: random()))
            position.module_state[index] = top + middle + bottom


def _lay_out(player: Player, hidden: Hidden, cards: list[int]) -> None:
    """Shuffled cards onto the hidden zones, the deck last."""
    piled = hidden.hand + hidden.buried
    rest = piled + hidden.pile
    player.hand = bytes(sorted(cards[: hidden.hand]))
    if hidden.buried:
        player.buried = bytes(sorted(cards[hidden.hand : piled]))
    if hidden.pile:
        player.pile = bytes(sorted(cards[piled:rest]))
    player.deck = bytes(cards[rest:])


def _deal_mover(position: Position, player: Player, hidden: Hidden, rng: Random) -> None:
    """Another seat in the middle of its turn, seen taking Tribe cards into its hand (INI-01).

    They are there unless they were buried since: so the buried cards are drawn first, of all
    hidden ones, and then those taken go into the hand as far as it is large enough.
    """
    cards = sorted(hidden.cards, key=lambda _: rng.random())
    buried, cards = cards[: hidden.buried], cards[hidden.buried :]
    fresh = [card for card in hidden.fresh if card in cards]
    if len(fresh) > hidden.hand:
        fresh = rng.sample(fresh, hidden.hand)
    for card in fresh:
        cards.remove(card)
    rest = hidden.hand - len(fresh)
    _lay_out(player, hidden, fresh + cards[:rest] + buried + cards[rest:])
    position.fresh = bytes(sorted(fresh))


# --- what is left when everything seen is taken away ---


def _hidden(public: view_public_pb2.PublicView, read: Public, viewer: int) -> list[Hidden]:
    position = read.position
    mover = public.turn.active_seat if position.taken and position.place else -1
    found: list[Hidden] = []
    for number, seat in enumerate(read.seats):
        if number == viewer:
            continue
        fresh = b""
        if number == mover:
            taken = [
                card for deck, card in enumerate(position.tribe_cards) if position.taken >> deck & 1
            ]
            fresh = bytes(sorted(set(seat.unseen).intersection(taken)))
        found.append(Hidden(number, seat.unseen, seat.hand, seat.buried, seat.pile, fresh))
    return found


def _unseen_culture(read: Public) -> list[bytes]:
    supply = read.supply
    seen = supply.display + supply.removed
    for seat in read.seats:
        seen += seat.owned
    return [cards.translate(None, seen) for cards in read.position.tables.era_cards]


def _check_culture(read: Public, unseen: list[bytes], nomad: Unseen | None) -> None:
    """Whatever nobody has seen lies in the decks, or with the Nomad."""
    decks = read.supply.culture_decks
    elsewhere = [len(cards) - size for cards, size in zip(unseen, decks, strict=True)]
    held = 0 if nomad is None else nomad.sacrifice + nomad.buried
    if min(elsewhere) < 0 or sum(elsewhere) != held:
        raise BadView("the Culture cards do not add up: is it another content pack?")


def _unseen_animals(read: Public) -> bytes:
    position = read.position
    seen = position.grounds
    for player in position.players:
        seen += player.animals + player.tipped
    deck = b""
    for animal in distinct(position.animal_cards):
        deck += ONE[animal] * (position.animal_cards.count(animal) - seen.count(animal))
    if len(deck) != read.supply.animal_deck:
        raise BadView("the Animals do not add up: is it another content pack?")
    return deck


def _unseen_tokens(read: Public) -> bytes:
    """The Glacier tokens that may lie face down, those in the box included."""
    seen = {face & ~FACE_UP for face in read.board.faces if face >= FACE_UP}
    kinds = range(1, 1 + len(read.position.tables.glacier_tokens))
    return bytes([token for token in kinds if token not in seen])


def _rest_tokens(
    lexicon: Lexicon, public: view_public_pb2.PublicView, position: Position
) -> tuple[bytes, bytes, bytes]:
    """Top and bottom of the module's state, and the tokens that lie between in an unknown order."""
    view = public.rest_tokens
    tokens = lexicon.rest_tokens
    if view.open_token_id:
        shown = ONE[tokens[view.open_token_id]]
        top = bytes((ON_OFFER, 0)) + shown
    elif view.HasField("holder_seat"):
        shown = ONE[tokens[view.held_token_id]]
        unused = 0
        for ability in public.turn.ready_abilities:
            if ability.source.token_id:
                unused |= 1 << ability.ability
        top = bytes((HELD + view.holder_seat, unused)) + shown
    else:
        shown = b""
        top = bytes((GONE, 0))
    bottom = bytes([tokens[name] for name in reversed(view.seen_at_bottom)])
    seen = shown + bottom
    unseen = bytes([t for t in range(len(position.tables.rest_tokens)) if t not in seen])
    if len(unseen) != view.stack_count - len(bottom):
        raise BadView("the Rest tokens do not add up: is it another content pack?")
    return top, unseen, bottom
