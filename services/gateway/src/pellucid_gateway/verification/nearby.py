"""The parts of a long page that a claim can rest on.

A page that a person named is shown almost whole, and reading all of it for each claim would hold
the event loop for seconds. What supports a claim has its words or figures, so only such parts are
read.
"""

import re
from collections.abc import Iterator

from pellucid_language.terms import has_unspaced_script

WHOLE_CHARS = 8_000
"""A text up to this length is read whole, and no more of a longer one: some ten milliseconds."""
_PART_CHARS = 600
_STEM_CHARS = 5
"""Beginning of a word that its inflections share, near enough for a first choice."""
_WORD = re.compile(r"\w+")
_SHORTEST_WORD = 3


def near(claim: str, text: str) -> str:
    """Return a text, or of a long one the parts that share most with a claim, in their order.

    >>> near("The toll is 4.50 crowns.", "The toll is 4.50 crowns.")
    'The toll is 4.50 crowns.'
    """
    if len(text) <= WHOLE_CHARS:
        return text
    wanted = _marks(claim)
    parts = list(_parts(text))
    shares = [sum(mark in part.casefold() for mark in wanted) for part in parts]
    order = sorted(range(len(parts)), key=lambda place: (-shares[place], place))
    chosen, left = [], WHOLE_CHARS
    for place in order:
        left -= len(parts[place])
        if left < 0 or not shares[place]:
            break
        chosen.append(place)
    return "".join(parts[place] for place in sorted(chosen))


def _marks(claim: str) -> frozenset[str]:
    """Return what is looked for: beginnings of words, figures, pairs of letters without blanks."""
    words = _WORD.findall(claim.casefold())
    if has_unspaced_script(claim):
        return frozenset(word[at : at + 2] for word in words for at in range(len(word)))
    return frozenset(
        word[:_STEM_CHARS] for word in words if word.isdigit() or len(word) >= _SHORTEST_WORD
    )


def _parts(text: str) -> Iterator[str]:
    """Yield the lines of a text with their ends, longer ones cut behind a word."""
    for line in text.splitlines(keepends=True):
        start = 0
        while len(line) - start > _PART_CHARS:
            end = line.rfind(" ", start + 1, start + _PART_CHARS) + 1 or start + _PART_CHARS
            yield line[start:end]
            start = end
        yield line[start:]
