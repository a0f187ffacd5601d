"""Results that never mention what the question turns on: pages about another company or town.

A scorer finds "the CEO of Norrvik" near to "the CEO of Microsoft". A result that has none of the
question's names, in its title, address, snippet or text, has no place, however near it seems. Only
names that are marked as such by their capitals are known; where none is, nothing is left out.
"""

import re
from collections.abc import Mapping, Sequence

from pellucid_gateway.domain.findings import PageContent, ScoredHit
from pellucid_gateway.question.asked_things import named_words
from pellucid_language.folding import fold
from pellucid_language.terms import has_unspaced_script

_WORD = re.compile(r"\w[\w-]*")
_CAPITALISED = re.compile(r"\b[A-ZÀ-Þ][\w-]*")
# A name may have an ending, and a longer word may begin with it.
_LEAST_SHARED = 4
# German capitalises all nouns, which pages in other languages do not have.
_NOUNS_CAPITALISED = "de"


def strangers(
    scored: Sequence[ScoredHit],
    pages: Mapping[str, PageContent],
    question: str,
    *,
    language: str,
) -> frozenset[str]:
    """Addresses of the hits that mention none of the names in a question.

    Args:
        scored: Rated hits.
        pages: Pages that were read, by address.
        question: The standalone question.
        language: ISO 639-1 of the question; empty where it is not known.
    """
    names = named_words(question)
    if not names:
        return frozenset()
    return frozenset(
        item.hit.url
        for item in scored
        if not _may_be_foreign(item, language) and not _mentions(item, pages, names)
    )


def _may_be_foreign(item: ScoredHit, language: str) -> bool:
    told = item.hit.language[:2]
    is_other = bool(told) and told != language[:2]
    return is_other and language[:2] == _NOUNS_CAPITALISED


def _mentions(item: ScoredHit, pages: Mapping[str, PageContent], names: frozenset[str]) -> bool:
    hit = item.hit
    page = pages.get(hit.url)
    text = page.text if page and page.success else ""
    shown = f"{hit.title}\n{hit.snippet}\n{text}"
    if has_unspaced_script(shown):
        # There names are written in other letters.
        return True
    anywhere = fold(f"{hit.url} {hit.title}")
    if any(name in anywhere for name in names):
        return True
    # A lone name may be a tool or a handle, written small: "run fennwick --fresh". Of several, the
    # words may be everyday ones: "the golden gate".
    if len(names) == 1 and not names.isdisjoint(fold(word) for word in _WORD.findall(shown)):
        return True
    words = {fold(word) for word in _CAPITALISED.findall(shown)}
    return any(_is_of(word, name) for word in words for name in names)


def _is_of(word: str, name: str) -> bool:
    if word == name:
        return True
    long_enough = min(len(word), len(name)) >= _LEAST_SHARED
    return long_enough and (word.startswith(name) or name.startswith(word))
