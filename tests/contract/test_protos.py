"""The contract says of every RPC what a caller must know, and of every bounded field its limit."""

import subprocess
import sys
from pathlib import Path

import pytest
from google.protobuf import descriptor_pb2

ROOT = Path(__file__).resolve().parents[2]
# Field numbers of FileDescriptorProto.service, .message_type, ServiceDescriptorProto.method.
SERVICE, METHOD = 6, 2
SERVICES = ("decision", "search", "scorer", "fetcher", "gateway")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[descriptor_pb2.FileDescriptorProto]:
    image = tmp_path_factory.mktemp("image") / "image.binpb"
    buf = Path(sys.executable).with_name("buf")
    subprocess.run([buf, "build", ROOT / "protos", "-o", image], check=True)
    descriptors = descriptor_pb2.FileDescriptorSet.FromString(image.read_bytes())
    return [file for file in descriptors.file if file.package.startswith("pellucid.")]


def method_comments(files: list[descriptor_pb2.FileDescriptorProto]) -> dict[str, str]:
    """Return the leading comment of every RPC by its full name."""
    comments = {}
    for file in files:
        for location in file.source_code_info.location:
            path = list(location.path)
            if len(path) == 4 and (path[0], path[2]) == (SERVICE, METHOD):
                service = file.service[path[1]]
                name = f"{file.package}.{service.name}/{service.method[path[3]].name}"
                comments[name] = location.leading_comments
    return comments


def test_every_rpc_states_idempotency_and_deadline(
    files: list[descriptor_pb2.FileDescriptorProto],
) -> None:
    comments = method_comments(files)

    assert len(comments) == sum(len(s.method) for f in files for s in f.service)
    for name, comment in comments.items():
        text = comment.lower()
        assert "idempotent" in text or "retrying is safe" in text, name
        assert "deadline" in text, name


def test_there_is_one_service_for_each_domain(
    files: list[descriptor_pb2.FileDescriptorProto],
) -> None:
    names = {f"{file.package}.{service.name}" for file in files for service in file.service}

    assert names == {f"pellucid.{name}.v1.{name.title()}Service" for name in SERVICES}


def test_text_fields_of_requests_are_bounded(
    files: list[descriptor_pb2.FileDescriptorProto],
) -> None:
    field = descriptor_pb2.FieldDescriptorProto
    unbounded = [
        f"{file.package}.{message.name}.{item.name}"
        for file in files
        for message in file.message_type
        if message.name.endswith("Request")
        for item in message.field
        if item.type in {field.TYPE_STRING, field.TYPE_BYTES}
        and not item.options.SerializeToString()
    ]

    assert unbounded == []
