"""What must hold whatever fails: checks of a run, while it goes on and when it is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from endless_winter.engine.events import EntryEvents
from endless_winter.engine.loading import BrokenLog, read_entry
from endless_winter.engine.packs import Kit
from endless_winter.engine.table import ENDED, Table, new_table, position_hash
from endless_winter.store.records import NO_CHAIN, Query, Status
from endless_winter.v1 import (
    decision_pb2,
    event_pb2,
    update_pb2,
    view_private_pb2,
    view_public_pb2,
)
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.views import PublicEncoder, Scribe, private_bytes
from tests.simulation.node import PACK

if TYPE_CHECKING:
    from tests.simulation.players import Chair
    from tests.simulation.run import Run

KIT = Kit(PACK)
ALL = 1 << 30
_ALL_GAMES = Query(everything=True)


class Judge:
    """Of one run."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._world = run.world
        self._answers: dict[tuple[str, int, str], bytes] = {}
        self._refused: list[tuple[tuple[str, int, str], str]] = []
        self._told: dict[str, dict[int, list[tuple[int, int, Any]]]] = {}
        self.updates = 0
        self.viewed = 0
        self.decisions = 0

    def accepted(self, chair: Chair, request_id: str, accepted: p.Accepted) -> None:
        """A command was acknowledged."""
        key = chair.game_id, chair.seat, request_id
        body = accepted.SerializeToString(deterministic=True)
        if self._answers.setdefault(key, body) != body:
            self._world.fail(f"two answers to {key}")

    def refused(self, chair: Chair, request_id: str, reason: str) -> None:
        """A command was refused for good."""
        self._refused.append(((chair.game_id, chair.seat, request_id), reason))

    def updated(self, chair: Chair, before: int, update: Any, *, views: bool) -> None:
        """A viewer was told something; it had been told everything up to `before`."""
        self.updates += 1
        if views:
            told = self._told.setdefault(chair.game_id, {})
            told.setdefault(update.seq, []).append((chair.seat, before, update))

    # --- when it is over ---

    def finish(self) -> None:
        world, run = self._world, self._run
        store = run.database.store
        for game_id in run.game_ids.values():
            record = store.load(game_id)
            if record is None:
                world.fail(f"{game_id} was created and is not in the store")
                continue
            entries = store.read(game_id, 0, ALL)
            self._check_log(game_id, record, entries)
        listed = {header.game_id for header in store.list_games(_ALL_GAMES, limit=ALL).games}
        if listed != set(run.game_ids.values()):
            world.fail(f"games that nobody knows of: {listed - set(run.game_ids.values())}")

    def _check_log(self, game_id: str, record: Any, entries: list[Any]) -> None:
        world = self._world
        config, rules = KIT.config(record.header.config)
        table = new_table(game_id, config, rules, record.secret.seed)
        table.people = dict(record.people)
        chain = NO_CHAIN
        by_request: dict[tuple[int, str], Any] = {}
        scribe = KIT.scribe(rules)
        told = self._told.get(game_id, {})
        events: dict[int, EntryEvents] = {}
        for logged in entries:
            try:
                entry = read_entry(chain, game_id, logged)
                table.apply(entry, record.private.get(entry.seq, b""))
            except (BrokenLog, ValueError) as error:
                world.fail(f"{game_id}: {error}")
                return
            chain = logged.chain
            if self._run.database.chains.get((game_id, entry.seq)) != chain:
                world.fail(f"{game_id}: entry {entry.seq} is not the one that was committed")
            if entry.position_hash != position_hash(table):
                world.fail(f"{game_id}: entry {entry.seq} leads elsewhere")
            events[entry.seq] = EntryEvents(entry.seq, logged.payload, table.people)
            for seat, before, update in told.pop(entry.seq, ()):
                self._check_view(table, scribe, events, seat, before, update)
            if entry.HasField("choice"):
                self.decisions += 1
                self._check_choice(game_id, entry, by_request)
            elif entry.HasField("forfeit"):
                world.seen[f"forfeit: {entry.forfeit.reason}"] += 1
        if told:
            world.fail(f"{game_id}: told of entries that are not in the log: {sorted(told)}")
        for key, reason in self._refused:
            if key[0] == game_id and key[1:] in by_request:
                world.fail(f"{key} was refused ({reason}), and is in the log")
        if record.header.status != Status.ENDED or table.status != ENDED:
            world.fail(f"{game_id}: ended for its players, and not in the lists")
        holders = {n: one.player_id for n, one in enumerate(table.seats) if one.player_id}
        if holders != {n: one.player_id for n, one in record.header.players.items()}:
            world.fail(f"{game_id}: the list of who holds which seat is not that of the log")
        for (where, seat, request_id), body in self._answers.items():
            if where == game_id:
                self._check_answer(table, entries, seat, request_id, body, by_request)

    def _check_view(
        self,
        table: Table,
        scribe: Scribe,
        events: dict[int, EntryEvents],
        seat: int,
        before: int,
        update: Any,
    ) -> None:
        """What was sent is what the pure functions make of the log."""
        self.viewed += 1
        where = f"{table.game_id}: what seat {seat} was sent at {update.seq}"
        wanted = update_pb2.Update()
        if not update.snapshot:
            fields = [events[seq].fields(seat) for seq in range(before + 1, update.seq + 1)]
            wanted = update_pb2.Update.FromString(b"".join(fields))
        if list(wanted.events) != list(update.events):
            self._world.fail(f"{where}: other events")
        if table.game is None:
            return
        position = table.game.position
        public = PublicEncoder(scribe.words).encode(position, table.forfeited)
        if view_public_pb2.PublicView.FromString(public) != update.public_view:
            self._world.fail(f"{where}: another public view")
        private = private_bytes(scribe.words, position, seat)
        if view_private_pb2.PrivateView.FromString(private) != update.private_view:
            self._world.fail(f"{where}: another private view")
        if update.HasField("prompt"):
            decision = scribe.decision_bytes(
                table.game,
                table.decision_id,
                can_undo=table.can_undo(seat),
                skip_labels=True,
                skip_moves=True,
            )
            if decision_pb2.Decision.FromString(decision) != update.prompt.decision:
                self._world.fail(f"{where}: another decision")
        elif table.deciding_seat == seat:
            self._world.seen["view: a question that was shown before"] += 1

    def _check_choice(self, game_id: str, entry: Any, by_request: dict[Any, Any]) -> None:
        choice = entry.choice
        if choice.origin == event_pb2.CHOICE_ORIGIN_CLOCK:
            self._world.seen["clock: a default was taken"] += 1
            key = game_id, choice.decision_id
            if key not in self._run.slept and not self._run.was_cut(
                game_id, choice.seat, entry.time_unix_ms
            ):
                self._world.fail(
                    f"{game_id}: seat {choice.seat} lost on time at {entry.seq}, and was awake"
                )
        if choice.request_id:
            key = choice.seat, choice.request_id
            if key in by_request:
                self._world.fail(f"{game_id}: {key} was carried out twice")
            by_request[key] = entry

    def _check_answer(
        self, table: Any, entries: list[Any], seat: int, request_id: str, body: bytes,
        by_request: dict[Any, Any],
    ) -> None:  # fmt: skip
        accepted = p.Accepted.FromString(body)
        where = f"{table.game_id}, seat {seat}: {request_id}"
        if accepted.seq > len(entries):
            self._world.fail(f"{where}: acknowledged, and the log has no entry {accepted.seq}")
        elif accepted.decision_id:
            entry = by_request.get((seat, request_id))
            if entry is None or entry.seq != accepted.seq:
                self._world.fail(f"{where}: acknowledged at {accepted.seq}, and not in the log")
            elif entry.choice.option_id != accepted.option_id:
                self._world.fail(f"{where}: another option was acknowledged")
