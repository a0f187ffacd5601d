"""Feeds, JSON, plain text and PDF, and characters in any set."""

from datetime import UTC, datetime
from typing import Any

import pytest
from lantern_page import ARTICLE, lantern_page
from pydantic import TypeAdapter

from pellucid_fetcher.document import Extracted, to_json
from pellucid_fetcher.extraction.reading import sniffing
from pellucid_fetcher.outcome import FetchStatus, Page


@pytest.mark.parametrize(
    ("charset", "declared", "text", "lang"),
    [
        ("euc-kr", "euc-kr", "부두 거리의 빵집은 1931년부터 같은 효모를 써 왔습니다.", "ko"),
        ("euc-kr", "", "부두 거리의 빵집은 1931년부터 같은 효모를 써 왔습니다.", "ko"),
        ("shift_jis", "Shift_JIS", "波止場通りのパン屋は千九百三十一年から続いています。", "ja"),
        ("shift_jis", "", "波止場通りのパン屋は千九百三十一年から続いています。", "ja"),
        ("gb18030", "gbk", "码头街的面包店从一九三一年起使用同一种酵母。", "zh"),
        ("utf-8", "", "Die Bäckerei öffnet früh, und die Gäste dürfen zusehen.", "de"),
        ("iso-8859-1", "iso-8859-1", "La boulangerie a été fondée près du marché.", "fr"),
        ("windows-1251", "windows-1251", "Пекарня на набережной открыта с утра.", "ru"),
        ("utf-16", "", "A page in sixteen bits has a mark at its very beginning.", "en"),
    ],
)
def test_languages_and_charsets(
    extract: Any, charset: str, declared: str, text: str, lang: str
) -> None:
    meta = "" if declared or charset == "utf-16" else f"<meta charset={charset}>"
    page = f"<html lang={lang}><head>{meta}<title>x</title></head><body><p>{text * 3}</p></body>"
    found = extract(page.encode(charset), charset=declared)
    assert text in found.text
    assert found.language == lang
    assert "charset_suspect" not in found.warnings


def test_a_lying_header_is_passed_over_and_said_so(extract: Any) -> None:
    text = "Die Bäckerei öffnet früh, und die Gäste dürfen überall zusehen."
    found = extract(f"<p>{text}</p>".encode(), charset="iso-8859-1")
    assert text in found.text
    assert "charset_suspect" in found.warnings
    wrong = extract(f"<meta charset=gbk><p>{text}</p>".encode("cp1252"), charset="utf-8")
    assert "charset_suspect" in wrong.warnings
    assert extract("<p>+ADw-script+AD4- some seven bits</p>", charset="utf-7").charset != "utf-7"


def test_a_feed(extract: Any) -> None:
    feed = (
        "<?xml version='1.0'?><rss><channel><title>Lantern</title><link>http://l.example/</link>"
        "<item><title>Ovens &amp; more</title><pubDate>Tue, 05 Mar 2024 10:00:00 GMT</pubDate>"
        "<description><![CDATA[<p>New <b>ovens</b> came by ship.</p>]]></description></item>"
        "<item><title>Flour</title><description>Rye is dear.</description></item></channel></rss>"
    )
    found = extract(feed, sniffing.sniff(feed.encode(), "text/xml"))
    assert found.title == "Lantern"
    assert "## Ovens & more\n2024-03-05\nNew ovens came by ship." in found.text
    assert "## Flour" in found.text


def test_json_markdown_and_plain_text(extract: Any) -> None:
    found = extract(
        '{"name": "kiln", "sizes": [1, 2], "maker": {"town": "Ostwick"}}', sniffing.JSON
    )
    assert found.title == "kiln"
    assert "- sizes:\n  - 1\n  - 2" in found.text
    assert "  - town: Ostwick" in found.text
    marked = extract("# Kiln\n\n<!-- secret -->Hot *inside*.", sniffing.MARKDOWN)
    assert (marked.title, marked.text) == ("Kiln", "# Kiln\n\nHot *inside*.")
    assert extract("just\n\ntext", sniffing.PLAIN).text == "just\n\ntext"
    assert (
        extract('<?xml version="1.0"?><a><b>one</b><c>two</c></a>', sniffing.XML).text == "one\ntwo"
    )


def _with_password(pdf: bytes) -> bytes:
    """The same PDF with a password that nobody knows."""
    lock = b"<< /Filter /Standard /V 1 /R 2 /P -4 /O (%s) /U (%s) >>" % (b"o" * 32, b"u" * 32)
    name = b"0123456789abcdef".hex().encode()
    return pdf.replace(
        b"trailer\n<< ", b"trailer\n<< /Encrypt %s /ID [<%s> <%s>] " % (lock, name, name)
    )


def _pdf(lines: list[str]) -> bytes:
    shown = "".join(f"({line}) Tj 0 -20 Td " for line in lines)
    stream = f"BT /F1 12 Tf 72 720 Td {shown}ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources "
            b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
        ),
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
        b"<< /Title (Tide tables) /CreationDate (D:20240506070809Z) >>",
    ]
    body = b"%PDF-1.4\n"
    offsets = []
    for number, item in enumerate(objects, 1):
        offsets.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, item)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return (
        body + b"xref\n0 6\n0000000000 65535 f \n%strailer\n<< /Size 6 /Root 1 0 R /Info 5 0 R >>"
        b"\nstartxref\n%d\n%%%%EOF" % (table, len(body))
    )


def test_a_pdf(extract: Any) -> None:
    found = extract(_pdf(["High water is at noon.", "Low water is at six."]), sniffing.PDF)
    assert found.status is FetchStatus.OK
    assert found.title == "Tide tables"
    assert "High water is at noon." in found.text
    assert found.published.time == datetime(2024, 5, 6, tzinfo=UTC)
    assert extract(b"%PDF-1.4 broken", sniffing.PDF).status is FetchStatus.DECODE_ERROR


def test_a_pdf_with_a_password_is_told_from_a_broken_one(extract: Any) -> None:
    locked = extract(_with_password(_pdf(["High water is at noon."])), sniffing.PDF)
    broken = extract(b"%PDF-1.4 broken", sniffing.PDF)

    assert (locked.status, locked.reason) == (FetchStatus.DECODE_ERROR, "encrypted")
    assert broken.reason == ""
    page = Page(url="https://a.example/x.pdf", status=locked.status, reason=locked.reason)
    assert page.error == "The document is protected with a password."


@pytest.mark.parametrize(
    ("head", "declared", "path", "expected"),
    [
        (b"<!doctype html>", "", "/", sniffing.HTML),
        (b"%PDF-1.7", "text/html", "/", sniffing.PDF),
        (b"\x89PNG\r\n\x1a\n\x00", "text/html", "/", sniffing.BINARY),
        (b"plain words", "text/plain", "/", sniffing.PLAIN),
        (b"# Title", "text/plain", "/readme.md", sniffing.MARKDOWN),
        (b'{"a": 1}', "application/json", "/", sniffing.JSON),
        (b"<?xml version='1.0'?><feed>", "application/atom+xml", "/", sniffing.FEED),
        (b"data: x", "text/event-stream", "/", sniffing.BINARY),
        ("<html>".encode("utf-16"), "", "/", sniffing.HTML),
    ],
)
def test_sniffing(head: bytes, declared: str, path: str, expected: str) -> None:
    assert sniffing.sniff(head, declared, path) == expected


def test_results_survive_the_process_border(extract: Any) -> None:
    found = extract(lantern_page(ARTICLE), url="http://lantern.example/2022/07/09/bakery")
    assert found.published is not None
    assert TypeAdapter(Extracted).validate_json(to_json(found)) == found
