"""What a bot gets and gives: options, decisions, views, results.

Thin, immutable wrappers: each reads the contract's message when it is asked, and has the message
itself as `raw`. They are the same over the network and at a local table.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from endless_winter.sdk.errors import IllegalChoice, NotThisGame
from endless_winter.sdk.parts.agreed import Config
from endless_winter.sdk.parts.modules import Draft, NomadTable, RestTokens, Rivers
from endless_winter.sdk.parts.move import Move
from endless_winter.sdk.parts.offered import Offer
from endless_winter.sdk.parts.player import Player
from endless_winter.sdk.parts.table import Hex, Megaliths, Supply, Village
from endless_winter.sdk.parts.turn import Benefit, Column, Source, Turn
from endless_winter.v1 import decision_pb2, result_pb2, view_pb2
from endless_winter.views.categories import category_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.sdk.catalog import Catalog
    from endless_winter.sdk.parts.boards import Boards
    from endless_winter.sdk.parts.printed import Card
    from endless_winter.v1 import game_pb2, view_private_pb2, view_public_pb2

_KIND_NAMES: Final[dict[int, str]] = {
    number: name.removeprefix("DECISION_KIND_").lower()
    for name, number in decision_pb2.DecisionKind.items()
}
_PLAN_ENDS: Final[dict[int, str]] = {
    number: name.removeprefix("PLAN_END_").lower() if number else ""
    for name, number in decision_pb2.PlanEnd.items()
}
_SHOWN: Final = 6  # options that an error message repeats


def kind_name(kind: int) -> str:
    """The name of a decision kind ("turn"); a kind of a newer contract is called "unknown"."""
    return _KIND_NAMES.get(kind, "unknown")


class Option:
    """A legal choice."""

    __slots__ = ("_catalog", "raw")

    raw: decision_pb2.Option
    """The contract's message."""

    def __init__(self, raw: decision_pb2.Option, catalog: Catalog) -> None:
        self.raw = raw
        self._catalog: Catalog = catalog

    @property
    def id(self) -> int:
        """Its index in the decision's options."""
        return self.raw.option_id

    @property
    def text(self) -> str:
        """The canonical text, unique in the decision ("place chief hunt")."""
        return self.raw.text

    @property
    def label(self) -> str:
        """The same for people, in a sentence."""
        return self.raw.label

    @property
    def move(self) -> Move:
        """The same in parts: `option.move.animal`, `option.move.to_hex`."""
        return Move(self.raw.move, self._catalog)

    @property
    def is_default(self) -> bool:
        """Whether it is taken when the time is up."""
        return self.raw.is_default

    @property
    def reason(self) -> str:
        """Why it is offered, where that is not plain; often empty."""
        return self.raw.reason

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Option) and self.raw == other.raw

    def __hash__(self) -> int:
        return hash((self.raw.option_id, self.raw.text))

    def __repr__(self) -> str:
        return f"<Option {self.id}: {self.text}>"


class Plan:
    """A choice and what is to follow it: the rest of a turn in one answer.

    `Plan(option, "eat 2", "end")`. The texts answer the next questions in their order. They are
    taken while each is legal, still this seat's decision, and nothing hidden has come to light;
    at the first that is not the bot is asked again, and `decision.plan_end` says why.
    """

    __slots__ = ("first", "then")

    first: Option | str | int
    """The choice of the pending decision."""
    then: tuple[str, ...]
    """The canonical texts that are to follow it."""

    def __init__(self, first: Option | str | int, *then: str) -> None:
        """`first` is a choice of the pending decision, `then` are canonical texts."""
        for text in then:
            if not isinstance(text, str):
                raise IllegalChoice(f"{text!r} in a plan is no text: give canonical texts")
        self.first = first
        self.then = then

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and (self.first, self.then) == (other.first, other.then)

    def __hash__(self) -> int:
        return hash((self.first, self.then))

    def __repr__(self) -> str:
        return f"<Plan {self.first!r}, then {', '.join(self.then) or 'nothing'}>"


