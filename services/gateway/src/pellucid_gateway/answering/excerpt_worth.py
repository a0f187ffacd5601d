"""What each sentence of the sources is worth to a question, for answers without a model.

The weights were fitted to 421 questions whose fact can be quoted (real pages, a small web of 150
pages and pages in other words than the question), so that a sentence with the fact leads. Held out
by question it leads for .92, .70, .62 and .83 of the four sets with the mean of two models, for
.88, .62, .59 and .85 with one; with the weights before for .80, .61, .62 and .83. They were fitted
together with eight features that have gone since and were not fitted again: of 143 questions on
real pages the fact leads for 81, for 83 with the features, and is quoted for 99, before for 101.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pellucid_gateway.answering.quotable import Candidate
from pellucid_gateway.domain.findings import Method
from pellucid_gateway.question.asked_for import AskedFor, asked_for, carries
from pellucid_gateway.question.asked_things import Thing, beyond, share_told, things_of
from pellucid_gateway.question.key_facts import matches, subject_terms, tells
from pellucid_language.terms import coverage, has_unspaced_script, rarity, terms

# Likeness of the sentence alone and with what stands above it; together 1, to which all refers.
_ALONE, _WITH_ABOUT = 0.25, 0.75
_ABOUT, _TELLS, _CARRIES, _THINGS_BEYOND = 0.11, 0.12, 0.16, 0.19
_SHORT = -0.09
_SHORT_WORDS = 4
# A question on a page tells nothing, unless the list that answers it is quoted with it.
_ASKS = -0.2
_ASKING, _CLOSERS = ("?", "？"), "\"'”’»)）」』"
_PLACE, _PLACE_DECAY = 0.05, 0.05
# Without likeness the words decide.
_LEXICAL_ONLY, _ABOUT_ONLY, _TELLS_ONLY, _THINGS_ONLY = 1.0, 0.2, 1.0, 0.5
# The source's own score: of two sentences that fit alike, the more fitting source leads.
_SOURCE = 0.2
# What a search engine shows of a page is seldom as whole as the page.
_SNIPPET, _IS_CUT = -0.03, -0.1
_COMPARED_CHARS = 320
# A further excerpt has this share of the best one's words of the question, or is so like it.
_SPEAKING_SHARE = 0.25
_SPEAKING_LIKENESS = 0.45
# Or speaks of this share of the things asked about.
_SPEAKING_THINGS = 0.7


@dataclass(frozen=True, slots=True)
class Likeness:
    """How like each candidate is to a question, 0 to 1, in order.

    Attributes:
        alone: The sentence.
        with_about: The sentence with what stands above it.
    """

    alone: tuple[float, ...]
    with_about: tuple[float, ...]

    def of(self, i: int) -> float:
        """Of one candidate, both taken together."""
        return _ALONE * self.alone[i] + _WITH_ABOUT * self.with_about[i]


def compared(found: Sequence[Candidate]) -> tuple[str, ...]:
    """The texts whose likeness tells that of the candidates, each once."""
    pairs = [text for c in found for text in (c.text[:_COMPARED_CHARS], _with_about(c))]
    return tuple(dict.fromkeys(pairs))


def likeness(
    found: Sequence[Candidate], texts: Sequence[str], similarities: Sequence[float]
) -> Likeness:
    """Likeness of the candidates by that of `compared`."""
    by_text = dict(zip(texts, similarities, strict=True))
    return Likeness(
        tuple(max(0.0, by_text[c.text[:_COMPARED_CHARS]]) for c in found),
        tuple(max(0.0, by_text[_with_about(c)]) for c in found),
    )


def _with_about(candidate: Candidate) -> str:
    above = candidate.about or candidate.source.title
    return f"{above}: {candidate.text}"[:_COMPARED_CHARS]


def worth(found: Sequence[Candidate], question: str, near: Likeness | None) -> list[float]:
    """What each sentence is worth to a question, in order; about 0 to 2."""
    texts = [candidate.text for candidate in found]
    lexical = matches(texts, question, [candidate.source.title for candidate in found])
    told = tells(texts, question, lexical)
    each = zip(found, lexical, told, _about(found, question), strict=True)
    if near is None:
        beyond_title = _of_things(found, question)
        return [
            _LEXICAL_ONLY * (words + _ABOUT_ONLY * about)
            + _TELLS_ONLY * kind
            + _THINGS_ONLY * (share or 0.0)
            + _of_place(candidate)
            for (candidate, words, kind, about), share in zip(each, beyond_title, strict=True)
        ]
    kinds, things = asked_for(question), things_of(question)
    return [
        _ALONE * alone
        + _WITH_ABOUT * with_about
        + _ABOUT * about
        + _TELLS * kind
        + _CARRIES * carries(candidate.said, told_in(candidate.text, kinds), question)
        + _THINGS_BEYOND * _told_beyond(candidate, things)
        + _of_form(candidate)
        + _of_place(candidate)
        for (candidate, _, kind, about), alone, with_about in zip(
            each, near.alone, near.with_about, strict=True
        )
    ]


def told_in(text: str, kinds: frozenset[AskedFor]) -> frozenset[AskedFor]:
    """The kinds of things that a text could show: without blanks nothing marks people."""
    return kinds - {AskedFor.PERSON} if has_unspaced_script(text) else kinds


def _about(found: Sequence[Candidate], question: str) -> list[float]:
    """Share of the question's words that stands above each sentence."""
    wanted = subject_terms(question)
    each = [terms(candidate.about) for candidate in found]
    weights = rarity(each)
    return [coverage(wanted, own, weights) for own in each]


