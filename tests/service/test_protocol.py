"""Refusals over a real socket: each has its reason, the game goes on and is unchanged."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from endless_winter.service.calls import STATUS
from endless_winter.v1 import (
    arena_service_pb2,
    arena_service_pb2_grpc,
    config_pb2,
    decision_pb2,
    game_pb2,
    game_service_pb2,
    move_pb2,
    play_service_pb2,
    rejection_pb2,
    result_pb2,
    view_pb2,
)
from tests.service.player import Client, pick
from tests.service.wire import OPERATOR, Line, Pair, Refused, name_of, parts_of, refused, served

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from endless_winter.cli.process import Server
    from endless_winter.v1 import update_pb2

p = play_service_pb2
g = game_service_pb2
RESERVED = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_RESERVED)
OPEN = config_pb2.SeatConfig(kind=config_pb2.SEAT_KIND_OPEN)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with served() as one:
        yield one


def means(found: Refused, reason: str) -> bool:
    """Whether a status is the documented one of its reason."""
    number = rejection_pb2.RejectionReason.Value(f"REJECTION_REASON_{reason}")
    code = next(code for code in grpc.StatusCode if code.value[0] == STATUS[number])
    return (found.status, found.reason) == (code.name, reason)


def test_every_reason_has_its_documented_status() -> None:
    known = set(rejection_pb2.RejectionReason.values()) - {0}
    assert set(STATUS) == known


# --- answers ---


async def wrong_answers(pair: Pair) -> list[tuple[str, int, dict[str, Any]]]:
    """Answers that must be refused now, with the reason and the seat that gives them."""
    seat, decision = await pair.pending()
    now = decision.decision_id
    other = 1 - seat
    illegal = len(decision.options)
    no_move = move_pb2.Move()
    return [
        ("STALE_DECISION", seat, {"decision_id": now - 1, "option_id": 0}),
        ("STALE_DECISION", seat, {"decision_id": 0, "option_id": 0}),
        ("UNKNOWN_DECISION", seat, {"decision_id": now + 1, "option_id": 0}),
        ("UNKNOWN_DECISION", seat, {"decision_id": 2**64 - 1, "option_id": 0}),
        ("NOT_YOUR_DECISION", other, {"decision_id": now, "option_id": 0}),
        ("NOT_YOUR_DECISION", other, {"decision_id": now, "take_default": True}),
        ("ILLEGAL_OPTION", seat, {"decision_id": now, "option_id": illegal}),
        ("ILLEGAL_OPTION", seat, {"decision_id": now, "option_id": 2**32 - 1}),
        ("ILLEGAL_OPTION", seat, {"decision_id": now, "text": "place chief moon"}),
        ("ILLEGAL_OPTION", seat, {"decision_id": now, "text": ""}),
        ("ILLEGAL_OPTION", seat, {"decision_id": now, "move": no_move}),
        ("ILLEGAL_OPTION", seat, {"decision_id": now, "take_default": False}),
        ("ILLEGAL_OPTION", seat, {"decision_id": now}),
    ]


async def test_wrong_answers_by_unary_calls(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started(wrong_answers_to_forfeit=100)
        for _ in range(3):
            before = await pair.seen()
            left = 100
            for reason, seat, answer in await wrong_answers(pair):
                found = await refused(pair.submit(seat, **answer))
                assert means(found, reason), (found, answer)
                if reason == "ILLEGAL_OPTION":
                    left -= 1
                    assert found.metadata["wrong_answers_left"] == str(left)
                if reason in ("STALE_DECISION", "UNKNOWN_DECISION", "ILLEGAL_OPTION"):
                    assert "pending_decision_id" in found.metadata
                else:
                    assert "pending_decision_id" not in found.metadata
            assert await pair.seen() == before
            await pair.step()


async def test_wrong_answers_on_a_stream(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started(wrong_answers_to_forfeit=100)
        async with Line(pair.ann) as ann, Line(pair.bob) as bob:
            lines = (ann, bob)
            for seat in (0, 1):
                await lines[seat].do(game_id=pair.game_id, seat=seat, attach=p.Attach())
            before = await pair.seen()
            for number, (reason, seat, answer) in enumerate(await wrong_answers(pair)):
                found = await lines[seat].do(
                    request_id=f"x{number}",
                    game_id=pair.game_id,
                    seat=seat,
                    answer=decision_pb2.Answer(**answer),
                )
                assert name_of(found.rejection) == reason
                assert found.rejection.seq > 0
            assert await pair.seen() == before


@pytest.mark.parametrize("form", ["option_id", "text", "move", "take_default"])
async def test_each_form_of_an_answer_is_taken(server: Server, form: str) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        for _ in range(5):
            seat, decision = await pair.pending()
            option = decision.options[-1]
            if form == "take_default":
                option = next(one for one in decision.options if one.is_default)
            values = {"take_default": True} | {
                name: getattr(option, name) for name in ("option_id", "text", "move")
            }
            accepted = await pair.submit(
                seat, decision_id=decision.decision_id, **{form: values[form]}
            )
            assert (accepted.option_id, accepted.text) == (option.option_id, option.text)


async def test_an_answer_twice_is_stale_the_second_time(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        seat, decision = await pair.pending()
        answer: dict[str, Any] = {"decision_id": decision.decision_id, "option_id": 0}
        await pair.submit(seat, **answer)
        assert means(await refused(pair.submit(seat, **answer)), "STALE_DECISION")


async def test_too_early_and_too_late_for_a_game(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.seated()
        answer: dict[str, Any] = {"decision_id": 1, "option_id": 0}
        assert means(await refused(pair.submit(0, **answer)), "GAME_NOT_STARTED")
        undo = p.UndoMoveRequest(game_id=pair.game_id, seat=0)
        calls = pair.ann.play
        found = await refused(calls.UndoMove(undo, metadata=pair.ann.metadata))
        assert means(found, "GAME_NOT_STARTED")
        await pair.ann.games.AbortGame(
            g.AbortGameRequest(game_id=pair.game_id), metadata=pair.ann.metadata
        )
        assert means(await refused(pair.submit(0, **answer)), "GAME_ENDED")
        assert means(await refused(pair.ann.ready(pair.game_id, 0)), "GAME_ENDED")
        standing = p.SetStandingAnswersRequest(game_id=pair.game_id, seat=0)
        found = await refused(calls.SetStandingAnswers(standing, metadata=pair.ann.metadata))
        assert means(found, "GAME_ENDED")
        leave = g.LeaveGameRequest(game_id=pair.game_id, seat=0)
        found = await refused(pair.ann.games.LeaveGame(leave, metadata=pair.ann.metadata))
        assert means(found, "GAME_ENDED")


async def test_an_answer_after_the_time_is_refused_and_the_game_went_on(server: Server) -> None:
    """Too late looks like TOO_LATE or, once the deadline has passed, like a stale decision."""
    async with Pair(server.address) as pair:
        clock = {"decision_limit_ms": 1, "timeouts_to_forfeit": 100_000}
        await pair.started(time_control=clock)
        end = await pair.eve.view(pair.game_id)
        while end.status != game_pb2.GAME_STATUS_ENDED:
            end = await pair.eve.view(pair.game_id, wait_ms=30_000, wait_for_prompt=True)
        assert min(seat.timeouts for seat in end.result.seats) > 10


async def test_a_flood_of_wrong_answers_ends_the_seat(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started(wrong_answers_to_forfeit=3)
        seat, decision = await pair.pending()
        wrong: dict[str, Any] = {"decision_id": decision.decision_id, "option_id": 999}
        for left in (2, 1, 0):
            found = await refused(pair.submit(seat, **wrong))
            assert means(found, "ILLEGAL_OPTION")
            assert found.metadata["wrong_answers_left"] == str(left)
        assert means(await refused(pair.submit(seat, **wrong)), "SEAT_FORFEITED")
        game = await pair.eve.games.GetGame(g.GetGameRequest(game_id=pair.game_id))
        assert game.game.seats[seat].forfeited == result_pb2.END_REASON_ILLEGAL_FLOOD
        while True:
            update = await pair.client(1 - seat).view(pair.game_id, 1 - seat)
            if update.HasField("result"):
                break
            await pair.step()
        assert update.result.seats[seat].place == 2
        assert [one.wrong_answers for one in update.result.seats] == [3 - 3 * seat, 3 * seat]
        assert update.result.seats[seat].reason == result_pb2.END_REASON_ILLEGAL_FLOOD


async def test_wrong_answers_are_counted_per_decision(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started(wrong_answers_to_forfeit=2)
        for _ in range(6):
            seat, decision = await pair.pending()
            found = await refused(
                pair.submit(seat, decision_id=decision.decision_id, text="nonsense")
            )
            assert found.metadata["wrong_answers_left"] == "1"
            await pair.step()


# --- request ids ---


async def test_a_retry_gets_its_first_answer_on_a_stream_and_by_unary_calls(
    server: Server,
) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        seat, decision = await pair.pending()
        answer = decision_pb2.Answer(decision_id=decision.decision_id, option_id=0, think_ms=3)
        async with Line(pair.client(seat)) as line:
            await line.do(game_id=pair.game_id, seat=seat, attach=p.Attach())
            command = {"game_id": pair.game_id, "seat": seat, "answer": answer}
            first = await line.do(request_id="one", **command)
            again = await line.do(request_id="one", **command)
            assert first.accepted == again.accepted
            assert first.accepted.seq
        by_call = await pair.submit(
            seat, "one", decision_id=decision.decision_id, option_id=0, think_ms=7
        )
        assert by_call == first.accepted
        before = await pair.seen()
        other = decision_pb2.Answer(decision_id=decision.decision_id, option_id=1)
        found = await refused(
            pair.client(seat).play.SubmitMove(
                p.SubmitMoveRequest(
                    game_id=pair.game_id, seat=seat, request_id="one", answer=other
                ),
                metadata=pair.client(seat).metadata,
            )
        )
        assert means(found, "REQUEST_ID_REUSED")
        assert await pair.seen() == before


async def test_a_retry_gets_its_first_answer_also_when_the_game_has_ended_meanwhile(
    server: Server,
) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        seat, decision = await pair.pending()
        first = await pair.submit(seat, "one", decision_id=decision.decision_id, option_id=0)
        abort = game_service_pb2.AbortGameRequest(game_id=pair.game_id)
        await pair.eve.games.AbortGame(abort, metadata=(*pair.eve.metadata, *OPERATOR))
        mine = {"game_id": pair.game_id, "seat": seat}
        answer = decision_pb2.Answer(decision_id=decision.decision_id, option_id=0)
        async with Line(pair.client(seat)) as line:
            await line.do(**mine, attach=p.Attach())
            assert (await line.update()).HasField("result")  # with which it is detached
            again = await line.do(request_id="one", **mine, answer=answer)
            assert again.accepted == first
            assert await line.rejected(request_id="two", **mine, answer=answer) == "GAME_ENDED"
            foreign = {"game_id": pair.game_id, "seat": 1 - seat}
            assert await line.rejected(**foreign, answer=answer) == "NOT_ALLOWED"


async def test_an_id_used_for_something_else_is_noticed_wherever_it_comes(
    server: Server,
) -> None:
    async with Pair(server.address) as pair:
        await pair.seated(undo_allowed=True)
        ready = p.SetReadyRequest(game_id=pair.game_id, seat=0, request_id="one")
        first = await pair.ann.play.SetReady(ready, metadata=pair.ann.metadata)
        again = await pair.ann.play.SetReady(ready, metadata=pair.ann.metadata)
        assert first == again
        await pair.bob.ready(pair.game_id, 1)
        while True:
            seat, decision = await pair.pending()
            if seat == 0:
                break
            await pair.step()
        before = await pair.seen()
        wrong = refused(pair.submit(0, "one", decision_id=decision.decision_id, option_id=0))
        assert means(await wrong, "REQUEST_ID_REUSED")
        stale = refused(pair.submit(0, "one", decision_id=1, option_id=0))
        assert means(await stale, "REQUEST_ID_REUSED")
        undo = p.UndoMoveRequest(game_id=pair.game_id, seat=0, request_id="one")
        found = await refused(pair.ann.play.UndoMove(undo, metadata=pair.ann.metadata))
        assert means(found, "REQUEST_ID_REUSED")
        standing = p.SetStandingAnswersRequest(game_id=pair.game_id, seat=0, request_id="one")
        found = await refused(
            pair.ann.play.SetStandingAnswers(standing, metadata=pair.ann.metadata)
        )
        assert means(found, "REQUEST_ID_REUSED")
        assert await pair.seen() == before
        # The other seat's ids are its own.
        await pair.submit(0, "two", decision_id=decision.decision_id, option_id=0)


async def test_retries_are_harmless_across_a_restart(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        async with Pair(server.address) as pair:
            config = config_pb2.GameConfig(seats=[OPEN, OPEN])
            create = g.CreateGameRequest(request_id="c", config=config)
            made = await pair.ann.games.CreateGame(create, metadata=pair.ann.metadata)
            pair.game_id = made.game.game_id
            await pair.ann.join(pair.game_id, 0)
            await pair.bob.join(pair.game_id, 1)
            await pair.ann.ready(pair.game_id, 0)
            await pair.bob.ready(pair.game_id, 1)
            seat, decision = await pair.pending()
            asked = decision.decision_id
            first = await pair.submit(seat, "one", decision_id=asked, option_id=0)
            before = await pair.seen()
            server.process.kill()
    with served(tmp_path) as server:
        async with Pair(server.address) as pair:
            pair.game_id = made.game.game_id
            assert await pair.seen() == before
            again = await pair.submit(seat, "one", decision_id=asked, option_id=0)
            assert again == first
            found = await refused(pair.submit(seat, "one", decision_id=asked, option_id=1))
            assert means(found, "REQUEST_ID_REUSED")
            remade = await pair.ann.games.CreateGame(create, metadata=pair.ann.metadata)
            assert remade.game.game_id == pair.game_id
            create.config.title = "another"
            found = await refused(pair.ann.games.CreateGame(create, metadata=pair.ann.metadata))
            assert means(found, "REQUEST_ID_REUSED")
            assert await pair.ann.join(pair.game_id, 0) == 0  # a retried join is harmless too
            assert await pair.seen() == before


async def test_the_same_creation_many_times_at_once_makes_one_game(server: Server) -> None:
    async with Client(server.address, "many") as many:
        config = config_pb2.GameConfig(seats=[OPEN, OPEN])
        request = g.CreateGameRequest(request_id="at once", config=config)
        calls = [many.games.CreateGame(request, metadata=many.metadata) for _ in range(20)]
        made = await asyncio.gather(*calls)
        assert len({one.game.game_id for one in made}) == 1


# --- the beginning of a stream ---


async def test_hello_comes_first_and_once(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        async with Line(pair.ann, hello=False) as line:
            await line.send(
                p.PlayCommand(request_id="a", game_id=pair.game_id, seat=0, attach=p.Attach()),
                p.PlayCommand(request_id="h", hello=p.Hello(least_revision=1)),
            )
            rest = await line.rest()
            assert [name_of(report.rejection) for report in rest] == ["HELLO_EXPECTED"]
            assert rest[0].request_id == "a"
            assert await line.code() == grpc.StatusCode.OK
        async with Line(pair.ann) as line:
            await line.send(p.PlayCommand(request_id="h", hello=p.Hello(least_revision=1)))
            assert [name_of(one.rejection) for one in await line.rest()] == ["HELLO_EXPECTED"]
        async with Line(pair.ann, hello=False) as line:
            await line.send(p.PlayCommand(hello=p.Hello(least_revision=99)))
            rest = await line.rest()
            assert [name_of(one.rejection) for one in rest] == ["CONTRACT_UNSUPPORTED"]
        await pair.step()


@pytest.mark.parametrize("more", [-1, 0, 1])
async def test_a_client_is_refused_only_if_it_needs_more_than_the_server_has(
    server: Server, more: int
) -> None:
    """On both streams; which proto files it was built from is nobody's business."""
    async with Client(server.address, "newer") as client, Line(client) as line:
        has = line.received[0].welcome.server.contract_revision
        newer = p.Hello(least_revision=has + more)
        newer.MergeFromString(b"\xfa\x07\x03new")  # field 127, of a contract to come
        async with Line(client, hello=False) as second:
            await second.send(p.PlayCommand(request_id="h", hello=newer))
            report = await second.next()
        stub = arena_service_pb2_grpc.ArenaServiceStub(client.channel)
        call = stub.AttachBot(metadata=client.metadata)
        hello = arena_service_pb2.BotHello(name="newer", least_revision=has + more)
        await call.write(arena_service_pb2.AttachBotRequest(hello=hello))
        if more > 0:
            assert (await refused(call.read())).reason == "CONTRACT_UNSUPPORTED"
        else:
            response = await call.read()
            assert isinstance(response, arena_service_pb2.AttachBotResponse)
            assert response.HasField("welcome")
        call.cancel()
        if more > 0:
            assert name_of(report.rejection) == "CONTRACT_UNSUPPORTED"
            assert str(has) in report.rejection.message
        else:
            assert report.HasField("welcome")