def then_of(choice: Option | str | int | Plan) -> tuple[str, ...]:
    """The texts that are to follow a choice."""
    return choice.then if isinstance(choice, Plan) else ()


class Decision:
    """A choice to make, with everything legal and nothing else."""

    __slots__ = ("_options", "_received", "catalog", "game_id", "raw")

    raw: decision_pb2.Prompt
    """The contract's message."""
    catalog: Catalog
    """Everything that is printed."""
    game_id: str
    """The game's id."""

    def __init__(
        self,
        raw: decision_pb2.Prompt,
        catalog: Catalog,
        game_id: str = "",
        *,
        received: float | None = None,
    ) -> None:
        """`received` is when the prompt arrived, by `time.monotonic`; only clocks need it."""
        self.raw = raw
        self.catalog = catalog
        self.game_id = game_id
        self._received: float | None = received
        self._options: tuple[Option, ...] | None = None

    @property
    def id(self) -> int:
        """Rises within a game and is never used twice."""
        return self.raw.decision.decision_id

    @property
    def seat(self) -> int:
        """The seat that chooses."""
        return self.raw.decision.seat

    @property
    def kind(self) -> decision_pb2.DecisionKind.ValueType:
        """What it is about, as the contract's number."""
        return self.raw.decision.kind

    @property
    def kind_name(self) -> str:
        """What it is about: "turn", "act", "gain", ..."""
        return kind_name(self.raw.decision.kind)

    @property
    def prompt(self) -> str:
        """The question, for people."""
        return self.raw.decision.prompt

    @property
    def options(self) -> tuple[Option, ...]:
        """Every legal option, in canonical order; `options[n].id == n`."""
        if self._options is None:
            self._options = tuple([Option(raw, self.catalog) for raw in self.raw.decision.options])
        return self._options

    @property
    def default(self) -> Option:
        """The plain option that is taken when the time is up."""
        for option in self.options:
            if option.raw.is_default:
                return option
        return self.options[0]

    @property
    def pool(self) -> tuple[Benefit, ...]:
        """What is still to be taken, in decisions about benefits."""
        return tuple([Benefit(raw, self.catalog) for raw in self.raw.decision.pool])

    @property
    def source(self) -> Source | None:
        """What led to the question; None: the step says it all."""
        raw = self.raw.decision
        return Source(raw.source, self.catalog) if raw.HasField("source") else None

    @property
    def offers(self) -> tuple[Offer, ...]:
        """What the turn offers, open and closed; empty unless asked for (`FeedOptions.explain`)."""
        return tuple([Offer(raw, self.catalog) for raw in self.raw.decision.offers])

    @property
    def closed(self) -> tuple[Offer, ...]:
        """Those of `offers` that cannot be done now, with the reasons."""
        return tuple([offer for offer in self.offers if not offer.is_open])

    @property
    def can_undo(self) -> bool:
        """Whether the last own choice can be taken back now."""
        return self.raw.decision.can_undo

    @property
    def plan_end(self) -> str:
        """Why the plan of the last own answer ended at this decision; empty: none did.

        "no_such_option": its next text is no option here; "revealed": something hidden came to
        light; "new_turn": another turn of this seat has begun.
        """
        return _PLAN_ENDS.get(self.raw.plan_end, "unknown")

    @property
    def seconds_left(self) -> float | None:
        """Seconds until the default is taken, never below 0; None: there is no clock."""
        raw = self.raw
        if not raw.HasField("deadline_unix_ms"):
            return None
        # Both times are the server's, so that the two clocks need not agree.
        allowed = (raw.deadline_unix_ms - raw.sent_unix_ms) / 1000
        spent = 0.0 if self._received is None else time.monotonic() - self._received
        return max(0.0, allowed - spent)

    @property
    def seconds_spent(self) -> float:
        """Seconds since the prompt arrived here."""
        return 0.0 if self._received is None else time.monotonic() - self._received

    def option(self, text: str) -> Option:
        """The option with this canonical text; raises `IllegalChoice` if there is none."""
        for option in self.options:
            if option.raw.text == text:
                return option
        raise IllegalChoice(self._no_such(f"no option {text!r}"))

    def pick(self, choice: Option | str | int | Plan) -> Option:
        """The option that a bot means by an option, a canonical text or an option id.

        Of a plan it is the first choice. Raises `IllegalChoice`, which names the decision and what
        it offers.
        """
        if isinstance(choice, Plan):
            choice = choice.first
        if isinstance(choice, Option):
            options = self.options
            if choice.id < len(options) and options[choice.id].text == choice.text:
                return options[choice.id]
            raise IllegalChoice(self._no_such(f"{choice!r} belongs to another decision"))
        if isinstance(choice, str):
            return self.option(choice)
        if isinstance(choice, int) and not isinstance(choice, bool):
            if 0 <= choice < len(self.options):
                return self.options[choice]
            raise IllegalChoice(self._no_such(f"no option {choice}"))
        raise IllegalChoice(
            self._no_such(f"{choice!r} is no choice: return an Option, its text or its id")
        )

    def _no_such(self, what: str) -> str:
        texts = [f"{option.id} {option.text!r}" for option in self.options[:_SHOWN]]
        more = len(self.options) - len(texts)
        rest = f" and {more} more" if more else ""
        game = f" of game {self.game_id}" if self.game_id else ""
        return (
            f"{what}; decision {self.id} ({self.kind_name}){game} offers {', '.join(texts)}{rest}"
        )

    def __repr__(self) -> str:
        return f"<Decision {self.id} {self.kind_name}: {len(self.options)} options>"


