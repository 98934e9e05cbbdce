"""What happened, in the words of the contract.

One event of the core becomes none, one or several of the contract. Each has a public part, the
same bytes for everybody, and perhaps a private part for the one seat whose cards they are.
Everything public is made of an event's kind, seat and two open numbers, and of what the position
afterwards shows to all; its secret pieces go into private parts alone, unless they come from a
zone that lies open.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import events as e
from endless_winter.rules import options
from endless_winter.rules.nomad.actions import ALWAYS
from endless_winter.rules.nomad.grounds import unpacked
from endless_winter.rules.nomad.roaming import STAYS
from endless_winter.rules.sources import MEGALITH
from endless_winter.rules.terrain import JUNCTURES, OUTSIDE
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import event_pb2 as v
from endless_winter.v1 import ids_pb2 as ids
from endless_winter.v1 import move_pb2 as m
from endless_winter.v1 import result_pb2 as r
from endless_winter.v1 import view_public_pb2 as p
from endless_winter.views import boards, nomad_steps, wire
from endless_winter.views.nomad_reasons import map_reason, reason_of
from endless_winter.views.pools import source_of
from endless_winter.views.turn import stage_of, turn_number
from endless_winter.views.words import BURY_ZONES, FIGURES, PLACES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from endless_winter.rules.state import Event, Position
    from endless_winter.views.words import Words

    Encode = Callable[[Words, Position, int, int, int], list[v.PublicEvent]]


class Happened:
    """One event: the serialized PublicEvent, and the serialized PrivateEvent of one seat.

    One that reads alike in any game is shared by all of them, so nothing is changed in it.
    """

    __slots__ = ("logged", "private", "public", "seat")

    def __init__(self, public: bytes, seat: int = -1, private: bytes = b"") -> None:
        self.public: bytes = public
        self.seat: int = seat  # who may see the private part; -1: there is none
        self.private: bytes = private
        self.logged: bytes = b""  # the same as the log writes it, cached by engine/events.py


_MOVED: Final = v.PublicEvent.CARDS_MOVED_FIELD_NUMBER
_MOVED_SEAT: Final = v.CardsMoved.SEAT_FIELD_NUMBER
_MOVED_FROM: Final = v.CardsMoved.FROM_ZONE_FIELD_NUMBER
_MOVED_TO: Final = v.CardsMoved.TO_ZONE_FIELD_NUMBER
_MOVED_COUNT: Final = v.CardsMoved.COUNT_FIELD_NUMBER
_MOVED_CARDS: Final = v.CardsMoved.OPEN_CARDS_FIELD_NUMBER
_MOVED_CAUSE: Final = v.CardsMoved.CAUSE_FIELD_NUMBER
_FACES: Final = v.PrivateEvent.CARD_FACES_FIELD_NUMBER
_FACES_CARDS: Final = v.CardFaces.CARDS_FIELD_NUMBER
_DECK: Final = enums.ZONE_DECK
_HAND: Final = enums.ZONE_HAND
_ECLIPSE_PILE: Final = enums.ZONE_ECLIPSE_PILE
_BURIED: Final = enums.ZONE_BURIED


def happened(words: Words, position: Position, events: Iterable[Event]) -> list[Happened]:
    """The events of one step; `position` is the one after it."""
    found: list[Happened] = []
    piles: list[v.RevealedPile] = []
    order: list[int] = []
    faces: dict[int, list[int]] = {}
    nomad: list[str] = []
    for event in events:
        kind, seat, a = event[0], event[1], event[2]
        if kind == e.PILE_REVEALED:
            faces.setdefault(seat, []).append(a)
        elif kind == e.NOMAD_PILE_REVEALED:
            nomad.append(words.nomad_cards[a])
        elif kind == e.LABOR_COUNTED:
            cards = words.card_counts(bytes(faces.get(seat, ())))
            pile = v.RevealedPile(seat=seat, cards=cards, labor_halves=a)
            if not position.kinds[seat].owns_cards:
                pile.nomad_card_ids.extend(sorted(nomad))
            piles.append(pile)
            if len(piles) == len(position.players):
                found.append(_open(v.PublicEvent(piles_revealed=v.PilesRevealed(piles=piles))))
        elif kind == e.ORDER_MADE:
            order.append(seat)
            if len(order) == len(position.players):
                made = v.TurnOrderSet(turn_order=order)
                found.append(_open(v.PublicEvent(turn_order_set=made)))
        elif event[4]:
            found += _secret_event(words, position, event)
        else:
            found += _open_event(words, position, kind, seat, a, event[3], event[5])
    return found


def _open_event(
    words: Words, position: Position, kind: int, seat: int, a: int, b: int, cause: int
) -> tuple[Happened, ...]:
    """An event without a secret. All that it is encoded from is mostly one small number."""
    event = (kind, seat, a, b, b"", cause)
    seen = _seen(position, kind, seat, a, b)
    if seen < 0 or not (0 <= a < 1 << 8 and 0 <= b < 1 << 16):
        return _encoded(words, position, event)
    key = kind | seat + 1 << 8 | a << 16 | b << 24 | seen << 40
    if cause:
        key |= _cause_key(position, cause) << 64
    key ^= key >> 11  # a dict looks at the low bits first: there keys have to differ
    found = words.open_events.get(key)
    if found is None:
        found = _encoded(words, position, event)
        if len(words.open_events) >= _MOST_CACHED:
            words.open_events.clear()
        words.open_events[key] = found
    return found


def _secret_event(words: Words, position: Position, event: Event) -> tuple[Happened, ...]:
    """An event with a secret."""
    if event[0] not in BY_ITSELF:
        return _encoded(words, position, event)
    key = (*event[:5], _cause_key(position, event[5]))
    found = words.secret_events.get(key)
    if found is None:
        found = _encoded(words, position, event)
        if len(words.secret_events) >= _MOST_CACHED:
            words.secret_events.clear()
        words.secret_events[key] = found
    return found


def _cause_key(position: Position, cause: int) -> int:
    """A number for a cause, the same in every game of a pack."""
    if cause >> 8 != MEGALITH:
        return cause
    sites, site = position.sites, cause & 255  # each layout has its own numbers for sites
    return 1 << 24 | sites.x[site] << 16 | sites.y[site] << 8 | sites.level[site]


def _seen(position: Position, kind: int, seat: int, a: int, b: int) -> int:
    """What of the position an event is encoded from, in a few bits; -1: more than that."""
    if kind in BY_ITSELF:
        return 0
    if kind == e.TURN_BEGAN:
        return turn_number(position)
    if kind == e.FIGURE_PLACED:
        return int(_is_first(position, seat, b))
    if kind == e.STONE_TAKEN:
        return position.players[seat].stones.index(a)
    if kind == e.MEGALITH_PLACED:  # each layout has its own numbers for sites
        sites = position.sites
        place = sites.x[a] << 6 | sites.y[a]
        return place << 6 | sites.level[a] << 3 | position.megaliths[a]
    return -1


def _encoded(words: Words, position: Position, event: Event) -> tuple[Happened, ...]:
    """One event of the core that stands for itself."""
    kind, seat, a, b, secret, cause = event
    source = source_of(words, position.sites, cause) if cause else None
    if kind in _SECRET_MOVES:
        return (_cards_moved(words, kind, seat, a, secret, source),)
    public = PUBLIC[kind](words, position, seat, a, b)
    if source is not None:
        _name_cause(public, source)
    found = [_open(one) for one in public]
    if kind in SECRETS:
        private = SECRETS[kind](words, secret).SerializeToString(deterministic=True)
        found[0] = Happened(found[0].public, seat, private)
    return tuple(found)


def _name_cause(events: list[v.PublicEvent], source: ids.Source) -> None:
    """In all that have a field for it."""
    for one in events:
        found = getattr(one, one.WhichOneof("event") or "")
        if "cause" in found.DESCRIPTOR.fields_by_name:
            found.cause.CopyFrom(source)


def _open(event: v.PublicEvent) -> Happened:
    return Happened(event.SerializeToString(deterministic=True))


_SECRET_MOVES: Final = (e.CARDS_DRAWN, e.CARD_BURIED, e.CARD_PILED)


def _cards_moved(
    words: Words, kind: int, seat: int, number: int, secret: bytes, source: ids.Source | None
) -> Happened:
    """Cards that go face down: open only if they come from a zone that lies open.

    Written by hand: cards are drawn in too many combinations to be known already.
    """
    hidden = True
    if kind == e.CARDS_DRAWN:
        start, end = _DECK, _HAND
    elif kind == e.CARD_PILED:
        start, end = _HAND, _ECLIPSE_PILE
    else:
        start, end = BURY_ZONES[number], _BURIED
        hidden = number == options.FROM_HAND
    moved = b"%b%b%b%b" % (
        wire.present(_MOVED_SEAT, seat),
        wire.uint(_MOVED_FROM, start),
        wire.uint(_MOVED_TO, end),
        wire.uint(_MOVED_COUNT, len(secret)),
    )
    cause = b""
    if source is not None:
        cause = wire.message(_MOVED_CAUSE, source.SerializeToString(deterministic=True))
    if hidden:
        faces = words.card_fields(_FACES_CARDS, secret)
        return Happened(wire.message(_MOVED, moved + cause), seat, wire.message(_FACES, faces))
    return Happened(wire.message(_MOVED, moved + words.card_fields(_MOVED_CARDS, secret) + cause))


# --- events that everybody sees whole ---


def _chief_chosen(words: Words, _: Position, seat: int, side: int, __: int) -> list[v.PublicEvent]:
    chief = m.ChiefSideChoice(chief_id=words.chiefs[side], side=words.chief_sides[side])
    return [v.PublicEvent(setup_chosen=v.SetupChosen(seat=seat, chief=chief))]


def _setup_chosen(words: Words, _: Position, seat: int, card: int, __: int) -> list[v.PublicEvent]:
    choice = m.SetupCardChoice(setup_card_id=words.setups[card])
    return [v.PublicEvent(setup_chosen=v.SetupChosen(seat=seat, setup_card=choice))]


def _phase(phase: enums.Phase.ValueType) -> v.PublicEvent:
    return v.PublicEvent(phase_started=v.PhaseStarted(phase=phase))


def _round(number: int) -> list[v.PublicEvent]:
    started = v.PublicEvent(round_started=v.RoundStarted(round=number))
    return [started, _phase(enums.PHASE_ACTION)]


def began(_: Words, position: Position, __: int, ___: int, ____: int) -> list[v.PublicEvent]:
    """Everything is dealt; a module may still have something to ask before the first round."""
    return [] if stage_of(position).phase == enums.PHASE_SETUP else _round(1)


def _turn_began(_: Words, position: Position, seat: int, __: int, ___: int) -> list[v.PublicEvent]:
    # A turn that begins has a question at once, so the position is still in it.
    number = turn_number(position)
    return [v.PublicEvent(turn_started=v.TurnStarted(seat=seat, turn_number=number))]


def _is_first(position: Position, seat: int, place: int) -> bool:
    # A first figure has at least its bottom action to choose, so the position is still in its
    # turn. So is one of the Nomad's, whose actions follow.
    if position.kinds[seat].owns_cards:
        return position.place == place and position.bottom_open
    return position.first[place] == 1 + seat and position.players[seat].figures.count(place) == 1


def _figure_placed(
    _: Words, position: Position, seat: int, figure: int, place: int
) -> list[v.PublicEvent]:
    first = _is_first(position, seat, place)
    placed = v.FigurePlaced(seat=seat, figure=FIGURES[figure], space=PLACES[place], first=first)
    return [v.PublicEvent(figure_placed=placed)]


def _card_moved(
    words: Words,
    seat: int,
    card: int,
    start: enums.Zone.ValueType,
    end: enums.Zone.ValueType,
) -> list[v.PublicEvent]:
    moved = v.CardsMoved(
        seat=seat,
        from_zone=start,
        to_zone=end,
        count=1,
        open_cards=[ids.CardCount(card_id=words.cards[card], count=1)],
    )
    return [v.PublicEvent(cards_moved=moved)]


def _ability_used(
    words: Words, _: Position, seat: int, card: int, number: int
) -> list[v.PublicEvent]:
    used = m.AbilityChoice(source=ids.Source(card_id=words.cards[card]), ability=number)
    return [v.PublicEvent(ability_used=v.AbilityUsed(seat=seat, ability=used))]


def _chief_used(words: Words, _: Position, seat: int, side: int, __: int) -> list[v.PublicEvent]:
    used = m.AbilityChoice(source=ids.Source(chief_id=words.chiefs[side]))
    return [v.PublicEvent(ability_used=v.AbilityUsed(seat=seat, ability=used))]


def _changed(seat: int, icon: enums.Icon.ValueType, change: int) -> v.PublicEvent:
    return v.PublicEvent(
        resource_changed=v.ResourceChanged(seat=seat, resource=icon, change=change)
    )


def _idol(seat: int, track: enums.IdolTrack.ValueType, level: int) -> list[v.PublicEvent]:
    return [v.PublicEvent(idol_moved=v.IdolMoved(seat=seat, track=track, level=level))]


def _points(_: Words, __: Position, seat: int, points: int, by: int) -> list[v.PublicEvent]:
    category = r.ScoreCategory.ValueType(by)
    scored = v.PointsScored(seat=seat, points=points, category=category)
    return [v.PublicEvent(points_scored=scored)]


def _animal_taken(
    words: Words, _: Position, seat: int, animal: int, from_deck: int
) -> list[v.PublicEvent]:
    taken = v.AnimalTaken(seat=seat, animal_id=words.animals[animal], from_deck=bool(from_deck))
    return [v.PublicEvent(animal_taken=taken)]


def _stone_taken(
    words: Words, position: Position, seat: int, stone: int, _: int
) -> list[v.PublicEvent]:
    space = position.players[seat].stones.index(stone) + 1
    taken = v.StoneTaken(seat=seat, stone_id=words.stones[stone], board_space=space)
    return [v.PublicEvent(stone_taken=taken)]


def _camp(owner: int, by: int, start: ids.CampSite, end: ids.CampSite) -> v.PublicEvent:
    moved = v.CampMoved(owner_seat=owner, by_seat=by, from_site=start, to_site=end)
    return v.PublicEvent(camp_moved=moved)


def camp_moved(owner: int, start: int, end: int, *, by: int) -> v.PublicEvent:
    return _camp(owner, by, _site(owner, start), _site(owner, end))


def _site(seat: int, place: int) -> ids.CampSite:
    """A hex, or the seat's own place outside the board."""
    if place == OUTSIDE:
        return ids.CampSite(starting_base_of_seat=seat)
    return ids.CampSite(hex=place)


