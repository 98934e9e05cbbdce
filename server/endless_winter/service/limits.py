"""Rate limits per client on creating, listing and replays; limits on streams and calls in flight.

Of long polls only the waiting is limited: one too many is answered at once.

A client that draws a new secret is a new client, so all clients of one network address together
have limits as well, some times those of one client. Operators have none.

A connection carries so many calls at a time, and what is more waits in the client. Streams and long
polls may last for hours, so they never have all places of a connection: a client with one
connection can always answer on it.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from ipaddress import IPv6Address, ip_network
from typing import TYPE_CHECKING, Literal
from urllib.parse import unquote

from endless_winter.engine.creators import UNIX
from endless_winter.engine.refusal import Refusal
from endless_winter.v1 import rejection_pb2 as reasons

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.engine.caller import Caller
    from endless_winter.engine.settings import Settings

Lasting = Literal["streams", "waits"]
Keys = tuple[tuple[str, bytes | str], ...]  # what a stream or a long poll counts under

MOST_BUCKETS = 10_000  # more are swept: a full bucket says the same as none
LASTING_SHARE = 1 / 2  # of a connection's calls may be streams and long polls
RETRY_MS = 1000  # after this long somebody else's call may have ended


class RateLimit:
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
        """`refused` is called at every refusal: of what kind, and to which address."""
        self._refused = refused
        self._calls_per_address = settings.calls_per_address
        self._calls: Counter[str] = Counter()
        self._lasting_per_connection = lasting_per_connection(settings)
        self._lasting: Counter[tuple[str, bytes | str]] = Counter()
        self._most = {"streams": settings.streams_per_client, "waits": settings.waits_per_client}
        many = self._many = settings.clients_per_peer

        def rate_limit(per_minute: int, burst: int) -> tuple[RateLimit, RateLimit]:
            of_peer = RateLimit(per_minute * many, burst * many, now_ms)
            return RateLimit(per_minute, burst, now_ms), of_peer

        creates = rate_limit(settings.creates_per_minute, settings.create_burst)
        lists = rate_limit(settings.lists_per_minute, settings.list_burst)
        self._rates = {
            "games": (*creates, "games are created"),
            # Before the start; who joins again makes the log longer.
            "seats": (*creates, "seats are given up"),
            "lists": (*lists, "lists are asked for"),
            # From a log, which takes far longer than a list.
            "replays": (*lists, "replays are asked for"),
        }

    @property
    def streams(self) -> int:
        """Streams that are open, of everybody."""
        return self._lasting["streams", ""]

    @property
    def under_way(self) -> int:
        """Calls that are under way, of everybody."""
        return sum(self._calls.copy().values())  # another thread may ask

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

    def charge(self, kind: str, caller: Caller) -> None:
        """Count against a rate limit, or raise `Refusal`."""
        clients, peers, what = self._rates[kind]
        if caller.operator or not clients.per_minute:
            return
        peer = caller.peer
        # A client without a secret is known by its address alone.
        keys: list[tuple[RateLimit, bytes | str]] = [(clients, caller.client or peer)]
        if self._many and peer != UNIX:
            keys.append((peers, peer))
        wait = max(bucket.wait_ms(key) for bucket, key in keys)
        if wait:
            raise self._refuse(kind, peer, f"{what} too quickly; wait and try again", wait)
        for bucket, key in keys:
            bucket.take(key)

    def enter(self, kind: Lasting, caller: Caller, connection: str = "") -> Keys:
        """Count a call that lasts; what it counts under is handed back to `leave`.

        A stream too many is refused. A wait too many counts under nothing: it is no wait.
        """
        client = caller.client or caller.peer
        # Connections by a Unix socket look all the same; there each client counts as one.
        place = client if caller.peer == UNIX and connection else connection
        keys: Keys = ((kind, client), (kind, f"all of {caller.peer}"), (kind, ""), ("", place))
        full = self._full(kind, caller, keys)
        if not full:
            self._lasting.update(keys)
            return keys
        if kind == "streams":
            raise self._refuse(kind, caller.peer, full)
        return ()

    def _full(self, kind: Lasting, caller: Caller, keys: Keys) -> str:
        """Why there is no room for one more; empty: there is."""
        of_client, of_peer, _, of_connection = keys
        most, of_all = self._most[kind], self._most[kind] * self._many
        counted = self._lasting
        if not caller.operator:
            if counted[of_client] >= most:
                return f"a client has at most {most} {kind} at a time"
            if of_all and caller.peer != UNIX and counted[of_peer] >= of_all:
                return f"all clients of one network address have at most {of_all} {kind} at a time"
        most = self._lasting_per_connection
        # For nobody: the next call on it might wait for ever.
        if most and of_connection[1] and counted[of_connection] >= most:
            return f"a connection has at most {most} streams and long polls at a time; open another"
        return ""

    def leave(self, keys: Keys) -> None:
        """A call that lasted has ended."""
        self._lasting.subtract(keys)
        for key in keys:
            if not self._lasting[key]:
                del self._lasting[key]


def lasting_per_connection(settings: Settings) -> int:
    """How many streams and long polls one connection may carry; 0: any number."""
    return int(settings.calls_per_connection * LASTING_SHARE)


def peer_of(text: str) -> str:
    """The network address that a peer counts under, whatever its port.

    A host with one IPv6 address has 2**64 of them, so those count as one. An IPv4 address is the
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
