"""A channel that can go on at another server: stubs that were made on it stay as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import grpc

if TYPE_CHECKING:
    from collections.abc import Callable

    from endless_winter.sdk.connection import Endpoint


class SwitchingChannel(grpc.Channel):
    """Calls go to where it was switched to last."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._now = endpoint.channel()

    def switch(self, endpoint: Endpoint) -> None:
        """Make the next calls there; those under way end."""
        self._now.close()
        self._now = endpoint.channel()

    def close(self) -> None:
        self._now.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _method(self, kind: str, *args: Any, **more: Any) -> Callable[..., Any]:
        def call(*request: Any, **options: Any) -> Any:
            return getattr(self._now, kind)(*args, **more)(*request, **options)

        return call

    def unary_unary(self, *args: Any, **more: Any) -> Any:
        return self._method("unary_unary", *args, **more)

    def unary_stream(self, *args: Any, **more: Any) -> Any:
        return self._method("unary_stream", *args, **more)

    def stream_unary(self, *args: Any, **more: Any) -> Any:
        return self._method("stream_unary", *args, **more)

    def stream_stream(self, *args: Any, **more: Any) -> Any:
        return self._method("stream_stream", *args, **more)

    def subscribe(self, callback: Any, try_to_connect: bool | None = False) -> None:  # noqa: FBT001, FBT002 # gRPC's
        self._now.subscribe(callback, try_to_connect=bool(try_to_connect))

    def unsubscribe(self, callback: Any) -> None:
        self._now.unsubscribe(callback)
