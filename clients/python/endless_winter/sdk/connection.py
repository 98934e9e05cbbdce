"""Where a server is and who calls it, and what a failed call means."""

from __future__ import annotations

import re
import secrets
from importlib import metadata
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from endless_winter.sdk.errors import (
    BadAddress,
    Refused,
    SdkError,
    ServerGone,
    WrongServer,
    reason_of,
)
from endless_winter.v1 import rejection_pb2

if TYPE_CHECKING:
    from endless_winter.v1 import server_info_pb2

CONTRACT: Final = "endless_winter.v1"
LEAST_REVISION: Final = 1  # of the contract: what this SDK cannot do without
DEFAULT_ADDRESS: Final = "127.0.0.1:50051"

_SECRET: Final = re.compile(r"\A[0-9a-f]{64}\Z")
_ADDRESS: Final = re.compile(r"\A(unix:.+|.*[^:/].*:\d{1,5})\Z")
_OPTIONS: Final[list[tuple[str, int]]] = [
    ("grpc.enable_http_proxy", 0),  # it would be asked even for a server on this machine
    ("grpc.max_receive_message_length", 64 << 20),  # the server has a limit of its own
    ("grpc.use_local_subchannel_pool", 1),  # a new channel is a new connection
    ("grpc.max_reconnect_backoff_ms", 5000),  # a server that is back is found soon
]

# Where there is another server, one that is silent is noticed within five seconds: by a ping on
# its connection, or because it takes no new one.
_SEVERAL: Final = [
    ("grpc.keepalive_time_ms", 2000),
    ("grpc.keepalive_timeout_ms", 2500),
    ("grpc.http2.ping_timeout_ms", 2500),  # the one that counts while nothing else is sent
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.min_reconnect_backoff_ms", 4000),
]


def new_secret() -> str:
    """A fresh client secret; it gives the seats that are taken with it."""
    return secrets.token_hex(32)


def sdk_version() -> str:
    return metadata.version("endless-winter")


class Endpoint(NamedTuple):
    """An address, the client secret, and how to get there; and where else to go."""

    address: str
    secret: str = ""
    credentials: grpc.ChannelCredentials | None = None
    operator_token: str = ""
    others: tuple[str, ...] = ()
    """Where to go on when the first one is gone, in this order."""

    @staticmethod
    def of(
        address: str,
        secret: str = "",
        *,
        credentials: grpc.ChannelCredentials | None = None,
        operator_token: str = "",
    ) -> Endpoint:
        """Checked; without a secret a fresh one is drawn.

        Several addresses, of nodes that serve the same games, are separated by commas.
        """
        first, *others = dict.fromkeys(part.strip() for part in address.split(","))
        for one in (first, *others):
            if not _ADDRESS.match(one):
                raise BadAddress(
                    f"{one!r} is no address: write HOST:PORT, for example {DEFAULT_ADDRESS}, "
                    "or unix:PATH; several are separated by commas"
                )
        if secret and not _SECRET.match(secret):
            raise BadAddress("a client secret is 64 lower-case hexadecimal digits; draw a new one")
        secret = secret or new_secret()
        return Endpoint(first, secret, credentials, operator_token, tuple(others))

    @property
    def addresses(self) -> str:
        """All of them, as `of` takes them."""
        return ",".join((self.address, *self.others))

    def next(self) -> Endpoint:
        """The same at the next address; this one comes last."""
        first, *others = (*self.others, self.address)
        return self._replace(address=first, others=tuple(others))

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        found = [("ew-client-secret", self.secret)] if self.secret else []
        if self.operator_token:
            found.append(("ew-operator-token", self.operator_token))
        return tuple(found)

    def channel(self) -> grpc.Channel:
        options = self._options()
        if self.credentials is None:
            return grpc.insecure_channel(self.address, options=options)
        return grpc.secure_channel(self.address, self.credentials, options=options)

    def aio_channel(self) -> grpc.aio.Channel:
        options = self._options()
        if self.credentials is None:
            return grpc.aio.insecure_channel(self.address, options=options)
        return grpc.aio.secure_channel(self.address, self.credentials, options=options)

    def _options(self) -> list[tuple[str, int]]:
        return [*_OPTIONS, *_SEVERAL] if self.others else _OPTIONS


def check_server(server: server_info_pb2.ServerInfo, address: str) -> None:
    """Whether the server speaks what we speak."""
    if server.contract != CONTRACT:
        raise WrongServer(
            f"{address} speaks {server.contract or 'an unknown contract'}, this SDK {CONTRACT}"
        )
    if server.contract_revision < LEAST_REVISION:
        raise too_old(address, server.contract_revision)


def too_old(address: str, revision: int | None = None) -> WrongServer:
    speaks = "an older revision" if revision is None else f"revision {revision}"
    return WrongServer(
        f"the server at {address} has {speaks} of the contract and this SDK needs "
        f"{LEAST_REVISION}: update the server, or use an older SDK"
    )


def error_of(error: grpc.RpcError, address: str) -> SdkError:
    """What a failed call means, in one line."""
    call = cast("grpc.Call", error)  # what a stub raises is the call itself
    refused = _refused(call)
    if refused is not None:
        if refused.reason == rejection_pb2.REJECTION_REASON_CONTRACT_UNSUPPORTED:
            return too_old(address)
        return refused
    code = call.code()
    details = (call.details() or "").rstrip(".")
    if code == grpc.StatusCode.UNAVAILABLE:
        # The last part says it ("Connection refused (111)"); what stands before is gRPC's.
        why = details.rsplit(": ", 1)[-1].rstrip("].") or "unavailable"
        return ServerGone(f"no server answers at {address} ({why})")
    if code == grpc.StatusCode.DEADLINE_EXCEEDED:
        return ServerGone(f"the server at {address} did not answer in time")
    if code == grpc.StatusCode.UNIMPLEMENTED:
        return WrongServer(f"{address} is no Endless Winter server, or one of another version")
    if code == grpc.StatusCode.CANCELLED:
        return ServerGone(f"the call to {address} was cut off")
    if code == grpc.StatusCode.INTERNAL:
        # Never the server's own word, that comes with a reason: a stream that was reset, or a
        # message written just as the connection broke, which gRPC calls an error of its core.
        return ServerGone(f"the connection to {address} broke ({' '.join(details.split())})")
    name = code.name if code is not None else "no status"
    return SdkError(f"the call to {address} failed ({name}): {' '.join(details.split())}")


def _refused(call: grpc.Call) -> Refused | None:
    """The refusal in a status, if it has one."""
    try:
        status = rpc_status.from_call(call)
    except ValueError:  # code and details of another layer
        return None
    if status is None:
        return None
    for detail in status.details:
        info = error_details_pb2.ErrorInfo()
        if detail.Unpack(info) and info.domain == CONTRACT:
            more = info.metadata
            return Refused(
                reason_of(info.reason),
                status.message,
                field=more.get("field", ""),
                pending_decision_id=_number(more.get("pending_decision_id")),
                wrong_answers_left=_number(more.get("wrong_answers_left")),
                retry_after_ms=_number(more.get("retry_after_ms")),
            )
    return None


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdecimal() else None
