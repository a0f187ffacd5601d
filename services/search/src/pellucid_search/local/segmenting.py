"""Cuts text into index terms. CJK has no spaces, so its runs become overlapping pairs."""

import re
from collections.abc import Iterator

from pellucid_language.folding import caseless
from pellucid_language.scripts import EAST_ASIAN

_TOKEN = re.compile(rf"[{EAST_ASIAN}]+|[^\W_{EAST_ASIAN}]+")
_IS_CJK = re.compile(rf"[{EAST_ASIAN}]")


def terms(text: str) -> Iterator[str]:
    """Yield index terms in order.

    >>> list(terms("Seoul 서울시청"))
    ['seoul', '서울', '울시', '시청']
    """
    for match in _TOKEN.finditer(caseless(text)):
        token = match[0]
        if not _IS_CJK.match(token) or len(token) == 1:
            yield token
        else:
            yield from (token[place : place + 2] for place in range(len(token) - 1))


def is_cjk(term: str) -> bool:
    """Tell whether a term comes from a CJK run."""
    return _IS_CJK.match(term) is not None


def indexed_form(text: str) -> str:
    """Return text as it goes into the index."""
    return " ".join(terms(text))
