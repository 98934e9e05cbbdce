"""One Play stream: any number of games, lists in both directions.

Commands are carried out in their order per game and side by side between games; plain answers,
which is nearly all that ever comes, together with those of other streams (rounds.py). What goes out
is gathered: answers first, then one update for each game with news. Nothing is queued for a slow
reader but the answers to its own commands, and reading pauses when those pile up.
"""

from __future__ import annotations

import asyncio
import contextvars
import logging
from collections import deque
from functools import partial
from math import inf
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import grpc

from endless_winter.service import logs, versions
from endless_winter.service.asked import check_request_id
from endless_winter.service.calls import fault, store_failed
from endless_winter.service.feed import Feed
from endless_winter.service.malformed import Malformed
from endless_winter.service.orders import Order, order_of
from endless_winter.service.refusal import RECONNECT_MS, Refusal, draining, game_ended
from endless_winter.service.session import Answerer, Session
from endless_winter.service.table import ENDED
from endless_winter.store import StoreClosed, StoreError
from endless_winter.v1 import play_service_pb2 as p
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.views import wire

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Iterable

    from endless_winter.service.hall import Hall
    from endless_winter.service.identity import Caller

log = logging.getLogger("endless_winter.service")

MOST_WAITING: Final = 1000  # answers; more of them wait unread in the network
MOST_TASKS: Final = 100  # of commands under way; each keeps some kilobytes, and a waiting one few
TOGETHER = 0.002  # seconds that news waits for more of it, or as long as answers take to come
RECENT = 0.004  # seconds: a question that is older may be one that somebody thinks about
FLOWING = 0.0005  # seconds between two messages of a client that says one thing after the other
PROMPT = 0.008  # seconds after which answers come from a client that does not think about them
SLOWLY = 0.8  # of a slow answer so much is remembered at the next message
MOST_ECHOED: Final = 256  # characters of an id in a report
AT_ONCE: Final = 64  # commands that are looked at before others have a turn
LARGE: Final = 256  # bytes of a command; parsed it may take forty times that, so one at a time
_FOLLOWING: Final = ("attach", "detach")
_REPORTS: Final = p.PlayResponse.REPORTS_FIELD_NUMBER
_REPORT_REQUEST_ID: Final = p.PlayReport.REQUEST_ID_FIELD_NUMBER
_REPORT_GAME_ID: Final = p.PlayReport.GAME_ID_FIELD_NUMBER
_REPORT_SEAT: Final = p.PlayReport.SEAT_FIELD_NUMBER
_REPORT_PONG: Final = p.PlayReport.PONG_FIELD_NUMBER
_REPORT_WELCOME: Final = p.PlayReport.WELCOME_FIELD_NUMBER
_REPORT_ATTACHED: Final = p.PlayReport.ATTACHED_FIELD_NUMBER
_REPORT_DETACHED: Final = p.PlayReport.DETACHED_FIELD_NUMBER
_REPORT_ACCEPTED: Final = p.PlayReport.ACCEPTED_FIELD_NUMBER
_REPORT_UPDATE: Final = p.PlayReport.UPDATE_FIELD_NUMBER
_REPORT_GOODBYE: Final = p.PlayReport.GOODBYE_FIELD_NUMBER
_REPORT_REJECTION: Final = p.PlayReport.REJECTION_FIELD_NUMBER

Key = tuple[str, int | None]


def report_bytes(command: p.PlayCommand | None, key: Key, field: int, body: bytes) -> bytes:
    """A serialized PlayReport as a field of PlayResponse."""
    # What is much longer than any id is not kept until somebody reads of it.
    request_id = command.request_id[:MOST_ECHOED] if command else ""
    return _report_of(request_id, _address((key[0][:MOST_ECHOED], key[1])), field, body)


def _address(key: Key) -> bytes:
    """The game and the seat that a report is about."""
    return wire.text(_REPORT_GAME_ID, key[0]) + wire.present(_REPORT_SEAT, key[1])


def _report_of(request_id: str, address: bytes, field: int, body: bytes) -> bytes:
    named = wire.text(_REPORT_REQUEST_ID, request_id) + address
    return wire.message(_REPORTS, named + wire.message(field, body))