def _home(seat: int) -> ids.CampSite:
    return ids.CampSite(board_of_seat=seat)


def _village(
    _: Words, __: Position, seat: int, juncture: int, stand_in: int
) -> list[v.PublicEvent]:
    """MIG-05: its three Camps come home; `stand_in`: 1 + the hex where something else was one."""
    village = p.VillageView(juncture=juncture, seat=seat)
    built = v.VillageBuilt(village=village, with_raft=bool(stand_in))
    return [
        *(
            _camp(seat, seat, _site(seat, hex_), _home(seat))
            for hex_ in JUNCTURES[juncture]
            if hex_ != stand_in - 1
        ),
        v.PublicEvent(village_built=built),
    ]


def _megalith(_: Words, position: Position, seat: int, site: int, __: int) -> list[v.PublicEvent]:
    stands = v.MegalithSet(megalith=boards.placed(position, site), seat=seat)
    return [v.PublicEvent(megalith_set=stands)]


def _culture_dealt(
    words: Words, _: Position, __: int, card: int, space: int
) -> list[v.PublicEvent]:
    dealt = v.CultureDealt(card=p.CardSpace(space=space, card_id=words.cards[card]))
    return [v.PublicEvent(culture_dealt=dealt)]


def _glacier(words: Words, _: Position, __: int, token: int, hex_: int) -> list[v.PublicEvent]:
    flipped = v.GlacierTokenFlipped(hex=hex_, token_id=words.glacier_tokens[token])
    return [v.PublicEvent(glacier_token_flipped=flipped)]


