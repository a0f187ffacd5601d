"""Strict reading of addresses: what is refused, what is not, and that two parsers agree."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pellucid_fetcher.egress.address import join, parse
from pellucid_fetcher.errors import RefusedError
from pellucid_fetcher.settings import FetcherSettings

REFUSED = {
    "": "length",
    "   ": "length",
    "ftp://example.com/": "scheme",
    "file:///etc/passwd": "scheme",
    "gopher://example.com:70/": "scheme",
    "javascript:alert(1)": "scheme",
    "data:text/html,x": "scheme",
    "//example.com/": "scheme",
    "example.com": "scheme",
    "http:example.com": "malformed",
    "http:///example.com": "malformed",
    "http://": "malformed",
    "http://./": "malformed",
    "http://a..b/": "malformed",
    "http://user@example.com/": "credentials",
    "http://user:word@example.com/": "credentials",
    "http://@example.com/": "credentials",
    "http://example.com@127.0.0.1/": "credentials",
    "http://127.0.0.1\\@example.com/": "forbidden_character",
    "http://example.com\\.evil.example/": "forbidden_character",
    "http:\\\\example.com/": "forbidden_character",
    "http://exa\tmple.com/": "forbidden_character",
    "http://example.com/\r\nHost: x": "forbidden_character",
    "http://example.com/\x00": "forbidden_character",
    "http://exa%6dple.com/": "escaped_host",
    "http://127.0.0.1%2f@example.com/": "credentials",
    "http://[fe80::1%25eth0]/": "escaped_host",
    "http://[fe80::1%eth0]/": "escaped_host",
    "http://2130706433/": "unusual_literal",
    "http://0x7f000001/": "unusual_literal",
    "http://0x7f.1/": "unusual_literal",
    "http://017700000001/": "unusual_literal",
    "http://0177.0.0.1/": "unusual_literal",
    "http://127.1/": "unusual_literal",
    "http://127.0.1/": "unusual_literal",
    "http://１２７.0.0.1/": "unusual_literal",
    "http://127。0。0。1/": "unusual_literal",
    "http://①②⑦.0.0.1/": "unusual_literal",
    "http://1.2.3.4.5/": "malformed",
    "http://256.1.1.1/": "malformed",
    "http://example.com:99999/": "malformed",
    "http://example.com:http/": "malformed",
    "http://example.com:-80/": "malformed",
    "http://[::1/": "malformed",
    "http://[::1]extra/": "malformed",
    "http://exa mple.com/": "malformed",
    "http://" + "a" * 64 + ".com/": "malformed",
    "http://example.com/" + "a" * 9000: "length",
}


@pytest.mark.parametrize(("url", "reason"), REFUSED.items())
def test_refuses(url: str, reason: str) -> None:
    with pytest.raises(RefusedError) as caught:
        parse(url)
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("http://example.com", "example.com", 80),
        ("HTTPS://EXAMPLE.com/", "example.com", 443),
        ("http://example.com./x", "example.com", 80),
        ("http://example.com:/x", "example.com", 80),
        ("http://example.com:0080/", "example.com", 80),
        ("https://example.com:8443/?q=http://127.0.0.1/", "example.com", 8443),
        ("http://bücher.example/", "xn--bcher-kva.example", 80),
        ("http://한국.example/", "xn--3e0b707e.example", 80),
        ("http://under_score.example/", "under_score.example", 80),
        ("http://xn--bcher-kva.example/", "xn--bcher-kva.example", 80),
        ("http://8.8.8.8/", "8.8.8.8", 80),
        ("http://[2606:4700:4700::1111]/", "2606:4700:4700::1111", 80),
        ("http://[2606:4700:4700:0:0:0:0:1111]/", "2606:4700:4700::1111", 80),
        ("  http://example.com/  ", "example.com", 80),
        ("http://example.com/a@b:c", "example.com", 80),
        ("http://example.com/%2e%2e/", "example.com", 80),
        ("http://127.0.0.1.example.com/", "127.0.0.1.example.com", 80),
    ],
)
def test_reads(url: str, host: str, port: int) -> None:
    target = parse(url)
    assert (target.host, target.port) == (host, port)
    assert parse(target.href) == target


@pytest.mark.parametrize(
    ("location", "href"),
    [
        ("/next?to=http://127.0.0.1/", "http://example.com/next?to=http://127.0.0.1/"),
        ("?page=2", "http://example.com/a/b?page=2"),
        ("../c", "http://example.com/c"),
        ("//other.example/x", "http://other.example/x"),
        ("https://other.example", "https://other.example/"),
        ("#part", "http://example.com/a/b"),
    ],
)
def test_joins_locations(location: str, href: str) -> None:
    assert join(parse("http://example.com/a/b"), location).href == href


@pytest.mark.parametrize(
    "location",
    ["\\\\127.0.0.1", "/\\127.0.0.1", "http:\\\\127.0.0.1", "http:127.0.0.1", "javascript:x",
     "//user@other.example/", "file:///etc/passwd", "ht\ntp://x.example/", "//0x7f.1/"],
)  # fmt: skip
def test_refuses_tricky_locations(location: str) -> None:
    with pytest.raises(RefusedError):
        join(parse("http://example.com/a/b"), location)


@settings(deadline=None)
@given(st.text(max_size=60))
def test_never_raises_anything_else(rest: str) -> None:
    for url in (rest, f"http://{rest}", f"http://example.com{rest}"):
        try:
            target = parse(url)
        except RefusedError:
            continue
        assert parse(target.href).origin == target.origin


@pytest.mark.parametrize(
    ("written", "asked"),
    [
        ("Bücher.Example.", "xn--bcher-kva.example"),
        ("BAD.example", "bad.example"),
        ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
        ("2001:DB8:0::1", "2001:db8::1"),
    ],
)
async def test_settings_name_hosts_as_addresses_do(open_rig: Any, written: str, asked: str) -> None:
    rig = await open_rig(
        fetcher_blocked_domains=written,
        fetcher_insecure_hosts=written,
        fetcher_allow_private_hosts=f"{written}:9000" if ":" not in asked else f"[{written}]:9000",
    )
    assert rig.gate.blocked == {asked}
    assert rig.fetcher._steps.chain._ways.http._policy.insecure_hosts == {asked}
    assert [name.name for name, _ in rig.gate.exemptions.hosts] == [asked]


@pytest.mark.parametrize(
    "name", ["bad.example/x", "bad.example:80", "a b", "x@bad.example", "a%2e"]
)
@pytest.mark.parametrize("setting", ["FETCHER_BLOCKED_DOMAINS", "FETCHER_INSECURE_HOSTS"])
def test_a_setting_that_names_no_host_stops_the_start(
    name: str, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(setting, name)
    with pytest.raises(ValidationError):
        FetcherSettings()
