"""Mistakes that the simulator must find: each is planted in a run by one name.

They stand in the place of a function of the product, or of the connection to the store, as somebody
might write them by mistake. `python -m tests.simulation.planted` prints after how many seeds each
was found.
"""

# ruff: noqa: ARG005 # what stands in the place of a function takes what that one takes

from __future__ import annotations

import argparse
import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from unittest import mock

from endless_winter.engine.commands import Command, RequestKey
from endless_winter.engine.events import EntryEvents
from endless_winter.engine.game import Game
from endless_winter.engine.nodes import Nodes
from endless_winter.engine.subscription import Subscription
from endless_winter.service.loader import Loader
from endless_winter.service.neighbours import Neighbours
from endless_winter.store.errors import Conflict, StoreError
from endless_winter.store.records import LogEntry, next_entry
from tests.simulation.disk import Connection, Database
from tests.simulation.run import simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from endless_winter.store.records import Append, Uptime

Plant = tuple[Any, str, Any]  # where, the name of the function, and what takes its place


def told_before_the_commit() -> list[Plant]:
    """A round is acknowledged, and now and then never written."""
    honest = Database.commit

    def commit(
        self: Database, appends: Sequence[Append], uptime: Uptime | None
    ) -> list[StoreError | None]:
        if self.world.chance("planted", self.world.now).random() < 0.01:
            return [None for _ in appends]
        return honest(self, appends, uptime)

    return [(Database, "commit", commit)]


def conflict_forgotten() -> list[Plant]:
    """Who comes second hears that it was committed."""
    honest = Database.commit

    def commit(
        self: Database, appends: Sequence[Append], uptime: Uptime | None
    ) -> list[StoreError | None]:
        return [None if isinstance(one, Conflict) else one for one in honest(self, appends, uptime)]

    return [(Database, "commit", commit)]


def stale_head_accepted() -> list[Plant]:
    """Who comes second is written behind the first, whatever its choice was made of."""
    honest = Database.commit

    def commit(
        self: Database, appends: Sequence[Append], uptime: Uptime | None
    ) -> list[StoreError | None]:
        outcomes = honest(self, appends, uptime)
        for number, (append, outcome) in enumerate(zip(appends, outcomes, strict=True)):
            if not isinstance(outcome, Conflict) or append.overdue or not append.entries:
                continue
            head = self.store.heads([append.game_id])[append.game_id]
            moved: list[LogEntry] = []
            chain = head.chain
            for seq, entry in enumerate(append.entries, head.seq + 1):
                made = next_entry(
                    chain, append.game_id, seq, entry.kind, entry.at_ms, entry.payload
                )
                chain = made.chain
                moved.append(made)
            append.entries, append.expected_seq = moved, head.seq
            outcomes[number] = honest(self, [append], None)[0]
        return outcomes

    return [(Database, "commit", commit)]


def _without_request(appends: Sequence[Append], *, created: bool) -> None:
    for append in appends:
        if (append.creation is not None) == created and append.entries:
            append.request = None


def double_create() -> list[Plant]:
    """The request that creates a game is not stored with it."""
    honest = Database.commit

    def commit(
        self: Database, appends: Sequence[Append], uptime: Uptime | None
    ) -> list[StoreError | None]:
        _without_request(appends, created=True)
        return honest(self, appends, uptime)

    return [(Database, "commit", commit)]


def request_id_forgotten() -> list[Plant]:
    """The answer to a request is not stored with it."""
    honest = Database.commit

    def commit(
        self: Database, appends: Sequence[Append], uptime: Uptime | None
    ) -> list[StoreError | None]:
        _without_request(appends, created=False)
        return honest(self, appends, uptime)

    return [(Database, "commit", commit)]


def another_answer_to_a_retry() -> list[Plant]:
    """A retry hears where the log ends, and not what was answered first."""

    def first(self: RequestKey, found: Any) -> bytes:
        del self
        answer: bytes = found.answer
        return answer + b"\x08\x01" if len(answer) > 8 else answer  # another `seq`

    return [(RequestKey, "first", first)]


def unknown_is_committed() -> list[Plant]:
    """A commit with unknown result counts as done."""

    def resolve(self: Database, appends: Sequence[Append]) -> list[StoreError | None]:
        del self
        return [None for _ in appends]

    return [(Database, "resolve", resolve)]


def unknown_is_lost() -> list[Plant]:
    """A commit with unknown result counts as not done."""

    def resolve(self: Database, appends: Sequence[Append]) -> list[StoreError | None]:
        del self
        return [StoreError("it was not committed") for _ in appends]

    return [(Database, "resolve", resolve)]


def looked_at_alone() -> list[Plant]:
    """A commit that is on its way still is only looked for, and not sent again."""
    return [(Database, "resolve", lambda self, appends: self.store.look(appends))]


def refusal_from_an_old_fold() -> list[Plant]:
    """A refusal is given without reading what other nodes have added."""
    honest = Command.__init__

    def init(self: Command, *args: Any, **kwargs: Any) -> None:
        honest(self, *args, **kwargs)
        self.confirmed = True

    return [(Command, "__init__", init)]


def view_from_an_old_fold() -> list[Plant]:
    """A unary call is answered from memory as it is."""
    return [(Loader, "read_on", Loader.game)]


