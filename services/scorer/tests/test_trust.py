"""Trust by host: the spec's table, inheritance, and tricks with names."""

import ada_url
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pellucid_runtime.domains import registrable_domain
from pellucid_scorer.errors import TableError
from pellucid_scorer.ranking import domains
from pellucid_scorer.ranking.scores import Tables
from pellucid_scorer.ranking.tables import bundled
from pellucid_scorer.ranking.trust import TrustTable
from rig.sample import often


@pytest.fixture
def table(score_tables: Tables) -> TrustTable:
    return score_tables.trust


def rate(table: TrustTable, url: str) -> tuple[float, str]:
    trust = table.rate(domains.host_of(url))
    return trust.score, trust.rule


@pytest.mark.parametrize(
    ("url", "score"),
    [
        ("https://www.nasa.gov/x", 0.95),
        ("https://www.gov.uk/tax", 0.95),
        ("https://www.mofa.go.kr/", 0.95),
        ("https://travel.gc.ca/", 0.95),
        ("https://news.stanford.edu/", 0.90),
        ("https://www.ox.ac.uk/", 0.90),
        ("https://arxiv.org/abs/1", 0.95),
        ("https://www.nature.com/", 0.95),
        ("https://www.science.org/", 0.95),
        ("https://www.reuters.com/", 0.90),
        ("https://apnews.com/", 0.90),
        ("https://www.bbc.com/news", 0.85),
        ("https://www.bbc.co.uk/news", 0.85),
        ("https://www.nytimes.com/", 0.85),
        ("https://www.wsj.com/", 0.85),
        ("https://www.bloomberg.com/", 0.80),
        ("https://en.wikipedia.org/wiki/X", 0.80),
        ("https://docs.python.org/3/", 0.80),
        ("https://www.forbes.com/", 0.75),
        ("https://techcrunch.com/", 0.75),
        ("https://www.theverge.com/", 0.75),
        ("https://someone.substack.com/p/x", 0.65),
        ("https://medium.com/@someone", 0.60),
        ("https://someone.medium.com/x", 0.60),
        ("https://unheard-of.example/", 0.50),
    ],
)
def test_documented_scores(table: TrustTable, url: str, score: float) -> None:
    assert rate(table, url)[0] == score


@pytest.mark.parametrize("host", ["www.reddit.com", "x.com", "www.facebook.com", "quora.com"])
def test_social_media_and_forums_are_trusted_little(table: TrustTable, host: str) -> None:
    assert 0.30 <= table.rate(host).score < 0.50


@pytest.mark.parametrize(
    "url",
    [
        "https://whitehouse.gov.example.com/",
        "https://reuters.com.evil.example/",
        "https://notreuters.com/",
        "https://reuters-com.example/",
        "https://reuters.co/",
        "https://reuters.com@evil.example/",
        "https://evil.example/reuters.com",
        "https://evil.example?reuters.com",
        "https://govt.example/",
        "https://xgov/",
        "https://someone.github.io/",
        "https://anything.co.uk/",
        "https://co.uk/",
        "https://аpnews.com/",  # Cyrillic а
        "https://xn--pnews-3ve.com/",
        "https://203.0.113.7/",
        "https://[2001:db8::1]/",
        "https://gov.203.0.113.7/",
        "not an address",
        "",
        "javascript:alert(1)",
    ],
)
def test_look_alikes_are_unknown(table: TrustTable, url: str) -> None:
    assert rate(table, url) == (table.unknown, "unknown")


@pytest.mark.parametrize(
    "url",
    [
        "HTTPS://WWW.REUTERS.COM/",
        "https://reuters.com./",
        "https://reuters.com:443/",
        "https://user:secret@reuters.com/",
        "https://ｒｅｕｔｅｒｓ.com/",
        "https://reuters.com\\@evil.example/",  # browsers go to reuters.com
    ],
)
def test_spellings_of_one_host_are_one(table: TrustTable, url: str) -> None:
    assert rate(table, url) == (0.90, "reuters.com")


