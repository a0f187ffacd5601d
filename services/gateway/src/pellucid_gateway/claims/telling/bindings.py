"""Whether a claim binds together what its passage binds otherwise: values to holders, by place.

"Rents fell and wages rose" has every word of "wages fell and rents rose". What stands together in a
clause of the passage must not be found crosswise in the clauses of the claim; a holder must not
take the place of another one in a sentence that is otherwise repeated; and what a passage excepts
or places elsewhere is not to be told of it.
"""

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import combinations

from pellucid_language.calendar import month_numbers
from pellucid_language.clauses import SUBCLAUSE_BORDER
from pellucid_language.english_words import word_class
from pellucid_language.folding import fold
from pellucid_language.terms import function_terms, has_unspaced_script, terms
from pellucid_language.text_memory import remembered

_TOKEN = re.compile(r"\w+(?:[.,'’-]\w+)*")
_EXCEPTED = re.compile(
    r"\b(?:but|and|though|although|yet) not (?:(?:in|for|to|by|with|at|on|from|of) )?"
    r"(?!before|until|yet|all|only|always|because|since|after|without|even|just|when|if|as)"
    r"((?:the |its |their )?[\w-]+(?: [\w-]+)?)"
    r"|([\w-]+) (?:was|were|is|are) (?:not (?:included|affected|covered|counted|examined|part)"
    r"|never affected|excluded|exempt)\b"
    r"|((?:[\w-]+ )?[\w-]+) (?:was|were|is|are|did|does|do|has|have) not(?=[.,;]|$)"
)
_PLACE = re.compile(r"\b[Ii]n (?:nearby |neighbouring )?([A-ZÀ-Þ][\w’'-]+)")
_FROM_TO = re.compile(
    r"\bfrom ((?:\w+ ){0,2}[A-ZÀ-Þ][\w’'-]*(?: [A-ZÀ-Þ][\w’'-]*)*) (?:in)?to ([^,.;]+)"
)
_SIDES = (
    (1, re.compile(r"\b(?:over|more than|above|at least|exceed(?:s|ed|ing)?) (\d[\d.,]*\d|\d)")),
    (-1, re.compile(r"\b(?:under|less than|fewer than|below|at most|up to) (\d[\d.,]*\d|\d)")),
)
_NEGATED = re.compile(
    r"\b(?:not|no|never|none|nor|except\w*|exempt\w*|exclud\w*|unlike|without|nobody|only)\b|n['’]t\b"
)
# Words of a claim that a sentence must repeat beside the exchanged ones.
_LEAST_REPEATED = 2
_MOST_EXCHANGED = 4
_SAME_MATTER = 0.6
_LEAST_PARTS = 2
# Words of the claim that the two parts may lack: who it is about, where they say "it".
_MOST_ABSENT = 1
# Of a name or a thing, when it was told of before.
_ANAPHORIC = word_class("anaphoric")


def is_bound_otherwise(claim: str, sentences: Sequence[str]) -> bool:
    """Tell whether a claim crosses what a passage says of two things.

    Args:
        claim: One sentence or clause.
        sentences: Those of a passage.

    >>> is_bound_otherwise("Rents fell and wages rose.", ["Wages fell, rents rose."])
    True
    """
    if has_unspaced_script(claim):
        return False
    checks = (
        _is_sent_back,
        _is_on_other_side,
        _is_crossed,
        _is_of_another_holder,
        _is_excepted,
        _is_elsewhere,
    )
    return any(check(claim, sentences) for check in checks)


def _is_sent_back(claim: str, sentences: Sequence[str]) -> bool:
    """The claim goes from where a sentence goes to, and the other way round."""
    mine = _ends(claim)
    return mine is not None and any(
        bool(mine[0] & theirs[1] and mine[1] & theirs[0])
        and not (mine[0] & theirs[0] or mine[1] & theirs[1])
        for theirs in map(_ends, sentences)
        if theirs is not None
    )


def _ends(text: str) -> tuple[frozenset[str], frozenset[str]] | None:
    match = _FROM_TO.search(text)
    return (_content(match.group(1)), _content(match.group(2))) if match else None


def _is_on_other_side(claim: str, sentences: Sequence[str]) -> bool:
    """The claim says above a figure what is below it, or the other way round."""
    sides = [
        (side, match.group(1)) for side, words in _SIDES for match in words.finditer(fold(claim))
    ]
    return any(
        side != other and number == match.group(1)
        for side, number in sides
        for other, words in _SIDES
        for sentence in sentences
        for match in words.finditer(fold(sentence))
    )


@remembered
def _content(text: str) -> frozenset[str]:
    return terms(text) - function_terms()


