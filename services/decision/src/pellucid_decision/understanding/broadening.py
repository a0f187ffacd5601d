"""Broader queries for when nothing is found: a word less of the same thing, or others.

All names are in each of them. Pure, as `query_assembly` is.
"""

from collections.abc import Collection, Iterable, Sequence

from pellucid_decision.understanding.query_assembly import in_order, one_name
from pellucid_decision.understanding.words import Word

# A topic has several parts. Names in lower case, which nothing else shows, are among the likeliest
# words of a query, so that only the least likely one may be left out.
_LEAST_PARTS = 3
# A word that no query has may stand beside the others above it.
_OTHER = 0.03
_MOST_OTHERS = 2

Part = Sequence[Word]
"""A name, or a run of letters where blanks bound no words, else one word."""


def broadened(
    line: Sequence[Word], words: Sequence[Word], unwanted: Collection[str]
) -> list[list[Word]]:
    """Return a query without its least likely word, then with other words of the conversation.

    Args:
        line: Words of a query, in its order.
        words: Of the conversation.
        unwanted: Words that say nothing, in lower case.

    >>> texts = (("new", 0.4), ("parking", 0.9), ("permits", 0.8), ("council", 0.7))
    >>> said = [Word(0, 9 * n, 9 * n + 8, text, (p, 0, 0)) for n, (text, p) in enumerate(texts)]
    >>> [[word.surface for word in query] for query in broadened(said, said, ())]
    [['parking', 'permits', 'council']]
    """
    parts = _parts(line)
    plain = [part for part in parts if not _is_name(part)] if len(parts) > _LEAST_PARTS else []
    least = min(plain, key=_share, default=None)
    kept = [word for part in parts if part is not least for word in part]
    known = {word.key for word in line}
    free = (word for word in words if word.key not in known and word.key not in unwanted)
    others = sorted((w for w in free if w.queries[0] > _OTHER), key=_first, reverse=True)
    other = in_order([*kept, *others[:_MOST_OTHERS]])
    return [kept] * (kept != list(line)) + [other] * (other != kept)


def _parts(line: Iterable[Word]) -> list[list[Word]]:
    parts: list[list[Word]] = []
    for word in line:
        if parts and _belongs(parts[-1][-1], word):
            parts[-1].append(word)
        else:
            parts.append([word])
    return parts


def _belongs(left: Word, right: Word) -> bool:
    run_on = left.spaceless and right.spaceless and left.text == right.text
    return (run_on and left.end == right.start) or one_name(left, right)


def _is_name(part: Part) -> bool:
    return any(word.nameable for word in part)


def _share(part: Part) -> float:
    return max(map(_first, part))


def _first(word: Word) -> float:
    return word.queries[0]
