"""Where two sources disagree on the matter of the question: a figure, a day, or yes and no.

It names both sides, and which is newer or more trusted; it does not decide who is right. Only what
both say of what was asked is compared: figures of two things are no disagreement.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations

from pellucid_gateway.conflicts import same_matter
from pellucid_gateway.conflicts.answer_values import (
    Answered,
    Stated,
    answered_by,
    stated_by,
)
from pellucid_gateway.conflicts.notes import Conflict, Preference, Side
from pellucid_gateway.conflicts.same_matter import AskedKind
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.question.asked_for import measures_of
from pellucid_gateway.question.key_facts import subject_terms
from pellucid_language import sentences
from pellucid_language.quantities import (
    Figure,
    amounts,
    spelled_figures,
)
from pellucid_language.same_amounts import are_near
from pellucid_language.terms import has_unspaced_script, terms
from pellucid_language.written_dates import days_of, undated
from pellucid_language.written_figures import written_figure

# Share of the question's telling words that a sentence must have to be about it.
_ABOUT = 0.5
# The same where an amount is asked for and the sentence has one only.
_ABOUT_PLAIN = 0.3
# Two sentences that share this much of the shorter one's words say something of the same.
_SAME_MATTER = 0.4
# The same where each has the one amount that was asked for.
_SAME_PLAIN = 0.25
_SAME_STATEMENT = 0.7
# Of pairs of characters many are endings.
_SAME_UNSPACED = 0.5
# A day more or less does not make a source newer.
_NEWER, _MORE_TRUSTED = timedelta(days=2), 0.1
_MOST_SENTENCES, _MOST_SOURCES = 6, 8


class _Reading:
    """What is read of each text, once for a turn: every sentence meets many others."""

    def __init__(self) -> None:
        self._amounts: dict[str, list[Figure]] = {}
        self._matter: dict[str, frozenset[str]] = {}
        self._times: dict[str, same_matter.Times] = {}

    def amounts(self, text: str) -> list[Figure]:
        """Amounts in digits and in words, without years and the numbers of dates."""
        if text not in self._amounts:
            plain = undated(text)
            every = (*amounts(plain), *spelled_figures(plain))
            self._amounts[text] = [figure for figure in every if not figure.is_year]
        return self._amounts[text]

    def matter(self, text: str) -> frozenset[str]:
        """Comparable words without numbers; what is counted is no matter in common."""
        if text not in self._matter:
            counted = {word[1:] for figure in amounts(text) for word in _units(figure)}
            self._matter[text] = frozenset(t for t in terms(text) if not t.isdigit()) - counted
        return self._matter[text]

    def times(self, text: str) -> same_matter.Times:
        """The years and months that it names."""
        if text not in self._times:
            self._times[text] = same_matter.times_of(text)
        return self._times[text]


@dataclass(frozen=True, slots=True)
class Question:
    """What was asked: its text, its telling words, what it asks for, and what is read for it."""

    text: str
    terms: frozenset[str]
    asked: AskedKind
    reading: _Reading


def find_conflicts(sources: Sequence[Source], question: str) -> tuple[Conflict, ...]:
    """Disagreements between the sources on what was asked, at most one for each pair."""
    wanted = subject_terms(same_matter.without_asking(question))
    asked = Question(question, wanted, same_matter.asked_kind(question), _Reading())
    told = {source.n: _about(source, asked) for source in sources[:_MOST_SOURCES] if source.facts}
    by_number = {source.n: source for source in sources}
    kind = answered_by(question)
    answers = {n: stated_by(by_number[n], question, kind) for n in told} if kind else {}
    # "Who leads it?" is answered by no figure.
    takes_values = kind is not Answered.NAME or asked.asked is not AskedKind.OTHER
    found = []
    for a, b in combinations(sorted(told), 2):
        # What one publisher says twice is about two things rather than a disagreement.
        if by_number[a].domain == by_number[b].domain:
            continue
        pair = (by_number[a], told[a], by_number[b], told[b])
        sides = next(_disagreements(*pair, asked), None) if takes_values else None
        sides = sides or _answer_differently(by_number[a], by_number[b], answers, question)
        if sides:
            found.append(_ordered(*sides))
    return tuple(found)


def _answer_differently(
    a: Source, b: Source, answers: Mapping[int, Stated | None], question: str
) -> tuple[Side, Side] | None:
    """What both give as the answer, where it differs and neither has the other's anywhere."""
    one, other = answers.get(a.n), answers.get(b.n)
    if one is None or other is None or one.key & other.key:
        return None
    if _is_told_by(one, b) or _is_told_by(other, a):
        return None
    times = [same_matter.times_of(text) for text in (one.sentence, other.sentence)]
    if not same_matter.are_of_one_time(*times):
        return None
    if not same_matter.are_of_one_thing(one.sentence, other.sentence, question):
        return None
    return Side(a, one.value, one.sentence), Side(b, other.value, other.sentence)


def _is_told_by(stated: Stated, source: Source) -> bool:
    """Whether a source has the other's answer somewhere, as what was before or what others say."""
    if stated.figure is None:
        return stated.key <= terms(source.facts)
    every = (*amounts(source.facts), *spelled_figures(source.facts))
    return _is_near_any(stated.figure, every)


def _about(source: Source, question: Question) -> list[str]:
    """Sentences of a source that speak of what was asked; its title lends them its words."""
    wanted = question.terms
    title = terms(source.title) & wanted
    return [
        sentence
        for sentence in sentences.split(source.facts)
        if terms(sentence) & wanted
        and _share((terms(sentence) | title) & wanted, wanted) >= _least(sentence, question)
    ][:_MOST_SENTENCES]


