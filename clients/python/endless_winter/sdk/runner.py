"""Plays a bot: attaches it to the arena, takes the seats it is offered, and plays them.

The network lives in a thread of its own with its own event loop, so that it reads and answers
while the bot thinks. The bot's code runs in the thread that calls `run`, one call at a time: an
author needs no locks, and sees plain tracebacks.
"""

from __future__ import annotations

import asyncio
import queue
import secrets
import sys
import threading
import time
from typing import TYPE_CHECKING, Final

import grpc

from endless_winter.sdk.bot import Wants
from endless_winter.sdk.catalog import Catalog
from endless_winter.sdk.connection import error_of
from endless_winter.sdk.errors import Refused, reason_name
from endless_winter.sdk.offers import Offers
from endless_winter.sdk.playing import Author, Player, Tally
from endless_winter.sdk.seat import Desk, PlayedSeat
from endless_winter.sdk.stream import Key, Listener, PlayStream
from endless_winter.v1 import (
    catalog_service_pb2,
    catalog_service_pb2_grpc,
    game_service_pb2,
    game_service_pb2_grpc,
    view_pb2,
)
from endless_winter.v1 import play_service_pb2 as p

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from endless_winter.sdk.bot import Bot
    from endless_winter.sdk.connection import Endpoint
    from endless_winter.v1 import rejection_pb2, update_pb2

LOOK: Final = 0.5  # seconds
# Answers that are found at once go together: so long may the first of them wait for the next.
TOGETHER: Final = 0.001  # seconds
MOST_OVER: Final = 1000  # ended games that are remembered


def feed_of(wants: Wants, *, explain: bool = False) -> p.FeedOptions:
    """What is asked of the server for a bot; explanations are given in labels."""
    return p.FeedOptions(
        # No events: each of its prompts comes with the whole position.
        skip_events=True,
        only_when_asked=True,
        view_mode=view_pb2.VIEW_MODE_UNSPECIFIED if wants.view else view_pb2.VIEW_MODE_NEVER,
        skip_labels=not (wants.labels or explain),
        skip_moves=not wants.moves,
    )


