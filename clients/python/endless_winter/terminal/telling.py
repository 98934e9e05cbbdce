"""What happened, a line for each thing, in the words of the table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from endless_winter.sdk import category_label, category_name
from endless_winter.terminal.seats import NOMAD, OWN, clean
from endless_winter.terminal.wording import (
    PHASES,
    SPACES,
    cards,
    labor,
    plural,
    source_words,
    stretch,
    unheard_of,
    word,
)
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import event_pb2, result_pb2

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from endless_winter.sdk import Catalog
    from endless_winter.v1 import ids_pb2


class Line(NamedTuple):
    """A line of the log and whose doing it is."""

    text: str
    seat: int | None = None
    heading: bool = False


class Teller:
    """Tells events. Small steps that the board shows anyway are left out."""

    def __init__(
        self, catalog: Catalog, names: tuple[str, ...], river_hexes: tuple[int, ...] = ()
    ) -> None:
        self.catalog = catalog
        self.names = names
        self.river_hexes = river_hexes

    def lines(self, events: Iterable[event_pb2.Event]) -> Iterator[Line]:
        for event in events:
            kind = event.public_event.WhichOneof("event")
            if kind is None or kind in _SILENT:
                continue
            told = getattr(event.public_event, kind)
            line = _TOLD.get(kind, partial(_unheard_of, kind))(self, told)
            faces = event.private_event.card_faces.cards
            if line is not None and faces and not getattr(told, "open_cards", None):
                line = line._replace(text=f"{line.text}: {self.cards(faces)}")
            if line is not None:
                text = clean(line.text)
                if text.startswith(f"the {NOMAD}"):  # names of players stay as they write them
                    text = f"T{text[1:]}"
                yield line._replace(text=text)

    def who(self, seat: int) -> str:
        name = self.names[seat] if seat < len(self.names) else f"seat {seat}"
        return f"the {name}" if name == NOMAD else name

    def does(self, seat: int, verb: str) -> str:
        """A name and its verb: "You take", "Ann takes"."""
        name = self.who(seat)
        if name == "You":
            return f"You {verb}"
        first, _, rest = verb.partition(" ")
        ending = "es" if first.endswith(("s", "sh", "ch", "x", "o")) else "s"
        if first.endswith("y") and first[-2] not in "aeiou":
            first, ending = first[:-1], "ies"
        return f"{name} {first}{ending}{' ' + rest if rest else ''}"

    def title(self, content_id: str) -> str:
        return self.catalog.title(content_id)

    def cards(self, counts: Iterable[ids_pb2.CardCount]) -> str:
        return cards(self.catalog, counts)

    def source(self, source: ids_pb2.Source) -> str:
        """Where something came from, in brackets; empty where it goes without saying."""
        said = source_words(source, self.title)
        return f" ({said})" if said else ""

    # --- events ---

    def seat_changed(self, told: event_pb2.SeatChanged) -> Line | None:
        seat = told.seat
        if not seat.taken:
            return Line(f"Seat {seat.seat} is free", seat.seat)
        if seat.handed_to_bot:
            return Line(f"A bot plays on for {self.who(seat.seat)}", seat.seat)
        return None

    def choice_made(self, told: event_pb2.ChoiceMade) -> Line | None:
        if told.origin == event_pb2.CHOICE_ORIGIN_CLOCK:
            return Line(f"Time is up for {self.who(told.seat)}: the default is taken", told.seat)
        return None

    def turn_started(self, told: event_pb2.TurnStarted) -> Line:
        which = f"turn {told.turn_number}" if told.turn_number else "Eclipse turn"
        return Line(f"— {self.who(told.seat)}: {which} —", told.seat)

    def cards_moved(self, told: event_pb2.CardsMoved) -> Line | None:
        where = (told.from_zone, told.to_zone)
        verb = _MOVES.get(where)
        if verb is None:
            if told.to_zone == enums.ZONE_DISCARD and told.from_zone == enums.ZONE_PLAYED:
                return None  # the end of the turn says it
            start, end = (word(enums.Zone, zone, "ZONE_") for zone in where)
            verb = f"move {{}} from the {start} to the {end}"
        what = self.cards(told.open_cards) or plural(told.count, "card")
        why = self.source(told.cause)
        return Line(f"{self.does(told.seat, verb.format(what))}{why}", told.seat)

    def resource_changed(self, told: event_pb2.ResourceChanged) -> Line:
        name = word(enums.Icon, told.resource, "ICON_").capitalize()
        if told.resource == enums.ICON_LABOR:
            amount = labor(abs(told.change))
        else:
            amount = str(abs(told.change))
            name = f"{name}s" if name == "Tool" and amount != "1" else name
        verb = "gain" if told.change > 0 else "pay"
        return Line(
            f"{self.does(told.seat, verb)} {amount} {name}{self.source(told.cause)}", told.seat
        )

    def points_scored(self, told: event_pb2.PointsScored) -> Line:
        what = category_label(category_name(told.category))
        scores = f"{self.does(told.seat, 'score')} {plural(told.points, 'point')}"
        why = self.source(told.cause)
        # "Rafts (Raft)" would say it twice.
        return Line(f"{scores}: {what}{'' if what.startswith(why[2:-1]) else why}", told.seat)

    def setup_chosen(self, told: event_pb2.SetupChosen) -> Line | None:
        which = told.WhichOneof("choice")
        if which == "chief":
            chief = self.catalog.chiefs.get(told.chief.chief_id)
            name = told.chief.chief_id
            if chief is not None:
                sides = [side.name for side in chief.sides if side.side == told.chief.side]
                name = sides[0] if sides else chief.item.name
            return Line(f"{self.does(told.seat, 'lead')} with {name}", told.seat)
        if which == "setup_card":
            return Line(
                f"{self.does(told.seat, 'start')} with {self.title(told.setup_card.setup_card_id)}",
                told.seat,
            )
        if which == "landmark":
            chosen = told.landmark
            return Line(f"The Landmark on hex {chosen.hex}: {self.title(chosen.landmark_id)}")
        return None

    def figure_placed(self, told: event_pb2.FigurePlaced) -> Line:
        figure = "the Chief" if told.figure == enums.FIGURE_CHIEF else "a Tribe figure"
        where = SPACES.get(told.space, "?")
        if told.space == enums.ACTION_SPACE_REST:
            return Line(f"{self.does(told.seat, 'rest')} with {figure}", told.seat)
        first = ", first there" if told.first else ""
        return Line(f"{self.does(told.seat, 'place')} {figure} in {where}{first}", told.seat)

    def ability_used(self, told: event_pb2.AbilityUsed) -> Line:
        source = told.ability.source
        which = source.WhichOneof("origin") or ""
        name = self.title(getattr(source, which)) if which in _NAMED else which.replace("_", " ")
        return Line(f"{self.does(told.seat, 'use')} {name}", told.seat)

    def benefit_passed(self, told: event_pb2.BenefitPassed) -> Line:
        icon = word(enums.Icon, told.icon, "ICON_").replace("megalith by arrow", "second Megalith")
        if not told.taken:
            return Line(
                f"{self.does(told.seat, 'leave')} {icon}{self.source(told.source)}", told.seat
            )
        taken = word(enums.Icon, told.taken, "ICON_")
        return Line(
            f"{self.does(told.seat, 'take')} {taken} instead of {icon}{self.source(told.source)}",
            told.seat,
        )

    def animal_taken(self, told: event_pb2.AnimalTaken) -> Line:
        deck = " from the deck" if told.from_deck else ""
        taken = f"{self.does(told.seat, 'take')} {self.title(told.animal_id)}{deck}"
        return Line(f"{taken}{self.source(told.cause)}", told.seat)

    def camp_moved(self, told: event_pb2.CampMoved) -> Line:
        seat = told.owner_seat
        start, end = told.from_site.WhichOneof("site"), told.to_site.WhichOneof("site")
        if start in _ON_TABLE and end == "hex":
            origin = f"hex {told.from_site.hex}" if start == "hex" else "the Starting Base"
            way = f"from {origin} to {'' if start == 'hex' else 'hex '}{told.to_site.hex}"
            text = f"{self.does(told.by_seat, 'move')} a Camp {way}"
            if told.by_seat != seat:
                text += f" (of {self.who(seat)})"
        elif end == "hex":
            text = f"{self.does(seat, 'place')} a Camp on hex {told.to_site.hex}"
        elif end == "starting_base_of_seat":
            text = f"{self.does(seat, 'place')} a Camp on the Starting Base"
        elif start == "hex":
            text = f"{self.does(seat, 'return')} a Camp from hex {told.from_site.hex}"
        else:
            text = f"{self.does(seat, 'move')} a Camp"
        if (
            start not in _ON_TABLE or end in _ON_TABLE
        ):  # a Camp that comes home: its Village says it
            text += self.source(told.cause)
        return Line(text, told.by_seat)

    def raft_moved(self, told: event_pb2.RaftMoved) -> Line:
        start, end = told.move.from_river_place, told.move.to_river_place
        if not end:
            name = self.who(told.seat)
            whose = "Your Raft" if name == OWN else f"The Raft of {name}"
            return Line(f"{whose} returns to the Headwaters", told.seat)
        way = "down" if end > start else "up"
        there = stretch(self.river_hexes, end)
        return Line(f"{self.does(told.seat, 'move')} the Raft {way}river to {there}", told.seat)

    def village_built(self, told: event_pb2.VillageBuilt) -> Line:
        village = told.village
        raft = " with the Raft" if told.with_raft else ""
        built = f"{self.does(village.seat, 'build')} a Village at juncture {village.juncture}"
        return Line(f"{built}{raft}{self.source(told.cause)}", village.seat)

    def fish_drawn(self, told: event_pb2.FishDrawn) -> Line:
        back = "; the discarded Fish are mixed again" if told.pool_refilled else ""
        caught = f"{self.does(told.seat, 'catch')} {self.title(told.token_id)}"
        return Line(f"{caught}{self.source(told.cause)}{back}", told.seat)

    def module_event(self, told: event_pb2.ModuleEvent) -> Line:
        text = told.text or f"{told.module}: {told.name}"
        if not told.HasField("seat"):
            return Line(text)
        return Line(f"{self.who(told.seat)}: {text}", told.seat)

    def starting_base_placed(self, told: event_pb2.StartingBasePlaced) -> Line:
        base = told.starting_base
        where = f"at the hexes {base.first_hex} and {base.second_hex}"
        return Line(f"{self.does(base.seat, 'attach')} the Starting Base {where}", base.seat)

    def megalith_set(self, told: event_pb2.MegalithSet) -> Line:
        site = told.megalith.site
        level = f", level {site.level}" if site.level else ""
        kind = "a neutral Megalith" if told.megalith.neutral else "a Megalith"
        stands = f"{self.does(told.seat, 'set')} {kind} at {site.x},{site.y}{level}"
        return Line(f"{stands}{self.source(told.cause)}", told.seat)

    def piles_revealed(self, told: event_pb2.PilesRevealed) -> Line:
        piles = [f"{self.who(pile.seat)} {labor(pile.labor_halves)}" for pile in told.piles]
        return Line(f"Eclipse: Labor {', '.join(piles)}")

    def rest_token_moved(self, told: event_pb2.RestTokenMoved) -> Line:
        name = f"the Rest token {self.title(told.token_id)}"
        if told.HasField("holder_seat"):
            return Line(f"{self.does(told.holder_seat, 'take')} {name}", told.holder_seat)
        where = "goes under the stack" if told.to_bottom else "lies open"
        return Line(f"{name[0].upper()}{name[1:]} {where}")

    def seat_forfeited(self, told: event_pb2.SeatForfeited) -> Line:
        why = word(result_pb2.EndReason, told.reason, "END_REASON_")
        return Line(
            f"{self.who(told.seat)}: out of the game ({why}), played by defaults", told.seat
        )

    def game_ended(self, told: event_pb2.GameEnded) -> Line:
        ranked = sorted(told.result.seats, key=lambda seat: (seat.place, seat.seat))
        scores = ", ".join(f"{self.who(seat.seat)} {seat.score}" for seat in ranked)
        return Line(f"The end: {scores}", heading=True)


def _unheard_of(kind: str, teller: Teller, told: Any) -> Line:
    seat = getattr(told, "seat", None)
    return Line(unheard_of(kind, told, teller.who), seat if isinstance(seat, int) else None)


def _track(track: int) -> str:
    return f"{word(enums.IdolTrack, track, 'IDOL_TRACK_').title()} track"


_ON_TABLE = ("hex", "starting_base_of_seat")
_NAMED = (
    "card_id",
    "chief_id",
    "setup_card_id",
    "animal_id",
    "stone_id",
    "token_id",
    "landmark_id",
    "nomad_card_id",
)
_MOVES = {
    (enums.ZONE_DECK, enums.ZONE_HAND): "draw {}",
    (enums.ZONE_HAND, enums.ZONE_PLAYED): "play {}",
    (enums.ZONE_HAND, enums.ZONE_DISCARD): "discard {}",
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
_SILENT = {"turn_ended", "standing_answers_changed", "culture_dealt"}
_TOLD: dict[str, Callable[[Teller, Any], Line | None]] = {
    "seat_changed": Teller.seat_changed,
    "game_started": lambda t, e: Line(
        f"The game begins: {', '.join(map(t.who, e.turn_order))}", heading=True
    ),
    "round_started": lambda _, e: Line(f"Round {e.round}", heading=True),
    "phase_started": lambda _, e: Line(PHASES.get(e.phase, "A new phase"), heading=True),
    "turn_started": Teller.turn_started,
    "choice_made": Teller.choice_made,
    "choices_undone": lambda t, e: Line(t.does(e.seat, "take back the last choice"), e.seat),
    "clock_expired": lambda t, e: Line(
        f"The clock of {t.who(e.seat)} has run out ({e.timeouts})", e.seat
    ),
    "seat_forfeited": Teller.seat_forfeited,
    "server_restarted": lambda _, __: Line("The server was restarted; no time is charged"),
    "game_ended": Teller.game_ended,
    "setup_chosen": Teller.setup_chosen,
    "figure_placed": Teller.figure_placed,
    "cards_moved": Teller.cards_moved,
    "deck_reshuffled": lambda t, e: Line(
        t.does(e.seat, "shuffle the discard pile into a new deck"), e.seat
    ),
    "ability_used": Teller.ability_used,
    "resource_changed": Teller.resource_changed,
    "points_scored": Teller.points_scored,
    "benefit_passed": Teller.benefit_passed,
    "animal_revealed": lambda t, e: Line(f"In the Hunting Grounds: {t.title(e.animal_id)}"),
    "animal_taken": Teller.animal_taken,
    "animal_tipped": lambda t, e: Line(
        f"{t.does(e.seat, 'tip')} {t.title(e.animal_id)}{t.source(e.cause)}", e.seat
    ),
    "stone_taken": lambda t, e: Line(
        f"{t.does(e.seat, 'take')} the {t.title(e.stone_id)}{t.source(e.cause)}", e.seat
    ),
    "camp_moved": Teller.camp_moved,
    "village_built": Teller.village_built,
    "megalith_set": Teller.megalith_set,
    "idol_moved": lambda t, e: Line(
        f"{t.does(e.seat, 'move')} to level {e.level} of the {_track(e.track)}{t.source(e.cause)}",
        e.seat,
    ),
    "piles_revealed": Teller.piles_revealed,
    "turn_order_set": lambda t, e: Line(f"Turn order: {', '.join(map(t.who, e.turn_order))}"),
    "glacier_token_flipped": lambda t, e: Line(
        f"Glacier token on hex {e.hex}: {t.title(e.token_id)}"
    ),
    "rest_token_moved": Teller.rest_token_moved,
    "fish_drawn": Teller.fish_drawn,
    "fish_mixed": lambda _, e: Line(f"The {e.count} discarded Fish are mixed into a new pool"),
    "raft_moved": Teller.raft_moved,
    "mammoth_moved": lambda t, e: Line(
        f"{t.does(e.seat, 'move')} the Mammoth to juncture {e.juncture}", e.seat
    ),
    "module_event": Teller.module_event,
    "starting_base_placed": Teller.starting_base_placed,
    "nomad_card_revealed": lambda t, e: Line(f"The Nomad reveals {t.title(e.nomad_card_id)}"),
    "nomad_column_chosen": lambda _, e: Line(
        f"The Nomad goes to {SPACES.get(e.column, '?')}: {e.reason}"
    ),
    "nomad_acted": lambda _, e: Line(f"The Nomad: {e.reason}"),
    "map_card_revealed": lambda t, e: Line(f"Map card: {t.title(e.map_card_id)}. {e.reason}"),
}
