"""Between the contract's messages and the domain; pure."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta

from pellucid.common.v1 import common_pb2
from pellucid.search.v1 import search_pb2 as pb

from pellucid_runtime.errors import InvalidArgumentError
from pellucid_runtime.rpc.messages import member, read, write
from pellucid_search.asking.ledger import UsageRow
from pellucid_search.query import Freshness, Query, SearchRequest
from pellucid_search.reports import ProviderState
from pellucid_search.searching import SearchOutcome

_DEFAULT_COUNT = 10
_MAX_QUERY_CHARACTERS = 200
_MAX_DAYS = 366
_COUNTRY_LENGTH = 2


def search_request(message: pb.SearchRequest, *, now: datetime) -> SearchRequest:
    """Return the request with defaults filled in.

    Args:
        message: As received; its field limits hold.
        now: The server's clock, for a request without an instant of its own.

    Raises:
        InvalidArgumentError: A query is blank or longer than 200 characters, or the country is
            not two letters.
    """
    of_all = member(Freshness, message, "freshness") or Freshness.UNSET
    return read(
        SearchRequest,
        message,
        queries=tuple(
            Query(
                text=_query_text(query.text, index),
                freshness=member(Freshness, query, "freshness") or of_all,
                site=query.site or message.site,
            )
            for index, query in enumerate(message.queries)
        ),
        now=message.now.ToDatetime(UTC) if message.HasField("now") else now,
        count=message.count or _DEFAULT_COUNT,
        language=message.language.replace("_", "-").partition("-")[0].lower(),
        country=_country(message.country),
        providers=tuple(name.strip().lower() for name in message.providers),
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
    outbound = [write(common_pb2.OutboundText, item, kind="query") for item in account.outbound]
    return write(pb.SearchResponse, outcome, account, providers=account.reports, outbound=outbound)


def provider_states(states: Iterable[ProviderState]) -> pb.ListProvidersResponse:
    """Return the message of the providers' standing."""
    return write(pb.ListProvidersResponse, providers=states)


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
            write(
                pb.UsageRow,
                row,
                day=row.day.isoformat(),
                cost_micro_usd=max(0, row.cost_micro_usd),
            )
            for row in rows
        ]
    )
