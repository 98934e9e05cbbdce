"""A server whose database fails while games are played: nothing is lost, and it comes back."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import closing, suppress
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest

from endless_winter.cli.process import COMMAND
from endless_winter.sdk import play_local
from endless_winter.sdk.client import Client
from endless_winter.sdk.errors import Refused, SdkError
from endless_winter.store.postgres import upkeep
from endless_winter.store.postgres.store import PostgresStore
from endless_winter.v1 import rejection_pb2 as reasons
from tests.foundations.tree import EW, run
from tests.sdk.arena import attached, seats, steady
from tests.sdk.proxy import Proxy
from tests.service.hosting import LOG, hosted, log_lines
from tests.store.database import PASSWORD, Database, execute

if TYPE_CHECKING:
    from pathlib import Path

END_BACKENDS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


def reach(client: Client, game_id: str, seq: int) -> int:
    """Wait until a game has so many entries."""
    for seen in client.watch(game_id):
        if seen.seq >= seq:
            return seen.seq
    raise AssertionError("the game has ended")


def test_a_database_that_is_killed_and_cut_off_costs_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Database() as database, Proxy(f"127.0.0.1:{database.port}") as line:
        port = int(line.address.rpartition(":")[2])
        monkeypatch.setenv("EW_STORE", database.url("postgres", port=port))
        with hosted(tmp_path) as server:
            where = server.address
            with (
                attached(steady, where, "one"),
                attached(steady, where, "two"),
                Client(where, patience=60.0) as client,
            ):
                game_id = client.create(seed=7, config=seats("one", "two")).game_id
                seq = reach(client, game_id, 40)
                database.kill()
                with Client(where, patience=0.0) as hasty, pytest.raises(Refused) as refused:
                    hasty.look(game_id)
                assert refused.value.reason == reasons.REJECTION_REASON_STORE_UNAVAILABLE
                database.start()
                seq = reach(client, game_id, seq + 40)
                execute(database.url("postgres"), END_BACKENDS)
                seq = reach(client, game_id, seq + 40)
                line.cut()
                result = client.result(game_id)
            assert server.stop() == 0
        assert result.raw.seats == play_local([steady] * 2, seed=7).raw.seats
        assert list(upkeep.problems(database.url("postgres"))) == []
    events = [entry["event"] for entry in log_lines(tmp_path)]
    assert "the store can be written again, and the clocks go on" in events
    said = (tmp_path / LOG).read_text()
    assert PASSWORD not in said
    assert "p%25ss" not in said


def test_a_password_on_the_command_line_is_refused_and_shown_nowhere() -> None:
    for command in (["serve", "--store"], ["store", "check"]):
        done = run(EW, *command, "postgresql://ew:hunter2@127.0.0.1:1/x")
        assert done.returncode != 0
        assert "others on this machine can read the command line" in done.stderr
        assert "hunter2" not in done.stderr + done.stdout


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("postgresql://ew:hunter2@127.0.0.1:1/x", "cannot reach postgresql://ew@127.0.0.1:1/x"),
        ("postgresql://ew:hunter2%zz@127.0.0.1/x", "cannot read the address of the database"),
        ("postgresql://ew:hunter2@127.0.0.1:1/x?nonsense=hunter2", "cannot read the address"),
    ],
)
def test_a_database_that_cannot_be_reached_costs_one_line(address: str, said: str) -> None:
    done = run(*COMMAND, env={**os.environ, "EW_STORE": address})
    assert done.returncode == 1
    assert said in done.stderr
    assert "hunter2" not in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_a_wrong_password_is_not_shown(database: str) -> None:
    parts = urlsplit(database)
    wrong = parts._replace(netloc=f"ew:hunter2@{parts.hostname}:{parts.port}").geturl()
    done = run(*COMMAND, env={**os.environ, "EW_STORE": wrong})
    assert done.returncode == 1
    assert "password authentication failed" in done.stderr
    assert "hunter2" not in done.stderr


def test_without_psycopg_a_server_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "psycopg.py").write_text("raise ImportError('no pq wrapper available')")
    done = run(
        *COMMAND,
        env={**os.environ, "EW_STORE": "postgresql://ew@127.0.0.1/x", "PYTHONPATH": str(tmp_path)},
    )
    assert done.returncode == 1
    assert "needs psycopg: pip install 'endless-winter[postgres]'" in done.stderr


def test_a_replica_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with Database() as database:
        database.stop()
        (database.data / "standby.signal").touch()
        database.start()
        monkeypatch.setenv("EW_STORE", database.url("postgres"))
        done = run(*COMMAND)
    assert done.returncode == 1
    assert "it is a replica (standby); connect to the primary" in done.stderr


class Pooler:
    """Stands before a database and gives each connection a process number of its own, as poolers
    in transaction mode do: it is not that of the process behind it.
    """

    def __init__(self, port: int) -> None:
        self._port = port
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        client, _ = self._door.accept()
        server = socket.create_connection(("127.0.0.1", self._port))
        threading.Thread(target=self._pass, args=(client, server), daemon=True).start()
        with client, server:
            while data := server.recv(65536):
                at = data.find(b"K\0\0\0\x0c")  # BackendKeyData
                if at >= 0:
                    data = data[: at + 5] + b"\0\0\0\x01" + data[at + 9 :]
                client.sendall(data)

    @staticmethod
    def _pass(client: socket.socket, server: socket.socket) -> None:
        try:
            while data := client.recv(65536):
                server.sendall(data)
            server.shutdown(socket.SHUT_WR)
        except OSError:
            return

    def close(self) -> None:
        self._door.close()


def test_a_pooler_in_transaction_mode_is_refused(database: str) -> None:
    parts = urlsplit(database)
    assert parts.port is not None
    with closing(Pooler(parts.port)) as pooler:
        netloc = parts.netloc.replace(f":{parts.port}", f":{pooler.port}")
        url = parts._replace(netloc=netloc, query="sslmode=disable").geturl()
        done = run(*COMMAND, env={**os.environ, "EW_STORE": url})
    assert done.returncode == 1
    assert "there is a pooler in transaction mode before it" in done.stderr


def test_a_server_stops_when_another_database_has_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It holds games in memory that the other one may not have."""
    with Database() as one, Database() as other, Proxy(f"127.0.0.1:{one.port}") as line:
        port = int(line.address.rpartition(":")[2])
        monkeypatch.setenv("EW_STORE", one.url("postgres", port=port))
        with hosted(tmp_path) as server, Client(server.address) as client:
            client.create(config=seats("", ""))
            line.target = ("127.0.0.1", other.port)
            with running_store(other):
                line.cut()
                with suppress(SdkError):  # it may be refused, or the first game of the other one
                    client.create(config=seats("", ""))
                assert server.process.wait(60) == 1
    assert "stopped, so that the next start reads every game anew" in (tmp_path / LOG).read_text()


def running_store(database: Database) -> PostgresStore:
    """The tables of a store, as a standby has them."""
    return PostgresStore.open(database.url("postgres"))
