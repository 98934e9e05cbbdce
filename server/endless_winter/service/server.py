"""A gRPC server from start to drain."""

from __future__ import annotations

import asyncio
import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from endless_winter.service import contract
from endless_winter.service.address import Address, why_not

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OPTIONS = [
    # By default two servers may share a port and each gets some of the calls.
    ("grpc.so_reuseport", 0),
]


class ListenError(Exception):
    """The address cannot be listened on; the message is one line for the user."""


async def serve(address: Address, *, grace: float, ready: Callable[[Address], None]) -> None:
    """Serve until SIGTERM or SIGINT, then drain.

    Args:
        address: where to listen; port 0 lets the system choose.
        grace: seconds that calls in flight have to finish once draining began.
        ready: called once with the address in use, when the server answers.

    Raises:
        ListenError: the address is busy or not of this machine.
    """
    server = grpc.aio.server(options=OPTIONS)
    checks = health.aio.HealthServicer()
    await checks.set("", health_pb2.HealthCheckResponse.NOT_SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(checks, server)
    contract.files()
    reflection.enable_server_reflection([health.SERVICE_NAME, reflection.SERVICE_NAME], server)
    try:
        port = server.add_insecure_port(str(address))
    except RuntimeError as error:
        raise ListenError(f"cannot listen on {address}: {why_not(address)}") from error
    with _stop_signals() as stop:
        await server.start()
        await checks.set("", health_pb2.HealthCheckResponse.SERVING)
        ready(address._replace(port=port))
        await stop.wait()
        # Health first: whoever balances load sends nothing new while the old calls finish.
        await checks.enter_graceful_shutdown()
        await server.stop(grace)


@contextmanager
def _stop_signals() -> Iterator[asyncio.Event]:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    signals = (signal.SIGTERM, signal.SIGINT)
    for number in signals:
        loop.add_signal_handler(number, stop.set)
    try:
        yield stop
    finally:
        for number in signals:
            loop.remove_signal_handler(number)
