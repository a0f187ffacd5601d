"""Calls of the engine as requests of the four services. Pure and total."""

from collections.abc import Iterable
from datetime import datetime
from enum import StrEnum
from functools import cache
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp
from pellucid.common.v1 import common_pb2
from pellucid.decision.v1 import decision_pb2
from pellucid.fetcher.v1 import fetcher_pb2
from pellucid.scorer.v1 import scorer_pb2
from pellucid.search.v1 import search_pb2

from pellucid_gateway.domain.decision import Freshness, PlannedQuery
from pellucid_gateway.domain.findings import Hit
from pellucid_gateway.domain.limits import MESSAGE_BYTES
from pellucid_gateway.domain.ports import (
    DecideCall,
    Extract,
    FetchCall,
    Passage,
    ReflectCall,
    ScoreCall,
    SearchCall,
)
from pellucid_gateway.domain.request import ChatMessage, SearchOptions, SubjectContext

# Limits of the protos; longer text is cut from the middle, where it says least.
_HISTORY_BYTES = 8_192
# Messages of `history` that decision services of the release before take.
_NEAREST_MESSAGES = 5
_TITLE_BYTES = 4_096
_SNIPPET_BYTES = 16_384
_EXTRACT_TITLE_BYTES = 1_024
_TARGET_BYTES = 512
_MOST_TARGETS = 5
_MOST_FURTHER = 8
_MEMORY_BYTES = 4_096
_MOST_MEMORIES = 20
_WINDOWS = ((1, Freshness.DAY), (7, Freshness.WEEK), (31, Freshness.MONTH), (365, Freshness.YEAR))


def decide_request(call: DecideCall) -> decision_pb2.DecideRequest:
    """Translate a message to decide on.

    What a service of the release before does not take goes in a field that it does not read.
    """
    return decision_pb2.DecideRequest(
        message=_cut(call.message, MESSAGE_BYTES),
        earlier=[_message(message) for message in call.history[:-_NEAREST_MESSAGES]],
        history=[_message(message) for message in call.history[-_NEAREST_MESSAGES:]],
        subject=_subject(call.subject),
        web_mode=_number(decision_pb2.WebMode, "WEB_MODE", call.web_mode),
        force_search=call.force_search,
        no_external=call.no_external,
        now=_timestamp(call.now),
        time_zone=call.time_zone,
        language=call.language,
        conversation_id=call.conversation_id,
        max_queries=call.max_queries,
        max_parts=call.max_parts,
        memories=[_cut(text, _MEMORY_BYTES) for text in call.memories[:_MOST_MEMORIES]],
        search_offered=call.search_offered,
    )


def write_queries_request(
    call: DecideCall, known: tuple[PlannedQuery, ...]
) -> decision_pb2.WriteQueriesRequest:
    """Translate a message that was decided on, with the queries of the decision."""
    queries = (
        decision_pb2.Query(
            text=query.text,
            freshness=_number(common_pb2.Freshness, "FRESHNESS", query.freshness),
            site=query.site,
        )
        for query in known
    )
    return decision_pb2.WriteQueriesRequest(asked=decide_request(call), queries=queries)


def reflect_request(call: ReflectCall) -> decision_pb2.ReflectRequest:
    """Translate a question with its extracts."""
    targets = call.target_info[:_MOST_TARGETS]
    return decision_pb2.ReflectRequest(
        question=call.question,
        target_info=[_cut(target, _TARGET_BYTES) for target in targets],
        extracts=[_extract(extract) for extract in call.extracts],
        used_queries=list(call.used_queries),
        language=call.language,
        now=_timestamp(call.now),
        no_external=call.no_external,
    )


def search_request(call: SearchCall) -> search_pb2.SearchRequest:
    """Translate queries with their restrictions."""
    options = call.options
    return search_pb2.SearchRequest(
        queries=[_query(query, options) for query in call.queries],
        freshness=_number(common_pb2.Freshness, "FRESHNESS", _window(options.recency_days)),
        language=call.language,
        country=options.country,
        safe_search=_number(search_pb2.SafeSearch, "SAFE_SEARCH", options.safe_search),
        site=options.site,
        include_domains=options.include_domains,
        exclude_domains=options.exclude_domains,
        routing=_number(search_pb2.Routing, "ROUTING", options.routing),
        providers=options.providers,
        no_external=options.no_external,
        caller_hash=call.caller,
        question=call.question,
        real_time=call.real_time,
        news=call.news,
        topic=call.topic,
        now=_timestamp(call.now),
    )


