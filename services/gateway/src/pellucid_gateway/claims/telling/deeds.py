"""What an English sentence tells of each verb: who does it, whether it is done, open or denied.

No grammar is known here but the order of English words: the doer stands before the verb, an
auxiliary right before it tells whether it is done, and a clause ends at its border. Where that does
not tell who does something, nobody is named.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise

from pellucid_language.english_words import word_class
from pellucid_language.folding import fold
from pellucid_language.terms import function_terms, terms
from pellucid_language.text_memory import remembered
from pellucid_language.verbs import is_bare_verb, is_known_verb, is_past, verb_key

_TOKEN = re.compile(r"\d[\d.,]*\d|[^\W_]+(?:['’-][^\W_]+)*|[,;:.!?()]")
_BE = word_class("be")
_HAVE = word_class("have")
_DO = word_class("do")
_MODAL = word_class("modal")
_AUXILIARIES = _BE | _HAVE | _DO | _MODAL | {"to"}
_DENYING = word_class("denying")
_NO_OBJECT = frozenset({"no", "nothing", "nobody", "none"})
_BOUNDING = frozenset({"more", "less", "fewer", "later", "earlier", "sooner", "longer"})
_BETWEEN = word_class("between")
_DETERMINERS = word_class("determiners")
_PREPOSITIONS = word_class("prepositions")
_PRONOUNS = word_class("pronouns")
_RELATIVE = word_class("relative")
_JOINING = word_class("joining")
_BORDERS = frozenset([",", ";", ":", ".", "!", "?", "(", ")"])
_CLAUSE_WORDS = word_class("clause")
# Verbs and nouns of wish, plan and doubt; what follows them is not done.
_HOPED = re.compile(
    r"^(?:want|wish|hop|seek|consider|propos|fear|doubt|suggest|demand|ask|urg|call|discuss|weigh"
    r"|threaten|believ|think|suspect|assum|alleg|aim|try|tri|need|request|appli|offer|promis|pledg"
    r"|expect|await|intend|due|possib|unlik|likel)"
)
_PLANNED = re.compile(r"^(?:plan|schedul|prepar|agre|decid|going|due|set|order)")
_POSSIBLE = frozenset(["may", "might", "could", "perhaps", "possibly", "maybe"])
_COMING = frozenset(["will", "would", "shall", "should"])
_CONDITION = frozenset({"if", "whether", "unless"})
_YET_TO_COME = frozenset({"until", "before"})
_NUMBERS = word_class("numbers")
_REACH = 6


class Ground(IntEnum):
    """How firmly a thing is told."""

    DONE = 0
    COMING = 1
    OPEN = 2


@dataclass(frozen=True, slots=True)
class Deed:
    """One verb of a sentence with what stands around it.

    Attributes:
        verb: Its key.
        word: As written, folded.
        doer: Comparable words of who does it; empty where the sentence does not say.
        names: Those of them that are capitalised.
        head: Those of the doer before any preposition.
        done_to: Comparable words of what is done, or whom it is done to.
        thing: Those of it that stand right behind the verb, or before it in the passive.
        is_state: Whether it tells what something is rather than what is done.
        is_past: Whether it has the form of a past, or of a perfect.
        is_denied: Whether it is said not to be.
        ground: How firmly it is told.
    """

    verb: str
    word: str
    doer: frozenset[str]
    names: frozenset[str]
    head: frozenset[str]
    done_to: frozenset[str]
    thing: frozenset[str]
    is_state: bool
    is_past: bool
    is_denied: bool
    ground: Ground


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    low: str


@remembered
def deeds(sentence: str) -> tuple[Deed, ...]:
    """Return the deeds of an English sentence in order.

    >>> [(d.verb, sorted(d.doer), d.ground.name) for d in deeds("Ash hopes to sell the mill.")]
    [('hop', ['ash'], 'DONE'), ('sel', ['ash'], 'OPEN')]
    """
    tokens = [_Token(m.group(), fold(m.group())) for m in _TOKEN.finditer(sentence)]
    verbs = [i for i in range(len(tokens)) if _is_verb(tokens, i)]
    return tuple(_deed(tokens, verbs, i) for i in verbs)


def _is_verb(tokens: Sequence[_Token], i: int) -> bool:
    low = tokens[i].low
    if low in _AUXILIARIES or low in _BORDERS or not low[0].isalpha():
        return False
    if low in _DETERMINERS | _PREPOSITIONS | _PRONOUNS | _BETWEEN | _CLAUSE_WORDS | _DENYING:
        return False
    before, prior = _before(tokens, i), tokens[i - 1].low if i else ""
    if before in _BE | _DO | _MODAL or "to" == before == prior:
        return not tokens[i].text[0].isupper()
    if before in _HAVE:
        return is_past(low)
    is_noun = prior in _DETERMINERS | _PREPOSITIONS or not prior
    if prior != before:  # "Three newly found volcanoes".
        is_noun = is_noun or before in _DETERMINERS or not before.isalpha() or before in _NUMBERS
    return not is_noun and (is_past(low) or _is_present(tokens, i))


def _is_present(tokens: Sequence[_Token], i: int) -> bool:
    """Whether a listed verb stands in the present: after its doer, and not before another verb."""
    low, prior = tokens[i].low, tokens[i - 1]
    if tokens[i].text[0].isupper() or not is_known_verb(low):
        return False
    if low.endswith("s"):
        is_second = prior.low in _JOINING and any(is_past(t.low) for t in tokens[:i])
        is_verb = is_second or _opens_object(tokens, i)
        return not is_bare_verb(low) and not is_past(prior.low) and is_verb
    is_plural = prior.low.endswith("s") or prior.low in {"they", "we", "people", "who", "and"}
    return is_bare_verb(low) and is_plural


def _opens_object(tokens: Sequence[_Token], i: int) -> bool:
    """Whether what follows a word is what a verb has behind it, and a plural noun seldom."""
    after = tokens[i + 1] if i + 1 < len(tokens) else None
    if after is None or after.low in _BORDERS:
        return i > 1 and tokens[i - 2].low in {"the", "a", "an"}
    is_object = after.text[0].isupper() or after.text[0].isdigit()
    return is_object or after.low in _DETERMINERS | _PRONOUNS | {"to", "by", "until", "for", "in"}


def _before(tokens: Sequence[_Token], i: int) -> str:
    """The nearest word before one that is no adverb."""
    k = i - 1
    while k >= 0 and (tokens[k].low in _BETWEEN or tokens[k].low.endswith("ly")):
        k -= 1
    return tokens[k].low if k >= 0 else ""


def _deed(tokens: Sequence[_Token], verbs: Sequence[int], i: int) -> Deed:
    clause = _clause_start(tokens, i)
    helpers = _helpers(tokens, i)
    has_form = is_past(tokens[i].low)
    is_be = bool(helpers and helpers[-1] in _BE)
    is_passive = has_form and (is_be or (i + 1 < len(tokens) and tokens[i + 1].low == "by"))
    doer, done_to = _doer(tokens, verbs, i), _behind(tokens, i)
    if is_passive:
        agent = next((k for k in range(i + 1, len(tokens)) if tokens[k].low == "by"), None)
        doer, done_to = _phrase(tokens, agent) if agent else [], doer
    denied = [tokens[k].low for k in range(clause, i)][-_REACH:]
    return Deed(
        verb=verb_key(tokens[i].low),
        word=tokens[i].low,
        doer=_content(doer),
        names=_content([t for t in doer if t.text[0].isupper() and "'" not in t.text]),
        head=_content(_head(doer)),
        done_to=_content(done_to),
        thing=_content(_head(done_to, least=0)),
        is_state=is_be and not has_form and not tokens[i].low.endswith("ing"),
        is_past=has_form or bool({"has", "have", "had", "was", "were"} & {*helpers}),
        is_denied=any(word in _DENYING or word.endswith("n't") for word in denied)
        or denied[-2:] == ["yet", "to"]
        or _has_no_object(tokens, i),
        ground=_ground(tokens, i, helpers),
    )


def _has_no_object(tokens: Sequence[_Token], i: int) -> bool:
    """Whether what is done is done to nothing: "read no book", but not "has no more than two"."""
    behind = [token.low for token in tokens[i + 1 : i + 3]]
    return bool(behind) and behind[0] in _NO_OBJECT and _BOUNDING.isdisjoint(behind[1:])


def _head(phrase: Sequence[_Token], *, least: int = 1) -> list[_Token]:
    """The words of a phrase before its first preposition, or its second where one may begin it."""
    cut = (
        k for k, token in enumerate(phrase) if k >= least and token.low in _PREPOSITIONS - {"of"}
    )
    return list(phrase[: next(cut, len(phrase))])


def _helpers(tokens: Sequence[_Token], i: int) -> list[str]:
    """Auxiliaries right before a verb, in order."""
    found: list[str] = []
    k = i - 1
    while k >= 0:
        low = tokens[k].low
        if low in _AUXILIARIES:
            found.append(low)
        elif low not in _BETWEEN and not low.endswith("ly"):
            break
        k -= 1
    return found[::-1]


def _clause_start(tokens: Sequence[_Token], i: int) -> int:
    k = i - 1
    while k >= 0 and tokens[k].low not in _BORDERS and tokens[k].low not in _JOINING:
        k -= 1
    return k + 1


def _behind(tokens: Sequence[_Token], i: int) -> list[_Token]:
    """What stands after a verb up to the end of its clause."""
    found = []
    for token in tokens[i + 1 :]:
        if token.low in _BORDERS or token.low in _CLAUSE_WORDS or token.low == "who":
            break
        found.append(token)
    return found


def _phrase(tokens: Sequence[_Token], i: int) -> list[_Token]:
    """The noun and what belongs to it behind a preposition."""
    found: list[_Token] = []
    for token in tokens[i + 1 :]:
        if token.low in _BORDERS or token.low in _CLAUSE_WORDS | _RELATIVE | _AUXILIARIES:
            break
        if token.low in _PREPOSITIONS - {"of"}:
            break
        found.append(token)
    return found


def _doer(tokens: Sequence[_Token], verbs: Sequence[int], i: int) -> list[_Token]:
    """What stands before a verb as its subject; empty where that is a pronoun or not told."""
    k = i - 1
    while k >= 0 and _is_helping(tokens[k].low):
        k -= 1
    if k < 0:
        return []
    low, earlier = tokens[k].low, [v for v in verbs if v < i]
    if low in _RELATIVE:
        return _noun_before(tokens, verbs, k - 1 if tokens[k - 1].low != "," else k - 2)
    if low in _JOINING or (earlier and earlier[-1] == k):
        return _doer(tokens, verbs, earlier[-1]) if earlier else []
    if low == ",":
        return [t for t in tokens[:k] if t.low not in _BORDERS]
    return _noun_before(tokens, verbs, k)


def _is_helping(low: str) -> bool:
    return low in _AUXILIARIES | _BETWEEN or low.endswith(("n't", "ly"))


def _noun_before(tokens: Sequence[_Token], verbs: Sequence[int], k: int) -> list[_Token]:
    found: list[_Token] = []
    has_verb = any(v < k for v in verbs)
    while k >= 0:
        low = tokens[k].low
        is_helper = low in _AUXILIARIES - {"to"}
        if low in _BORDERS or low in _CLAUSE_WORDS or k in verbs or is_helper:
            break
        if low in _JOINING and has_verb:
            break
        found.append(tokens[k])
        k -= 1
    return [] if any(t.low in _PRONOUNS for t in found[:1]) else found[::-1]


def _ground(tokens: Sequence[_Token], i: int, helpers: Sequence[str]) -> Ground:
    if _POSSIBLE & {*helpers}:
        return Ground.OPEN
    start = _clause_start(tokens, i)
    before = [t.low for t in tokens[max(start, i - 2 * _REACH) : i]]
    if _CONDITION & {*before}:
        return Ground.OPEN
    is_present = not is_past(tokens[i].low) or bool({"is", "are", "has", "have"} & {*helpers})
    if is_present and _YET_TO_COME & {*before}:
        return Ground.OPEN
    governing = [verb_key(t) for t in before if t not in _AUXILIARIES]
    is_infinitive = "to" in helpers
    if any(_HOPED.match(key) for key in governing) and (is_infinitive or _is_reported(before)):
        return Ground.OPEN
    is_planned = is_infinitive and (
        helpers[0] in _BE or any(_PLANNED.match(key) for key in governing)
    )
    if _COMING & {*helpers} or is_planned or _is_caused(before):
        return Ground.COMING
    return Ground.DONE


def _is_caused(before: Sequence[str]) -> bool:
    """Whether somebody is to have it done: "plans to have the pipes replaced"."""
    return any(
        one in {"to", *_COMING} and other in {"have", "get"} for one, other in pairwise(before)
    )


def _is_reported(before: Sequence[str]) -> bool:
    return "that" in before


def _content(tokens: Sequence[_Token]) -> frozenset[str]:
    text = " ".join(token.text for token in tokens)
    return frozenset(term for term in terms(text) if not term.isdigit()) - function_terms()
