"""A real server process, from its first line to its drain."""

from __future__ import annotations

import signal
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import grpc
import pytest
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from endless_winter.cli.health import NoAnswer, Probe
from endless_winter.cli.process import Server, running
from endless_winter.service import contract, reflection
from endless_winter.service.address import Address, AddressError, parse
from endless_winter.v1 import replay_pb2, replay_service_pb2, replay_service_pb2_grpc
from tests.foundations.tree import EW, passed, run
from tests.service.logs import eventful, stored_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from google.protobuf.descriptor import FileDescriptor, ServiceDescriptor

COMMAND = (str(EW), "serve", "--listen", "127.0.0.1:0")


@pytest.fixture
def server() -> Iterator[Server]:
    with running(COMMAND) as server:
        yield server


def test_the_first_line_is_the_address_and_the_server_is_ready(server: Server) -> None:
    with Probe(server.address, timeout=60) as probe:
        assert probe.health() == "SERVING"


def test_ew_health_says_so_in_one_line(server: Server) -> None:
    said = passed(run(EW, "health", server.address, "--timeout", "60"))
    assert said == f"ew health: {server.address} is SERVING\n"


def test_only_services_that_exist_are_offered(server: Server) -> None:
    with Probe(server.address, timeout=60) as probe:
        offered = set(probe.services())
    services = {name: s for file in contract.files() for name, s in services_of(file).items()}
    assert "grpc.health.v1.Health" in offered
    ours = {name for name in offered if name.startswith("endless_winter.")}
    assert ours <= services.keys()
    assert offered - ours == {"grpc.health.v1.Health", reflection.ALPHA, reflection.STABLE}
    with grpc.insecure_channel(server.address) as channel:
        for name in services.keys() - offered:
            path = f"/{name}/{services[name].methods[0].name}"
            call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(path)
            with pytest.raises(grpc.RpcError, match="UNIMPLEMENTED"):
                call(b"", timeout=60)


def services_of(file: FileDescriptor) -> dict[str, ServiceDescriptor]:
    return {service.full_name: service for service in file.services_by_name.values()}


