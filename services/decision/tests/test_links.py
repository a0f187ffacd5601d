"""Addresses in messages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid_decision.text.links import MAX_FOUND, find_links
from rig.sample import often

CASES = [
    ("see https://a.example/x", ["https://a.example/x"]),
    ("(https://a.example/x_(y))", ["https://a.example/x_(y)"]),
    ("really? https://a.example/q?b=1.", ["https://a.example/q?b=1"]),
    ('"https://a.example/quoted"', ["https://a.example/quoted"]),
    ("[text](https://a.example/md)", ["https://a.example/md"]),
    ("<https://a.example/angle>", ["https://a.example/angle"]),
    ("HTTPS://A.EXAMPLE/Case", ["https://a.example/Case"]),
    ("https://b\u00fccher.example/", ["https://xn--bcher-kva.example/"]),
    ("https://a.example/%ED%95%9C", ["https://a.example/%ED%95%9C"]),
    ("http://docs.localhost:8099/guide?", ["http://docs.localhost:8099/guide"]),
    ("http://news.localhost:8099", ["http://news.localhost:8099/"]),
    ("www.python.org/downloads!", ["https://www.python.org/downloads"]),
    ("read python.org please", ["https://python.org/"]),
    ("bbc.co.uk/news", ["https://bbc.co.uk/news"]),
    ("https://a.example/page\ub97c \uc694\uc57d\ud574\uc918", ["https://a.example/page"]),
    (
        "https://a.example/abc\u8fd9\u7bc7\u6587\u7ae0\u8bf4\u4e86\u4ec0\u4e48",
        ["https://a.example/abc"],
    ),
    (
        "https://a.example/wiki/\u5149\u5408\u4f5c\u7528",
        ["https://a.example/wiki/%E5%85%89%E5%90%88%E4%BD%9C%E7%94%A8"],
    ),
    (
        "https://a.example/1, https://a.example/2;https://a.example/1",
        ["https://a.example/1", "https://a.example/2"],
    ),
    ("mail bob@corp.example or me@python.org", []),
    ("edit main.py and README.md, then run.sh", []),
    ("version 3.11.2 and v1.2", []),
    ("node.js and asp.net", []),
    ("I went home.It was late", []),
    ("http:// and https://", []),
    ("e.g. this, i.e. that", []),
]


@pytest.mark.parametrize(("text", "urls"), CASES)
def test_addresses_are_found(text: str, urls: list[str]) -> None:
    assert [link.url for link in find_links(text)] == urls


@settings(max_examples=often(300), deadline=None)
@given(st.text(alphabet="ab.:/()[]<>\"' \n@%?#=&\\\u00e9\uac00\u4e00htpsw0", max_size=120))
def test_any_text_gives_bounded_wellformed_addresses(text: str) -> None:
    links = find_links(text)
    assert len(links) <= MAX_FOUND
    for link in links:
        assert link.url.startswith(("http://", "https://"))
        assert link.text in text
        assert link.host


def test_hostile_runs_stay_linear() -> None:
    for unit in ("(", ")", "http://", "a.", "www.", "]("):
        assert len(find_links(unit * 20_000)) <= MAX_FOUND


def test_an_address_inside_code_is_material() -> None:
    assert not find_links("what does `curl -s https://a.example/p | jq .x` do")
    assert not find_links("fix this\n```\nget('https://a.example/p')\n```")
    assert [link.host for link in find_links("summarise `https://a.example/p` please")] == [
        "a.example"
    ]


@pytest.mark.parametrize(
    ("text", "urls"),
    [
        ("[https://a.example/x](https://b.example/y)", ["https://b.example/y"]),
        ("[www.a.com](https://b.example/y)", ["https://b.example/y"]),
        ("a.com\uff5cnews", ["https://a.com/"]),
        ("https://a.example/x\uff5cnews", ["https://a.example/x"]),
        ("https://a.example/x's title", ["https://a.example/x"]),
        ("naver.com에서 검색", ["https://naver.com/"]),
        ("what does obj.method.call do", []),
        ("window.location.host is empty", []),
        ("self.data.name is None", []),
        ("a.map(x => x * 2)", []),
    ],
)
def test_only_what_is_meant_as_an_address_is_one(text: str, urls: list[str]) -> None:
    assert [link.url for link in find_links(text)] == urls
