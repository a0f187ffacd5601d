"""From rated hits and read pages to numbered sources with the facts that the model is shown."""

import re
from collections.abc import Mapping, Sequence

from pellucid_gateway.domain.attachment import is_attachment
from pellucid_gateway.domain.fencing import neutral
from pellucid_gateway.domain.findings import (
    Hit,
    Method,
    PageContent,
    PublishedDate,
    ScoredHit,
    Source,
)
from pellucid_gateway.domain.outgoing import host_of
from pellucid_gateway.question.plain_text import plain
from pellucid_gateway.question.tokens import tokens_of
from pellucid_gateway.retrieval.relative_dates import with_absolute_dates
from pellucid_language.detection import UNDETERMINED, detect_language
from pellucid_runtime.domains import registrable_domain

_MAX_TITLE_CHARS = 200
_MAX_SNIPPET_CHARS = 300
# Letters of a word that a host's name must have for it to stand for the word.
_LEAST_BEGINNING = 3
_TITLE_SITE = re.compile(r"\s+[|–—·-]\s+([^|–—·]{2,40})$")


def publisher_of(domain: str, page: PageContent | None, title: str) -> str:
    """Name by which prose attributes to a source: the site's own name, else its domain.

    A site name counts only when the domain confirms it, so that a page cannot pose as another.
    """
    parts = [_letters(part) for part in domain.split(".", maxsplit=1)[0].split("-")]
    label = "".join(parts)
    in_title = _TITLE_SITE.search(title)
    names = [page.site_name if page else "", in_title.group(1) if in_title else ""]
    for name in names:
        clean = plain(name)
        letters = _letters(clean)
        is_said = all(part in letters for part in parts) or letters in label
        if letters and label and (is_said or _is_short_for(label, clean)):
            return clean[:60]
    return domain


def _is_short_for(label: str, name: str) -> bool:
    """Whether a host is made of beginnings of a name's words, in their order or another.

    >>> _is_short_for("civicstats", "Bureau of Civic Statistics")
    True
    """
    words = [_letters(word) for word in name.replace("&", " and ").split()]
    while label:
        shared = {word: _shared_letters(label, word) for word in words}
        best = max(words, key=lambda word: shared[word], default="")
        if not best or shared[best] < _LEAST_BEGINNING:
            return False
        words.remove(best)
        label = label[shared[best] :]
        label = label.removeprefix("s") if shared[best] < len(best) else label
    return True


def _shared_letters(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _letters(name: str) -> str:
    letters = "".join(c for c in name.casefold() if c.isalnum())
    return letters.removeprefix("the")


def from_hits(
    scored: Sequence[ScoredHit],
    pages: Mapping[str, PageContent],
    *,
    passages: Mapping[str, str],
    most: int,
    first_n: int = 1,
) -> tuple[Source, ...]:
    """Sources from the best hits that have something to say, numbered from `first_n`.

    Args:
        scored: Hits, best first.
        pages: Pages that were read, by address.
        passages: What was chosen of each hit, by address.
        most: Most sources.
        first_n: Number of the first.
    """
    sources: list[Source] = []
    for item in scored:
        facts = passages.get(item.hit.url, "")
        if facts and len(sources) < most:
            page = pages.get(item.hit.url)
            sources.append(_from_hit(first_n + len(sources), item, page, facts))
    return tuple(sources)


def _from_hit(n: int, item: ScoredHit, page: PageContent | None, passages: str) -> Source:
    hit = item.hit
    read = page if page and page.success and page.text.strip() else None
    published = hit.published or (read.published if read else None)
    language = hit.language or (read.language if read else "") or _language_of(hit)
    text = read.text if read else hit.snippet or hit.title
    title = neutral(plain(hit.title))[:_MAX_TITLE_CHARS]
    domain = hit.domain or registrable_domain(host_of(hit.url))
    return Source(
        n=n,
        url=hit.url,
        title=title,
        domain=domain,
        snippet=_snippet(passages),
        text=neutral(text),
        facts=neutral(_dated(passages, published, language)),
        published=published,
        language=language,
        relevance=item.relevance,
        breakdown=item.breakdown,
        providers=hit.providers,
        method=(read.method if read else None) or Method.SNIPPET,
        warnings=tuple(sorted({*hit.warnings, *(read.warnings if read else ())})),
        publisher=publisher_of(domain, read, title),
    )


def _language_of(hit: Hit) -> str:
    """The language of title and snippet, where nobody says it; empty when unclear."""
    found = detect_language(f"{hit.title} {hit.snippet}")
    return "" if found == UNDETERMINED else found


def _snippet(passages: str) -> str:
    return neutral(" ".join(passages.split()))[:_MAX_SNIPPET_CHARS]


def _dated(text: str, published: PublishedDate | None, language: str) -> str:
    return with_absolute_dates(text, published.time if published else None, language)


def shown_title(page: PageContent) -> str:
    """Title of a page as shown to people; untrusted, so without markup and control tokens."""
    return neutral(plain(page.title))[:_MAX_TITLE_CHARS]


def from_user_pages(
    pages: Sequence[PageContent], *, passages: Mapping[str, str]
) -> tuple[Source, ...]:
    """Sources from pages that the person named, numbered from 1.

    Args:
        pages: In the order of the message.
        passages: What is shown of each, by address.
    """
    readable = [page for page in pages if page.success and passages.get(page.url)]
    return tuple(
        _from_user_page(n, page, passages[page.url]) for n, page in enumerate(readable, start=1)
    )


def _from_user_page(n: int, page: PageContent, passages: str) -> Source:
    url = page.final_url or page.url
    title = shown_title(page) or url
    attached = is_attachment(page.url)
    domain = "" if attached else registrable_domain(host_of(url))
    return Source(
        n=n,
        url=page.url,
        title=title,
        domain=domain,
        snippet=_snippet(passages),
        text=neutral(page.text),
        facts=neutral(_dated(passages, page.published, page.language)),
        published=page.published,
        language=page.language,
        method=page.method or Method.HTTP,
        warnings=page.warnings,
        user_supplied=True,
        publisher=title if attached else publisher_of(domain, page, title),
    )


def as_results(scored: Sequence[ScoredHit], pages: Mapping[str, PageContent]) -> tuple[Source, ...]:
    """Results of a forced search, with the providers' own snippets."""
    return tuple(_result(n, item, pages) for n, item in enumerate(scored, start=1))


def _result(n: int, item: ScoredHit, pages: Mapping[str, PageContent]) -> Source:
    hit: Hit = item.hit
    title = plain(hit.title)[:_MAX_TITLE_CHARS]
    domain = hit.domain or registrable_domain(host_of(hit.url))
    page = pages.get(hit.url)
    return Source(
        n=n,
        url=hit.url,
        title=title,
        domain=domain,
        snippet=plain(hit.snippet) or title,
        text=plain(hit.snippet),
        published=hit.published,
        language=hit.language or _language_of(hit),
        relevance=item.relevance,
        breakdown=item.breakdown,
        providers=hit.providers,
        warnings=hit.warnings,
        publisher=publisher_of(domain, page, title),
    )


def context_tokens(sources: Sequence[Source]) -> int:
    """Estimated tokens of the sources as shown to the model."""
    return sum(tokens_of(source.facts) + tokens_of(source.title) for source in sources)
