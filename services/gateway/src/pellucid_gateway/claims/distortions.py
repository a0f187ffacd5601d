"""Whether a claim says other than the nearest sentences of its source, with the same words.

Parties change places, somebody's deed is given to somebody else, a plan is told as done. Like the
other checks by words it only ever speaks against a claim.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pellucid_gateway.claims import overstated, parties, roles
from pellucid_gateway.claims.telling import bindings, degrees, opposites, scope, told_otherwise
from pellucid_language import names, sentences, unspaced_checks
from pellucid_language.scripts import is_spaceless
from pellucid_language.text_memory import remembered
from pellucid_language.words import content_terms

# Share of a claim's content words from which a sentence says the same or the opposite.
_SAME_WORDS = 0.6
# Share from which a sentence may be the one that the claim overstates.
_LEAST_STATED = 0.4
# Of the nearest sentence's share: another such sentence may be the one that is meant.
_NEAR_NEAREST = 0.75

CHECKS: tuple[Callable[[str, Sequence[str]], bool], ...] = (
    told_otherwise.is_told_otherwise,
    bindings.is_bound_otherwise,
    scope.is_of_more,
    degrees.goes_further,
)
"""Each tells of a claim and all sentences of its passage whether they differ; cheap ones first."""


@dataclass(frozen=True, slots=True)
class _Sentence:
    text: str
    terms: frozenset[str]


def is_distorted(claim: str, passage: str) -> bool:
    """Whether the nearest sentences of a passage say something else of the same matter.

    >>> is_distorted("Ash closed its plant in Hull.", "Ash plans to close its plant in Hull.")
    True
    """
    found, terms = _sentences(passage), content_terms(claim)
    texts = [sentence.text for sentence in found]
    if any(check(claim, texts) for check in CHECKS):
        return True
    shares = [_share(terms, sentence.terms) for sentence in found]
    best = max(shares, default=0.0)
    if best >= _SAME_WORDS and _is_swapped(claim, found[shares.index(best)].text):
        return True
    if _is_of_another(claim, passage, found):
        return True
    if best < _LEAST_STATED or not overstated.may_be(claim):
        return False
    near = [s.text for s, n in zip(found, shares, strict=True) if n >= _NEAR_NEAREST * best]
    return overstated.is_overstated(claim, near)


@remembered
def _sentences(text: str) -> tuple[_Sentence, ...]:
    return tuple(_Sentence(one, content_terms(one)) for one in sentences.split(text))


def _share(wanted: frozenset[str], present: frozenset[str]) -> float:
    return len(wanted & present) / len(wanted) if wanted else 0.0


def _is_swapped(claim: str, sentence: str) -> bool:
    if is_spaceless(claim):
        return unspaced_checks.turned(claim, sentence)
    if opposites.are_converse(claim, sentence):
        return False
    return roles.are_swapped(claim, sentence) or roles.is_turned(claim, sentence)


def _is_of_another(claim: str, passage: str, found: Sequence[_Sentence]) -> bool:
    said = parties.said(claim, names.names(claim), content_terms(claim), passage)
    return said is not None and parties.is_of_another(said, [s.terms for s in found])
