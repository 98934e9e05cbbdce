"""Limits per client on creating, listing, replays and streams. Play itself is never limited.

Of long polls only the waiting is: one too many is answered at once.

Whoever draws a new secret is a new client, so the clients of one network address together have a
limit as well, some times that of one client. Operators have none.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING

from endless_winter.service.refusal import Refusal
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from endless_winter.service.identity import Caller
    from endless_winter.service.settings import Settings

Keys = tuple[bytes | str, ...]  # what a stream or a wait counts under

MOST_BUCKETS = 10_000  # more are swept: a full bucket says the same as none


class Buckets:
    """Token buckets: each key may act `burst` times at once, and `per_minute` in the long run."""

    def __init__(self, per_minute: int, burst: int, now_ms: Callable[[], int]) -> None:
        self.per_minute = per_minute
        self._burst = burst
        self._now_ms = now_ms
        self._left: dict[bytes | str, tuple[float, int]] = {}

    def __len__(self) -> int:
        return len(self._left)

    def wait_ms(self, key: bytes | str) -> int:
        """How long until the key may act again; 0: now."""
        missing = 1 - self._tokens(key)
        return 0 if missing <= 0 else max(int(missing * 60_000 / self.per_minute), 1)

    def take(self, key: bytes | str) -> None:
        """Act once; the caller has asked whether that is possible."""
        if len(self._left) >= MOST_BUCKETS and key not in self._left:
            self._sweep()
        self._left[key] = (self._tokens(key) - 1, self._now_ms())

    def _tokens(self, key: bytes | str) -> float:
        found = self._left.get(key)
        if found is None:
            return self._burst
        tokens, at = found
        return min(tokens + (self._now_ms() - at) * self.per_minute / 60_000, self._burst)

    def _sweep(self) -> None:
        full = [key for key in self._left if self._tokens(key) >= self._burst]
        for key in full:
            del self._left[key]
        while len(self._left) >= MOST_BUCKETS:  # then the oldest: memory is bounded
            del self._left[next(iter(self._left))]


class Limits:
    """The limits of one server."""

    def __init__(self, settings: Settings, now_ms: Callable[[], int]) -> None:
        many = settings.clients_per_peer
        self._many = many
        self._streams_per_client = settings.streams_per_client
        creates, burst = settings.creates_per_minute, settings.create_burst
        self._creates = Buckets(creates, burst, now_ms)
        self._creates_of_peer = Buckets(creates * many, burst * many, now_ms)
        lists, burst = settings.lists_per_minute, settings.list_burst
        self._lists = Buckets(lists, burst, now_ms)
        self._lists_of_peer = Buckets(lists * many, burst * many, now_ms)
        self._streams: Counter[bytes | str] = Counter()
        self._waits_per_client = settings.waits_per_client
        self._waits: Counter[bytes | str] = Counter()

    @property
    def streams(self) -> int:
        """Streams that are open, of everybody."""
        return self._streams[""]

    def create(self, caller: Caller, peer: str) -> None:
        self._charge(caller, peer, self._creates, self._creates_of_peer, "games are created")

    def free(self, caller: Caller, peer: str) -> None:
        """A seat is given up before the start; who joins again makes the log longer. Same purse."""
        self._charge(caller, peer, self._creates, self._creates_of_peer, "seats are given up")

    def list_(self, caller: Caller, peer: str) -> None:
        self._charge(caller, peer, self._lists, self._lists_of_peer, "lists are asked for")

    def replay(self, caller: Caller, peer: str) -> None:
        """A game is replayed from its log, which takes far longer than a list; same purse."""
        self._charge(caller, peer, self._lists, self._lists_of_peer, "replays are asked for")

    def _charge(
        self, caller: Caller, peer: str, clients: Buckets, peers: Buckets, what: str
    ) -> None:
        if caller.operator or not clients.per_minute:
            return
        # Whoever sent no secret is known by the address alone.
        keys: list[tuple[Buckets, bytes | str]] = [(clients, caller.holder or peer)]
        if self._many:
            keys.append((peers, peer))
        wait = max(bucket.wait_ms(key) for bucket, key in keys)
        if wait:
            raise Refusal(
                reasons.REJECTION_REASON_LIMIT_REACHED,
                f"{what} too quickly; wait and try again",
                retry_after_ms=wait,
            )
        for bucket, key in keys:
            bucket.take(key)

    def enter(self, caller: Caller, peer: str) -> Keys:
        """Count a stream that opens; what it counts under is handed back to `leave`."""
        keys = _keys(caller, peer)
        most = self._streams_per_client
        full = ""
        if self._streams[keys[0]] >= most:
            full = f"a client has at most {most} streams at a time"
        elif self._is_full(self._streams, keys, most):
            most *= self._many
            full = f"all clients of one network address have at most {most} streams at a time"
        if full and not caller.operator:
            raise Refusal(reasons.REJECTION_REASON_LIMIT_REACHED, full)
        self._streams.update(keys)
        return keys

    def leave(self, keys: Keys) -> None:
        """A stream has ended."""
        _take_off(self._streams, keys)

    def wait(self, caller: Caller, peer: str) -> Keys:
        """Count a call that may wait, for `waited`; nothing: too many do already."""
        keys = _keys(caller, peer)
        if self._is_full(self._waits, keys, self._waits_per_client) and not caller.operator:
            return ()
        self._waits.update(keys)
        return keys

    def waited(self, keys: Keys) -> None:
        """Such a call has ended."""
        _take_off(self._waits, keys)

    def _is_full(self, counted: Counter[bytes | str], keys: Keys, most: int) -> bool:
        return counted[keys[0]] >= most or bool(
            self._many and counted[keys[1]] >= most * self._many
        )

    @contextmanager
    def stream(self, caller: Caller, peer: str) -> Iterator[None]:
        """A stream while it is open."""
        keys = self.enter(caller, peer)
        try:
            yield
        finally:
            self.leave(keys)


def _keys(caller: Caller, peer: str) -> Keys:
    """The client, the address, and everybody."""
    return (caller.holder or peer, f"all of {peer}", "")


def _take_off(counted: Counter[bytes | str], keys: Keys) -> None:
    counted.subtract(keys)
    for key in keys:
        if not counted[key]:
            del counted[key]


def peer_of(text: str) -> str:
    """The address of a peer without its port, which is another for each connection."""
    host, _, _ = text.rpartition(":")
    return host or text