class View:
    """A position as one seat, or a spectator, may see it.

    >>> from endless_winter.sdk import LocalTable
    >>> table = LocalTable(players=2, seed=1)
    >>> view = table.view(table.seat)
    >>> view.round, view.me.food, len(view.hand), view.hexes[0].kind
    (0, 0, 0, 'base')

    Everything is typed and named by the game's words: `view.hand[0].labor`, `view.me.animals`,
    `view.hexes[7].benefit.text`, `view.supply.hunting_grounds`. Nothing is read or built before
    it is asked for, and nothing can be changed. `public` and `private` are the contract's messages.
    """

    __slots__ = ("_private", "_public", "_read", "catalog", "info", "seat")

    seat: int | None
    """Whose eyes these are; None: a spectator's."""
    catalog: Catalog
    """Everything that is printed: `view.catalog.card("hunter")`."""
    info: game_pb2.GameInfo
    """What is known of the game before it starts, as the contract's message."""

    def __init__(
        self,
        seat: int | None,
        catalog: Catalog,
        info: game_pb2.GameInfo,
        read: Callable[[], tuple[view_public_pb2.PublicView, view_private_pb2.PrivateView | None]],
    ) -> None:
        """`read` is called once, when the position is first looked at."""
        self.seat = seat
        self.catalog = catalog
        self.info = info
        self._read = read
        self._public: view_public_pb2.PublicView | None = None
        self._private: view_private_pb2.PrivateView | None = None

    @property
    def public(self) -> view_public_pb2.PublicView:
        """What everybody at the table may see, as the contract's message."""
        if self._public is None:
            self._public, self._private = self._read()
        return self._public

    @property
    def private(self) -> view_private_pb2.PrivateView:
        """The own secrets, as the contract's message."""
        if self._public is None:
            self._public, self._private = self._read()
        if self._private is None:
            raise NotThisGame("a spectator has no hand: view.private belongs to a seat")
        return self._private

    @property
    def is_read(self) -> bool:
        """Whether anybody has looked at the position yet."""
        return self._public is not None

    @property
    def raw(self) -> view_pb2.View:
        """Both parts in one message, copied."""
        raw = view_pb2.View(public_view=self.public)
        if self._private is not None:
            raw.private_view.CopyFrom(self._private)
        return raw

    # --- the own secrets ---

    @property
    def hand(self) -> tuple[Card, ...]:
        """The own hand, each copy: `sum(card.labor for card in view.hand)`."""
        return self.catalog.cards_of(self.private.hand)

    @property
    def fresh(self) -> tuple[Card, ...]:
        """Cards of the hand that were initiated in this turn and cannot be played in it."""
        return self.catalog.cards_of(self.private.fresh)

    @property
    def deck(self) -> tuple[Card, ...]:
        """What is in the own deck, sorted: nobody knows its order."""
        return self.catalog.cards_of(self.private.deck)

    @property
    def buried(self) -> tuple[Card, ...]:
        """The own buried cards."""
        return self.catalog.cards_of(self.private.buried)

    @property
    def eclipse_pile(self) -> tuple[Card, ...]:
        """The own Eclipse pile while it is face down; revealed it is `me.eclipse_pile`."""
        return self.catalog.cards_of(self.private.eclipse_pile)

    # --- what everybody sees ---

    @property
    def me(self) -> Player:
        """The own board as everybody sees it."""
        if self.seat is None:
            raise NotThisGame("a spectator has no board: view.me belongs to a seat")
        return Player(self.public.players[self.seat], self.catalog)

    @property
    def players(self) -> tuple[Player, ...]:
        """All boards, in seat order."""
        return tuple([Player(raw, self.catalog) for raw in self.public.players])

    @property
    def opponents(self) -> tuple[Player, ...]:
        """All boards but the own, in seat order."""
        return tuple([player for player in self.players if player.seat != self.seat])

    @property
    def turn(self) -> Turn:
        """Where the game stands: round, phase, Labor, whose choice, what is to be resolved."""
        return Turn(self.public.turn, self.catalog)

    @property
    def round(self) -> int:
        """1 to 4; 0 during set-up."""
        return self.public.turn.round

    @property
    def phase(self) -> str:
        """One of "setup", "action", "eclipse", "preparation" or "ended"."""
        return self.turn.phase

    @property
    def columns(self) -> tuple[Column, ...]:
        """The four Action Columns from left to right, with the figures in them."""
        return tuple([Column(raw, self.catalog) for raw in self.public.columns.columns])

    @property
    def supply(self) -> Supply:
        """What can be taken: Tribe decks, Culture display, Hunting Grounds, Sacred Stones."""
        return Supply(self.public.supply, self.catalog)

    @property
    def hexes(self) -> tuple[Hex, ...]:
        """The 19 hexes of the Terrain board, by number."""
        return tuple([Hex(raw, self.catalog) for raw in self.public.terrain.hexes])

    @property
    def villages(self) -> tuple[Village, ...]:
        """The Villages on the Terrain board."""
        return tuple([Village(raw, self.catalog) for raw in self.public.terrain.villages])

    @property
    def megaliths(self) -> Megaliths:
        """The Megalith board."""
        return Megaliths(self.public.megaliths, self.catalog)

    @property
    def boards(self) -> Boards:
        """What is printed on the boards: tracks, charts, spaces, limits."""
        return self.catalog.boards

    # --- modules, the Nomad, set-up ---

    @property
    def rest_tokens(self) -> RestTokens | None:
        """The Rest tokens; None: the game has none."""
        public = self.public
        if not public.HasField("rest_tokens"):
            return None
        return RestTokens(public.rest_tokens, self.catalog)

    @property
    def rivers(self) -> Rivers | None:
        """Rivers & Rafts; None: the game is without."""
        public = self.public
        return Rivers(public.rivers, self.catalog) if public.HasField("rivers") else None

    @property
    def mammoth(self) -> int | None:
        """The juncture of the Mammoth; None: it stands beside the board, or there is none."""
        mammoth = self.public.mammoth
        return mammoth.juncture if mammoth.HasField("juncture") else None

    @property
    def nomad(self) -> NomadTable | None:
        """The Nomad's cards; None: no solo game."""
        public = self.public
        return NomadTable(public.nomad, self.catalog) if public.HasField("nomad") else None

    @property
    def draft(self) -> Draft | None:
        """What lies open for set-up choices; None after the set-up."""
        public = self.public
        return Draft(public.draft, self.catalog) if public.HasField("draft") else None

    @property
    def config(self) -> Config:
        """What was agreed before the game."""
        return Config(self.info.config, self.catalog)

    def __repr__(self) -> str:
        who = "spectator" if self.seat is None else f"seat {self.seat}"
        return f"<View of {who}, game {self.info.game_id}>"