class _Answering(Answerer):
    """An answer on its way into the log; whoever gave it is told then."""

    __slots__ = ("_feed", "_order", "_stream")

    def __init__(self, stream: PlayStream, feed: Feed, order: Order) -> None:
        self._stream = stream
        self._feed = feed
        self._order = order

    def landed(self) -> None:
        self._stream.landed(self._feed)

    def done(self, told: bytes | Exception) -> None:
        self._stream.answered(self._order, self._feed, told)


class PlayStream:
    """The state of one stream. Thousands of them may be open and wait, so it is small."""

    __slots__ = (
        "_arrived",
        "_awake",
        "_backlog",
        "_caller",
        "_closing",
        "_context",
        "_dirty",
        "_end",
        "_expected",
        "_feeds",
        "_flowing",
        "_followers",
        "_hall",
        "_lanes",
        "_measured",
        "_queued",
        "_received",
        "_reports",
        "_room",
        "_send",
        "_sending",
        "_tasks",
        "_together",
        "_turnaround",
        "_under_way",
        "_urgent",
        "_welcomed",
    )

    def __init__(self, hall: Hall, caller: Caller) -> None:
        self._hall = hall
        self._caller = caller
        self._context = contextvars.copy_context()  # names the call in what is logged
        self._feeds: dict[Key, Feed] = {}
        self._arrived: list[tuple[list[Order], int]] = []  # and when; they wait for their round
        self._queued = 0  # answers among them
        # Answers for which there was no task left, and whatever came after them.
        self._backlog: deque[tuple[Order, int]] = deque()
        self._received = 0.0  # when the last message came
        self._flowing = False  # and whether it followed another at once
        self._turnaround = inf  # seconds after which answers come, lately
        self._measured = True  # by the last message
        self._expected: dict[Feed, float] = {}  # questions that went out just now, and when
        self._dirty: dict[Feed, None] = {}  # those with news, in the order in which they had it
        self._reports: list[bytes] = []
        self._awake = False  # it will be asked what it has to say
        self._urgent = False  # and shall not wait for more
        self._send: Callable[[bytes], Coroutine[Any, Any, None]] | None = None
        self._sending = False
        self._end: asyncio.Future[None] | None = None  # of the stream
        self._room: asyncio.Future[None] | None = None  # who waits to read on
        self._tasks: dict[asyncio.Task[None], str] = {}  # of which game each is
        # Commands of games in which one has to wait until those before it are told, and who does.
        self._lanes: dict[str, deque[tuple[p.PlayCommand, int]]] = {}
        self._followers: set[asyncio.Task[None]] = set()
        self._together: asyncio.TimerHandle | None = None  # the end of waiting for more to say
        self._under_way = 0  # answers that have no task
        self._welcomed = False
        self._closing = False

    # --- in ---

    async def read(self, receive: Callable[[], Awaitable[Any]]) -> None:
        """Carry out whatever comes, until the client is done."""
        try:
            while (request := await receive()) is not grpc.aio.EOF:
                received_ms = self._hall.time.now_ms()
                now = monotonic()
                self._flowing = now - self._received < FLOWING
                self._received = now
                if isinstance(request, list):
                    self._measured = False
                    self._arrived.append((request, received_ms))
                    self._queued += len(request)
                    self._hall.rounds.arrived(self)
                elif isinstance(request, Malformed):
                    raise request
                else:
                    self.carry_out()  # what came before
                    await self._take_all(request.commands, received_ms)
                del request  # it keeps nothing of the last while it waits for the next
                if self._is_full():
                    await self._wait_for_room()
                if self._closing:
                    return
        finally:
            self._closing = True
            self._wake()

    def carry_out(self) -> int:
        """Take the answers that have arrived; how many they were."""
        arrived, self._arrived = self._arrived, []
        count, self._queued = self._queued, 0
        for orders, received_ms in arrived:
            for order in orders:
                if self._backlog:
                    self._backlog.append((order, received_ms))
                elif not self._take_answer(order, received_ms):
                    if len(self._tasks) < MOST_TASKS:
                        self._take_now(order.command, received_ms)
                    else:
                        self._put_off(order, received_ms)
                if not self._welcomed:  # one refusal is enough
                    return count
        return count

    def _put_off(self, order: Order, received_ms: int) -> None:
        self._backlog.append((order, received_ms))
        self._follow_by(self._catch_up())

    async def _catch_up(self) -> None:
        """Carry out the backlog in its order; nothing is read meanwhile."""
        while self._backlog:
            while len(self._tasks) >= MOST_TASKS:
                await self._something_told()
            order, received_ms = self._backlog.popleft()
            if not self._take_answer(order, received_ms):
                self._take_now(order.command, received_ms)

    async def _take_all(self, commands: Iterable[p.PlayCommand], received_ms: int) -> None:
        others = 0  # that are no answers: those are play, and wait for nobody
        for number, command in enumerate(commands):
            # Asked before every command: a message of a megabyte has room for many.
            if self._is_full():
                await self._wait_for_room()
            order = order_of(command)
            if order is None:
                if others % AT_ONCE == 0 and not self._hall.command_turns.take():
                    await self._hall.command_turns.wait()
                others += 1
            if self._lanes and command.game_id in self._lanes:
                self._lanes[command.game_id].append((command, received_ms))
            elif order is None or not self._take_answer(order, received_ms):
                kind = command.WhichOneof("command")
                if kind in _FOLLOWING and self._has_earlier(command.game_id):
                    self._open_lane(command, received_ms)
                elif kind == "attach":
                    await self._take_attach(command)
                else:
                    self._take_now(command, received_ms)
                if self._closing:
                    return
            if command.ByteSize() > LARGE:
                while self._tasks or self._lanes:
                    await self._something_told()
            # The first answers of a long list are committed and told while the rest is looked at.
            if (number + 1) % AT_ONCE == 0:
                await asyncio.sleep(0)

    def _is_full(self) -> bool:
        if self._backlog or len(self._tasks) >= MOST_TASKS:
            return True
        waiting = len(self._reports) + len(self._tasks) + self._under_way + self._queued
        if self._lanes:
            waiting += sum(map(len, self._lanes.values()))
        return waiting >= MOST_WAITING

    async def _wait_for_room(self) -> None:
        while self._is_full():
            await self._something_told()

    async def _something_told(self) -> None:
        if self._room is None:
            self._room = asyncio.get_running_loop().create_future()
        await asyncio.wait((self._room,))  # others may wait for it too

    def _has_earlier(self, game_id: str) -> bool:
        """Whether something that was commanded before of a game is not told yet."""
        return (bool(self._tasks) and game_id in self._tasks.values()) or (
            # Answers have no task that tells their game.
            self._under_way > 0
            and any(feed.under_way and feed.key[0] == game_id for feed in self._feeds.values())
        )

    def _open_lane(self, command: p.PlayCommand, received_ms: int) -> None:
        """A command waits until what was commanded before of its game is told.

        Everything else of a game takes its turn at the gate of the game; this one does not pass it.
        What comes after it waits behind it; other games do not: theirs may be the very
        choices with which the earlier ones are committed.
        """
        game_id = command.game_id
        self._lanes[game_id] = deque(((command, received_ms),))
        self._follow_by(self._follow(game_id))

    def _follow_by(self, work: Coroutine[None, None, None]) -> None:
        """What is put off is taken up by a task that ends with the stream."""
        task = asyncio.create_task(work, context=self._context.copy())
        self._followers.add(task)
        task.add_done_callback(self._followed)

    async def _follow(self, game_id: str) -> None:
        """Carry out the commands of a lane, until there are none."""
        lane = self._lanes[game_id]
        while lane:
            command, received_ms = lane[0]
            kind = command.WhichOneof("command")
            while kind in _FOLLOWING and self._has_earlier(game_id):
                await self._something_told()
            while len(self._tasks) >= MOST_TASKS:
                await self._something_told()
            if kind == "attach":
                await self._take_attach(command)
            else:
                self._take_now(command, received_ms)
            lane.popleft()
        del self._lanes[game_id]

    def _followed(self, task: asyncio.Task[None]) -> None:
        self._followers.discard(task)
        self._has_room()
        self._wake()

    def _take_answer(self, order: Order, received_ms: int) -> bool:
        """Most of what ever comes: an answer that is in order needs no task of its own.

        False: it is not in order.
        """
        if self._lanes and order.game_id in self._lanes:
            self._lanes[order.game_id].append((order.command, received_ms))
            return True
        key = (order.game_id, order.seat)
        feed = self._feeds.get(key)
        if feed is None or feed.cut is not None:
            return False
        if self._tasks and order.game_id in self._tasks.values():
            return False  # it comes after what was commanded before
        session = feed.session
        assert isinstance(session, Session)  # only spectators see a game late
        asked = self._expected.pop(feed, None)
        if asked is not None and not self._measured:
            self._measured = True
            # A long one counts for a while: it takes several short ones to make a prompt client.
            self._turnaround = max(self._received - asked, min(self._turnaround, 1.0) * SLOWLY)
        self._under_way += 1
        feed.under_way += 1
        try:
            check_request_id(order.request_id)
            if session.answer_soon(order, received_ms, _Answering(self, feed, order)):
                return True
        except Exception as error:  # noqa: BLE001 # told to the client, and logged
            self.landed(feed)
            self._failed(order.command, key, "answer", error)
            return True
        self.landed(feed)
        return False

    def landed(self, feed: Feed) -> None:
        """The store has spoken of an answer, and news of it may follow."""
        self._under_way -= 1
        feed.under_way -= 1

    def answered(self, order: Order, feed: Feed, told: bytes | Exception) -> None:
        """What came of an answer."""
        self._has_room()
        if isinstance(told, bytes):
            report = _report_of(order.request_id, feed.address, _REPORT_ACCEPTED, told)
            self._reports.append(report)
            self._wake()
        else:
            self._failed(order.command, feed.key, "answer", told)

    def _take_now(self, command: p.PlayCommand, received_ms: int) -> None:
        """Any command but Attach."""
        key = _key(command)
        kind = command.WhichOneof("command")
        try:
            check_request_id(command.request_id)
            if kind == "hello":
                self._hello(command)
                return
            self._check_known(kind)
            if kind == "ping":
                pong = p.Pong(
                    nonce=command.ping.nonce, server_time_unix_ms=self._hall.time.unix_ms()
                )
                self._report(command, key, _REPORT_PONG, pong.SerializeToString())
            elif kind == "detach":
                self._detach(command, key)
            elif kind is not None and key not in self._feeds and command.request_id:
                self._spawn(key[0], self._act_unattached(command, key, kind, received_ms))
            elif kind is not None:
                session, seat = self._attached(key)
                self._spawn(key[0], self._act(session, seat, command, kind, received_ms))
        except Exception as error:  # noqa: BLE001 # told to the client, and logged
            self._not_taken(command, key, kind, error)

    async def _take_attach(self, command: p.PlayCommand) -> None:
        key = _key(command)
        try:
            check_request_id(command.request_id)
            self._check_known("attach")
            await self._attach(command, key)
        except Exception as error:  # noqa: BLE001 # told to the client, and logged
            self._not_taken(command, key, "attach", error)

    def _not_taken(
        self, command: p.PlayCommand, key: Key, kind: str | None, error: Exception
    ) -> None:
        self._failed(command, key, kind, error)
        if isinstance(error, Refusal) and (kind == "hello" or not self._welcomed):
            self._closing = True  # without a proper beginning there is no stream

    def _check_known(self, kind: str | None) -> None:
        if not self._welcomed:
            raise Refusal(reasons.REJECTION_REASON_HELLO_EXPECTED, "the first command is Hello")
        if kind is None:
            raise Refusal(
                reasons.REJECTION_REASON_NOT_SUPPORTED, "a command that is not known here"
            )

    def _hello(self, command: p.PlayCommand) -> None:
        if self._welcomed:
            raise Refusal(reasons.REJECTION_REASON_HELLO_EXPECTED, "Hello came twice")
        if command.hello.least_revision > versions.CONTRACT_REVISION:
            raise Refusal(
                reasons.REJECTION_REASON_CONTRACT_UNSUPPORTED,
                f"this server has revision {versions.CONTRACT_REVISION} of the contract, "
                f"the client needs {command.hello.least_revision}",
            )
        self._welcomed = True
        welcome = p.Welcome(server=versions.server_info(self._hall))
        self._report(command, ("", None), _REPORT_WELCOME, welcome.SerializeToString())

    def _check_new(self, key: Key) -> None:
        if key in self._feeds:
            raise Refusal(
                reasons.REJECTION_REASON_ALREADY_ATTACHED, "attached on this stream already"
            )
        if len(self._feeds) >= self._hall.settings.attachments_per_stream:
            raise Refusal(
                reasons.REJECTION_REASON_LIMIT_REACHED, "too many attachments on this stream"
            )

    async def _attach(self, command: p.PlayCommand, key: Key) -> None:
        self._check_new(key)
        session = await self._hall.find(key[0], self._caller)
        self._check_new(key)  # lanes may have attached others meanwhile
        if key[1] is not None:
            session.seat_of(self._caller, key[1])
        else:
            session.check_spectator(self._caller)
        attach = command.attach
        after = attach.after_seq if attach.HasField("after_seq") else None
        source = session.seen_by(key[1])
        feed = Feed(source, key[1], attach.feed, after, self._woken, address=_address(key))
        self._feeds[key] = feed
        source.attach(feed)
        standing = session.standing_answers(key[1])
        attached = p.Attached(
            after_seq=None if feed.snapshot else feed.seq,
            rules_version=session.table.rules_version,
            content_hash=session.table.rules.tables.digest,
            standing_answers=standing,
        )
        self._follows(command, key, _REPORT_ATTACHED, attached.SerializeToString())
        self._dirty[feed] = None

    def _detach(self, command: p.PlayCommand, key: Key) -> None:
        feed = self._feeds.pop(key, None)
        if feed is None:
            raise self._not_attached()
        feed.session.detach(feed)
        self._dirty.pop(feed, None)
        self._expected.pop(feed, None)
        self._report(command, key, _REPORT_DETACHED, p.Detached().SerializeToString())

    def _not_attached(self) -> Refusal:
        return Refusal(
            reasons.REJECTION_REASON_NOT_ATTACHED, "the game and seat are not attached here"
        )

    def _attached(self, key: Key) -> tuple[Session, int]:
        feed = self._feeds.get(key)
        if feed is None or key[1] is None:
            raise self._not_attached()
        session = feed.session
        assert isinstance(session, Session)  # only spectators see a game late
        if feed.cut is not None:  # the seat changed hands since it was attached
            session.seat_of(self._caller, key[1])
            raise feed.cut
        return session, key[1]

    async def _act_unattached(
        self, command: p.PlayCommand, key: Key, kind: str, received_ms: int
    ) -> None:
        try:
            session, seat = await self._over(key)
        except Exception as error:  # noqa: BLE001 # told to the client, and logged
            self._failed(command, key, kind, error)
        else:
            await self._act(session, seat, command, kind, received_ms)

    async def _over(self, key: Key) -> tuple[Session, int]:
        """A seat that is not attached because its game is over.

        A command of it may be a retry whose answer was lost with the connection before the end.
        """
        session = await self._hall.find(key[0], self._caller)
        if session.table.status != ENDED or key[1] is None:
            raise self._not_attached()
        return session, session.seat_of(self._caller, key[1])

    async def _act(
        self, session: Session, seat: int, command: p.PlayCommand, kind: str, received_ms: int
    ) -> None:
        """A command that ends up in the log."""
        key = (command.game_id, seat)
        try:
            accepted = await act(session, seat, command, kind, received_ms)
            self._follows(command, key, _REPORT_ACCEPTED, accepted)
        except Exception as error:  # noqa: BLE001 # told to the client, and logged
            self._failed(command, key, kind, error)

    def _failed(self, command: p.PlayCommand, key: Key, kind: str | None, error: Exception) -> None:
        """Tell the client; what is not its fault is logged."""
        if isinstance(error, Refusal):
            self._refuse(command, key, error)
            return
        if isinstance(error, StoreClosed):  # it came with the very end of a drain
            self._refuse(command, key, draining())
            return
        store = isinstance(error, StoreError)
        what = "the store failed: %s" if store else "a command failed: %s"
        # Whoever runs this may be at work for other streams too.
        self._context.copy().run(_log_failure, what, kind, command, error)
        self._refuse(command, key, store_failed() if store else fault())

    # --- out ---

    async def write(self, send: Callable[[bytes], Coroutine[Any, Any, None]]) -> None:
        """Send PlayResponses, each with whatever is ready, until the stream is over."""
        self._end = asyncio.get_running_loop().create_future()
        self._send = send
        self._wake()
        try:
            await self._end
        finally:
            self._send = None

    def _wake(self) -> None:
        """There may be something to say, or the stream may be over."""
        if not (self._awake or self._sending or self._send is None):
            self._awake = True
            self._hall.rounds.news(self)

    def compose(self) -> bytes:
        """The next message, if it is time for one."""
        self._awake = False
        if self._send is None or self._sending:
            return b""
        if not self._urgent and self._is_better_together():
            return b""
        self._urgent = False
        if self._together is not None:
            self._together.cancel()
            self._together = None
        message = self._gather(self._hall.settings.message_bytes)
        if not message and self._closing and not self._is_busy():
            assert self._end is not None  # as long as there is somewhere to send to
            if not self._end.done():
                self._end.set_result(None)
        return message

    def _is_busy(self) -> bool:
        return bool(self._tasks or self._under_way or self._queued or self._lanes or self._backlog)

    def _is_better_together(self) -> bool:
        """Whether what there is to say waits for more, which is likely to come.

        A message of many costs little more than one of few, and a client that gets many questions
        at once answers them at once. So while messages come one after the other, or come as soon as
        they can, fewer games with news than with an answer that is expected any moment wait for
        those, though not for long. A stream of one game never waits.
        """
        prompt = self._turnaround < PROMPT
        if not (self._flowing or self._under_way or prompt):
            return False
        recent, longest = RECENT, TOGETHER
        if prompt:
            recent, longest = max(recent, 2 * self._turnaround), max(longest, self._turnaround)
        expected = self._expected
        now = monotonic()
        while expected:
            oldest = next(iter(expected))
            if expected[oldest] > now - recent:
                break
            del expected[oldest]
        if not self._dirty or len(self._dirty) >= len(expected) + self._under_way:
            return False
        if self._together is None:
            loop = asyncio.get_running_loop()
            self._together = loop.call_later(longest, self._waited_enough)
        return True

    def _waited_enough(self) -> None:
        self._together = None
        self._urgent = True
        self._wake()

    def send(self, message: bytes) -> None:
        """Begin to send a message. There is no task: it would have to be woken to do so."""
        assert self._send is not None
        self._sending = True
        self._go_on(self._send(message))

    def _go_on(self, sending: Coroutine[Any, Any, None], _: object = None) -> None:
        try:
            awaited = sending.send(None)
        except StopIteration:
            self._sending = False
            if self._reports or self._dirty or self._closing:
                self._wake()
        except (Exception, asyncio.CancelledError) as error:  # noqa: BLE001 # for whoever waits
            self.fail(error)
        else:
            if awaited is None:
                asyncio.get_running_loop().call_soon(self._go_on, sending)
            else:
                awaited.add_done_callback(partial(self._go_on, sending))

    def fail(self, error: BaseException) -> None:
        """The stream ends with this error."""
        if self._end is None or self._end.done():
            return
        if isinstance(error, asyncio.CancelledError):
            self._end.cancel()
        else:
            self._end.set_exception(error)

    def _has_room(self) -> None:
        if self._room is not None:
            if not self._room.done():
                self._room.set_result(None)
            self._room = None

    def _gather(self, most: int) -> bytes:
        """Answers in their order, then updates, up to the size of a message."""
        taken: list[bytes] = []
        size = 0
        at = 0
        while at < len(self._reports) and (not size or size + len(self._reports[at]) <= most):
            size += len(self._reports[at])
            at += 1
        taken += self._reports[:at]
        del self._reports[:at]
        self._has_room()
        if not self._reports:
            now = monotonic()
            while self._dirty and size < most // 2:
                feed = next(iter(self._dirty))
                del self._dirty[feed]
                body = feed.update()
                if feed.owes():
                    self._expected[feed] = now
                if feed.cut is not None:
                    report = self._cut_off(feed, feed.cut)
                elif body is not None:
                    report = _report_of("", feed.address, _REPORT_UPDATE, body)
                    if feed.done:  # a client of many games is not left with those that are over
                        report += self._cut_off(feed, game_ended())
                else:
                    continue
                taken.append(report)
                size += len(report)
        return b"".join(taken)

    def _cut_off(self, feed: Feed, cause: Refusal) -> bytes:
        """The game is no longer followed: the one report about it."""
        if self._feeds.get(feed.key) is feed:
            del self._feeds[feed.key]
        self._expected.pop(feed, None)
        feed.session.detach(feed)
        detached = p.Detached(cause=cause.message_out())
        return _report_of("", feed.address, _REPORT_DETACHED, detached.SerializeToString())

    def goodbye(self, left_ms: int) -> None:
        """The server drains: the client has a moment to close the stream itself.

        Whatever it still sends is refused; what is under way is finished and told before the end.
        """
        closes = self._hall.time.unix_ms() + left_ms
        told = p.Goodbye(closes_unix_ms=closes, reconnect_after_ms=RECONNECT_MS)
        body = told.SerializeToString()
        self._reports.append(report_bytes(None, ("", None), _REPORT_GOODBYE, body))
        self._urgent = True
        self._wake()
        asyncio.get_running_loop().call_later(left_ms / 1000, self._close_now)

    def _close_now(self) -> None:
        self._closing = True
        self._wake()

    def _woken(self, feed: Feed) -> None:
        self._dirty[feed] = None
        self._wake()

    def _report(self, command: p.PlayCommand, key: Key, field: int, body: bytes) -> None:
        """Tell what came of a command, and all news with it."""
        self._urgent = True
        self._follows(command, key, field, body)

    def _follows(self, command: p.PlayCommand, key: Key, field: int, body: bytes) -> None:
        """Tell what came of a command that has news of its game follow, together with that.

        A game that begins beside many others would be out of step with them otherwise: asked alone
        and answered alone, for as long as others begin.
        """
        self._reports.append(report_bytes(command, key, field, body))
        self._wake()

    def _refuse(self, command: p.PlayCommand, key: Key, refusal: Refusal) -> None:
        body = refusal.message_out().SerializeToString()
        self._report(command, key, _REPORT_REJECTION, body)

    def _spawn(self, game_id: str, work: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(work, context=self._context.copy())
        self._tasks[task] = game_id
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.pop(task, None)
        self._has_room()
        self._wake()

    def close(self) -> None:
        """The stream is gone: its games go on without it."""
        self._send = None
        for task in self._followers:
            task.cancel()
        for feed in self._feeds.values():
            feed.session.detach(feed)


def _key(command: p.PlayCommand) -> Key:
    return command.game_id, command.seat if command.HasField("seat") else None


def _log_failure(what: str, kind: str | None, command: p.PlayCommand, error: Exception) -> None:
    game_id, seat = _key(command)
    logs.bind(game=game_id[:64], seat=seat)  # which of the stream's games it is about
    log.error(what, kind, exc_info=error)


async def act(
    session: Session,
    seat: int,
    command: p.PlayCommand,
    kind: str,
    received_ms: int,
    queued_ms: int = 0,
) -> bytes:
    """The operations behind stream and unary calls alike; returns the serialized Accepted."""
    if kind == "answer":
        return await session.answer(
            seat, command.request_id, command.answer, received_ms, queued_ms
        )
    if kind == "ready":
        return await session.ready(seat, command.request_id)
    if kind == "set_standing_answers":
        answers = command.set_standing_answers.answers
        return await session.set_standing(seat, command.request_id, answers, received_ms, queued_ms)
    return await session.undo(seat, command.request_id, command.undo.decision_id)
