"""gRPC's server reflection, v1 and v1alpha: what a client can learn without the proto files.

The library serves v1alpha only. v1 has the same messages under another package name, so the same
servicer answers both; what describes v1 is made from the description of v1alpha.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection, reflection_pb2

from endless_winter.service import contract

if TYPE_CHECKING:
    from collections.abc import Iterable

    import grpc
    from google.protobuf.descriptor import FileDescriptor

    from endless_winter.service.front import Front

ALPHA = reflection.SERVICE_NAME
STABLE = "grpc.reflection.v1.ServerReflection"


def add_to(server: grpc.aio.Server, front: Front, services: Iterable[str]) -> None:
    """Describe these services, and reflection itself."""
    servicer = reflection.aio.ReflectionServicer((*services, ALPHA, STABLE), pool=_described())
    (service,) = reflection_pb2.DESCRIPTOR.services_by_name.values()
    for name in (ALPHA, STABLE):
        front.add_foreign(server, name, service, servicer)


def _described() -> DescriptorPool:
    """The contract, what a refusal is made of (google.rpc), health and reflection."""
    pool = DescriptorPool()
    known: set[str] = set()

    def add(file: FileDescriptor) -> None:
        if file.name in known:
            return
        known.add(file.name)
        for needed in file.dependencies:
            add(needed)
        pool.Add(FileDescriptorProto.FromString(file.serialized_pb))

    others = (error_details_pb2, status_pb2, health_pb2, reflection_pb2)
    for one in (*contract.files(), *(module.DESCRIPTOR for module in others)):
        add(one)
    pool.Add(_stable())
    return pool


def _stable() -> FileDescriptorProto:
    """The file of v1alpha under the names of v1."""
    file = FileDescriptorProto.FromString(reflection_pb2.DESCRIPTOR.serialized_pb)
    old, new = file.package, STABLE.rpartition(".")[0]
    file.name = "grpc/reflection/v1/reflection.proto"
    file.package = new
    for message in file.message_type:
        for field in message.field:
            if field.type_name:  # else a number or a text
                field.type_name = field.type_name.replace(f".{old}.", f".{new}.")
    for service in file.service:
        for method in service.method:
            method.input_type = method.input_type.replace(f".{old}.", f".{new}.")
            method.output_type = method.output_type.replace(f".{old}.", f".{new}.")
    return file
