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
from pellucid_fetcher.sites.port import Asked, Post, SitePage
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
WIKI = {
    "id": 7, "key": "AC/DC_(lamp)", "title": "AC/DC (lamp)",
    "latest": {"id": 9, "timestamp": "2026-03-05T10:00:00Z"}, "content_model": "wikitext",
    "license": {"url": "https://creativecommons.org/licenses/by-sa/4.0/", "title": "CC BY-SA 4.0"},
    "html": """<!DOCTYPE html><html><head><title>AC/DC (lamp)</title></head>
<body class="mw-body-content parsoid-body"><section data-mw-section-id="0">
<table class="infobox"><tr><th>Lit</th><td>1871</td></tr></table>
<p>The <b>AC/DC</b> is a lamp.<sup class="mw-ref reference"><a href="#n">[1]</a></sup></p>
</section><section data-mw-section-id="1"><h2 id="Oil">Oil</h2><p>It burns whale oil.</p></section>
<div role="navigation" class="navbox"><a href="./Candle">Candle</a></div></body></html>""",
}  # fmt: skip
ENTRY = """<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
  <link href="http://arxiv.org/api/query?id_list=2603.01234" rel="self"/>
  <title type="html">ArXiv Query: search_query=&amp;id_list=2603.01234</title>
  <entry>
    <id>http://arxiv.org/abs/2603.01234v1</id>
    <updated>2026-03-06T10:00:00Z</updated>
    <published>2026-03-05T10:00:00Z</published>
    <title>Light of
  lamps</title>
    <summary>  We measure lamps with $x &lt; 3$.
</summary>
    <author><name>Ada Vik</name></author>
    <author><name>Timo Berg</name></author>
    <link href="http://arxiv.org/pdf/2603.01234v1" rel="related" type="application/pdf"/>
  </entry>
</feed>"""
PAPER = """<html><body><nav class="ltx_page_navbar">1 Lamps</nav><div class="ltx_page_content">
<article class="ltx_document"><section><h2>1 Lamps</h2><p>A lamp has
<math alttext="3"><semantics><mn>3</mn></semantics></math> wicks.</p></section></article>
</div><footer>Report an issue</footer></body></html>"""
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
    "https://en.m.wikipedia.org/wiki/AC/DC_(lamp)?wprov=sfla1#Oil": (
        ["https://en.wikipedia.org/w/rest.php/v1/page/AC%2FDC_%28lamp%29/with_html"], [WIKI],
        ["is a lamp.", "1871", "It burns whale oil."], "",
    ),
    "https://arxiv.org/abs/2603.01234v1": (
        [
            "https://export.arxiv.org/api/query?id_list=2603.01234v1",
            "https://arxiv.org/html/2603.01234v1",
        ],
        [ENTRY, PAPER],
        ["We measure lamps with $x &lt; 3$.", '<article class="ltx_document">', "wicks."],
        "2026-03-05",
    ),
    "https://arxiv.org/pdf/math.GT/0309136": (
        [
            "https://export.arxiv.org/api/query?id_list=math.GT/0309136",
            "https://arxiv.org/html/math.GT/0309136",
        ],
        [ENTRY, PAPER], ["We measure lamps", "wicks."], "2026-03-05",
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
    "https://en.wikipedia.org/", "https://en.wikipedia.org/wiki/", "https://www.wikipedia.org/wiki/A",
    "https://en.wikipedia.org/wiki/A?oldid=3", "https://en.wikipedia.org.evil.example/wiki/A",
    "https://arxiv.org/list/cs.CL/recent", "https://arxiv.org/html/2603.01234",
    "https://www.youtube.com/", "https://www.youtube.com/watch?v=short",
    "https://www.youtube.com/watch?v=abcdefghij/", "https://youtu.be/",
    "https://www.youtube.com/embed/", "https://evil.example/watch?v=abcdefghijk",
)  # fmt: skip
SENTENCE = "The lamp of Ostwick burns all night, and two keepers take turns at the clock."


@pytest.mark.parametrize("url", CASES)
def test_a_site_is_asked_and_its_answers_are_read(url: str) -> None:
    questions, answers, phrases, day = CASES[url]
    known = knower(list(REGISTRY.values()), url)
    assert known is not None
    assert list(known[1]) == questions
    page = _page(url, answers)
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


def test_what_stands_around_a_page_is_left_out() -> None:
    for url, around in (
        ("https://en.m.wikipedia.org/wiki/AC/DC_(lamp)?wprov=sfla1#Oil", "Candle"),
        ("https://arxiv.org/abs/2603.01234v1", "Report an issue"),
    ):
        page = _page(url, CASES[url][1])
        assert around not in page.body


def _page(url: str, answers: Sequence[Any]) -> SitePage:
    known = knower(list(REGISTRY.values()), url)
    assert known is not None
    page = known[0].read(urlsplit(url), answers)
    assert isinstance(page, SitePage)
    return page


def test_a_paper_without_html_is_its_abstract_or_its_pdf() -> None:
    page = _page("https://arxiv.org/abs/2603.01234", [ENTRY, None])
    assert (page.title, page.author) == ("Light of lamps", "Ada Vik, Timo Berg")
    assert page.body.endswith("$x &lt; 3$.</p>")
    with pytest.raises(FetchFault):
        _page("https://arxiv.org/pdf/2603.01234", [ENTRY, None])


@pytest.mark.parametrize(
    "url", ["https://github.com/ada/lantern/issues/7", "https://stackoverflow.com/questions/41/how"]
)
def test_a_thread_without_its_replies_is_no_page(url: str) -> None:
    first = ISSUE if "github" in url else QUESTION
    with pytest.raises(FetchFault):
        _page(url, [first, None])


