"""Readers of single sites, with answers in the documented forms."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import SplitResult, urlsplit

import pytest
from pydantic import ValidationError

from pellucid_fetcher.errors import FetchFault
from pellucid_fetcher.outcome import FetchStatus, Purpose
from pellucid_fetcher.settings import FetcherSettings
from pellucid_fetcher.sites.port import SitePage
from pellucid_fetcher.sites.registry import REGISTRY, USUAL
from pellucid_fetcher.strategies.site_way import knower

SE = "https://api.stackexchange.com/2.3/questions"
README = "# Lantern\n\nA clock for lighthouses.\n"
ISSUE = {
    "title": "Lamp stops at noon", "body": "It stops **every** day.", "user": {"login": "ada"},
    "created_at": "2026-03-05T10:00:00Z",
}  # fmt: skip
REMARKS = [
    {"user": {"login": "timo"}, "created_at": "2026-03-06T08:00:00Z", "body": "Wind it first."}
]
QUESTION = {
    "items": [
        {
            "title": "How to wind a &quot;clock&quot;?", "body": "<p>Mine has no key.</p>",
            "owner": {"display_name": "Ada"}, "creation_date": 1772704800,
        }
    ]
}  # fmt: skip
ANSWERS = {
    "items": [
        {
            "score": 12, "is_accepted": True, "owner": {"display_name": "Timo"},
            "body": "<p>Turn the <code>crown</code>.</p>",
        }
    ]
}  # fmt: skip
POST = [
    {"data": {"children": [{"data": {
        "title": "My lamp", "selftext": "It *burns*.", "author": "ada", "created_utc": 1772704800.0,
    }}]}},
    {"data": {"children": [
        {"data": {"author": "timo", "score": 4, "body": "Nice.", "replies": {"data": {"children": [
            {"data": {"author": "pia", "score": 2, "body": "Very.", "replies": ""}}
        ]}}}},
        {"kind": "more", "data": {"count": 3}},
    ]}},
]  # fmt: skip
ITEM = {
    "title": "A lamp", "author": "ada", "created_at_i": 1772704800, "url": "https://lamp.example/",
    "text": None, "children": [
        {"author": "timo", "text": "<p>Old, but it burns.", "children": [
            {"author": "pia", "text": "Still.", "children": []}
        ]}
    ],
}  # fmt: skip
CASES = {
    "https://github.com/ada/lantern": (
        ["https://raw.githubusercontent.com/ada/lantern/HEAD/README.md"], [README],
        ["A clock for lighthouses."], "",
    ),
    "https://github.com/ada/lantern/blob/main/src/lamp.py": (
        ["https://raw.githubusercontent.com/ada/lantern/main/src/lamp.py"], ["x = 1"],
        ["```\nx = 1\n```"], "",
    ),
    "https://github.com/ada/lantern/issues/7": (
        [
            "https://api.github.com/repos/ada/lantern/issues/7",
            "https://api.github.com/repos/ada/lantern/issues/7/comments?per_page=100",
        ],
        [ISSUE, REMARKS], ["It stops **every** day.", "### timo, 2026-03-06", "Wind it first."],
        "2026-03-05",
    ),
    "https://stackoverflow.com/questions/41/how-to-wind": (
        [
            f"{SE}/41?site=stackoverflow&filter=withbody",
            f"{SE}/41/answers?order=desc&sort=votes&pagesize=50&site=stackoverflow&filter=withbody",
        ],
        [QUESTION, ANSWERS], ["Mine has no key.", "Timo, 12 votes, accepted", "crown"],
        "2026-03-05",
    ),
    "https://old.reddit.com/r/lamps/comments/1a2b/my_lamp/": (
        ["https://www.reddit.com/r/lamps/comments/1a2b.json?limit=200&raw_json=1"], [POST],
        ["It *burns*.", "### timo, 4 points", "Very."], "2026-03-05",
    ),
    "https://news.ycombinator.com/item?id=99": (
        ["https://hn.algolia.com/api/v1/items/99"], [ITEM],
        ["https://lamp.example/", "Old, but it burns.", "Still."], "2026-03-05",
    ),
}  # fmt: skip
OTHERS = (
    "https://github.com/", "https://github.com/features/actions", "https://github.com/ada",
    "https://github.com.evil.example/ada/lantern", "https://reddit.com/r/lamps/",
    "https://stackoverflow.com/tags", "https://stackexchange.com/questions/4",
    "https://news.ycombinator.com/item?id=x", "https://notreddit.com/r/a/comments/b/",
)  # fmt: skip
SENTENCE = "The lamp of Ostwick burns all night, and two keepers take turns at the clock."


@pytest.mark.parametrize("url", CASES)
def test_a_site_is_asked_and_its_answers_are_read(url: str) -> None:
    questions, answers, phrases, day = CASES[url]
    known = knower(list(REGISTRY.values()), url)
    assert known is not None
    reader, asked = known
    assert list(asked) == questions
    page = reader.read(urlsplit(url), answers)
    assert page.title
    assert all(phrase in page.body for phrase in phrases)
    assert (page.published.date().isoformat() if page.published else "") == day


@pytest.mark.parametrize("url", OTHERS)
def test_other_pages_are_left_to_http(url: str) -> None:
    assert knower(list(REGISTRY.values()), url) is None


@pytest.mark.parametrize("url", CASES)
@pytest.mark.parametrize("answer", [None, "", [], {}, {"items": 3}, {"children": "x"}, 7])
def test_an_answer_that_holds_no_page_is_no_text(url: str, answer: Any) -> None:
    known = knower(list(REGISTRY.values()), url)
    assert known is not None
    reader, asked = known
    if reader.NAME == "github" and len(asked) == 1 and answer != "":
        body = reader.read(urlsplit(url), [answer]).body  # any file may be JSON
        assert json.loads(body.strip("`\n")) == answer
        return
    with pytest.raises(FetchFault) as fault:
        reader.read(urlsplit(url), [answer] * len(asked))
    assert fault.value.status is FetchStatus.NO_TEXT


def test_a_site_that_is_not_known_cannot_be_named(settings: FetcherSettings) -> None:
    plain = settings.model_dump(include={"data_dir"})
    assert settings.fetcher_site_readers == USUAL
    assert FetcherSettings(**plain, fetcher_site_readers="off").fetcher_site_readers == "off"
    with pytest.raises(ValidationError):
        FetcherSettings(**plain, fetcher_site_readers="github,elsewhere")


class LampReader:
    """A reader of one host, asked over plain HTTP."""

    NAME = "lamp"

    def questions(self, url: SplitResult) -> Sequence[str]:
        known = url.hostname == "ostwick.test" and url.path == "/lamp"
        return ("http://ostwick.test/data.json",) if known else ()

    def read(self, url: SplitResult, answers: Sequence[Any]) -> SitePage:
        assert url.path == "/lamp"
        if not isinstance(answers[0], dict):
            raise FetchFault(FetchStatus.NO_TEXT)
        return SitePage("Lamp", answers[0]["body"], author="Ada")


def _with_reader(rig: Any) -> None:
    chain = rig.fetcher._steps.chain
    chain._ways = replace(chain._ways, sites=[LampReader()])


PAGE = f"<html><body><article><h1>Page</h1><p>{SENTENCE}</p></article></body></html>".encode()


@pytest.mark.parametrize("purpose", [Purpose.USER_URL, Purpose.SEARCH_RESULT])
async def test_a_page_is_read_from_its_site(rig: Any, http: Any, purpose: Purpose) -> None:
    data = b'{"body": "<p>From the <a href=/x>site</a> itself.</p><nav>All of it</nav>"}'
    robots = http(b"", kind="text/plain")
    await rig.pages({"/data.json": http(data), "/lamp": http(PAGE), "/robots.txt": robots})
    _with_reader(rig)
    page = await rig.fetch("http://ostwick.test/lamp", purpose, links=True)
    assert page.success
    assert (page.title, page.author) == ("Lamp", "Ada")
    if purpose is Purpose.USER_URL:
        assert page.text == "From the [site](http://ostwick.test/x) itself.\n\nAll of it"


@pytest.mark.parametrize("data", [None, b"no json", b'{"body": ""}'])
async def test_without_an_answer_the_page_itself_is_read(rig: Any, http: Any, data: Any) -> None:
    pages = {"/lamp": http(PAGE)}
    if data is not None:
        pages["/data.json"] = http(data)
    await rig.pages(pages)
    _with_reader(rig)
    page = await rig.fetch("http://ostwick.test/lamp")
    assert SENTENCE in page.text


async def test_a_site_is_not_asked_for_internal_hosts_only(rig: Any, http: Any) -> None:
    await rig.pages({"/data.json": http(b'{"body": "<p>From the site.</p>"}')})
    _with_reader(rig)
    page = await rig.fetch("http://ostwick.test/lamp", internal_only=True)
    assert page.status is FetchStatus.BLOCKED_TARGET
