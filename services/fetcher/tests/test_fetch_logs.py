"""A page that failed or was slow has one line in the log, without its path and query."""

import pytest
import structlog

from pellucid_fetcher.metrics import note_page
from pellucid_fetcher.outcome import FetchStatus, Page, Timings

URL = "https://klinik-auental.example/befund?name=Gerlinde+Patzke"


@pytest.mark.parametrize(
    ("purpose", "host"), [("search_result", "klinik-auental.example"), ("user_url", "")]
)
def test_a_failed_page_is_logged_by_host_and_status(purpose: str, host: str) -> None:
    page = Page(
        url=URL, status=FetchStatus.NOT_FOUND, http_status=404, timings=Timings(total_ms=12)
    )

    with structlog.testing.capture_logs() as logs:
        note_page(page, purpose=purpose)

    (line,) = logs
    assert line["event"] == "page_failed"
    assert (line["host"], line["status"], line["http_status"], line["ms"]) == (
        host,
        "not_found",
        404,
        12,
    )
    assert "befund" not in str(line)
    assert "Patzke" not in str(line)


@pytest.mark.parametrize(("ms", "events"), [(2_999, []), (3_000, ["page_slow"])])
def test_a_page_that_was_read_has_one_only_if_it_was_slow(ms: int, events: list[str]) -> None:
    page = Page(url=URL, status=FetchStatus.OK, timings=Timings(total_ms=ms))

    with structlog.testing.capture_logs() as logs:
        note_page(page, purpose="search_result")

    assert [line["event"] for line in logs] == events
    assert [line["host"] for line in logs] == ["klinik-auental.example"] * len(events)
