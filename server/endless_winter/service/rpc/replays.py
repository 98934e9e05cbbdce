"""`ReplayService`: games as records.

Everything here is read from the store, never from a live session: what is not committed does not
exist, and looking at old games does not fill the memory with them.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, NamedTuple

from endless_winter.engine.absent import BROKEN, Suspended
from endless_winter.engine.caller import same
from endless_winter.engine.events import with_names
from endless_winter.engine.loading import BrokenLog, read_entry
from endless_winter.engine.refusal import Refusal
from endless_winter.engine.replay.record import record_of, secret_fits
from endless_winter.engine.replay.rewind import OMNISCIENT, SPECTATOR, Eyes, Rewind
from endless_winter.engine.replay.verifying import OtherVersion, verify
from endless_winter.engine.stored_game import config_of
from endless_winter.engine.stream import CONTRACT_REVISION
from endless_winter.engine.table import new_table
from endless_winter.service import logs
from endless_winter.service.loader import RULES
from endless_winter.store.records import NO_CHAIN, Status
from endless_winter.v1 import rejection_pb2 as reasons
from endless_winter.v1 import replay_pb2
from endless_winter.v1 import replay_service_pb2 as r
from endless_winter.views import wire

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from endless_winter.engine.caller import Caller
    from endless_winter.service.host import Host
    from endless_winter.store.records import GameRecord, Header, LogEntry
    from endless_winter.v1 import config_pb2

_PAGE = 64  # entries read at once
_PAUSE = 4  # entries between two pauses for other calls: some 3 ms at most
_CHUNK = 64 * 1024  # bytes of a message of frames or entries, or what the host allows if less
_AROUND = 64  # bytes that a piece of a record has besides its entries: its frame, the file's hash
_EVERYTHING = 1 << 62


class StoredReplay(NamedTuple):
    """A game in the store, and what decides who may see how much of it."""

    record: GameRecord
    config: config_pb2.GameConfig
    is_open: bool  # the seal is: seed, log and open table may be seen

    @property
    def header(self) -> Header:
        return self.record.header

    def holds(self, caller: Caller, seat: int) -> bool:
        return same(self.header.holders.get(seat, b""), caller.client)


class Pieces:
    """Cuts a row of encoded fields into messages of so many bytes, one larger field alone."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._fields: list[bytes] = []
        self._size = 0

    def add(self, field: bytes) -> bytes:
        """What came before, if there is no room beside it for this one."""
        full = self.rest() if self._size + len(field) > self._most else b""
        self._fields.append(field)
        self._size += len(field)
        return full

    def rest(self) -> bytes:
        rest, self._fields, self._size = b"".join(self._fields), [], 0
        return rest