def test_reflection_describes_every_file_of_the_contract(server: Server) -> None:
    names = {
        name: file
        for file in contract.files()
        for name in (
            *(message.full_name for message in file.message_types_by_name.values()),
            *(enum.full_name for enum in file.enum_types_by_name.values()),
            *(service.full_name for service in file.services_by_name.values()),
        )
    }
    assert names
    with Probe(server.address, timeout=60) as probe:
        described = probe.files_with([*names, "endless_winter.v1.NoSuchThing"])
    assert described.keys() == names.keys()
    for name, file in names.items():
        assert described[name].SerializeToString() == file.serialized_pb


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_drains_health_first_and_ends_with_status_0(number: signal.Signals) -> None:
    with running(COMMAND) as server, grpc.insecure_channel(server.address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        watch = stub.Watch(health_pb2.HealthCheckRequest(), timeout=60)
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        server.process.send_signal(number)
        assert next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING
        watch.cancel()
        assert server.process.wait(60) == 0
        assert server.process.stdout is not None
        assert server.process.stdout.read() == "ew serve: drained, stopped\n"


def test_a_call_in_flight_goes_on_while_the_server_drains(tmp_path: Path) -> None:
    """A call of ours, which holds a drain however slowly we read; reflection holds none."""
    log = eventful()
    stored_in(tmp_path / "endless-winter.db", log)
    patient = running((*COMMAND, "--grace", "120"), folder=tmp_path)
    with patient as server, grpc.insecure_channel(server.address) as channel:
        health_stub: Any = health_pb2_grpc.HealthStub(channel)
        replay_stub: Any = replay_service_pb2_grpc.ReplayServiceStub(channel)
        wanted = replay_service_pb2.StreamReplayRequest(
            game_id=log.game_id, perspective=replay_pb2.PERSPECTIVE_OMNISCIENT
        )
        call = replay_stub.StreamReplay(wanted, timeout=120)
        frames = list(next(call).frames)
        assert len(frames) < len(log.entries)  # the rest is more than the line holds
        watch = health_stub.Watch(health_pb2.HealthCheckRequest(), timeout=120)
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        server.process.terminate()
        assert next(watch).status == health_pb2.HealthCheckResponse.NOT_SERVING
        watch.cancel()
        while takes_new_calls(server):
            pass
        assert server.process.poll() is None
        for response in call:
            frames += response.frames
        assert [frame.seq for frame in frames] == [entry.seq for entry in log.entries]
        assert server.process.wait(60) == 0


def takes_new_calls(server: Server) -> bool:
    with Probe(server.address) as probe:
        try:
            return bool(probe.health())
        except NoAnswer:
            return False


def test_a_call_that_never_ends_holds_a_drain_only_for_the_grace_period() -> None:
    impatient = running((*COMMAND, "--grace", "0.2"))
    with impatient as server, grpc.insecure_channel(server.address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        watch = stub.Watch(health_pb2.HealthCheckRequest(), timeout=60)
        assert next(watch).status == health_pb2.HealthCheckResponse.SERVING
        assert server.stop() == 0


def test_a_busy_port_costs_one_line_and_status_1(server: Server) -> None:
    done = run(EW, "serve", "--listen", server.address)
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr == f"ew: cannot listen on {server.address}: address already in use\n"


def test_a_port_held_by_another_program_costs_one_line_too() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = run(EW, "serve", "--listen", f"127.0.0.1:{port}")
    assert done.returncode == 1
    assert done.stderr == f"ew: cannot listen on 127.0.0.1:{port}: address already in use\n"


def test_a_server_listens_on_a_unix_socket_as_well(tmp_path: Path) -> None:
    path = tmp_path / "socket"
    with running((*COMMAND, "--unix-socket", str(path)), folder=tmp_path) as server:
        for address in (f"unix:{path}", server.address):
            done = run(EW, "health", address)
            assert (done.returncode, done.stdout) == (0, f"ew health: {address} is SERVING\n")
        second = run(*COMMAND, "--unix-socket", str(path), "--store", str(tmp_path / "other.db"))
        assert second.returncode == 1
        assert second.stderr == f"ew: cannot listen on unix:{path}: a server listens there\n"
        server.process.kill()  # and leaves its socket behind
        server.process.wait()
    with running((*COMMAND, "--unix-socket", str(path)), folder=tmp_path):
        assert run(EW, "health", f"unix:{path}").returncode == 0


@pytest.mark.parametrize(
    ("path", "why"),
    [("no/such/folder", "no such file or directory"), ("x" * 120, "af_unix path too long")],
)
def test_a_unix_socket_that_cannot_be_had_costs_one_line(
    tmp_path: Path, path: str, why: str
) -> None:
    socket = tmp_path / path
    done = run(*COMMAND, "--unix-socket", str(socket), "--store", str(tmp_path / "games.db"))
    assert done.returncode == 1
    assert done.stderr == f"ew: cannot listen on unix:{socket}: {why}\n"


def test_health_of_nobody_is_one_line_and_status_1() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        done = run(EW, "health", address, "--timeout", "0.3")
    assert done.returncode == 1
    assert done.stderr.startswith(f"ew: {address}: no answer (")
    assert done.stderr.count("\n") == 1


def test_a_server_that_is_not_ready_is_one_line_and_status_1() -> None:
    with ThreadPoolExecutor(1) as threads:
        server = grpc.server(threads)
        checks = health.HealthServicer()
        checks.set("", health_pb2.HealthCheckResponse.NOT_SERVING)
        health_pb2_grpc.add_HealthServicer_to_server(checks, server)
        address = f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}"
        server.start()
        done = run(EW, "health", address, "--timeout", "60")
        server.stop(None).wait()
    assert done.returncode == 1
    assert done.stdout == f"ew health: {address} is NOT_SERVING\n"
    assert done.stderr == ""


def test_a_stopped_server_no_longer_answers(server: Server) -> None:
    assert server.stop() == 0
    with Probe(server.address, timeout=10) as probe, pytest.raises(NoAnswer, match="UNAVAILABLE"):
        probe.health()


@pytest.mark.parametrize(
    ("text", "address", "loopback"),
    [
        ("127.0.0.1:0", Address("127.0.0.1", 0), True),
        ("127.8.9.10:65535", Address("127.8.9.10", 65535), True),
        ("localhost:80", Address("localhost", 80), True),
        ("[::1]:50051", Address("::1", 50051), True),
        ("[::]:50051", Address("::", 50051), False),
        ("0.0.0.0:1", Address("0.0.0.0", 1), False),
        ("localhost.example:1", Address("localhost.example", 1), False),
    ],
)
def test_addresses_round_trip_and_know_loopback(
    text: str, address: Address, loopback: bool
) -> None:
    assert parse(text) == address
    assert str(address) == text
    assert address.is_loopback is loopback


@pytest.mark.parametrize("text", ["", ":1", "host", "host:", "host:-1", "host:65536", "host:²"])
def test_what_is_not_an_address_is_refused(text: str) -> None:
    with pytest.raises(AddressError):
        parse(text)
