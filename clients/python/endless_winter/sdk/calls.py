"""Plain calls that are made again when the server restarts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

import grpc

from endless_winter.sdk.connection import Endpoint, error_of
from endless_winter.sdk.errors import Refused, SdkError, ServerGone
from endless_winter.sdk.link import backoff
from endless_winter.sdk.switching import SwitchingChannel

if TYPE_CHECKING:
    from collections.abc import Callable

A = TypeVar("A")


class Calls:
    """A channel to a server, and patience with it."""

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        timeout: float,
        patience: float,
        channel: grpc.Channel | None,
    ) -> None:
        self._endpoint: Endpoint = endpoint
        self._timeout: float = timeout
        self._patience: float = patience
        self._channel: grpc.Channel = channel or SwitchingChannel(endpoint)

    @property
    def secret(self) -> str:
        """Whose seats they are: keep it to come back."""
        return self._endpoint.secret

    @property
    def address(self) -> str:
        """Of the server that is called now."""
        return self._endpoint.address

    @property
    def addresses(self) -> str:
        """Of all servers that may be called, separated by commas."""
        return self._endpoint.addresses

    def close(self) -> None:
        self._channel.close()

    def _call(self, method: Callable[..., A], request: Any, *, timeout: float | None = None) -> A:
        """Call, and again if the server restarts; what is refused is raised."""
        alone_since = time.monotonic()
        failures = 0
        while True:
            try:
                return method(
                    request,
                    metadata=self._endpoint.metadata,
                    timeout=timeout or self._timeout,
                )
            except grpc.RpcError as error:
                self._bear(error_of(error, self.address), alone_since, failures)
                failures += 1

    def _bear(self, found: SdkError, alone_since: float, failures: int) -> None:
        """Wait after a failure that may pass; raise any other."""
        wait = backoff(failures)
        if isinstance(found, Refused):
            if not found.may_pass:
                raise found
            wait = max(wait, (found.retry_after_ms or 0) / 1000)
        elif not isinstance(found, ServerGone):
            raise found
        if time.monotonic() + wait - alone_since > self._patience:
            raise found
        time.sleep(wait)
        if self._endpoint.others and isinstance(self._channel, SwitchingChannel):
            self._endpoint = self._endpoint.next()
            self._channel.switch(self._endpoint)