def _least(sentence: str, question: Question) -> float:
    """A sentence with one amount needs fewer words of a question that asks for an amount."""
    is_plain = question.asked is AskedKind.AMOUNT and len(question.reading.amounts(sentence)) == 1
    return _ABOUT_PLAIN if is_plain else _ABOUT


def _share(found: frozenset[str], wanted: frozenset[str]) -> float:
    return len(found) / len(wanted)


def _disagreements(
    a: Source, of_a: Sequence[str], b: Source, of_b: Sequence[str], question: Question
) -> Iterator[tuple[Side, Side]]:
    takes_days = question.asked is not AskedKind.AMOUNT
    for one in of_a:
        for other in of_b:
            if _likeness(one, other, question) < _least_likeness(one, other, question):
                continue
            values = (
                _different_amounts(one, other, (a, b), question)
                or (takes_days and _different_days(_days_told(a, one), _days_told(b, other)))
                or _different_months_or_years(one, other, question)
            )
            if values:
                yield Side(a, values[0], one), Side(b, values[1], other)


def _least_likeness(one: str, other: str, question: Question) -> float:
    return _SAME_PLAIN if _are_plain(one, other, question) else _SAME_MATTER


def _are_plain(one: str, other: str, question: Question) -> bool:
    """Whether an amount is asked for, and each of the two tells just one."""
    counts = [len(_asked_amounts(text, question)) for text in (one, other)]
    return question.asked is AskedKind.AMOUNT and counts == [1, 1]


def _asked_amounts(text: str, question: Question) -> list[Figure]:
    """The amounts of the measure that the question asks for; all where none is of it."""
    every = question.reading.amounts(text)
    wanted = measures_of(question.text)
    return [figure for figure in every if figure.measure in wanted] or every


def _likeness(one: str, other: str, question: Question) -> float:
    """Share of the shorter one's words that both have."""
    a, b = (question.reading.matter(text) for text in (one, other))
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def _different_amounts(
    one: str, other: str, sources: tuple[Source, Source], question: Question
) -> tuple[str, str] | None:
    """Two values of the same kind, neither of which the other source has in any form."""
    if not same_matter.are_of_one_time(*map(question.reading.times, (one, other))):
        return None
    if not same_matter.are_of_one_thing(one, other, question.text):
        return None
    mine, theirs = question.reading.amounts(one), question.reading.amounts(other)
    is_plain = _are_plain(one, other, question)
    a, b = (question.reading.amounts(source.facts) for source in sources)
    for figure in mine:
        for rival in theirs:
            if not _is_asked_for(figure, rival, question):
                continue
            if not _are_of_one_kind(figure, rival, is_plain=is_plain):
                continue
            if not _is_near_any(figure, b) and not _is_near_any(rival, a):
                return written_figure(one, figure), written_figure(other, rival)
    return None


def _is_asked_for(figure: Figure, rival: Figure, question: Question) -> bool:
    """Whether both are of the measure that the question asks for, where it tells one."""
    wanted = measures_of(question.text)
    return not wanted or all(not f.measure or f.measure in wanted for f in (figure, rival))


def _are_of_one_kind(figure: Figure, rival: Figure, *, is_plain: bool) -> bool:
    if figure.measure or rival.measure:
        return figure.measure == rival.measure
    return is_plain or bool(_units(figure) & _units(rival))


def _is_near_any(figure: Figure, others: Sequence[Figure]) -> bool:
    return any(
        are_near(figure, other) or same_matter.is_converted(figure, other) for other in others
    )


def _units(figure: Figure) -> frozenset[str]:
    """What is counted: the words and signs after a figure, not those before it."""
    return frozenset(word for word in figure.around if not word.startswith("<"))


def _days_told(source: Source, sentence: str) -> Mapping[tuple[int, int], str]:
    """The days in a sentence as written; that on which the source appeared is none of an event."""
    own = source.published.time if source.published else None
    issued = (own.month, own.day) if own else None
    return {day: written for day, written in days_of(sentence).items() if day != issued}


def _different_days(
    one: Mapping[tuple[int, int], str], other: Mapping[tuple[int, int], str]
) -> tuple[str, str] | None:
    """Each names one day, and they are not the same."""
    if len(one) != 1 or len(other) != 1 or one.keys() == other.keys():
        return None
    return next(iter(one.values())), next(iter(other.values()))


def _different_months_or_years(one: str, other: str, question: Question) -> tuple[str, str] | None:
    """Each tells the time that was asked for no better than by month or year, and not the same."""
    wanted = question.terms
    if question.asked is not AskedKind.TIME or any(days_of(text) for text in (one, other)):
        return None
    least = _SAME_UNSPACED if has_unspaced_script(question.text) else _SAME_STATEMENT
    if any(_share(terms(text) & wanted, wanted) < least for text in (one, other)):
        return None
    return same_matter.months_apart(one, other) or same_matter.years_apart(one, other)


def _ordered(one: Side, other: Side) -> Conflict:
    """The newer side first, else the more trusted one."""
    a, b = one.source.published, other.source.published
    if a and b and abs(a.time - b.time) >= _NEWER:
        newer, older = (one, other) if a.time > b.time else (other, one)
        return Conflict(newer, older, Preference.NEWER)
    trust = (_trust(one.source), _trust(other.source))
    if abs(trust[0] - trust[1]) >= _MORE_TRUSTED:
        better, worse = (one, other) if trust[0] > trust[1] else (other, one)
        return Conflict(better, worse, Preference.TRUSTED)
    return Conflict(one, other, Preference.NONE)


def _trust(source: Source) -> float:
    return source.breakdown.trust if source.breakdown else 0.0
