"""One game in memory: its table, its clock, who follows it, and who may see and do what.

A game changes in one way: a command drafts log entries, the store commits them, and `committed`
lets the draft become the table. Until then everybody sees the committed state.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

from endless_winter.engine import clocks
from endless_winter.engine.caller import is_one_of, same
from endless_winter.engine.delay import DelayedView, Frame
from endless_winter.engine.draft import Draft
from endless_winter.engine.info import game_info, reveal_of, summary_of
from endless_winter.engine.lobby import Presence
from endless_winter.engine.nodes import AWAY_MS, OTHERS_MS
from endless_winter.engine.refusal import Refusal, left, revoked
from endless_winter.engine.seats import Invitations, seat_at
from endless_winter.engine.subscription import wake
from endless_winter.engine.table import ENDED, RUNNING, STARTING, Table
from endless_winter.store.records import Append, Deadline, Marks, Secret, Status
from endless_winter.v1 import config_pb2, decision_pb2, game_pb2, replay_pb2
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import PublicEncoder

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.engine.caller import Caller
    from endless_winter.engine.clocks import Now
    from endless_winter.engine.events import EntryEvents
    from endless_winter.engine.nodes import Nodes
    from endless_winter.engine.settings import Settings
    from endless_winter.engine.subscription import Subscription
    from endless_winter.store.records import Creation, Header, Request
    from endless_winter.v1 import clock_pb2
    from endless_winter.views import Scribe

RING: Final = 64  # entries whose events are in memory; a viewer further behind gets a snapshot
LOOK_AGAIN_MS: Final = 1000  # a client that is there by a call is not looked for more often
_NOTHING: Final = Marks()


class Identity(NamedTuple):
    """What never changes of a game, beside its configuration."""

    creator: bytes
    """The hash of a client's secret."""
    secret: Secret
    commitment: bytes
    tournament_id: str


