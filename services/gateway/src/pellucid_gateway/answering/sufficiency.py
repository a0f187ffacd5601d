"""Whether quoted sentences state what was asked, or are only about the same subject.

"A car pays 4.50 crowns" is near the question what a motorcycle pays, and does not answer it. A
sentence states it when it has the kind of thing that was asked for (an amount of the right kind, a
day, a person) and speaks of what the question names beyond the subject of its page. Where neither
can be told from the question, nothing is said against the sentence.

What does not state it may still come near, and is quoted as such, where it is like the question or
speaks of what it asks about. A sentence that shares a word or two with the question does not.
"""

import re
from collections.abc import Sequence

from pellucid_gateway.answering.excerpt_worth import Likeness, told_in
from pellucid_gateway.answering.quotable import Candidate
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.question.asked_for import AskedFor, asked_for, carries, has_name, measures_of
from pellucid_gateway.question.asked_things import (
    Thing,
    beyond,
    named_words,
    share_told,
    things_of,
)
from pellucid_language.folding import fold
from pellucid_language.quantities import amounts
from pellucid_language.terms import has_unspaced_script

# Of this share of the things the sentence must speak: with up to three, of all that any list has.
_LEAST_TOLD = 0.7
# The same where no list has any of them, so that it is not known which are of importance.
_LEAST_TOLD_UNLISTED = 0.5
# Where the sentences tell it together, the best of them speaks of so much.
_LEAST_OF_BEST = 0.5
# What a thing counts of which the sentence does not speak but its page does.
_ELSEWHERE = 0.3
# The same where the page has the part number that the question gives.
_ELSEWHERE_OF_SIGN = 0.6
# An amount of a kind that was not asked for counts less than this.
_LEAST_CARRIED = 0.4
# A passage is near from this likeness on; from the lesser one if it speaks of so many of the
# things. Of 72 passages quoted for questions that a small web does not answer this left out half,
# mostly those that share nothing but a word with their question.
_NEAR, _NEAR_WITH_THINGS, _NEAR_THINGS = 0.48, 0.37, 0.5
# Signs that a question gives exactly, of letters and digits: 0x80070005, NC-HB400-R3.
_SIGN = re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])\w{4,}\b", re.ASCII)
_VERSION = re.compile(r"(?<![\d.,])\d+\.\d+(?:\.\d+)*(?![\d.,]|\s?%)")


def is_stated(chosen: Sequence[Candidate], question: str, language: str = "") -> bool:
    """Whether the sentences state what the question asks for.

    Args:
        chosen: Sentences that are to be quoted.
        question: The standalone question.
        language: ISO 639-1 of the question; empty where it is not known.
    """
    if _is_of_another(chosen, question, language):
        return False
    fit = [candidate for candidate in chosen if _may_state(candidate, question)]
    things = things_of(question)
    if not (things and fit):
        return bool(fit)
    asked = {c.source.n: _asked(c.source, things, question, language) for c in fit}
    together = " ".join(candidate.said for candidate in chosen)
    return any(
        _states(candidate, asked[candidate.source.n], together, question) for candidate in fit
    )


def near(
    chosen: Sequence[Candidate],
    found: Sequence[Candidate],
    question: str,
    likeness: Sequence[Likeness] | None,
) -> tuple[Candidate, ...]:
    """Those of the chosen sentences, none of which states it, that come near to the question.

    Args:
        chosen: Sentences that might be quoted.
        found: Candidates that were compared with the question.
        question: The standalone question.
        likeness: Of `found` to each part of the question; None without a scorer.
    """
    things = things_of(question)
    places = {id(candidate): i for i, candidate in enumerate(found)}

    def is_near(candidate: Candidate) -> bool:
        if candidate.source.user_supplied:
            return True
        share = share_told(things, f"{candidate.about} {candidate.text}") if things else 0.0
        place = places.get(id(candidate))
        if share > 0 and _bears_sign(candidate.source, question):
            return True
        if likeness is None or place is None:
            return not things or share > 0  # without a scorer nothing more can be told
        like = max(one.of(place) for one in likeness)
        return like >= (_NEAR_WITH_THINGS if share >= _NEAR_THINGS else _NEAR)

    return tuple(candidate for candidate in chosen if is_near(candidate))


