"""The whole chain against loopback servers, the guard on."""

import asyncio
from typing import Any

import pytest

from pellucid_fetcher.extraction.reading import sniffing
from pellucid_fetcher.many import fetch_many
from pellucid_fetcher.outcome import FetchStatus, Method, PageRequest, Purpose

SENTENCE = "The harbour of Ostwick was dredged in March so that larger ferries can dock again."
PAGE = (
    f"<html lang='en'><head><title>Harbour works | Ostwick Post</title></head><body><article>"
    f"<h1>Harbour works</h1><p>{SENTENCE}</p><p>{SENTENCE}</p></article></body></html>"
).encode()


async def test_reads_a_page(rig: Any, http: Any) -> None:
    await rig.pages({"/works": http(PAGE)})
    page = await rig.fetch("http://ostwick.test/works")
    assert page.status is FetchStatus.OK
    assert page.success
    assert page.method is Method.HTTP
    assert page.title == "Harbour works"
    assert SENTENCE in page.text
    assert page.language == "en"
    assert page.content_type == "text/html"
    assert page.charset == "utf-8"
    assert page.error == ""
    assert page.timings.total_ms < 2000


async def test_follows_redirects_and_names_them(rig: Any, http: Any) -> None:
    await rig.pages({"/a": http(b"", status=301, extra="location: /b\r\n"), "/b": http(PAGE)})
    page = await rig.fetch("http://ostwick.test/a")
    assert page.success
    assert page.final_url == "http://ostwick.test/b"
    assert page.redirects == ("http://ostwick.test/a",)


@pytest.mark.parametrize(
    ("status", "expected", "retryable"),
    [
        (404, FetchStatus.NOT_FOUND, False),
        (410, FetchStatus.NOT_FOUND, False),
        (401, FetchStatus.FORBIDDEN, False),
        (403, FetchStatus.FORBIDDEN, False),
        (451, FetchStatus.FORBIDDEN, False),
        (418, FetchStatus.HTTP_ERROR, False),
        (500, FetchStatus.HTTP_ERROR, True),
        (429, FetchStatus.RATE_LIMITED, True),
        (204, FetchStatus.NO_TEXT, False),
    ],
)
async def test_names_http_statuses(
    rig: Any, http: Any, status: int, expected: Any, *, retryable: bool
) -> None:
    await rig.pages({"/": http(b"no", status=status)})
    page = await rig.fetch("http://ostwick.test/")
    assert page.status is expected
    assert page.http_status == status
    assert page.retryable is retryable
    assert page.error


async def test_search_results_are_cached_and_user_pages_are_not(rig: Any, http: Any) -> None:
    await rig.pages({"/": http(PAGE), "/robots.txt": http(b"", kind="text/plain")})
    for purpose, again in ((Purpose.USER_URL, Method.HTTP), (Purpose.SEARCH_RESULT, Method.CACHE)):
        first = await rig.fetch("http://ostwick.test/", purpose)
        second = await rig.fetch("http://ostwick.test/", purpose)
        assert first.method is Method.HTTP
        assert second.method is again
        assert second.text == first.text


async def test_robots_rules_bind_search_results_only(rig: Any, http: Any) -> None:
    rules = b"User-agent: *\nDisallow: /private"
    await rig.pages({"/private": http(PAGE), "/robots.txt": http(rules, kind="text/plain")})
    denied = await rig.fetch("http://ostwick.test/private", Purpose.SEARCH_RESULT)
    assert denied.status is FetchStatus.ROBOTS_DENIED
    assert (await rig.fetch("http://ostwick.test/private")).success


async def test_passes_retry_after_on_and_lets_the_host_rest(rig: Any, http: Any) -> None:
    await rig.pages({"/": http(b"", status=429, extra="retry-after: 30\r\n")})
    page = await rig.fetch("http://ostwick.test/", Purpose.SEARCH_RESULT)
    assert (page.status, page.retry_after_s) == (FetchStatus.RATE_LIMITED, 30)
    rig.dialler.dialled.clear()
    again = await rig.fetch("http://ostwick.test/other", Purpose.SEARCH_RESULT)
    assert again.status is FetchStatus.RATE_LIMITED
    assert 0 < again.retry_after_s <= 30
    assert rig.dialler.dialled == []


