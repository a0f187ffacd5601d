"""Between the contract's messages and the domain; pure."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from typing import cast

from google.protobuf.timestamp_pb2 import Timestamp
from pellucid.common.v1 import common_pb2
from pellucid.search.v1 import search_pb2 as pb

from pellucid_runtime.errors import InvalidArgumentError
from pellucid_search.asking.ledger import UsageRow
from pellucid_search.hits import DateSource, Finding, Hit, Published
from pellucid_search.query import Freshness, Query, Routing, SafeSearch, SearchRequest
from pellucid_search.reports import ProviderReport, ProviderState, ProviderStatus
from pellucid_search.searching import SearchOutcome

_DEFAULT_COUNT = 10
_MAX_QUERY_CHARACTERS = 200
_MAX_DAYS = 366
_COUNTRY_LENGTH = 2
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS_A_DAY = 86_400

_FRESHNESS = {
    common_pb2.FRESHNESS_UNSPECIFIED: Freshness.UNSET,
    common_pb2.FRESHNESS_NONE: Freshness.NONE,
    common_pb2.FRESHNESS_DAY: Freshness.DAY,
    common_pb2.FRESHNESS_WEEK: Freshness.WEEK,
    common_pb2.FRESHNESS_MONTH: Freshness.MONTH,
    common_pb2.FRESHNESS_YEAR: Freshness.YEAR,
}
_SAFE_SEARCH = {
    pb.SAFE_SEARCH_UNSPECIFIED: SafeSearch.MODERATE,
    pb.SAFE_SEARCH_OFF: SafeSearch.OFF,
    pb.SAFE_SEARCH_MODERATE: SafeSearch.MODERATE,
    pb.SAFE_SEARCH_STRICT: SafeSearch.STRICT,
}
_ROUTING = {
    pb.ROUTING_UNSPECIFIED: Routing.PRIMARY_THEN_FALLBACK,
    pb.ROUTING_PRIMARY_THEN_FALLBACK: Routing.PRIMARY_THEN_FALLBACK,
    pb.ROUTING_ALL: Routing.ALL,
}
_DATE_SOURCE = {
    DateSource.PROVIDER: common_pb2.DATE_SOURCE_PROVIDER,
    DateSource.JSON_LD: common_pb2.DATE_SOURCE_JSON_LD,
    DateSource.META: common_pb2.DATE_SOURCE_META,
    DateSource.URL: common_pb2.DATE_SOURCE_URL,
    DateSource.TEXT: common_pb2.DATE_SOURCE_TEXT,
}
_STATUS = {
    ProviderStatus.OK: pb.PROVIDER_STATUS_OK,
    ProviderStatus.CACHED: pb.PROVIDER_STATUS_CACHED,
    ProviderStatus.FAILED: pb.PROVIDER_STATUS_FAILED,
    ProviderStatus.RATE_LIMITED: pb.PROVIDER_STATUS_RATE_LIMITED,
    ProviderStatus.SKIPPED: pb.PROVIDER_STATUS_SKIPPED,
    ProviderStatus.BUDGET: pb.PROVIDER_STATUS_BUDGET,
}


def search_request(message: pb.SearchRequest, *, now: datetime) -> SearchRequest:
    """Return the request with defaults filled in.

    Args:
        message: As received; its field limits hold.
        now: The server's clock, for a request without an instant of its own.

    Raises:
        InvalidArgumentError: A query is blank or longer than 200 characters, or the country is
            not two letters.
    """
    freshness = _FRESHNESS[message.freshness]
    return SearchRequest(
        queries=tuple(
            Query(
                text=_query_text(query.text, index),
                freshness=_FRESHNESS[query.freshness]
                if query.freshness != common_pb2.FRESHNESS_UNSPECIFIED
                else freshness,
                site=query.site or message.site,
            )
            for index, query in enumerate(message.queries)
        ),
        now=message.now.ToDatetime(UTC) if message.HasField("now") else now,
        count=message.count or _DEFAULT_COUNT,
        language=message.language.replace("_", "-").partition("-")[0].lower(),
        country=_country(message.country),
        safe_search=_SAFE_SEARCH[message.safe_search],
        include_domains=tuple(message.include_domains),
        exclude_domains=tuple(message.exclude_domains),
        routing=_ROUTING[message.routing],
        providers=tuple(name.strip().lower() for name in message.providers),
        no_external=message.no_external,
        caller_hash=message.caller_hash,
        question=message.question,
        real_time=message.real_time,
        news=message.news,
        topic=message.topic,
        bypass_cache=message.bypass_cache,
    )


def _query_text(text: str, index: int) -> str:
    trimmed = text.strip()
    if not 1 <= len(trimmed) <= _MAX_QUERY_CHARACTERS:
        raise InvalidArgumentError(f"queries[{index}].text", "1 to 200 characters")
    return trimmed


def _country(code: str) -> str:
    if code and not (len(code) == _COUNTRY_LENGTH and code.isascii() and code.isalpha()):
        raise InvalidArgumentError("country", "two letters of ISO 3166-1")
    return code.upper()


def search_response(outcome: SearchOutcome) -> pb.SearchResponse:
    """Return the message of an outcome."""
    account = outcome.account
    return pb.SearchResponse(
        hits=[_hit(hit) for hit in outcome.hits],
        providers=[_report(report) for report in account.reports],
        outbound=[
            common_pb2.OutboundText(
                to=item.to, kind="query", text=item.text, redacted=item.redacted
            )
            for item in account.outbound
        ],
        blocked=outcome.blocked,
        collapsed=outcome.collapsed,
        cost_micro_usd=account.cost_micro_usd,
        degraded=[
            common_pb2.Degradation(component=part.component, detail=part.detail)
            for part in account.degraded
        ],
        from_cache=account.from_cache,
        queries=outcome.queries,
        entities=[
            pb.Entity(name=one.name, id=one.id, label=one.label, description=one.description)
            for one in outcome.entities
        ],
    )


def _hit(hit: Hit) -> pb.Hit:
    return pb.Hit(
        url=hit.url,
        alternate_urls=hit.alternate_urls,
        title=hit.title,
        snippet=hit.snippet,
        domain=hit.domain,
        published=_published(hit.published) if hit.published else None,
        language=hit.language,
        fused_score=hit.fused_score,
        findings=[_finding(finding) for finding in hit.findings],
        page_text=hit.page_text,
        warnings=hit.warnings,
        internal=hit.internal,
    )


def _published(date: Published) -> common_pb2.PublishedDate:
    return common_pb2.PublishedDate(
        time=_timestamp(date.time), source=_DATE_SOURCE[date.source], confidence=date.confidence
    )


def _timestamp(time: datetime) -> Timestamp:
    past = time - _EPOCH
    seconds = past.days * _SECONDS_A_DAY + past.seconds
    return Timestamp(seconds=seconds, nanos=past.microseconds * 1_000)


def _finding(finding: Finding) -> pb.Finding:
    return pb.Finding(provider=finding.provider, rank=finding.rank, query_index=finding.query_index)


def _report(report: ProviderReport) -> pb.ProviderReport:
    return pb.ProviderReport(
        name=report.name,
        status=_STATUS[report.status],
        latency_ms=report.latency_ms,
        results=report.results,
        error_code=_error_code(report.error_code),
        detail=report.detail,
        calls=report.calls,
        cost_micro_usd=report.cost_micro_usd,
        retry_after_s=report.retry_after_s,
    )


def _error_code(code: str) -> pb.ProviderErrorCode:
    name = f"PROVIDER_ERROR_CODE_{(code or 'unspecified').upper()}"
    return cast("pb.ProviderErrorCode", pb.ProviderErrorCode.Value(name))


def provider_states(states: Iterable[ProviderState]) -> pb.ListProvidersResponse:
    """Return the message of the providers' standing."""
    return pb.ListProvidersResponse(
        providers=[
            pb.ProviderState(
                name=state.name,
                enabled=state.enabled,
                disabled_reason=state.disabled_reason,
                breaker=state.breaker,
                breaker_retry_in_s=state.breaker_retry_in_s,
                remaining_short=state.remaining_short,
                remaining_long=state.remaining_long,
                spent_today_micro_usd=state.spent_today_micro_usd,
                latency_p50_ms=state.latency_p50_ms,
                latency_p95_ms=state.latency_p95_ms,
                price_micro_usd=state.price_micro_usd,
                external=state.external,
            )
            for state in states
        ]
    )


def usage_days(message: pb.GetUsageRequest, *, now: datetime) -> tuple[date, date]:
    """Return first and last day of a usage request.

    Raises:
        InvalidArgumentError: The last day is before the first or more than 366 days after it.
    """
    first = getattr(message, "from").ToDatetime(UTC) if message.HasField("from") else now
    last = message.to.ToDatetime(UTC) if message.HasField("to") else now
    if not timedelta(0) <= last.date() - first.date() <= timedelta(days=_MAX_DAYS):
        raise InvalidArgumentError("to", "0 to 366 days after from")
    return first.date(), last.date()


def usage_rows(rows: Iterable[UsageRow]) -> pb.GetUsageResponse:
    """Return the message of usage."""
    return pb.GetUsageResponse(
        rows=[
            pb.UsageRow(
                day=row.day.isoformat(),
                provider=row.provider,
                calls=row.calls,
                results=row.results,
                cost_micro_usd=max(0, row.cost_micro_usd),
            )
            for row in rows
        ]
    )