def _bears_sign(source: Source, question: str) -> bool:
    """Whether a page has a sign that the question gives: it is the page of that very thing."""
    page = fold(f"{source.title} {_text(source)}")
    return any(fold(sign) in page for sign in _SIGN.findall(question))


def _is_of_another(chosen: Sequence[Candidate], question: str, language: str) -> bool:
    """Whether the question has a name or a sign that none of the quoted pages has.

    Names may be written in other letters on a page in another language.
    """
    if not chosen or any(_is_foreign(c.source, question, language) for c in chosen):
        return False
    pages = {c.source.n: f"{c.source.title} {c.source.url} {_text(c.source)}" for c in chosen}
    have = fold(" ".join(pages.values()))
    asked = named_words(question) | {fold(sign) for sign in _SIGN.findall(question)}
    if asked:
        return any(name not in have for name in asked)
    # Written without capitals a name is a word of no list: "who wrote hamlet".
    unlisted = [thing for thing in things_of(question) if not thing.senses]
    return bool(unlisted) and not any(thing.is_in(have) for thing in unlisted)


def _states(
    candidate: Candidate, asked: Sequence[Thing] | None, together: str, question: str
) -> bool:
    """Whether a sentence tells all that is asked of it, or most of it and the others the rest."""
    if asked is None:
        return False
    asked = tuple(thing for thing in asked if not _is_told_by_figure(thing, candidate, question))
    least = _LEAST_TOLD if any(thing.senses for thing in asked) else _LEAST_TOLD_UNLISTED
    told = share_told(asked, candidate.said)
    on_page = share_told(asked, _text(candidate.source))
    elsewhere = _ELSEWHERE_OF_SIGN if _bears_sign(candidate.source, question) else _ELSEWHERE
    if told and told + elsewhere * (on_page - told) >= least:
        return True
    return told >= _LEAST_OF_BEST and share_told(asked, together) >= _LEAST_TOLD


def _is_told_by_figure(thing: Thing, candidate: Candidate, question: str) -> bool:
    """Whether the amount itself says it: of 212 crowns nobody says that they are a price."""
    measures = measures_of(question)
    if measures == {"percent"}:
        return "share_price" in thing.senses
    return "price" in thing.senses and any(f.measure in measures for f in amounts(candidate.text))


def _asked(
    source: Source, things: Sequence[Thing], question: str, language: str
) -> Sequence[Thing] | None:
    """What a sentence of a source must speak of; None where that cannot be seen in it."""
    text = _text(source)
    asked = tuple(t for t in beyond(things, source.title) if not t.may_be_named_in(text))
    if not asked or not _is_foreign(source, question, language):
        return asked
    # Words of no list cannot be found in another language, whatever it says.
    listed = tuple(thing for thing in asked if thing.senses)
    return listed if any(thing.senses for thing in things) else None


def _text(source: Source) -> str:
    return source.text or source.facts


def _is_foreign(source: Source, question: str, language: str) -> bool:
    if has_unspaced_script(_text(source)) != has_unspaced_script(question):
        return True
    told, asked = source.language[:2], language[:2]
    return bool(told and asked and asked != "un") and told != asked


def _may_state(candidate: Candidate, question: str) -> bool:
    """Whether a sentence has the kind of thing, and its page the version, that is asked about."""
    page = f"{candidate.source.title} {_text(candidate.source)}"
    if any(version not in page for version in _VERSION.findall(question)):
        return False
    kinds = told_in(candidate.text, asked_for(question))
    return not kinds or any(_has(candidate.said, kind, question) for kind in kinds)


def _has(sentence: str, kind: AskedFor, question: str) -> bool:
    if kind is AskedFor.PERSON:
        return has_name(sentence, question)
    return carries(sentence, frozenset({kind}), question) >= _LEAST_CARRIED
