"""When a page was published: every date has a source, and none is invented."""

from datetime import UTC, datetime
from typing import Any

import pytest
from lantern_page import ARTICLE, lantern_page

from pellucid_fetcher.outcome import DateOrigin

DATES = {
    '<script type="application/ld+json">{"@type":"NewsArticle","datePublished":'
    '"2024-03-05T10:00:00+02:00"}</script>': (datetime(2024, 3, 5, 8, tzinfo=UTC), "json_ld"),
    '<meta property="article:published_time" content="2023-11-30">': (
        datetime(2023, 11, 30, tzinfo=UTC),
        "meta",
    ),
    "": None,
    '<meta name="date" content="soon">': None,
    '<script type="application/ld+json">{"@type":"NewsArticle","datePublished":"0000"}</script>': (
        None
    ),
    '<script type="application/ld+json">{broken</script>': None,
}


@pytest.mark.parametrize("head", DATES)
def test_dates_have_a_source_and_are_never_invented(extract: Any, head: str) -> None:
    found = extract(
        lantern_page(f"{ARTICLE}<p>Since 1931, and © 2026, we count on 12 May.</p>", head)
    )
    expected = DATES[head]
    if expected is None:
        assert found.published is None
    else:
        assert (found.published.time, found.published.origin.value) == expected


BESIDE = {
    '<time datetime="2024-03-05">5 March</time>': 5,
    "<p>By Anna Muster, March 5th, 2024</p>": 5,
    "<p>Von Anna Muster, 5. März 2024</p>": 5,
    "<p>mudlark 2024-03-05 08:14</p>": 5,
    "<p>작성 2024년 3월 5일</p>": 5,
    "<p>Por Ana, 5 de marzo de 2024</p>": 5,
    '<aside><time datetime="2024-03-05">5 March</time></aside>': None,
    "<p>05.03.24, or 5.3.2024</p>": 5,
}


@pytest.mark.parametrize("byline", BESIDE)
def test_a_date_beside_the_heading_of_one_writing(extract: Any, byline: str) -> None:
    page = lantern_page(ARTICLE.replace("</h1>", f"</h1>{byline}"))
    found = extract(page, url="https://news.example/blog/the-old-bakery").published
    if BESIDE[byline] is None:
        assert found is None
    else:
        assert found.time == datetime(2024, 3, 5, tzinfo=UTC)
        assert found.origin is DateOrigin.TEXT
        assert found.confidence < 0.8
    assert extract(page, url="https://shop.example/").published is None
    offer = '<script type="application/ld+json">{"@type":"Product","name":"x"}</script>'
    assert extract(page + offer, url="https://news.example/blog/the-old-bakery").published is None


@pytest.mark.parametrize("url", ["https://services.example/roofing", "https://services.example/"])
def test_when_a_record_was_made_is_no_publication(extract: Any, url: str) -> None:
    made = '{"@type":"WebPage","datePublished":"2019-02-03"}'
    page = f'<script type="application/ld+json">{made}</script>' + lantern_page(ARTICLE)
    assert extract(page, url=url).published is None
    assert extract(page, url="https://services.example/blog/roofs").published is not None


def test_a_date_in_the_address(extract: Any) -> None:
    found = extract(lantern_page(ARTICLE), url="http://lantern.example/2022/07/09/bakery")
    assert found.published.time == datetime(2022, 7, 9, tzinfo=UTC)
    assert found.published.origin is DateOrigin.URL
