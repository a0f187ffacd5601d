"""Turns a provider's titles and snippets into plain text."""

import html
import re
import unicodedata

from pellucid_search.hits import TEXT_LIMIT

# A tag begins with a letter, a slash or an exclamation mark, so that "a < b" stays.
_HIDDEN = re.compile(r"<(script|style)\b[^>]*>.*?(?:</\1\s*>|$)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<(?:/?[a-zA-Z]|!)[^<>]{0,500}>")
# Characters that show nothing or turn the reading direction: format (Cf) and control (Cc).
_INVISIBLE = frozenset({"Cc", "Cf", "Co", "Cs"})
# Joins emoji and letters of several scripts; carries meaning inside a word.
_JOINERS = frozenset({"\u200c", "\u200d"})


def plain_text(markup: str, limit: int = TEXT_LIMIT) -> str:
    """Return text without tags, entities and control characters, at most `limit` characters.

    >>> plain_text("Fish &amp; <strong>chips</strong>, a < b")
    'Fish & chips, a < b'
    """
    text = markup
    if "<" in text:
        text = _TAG.sub("", _HIDDEN.sub(" ", text))
    if "&" in text:
        text = html.unescape(text)
    if not text.isascii() or not text.isprintable():
        text = "".join(char for char in text if _is_shown(char))
    return shorten(" ".join(text.split()), limit)


def _is_shown(char: str) -> bool:
    if char.isspace() or char in _JOINERS:
        return True
    return unicodedata.category(char) not in _INVISIBLE


def shorten(text: str, limit: int) -> str:
    """Cut to `limit` characters at a word's end where one is near, and mark the cut."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    head, _, _ = cut.rpartition(" ")
    return (head if len(head) > limit * 3 // 4 else cut).rstrip() + "…"
