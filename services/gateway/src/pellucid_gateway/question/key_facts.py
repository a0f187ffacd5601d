"""What sentences share with a question: its words, and the kind of thing that it asks for.

Without a model, so that it costs microseconds.
"""

import re
from collections.abc import Mapping, Sequence

from pellucid_gateway.question.asked_for import asked_for, carries
from pellucid_gateway.question.plain_text import without_urls
from pellucid_gateway.question.tokens import tokens_of
from pellucid_language.terms import (
    coverage,
    function_terms,
    has_unspaced_script,
    rarity,
    terms,
)

_ASKS = ("?", "？")
# What is left of the worth of a sentence that asks the question again.
_ASKED_AGAIN = 0.2
_CLOSERS = "\"'”’»)）」』"
# Words of the title are what the whole page is about, so they single out no sentence of it.
_TITLE_WORD_WEIGHT = 0.3
# What it is worth that a sentence carries the kind of thing asked for, in the measure of a full
# match of words; half of it where no word matches. On the corpus's questions 0.5 stated more facts
# than 0.8 (0.68, 0.66); other values were not tried in this form.
_ASKED_FOR_BONUS = 0.5
# What held before, or is not yet certain: it may be the answer, but should not lead it.
_SUPERSEDED = re.compile(
    r"\bhad (?:been )?(?:announced|planned|said)\b|\boriginally\b|\bno longer valid\b|\bprovisional"
    r"|\bursprünglich\b|\bvorläufig\b|\binitialement\b|\bprovisoire\b|\binicialmente\b"
    r"|\bprovisional(?:es)?\b|당초|원래|잠정|当初|暫定|原定|暂定",
    re.IGNORECASE,
)
_SUPERSEDED_MALUS = 0.4


def matches(found: Sequence[str], question: str, titles: Sequence[str]) -> list[float]:
    """Weighted share of the question's words that each sentence has, 0 to 1.

    Rare words weigh more; words of a sentence's own title weigh less, for they single out nothing.
    A sentence that only asks the question again has all its words and tells nothing.
    """
    each = [terms(sentence) for sentence in found]
    weights = rarity(each)
    wanted = subject_terms(question) & weights.keys()
    discounted = {title: _discounted(weights, wanted & terms(title)) for title in set(titles)}
    return [
        coverage(wanted, own, discounted[title])
        * (_ASKED_AGAIN if _asks_again(sentence, own, wanted) else 1.0)
        for sentence, own, title in zip(found, each, titles, strict=True)
    ]


def _asks_again(sentence: str, own: frozenset[str], wanted: frozenset[str]) -> bool:
    telling = own - function_terms()
    asks = sentence.rstrip(_CLOSERS)[-1:] in _ASKS
    return asks and len(telling & wanted) * 2 >= len(telling)


def tells(found: Sequence[str], question: str, match: Sequence[float]) -> list[float]:
    """What each sentence gains by carrying the kind of thing that the question asks for.

    It loses by saying of itself that it holds no longer or not yet.

    Args:
        found: Sentences.
        question: The standalone question.
        match: As of `matches`, in order.
    """
    kinds, most = asked_for(question), max(match, default=0.0) or 1.0
    return [
        _ASKED_FOR_BONUS * carries(sentence, kinds, question) * (1 + share / most) / 2
        - (_SUPERSEDED_MALUS if is_superseded(sentence) else 0.0)
        for sentence, share in zip(found, match, strict=True)
    ]


def is_superseded(sentence: str) -> bool:
    """Whether a sentence says of itself that it holds no longer or not yet."""
    return _SUPERSEDED.search(sentence) is not None


def subject_terms(question: str) -> frozenset[str]:
    """Comparable words of a question without addresses and function words."""
    return terms(without_urls(question)) - function_terms()


def _discounted(weights: Mapping[str, float], told: frozenset[str]) -> Mapping[str, float]:
    return {**weights, **{term: weights[term] * _TITLE_WORD_WEIGHT for term in told}}


def cut(sentence: str, *, max_tokens: int) -> str:
    """Shorten at a word border to the budget; the mark of omission counts."""
    if tokens_of(sentence) <= max_tokens:
        return sentence
    kept = sentence
    while kept and tokens_of(kept) + 1 > max_tokens:
        kept = kept[: len(kept) * max_tokens // (tokens_of(kept) + 1)] if max_tokens else ""
    head = kept if has_unspaced_script(kept) else kept.rsplit(" ", 1)[0]
    return f"{head.rstrip(' ,;:')}…" if head else ""