class Game:
    """A game in memory."""

    __slots__ = (
        "_public",
        "_ready_limit_ms",
        "_view",
        "_viewed",
        "armed_ms",
        "asked_ms",
        "chain",
        "delayed",
        "drafted",
        "everywhere",
        "here",
        "identity",
        "limits",
        "most_wrong",
        "node",
        "nodes",
        "noted_ms",
        "plan_end",
        "polls",
        "remembered",
        "restarted",
        "ring",
        "scribe",
        "standing_set",
        "start_limit_ms",
        "stopped_ms",
        "subscriptions",
        "table",
        "timeless",
        "timings",
        "timeouts_to_forfeit",
    )

    def __init__(
        self,
        table: Table,
        identity: Identity,
        scribe: Scribe,
        chain: bytes,
        *,
        settings: Settings,
        everywhere: Presence,
        now: Now,
    ) -> None:
        """`everywhere` knows who asks about all games, `here` who asks about this one."""
        self.table = table
        self.identity = identity
        self.scribe = scribe
        self.chain = chain
        self.here = Presence()
        self.everywhere = everywhere
        self.ring: deque[EntryEvents] = deque(maxlen=RING)
        self.subscriptions: dict[Subscription, None] = {}  # in their order
        self.polls: dict[object, tuple[Callable[[], bool], Callable[[], None]]] = {}
        self.drafted = False  # it has a draft in the round under way
        self.remembered = 0  # answers to what changed nothing
        # A game that was loaded says so in its log when it goes on, not when it is looked at.
        self.restarted = ""  # then: the version of the server that loaded it
        self.timings: dict[int, clock_pb2.AnswerTiming] = {}  # of each seat's last answer
        # The decision at which the last plan that ended early did so, and why.
        self.plan_end: tuple[int, decision_pb2.PlanEnd.ValueType] = (
            0,
            decision_pb2.PLAN_END_UNSPECIFIED,
        )
        # In which turn a seat set its standing answers, and how often; a restart forgets it.
        self.standing_set: dict[int, tuple[int, int]] = {}
        self.asked_ms = now.ms
        self.armed_ms: int | None = None  # when its timer is due
        # Where nodes share the store (nodes.py).
        self.nodes: Nodes | None = None
        self.node = ""  # the one that has delivered the pending question; empty: none has
        self.stopped_ms: int | None = None  # since then its clock stands still; None: it runs
        self.noted_ms = 0  # the store refuses a time-out before
        control = table.config.time_control
        self.limits = clocks.limits_of(control)
        # Many games of bots have no clock at all: then a choice need not look at it.
        self.timeless = not control.HasField("bank_ms") and self.limits == (None, None, None)
        self._ready_limit_ms = settings.ready_limit_ms
        self.start_limit_ms = settings.start_limit_ms or None
        if control.HasField("ready_limit_ms"):
            self._ready_limit_ms = control.ready_limit_ms
        self.timeouts_to_forfeit = control.timeouts_to_forfeit or settings.timeouts_to_forfeit
        self.most_wrong = table.config.wrong_answers_to_forfeit or settings.wrong_answers_to_forfeit
        self._public = PublicEncoder(scribe.words)
        self._viewed: Table | None = None  # the table whose public view is cached
        self._view = b""
        delay_ms = table.config.spectator_delay_ms
        self.delayed = DelayedView(self, delay_ms) if delay_ms > 0 else None

    # --- who may see and do what: the view policy ---

    @property
    def game_id(self) -> str:
        return self.table.game_id

    def seat_of(self, caller: Caller, seat: int) -> int:
        """The seat, if it exists and the caller holds it."""
        known = seat_at(self.table, seat)
        if not same(known.holder, caller.known()):
            if is_one_of(caller.client, list(known.revoked)):
                raise revoked()
            raise Refusal(
                reasons.REJECTION_REASON_NOT_ALLOWED, "the seat is not bound to this client secret"
            )
        return seat

    def takes_part(self, caller: Caller) -> bool:
        known = [self.identity.creator, *[seat.holder for seat in self.table.seats]]
        return is_one_of(caller.client, known)

    def may_see(self, caller: Caller) -> bool:
        """Whether the caller may know of the game at all by asking for its id."""
        if self.table.config.visibility != config_pb2.VISIBILITY_CLOSED or caller.operator:
            return True
        return self.takes_part(caller)

    def may_manage(self, caller: Caller) -> bool:
        """Whether the caller created the game, or is an operator."""
        return caller.operator or same(self.identity.creator, caller.client)

    @property
    def invitations(self) -> Invitations:
        return Invitations(self.game_id, self.identity.creator, self.identity.secret)

    def invites(self, invitation: str) -> bool:
        """Whether this is the word for one of the reserved seats."""
        return bool(invitation) and bool(self.invitations.fits(self.table, invitation))

    def viewer(self, caller: Caller, seat: int | None) -> int | None:
        """The seat through which the caller may look; None: as a spectator."""
        if seat is not None:
            return self.seat_of(caller, seat)
        # Closed games have no spectators but operators.
        if self.table.config.visibility == config_pb2.VISIBILITY_CLOSED and not caller.operator:
            raise Refusal(
                reasons.REJECTION_REASON_SPECTATORS_CLOSED, "the game is closed to spectators"
            )
        return None

    def shown_to(self, seat: int | None) -> Game | DelayedView:
        """The game as a viewer may see it: spectators late, if its host wants that."""
        return self if seat is not None or self.delayed is None else self.delayed

    def info_for(self, caller: Caller, now: Now) -> game_pb2.GameInfo:
        """What everyone may know; while it runs, those who do not take part know it late."""
        if self.delayed is None or self.table.status == ENDED:
            return self.info(now)
        seen = caller.operator or self.takes_part(caller)
        return self.info(now) if seen else self.delayed.info(now)

    def info(self, now: Now, table: Table | None = None) -> game_pb2.GameInfo:
        """What everyone may know, of the table as it is or as it was."""
        current = table is None
        table = self.table if table is None else table
        return game_info(
            table,
            commitment=self.identity.commitment,
            tournament_id=self.identity.tournament_id,
            # No log says who was connected, so those who see the game late are not shown it.
            connected=self.connected() if current else set(),
            ready_deadline_ms=(
                self.deadline_ms(now) if current and table.status == STARTING else None
            ),
            reveal=reveal_of(table, self.identity.secret),
        )

    def standing_answers(self, seat: int | None) -> list[decision_pb2.StandingAnswer]:
        if seat is None:
            return []
        kinds = sorted(self.table.seats[seat].standing)
        kind_of = decision_pb2.DecisionKind.ValueType
        return [decision_pb2.StandingAnswer(kind=kind_of(kind)) for kind in kinds]

    def public_bytes(self) -> bytes:
        """The public view of the position, encoded once for all viewers."""
        if self._viewed is not self.table:
            game = self.table.game
            assert game is not None
            self._view = self._public.encode(game.position, self.table.forfeited)
            self._viewed = self.table
        return self._view

    def owes(self, seat: int) -> bool:
        """Whether the game waits for this seat."""
        if self.table.status == STARTING:
            return not self.table.seats[seat].ready
        return self.table.deciding_seat == seat

    def wrong_answers_left(self, seat: int) -> int:
        return max(self.most_wrong - self.table.seats[seat].wrong_answers, 0)

    # --- checks of commands ---

    def refusal(
        self, reason: reasons.RejectionReason.ValueType, message: str, *, seat: int = -1
    ) -> Refusal:
        pending = self.table.deciding_seat == seat if seat >= 0 else False
        return Refusal(
            reason,
            message,
            seq=self.table.seq,
            pending_decision_id=self.table.decision_id if pending else None,
        )

    def check_not_ended(self) -> None:
        if self.table.status == ENDED:
            raise self.refusal(reasons.REJECTION_REASON_GAME_ENDED, "the game has ended")

    def check_not_forfeited(self, seat: int) -> None:
        if self.table.seats[seat].forfeited:
            raise self.refusal(
                reasons.REJECTION_REASON_SEAT_FORFEITED, "the seat is played by defaults"
            )

    def check_decision(self, seat: int, decision_id: int) -> None:
        """Refuse what does not concern the pending decision of the seat."""
        table = self.table
        self.check_not_ended()
        if table.status != RUNNING:
            raise self.refusal(
                reasons.REJECTION_REASON_GAME_NOT_STARTED, "the game has not started"
            )
        self.check_not_forfeited(seat)
        if decision_id > table.decision_id:
            raise self.refusal(
                reasons.REJECTION_REASON_UNKNOWN_DECISION,
                "there is no such decision yet",
                seat=seat,
            )
        if decision_id < table.decision_id:
            raise self.refusal(
                reasons.REJECTION_REASON_STALE_DECISION, "that decision is over", seat=seat
            )
        if table.deciding_seat != seat:
            raise self.refusal(
                reasons.REJECTION_REASON_NOT_YOUR_DECISION, "it is another seat's choice"
            )

    # --- time ---

    def limit_ms(self) -> int | None:
        """How long the pending question may take: a decision, or Ready; None: for ever."""
        seat = self.table.deciding_seat
        if seat >= 0:
            return None if self.timeless else clocks.allowed_ms(self.table, seat, self.limits)
        return self._ready_limit_ms if self.table.status == STARTING else None

    def waited_ms(self, now: Now) -> int:
        """What counts of the time since the pending question was asked."""
        if self.stopped_ms is not None:
            return max(self.stopped_ms - self.asked_ms, 0)
        return max(now.ms - self.asked_ms - now.queued_ms, 0)

    def is_too_late(self, seat: int, charged_ms: int) -> bool:
        if self.timeless:
            return False
        allowed = clocks.allowed_ms(self.table, seat, self.limits)
        return allowed is not None and charged_ms > allowed

    def deadline_ms(self, now: Now) -> int | None:
        """When the pending question expires, on the calendar; None: never.

        That a busy server may grant some more is not promised.
        """
        limit = self.limit_ms()
        if limit is None:
            return None
        until = now.ms if self.stopped_ms is None else self.stopped_ms
        return now.unix_ms + self.asked_ms + limit - until

    def banks_ms(self, now: Now) -> list[int | None]:
        """What is left in each seat's bank now; None: it has none."""
        table, seat = self.table, self.table.deciding_seat
        banks = [known.bank_ms for known in table.seats]
        if seat >= 0 and not self.timeless:
            banks[seat] = clocks.bank_after_ms(table, seat, self.waited_ms(now))
        return banks

    def pending_ms(self, seat: int, now: Now) -> int:
        """How long the game has waited for a choice of the seat by now; 0: it does not."""
        return max(now.ms - self.asked_ms, 0) if self.table.deciding_seat == seat else 0

    def due_ms(self, now: Now) -> int | None:
        """When something happens although nobody answers; None: never."""
        if self.timeless and self.table.deciding_seat >= 0:
            return None
        limit = self.limit_ms()
        away = self.gone_ms(now)
        if limit is None:
            return away
        due = self.asked_ms + limit
        if self.nodes is not None and self.table.deciding_seat >= 0:
            if self.stopped_ms is not None:
                return None if away is None else max(away, self.noted_ms)
            due = max(due + (0 if self.node == self.nodes.name else OTHERS_MS), self.noted_ms)
        return due if away is None else min(due, away)

    def gone_ms(self, now: Now) -> int | None:
        """When the patience with a deciding seat that is away ends; None: never."""
        seat = self.table.deciding_seat
        limit = self.limits.disconnect_ms
        if self.nodes is not None and seat >= 0:
            if self.stopped_ms is not None:  # nobody can have seen the question
                return self.stopped_ms + (AWAY_MS if limit is None else limit)
            if self.node != self.nodes.name:
                return None  # that node knows
        if limit is None or seat < 0 or seat in self.connected():
            return None
        holder = self.table.seats[seat].holder
        if self.here.calls(holder) or self.everywhere.calls(holder):
            # The end of a call sets no timer, so we look again; not all the time, though.
            return now.ms + max(limit, LOOK_AGAIN_MS)
        seen = max(self.here.last_seen_ms(holder), self.everywhere.last_seen_ms(holder))
        return max(seen, self.asked_ms) + limit

    # --- who is there ---

    def connected(self) -> set[int]:
        """The seats that are attached by their holders: not by who lost it and does not read."""
        return {one.seat for one in self.subscriptions if one.seat is not None and one.cut is None}

    def note_client_seen(self, client: bytes, now: Now) -> None:
        """A client asks about the game."""
        if self.limits.disconnect_ms is not None and client:
            for seat in self.table.seats:
                if same(seat.holder, client):
                    self.here.note_seen(client, now.ms)

    def note_seat_seen(self, seat: int, now: Now) -> None:
        """The holder of a seat came, or was there until now; or the seat has changed hands."""
        if self.limits.disconnect_ms is not None:
            self.here.note_seen(self.table.seats[seat].holder, now.ms)

    def go_on(self, thought_ms: int, now: Now) -> None:
        """The game was loaded: its question was thought about for so long before.

        Nobody was connected to this server before, and that is not the seats' fault.
        """
        self.asked_ms = now.ms - thought_ms
        for seat in range(len(self.table.seats)):
            self.note_seat_seen(seat, now)

    # --- nodes ---

    def is_here(self, seat: int) -> bool:
        """Whether the holder of a seat hears of its questions from this node."""
        if seat in self.connected():
            return True
        holder = self.table.seats[seat].holder
        return self.here.calls(holder) or self.everywhere.calls(holder)

    def attend(self, now: Now) -> None:
        """The store is to know when the holder of the deciding seat comes to this node."""
        nodes, seat = self.nodes, self.table.deciding_seat
        if nodes is None or seat < 0 or self.timeless:
            return
        if self.is_here(seat):
            self.show(now)
        elif self.node == nodes.name and self.limits.disconnect_ms is not None:
            nodes.deliveries[self.game_id] = self

    def show(self, now: Now) -> None:
        """The holder of the deciding seat sees its question by this node."""
        if self.nodes is None or self.timeless or self.table.deciding_seat < 0:
            return
        if self.stopped_ms is not None or self.node != self.nodes.name:
            self._run_on(now)
            self.nodes.deliveries[self.game_id] = self

    def _run_on(self, now: Now) -> None:
        assert self.nodes is not None
        if self.stopped_ms is not None:
            self.asked_ms += now.ms - self.stopped_ms
            self.stopped_ms = None
        self.node = self.nodes.name
        self.noted_ms = 0

    def miss(self, now: Now) -> None:
        """The node that delivered the question may have died."""
        since_ms = None if self.nodes is None else self.nodes.silent_since_ms(self.node)
        if since_ms is not None and self.stopped_ms is None:
            self.stopped_ms = max(min(since_ms, now.ms), self.asked_ms)

    def read_deadline(self, header: Header, now: Now) -> None:
        """What the store has noted of the pending question."""
        if header.seq != self.table.seq or self.table.deciding_seat < 0 or self.timeless:
            return
        self.node = header.node
        self.stopped_ms = None
        self.noted_ms = 0
        if header.deadline_ms is not None:
            self.noted_ms = now.ms + header.deadline_ms - now.unix_ms
        if not header.node or header.delivered_ms is None:
            self.stopped_ms = now.ms
            self.asked_ms = now.ms
        else:
            self.asked_ms = now.ms - max(now.unix_ms - header.delivered_ms, 0)
            self.miss(now)

    def deadline(self, table: Table, now: Now, *, asked_anew: bool) -> Deadline:
        """When something happens next if nobody answers: this table, or one that is drafted."""
        assert self.nodes is not None
        seat = table.deciding_seat
        if table.status == ENDED:
            return Deadline(None)
        if table.is_open():
            waits = [] if self.start_limit_ms is None else [
                max((table.created_ms or now.unix_ms) + self.start_limit_ms - now.unix_ms, 0)
            ]  # fmt: skip
            if table.status == STARTING and self._ready_limit_ms is not None:
                waits.append(self._ready_limit_ms - (0 if asked_anew else self.waited_ms(now)))
            return Deadline(max(min(waits), 0) if waits else None)
        if self.timeless:
            return Deadline(None)
        thought = 0 if asked_anew else self.waited_ms(now)
        away = self.limits.disconnect_ms
        if not self.is_here(seat):
            if asked_anew or self.stopped_ms is not None:
                return Deadline(AWAY_MS if away is None else away)
            left = self.gone_ms(now)
            waits = [] if left is None else [max(left - now.ms, 0)]
        else:
            waits = []
        allowed = clocks.allowed_ms(table, seat, self.limits)
        if allowed is not None:
            waits.append(max(allowed - thought, 0))
        return Deadline(min(waits) if waits else None, self.nodes.name, thought)

    # --- subscriptions and long polls ---

    def subscribe(self, subscription: Subscription, now: Now) -> None:
        subscription.shown.subscriptions[subscription] = None
        if subscription.seat is not None:
            self.note_seat_seen(subscription.seat, now)

    def unsubscribe(self, subscription: Subscription, now: Now) -> None:
        subscription.shown.subscriptions.pop(subscription, None)
        if subscription.seat is not None and subscription.cut is None:
            self.note_seat_seen(subscription.seat, now)

    def is_watched(self) -> bool:
        watched_late = self.delayed is not None and bool(self.delayed.subscriptions)
        return bool(self.subscriptions) or watched_late

    # --- the log ---

    def draft(self, now: Now) -> Draft:
        """A draft on the committed table."""
        made = Draft(self, now)
        if self.restarted and self.table.status != ENDED:
            restart = replay_pb2.LogRestart(server_version=self.restarted)
            made.add(replay_pb2.LogEntry(restart=restart))
        return made

    def append(
        self, draft: Draft, request: Request | None, creation: Creation | None = None
    ) -> Append:
        """What the store is to commit of a draft."""
        marks = None
        for entry in draft.entries:
            if entry.kind != "choice":  # no choice alone changes what lists show
                marks = self._marks(draft)
                break
        append = Append(
            self.game_id,
            self.table.seq,
            draft.entries,
            request,
            marks,
            draft.players,
            draft.private,
            creation,
            self.chain,
        )
        if self.nodes is not None:
            before, after = self.table, draft.table
            anew = before.decision_id != after.decision_id or before.status != after.status
            if anew:
                undone = draft.entries[-1].kind == "undo"
                append.deadline = self.deadline(after, draft.now, asked_anew=not undone)
        return append

    def _marks(self, draft: Draft) -> Marks | None:
        """What a draft changes in the listing of its game, if anything."""
        before, after = self.table, draft.table
        free = after.open_seats()
        ended = after.status == ENDED
        marks = Marks(
            status=Status(after.status) if after.status != before.status else None,
            started_ms=after.started_ms if after.started_ms != before.started_ms else None,
            ended_ms=after.ended_ms if after.ended_ms != before.ended_ms else None,
            open_seats=free if free != before.open_seats() or not before.seq else None,
            sealed=_sealed(before, after),
            summary=summary_of(self.info(draft.now, after)) if ended else None,
            seats={
                number: seat.player_id
                for number, seat in enumerate(after.seats)
                if seat.player_id != before.seats[number].player_id
            },
        )
        return marks if marks != _NOTHING else None

    def committed(self, draft: Draft, now: Now) -> bool:
        """The draft is in the log: it becomes the table; whether a seat changed hands."""
        self.restarted = ""
        self.chain = draft.chain
        self.timings.update(draft.timings)
        if draft.plan_end[0]:
            self.plan_end = draft.plan_end
        undone = draft.entries[-1].kind == "undo"
        before = self.table.decision_id
        changed = self.become(draft.table, draft.events, draft.now.unix_ms, now, undone=undone)
        anew = self.stopped_ms is not None and before != self.table.decision_id
        if anew and self.is_here(self.table.deciding_seat):  # its append said so
            self._run_on(now)
        return changed

    def become(
        self, table: Table, events: list[EntryEvents], at_ms: int, now: Now, *, undone: bool
    ) -> bool:
        """The log says so; those who follow the game are woken. Whether a seat changed hands."""
        before, self.table = self.table, table
        for old in reversed(self.ring):
            if not old.shrink():
                break
        self.ring.extend(events)
        # The clock starts anew with a new question only. Otherwise who can log anything could stop
        # it, by standing answers for example, or by undoing again and again.
        asks_anew = before.decision_id != table.decision_id or before.status != table.status
        if asks_anew and not undone:
            if before.deciding_seat >= 0:
                holder = before.seats[before.deciding_seat].holder
                self.everywhere.waited(holder, now.ms - self.asked_ms)
            self.asked_ms = now.ms
        if asks_anew and self.nodes is not None:
            if undone and self.stopped_ms is not None:
                self.asked_ms += now.ms - self.stopped_ms
            self.noted_ms = 0
            timed = table.deciding_seat >= 0 and not self.timeless
            self.node = ""
            self.stopped_ms = now.ms if timed else None
        changed = self._cut(before, now)
        if self.delayed is not None:
            self.delayed.push(Frame(at_ms, table, tuple(events), self.deadline_ms(now)))
        wake(self)
        return changed

    def _cut(self, before: Table, now: Now) -> bool:
        """A seat that changed hands is no longer shown to its old holder; whether one did."""
        changed = False
        for number, old in enumerate(before.seats):
            new = self.table.seats[number]
            if old is new or old.player_id == new.player_id:
                continue  # as after nearly every choice
            changed = True
            if old.player_id:
                cause = revoked() if old.holder in new.revoked else left()
                for subscription in self.subscriptions:
                    if subscription.seat == number:
                        subscription.cut = cause
            self.note_seat_seen(number, now)  # the next holder has the whole limit to come
        return changed


def _sealed(before: Table, after: Table) -> bool | None:
    """Whether the seal changes: set with the creation, opened by an operator."""
    if not before.seq:
        return after.config.hold_reveal or None
    return False if after.released and not before.released else None
