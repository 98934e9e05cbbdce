"""Versions and limits, as the first message of every stream names them."""

from __future__ import annotations

from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING

from endless_winter.engine.stream import CONTRACT_REVISION
from endless_winter.rules import RULES_VERSION
from endless_winter.service.limits import lasting_per_connection
from endless_winter.v1 import server_info_pb2

if TYPE_CHECKING:
    from endless_winter.service.host import Host


@cache
def server_version() -> str:
    """Of the package that is installed; it is read from a file, and every stream asks for it."""
    return metadata.version("endless-winter")


def server_info(host: Host) -> server_info_pb2.ServerInfo:
    limits = host.settings
    return server_info_pb2.ServerInfo(
        contract="endless_winter.v1",
        contract_revision=CONTRACT_REVISION,
        rules_version=str(RULES_VERSION),
        content_hash=host.pack.digest,
        server_version=server_version(),
        server_time_unix_ms=host.clock.unix_ms(),
        limits=server_info_pb2.ServerLimits(
            message_bytes=limits.message_bytes,
            attachments_per_stream=limits.attachments_per_stream,
            streams_per_client=limits.streams_per_client,
            games_per_creator=limits.games_per_creator,
            page_size=limits.page_size,
            wait_ms=limits.wait_ms,
            wrong_answers_to_forfeit=limits.wrong_answers_to_forfeit,
            timeouts_to_forfeit=limits.timeouts_to_forfeit,
            calls_per_connection=limits.calls_per_connection,
            lasting_calls_per_connection=lasting_per_connection(limits),
            waits_per_client=limits.waits_per_client,
            request_bytes=limits.request_bytes,
            commands_per_message=limits.commands_per_message,
        ),
    )
