"""What each source gives as the answer of a question: a count, a year, a name, a cause, yes or no.

It reads one source at a time. Two sources disagree where both give one, of the same thing and time,
and neither has the other's anywhere; whether that is so is decided elsewhere. What a source gives
as past, planned or reported of others is no answer of its own.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib import resources

import yaml

from pellucid_gateway.conflicts.negation import is_negated
from pellucid_gateway.domain.findings import Source
from pellucid_gateway.question.asked_for import AskedFor, asked_for, names_of
from pellucid_gateway.question.asked_things import share_told, things_of
from pellucid_gateway.question.key_facts import subject_terms
from pellucid_language import sentences
from pellucid_language.calendar import printed_months
from pellucid_language.folding import fold, fold_expression
from pellucid_language.quantities import Figure, amounts, spelled_figures
from pellucid_language.terms import function_terms, has_unspaced_script, terms
from pellucid_language.written_figures import written_figure

# Share of the question's names that the source must have.
_NAMES = 0.5
# German capitalises all nouns, and what is counted is told by itself.
_NAMES_COUNTED = 0.3
# So many other words of the question make up for names that it leaves out.
_OTHER_WORDS = 2
# Share of the question's telling words that a sentence on it has; less where it has its things.
_TELLING = 0.4
_TELLING_WITH_THINGS = 0.3
_THINGS = 0.5
_COUNTED_WORDS = 3
_PREDICATE_WORDS = 2
_COUNTER = re.compile(r"(?:몇|何|几|幾)\s?(\w)")
_NAME = re.compile(
    r"(?:\b(?:Dr|Prof|Sir|Dame)\.? )?"
    r"\b(?!(?:The|A|An|In|On|At|By|Der|Die|Das|Ein|Eine|Einer|Im|Am|Beim|La|Le|Les|Un|Une|Una|El|Los|En"
    r"|For|From)\b)"
    r"[A-ZÀ-Þ][\w'’-]+(?: (?:(?:de|da|di|du|del|der|van|von|zu|of) )*[A-ZÀ-Þ][\w'’-]+)+"
)
_CLAUSE_END = re.compile(r"[.;,。、，]|\s(?:police|officials|said|sagte|selon|según)\b")


class Answered(StrEnum):
    """By what a question is answered."""

    COUNT = "count"
    NAME = "name"
    CAUSE = "cause"
    YES_NO = "yes_no"


@dataclass(frozen=True, slots=True)
class Stated:
    """What a sentence of a source gives as the answer.

    Attributes:
        value: As written.
        key: What is compared: words of a name or a cause, a value, "yes" or "no".
        figure: The count, where it is one.
    """

    value: str
    sentence: str
    key: frozenset[str]
    figure: Figure | None = None


def answered_by(question: str) -> Answered | None:
    """By what the question is answered, where it is told by one of these."""
    folded = fold(question)
    lexicon = _lexicon()
    if lexicon["why"].search(folded):
        return Answered.CAUSE
    if AskedFor.PERSON in asked_for(question) or lexicon["which_body"].search(folded):
        return Answered.NAME
    if lexicon["how_many"].search(folded):
        return Answered.COUNT
    return Answered.YES_NO if lexicon["whether"].search(folded) else None


def gives_cause(sentence: str) -> bool:
    """Whether a sentence says by its words why something is so."""
    return _lexicon()["gives_cause"].search(fold(sentence)) is not None


def stated_by(source: Source, question: str, answered: Answered) -> Stated | None:
    """The one answer that a source gives; None where it gives none or several."""
    have = terms(f"{source.title} {source.facts}")
    named = names_of(question)
    least = _NAMES_COUNTED if answered is Answered.COUNT else _NAMES
    spoken_of = len((subject_terms(question) - named) & have)
    if named and len(named & have) < least * len(named) and spoken_of < _OTHER_WORDS:
        return None
    give = _GIVERS[answered]
    found: dict[frozenset[str], Stated] = {}
    for sentence in sentences.split(source.facts):
        is_its_own = not _lexicon()["not_its_own"].search(fold(sentence))
        if is_its_own or (answered is Answered.YES_NO and is_negated(sentence)):
            for stated in give(sentence, question, source):
                found.setdefault(stated.key, stated)
    return next(iter(found.values())) if len(found) == 1 else None


def _counts(sentence: str, question: str, source: Source) -> Iterator[Stated]:
    """Counts of what the question counts: "23 people injured" of "how many were injured"."""
    del source
    counted = _counted_by(question)
    every = [f for f in (*amounts(sentence), *spelled_figures(sentence)) if not f.is_year]
    plain = [f for f in every if f.measure in {"", "count"}]
    for figure in plain:
        if _units(figure) & counted:
            key = frozenset(f"{value:g}" for value in figure.values)
            yield Stated(written_figure(sentence, figure), sentence, key, figure)


def _counted_by(question: str) -> frozenset[str]:
    """What is counted: the words after "how many", the verb that German puts last, a counter."""
    folded = fold(question)
    match = _lexicon()["how_many"].search(folded)
    after = re.findall(r"[^\W\d_]+", folded[match.end() :] if match else "")
    telling = terms(" ".join((*after[:_COUNTED_WORDS], *after[-1:]))) - function_terms()
    return telling | frozenset(_COUNTER.findall(question))


def _units(figure: Figure) -> frozenset[str]:
    return frozenset(word[1:] for word in figure.around if word.startswith(">"))


def _names(sentence: str, question: str, source: Source) -> Iterator[Stated]:
    """Names that the question does not have, in a sentence on what it asks."""
    if has_unspaced_script(sentence) or not _is_on(sentence, question, source):
        return
    known = terms(question) | terms(source.publisher)
    for match in _NAME.finditer(sentence):
        own = terms(match.group())
        if own and not own <= known and not own & _months():
            yield Stated(match.group(), sentence, own)


@cache
def _months() -> frozenset[str]:
    """A heading with a date looks like a name ("Leadership October")."""
    return terms(" ".join(printed_months()))


def _causes(sentence: str, question: str, source: Source) -> Iterator[Stated]:
    """What stands after "because of", in a sentence on what happened."""
    match = _lexicon()["because"].search(sentence)
    if match is None or not _is_on(sentence, question, source):
        return
    rest = sentence[match.end() :].strip()
    end = _CLAUSE_END.search(rest)
    cause = (rest[: end.start()] if end else rest).strip()
    own = terms(cause) - terms(question)
    if own:
        yield Stated(cause, sentence, own)


def _yes_or_no(sentence: str, question: str, source: Source) -> Iterator[Stated]:
    """Whether a sentence on what is asked affirms or denies it."""
    if _is_on(sentence, question, source) and _has_predicate(sentence, question):
        key = frozenset({"no"}) if is_negated(sentence) else frozenset({"yes"})
        yield Stated(sentence, sentence, key)


def _is_on(sentence: str, question: str, source: Source) -> bool:
    """Whether a sentence speaks of what is asked; its source lends it the names of the question."""
    things, wanted = things_of(question), subject_terms(question)
    lent = terms(f"{source.publisher} {source.title} {source.facts}") & names_of(question)
    wanted -= _body_words(question)
    have = terms(sentence)
    if not have & wanted:
        return False
    share = len((have | lent) & wanted) / len(wanted)
    told = bool(things) and share_told(things, sentence) >= _THINGS
    return share >= (_TELLING_WITH_THINGS if told else _TELLING)


def _has_predicate(sentence: str, question: str) -> bool:
    """Whether a sentence has one of the last telling words, by which yes or no is asked."""
    if has_unspaced_script(question):
        return True
    telling = [t for word in question.split() for t in terms(word) - function_terms()]
    asked = frozenset(telling[-_PREDICATE_WORDS:])
    of_things = share_told(things_of(question)[-_PREDICATE_WORDS:], sentence) > 0
    return bool(asked & terms(sentence)) or of_things


def _body_words(question: str) -> frozenset[str]:
    """The words of "which company", which no answer says again."""
    match = _lexicon()["which_body"].search(fold(question))
    return terms(match.group()) if match else frozenset()


_GIVERS: Mapping[Answered, Callable[[str, str, Source], Iterator[Stated]]] = {
    Answered.COUNT: _counts,
    Answered.NAME: _names,
    Answered.CAUSE: _causes,
    Answered.YES_NO: _yes_or_no,
}


@cache
def _lexicon() -> Mapping[str, re.Pattern[str]]:
    source = resources.files(__package__).joinpath("answer_values.yaml")
    lists: dict[str, Sequence[str]] = yaml.safe_load(source.read_text("utf-8"))
    # What is looked for in the text as written is not folded.
    return {
        name: re.compile("|".join(found) if name == "because" else fold_expression("|".join(found)))
        for name, found in lists.items()
    }
