"""Days that pages declare, and what counts where declarations, address and text differ."""

import json

import pytest

from pellucid_fetcher.document import Document
from pellucid_fetcher.extraction.metadata.addresses import (
    day_in,
    is_offer,
    is_posted,
    is_thread,
    month_in,
)
from pellucid_fetcher.extraction.reading.dispatch import open_readers, read
from pellucid_fetcher.outcome import DateOrigin

READERS = open_readers()
URL = "https://www.lantern.example/news/the-lock-keepers-of-the-upper-canal"
PROSE = (
    "The keepers opened the upper lock before sunrise, and the first barge was through by six. "
    "Nobody had expected the water to hold, least of all the men who had mended the gates. "
)


def _day(inner: str, head: str = "", url: str = URL, title: str = "The lock keepers") -> str:
    page = (
        f'<html lang="en"><head><title>{title}</title>{head}</head><body><main>{inner}'
        f"<p>{PROSE * 3}</p></main></body></html>"
    )
    published = read(READERS, Document(page.encode(), url, "text/html")).published
    return published.time.date().isoformat() if published is not None else ""


def _article(**told: str) -> str:
    node = {"@type": "BlogPosting", "headline": "The lock keepers", **told}
    return f'<script type="application/ld+json">{json.dumps(node)}</script>'


def _meta(name: str, content: str) -> str:
    return f'<meta name="{name}" content="{content}">'


H1 = "<h1>The lock keepers</h1>"


@pytest.mark.parametrize(
    ("content", "day"),
    [
        ("March 27, 2025", "2025-03-27"),
        ("Thu, 09/25/2025 - 11:38", "2025-09-25"),
        ("27 mars 2025", "2025-03-27"),
        ("between March 27, 2025 and March 29, 2025", ""),
        ("soon", ""),
    ],
)
def test_a_meta_tag_may_spell_its_day_out(content: str, day: str) -> None:
    assert _day(H1, _meta("date", content)) == day


def test_metas_of_any_vendor_that_end_in_date_tell_the_day() -> None:
    assert _day(H1, _meta("lantern.date", "2025-03-06T00:00:00Z")) == "2025-03-06"
    assert _day(H1, _meta("lantern.update", "2025-03-06T00:00:00Z")) == ""


def test_of_two_declared_publications_the_first_counts() -> None:
    head = _meta("published-time", "2025-03-09T08:45:32Z") + _meta("published-date", "2021-02-16")
    assert _day(H1, head) == "2021-02-16"


def test_what_a_page_shows_goes_before_the_stamp_that_a_builder_of_sites_spells_out() -> None:
    stamp = _article(datePublished="Aug 21, 2025")
    assert _day(f"{H1}<p>January 31, 2024</p>", stamp) == "2024-01-31"
    assert _day(H1, stamp) == ""


def test_an_earlier_day_shown_as_the_publication_goes_before_a_declared_one() -> None:
    head = _meta("article:published_time", "2024-08-07T12:01:51Z")
    byline = '<div class="byline"><span>Dec 30, 2013</span></div>'
    assert _day(f"{H1}{byline}", head) == "2013-12-30"
    both = f"{byline}<p>Put here on August 7, 2024</p>"
    assert _day(f"{H1}{both}", head) == "2024-08-07"


@pytest.mark.parametrize(
    ("stated", "day"),
    [
        ("2025-12-19T22:02:58Z", "2025-12-18"),
        ("2025-12-19T02:02:58Z", "2025-12-19"),
        ("2025-12-19", "2025-12-19"),
    ],
)
def test_the_day_before_goes_first_if_it_was_over_everywhere(stated: str, day: str) -> None:
    head = _meta("article:published_time", stated)
    assert _day(f'{H1}<div class="byline">Dec 18, 2025</div>', head) == day


def test_of_several_declared_days_the_one_that_is_shown_counts() -> None:
    head = _article(datePublished="2018-04-03T16:50:31Z") + _meta("date", "2025-12-19T18:06:00Z")
    assert _day(f"{H1}<p>Updated: Dec 19, 2025</p>", head) == "2025-12-19"
    assert _day(f"{H1}<p>Updated: Dec 20, 2025</p>", head) == "2018-04-03"
    assert _day(f"{H1}<p>April 3, 2018. Updated: Dec 19, 2025</p>", head) == "2018-04-03"


def test_a_meta_tag_named_published_tells_the_day() -> None:
    assert _day(H1, _meta("published", "2025-03-06T00:00:00Z")) == "2025-03-06"


def test_the_month_in_the_path_tells_which_day_is_the_pages() -> None:
    lines = "<p>June 17, 2025</p><p>December 20, 2025</p>"
    assert _day(f"{H1}{lines}", url="https://www.lantern.example/2025/12/locks") == "2025-12-20"
    assert _day(f"{H1}{lines}", url="https://www.lantern.example/2025/06/locks") == "2025-06-17"
    assert month_in("https://www.lantern.example/2025/13/locks") is None


def test_a_shown_change_never_replaces_a_declared_publication() -> None:
    head = _article(datePublished="2024-04-10T19:30:39Z", dateModified="2025-09-04T19:24:33Z")
    assert _day(f"{H1}<p>Last updated: September 4, 2025</p>", head) == "2024-04-10"


def test_the_day_in_the_path_settles_an_evening_in_utc() -> None:
    url = "https://www.lantern.example/2025/12/18/the-lock-keepers"
    head = _meta("article:published_time", "2025-12-19T02:41:41+00:00")
    assert _day(H1, head, url) == "2025-12-18"
    far = _meta("article:published_time", "2025-12-30T02:41:41+00:00")
    assert _day(H1, far, url) == "2025-12-30"


