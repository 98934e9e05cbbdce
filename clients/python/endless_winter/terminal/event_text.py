"""Events as text, a line for each: in the terminal's log, in replays and in reports."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from google.protobuf.json_format import MessageToDict

from endless_winter.sdk import category_label, category_name
from endless_winter.sdk.parts.sources import source_text, track_name
from endless_winter.terminal.seats import NOMAD, OWN, printable
from endless_winter.terminal.text import (
    PHASES,
    SPACES,
    cards,
    enum_name,
    labor,
    plural,
    river_place,
)
from endless_winter.v1 import decision_pb2, event_pb2, ids_pb2, replay_pb2, result_pb2
from endless_winter.v1 import enums_pb2 as enums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from google.protobuf.message import Message

    from endless_winter.sdk import Catalog


class Line(NamedTuple):
    """A line of the log, and the seat that acts."""

    text: str
    seat: int | None = None
    heading: bool = False


class EventText:
    """Writes events as lines; `name` gives the name of a seat."""

    def __init__(
        self,
        catalog: Catalog,
        name: Callable[[int], str],
        river_hexes: tuple[int, ...] = (),
        *,
        every: bool = False,
    ) -> None:
        """`every`: also small steps that a board shows by itself, as a replay without one wants."""
        self.catalog = catalog
        self.name = name
        self.river_hexes = river_hexes
        self.every = every

    def lines(self, events: Iterable[event_pb2.Event]) -> Iterator[Line]:
        for event in events:
            kind = event.public_event.WhichOneof("event")
            if kind is None:  # a newer server's
                if self.every:
                    yield Line("Something that this version does not know")
                continue
            public = getattr(event.public_event, kind)
            text = self._text(kind, public)
            if text is None:
                continue
            text = printable(text + self._private(event.private_event, public))
            if text.startswith(f"the {NOMAD}"):  # names of players stay as they write them
                text = f"T{text[1:]}"
            yield Line(text, _seat(kind, public), kind in _HEADINGS)

    def _text(self, kind: str, event: Any) -> str | None:
        if kind not in _TEXTS:
            return self._by_fields(kind, event)
        text = _TEXTS[kind](self, event)
        if text is None or kind in _CAUSE_INSIDE:
            return text
        return text + self.cause(event)

    def _by_fields(self, kind: str, event: Message) -> str:
        """An event that has no text of its own yet, as one of a later module."""
        values = fields(event)
        seat = values.pop("seat", None)
        whose = f"{self.who(seat)}: " if isinstance(seat, int) else ""
        return f"{whose}{_spaced(kind)}{', ' if values else ''}{fields_text(values)}"

    def _private(self, private: event_pb2.PrivateEvent, public: Any) -> str:
        """What only this viewer may know of it."""
        which = private.WhichOneof("secret")
        if which == "own_choice" and private.own_choice.text:
            by = " (standing answer)" if private.own_choice.by_standing_answer else ""
            return f": {private.own_choice.text}{by}"
        if which == "card_faces" and not getattr(public, "open_cards", None):
            return f": {self.cards(private.card_faces.cards)}"
        if which == "standing_answers":
            kinds = [
                enum_name(decision_pb2.DecisionKind, answer.kind, "DECISION_KIND_")
                for answer in private.standing_answers.answers
            ]
            return f": {', '.join(kinds) or 'none'}"
        return ""

    # --- parts of a line ---

    def who(self, seat: int) -> str:
        name = self.name(seat)
        return f"the {name}" if name == NOMAD else name

    def order(self, seats: Iterable[int]) -> str:
        return ", ".join(map(self.who, seats))

    def does(self, seat: int, verb: str) -> str:
        """A name and its verb: "You take", "Ann takes"."""
        name = self.who(seat)
        if name == OWN:
            return f"{name} {verb}"
        first, _, rest = verb.partition(" ")
        ending = "es" if first.endswith(("s", "sh", "ch", "x", "o")) else "s"
        if first.endswith("y") and first[-2] not in "aeiou":
            first, ending = first[:-1], "ies"
        return f"{name} {first}{ending}{' ' + rest if rest else ''}"

    def title(self, content_id: str) -> str:
        return self.catalog.title(content_id)

    def cards(self, counts: Iterable[ids_pb2.CardCount]) -> str:
        return cards(self.catalog, counts)

    def cause(self, event: Any) -> str:
        """What caused it, in brackets; empty where the event does not say."""
        source = getattr(event, "cause", None) or getattr(event, "source", None)
        text = source_text(source, self.title) if source is not None else ""
        return f" ({text})" if text else ""

    # --- events ---

    def seat_changed(self, event: event_pb2.SeatChanged) -> str | None:
        seat = event.seat
        if not seat.taken:
            return f"Seat {seat.seat} is free"
        if seat.handed_to_bot:
            return f"A bot plays on for {self.who(seat.seat)}"
        if not self.every:
            return None
        return f"{self.who(seat.seat)} {'is ready' if seat.ready else 'sits down'}"

    def choice_made(self, event: event_pb2.ChoiceMade) -> str | None:
        if event.origin == event_pb2.CHOICE_ORIGIN_CLOCK:
            return f"Time is up for {self.who(event.seat)}: the default is taken"
        if not self.every:
            return None
        forfeited = event.origin == event_pb2.CHOICE_ORIGIN_FORFEIT
        return f"{self.does(event.seat, 'choose')}{' (played by defaults)' if forfeited else ''}"

    def cards_moved(self, event: event_pb2.CardsMoved) -> str | None:
        zones = (event.from_zone, event.to_zone)
        if zones == (enums.ZONE_PLAYED, enums.ZONE_DISCARD) and not self.every:
            return None  # the end of the turn says it
        verb = _MOVES.get(zones)
        if verb is None:
            start, end = (enum_name(enums.Zone, zone, "ZONE_") for zone in zones)
            verb = f"move {{}} from the {start} to the {end}"
        what = self.cards(event.open_cards) or plural(event.count, "card")
        return self.does(event.seat, verb.format(what))

    def resource_changed(self, event: event_pb2.ResourceChanged) -> str:
        name = enum_name(enums.Icon, event.resource, "ICON_").capitalize()
        if event.resource == enums.ICON_LABOR:
            amount = labor(abs(event.change))
        else:
            amount = str(abs(event.change))
            name = f"{name}s" if name == "Tool" and amount != "1" else name
        return f"{self.does(event.seat, 'gain' if event.change > 0 else 'pay')} {amount} {name}"

    def points_scored(self, event: event_pb2.PointsScored) -> str:
        what = category_label(category_name(event.category))
        why = self.cause(event)
        # "Rafts (Raft)" would say it twice.
        why = "" if what.startswith(why[2:-1]) else why
        return f"{self.does(event.seat, 'score')} {plural(event.points, 'point')}: {what}{why}"

    def setup_chosen(self, event: event_pb2.SetupChosen) -> str | None:
        which = event.WhichOneof("choice")
        if which == "chief":
            chief = self.catalog.chiefs.get(event.chief.chief_id)
            side = enum_name(enums.Side, event.chief.side, "SIDE_").upper()
            name = f"{self.title(event.chief.chief_id)}, {side}"
            if chief is not None:
                name = next((s.name for s in chief.sides if s.side == event.chief.side), name)
            return f"{self.does(event.seat, 'lead')} with {name}"
        if which == "setup_card":
            name = self.title(event.setup_card.setup_card_id)
            return f"{self.does(event.seat, 'start')} with {name}"
        if which == "landmark":
            name = self.title(event.landmark.landmark_id)
            return f"The Landmark on hex {event.landmark.hex}: {name}"
        return None

    def figure_placed(self, event: event_pb2.FigurePlaced) -> str:
        figure = "the Chief" if event.figure == enums.FIGURE_CHIEF else "a Tribe figure"
        if event.space == enums.ACTION_SPACE_REST:
            return f"{self.does(event.seat, 'rest')} with {figure}"
        where = f"{SPACES.get(event.space, '?')}{', first there' if event.first else ''}"
        return f"{self.does(event.seat, 'place')} {figure} in {where}"

    def benefit_passed(self, event: event_pb2.BenefitPassed) -> str:
        icon = enum_name(enums.Icon, event.icon, "ICON_")
        icon = icon.replace("megalith by arrow", "second Megalith")
        if not event.taken:
            return f"{self.does(event.seat, 'leave')} {icon}"
        taken = enum_name(enums.Icon, event.taken, "ICON_")
        return f"{self.does(event.seat, 'take')} {taken} instead of {icon}"

    def camp_moved(self, event: event_pb2.CampMoved) -> str:
        seat = event.owner_seat
        start, end = event.from_site.WhichOneof("site"), event.to_site.WhichOneof("site")
        if start in _ON_TABLE and end == "hex":
            origin = f"hex {event.from_site.hex}" if start == "hex" else "the Starting Base"
            way = f"from {origin} to {'' if start == 'hex' else 'hex '}{event.to_site.hex}"
            text = f"{self.does(event.by_seat, 'move')} a Camp {way}"
            if event.by_seat != seat:
                text += f" (of {self.who(seat)})"
        elif end == "hex":
            text = f"{self.does(seat, 'place')} a Camp on hex {event.to_site.hex}"
        elif end == "starting_base_of_seat":
            text = f"{self.does(seat, 'place')} a Camp on the Starting Base"
        elif start == "hex":
            text = f"{self.does(seat, 'return')} a Camp from hex {event.from_site.hex}"
        else:
            text = f"{self.does(seat, 'move')} a Camp"
        # The cause of a Camp that comes home is its Village, which has a line of its own.
        return text if start in _ON_TABLE and end not in _ON_TABLE else text + self.cause(event)

    def raft_moved(self, event: event_pb2.RaftMoved) -> str:
        start, end = event.move.from_river_place, event.move.to_river_place
        if not end:
            name = self.who(event.seat)
            whose = "Your Raft" if name == OWN else f"The Raft of {name}"
            return f"{whose} returns to the Headwaters"
        way = "down" if end > start else "up"
        where = river_place(self.river_hexes, end)
        return f"{self.does(event.seat, 'move')} the Raft {way}river to {where}"

    def fish_drawn(self, event: event_pb2.FishDrawn) -> str:
        again = "; the discarded Fish are mixed again" if event.pool_refilled else ""
        fish = self.title(event.token_id)
        return f"{self.does(event.seat, 'catch')} {fish}{self.cause(event)}{again}"

    def module_event(self, event: event_pb2.ModuleEvent) -> str:
        text = event.text or f"{event.module}: {event.name}"
        return f"{self.who(event.seat)}: {text}" if event.HasField("seat") else text

    def megalith_set(self, event: event_pb2.MegalithSet) -> str:
        site = event.megalith.site
        kind = "a neutral Megalith" if event.megalith.neutral else "a Megalith"
        level = f", level {site.level}" if site.level else ""
        return f"{self.does(event.seat, 'set')} {kind} at {site.x},{site.y}{level}"

    def piles_revealed(self, event: event_pb2.PilesRevealed) -> str:
        piles = []
        for pile in event.piles:
            what = ", ".join(map(self.title, pile.nomad_card_ids)) or self.cards(pile.cards)
            of = f" ({what})" if what else ""
            piles.append(f"{self.who(pile.seat)} {labor(pile.labor_halves)} Labor{of}")
        return f"Eclipse piles: {'; '.join(piles)}"

    def rest_token_moved(self, event: event_pb2.RestTokenMoved) -> str:
        name = f"Rest token {self.title(event.token_id)}"
        if event.HasField("holder_seat"):
            return f"{self.does(event.holder_seat, 'take')} the {name}"
        return f"The {name} {'goes under the stack' if event.to_bottom else 'lies open'}"

    def game_ended(self, event: event_pb2.GameEnded) -> str:
        outcome = enum_name(result_pb2.GameOutcome, event.result.outcome, "GAME_OUTCOME_")
        seats = []
        for seat in sorted(event.result.seats, key=lambda seat: (seat.place, seat.seat)):
            place = f"{seat.place}. " if seat.place else ""
            reason = enum_name(result_pb2.EndReason, seat.reason, "END_REASON_")
            why = "" if seat.reason == result_pb2.END_REASON_NORMAL else f" ({reason})"
            seats.append(f"{place}{self.who(seat.seat)} {seat.score}{why}")
        return f"The end ({outcome}): {', '.join(seats)}"


def frame_lines(
    frames: Iterable[replay_pb2.ReplayFrame], catalog: Catalog
) -> Iterator[tuple[str, str]]:
    """Every step of a replay, and what followed from it: the style of each line, and the line."""
    names: dict[int, str] = {}
    text = EventText(catalog, lambda seat: names.get(seat) or f"seat {seat}", every=True)
    for frame in frames:
        time = datetime.fromtimestamp(min(max(frame.time_unix_ms, 0), _LATEST) / 1000, UTC)
        head = f"{frame.seq:>5}  {time:%H:%M:%S}  "
        if not frame.events:
            yield STEP, f"{head}{'The game is created' if frame.seq == 1 else '.'}"
        for event in frame.events:
            _learn_names(names, event.public_event)
            for line in text.lines([event]):
                if event.public_event.HasField("round_started"):
                    yield HEADING, f"=== {line.text} ==="
                    continue
                yield STEP if head else DETAIL, f"{head or ' ' * 19}{line.text}"
                head = ""


def _learn_names(names: dict[int, str], event: event_pb2.PublicEvent) -> None:
    if event.HasField("seat_changed"):
        seat = event.seat_changed.seat
        names[seat.seat] = f"{seat.display_name or 'somebody'} (seat {seat.seat})"
        if not seat.taken:
            del names[seat.seat]
    elif event.HasField("game_started"):
        for number in event.game_started.turn_order:  # where nobody sat down, the server plays
            names.setdefault(number, f"the {NOMAD} (seat {number})")


# Styles of the lines of a replay.
HEADING, STEP, DETAIL = "heading", "step", "detail"
_LATEST = 253_402_300_799_000  # the last time that a calendar can show


def fields(message: Message) -> dict[str, Any]:
    """The fields of a message, zeros too, which protobuf's own text leaves out."""
    return MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


