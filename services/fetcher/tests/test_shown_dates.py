"""Days that pages of many languages show as their own, and days that are not theirs."""

import pytest

from pellucid_fetcher.document import Document
from pellucid_fetcher.extraction.reading.dispatch import open_readers, read
from pellucid_fetcher.outcome import DateOrigin, PublishedDate

READERS = open_readers()
URL = "https://www.lantern.example/news/the-lock-keepers-of-the-upper-canal"
PROSE = (
    "The keepers opened the upper lock before sunrise, and the first barge was through by six. "
    "Nobody had expected the water to hold, least of all the men who had mended the gates. "
)
# Language of the page, line, day.
LINES = (
    ("en", "March 5, 2021", "2021-03-05"),
    ("en", "Mar. 5, 2021", "2021-03-05"),
    ("en", "5 March 2021", "2021-03-05"),
    ("en", "5th of March 2021", "2021-03-05"),
    ("en", "Published March 5, 2021 at 10:14 am", "2021-03-05"),
    ("en", "Posted on Sept. 30, 2019 by Ada Lantern", "2019-09-30"),
    ("en", "By Ada Lantern | Dec 31, 2018 | 4 min read", "2018-12-31"),
    ("en", "Published: 2020-02-29", "2020-02-29"),
    ("en", "Published Dec 3, 2019 | Updated March 4, 2020", "2019-12-03"),
    ("en", "Updated March 4, 2020 | Published Dec 3, 2019", "2019-12-03"),
    ("en-us", "03/05/2021", "2021-03-05"),
    ("en-gb", "03/05/2021", "2021-05-03"),
    ("en", "23/05/2021", "2021-05-23"),
    ("de", "05.03.2021", "2021-03-05"),
    ("de", "5.3.2021, 14:05 Uhr", "2021-03-05"),
    ("de", "5. März 2021", "2021-03-05"),
    ("de", "Veröffentlicht am 31. Dezember 2020", "2020-12-31"),
    ("de", "Von Anna Muster, 07. Jan. 2022", "2022-01-07"),
    ("de", "erstellt: 12.11.2019 - geändert: 14.01.2021", "2019-11-12"),
    ("de", "Mittwoch, 12.08.15", "2015-08-12"),
    ("fr", "le 5 mars 2021 à 10h14", "2021-03-05"),
    ("fr", "Publié le 1er août 2020", "2020-08-01"),
    ("fr", "Publié le 14/07/2019 - mis à jour le 15/07/2019", "2019-07-14"),
    ("fr", "12 févr. 2022", "2022-02-12"),
    ("es", "5 de marzo de 2021", "2021-03-05"),
    ("es", "Publicado el 16 de enero de 2020", "2020-01-16"),
    ("es", "Madrid, 30 sept 2021", "2021-09-30"),
    ("it", "5 marzo 2021", "2021-03-05"),
    ("it", "Pubblicato il 9 gennaio 2018", "2018-01-09"),
    ("pt", "5 de março de 2021", "2021-03-05"),
    ("pt-br", "Publicado em 05/03/2021 às 10h14", "2021-03-05"),
    ("nl", "5 maart 2021", "2021-03-05"),
    ("nl", "Gepubliceerd op 12 mei 2020", "2020-05-12"),
    ("pl", "5 marca 2021", "2021-03-05"),
    ("pl", "Opublikowano: 12 listopada 2020", "2020-11-12"),
    ("cs", "5. března 2021", "2021-03-05"),
    ("hr", "12. listopada 2020.", "2020-10-12"),
    ("sv", "Publicerad 5 mars 2021", "2021-03-05"),
    ("da", "5. marts 2021", "2021-03-05"),
    ("nb", "Publisert 17. mai 2021", "2021-05-17"),
    ("fi", "5. maaliskuuta 2021", "2021-03-05"),
    ("hu", "2021. március 5.", "2021-03-05"),
    ("ro", "5 martie 2021", "2021-03-05"),
    ("tr", "5 Mart 2021", "2021-03-05"),
    ("tr", "Yayınlanma: 12.11.2020", "2020-11-12"),
    ("ru", "5 марта 2021", "2021-03-05"),
    ("ru", "Опубликовано 12.11.2020", "2020-11-12"),
    ("uk", "5 березня 2021", "2021-03-05"),
    ("el", "5 Μαρτίου 2021", "2021-03-05"),
    ("id", "5 Maret 2021", "2021-03-05"),
    ("vi", "05/03/2021", "2021-03-05"),
    ("ko", "2021년 3월 5일", "2021-03-05"),
    ("ko", "입력 2021.03.05 10:14 수정 2021.03.06 09:00", "2021-03-05"),
    ("ja", "2021年3月5日", "2021-03-05"),
    ("ja", "公開日:2021年03月05日", "2021-03-05"),
    ("zh", "2021年3月5日 10:14", "2021-03-05"),
    ("zh", "发布时间:2021-03-05", "2021-03-05"),
)
PLACES = {
    "below the heading": "<h1>The lock keepers</h1><p>{line}</p><p>{prose}</p>",
    "above the heading": '<div class="kicker">{line}</div><h1>The lock keepers</h1><p>{prose}</p>',
    "in a byline": (
        "<h1>The lock keepers</h1><h2>A morning by the water</h2>"
        '<div class="byline"><span>{line}</span></div><p>{prose}</p>'
    ),
    "under a heading of the second level": (
        '<h2>The lock keepers</h2><div class="post-date">{line}</div><p>{prose}</p>'
    ),
}
NOT_THEIRS = (
    '<section class="comments"><p>Ada, March 5, 2021</p><p>What a morning!</p></section>',
    '<aside class="related"><h3>Older</h3><a href="/x">Storm tide</a><p>March 5, 2021</p></aside>',
    "<footer>© 2021 The Lantern. All rights reserved. Founded March 5, 1921.</footer>",
    "<p>The gates were last mended by three men and a boy from the village on March 5, 2021.</p>",
    "<p>Version 20.10.12.1 of the lock's software runs on port 8080.</p>",
    "<p>Call 030.12.34.56 or write to the keepers.</p>",
    "<p>2021</p>",
    "<p>31.02.2021</p>",
    "<p>March 5, 2199</p>",
)


