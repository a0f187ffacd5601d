"""From providers' raw results to the fused list that a caller gets."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime

import ada_url

from pellucid_search.canonical import canonical_url, page_key
from pellucid_search.dates import Patience, publication_date
from pellucid_search.domain_policy import DomainPolicy, Verdict, is_wanted
from pellucid_search.domains import registrable_domain
from pellucid_search.fusion import FoundHit, fuse
from pellucid_search.hits import PAGE_TEXT_LIMIT, Finding, Hit, Published, RawHit
from pellucid_search.plain_text import plain_text
from pellucid_search.reports import ProviderRun
from pellucid_search.syndication import collapse_syndicated

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
    """

    policy: DomainPolicy
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    is_internal: Callable[[str, str], bool]


@dataclass(frozen=True, slots=True)
class Presentation:
    """Fused hits; `blocked` were removed by the policy, `collapsed` folded into others."""

    hits: tuple[Hit, ...]
    blocked: int
    collapsed: int


@dataclass(frozen=True, slots=True)
class DateReader:
    """Reads the dates of one list of results."""

    now: datetime
    patience: Patience

    def read(self, raw: RawHit) -> Published | None:
        """Return when a result was published."""
        return publication_date(
            raw.age, source=raw.date_source, now=self.now, patience=self.patience
        )


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
    reader = DateReader(now, patience)
    for run in runs:
        for rank, raw in enumerate(run.hits, start=1):
            finding = Finding(run.provider, rank, run.query_index)
            place = places[raw.url] if raw.url in places else _place(raw.url)
            places[raw.url] = place
            if place is None:
                continue
            match _verdict(place.host, filters):
                case None:
                    continue
                case Verdict.BLOCKED:
                    blocked.add(place.key)
                case verdict:
                    hit = _hit(
                        raw,
                        place.url,
                        place.host,
                        published=reader.read(raw),
                        warnings=(POSSIBLY_HARMFUL,) if verdict is Verdict.DOUBTFUL else (),
                        internal=filters.is_internal(run.provider, place.host),
                    )
                    found.append(FoundHit(hit, finding, place.key))
    fused = fuse(found)
    hits, folded = collapse_syndicated(fused)
    return Presentation(tuple(hits), len(blocked), len(found) - len(fused) + folded)


@dataclass(frozen=True, slots=True)
class _Place:
    """Canonical address, its host, and the key by which spellings of one page meet."""

    url: str
    host: str
    key: str


def _place(spelling: str) -> _Place | None:
    url = canonical_url(spelling)
    return None if url is None else _Place(url, ada_url.URL(url).hostname, page_key(url))


def _verdict(host: str, filters: Filters) -> Verdict | None:
    """None: the request itself does not want it, or the host cannot be a real one."""
    if not host or not is_wanted(host, include=filters.include, exclude=filters.exclude):
        return None
    return filters.policy.verdict(host)


def _hit(
    raw: RawHit,
    url: str,
    host: str,
    *,
    published: Published | None,
    warnings: tuple[str, ...],
    internal: bool,
) -> Hit:
    title = plain_text(raw.title)
    return Hit(
        url=url,
        title=title or host,
        snippet=plain_text(raw.snippet),
        domain=registrable_domain(host),
        alternate_urls=(raw.url,) if raw.url != url else (),
        published=published,
        language=_language(raw.language),
        page_text=plain_text(raw.page_text, PAGE_TEXT_LIMIT) if raw.page_text else "",
        warnings=warnings,
        internal=internal,
    )


def _language(tag: str) -> str:
    code = tag.replace("_", "-").partition("-")[0].lower()
    is_code = len(code) == _LANGUAGE_LENGTH and code.isascii() and code.isalpha()
    return code if is_code else ""
