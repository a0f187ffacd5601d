"""Whether a claim goes further than its passage: all for some, will for may, a month for a year.

What it looks at are a few closed classes of words, the same for all seven languages: they are
compared between the claim and the sentences that say most of it. It only ever speaks against.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml

from pellucid_gateway.claims.telling.opposites import are_opposite
from pellucid_language.clauses import BORDER, DEGREE_BORDER
from pellucid_language.folding import fold
from pellucid_language.quantities import figures
from pellucid_language.text_memory import remembered
from pellucid_language.words import content_terms

# Of the nearest sentence's share of the claim's words: another such sentence may be meant.
_NEAR_NEAREST = 0.75
# With fewer of the claim's words no sentence is near.
_LEAST_NEAR = 0.25
# Words of the claim that only a sentence has which leaves something open.
_LEAST_OPEN = 2
# From this share of what is said on, a clause says the same.
_SAME_SAYING = 0.6
_HALF = 50.0
_SUBJECT_WORDS = 9


@dataclass(frozen=True, slots=True)
class _Lexicon:
    rhythms: Mapping[str, re.Pattern[str]]
    words: Mapping[str, re.Pattern[str]]

    def has(self, kind: str, folded: str) -> bool:
        """Whether a folded text has a word of a kind."""
        return self.words[kind].search(folded) is not None


def goes_further(claim: str, sentences: Sequence[str]) -> bool:
    """Tell whether a claim says more than the sentences that say most of it.

    Args:
        claim: One sentence or clause.
        sentences: Those of a passage.

    >>> goes_further("Ash pays 5 euros a month.", ["Ash pays 5 euros a year."])
    True
    >>> goes_further("Ash will build a mill.", ["Ash might build a mill."])
    True
    """
    near = [fold(sentence) for sentence in _near(claim, sentences)]
    if not near:
        return False
    folded = fold(claim)
    checks = (_is_of_another_rhythm, _is_of_whole, _is_of_most, _is_surer, _is_permitted)
    return any(check(folded, near) for check in checks) or (
        _is_said_by_another(claim, sentences) or _is_compared(folded, near)
    )


def _near(claim: str, sentences: Sequence[str]) -> list[str]:
    wanted = content_terms(claim)
    shares = [len(wanted & content_terms(s)) / len(wanted) if wanted else 0.0 for s in sentences]
    best = max(shares, default=0.0)
    least = max(_LEAST_NEAR, _NEAR_NEAREST * best)
    return [s for s, share in zip(sentences, shares, strict=True) if share >= least]


def _is_of_another_rhythm(claim: str, near: Sequence[str]) -> bool:
    """The claim says per month what every near sentence that has a rhythm says per year."""
    mine = _rhythms(claim)
    told = [_rhythms(sentence) for sentence in near]
    return bool(mine) and any(told) and not any(mine & one for one in told)


@remembered
def _rhythms(folded: str) -> frozenset[str]:
    return frozenset(k for k, pattern in _lexicon().rhythms.items() if pattern.search(folded))


def _is_of_whole(claim: str, near: Sequence[str]) -> bool:
    """The claim is of all, and no near sentence has a word for all or none."""
    lexicon = _lexicon()
    return lexicon.has("whole", claim) and not any(lexicon.has("as_whole", s) for s in near)


def _is_of_most(claim: str, near: Sequence[str]) -> bool:
    """The claim is of most, and the near sentences give a share below half and nothing else."""
    lexicon = _lexicon()
    if not lexicon.has("most", claim) or any(
        lexicon.has("most", s) or lexicon.has("as_whole", s) for s in near
    ):
        return False
    shares = [v for s in near for f in figures(s) if f.measure == "percent" for v in f.values]
    return bool(shares) and max(shares) < _HALF


def _is_surer(claim: str, near: Sequence[str]) -> bool:
    """The claim tells as to come what the near sentences leave open."""
    lexicon = _lexicon()
    if not lexicon.has("coming", claim) or lexicon.has("careful", claim):
        return False
    wanted = content_terms(claim)
    is_open = {sentence: _leaves_open(claim, sentence) for sentence in near}
    firm = [content_terms(sentence) for sentence, one in is_open.items() if not one]
    left = [content_terms(sentence) for sentence, one in is_open.items() if one]
    return any(len((wanted & terms).difference(*firm)) >= _LEAST_OPEN for terms in left)


def _is_permitted(claim: str, near: Sequence[str]) -> bool:
    """The claim allows what the near sentences forbid without exception."""
    lexicon = _lexicon()
    if not lexicon.has("permitted", claim) or lexicon.has("forbidden", claim):
        return False
    return all(lexicon.has("forbidden", s) and not lexicon.has("excepted", s) for s in near)


def _leaves_open(claim: str, sentence: str) -> bool:
    """Whether the clause with most of the claim leaves something open, and the rest does not."""
    wanted = content_terms(claim)
    clauses = BORDER.split(sentence)
    best = max(clauses, key=lambda clause: len(wanted & content_terms(clause)))
    return _lexicon().has("possible", best)


def _is_said_by_another(claim: str, sentences: Sequence[str]) -> bool:
    """Somebody else of the passage says, by the same verb, what the claim lets its doer say."""
    own = _said(claim)
    if own is None:
        return False
    told = [_said(part) for s in sentences for part in DEGREE_BORDER.split(s)]
    same = [
        one
        for one in told
        if one and one.verb == own.verb and len(own.what & one.what) >= _SAME_SAYING * len(own.what)
    ]
    is_known = any(own.doer <= content_terms(sentence) for sentence in sentences)
    return bool(same) and is_known and all(_is_another(own, other) for other in same)


def _is_another(own: "_Said", other: "_Said") -> bool:
    """Whether two doers are surely two: "the firm" may be whoever was named before."""
    is_told = bool(other.doer) and not other.doer & own.doer
    return is_told and (other.is_named or not own.is_named)


@dataclass(frozen=True, slots=True)
class _Said:
    """Who says something, the stem of the verb, and what is said."""

    doer: frozenset[str]
    is_named: bool
    verb: str
    what: frozenset[str]


def _said(text: str) -> _Said | None:
    """What somebody says in a clause; None where nobody says anything."""
    folded = fold(text)
    match = _lexicon().words["saying"].search(folded)
    words = folded[: match.start()].split() if match else []
    if match is None or len(words) > _SUBJECT_WORDS:
        return None
    verb = next(filter(None, match.groups()))
    doer = frozenset(term for term in content_terms(" ".join(words)) if len(term) > 1)
    what = content_terms(folded[match.end() :])
    is_named = any(word[0].isupper() for word in text.split()[: len(words)][1:])
    return _Said(doer, is_named, verb, what) if doer and what else None


def _is_compared(claim: str, near: Sequence[str]) -> bool:
    """The claim has more than the other what the nearest sentence has less than it."""
    lexicon, mine = _lexicon(), _compared(claim)
    if mine is None:
        return False
    for sentence in near:
        theirs = _compared(sentence)
        turned = lexicon.has("fewer", claim) != lexicon.has("fewer", sentence)
        if theirs is None or turned or are_opposite(claim, sentence):
            continue
        if mine[0] & theirs[1] and mine[1] & theirs[0] and not mine[1] & theirs[1]:
            return True
    return False


@remembered
def _compared(folded: str) -> tuple[frozenset[str], frozenset[str]] | None:
    """What only stands before "than" and what only stands behind it."""
    lexicon = _lexicon()
    parts = lexicon.words["than"].split(folded, maxsplit=1)
    match = lexicon.words["more"].search(parts[0])
    if len(parts) != len(("before", "behind")) or match is None:
        return None
    before = content_terms(parts[0][: match.start()])
    behind = content_terms(BORDER.split(parts[1])[0])
    return before - behind, behind - before


@cache
def _lexicon() -> _Lexicon:
    source = resources.files("pellucid_gateway.claims.telling").joinpath("degrees.yaml")
    table = yaml.safe_load(source.read_text("utf-8"))
    rhythms = table.pop("rhythms")
    return _Lexicon(
        rhythms={name: re.compile(expression) for name, expression in rhythms.items()},
        words={name: re.compile(expression) for name, expression in table.items()},
    )
