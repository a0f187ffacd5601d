"""The search queries for a question, from rules alone: 1 to 3 of 2 to 6 words.

Chunks of the person's own words in their order; what they left out comes from the conversation, a
year only from the clock. One query for each thing asked; a further one only for what the first had
no room for. Whether to search at all is not decided here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, repeat

from pellucid_decision.decision import Facets, Freshness, Query
from pellucid_decision.queries.dressing import (
    aliased,
    clock_year,
    flipped,
    roles_told,
    timed,
    told_apart,
    vague,
    without_compare,
    without_site,
)
from pellucid_decision.queries.fitting import (
    NOWHERE,
    as_chunks,
    beyond,
    distinct,
    fallbacks,
    finished,
    fitted,
    leftovers,
    padding,
    room_for,
)
from pellucid_decision.queries.limits import MAX_WORDS, SHORT
from pellucid_decision.queries.story import points_back, says, subject_of
from pellucid_decision.queries.taking import Story
from pellucid_decision.question.chunk import Chunk, Role
from pellucid_decision.question.chunks import chunks_of
from pellucid_decision.question.resolution import Resolved, told_by
from pellucid_decision.question.terms import FIRM, Kind, terms_of
from pellucid_decision.rules.rulebook import LanguageRules, Rulebook
from pellucid_decision.rules.signals import Reading
from pellucid_decision.text.conversation import Ask
from pellucid_decision.text.lexicon import DENSE_LANGUAGES, meanings_of
from pellucid_language.folding import straight

CONTEXT_WORDS = 3


@dataclass(frozen=True, slots=True)
class Plan:
    """Queries of a decision.

    Attributes:
        queries: Best first.
        fallbacks: Broader ones.
        asked: What each question asks for, in the person's words ("population Iceland").
    """

    queries: tuple[Query, ...]
    fallbacks: tuple[str, ...]
    asked: tuple[str, ...] = ()


def plan_queries(
    resolved: Resolved,
    *,
    ask: Ask,
    reading: Reading,
    facets: Facets,
    rules: LanguageRules,
    rulebook: Rulebook,
) -> Plan:
    """Write the queries of a question.

    Args:
        resolved: The question with its context.
        ask: The request, for clock, subject and limits.
        reading: Signals of the standalone question.
        facets: Window, site and intent.
        rules: Rules of the person's language.
        rulebook: For aliases.
    """
    writer = _Writer(resolved, ask, reading, facets, rules, rulebook)
    lines = writer.lines()
    asked = chain(writer.questions, repeat(""))
    texts = distinct(map(finished, lines, repeat(rules), asked))[: writer.most]
    if not texts:
        texts = (finished(as_chunks(terms_of(resolved.question, rules)), rules) or padding(rules),)
    queries = tuple(
        Query(
            text,
            facets.freshness if number == 0 or facets.real_time else Freshness.NONE,
            facets.site,
        )
        for number, text in enumerate(texts)
    )
    return Plan(queries, fallbacks(texts[0], lines, reading, rules), writer.asked_for())


class _Writer:
    """Writes the lines of one request.

    Args:
        resolved: The question with its context.
        ask: The request.
        reading: Signals.
        facets: Window, site and intent.
        rules: Rules of the language.
        rulebook: For aliases.
    """

    def __init__(  # noqa: PLR0917 - what a request is made of
        self,
        resolved: Resolved,
        ask: Ask,
        reading: Reading,
        facets: Facets,
        rules: LanguageRules,
        rulebook: Rulebook,
    ) -> None:
        self._resolved, self._ask, self._reading = resolved, ask, reading
        self._facets, self._rules, self._rulebook = facets, rules, rulebook
        told = told_by(resolved, rules)
        self._asked = told.asked
        cut = zip(self._asked.questions, told.parts, strict=True)
        self._own = [self._placed(question, chunks) for question, chunks in cut]

    @property
    def most(self) -> int:
        """Most queries: one for each thing asked, within what the caller allows."""
        several = min(len(self._own), self._ask.max_parts)
        return max(self._ask.max_queries, several)

    @property
    def questions(self) -> Sequence[str]:
        """What is asked: one text for each of the first lines."""
        return self._asked.questions

    def lines(self) -> list[tuple[Chunk, ...]]:
        """Return the queries as chunks, best first."""
        subject = _subject_chunks(self._ask, self._rules)
        lines: list[tuple[Chunk, ...]] = []
        left: list[Chunk] = []
        for number, own in enumerate(self._own):
            base = self._complete(own, number)
            line = self._dressed(base, subject, self._asked.questions[number])
            kept, over = fitted(line, self._rules, self._aside(number))
            lines.append(kept)
            left += over
        if len(self._own) == 1:
            lines += self._further(lines[0], left, subject)
        elif left:
            lines += leftovers(lines, left, self._rules)
        return lines

    def _aside(self, number: int) -> int:
        """Return where a question begins to tell of the person, behind what it asks."""
        aside = self._rules.phrase("aside")
        match = aside.search(self._asked.questions[number]) if aside else None
        return match.start() if match else NOWHERE

    def asked_for(self) -> tuple[str, ...]:
        """Return what each question asks for, in the person's words."""
        found = (
            " ".join(chunk.text for chunk in own if chunk.role is not Role.TIME)
            for own in self._own
        )
        return tuple(filter(None, found))

    def _placed(self, question: str, chunks: tuple[Chunk, ...]) -> tuple[Chunk, ...]:
        """Put the place that the person named where a question says "near me"."""
        nearby = self._rules.phrase("nearby")
        match = nearby.search(question) if nearby else None
        place = self._resolved.place
        if match is None or not question.replace(match.group(), "").strip():
            return chunks
        if match.start() and match.group()[0].isupper():  # a name ("Here")
            return chunks
        bare = nearby.sub(" ", question) if nearby else question
        chunks = chunks_of(bare, self._rules, compares=self._asked.compares)
        if place:
            return (*chunks, Chunk(place, Kind.ENTITY, start=len(question)))
        here = self._rules.mappings.get("asked_as", {}).get("nearby", "")
        return (*chunks, Chunk(here, role=Role.TIME, start=len(question))) if here else chunks

    def _complete(self, own: Sequence[Chunk], number: int) -> tuple[Chunk, ...]:
        """Give a question what it lives off: the topic, or the first question of the message."""
        around = self._around(own)
        alone = bool(around) and not self._resolved.leans
        lead = () if alone else self._carried(own, number) if number else self._lead
        line = (*own, *lead, *around) if _names_first(lead, own) else (*lead, *own, *around)
        here = self._rules.mappings.get("asked_as", {}).get("nearby", "")
        if any(chunk.kind in _NAMES for chunk in line):
            return tuple(
                chunk for chunk in line if chunk.text != here or chunk.role is not Role.TIME
            )
        return line

    @cached_property
    def _lead(self) -> tuple[Chunk, ...]:
        """What the first question takes from the turns before, an address, or its own story."""
        resolved, own = self._resolved, self._own[0]
        nearby = self._rules.phrase("nearby")
        around = nearby is not None and nearby.search(self._asked.questions[0])
        if resolved.leans and resolved.place and around:  # where the person is says enough
            return ()
        if resolved.leans:
            return tuple(room_for(beyond(resolved.lead, own), own))
        if resolved.pages:
            return beyond(resolved.pages, own)
        if len(self._own) > 1 and resolved.other:
            names = [chunk for chunk in resolved.other if chunk.kind in _NAMES]
            return tuple(room_for(beyond(names or resolved.other, own), own))
        return beyond(self._from_story(own), own)

    def _around(self, own: Sequence[Chunk]) -> tuple[Chunk, ...]:
        """Return the place told in the turns before, for what somebody looks for around there."""
        place = self._resolved.topic.place
        named = any(chunk.kind in _NAMES or place in chunk.text for chunk in own)
        text = self._resolved.text
        if not place or named or self._resolved.place != place:
            return ()
        lead = self._resolved.lead if self._resolved.leans else ()
        if any(chunk.kind in _NAMES and place not in chunk.text for chunk in lead):
            return ()
        if not any(says(chunk, self._rules) for chunk in own):
            return ()
        means = meanings_of(text.casefold().replace("anywhere", "where"), self._rules.code)
        local = means & _LOCAL or (self._resolved.topic.just_told and not means & _ANYWHERE)
        return (Chunk(place, Kind.ENTITY),) if local else ()

    def _from_story(self, own: Sequence[Chunk]) -> tuple[Chunk, ...]:
        """Return what the first question takes from what the person told before it."""
        return Story(self._asked, self._resolved.place, self._rules).for_question(own)

    def _carried(self, own: Sequence[Chunk], number: int) -> tuple[Chunk, ...]:
        """Return the subject of the first question for a later one that has none."""
        question = self._asked.questions[number]
        named = any(chunk.kind in _NAMES for chunk in own)
        content = [chunk for chunk in own if chunk.role is Role.CONTENT]
        placed = self._only_places(own)
        refers = placed or points_back(question, self._rules)
        means = self._rules.phrase("means")
        if not refers and (named or (means and means.search(question))):
            return ()
        if not refers and len(content) >= SHORT:
            dense = self._rules.code in DENSE_LANGUAGES
            names = [chunk for chunk in self._lead if dense or chunk.kind in _NAMES]
            return tuple(room_for(beyond(names, own), own)[:1]) if names else ()
        lead = self._lead
        if lead and not refers and any(says(chunk, self._rules) for chunk in own):
            return tuple(room_for(beyond(lead, own), own))
        first = [c for c in self._complete(self._own[0], 0) if c.role is not Role.TIME]
        if placed or not content:
            most = SHORT if placed else MAX_WORDS - 2
            return beyond([c for c in first if c.role is Role.CONTENT][:most], own)
        of_person = any(chunk.key in self._rules.words("roles") for chunk in first)
        if of_person and points_back(question, self._rules):
            return beyond([c for c in first if c.role is Role.CONTENT][:SHORT], own)
        last = self._own[number - 1]
        place = number - 1 if refers and any(chunk.kind in _NAMES for chunk in last) else 0
        asked = self._asked.questions[place]
        about = dict.fromkeys((*lead, *subject_of(self._own[place], asked, self._rules)))
        return tuple(room_for(beyond(tuple(about), own), own))

    def _only_places(self, own: Sequence[Chunk]) -> bool:
        """Whether a question names only where: its subject was named before ("and when in Madrid").

        Told where verbs need no subject, by the small word before every name.
        """
        content = [chunk for chunk in own if chunk.role is Role.CONTENT]
        names = [chunk for chunk in content if chunk.kind in _NAMES]
        asks = any(chunk.key in self._rules.words("attributes") for chunk in content)
        placed = all(chunk.link.split()[:1] and chunk.link.split()[0] in _WHERE for chunk in names)
        return bool(names) and placed and not asks and len(content) - len(names) <= 1

    def _dressed(
        self, chunks: Sequence[Chunk], subject: Sequence[Chunk], question: str
    ) -> tuple[Chunk, ...]:
        """Apply what a searcher would: names before their roles, the year, other names."""
        kept = without_site(timed(chunks, self._ask, self._rules), self._facets.site)
        kept = roles_told(kept, self._resolved.question, self._reading, self._rules)
        kept = flipped(without_compare(kept), self._rules)
        kept = told_apart(kept, question, self._rules)
        kept = aliased(kept, self._rulebook)
        if vague(kept, self._rules) and subject:
            kept = (*subject[:SHORT], *kept)
        elif subject:
            kept = (*kept, *beyond(subject[:1], kept))
        return (*kept, *clock_year(self._reading, kept, self._told(), self._ask, self._rules))

    def _told(self) -> str:
        """Return the questions where a story stands around them, else all of the message."""
        return " ".join(self._asked.questions) if self._asked.before else self._reading.text

    def _status(self) -> list[tuple[Chunk, ...]]:
        """Where a service is said to be down: what its own status page is found by."""
        down = self._rules.phrase("service_down")
        match = down.search(self._asked.questions[0]) if down else None
        if match is None:
            return []
        service = chunks_of(match["it"], self._rules)
        status = Chunk(self._rules.mappings["asked_as"]["status"])
        return [(*service, status)] if service else []

    def _further(
        self, first: Sequence[Chunk], left: Sequence[Chunk], subject: Sequence[Chunk]
    ) -> list[tuple[Chunk, ...]]:
        """A second query: for what the first had no room for, or for another reading."""
        lines = [*self._status(), *leftovers([first], left, self._rules)]
        other = beyond(self._resolved.other, first)
        if other and not subject:
            own = [chunk for chunk in self._own[0] if chunk.role is not Role.ASKS]
            if other:
                lines.append(
                    fitted(
                        (
                            *room_for(other, own)[:CONTEXT_WORDS],
                            *beyond(self._resolved.lead[:1], other),
                            *own,
                        ),
                        self._rules,
                    )[0]
                )
        if subject and not left:
            lines += (
                [fitted((*subject[:2], *self._own[0]), self._rules)[0]]
                if len(subject) > 1 and vague(self._own[0], self._rules)
                else []
            )
        return lines


