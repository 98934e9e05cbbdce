"""The contract as buf and protoc see it, for all tests of this folder."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Protocol

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet

from tests.contract.schema import BUF, PROTO_ROOT, ROOT, Schema, proto_files

if TYPE_CHECKING:
    from pathlib import Path


class Buf(Protocol):
    """Runs buf in a folder."""

    def __call__(self, *arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]: ...


@pytest.fixture(scope="session")
def buf(tmp_path_factory: pytest.TempPathFactory) -> Buf:
    # An own cache: the tests need neither the user's nor the network's.
    cache = tmp_path_factory.mktemp("buf-cache")
    environment = {**os.environ, "BUF_CACHE_DIR": str(cache)}

    def run(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(BUF), *arguments],
            cwd=cwd,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )

    return run


@pytest.fixture(scope="session")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Schema:
    """The contract as protoc reads it, comments included."""
    target = tmp_path_factory.mktemp("descriptors") / "contract.binpb"
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "grpc_tools.protoc",
            f"-I{PROTO_ROOT}",
            f"--descriptor_set_out={target}",
            "--include_source_info",
            *[str(path) for path in proto_files()],
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == "", "protoc warns of unused imports and the like"
    return Schema(FileDescriptorSet.FromString(target.read_bytes()))
