"""Limits per client on creating, listing, replays and streams; per address on calls under way.

Of long polls only the waiting is limited: one too many is answered at once.

Whoever draws a new secret is a new client, so the clients of one network address together have a
limit as well, some times that of one client. Operators have none.

A connection carries so many calls at a time, and what is more waits in the client. Streams and long
polls may last for hours, so they never have all places of a connection: whoever has one connection
can always answer on it.
"""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from functools import lru_cache
from ipaddress import IPv6Address, ip_network
from typing import TYPE_CHECKING
from urllib.parse import unquote

from endless_winter.service.refusal import Refusal
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from endless_winter.service.identity import Caller
    from endless_winter.service.settings import Settings

Key = bytes | str
Keys = tuple[Key, ...]  # what a stream or a wait counts under

MOST_BUCKETS = 10_000  # more are swept: a full bucket says the same as none
UNIX = "unix"  # the address of whoever comes by a Unix socket: files have owners, it has no limit
LASTING_SHARE = 1 / 2  # of a connection's calls may be streams and long polls
RETRY_MS = 1000  # after this long somebody else's call may have ended


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

    def __init__(
        self,
        settings: Settings,
        now_ms: Callable[[], int],
        refused: Callable[[str, str], None] = lambda _, __: None,
    ) -> None:
        """`refused` hears of every refusal: of what kind, and to which address."""
        self._refused = refused
        self._calls_per_address = settings.calls_per_address
        self._calls: Counter[str] = Counter()
        self._lasting_per_connection = lasting_per_connection(settings)
        self._lasting: Counter[Key] = Counter()  # streams and long polls, by connection
        many = settings.clients_per_peer
        self._many = many
        self._streams_per_client = settings.streams_per_client
        creates, burst = settings.creates_per_minute, settings.create_burst
        self._creates = Buckets(creates, burst, now_ms)
        self._creates_of_peer = Buckets(creates * many, burst * many, now_ms)
        lists, burst = settings.lists_per_minute, settings.list_burst
        self._lists = Buckets(lists, burst, now_ms)
        self._lists_of_peer = Buckets(lists * many, burst * many, now_ms)
        self._streams: Counter[Key] = Counter()
        self._waits_per_client = settings.waits_per_client
        self._waits: Counter[Key] = Counter()

    @property
    def streams(self) -> int:
        """Streams that are open, of everybody."""
        return self._streams[""]

    @property
    def under_way(self) -> int:
        """Calls that are under way, of everybody."""
        return sum(self._calls.copy().values())  # another thread may ask

    def calls(self, address: str) -> int:
        """Calls of an address that are under way."""
        return self._calls[address]

    def begin(self, address: str, operator: Callable[[], bool] = lambda: False) -> None:
        """Count a call of an address, for `end`; who is an `operator` is asked only at the limit.

        Raises `Refusal`, and then it is not counted.
        """
        most = self._calls_per_address
        full = most and self._calls[address] >= most and not address.startswith(UNIX)
        if full and not operator():
            raise self._refuse(
                "calls",
                address,
                f"a network address has at most {most} calls under way; wait and try again",
            )
        self._calls[address] += 1

    def end(self, address: str) -> None:
        """A call of an address is over, and its answer was taken."""
        self._calls[address] -= 1
        if not self._calls[address]:
            del self._calls[address]

    def _refuse(self, kind: str, peer: str, message: str, retry_ms: int = RETRY_MS) -> Refusal:
        self._refused(kind, peer)
        return Refusal(reasons.REJECTION_REASON_LIMIT_REACHED, message, retry_after_ms=retry_ms)

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
        if self._many and peer != UNIX:
            keys.append((peers, peer))
        wait = max(bucket.wait_ms(key) for bucket, key in keys)
        if wait:
            raise self._refuse(
                what.split(maxsplit=1)[0], peer, f"{what} too quickly; wait and try again", wait
            )
        for bucket, key in keys:
            bucket.take(key)

    def enter(self, caller: Caller, peer: str, connection: str = "") -> Keys:
        """Count a stream that opens; what it counts under is handed back to `leave`."""
        keys = _keys(caller, peer, connection)
        most = self._streams_per_client
        full = ""
        if self._streams[keys[0]] >= most:
            full = f"a client has at most {most} streams at a time"
        elif self._is_full(self._streams, keys, most):
            most *= self._many
            full = f"all clients of one network address have at most {most} streams at a time"
        if full and not caller.operator:
            raise self._refuse("streams", peer, full)
        if self._has_no_place(keys[3]):  # for nobody: the next call on it might wait for ever
            most = self._lasting_per_connection
            raise self._refuse(
                "streams",
                peer,
                f"a connection has at most {most} streams and long polls at a time; open another",
            )
        self._streams.update(keys[:3])
        self._lasting[keys[3]] += 1
        return keys

    def leave(self, keys: Keys) -> None:
        """A stream has ended."""
        self._take_off(self._streams, keys)

    def wait(self, caller: Caller, peer: str, connection: str = "") -> Keys:
        """Count a call that may wait, for `waited`; nothing: too many do already."""
        keys = _keys(caller, peer, connection)
        if self._is_full(self._waits, keys, self._waits_per_client) and not caller.operator:
            return ()
        if self._has_no_place(keys[3]):
            return ()
        self._waits.update(keys[:3])
        self._lasting[keys[3]] += 1
        return keys

    def waited(self, keys: Keys) -> None:
        """Such a call has ended."""
        self._take_off(self._waits, keys)

    def _is_full(self, counted: Counter[Key], keys: Keys, most: int) -> bool:
        return counted[keys[0]] >= most or bool(
            self._many and keys[1] != _ALL_OF_UNIX and counted[keys[1]] >= most * self._many
        )

    def _has_no_place(self, connection: Key) -> bool:
        most = self._lasting_per_connection
        return bool(most and connection) and self._lasting[connection] >= most

    def _take_off(self, counted: Counter[Key], keys: Keys) -> None:
        for count, some in ((counted, keys[:3]), (self._lasting, keys[3:])):
            count.subtract(some)
            for key in some:
                if not count[key]:
                    del count[key]

    @contextmanager
    def stream(self, caller: Caller, peer: str, connection: str = "") -> Iterator[None]:
        """A stream while it is open."""
        keys = self.enter(caller, peer, connection)
        try:
            yield
        finally:
            self.leave(keys)


def lasting_per_connection(settings: Settings) -> int:
    """How many streams and long polls one connection may carry; 0: any number."""
    return int(settings.calls_per_connection * LASTING_SHARE)


def _keys(caller: Caller, peer: str, connection: str) -> Keys:
    """The client, the address, everybody, and the connection.

    Connections by a Unix socket cannot be told apart; there each client counts as one.
    """
    client = caller.holder or peer
    place: Key = client if peer == UNIX and connection else connection
    return (client, f"all of {peer}", "", place)


_ALL_OF_UNIX = f"all of {UNIX}"


def peer_of(text: str) -> str:
    """The network address that a peer counts under, whatever its port.

    Whoever has one IPv6 address has 2**64 of them, so those count as one. An IPv4 address is the
    same behind either kind of socket.
    """
    scheme, _, rest = text.partition(":")
    if scheme.startswith(UNIX):
        return UNIX
    host = rest.rpartition(":")[0]
    if not host:
        return text
    return host if scheme == "ipv4" else _of_ipv6(host)


@lru_cache(maxsize=4096)
def _of_ipv6(host: str) -> str:
    bare = unquote(host).strip("[]").partition("%")[0]
    try:
        address = IPv6Address(bare)
    except ValueError:
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ip_network((address, 64), strict=False))
