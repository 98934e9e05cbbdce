"""Replay files: read, written, and made from a server or a store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self, cast

import grpc
from google.protobuf import json_format
from google.protobuf.message import DecodeError
from grpc_status import rpc_status

from endless_winter.engine.replay.record import record_of, secret_fits
from endless_winter.engine.stream import CONTRACT_REVISION
from endless_winter.store.errors import StoreError
from endless_winter.store.opening import check_flag, read_game
from endless_winter.store.records import Status
from endless_winter.v1 import (
    game_pb2,
    game_service_pb2,
    game_service_pb2_grpc,
    replay_pb2,
    replay_service_pb2,
    replay_service_pb2_grpc,
)

from google.rpc import error_details_pb2  # isort: skip # ships without a marker of its types

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MOST_BYTES = 64 << 20  # a long game has some 200 kB
_TIMEOUT = 60.0


class ReplayError(Exception):
    """There is no such replay, or it is none; the message is one line."""


def read(path: Path) -> replay_pb2.ReplayFile:
    """Read a file, binary or JSON."""
    try:
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise ReplayError(f"{path}: cannot be read: {error.strerror}") from error
    try:
        return parse(data)
    except ReplayError as error:
        raise ReplayError(f"{path}: {error}") from error


def parse(data: bytes) -> replay_pb2.ReplayFile:
    """A replay from its bytes; whatever they are, the answer is a replay or a `ReplayError`."""
    if len(data) > MOST_BYTES:
        raise ReplayError("is too large for a replay")
    file = replay_pb2.ReplayFile()
    try:
        if data.lstrip()[:1] == b"{":  # no binary replay begins so
            json_format.Parse(data.decode("utf-8"), file)
        else:
            file.MergeFromString(data)
    except (DecodeError, json_format.ParseError, ValueError, TypeError, RecursionError) as error:
        reason = " ".join(str(error).split())[:200]
        raise ReplayError(f"is not a replay, or a damaged one ({reason})") from error
    if not file.entries:
        raise ReplayError("is not a replay: it has no log")
    return file


def to_bytes(file: replay_pb2.ReplayFile, *, as_json: bool) -> bytes:
    if not as_json:
        return file.SerializeToString(deterministic=True)
    text = json_format.MessageToJson(file, preserving_proto_field_name=True, indent=1)
    return (text + "\n").encode()


def from_store(store: str | Path, game_id: str) -> replay_pb2.ReplayFile:
    """A game straight from a store, also while a server runs on it."""
    try:
        check_flag(store)
        found = read_game(store, game_id)
    except StoreError as error:
        raise ReplayError(str(error)) from error
    if found is None:
        raise ReplayError(f"{store}: there is no game '{game_id}'")
    record, logged = found
    if record.header.status != Status.ENDED:
        raise ReplayError(f"{store}: '{game_id}' has not ended; its seed stays sealed until then")
    if record.header.sealed:
        raise ReplayError(f"{store}: '{game_id}' is held back until its host releases it")
    if not secret_fits(record):
        raise ReplayError(f"{store}: the seed of '{game_id}' is damaged; see 'ew store check'")
    return record_of(record, logged, CONTRACT_REVISION)


class Remote:
    """The replays of a server."""

    def __init__(
        self,
        address: str,
        *,
        credentials: grpc.ChannelCredentials | None = None,
        secret: str = "",
    ) -> None:
        self._address = address
        self._metadata = (("ew-client-secret", secret),) if secret else ()
        # No proxy: it would be asked even for a server on this machine.
        options = [("grpc.enable_http_proxy", 0)]
        if credentials is None:
            self._channel = grpc.insecure_channel(address, options=options)
        else:
            self._channel = grpc.secure_channel(address, credentials, options=options)
        self._stub = replay_service_pb2_grpc.ReplayServiceStub(self._channel)
        self._games = game_service_pb2_grpc.GameServiceStub(self._channel)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def game(self, game_id: str) -> game_pb2.GameInfo:
        """What the caller may know of a game."""
        request = game_service_pb2.GetGameRequest(game_id=game_id)
        try:
            response = self._games.GetGame(request, timeout=_TIMEOUT, metadata=self._metadata)
        except grpc.RpcError as error:
            raise self._refused(error) from error
        return response.game

    def export(self, game_id: str) -> replay_pb2.ReplayFile:
        """The whole record of an ended game."""
        request = replay_service_pb2.ExportReplayRequest(game_id=game_id)
        file = replay_pb2.ReplayFile()
        try:
            for response in self._stub.ExportReplay(
                request, timeout=_TIMEOUT, metadata=self._metadata
            ):
                file.MergeFrom(response.piece)
        except grpc.RpcError as error:
            raise self._refused(error) from error
        return file

    def frames(
        self,
        game_id: str,
        perspective: replay_pb2.Perspective.ValueType,
        seat: int,
        *,
        views: bool = False,
    ) -> Iterator[replay_pb2.ReplayFrame]:
        """What happened so far, through somebody's eyes."""
        request = replay_service_pb2.StreamReplayRequest(
            game_id=game_id, perspective=perspective, seat=seat, skip_views=not views
        )
        try:
            for response in self._stub.StreamReplay(
                request, timeout=_TIMEOUT, metadata=self._metadata
            ):
                yield from response.frames
        except grpc.RpcError as error:
            raise self._refused(error) from error

    def _refused(self, error: grpc.RpcError) -> ReplayError:
        call = cast("grpc.Call", error)  # what a stub raises is the call itself
        status = rpc_status.from_call(call)
        info = error_details_pb2.ErrorInfo()
        if status is not None and status.details and status.details[0].Unpack(info):
            return ReplayError(f"{self._address}: {status.message} ({info.reason})")
        return ReplayError(f"{self._address}: no answer ({call.code().name})")
