"""From rated hits and read pages to numbered sources with the facts that the model is shown."""

import re
from collections.abc import Mapping, Sequence

from pellucid_gateway.budgets import DepthPlan
from pellucid_gateway.fencing import neutral
from pellucid_gateway.findings import (
    Hit,
    Method,
    PageContent,
    PublishedDate,
    ScoredHit,
    Source,
)
from pellucid_gateway.key_facts import key_facts, plain, tokens_of
from pellucid_gateway.outgoing import host_of
from pellucid_gateway.relative_dates import with_absolute_dates

# A person's own page is the whole subject of the turn, so it may say more than a search result.
USER_PAGE_TOKENS = 300
USER_PAGE_SENTENCES = 10
_MAX_TITLE_CHARS = 200
_MAX_SNIPPET_CHARS = 300
# Second-level registries such as co.uk: the registrable domain then has three labels.
_SECOND_LEVEL = frozenset({"co", "com", "org", "net", "gov", "ac", "edu", "or", "go", "ne", "re"})
_COUNTRY_LABEL_CHARS = 2
# Letters of a word that a host's name must have for it to stand for the word.
_LEAST_BEGINNING = 3
_TITLE_SITE = re.compile(r"\s+[|–—·-]\s+([^|–—·]{2,40})$")


def registrable_domain(url: str) -> str:
    """Registrable domain of an address, for pages that no search result names.

    >>> registrable_domain("https://news.example.co.uk/a")
    'example.co.uk'
    """
    labels = host_of(url).split(".")
    is_second_level = (
        len(labels) > 2  # noqa: PLR2004 - name, registry, country
        and len(labels[-1]) == _COUNTRY_LABEL_CHARS
        and labels[-2] in _SECOND_LEVEL
    )
    return ".".join(labels[-3:] if is_second_level else labels[-2:])


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
    question: str,
    plan: DepthPlan,
    first_n: int = 1,
) -> tuple[Source, ...]:
    """Sources from the best hits that have something to say, numbered from `first_n`."""
    sources: list[Source] = []
    for item in scored:
        page = pages.get(item.hit.url)
        source = _from_hit(first_n + len(sources), item, page, question=question, plan=plan)
        if source.facts:
            sources.append(source)
        if len(sources) == plan.sources:
            break
    return tuple(sources)


def _from_hit(
    n: int, item: ScoredHit, page: PageContent | None, *, question: str, plan: DepthPlan
) -> Source:
    hit = item.hit
    read = page if page and page.success and page.text.strip() else None
    published = hit.published or (read.published if read else None)
    language = hit.language or (read.language if read else "")
    text = _dated(read.text if read else hit.snippet or hit.title, published, language)
    facts = neutral(key_facts(text, question, max_tokens=plan.source_tokens, title=hit.title))
    title = neutral(plain(hit.title))[:_MAX_TITLE_CHARS]
    domain = hit.domain or registrable_domain(hit.url)
    return Source(
        n=n,
        url=hit.url,
        title=title,
        domain=domain,
        snippet=facts[:_MAX_SNIPPET_CHARS],
        text=neutral(text),
        facts=facts,
        published=published,
        language=language,
        relevance=item.relevance,
        breakdown=item.breakdown,
        providers=hit.providers,
        method=(read.method if read else None) or Method.SNIPPET,
        warnings=tuple(sorted({*hit.warnings, *(read.warnings if read else ())})),
        publisher=publisher_of(domain, read, title),
    )


def _dated(text: str, published: PublishedDate | None, language: str) -> str:
    return with_absolute_dates(text, published.time if published else None, language)


def shown_title(page: PageContent) -> str:
    """Title of a page as shown to people; untrusted, so without markup and control tokens."""
    return neutral(plain(page.title))[:_MAX_TITLE_CHARS]


def from_user_pages(
    pages: Sequence[PageContent], *, question: str, tokens_each: int
) -> tuple[Source, ...]:
    """Sources from pages that the person named, numbered from 1."""
    readable = [page for page in pages if page.success and page.text.strip()]
    return tuple(
        _from_user_page(n, page, question=question, tokens=tokens_each)
        for n, page in enumerate(readable, start=1)
    )


def _from_user_page(n: int, page: PageContent, *, question: str, tokens: int) -> Source:
    url = page.final_url or page.url
    text = _dated(page.text, page.published, page.language)
    facts = neutral(
        key_facts(
            text,
            question,
            max_tokens=tokens,
            most_sentences=USER_PAGE_SENTENCES,
            title=page.title,
        )
    )
    title = shown_title(page) or url
    domain = registrable_domain(url)
    return Source(
        n=n,
        url=page.url,
        title=title,
        domain=domain,
        snippet=facts[:_MAX_SNIPPET_CHARS],
        text=neutral(text),
        facts=facts,
        published=page.published,
        language=page.language,
        method=page.method or Method.HTTP,
        warnings=page.warnings,
        user_supplied=True,
        publisher=publisher_of(domain, page, title),
    )


def as_results(scored: Sequence[ScoredHit], pages: Mapping[str, PageContent]) -> tuple[Source, ...]:
    """Results of a forced search, with the providers' own snippets."""
    return tuple(_result(n, item, pages) for n, item in enumerate(scored, start=1))


def _result(n: int, item: ScoredHit, pages: Mapping[str, PageContent]) -> Source:
    hit: Hit = item.hit
    title = plain(hit.title)[:_MAX_TITLE_CHARS]
    domain = hit.domain or registrable_domain(hit.url)
    page = pages.get(hit.url)
    return Source(
        n=n,
        url=hit.url,
        title=title,
        domain=domain,
        snippet=plain(hit.snippet) or title,
        published=hit.published,
        language=hit.language,
        relevance=item.relevance,
        breakdown=item.breakdown,
        providers=hit.providers,
        warnings=hit.warnings,
        publisher=publisher_of(domain, page, title),
    )


def context_tokens(sources: Sequence[Source]) -> int:
    """Estimated tokens of the sources as shown to the model."""
    return sum(tokens_of(source.facts) + tokens_of(source.title) for source in sources)
