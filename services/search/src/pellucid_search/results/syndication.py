"""Copies of one article on several sites become one hit that keeps every address."""

import re
from collections import defaultdict
from collections.abc import Sequence

from pellucid_language.folding import caseless
from pellucid_language.scripts import EAST_ASIAN
from pellucid_search.hits import Hit
from pellucid_search.results.fusion import merge_hits, ordered

# Shorter titles ("Contact us", "Release notes") are shared by pages that are not copies.
_MIN_WORDS = 6
_MIN_CJK_CHARACTERS = 12
# Share of common words above which two snippets tell the same; swept by eye on news snippets.
_SNIPPET_OVERLAP = 0.5
# A site's name after a title has at most this many words.
_SITE_NAME_WORDS = 4
_SITE_SEPARATOR = re.compile(r"\s+[|–—·»-]\s+")
_WORD = re.compile(r"\w+")
_CJK = re.compile(f"[{EAST_ASIAN}]")


def collapse_syndicated(hits: Sequence[Hit]) -> tuple[list[Hit], int]:
    """Return hits without syndicated copies, best score first, and how many were folded."""
    groups: dict[str, list[Hit]] = defaultdict(list)
    kept: list[Hit] = []
    for hit in hits:
        key = title_key(hit.title)
        if key:
            groups[key].append(hit)
        else:
            kept.append(hit)
    for group in groups.values():
        kept.extend(_fold(ordered(group)))
    return ordered(kept), len(hits) - len(kept)


def _fold(group: Sequence[Hit]) -> list[Hit]:
    """Fold each hit into the first one of the group that it is a copy of."""
    clusters: list[list[Hit]] = []
    for hit in group:
        home = next((cluster for cluster in clusters if _is_copy(cluster[0], hit)), None)
        if home is None:
            clusters.append([hit])
        else:
            home.append(hit)
    return [merge_hits(cluster) for cluster in clusters]


def _is_copy(first: Hit, second: Hit) -> bool:
    """One site lists different pages under one title (editions, parts); only others copy."""
    if first.domain == second.domain:
        return False
    one, other = _words(first.snippet), _words(second.snippet)
    if not one or not other:
        return True
    return len(one & other) >= _SNIPPET_OVERLAP * min(len(one), len(other))


def title_key(title: str) -> str:
    """Return a title without case, punctuation and site name; empty when too short to compare.

    >>> title_key("Rare comet seen over the northern Alps - Example News")
    'rare comet seen over the northern alps'
    """
    folded = caseless(title)
    parts = _SITE_SEPARATOR.split(folded)
    if len(parts) > 1 and len(parts[-1].split()) <= _SITE_NAME_WORDS:
        folded = " ".join(parts[:-1])
    words = _WORD.findall(folded)
    long_enough = len(words) >= _MIN_WORDS or len(_CJK.findall(folded)) >= _MIN_CJK_CHARACTERS
    return " ".join(words) if long_enough else ""


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))
