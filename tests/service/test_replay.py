"""`ReplayService` over a socket: who may see how much of a game, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

import grpc
import pytest

from endless_winter.cli.process import running
from endless_winter.engine.replay.verifying import verify
from endless_winter.v1 import (
    config_pb2,
    decision_pb2,
    game_service_pb2,
    operator_service_pb2,
    operator_service_pb2_grpc,
    play_service_pb2,
    replay_pb2,
    replay_service_pb2_grpc,
)
from endless_winter.v1 import replay_service_pb2 as r
from tests.engine.desk import PACK
from tests.service.hosting import OPERATOR, hosted, operator
from tests.service.logs import BANKS, MODULES, Playing, eventful, reason, stored_in
from tests.service.player import Client, pick

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path

    from endless_winter.v1.replay_pb2 import Perspective

SPECTATOR = replay_pb2.PERSPECTIVE_SPECTATOR
SEAT = replay_pb2.PERSPECTIVE_SEAT
OMNISCIENT = replay_pb2.PERSPECTIVE_OMNISCIENT
HOUR_MS = 3_600_000


class Viewer:
    """A client of the replay service, or somebody without a secret."""

    def __init__(
        self, client: Client, *, metadata: tuple[tuple[str, str], ...] | None = None
    ) -> None:
        self._metadata = client.metadata if metadata is None else metadata
        self.stub = replay_service_pb2_grpc.ReplayServiceStub(client.channel)

    async def frames(
        self,
        game_id: str,
        perspective: Perspective.ValueType = SPECTATOR,
        seat: int = 0,
        after_seq: int = 0,
        skip_views: bool = False,  # as in the request
    ) -> list[replay_pb2.ReplayFrame]:
        request = r.StreamReplayRequest(
            game_id=game_id,
            perspective=perspective,
            seat=seat,
            after_seq=after_seq,
            skip_views=skip_views,
        )
        found: list[replay_pb2.ReplayFrame] = []
        async for response in self.stub.StreamReplay(request, metadata=self._metadata):
            found += response.frames
        return found

    async def frame(
        self,
        game_id: str,
        seq: int,
        perspective: Perspective.ValueType = SPECTATOR,
        seat: int = 0,
    ) -> replay_pb2.ReplayFrame:
        request = r.GetFrameRequest(game_id=game_id, perspective=perspective, seat=seat, seq=seq)
        response = await self.stub.GetFrame(request, metadata=self._metadata)
        found: replay_pb2.ReplayFrame = response.frame
        return found

    async def export(self, game_id: str) -> replay_pb2.ReplayFile:
        file = replay_pb2.ReplayFile()
        request = r.ExportReplayRequest(game_id=game_id)
        async for response in self.stub.ExportReplay(request, metadata=self._metadata):
            assert response.ByteSize() < 1 << 20
            file.MergeFrom(response.piece)
        return file

    async def verify(self, game_id: str) -> r.VerifyReplayResponse:
        request = r.VerifyReplayRequest(game_id=game_id)
        found: r.VerifyReplayResponse = await self.stub.VerifyReplay(
            request, metadata=self._metadata
        )
        return found

    async def refused(self, game_id: str, perspective: Perspective.ValueType, seat: int = 0) -> str:
        """Why a replay is refused, by both calls alike."""
        with pytest.raises(grpc.aio.AioRpcError) as streamed:
            await self.frames(game_id, perspective, seat)
        with pytest.raises(grpc.aio.AioRpcError) as asked:
            await self.frame(game_id, 1, perspective, seat)
        assert reason(streamed.value) == reason(asked.value)
        assert streamed.value.details() == asked.value.details()
        return reason(streamed.value)

    async def sealed(self, game_id: str) -> set[str]:
        """Why the record itself is refused."""
        with pytest.raises(grpc.aio.AioRpcError) as exported:
            await self.export(game_id)
        with pytest.raises(grpc.aio.AioRpcError) as verified:
            await self.verify(game_id)
        return {reason(exported.value), reason(verified.value)}


class Table:
    """Ann and Bob at one game, Eve beside it, and somebody without any secret."""

    def __init__(self, ann: Client, bob: Client, eve: Client) -> None:
        self.ann, self.bob, self.eve = ann, bob, eve
        self.see = {client.name: Viewer(client) for client in (ann, bob, eve)}
        self.nobody = Viewer(eve, metadata=())

    async def game(self, **config: object) -> str:
        """A game that runs, Ann in seat 0 and Bob in seat 1."""
        game_id = (await self.ann.create(2, **config)).game_id
        for seat, client in enumerate((self.ann, self.bob)):
            await client.join(game_id, seat)
        for seat, client in enumerate((self.ann, self.bob)):
            await client.ready(game_id, seat)
        return game_id

    async def play(self, game_id: str, most: int = 10_000) -> None:
        for _ in range(most):
            for seat, client in enumerate((self.ann, self.bob)):
                update = await client.view(game_id, seat)
                if update.HasField("result"):
                    return
                if update.HasField("prompt"):
                    asked = update.prompt.decision
                    await client.submit(
                        game_id,
                        seat,
                        decision_id=asked.decision_id,
                        option_id=pick(asked, 5),
                    )

    async def abort(self, game_id: str) -> None:
        """The end of a game at once: a seat leaves and is played by defaults, then the other."""
        for seat, client in enumerate((self.ann, self.bob)):
            request = game_service_pb2.LeaveGameRequest(game_id=game_id, seat=seat)
            await client.games.LeaveGame(request, metadata=client.metadata)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running() as server:
        yield server.address


@pytest.fixture
async def table(address: str) -> AsyncIterator[Table]:
    async with (
        Client(address, "ann") as ann,
        Client(address, "bob") as bob,
        Client(address, "eve") as eve,
    ):
        yield Table(ann, bob, eve)


async def test_a_running_game_is_replayed_through_own_eyes_and_a_spectators(table: Table) -> None:
    game_id = await table.game()
    await table.play(game_id, 12)
    for seat, name in enumerate(("ann", "bob")):
        client = (table.ann, table.bob)[seat]
        frames = await table.see[name].frames(game_id, SEAT, seat)
        now = await client.view(game_id, seat)
        assert [frame.seq for frame in frames] == list(range(1, now.seq + 1))
        assert frames[-1].view.public_view == now.public_view
        assert frames[-1].view.private_view == now.private_view
        assert not any(frame.HasField("omniscient_view") for frame in frames)
        assert not frames[0].HasField("view")  # before the start there is no position
        assert await table.see[name].frame(game_id, 15, SEAT, seat) == frames[14]
        later = await table.see[name].frames(game_id, SEAT, seat, after_seq=10)
        assert later == frames[10:]
        bare = await table.see[name].frames(game_id, SEAT, seat, skip_views=True)
        assert not any(frame.HasField("view") for frame in bare)
        assert [list(frame.events) for frame in bare] == [list(frame.events) for frame in frames]
        for frame in frames:
            for event in frame.events:
                if event.HasField("private_event") and event.public_event.HasField("choice_made"):
                    assert event.public_event.choice_made.seat == seat
    for viewer in (table.see["eve"], table.nobody):
        frames = await viewer.frames(game_id)
        assert frames == await viewer.frames(game_id, replay_pb2.PERSPECTIVE_UNSPECIFIED)
        assert not any(e.HasField("private_event") for frame in frames for e in frame.events)
        assert not any(frame.view.HasField("private_view") for frame in frames)
        assert frames[-1].view.public_view == (await table.eve.view(game_id)).public_view


async def test_what_is_not_ones_own_stays_closed_while_a_game_runs(table: Table) -> None:
    game_id = await table.game()
    await table.play(game_id, 3)
    assert await table.see["eve"].refused(game_id, SEAT, 0) == "NOT_ALLOWED"
    assert await table.see["bob"].refused(game_id, SEAT, 0) == "NOT_ALLOWED"
    assert await table.nobody.refused(game_id, SEAT, 0) == "SECRET_MISSING"
    assert await table.see["ann"].refused(game_id, SEAT, 2) == "SEAT_NOT_FOUND"
    assert await table.see["ann"].refused(game_id, 9) == "INVALID_ARGUMENT"  # type: ignore[arg-type]
    for viewer in (*table.see.values(), table.nobody):
        assert await viewer.refused(game_id, OMNISCIENT) == "NOT_REVEALED_YET"
        assert await viewer.sealed(game_id) == {"NOT_REVEALED_YET"}
        for unknown in ("no-such-game", "", "\n" * 99):
            assert await viewer.refused(unknown, SPECTATOR) == "GAME_NOT_FOUND"
            assert await viewer.sealed(unknown) == {"GAME_NOT_FOUND"}
    for seq in (0, 10_000, 2**63):
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await table.see["ann"].frame(game_id, seq, SEAT, 0)
        assert reason(caught.value) == "NOT_FOUND"


async def test_spectators_are_behind_by_the_games_delay_until_it_ends(table: Table) -> None:
    game_id = await table.game(spectator_delay_ms=HOUR_MS)
    await table.play(game_id, 3)
    assert await table.see["eve"].frames(game_id) == []
    with pytest.raises(grpc.aio.AioRpcError) as hidden:
        await table.see["eve"].frame(game_id, 5)
    with pytest.raises(grpc.aio.AioRpcError) as missing:
        await table.see["eve"].frame(game_id, 5000)
    assert hidden.value.details() == missing.value.details()
    assert reason(hidden.value) == reason(missing.value) == "NOT_FOUND"
    assert len(await table.see["ann"].frames(game_id, SEAT, 0)) > 5
    await table.abort(game_id)
    assert (
        (await table.see["eve"].frames(game_id))[-1].events[-1].public_event.HasField("game_ended")
    )


async def test_an_ended_game_is_open_to_everyone_and_its_record_is_verified(table: Table) -> None:
    game_id = await table.game()
    await table.play(game_id)
    eve = table.see["eve"]
    file = await eve.export(game_id)
    assert verify(file, PACK).line() == ""
    assert file.game.game_id == game_id
    assert [entry.seq for entry in file.entries] == list(range(1, len(file.entries) + 1))
    assert await table.nobody.export(game_id) == file
    answer = await eve.verify(game_id)
    assert answer.verified
    assert answer.entries == len(file.entries)
    assert [check.passed for check in answer.checks] == [True] * 6
    opened = await eve.frames(game_id, OMNISCIENT)
    assert len(opened) == len(file.entries)
    views = [frame.omniscient_view for frame in opened if frame.HasField("omniscient_view")]
    assert len(views) == len(file.entries) - 5  # created, two seats, two Readys
    for seat in (0, 1):
        through = await eve.frames(game_id, SEAT, seat)
        owns = [frame.view.private_view for frame in through if frame.HasField("view")]
        assert owns == [view.private_views[seat] for view in views]
        publics = [frame.view.public_view for frame in through if frame.HasField("view")]
        assert publics == [view.public_view for view in views]
    first = views[10]  # after the set-up
    assert first.decision.options
    assert len(first.decks[0].card_ids) == sum(card.count for card in first.private_views[0].deck)
    assert first.animal_deck
    assert first.culture_deck_era_one
    assert not views[-1].HasField("decision")


async def test_a_log_with_what_a_server_adds_by_itself_is_verified(table: Table) -> None:
    """Standing answers, undo, a seat that leaves: several entries in one commit."""
    game_id = await table.game(undo_allowed=True)
    for seat, client in enumerate((table.ann, table.bob)):
        standing = play_service_pb2.SetStandingAnswers(
            answers=[
                decision_pb2.StandingAnswer(kind=kind)
                for kind in (
                    decision_pb2.DECISION_KIND_GAIN,
                    decision_pb2.DECISION_KIND_ECLIPSE_PILE,
                )
            ]
        )
        request = play_service_pb2.SetStandingAnswersRequest(
            game_id=game_id, seat=seat, standing=standing
        )
        await client.play.SetStandingAnswers(request, metadata=client.metadata)
    await table.play(game_id, 40)
    leave = game_service_pb2.LeaveGameRequest(game_id=game_id, seat=1)
    await table.bob.games.LeaveGame(leave, metadata=table.bob.metadata)
    await table.play(game_id)
    file = await table.see["eve"].export(game_id)
    assert any(entry.choice.by_standing_answer for entry in file.entries)
    assert any(entry.HasField("forfeit") for entry in file.entries)
    assert verify(file, PACK).line() == ""


async def test_a_game_with_clocks_and_a_killed_server_is_verified(tmp_path: Path) -> None:
    with running(folder=tmp_path) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            game_id = await Table(ann, bob, bob).game(time_control=BANKS, modules=MODULES)
            await Table(ann, bob, bob).play(game_id, 10)
        server.process.kill()
    with running(folder=tmp_path) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "bob") as bob:
            table = Table(ann, bob, bob)
            await table.play(game_id)
            file = await table.nobody.export(game_id)
            assert any(entry.HasField("restart") for entry in file.entries)
            assert verify(file, PACK).line() == ""
            frames = await table.nobody.frames(game_id)
    banks = [frame.clock.seats[0].bank_ms for frame in frames if frame.HasField("clock")]
    assert banks[0] == BANKS.bank_ms
    assert len(set(banks)) > 4  # thinking costs, and turns give something back
    clocks = [frame.clock for frame in frames if frame.clock.HasField("deadline_unix_ms")]
    assert all(clock.deadline_unix_ms > clock.server_time_unix_ms for clock in clocks)


async def test_a_held_game_stays_sealed_after_its_end(table: Table) -> None:
    game_id = await table.game(hold_reveal=True)
    await table.abort(game_id)
    eve = table.see["eve"]
    assert (await eve.frames(game_id))[-1].events[-1].public_event.HasField("game_ended")
    assert await eve.refused(game_id, OMNISCIENT) == "NOT_REVEALED_YET"
    assert await eve.refused(game_id, SEAT, 0) == "NOT_ALLOWED"
    assert await table.see["ann"].sealed(game_id) == {"NOT_REVEALED_YET"}
    assert await table.see["ann"].frames(game_id, SEAT, 0)


async def test_a_closed_game_is_known_to_its_players_alone(table: Table) -> None:
    alone = Table(table.ann, table.ann, table.eve)  # a seat of a closed game takes an invitation
    game_id = await alone.game(visibility=config_pb2.VISIBILITY_CLOSED)
    assert await alone.see["ann"].frames(game_id)
    await alone.abort(game_id)
    for viewer in (table.see["eve"], table.see["bob"], table.nobody):
        for perspective in (SPECTATOR, SEAT, OMNISCIENT):
            assert await viewer.refused(game_id, perspective) == "GAME_NOT_FOUND"
        assert await viewer.sealed(game_id) == {"GAME_NOT_FOUND"}
    assert verify(await alone.see["ann"].export(game_id), PACK).verified
    assert await alone.see["ann"].frames(game_id, OMNISCIENT)


async def test_an_operator_opens_a_seal_and_sees_closed_games_but_no_hands(tmp_path: Path) -> None:
    with hosted(tmp_path, "--operator-token", OPERATOR) as server:
        async with Client(server.address, "ann") as ann, Client(server.address, "eve") as eve:
            table = Table(ann, ann, eve)
            host = Viewer(eve, metadata=operator())
            running_game = await table.game(visibility=config_pb2.VISIBILITY_CLOSED)
            held = await table.game(hold_reveal=True)
            await table.abort(held)
            assert await host.frames(running_game)
            assert await host.refused(running_game, SEAT, 0) == "SECRET_MISSING"
            assert await host.refused(running_game, OMNISCIENT) == "NOT_REVEALED_YET"
            assert await host.sealed(held) == {"NOT_REVEALED_YET"}
            stub = operator_service_pb2_grpc.OperatorServiceStub(eve.channel)
            request = operator_service_pb2.ReleaseRevealRequest(game_ids=[held])
            await stub.ReleaseReveal(request, metadata=operator())
            file = await table.nobody.export(held)
            assert file.entries[-1].HasField("released")
            assert verify(file, PACK).line() == ""
            assert (await host.verify(held)).verified
            assert await table.nobody.frames(held, OMNISCIENT)


async def test_a_game_of_older_rules_is_shown_but_not_verified(tmp_path: Path) -> None:
    def elsewhere(entries: list[replay_pb2.LogEntry]) -> None:
        entries[30].position_hash = bytes(16)

    log = eventful(2).of_rules("0")
    strange = Playing(77).play().log().forged(elsewhere)
    stored_in(tmp_path / "endless-winter.db", log, strange)
    with running(folder=tmp_path) as server:
        async with Client(server.address, "eve") as eve:
            viewer = Viewer(eve)
            for perspective in (SPECTATOR, SEAT, OMNISCIENT):
                frames = await viewer.frames(log.game_id, perspective, 1)
                assert len(frames) == len(log.logged)
                assert not any(
                    frame.HasField("view") or frame.HasField("omniscient_view") for frame in frames
                )
                assert sum(len(frame.events) for frame in frames) > len(frames)
            file = await viewer.export(log.game_id)
            assert file.game.rules_version == "0"
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await viewer.verify(log.game_id)
            assert reason(caught.value) == "VERSION_UNAVAILABLE"
            assert "rules version '0'" in str(caught.value.details())
            # And a log that does not add up is said to be so.
            answer = await viewer.verify(strange.game_id)
            assert not answer.verified
            bad = [(check.kind, check.first_bad_seq) for check in answer.checks if not check.passed]
            assert (r.VERIFY_CHECK_KIND_POSITIONS, 31) in bad