WATCH = """<html><meta itemprop="datePublished" content="2026-03-05T02:00:00-08:00">
<script>ytcfg.set({"INNERTUBE_API_KEY":"AIza-key_1","X":1});</script></html>"""
SPEECH = "https://www.youtube.com/api/timedtext?v=abcdefghijk&lang=en"
TRACKS = [
    {"baseUrl": f"{SPEECH}&kind=asr", "languageCode": "en", "kind": "asr"},
    {"baseUrl": f"{SPEECH[:-2]}fi", "languageCode": "fi"},
    {"baseUrl": "https://evil.example/api/timedtext?lang=en", "languageCode": "en"},
    {
        "baseUrl": f"{SPEECH}&fmt=srv3",
        "languageCode": "en",
        "name": {"runs": [{"text": "English"}]},
    },
]
PLAYER = {
    "playabilityStatus": {"status": "OK"},
    "videoDetails": {
        "videoId": "abcdefghijk", "title": "Lamps", "author": "Ada",
        "shortDescription": "All lamps.\nMore at <lamp>.", "lengthSeconds": "90",
    },
    "captions": {"playerCaptionsTracklistRenderer": {"captionTracks": TRACKS}},
}  # fmt: skip
SUBTITLES = """<?xml version="1.0" encoding="utf-8" ?><transcript>
<text start="0.5" dur="2">It&amp;#39;s a lamp</text>
<text start="3" dur="2">of &lt;i&gt;oil&lt;/i&gt;.
</text><text start="61.2" dur="2">It burns.</text></transcript>"""


@pytest.mark.parametrize(
    "url",
    [
        "https://www.youtube.com/watch?v=abcdefghijk&t=3s", "https://youtu.be/abcdefghijk?si=x",
        "https://m.youtube.com/shorts/abcdefghijk",
    ],
)  # fmt: skip
def test_a_video_is_what_is_said_in_it(url: str) -> None:
    known = knower(list(REGISTRY.values()), url)
    assert known is not None
    reader, asked = known
    assert list(asked) == ["https://www.youtube.com/watch?v=abcdefghijk"]
    (player,) = reader.read(urlsplit(url), [WATCH])
    assert player.url == "https://www.youtube.com/youtubei/v1/player?key=AIza-key_1"
    assert player.body["videoId"] == "abcdefghijk"
    assert list(reader.read(urlsplit(url), [WATCH, PLAYER])) == [SPEECH]
    page = reader.read(urlsplit(url), [WATCH, PLAYER, SUBTITLES])
    assert (page.title, page.author, page.published.hour) == ("Lamps", "Ada", 10)
    assert page.body == (
        "<p>All lamps.<br>More at &lt;lamp&gt;.</p><h2>Transcript</h2>"
        "<p>It&#x27;s a lamp of oil.</p><p>It burns.</p>"
    )


def test_a_video_without_subtitles_is_its_description() -> None:
    url = "https://youtu.be/abcdefghijk"
    silent = {**PLAYER, "captions": {}}
    assert "Transcript" not in _page(url, [WATCH, silent]).body
    assert _page(url, [WATCH, PLAYER, None]).body.startswith("<p>All lamps.")
    for nothing in (None, {}, {"videoDetails": {"title": "Lamps"}}):
        with pytest.raises(FetchFault):
            _page(url, [WATCH, nothing])
    with pytest.raises(FetchFault):
        _page(url, ["<html>Before you continue</html>"])


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

    def read(self, url: SplitResult, answers: Sequence[Any]) -> SitePage | Sequence[Asked]:
        assert url.path == "/lamp"
        if not isinstance(answers[0], dict):
            raise FetchFault(FetchStatus.NO_TEXT)
        return SitePage("Lamp", answers[0]["body"], author="Ada")


def _with_reader(rig: Any, reader: Any = None) -> None:
    chain = rig.fetcher._steps.chain
    chain._ways = replace(chain._ways, sites=[reader or LampReader()])


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


class PlayerReader(LampReader):
    """Asks on by a POST, and once more for what may be missing."""

    def read(self, url: SplitResult, answers: Sequence[Any]) -> SitePage | Sequence[Asked]:
        assert url.path == "/lamp"
        if len(answers) == 1:
            return Post("http://ostwick.test/player", {"lamp": 7}), "http://ostwick.test/none"
        return SitePage("Lamp", f"<p>{answers[1]} and {answers[2]}</p>")


async def test_a_site_is_asked_on_by_a_post(rig: Any, http: Any) -> None:
    async def answer(reader: Any, writer: Any) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        method, path = head.split(" ")[:2]
        said = await reader.read(11) if method == "post" else b""
        if "content-type: application/json" in head and path == "/player":
            writer.write(http(b"Posted " + said.replace(b'"', b"'")))
        else:
            writer.write(http(b"{}", status=404 if path == "/none" else 200))

    await rig.serve(answer)
    _with_reader(rig, PlayerReader())
    page = await rig.fetch("http://ostwick.test/lamp")
    assert page.text == "Posted {'lamp': 7} and None"


async def test_a_site_is_not_asked_for_internal_hosts_only(rig: Any, http: Any) -> None:
    await rig.pages({"/data.json": http(b'{"body": "<p>From the site.</p>"}')})
    _with_reader(rig)
    page = await rig.fetch("http://ostwick.test/lamp", internal_only=True)
    assert page.status is FetchStatus.BLOCKED_TARGET
