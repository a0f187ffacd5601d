"""A sketch of a page, of 16 bytes: it tells whether the page changed, and hardly what it says.

Lines go into 16 heaps by their words; of each heap one byte is kept, all digests of its lines
together. A line that is another changes at least one heap, but for one case in 256. What changes by
itself (how long ago, how often read, the time of day) is left out.
"""

import re
from hashlib import blake2b

from pellucid_gateway.question.plain_text import plain
from pellucid_language.folding import fold

_HEAPS = 16
_BY_ITSELF = re.compile(
    r"\b\d[\d.,]*\s*(?:k|m|mio)?\s*(?:views?|reads?|likes?|shares?|comments?|repl(?:y|ies)|votes?|points?"
    r"|members?|online|aufrufe|kommentare?|antworten|vues|commentaires?|visitas|comentarios?)\b"
    r"|\b(?:\d+|an?|one)\s*(?:sec(?:ond)?s?|min(?:ute)?s?|h(?:ou)?rs?|days?|weeks?|months?|years?)\s+ago\b"
    r"|\bvor \d+ \w+|\bil y a \d+ \w+|\bhace \d+ \w+|\b(?:just now|yesterday|today)\b"
    r"|\b\d{1,2}:\d{2}(?::\d{2})?\b|\d+\s*(?:초|분|시간|일|주|개월|년)\s*전|조회(?:수)?\s*[\d,]+"
    r"|\d+\s*(?:秒|分|時間|日|週間|か月|年|小时|天|周|个月)\s*前|[\d,]+\s*(?:回視聴|次浏览|阅读|views)"
    r"|(?:©|copyright)\s*(?:\(c\)\s*)?\d{4}"
)
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


def sketch(text: str) -> str:
    r"""The sketch of a page's text, 32 hexadecimal digits.

    >>> sketch("It costs 89.\n\n3 minutes ago") == sketch("It costs 89.\n\n7 minutes ago")
    True
    >>> sketch("It costs 89.") == sketch("It costs 95.")
    False
    """
    heaps = bytearray(_HEAPS)
    lines = {_BY_ITSELF.sub("", fold(plain(line))) for line in text.splitlines()}
    for line in lines:
        if _LETTER_OR_DIGIT.search(line):
            heap, mark = blake2b(line.encode("utf-8", "replace"), digest_size=2).digest()
            heaps[heap % _HEAPS] ^= mark
    return heaps.hex()
