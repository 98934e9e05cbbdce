"""A gRPC server from start to graceful shutdown (drain)."""

from __future__ import annotations

import asyncio
import resource
import signal
from contextlib import contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING

import grpc
from grpc_health.v1 import health, health_pb2

from endless_winter.service import garbage, logs, reflection
from endless_winter.service.address import Address, claim, why_not
from endless_winter.service.front import Front
from endless_winter.service.host import server_version
from endless_winter.service.queues import Queues
from endless_winter.service.rpc.arenas import ArenaServicer
from endless_winter.service.rpc.catalogs import CatalogServicer
from endless_winter.service.rpc.games import GameServicer
from endless_winter.service.rpc.operators import OperatorServicer
from endless_winter.service.rpc.play import PlayServicer
from endless_winter.service.rpc.replays import ReplayServicer
from endless_winter.store.errors import StoreError
from endless_winter.store.records import Status
from endless_winter.v1 import (
    arena_service_pb2,
    catalog_service_pb2,
    game_service_pb2,
    operator_service_pb2,
    play_service_pb2,
    replay_service_pb2,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from endless_winter.engine.settings import Settings
    from endless_winter.service.host import Host

SERVICERS = (
    (game_service_pb2, GameServicer),
    (play_service_pb2, PlayServicer),
    (catalog_service_pb2, CatalogServicer),
    (replay_service_pb2, ReplayServicer),
    (operator_service_pb2, OperatorServicer),
    (arena_service_pb2, ArenaServicer),
)

# So long must no call of ours be under way until a drain waits for nothing more. What was answered
# last has gone out by then.
QUIET_SECONDS = 1.0
SPARE_FILES = 256  # descriptors for the store, the metrics, gRPC's own and those of libraries
FEWEST_CONNECTIONS = 64  # also where hardly any files may be open

OPTIONS = [
    # By default two servers may share a port and each gets some of the calls.
    ("grpc.so_reuseport", 0),
    # Who waits for others is sent nothing for a long time, and is asked whether it is there as
    # often as anybody; so is who has no call under way.
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.keepalive_permit_without_calls", 1),
    # What nobody has read yet of a stream is 64 KiB, or a message. By default it may grow to
    # megabytes where the network is quick, for each of the streams of a connection.
    ("grpc.http2.bdp_probe", 0),
    # Clients may ask the same of us. By default those who do so more than once in five minutes
    # are cut (too_many_pings).
    ("grpc.http2.min_ping_interval_without_data_ms", 500),
]


class ListenError(Exception):
    """The address cannot be listened on; the message is one line for the user."""


async def serve(
    address: Address,
    *,
    host: Host,
    grace: float,
    ready: Callable[[Address], None],
    credentials: grpc.ServerCredentials | None = None,
    unix_sockets: Sequence[str] = (),
    stop: asyncio.Event | None = None,
) -> None:
    """Serve until SIGTERM or SIGINT, then drain.

    Args:
        address: where to listen; port 0 lets the system choose.
        host: the games.
        grace: seconds that calls in flight have to finish once draining began.
        ready: called once with the address in use, when the server answers.
        credentials: certificates for TLS; None: in the clear.
        unix_sockets: paths on which it listens as well, in the clear.
        stop: serve until it is set; signals are not looked at then.

    Raises:
        ListenError: the address is busy or not of this machine.
    """
    limit = host.settings.message_bytes
    # What is a little too large is still read, so that it can be refused with a reason.
    timeout_ms = host.settings.keepalive_timeout_ms
    options = [
        *OPTIONS,
        *_against_floods(host.settings),
        ("grpc.max_receive_message_length", min(4 * limit, (1 << 31) - 1)),
        ("grpc.keepalive_time_ms", host.settings.keepalive_ms),
        # A process that is stopped is found by the second one, which is a minute by default.
        ("grpc.keepalive_timeout_ms", timeout_ms),
        ("grpc.http2.ping_timeout_ms", timeout_ms),
    ]
    queues = Queues(host.clock, host.settings.idle_ms)
    front = Front(host, queues)
    server = grpc.aio.server(handlers=[front], options=options)
    ours = []
    for module, servicer in SERVICERS:
        (service,) = module.DESCRIPTOR.services_by_name.values()
        front.add(server, service, servicer(host))
        ours.append(service.full_name)
    checks = health.aio.HealthServicer()
    for name in ("", *ours):  # the server as a whole, and each service by its name
        await checks.set(name, health_pb2.HealthCheckResponse.NOT_SERVING)
    described = health_pb2.DESCRIPTOR.services_by_name["Health"]
    front.add_foreign(server, health.SERVICE_NAME, described, checks)
    reflection.add_to(server, front, [health.SERVICE_NAME, *ours])
    port = _listen(server, address, credentials, unix_sockets)
    with _stop_signals() if stop is None else nullcontext(stop) as stopped:
        host.clock.start()
        replaced = asyncio.Event()

        def stop_replaced() -> None:
            logs.log.error("the database is another one than before; all games must be read anew")
            replaced.set()
            stopped.set()

        host.rounds.replaced = stop_replaced
        await host.start()
        garbage.tune_gc()
        queues.listen(server)
        await server.start()
        queues.start()
        host.clock.queues = queues.wait_ms
        for name in ("", *ours):
            await checks.set(name, health_pb2.HealthCheckResponse.SERVING)
        absent = host.engine.absent.statuses()
        suspended = absent.count(Status.SUSPENDED)
        logs.log.info(
            "serving",
            version=server_version(),
            unfinished=len(absent) - suspended + len(host.engine.games),
            suspended=suspended,
            connections=_connections(host.settings.connections),
        )
        ready(address._replace(port=port))
        await stopped.wait()
        # Health first: a load balancer sends nothing new while the old calls finish.
        await checks.enter_graceful_shutdown()
        logs.log.info("draining", streams=host.limits.streams, grace_seconds=grace)
        host.drain(int(grace * 1000))
        host.clock.queues = None
        await queues.stop()
        await _stop(server, front, grace)
        await host.close()
        await host.clock.stop()
    if replaced.is_set():
        raise StoreError(
            "the database is another one than before (a standby took over, or a backup was "
            "restored); stopped, so that the next start reads every game anew"
        )


def _listen(
    server: grpc.aio.Server,
    address: Address,
    credentials: grpc.ServerCredentials | None,
    unix_sockets: Sequence[str],
) -> int:
    """Bind the address and the Unix sockets; the port in use."""
    try:
        if credentials is None:
            port = server.add_insecure_port(str(address))
        else:
            port = server.add_secure_port(str(address), credentials)
    except RuntimeError as error:
        raise ListenError(f"cannot listen on {address}: {why_not(address)}") from error
    for path in unix_sockets:
        try:
            claim(path)
            server.add_insecure_port(f"unix:{path}")
        except (OSError, RuntimeError) as error:
            why = getattr(error, "strerror", None) or str(error)  # of a path that is too long
            raise ListenError(f"cannot listen on unix:{path}: {why.lower()}") from error
    return port


def _against_floods(settings: Settings) -> list[tuple[str, int]]:
    """What gRPC itself refuses, before it is any work of ours (decision 156)."""
    found = [
        # What is more is cancelled. By default that begins at a thousand, and at random.
        ("grpc.server.max_pending_requests", settings.pending_calls),
        ("grpc.server.max_pending_requests_hard_limit", settings.pending_calls),
        # Two minutes by default, for a client that connects and sends nothing.
        ("grpc.server_handshake_timeout_ms", settings.handshake_ms),
        ("grpc.max_allowed_incoming_connections", _connections(settings.connections)),
    ]
    if settings.calls_per_connection:
        # gRPC counts a call until the server has forgotten it, a little after the client has. So a
        # client that resets calls at once has no more of them than others; one that has nearly as
        # many as it may is refused some (RST_STREAM, nothing has happened), and its gRPC retries.
        found.append(("grpc.max_concurrent_streams", settings.calls_per_connection))
    if settings.idle_ms:
        found.append(("grpc.max_connection_idle_ms", settings.idle_ms))
    return found


def raise_file_limit() -> None:
    """Raise the limit on open files as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with suppress(ValueError, OSError):  # some systems name a limit that they do not give
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _connections(wanted: int) -> int:
    """How many connections may be open at a time, so that some descriptors are left."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return wanted
    return min(wanted, max(soft - SPARE_FILES, FEWEST_CONNECTIONS))


async def _stop(server: grpc.aio.Server, front: Front, grace: float) -> None:
    """Let calls end, for as long as the grace; nobody waits for what is not ours.

    That is a load balancer that watches our health, and a call that gRPC has accepted but no longer
    hands to us because we stop.
    """
    stopping = asyncio.create_task(server.stop(grace))
    quiet = False
    while not stopping.done():
        await asyncio.wait((stopping,), timeout=QUIET_SECONDS)
        if quiet and not front.under_way:
            await server.stop(None)
        quiet = not front.under_way
    await stopping


@contextmanager
def _stop_signals() -> Iterator[asyncio.Event]:
    """An event for SIGTERM and SIGINT.

    Not by the loop's own means: it gives a signal back to the system's default before anything else
    can be put in its place, and a second one just then would end us by signal.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def on_signal(*_: object) -> None:
        loop.call_soon_threadsafe(stop.set)

    signals = (signal.SIGTERM, signal.SIGINT)
    before = {number: signal.signal(number, on_signal) for number in signals}
    try:
        yield stop
    finally:
        for number in signals:
            # The games are durable but the store is still being closed: no further signal must
            # turn a clean end into a death by signal.
            signal.signal(number, signal.SIG_IGN if stop.is_set() else before[number])
