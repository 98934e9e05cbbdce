"""Twins: two tables that one viewer cannot tell apart, and everything that viewer is sent.

A twin of a position differs from it in whatever a viewer has never seen: the hands, decks, buried
cards and face-down piles of the others, the order of the viewer's own deck, the order of the
Culture and Animal decks, face-down tokens, the Fish pool, the seed; and in whatever `read` of a
further module says is hidden. Whatever the viewer is sent must be the same bytes for both, or
something hidden shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from endless_winter.content import load_pack
from endless_winter.rules import Game, agenda, events, options
from endless_winter.rules.checks import complaint
from endless_winter.rules.modules import MODULE_EVENT_NAMES
from endless_winter.rules.modules.glacier_tokens import FACE_UP
from endless_winter.rules.modules.rest_tokens import GONE
from endless_winter.rules.nomad.area import packed, unpacked
from endless_winter.rules.rivers import area, codes
from endless_winter.v1 import decision_pb2, move_pb2, view_public_pb2
from endless_winter.views import (
    NoMatch,
    Scribe,
    Words,
    event_bytes,
    happened,
    match,
    private_bytes,
)
from endless_winter.views.plans import is_revealing
from endless_winter.views.plugin import ViewModule, shown
from endless_winter.views.public import PublicEncoder
from endless_winter.views.sampling.lexicon import Lexicon
from tests.rules.scene import FROZEN
from tests.rules.walk import seed_of

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from endless_winter.rules.state import Event, Player, Position

PACK = load_pack(FROZEN)
WORDS = Words(PACK)
LEXICON = Lexicon(PACK)
SPECTATOR = -1
SEQ = 7

# The channels by which something could show.
PUBLIC, PRIVATE, DECISION = "public view", "private view", "decision"
REFUSAL, EVENTS = "refusal", "events"

# Answers that mean no option of any decision.
WRONG = (
    decision_pb2.Answer(option_id=10_000),
    decision_pb2.Answer(text="draw the best card"),
    decision_pb2.Answer(move=move_pb2.Move(choose_chief=move_pb2.ChiefChoice())),
    decision_pb2.Answer(),
)


class Peek:
    """The position that is being encoded: what a planted leak can look at."""

    position: Position


def plain(game: Game) -> Game:
    return game


def viewers(game: Game) -> list[int]:
    return [SPECTATOR, *range(len(game.position.players))]


def sent(game: Game, viewer: int, dress: Callable[[Game], Game] = plain) -> dict[str, bytes]:
    """Everything that a viewer is sent about a position, channel by channel, nothing kept.

    `dress` is where a test plants a leak into the decision.
    """
    position = game.position
    Peek.position = position
    found = {PUBLIC: PublicEncoder(WORDS).encode(position)}
    if viewer != SPECTATOR:
        found[PRIVATE] = private_bytes(WORDS, position, viewer)
    if game.options() and position.agenda[-1][1] == viewer:
        scribe = Scribe(WORDS, position.config)
        found[DECISION] = scribe.decision_bytes(dress(game), SEQ, explain=True)
        found[REFUSAL] = "\n".join(refused(answer, game, scribe) for answer in WRONG).encode()
    return found


def refused(answer: decision_pb2.Answer, game: Game, scribe: Scribe) -> str:
    try:
        match(answer, game, scribe)
    except NoMatch as why:
        return str(why)
    raise AssertionError("a wrong answer was taken")


def events_for(position: Position, core_events: list[Event], viewer: int) -> list[bytes]:
    """The events of a step as a viewer gets them; `position` is the one after it."""
    Peek.position = position
    return [
        event_bytes(SEQ, one.public, one.private if one.seat == viewer else None)
        for one in happened(WORDS, position, core_events)
    ]


class Held(NamedTuple):
    """What a step shows to everybody, and so must be alike in both tables before it."""

    hands: dict[int, list[int]]  # by seat: cards that are seen leaving the hand
    seats: set[int]  # of whom all is held
    animals: bool
    culture: bool
    glacier_tokens: bool
    rest_tokens: bool
    piles: bool
    seed: bool
    nomad_cards: bool
    map_cards: bool
    fish: int  # how many from the top of the pool
    kinds: set[int]  # of the events: a further module that tells one is held as it is


NOTHING = Held({}, set(), False, False, False, False, False, False, False, False, 0, set())


# What is shown after a shuffle of this very step, perhaps.
_SHUFFLED_AND_SHOWN = {events.NOMAD_REVEALED, events.MAP_REVEALED, codes.FISH_MIXED}


def shown_by(game: Game, happening: list[Event]) -> Held:
    """What the events of the step show that was hidden before it."""
    kinds = {event[0] for event in happening}
    hands: dict[int, list[int]] = {}
    for kind, seat, card, *_ in happening:
        if kind in (events.CARD_DISCARDED, events.TRIBE_PLAYED, events.CULTURE_PLAYED):
            hands.setdefault(seat, []).append(card)
    piles = events.PILE_REVEALED in kinds
    # A card that was not in hand yet came by a draw of this very step: hold all of that seat.
    seats = set()
    for seat, cards in hands.items():
        hand = list(game.position.players[seat].hand)
        for card in cards:
            if card not in hand:
                seats.add(seat)
                break
            hand.remove(card)
    if piles:
        seats.add(game.position.agenda[-1][1])  # who may add the last card in this very step
    return Held(
        hands,
        seats,
        events.ANIMAL_REVEALED in kinds or (events.ANIMAL_TAKEN in kinds),
        # Final scoring counts the cards that the Nomad has buried.
        bool({events.CULTURE_DEALT, events.GAME_ENDED} & kinds),
        events.GLACIER_TOKEN_FLIPPED in kinds,
        bool({events.REST_TOKEN_TAKEN, events.REST_TOKEN_SHOWN} & kinds),
        piles,
        # Before the deal the seed is all there is; and what is shuffled and shown hangs on it.
        events.GAME_BEGAN in kinds or bool(seats) or bool(_SHUFFLED_AND_SHOWN & kinds),
        bool({events.NOMAD_REVEALED, events.NOMAD_PILE_REVEALED} & kinds),
        events.MAP_REVEALED in kinds,
        len([event for event in happening if event[0] == codes.FISH_DRAWN]),
        kinds,
    )


def twin_of(game: Game, viewer: int, choices: random.Random, held: Held = NOTHING) -> Game:
    """A game in another position that the viewer cannot tell from this one."""
    position = game.position.copy()
    if not held.seed:
        position.seed = seed_of(choices.randrange(10**9))
    turn_of = _turn_of(position)
    open_piles = any(frame[0] == agenda.ECLIPSE for frame in position.agenda)
    for player in position.players:
        if player.seat in held.seats:
            continue
        if player.seat == viewer:
            player.deck = _shuffled(player.deck, choices)
            continue
        kept = list(position.fresh) if player.seat == turn_of else []
        _mix(player, kept + held.hands.get(player.seat, []), choices, open_piles or held.piles)
    if not held.animals:
        position.animals = _shuffled(position.animals, choices)
    if not held.culture:
        position.culture = [_shuffled(deck, choices) for deck in position.culture]
    for index in range(len(position.modules)):
        if position.module_state[index]:
            _change_module(position, index, choices, held, open_piles or held.piles)
    assert complaint(position) == ""
    return Game.at(position)


def _change_module(
    position: Position, index: int, choices: random.Random, held: Held, open_pile: bool
) -> None:
    module = position.modules[index]
    state = position.module_state[index]
    if module.name == "glacier_tokens":
        if not held.glacier_tokens:
            position.module_state[index] = _other_tokens(position, state, choices)
    elif module.name == "rest_tokens":
        if not held.rest_tokens:
            position.module_state[index] = _other_stack(position, state, choices)
    elif module.name == "rivers":
        known = area.FISH_AT + held.fish
        end = max(known, area.FISH_AT + state[area.POOL_AT])
        pool = _shuffled(state[known:end], choices)
        position.module_state[index] = state[:known] + pool + state[end:]
    elif module.name == "nomad":
        position.module_state[index] = _other_nomad(position, state, choices, held, open_pile)
    elif not held.kinds & module.event_names().keys():
        _deal_anew(position, index, choices)


# States of modules in which nothing is hidden; a view to look that up costs as much as a check.
_OPEN: set[tuple[ViewModule, bytes]] = set()


def _deal_anew(position: Position, index: int, choices: random.Random) -> None:
    """What is hidden of a module that is not known here, by its own word (`ViewModule.read`)."""
    name = position.modules[index].name
    state = position.module_state[index]
    if (shown(name), state) in _OPEN:
        return
    view = view_public_pb2.PublicView.FromString(PublicEncoder(WORDS).encode(position))
    position.module_state[index] = b""
    unseen = shown(name).read(LEXICON, view, position, index)
    if unseen is not None:
        shown(name).deal(position, index, unseen, choices)
        return
    assert position.module_state[index] == state, (
        f"{name} has a state that `read` does not make of the view, and says that nothing is "
        "hidden: `read` must give what is, and `deal` draw it anew, or this proof proves nothing"
    )
    _OPEN.add((shown(name), state))


def _turn_of(position: Position) -> int:
    for frame in position.agenda:
        if frame[0] in (agenda.TURN, agenda.ACT, agenda.BUILD_PILE):
            return frame[1]
    return SPECTATOR


def _shuffled(zone: bytes, choices: random.Random) -> bytes:
    pieces = list(zone)
    choices.shuffle(pieces)
    return bytes(pieces)


def _mix(player: Player, kept: list[int], choices: random.Random, open_pile: bool) -> None:
    """Deal the hidden cards of a player anew; the zones keep their sizes.

    Cards that everybody saw coming into the hand this turn stay there (LAB-06), and those that
    the next step shows.
    """
    hand = list(player.hand)
    stay = []
    for card in kept:
        if card in hand:  # a fresh card may be the one that is shown
            hand.remove(card)
            stay.append(card)
    pile = b"" if open_pile else player.pile
    cards = [*hand, *player.deck, *player.buried, *pile]
    choices.shuffle(cards)
    sizes = (len(hand), len(player.deck), len(player.buried), len(pile))
    zones = []
    for size in sizes:
        zones.append(cards[:size])
        cards = cards[size:]
    player.hand = bytes(sorted(zones[0] + stay))
    player.deck = bytes(zones[1])
    player.buried = bytes(sorted(zones[2]))
    if not open_pile:
        player.pile = bytes(sorted(zones[3]))


def _other_tokens(position: Position, state: bytes, choices: random.Random) -> bytes:
    """Other Glacier tokens face down, also such as were in the box."""
    seen = {value & ~FACE_UP for value in state if value >= FACE_UP}
    unseen = [1 + t for t in range(len(position.tables.glacier_tokens)) if 1 + t not in seen]
    choices.shuffle(unseen)
    return bytes(unseen.pop() if 0 < value < FACE_UP else value for value in state)


def _other_stack(position: Position, state: bytes, choices: random.Random) -> bytes:
    """Another order of the Rest tokens that nobody saw going under the stack."""
    stack = state[2:]
    first = 0 if state[0] == GONE else 1
    last = len(stack) - (position.round - 1 + (state[0] == GONE))
    middle = _shuffled(stack[first:last], choices) if last > first else stack[first:last]
    return state[:2] + stack[:first] + middle + stack[max(first, last) :]


def _other_nomad(
    position: Position, state: bytes, choices: random.Random, held: Held, open_pile: bool
) -> bytes:
    """Other cards in the Nomad's decks, on its Eclipse pile, and buried by it."""
    own = unpacked(state)
    if not held.nomad_cards:
        cards = own.deck if open_pile else own.deck + own.pile
        cards = _shuffled(cards, choices)
        if not open_pile:
            own.pile = cards[: len(own.pile)]
        own.deck = cards[len(cards) - len(own.deck) :]
    if not held.map_cards:
        own.maps = _shuffled(own.maps, choices)
    if not held.culture:
        assert position.config.nomad is not None
        nomad = position.players[position.config.nomad.seat]
        for era in (1, 2):
            unseen = [
                card
                for card in own.sacrifice + nomad.buried + position.culture[era - 1]
                if position.tables.cards[card].era == era
            ]
            choices.shuffle(unseen)

            def other(zone: bytes, era: int = era, unseen: list[int] = unseen) -> bytes:
                cards = position.tables.cards
                return bytes(unseen.pop() if cards[card].era == era else card for card in zone)

            own.sacrifice = other(own.sacrifice)
            nomad.buried = bytes(sorted(other(nomad.buried)))
            position.culture[era - 1] = other(position.culture[era - 1])
    return packed(own)


