"""Whom a page names as its author, in its data, its mark-up and its byline."""

import pytest

from pellucid_fetcher.document import Document
from pellucid_fetcher.extraction.reading.dispatch import open_readers, read

READERS = open_readers()
PROSE = (
    "<p>The keepers opened the upper lock before sunrise, and the first barge was through by six. "
    "Nobody had expected the water to hold, least of all the men who had mended the gates.</p>"
)


def _author(body: str = "", head: str = "") -> str:
    page = f"<html><head><title>Locks</title>{head}</head><body><h1>Locks</h1>{body}{PROSE * 3}"
    document = Document(page.encode(), "https://www.lantern.example/news/locks", "text/html")
    return read(READERS, document).author


@pytest.mark.parametrize(
    "line",
    [
        "By Ada Lantern",
        "by Ada Lantern | 4 min read",
        "Written by: Ada Lantern",
        "By Ada Lantern on March 5, 2021",
        "Posted by Ada Lantern 5 March 2021",
        "Von Ada Lantern, Hamburg",
        "Par Ada Lantern",
    ],
)
def test_a_byline_near_the_heading_names_the_author(line: str) -> None:
    assert _author(f"<p>{line}</p>") == "Ada Lantern"


@pytest.mark.parametrize("line", ["By joining us you agree.", "By the river it rained.", "By 1931"])
def test_a_sentence_that_begins_like_a_byline_names_nobody(line: str) -> None:
    assert _author(f"<p>{line}</p>") == ""


@pytest.mark.parametrize(
    "element",
    [
        '<div class="post_authorName">Ada Lantern</div>',
        '<a href="/authors/ada">Ada Lantern</a>',
        '<div itemprop="author"><a itemprop="name">Ada Lantern</a> 14 gold badges</div>',
        '<a rel="author" href="/x">All posts</a><span class="entry-author">By Ada Lantern</span>',
    ],
)
def test_a_marked_element_names_the_author(element: str) -> None:
    assert _author(element) == "Ada Lantern"


def test_escapes_and_numbers_in_data_are_no_part_of_a_name() -> None:
    assert _author(head='<meta name="author" content="Ada &amp;amp; Bea">') == "Ada & Bea"
    number = '<meta name="author" content="262588213843476">'
    assert _author("<p>By Ada Lantern</p>", number) == "Ada Lantern"


def test_the_site_is_the_author_only_where_nobody_else_is_named() -> None:
    data = '<meta name="author" content="Lantern"><meta property="og:site_name" content="Lantern">'
    assert _author("<p>By Ada Lantern</p>", data) == "Ada Lantern"
    assert _author("", data) == "Lantern"
