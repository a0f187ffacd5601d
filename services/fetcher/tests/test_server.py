"""The gRPC server in process, with its real interceptors."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import grpc
import pytest
from pellucid.fetcher.v1 import fetcher_pb2, fetcher_pb2_grpc

from pellucid_fetcher.server import SERVICE, FetcherServicer
from pellucid_fetcher.settings import FetcherSettings
from pellucid_runtime.health import Health
from pellucid_runtime.rpc.server import GrpcServer

TEXT = "Bread rises because yeast turns sugar into gas, and the dough holds the bubbles."
PAGE = f"<html><title>Bread</title><body><main><p>{TEXT}</p></main></body></html>".encode()


@pytest.fixture
async def stub(rig: Any, settings: FetcherSettings) -> AsyncIterator[Any]:
    async with AsyncExitStack() as stack:
        servicer = FetcherServicer(rig.fetcher)
        server = GrpcServer(
            settings,
            register=[
                lambda target: fetcher_pb2_grpc.add_FetcherServiceServicer_to_server(
                    servicer, target
                )
            ],
            services=[SERVICE],
            health=Health(),
        )
        await stack.enter_async_context(server)
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(server.target))
        yield fetcher_pb2_grpc.FetcherServiceStub(channel)


def _request(
    url: str, purpose: Any = fetcher_pb2.PURPOSE_USER_URL, **fields: Any
) -> fetcher_pb2.FetchRequest:
    return fetcher_pb2.FetchRequest(url=url, purpose=purpose, **fields)


async def test_fetch(stub: Any, rig: Any, http: Any) -> None:
    await rig.pages({"/": http(PAGE)})
    answer = await stub.Fetch(_request("http://bread.test/"), timeout=5)
    page = answer.page
    assert page.success
    assert page.status == fetcher_pb2.FETCH_STATUS_OK
    assert page.method == fetcher_pb2.METHOD_HTTP
    assert page.text == TEXT
    assert page.title == "Bread"


async def test_a_bad_page_is_an_outcome(stub: Any) -> None:
    answer = await stub.Fetch(_request("http://127.0.0.1/"), timeout=5)
    assert not answer.page.success
    assert answer.page.status == fetcher_pb2.FETCH_STATUS_BLOCKED_TARGET
    assert answer.page.error


async def test_a_breach_of_the_contract_is_an_error(stub: Any) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await stub.Fetch(fetcher_pb2.FetchRequest(url="http://bread.test/"), timeout=5)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT


async def test_many_arrive_in_order_of_arrival(stub: Any, rig: Any, http: Any) -> None:
    first_is_here = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"slow" in head:
            await first_is_here.wait()
        writer.write(http(PAGE))

    await rig.serve(answer)
    requests = [_request("http://slow.test/"), _request("http://fast.test/")]
    call = stub.FetchMany(fetcher_pb2.FetchManyRequest(requests=requests), timeout=5)
    answers = []
    async for each in call:
        answers.append(each)
        first_is_here.set()
    assert [answer.index for answer in answers] == [1, 0]
    assert all(answer.page.success for answer in answers)


async def test_leaving_cancels_what_still_runs(stub: Any, rig: Any, http: Any) -> None:

    left = asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"slow" not in head:
            writer.write(http(PAGE))
            return
        await reader.read()  # ends when the fetcher hangs up
        left.set()

    await rig.serve(answer)
    requests = [_request("http://slow.test/"), _request("http://fast.test/")]
    call = stub.FetchMany(fetcher_pb2.FetchManyRequest(requests=requests), timeout=20)
    first = await call.read()
    assert first.index == 1
    call.cancel()
    await asyncio.wait_for(left.wait(), 10)
