"""Whether a passage tells a claim's deeds otherwise: of another doer, as not done, or not yet.

A deed is compared with every place of the passage that has its verb, and must be told otherwise in
all of them. Words of the passage in other forms of speech are left to the other checks.
"""

import re
from collections.abc import Sequence

from pellucid_gateway.claims.telling.deeds import Deed, Ground, deeds
from pellucid_gateway.claims.telling.opposites import are_opposite
from pellucid_language.folding import fold
from pellucid_language.terms import has_unspaced_script, terms
from pellucid_language.verbs import verb_key
from pellucid_language.words import content_terms

# Of the nearest sentence's words: a sentence with fewer speaks of something else.
_NEAR_NEAREST = 0.5
_ENGLISH = re.compile(r"\b(?:the|of|and|was|were|by|his|her|has|is|are|not|it|to|from|with|that)\b")
# Of what a claim says is done: from this share on a passage says it of another.
_SHARED = 0.6
# "The drug" may be anything that was told of before; two words are mostly a party of their own.
_LEAST_TOLD = 2
# Of an English text's words about a quarter are such.
_LEAST_ENGLISH = 0.1
_AWAITED = re.compile(
    r"\b(?:needs?|awaits?|awaiting|requires?|pending|seeks?|without|lacks?|hop(?:es|ing) for"
    r"|ask(?:s|ed) for|appl(?:y|ies|ied) for|filed for|subject to)"
    r"(?: the| an?| its| their)?(?: \w+)? (\w{5,})"
)
_NOUN_LETTERS = 5
# Verbs that tell little of what is done, so that two of them are seldom one deed.
_OF_ANYBODY = frozenset(
    map(verb_key, ("say", "tell", "call", "name", "get", "make", "use", "base", "know", "see"))
)


def is_told_otherwise(claim: str, sentences: Sequence[str]) -> bool:
    """Tell whether one of a claim's deeds stands otherwise wherever the passage has it.

    Args:
        claim: One sentence or clause, in English; others are left alone.
        sentences: Those of a passage.

    >>> is_told_otherwise("Ash sold the mill.", ["Ash hopes to sell the mill."])
    True
    >>> is_told_otherwise("Bo Ray left the club.", ["Ann Lee, who left the club, met Bo Ray."])
    True
    """
    if has_unspaced_script(claim) or not _is_english(sentences):
        return False
    wanted = content_terms(claim)
    shares = [len(wanted & content_terms(sentence)) for sentence in sentences]
    least = _NEAR_NEAREST * max(shares, default=0)
    near = [s for s, share in zip(sentences, shares, strict=True) if share >= least]
    told = [deed for sentence in near for deed in deeds(sentence)]
    every = [deed for sentence in sentences for deed in deeds(sentence)]
    return any(
        _is_otherwise(deed, told, claim)
        or _is_awaited(deed, near)
        or _is_opposite(deed, every)
        or _is_of_other_party(deed, told, every)
        for deed in deeds(claim)
    )


def _is_english(sentences: Sequence[str]) -> bool:
    text = fold(" ".join(sentences))
    return len(_ENGLISH.findall(text)) >= _LEAST_ENGLISH * len(text.split())


def _is_awaited(own: Deed, near: Sequence[str]) -> bool:
    """A near sentence still waits for what the claim tells as done: "needs approval"."""
    if own.ground is not Ground.DONE or own.is_denied or len(own.verb) < _NOUN_LETTERS:
        return False
    awaited = (noun for sentence in near for noun in _AWAITED.findall(fold(sentence)))
    return own.is_past and any(noun.startswith(own.verb) for noun in awaited)


def _is_otherwise(own: Deed, told: Sequence[Deed], claim: str) -> bool:
    same = [deed for deed in told if deed.verb == own.verb]
    near = [deed for deed in same if _is_near(own, deed, claim)]
    checks = (_is_denied, _is_not_done_yet, _is_by_another)
    return bool(near) and any(all(check(own, deed) for deed in near) for check in checks)


def _is_opposite(own: Deed, every: Sequence[Deed]) -> bool:
    """The same one is told to do the opposite, and nowhere to do it."""
    if any(deed.verb == own.verb and not deed.is_denied for deed in every):
        return False
    alike = [deed for deed in every if own.doer & deed.doer]
    return any(
        not any(are_opposite(other.word, deed.word) for other in alike)
        and bool(own.done_to & deed.done_to or not deed.done_to)
        and own.is_denied == deed.is_denied
        and are_opposite(own.word, deed.word)
        for deed in alike
    )


def _is_of_other_party(own: Deed, told: Sequence[Deed], every: Sequence[Deed]) -> bool:
    """Another party of the passage, of the same kind of word, is told to do just that."""
    if own.is_state or own.verb in _OF_ANYBODY or not own.head or not own.done_to:
        return False
    same = [deed for deed in told if deed.verb == own.verb and not deed.is_state]
    acts_elsewhere = any(own.head <= deed.doer for deed in every if deed.verb != own.verb)
    return (
        bool(same)
        and acts_elsewhere
        and all(
            len(deed.doer) >= _LEAST_TOLD
            and not own.doer & deed.doer
            and bool(own.names) == bool(deed.names)
            and len(own.done_to & deed.done_to) >= _SHARED * len(own.done_to)
            for deed in same
        )
    )


def _is_near(own: Deed, deed: Deed, claim: str) -> bool:
    """Whether the two share more than a verb, or nothing tells them apart."""
    words = deed.doer | deed.done_to
    return bool(terms(claim) & words) or not deed.doer or not (own.doer | own.done_to)


def _is_denied(own: Deed, deed: Deed) -> bool:
    """One of the two is denied; what is but a wish or a condition denies nothing."""
    is_firm = Ground.OPEN not in {own.ground, deed.ground}
    return is_firm and own.is_denied != deed.is_denied


def _is_not_done_yet(own: Deed, deed: Deed) -> bool:
    """The claim tells as done what is open; or, in the past, what is to come."""
    if own.ground is not Ground.DONE or own.is_denied or deed.is_denied or own.is_state:
        return False
    return deed.ground is Ground.OPEN or (own.is_past and deed.ground is Ground.COMING)


def _is_by_another(own: Deed, deed: Deed) -> bool:
    """The claim lets do it whom it is done to, or one name what another one does."""
    is_told = bool(own.doer) and not own.doer & deed.doer and own.verb not in _OF_ANYBODY
    if not is_told or own.is_state or deed.is_state:
        return False
    # "The lido reopens" and "they reopen the lido" tell the same.
    if own.head and own.thing and own.head <= deed.done_to:
        return True
    acting = deed.names or deed.doer
    if len(acting & own.done_to) > len(acting - own.done_to):
        return True
    is_named = bool(own.names and deed.names)
    return is_named and bool(own.done_to & deed.done_to or not own.done_to or not deed.done_to)
