"""A server process with its log lines at hand, for tests of hosting."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from google.rpc import error_details_pb2, status_pb2

from endless_winter.cli.process import COMMAND, Server, running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import grpc

OPERATOR = "the-operator-token-of-the-tests"
LOG = "serve.log"
LAST_WORDS = 20  # lines


@contextmanager
def hosted(folder: Path, *flags: str) -> Iterator[Server]:
    """A server in a folder; what it writes to standard error is in the folder's LOG.

    A test that fails shows the end of it, as with a server that writes to ours.
    """
    redirected = ("sh", "-c", f'exec "$@" 2>>{LOG}', "sh", *COMMAND, *flags)
    try:
        with running(redirected, folder=folder) as server:
            yield server
    except BaseException as error:
        said = (folder / LOG).read_text().splitlines()[-LAST_WORDS:]
        error.add_note("\n".join(("the server's last words:", *said)))
        raise


def log_lines(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / LOG).read_text().splitlines()]


def operator(*more: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """The metadata of the operator."""
    return (("ew-operator-token", OPERATOR), *more)


def reason_of(error: grpc.aio.AioRpcError) -> tuple[str, dict[str, str]]:
    """The one reason in a refusal, and what it says besides."""
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            assert isinstance(value, bytes)
            status = status_pb2.Status.FromString(value)
            (detail,) = status.details
            info = error_details_pb2.ErrorInfo()
            assert detail.Unpack(info)
            return info.reason, dict(info.metadata)
    return "", {}