class ReplayServicer:
    """Frames are sent as bytes that are already encoded."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.settings = host.settings
        # Records are built and verified beside the event loop, one at a time: games go first.
        self._heavy = asyncio.Lock()
        self._most = min(_CHUNK, host.settings.message_bytes)

    # --- who may see what ---

    async def _find(self, game_id: str, caller: Caller) -> StoredReplay:
        """A game that the caller may know of; an unknown one and a hidden one look the same."""
        record = await self.host.record(game_id, caller)
        header = record.header
        is_open = header.status == Status.ENDED and not header.sealed
        return StoredReplay(record, config_of(header), is_open)

    async def _eyes(
        self,
        stored: StoredReplay,
        caller: Caller,
        request: r.StreamReplayRequest | r.GetFrameRequest,
    ) -> Eyes:
        """Through whose eyes the caller may look."""
        wanted = request.perspective
        if wanted == replay_pb2.PERSPECTIVE_OMNISCIENT:
            self._check_open(stored)
            return OMNISCIENT
        if wanted == replay_pb2.PERSPECTIVE_SEAT:
            if request.seat >= stored.header.seats:
                raise Refusal(reasons.REJECTION_REASON_SEAT_NOT_FOUND, "the game has no such seat")
            if not stored.is_open and not stored.holds(caller, request.seat):
                game = await self.host.find(request.game_id, caller)
                game.seat_of(caller, request.seat)  # it knows why not
            return Eyes(seat=request.seat)
        if wanted not in (replay_pb2.PERSPECTIVE_UNSPECIFIED, replay_pb2.PERSPECTIVE_SPECTATOR):
            raise Refusal(
                reasons.REJECTION_REASON_INVALID_ARGUMENT,
                f"no such perspective: {wanted}",
                field="perspective",
            )
        return SPECTATOR

    def _check_open(self, stored: StoredReplay) -> None:
        if not stored.is_open:
            raise Refusal(
                reasons.REJECTION_REASON_NOT_REVEALED_YET,
                "only after the end of the game, and after its release if its host holds it back",
            )

    def _seen_until_ms(self, stored: StoredReplay, eyes: Eyes) -> int:
        """Spectators see a running game late, if its host wants that; seats never."""
        if eyes != SPECTATOR or stored.header.status == Status.ENDED:
            return _EVERYTHING
        delay = stored.config.spectator_delay_ms
        return self.host.clock.unix_ms() - delay if delay else _EVERYTHING

    # --- stepping through ---

    async def _rewind(self, stored: StoredReplay, eyes: Eyes) -> Rewind:
        """A game from its beginning; without positions if its rules are not ours, or its seed."""
        record, header = stored.record, stored.header
        kit = None
        if header.damaged or not secret_fits(record):
            logs.log.error("a replay has no positions: the game is damaged", game=header.game_id)
        elif header.rules_version == RULES:
            kit = await self.host.loader.kit(header.content_hash)
        if kit is None:
            return Rewind(None, None, eyes)
        config, rules = kit.config(header.config)
        table = new_table(header.game_id, config, rules, record.secret.seed)
        table.people = dict(record.people)
        return Rewind(table, kit.scribe(rules), eyes)

    async def _entries(
        self, stored: StoredReplay, until_ms: int
    ) -> AsyncIterator[tuple[LogEntry, replay_pb2.LogEntry]]:
        """The log as it stood when the call began, with pauses for others.

        Raises `Suspended` at an entry that is not as it was written.
        """
        host, header = self.host, stored.header
        after = 0
        chain = NO_CHAIN
        while after < header.seq:
            page = await asyncio.to_thread(host.store.read, header.game_id, after, _PAGE)
            if not page:
                return  # pruned meanwhile
            for logged in page:
                if logged.seq > header.seq or logged.at_ms > until_ms:
                    return
                try:
                    entry = read_entry(chain, header.game_id, logged)
                except BrokenLog as error:
                    logs.log.error("a log is damaged", game=header.game_id, why=str(error))
                    raise Suspended(BROKEN) from error
                chain = logged.chain
                yield logged, entry
                if not logged.seq % _PAUSE:
                    await asyncio.sleep(0)
            after = page[-1].seq

    async def _steps(
        self, stored: StoredReplay, eyes: Eyes
    ) -> AsyncIterator[tuple[Rewind, replay_pb2.LogEntry]]:
        """A game entry by entry, each with the names of players, as far as the eyes may see."""
        rewind = await self._rewind(stored, eyes)
        record = stored.record
        async for _, found in self._entries(stored, self._seen_until_ms(stored, eyes)):
            entry = with_names(found, record.people)
            known = rewind.broken
            rewind.step(entry, record.private.get(entry.seq, b""))
            if rewind.broken != known:
                logs.log.warning(
                    "a replay has no positions from an entry on",
                    game=stored.header.game_id,
                    why=rewind.broken,
                )
            yield rewind, entry

    async def StreamReplay(
        self, request: r.StreamReplayRequest, caller: Caller
    ) -> AsyncIterator[bytes]:
        stored = await self._find(request.game_id, caller)
        eyes = await self._eyes(stored, caller, request)
        pieces = Pieces(self._most)
        async for rewind, entry in self._steps(stored, eyes):
            if entry.seq <= request.after_seq:
                continue
            frame = rewind.frame(entry, views=not request.skip_views)
            full = pieces.add(wire.message(r.StreamReplayResponse.FRAMES_FIELD_NUMBER, frame))
            if full:
                yield full
        if last := pieces.rest():
            yield last

    async def GetFrame(self, request: r.GetFrameRequest, caller: Caller) -> bytes:
        stored = await self._find(request.game_id, caller)
        eyes = await self._eyes(stored, caller, request)
        async for rewind, entry in self._steps(stored, eyes):
            if entry.seq == request.seq:
                return wire.message(r.GetFrameResponse.FRAME_FIELD_NUMBER, rewind.frame(entry))
        # The same words for what is not there and for what a spectator may not see yet.
        raise Refusal(
            reasons.REJECTION_REASON_NOT_FOUND, "there is no such entry to see", field="seq"
        )

    # --- the whole record ---

    async def _record(self, game_id: str, caller: Caller) -> replay_pb2.ReplayFile:
        stored = await self._find(game_id, caller)
        self._check_open(stored)
        if not secret_fits(stored.record):
            logs.log.error("a record cannot be given: the secret is damaged", game=game_id)
            raise Suspended(BROKEN)
        logged = [logged async for logged, _ in self._entries(stored, _EVERYTHING)]
        async with self._heavy:
            return await asyncio.to_thread(record_of, stored.record, logged, CONTRACT_REVISION)

    async def ExportReplay(
        self, request: r.ExportReplayRequest, caller: Caller
    ) -> AsyncIterator[bytes]:
        file = await self._record(request.game_id, caller)
        head = replay_pb2.ReplayFile(contract_revision=file.contract_revision, game=file.game)
        pieces = Pieces(self._most - _AROUND)
        pieces.add(head.SerializeToString())
        for entry in file.entries:
            body = entry.SerializeToString(deterministic=True)
            full = pieces.add(wire.message(replay_pb2.ReplayFile.ENTRIES_FIELD_NUMBER, body))
            if full:
                yield wire.message(r.ExportReplayResponse.PIECE_FIELD_NUMBER, full)
        tail = replay_pb2.ReplayFile(file_hash=file.file_hash).SerializeToString()
        yield wire.message(r.ExportReplayResponse.PIECE_FIELD_NUMBER, pieces.rest() + tail)

    async def VerifyReplay(
        self, request: r.VerifyReplayRequest, caller: Caller
    ) -> r.VerifyReplayResponse:
        file = await self._record(request.game_id, caller)
        kit = await self.host.loader.kit(file.game.content_hash)
        pack = self.host.pack if kit is None else kit.pack
        try:
            async with self._heavy:
                report = await asyncio.to_thread(verify, file, pack)
        except OtherVersion as error:
            raise Refusal(reasons.REJECTION_REASON_VERSION_UNAVAILABLE, str(error)) from error
        return r.VerifyReplayResponse(
            verified=report.verified, checks=report.checks(), entries=report.entries
        )
