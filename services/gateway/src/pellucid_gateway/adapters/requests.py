"""Calls of the engine as requests of the four services. Pure and total."""

from collections.abc import Iterable

from pellucid.common.v1 import common_pb2
from pellucid.decision.v1 import decision_pb2
from pellucid.fetcher.v1 import fetcher_pb2
from pellucid.scorer.v1 import scorer_pb2
from pellucid.search.v1 import search_pb2

from pellucid_gateway.domain import ports
from pellucid_gateway.domain.decision import Freshness, PlannedQuery
from pellucid_gateway.domain.findings import Hit
from pellucid_gateway.domain.limits import MESSAGE_BYTES
from pellucid_gateway.domain.request import WEIGHTS, ChatMessage, SearchOptions
from pellucid_runtime.rpc.messages import write

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


def decide_request(call: ports.DecideCall) -> decision_pb2.DecideRequest:
    """Translate a message to decide on.

    What a service of the release before does not take goes in a field that it does not read.
    """
    return write(
        decision_pb2.DecideRequest,
        call,
        message=_cut(call.message, MESSAGE_BYTES),
        earlier=_messages(call.history[:-_NEAREST_MESSAGES]),
        history=_messages(call.history[-_NEAREST_MESSAGES:]),
        memories=[_cut(text, _MEMORY_BYTES) for text in call.memories[:_MOST_MEMORIES]],
    )


def write_queries_request(
    call: ports.DecideCall, known: tuple[PlannedQuery, ...]
) -> decision_pb2.WriteQueriesRequest:
    """Translate a message that was decided on, with the queries of the decision."""
    return write(decision_pb2.WriteQueriesRequest, asked=decide_request(call), queries=known)


def reflect_request(call: ports.ReflectCall) -> decision_pb2.ReflectRequest:
    """Translate a question with its extracts."""
    return write(
        decision_pb2.ReflectRequest,
        call,
        target_info=[_cut(target, _TARGET_BYTES) for target in call.target_info[:_MOST_TARGETS]],
        extracts=[_extract(extract) for extract in call.extracts],
    )


def search_request(call: ports.SearchCall) -> search_pb2.SearchRequest:
    """Translate queries with their restrictions."""
    return write(
        search_pb2.SearchRequest,
        call,
        call.options,
        queries=[_query(query, call.options) for query in call.queries],
        freshness=_window(call.options.recency_days),
        caller_hash=call.caller,
    )


def score_request(call: ports.ScoreCall) -> scorer_pb2.ScoreRequest:
    """Translate hits to rate; a hit's id is its index."""
    return write(
        scorer_pb2.ScoreRequest,
        call,
        call.scoring,
        candidates=[_candidate(i, hit) for i, hit in enumerate(call.hits)],
        weights=call.scoring.weights and dict(zip(WEIGHTS, call.scoring.weights, strict=True)),
        further_questions=call.further_questions[:_MOST_FURTHER],
        shareable_questions=call.shareable_questions[: 1 + _MOST_FURTHER],
    )


def support_request(
    claims: Iterable[str], passages: Iterable[ports.Passage]
) -> scorer_pb2.SupportRequest:
    """Translate claims and passages."""
    every = tuple(passages)
    return write(
        scorer_pb2.SupportRequest,
        claims=[_cut(claim or " ", _HISTORY_BYTES) for claim in claims],
        passages=every,
        no_store=any(passage.no_store for passage in every),
    )


def fetch_many_request(call: ports.FetchCall) -> fetcher_pb2.FetchManyRequest:
    """Translate pages to read."""
    timeout_ms = max(1, round(call.timeout_s * 1000))
    files = {one.url: one for one in call.attachments}
    return fetcher_pb2.FetchManyRequest(
        requests=[
            write(
                fetcher_pb2.FetchRequest,
                call,
                url=files[url].file_url if url in files else url,
                timeout_ms=timeout_ms,
                content=files[url].content if url in files else None,
            )
            for url in call.urls
        ]
    )


def _messages(messages: Iterable[ChatMessage]) -> list[common_pb2.Message]:
    return [
        write(common_pb2.Message, message, content=_cut(message.content, _HISTORY_BYTES))
        for message in messages
    ]


def _extract(extract: ports.Extract) -> decision_pb2.Extract:
    return write(
        decision_pb2.Extract,
        extract,
        title=_cut(extract.title, _EXTRACT_TITLE_BYTES),
        text=_cut(extract.text, _SNIPPET_BYTES),
    )


def _query(query: PlannedQuery, options: SearchOptions) -> search_pb2.SearchQuery:
    """The person's own restrictions go before those of the decision."""
    window = _window(options.recency_days) if options.recency_days else query.freshness
    site = options.site or query.site
    return write(search_pb2.SearchQuery, query, freshness=window, site=site)


def _window(days: int) -> Freshness:
    """The narrowest window that holds so many days; longer than a year is any age."""
    fitting = (window for most, window in _WINDOWS if 0 < days <= most)
    return next(fitting, Freshness.NONE)


def _candidate(i: int, hit: Hit) -> scorer_pb2.Candidate:
    return write(
        scorer_pb2.Candidate,
        hit,
        id=str(i),
        title=_cut(hit.title, _TITLE_BYTES),
        snippet=_cut(hit.snippet, _SNIPPET_BYTES),
        published_at=hit.published and hit.published.time,
        rank=i + 1,
    )


def _cut(text: str, most_bytes: int) -> str:
    """Beginning and end of a text longer than the limit."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= most_bytes:
        return text
    half = (most_bytes - len(" … ".encode())) // 2
    head = encoded[:half].decode("utf-8", "ignore")
    return f"{head} … {encoded[-half:].decode('utf-8', 'ignore')}"
