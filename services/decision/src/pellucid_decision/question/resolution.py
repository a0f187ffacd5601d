"""What a message means within its conversation: the question on its own, and what a query lacks.

A message that leans on the turns before (pronoun, ellipsis, opening like "and") takes its subject
from the topic; a short one that names nothing may, so that the topic is another reading of it.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pellucid_decision.question.asked import Asked
from pellucid_decision.question.chunk import Chunk
from pellucid_decision.question.chunk import Role as Part
from pellucid_decision.question.places import place_in
from pellucid_decision.question.rarity import NAME_COUNT, WELL_COUNTED, commonness
from pellucid_decision.question.swapping import corrected, meant_in, swapped
from pellucid_decision.question.terms import Kind, Term, terms_of
from pellucid_decision.question.topic import (
    Told,
    Topic,
    parts_of,
    refers,
    seeks_person,
    switches,
    told_in,
    topic_of,
)
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_decision.text.conversation import Turn
from pellucid_decision.text.lexicon import DENSE_LANGUAGES
from pellucid_decision.text.normal import one_line, window
from pellucid_language.folding import straight

SHORT_MESSAGE_TERMS = 3
TOPIC_TERMS = 4
QUESTION_CHARACTERS = 2000
# A question with at most so many things of its own may be about the topic as well.
_FEW = 2
_WORD = re.compile(r"\w+(?:'\w+)?")
_POSSESSIVES = frozenset({"its", "his", "their", "theirs", "hers"})
_PERSONAL = frozenset(
    [
        "he",
        "him",
        "his",
        "she",
        "her",
        "hers",
        "er",
        "ihn",
        "ihm",
        "él",
        "ella",
        "lui",
        "il",
        "elle",
        "彼",
        "彼女",
        "他",
        "她",
        "그는",
        "그녀",
    ]
)
_CONJUNCTION = re.compile(r"\A\W*(?:and|but|so|also|then|ok(?:ay)?)\b[\s,]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A message with its context.

    Attributes:
        question: Standalone question; never empty for a non-empty message.
        leans: The message cannot be understood alone.
        own: Its own terms.
        topic: What the turns before are about.
        text: The message itself, without greeting.
        lead: What it leaves out and means, most telling first; empty when it stands alone.
        other: Another reading of what it may be about, for a further query.
        pages: Names of the pages in the message, by their addresses.
        place: Where the person is, for "near me"; empty when unknown.
        told: What it asks, cut into chunks; None while nobody needed it.
    """

    question: str
    leans: bool
    own: tuple[Term, ...]
    topic: Topic
    told: Told | None = None
    text: str = ""
    lead: tuple[Chunk, ...] = ()
    other: tuple[Chunk, ...] = ()
    pages: tuple[Chunk, ...] = ()
    place: str = ""


def resolve(message: str, history: Sequence[Turn], rules: LanguageRules) -> Resolved:
    """Resolve a message by the turns before it."""
    topic = topic_of(history, rules)
    meant = meant_in(straight(message), topic, rules)
    if meant:
        return _corrected(message, meant, topic, rules)
    plain = straight(message)
    text = without_interjection(message, rules)
    own = terms_of(window(text), rules)
    told = told_in(window(plain), rules) if topic else None
    chunks = told.chunks if told else ()
    switched = switches(message, rules)
    compares = bool(topic) and not switched and _has_one_side(text, chunks, rules)
    leaning = bool(topic) and not switched and (compares or leans(text, own, rules))
    lead = _lead(text, message, chunks, topic, rules) if leaning else ()
    if compares and (rules.code == "de" or not leans(text, own, rules)):
        lead = _named_in(topic.subject, rules)
    closed = switched or (not leaning and _closes(plain, rules))
    other = () if closed or not topic else _other(chunks, lead, topic, leaning=leaning, rules=rules)
    question = _standalone(text, lead, rules) if leaning and lead else text
    return Resolved(
        one_line(question, QUESTION_CHARACTERS) or message,
        leaning,
        own,
        topic,
        told,
        text=message,
        lead=lead,
        other=other,
        place=place_in(message, rules) or topic.place,
    )


def _corrected(message: str, meant: str, topic: Topic, rules: LanguageRules) -> Resolved:
    """Ask the question before again, with what was meant in the place of its like."""
    own, lead = corrected(meant, topic, rules)
    return Resolved(
        question=one_line(f"{meant} ({_phrase(lead)})", QUESTION_CHARACTERS),
        leans=True,
        own=terms_of(meant, rules),
        topic=replace(topic, thing=None),
        told=Told(Asked((meant,)), (own,)),
        text=message,
        lead=lead,
        place=topic.place,
    )