async def _nothing(self: object) -> None:
    del self


def lost_wake_up() -> list[Plant]:
    """No wake-up arrives, and nothing looks for what it would have said."""
    return [
        (Connection, "hear", lambda self, wake: None),
        (Neighbours, "_look_once", _nothing),
    ]


def clock_of_a_dead_node() -> list[Plant]:
    """The clock of a question runs on although the node that delivered it is gone."""
    return [(Nodes, "silent_since_ms", lambda self, node: None)]


def clock_before_delivery() -> list[Plant]:
    """A question costs time from its commit on, delivered or not."""

    def read_deadline(self: Game, header: Any, now: Any) -> None:
        self.node, self.stopped_ms = "somebody", None
        del header, now

    return [(Game, "read_deadline", read_deadline), (Game, "miss", lambda self, now: None)]


def never_overdue() -> list[Plant]:
    """Nobody rings for a game that no node has in memory or delivers."""
    return [
        (Connection, "overdue", lambda self, limit=100: []),
        (Game, "due_ms", lambda self, now: None),
    ]


def somebody_elses_hand() -> list[Plant]:
    """A viewer's private view is that of the next seat."""
    honest = Subscription._views

    def views(self: Subscription, *, asked: bool, ended: bool) -> Any:
        seat = self.seat
        if seat is not None and self.game.table.seq % 50 == 0:
            self.seat = (seat + 1) % len(self.game.table.seats)
        try:
            return honest(self, asked=asked, ended=ended)
        finally:
            self.seat = seat

    return [(Subscription, "_views", views)]


def old_public_view() -> list[Plant]:
    """The cached public view is not made anew after another node's entries."""
    honest = Game.public_bytes

    def public_bytes(self: Game) -> bytes:
        if self._view and self.table.seq % 40 == 0:
            return self._view
        return honest(self)

    return [(Game, "public_bytes", public_bytes)]


def events_left_out() -> list[Plant]:
    """The events of one entry in fifty are not sent."""
    honest = EntryEvents.fields

    def fields(self: EntryEvents, seat: int | None) -> bytes:
        return (
            b""
            if self.seq % 50 == 0 and sys._getframe(1).f_code.co_name == "_events"
            else (honest(self, seat))
        )

    return [(EntryEvents, "fields", fields)]


def not_in_the_lists() -> list[Plant]:
    """A game that has ended is not marked so."""
    honest = Game._marks

    def marks(self: Game, draft: Any) -> Any:
        found = honest(self, draft)
        return replace(found, status=None) if found and found.ended_ms else found

    return [(Game, "_marks", marks)]


def command_dropped() -> list[Plant]:
    """What waits for its game to be read is forgotten now and then."""
    honest = Loader.wait

    def wait(self: Loader, commands: list[Any]) -> None:
        for command in commands:
            game = self._engine.games.get(command.game_id)
            if game is None or game.table.seq % 20:
                honest(self, [command])
            else:
                self._engine.loading.discard(command.game_id)

    return [(Loader, "wait", wait)]


def read_beyond_the_record() -> list[Plant]:
    """A game is folded with entries that are newer than the people that were read before."""
    honest = Connection.read

    def read(
        self: Connection, game_id: str, after_seq: int = 0, limit: int = 1000
    ) -> list[LogEntry]:
        return honest(self, game_id, after_seq, max(limit, 500))

    return [(Connection, "read", read)]


PLANTED: dict[str, Callable[[], list[Plant]]] = {
    one.__name__: one
    for one in (
        told_before_the_commit,
        conflict_forgotten,
        stale_head_accepted,
        double_create,
        request_id_forgotten,
        another_answer_to_a_retry,
        unknown_is_committed,
        unknown_is_lost,
        looked_at_alone,
        refusal_from_an_old_fold,
        view_from_an_old_fold,
        lost_wake_up,
        clock_of_a_dead_node,
        clock_before_delivery,
        never_overdue,
        somebody_elses_hand,
        old_public_view,
        events_left_out,
        not_in_the_lists,
        command_dropped,
        read_beyond_the_record,
    )
}


@contextmanager
def planted(name: str) -> Iterator[None]:
    """In here the product has this mistake."""
    patches = [mock.patch.object(where, what, by) for where, what, by in PLANTED[name]()]
    for patch in patches:
        patch.start()
    try:
        yield
    finally:
        for patch in reversed(patches):
            patch.stop()


def find(name: str, seeds: range) -> tuple[int, str] | None:
    """The first seed that finds a mistake, and by what."""
    with planted(name):
        for seed in seeds:
            run = simulate(seed)
            if run.world.wrong:
                return seed, run.world.wrong[0]
    return None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only these; by default all")
    parser.add_argument("--seeds", type=int, default=1000, help="how many seeds are tried at most")
    wanted = parser.parse_args()
    missed = 0
    for name in wanted.names or PLANTED:
        found = find(name, range(1, wanted.seeds + 1))
        if found is None:
            missed += 1
            print(f"{name:28} NOT FOUND in {wanted.seeds} seeds", flush=True)
        else:
            why = " ".join(found[1].split())[:90]
            print(f"{name:28} {found[0]:4}  {why}", flush=True)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
