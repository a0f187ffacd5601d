"""The gRPC servicer: convert, call, convert."""

from dataclasses import dataclass
from typing import Any

from pellucid.search.v1 import search_pb2 as pb
from pellucid.search.v1 import search_pb2_grpc

from pellucid_runtime.clock import Clock
from pellucid_runtime.rpc.deadline import remaining_s
from pellucid_search import convert
from pellucid_search.asking.ledger import Ledger
from pellucid_search.asking.standing import Roster
from pellucid_search.metering import count_outcome
from pellucid_search.searching import Searcher

Context = Any


@dataclass(frozen=True, slots=True)
class SearchServicer(search_pb2_grpc.SearchServiceServicer):
    """See the contract for what each call does."""

    searcher: Searcher
    roster: Roster
    ledger: Ledger
    clock: Clock

    async def Search(self, request: pb.SearchRequest, context: Context) -> pb.SearchResponse:  # noqa: N802, ARG002 - name and signature of the RPC
        """Ask the providers and fuse their answers."""
        wanted = convert.search_request(request, now=self.clock.now())
        outcome = await self.searcher.search(wanted, remaining_s=remaining_s())
        count_outcome(wanted, outcome)
        return convert.search_response(outcome)

    async def ListProviders(  # noqa: N802 - name of the RPC
        self,
        request: pb.ListProvidersRequest,  # noqa: ARG002 - signature of the RPC
        context: Context,  # noqa: ARG002 - signature of the RPC
    ) -> pb.ListProvidersResponse:
        """Report the standing of every provider."""
        states = await self.roster.states(self.searcher.line, self.ledger, self.clock)
        return convert.provider_states(states)

    async def GetUsage(self, request: pb.GetUsageRequest, context: Context) -> pb.GetUsageResponse:  # noqa: N802, ARG002 - name and signature of the RPC
        """Report calls and cost by day."""
        first, last = convert.usage_days(request, now=self.clock.now())
        return convert.usage_rows(await self.ledger.usage(first, last, request.caller_hash))
