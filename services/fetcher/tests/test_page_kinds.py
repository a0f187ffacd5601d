"""Kinds of pages as they are in the wild: the right text, by the right way."""

import asyncio
import io
from typing import Any

import pytest

from pellucid_fetcher.outcome import FetchStatus, Method

SENTENCE = "The lighthouse was moved forty metres inland before the winter storms came."
KOREAN = (
    "서울의 오래된 시장은 새벽부터 붐빈다. 상인들은 생선과 채소를 나르고 손님들은 값을 흥정한다."
)
JAPANESE = "港町の朝市は夜明け前から賑わう。漁師たちは魚を運び、客は値段を交渉する。"


def _pdf(text: str) -> bytes:
    """Write the smallest PDF that shows one line."""
    stream = f"BT /F1 18 Tf 40 700 Td ({text}) Tj ET".encode()
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources 6 0 R>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Font<</F1 5 0 R>>>>",
    ]
    out = io.BytesIO(b"")
    out.write(b"%PDF-1.4\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(out.tell())
        out.write(b"%d 0 obj%s endobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 7\n0000000000 65535 f \n")
    out.write(b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(b"trailer<</Size 7/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % start)
    return out.getvalue()


FEED = f"""<?xml version="1.0"?><rss version="2.0"><channel><title>Harbour notes</title>
<item><title>First ferry</title><description>{SENTENCE}</description></item></channel></rss>"""
OVERLAY = f"""<title>Harbour</title><div class="cookie-banner" role="dialog"><p>We use cookies.</p>
<button>Accept all cookies</button></div><main><h1>Harbour</h1><p>{SENTENCE * 4}</p></main>"""


@pytest.mark.parametrize(
    ("kind", "body", "expected"),
    [
        ("application/pdf", _pdf("The harbour report of the year"), "harbour report"),
        ("application/rss+xml", FEED.encode(), "First ferry"),
        ("text/html", f"<meta charset=euc-kr><p>{KOREAN}</p>".encode("euc-kr"), "새벽부터"),
        ("text/html; charset=Shift_JIS", f"<p>{JAPANESE}</p>".encode("shift_jis"), "夜明け前"),
        ("text/html", f"<meta charset=shift_jis><p>{JAPANESE}</p>".encode("shift_jis"), "夜明け前"),
        ("text/html", OVERLAY.encode(), SENTENCE),
        ("application/json", b'{"harbour": {"depth_m": 12, "ferries": ["north", "south"]}}', "12"),
        ("text/plain", SENTENCE.encode(), SENTENCE),
    ],
    ids=["pdf", "feed", "euc-kr", "shift-jis", "shift-jis by meta", "overlay", "json", "plain"],
)
async def test_over_http(rig: Any, http: Any, kind: str, body: bytes, expected: str) -> None:
    await rig.pages({"/": http(body, kind=kind)})
    page = await rig.fetch("http://harbour.test/", timeout_s=20)
    assert (page.status, page.method) == (FetchStatus.OK, Method.HTTP)
    assert expected in page.text
    assert "Accept all" not in page.text
    assert not page.truncated


async def test_a_page_of_ten_megabytes_is_cut_and_said_so(rig: Any, http: Any) -> None:
    paragraphs = b"".join(
        b"<p>Paragraph %d: %s</p>" % (n, SENTENCE.encode()) for n in range(100_000)
    )
    assert len(paragraphs) > 9_500_000
    await rig.pages({"/": http(b"<title>Long</title><main>" + paragraphs + b"</main>")})
    page = await rig.fetch("http://harbour.test/", timeout_s=30)
    assert (page.status, page.truncated) == (FetchStatus.OK, True)
    assert "partial" in page.warnings
    assert page.bytes_decoded == 8 * 1024 * 1024
    assert "Paragraph 0:" in page.text


LAZY = """<!doctype html><title>Lighthouse</title><div id=root></div>
<div style="height:3000px"></div><div id=more style="height:10px"></div><script>
document.getElementById('root').innerHTML =
  '<main id=main><p>The beginning of the story.</p></main>';
new IntersectionObserver(async (seen, eye) => {
  if (!seen[0].isIntersecting) return;
  eye.disconnect();
  document.getElementById('main').innerHTML += await (await fetch('/more')).text(); })
  .observe(document.getElementById('more'));</script>"""


@pytest.mark.chromium
@pytest.mark.timeout(120)
async def test_a_page_that_loads_what_is_scrolled_to(rig: Any, http: Any) -> None:
    await rig.pages({"/": http(LAZY.encode()), "/more": http(f"<p>{SENTENCE}</p>".encode())})
    page = await rig.fetch("http://light.test/", timeout_s=60)
    assert (page.status, page.method) == (FetchStatus.OK, Method.BROWSER)
    assert "The beginning of the story." in page.text
    assert SENTENCE in page.text


@pytest.mark.chromium
@pytest.mark.timeout(120)
async def test_a_frame_that_a_script_fills(rig: Any, http: Any) -> None:
    """Menu, heading and footer are there; what the page is about comes with a script."""
    menu = "".join(f"<li><a href=/{n}>Part number {n}</a></li>" for n in range(20))
    frame = f"<title>Prices</title><nav><ul>{menu}</ul></nav><main><h1>Prices</h1><div id=p>Loading"
    script = f"document.getElementById('p').innerHTML='<p>{SENTENCE * 2}</p>'"
    body = f"{frame}</div></main><footer>All of it is invented.</footer><script>{script}</script>"
    await rig.pages({"/": http(body.encode())})
    page = await rig.fetch("http://light.test/", timeout_s=60)
    assert (page.status, page.method) == (FetchStatus.OK, Method.BROWSER)
    assert SENTENCE in page.text


@pytest.mark.chromium
@pytest.mark.timeout(120)
async def test_a_wall_that_opens_for_a_browser(rig: Any, http: Any) -> None:
    """A check that a script passes: refused over HTTP, read by the browser."""
    wall = "<title>Just a moment...</title><p>Checking your browser before accessing.</p>"
    passes = f"{wall}<script>document.cookie='ok=1'; location.reload()</script>"

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        good = f"<title>Light</title><main><p>{SENTENCE}</p></main>"
        passed = b"ok=1" in head
        writer.write(http((good if passed else passes).encode(), status=200 if passed else 403))

    await rig.serve(answer)
    page = await rig.fetch("http://light.test/", timeout_s=60)
    assert (page.status, page.method, page.http_status) == (FetchStatus.OK, Method.BROWSER, 200)
    assert page.text == SENTENCE