_NAMES = FIRM - {Kind.NUMBER}


def _names_first(lead: Sequence[Chunk], own: Sequence[Chunk]) -> bool:
    """Whether a message only names a thing, and the turns before what is asked of it."""
    plain = bool(lead) and not any(chunk.kind in _NAMES for chunk in lead)
    return plain and bool(own) and all(chunk.kind in _NAMES for chunk in own)


# Meanings of what people look for around them.
_LOCAL = frozenset(
    {"eatery", "lodging", "shop", "health_place", "where", "hours", "~plumbing", "~hairdresser"}
)
# Meanings of what is the same everywhere.
_ANYWHERE = frozenset({"explain", "meaning", "mechanism", "math", "code", "cooking", "science"})
_WHERE = frozenset({"en", "desde", "hasta", "por"})


def _subject_chunks(ask: Ask, rules: LanguageRules) -> tuple[Chunk, ...]:
    """Names of the subject, each whole; a title by its telling words."""
    if ask.subject is None:
        return ()
    found: list[Chunk] = []
    for element in ask.subject.elements():
        short = len(element.split()) <= SHORT
        found += [Chunk(element, Kind.ENTITY)] if short else chunks_of(straight(element), rules)
    seen = {chunk.key: chunk for chunk in found}
    return tuple(seen.values())