async def test_a_gateway_error_is_tried_once_more(rig: Any, http: Any) -> None:
    answers = [http(b"", status=503), http(PAGE)]

    async def flaky(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(answers.pop(0))

    await rig.serve(flaky)
    assert (await rig.fetch("http://ostwick.test/")).success
    assert answers == []


async def test_cuts_long_texts_from_the_middle(rig: Any, http: Any) -> None:
    paragraphs = "".join(f"<p>Paragraph {number} tells something.</p>" for number in range(400))
    await rig.pages({"/": http(f"<body><main>{paragraphs}</main></body>".encode())})
    page = await rig.fetch("http://ostwick.test/", max_chars=1000)
    assert len(page.text) <= 1000
    assert page.truncated
    assert "Paragraph 0 " in page.text
    assert "Paragraph 399 " in page.text


async def test_never_outlasts_its_time(rig: Any) -> None:
    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        del writer
        await reader.read()

    await rig.serve(silent)
    loop = asyncio.get_running_loop()
    started = loop.time()
    page = await rig.fetch("http://ostwick.test/", timeout_s=0.5)
    assert page.status is FetchStatus.TOTAL_TIMEOUT
    assert loop.time() - started < 2.0


async def test_without_time_nothing_is_dialled(rig: Any) -> None:
    page = await rig.fetch("http://ostwick.test/", timeout_s=0.0)
    assert page.status is FetchStatus.DEADLINE
    assert rig.dialler.dialled == []


async def test_cookies_go_back_to_their_host_within_one_chain_and_no_referrer_goes(
    rig: Any, http: Any
) -> None:
    heads: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        heads.append(head)
        if b"get /away" in head:
            writer.write(http(b"", status=302, extra="location: http://lowick.test/\r\n"))
        elif b"ostwick" in head and b"cookie: a=b" not in head:
            writer.write(http(b"", status=302, extra="set-cookie: a=b; Path=/\r\nlocation: /\r\n"))
        else:
            writer.write(http(PAGE))

    await rig.serve(answer)
    assert (await rig.fetch("http://ostwick.test/")).success
    assert [b"cookie: a=b" in head for head in heads] == [False, True]
    heads.clear()
    assert (await rig.fetch("http://ostwick.test/away")).success
    assert not any(b"cookie" in head or b"referer" in head for head in heads)


async def test_a_page_that_only_leads_on_is_read_where_it_leads(rig: Any, http: Any) -> None:
    refresh = b"<html><head><meta http-equiv='Refresh' content='0; URL=/end'></head><p>Wait</p>"
    frame = b"<html><head><title>Works</title></head><iframe src='/end'></iframe>"
    circle = b"<html><head><meta http-equiv=refresh content='1;url=/circle2'></head>x"
    again = b"<html><head><meta http-equiv=refresh content='1;url=/circle'></head>x"
    await rig.pages(
        {
            "/a": http(refresh), "/f": http(frame), "/end": http(PAGE),
            "/circle": http(circle), "/circle2": http(again),
        }
    )  # fmt: skip
    for path in ("/a", "/f"):
        page = await rig.fetch(f"http://ostwick.test{path}")
        assert SENTENCE in page.text
        assert page.final_url == "http://ostwick.test/end"
        assert page.redirects == (f"http://ostwick.test{path}",)
    assert not (await rig.fetch("http://ostwick.test/circle")).text.strip("x")


async def test_a_page_cannot_lead_where_it_may_not_go(rig: Any, http: Any) -> None:
    rig.resolver.answers["inside.test"] = [("10.0.0.8",)]
    body = b"<html><head><meta http-equiv=refresh content='0;url=http://inside.test/'></head>x"
    await rig.pages({"/": http(body)})
    page = await rig.fetch("http://ostwick.test/")
    assert page.status is FetchStatus.BLOCKED_TARGET


async def test_parts_of_a_text_put_together_are_the_whole(rig: Any, http: Any) -> None:
    lines = "\n\n".join(f"{number}. {SENTENCE * (number % 7 + 1)}" for number in range(1800))
    await rig.pages({"/long.txt": http(lines.encode(), kind="text/plain")})
    parts, offset = [], 0
    while offset or not parts:
        page = await rig.fetch("http://ostwick.test/long.txt", max_chars=40_000, offset=offset)
        assert 0 < len(page.text) <= 40_000
        assert page.truncated is (page.next_offset > 0)
        parts.append(page.text)
        offset = page.next_offset
    assert len(lines) > 500_000
    assert "".join(parts) == lines


async def test_links_are_written_only_when_asked_for(rig: Any, http: Any) -> None:
    linked = PAGE.replace(b"larger ferries", b"<a href='../b (1)'>larger <b>ferries</b></a>")
    linked = linked.replace(
        b"</article>", b"<p>Do not <a href='javascript:x()'>press</a> it.</p></article>"
    )
    await rig.pages({"/a/works": http(linked)})
    plain = await rig.fetch("http://ostwick.test/a/works")
    assert "](" not in plain.text
    page = await rig.fetch("http://ostwick.test/a/works", links=True)
    assert "so that [larger ferries](http://ostwick.test/b%20%281%29) can dock" in page.text
    assert "javascript" not in page.text


async def test_good_pages_beside_dead_hosts_are_not_delayed(rig: Any, http: Any) -> None:
    """Fifty at once, five of them silent: the good ones do not wait for the silent ones."""
    hung_up = asyncio.Event()

    async def mixed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"dead" in head:
            await hung_up.wait()
        writer.write(http(PAGE))

    await rig.serve(mixed)
    dead = [asyncio.create_task(rig.fetch(f"http://dead{n}.test/", timeout_s=30)) for n in range(5)]
    good = await asyncio.gather(
        *(rig.fetch(f"http://good{n}.test/", timeout_s=30) for n in range(45))
    )
    assert all(page.success for page in good)
    assert not any(task.done() and task.result().success for task in dead)
    hung_up.set()
    await asyncio.gather(*dead)


async def test_a_page_asked_for_by_two_is_read_once(rig: Any, http: Any) -> None:
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append((await reader.readuntil(b"\r\n\r\n")).split(b" ")[1])
        await asyncio.sleep(0.2)
        writer.write(http(PAGE) if asked[-1] == b"/" else http(b"", status=404))

    await rig.serve(answer)
    url = "http://ostwick.test/"
    pages = await asyncio.gather(*(rig.fetch(url, Purpose.SEARCH_RESULT) for _ in range(9)))
    assert asked.count(b"/") == 1
    assert sorted({page.method for page in pages}) == [Method.CACHE, Method.HTTP]
    for_people = await asyncio.gather(*(rig.fetch(url) for _ in range(3)))
    assert asked.count(b"/") == 4
    assert {page.method for page in for_people} == {Method.HTTP}


async def test_hosts_that_fail_come_last(rig: Any, http: Any) -> None:
    await rig.pages({"/": http(PAGE), "/robots.txt": http(b"", status=404)})
    bad = PageRequest("http://down.example/", Purpose.SEARCH_RESULT, 100, 5.0)
    for _ in range(3):
        assert not (await rig.fetcher.fetch(bad)).success
    good = await rig.fetch("http://ostwick.test/", Purpose.SEARCH_RESULT)
    assert good.host_reliability > 0.5
    requests = [
        PageRequest(f"http://{host}/again", Purpose.SEARCH_RESULT, 100, 5.0)
        for host in ("down.example", "new.test", "ostwick.test")
    ]
    assert [rig.fetcher.reliability(request) for request in requests] == sorted(
        rig.fetcher.reliability(request) for request in requests
    )
    begun: list[str] = []
    read = rig.fetcher._read

    async def noted(run: Any) -> Any:
        begun.append(run.request.url)
        return await read(run)

    rig.fetcher._read = noted
    _ = [page async for page in fetch_many(rig.fetcher, requests)]
    assert begun == [request.url for request in reversed(requests)]
    assert rig.fetcher.reliability(PageRequest("nonsense", Purpose.USER_URL, 9, 1.0)) == 0.0


async def test_every_host_has_its_first_page_before_any_has_its_second(rig: Any, http: Any) -> None:
    await rig.pages({f"/{n}": http(PAGE) for n in range(3)})
    urls = [f"http://busy.test/{n}" for n in range(3)] + ["http://calm.test/0", "nonsense"]
    begun: list[str] = []
    read = rig.fetcher._read

    async def noted(run: Any) -> Any:
        begun.append(run.request.url)
        return await read(run)

    rig.fetcher._read = noted
    requests = [PageRequest(url, Purpose.USER_URL, 100, 5.0) for url in urls]
    _ = [page async for page in fetch_many(rig.fetcher, requests)]
    assert begun == [urls[0], urls[3], urls[4], urls[1], urls[2]]


@pytest.mark.parametrize("kind", ["hangs", "pours", "breaks", "is html"])
async def test_rules_that_cannot_be_read_forbid_nothing(rig: Any, http: Any, kind: str) -> None:
    """A robots.txt in trouble costs a moment, not the page."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if b"/robots.txt" not in await reader.readuntil(b"\r\n\r\n"):
            writer.write(http(PAGE))
        elif kind == "hangs":
            await reader.read()
        elif kind == "pours":
            writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nUser-agent: *\n")
            for _ in range(500):
                writer.write(b"Allow: /x\n" * 100_000)
                await writer.drain()
        elif kind == "breaks":
            writer.write(b"HTTP/1.1 500 X\r\n\r\n")
        else:
            writer.write(http(b"<html><p>Disallow: /</p></html>"))

    await rig.serve(answer)
    page = await rig.fetch("http://ostwick.test/", Purpose.SEARCH_RESULT, timeout_s=20)
    assert page.success
    assert page.timings.wait_ms < 8_000


async def test_the_answer_of_a_first_try_is_no_part_of_the_second(rig: Any, http: Any) -> None:
    tries: list[int] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        tries.append(1)
        if len(tries) == 1:
            writer.write(http(b"<p>The harbour office repairs its computer today.</p>", status=503))
        else:
            await reader.read()

    await rig.serve(answer)
    page = await rig.fetch("http://ostwick.test/", timeout_s=3)
    assert len(tries) == 2
    assert page.status is FetchStatus.TOTAL_TIMEOUT
    assert page.text == ""


async def test_a_refused_hop_is_not_the_address_that_answered(rig: Any, http: Any) -> None:
    away = http(b"", status=302, extra="location: http://169.254.169.254/latest/\r\n")
    await rig.pages({"/away": away})
    page = await rig.fetch("http://ostwick.test/away")
    assert page.status is FetchStatus.BLOCKED_TARGET
    assert page.final_url == "http://ostwick.test/away"


async def test_a_document_that_was_handed_over_is_read_and_nothing_is_fetched(rig: Any) -> None:
    note = b"# Minutes\n\nThe ferry leaves at noon, said the harbour master on Friday."
    page = await rig.fetch("https://x.test/minutes.md", content=note)
    assert page.success
    assert page.text.startswith("# Minutes\n\nThe ferry leaves at noon")
    assert (page.content_type, page.method) == (sniffing.MARKDOWN, Method.NONE)
    assert rig.resolver.asked == []


@pytest.mark.parametrize(
    ("content", "status"),
    [
        (b"\x89PNG\r\n\x1a\n\x00\x00", FetchStatus.UNSUPPORTED_TYPE),
        (b"%PDF-1.4 broken", FetchStatus.DECODE_ERROR),
        (b"", FetchStatus.NO_TEXT),
    ],
)
async def test_a_document_without_text_says_why(
    rig: Any, content: bytes, status: FetchStatus
) -> None:
    assert (await rig.fetch("https://x.test/it", content=content)).status is status
