"""What of a source the model is shown: two or three sentences within a token budget.

Chosen by the words they share with the question and by position; without a model, so that it
costs microseconds.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from pellucid_gateway import sentences
from pellucid_gateway.asked_for import asked_for, carries
from pellucid_gateway.terms import (
    count_unspaced,
    coverage,
    function_terms,
    has_unspaced_script,
    rarity,
    terms,
)

MAX_SENTENCES = 3
# Sentences of a page that are looked at; later ones seldom matter and cost time.
_MOST_CANDIDATES = 200
_MIN_WORDS = 4
# Bylines and captions seldom end like a sentence.
_ENDS = tuple(".!?…。！？")
_ASKS = ("?", "？")
# What is left of the worth of a sentence that asks the question again.
_ASKED_AGAIN = 0.2
_CLOSERS = "\"'”’»)）」』"
_URL = re.compile(r"https?://\S+|www\.\S+")
# Words of the title are what the whole page is about, so they single out no sentence of it.
_TITLE_WORD_WEIGHT = 0.3
_MIN_MATCH = 0.15
_FEW_WORDS = 3
_MIN_UNSPACED_CHARS = 8
# Opening sentences tend to carry the news; worth about a tenth of a full match.
_POSITION_BONUS = 0.1
# What it is worth that a sentence carries the kind of thing asked for, in the measure of a full
# match of words; half of it where no word matches. On the corpus's questions 0.5 stated more facts
# than 0.8 (0.68, 0.66); other values were not tried in this form.
_ASKED_FOR_BONUS = 0.5
# What is worth less than this share of the best sentence would only take up room.
_FILLER_SHARE = 0.3
# A token of a byte-pair vocabulary has about four Latin letters, and one CJK character.
_LETTERS_PER_TOKEN = 4
# What a news agency puts before its first sentence: PORT VELLMARK, Nov 16 (Solvane Wire) -
_DATELINE = re.compile(
    r"^[A-Z][A-Z .'’-]{2,40}(?:, \w{3,9}\.? \d{1,2})?(?: \([^)]{2,40}\))? [-–—] "
)
# Bylines and breadcrumbs put these between their parts; sentences do not.
_PART_MARK = re.compile(r" [·|»›] ")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|[-*+]\s|>\s|\d{1,3}[.)]\s)")
_LEAST_CELLS = 2
_DIGIT = re.compile(r"\d")
# What held before, or is not yet certain: it may be the answer, but should not lead it.
_SUPERSEDED = re.compile(
    r"\bhad (?:been )?(?:announced|planned|said)\b|\boriginally\b|\bno longer valid\b|\bprovisional"
    r"|\bursprünglich\b|\bvorläufig\b|\binitialement\b|\bprovisoire\b|\binicialmente\b"
    r"|\bprovisional(?:es)?\b|당초|원래|当初|暫定|原定|暂定",
    re.IGNORECASE,
)
_SUPERSEDED_MALUS = 0.4
_MARKUP = re.compile(r"!\[[^\]]*\]\([^)]*\)|\[([^\]]*)\]\([^)]*\)|[*_`#]+")
_DANGEROUS_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cn", "Cs"})


def tokens_of(text: str) -> int:
    """Estimated tokens: a quarter per Latin letter, one per CJK character; never 0 for text."""
    if text.isascii():
        return -(-len(text) // _LETTERS_PER_TOKEN)
    unspaced = count_unspaced(text)
    return unspaced + -(-(len(text) - unspaced) // _LETTERS_PER_TOKEN)


def plain(text: str) -> str:
    """Text without markup, control and invisible characters, whitespace runs as one space."""
    bare = _MARKUP.sub(lambda match: match.group(1) or " ", text)
    if bare.isascii() and bare.isprintable():
        return " ".join(bare.split())
    visible = "".join(
        " " if c.isspace() else c
        for c in bare
        if c.isspace() or unicodedata.category(c) not in _DANGEROUS_CATEGORIES
    )
    return " ".join(visible.split())


def candidates(text: str) -> list[str]:
    """Sentences of a page that can stand alone: no headings, link lists or fragments."""
    found: list[str] = []
    for line in text.split("\n"):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        found.extend(s for s in _sentences_of(line) if _stands_alone(s))
        if len(found) >= _MOST_CANDIDATES:
            break
    whole = [sentence for sentence in found if sentence.rstrip(_CLOSERS)[-1:] in _ENDS]
    return list(dict.fromkeys(whole or found))[:_MOST_CANDIDATES]


def _sentences_of(line: str) -> list[str]:
    """Sentences of a line; a row of a table is one, its first cell naming what the others say.

    A row of mere figures says nothing without the head of its columns.
    """
    if not line.lstrip().startswith("|"):
        return sentences.split(_DATELINE.sub("", plain(_HEADING.sub("", line).replace("|", " "))))
    cells = [cell for cell in map(plain, line.strip().strip("|").split("|")) if cell]
    if len(cells) < _LEAST_CELLS or not any(map(_DIGIT.search, cells)):
        return []
    in_words = sum(not _DIGIT.search(cell) for cell in cells[1:])
    if len(cells) > _LEAST_CELLS and 2 * in_words < len(cells) - 1:
        return []
    return [f"{cells[0]}: {', '.join(cells[1:])}."]


def _stands_alone(sentence: str) -> bool:
    if _PART_MARK.search(sentence):
        return False
    if has_unspaced_script(sentence):
        return len(sentence) >= _MIN_UNSPACED_CHARS
    return len(sentence.split()) >= _MIN_WORDS


def key_facts(
    text: str,
    question: str,
    *,
    max_tokens: int,
    most_sentences: int = MAX_SENTENCES,
    title: str = "",
) -> str:
    """Choose the sentences that speak to the question, in their order in the text.

    Args:
        text: Text of a page or snippet.
        question: The standalone question.
        max_tokens: Budget, as `tokens_of` counts.
        most_sentences: Most sentences to choose.
        title: Title of the page.

    Returns:
        Sentences joined by a space; a cut first sentence when none fits; empty for empty text.
    """
    found = candidates(text) or ([plain(text)] if plain(text) else [])
    if not found:
        return ""
    chosen: list[int] = []
    left = max_tokens
    order = _worthwhile(found, question, title)
    for i in order:
        cost = tokens_of(found[i]) + 1
        if cost <= left:
            chosen.append(i)
            left -= cost
        if len(chosen) == most_sentences:
            break
    if not chosen:
        return cut(found[order[0]], max_tokens=max_tokens)
    return " ".join(found[i] for i in sorted(chosen))


def _worthwhile(found: Sequence[str], question: str, title: str) -> list[int]:
    """Indices, most worth first, without mere filler; ties keep the order of the text."""
    match = matches(found, question, [title] * len(found))
    told = tells(found, question, match)
    worth = [
        a + b + _POSITION_BONUS / (1 + i) for i, (a, b) in enumerate(zip(match, told, strict=True))
    ]
    order = sorted(range(len(found)), key=lambda i: (-worth[i], i))
    if max(match) < _MIN_MATCH:
        return order
    return [i for i in order if worth[i] >= _FILLER_SHARE * worth[order[0]]]


def asks_of_the_whole(message: str) -> bool:
    """Whether little but an address says what is wanted, as in "summarise https://…"."""
    return bool(_URL.search(message)) and len(subject_terms(message)) < _FEW_WORDS


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
        - (_SUPERSEDED_MALUS if _SUPERSEDED.search(sentence) else 0.0)
        for sentence, share in zip(found, match, strict=True)
    ]


def subject_terms(question: str) -> frozenset[str]:
    """Comparable words of a question without addresses and function words."""
    return terms(_URL.sub(" ", question)) - function_terms()


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
