"""``ew contract``: the contract for tools of other languages."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from google.protobuf.descriptor import FileDescriptor
    from google.protobuf.descriptor_pb2 import FileDescriptorSet

FILE = "contract.binpb"


@click.command()
@click.option(
    "--descriptor-set",
    type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
    metavar="FILE",
    help="Write a FileDescriptorSet to FILE; - is the standard output.",
)
def contract(*, descriptor_set: Path | None) -> None:
    """Print the folder of the proto files, or write them as one descriptor set.

    The folder is what protoc takes by -I; the files are in endless_winter/v1 in it. The descriptor
    set holds the same with all comments, everything that they import, and google.rpc.Status and
    ErrorInfo, of which refusals are made: what buf, protoc (--descriptor_set_in), grpcurl
    (-protoset) and other tools read instead of proto files.

    \b
    For example:
      protoc -I "$(ew contract)" --java_out=gen endless_winter/v1/play_service.proto
      ew contract --descriptor-set contract.binpb
      buf generate contract.binpb --template buf.gen.yaml
    """  # noqa: D301 # click's own mark
    folder = resources.files("endless_winter.v1")
    if descriptor_set is None:
        with resources.as_file(folder) as found:
            click.echo(found.parents[1])
        return
    try:
        built = folder.joinpath(FILE).read_bytes()
        data = _with_refusals(built).SerializeToString()
        with click.open_file(str(descriptor_set), "wb") as file:
            file.write(data)
    except OSError as error:
        raise click.ClickException(f"cannot use {error.filename}: {error.strerror}") from error


def _with_refusals(built: bytes) -> FileDescriptorSet:
    """What the build made of our files, and what ErrorInfo needs; dependencies come first."""
    from google.protobuf.descriptor_pb2 import FileDescriptorSet  # noqa: PLC0415 # when needed
    from google.rpc import error_details_pb2, status_pb2  # noqa: PLC0415

    files = FileDescriptorSet.FromString(built)
    known = {file.name for file in files.file}

    def add(file: FileDescriptor) -> None:
        if file.name not in known:
            known.add(file.name)
            for needed in file.dependencies:
                add(needed)
            files.file.add().ParseFromString(file.serialized_pb)

    add(status_pb2.DESCRIPTOR)
    add(error_details_pb2.DESCRIPTOR)
    return files