def _eclipse_turn(_: Words, __: Position, seat: int, ___: int, ____: int) -> list[v.PublicEvent]:
    return [v.PublicEvent(turn_started=v.TurnStarted(seat=seat, turn_number=0))]


def _rest_token(moved: v.RestTokenMoved) -> list[v.PublicEvent]:
    return [v.PublicEvent(rest_token_moved=moved)]


def _nomad_column(
    words: Words, position: Position, _: int, column: int, why: int
) -> list[v.PublicEvent]:
    reason = reason_of(words, position, unpacked(why))
    chosen = v.NomadColumnChosen(
        column=PLACES[column], reason=reason.text, rule_ids=reason.rule_ids
    )
    return [v.PublicEvent(nomad_column_chosen=chosen)]


def _nomad_acted(
    words: Words, position: Position, _: int, card: int, what: int
) -> list[v.PublicEvent]:
    due, done = what >> 8 & 255, what & 255
    reason = reason_of(words, position, unpacked(what >> 16))
    always = ALWAYS.get(due, due)
    acted = v.NomadActed(
        nomad_card_id=words.nomad_cards[card - 1] if card else "",
        action=nomad_steps.ACTIONS[always],
        reason=reason.text,
        rule_ids=reason.rule_ids,
    )
    if done != always:
        acted.substitution = nomad_steps.ACTIONS[done]
    return [v.PublicEvent(nomad_acted=acted)]