def _told_beyond(candidate: Candidate, things: Sequence[Thing]) -> float:
    """Share told of the things asked about, those of the page's title left out."""
    asked = beyond(things, candidate.source.title)
    return share_told(asked, candidate.said) if asked else 0.0


def _of_form(candidate: Candidate) -> float:
    text = candidate.text
    is_short = len(text.split()) < _SHORT_WORDS and not has_unspaced_script(text)
    is_snippet = candidate.source.method is Method.SNIPPET
    asks = not candidate.listed and text.rstrip(_CLOSERS)[-1:] in _ASKING
    return _SHORT * is_short + _ASKS * asks + _SNIPPET * is_snippet + _IS_CUT * candidate.is_cut


def _of_place(candidate: Candidate) -> float:
    return _PLACE / (1 + _PLACE_DECAY * candidate.position) + _SOURCE * (
        candidate.source.relevance or 0.0
    )


def _of_things(found: Sequence[Candidate], question: str) -> list[float | None]:
    """Share of the things asked about that each sentence speaks of, its page's title left out.

    None where the title tells them all: there the sentences need not.
    """
    things = things_of(question)
    titles = {candidate.source.title for candidate in found}
    open_ = {title: beyond(things, title) for title in titles}
    return [
        share_told(asked, f"{candidate.about} {candidate.text}") if asked else None
        for candidate in found
        for asked in (open_[candidate.source.title],)
    ]


def speaking(found: Sequence[Candidate], question: str, near: Likeness | None) -> list[bool]:
    """Whether each sentence has words of the question, or is like it, rather than just a number."""
    titles = [candidate.source.title for candidate in found]
    lexical = matches([candidate.text for candidate in found], question, titles)
    least = _SPEAKING_SHARE * max(lexical, default=0.0)
    alike = near.with_about if near else (0.0,) * len(found)
    of_things = _of_things(found, question)
    unspaced = has_unspaced_script(question)
    # What is written in another script has no word of the question whatever it says.
    return [
        s >= _SPEAKING_LIKENESS
        or (w > 0 and w >= least)
        or (t or 0.0) >= _SPEAKING_THINGS
        or has_unspaced_script(candidate.text) != unspaced
        for s, w, t, candidate in zip(alike, lexical, of_things, found, strict=True)
    ]
