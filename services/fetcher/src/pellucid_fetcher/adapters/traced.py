"""Each page as a span: how it was read and how that ended, and never its address."""

from opentelemetry.trace import Status, StatusCode

from pellucid_fetcher.fetching import PageFetcher
from pellucid_fetcher.outcome import FetchStatus, Page, PageRequest
from pellucid_runtime.telemetry.tracing import TRACER


class TracedFetcher(PageFetcher):
    """A page fetcher whose pages are drawn in the caller's trace."""

    async def fetch(self, request: PageRequest) -> Page:
        """See `PageFetcher`."""
        with TRACER.start_as_current_span("fetch page") as span:
            page = await super().fetch(request)
            span.set_attribute("pellucid.purpose", request.purpose.value)
            span.set_attribute("pellucid.method", page.method.value)
            span.set_attribute("pellucid.outcome", page.status.value)
            if page.status is not FetchStatus.OK:
                span.set_status(Status(StatusCode.ERROR))
            return page