def test_a_domain_entry_does_not_speak_for_other_peoples_sites_on_a_hosting_suffix() -> None:
    table = TrustTable.from_yaml("unknown: 0.5\nown_site: 0.8\nscores: {0.9: [github.io, co.uk]}")
    assert table.rate("someone.github.io").rule == "unknown"
    assert table.rate("shop.co.uk").rule == "unknown"
    assert table.rate("github.io").rule == "github.io"


def test_the_longest_entry_wins() -> None:
    table = TrustTable.from_yaml(
        "unknown: 0.5\nown_site: 0.8\n"
        "scores: {0.3: [example.com], 0.7: [docs.example.com], 0.9: [.com]}"
    )
    assert table.rate("a.docs.example.com").score == 0.7
    assert table.rate("b.example.com").score == 0.3
    assert table.rate("other.com").score == 0.9


def test_operators_can_add_change_and_block() -> None:
    base = "unknown: 0.5\nown_site: 0.8\nscores: {0.9: [reuters.com]}"
    changed = TrustTable.from_yaml(base, "scores: {0.0: [spam.example], 0.2: [reuters.com]}")
    assert changed.is_blocked(changed.rate("www.spam.example").rule)
    assert changed.rate("reuters.com").score == 0.2


def test_international_names_match_in_either_spelling() -> None:
    table = TrustTable.from_yaml("unknown: 0.5\nown_site: 0.8\nscores: {0.7: [bücher.example]}")
    assert rate(table, "https://Bücher.example/")[0] == 0.7
    assert rate(table, "https://xn--bcher-kva.example/")[0] == 0.7


@pytest.mark.parametrize("text", ["scores: {1.5: [a.example]}", "scores: {0.5: ['not a host']}"])
def test_a_wrong_entry_stops_the_start(text: str) -> None:
    with pytest.raises(TableError):
        TrustTable.from_yaml(f"unknown: 0.5\nown_site: 0.8\n{text}")


def test_the_site_of_the_entity_asked_about_counts_as_official(table: TrustTable) -> None:
    assert table.rate("www.acme.example", {"acme"}).rule == "own-site"
    assert table.rate("acme.evil.example", {"acme"}).rule == "unknown"
    assert table.rate("www.reuters.com", {"reuters"}).score == 0.90


def test_each_entry_stands_once(table: TrustTable) -> None:
    listed = yaml.safe_load(bundled("trust.yaml"))["scores"].values()
    assert len(table.entries) == sum(map(len, listed))


def test_no_entry_is_out_of_reach(table: TrustTable) -> None:
    """A domain entry that is a public suffix would speak for nobody; it needs a leading dot."""
    plain = [entry for entry in table.entries if not entry.startswith(".")]
    assert [one for one in plain if registrable_domain(f"below.{one}") == f"below.{one}"] == []


def test_an_entry_of_the_name_of_the_fallback_speaks_for_its_own_host_alone() -> None:
    table = TrustTable.from_yaml("unknown: 0.5\nown_site: 0.8\nscores: {0.9: [unknown]}")
    assert rate(table, "https://unknown/")[0] == 0.9
    assert rate(table, "https://elsewhere.example/")[0] == 0.5


LABELS = ("a", "example", "gov", "0", "0x1", "a-b", "xn--a", "-a", "A", "a_b", "%41", "ü", "")
ENDS = ("", "/", "/p q\n", "?q=\u4e00", "#f", ":80/", ".", "\n", "\\@b.example", "\t.b.example")


@settings(max_examples=often(400))
@given(
    scheme=st.sampled_from(["http", "https", "HTTPS", " https", "ftp"]),
    labels=st.lists(st.sampled_from(LABELS), max_size=3),
    end=st.sampled_from(ENDS),
)
def test_hosts_are_those_of_a_browser(scheme: str, labels: list[str], end: str) -> None:
    url = f"{scheme}://{'.'.join(labels)}{end}"
    try:
        browser = ada_url.URL(url).hostname.rstrip(".")
    except ValueError:
        browser = ""
    assert domains.host_of(url) == browser