def _published(markup: str, url: str = URL) -> PublishedDate | None:
    return read(READERS, Document(markup.encode(), url, "text/html")).published


def _page(language: str, inner: str) -> str:
    return (
        f'<html lang="{language}"><head><title>The lock keepers</title></head><body><main>'
        f"{inner}</main></body></html>"
    )


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("language", "line", "day"), LINES)
def test_the_day_that_a_page_shows_is_read(language: str, line: str, day: str, place: str) -> None:
    found = _published(_page(language, PLACES[place].format(line=line, prose=PROSE * 3)))
    assert found is not None
    assert found.time.date().isoformat() == day
    assert found.origin is DateOrigin.TEXT
    assert 0.4 <= found.confidence <= 0.7


def test_a_line_that_is_the_title_marks_the_beginning_like_a_heading() -> None:
    menu = "".join(f"<p>Lock {name}</p>" for name in "ABCDEFGHIJKLMNOP")
    page = f"{menu}<div>{{}}</div><p>March 5, 2021</p><p>{PROSE * 3}</p><p>May 1, 2020</p>"
    found = _published(_page("en", page.format("The lock keepers")))
    assert found is not None
    assert found.time.date().isoformat() == "2021-03-05"
    assert _published(_page("en", page.format("Our village"))) is None


def test_the_day_on_which_a_thread_was_submitted_counts_at_its_end() -> None:
    side = '<div class="linkinfo">this post was {} on March 5, 2021</div>'
    page = f"<h1>The lock keepers</h1>{f'<p>{PROSE}</p>' * 14}"
    found = _published(_page("en", page + side.format("submitted")))
    assert found is not None
    assert found.time.date().isoformat() == "2021-03-05"
    assert _published(_page("en", page + side.format("admired"))) is None


def test_of_several_headings_the_one_that_is_the_title_marks_the_beginning() -> None:
    menu = "".join(f"<p>Lock {name}</p>" for name in "ABCDEFGHIJKLMNOP")
    shown = f"<p>March 5, 2021</p><p>{PROSE * 3}</p><p>May 1, 2020</p>"
    page = f"<h1>The Lantern</h1>{menu}<h1>{{}}</h1>{shown}"
    found = _published(_page("en", page.format("The lock keepers")))
    assert found is not None
    assert found.time.date().isoformat() == "2021-03-05"
    assert _published(_page("en", page.format("Our village"))) is None


def test_the_first_publication_goes_before_the_day_of_a_later_edition() -> None:
    lines = "<p>Published March 5, 2021</p>{}<p>Originally published June 1, 2017</p>"
    page = f"<h1>The lock keepers</h1>{lines.format(f'<p>{PROSE}</p>')}"
    found = _published(_page("en", page))
    assert found is not None
    assert found.time.date().isoformat() == "2017-06-01"