def _map_revealed(words: Words, _: Position, __: int, card: int, use: int) -> list[v.PublicEvent]:
    reason = map_reason(use)
    revealed = v.MapCardRevealed(
        map_card_id=words.map_cards[card],
        moves_nothing=bool(use & STAYS),
        reason=reason.text,
        rule_ids=reason.rule_ids,
    )
    return [v.PublicEvent(map_card_revealed=revealed)]


def _nomad_built(
    _: Words, __: Position, seat: int, juncture: int, token: int
) -> list[v.PublicEvent]:
    village = p.VillageView(juncture=juncture, seat=seat, nomad_token=bool(token))
    return [v.PublicEvent(village_built=v.VillageBuilt(village=village))]


def _unseen(
    seat: int, start: enums.Zone.ValueType, end: enums.Zone.ValueType
) -> list[v.PublicEvent]:
    """A card that nobody has seen, not even the seat."""
    moved = v.CardsMoved(seat=seat, from_zone=start, to_zone=end, count=1)
    return [v.PublicEvent(cards_moved=moved)]


def of_module(module: str, name: str, sentence: str) -> Encode:
    """How an event is sent for which the contract has no field."""

    def event_of(_: Words, __: Position, seat: int, a: int, b: int) -> list[v.PublicEvent]:
        found = v.ModuleEvent(module=module, name=name, numbers=(a, b), text=sentence.format(a, b))
        if seat >= 0:
            found.seat = seat
        return [v.PublicEvent(module_event=found)]

    return event_of


