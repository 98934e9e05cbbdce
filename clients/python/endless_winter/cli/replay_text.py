"""A replay in words: one line per step, and one for each thing that followed from it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from endless_winter.rules.rivers.area import DELTA, HEADWATERS
from endless_winter.terminal.wording import fields, said, source_words, unheard_of, word
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import event_pb2, result_pb2
from endless_winter.v1 import ids_pb2 as ids
from endless_winter.views.categories import category_label, category_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from endless_winter.v1 import replay_pb2

# How a line is meant, for whoever colours it.
HEADING, STEP, DETAIL = "heading", "step", "detail"


def clean(text: str) -> str:
    """A name or note of somebody else's, without anything a terminal would obey."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


class Teller:
    """Turns frames into lines. `titles` has the names of content ids, where they are known."""

    def __init__(self, titles: Mapping[str, str]) -> None:
        self._titles = titles
        self._names: dict[int, str] = {}

    def lines(self, frames: Iterable[replay_pb2.ReplayFrame]) -> Iterator[tuple[str, str]]:
        """Each line with how it is meant."""
        for frame in frames:
            moment = datetime.fromtimestamp(min(max(frame.time_unix_ms, 0), _LATEST) / 1000, UTC)
            head = f"{frame.seq:>5}  {moment:%H:%M:%S}"
            if not frame.events:
                yield STEP, f"{head}  {'the game is created' if frame.seq == 1 else '.'}"
            for event in frame.events:
                kind = event.public_event.WhichOneof("event")
                if kind == "round_started":
                    number = event.public_event.round_started.round
                    yield HEADING, f"=== Round {number} ==="
                    continue
                text = self._event(kind, event)
                style = STEP if head else DETAIL
                yield style, f"{head or ' ' * 15}  {'' if head else '  '}{clean(text)}"
                head = ""

    def _event(self, kind: str | None, event: event_pb2.Event) -> str:
        if kind is None:
            return "something that this version does not know"
        told = getattr(event.public_event, kind)
        if kind not in _TEXTS:
            return unheard_of(kind, told, self.who) + self._secret(event)
        return _TEXTS[kind](self, told) + self._why(told) + self._secret(event)

    def _why(self, told: Any) -> str:
        """What gave it, in brackets."""
        if "cause" not in told.DESCRIPTOR.fields_by_name:
            return ""
        said = source_words(told.cause, self.what)
        return f" [{said}]" if said else ""

    def _secret(self, event: event_pb2.Event) -> str:
        """What only the eyes that look may know of it."""
        secret = event.private_event
        which = secret.WhichOneof("secret")
        if which == "own_choice":
            by = " (standing answer)" if secret.own_choice.by_standing_answer else ""
            return f": {secret.own_choice.text}{by}"
        if which == "card_faces":
            return f": {self.cards(secret.card_faces.cards)}"
        if which == "standing_answers":
            kinds = [str(answer.kind) for answer in secret.standing_answers.answers]
            return f": decision kinds {', '.join(kinds) or 'none'}"
        return ""

    # --- names ---

    def who(self, seat: int) -> str:
        return self._names.get(seat) or f"seat {seat}"

    def what(self, content_id: str) -> str:
        return self._titles.get(content_id, content_id)

    def cards(self, cards: Iterable[ids.CardCount]) -> str:
        return ", ".join(
            self.what(card.card_id) + (f" x{card.count}" if card.count > 1 else "")
            for card in cards
        )

    def order(self, seats: Iterable[int]) -> str:
        return ", ".join(self.who(seat) for seat in seats)

    # --- events ---

    def seat_changed(self, told: event_pb2.SeatChanged) -> str:
        seat = told.seat
        if not seat.taken:
            self._names.pop(seat.seat, None)
            return f"seat {seat.seat} is free"
        name = f"{seat.display_name or 'somebody'} (seat {seat.seat})"
        self._names[seat.seat] = name
        return f"{name} is ready" if seat.ready else f"{name} sits down"

    def game_started(self, told: event_pb2.GameStarted) -> str:
        for seat in told.turn_order:  # where nobody sat down, the server plays
            self._names.setdefault(seat, f"the Nomad (seat {seat})")
        return f"the game starts: {self.order(told.turn_order)}"

    def choice_made(self, told: event_pb2.ChoiceMade) -> str:
        by = {
            event_pb2.CHOICE_ORIGIN_CLOCK: " (time is up)",
            event_pb2.CHOICE_ORIGIN_FORFEIT: " (played by defaults)",
        }.get(told.origin, "")
        return f"{self.who(told.seat)} chooses{by}"

    def cards_moved(self, told: event_pb2.CardsMoved) -> str:
        faces = f" ({self.cards(told.open_cards)})" if told.open_cards else ""
        start, end = (word(enums.Zone, zone, "ZONE_") for zone in (told.from_zone, told.to_zone))
        plural = "" if told.count == 1 else "s"
        return f"{self.who(told.seat)}: {told.count} card{plural} from {start} to {end}{faces}"

    def resource_changed(self, told: event_pb2.ResourceChanged) -> str:
        amount, unit = told.change, word(enums.Icon, told.resource, "ICON_")
        shown = f"{amount / 2:+g}" if told.resource == enums.ICON_LABOR else f"{amount:+}"
        return f"{self.who(told.seat)}: {shown} {unit}"

    def setup_chosen(self, told: event_pb2.SetupChosen) -> str:
        if told.HasField("chief"):
            side = word(enums.Side, told.chief.side, "SIDE_").upper()
            return f"{self.who(told.seat)} has the Chief {self.what(told.chief.chief_id)}, {side}"
        if told.HasField("landmark"):
            landmark = self.what(told.landmark.landmark_id)
            return f"{self.who(told.seat)} puts the {landmark} on hex {told.landmark.hex}"
        return f"{self.who(told.seat)} has {self.what(told.setup_card.setup_card_id)}"

    def points_scored(self, told: event_pb2.PointsScored) -> str:
        what = category_label(category_name(told.category))
        return f"{self.who(told.seat)} scores {told.points}: {what}"

    def figure_placed(self, told: event_pb2.FigurePlaced) -> str:
        figure = word(enums.Figure, told.figure, "FIGURE_")
        space = word(enums.ActionSpace, told.space, "ACTION_SPACE_")
        first = ", first there" if told.first else ""
        return f"{self.who(told.seat)} places a {figure} figure: {space}{first}"

    def camp_moved(self, told: event_pb2.CampMoved) -> str:
        start, end = (_site(site) for site in (told.from_site, told.to_site))
        way = f"from {start} to {end}"
        if told.by_seat != told.owner_seat:  # a raid
            return f"{self.who(told.by_seat)} moves a Camp of {self.who(told.owner_seat)} {way}"
        return f"{self.who(told.owner_seat)}: a Camp {way}"

    def ability_used(self, told: event_pb2.AbilityUsed) -> str:
        source = told.ability.source
        which = source.WhichOneof("origin")
        name = getattr(source, which) if which else ""
        shown = self.what(name) if isinstance(name, str) and name else said(fields(source))
        return f"{self.who(told.seat)} uses {shown}, ability {told.ability.ability + 1}"

    def piles_revealed(self, told: event_pb2.PilesRevealed) -> str:
        piles = [
            f"{self.who(pile.seat)} {pile.labor_halves / 2:g} Labor ({self.pile(pile)})"
            for pile in told.piles
        ]
        return f"Eclipse piles: {'; '.join(piles)}"

    def pile(self, pile: event_pb2.RevealedPile) -> str:
        if pile.nomad_card_ids:
            return ", ".join(self.what(card) for card in pile.nomad_card_ids)
        return self.cards(pile.cards)

    def rest_token_moved(self, told: event_pb2.RestTokenMoved) -> str:
        name = f"the Rest token {self.what(told.token_id)}"
        if told.HasField("holder_seat"):
            return f"{self.who(told.holder_seat)} has {name}"
        return f"{name} {'goes under the stack' if told.to_bottom else 'lies open'}"

    def game_ended(self, told: event_pb2.GameEnded) -> str:
        outcome = word(result_pb2.GameOutcome, told.result.outcome, "GAME_OUTCOME_")
        places = sorted(told.result.seats, key=lambda seat: (seat.place, seat.seat))
        ranking = [
            (f"{seat.place}. " if seat.place else "")
            + f"{self.who(seat.seat)} {seat.score}"
            + _unless_normal(seat.reason)
            for seat in places
        ]
        return f"the end ({outcome}): {'; '.join(ranking)}"


