"""``ew health``, and what a client can learn about a server before any game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self, cast

import click
import grpc
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from endless_winter.cli.tls import credentials_of, tls_options
from endless_winter.service.address import AddressError, parse

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


@click.command()
@click.argument("address", metavar="HOST:PORT")
@click.option(
    "--timeout", default=5.0, show_default=True, type=click.FloatRange(min=0), metavar="SECONDS"
)
@tls_options
def health(
    address: str,
    *,
    timeout: float,
    tls_ca: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> int:
    """Ask the server at HOST:PORT, or unix:PATH, whether it is ready.

    Ends with status 0 when it is, with 1 when it is not or does not answer.
    """
    try:
        if not address.startswith("unix:"):
            parse(address)
    except AddressError as error:
        raise click.BadParameter(str(error), param_hint="HOST:PORT") from error
    credentials = credentials_of(tls_ca, tls_cert, tls_key)
    with Probe(address, timeout=timeout, credentials=credentials) as probe:
        try:
            state = probe.health()
        except NoAnswer as error:
            raise click.ClickException(str(error)) from error
    click.echo(f"ew health: {address} is {state}")
    return 0 if state == "SERVING" else 1


class NoAnswer(Exception):
    """The server did not answer; the message is one line."""


class Probe:
    """A connection for questions; use it as a context manager."""

    def __init__(
        self,
        address: str,
        *,
        timeout: float = 5.0,
        credentials: grpc.ChannelCredentials | None = None,
    ) -> None:
        self._address = address
        self._timeout = timeout
        # No proxy: it would be asked even for a server on this machine.
        options = [("grpc.enable_http_proxy", 0)]
        if credentials is None:
            self._channel = grpc.insecure_channel(address, options=options)
        else:
            self._channel = grpc.secure_channel(address, credentials, options=options)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def health(self) -> str:
        """The name of the server's state: ``SERVING``, ``NOT_SERVING`` and so on."""
        stub: Any = health_pb2_grpc.HealthStub(self._channel)  # its types name no methods
        try:
            answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=self._timeout)
        except grpc.RpcError as error:
            raise self._no_answer(error) from error
        return health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status)

    def services(self) -> list[str]:
        """The full names of the services that the server offers."""
        question = reflection_pb2.ServerReflectionRequest(list_services="")
        (answer,) = self._reflect([question])
        return sorted(service.name for service in answer.list_services_response.service)

    def files_with(self, symbols: Iterable[str]) -> dict[str, FileDescriptorProto]:
        """For each symbol that the server can describe, the contract file that holds it."""
        questions = [
            reflection_pb2.ServerReflectionRequest(file_containing_symbol=symbol)
            for symbol in symbols
        ]
        return {
            answer.original_request.file_containing_symbol: FileDescriptorProto.FromString(
                answer.file_descriptor_response.file_descriptor_proto[0]
            )
            for answer in self._reflect(questions)
            if answer.HasField("file_descriptor_response")
        }

    def _reflect(
        self, questions: list[reflection_pb2.ServerReflectionRequest]
    ) -> list[reflection_pb2.ServerReflectionResponse]:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(self._channel)
        try:
            return list(stub.ServerReflectionInfo(iter(questions), timeout=self._timeout))
        except grpc.RpcError as error:
            raise self._no_answer(error) from error

    def _no_answer(self, error: grpc.RpcError) -> NoAnswer:
        code = cast("grpc.Call", error).code()  # what a stub raises is the call itself
        return NoAnswer(f"{self._address}: no answer ({code.name})")
