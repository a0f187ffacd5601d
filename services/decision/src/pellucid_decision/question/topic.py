"""What a conversation is about, followed turn by turn, as chunks of the person's own words.

The subject is kept from the question that set it until one with a subject of its own comes; what
was asked of it is kept apart, so that "and its price?" takes the subject and "and in Canada?" both.
Whether a message needs the topic at all is decided by the resolution.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from pellucid_decision.question.asked import Asked, questions_of
from pellucid_decision.question.chunk import Chunk
from pellucid_decision.question.chunk import Role as Part
from pellucid_decision.question.chunks import chunks_of
from pellucid_decision.question.places import place_in, place_told
from pellucid_decision.question.private import without_private
from pellucid_decision.question.shared import shared_name
from pellucid_decision.question.terms import FIRM, Kind
from pellucid_decision.question.things import thing_named
from pellucid_decision.rules.rulebook import LanguageRules
from pellucid_decision.text.conversation import Role, Turn
from pellucid_decision.text.normal import HEAD_CHARACTERS, window
from pellucid_language.folding import straight

MAX_SUBJECT = 5
MAX_ASKED = 3
MAX_SAID = 4
_FULL_NAME = re.compile(
    r"(?<![\w.])[A-ZÀ-Þ][a-zà-ÿ'’-]+"
    r"(?:[- ](?:(?:de|da|di|du|del|dos|das|van|von|der|den|al|bin|la|le)\s)?[A-ZÀ-Þ][\w'’-]+){1,3}"
)


@dataclass(frozen=True, slots=True)
class Topic:
    """What the turns so far are about.

    Attributes:
        subject: What is talked about, most telling first.
        asked: What the last question wanted to know of it.
        first: Subject of the person's first question, where another came later.
        beside: Further things named by questions that kept the subject.
        people: Full names in the assistant's last answer.
        said: Other names in it.
        last: The last question's chunks in its order.
        sought: The last question asked for a person, so that "she" is who the answer names.
        place: Where the person said they are; empty when they did not.
        just_told: The last turn said so, and asked nothing.
        question: The last question that set the subject, as it was written.
        thing: What the answer to it names, where it asked which thing.
    """

    subject: tuple[Chunk, ...] = ()
    asked: tuple[Chunk, ...] = ()
    first: tuple[Chunk, ...] = ()
    beside: tuple[Chunk, ...] = ()
    people: tuple[Chunk, ...] = ()
    said: tuple[Chunk, ...] = ()
    last: tuple[Chunk, ...] = ()
    sought: bool = False
    place: str = ""
    just_told: bool = False
    question: str = ""
    thing: Chunk | None = None

    def __bool__(self) -> bool:
        """Whether anything is known."""
        return bool(self.subject or self.said or self.people)


def topic_of(history: Sequence[Turn], rules: LanguageRules) -> Topic:
    """Follow the topic through the turns, oldest first."""
    topic, asked, remarked = Topic(), "", False
    for turn in history:
        text = straight(window(turn.content))
        if turn.role is Role.USER:
            remarked = bool(topic.subject) and _is_remark(text, rules)
        if remarked:
            continue
        if turn.role is Role.USER:
            topic, asked = _after_question(topic, text, rules), text
            told = place_told(text, rules)
            just = bool(told) and not re.search(r"[?？]", text)
            topic = replace(topic, place=told or topic.place, just_told=just)
        elif turn.role is Role.ASSISTANT:
            topic = _after_answer(topic, text[:HEAD_CHARACTERS], rules)
            topic = _wholly_named(topic, shared_name(asked, text, rules))
    return topic


def _wholly_named(topic: Topic, name: str) -> Topic:
    """Put a whole name in place of the pieces of it in the subject."""
    low = name.casefold()
    pieces = [chunk for chunk in topic.subject if name and chunk.key in low]
    if not pieces or (len(pieces) == 1 and len(pieces[0].text) >= len(name)):
        return topic
    whole = Chunk(name, Kind.ENTITY, start=pieces[0].start)
    place = topic.subject.index(pieces[0])
    rest = [chunk for chunk in topic.subject if chunk not in pieces]
    last = tuple(chunk for chunk in topic.last if chunk not in pieces)
    last = (whole, *last) if len(last) < len(topic.last) else topic.last
    return replace(topic, subject=(*rest[:place], whole, *rest[place:]), last=last)


@dataclass(frozen=True, slots=True)
class Told:
    """What a message asks, cut once for all who read it.

    Attributes:
        asked: Its questions, without personal data.
        parts: Chunks of each.
    """

    asked: Asked
    parts: tuple[tuple[Chunk, ...], ...]

    @property
    def chunks(self) -> tuple[Chunk, ...]:
        """Chunks of all questions together, without the small words between them."""
        found = (chunk for part in self.parts for chunk in part)
        return tuple({chunk.key: replace(chunk, link="", flips=False) for chunk in found}.values())


def told_in(text: str, rules: LanguageRules) -> Told:
    """Read what a folded message asks."""
    asked = questions_of(without_private(text, rules), rules)
    cut = (chunks_of(one, rules, compares=asked.compares) for one in asked.questions)
    return Told(asked, tuple(cut))


def parts_of(
    chunks: Iterable[Chunk], rules: LanguageRules
) -> tuple[tuple[Chunk, ...], tuple[Chunk, ...]]:
    """Tell what a question is about from what it wants to know."""
    plain = rules.words("attributes") | rules.words("generic") | rules.words("roles")
    plain |= rules.words("question_words")
    subject: list[Chunk] = []
    asked: list[Chunk] = []
    chunks = tuple(chunks)
    for chunk in chunks:
        if chunk.role in {Part.ASKS, Part.TIME} or chunk.key in rules.words("meaning_verbs"):
            continue
        if chunk is not chunks[0] and chunk.key in rules.words("particles"):
            continue
        firm = chunk.kind in FIRM and chunk.key not in rules.words("roles")
        asks = chunk.key in plain or chunk.role is Part.WEAK or chunk.key.rstrip("s") in plain
        (asked if asks and not firm else subject).append(chunk)
    return tuple(subject), tuple(asked)


def switches(text: str, rules: LanguageRules) -> bool:
    """Whether a message says that it is about something else."""
    pattern = rules.phrase("switch")
    begins = (0, *(match.end() for match in _SENTENCE_END.finditer(text[:SWITCH_CHARACTERS])))
    return bool(pattern and any(pattern.match(text[place:].strip()) for place in begins))


# Thanks for the answer before are this long at most.
SWITCH_CHARACTERS = 60
_SENTENCE_END = re.compile(r"[.!?。！？](?=\s|[^\x00-\x7f])")


def refers(text: str, rules: LanguageRules) -> bool:
    """Whether a message has a word that stands for something said before."""
    words = set(re.findall(r"[\w-]+", text.casefold()))
    pattern = rules.phrase("pronoun_forms")
    return bool(words & rules.words("pronouns_subject")) or bool(pattern and pattern.search(text))


def _after_question(topic: Topic, text: str, rules: LanguageRules) -> Topic:
    place = place_in(text, rules) or topic.place
    if _only_place(text, rules) and place != topic.place:
        return replace(topic, place=place)
    chunks = told_in(text, rules).chunks
    subject, asked = parts_of(chunks, rules)
    if _ends_with_verb(subject, text, rules):
        subject, asked = subject[:-1], (*asked, subject[-1])
    if not subject and not asked:
        return replace(topic, place=place)
    if topic.subject and not switches(text, rules) and keeps_topic(text, subject, rules):
        seeks = seeks_person(text, chunks, rules)
        # "Who directed it" names a deed, no further thing.
        named = tuple(chunk for chunk in subject if not seeks or chunk.kind in _NAMES)
        beside = (*named, *(one for one in topic.beside if one not in named))[:MAX_SUBJECT]
        return replace(
            topic,
            asked=asked[:MAX_ASKED],
            beside=beside,
            people=() if seeks else topic.people,
            sought=seeks or (topic.sought and refers(text, rules)),
            place=place,
        )
    if not subject:
        subject, asked = asked, ()
    telling = sorted(subject, key=_telling)[:MAX_SUBJECT]
    ordered = tuple(chunk for chunk in subject if chunk in telling)
    first = topic.first or topic.subject
    told = tuple(
        chunk
        for chunk in chunks
        if (chunk.role is not Part.ASKS or " " in chunk.text)  # "how heavy", not "who"
        and chunk.key not in rules.words("meaning_verbs")
    )
    return Topic(
        ordered,
        asked[:MAX_ASKED],
        first,
        last=told,
        sought=seeks_person(text, chunks, rules),
        place=place,
        question=text,
    )


# Characters of a remark at most.
REMARK_CHARACTERS = 60


def _is_remark(text: str, rules: LanguageRules) -> bool:
    """Whether a message only says something to the answer before it ("ah, the Martian guy")."""
    pattern = rules.phrase("remark")
    asks = re.search(r"[?？]", text) or len(text) > REMARK_CHARACTERS or switches(text, rules)
    if asks or not (pattern and pattern.search(text)):
        return False
    asking = rules.words("attributes") | rules.words("roles")
    chunks = told_in(text, rules).chunks
    return not any(chunk.role is Part.ASKS or chunk.key in asking for chunk in chunks)


def _ends_with_verb(subject: Sequence[Chunk], text: str, rules: LanguageRules) -> bool:
    """Whether what stands last is what something did: "did Severance air", "ist … gewählt"."""
    if len(subject) < 2 or not has_verb_last(text, rules):  # noqa: PLR2004 - a name and a verb
        return False
    *before, last = subject
    plain = last.kind is Kind.WORD and last.text.islower() and " " not in last.text
    return plain and any(chunk.text[:1].isupper() for chunk in before)


def has_verb_last(text: str, rules: LanguageRules) -> bool:
    """Whether a question begins with an auxiliary, so that its verb stands behind the name."""
    verbs = _VERB_LAST.get(rules.code)
    return bool(verbs and verbs.search(text))


_VERB_LAST = {
    "en": re.compile(r"\b(?:did|does|do|will|has|have|had)\b", re.IGNORECASE),
    "de": re.compile(r"\b(?:ist|sind|hat|haben|wird|werden|wurde|wurden)\b", re.IGNORECASE),
}


def seeks_person(text: str, chunks: Sequence[Chunk], rules: LanguageRules) -> bool:
    """Whether a question asks for a person ("who directed", "the CEO of")."""
    asks = any(chunk.role is Part.ASKS and chunk.key in _WHO for chunk in chunks)
    return (
        asks
        or any(chunk.key in rules.words("roles") for chunk in chunks)
        or bool(_WHO_DENSE.search(text))
    )


_WHO = frozenset({"who", "wer", "quién", "quien", "qui"})
_WHO_DENSE = re.compile(r"누구|누가|誰|谁")


def _telling(chunk: Chunk) -> int:
    return 0 if chunk.kind in _NAMES else 2 if chunk.kind is Kind.NUMBER else 1


_NAMES = frozenset({Kind.ENTITY, Kind.IDENTIFIER, Kind.QUOTED})


def keeps_topic(text: str, subject: Sequence[Chunk], rules: LanguageRules) -> bool:
    """Whether a message goes on about the subject before it."""
    continuation = rules.phrase("continuation")
    opened = bool(continuation and continuation.search(text))
    named = any(chunk.kind in _NAMES for chunk in subject)
    if refers(text, rules):
        return not named or opened or len(subject) <= MAX_ASKED
    if opened:
        return len(subject) <= MAX_ASKED
    return not named and len(subject) <= 1


def _after_answer(topic: Topic, text: str, rules: LanguageRules) -> Topic:
    known = {word for chunk in topic.subject for word in chunk.key.split()}
    found = chunks_of(text, rules)
    named = [chunk for chunk in found if chunk.kind in _NAMES]
    full = (_full_name(match.group(), rules) for match in _FULL_NAME.finditer(text))
    new = (_without_known(name, known) for name in full if name)
    people = [Chunk(name, Kind.ENTITY) for name in new if name]
    people += _people_said(text, rules) if topic.sought else []
    names = {chunk.key for chunk in people}
    other = [chunk for chunk in named if chunk.key not in names]
    thing = thing_named(topic.question, text, rules) if not topic.thing else topic.thing
    return replace(
        topic,
        people=tuple(people[:MAX_SAID]) or topic.people,
        said=tuple(other[:MAX_SAID]),
        thing=thing,
    )


def _without_known(name: str, known: Collection[str]) -> str:
    """A name without known words before it: in "in Babylon Berlin von Liv Fries" stand two."""
    linked = _LINKED.match(name)
    if linked and set(linked.group(1).casefold().split()) <= set(known):
        name = linked.group(2)
    return "" if set(known) & set(name.casefold().split()) else name


_LINKED = re.compile(r"(.+?) (?:von|de|par|por|by|da) ([A-ZÀ-Þ]\S+ .+)\Z")


def _full_name(written: str, rules: LanguageRules) -> str:
    """Return a name without the small word that opens its sentence; "" where too little is left."""
    first, _, rest = written.partition(" ")
    if first.casefold() not in rules.words("stopwords"):
        return written
    return rest if " " in rest else ""


def _people_said(text: str, rules: LanguageRules) -> list[Chunk]:
    """Return who an answer names where capitals do not show it ("CEO是黄仁勋")."""
    pattern = rules.phrase("person_said")
    match = pattern.search(text) if pattern else None
    return [Chunk(match.group(1), Kind.ENTITY)] if match else []


def _only_place(text: str, rules: LanguageRules) -> bool:
    return bool(place_in(text, rules)) and "?" not in text