async def test_a_view_takes_the_feed_options_of_a_watcher(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        asked, _ = await pair.pending()

        async def view(seat: int | None, **more: Any) -> update_pb2.Update:
            return await pair.client(seat or 0).view(pair.game_id, seat, **more)

        whole = await view(asked, after_seq=0)
        assert whole.events
        assert whole.HasField("public_view")
        assert all(one.label and one.HasField("move") for one in whole.prompt.decision.options)
        plain = await view(
            asked,
            after_seq=0,
            feed=p.FeedOptions(
                view_mode=view_pb2.VIEW_MODE_NEVER,
                skip_events=True,
                skip_labels=True,
                skip_moves=True,
            ),
        )
        assert not plain.events
        assert not plain.HasField("public_view")
        assert not plain.HasField("private_view")
        options = plain.prompt.decision.options
        assert [one.text for one in options] == [one.text for one in whole.prompt.decision.options]
        assert not any(one.label or one.HasField("move") for one in options)
        # The views come with a question, at the start, and by choice always.
        for seat, after, mode, expected in (
            (asked, whole.seq, view_pb2.VIEW_MODE_UNSPECIFIED, True),
            (1 - asked, whole.seq, view_pb2.VIEW_MODE_UNSPECIFIED, False),
            (1 - asked, whole.seq, view_pb2.VIEW_MODE_ON_DECISION, False),
            (1 - asked, whole.seq, view_pb2.VIEW_MODE_ALWAYS, True),
            (1 - asked, None, view_pb2.VIEW_MODE_ON_DECISION, True),
            (None, whole.seq, view_pb2.VIEW_MODE_ON_DECISION, True),
        ):
            found = await view(seat, after_seq=after, feed=p.FeedOptions(view_mode=mode))
            assert found.HasField("public_view") == expected, (seat, after, mode)
        # Who wants prompts alone waits for one, as with wait_for_prompt.
        poll = asyncio.ensure_future(
            view(
                1 - asked,
                after_seq=0,
                wait_ms=60_000,
                feed=p.FeedOptions(only_when_asked=True, skip_events=True),
            )
        )
        while not (await view(1 - asked)).HasField("prompt"):
            assert not poll.done()
            await pair.step()
        assert (await poll).HasField("prompt")


async def test_a_stream_without_a_secret_ends_at_once(server: Server) -> None:
    async with Client(server.address, "nobody") as nobody:
        for metadata in ((), (("ew-client-secret", "abc"),), (("ew-client-secret", "A" * 64),)):
            call = nobody.play.Play(metadata=metadata)
            await call.write(p.PlayRequest())
            with pytest.raises(grpc.aio.AioRpcError) as error:
                await call.read()
            assert means(parts_of(error.value), "SECRET_MISSING")


# --- attaching ---


async def test_attaching(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        _, decision = await pair.pending()
        mine = {"game_id": pair.game_id, "seat": 0}
        async with Line(pair.ann) as line:
            assert await line.rejected(**mine, ready=p.Ready()) == "NOT_ATTACHED"
            assert await line.rejected(**mine, detach=p.Detach()) == "NOT_ATTACHED"
            foreign = {"game_id": pair.game_id, "seat": 1}
            assert await line.rejected(**foreign, attach=p.Attach()) == "NOT_ALLOWED"
            nowhere = {"game_id": pair.game_id, "seat": 2}
            assert await line.rejected(**nowhere, attach=p.Attach()) == "SEAT_NOT_FOUND"
            assert await line.rejected(game_id="none", attach=p.Attach()) == "GAME_NOT_FOUND"
            assert await line.rejected(game_id="", attach=p.Attach()) == "GAME_NOT_FOUND"
            assert (await line.do(**mine, attach=p.Attach())).HasField("attached")
            assert await line.rejected(**mine, attach=p.Attach()) == "ALREADY_ATTACHED"
            # As a spectator it is another attachment, from which nothing can be chosen.
            watching = {"game_id": pair.game_id}
            assert (await line.do(**watching, attach=p.Attach())).HasField("attached")
            answer = decision_pb2.Answer(decision_id=decision.decision_id, option_id=0)
            assert await line.rejected(**watching, answer=answer) == "NOT_ATTACHED"
            assert await line.rejected(**mine) == "NOT_SUPPORTED"
            assert await line.rejected(**mine, ready=p.Ready()) == "GAME_STARTED"
            assert await line.rejected(**mine, undo=p.Undo()) in (
                "STALE_DECISION",
                "NOT_YOUR_DECISION",
            )
            long = {"request_id": "x" * 65, "ping": p.Ping()}
            assert await line.rejected(**long) == "INVALID_ARGUMENT"
            pong = await line.do(ping=p.Ping(nonce=7))
            assert pong.pong.nonce == 7
            pong = await line.do(game_id="g" * 10_000, ping=p.Ping())
            assert pong.game_id == "g" * 256, "what waits to be read is small"
            assert (await line.do(**mine, detach=p.Detach())).HasField("detached")
            assert await line.rejected(**mine, answer=answer) == "NOT_ATTACHED"
            assert (await line.do(**mine, attach=p.Attach())).HasField("attached")


async def test_commands_of_one_message_take_effect_in_their_order(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        seat, decision = await pair.pending()
        at = {"game_id": pair.game_id, "seat": seat}
        answer = decision_pb2.Answer(decision_id=decision.decision_id, option_id=0)
        async with Line(pair.client(seat)) as line:
            await line.send(
                p.PlayCommand(request_id="1", **at, attach=p.Attach()),  # type: ignore[arg-type]
                p.PlayCommand(request_id="2", **at, answer=answer),  # type: ignore[arg-type]
                p.PlayCommand(request_id="3", **at, answer=answer),  # type: ignore[arg-type]
                p.PlayCommand(request_id="4", **at, detach=p.Detach()),  # type: ignore[arg-type]
            )
            await line.done()
            answers = {one.request_id: one for one in await line.rest() if one.request_id}
        kinds = {key: one.WhichOneof("report") for key, one in answers.items()}
        assert kinds == {"1": "attached", "2": "accepted", "3": "rejection", "4": "detached"}
        assert name_of(answers["3"].rejection) == "STALE_DECISION"


# --- joining, leaving, aborting ---


async def test_seats_are_taken_once(server: Server) -> None:
    async with Pair(server.address) as pair:
        game = await pair.ann.create(2)
        pair.game_id = game.game_id
        assert await pair.ann.join(pair.game_id) == 0
        assert await pair.ann.join(pair.game_id) == 0
        assert means(await refused(pair.eve.join(pair.game_id, 0)), "SEAT_TAKEN")
        assert means(await refused(pair.eve.join(pair.game_id, 9)), "SEAT_NOT_FOUND")
        assert await pair.bob.join(pair.game_id) == 1
        assert means(await refused(pair.eve.join(pair.game_id)), "SEAT_TAKEN")
        await pair.ann.ready(pair.game_id, 0)
        await pair.bob.ready(pair.game_id, 1)
        assert await pair.bob.join(pair.game_id) == 1
        assert means(await refused(pair.eve.join(pair.game_id)), "SEAT_TAKEN")
        assert means(await refused(pair.eve.join(pair.game_id, 0)), "GAME_STARTED")
        request = g.JoinGameRequest(game_id=pair.game_id, display_name="x" * 41)
        found = await refused(pair.eve.games.JoinGame(request, metadata=pair.eve.metadata))
        assert means(found, "INVALID_ARGUMENT")
        assert found.metadata["field"] == "display_name"


async def test_a_reserved_seat_of_a_closed_game_takes_its_invitation(server: Server) -> None:
    async with Pair(server.address) as pair:
        config = config_pb2.GameConfig(
            seats=[OPEN, RESERVED], visibility=config_pb2.VISIBILITY_CLOSED
        )
        made = await pair.ann.games.CreateGame(
            g.CreateGameRequest(config=config), metadata=pair.ann.metadata
        )
        pair.game_id = made.game.game_id
        assert [one.seat for one in made.invitations] == [1]
        word = made.invitations[0].token

        def join(client: Client, **more: Any) -> Any:
            request = g.JoinGameRequest(game_id=pair.game_id, **more)
            return client.games.JoinGame(request, metadata=client.metadata)

        assert means(await refused(join(pair.eve)), "GAME_NOT_FOUND")
        assert means(await refused(join(pair.eve, invitation="x" * 48)), "GAME_NOT_FOUND")
        assert means(await refused(join(pair.ann, seat=1)), "INVITATION_INVALID")
        assert means(await refused(join(pair.ann, invitation="wrong")), "INVITATION_INVALID")
        invite = g.CreateInvitationRequest(game_id=pair.game_id, seat=1, request_id="i")
        calls = pair.ann.games
        newer = await calls.CreateInvitation(invite, metadata=pair.ann.metadata)
        again = await calls.CreateInvitation(invite, metadata=pair.ann.metadata)
        assert newer == again
        assert means(await refused(join(pair.bob, invitation=word)), "GAME_NOT_FOUND")
        word = newer.invitation.token
        assert (await join(pair.bob, invitation=word)).seat == 1
        assert (await join(pair.bob, invitation=word)).seat == 1
        assert means(await refused(join(pair.eve, invitation=word)), "SEAT_TAKEN")
        invite = g.CreateInvitationRequest(game_id=pair.game_id, seat=1)
        found = await refused(pair.ann.games.CreateInvitation(invite, metadata=pair.ann.metadata))
        assert means(found, "SEAT_TAKEN")


async def test_a_closed_game_is_not_there_for_strangers_and_has_no_spectators(
    server: Server,
) -> None:
    async with Pair(server.address) as pair:
        config = config_pb2.GameConfig(
            seats=[OPEN, RESERVED], visibility=config_pb2.VISIBILITY_CLOSED
        )
        made = await pair.ann.games.CreateGame(
            g.CreateGameRequest(config=config), metadata=pair.ann.metadata
        )
        pair.game_id = made.game.game_id
        await pair.ann.join(pair.game_id)
        await pair.bob.games.JoinGame(
            g.JoinGameRequest(game_id=pair.game_id, invitation=made.invitations[0].token),
            metadata=pair.bob.metadata,
        )
        get = g.GetGameRequest(game_id=pair.game_id)
        unknown = g.GetGameRequest(game_id="unknown")
        hidden = await refused(pair.eve.games.GetGame(get, metadata=pair.eve.metadata))
        missing = await refused(pair.eve.games.GetGame(unknown, metadata=pair.eve.metadata))
        assert means(hidden, "GAME_NOT_FOUND")
        assert hidden.args == missing.args
        assert means(await refused(pair.eve.view(pair.game_id)), "GAME_NOT_FOUND")
        assert means(await refused(pair.ann.view(pair.game_id)), "SPECTATORS_CLOSED")
        listed = await pair.eve.games.ListGames(g.ListGamesRequest(), metadata=pair.eve.metadata)
        assert pair.game_id not in [game.game_id for game in listed.games]
        mine = await pair.bob.games.ListGames(
            g.ListGamesRequest(mine=True), metadata=pair.bob.metadata
        )
        assert pair.game_id in [game.game_id for game in mine.games]
        async with Line(pair.eve) as line:
            assert await line.rejected(game_id=pair.game_id, attach=p.Attach()) == "GAME_NOT_FOUND"
        watch = pair.ann.play.Watch(
            p.WatchRequest(game_id=pair.game_id), metadata=pair.ann.metadata
        )
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await watch.read()
        assert means(parts_of(error.value), "SPECTATORS_CLOSED")


async def test_an_unlisted_game_is_found_by_its_id_alone(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started(visibility=config_pb2.VISIBILITY_UNLISTED)
        listed = await pair.eve.games.ListGames(g.ListGamesRequest(), metadata=pair.eve.metadata)
        assert pair.game_id not in [game.game_id for game in listed.games]
        assert (await pair.eve.view(pair.game_id)).status == game_pb2.GAME_STATUS_RUNNING


async def test_leaving(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.seated()

        def leave(client: Client, seat: int) -> Any:
            request = g.LeaveGameRequest(game_id=pair.game_id, seat=seat)
            return client.games.LeaveGame(request, metadata=client.metadata)

        assert means(await refused(leave(pair.eve, 0)), "NOT_ALLOWED")
        left = await leave(pair.ann, 0)
        assert not left.game.seats[0].taken
        assert means(await refused(leave(pair.ann, 0)), "NOT_ALLOWED")
        await pair.ann.join(pair.game_id, 0)
        await pair.ann.ready(pair.game_id, 0)
        await pair.bob.ready(pair.game_id, 1)
        gone = await leave(pair.bob, 1)
        assert gone.game.seats[1].forfeited == result_pb2.END_REASON_ABANDONED
        assert means(await refused(leave(pair.bob, 1)), "SEAT_FORFEITED")
        standing = p.SetStandingAnswersRequest(game_id=pair.game_id, seat=1)
        found = await refused(
            pair.bob.play.SetStandingAnswers(standing, metadata=pair.bob.metadata)
        )
        assert means(found, "SEAT_FORFEITED")
        seat, _ = await pair.pending()
        assert seat == 0


async def test_aborting(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.seated()
        request = g.AbortGameRequest(game_id=pair.game_id)

        def abort(client: Client, more: tuple[tuple[str, str], ...] = ()) -> Any:
            return client.games.AbortGame(request, metadata=(*client.metadata, *more))

        assert means(await refused(abort(pair.bob)), "NOT_ALLOWED")
        await pair.ann.ready(pair.game_id, 0)
        await pair.bob.ready(pair.game_id, 1)
        assert means(await refused(abort(pair.ann)), "GAME_STARTED")
        ended = await abort(pair.eve, OPERATOR)
        assert ended.game.result.outcome == result_pb2.GAME_OUTCOME_ABORTED
        assert ended.game.seed_reveal.seed == bytes(32)
        assert ended.game.seed_from_creator
        assert means(await refused(abort(pair.eve, OPERATOR)), "GAME_ENDED")


# --- undo and standing answers ---


async def test_undo_over_the_wire(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started(undo_allowed=True)
        while True:
            seat, decision = await pair.pending()
            if decision.can_undo:
                break
            await pair.step()
        client = pair.client(seat)

        def undo(client: Client, seat: int, decision_id: int, request_id: str = "") -> Any:
            request = p.UndoMoveRequest(
                game_id=pair.game_id,
                seat=seat,
                request_id=request_id,
                undo=p.Undo(decision_id=decision_id),
            )
            return client.play.UndoMove(request, metadata=client.metadata)

        now = decision.decision_id
        assert means(await refused(undo(pair.client(1 - seat), 1 - seat, now)), "NOT_YOUR_DECISION")
        assert means(await refused(undo(client, seat, now - 1)), "STALE_DECISION")
        first = await undo(client, seat, now, "u")
        again = await undo(client, seat, now, "u")
        assert first == again
        other, earlier = await pair.pending()
        assert other == seat
        assert earlier.decision_id > now
        assert means(await refused(undo(client, seat, now)), "STALE_DECISION")
        while earlier.can_undo:
            await undo(client, seat, earlier.decision_id)
            _, earlier = await pair.pending()
        found = await refused(undo(client, seat, earlier.decision_id))
        assert means(found, "UNDO_IMPOSSIBLE")


async def test_standing_answers_over_the_wire(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started()

        def stand(*kinds: decision_pb2.DecisionKind.ValueType) -> Any:
            answers = [decision_pb2.StandingAnswer(kind=kind) for kind in kinds]
            request = p.SetStandingAnswersRequest(
                game_id=pair.game_id, seat=0, standing=p.SetStandingAnswers(answers=answers)
            )
            return pair.ann.play.SetStandingAnswers(request, metadata=pair.ann.metadata)

        turn, gain = decision_pb2.DECISION_KIND_TURN, decision_pb2.DECISION_KIND_GAIN
        for never in (turn, decision_pb2.DECISION_KIND_MODULE):
            assert means(await refused(stand(never)), "STANDING_ANSWER_IMPOSSIBLE")
        assert means(await refused(stand(gain, gain)), "INVALID_ARGUMENT")
        await stand(gain)
        async with Line(pair.ann) as line:
            report = await line.do(game_id=pair.game_id, seat=0, attach=p.Attach())
            assert [one.kind for one in report.attached.standing_answers] == [gain]
        async with Line(pair.eve) as line:
            report = await line.do(game_id=pair.game_id, attach=p.Attach())
            assert not report.attached.standing_answers
        for _ in range(60):
            seat, decision = await pair.pending()
            assert not (seat == 0 and decision.kind == gain)
            await pair.submit(seat, decision_id=decision.decision_id, option_id=pick(decision, 1))


# --- lists ---


async def test_lists_refuse_tokens_that_are_not_theirs(server: Server) -> None:
    async with Pair(server.address) as pair:
        await pair.started()
        for token in ("x", "-1", "9" * 30, "\x00"):
            games = pair.ann.games.ListGames(
                g.ListGamesRequest(page_token=token), metadata=pair.ann.metadata
            )
            assert means(await refused(games), "PAGE_TOKEN_INVALID")
            seats = pair.ann.play.ListMySeats(
                p.ListMySeatsRequest(page_token=token), metadata=pair.ann.metadata
            )
            assert means(await refused(seats), "PAGE_TOKEN_INVALID")
        bad = g.ListGamesRequest.FromString(b"\x18\x63")  # status 99
        found = await refused(pair.ann.games.ListGames(bad, metadata=pair.ann.metadata))
        assert means(found, "INVALID_ARGUMENT")


async def test_my_seats_are_listed_in_pages_those_that_owe_first(server: Server) -> None:
    async with Client(server.address, "lister") as ann, Client(server.address, "other") as bob:
        mine = []
        for number in range(5):
            game = await ann.create(2)
            await ann.join(game.game_id, number % 2)
            await bob.join(game.game_id, 1 - number % 2)
            if number < 3:
                await ann.ready(game.game_id, number % 2)
            mine.append((game.game_id, number % 2))
        found: list[tuple[str, int]] = []
        token = ""
        while True:
            page = await ann.play.ListMySeats(
                p.ListMySeatsRequest(page_size=2, page_token=token), metadata=ann.metadata
            )
            assert len(page.seats) <= 2
            found += [(one.game_id, one.seat) for one in page.seats]
            token = page.next_page_token
            if not token:
                break
        assert set(found) == set(mine)
        assert len(found) == 5
        assert set(found[:2]) == set(mine[3:])
        for wait_ms in (0, -5, 10):
            owing = await ann.play.ListMySeats(
                p.ListMySeatsRequest(only_owing=True, wait_ms=wait_ms), metadata=ann.metadata
            )
            assert {(one.game_id, one.seat) for one in owing.seats} == set(mine[3:])
            assert all(one.owes_ready for one in owing.seats)
        everything = await ann.play.ListMySeats(
            p.ListMySeatsRequest(wait_ms=-1), metadata=ann.metadata
        )
        assert len(everything.seats) == 5


async def test_seats_of_ended_and_of_open_games_are_known_after_a_restart(
    tmp_path: Path,
) -> None:
    with served(tmp_path) as server:
        async with Client(server.address, "ann") as ann:
            ended = await ann.create(2)
            await ann.join(ended.game_id)
            await ann.games.AbortGame(
                g.AbortGameRequest(game_id=ended.game_id), metadata=ann.metadata
            )
            waiting = await ann.create(2)
            await ann.join(waiting.game_id, 1)
            server.process.kill()
    with served(tmp_path) as server:
        async with Client(server.address, "ann") as ann:

            async def seats(**more: Any) -> set[tuple[str, int]]:
                request = p.ListMySeatsRequest(**more)
                response = await ann.play.ListMySeats(request, metadata=ann.metadata)
                return {(one.game_id, one.seat) for one in response.seats}

            assert await seats() == {(waiting.game_id, 1)}
            assert await seats(include_ended=True) == {(waiting.game_id, 1), (ended.game_id, 0)}


# --- what concerns the whole call ---


async def test_creating_refuses_what_cannot_be_played(server: Server) -> None:
    async with Client(server.address, "ann") as ann:

        async def field(request: g.CreateGameRequest) -> str:
            found = await refused(ann.games.CreateGame(request, metadata=ann.metadata))
            assert means(found, "INVALID_ARGUMENT")
            return found.metadata["field"]

        good = config_pb2.GameConfig(seats=[OPEN, OPEN])
        assert await field(g.CreateGameRequest()) == "config.seats"
        assert await field(g.CreateGameRequest(config=good, seed=b"short")) == "seed"
        assert await field(g.CreateGameRequest(config=good, seed=bytes(32), salt=b"s")) == "salt"
        long = g.CreateGameRequest(config=good, request_id="x" * 65)
        assert await field(long) == "request_id"
        named = g.CreateGameRequest(config=good, game_id="mine")
        found = await refused(ann.games.CreateGame(named, metadata=ann.metadata))
        assert means(found, "NOT_ALLOWED")
        operator = (*ann.metadata, *OPERATOR)
        assert (await ann.games.CreateGame(named, metadata=operator)).game.game_id == "mine"
        found = await refused(ann.games.CreateGame(named, metadata=operator))
        assert means(found, "ALREADY_EXISTS")
        named.game_id = "not/a name"
        found = await refused(ann.games.CreateGame(named, metadata=operator))
        assert means(found, "INVALID_ARGUMENT")


async def test_a_message_that_is_too_large_is_refused_with_its_reason(server: Server) -> None:
    async with Client(server.address, "ann") as ann:
        request = g.GetGameRequest(game_id="x" * (1 << 20))
        found = await refused(ann.games.GetGame(request, metadata=ann.metadata))
        assert means(found, "TOO_LARGE")
        call = ann.play.Play(metadata=ann.metadata)
        await call.write(p.PlayRequest(commands=[p.PlayCommand(game_id="x" * (1 << 20))]))
        with pytest.raises(grpc.aio.AioRpcError) as error:
            await call.read()
        assert means(parts_of(error.value), "TOO_LARGE")


async def test_bytes_that_are_no_message_are_refused_with_a_reason(server: Server) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        call: Any = channel.unary_unary("/endless_winter.v1.GameService/GetGame")
        assert means(await refused(call(b"\xff\xff\xff")), "INVALID_ARGUMENT")
        missing: Any = channel.unary_unary("/endless_winter.v1.GameService/NoSuchMethod")
        assert means(await refused(missing(b"")), "NOT_SUPPORTED")
        nowhere: Any = channel.unary_unary("/endless_winter.v1.NoSuchService/Method")
        assert means(await refused(nowhere(b"")), "NOT_SUPPORTED")
        later: Any = channel.stream_stream("/endless_winter.v1.PlayService/NoSuchStream")

        async def streamed() -> None:
            call = later()
            await call.write(b"")  # the refusal must not overtake it
            await call.read()

        for refusal in await asyncio.gather(*(refused(streamed()) for _ in range(20))):
            assert means(refusal, "NOT_SUPPORTED")
