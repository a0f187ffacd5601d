"""Which of the names that a page gives itself is its title.

Pages name themselves in the title element, in headings of the first level, for sharing and in
schema.org data, mostly with the name of the site beside it. Decides which one is believed and what
of it is the site's name.
"""

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Final

_RELATED_SHARE: Final = 0.5
_SITE_WORDS: Final = 4  # longer last parts of a title belong to it
_WORD: Final = re.compile(r"\w+")
_SEPARATORS: Final = re.compile(r"\s+[|·•–—»«:-]\s+|\s*[|»]\s*")
_EDGE: Final = " |·•–—»«:-"


@dataclass(frozen=True, slots=True)
class Names:
    """What a page calls itself.

    Attributes:
        full: Text of the title element.
        headings: Of the first level, in page order.
        declared: Titles in meta tags and schema.org data, the most trusted one first.
        site: Name of the site where the page tells it.
    """

    full: str
    headings: Sequence[str]
    declared: Sequence[str]
    site: str


def best_title(names: Names) -> str:
    """Prefer the heading that the title element confirms, then what the page declares.

    >>> best_title(Names("Locks - The Canal Handbook", ("The Canal Handbook",), (), ""))
    'Locks'
    """
    sites = _sites(names)
    headings = [heading for heading in dict.fromkeys(names.headings) if heading]
    proper = [heading for heading in headings if heading.lower() not in sites]
    confirmed = [heading for heading in proper if heading.lower() in names.full.lower()]
    if confirmed:
        return _without_site(max(confirmed, key=len), sites)
    declared = next(filter(None, names.declared), names.full)
    if len(proper) == 1 and _are_related(proper[0], declared):
        return _without_site(proper[0], sites)
    return _without_site(declared, sites, is_declared=True) or next(iter(proper), "")


def _sites(names: Names) -> frozenset[str]:
    """Name the site: as the page tells it, or as title element and a heading both end with it."""
    told = names.site.lower()
    parts = _parts(names.full.lower())
    headings = {heading.lower() for heading in names.headings}
    ending = {parts[-1]} & headings if len(parts) > 1 else set()
    return frozenset({told, told.removeprefix("the "), *ending} - {""})


def _parts(title: str) -> list[str]:
    return [part for part in _SEPARATORS.split(title) if part]


def _are_related(heading: str, declared: str) -> bool:
    """Tell whether two titles share a good part of their words."""
    own, other = set(_WORD.findall(heading.lower())), set(_WORD.findall(declared.lower()))
    return len(own) > 1 and len(own & other) >= _RELATED_SHARE * min(len(own), len(other))


def _without_site(title: str, sites: AbstractSet[str], *, is_declared: bool = False) -> str:
    """Take the site's name off; of a declared title also a short part after a bar."""
    parts = _parts(title)
    if len(parts) < 2:  # noqa: PLR2004 - nothing to take off
        return title
    last, first = parts[-1], parts[0]
    before = title[: title.rindex(last)].rstrip()
    is_short = before.endswith("|") and len(last.split()) <= _SITE_WORDS
    if last.lower() in sites or (is_short and is_declared):
        return before.rstrip(_EDGE)
    return title[len(first) :].lstrip(_EDGE) if first.lower() in sites else title
