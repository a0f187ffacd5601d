"""Messages that most likely need no search, told by their words: a sum of learnt weights.

For what the lists of `plain_messages` cannot name: "explain recursion to a beginner".
`training/plain_words.py` fits the weights to what the decision service decides, and tells how often
a message that is taken for plain is searched for after all. Good for what costs next to nothing
where it is wrong; it decides nothing.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from itertools import pairwise

import orjson

from pellucid_gateway.question.fallback_decision import asks_to_search, find_urls
from pellucid_language.scripts import EAST_ASIAN
from pellucid_language.stems import beginning
from pellucid_language.terms import has_unspaced_script

WEIGHTS = "plain_words.json"
BIAS = "#bias"
"""Name of the weight that every message has."""
SCALE = 100
"""Weights are kept as whole hundredths."""
# Of the messages below it, held out by fold, 3.9 % are searched for after all, which is 1.2 % of
# all messages, and 61 % of what a rule answers are among them. At -3.6 it is 0.65, 0.1 and 30 %, at
# -2 2.2, 0.5 and 48 %, at 0 6.6, 2.5 and 70 %.
PLAIN_BELOW = -1.0
# Longer ones tell a story, in which words that weigh little add up. Swept 100 to 200.
_MOST_LETTERS = 140
# A Chinese, Japanese or Korean character says about as much as this many Latin letters.
_DENSE_LETTER = 2.2
_WORD = re.compile(r"[\w'+#]+")
_DENSE_RUN = re.compile(f"[{EAST_ASIAN}]+")
_LATIN_WORD = re.compile(r"[a-z][a-z0-9+#.]*")
_NAME = re.compile(r"(?<=[\w,] )[A-ZÄÖÜ]\w")
_ADDRESS = re.compile(r"\w\.[a-z]{2,}(?![\w.])", re.IGNORECASE)
_STEM_LETTERS = 5
_WORDS_A_STEP = 4
_LETTERS_A_STEP = 12
_MOST_STEPS = 5


def is_likely_plain(message: str, weights: Mapping[str, int] | None = None) -> bool:
    """Whether the words of a message speak clearly against a search.

    Args:
        message: What the person wrote.
        weights: By trait, in hundredths; None for those of the package.

    >>> is_likely_plain("Explain recursion to a beginner")
    True
    >>> is_likely_plain("Who won the match yesterday?")
    False
    """
    dense = has_unspaced_script(message)
    if len(message) * (_DENSE_LETTER if dense else 1) > _MOST_LETTERS:
        return False
    known = _weights() if weights is None else weights
    found = set(traits_of(message))
    total = known[BIAS] + sum(known.get(trait, 0) for trait in found)
    if total > PLAIN_BELOW * SCALE:
        return False
    return not find_urls(message) and not _ADDRESS.search(message) and not asks_to_search(message)


def traits_of(message: str) -> Iterator[str]:
    """Yield what is weighed, some of it more than once: words, stems, neighbours, ends, form."""
    low = message.lower()
    yield from _dense_traits(low) if has_unspaced_script(message) else _spaced_traits(low)
    if _NAME.search(message):
        yield "#name"
    if message.rstrip()[-1:] in {"?", "？"}:
        yield "#?"
    if any(letter.isdigit() for letter in message):
        yield "#digit"


def _spaced_traits(low: str) -> Iterator[str]:
    words = _WORD.findall(low)
    yield from words
    yield from (f"{beginning(word, _STEM_LETTERS)}~" for word in words if len(word) > _STEM_LETTERS)
    for first, second in pairwise(words):
        yield f"{first} {second}"
    for count in range(1, 4):
        yield f"^{' '.join(words[:count])}"
    yield f"{words[-1] if words else ''}$"
    yield f"#words{min(_MOST_STEPS, len(words) // _WORDS_A_STEP)}"


def _dense_traits(low: str) -> Iterator[str]:
    runs = _DENSE_RUN.findall(low)
    for run in runs:
        yield from run
        yield from map("".join, pairwise(run))
        yield from (run[at : at + 3] for at in range(len(run) - 2))
    said = "".join(runs)
    yield f"^{said[:2]}"
    yield f"{said[-2:]}$"
    yield f"{said[-3:]}$"
    yield from _LATIN_WORD.findall(low)
    yield f"#letters{min(_MOST_STEPS, len(low) // _LETTERS_A_STEP)}"


@cache
def _weights() -> Mapping[str, int]:
    """Weights by trait, in hundredths, read once."""
    raw = resources.files("pellucid_gateway.question").joinpath(WEIGHTS).read_bytes()
    weights: dict[str, int] = orjson.loads(raw)
    return weights
