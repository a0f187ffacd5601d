"""From providers' raw results to the fused list that a caller gets."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

from pellucid_runtime.domains import registrable_domain
from pellucid_search.dates.publication import Patience, publication_date
from pellucid_search.domains import is_wanted
from pellucid_search.hits import PAGE_TEXT_LIMIT, Finding, Hit, Published, RawHit
from pellucid_search.reports import ProviderRun
from pellucid_search.results.canonical import canonical_url, host_of, page_key
from pellucid_search.results.domain_policy import DomainPolicy, Verdict
from pellucid_search.results.fusion import FoundHit, fuse
from pellucid_search.results.plain_text import plain_text
from pellucid_search.results.syndication import collapse_syndicated

POSSIBLY_HARMFUL = "possibly_harmful"
_LANGUAGE_LENGTH = 2


@dataclass(frozen=True, slots=True)
class Filters:
    """What may be shown.

    Attributes:
        policy: The installation's lists.
        include: Only these domains; empty means all.
        exclude: None of these.
        is_internal: Tells whether a host is one that the operator named as internal, by provider
            and host: what the local provider holds is.
        is_malicious: Tells addresses that a list knows to be malicious.
    """

    policy: DomainPolicy
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    is_internal: Callable[[str, str], bool]
    is_malicious: Callable[[str], bool] = lambda _: False

    def verdict(self, host: str, *spellings: str) -> Verdict:
        """Judge an address in its spellings; what the operator allows, no list forbids."""
        listed = any(map(self.is_malicious, spellings)) and not self.policy.allows(host)
        return Verdict.BLOCKED if listed else self.policy.verdict(host)


@dataclass(frozen=True, slots=True)
class Presentation:
    """Fused hits; `blocked` were removed by the policy, `collapsed` folded into others."""

    hits: tuple[Hit, ...]
    blocked: int
    collapsed: int


def present(
    runs: Iterable[ProviderRun], filters: Filters, *, now: datetime, patience: Patience
) -> Presentation:
    """Return one list out of all answers.

    Args:
        runs: What the providers did; only answers are looked at.
        filters: What may be shown.
        now: Instant that relative dates refer to; aware.
        patience: Uses of the slow library for dates that are left.
    """
    found: list[FoundHit] = []
    blocked: set[str] = set()
    # Providers find the same pages, often in the same spelling.
    places: dict[str, _Place | None] = {}
    for run in runs:
        for rank, raw in enumerate(run.hits, start=1):
            if raw.url not in places:
                places[raw.url] = _place(raw.url, filters)
            place = places[raw.url]
            if place is None:
                continue
            if place.verdict is Verdict.BLOCKED:
                blocked.add(place.key)
                continue
            published = publication_date(
                raw.age, source=raw.date_source, now=now, patience=patience
            )
            internal = filters.is_internal(run.provider, place.host)
            hit = _hit(raw, place, published=published, internal=internal)
            found.append(FoundHit(hit, Finding(run.provider, rank, run.query_index), place.key))
    fused = fuse(found)
    hits, folded = collapse_syndicated(fused)
    return Presentation(tuple(hits), len(blocked), len(found) - len(fused) + folded)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a spelling leads: canonical address, host, and the key by which spellings meet."""

    url: str
    host: str
    key: str
    verdict: Verdict


def _place(spelling: str, filters: Filters) -> _Place | None:
    """None: no address, or the request itself does not want the site."""
    url = canonical_url(spelling)
    host = host_of(url) if url else ""
    if not url or not is_wanted(host, include=filters.include, exclude=filters.exclude):
        return None
    return _Place(url, host, page_key(url), filters.verdict(host, url, spelling))


def _hit(raw: RawHit, place: _Place, *, published: Published | None, internal: bool) -> Hit:
    return Hit(
        url=place.url,
        title=plain_text(raw.title) or place.host,
        snippet=plain_text(raw.snippet),
        domain=registrable_domain(place.host),
        alternate_urls=(raw.url,) if raw.url != place.url else (),
        published=published,
        language=_language(raw.language),
        page_text=plain_text(raw.page_text, PAGE_TEXT_LIMIT) if raw.page_text else "",
        warnings=(POSSIBLY_HARMFUL,) if place.verdict is Verdict.DOUBTFUL else (),
        internal=internal,
    )


def _language(tag: str) -> str:
    if not tag:
        return ""
    code = tag.replace("_", "-").partition("-")[0].lower()
    is_code = len(code) == _LANGUAGE_LENGTH and code.isascii() and code.isalpha()
    return code if is_code else ""
