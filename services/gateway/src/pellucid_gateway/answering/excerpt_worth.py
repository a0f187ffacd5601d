"""What each sentence of the sources is worth to a question, for answers without a model.

The weights were fitted to 421 questions whose fact can be quoted (real pages, a small web of 150
pages and pages in other words than the question), so that a sentence with the fact leads. Held out
by question it leads for .92, .70, .62 and .83 of the four sets with the mean of two models, for
.88, .62, .59 and .85 with one; with the weights before for .80, .61, .62 and .83.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pellucid_gateway.answering.quotable import Candidate
from pellucid_gateway.conflicts.answer_values import Answered, answered_by, gives_cause
from pellucid_gateway.domain.findings import Method
from pellucid_gateway.question.asked_for import AskedFor, asked_for, carries
from pellucid_gateway.question.asked_things import Thing, beyond, share_told, things_of
from pellucid_gateway.question.key_facts import is_superseded, matches, subject_terms, tells
from pellucid_language.terms import (
    coverage,
    function_terms,
    has_unspaced_script,
    rarity,
    terms,
)
from pellucid_language.written_dates import days_of, months_of

# Likeness of the sentence alone and with what stands above it; together 1, to which all refers.
_ALONE, _WITH_ABOUT = 0.25, 0.75
_ABOUT, _TELLS, _CARRIES, _THINGS_BEYOND = 0.11, 0.12, 0.16, 0.19
_SHORT = -0.09
_SHORT_WORDS = 4
_PLACE, _PLACE_DECAY = 0.05, 0.05
# Without likeness the words decide.
_LEXICAL_ONLY, _ABOUT_ONLY, _TELLS_ONLY, _THINGS_ONLY = 1.0, 0.2, 1.0, 0.5
# The source's own score: of two sentences that fit alike, the more fitting source leads.
_SOURCE = 0.2
# What a search engine shows of a page is seldom as whole as the page.
_SNIPPET, _IS_CUT = -0.03, -0.1
# Signs that the question gives exactly: NC-HB400-R3, CFO.
_CODE = re.compile(r"\b(?=[\w-]*[A-Z])(?:[A-Z0-9]+-)*[A-Z0-9]{2,}(?:-[A-Z0-9]+)*\b")
_CODED = 0.1
# It says of itself that it holds no longer or not yet; with two days it says what holds instead.
_SUPERSEDED, _WAS_AND_IS = -0.1, 2
# Where the present is asked about, it speaks of a year to come, or says that it is of today.
_TO_COME, _SAYS_PRESENT = -0.1, 0.1
_PRESENT = re.compile(
    r"\b(?:today|now|current(?:ly)?|present(?:ly)?|latest|newest|neueste\w*|dernier\w*|heute|jetzt|derzeit|aktuell\w*|aujourd'hui|maintenant"
    r"|actuel\w*|hoy|ahora|actual\w*)\b|지금|오늘|현재|최신|今|最新|现在|目前|現在",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?<![\d.,])20\d\d(?![\d.,]\d|\d)")
# It tells of another day than the one that is asked about.
_OTHER_DAY = -0.1
# It says the question again and nothing besides.
_ECHO, _ECHO_SHARE = -0.2, 0.6
# It says why, where that is asked.
_SAYS_WHY = 0.1
# It introduces steps or a list, where those are asked for.
_LISTS = 0.1
_ASKS_STEPS = re.compile(
    r"\bhow (?:do|can|should|would|could) (?:i|you|we|one)\b|\bhow to\b|\bwhich command|\bsteps?\b"
    r"|\bwhat are the\b|\bwie (?:\w+ )?(?:ich|man|wir)\b|\bschritte?\b|\bwelcher befehl|\bétapes?\b"
    r"|\bcomment (?:\w+ )?(?:faire|installer|puis-je|on|je)\b|\bquelles sont les\b|\bpasos?\b"
    r"|\bcómo (?:se|puedo|hago|puede)\b|\bcuáles son l[ao]s\b|어떻게|방법|절차|단계|手順|やり方"
    r"|方法|どうやって|どうすれば|怎么|如何|步骤",
    re.IGNORECASE,
)
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
    kinds, things, wanted = asked_for(question), things_of(question), subject_terms(question)
    return [
        _ALONE * alone
        + _WITH_ABOUT * with_about
        + _ABOUT * about
        + _TELLS * kind
        + _CARRIES * carries(candidate.said, told_in(candidate.text, kinds), question)
        + _THINGS_BEYOND * _told_beyond(candidate, things)
        + _of_sayings(candidate, question, wanted)
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


def _of_sayings(candidate: Candidate, question: str, wanted: frozenset[str]) -> float:
    """For the exact signs of the question; against what holds no more and what only asks again."""
    codes = set(_CODE.findall(question)) - set(_CODE.findall(candidate.source.title))
    coded = len(codes & set(_CODE.findall(candidate.text))) / len(codes) if codes else 0.0
    superseded = is_superseded(candidate.text) and len(days_of(candidate.text)) < _WAS_AND_IS
    present = _PRESENT.search(question) is not None
    says_present = present and _PRESENT.search(candidate.text) is not None
    to_come = present and _is_to_come(candidate)
    lists = bool(candidate.listed) and _ASKS_STEPS.search(question) is not None
    says_why = answered_by(question) is Answered.CAUSE and gives_cause(candidate.text)
    return (
        _CODED * coded
        + _SUPERSEDED * superseded
        + _SAYS_PRESENT * says_present
        + _TO_COME * to_come
        + _SAYS_WHY * says_why
        + _LISTS * lists
        + _ECHO * _is_echo(candidate, question, wanted)
        + _OTHER_DAY * _is_of_another_day(candidate, question)
    )


def _is_of_another_day(candidate: Candidate, question: str) -> bool:
    """Whether the question names a day and the sentence other months only."""
    asked, told = months_of(question), months_of(candidate.text)
    return bool(days_of(question) and asked and told and not asked & told)


def _is_echo(candidate: Candidate, question: str, wanted: frozenset[str]) -> bool:
    """Whether it only says the question again, which answers none but "is it so?"."""
    telling = terms(candidate.text) - function_terms()
    again = len(telling & wanted) >= _ECHO_SHARE * max(1, len(telling))
    if not again or answered_by(question) is Answered.YES_NO:
        return False
    return not carries(candidate.text, asked_for(question), question)


def _is_to_come(candidate: Candidate) -> bool:
    """Whether the sentence names a year after that of its source."""
    published = candidate.source.published
    years = map(int, _YEAR.findall(candidate.text))
    return published is not None and any(year > published.time.year for year in years)


def _of_form(candidate: Candidate) -> float:
    text = candidate.text
    is_short = len(text.split()) < _SHORT_WORDS and not has_unspaced_script(text)
    is_snippet = candidate.source.method is Method.SNIPPET
    return _SHORT * is_short + _SNIPPET * is_snippet + _IS_CUT * candidate.is_cut


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