class Runner(Listener):
    """Plays one bot on one server until `stop`, or until the server is gone."""

    def __init__(
        self,
        make: Callable[[], Bot],
        endpoint: Endpoint,
        *,
        name: str,
        capacity: int = 1,
        token: str = "",
        explain: bool = False,
        keep: Callable[[str], None] | None = None,
        patience: float = 60.0,
        quiet: bool = False,
        say: Callable[[str], None] | None = None,
    ) -> None:
        """`make` makes a bot for each game; `say` gets each line for people (default: stderr).

        `keep` gets why each choice was made, as a line of JSON.

        `patience` is how many seconds without a server are borne; `quiet` leaves out what is no
        trouble.
        """
        self._player = Player(make, name, say or _to_stderr, explain=explain, keep=keep)
        self._feed = feed_of(Wants.of(make), explain=explain)
        self._endpoint = endpoint
        self._patience = patience
        self._quiet = quiet
        self._offers = Offers(
            endpoint,
            name=name,
            capacity=capacity,
            token=token,
            welcomed=self._welcomed,
            held=self._take_seat,
            taken=self._take_seat,
        )
        self._ready = f"ready-{secrets.token_hex(4)}"  # a seat may be left and taken again
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._seats: dict[Key, PlayedSeat] = {}
        # Two streams report a seat: one may still call it ours when the other has reported the end.
        self._over: dict[Key, None] = {}
        self._error: BaseException | None = None
        self._stopped = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._desk: Desk | None = None
        self._background: set[asyncio.Task[None]] = set()
        self._waiting: list[tuple[Callable[..., None], tuple[object, ...]]] = []
        self._since = 0.0
        self._timer: asyncio.TimerHandle | None = None

    @property
    def tally(self) -> Tally:
        """What has been done so far."""
        return self._player.tally

    # --- the thread that plays ---

    def run(self) -> Tally:
        """Attach and play; raises an `SdkError` in one line if that is not possible any more."""
        thread = threading.Thread(target=self._network, name="ew-network", daemon=True)
        thread.start()
        try:
            while (job := self._next()) is not None:
                job()
                self._pass_on()
        finally:
            self.stop()
            thread.join(5.0)
            self._player.sum_up()
        if self._error is not None:
            raise self._error
        return self.tally

    def _next(self) -> Callable[[], None] | None:
        """What is to be done next; None: nothing any more.

        Looks up now and then: a signal that another thread took, or that came just before the
        wait began, does not end it, and is heeded only here.
        """
        while True:
            try:
                return self._jobs.get(timeout=LOOK)
            except queue.Empty:
                continue

    def _later(self, function: Callable[..., None], *args: object) -> None:
        """Have something done in the network's thread, together with what follows at once."""
        if not self._waiting:
            self._since = time.monotonic()
        self._waiting.append((function, args))

    def _pass_on(self) -> None:
        """Pass on what waits, unless more will come at once: each time wakes the other thread."""
        if not self._waiting:
            return
        if self._jobs.empty() or time.monotonic() - self._since > TOGETHER:
            waiting, self._waiting = self._waiting, []
            self._call(_do_all, waiting)

    def stop(self) -> None:
        """Leave; the games stay where they are. May be called from any thread."""
        self._stopped.set()
        if self._desk is not None:
            self._call(self._desk.line.close)

    def _call(self, function: Callable[..., None], *args: object) -> None:
        """Have something done in the network's thread."""
        loop = self._loop
        if loop is not None:
            try:
                loop.call_soon_threadsafe(function, *args)
            except RuntimeError:  # it is closed: nobody listens any more
                return

    # --- the network's thread ---

    def _network(self) -> None:
        try:
            asyncio.run(self._main())
        except Exception as error:  # noqa: BLE001 # raised again in the thread that plays
            self._error = error
        finally:
            self._jobs.put(None)

    async def _main(self) -> None:
        line = PlayStream(
            self._endpoint,
            self,
            name=self._player.name,
            patience=self._patience,
            alongside=self._offers.attend,
        )
        self._loop = asyncio.get_running_loop()
        self._desk = Desk(line, self._player, do=self._jobs.put, call=self._later, due=self._due)
        if self._stopped.is_set():
            return
        try:
            await line.run()
        finally:
            for task in self._background:
                task.cancel()

    @property
    def _at(self) -> Desk:
        assert self._desk is not None  # there is one before anything is reported
        return self._desk

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    # --- seats ---

    def _welcomed(self) -> None:
        if not self._quiet:
            self._at.say(f"attached to {self._at.line.endpoint.address}, waiting for games")

    def _take_seat(self, key: Key, options: str = "") -> None:
        if key not in self._seats and key not in self._over:
            author = Author(self._player, f"game {key[0]}, seat {key[1]}")
            self._seats[key] = PlayedSeat(self._at, key, author, options)
            self._at.line.follow(key[0], key[1], self._feed)

    async def _fetch(self, seat: PlayedSeat, content_hash: str) -> None:
        """Fetch a catalogue; if the connection breaks meanwhile, the next Attached asks again."""
        channel = self._at.line.channel
        if channel is None:
            return
        stub = catalog_service_pb2_grpc.CatalogServiceStub(channel)
        request = catalog_service_pb2.GetCatalogRequest(content_hash=content_hash)
        try:
            found = await stub.GetCatalog(request, metadata=self._endpoint.metadata)
        except grpc.RpcError as error:
            known = error_of(error, self._endpoint.address)
            if isinstance(known, Refused):
                self._at.say(f"{seat.name}: no catalogue: {known}")
            return
        self._read_up(seat, Catalog.of(found.catalog))

    def _read_up(self, seat: PlayedSeat, catalog: Catalog) -> None:
        if seat.read_up(catalog):
            self._spawn(self._prepare(seat))

    async def _prepare(self, seat: PlayedSeat) -> None:
        """Look who plays now that all seats are taken, and have the bot get ready."""
        channel = self._at.line.channel
        if channel is not None:
            games = game_service_pb2_grpc.GameServiceStub(channel)
            request = game_service_pb2.GetGameRequest(game_id=seat.key[0])
            try:
                found = await games.GetGame(request, metadata=self._endpoint.metadata)
                seat.info = found.game
            except grpc.RpcError:
                pass  # names are a courtesy; what came with the snapshot will do
        seat.start(self._ready)

    # --- deadlines ---

    def _due(self, when: float) -> None:
        """A decision is late at that time of the loop. One timer serves all of them."""
        if self._timer is None or when < self._timer.when():
            if self._timer is not None:
                self._timer.cancel()
            self._timer = asyncio.get_running_loop().call_at(when, self._look)

    def _look(self) -> None:
        self._timer = None
        now = asyncio.get_running_loop().time()
        for seat in self._seats.values():
            seat.look(now)
        later = [seat.due for seat in self._seats.values() if seat.due is not None]
        if later:
            self._due(min(later))

    # --- what the stream reports ---

    def waiting(self, why: str, seconds: float) -> None:
        self._at.say(f"{why}; trying again in {seconds:.1f} s")

    def attached(self, key: Key, attached: p.Attached) -> None:
        seat = self._seats.get(key)
        if seat is not None and seat.catalog is None:
            known = Catalog.known(attached.content_hash)
            if known is None:
                self._spawn(self._fetch(seat, attached.content_hash))
            else:
                self._read_up(seat, known)

    def updated(self, key: Key, update: update_pb2.Update) -> None:
        seat = self._seats.get(key)
        if seat is None:
            return
        if update.HasField("result"):
            del self._seats[key]
            self._over[key] = None
            if len(self._over) > MOST_OVER:
                del self._over[next(iter(self._over))]
        if seat.take_update(update):
            self._spawn(self._prepare(seat))

    def accepted(self, key: Key, command: p.PlayCommand, accepted: p.Accepted) -> None:
        seat = self._seats.get(key)
        if seat is not None and command.HasField("answer"):
            seat.accepted(accepted.decision_id)

    def refused(self, key: Key, command: p.PlayCommand, rejection: rejection_pb2.Rejection) -> None:
        seat = self._seats.get(key)
        if seat is not None:
            seat.refused(command, rejection)

    def gone(self, key: Key, why: rejection_pb2.Rejection) -> None:
        seat = self._seats.pop(key, None)
        if seat is not None:
            seat.gone()
            name = reason_name(why.reason)
            self._at.say(f"{seat.name}: not ours any more, {name}: {why.message}")


def _do_all(calls: list[tuple[Callable[..., None], tuple[object, ...]]]) -> None:
    for function, args in calls:
        function(*args)


def _to_stderr(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