def open_part(code: int) -> int:
    """The part of a choice that others see: not which card went face down from the hand."""
    verb = options.verb_of(code)
    if verb == options.PILE:
        return options.PILE
    if verb == options.BURY and options.b_of(code) == options.FROM_HAND:
        return code & ~(255 << 8)
    return code


def check_position(
    game: Game, viewer: int, choices: random.Random, dress: Callable[[Game], Game] = plain
) -> None:
    """Nothing that the viewer is sent about this position depends on what it has not seen."""
    twin = twin_of(game, viewer, choices)
    assert twin.position.agenda == game.position.agenda
    mine, other = sent(game, viewer, dress), sent(twin, viewer, dress)
    assert mine.keys() == other.keys()
    for channel in mine:
        assert mine[channel] == other[channel], f"viewer {viewer}: the {channel} shows it"


def check_step(game: Game, code: int, viewer: int, choices: random.Random) -> None:
    """Nor does what it is sent about the next step, beyond what the step shows to all."""
    after = game.copy()
    after.listen()
    mine = after.apply(code)
    held = shown_by(game, mine)
    twin = twin_of(game, viewer, choices, held)
    ways = [code]
    if viewer != game.position.agenda[-1][1] and not held.piles:
        ways = [way for way in twin.options() if open_part(way) == open_part(code)]
    twin.listen()
    other = twin.apply(choices.choice(ways))
    drawn = any(event[0] == events.CARDS_DRAWN and event[1] == viewer for event in mine)
    reader = SPECTATOR if drawn else viewer  # the viewer's own new cards may differ
    assert events_for(after.position, mine, reader) == events_for(twin.position, other, reader), (
        f"viewer {viewer}: the {EVENTS} show it"
    )
    # Whether undo and plans end here is no secret either.
    assert [is_revealing(event) for event in mine] == [is_revealing(event) for event in other]
    assert sent(after, reader)[PUBLIC] == sent(twin, reader)[PUBLIC], (
        f"viewer {viewer}: the {PUBLIC} after the step shows it"
    )


def check_log(position: Position, happening: list[Event], choices: random.Random) -> int:
    """Other cards in the private parts: the others' events stay as they are; how many changed."""
    changed = 0
    for number, event in enumerate(happening):
        kind, seat, a, b, secret, cause = event
        hidden = kind in (events.CARDS_DRAWN, events.CARD_PILED) or (
            kind == events.CARD_BURIED and a == options.FROM_HAND
        )
        hidden = hidden or (kind in MODULE_EVENT_NAMES and bool(secret))
        if not hidden:
            continue
        other = bytes(choices.randrange(len(position.tables.cards)) for _ in secret)
        changed_event = (kind, seat, a, b, other, cause)
        tampered = [*happening[:number], changed_event, *happening[number + 1 :]]
        changed += 1
        for viewer in range(SPECTATOR, len(position.players)):
            if viewer != seat:
                assert events_for(position, happening, viewer) == events_for(
                    position, tampered, viewer
                ), f"viewer {viewer}: the {EVENTS} show what seat {seat} alone may see"
    return changed