@pytest.mark.parametrize(
    ("path", "day"),
    [
        ("/blog/2023/october/03/wine", "2023-10-03"),
        ("/world/2024/oct/3/tide", "2024-10-03"),
        ("/2024/02/30/no-such-day", ""),
        ("/2024/mayor/3/office", ""),
        ("/issue/2024/12", ""),
    ],
)
def test_the_day_in_a_path(path: str, day: str) -> None:
    found = day_in(f"https://www.lantern.example{path}")
    assert (found.isoformat() if found else "") == day


def test_another_day_on_the_page_tells_which_number_is_the_month() -> None:
    certain = "<ul><li>The lock keepers, December 2, 2025</li></ul>"
    filler = f"<p>{PROSE}</p>" * 14
    assert _day(f"{H1}<p>02-12-2025</p>{filler}{certain}") == "2025-12-02"
    assert _day(f"{H1}<p>02-12-2025</p>{filler}") == "2025-02-12"


def test_days_of_offers_members_and_games_are_not_the_pages() -> None:
    filler = f"<p>{PROSE}</p>"
    for line in (
        "Valid through 01/23/2026",
        "Joined: Sun Dec 17, 2023",
        "Deadline: March 1, 2025",
        "Release Date: 21 Aug, 2012",
    ):
        assert _day(f"{H1}{filler}<p>{line}</p>") == "", line


def test_a_day_glued_to_the_word_before_it_is_read() -> None:
    line = "<p><a href='/h'>Mental Health</a><span>DECEMBER 22, 2022</span><span>Read on</span></p>"
    assert _day(f"{H1}{line}") == "2022-12-22"


THREAD = "https://forum.lantern.example/viewtopic.php?t=361697"


def _post(name: str, day: str) -> str:
    return (
        f'<div class="post"><dl class="profile"><dd>{name}</dd><dd>Joined: Sun Jan 4, 2015</dd>'
        f'</dl><div class="reply"><p class="author">by {name} » {day} 11:23 am</p>'
        f"<p>{PROSE}</p></div></div>"
    )


def test_a_thread_without_a_heading_has_the_day_of_its_first_post() -> None:
    posts = _post("Ada", "Sun Dec 17, 2023") + _post("Bo", "Wed Dec 27, 2023")
    assert _day(f'<div class="topic">The lock keepers</div>{posts}', url=THREAD) == "2023-12-17"


def test_a_thread_of_replies_has_the_day_of_the_first_one() -> None:
    posts = "".join(
        f'<div class="reply"><time datetime="{day}T10:00:00">{day[5:]}</time><p>{PROSE}</p></div>'
        for day in ("2005-07-10", "2005-07-13")
    )
    assert _day(f"{H1}{posts}", url=THREAD) == "2005-07-10"


def test_a_thread_below_its_heading_has_the_day_of_its_first_post() -> None:
    teaser = "<p>Newest: The tide tables, Mon Mar 2, 2026</p>"
    post = '<div class="reply">{}</div><p class="author">Ada, Jan 4, 2015</p><p>{}</p>'
    posts = "".join(post.format(day, PROSE) for day in ("Dec 17, 2023", "Dec 27, 2023"))
    assert _day(f"{teaser}{H1}{posts}", url=THREAD) == "2023-12-17"


def test_a_page_that_calls_itself_a_thread_is_one() -> None:
    url = "https://www.lantern.example/trips/77"
    node = {"@type": "DiscussionForumPosting", "datePublished": "2026-02-15T03:20:00Z"}
    head = f'<script type="application/ld+json">{json.dumps(node)}</script>'
    posts = _post("Ada", "Sat Feb 14, 2026") + _post("Bo", "Mon Feb 16, 2026")
    assert _day(f"{H1}{posts}", head, url) == "2026-02-14"
    assert _day(f"{H1}{posts}", head.replace("DiscussionForumPosting", "Article"), url) == (
        "2026-02-15"
    )


def test_an_instant_of_a_thread_is_of_the_day_on_which_it_is_shown() -> None:
    head = _meta("article:published_time", "2025-12-18T22:30:00Z")
    shown = '<time datetime="2025-12-19T00:30:10+0200">today</time>'
    assert _day(f"{H1}{shown}", head, THREAD) == "2025-12-19"
    assert _day(f"{H1}{shown.replace('00:30', '04:30')}", head, THREAD) == "2025-12-18"


def test_a_page_of_many_publications_takes_none_of_them() -> None:
    cards = "".join(
        f'<article class="card"><a href="/{i}">Locks {i}</a>'
        f'<time class="published" datetime="2025-11-{i}">Nov {i}</time></article>'
        for i in range(10, 20)
    )
    assert _day(f"<h1>News</h1>{cards}", url="https://www.lantern.example/news") == ""


@pytest.mark.parametrize(
    "path", ["/product/a-long-red-summer-dress", "/services/mending-locks-of-all-kinds", "/shop/"]
)
def test_the_record_of_an_offer_is_no_publication(path: str) -> None:
    url = f"https://www.lantern.example{path}"
    head = _meta("article:published_time", "2018-12-21T21:10:33Z")
    assert is_offer(url)
    assert _day(H1, head, url) == ""
    assert _day(H1, _article(datePublished="2018-12-21"), url) == "2018-12-21"


def test_a_topic_of_the_news_is_no_thread() -> None:
    assert not is_posted("https://www.lantern.example/topic/cloud/")
    assert is_thread("https://www.lantern.example/topic/mending-the-gates")


def test_a_page_without_an_address_has_its_declared_day() -> None:
    page = f"{_meta('article:published_time', '2026-01-24T07:02:34Z')}{H1}<p>{PROSE}</p>"
    published = read(READERS, Document(page.encode(), "", "text/html")).published
    assert published is not None
    assert (published.time.date().isoformat(), published.origin) == ("2026-01-24", DateOrigin.META)