PUBLIC: Final[dict[int, Encode]] = {
    e.CHIEF_CHOSEN: _chief_chosen,
    e.SETUP_CHOSEN: _setup_chosen,
    e.GAME_BEGAN: began,
    e.TURN_BEGAN: _turn_began,
    e.CULTURE_PLAYED: lambda w, _, seat, card, __: _card_moved(
        w, seat, card, enums.ZONE_HAND, enums.ZONE_PLAYED
    ),
    e.FIGURE_PLACED: _figure_placed,
    e.TRIBE_PLAYED: lambda w, _, seat, card, __: _card_moved(
        w, seat, card, enums.ZONE_HAND, enums.ZONE_PLAYED
    ),
    e.ABILITY_USED: _ability_used,
    e.CHIEF_USED: _chief_used,
    e.FOOD_EATEN: lambda _, __, seat, food, labor: [
        _changed(seat, enums.ICON_FOOD, -food),
        _changed(seat, enums.ICON_LABOR, labor),
    ],
    e.FOOD_GAINED: lambda _, __, seat, n, ___: [_changed(seat, enums.ICON_FOOD, n)],
    e.FOOD_PAID: lambda _, __, seat, n, ___: [_changed(seat, enums.ICON_FOOD, -n)],
    e.TOOLS_GAINED: lambda _, __, seat, n, ___: [_changed(seat, enums.ICON_TOOL, n)],
    e.TOOLS_PAID: lambda _, __, seat, n, ___: [_changed(seat, enums.ICON_TOOL, -n)],
    e.LABOR_GAINED: lambda _, __, seat, n, ___: [_changed(seat, enums.ICON_LABOR, n)],
    e.OFFERING_MOVED: lambda _, __, seat, n, ___: _idol(seat, enums.IDOL_TRACK_OFFERING, n),
    e.HONOR_MOVED: lambda _, __, seat, n, ___: _idol(seat, enums.IDOL_TRACK_HONOR, n),
    e.DECK_SHUFFLED: lambda _, __, seat, ___, ____: [
        v.PublicEvent(deck_reshuffled=v.DeckReshuffled(seat=seat))
    ],
    e.CARD_DISCARDED: lambda w, _, seat, card, __: _card_moved(
        w, seat, card, enums.ZONE_HAND, enums.ZONE_DISCARD
    ),
    e.TRIBE_TAKEN: lambda w, _, seat, card, to_discard: _card_moved(
        w,
        seat,
        card,
        enums.ZONE_TRIBE_DECKS,
        enums.ZONE_DISCARD if to_discard else enums.ZONE_HAND,
    ),
    e.CULTURE_TAKEN: lambda w, _, seat, card, __: _card_moved(
        w, seat, card, enums.ZONE_CULTURE_DISPLAY, enums.ZONE_HAND
    ),
    e.ANIMAL_TAKEN: _animal_taken,
    e.ANIMAL_REVEALED: lambda w, _, __, animal, ___: [
        v.PublicEvent(animal_revealed=v.AnimalRevealed(animal_id=w.animals[animal]))
    ],
    e.ANIMAL_TIPPED: lambda w, _, seat, animal, __: [
        v.PublicEvent(animal_tipped=v.AnimalTipped(seat=seat, animal_id=w.animals[animal]))
    ],
    e.STONE_TAKEN: _stone_taken,
    e.CAMP_PLACED: lambda _, __, seat, hex_, ___: [
        _camp(seat, seat, _home(seat), _site(seat, hex_))
    ],
    e.CAMP_MOVED: lambda _, __, seat, start, end: [camp_moved(seat, start, end, by=seat)],
    e.VILLAGE_PLACED: _village,
    e.MEGALITH_PLACED: _megalith,
    e.POINTS: _points,
    e.TURN_ENDED: lambda _, __, seat, ___, ____: [v.PublicEvent(turn_ended=v.TurnEnded(seat=seat))],
    e.ECLIPSE_BEGAN: lambda _, __, ___, ____, _____: [_phase(enums.PHASE_ECLIPSE)],
    e.PREPARED: lambda _, __, ___, number, ____: _round(number),
    e.GAME_ENDED: lambda _, __, ___, ____, _____: [_phase(enums.PHASE_ENDED)],
    e.CULTURE_DEALT: _culture_dealt,
    e.GLACIER_TOKEN_FLIPPED: _glacier,
    e.REST_TOKEN_TAKEN: lambda w, _, seat, token, __: _rest_token(
        v.RestTokenMoved(token_id=w.rest_tokens[token], holder_seat=seat)
    ),
    e.REST_TOKEN_SHOWN: lambda w, _, __, token, ___: _rest_token(
        v.RestTokenMoved(token_id=w.rest_tokens[token], open=True)
    ),
    e.REST_TOKEN_HIDDEN: lambda w, _, __, token, ___: _rest_token(
        v.RestTokenMoved(token_id=w.rest_tokens[token], to_bottom=True)
    ),
    e.ECLIPSE_TURN_BEGAN: _eclipse_turn,
    e.NOMAD_REVEALED: lambda w, _, __, card, ___: [
        v.PublicEvent(nomad_card_revealed=v.NomadCardRevealed(nomad_card_id=w.nomad_cards[card]))
    ],
    e.NOMAD_COLUMN: _nomad_column,
    e.NOMAD_ACTED: _nomad_acted,
    e.NOMAD_CULTURE: lambda w, _, seat, card, __: _card_moved(
        w, seat, card, enums.ZONE_CULTURE_DISPLAY, enums.ZONE_SACRIFICE_DECK
    ),
    e.NOMAD_BURIED: lambda _, __, seat, ___, ____: _unseen(
        seat, enums.ZONE_SACRIFICE_DECK, enums.ZONE_BURIED
    ),
    e.NOMAD_PILED: lambda _, __, seat, ___, ____: _unseen(
        seat, enums.ZONE_DECK, enums.ZONE_ECLIPSE_PILE
    ),
    e.NOMAD_BUILT: _nomad_built,
    e.NOMAD_SHUFFLED: lambda _, __, seat, ___, ____: [
        v.PublicEvent(deck_reshuffled=v.DeckReshuffled(seat=seat))
    ],
    e.MAP_REVEALED: _map_revealed,
}

