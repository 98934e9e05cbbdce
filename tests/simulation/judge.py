"""What must hold whatever fails: checks of a run, while it goes on and when it is over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from endless_winter.engine.loading import BrokenLog, read_entry
from endless_winter.engine.packs import Kit
from endless_winter.engine.table import new_table, position_hash
from endless_winter.store.records import NO_CHAIN, Query
from endless_winter.v1 import event_pb2
from endless_winter.v1 import play_service_pb2 as p
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
        self.updates = 0
        self.decisions = 0

    def accepted(self, chair: Chair, request_id: str, accepted: p.Accepted) -> None:
        """A command was acknowledged."""
        key = chair.game_id, chair.seat, request_id
        body = accepted.SerializeToString(deterministic=True)
        if self._answers.setdefault(key, body) != body:
            self._world.fail(f"two answers to {key}")

    def updated(self) -> None:
        """A viewer was told something."""
        self.updates += 1

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
            if entry.HasField("choice"):
                self.decisions += 1
                self._check_choice(game_id, entry, by_request)
            elif entry.HasField("forfeit"):
                world.seen[f"forfeit: {entry.forfeit.reason}"] += 1
        for (where, seat, request_id), body in self._answers.items():
            if where == game_id:
                self._check_answer(table, entries, seat, request_id, body, by_request)

    def _check_choice(self, game_id: str, entry: Any, by_request: dict[Any, Any]) -> None:
        choice = entry.choice
        if choice.origin == event_pb2.CHOICE_ORIGIN_CLOCK:
            self._world.seen["clock: a default was taken"] += 1
            if (game_id, choice.decision_id) not in self._run.slept:
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
