"""The small corpus: pages are sound, and what the questions expect really stands in them."""

import re
from collections import defaultdict
from datetime import date
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pypdfium2
import pytest
import yaml
from bs4 import BeautifulSoup

CORPUS = Path(__file__).resolve().parents[2] / "corpus"
CONFIG = yaml.safe_load((CORPUS / "corpus.yaml").read_text("utf-8"))
BANK = yaml.safe_load((CORPUS / "questions.yaml").read_text("utf-8"))
QUESTIONS = BANK["questions"]
HTML_PAGES = sorted(CORPUS.glob("*.localhost/**/*.html"))
TODAY = date(2026, 11, 21)
FIRST_DATE = date(2023, 1, 1)
VOID_TAGS = frozenset({"br", "hr", "img", "input", "link", "meta"})
# A shop, a spam shop, a click-bait site and a status page: the real ones have no dates either.
UNDATED_SITES = frozenset({"bestdealz", "kettleandco", "status", "wowbuzz"})
UNDATED_PAGES = frozenset(
    {
        "quillon.localhost/products/k5.html",
        "saltandsignal.localhost/about.html",
        "skerry.localhost/pricing.html",
    }
)
MAIN_TOPICS = (
    "norrvik",
    "bridge",
    "election",
    "recall",
    "fennwick",
    "fares",
    "cup",
    "tideconf",
    "outage",
    "water",
    "sea_level",
)
# Hosts that may stand in a link or a vocabulary; everything else would be a real address.
ALLOWED_HOSTS = re.compile(r"(.+\.)?(localhost|example)$|^schema\.org$")


def address(file: Path) -> str:
    return re.sub(r"index\.html$", "", str(file.relative_to(CORPUS)))


@cache
def read(file: Path) -> str:
    body = file.read_bytes()
    declared = re.search(rb'<meta charset="([\w-]+)"', body[:1024])
    assert declared, f"{address(file)} declares no charset"
    return body.decode(declared.group(1).decode("ascii"))


@cache
def plain_text(file: Path) -> str:
    if file.suffix == ".html":
        text = BeautifulSoup(read(file), "html.parser").get_text(" ")
    elif file.suffix == ".pdf":
        with pypdfium2.PdfDocument(file) as document:
            text = "\n".join(page.get_textpage().get_text_range() for page in document)
    else:
        text = file.read_text("utf-8")
    return " ".join(text.split())


def page_file(page: str) -> Path:
    file = CORPUS / (f"{page}index.html" if page.endswith("/") else page)
    assert file.is_file(), f"no such page: {page}"
    return file


def dates_of(text: str) -> list[date]:
    marked = re.findall(
        r'(?:datePublished": "|_time" content="|dcterms\.\w+" content="|"date" content="'
        r'|datetime="|postdate">)'
        r"(\d{4}-\d{2}-\d{2})",
        text,
    )
    return [date.fromisoformat(found) for found in marked]


