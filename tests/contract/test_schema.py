"""Rules of the contract that buf does not know."""

from __future__ import annotations

import keyword
import re
from typing import TYPE_CHECKING

import pytest
from google.protobuf.descriptor_pb2 import FieldDescriptorProto

from tests.contract.schema import CONTRACT, PACKAGE, ROOT, proto_files, short

if TYPE_CHECKING:
    from pathlib import Path

    from tests.contract.schema import Schema

# Words that a generated client could not use as they are, in one language or another.
RESERVED = {"class", "default", "delete", "function", "interface", "new", "package", "this", "type"}


@pytest.mark.parametrize("path", proto_files(), ids=lambda path: path.stem)
def test_a_file_is_plain_proto3(path: Path) -> None:
    text = path.read_text()
    assert 'syntax = "proto3";' in text
    assert "edition" not in re.sub(r"//.*", "", text)
    for target in re.findall(r'^import "(.*)";', text, re.MULTILINE):
        assert target.startswith("endless_winter/v1/"), "old protocs ship other libraries, or none"


def test_every_file_compiles_as_proto3_in_one_package(schema: Schema) -> None:
    assert len(schema.files) == len(proto_files())
    for file in schema.files:
        assert (file.syntax, file.package) == ("proto3", PACKAGE)
        assert file.options.go_package == "endless_winter/v1;endlesswinterv1"
        assert file.options.java_multiple_files


def test_a_file_is_small() -> None:
    """One concern each; the generous bound keeps a file readable in one go."""
    for path in proto_files():
        assert len(path.read_text().splitlines()) <= 700, path.name


def test_nothing_is_nested(schema: Schema) -> None:
    """So there are no maps either: protoc makes each map a nested message."""
    for message in schema.messages.values():
        assert not message.nested_type, f"{message.name}: a map or a nested message"
        assert not message.enum_type, f"{message.name}: a nested enum"


def test_there_are_no_floating_point_fields(schema: Schema) -> None:
    floats = {FieldDescriptorProto.TYPE_FLOAT, FieldDescriptorProto.TYPE_DOUBLE}
    assert [field.name for field in schema.fields() if field.field.type in floats] == []


def test_no_field_name_is_a_keyword(schema: Schema) -> None:
    assert [
        field.name
        for field in schema.fields()
        if keyword.iskeyword(field.field.name) or field.field.name in RESERVED
    ] == []


def test_enum_values_are_prefixed_dense_and_start_unspecified(schema: Schema) -> None:
    for enum in schema.enums.values():
        prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", enum.name).upper()
        assert enum.value[0].name == f"{prefix}_UNSPECIFIED"
        assert [value.number for value in enum.value] == list(range(len(enum.value))), enum.name
        assert all(value.name.startswith(f"{prefix}_") for value in enum.value)


def test_units_stand_in_the_names(schema: Schema) -> None:
    """Times are int64 with their unit; Labor is always counted in halves."""
    for field in schema.fields():
        name = field.field.name
        if name.endswith(("_ms", "_unix_ms")):
            assert field.field.type == FieldDescriptorProto.TYPE_INT64, field.name
        if re.search(r"(time|deadline|timeout_after|duration)$", name):
            pytest.fail(f"{field.name} does not say its unit")
        if "labor" in name and name != "food_labor_steps":
            assert "labor_halves" in name, field.name


def test_places_have_one_type_everywhere(schema: Schema) -> None:
    numbers = {"seat", "hex", "juncture", "space", "round"}
    for field in schema.fields():
        if field.field.name in numbers and not field.field.type_name:
            assert field.field.type == FieldDescriptorProto.TYPE_UINT32, field.name
        if field.field.name.endswith(("card_id", "animal_id", "stone_id", "chief_id", "token_id")):
            assert field.field.type == FieldDescriptorProto.TYPE_STRING, field.name


def test_seats_and_option_ids_have_explicit_presence(schema: Schema) -> None:
    """Else 0 is left out in JSON, where it looks like something that is not known."""
    numbers = re.compile(r"^(\w+_)?seat$|^option_id$|_of_seat$")
    assert [
        field.name
        for field in schema.fields()
        if numbers.search(field.field.name)
        and field.field.type == FieldDescriptorProto.TYPE_UINT32
        and field.field.label != FieldDescriptorProto.LABEL_REPEATED
        and not field.field.HasField("oneof_index")  # `optional` is a oneof of one
    ] == []