def on_topic(resolved: Resolved) -> Resolved:
    """Return a question that names nothing as one about the topic of the turns before."""
    lead = resolved.topic.subject or resolved.topic.said
    if resolved.leans or not lead:
        return resolved
    question = one_line(f"{resolved.question} ({_phrase(lead)})", QUESTION_CHARACTERS)
    return replace(resolved, leans=True, question=question, lead=lead, other=())


def told_by(resolved: Resolved, rules: LanguageRules) -> Told:
    """Return what the message asks, cut now if nobody needed it before."""
    return resolved.told or told_in(window(straight(resolved.text)), rules)


def of_last_question(resolved: Resolved) -> Resolved:
    """Return what asks about the answer before ("source?") as the question that was answered."""
    topic = resolved.topic
    asked = tuple(dict.fromkeys((*topic.first, *topic.subject, *topic.asked)))
    known = {word for chunk in asked for word in chunk.key.split()}
    person = [chunk for chunk in topic.people[:1] if not known & set(chunk.key.split())]
    if not asked:
        return resolved
    told = Told(Asked((_phrase(asked),)), (asked,))
    return replace(resolved, told=told, lead=tuple(person), other=())


def _lead(
    text: str, message: str, chunks: Sequence[Chunk], topic: Topic, rules: LanguageRules
) -> tuple[Chunk, ...]:
    """Return what a leaning message leaves out: a person just named, or the subject."""
    words = {word.casefold() for word in _WORD.findall(text)}
    personal = rules.phrase("personal")
    asks = bool(personal and topic.sought and personal.search(text))
    named = asks or words & _PERSONAL or _asks_on(message, chunks, topic, rules)
    if named and topic.people and (topic.sought or not _is_person(topic.subject)):
        dense = rules.code in DENSE_LANGUAGES and refers(text, rules)
        return (*topic.people[:1], *(topic.subject[:1] if dense else ()))
    if topic.thing and _means_thing(text, rules):
        return (topic.thing,)
    base = topic.subject or topic.people or topic.said
    own_subject, own_asked = parts_of(chunks, rules)
    swaps = _is_opened(message, rules) and bool(own_subject) and not own_asked
    if swaps and not refers(text, rules):
        return swapped(own_subject, text, topic, rules) or base
    comparison = rules.phrase("comparison")
    whole = comparison and comparison.search(text)
    narrow = chunks and (not own_subject or (refers(text, rules) and not whole))
    # Where somebody is, is not what they talk about.
    elsewhere = tuple(chunk for chunk in base if chunk.text != topic.place) or base
    return _named_in(elsewhere, rules) if narrow else base


# Languages whose verbs need no "he" or "she".
_VERBS_ALONE = frozenset({"es", "pt", "it"})


def _asks_on(message: str, chunks: Sequence[Chunk], topic: Topic, rules: LanguageRules) -> bool:
    """Whether a message asks something of the person just named ("¿y en qué equipo juega?")."""
    if rules.code not in _VERBS_ALONE or not topic.sought or not _is_opened(message, rules):
        return False
    names = any(chunk.kind in _NAMES for chunk in chunks)
    plain = any(chunk.kind is Kind.WORD and chunk.role is Part.CONTENT for chunk in chunks)
    return plain and not names and not seeks_person(message, chunks, rules)


def _means_thing(text: str, rules: LanguageRules) -> bool:
    """Whether a message speaks of "it": of what was named, not of the place or the question."""
    pattern = rules.phrase("thing_meant")
    return bool(pattern and pattern.search(text))


def _named_in(subject: Sequence[Chunk], rules: LanguageRules) -> tuple[Chunk, ...]:
    """Return the names of a subject, each with the words right beside it, else all of it.

    "And its price?" asks of the Renault 5, not of the range that was asked for before. A name of
    several words is one, in German too.
    """
    names = [chunk for chunk in subject if _is_name(chunk, rules)]
    whole = {chunk for chunk in names if " " in chunk.text}
    kept = (
        replace(chunk, kind=Kind.ENTITY) if chunk in whole else chunk
        for chunk in subject
        if chunk in names or any(_adjoins(chunk, name) for name in names)
    )
    return tuple(kept) if names else tuple(subject)


def _adjoins(chunk: Chunk, name: Chunk) -> bool:
    """Whether a chunk stands right before or behind a name, with a blank between them."""
    behind = chunk.start - name.start - len(name.text)
    before = name.start - chunk.start - len(chunk.text)
    return 1 in {behind, before}


_NAMES = frozenset({Kind.ENTITY, Kind.IDENTIFIER, Kind.QUOTED})


