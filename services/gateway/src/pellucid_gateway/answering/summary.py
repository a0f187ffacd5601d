"""A summary without a language model: sentences over the whole length of a page, as written."""

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from pellucid_gateway.answering.quotable import Candidate
from pellucid_language.terms import function_terms, has_unspaced_script, terms

# Words that a page has most often show what it is about.
_TELLING_TERMS = 25
_FITTING_WORDS = (8, 36)
_UNFIT = 0.4


def summary(found: Sequence[Candidate], most: int) -> tuple[Candidate, ...]:
    """Sentences over the whole length of the pages, each the most telling of its stretch.

    Args:
        found: Candidates, in the order of their pages.
        most: How many; fewer where the pages have fewer.
    """
    each = [terms(candidate.text) for candidate in found]
    often = Counter(term for own in each for term in own - function_terms())
    told = frozenset(term for term, _ in often.most_common(_TELLING_TERMS))
    count = min(most, len(found))
    borders = [round(len(found) * i / count) for i in range(count + 1)] if count else []
    return tuple(
        found[max(range(first, end), key=lambda i: (_tells(found[i], each[i] & told), -i))]
        for first, end in pairwise(borders)
    )


def _tells(candidate: Candidate, told: frozenset[str]) -> float:
    """What a sentence has of the page's own words; one too long or too short is worth less."""
    words = len(candidate.text.split())
    unspaced = has_unspaced_script(candidate.text)
    fits = unspaced or _FITTING_WORDS[0] <= words <= _FITTING_WORDS[1]
    return len(told) * (1.0 if fits else _UNFIT) + (1.0 if candidate.position == 0 else 0.0)
