"""A server of our own, and the operator's connection to it."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import re
import secrets
import sys
import time
from typing import TYPE_CHECKING, Final, TypeVar

import grpc

from endless_winter.tournament import processes, processor_share
from endless_winter.tournament.errors import TournamentError, one_line
from endless_winter.v1 import (
    arena_service_pb2,
    arena_service_pb2_grpc,
    catalog_service_pb2,
    catalog_service_pb2_grpc,
    game_service_pb2,
    game_service_pb2_grpc,
    operator_service_pb2,
    operator_service_pb2_grpc,
    play_service_pb2,
    play_service_pb2_grpc,
    replay_pb2,
    replay_service_pb2,
    replay_service_pb2_grpc,
    view_pb2,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
    from pathlib import Path

    from google.protobuf.message import Message

    from endless_winter.v1 import arena_pb2, config_pb2, game_pb2, server_info_pb2, update_pb2

T = TypeVar("T")

READY: Final = re.compile(rb"listening on (\S+)$")
START_SECONDS: Final = 60.0
CALL_SECONDS: Final = 30.0
LEAST_REVISION: Final = 1  # of the contract: what this program needs of a server
STORE: Final = "games.db"
SOCKET: Final = ".socket"
# How a server runs. Nothing limits how fast games are created, and what counts is in the results
# file. To compare a tournament with a server, give it the same.
SETTINGS: Final = (
    "--store",
    STORE,
    "--synchronous",
    "normal",
    "--creates-per-minute",
    "0",
    "--calls-per-address",
    "0",  # all entrants come from one
    "--grace",
    "2",  # seconds: a reader of its stream has got everything long before
    "--log-level",
    "warning",
)
# Only the operator creates games, and only entrants attach.
_RIGHTS: Final = (
    *("--operator-token-file", "operator", "--operators-create", "--operators-seed"),
    "--reserved-bots-only",
)
# A bot has one connection or two, and a handful of calls. What one entrant can have under way is
# less than what the server lets wait, so that it cannot crowd out the operator or others.
CALLS: Final = 64  # of a connection
CONNECTIONS: Final = 16  # and as many for each entrant: without a sandbox all share one address
CONNECTIONS_EACH: Final = 8
PATIENCE: Final = 60.0  # seconds that a server may take to answer while its process lives
PAUSE: Final = 0.1
_OPTIONS: Final = (
    # No proxy: it would be asked even for a server on this machine.
    ("grpc.enable_http_proxy", 0),
    ("grpc.max_receive_message_length", 16 << 20),
)
_FEED: Final = play_service_pb2.FeedOptions(
    view_mode=view_pb2.VIEW_MODE_NEVER, skip_events=True, only_when_asked=True
)

_GONE: Final = (
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
)


class HostGone(Exception):
    """The server is gone or out of order; its unfinished games are played again elsewhere."""


def server_command() -> list[str]:
    return [sys.executable, "-m", "endless_winter.cli", "serve"]


class Host:
    """One server process in a folder that only its owner may read.

    `tokens` are the rights of bots to their names, which the server reserves for them.
    """

    def __init__(
        self,
        folder: Path,
        *,
        tokens: Mapping[str, str],
        listen: str = "127.0.0.1:0",
        cores: Sequence[int] = (),
    ) -> None:
        self.folder = folder
        self.address = ""
        self._listen = listen
        self._cores = cores
        self._tokens = tokens
        token = secrets.token_hex(24)
        self._token = token
        self._metadata = (
            ("ew-client-secret", secrets.token_hex(32)),
            ("ew-operator-token", token),
        )
        self._process: asyncio.subprocess.Process | None = None
        self._results: dict[str, asyncio.Future[update_pb2.Update]] = {}
        self._commands: asyncio.Queue[play_service_pb2.PlayCommand] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def store(self) -> Path:
        return self.folder / STORE

    def socket(self, name: str) -> Path:
        """Where the server listens for an entrant that has no network."""
        return self.folder / f"{name}{SOCKET}"

    async def start(self) -> server_info_pb2.ServerInfo:
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        secret = os.open(self.folder / "operator", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(secret, "w") as file:
            file.write(f"{self._token}\n")
        with (self.folder / "server.log").open("ab") as log:
            self._process = await processes.start(
                self._command(),
                folder=self.folder,
                log=log,
                variables={},
                cores=self._cores,
                output=asyncio.subprocess.PIPE,
            )
        self.address = await self._ready(self._process)
        for name in self._tokens:
            # The folder keeps others away, and bots may be other users.
            self.socket(name).chmod(0o666)
        self._channel = grpc.aio.insecure_channel(self.address, options=_OPTIONS)
        self._games = game_service_pb2_grpc.GameServiceStub(self._channel)
        self._bots = arena_service_pb2_grpc.ArenaServiceStub(self._channel)
        self._operator = operator_service_pb2_grpc.OperatorServiceStub(self._channel)
        info = await self._ask(
            catalog_service_pb2_grpc.CatalogServiceStub(self._channel).GetServerInfo,
            catalog_service_pb2.GetServerInfoRequest(),
        )
        self._tasks.append(asyncio.create_task(self._follow(), name="results of a server"))
        found: server_info_pb2.ServerInfo = info.server
        return found

    def _command(self) -> list[str]:
        where = ("--listen", self._listen)
        # Relative to its folder: a socket's path has at most 107 bytes.
        sockets = [f"--unix-socket={self.socket(name).name}" for name in self._tokens]
        connections = CONNECTIONS + CONNECTIONS_EACH * len(self._tokens)
        limits = ("--connections", str(connections), "--calls-per-connection", str(CALLS))
        return [
            *server_command(),
            *where,
            *SETTINGS,
            *limits,
            *_RIGHTS,
            *sockets,
            *self._reserved(),
        ]

    def _reserved(self) -> list[str]:
        """Of the tokens only hashes: others on this machine can read flags."""
        return [
            f"--reserved-bot={name}:{hashlib.sha256(token.encode()).hexdigest()}"
            for name, token in self._tokens.items()
        ]

    async def _ready(self, process: asyncio.subprocess.Process) -> str:
        assert process.stdout is not None  # a pipe was asked for
        try:
            line = await asyncio.wait_for(process.stdout.readline(), START_SECONDS)
        except TimeoutError:
            line = b""
        found = READY.search(line.rstrip())
        if found is None:
            raise HostGone(f"a server did not start; {self.folder / 'server.log'} says why")
        return found[1].decode()

    # --- games ---

    async def create(
        self,
        game_id: str,
        config: config_pb2.GameConfig,
        *,
        seed: bytes,
        salt: bytes,
        tournament_id: str,
    ) -> asyncio.Future[update_pb2.Update]:
        """Create a game; its last update, the one with the result, comes later."""
        if not self.alive:
            raise HostGone("the server has ended")
        request = game_service_pb2.CreateGameRequest(
            request_id=game_id,
            game_id=game_id,
            config=config,
            seed=seed,
            salt=salt,
            tournament_id=tournament_id,
        )
        result = asyncio.get_running_loop().create_future()
        self._results[game_id] = result
        try:
            await self._ask(self._games.CreateGame, request)
        except BaseException:
            self._results.pop(game_id, None)
            raise
        self._commands.put_nowait(
            play_service_pb2.PlayCommand(
                request_id=game_id, game_id=game_id, attach=play_service_pb2.Attach(feed=_FEED)
            )
        )
        return result

    async def game(self, game_id: str) -> game_pb2.GameInfo:
        request = game_service_pb2.GetGameRequest(game_id=game_id)
        found: game_pb2.GameInfo = (await self._ask(self._games.GetGame, request)).game
        return found

    async def abort(self, game_id: str, note: str) -> None:
        request = game_service_pb2.AbortGameRequest(
            game_id=game_id, note=note, request_id=f"abort-{game_id}"
        )
        await self._ask(self._games.AbortGame, request)

    async def release(self, game_ids: Sequence[str]) -> None:
        """Open the seals of ended games."""
        request = operator_service_pb2.ReleaseRevealRequest(game_ids=game_ids)
        await self._ask(self._operator.ReleaseReveal, request)

    async def export(self, game_id: str) -> bytes:
        """The whole record of a game whose seal is open."""
        request = replay_service_pb2.ExportReplayRequest(game_id=game_id)
        stub = replay_service_pb2_grpc.ReplayServiceStub(self._channel)
        file = replay_pb2.ReplayFile()
        try:
            async for response in stub.ExportReplay(
                request, metadata=self._metadata, timeout=CALL_SECONDS
            ):
                file.MergeFrom(response.piece)
        except grpc.aio.AioRpcError as error:
            raise HostGone(f"a replay cannot be fetched ({error.code().name})") from error
        return file.SerializeToString(deterministic=True)

    async def bots(self) -> dict[str, arena_pb2.BotInfo]:
        """The bots that are attached, by name."""
        return {bot.name: bot for bot in await self._list_bots()}

    async def asked_ms(self) -> dict[str, int]:
        """How long games have waited for each bot that is attached, since it is."""
        return {bot.name: bot.asked_ms for bot in await self._list_bots()}

    async def _list_bots(self) -> list[arena_pb2.BotInfo]:
        found: list[arena_pb2.BotInfo] = []
        request = arena_service_pb2.ListBotsRequest()
        while True:
            page = await self._ask(self._bots.ListBots, request)
            found += page.bots
            request.page_token = page.next_page_token
            if not request.page_token:
                return found

    def favour(self, *, much: bool) -> None:
        """Let the server come before the bots on its core, or not."""
        if self._process is not None and self.alive:
            processor_share.favour(self._process.pid, much=much)

    async def _ask(self, method: Callable[..., Awaitable[T]], request: Message) -> T:
        """The answer to a call; a server that is gone is no refusal.

        A server that is crowded cancels calls or is slow. As long as its process lives it is asked
        again: if it counted as gone, a bot could have its game played anew by a flood. All
        requests here can be repeated.
        """
        until = time.monotonic() + PATIENCE
        while True:
            try:
                return await method(request, metadata=self._metadata, timeout=CALL_SECONDS)
            except grpc.aio.AioRpcError as error:
                if error.code() not in _GONE:
                    raise TournamentError(
                        f"the server refuses: {one_line(error.details())}"
                    ) from error
                if not self.alive or time.monotonic() > until:
                    why = f"the server does not answer ({error.code().name})"
                    raise HostGone(why) from error
            await asyncio.sleep(PAUSE)

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.returncode is None

    # --- results ---

    async def _follow(self) -> None:
        """Set the results as the server reports them, on one stream for all games."""
        why = "the server ended the stream"
        try:
            stream = play_service_pb2_grpc.PlayServiceStub(self._channel).Play(
                self._requests(), metadata=self._metadata
            )
            async for response in stream:
                for report in response.reports:
                    self._read(report)
        except grpc.aio.AioRpcError as error:
            why = f"the server's stream broke ({error.code().name})"
        finally:
            for result in self._results.values():
                if not result.done():
                    result.set_exception(HostGone(why))
                    result.exception()  # a waiter gets it, if there is one
            self._results.clear()

    async def _requests(self) -> AsyncIterator[play_service_pb2.PlayRequest]:
        hello = play_service_pb2.Hello(least_revision=LEAST_REVISION, client_name="ew tournament")
        yield play_service_pb2.PlayRequest(commands=[play_service_pb2.PlayCommand(hello=hello)])
        while True:
            commands = [await self._commands.get()]
            while not self._commands.empty():
                commands.append(self._commands.get_nowait())
            yield play_service_pb2.PlayRequest(commands=commands)

    def _read(self, report: play_service_pb2.PlayReport) -> None:
        if report.HasField("rejection"):
            result = self._results.pop(report.game_id, None)
            if result is not None and not result.done():
                result.set_exception(
                    TournamentError(
                        f"a game cannot be followed: {one_line(report.rejection.message)}"
                    )
                )
        elif report.HasField("update") and report.update.HasField("result"):
            result = self._results.pop(report.game_id, None)
            if result is not None and not result.done():
                result.set_result(report.update)

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        if self.address:
            await self._channel.close()
        if self._process is not None:
            await processes.stop(self._process, seconds=10.0)