def _is_person(chunks: Sequence[Chunk]) -> bool:
    """Whether a subject looks like a full name."""
    return any(chunk.kind is Kind.ENTITY and len(chunk.text.split()) == 2 for chunk in chunks)  # noqa: PLR2004 - first and last name


def _is_opened(text: str, rules: LanguageRules) -> bool:
    continuation = rules.phrase("continuation")
    return bool(continuation and continuation.search(text))


def _has_one_side(text: str, chunks: Sequence[Chunk], rules: LanguageRules) -> bool:
    """Whether a message compares with one thing that it names: the other is the topic."""
    pattern = rules.phrase("one_sided")
    match = pattern.search(text) if pattern else None
    names = [chunk for chunk in chunks if _is_name(chunk, rules)]
    whole = [chunk for chunk in names if chunk.kind in _NAMES or " " in chunk.text] or names
    near = pairwise(whole)
    apart = sum(two.start - one.start - len(one.text) > 1 for one, two in near)
    return bool(match and whole) and (
        not apart if rules.code in DENSE_LANGUAGES else len(whole) == 1
    )


def _is_name(chunk: Chunk, rules: LanguageRules) -> bool:
    """Whether a chunk is a name; in German, where every noun has a capital, a rare one.

    Without a capital it is one where a dictionary that counts well does not know it ("mounjaro").
    """
    if chunk.kind in _NAMES:
        return True
    if rules.code != "de":
        return rules.code in WELL_COUNTED and not commonness(chunk.key, rules.code)
    rare = " " in chunk.text or commonness(chunk.text, "de") <= NAME_COUNT
    return chunk.text[:1].isupper() and rare


def _closes(text: str, rules: LanguageRules) -> bool:
    """Whether a message begins with thanks: what comes then is more often something else."""
    pattern = rules.phrase("closing")
    return bool(pattern and pattern.match(text.strip()))


def _other(
    chunks: Sequence[Chunk],
    lead: Sequence[Chunk],
    topic: Topic,
    *,
    leaning: bool,
    rules: LanguageRules,
) -> tuple[Chunk, ...]:
    """Return another reading of what a message may be about."""
    subject, _ = parts_of(chunks, rules)
    known = {chunk.key for chunk in (*lead, *chunks)}
    if leaning:
        return tuple(c for c in (*topic.first, *topic.beside) if c.key not in known)
    wanted = {chunk.key for chunk in chunks} & (rules.words("attributes") | rules.words("roles"))
    named = any(chunk.kind in _NAMES for chunk in subject)
    if (named and wanted) or len(subject) > _FEW:
        return ()
    return tuple(c for c in (*topic.subject, *topic.first) if c.key not in known)


def leans(text: str, own: Sequence[Term], rules: LanguageRules) -> bool:
    """True when a message cannot be understood without the turns before it."""
    words = {word.casefold().removesuffix("'s") for word in _WORD.findall(straight(text))}
    named = any(term.kind in {Kind.ENTITY, Kind.QUOTED} for term in own)
    continuation = rules.phrase("continuation")
    opened = bool(continuation and continuation.search(text))
    pronoun = bool(words & rules.words("pronouns")) or _cjk_pronoun(text, rules)
    if pronoun:
        return not named or opened or len(own) <= SHORT_MESSAGE_TERMS + 1
    generic = all(term.key in rules.words("generic") | rules.words("vague") for term in own)
    return (opened and len(own) <= SHORT_MESSAGE_TERMS) or len(own) <= 1 or generic


def without_interjection(text: str, rules: LanguageRules) -> str:
    """Drop an interjection before the real question ("Great. What about …")."""
    opening = rules.phrase("small_opening")
    return (opening.sub("", text, count=1) if opening else text).strip() or text


def _standalone(text: str, lead: Sequence[Chunk], rules: LanguageRules) -> str:
    """Put the topic where the pronoun stands, else name it after the question."""
    phrase = _phrase(lead)
    for match in _WORD.finditer(text) if rules.code == "en" else ():
        word = match.group().casefold()
        if word in rules.words("pronouns") and word not in _POINTING:
            end = ("'" if phrase.endswith("s") else "'s") if word in _POSSESSIVES else ""
            replaced = f"{text[: match.start()]}{phrase}{end}{text[match.end() :]}"
            return _CONJUNCTION.sub("", replaced, count=1)
    return f"{text} ({phrase})"


_POINTING = frozenset({"that", "this", "there", "here", "such", "both", "one", "ones"})


def _phrase(chunks: Sequence[Chunk]) -> str:
    return " ".join(chunk.text.strip('"') for chunk in chunks[:TOPIC_TERMS])


def _cjk_pronoun(text: str, rules: LanguageRules) -> bool:
    pattern = rules.phrase("pronoun_forms")
    return bool(pattern and pattern.search(text))