def score_request(call: ScoreCall) -> scorer_pb2.ScoreRequest:
    """Translate hits to rate; a hit's id is its index."""
    scoring = call.scoring
    request = scorer_pb2.ScoreRequest(
        question=call.question,
        candidates=[_candidate(i, hit) for i, hit in enumerate(call.hits)],
        time_sensitive=call.time_sensitive,
        real_time=call.real_time,
        subject=_subject(call.subject),
        profile=scoring.profile,
        weights=_weights(scoring.weights),
        max_results=call.max_results,
        max_per_domain=call.max_per_domain,
        now=_timestamp(call.now),
        further_questions=call.further_questions[:_MOST_FURTHER],
    )
    if scoring.threshold is not None:
        request.threshold = scoring.threshold
    return request


def support_request(
    claims: Iterable[str], passages: Iterable[Passage]
) -> scorer_pb2.SupportRequest:
    """Translate claims and passages."""
    every = tuple(passages)
    return scorer_pb2.SupportRequest(
        claims=[_cut(claim or " ", _HISTORY_BYTES) for claim in claims],
        passages=[scorer_pb2.Passage(id=p.id, text=p.text) for p in every],
        no_store=any(p.no_store for p in every),
    )


def fetch_many_request(call: FetchCall) -> fetcher_pb2.FetchManyRequest:
    """Translate pages to read."""
    purpose = _number(fetcher_pb2.Purpose, "PURPOSE", call.purpose)
    timeout_ms = max(1, round(call.timeout_s * 1000))
    files = {one.url: one for one in call.attachments}
    return fetcher_pb2.FetchManyRequest(
        requests=[
            fetcher_pb2.FetchRequest(
                url=files[url].file_url if url in files else url,
                purpose=purpose,
                max_chars=call.max_chars,
                timeout_ms=timeout_ms,
                no_external=call.no_external,
                offset=call.offset,
                links=call.links,
                content=files[url].content if url in files else None,
            )
            for url in call.urls
        ]
    )


@cache
def _number(enum: Any, prefix: str, word: StrEnum) -> Any:
    return enum.Value(f"{prefix}_{word.name}")


def _timestamp(moment: datetime) -> Timestamp:
    timestamp = Timestamp()
    timestamp.FromDatetime(moment)
    return timestamp


def _message(message: ChatMessage) -> common_pb2.Message:
    role = _number(common_pb2.Role, "ROLE", message.role)
    return common_pb2.Message(
        role=role,
        content=_cut(message.content, _HISTORY_BYTES),
        about_named_page=message.about_named_page,
    )


def _subject(subject: SubjectContext | None) -> common_pb2.SubjectContext | None:
    if subject is None:
        return None
    return common_pb2.SubjectContext(
        kind=subject.kind,
        title=subject.title,
        speakers=subject.speakers,
        organizations=subject.organizations,
        event=subject.event,
        description=subject.description,
        published_at=_timestamp(subject.published_at) if subject.published_at else None,
    )


def _extract(extract: Extract) -> decision_pb2.Extract:
    return decision_pb2.Extract(
        title=_cut(extract.title, _EXTRACT_TITLE_BYTES),
        text=_cut(extract.text, _SNIPPET_BYTES),
        published_at=_timestamp(extract.published_at) if extract.published_at else None,
    )


def _query(query: PlannedQuery, options: SearchOptions) -> search_pb2.SearchQuery:
    """The person's own restrictions go before those of the decision."""
    window = _window(options.recency_days) if options.recency_days else query.freshness
    freshness = _number(common_pb2.Freshness, "FRESHNESS", window)
    return search_pb2.SearchQuery(
        text=query.text, freshness=freshness, site=options.site or query.site
    )


def _window(days: int) -> Freshness:
    """The narrowest window that holds so many days; longer than a year is any age."""
    fitting = (window for most, window in _WINDOWS if 0 < days <= most)
    return next(fitting, Freshness.NONE)


def _candidate(i: int, hit: Hit) -> scorer_pb2.Candidate:
    return scorer_pb2.Candidate(
        id=str(i),
        url=hit.url,
        title=_cut(hit.title, _TITLE_BYTES),
        snippet=_cut(hit.snippet, _SNIPPET_BYTES),
        published_at=_timestamp(hit.published.time) if hit.published else None,
        rank=i + 1,
        trust_shift=hit.trust_shift,
    )


def _weights(weights: tuple[float, float, float, float] | None) -> scorer_pb2.Weights | None:
    if weights is None:
        return None
    semantic, trust, freshness, quality = weights
    return scorer_pb2.Weights(semantic=semantic, trust=trust, freshness=freshness, quality=quality)


def _cut(text: str, most_bytes: int) -> str:
    """Beginning and end of a text longer than the limit."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= most_bytes:
        return text
    half = (most_bytes - len(" … ".encode())) // 2
    head = encoded[:half].decode("utf-8", "ignore")
    return f"{head} … {encoded[-half:].decode('utf-8', 'ignore')}"
