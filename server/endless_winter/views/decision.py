"""The pending decision as its chooser sees it: the question, every option, the pool.

`Scribe` writes the decisions of all games of one pack and Megalith layout. What an option says
depends on one number (detail.py), so its text, label and move are encoded once and copied.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from endless_winter.rules import agenda, eclipse, icons
from endless_winter.rules.game import notation_of, sites_of
from endless_winter.v1 import decision_pb2 as d
from endless_winter.v1 import enums_pb2 as enums
from endless_winter.v1 import ids_pb2 as ids
from endless_winter.views import nomad_steps, wire
from endless_winter.views.costs import closed_by, cost_of
from endless_winter.views.detail import in_full
from endless_winter.views.effects import terms
from endless_winter.views.labels import label_of
from endless_winter.views.moves import move_of
from endless_winter.views.offers import offers_of
from endless_winter.views.pools import SECTIONS, pending_benefit, pool_of, source_of
from endless_winter.views.turn import module_decision

if TYPE_CHECKING:
    from endless_winter.rules import Config, Game
    from endless_winter.rules.megaliths import Sites
    from endless_winter.rules.notation import Notation
    from endless_winter.rules.state import Frame, Position
    from endless_winter.v1 import move_pb2
    from endless_winter.views.pools import Entry
    from endless_winter.views.words import Words

_KINDS: Final[dict[int, d.DecisionKind.ValueType]] = {
    agenda.CHOOSE_SETUP: d.DECISION_KIND_SETUP_CARD,
    agenda.TURN: d.DECISION_KIND_TURN,
    agenda.ACT: d.DECISION_KIND_ACT,
    agenda.BUILD_PILE: d.DECISION_KIND_ECLIPSE_PILE,
    agenda.PAY_DISCARD: d.DECISION_KIND_DISCARD,
    agenda.GAIN: d.DECISION_KIND_GAIN,
    agenda.ABILITIES: d.DECISION_KIND_ABILITIES,
    agenda.ECLIPSE_CARDS: d.DECISION_KIND_ECLIPSE_ABILITIES,
    agenda.ECLIPSE_TERRAIN: d.DECISION_KIND_ECLIPSE_TERRAIN,
    agenda.NOMAD: d.DECISION_KIND_NOMAD,
}
QUESTIONS: Final[dict[int, str]] = {
    d.DECISION_KIND_CHIEF: "Which Chief, and which side of it?",
    d.DECISION_KIND_CHIEF_SIDE: "Which side of your Chief?",
    d.DECISION_KIND_SETUP_CARD: "Which Setup card?",
    d.DECISION_KIND_TURN: "Play a Culture card, or place a figure?",
    d.DECISION_KIND_ACT: "What next in this turn?",
    d.DECISION_KIND_GAIN: "Which benefit next, and in which form?",
    d.DECISION_KIND_DISCARD: "Which card do you discard?",
    d.DECISION_KIND_ECLIPSE_PILE: "Which card goes onto your Eclipse pile?",
    d.DECISION_KIND_ECLIPSE_ABILITIES: "Which Eclipse ability next?",
    d.DECISION_KIND_ECLIPSE_TERRAIN: "Which hex next?",
    d.DECISION_KIND_ECLIPSE_BOARD: "Which benefit of your board next?",
    d.DECISION_KIND_ABILITIES: "Which ability of the card next?",
    d.DECISION_KIND_NOMAD: "What does the Nomad do next?",
}
_BOARD_STEP: Final = eclipse.BOARD + 1
_OF_NOMAD: Final = d.DECISION_KIND_NOMAD

# Below the bits of an option in full: whether it is the default, what of it is sent, and its id. So
# that without label and move the key is a number that needs no memory of its own when compiled.
_ID: Final = 4
_FULL: Final = _ID + 16
_DECISION_ID: Final = d.Decision.DECISION_ID_FIELD_NUMBER
_SEAT: Final = d.Decision.SEAT_FIELD_NUMBER
_KIND: Final = d.Decision.KIND_FIELD_NUMBER
_PROMPT: Final = d.Decision.PROMPT_FIELD_NUMBER
_OPTIONS: Final = d.Decision.OPTIONS_FIELD_NUMBER
_POOL: Final = d.Decision.POOL_FIELD_NUMBER
_CAN_UNDO: Final = d.Decision.CAN_UNDO_FIELD_NUMBER
_OFFERS: Final = d.Decision.OFFERS_FIELD_NUMBER

_MOST: Final = 50_000  # of each kind of encoded thing that is cached: some 10 MB at worst


def kind_of(game: Game) -> d.DecisionKind.ValueType:
    """What the pending decision is about; UNSPECIFIED when the game is over."""
    if not game.options():
        return d.DECISION_KIND_UNSPECIFIED
    return _kind(game.position, game.position.agenda[-1])


def _kind(position: Position, frame: Frame) -> d.DecisionKind.ValueType:
    if frame[0] == agenda.CHOOSE_CHIEF:
        return d.DECISION_KIND_CHIEF if frame[2] else d.DECISION_KIND_CHIEF_SIDE
    if frame[0] == agenda.GAIN:
        for below in position.agenda:
            if below[0] == agenda.ECLIPSE and below[2] & 7 == _BOARD_STEP:
                return d.DECISION_KIND_ECLIPSE_BOARD
    if frame[0] == agenda.MODULE:
        return module_decision(position, frame).kind
    return _KINDS[frame[0]]


def _prompt(position: Position, frame: Frame, kind: int) -> str:
    if frame[0] == agenda.MODULE:
        return module_decision(position, frame).prompt
    return QUESTIONS[kind]


def _source(words: Words, position: Position, frame: Frame) -> ids.Source | None:
    """What led to the question, where the step does not say it all."""
    if frame[0] == agenda.GAIN:
        return source_of(words, position.sites, frame[2] >> 8) if frame[2] >> 8 else None
    if frame[0] == agenda.ABILITIES:
        return ids.Source(card_id=words.cards[frame[2]])
    if frame[0] == agenda.MODULE:
        return ids.Source(rule_id=module_decision(position, frame).rule_id)
    if frame[0] == agenda.ACT and position.place == icons.REST:
        return ids.Source(section=ids.SectionSource(space=enums.ACTION_SPACE_REST))
    return None


class Scribe:
    """Writes decisions for the games of one pack and layout."""

    __slots__ = ("_benefits", "_heads", "_options", "notation", "sites", "words")

    def __init__(self, words: Words, config: Config) -> None:
        self.words: Words = words
        self.sites: Sites = sites_of(config)
        self.notation: Notation = notation_of(config)
        self._options: dict[int, bytes] = {}
        self._benefits: dict[int, bytes] = {}
        self._heads: dict[tuple[int, int, str], bytes] = {}

    def moves(self, game: Game) -> list[move_pb2.Move]:
        """The moves of the pending options, in their order."""
        frame = game.position.agenda[-1]
        if frame[0] == agenda.NOMAD:
            step = nomad_steps.step_of(self.words, game.position, self.sites)
            return [step.move]
        pool = pool_of(game.position, frame)
        return [
            move_of(self.words, self.sites, in_full(game.position, frame, pool, code))
            for code in game.options()
        ]

    def decision(
        self,
        game: Game,
        decision_id: int,
        *,
        can_undo: bool = False,
        skip_labels: bool = False,
        skip_moves: bool = False,
        explain: bool = False,
    ) -> d.Decision | None:
        """The pending decision as a message; None when the game is over."""
        body = self.decision_bytes(
            game,
            decision_id,
            can_undo=can_undo,
            skip_labels=skip_labels,
            skip_moves=skip_moves,
            explain=explain,
        )
        return d.Decision.FromString(body) if body else None

    def decision_bytes(
        self,
        game: Game,
        decision_id: int,
        *,
        can_undo: bool = False,
        skip_labels: bool = False,
        skip_moves: bool = False,
        explain: bool = False,
    ) -> bytes:
        """The serialized pending decision; empty when the game is over."""
        codes = game.options()
        if not codes:
            return b""
        position = game.position
        frame = position.agenda[-1]
        pool = pool_of(position, frame)
        kind = _kind(position, frame)
        parts = [
            wire.uint(_DECISION_ID, decision_id),
            wire.present(_SEAT, frame[1]),
            wire.uint(_KIND, kind),
            b"" if skip_labels else wire.text(_PROMPT, _prompt(position, frame, kind)),
            self._source_bytes(position, frame),
        ]
        default = game.default
        if kind == _OF_NOMAD:
            only = self._mandated(position, default, skip_labels=skip_labels, skip_moves=skip_moves)
            parts.append(wire.message(_OPTIONS, only.SerializeToString(deterministic=True)))
            codes = []
        written = self._options
        form = skip_labels << 1 | skip_moves << 2 | explain << 3
        bare = skip_labels and skip_moves and not explain
        for option_id, code in enumerate(codes):
            # Its text alone is made of no more than the option itself.
            full = code if bare else in_full(position, frame, pool, code)
            key = full << _FULL | option_id << _ID | form | (code == default)
            key ^= key >> _FULL  # a dict looks at the low bits first: there keys have to differ
            part = written.get(key)
            if part is None:
                part = self._option(
                    code,
                    full,
                    option_id,
                    skip_labels=skip_labels,
                    skip_moves=skip_moves,
                    explain=explain,
                    is_default=code == default,
                )
                if len(written) >= _MOST:
                    written.clear()
                written[key] = part
            parts.append(part)
        parts += [self._benefit(position, index, entry) for index, entry in enumerate(pool)]
        if can_undo:
            parts.append(wire.uint(_CAN_UNDO, 1))
        if explain:
            offered = offers_of(self.words, position, game.offers(), skip_labels=skip_labels)
            parts += [
                wire.message(_OFFERS, offer.SerializeToString(deterministic=True))
                for offer in offered
            ]
        return b"".join(parts)

    def _mandated(
        self, position: Position, code: int, *, skip_labels: bool, skip_moves: bool
    ) -> d.Option:
        """The one option of a step of the Nomad; its reason hangs on more than the option."""
        step = nomad_steps.step_of(self.words, position, self.sites)
        return d.Option(
            text=self.notation.text(code),
            label="" if skip_labels else label_of(self.words, self.sites, code),
            move=None if skip_moves else step.move,
            is_default=True,
            reason="" if skip_labels else step.reason.text,
            rule_ids=() if skip_labels else step.reason.rule_ids,
        )

    def _option(
        self,
        code: int,
        full: int,
        option_id: int,
        *,
        skip_labels: bool,
        skip_moves: bool,
        explain: bool,
        is_default: bool,
    ) -> bytes:
        """An option as a field of its decision."""
        option = d.Option(
            option_id=option_id,
            text=self.notation.text(code),
            label="" if skip_labels else label_of(self.words, self.sites, full),
            move=None if skip_moves else move_of(self.words, self.sites, full),
            is_default=is_default,
            costs=terms(cost_of(self.words.tables, full)) if explain else (),
            closes=[SECTIONS[one] for one in closed_by(full)] if explain else (),
        )
        return wire.message(_OPTIONS, option.SerializeToString(deterministic=True))

    def _benefit(self, position: Position, index: int, entry: Entry) -> bytes:
        # A plain entry names the Rest space in a Rest turn, and no source otherwise.
        at_rest = position.place == icons.REST and position.agenda[-1][0] == agenda.ACT
        key = entry.packed() << 9 | index << 1 | at_rest
        known = self._benefits.get(key)
        if known is None:
            benefit = pending_benefit(self.words, position, index, entry)
            known = wire.message(_POOL, benefit.SerializeToString(deterministic=True))
            if len(self._benefits) >= _MOST:
                self._benefits.clear()
            self._benefits[key] = known
        return known

    def _source_bytes(self, position: Position, frame: Frame) -> bytes:
        at_rest = frame[0] == agenda.ACT and position.place == icons.REST
        of_pool = frame[0] == agenda.GAIN and frame[2] >> 8
        if not (at_rest or of_pool) and frame[0] not in (agenda.ABILITIES, agenda.MODULE):
            return b""
        if of_pool:
            key = (frame[0], frame[2] >> 8, "")
        elif frame[0] == agenda.MODULE:
            key = (frame[0], 0, module_decision(position, frame).rule_id)
        else:
            key = (frame[0], frame[2], "")
        known = self._heads.get(key)
        if known is None:
            source = _source(self.words, position, frame)
            assert source is not None
            body = source.SerializeToString(deterministic=True)
            known = wire.message(d.Decision.SOURCE_FIELD_NUMBER, body)
            self._heads[key] = known
        return known
