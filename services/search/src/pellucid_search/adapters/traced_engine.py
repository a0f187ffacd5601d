"""Each call of a provider as a span: who was asked and how it ended, and never the query."""

from opentelemetry.trace import SpanKind, Status, StatusCode

from pellucid_runtime.telemetry.tracing import TRACER
from pellucid_search.errors import ProviderError
from pellucid_search.hits import ProviderReply
from pellucid_search.ports import Engine
from pellucid_search.query import ProviderQuery


class TracedEngine:
    """An engine whose calls are drawn in the caller's trace.

    Args:
        engine: What is asked.
        provider: Its name.
    """

    def __init__(self, engine: Engine, provider: str) -> None:
        self._engine = engine
        self._provider = provider

    def wording(self, query: ProviderQuery) -> str:
        """See `Engine`."""
        return self._engine.wording(query)

    async def ask(self, query: ProviderQuery, *, timeout_s: float) -> ProviderReply:
        """See `Engine`."""
        with TRACER.start_as_current_span(
            f"search {self._provider}",
            kind=SpanKind.CLIENT,
            attributes={"pellucid.provider": self._provider},
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            try:
                reply = await self._engine.ask(query, timeout_s=timeout_s)
            except ProviderError as error:
                span.set_attribute("error.type", error.code)
                span.set_status(Status(StatusCode.ERROR))
                raise
            span.set_attribute("pellucid.results", len(reply.hits))
            return reply
