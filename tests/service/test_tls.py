"""TLS and mTLS on real sockets, and what is refused without them."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING

import grpc
import pytest
import trustme

from endless_winter.cli.health import NoAnswer, Probe
from endless_winter.cli.process import COMMAND, running
from tests.foundations.tree import EW, passed, run

if TYPE_CHECKING:
    from pathlib import Path


PATIENCE = 60
SLOW = ("--timeout", str(PATIENCE))


class Files:
    """An authority, a server's certificate and a client's, as files."""

    def __init__(self, folder: Path, name: str = "ours") -> None:
        authority = trustme.CA()
        server = authority.issue_cert("127.0.0.1", "localhost")
        client = authority.issue_cert("bot@example.org")
        self.ca = folder / f"{name}-ca.pem"
        self.cert = folder / f"{name}-cert.pem"
        self.key = folder / f"{name}-key.pem"
        self.client_cert = folder / f"{name}-client-cert.pem"
        self.client_key = folder / f"{name}-client-key.pem"
        authority.cert_pem.write_to_path(str(self.ca))
        server.private_key_pem.write_to_path(str(self.key))
        for blob in server.cert_chain_pems:
            blob.write_to_path(str(self.cert), append=True)
        client.private_key_pem.write_to_path(str(self.client_key))
        for blob in client.cert_chain_pems:
            blob.write_to_path(str(self.client_cert), append=True)

    @property
    def server_flags(self) -> tuple[str, ...]:
        return ("--tls-cert", str(self.cert), "--tls-key", str(self.key))

    def channel(self, *, client: bool = False) -> grpc.ChannelCredentials:
        if not client:
            return grpc.ssl_channel_credentials(self.ca.read_bytes())
        return grpc.ssl_channel_credentials(
            self.ca.read_bytes(), self.client_key.read_bytes(), self.client_cert.read_bytes()
        )


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_a_client_that_trusts_the_authority_is_served_and_nobody_in_the_clear(
    files: Files, tmp_path: Path
) -> None:
    stranger = Files(tmp_path, "strange")
    with running((*COMMAND, *files.server_flags)) as server:
        with Probe(server.address, timeout=PATIENCE, credentials=files.channel()) as probe:
            assert probe.health() == "SERVING"
        for wrong in (None, stranger.channel()):
            with (
                Probe(server.address, timeout=3, credentials=wrong) as probe,
                pytest.raises(NoAnswer),
            ):
                probe.health()
        said = passed(run(EW, "health", server.address, *SLOW, "--tls-ca", str(files.ca)))
        assert said == f"ew health: {server.address} is SERVING\n"


def test_with_a_client_authority_only_its_certificates_get_in(files: Files, tmp_path: Path) -> None:
    stranger = Files(tmp_path, "strange")
    mutual = (*COMMAND, *files.server_flags, "--tls-client-ca", str(files.ca))
    with running(mutual) as server:
        trusted = files.channel(client=True)
        with Probe(server.address, timeout=PATIENCE, credentials=trusted) as probe:
            assert probe.health() == "SERVING"
        foreign = grpc.ssl_channel_credentials(
            files.ca.read_bytes(),
            stranger.client_key.read_bytes(),
            stranger.client_cert.read_bytes(),
        )
        for wrong in (files.channel(), foreign):
            with (
                Probe(server.address, timeout=3, credentials=wrong) as probe,
                pytest.raises(NoAnswer),
            ):
                probe.health()
        own = ("--tls-cert", str(files.client_cert), "--tls-key", str(files.client_key))
        passed(run(EW, "health", server.address, *SLOW, "--tls-ca", str(files.ca), *own))


def test_with_tls_every_interface_may_be_served(files: Files) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run(EW, "serve", "--listen", f"0.0.0.0:{port}", *files.server_flags)
    assert done.returncode == 1  # past the check of the flags: it tried to listen
    assert "cannot listen" in done.stderr


def test_without_tls_other_machines_are_shut_out_unless_it_is_insecure() -> None:
    done = run(EW, "serve", "--listen", "0.0.0.0:1")
    assert done.returncode == 2
    assert "there is no TLS" in done.stderr
    assert done.stderr.count("\n") == 1


def test_half_or_broken_certificates_cost_one_line(files: Files, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pem"
    broken.write_text("nothing")
    for flags in (
        ("--tls-cert", str(files.cert)),
        ("--tls-key", str(files.key)),
        ("--tls-client-ca", str(files.ca)),
        ("--tls-cert", str(broken), "--tls-key", str(files.key)),
        ("--tls-cert", str(files.cert), "--tls-key", str(files.client_key)),
        ("--tls-cert", str(tmp_path / "none.pem"), "--tls-key", str(files.key)),
        (*files.server_flags, "--tls-client-ca", str(broken)),
    ):
        done = run(EW, "serve", "--listen", "127.0.0.1:0", *flags)
        assert done.returncode == 2, flags
        assert done.stderr.count("\n") == 1, done.stderr
