"""The contract for other languages: the proto files, a descriptor set, and code made from them."""

from __future__ import annotations

import os
import re
import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2

from endless_winter.service import contract
from endless_winter.v1 import game_service_pb2, rejection_pb2
from tests.foundations.tree import BIN, EW, ROOT, passed, run
from tests.service.wire import Pair, refused, served

if TYPE_CHECKING:
    from pathlib import Path

PYTHON, _MARK, _REST = (ROOT / "buf.gen.yaml").read_text(encoding="utf-8").partition("  # C++")
CPP = _MARK + _REST
STEMS = [file.name.removesuffix(".proto") for file in contract.files()]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    file = tmp_path / "contract.binpb"
    passed(run(EW, "contract", "--descriptor-set", file))
    return file


def test_the_descriptor_set_is_complete_and_in_order(written: Path) -> None:
    files = FileDescriptorSet.FromString(written.read_bytes()).file
    pool = DescriptorPool()
    for file in files:
        pool.Add(file)  # each needs those before it, and no others
    ours = {file.name for file in contract.files()}
    assert ours <= {file.name for file in files}
    for file in files:
        if file.name in ours:
            comments = [one for one in file.source_code_info.location if one.leading_comments]
            assert comments, f"{file.name} has lost its comments"
    info_sent = error_details_pb2.ErrorInfo(reason="GAME_NOT_FOUND", metadata={"field": "game_id"})
    info = GetMessageClass(pool.FindMessageTypeByName("google.rpc.ErrorInfo"))
    assert str(info.FromString(info_sent.SerializeToString())) == str(info_sent)


def test_the_folder_is_one_that_protoc_can_use(tmp_path: Path) -> None:
    folder = passed(run(EW, "contract")).strip()
    protoc = (sys.executable, "-m", "grpc_tools.protoc", f"-I{folder}", f"--python_out={tmp_path}")
    passed(run(*protoc, "endless_winter/v1/play_service.proto"))
    assert (tmp_path / "endless_winter" / "v1" / "play_service_pb2.py").exists()


def test_a_file_that_cannot_be_written_costs_one_line(tmp_path: Path) -> None:
    done = run(EW, "contract", "--descriptor-set", tmp_path / "nowhere" / "file")
    assert done.returncode == 1
    assert done.stderr == f"ew: cannot use {tmp_path}/nowhere/file: No such file or directory\n"


def generated(descriptors: Path, template: str) -> Path:
    """Where buf puts what it makes of the descriptor set."""
    folder = descriptors.parent
    (folder / "buf.gen.yaml").write_text(template)
    env = {**os.environ, "PATH": os.pathsep.join((str(BIN), os.environ.get("PATH", "")))}
    passed(run(BIN / "buf", "generate", descriptors, cwd=folder, env=env))
    return folder / "gen"


def test_buf_generates_python_from_the_descriptor_set(written: Path) -> None:
    made = generated(written, PYTHON) / "python"
    assert all((made / f"{stem}_pb2.py").exists() for stem in STEMS)
    assert all((made / f"{stem}_pb2.pyi").exists() for stem in STEMS)


@pytest.mark.skipif(
    not (shutil.which("protoc") and shutil.which("grpc_cpp_plugin")),
    reason="NO protoc OR NO grpc_cpp_plugin HERE: the C++ part of buf.gen.yaml IS NOT TESTED",
)
def test_buf_generates_cpp_from_the_descriptor_set(written: Path) -> None:
    made = generated(written, PYTHON + CPP) / "cpp"
    assert all((made / f"{stem}.pb.h").exists() for stem in STEMS)
    assert all((made / f"{stem}.grpc.pb.h").exists() for stem in STEMS)


def test_each_key_of_a_refusal_is_documented() -> None:
    guide = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    table = guide.partition("| key | value |\n| --- | --- |\n")[2].partition("\n\n")[0]
    keys = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    fields = {field.name for field in rejection_pb2.Rejection.DESCRIPTOR.fields}
    assert keys == fields - {"reason", "message", "seq"}


async def test_a_refusal_carries_its_keys(tmp_path: Path) -> None:
    """Those that a wrong answer has; limits and drains say when to come back."""
    with served(tmp_path, "--creates-per-minute", "1", "--create-burst", "1") as server:
        async with Pair(server.address) as pair:
            await pair.started()
            seat, decision = await pair.pending()
            wrong = pair.submit(seat, decision_id=decision.decision_id, option_id=2**32 - 1)
            found = await refused(wrong)
            assert found.reason == "ILLEGAL_OPTION"
            assert found.metadata.keys() == {"pending_decision_id", "wrong_answers_left"}
            assert found.metadata["pending_decision_id"] == str(decision.decision_id)
            found = await refused(pair.ann.create(2))
            assert found.metadata.keys() == {"retry_after_ms"}
            games = pair.ann.games.ListGames(
                game_service_pb2.ListGamesRequest(page_token="x"), metadata=pair.ann.metadata
            )
            assert (await refused(games)).metadata == {"field": "page_token"}
