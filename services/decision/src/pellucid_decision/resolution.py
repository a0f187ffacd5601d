"""What a message means within its conversation: the topic so far and the question on its own.

The topic is followed turn by turn: a message with its own subject starts a new one, a message that
leans on the turns before (pronoun, ellipsis, opening like "and") keeps it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from pellucid_decision.conversation import HISTORY_TURNS, Role, Turn
from pellucid_decision.normal import HEAD_CHARACTERS, folded, one_line, window
from pellucid_decision.rulebook import LanguageRules
from pellucid_decision.terms import FIRM, Kind, Term, terms_of, unique

SHORT_MESSAGE_TERMS = 3
TOPIC_TERMS = 4
QUESTION_CHARACTERS = 2000
_WORD = re.compile(r"\w+(?:'\w+)?")
_POSSESSIVES = frozenset({"its", "his", "their", "theirs", "hers"})
_PERSONAL = frozenset({"he", "him", "his", "she", "her", "hers"})
_CONJUNCTION = re.compile(r"\A\W*(?:and|but|so|also|then|ok(?:ay)?)\b[\s,]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Topic:
    """What the turns so far are about.

    Attributes:
        main: Terms of the current topic, most telling first.
        older: Terms of earlier topics.
        said: Names from the assistant's last answer.
    """

    main: tuple[Term, ...] = ()
    older: tuple[Term, ...] = ()
    said: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Resolved:
    """A message with its context.

    Attributes:
        question: Standalone question; never empty for a non-empty message.
        leans: The message cannot be understood alone.
        own: Its own terms.
        topic: What the turns before are about.
    """

    question: str
    leans: bool
    own: tuple[Term, ...]
    topic: Topic


def resolve(message: str, history: Sequence[Turn], rules: LanguageRules) -> Resolved:
    """Resolve a message from at most the last five turns."""
    topic = topic_of(history[-HISTORY_TURNS:], rules)
    text = without_opening(message, rules)
    own = terms_of(window(text), rules)
    leaning = bool(topic.main or topic.said) and leans(text, own, rules)
    question = _standalone(text, topic, rules) if leaning else text
    return Resolved(one_line(question, QUESTION_CHARACTERS) or message, leaning, own, topic)


def on_topic(resolved: Resolved) -> Resolved:
    """Return a question that names nothing as one about the topic of the turns before."""
    named = resolved.topic.main or resolved.topic.said
    if resolved.leans or not named:
        return resolved
    question = one_line(f"{resolved.question} ({_phrase(named)})", QUESTION_CHARACTERS)
    return replace(resolved, leans=True, question=question)


def topic_of(history: Sequence[Turn], rules: LanguageRules) -> Topic:
    """Follow the topic through the turns."""
    topic = Topic()
    for turn in history:
        text = window(turn.content)
        if turn.role is Role.USER:
            topic = _after_question(topic, without_opening(text, rules), rules)
        elif turn.role is Role.ASSISTANT:
            said = terms_of(text[:HEAD_CHARACTERS], rules)
            named = [term for term in said if term.kind in FIRM]
            topic = Topic(topic.main, topic.older, tuple(named[:TOPIC_TERMS]))
    return topic


def _after_question(topic: Topic, text: str, rules: LanguageRules) -> Topic:
    own = terms_of(text, rules)
    if not own:
        return topic
    if topic.main and leans(text, own, rules):
        return Topic(topic.main, unique((*own, *topic.older)), topic.said)
    return Topic(_telling_first(own, rules), unique((*topic.main, *topic.older)), ())


def _telling_first(terms: Sequence[Term], rules: LanguageRules) -> tuple[Term, ...]:
    """Names, then other words, then those that fit any topic ("main", "effects")."""

    def rank(term: Term) -> int:
        if term.kind in FIRM and term.kind is not Kind.NUMBER:
            return 0
        return 2 if term.key in rules.words("generic") else 1

    return tuple(sorted(terms, key=rank))


def leans(text: str, own: Sequence[Term], rules: LanguageRules) -> bool:
    """True when a message cannot be understood without the turns before it."""
    words = {word.casefold() for word in _WORD.findall(folded(text))}
    named = any(term.kind in {Kind.ENTITY, Kind.QUOTED} for term in own)
    continuation = rules.phrase("continuation")
    opened = bool(continuation and continuation.search(text))
    pronoun = bool(words & rules.words("pronouns")) or _cjk_pronoun(text, rules)
    if pronoun:
        return not named or opened or len(own) <= SHORT_MESSAGE_TERMS + 1
    generic = all(term.key in rules.words("generic") for term in own)
    return (opened and len(own) <= SHORT_MESSAGE_TERMS) or len(own) <= 1 or generic


def without_opening(text: str, rules: LanguageRules) -> str:
    """Drop an interjection before the real question ("Great. What about …")."""
    opening = rules.phrase("small_opening")
    return (opening.sub("", text, count=1) if opening else text).strip() or text


def _standalone(text: str, topic: Topic, rules: LanguageRules) -> str:
    """Put the topic where the pronoun stands, else name it after the question."""
    for match in _WORD.finditer(text) if rules.code == "en" else ():
        word = match.group().casefold()
        if word in rules.words("pronouns") and word not in {"that", "this", "there", "here"}:
            phrase = _phrase(_meant(word, topic, rules))
            end = ("'" if phrase.endswith("s") else "'s") if word in _POSSESSIVES else ""
            replaced = f"{text[: match.start()]}{phrase}{end}{text[match.end() :]}"
            return _CONJUNCTION.sub("", replaced, count=1)
    return f"{text} ({_phrase(topic.main or topic.said)})"


def _meant(pronoun: str, topic: Topic, rules: LanguageRules) -> Sequence[Term]:
    """Return what a pronoun stands for: a person just named, else the topic without its roles."""
    known = {term.key for term in topic.main} | rules.words("roles")
    fresh = [term for term in topic.said if term.kind is Kind.ENTITY and term.key not in known]
    if pronoun in _PERSONAL and fresh:
        return fresh
    things = [term for term in topic.main if term.key not in rules.words("roles")]
    named = any(term.kind is Kind.ENTITY for term in things)
    return things if named else topic.main or topic.said


def _phrase(terms: Sequence[Term]) -> str:
    return " ".join(term.text.strip('"') for term in terms[:TOPIC_TERMS])


def _cjk_pronoun(text: str, rules: LanguageRules) -> bool:
    pattern = rules.phrase("pronoun_forms")
    return bool(pattern and pattern.search(text))