def test_the_only_day_of_a_writing_counts_wherever_it_stands_alone() -> None:
    page = f"<h1>The lock keepers</h1>{f'<p>{PROSE}</p>' * 14}"
    found = _published(_page("en", f"{page}<p>March 5, 2021</p>"))
    assert found is not None
    assert found.time.date().isoformat() == "2021-03-05"
    assert _published(_page("en", f"{page}<p>March 5, 2021</p><p>May 1, 2020</p>")) is None
    assert _published(_page("en", f"{page}<p>They say that March 5, 2021 was wet.</p>")) is None


def test_a_post_that_its_site_promoted_is_no_promotion() -> None:
    post = '<article class="node node--{}"><h1>Locks</h1><p><time datetime="2021-03-05">5/3</time>'
    found = _published(_page("en", post.format("promoted")))
    assert found is not None
    assert found.time.date().isoformat() == "2021-03-05"
    assert _published(_page("en", post.format("promo"))) is None


def test_the_only_change_is_told_on_any_page_that_marks_it() -> None:
    url = "https://www.lantern.example/guide"
    changed = '<p>Last updated <time datetime="{}">a year ago</time></p>'
    page = f"<h1>Locks</h1>{f'<p>{PROSE}</p>' * 14}{changed.format('2021-03-05')}"
    found = _published(_page("en", page), url)
    assert found is not None
    assert (found.time.date().isoformat(), found.confidence) == ("2021-03-05", 0.4)
    assert _published(_page("en", page + changed.format("2021-03-07")), url) is None


@pytest.mark.parametrize("markup", NOT_THEIRS)
def test_a_day_of_something_else_is_not_taken(markup: str) -> None:
    page = f"<h1>The lock keepers</h1><p>{PROSE * 3}</p><p>{PROSE}</p>"
    filler = f"<p>{PROSE}</p>" * 12
    assert _published(_page("en", page + filler + markup)) is None


@pytest.mark.parametrize(
    "url", ["https://www.lantern.example/", "https://www.lantern.example/shop"]
)
def test_a_page_that_is_no_writing_needs_more_than_a_day(url: str) -> None:
    inner = f"<h1>Ropes and lamps</h1><p>{PROSE}</p><p>March 5, 2021</p>"
    assert _published(_page("en", inner), url) is None


@pytest.mark.parametrize(
    ("stated", "day"),
    [
        ("2021-03-05T23:30:00-05:00", "2021-03-05"),
        ("2021-03-05T00:30:00+09:00", "2021-03-05"),
        ("2021-03-05T10:00:00Z", "2021-03-05"),
    ],
)
def test_the_day_is_the_one_of_the_page(stated: str, day: str) -> None:
    head = f'<meta property="article:published_time" content="{stated}">'
    found = _published(head + _page("en", f"<h1>The lock keepers</h1><p>{PROSE}</p>"))
    assert found is not None
    assert found.time.date().isoformat() == day


@pytest.mark.parametrize(
    "line",
    [
        "<p>Last updated: March 5, 2021</p>",
        '<p>Last modified <time datetime="2021-03-05">5 March</time></p>',
        "<p>Stand: 5. März 2021</p>",
    ],
)
def test_a_change_is_told_for_want_of_a_publication_and_as_unsure(line: str) -> None:
    found = _published(_page("en", f"<h1>The lock keepers</h1>{line}<p>{PROSE}</p>"))
    assert found is not None
    assert (found.time.date().isoformat(), found.confidence) == ("2021-03-05", 0.4)


LIST = '<script type="application/ld+json">{"@type":"ItemList"}</script>'


def _day(url: str, head: str = "") -> str:
    shown = '<p class="guide__meta">March 5, 2021 20 min read</p>'
    page = f"<html lang=en><head>{head}</head><body><h1>Locks</h1>{shown}<p>{PROSE * 3}</p>"
    published = read(READERS, Document(page.encode(), url, "text/html")).published
    return published.time.date().isoformat() if published is not None else ""


def test_a_list_on_a_post_takes_no_date_from_it_and_one_on_a_shelf_does() -> None:
    assert _day("https://www.lantern.example/blog/locks", LIST) == "2021-03-05"
    assert _day("https://www.lantern.example/shelf/locks-of-the-upper-canal", LIST) == ""


def test_the_day_beside_a_heading_counts_on_any_page_but_in_a_shop() -> None:
    assert _day("https://www.lantern.example/guide/locks") == "2021-03-05"
    assert _day("https://www.lantern.example/services/mending-locks-of-all-kinds") == ""
