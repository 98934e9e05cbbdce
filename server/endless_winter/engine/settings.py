"""What a host can set; docs/hosting.md lists it all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Settings:
    """Limits and defaults of one server."""

    message_bytes: int = 1 << 20
    # What a call asks for is short, and in memory for as long as the call waits (decision 156).
    request_bytes: ClassVar[int] = 1 << 14
    attachments_per_stream: int = 5000
    streams_per_client: int = 256
    waits_per_client: int = 256
    # One connection must not delay others: a call that is taken costs some tenths of a millisecond,
    # so that the next client waits for about 50 ms of them (decision 156).
    calls_per_connection: int = 128
    calls_per_address: int = 1024
    pending_calls: int = 4096
    connections: int = 8_000  # 14 kB each; fewer where there are not so many file descriptors
    handshake_ms: int = 10_000
    idle_ms: int = 600_000
    games_per_creator: int = 10_000
    page_size: int = 200
    wait_ms: int = 60_000
    wrong_answers_to_forfeit: int = 10
    timeouts_to_forfeit: int = 3
    ready_limit_ms: int | None = None
    start_limit_ms: int = 86_400_000  # from its creation to its start; 0: for ever
    offer_ms: int = 10_000  # how long a bot has to take a seat
    # Creating and listing are limited per client, play never is. The defaults let a tournament
    # create its games in one go, and stop a loop that has run wild.
    creates_per_minute: int = 6_000
    create_burst: int = 10_000
    lists_per_minute: int = 600
    list_burst: int = 200
    clients_per_peer: int = 16
    # A silent connection is asked whether it is there. A program that thinks in the one thread in
    # which its gRPC runs (Node's) does not answer meanwhile, so it has some time to do so.
    keepalive_ms: int = 20_000
    keepalive_timeout_ms: int = 40_000
    operators: tuple[bytes, ...] = ()  # hashes of operator tokens
    operators_create: bool = False  # only they may create games
    operators_seed: bool = False  # only they may bring a game's seed
    reserved_bots_only: bool = False  # no other names may attach
    plain_answers: bool = True  # a trick for speed (plain_answers.py)
    reserved: tuple[tuple[str, bytes], ...] = ()  # names of bots, each with the hash of a token

    @property
    def commands_per_message(self) -> int:
        """Of a Play stream: one message can attach all games that a stream may follow."""
        return max(10_000, self.attachments_per_stream)