class Table:
    """What a bot learns when a game begins."""

    __slots__ = ("catalog", "info", "options", "seat")

    seat: int
    """The bot's own seat."""
    catalog: Catalog
    """Everything that is printed."""
    info: game_pb2.GameInfo
    """What is known of the game before it starts, as the contract's message."""
    options: str
    """The text that the game's configuration hands to the bot."""

    def __init__(
        self, seat: int, catalog: Catalog, info: game_pb2.GameInfo, options: str = ""
    ) -> None:
        """`options` are those that the game's configuration hands to the bot (bot_options)."""
        self.seat = seat
        self.catalog = catalog
        self.info = info
        self.options = options

    @property
    def game_id(self) -> str:
        """The game's id."""
        return self.info.game_id

    @property
    def config(self) -> Config:
        """What was agreed before the game."""
        return Config(self.info.config, self.catalog)

    @property
    def players(self) -> int:
        """How many seats the game has."""
        return len(self.info.config.seats)

    def __repr__(self) -> str:
        return f"<Table {self.game_id}, seat {self.seat} of {self.players}>"


class Result:
    """How a game ended."""

    __slots__ = ("game_id", "raw")

    raw: result_pb2.GameResult
    """The contract's message."""
    game_id: str
    """The game's id."""

    def __init__(self, raw: result_pb2.GameResult, game_id: str = "") -> None:
        self.raw = raw
        self.game_id = game_id

    @property
    def outcome(self) -> str:
        """How the game as a whole ended: "completed", "aborted", ..."""
        name = result_pb2.GameOutcome.Name(self.raw.outcome)
        return name.removeprefix("GAME_OUTCOME_").lower()

    @property
    def completed(self) -> bool:
        """Whether it was played to final scoring, so that there are places."""
        return self.raw.outcome == result_pb2.GAME_OUTCOME_COMPLETED

    @property
    def winner(self) -> int | None:
        """The seat in the first place; None: there are no places, or two share it."""
        first = [seat.seat for seat in self.raw.seats if seat.place == 1]
        return first[0] if len(first) == 1 else None

    @property
    def scores(self) -> list[int]:
        """All points, by seat."""
        return [seat.score for seat in self.raw.seats]

    @property
    def places(self) -> list[int]:
        """Places from 1, by seat; 0: none."""
        return [seat.place for seat in self.raw.seats]

    def categories(self, seat: int) -> dict[str, int]:
        """Where a seat's points came from ("megaliths": 12), categories of 0 left out.

        They add up to its score; `category_label` has their names for people.
        """
        parts = self.raw.seats[seat].categories
        return {category_name(part.category): part.points for part in parts}

    def reason(self, seat: int) -> str:
        """Why a seat's part ended: "normal", "time_out", "disconnected", ..."""
        name = result_pb2.EndReason.Name(self.raw.seats[seat].reason)
        return name.removeprefix("END_REASON_").lower()

    def __repr__(self) -> str:
        return f"<Result {self.outcome}: {self.scores}>"