def _unless_normal(reason: int) -> str:
    if reason == result_pb2.END_REASON_NORMAL:
        return ""
    return f" [{word(result_pb2.EndReason, reason, 'END_REASON_')}]"


def _site(site: ids.CampSite) -> str:
    which = site.WhichOneof("site")
    if which == "starting_base_of_seat":
        return "the Starting Base"
    return f"hex {site.hex}" if which == "hex" else "the board" if which else "nowhere"


def _river_place(place: int) -> str:
    """River places as the contract counts them; the Delta is behind five River hexes."""
    if place == HEADWATERS:
        return "the Headwaters"
    return "the Delta" if place == DELTA else f"river place {place}"


_LATEST = 253_402_300_799_000  # the last moment that a calendar can show

_TEXTS: dict[str, Callable[[Teller, Any], str]] = {
    "seat_changed": Teller.seat_changed,
    "game_started": Teller.game_started,
    "phase_started": lambda _, e: f"phase: {word(enums.Phase, e.phase, 'PHASE_')}",
    "turn_started": lambda t, e: f"turn of {t.who(e.seat)}",
    "turn_ended": lambda t, e: f"{t.who(e.seat)} ends the turn",
    "choice_made": Teller.choice_made,
    "choices_undone": lambda t, e: f"{t.who(e.seat)} takes back from {e.first_decision_id} on",
    "clock_expired": lambda t, e: f"the clock of {t.who(e.seat)} expires, time {e.timeouts}",
    "seat_forfeited": lambda t, e: f"{t.who(e.seat)} is out{_unless_normal(e.reason)}",
    "standing_answers_changed": lambda t, e: f"{t.who(e.seat)} changes standing answers",
    "server_restarted": lambda _, __: "the server was restarted",
    "game_ended": Teller.game_ended,
    "setup_chosen": Teller.setup_chosen,
    "figure_placed": Teller.figure_placed,
    "cards_moved": Teller.cards_moved,
    "deck_reshuffled": lambda t, e: f"{t.who(e.seat)} shuffles the discard pile into a deck",
    "ability_used": Teller.ability_used,
    "resource_changed": Teller.resource_changed,
    "points_scored": Teller.points_scored,
    "culture_dealt": lambda t, e: f"on display: {t.what(e.card.card_id)}",
    "animal_revealed": lambda t, e: f"in the Hunting Grounds: {t.what(e.animal_id)}",
    "animal_taken": lambda t, e: f"{t.who(e.seat)} takes {t.what(e.animal_id)}",
    "animal_tipped": lambda t, e: f"{t.who(e.seat)} tips {t.what(e.animal_id)}",
    "stone_taken": lambda t, e: f"{t.who(e.seat)} takes the Sacred Stone {t.what(e.stone_id)}",
    "camp_moved": Teller.camp_moved,
    "village_built": lambda t, e: (
        f"{t.who(e.village.seat)} builds a Village at juncture {e.village.juncture}"
        f"{', the Raft as a Camp' if e.with_raft else ''}"
    ),
    "megalith_set": lambda t, e: (
        f"{t.who(e.seat)} sets a Megalith at {e.megalith.site.x},{e.megalith.site.y}"
        f"@{e.megalith.site.level}"
    ),
    "idol_moved": lambda t, e: (
        f"{t.who(e.seat)}: {word(enums.IdolTrack, e.track, 'IDOL_TRACK_')} track, level {e.level}"
    ),
    "piles_revealed": Teller.piles_revealed,
    "turn_order_set": lambda t, e: f"turn order: {t.order(e.turn_order)}",
    "glacier_token_flipped": lambda t, e: f"Glacier token on hex {e.hex}: {t.what(e.token_id)}",
    "rest_token_moved": Teller.rest_token_moved,
    "starting_base_placed": lambda t, e: (
        f"{t.who(e.starting_base.seat)} attaches a Starting Base to hexes "
        f"{e.starting_base.first_hex} and {e.starting_base.second_hex}"
    ),
    "raft_moved": lambda t, e: (
        f"{t.who(e.seat)}: the Raft from {_river_place(e.move.from_river_place)} "
        f"to {_river_place(e.move.to_river_place)}"
    ),
    "fish_drawn": lambda t, e: (
        f"{t.who(e.seat)} draws a Fish: {t.what(e.token_id)}"
        f"{', and the Fish go back into the pool' if e.pool_refilled else ''}"
    ),
    "fish_mixed": lambda _, e: f"{e.count} discarded Fish are mixed into a new pool",
    "mammoth_moved": lambda t, e: f"{t.who(e.seat)} puts the Mammoth on juncture {e.juncture}",
    "module_event": lambda t, e: f"{t.who(e.seat)}: {e.text}" if e.HasField("seat") else e.text,
    "nomad_card_revealed": lambda t, e: f"Nomad card: {t.what(e.nomad_card_id)}",
    "nomad_column_chosen": lambda _, e: (
        f"column: {word(enums.ActionSpace, e.column, 'ACTION_SPACE_')}. {e.reason}"
    ),
    "nomad_acted": lambda _, e: e.reason,
    "map_card_revealed": lambda t, e: f"Map card: {t.what(e.map_card_id)}. {e.reason}",
}