class NestingParser(HTMLParser):
    """Fails on the first end tag that does not close the innermost open element."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag not in VOID_TAGS:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> in the wrong place, line {self.getpos()[0]}"


def test_configuration_names_exactly_the_site_folders() -> None:
    folders = {item.name for item in CORPUS.iterdir() if item.is_dir()}
    assert set(CONFIG["hosts"]) == folders
    assert CONFIG["base_url"] == "http://{host}:8099"


def test_each_host_has_a_name_a_description_and_a_language() -> None:
    for host, entry in CONFIG["hosts"].items():
        assert set(entry) == {"name", "description", "language"}, host
        assert all(entry.values()), host


def test_size() -> None:
    assert len(HTML_PAGES) >= 60
    assert len(CONFIG["hosts"]) >= 12
    assert max(file.stat().st_size for file in CORPUS.rglob("*") if file.is_file()) < 100_000


@pytest.mark.parametrize("file", HTML_PAGES, ids=address)
def test_page_is_sound(file: Path) -> None:
    text = read(file)
    parser = NestingParser()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    page = BeautifulSoup(text, "html.parser")
    assert page.title
    assert page.title.get_text(strip=True)
    assert len(page.find_all("h1")) == 1
    assert page.html
    assert page.html["lang"] in {"en", "ko", "zh", "ja", "es", "de", "fr"}


@pytest.mark.parametrize("file", HTML_PAGES, ids=address)
def test_links_lead_to_pages_of_the_corpus_or_to_nothing_real(file: Path) -> None:
    text = read(file)
    site = CORPUS / file.relative_to(CORPUS).parts[0]
    for link in re.findall(r'(?:href|src)="([^"#]+)"', text):
        parts = urlsplit(link)
        if parts.hostname:
            target, path = CORPUS / parts.hostname, parts.path
        else:
            target, path = (site, link) if link.startswith("/") else (file.parent, "/" + link)
        found = target / path[1:]
        assert (found / "index.html" if path.endswith("/") else found).is_file(), link
    for host in re.findall(r"https?://([\w.-]+)", text):
        assert ALLOWED_HOSTS.match(host), host


def _articles() -> list[Path]:
    return [
        file
        for file in HTML_PAGES
        if address(file).split(".", 1)[0] not in UNDATED_SITES
        and address(file) not in UNDATED_PAGES
        and (not address(file).endswith("/") or dates_of(read(file)))
    ]


@pytest.mark.parametrize("file", _articles(), ids=address)
def test_article_has_plausible_dates(file: Path) -> None:
    found = dates_of(read(file))
    assert found, "no date"
    assert all(date(2022, 1, 1) <= day <= TODAY for day in found)


def test_dates_are_spread_over_the_years_and_the_last_days() -> None:
    newest = [max(dates_of(read(file))) for file in _articles()]
    years = {day.year for day in newest}
    assert years >= {2023, 2024, 2025, 2026}
    assert min(newest) >= FIRST_DATE
    assert sum((TODAY - day).days <= 3 for day in newest) >= 8


def test_languages() -> None:
    count: dict[str, int] = defaultdict(int)
    for file in HTML_PAGES:
        if not address(file).endswith("/"):
            found = re.search(r'<html lang="(\w+)"', read(file))
            assert found
            count[found.group(1)] += 1
    assert count["ko"] >= 6
    assert min(count[code] for code in ("ja", "zh", "es", "de", "fr")) >= 2


def test_two_pages_use_old_encodings() -> None:
    charsets = {
        match.group(1)
        for file in HTML_PAGES
        if (match := re.search(rb'<meta charset="([\w-]+)"', file.read_bytes()))
    }
    assert charsets == {b"utf-8", b"euc-kr", b"shift_jis"}


def test_long_page_is_longer_than_the_default_of_a_fetch() -> None:
    assert len(plain_text(page_file("almanac.localhost/chronicle-of-port-vellmark.html"))) > 10_000


def test_questions_are_many_and_of_every_kind_and_language() -> None:
    assert len(QUESTIONS) >= 40
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)
    assert {question["language"] for question in QUESTIONS} == {
        "en",
        "ko",
        "zh",
        "ja",
        "es",
        "de",
        "fr",
    }
    assert {question["kind"] for question in QUESTIONS} == {
        "answerable",
        "follow_up",
        "timeless",
        "unanswerable",
    }
    assert BANK["today"] == TODAY


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_question_has_the_fields_of_its_kind(question: dict[str, object]) -> None:
    answerable = question["kind"] != "unanswerable"
    assert bool(question.get("facts")) == answerable
    assert bool(question.get("pages")) == answerable
    assert bool(question.get("history")) == (question["kind"] == "follow_up")


@pytest.mark.parametrize(
    "question",
    [item for item in QUESTIONS if item.get("facts")],
    ids=lambda question: question["id"],
)
def test_expected_facts_stand_in_the_named_pages(question: dict[str, list]) -> None:
    texts = {page: plain_text(page_file(page)) for page in question["pages"]}
    spellings = [spelling for fact in question["facts"] for spelling in fact]
    for spelling in spellings:
        assert any(spelling in text for text in texts.values()), spelling
    for page, text in texts.items():
        assert any(spelling in text for spelling in spellings), f"{page} carries none of the facts"


PLANTED = [
    pytest.param(question, planted, id=f"{question['id']}-{planted['text']}")
    for question in QUESTIONS
    for planted in (*question.get("stale", ()), *question.get("forbidden", ()))
]


@pytest.mark.parametrize(("question", "planted"), PLANTED)
def test_stale_and_forbidden_texts_stand_in_their_pages_and_are_no_fact(
    question: dict[str, list], planted: dict[str, Any]
) -> None:
    assert planted["text"] not in {spelling for fact in question["facts"] for spelling in fact}
    for page in planted["pages"]:
        assert planted["text"] in plain_text(page_file(page)), page


def test_conflicting_question_expects_both_values() -> None:
    conflicting = [question for question in QUESTIONS if question.get("conflict")]
    assert conflicting
    assert all(len(question["facts"]) >= 2 for question in conflicting)


@pytest.mark.parametrize("topic", MAIN_TOPICS)
def test_main_topic_can_be_cited_from_three_sites(topic: str) -> None:
    hosts = {
        page.split("/", 1)[0]
        for question in QUESTIONS
        if question["topic"] == topic
        for page in question.get("pages", ())
    }
    assert len(hosts) >= 3