@remembered
def _parts(text: str) -> tuple[frozenset[str], ...]:
    found = (_content(part) for part in SUBCLAUSE_BORDER.split(text))
    return tuple(part for part in found if part)


def _is_crossed(claim: str, sentences: Sequence[str]) -> bool:
    """Two parts of the claim each take words of the same two parts of the passage."""
    own = _parts(claim)
    if len(own) < _LEAST_PARTS:
        return False
    whole = tuple(_content(sentence) for sentence in sentences)
    pairs = [*combinations(whole, 2)]
    for sentence in sentences:
        pairs.extend(combinations(_parts(sentence), 2))
    return any(
        _cross(one, other, first, second)
        for one, other in combinations(own, 2)
        for first, second in pairs
    )


def _cross(
    one: frozenset[str], other: frozenset[str], first: frozenset[str], second: frozenset[str]
) -> bool:
    only_first, only_second = first - second, second - first
    is_each_of_both = all(part & only_first and part & only_second for part in (one, other))
    is_all_there = len((one | other) - (first | second)) <= _MOST_ABSENT
    return is_each_of_both and is_all_there and not one & other & (only_first | only_second)


def _is_of_another_holder(claim: str, sentences: Sequence[str]) -> bool:
    """A sentence says the claim, of something else that the passage also tells of."""
    exchanged = [_exchanged(claim, sentence) for sentence in sentences]
    if any(pair == ((), ()) for pair in exchanged):
        return False
    return any(
        pair is not None
        and _are_two_holders(pair[0], pair[1], [s for s in sentences if s != sentence])
        for pair, sentence in zip(exchanged, sentences, strict=True)
    )


def _exchanged(claim: str, sentence: str) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """The one run of words that a claim has in the place of another; empty ones for none."""
    mine, theirs = _TOKEN.findall(claim), _TOKEN.findall(sentence)
    matcher = SequenceMatcher(
        None, [_form(word) for word in mine], [_form(word) for word in theirs], autojunk=False
    )
    ops = [op for op in matcher.get_opcodes() if op[0] in {"replace", "delete"}]
    if not ops:
        return (), ()
    kind, i, end, j, last = ops[0]
    own, other = tuple(mine[i:end]), tuple(theirs[j:last])
    rest = len(_content(claim) - _content(" ".join(own)))
    is_one = len(ops) == 1 and kind == "replace" and rest >= _LEAST_REPEATED
    return (own, other) if is_one and max(len(own), len(other)) <= _MOST_EXCHANGED else None


def _form(word: str) -> str:
    return next(iter(sorted(terms(word))), fold(word))


def _are_two_holders(own: Sequence[str], other: Sequence[str], elsewhere: Sequence[str]) -> bool:
    mine, theirs = _content(" ".join(own)), _content(" ".join(other))
    if not mine or not theirs or mine & theirs or any(word.isdigit() for word in mine | theirs):
        return False
    if fold(other[0]) in _ANAPHORIC - {"the"} or _is_named(own) != _is_named(other):
        return False
    return any(mine <= _content(sentence) for sentence in elsewhere)


def _is_named(words: Sequence[str]) -> bool:
    return any(word[0].isupper() and fold(word) not in _ANAPHORIC for word in words)


def _is_excepted(claim: str, sentences: Sequence[str]) -> bool:
    """A sentence says "but not" of what the claim tells the same of."""
    if _NEGATED.search(fold(claim)):
        return False
    wanted = _content(claim)
    return any(excepted <= wanted for sentence in sentences for excepted in _exceptions(sentence))


def _exceptions(sentence: str) -> Iterator[frozenset[str]]:
    for match in _EXCEPTED.finditer(sentence):
        words = next(filter(None, match.groups())).split()
        found = _content(" ".join(words) if match.group(3) else words[0])
        found = found or _content(" ".join(words))
        if found:
            yield found


def _is_elsewhere(claim: str, sentences: Sequence[str]) -> bool:
    """The sentence that says the claim says it of another place."""
    place = _PLACE.search(claim)
    if place is None or fold(place.group(1)) in month_numbers():
        return False
    rest = _content(claim) - _content(place.group(1))
    shares = [len(rest & _content(s)) / len(rest) if rest else 0.0 for s in sentences]
    best = max(shares, default=0.0)
    if best < _SAME_MATTER:
        return False
    nearest = sentences[shares.index(best)]
    named = {name for name in _PLACE.findall(nearest) if fold(name) not in month_numbers()}
    others = named - set(_PLACE.findall(claim))
    return bool(others) and place.group(1) not in nearest
