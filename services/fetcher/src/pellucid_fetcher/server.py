"""The gRPC face: convert, call, convert."""

from collections.abc import AsyncIterator
from contextlib import aclosing

from grpc.aio import ServicerContext
from pellucid.fetcher.v1 import fetcher_pb2, fetcher_pb2_grpc

from pellucid_fetcher.convert import page_to, request_from
from pellucid_fetcher.fetching import PageFetcher
from pellucid_fetcher.many import fetch_many
from pellucid_runtime.rpc.deadline import remaining_s

SERVICE = "pellucid.fetcher.v1.FetcherService"


class FetcherServicer(fetcher_pb2_grpc.FetcherServiceServicer):
    """Serves pages.

    Args:
        fetcher: Reads them.
    """

    def __init__(self, fetcher: PageFetcher) -> None:
        self._fetcher = fetcher

    async def Fetch(  # noqa: N802 - name of the RPC
        self,
        request: fetcher_pb2.FetchRequest,
        context: ServicerContext[fetcher_pb2.FetchRequest, fetcher_pb2.FetchResponse],  # noqa: ARG002 - signature of gRPC
    ) -> fetcher_pb2.FetchResponse:
        """Read one page."""
        page = await self._fetcher.fetch(request_from(request, remaining_s()))
        return fetcher_pb2.FetchResponse(page=page_to(page))

    async def FetchMany(  # noqa: N802 - name of the RPC
        self,
        request: fetcher_pb2.FetchManyRequest,
        context: ServicerContext[fetcher_pb2.FetchManyRequest, fetcher_pb2.FetchManyResponse],  # noqa: ARG002 - signature of gRPC
    ) -> AsyncIterator[fetcher_pb2.FetchManyResponse]:
        """Read several pages, each sent as it arrives."""
        left_s = remaining_s()
        requests = [request_from(message, left_s) for message in request.requests]
        async with aclosing(fetch_many(self._fetcher, requests)) as pages:
            async for index, page in pages:
                yield fetcher_pb2.FetchManyResponse(index=index, page=page_to(page))
