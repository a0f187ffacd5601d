"""The list of addresses that were asked for is the truth, no more and no less."""

from pellucid_gateway.domain.findings import Method, PageContent
from pellucid_gateway.domain.outgoing import fetched_urls

URL = "http://page.example/a"


def asked(page: PageContent | None) -> list[str]:
    return [text.text for text in fetched_urls(URL, page)]


def test_a_page_with_a_redirect_was_asked_for_at_each_address() -> None:
    page = PageContent(
        url=URL, success=True, status="ok", redirects=(URL,), final_url="http://page.example/b"
    )

    assert asked(page) == [URL, "http://page.example/b"]


def test_a_refused_and_a_cached_address_never_left() -> None:
    refused = PageContent(url=URL, success=False, status="blocked_target")
    cached = PageContent(url=URL, success=True, status="ok", method=Method.CACHE)

    assert asked(refused) == []
    assert asked(cached) == []


def test_a_page_that_never_came_may_have_been_asked_for() -> None:
    assert asked(None) == [URL]