def fields_text(values: dict[str, Any]) -> str:
    """All fields in a line: "hex 5, site (x 1, y 0)"."""
    return ", ".join(f"{_spaced(name)} {_value(one)}" for name, one in values.items() if one != [])


def _value(one: Any) -> str:
    if isinstance(one, dict):
        return f"({fields_text(one)})"
    return " and ".join(map(_value, one)) if isinstance(one, list) else str(one)


def _spaced(name: str) -> str:
    return name.replace("_", " ")


def _seat(kind: str, event: Any) -> int | None:
    """The seat that acts; None: nobody in particular."""
    if kind in ("seat_changed", "village_built", "starting_base_placed"):
        event = getattr(event, _SEAT_IN[kind])
    for field in ("seat", "by_seat", "holder_seat"):
        if field in event.DESCRIPTOR.fields_by_name and event.HasField(field):
            seat: int = getattr(event, field)
            return seat
    return None


_SEAT_IN = {
    "seat_changed": "seat",
    "village_built": "village",
    "starting_base_placed": "starting_base",
}
_HEADINGS = {"game_started", "round_started", "phase_started", "game_ended"}
_CAUSE_INSIDE = {"camp_moved", "fish_drawn", "points_scored"}
_ON_TABLE = ("hex", "starting_base_of_seat")
_MOVES = {
    (enums.ZONE_DECK, enums.ZONE_HAND): "draw {}",
    (enums.ZONE_HAND, enums.ZONE_PLAYED): "play {}",
    (enums.ZONE_HAND, enums.ZONE_DISCARD): "discard {}",
    (enums.ZONE_PLAYED, enums.ZONE_DISCARD): "discard the played {}",
    (enums.ZONE_HAND, enums.ZONE_ECLIPSE_PILE): "add {} to the Eclipse pile",
    (enums.ZONE_ECLIPSE_PILE, enums.ZONE_HAND): "get {} back from the Eclipse pile",
    (enums.ZONE_ECLIPSE_PILE, enums.ZONE_DISCARD): "discard the Eclipse pile ({})",
    (enums.ZONE_TRIBE_DECKS, enums.ZONE_HAND): "take {}",
    (enums.ZONE_TRIBE_DECKS, enums.ZONE_DISCARD): "recruit {}",
    (enums.ZONE_CULTURE_DISPLAY, enums.ZONE_HAND): "take the Culture card {}",
    (enums.ZONE_HAND, enums.ZONE_BURIED): "bury {} from the hand",
    (enums.ZONE_CULTURE_DISPLAY, enums.ZONE_SACRIFICE_DECK): "put {} onto the Sacrifice deck",
    (enums.ZONE_SACRIFICE_DECK, enums.ZONE_BURIED): "bury {} of the Sacrifice deck",
    (enums.ZONE_DISCARD, enums.ZONE_BURIED): "bury {}",
    (enums.ZONE_PLAYED, enums.ZONE_BURIED): "bury {}",
}
_TEXTS: dict[str, Callable[[EventText, Any], str | None]] = {
    "seat_changed": EventText.seat_changed,
    "game_started": lambda t, e: f"The game begins: {t.order(e.turn_order)}",
    "round_started": lambda _, e: f"Round {e.round}",
    "phase_started": lambda _, e: PHASES.get(e.phase, "A new phase"),
    "turn_started": lambda t, e: (
        f"— {t.who(e.seat)}: {f'turn {e.turn_number}' if e.turn_number else 'Eclipse turn'} —"
    ),
    "turn_ended": lambda t, e: t.does(e.seat, "end the turn") if t.every else None,
    "choice_made": EventText.choice_made,
    "choices_undone": lambda t, e: t.does(e.seat, "take back the last choice"),
    "clock_expired": lambda t, e: f"The clock of {t.who(e.seat)} has run out ({e.timeouts})",
    "seat_forfeited": lambda t, e: (
        f"{t.who(e.seat)}: out of the game "
        f"({enum_name(result_pb2.EndReason, e.reason, 'END_REASON_')}), played by defaults"
    ),
    "standing_answers_changed": lambda t, e: (
        t.does(e.seat, "change standing answers") if t.every else None
    ),
    "server_restarted": lambda _, __: "The server was restarted; no time is charged",
    "game_ended": EventText.game_ended,
    "setup_chosen": EventText.setup_chosen,
    "figure_placed": EventText.figure_placed,
    "cards_moved": EventText.cards_moved,
    "deck_reshuffled": lambda t, e: t.does(e.seat, "shuffle the discard pile into a new deck"),
    "ability_used": lambda t, e: (
        f"{t.does(e.seat, 'use')} {source_text(e.ability.source, t.title)}"
    ),
    "resource_changed": EventText.resource_changed,
    "points_scored": EventText.points_scored,
    "benefit_passed": EventText.benefit_passed,
    "culture_dealt": lambda t, e: f"On display: {t.title(e.card.card_id)}" if t.every else None,
    "animal_revealed": lambda t, e: f"In the Hunting Grounds: {t.title(e.animal_id)}",
    "animal_taken": lambda t, e: (
        f"{t.does(e.seat, 'take')} {t.title(e.animal_id)}{' from the deck' if e.from_deck else ''}"
    ),
    "animal_tipped": lambda t, e: f"{t.does(e.seat, 'tip')} {t.title(e.animal_id)}",
    "stone_taken": lambda t, e: f"{t.does(e.seat, 'take')} the {t.title(e.stone_id)}",
    "camp_moved": EventText.camp_moved,
    "village_built": lambda t, e: (
        f"{t.does(e.village.seat, 'build')} a Village at juncture {e.village.juncture}"
        f"{' with the Raft' if e.with_raft else ''}"
    ),
    "megalith_set": EventText.megalith_set,
    "idol_moved": lambda t, e: (
        f"{t.does(e.seat, 'move')} to level {e.level} of the {track_name(e.track)}"
    ),
    "piles_revealed": EventText.piles_revealed,
    "turn_order_set": lambda t, e: f"Turn order: {t.order(e.turn_order)}",
    "glacier_token_flipped": lambda t, e: f"Glacier token on hex {e.hex}: {t.title(e.token_id)}",
    "rest_token_moved": EventText.rest_token_moved,
    "fish_drawn": EventText.fish_drawn,
    "fish_mixed": lambda _, e: f"The {e.count} discarded Fish are mixed into a new pool",
    "raft_moved": EventText.raft_moved,
    "mammoth_moved": lambda t, e: f"{t.does(e.seat, 'move')} the Mammoth to juncture {e.juncture}",
    "module_event": EventText.module_event,
    "starting_base_placed": lambda t, e: (
        f"{t.does(e.starting_base.seat, 'attach')} the Starting Base at the hexes "
        f"{e.starting_base.first_hex} and {e.starting_base.second_hex}"
    ),
    "nomad_card_revealed": lambda t, e: f"The Nomad reveals {t.title(e.nomad_card_id)}",
    "nomad_column_chosen": lambda _, e: (
        f"The Nomad goes to {SPACES.get(e.column, '?')}: {e.reason}"
    ),
    "nomad_acted": lambda _, e: f"The Nomad: {e.reason}",
    "map_card_revealed": lambda t, e: f"Map card: {t.title(e.map_card_id)}. {e.reason}",
}
