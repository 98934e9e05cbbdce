"""What a host can set; docs/hosting.md lists it all."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits and defaults of one server."""

    message_bytes: int = 1 << 20
    attachments_per_stream: int = 5000
    streams_per_client: int = 64
    games_per_creator: int = 10_000
    page_size: int = 200
    wait_ms: int = 60_000
    wrong_answers_to_forfeit: int = 10
    timeouts_to_forfeit: int = 3
    ready_limit_ms: int | None = None
    operators: tuple[bytes, ...] = ()  # hashes of operator tokens
    creating_is_for_operators: bool = False
