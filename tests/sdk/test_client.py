"""The synchronous client: whole games against a real server, failures on a fake channel."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import grpc
import grpc_testing  # type: ignore[import-untyped]
import pytest
from google.protobuf import any_pb2
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from endless_winter.cli.process import COMMAND, running
from endless_winter.sdk import IllegalChoice, LocalTable, NotThisGame, SdkError
from endless_winter.sdk import client as sdk_client
from endless_winter.sdk.client import Client
from endless_winter.sdk.errors import Refused, ServerGone, WrongServer
from endless_winter.v1 import (
    arena_service_pb2,
    catalog_service_pb2,
    config_pb2,
    game_pb2,
    game_service_pb2,
    play_service_pb2,
    result_pb2,
    server_info_pb2,
    update_pb2,
)
from endless_winter.v1 import rejection_pb2 as r
from tests.sdk.arena import attached, steady

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from endless_winter.cli.process import Server
    from endless_winter.sdk.seen import Seen

SERVICES = {
    name: module.DESCRIPTOR.services_by_name[name]
    for name, module in (
        ("ArenaService", arena_service_pb2),
        ("CatalogService", catalog_service_pb2),
        ("GameService", game_service_pb2),
        ("PlayService", play_service_pb2),
    )
}
SUBMIT = SERVICES["PlayService"].methods_by_name["SubmitMove"]
GET_GAME = SERVICES["GameService"].methods_by_name["GetGame"]
GET_INFO = SERVICES["CatalogService"].methods_by_name["GetServerInfo"]


# --- against a real server ---


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    flags = ("--synchronous", "off", "--operator-token", "the-operators-token")
    with running((*COMMAND, *flags)) as found:
        yield found


def test_two_scripts_play_a_whole_game(server: Server) -> None:
    with Client(server.address) as ann, Client(server.address) as bob:
        game = ann.create(players=2, seed=4)
        assert game.seed_from_creator
        seats = {
            client.join(game.game_id, name=name): client
            for client, name in ((ann, "Ann"), (bob, "Bob"))
        }
        assert sorted(seats) == [0, 1]
        assert ann.look(game.game_id, 0).owes_ready
        for seat, client in seats.items():
            client.ready(game.game_id, seat)
        results = {}

        def play(seat: int) -> None:
            client = seats[seat]
            while True:
                seen = client.wait(game.game_id, seat)
                assert seen is not None
                if seen.result is not None:
                    results[seat] = seen.result
                    return
                assert seen.decision is not None
                assert seen.view is not None
                assert seen.view.seat == seen.view.private.seat == seat
                chosen = steady(seen.decision, seen.view)
                accepted = client.submit(seen.decision, chosen)
                assert accepted.text == chosen.text

        threads = [threading.Thread(target=play, args=(seat,)) for seat in (0, 1)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(240)
        assert results[0].raw == results[1].raw
        assert results[0].completed
        frames = list(ann.replay(game.game_id))
        assert frames[-1].seq == ann.game(game.game_id).seq
        assert len(list(bob.replay(game.game_id, 1))) == len(frames)
        assert list(bob.replay(game.game_id, omniscient=True))[-1].HasField("omniscient_view")
        assert [seat.status for seat in bob.my_seats(ended=True)] == [game_pb2.GAME_STATUS_ENDED]
        assert list(bob.my_seats()) == []


def test_games_are_found_joined_left_and_aborted(server: Server) -> None:
    with Client(server.address) as ann, Client(server.address) as bob:
        config = config_pb2.GameConfig(
            seats=[config_pb2.SeatConfig(), config_pb2.SeatConfig()], tags=["of this test"]
        )
        game = ann.create(config=config)
        assert [one.game_id for one in bob.games(joinable=True, tag="of this test")] == [
            game.game_id
        ]
        assert bob.join(game.game_id, 1) == 1
        assert [seat.game_id for seat in bob.my_seats()] == [game.game_id]
        with pytest.raises(Refused) as caught:
            ann.join(game.game_id, 1)
        assert caught.value.reason == r.REJECTION_REASON_SEAT_TAKEN
        assert not bob.leave(game.game_id, 1).seats[1].taken
        assert ann.abort(game.game_id).status == game_pb2.GAME_STATUS_ENDED
        assert ann.look(game.game_id).view is None


def test_the_same_secret_is_the_same_player(server: Server) -> None:
    with Client(server.address) as first:
        game = first.create()
        seat = first.join(game.game_id)
        secret = first.secret
    with Client(server.address, secret) as again:
        assert [(one.game_id, one.seat) for one in again.my_seats()] == [(game.game_id, seat)]
        again.abort(game.game_id)
    with (
        Client(server.address) as stranger,
        pytest.raises(Refused, match="NOT_ALLOWED"),
    ):
        stranger.look(game.game_id, seat)


def test_a_wait_that_the_server_cuts_short_is_no_busy_loop(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 0.0
    pauses: list[float] = []
    calls = 0

    def sleep(seconds: float) -> None:
        nonlocal now
        pauses.append(seconds)
        now += seconds

    clock = SimpleNamespace(monotonic=lambda: now, sleep=sleep)
    monkeypatch.setattr(sdk_client, "time", clock)
    with Client(server.address) as one:
        game = one.create(players=2)
        seat = one.join(game.game_id)
        nothing = one.look(game.game_id, seat)

        def at_once(*_: object, **__: object) -> Seen:
            nonlocal calls
            calls += 1
            return nothing

        monkeypatch.setattr(one, "_seen", at_once)
        assert one.wait(game.game_id, seat, timeout=1.125) is None
    assert pauses == [0.25, 0.25, 0.25, 0.25, 0.125]
    assert calls == len(pauses) + 1


def test_wrong_choices_and_undo(server: Server) -> None:
    with Client(server.address) as one:
        config = config_pb2.GameConfig(
            seats=[config_pb2.SeatConfig(), config_pb2.SeatConfig()], undo_allowed=True
        )
        game = one.create(config=config)
        for seat in (0, 1):
            one.join(game.game_id, seat)
        for seat in (0, 1):
            one.ready(game.game_id, seat)

        def pending() -> Seen:
            found = [one.look(game.game_id, seat) for seat in (0, 1)]
            return next(seen for seen in found if seen.decision is not None)

        decision = pending().decision
        assert decision is not None
        with pytest.raises(IllegalChoice, match="no option 'nonsense'"):
            one.submit(decision, "nonsense")
        other = 1 - decision.seat
        assert one.wait(game.game_id, other, timeout=0.05) is None
        undone = False
        while not undone:
            seen = pending()
            assert seen.decision is not None
            if seen.decision.can_undo:
                one.undo(seen.decision)
                undone = True
            else:
                one.submit(seen.decision)
        with pytest.raises(Refused) as caught:
            one.submit(decision)
        assert caught.value.name == "STALE_DECISION"
        assert (
            caught.value.pending_decision_id is None
            or caught.value.pending_decision_id > decision.id
        )


def test_a_bot_is_asked_for_by_name(server: Server) -> None:
    with attached(steady, server.address, "friend"), Client(server.address) as client:
        assert [bot.name for bot in client.bots()] == ["friend"]
        game = client.create(players=3, bots=["friend"])
        assert [seat.kind for seat in game.seats] == [
            config_pb2.SEAT_KIND_OPEN,
            config_pb2.SEAT_KIND_OPEN,
            config_pb2.SEAT_KIND_BOT,
        ]
        client.abort(game.game_id)
    with Client(server.address) as client, pytest.raises(NotThisGame, match="3 bots for 2 seats"):
        client.create(players=2, bots=["a", "b", "c"])


def test_the_catalogue_is_that_of_the_server(server: Server) -> None:
    with Client(server.address) as client:
        info = client.server()
        assert client.catalog().content_hash == info.content_hash
        assert client.catalog(info.content_hash) is client.catalog()
        with pytest.raises(Refused) as caught:
            client.catalog("0" * 64)
        assert caught.value.reason == r.REJECTION_REASON_NOT_FOUND


# --- on a fake channel ---


class Fake:
    """A client on a channel whose other end is the test."""

    def __init__(self, **more: Any) -> None:
        clock = grpc_testing.strict_real_time()
        self.channel = grpc_testing.channel(SERVICES.values(), clock)
        self.client = Client("127.0.0.1:1", channel=self.channel, **more)
        self._pool = ThreadPoolExecutor(1)

    def call(self, function: Callable[[], Any]) -> Any:
        return self._pool.submit(function)

    def answer(
        self,
        method: Any,
        response: Any = None,
        code: grpc.StatusCode = grpc.StatusCode.OK,
        details: str = "",
        trailing: Any = (),
    ) -> Any:
        """Take the next call of a method and end it; the request."""
        _, request, call = self.channel.take_unary_unary(method)
        call.send_initial_metadata(())
        call.terminate(response, trailing, code, details)
        return request


def refusal(name: str, **more: str) -> dict[str, Any]:
    """How a server refuses."""
    detail = any_pb2.Any()
    info = error_details_pb2.ErrorInfo(reason=name, domain="endless_winter.v1", metadata=more)
    detail.Pack(info)
    status = rpc_status.to_status(status_pb2.Status(code=9, message="in words", details=[detail]))
    return {
        "code": status.code,
        "details": status.details,
        "trailing": status.trailing_metadata,
    }


def failing(**how: Any) -> SdkError:
    """What a call that fails so raises, with no patience at all."""
    fake = Fake(patience=0.0)
    asked = fake.call(lambda: fake.client.game("g"))
    fake.answer(GET_GAME, **how)
    with pytest.raises(SdkError) as caught:
        asked.result(30)
    assert "\n" not in str(caught.value)
    return caught.value


REASONS = [name for name, number in r.RejectionReason.items() if number]


@pytest.mark.parametrize("name", REASONS)
def test_each_reason_is_recognised_by_its_number(name: str) -> None:
    error = failing(**refusal(name.removeprefix("REJECTION_REASON_")))
    if name == "REJECTION_REASON_CONTRACT_UNSUPPORTED":
        assert isinstance(error, WrongServer)
        return
    assert isinstance(error, Refused)
    assert error.reason == r.RejectionReason.Value(name)
    assert error.name in str(error)
    assert error.message == "in words"


def test_a_refusal_has_its_details() -> None:
    error = failing(
        **refusal(
            "ILLEGAL_OPTION",
            field="answer",
            pending_decision_id="12",
            wrong_answers_left="3",
            retry_after_ms="250",
        )
    )
    assert isinstance(error, Refused)
    assert (error.field, error.pending_decision_id) == ("answer", 12)
    assert (error.wrong_answers_left, error.retry_after_ms) == (3, 250)


def test_a_reason_of_the_future_is_still_a_refusal() -> None:
    error = failing(**refusal("OUT_OF_MAMMOTHS"))
    assert isinstance(error, Refused)
    assert error.reason == r.REJECTION_REASON_UNSPECIFIED
    assert "in words" in str(error)


@pytest.mark.parametrize(
    ("code", "details", "kind", "words"),
    [
        (
            grpc.StatusCode.UNAVAILABLE,
            "failed to connect to all addresses; last error: connect: Connection refused (111)",
            ServerGone,
            r"no server answers at 127.0.0.1:1 \(Connection refused \(111\)\)",
        ),
        (grpc.StatusCode.DEADLINE_EXCEEDED, "", ServerGone, "did not answer in time"),
        (grpc.StatusCode.UNIMPLEMENTED, "Method not found!", WrongServer, "no Endless Winter"),
        (grpc.StatusCode.CANCELLED, "", ServerGone, "cut off"),
        (
            grpc.StatusCode.INTERNAL,
            "Internal error\nfrom Core",
            ServerGone,
            r"broke \(Internal error f",
        ),
        (
            grpc.StatusCode.DATA_LOSS,
            "a\nlong story",
            SdkError,
            r"failed \(DATA_LOSS\): a long story",
        ),
    ],
)
def test_a_failure_without_a_reason_gets_a_message(
    code: grpc.StatusCode, details: str, kind: type[SdkError], words: str
) -> None:
    error = failing(code=code, details=details)
    assert type(error) is kind
    with pytest.raises(kind, match=words):
        raise error


def test_a_call_is_repeated_under_the_same_id_until_the_server_is_back() -> None:
    fake = Fake(patience=30.0)
    config = config_pb2.GameConfig()
    asked = fake.call(lambda: fake.client.create(config=config))
    create = SERVICES["GameService"].methods_by_name["CreateGame"]
    first = fake.answer(create, code=grpc.StatusCode.UNAVAILABLE)
    second = fake.answer(create, **refusal("DRAINING", retry_after_ms="1"))
    third = fake.answer(create, **refusal("A_REASON_OF_TOMORROW", retry_after_ms="1"))
    game = game_pb2.GameInfo(game_id="made")
    last = fake.answer(create, game_service_pb2.CreateGameResponse(game=game))
    assert asked.result(30).game_id == "made"
    assert first == second == third == last
    assert first.request_id


def test_a_refusal_without_retry_after_is_raised_at_once() -> None:
    fake = Fake(patience=30.0)
    asked = fake.call(lambda: fake.client.game("g"))
    fake.answer(GET_GAME, **refusal("LIMIT_REACHED"))
    with pytest.raises(Refused, match="LIMIT_REACHED"):
        asked.result(30)


@pytest.mark.parametrize(
    ("info", "words"),
    [
        (server_info_pb2.ServerInfo(contract="chess.v9", contract_revision=9), "speaks chess.v9"),
        (server_info_pb2.ServerInfo(contract="endless_winter.v1"), "revision 0 of the contract"),
    ],
)
def test_another_contract_version_is_refused_when_the_with_block_begins(
    info: server_info_pb2.ServerInfo, words: str
) -> None:
    fake = Fake()
    asked = fake.call(fake.client.__enter__)
    fake.answer(GET_INFO, catalog_service_pb2.GetServerInfoResponse(server=info))
    with pytest.raises(WrongServer, match=words):
        asked.result(30)


def test_watching_resumes_after_the_last_update_and_gives_up_in_the_end() -> None:
    fake = Fake(patience=30.0)
    watch = SERVICES["PlayService"].methods_by_name["Watch"]
    known = LocalTable(seed=1).catalog
    feed = fake.client.watch("g")

    def take(after: int | None) -> Any:
        _, request, call = fake.channel.take_unary_stream(watch)
        assert (request.after_seq if request.HasField("after_seq") else None) == after
        call.send_initial_metadata(())
        return call

    def send(call: Any, seq: int, **more: Any) -> None:
        update = update_pb2.Update(seq=seq, **more)
        call.send_response(play_service_pb2.WatchResponse(updates=[update]))

    first = fake.call(lambda: next(feed))
    call = take(None)
    send(call, 5, game=game_pb2.GameInfo(game_id="g", content_hash=known.content_hash))
    assert first.result(30).seq == 5
    second = fake.call(lambda: next(feed))
    call.terminate((), grpc.StatusCode.UNAVAILABLE, "gone")
    take(5).terminate((), grpc.StatusCode.OK, "")  # a server that drains ends it politely
    call = take(5)
    send(call, 6)
    assert second.result(30).seq == 6
    third = fake.call(lambda: next(feed))
    fake.client._patience = 0.0
    call.terminate((), grpc.StatusCode.UNAVAILABLE, "gone")
    with pytest.raises(ServerGone, match="gone"):
        third.result(30)


def test_the_result_is_waited_for_and_watching_ends_with_it() -> None:
    fake = Fake()
    watch = SERVICES["PlayService"].methods_by_name["Watch"]
    asked = fake.call(lambda: fake.client.result("g"))
    _, _, call = fake.channel.take_unary_stream(watch)
    call.send_initial_metadata(())
    content = LocalTable(seed=1).catalog.content_hash
    update = update_pb2.Update(
        seq=9,
        game=game_pb2.GameInfo(game_id="g", content_hash=content),
        result=result_pb2.GameResult(outcome=result_pb2.GAME_OUTCOME_ABORTED),
    )
    call.send_response(play_service_pb2.WatchResponse(updates=[update]))
    assert asked.result(30).outcome == "aborted"


def test_a_wrong_address_costs_one_line() -> None:
    with pytest.raises(ServerGone, match=r"no server answers at 127\.0\.0\.1:1 "):
        Client("127.0.0.1:1", patience=0.0).server()
