"""The first sentences of a text."""

import re
from collections.abc import Iterable
from typing import Final

MAX_CHARS: Final = 300
_MIN_CHARS: Final = 40
_SENTENCE_END: Final = re.compile(r"[.!?](?=\s)|[。！？]")

_PROSE: Final = re.compile(r"[.!?。！？…:][\"'”’»」』)]*\s*$")


def of(paragraphs: Iterable[str]) -> str:
    """Return the beginning of the first real paragraph, cut at a sentence where possible.

    A line that does not end like a sentence, such as a byline, is taken only for want of others.

    Args:
        paragraphs: Plain paragraphs in order.

    >>> of(["Too short.", "A paragraph that is long enough to say something. And more."])
    'A paragraph that is long enough to say something. And more.'
    """
    long = [text for text in paragraphs if len(text) >= _MIN_CHARS]
    chosen = next(filter(_PROSE.search, long), long[0] if long else "")
    flat = " ".join(chosen.split())
    if len(flat) <= MAX_CHARS:
        return flat
    cut = flat[:MAX_CHARS]
    ends = [match.end() for match in _SENTENCE_END.finditer(cut)]
    return cut[: ends[-1]] if ends and ends[-1] > MAX_CHARS // 3 else cut.rsplit(" ", 1)[0]
