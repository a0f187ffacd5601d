"""The local provider: what it indexes, what it finds, what it leaves."""

import asyncio
import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pypdfium2
import pytest

from pellucid_search.adapters.local_engine import LocalEngine
from pellucid_search.asking.answering import Generation
from pellucid_search.hits import DateSource
from pellucid_search.local.corpus import document_url
from pellucid_search.local.documents import html_document, markdown_document, read_document
from pellucid_search.local.index import LocalIndex
from pellucid_search.local.snippets import SNIPPET_LENGTH, snippet
from pellucid_search.query import Freshness, ProviderQuery

NOW = datetime(2026, 2, 1, tzinfo=UTC)
PAGE = """<html lang="{lang}"><head><title>{title}</title>
<meta property="article:published_time" content="{date}"></head>
<body><nav>Menu ferry</nav><main><p>{body}</p></main><script>ferry()</script></body></html>"""


class Corpus:
    """A corpus in a folder with its index."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "corpus"
        self.folder.mkdir()
        (self.folder / "corpus.yaml").write_text('base_url: "http://{host}:8099"')
        self.index = LocalIndex(self.folder, folder / "index.sqlite3")
        self.index.prepare()

    def page(self, path: str, title: str, body: str, *, lang: str = "en", date: str = "") -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(PAGE.format(lang=lang, title=title, body=body, date=date))
        return file

    def found(self, text: str, **values: Any) -> list[str]:
        return [hit.url for hit in self.index.search(ProviderQuery(text, NOW, **values))]


def test_a_banner_goes_with_its_menu_and_a_heading_stays() -> None:
    banner = "<header><a>Example Wire</a><nav>Latest</nav></header>"
    headed = "<header><h1>Bridge opens</h1><nav>Contents</nav></header>"
    assert html_document(f"<body>{banner}{headed}<p>On Monday.</p>").body == (
        "Bridge opens On Monday."
    )


@pytest.fixture
def corpus(tmp_path: Path) -> Corpus:
    filled = Corpus(tmp_path)
    filled.page(
        "a.localhost/ferry.html", "Ferry to the island", "It leaves at nine.", date="2026-01-02"
    )
    filled.page("b.localhost/harbour.html", "Harbour", "A ferry and a crane.", date="2020-05-05")
    filled.page("b.localhost/bread.html", "Rye bread", "Flour, water and salt.")
    filled.page(
        "c.localhost/ko.html", "온드리 대교 개통", "온드리 대교가 오늘 개통했다.", lang="ko"
    )
    filled.page("c.localhost/zh.html", "港口新闻", "渡轮今天恢复通航。", lang="zh")
    filled.page("c.localhost/ja.html", "港のニュース", "フェリーが再開した。", lang="ja")
    filled.index.update()
    return filled


def test_a_title_weighs_more_than_the_text(corpus: Corpus) -> None:
    assert corpus.found("ferry") == [
        "http://a.localhost:8099/ferry.html", "http://b.localhost:8099/harbour.html",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "page"),
    [
        ("온드리 대교", "ko"),
        ("대교는 언제 개통했나", "ko"),
        ("渡轮 通航", "zh"),
        ("フェリー 再開", "ja"),
    ],
)
def test_cjk_is_found_without_spaces(corpus: Corpus, query: str, page: str) -> None:
    assert corpus.found(query)[0] == f"http://c.localhost:8099/{page}.html"


@pytest.mark.parametrize("query", ["quantum chromodynamics", "best pizza in new york", "서울 날씨"])
def test_a_query_about_something_else_finds_nothing(corpus: Corpus, query: str) -> None:
    assert corpus.found(query) == []


def test_restrictions_are_kept(corpus: Corpus) -> None:
    ferry = "http://a.localhost:8099/ferry.html"

    assert corpus.found("ferry", site="a.localhost") == [ferry]
    assert corpus.found("ferry", freshness=Freshness.YEAR) == [ferry]
    assert corpus.found("ferry", exclude_domains=("b.localhost",)) == [ferry]
    assert corpus.found("ferry", include_domains=("a.localhost",)) == [ferry]
    assert corpus.found("ferry", count=1) == [ferry]


def test_a_language_is_preferred_and_others_still_answer(tmp_path: Path) -> None:
    bilingual = Corpus(tmp_path)
    for language in ("de", "en"):
        bilingual.page(
            f"d.localhost/{language}.html", "Ferry", "It leaves at noon today.", lang=language
        )
    bilingual.index.update()

    for wanted, other in (("de", "en"), ("en", "de")):
        found = bilingual.found("ferry", language=wanted)
        assert found == [f"http://d.localhost:8099/{language}.html" for language in (wanted, other)]


@pytest.mark.parametrize(
    ("query", "found"),
    [("Brückenmaut Ondry Rabatt", 1), ("prix 17", 0), ("Brückenmaut Rabatt", 0)],
    ids=["name", "number", "nothing"],
)
def test_words_of_another_language_speak_against_no_page(
    tmp_path: Path, query: str, found: int
) -> None:
    foreign = Corpus(tmp_path)
    foreign.page("e.localhost/toll.html", "Toll of the Ondry Bridge", "From 17 March on.")
    foreign.page("e.localhost/bread.html", "Rye bread", "Flour and salt.")
    foreign.index.update()

    assert len(foreign.found(query, language="de")) == found


def test_unknown_words_of_its_own_language_speak_against_a_page(corpus: Corpus) -> None:
    assert corpus.found("ferry quantum chromodynamics", language="en") == []


def test_the_index_follows_the_folder(corpus: Corpus) -> None:
    old = corpus.folder / "a.localhost/ferry.html"
    before = corpus.index.update()
    old.unlink()
    changed = corpus.page("b.localhost/bread.html", "Rye bread", "Now with a ferry inside.")
    os.utime(changed, ns=(1, 1))
    after = corpus.index.update()

    assert (before.changed, after.changed, after.documents) == (0, 2, 5)
    assert before.stamp != after.stamp
    assert set(corpus.found("ferry")) == {
        "http://b.localhost:8099/harbour.html", "http://b.localhost:8099/bread.html",
    }  # fmt: skip


def test_a_damaged_index_is_made_anew(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "index.sqlite3").write_bytes(b"no database at all" * 100)
    for suffix in ("-wal", "-shm"):
        (tmp_path / f"index.sqlite3{suffix}").unlink(missing_ok=True)
    corpus.index.prepare()

    assert corpus.index.update().documents == 6


def test_an_empty_or_absent_corpus_finds_nothing(tmp_path: Path) -> None:
    index = LocalIndex(tmp_path / "nowhere", tmp_path / "index.sqlite3")
    index.prepare()

    assert index.update().documents == 0
    assert index.search(ProviderQuery("ferry", NOW)) == ()


def test_text_markdown_and_pdf_are_read(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("First line\nThe second.")
    (tmp_path / "guide.md").write_text(
        "---\ndate: 2026-03-04\nlang: de\n---\n# Fähre\n\nSie *fährt*."
    )
    pdf = pypdfium2.PdfDocument.new()
    pdf.new_page(200, 200)
    pdf.save(tmp_path / "empty.pdf")
    pdf.close()
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 broken")

    assert read_document(tmp_path / "note.txt").title == "First line"
    guide = read_document(tmp_path / "guide.md")
    assert (guide.title, guide.language, guide.published) == ("Fähre", "de", "2026-03-04")
    assert "fährt" in guide.body
    assert read_document(tmp_path / "empty.pdf").title == "empty"
    folder = Corpus(tmp_path)
    (tmp_path / "broken.pdf").rename(folder.folder / "x.localhost.pdf")
    (folder.folder / "x.localhost").mkdir()
    (folder.folder / "x.localhost.pdf").rename(folder.folder / "x.localhost/broken.pdf")
    assert folder.index.update().unreadable == ("x.localhost/broken.pdf: not a readable PDF",)
    assert folder.index.update().changed == 0


def test_a_page_in_an_old_encoding_is_read(tmp_path: Path) -> None:
    file = tmp_path / "old.html"
    file.write_bytes('<meta charset="euc-kr"><title>항구</title><p>연락선</p>'.encode("euc-kr"))

    assert read_document(file).title == "항구"


def test_linked_data_beats_meta_and_scripts_are_not_text() -> None:
    document = html_document(
        '<html lang="fr"><title>T</title><meta name="date" content="2020-01-01">'
        '<script type="application/ld+json">{"@graph": [{"datePublished": "2026-02-03"}]}</script>'
        "<body>Text<script>hidden()</script></body></html>"
    )

    assert (document.published, document.date_source) == ("2026-02-03", DateSource.JSON_LD)
    assert document.body == "Text"
    assert markdown_document("no heading", "name").title == "name"


def test_snippets_are_short_and_show_the_match() -> None:
    body = "Filler words here. " * 200 + "The ferry leaves from the island pier. " + "More. " * 200
    shown = snippet(body, ("ferry", "island"))

    assert len(shown) <= SNIPPET_LENGTH
    assert "ferry leaves from the island" in shown
    assert snippet("short text", ("none",)) == "short text"


def test_a_snippet_of_a_table_is_one_readable_line() -> None:
    table = "| Carries | four lanes |\n| Length | 1,840 m |"
    assert snippet(table, ("length",)) == "Carries · four lanes · Length · 1,840 m"


def test_addresses_follow_the_manifest() -> None:
    assert (
        document_url("a.localhost/x/index.html", "http://{host}:8099")
        == "http://a.localhost:8099/x/"
    )
    assert document_url("a b.html", "https://intranet.example/docs/") == (
        "https://intranet.example/docs/a%20b.html"
    )


async def test_a_large_corpus_does_not_hold_up_the_loop(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    for number in range(1_000):
        corpus.page(f"a.localhost/{number}.html", f"Page {number}", "A ferry. " * 50)
    engine = LocalEngine(corpus.index, Generation())
    task = asyncio.create_task(engine.keep_fresh(60))
    lags: list[float] = []
    while not engine._passed.is_set():
        before = time.monotonic()
        await asyncio.sleep(0.005)
        lags.append(time.monotonic() - before - 0.005)
    found = await engine.ask(ProviderQuery("ferry", NOW), timeout_s=10)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)

    assert len(found.hits) == 10
    assert sorted(lags)[int(len(lags) * 0.95)] < 0.1
