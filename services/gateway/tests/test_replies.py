"""Replies are read off the engine's values; what they lack is null, and nothing else changes."""

from dataclasses import replace
from typing import Any

import pytest
from api_fakes import OUTCOME, RESULT, SOURCES, WHEN

from pellucid_gateway.api.native.fetch import PageReply
from pellucid_gateway.api.native.replies import (
    ChatReply,
    DecisionReply,
    ProviderReply,
    SearchReply,
    SourceReply,
)
from pellucid_gateway.domain.findings import (
    DateSource,
    PageContent,
    ProviderReport,
    ProviderStatus,
    PublishedDate,
)


def test_what_is_not_known_is_null() -> None:
    bare = SourceReply.of(SOURCES[2])

    for name in (
        "published_at", "published_at_from", "language", "relevance_score", "score_breakdown",
    ):  # fmt: skip
        assert bare[name] is None, name
    assert bare["method"] == "snippet"


def test_empty_words_and_zeros_of_the_engine_are_null() -> None:
    page = PageReply.of(PageContent(url="http://a.localhost/", success=False, status="dns"))
    report = ProviderReply.of(ProviderReport(name="local", status=ProviderStatus.OK))

    assert page["http_status"] is page["final_url"] is page["retry_after_s"] is None
    assert report["error_code"] is report["detail"] is None
    assert report["latency_ms"] == 0


def test_a_date_is_told_with_where_it_was_read() -> None:
    dated = PublishedDate(WHEN, DateSource.JSON_LD, 0.87654)
    page = PageContent(url="u", success=True, status="ok", published=dated, total_ms=7)

    told = PageReply.of(page)

    assert told["published_at"] == "2026-03-04T05:06:07Z"
    assert told["published_at_from"] == "json-ld"
    assert told["published_at_confidence"] == 0.8765
    assert told["timings_ms"] == {"total": 7}


def test_scores_have_four_digits() -> None:
    told = DecisionReply.of(replace(RESULT.decision, confidence=0.123456, priority=0.98765))

    assert (told["confidence"], told["priority"]) == (0.1235, 0.9877)


@pytest.mark.parametrize(
    ("told", "first", "last"),
    [
        (ChatReply.of(RESULT), ["id", "conversation_id", "answer"], ["evidence_id", "finished_at"]),
        (SearchReply.found("toll", OUTCOME), ["id", "query", "queries"], ["usage", "outbound"]),
    ],
)
def test_people_read_what_matters_first(
    told: dict[str, Any], first: list[str], last: list[str]
) -> None:
    assert list(told)[: len(first)] == first
    assert list(told)[-len(last) :] == last


def test_a_search_says_how_it_was_asked() -> None:
    told = SearchReply.found("toll", OUTCOME)

    assert told["query"] == "toll"
    assert told["excluded"][0]["url"] == OUTCOME.excluded[0].hit.url