def test_every_list_call_pages(schema: Schema) -> None:
    listing = [name for name in schema.methods if name.split(".")[1].startswith("List")]
    assert listing
    for name in listing:
        method = schema.methods[name]
        assert {"page_size", "page_token"} <= set(schema.fields_of(short(method.input_type)))
        assert "next_page_token" in schema.fields_of(short(method.output_type))


CHANGES_NOTHING = re.compile(r"\.(Get|List|Watch|Stream|Export|Verify)")
# Streams carry the id in each command; releasing a seal twice is the same as once.
IDEMPOTENT_OTHERWISE = {
    "PlayService.Play",
    "ArenaService.AttachBot",
    "OperatorService.ReleaseReveal",
}


def test_every_changing_call_can_be_retried(schema: Schema) -> None:
    for name, method in schema.methods.items():
        if not CHANGES_NOTHING.search(name) and name not in IDEMPOTENT_OTHERWISE:
            assert "request_id" in schema.fields_of(short(method.input_type)), name
    assert "request_id" in schema.fields_of("PlayCommand")


@pytest.mark.parametrize(
    ("file", "messages"),
    [
        ("play_service.proto", ["PlayCommand", "PlayReport"]),
        ("arena_service.proto", ["AttachBotRequest", "AttachBotResponse"]),
    ],
)
def test_the_table_on_top_names_every_message_of_the_stream(
    schema: Schema, file: str, messages: list[str]
) -> None:
    head = (CONTRACT / file).read_text().partition("syntax =")[0]
    rows = set(re.findall(r"^//   (\w+)  ", head, re.MULTILINE)) - {"from"}
    wanted = {
        short(field.type_name)
        for message in messages
        for field in schema.messages[message].field
        if field.HasField("oneof_index") and not field.proto3_optional
    }
    if file == "play_service.proto":  # its table has the unary way too
        wanted |= {
            name.split(".")[1] for name in schema.methods if name.startswith("PlayService.")
        } - {"Play"}
    assert rows == wanted


def test_the_guide_says_who_may_call_what(schema: Schema) -> None:
    guide = (ROOT / "docs" / "protocol.md").read_text()
    table = guide.partition("| call | nobody |")[2].partition("\n\n")[0]
    named = set(re.findall(r"`([\w.*]+)`", table))
    for name in schema.methods:
        service, method = name.split(".")
        assert named & {method, f"{service}.*"}, f"{name} is missing in docs/protocol.md"


def test_every_rejection_reason_names_its_status_and_is_in_the_guide(schema: Schema) -> None:
    guide = (ROOT / "docs" / "protocol.md").read_text()
    comments = schema.value_comments("RejectionReason")
    codes = {
        "ABORTED", "ALREADY_EXISTS", "DEADLINE_EXCEEDED", "FAILED_PRECONDITION", "INTERNAL",
        "INVALID_ARGUMENT", "NOT_FOUND", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED",
        "UNAUTHENTICATED", "UNAVAILABLE", "UNIMPLEMENTED",
    }  # fmt: skip
    for value, comment in list(comments.items())[1:]:
        found = re.search(r"\[(\w+)\]\.$", comment.replace("\n", " "))
        assert found, value
        assert found[1] in codes, value
        reason = value.removeprefix("REJECTION_REASON_")
        assert f"| `{reason}` | {found[1]} |" in guide, f"{reason} is missing in docs/protocol.md"


def test_every_end_reason_is_in_the_guide(schema: Schema) -> None:
    guide = (ROOT / "docs" / "protocol.md").read_text()
    for value in list(schema.value_comments("EndReason"))[1:]:
        assert f"| `{value.removeprefix('END_REASON_')}` |" in guide, value


def test_the_end_reasons_are_those_that_were_promised(schema: Schema) -> None:
    assert [
        value.name.removeprefix("END_REASON_") for value in schema.enums["EndReason"].value
    ] == [
        "UNSPECIFIED",
        "NORMAL",
        "TIME_OUT",
        "DISCONNECTED",
        "ILLEGAL_FLOOD",
        "ABANDONED",
        "SERVER_FAULT",
        "NEVER_STARTED",
    ]


def test_every_rule_that_a_comment_names_exists() -> None:
    known = set(re.findall(r"\b[A-Z]{3}-\d\d\b", (ROOT / "docs" / "rules.md").read_text()))
    for path in proto_files():
        named = set(re.findall(r"\b[A-Z]{3}-\d\d\b", path.read_text()))
        assert named <= known, f"{path.name} names {sorted(named - known)}"
