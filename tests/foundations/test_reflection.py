"""Reflection of a real server: a client needs no proto files, and can read refusals too."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import grpc
import pytest
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

from endless_winter.cli.process import Server, running
from endless_winter.service import reflection
from tests.foundations.tree import BIN, passed, run

if TYPE_CHECKING:
    from collections.abc import Iterator

BUF = BIN / "buf"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running() as one:
        yield one


def test_reflection_v1_and_v1alpha_give_the_same_answers(server: Server) -> None:
    request = reflection_pb2.ServerReflectionRequest
    questions = [
        request(list_services=""),
        *(
            request(file_containing_symbol=name)
            for name in ("endless_winter.v1.PlayService", "google.rpc.ErrorInfo", "no.such.Thing")
        ),
        request(file_by_filename="endless_winter/v1/play_service.proto"),
        request(),
    ]
    with grpc.insecure_channel(server.address) as channel:
        answers = []
        for name in (reflection.ALPHA, reflection.STABLE):
            ask: Any = channel.stream_stream(f"/{name}/ServerReflectionInfo")
            written = [one.SerializeToString() for one in questions]
            answers.append(list(ask(iter(written), timeout=60)))
    assert len(answers[0]) == len(questions)
    assert answers[0] == answers[1]


def test_reflection_describes_each_service_that_it_lists_and_what_a_refusal_is_made_of(
    server: Server,
) -> None:
    """A client that knows nothing but reflection reads the reason of a refusal."""
    with grpc.insecure_channel(server.address) as channel:
        database = ProtoReflectionDescriptorDatabase(channel)
        pool = DescriptorPool(database)
        for name in database.get_services():
            assert pool.FindServiceByName(name).methods
        call: Any = channel.unary_unary("/endless_winter.v1.GameService/GetGame")
        with pytest.raises(grpc.RpcError) as error:
            call(b"", timeout=60)
        ended: Any = error.value
        trailers = dict(ended.trailing_metadata())
        status = message_of(pool, "google.rpc.Status")
        status.ParseFromString(trailers["grpc-status-details-bin"])
        (detail,) = status.details
        assert detail.TypeName() == "google.rpc.ErrorInfo"
        info = message_of(pool, detail.TypeName())
        assert detail.Unpack(info)
        assert (info.domain, info.reason) == ("endless_winter.v1", "GAME_NOT_FOUND")


def message_of(pool: DescriptorPool, name: str) -> Any:
    return GetMessageClass(pool.FindMessageTypeByName(name))()


def test_buf_curl_calls_a_method_by_reflection_v1_alone(server: Server) -> None:
    method = f"http://{server.address}/endless_winter.v1.CatalogService/GetServerInfo"
    said = passed(
        run(BUF, "curl", "--protocol", "grpc", "--reflect-protocol", "grpc-v1", "-d{}", method)
    )
    assert json.loads(said)["server"]["contract"] == "endless_winter.v1"