# What the seat of a module's event is sent besides.
SECRETS: Final[dict[int, Callable[[Words, bytes], v.PrivateEvent]]] = {}

_MOST_CACHED: Final = 20_000  # encoded events in the cache, some MB at worst
# Events that are encoded the same way in any position: that is done once.
BY_ITSELF: Final[set[int]] = {
    *_SECRET_MOVES,
    e.CHIEF_CHOSEN,
    e.SETUP_CHOSEN,
    e.CULTURE_PLAYED,
    e.TRIBE_PLAYED,
    e.ABILITY_USED,
    e.CHIEF_USED,
    e.FOOD_EATEN,
    e.FOOD_GAINED,
    e.FOOD_PAID,
    e.TOOLS_GAINED,
    e.TOOLS_PAID,
    e.LABOR_GAINED,
    e.OFFERING_MOVED,
    e.HONOR_MOVED,
    e.DECK_SHUFFLED,
    e.CARD_DISCARDED,
    e.TRIBE_TAKEN,
    e.CULTURE_TAKEN,
    e.ANIMAL_TAKEN,
    e.ANIMAL_REVEALED,
    e.ANIMAL_TIPPED,
    e.CAMP_PLACED,
    e.CAMP_MOVED,
    e.VILLAGE_PLACED,
    e.POINTS,
    e.TURN_ENDED,
    e.ECLIPSE_BEGAN,
    e.PREPARED,
    e.GAME_ENDED,
    e.CULTURE_DEALT,
    e.GLACIER_TOKEN_FLIPPED,
    e.REST_TOKEN_TAKEN,
    e.REST_TOKEN_SHOWN,
    e.REST_TOKEN_HIDDEN,
    e.ECLIPSE_TURN_BEGAN,
    e.NOMAD_REVEALED,
    e.NOMAD_CULTURE,
    e.NOMAD_BURIED,
    e.NOMAD_PILED,
    e.NOMAD_BUILT,
    e.NOMAD_SHUFFLED,
    e.MAP_REVEALED,
}
