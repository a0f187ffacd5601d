"""Releases side by side: who knows the released contract and who knows today's talk to each other.

A rolling update has both for a while. The released form is `protos/released.binpb`; its messages
are made at run time from its descriptors, as an old program's stubs would make them.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf import descriptor_pb2, descriptor_pool, json_format, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from pellucid.decision.v1 import decision_pb2_grpc  # noqa: F401 - fills the default pool
from pellucid.fetcher.v1 import fetcher_pb2_grpc  # noqa: F401
from pellucid.gateway.v1 import gateway_pb2_grpc  # noqa: F401
from pellucid.scorer.v1 import scorer_pb2_grpc  # noqa: F401
from pellucid.search.v1 import search_pb2_grpc  # noqa: F401

from pellucid_runtime.health import Health
from pellucid_runtime.rpc.channel import open_channel
from pellucid_runtime.rpc.server import GrpcServer
from pellucid_runtime.settings import ServiceSettings

RELEASED = Path(__file__).resolve().parents[2] / "protos" / "released.binpb"
SERVICES = ("decision", "search", "scorer", "fetcher", "gateway")
# Deep enough for every message within a message within a message.
DEPTH = 4
# Requests that an old caller sends, as JSON of the contract.
REQUESTS = {
    "decision.v1.DecisionService/Decide": {"message": "Who leads Norrvik Cells now?"},
    "search.v1.SearchService/Search": {"queries": [{"text": "Norrvik Cells CEO"}]},
    "scorer.v1.ScorerService/Score": {
        "question": "Who leads Norrvik Cells?",
        "candidates": [{"id": "0", "url": "https://a.example/", "title": "Norrvik"}],
    },
    "fetcher.v1.FetcherService/Fetch": {
        "url": "https://a.example/",
        "purpose": "PURPOSE_SEARCH_RESULT",
    },
    "gateway.v1.GatewayService/Decide": {
        "chat": {"messages": [{"role": "ROLE_USER", "content": "Who leads Norrvik Cells now?"}]}
    },
}


def _pool_of(files: Iterator[descriptor_pb2.FileDescriptorProto]) -> descriptor_pool.DescriptorPool:
    pool = descriptor_pool.DescriptorPool()
    for file in files:
        pool.Add(file)
    return pool


RELEASED_FILES = descriptor_pb2.FileDescriptorSet.FromString(RELEASED.read_bytes()).file
OLD = _pool_of(iter(RELEASED_FILES))
NEW = descriptor_pool.Default()


def _names() -> list[str]:
    """Every message of the released contract that travels."""
    return sorted(
        f"{file.package}.{message.name}"
        for file in RELEASED_FILES
        if file.package.startswith("pellucid.")
        for message in file.message_type
    )


def made(pool: descriptor_pool.DescriptorPool, name: str) -> type[Message]:
    """The class of a message as one release knows it."""
    return message_factory.GetMessageClass(pool.FindMessageTypeByName(name))


def filled(descriptor: Descriptor, depth: int = DEPTH) -> Message:
    """A message with every field set; of alternatives the last one."""
    message = message_factory.GetMessageClass(descriptor)()
    for field in descriptor.fields:
        _fill(message, field, depth)
    return message


def _fill(message: Message, field: FieldDescriptor, depth: int) -> None:
    within = field.message_type
    if within is not None and within.GetOptions().map_entry:
        if within.fields_by_name["value"].message_type is None:
            key = _value(within.fields_by_name["key"])
            getattr(message, field.name)[key] = _value(within.fields_by_name["value"])
    elif within is not None:
        if depth and field.is_repeated:
            getattr(message, field.name).add().CopyFrom(filled(within, depth - 1))
        elif depth:
            getattr(message, field.name).CopyFrom(filled(within, depth - 1))
    elif field.is_repeated:
        getattr(message, field.name).append(_value(field))
    else:
        setattr(message, field.name, _value(field))


def _value(field: FieldDescriptor) -> Any:
    if field.enum_type is not None:
        return field.enum_type.values[-1].number
    values: dict[int, Any] = {
        FieldDescriptor.CPPTYPE_STRING: b"x" if field.type == FieldDescriptor.TYPE_BYTES else "x",
        FieldDescriptor.CPPTYPE_BOOL: True,
        FieldDescriptor.CPPTYPE_FLOAT: 0.5,
        FieldDescriptor.CPPTYPE_DOUBLE: 0.5,
    }
    return values.get(field.cpp_type, 7)


@pytest.mark.parametrize("name", _names())
def test_todays_release_loses_nothing_of_a_released_message(name: str) -> None:
    sent = filled(OLD.FindMessageTypeByName(name))

    read = made(NEW, name).FromString(sent.SerializeToString())

    assert made(OLD, name).FromString(read.SerializeToString()) == sent
    assert not _unknown(read)


@pytest.mark.parametrize("name", _names())
def test_the_release_before_hands_on_what_it_does_not_know(name: str) -> None:
    sent = filled(NEW.FindMessageTypeByName(name))

    read = made(OLD, name).FromString(sent.SerializeToString())

    assert made(NEW, name).FromString(read.SerializeToString()) == sent


def _unknown(message: Message) -> bool:
    """Whether bytes were left that the class has no field for."""
    known = type(message)()
    known.CopyFrom(message)
    known.DiscardUnknownFields()  # type: ignore[attr-defined]
    return known.SerializeToString() != message.SerializeToString()


def test_something_of_today_is_unknown_to_the_release_before() -> None:
    """Else the test above would hold for want of anything new."""
    new_fields = [
        name
        for name in _names()
        if len(NEW.FindMessageTypeByName(name).fields) > len(OLD.FindMessageTypeByName(name).fields)
    ]

    assert all(
        _unknown(
            made(OLD, name).FromString(filled(NEW.FindMessageTypeByName(name)).SerializeToString())
        )
        for name in new_fields
    )
    assert new_fields


def _method(pool: descriptor_pool.DescriptorPool, path: str) -> MethodDescriptor:
    service, _, method = path.partition("/")
    return pool.FindServiceByName(f"pellucid.{service}").methods_by_name[method]


@asynccontextmanager
async def serving(pool: descriptor_pool.DescriptorPool) -> AsyncIterator[GrpcServer]:
    """A server of one release with the real chain; it answers with every field set."""

    def register(path: str) -> Callable[[grpc.aio.Server], None]:
        method = _method(pool, path)
        request_class = message_factory.GetMessageClass(method.input_type)

        async def handle(request: Message, _context: Any) -> Message:
            assert request.ByteSize()
            return filled(method.output_type)

        handler = grpc.unary_unary_rpc_method_handler(
            handle,
            request_deserializer=request_class.FromString,
            response_serializer=lambda message: message.SerializeToString(),
        )
        service = method.containing_service.full_name
        generic = grpc.method_handlers_generic_handler(service, {method.name: handler})
        return lambda server: server.add_generic_rpc_handlers((generic,))

    server = GrpcServer(
        ServiceSettings(grpc_port=0),
        register=[register(path) for path in REQUESTS],
        services=[_method(pool, path).containing_service.full_name for path in REQUESTS],
        health=Health(),
    )
    async with server:
        yield server


async def call(pool: descriptor_pool.DescriptorPool, target: str, path: str) -> Message:
    """Call as a program of one release does."""
    method = _method(pool, path)
    request = json_format.ParseDict(
        REQUESTS[path], message_factory.GetMessageClass(method.input_type)()
    )
    service = method.containing_service.full_name
    async with open_channel(target, service=service) as channel:
        ask = channel.unary_unary(
            f"/{service}/{method.name}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=message_factory.GetMessageClass(method.output_type).FromString,
        )
        return await ask(request, timeout=10)


@pytest.mark.parametrize("path", list(REQUESTS))
async def test_a_caller_of_the_release_before_is_served_today(path: str) -> None:
    async with serving(NEW) as server:
        answer = await call(OLD, server.target, path)

    name = answer.DESCRIPTOR.full_name
    assert made(NEW, name).FromString(answer.SerializeToString()) == filled(
        NEW.FindMessageTypeByName(name)
    )


@pytest.mark.parametrize("path", list(REQUESTS))
async def test_a_caller_of_today_is_served_by_the_release_before(path: str) -> None:
    async with serving(OLD) as server:
        answer = await call(NEW, server.target, path)

    name = answer.DESCRIPTOR.full_name
    assert answer == made(NEW, name).FromString(
        filled(OLD.FindMessageTypeByName(name)).SerializeToString()
    )
