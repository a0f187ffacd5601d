"""What a question takes from the story before it, and what a first question is about."""

import re
from collections.abc import Sequence

from pellucid_decision.queries.limits import SHORT
from pellucid_decision.question.chunk import Chunk, Role
from pellucid_decision.question.chunks import chunks_of
from pellucid_decision.question.terms import FIRM, Kind
from pellucid_decision.rules.rulebook import LanguageRules

# Words of a story that a question without any of its own takes.
STORY_WORDS = 4
_NAMES = FIRM - {Kind.NUMBER}
_ASIDE = re.compile(r"[(（][^()（）]*[)）]")


def points_back(question: str, rules: LanguageRules) -> bool:
    """Whether a question has a word that stands for something said before it."""
    words = pointing_words(question, rules)
    pattern = rules.phrase("pronoun_forms")
    return bool(words & rules.words("pronouns_subject")) or bool(
        pattern and pattern.search(question)
    )


def says(chunk: Chunk, rules: LanguageRules) -> bool:
    """Whether a chunk names a thing: not only what is asked of one."""
    asks = chunk.key in rules.words("meaning_verbs") | rules.words("attributes")
    return chunk.role is Role.CONTENT and not asks


def things_told(before: str, rules: LanguageRules) -> tuple[Chunk, ...]:
    """Return the names of a story with the words they stand behind, else its last words."""
    told = rules.words("telling_verbs")
    found = [c for c in chunks_of(before, rules) if c.role is Role.CONTENT and c.key not in told]
    if rules.code == "de":  # whose nouns alone have capitals
        found = [chunk for chunk in found if not chunk.text[:1].islower()] or found
    named = {place for place, chunk in enumerate(found) if chunk.kind in FIRM}
    wanted = named | {_neighbour(found, place) for place in named}
    return tuple(found[place] for place in sorted(wanted)[-STORY_WORDS:]) or tuple(found[-SHORT:])


def _neighbour(found: Sequence[Chunk], place: int) -> int:
    """Return the place of the word that belongs to a name: right behind it, else before it."""
    behind = place + 1
    if behind < len(found) and _belongs(found[behind], found[place]):
        return behind
    return max(place - 1, 0)


def pointing_words(question: str, rules: LanguageRules) -> set[str]:
    """Return the words of a question without "there is" and "il y a", which point to nothing."""
    lower, empty = question.casefold(), rules.phrase("existential")
    return set(re.findall(r"[\w'-]+", empty.sub(" ", lower) if empty else lower))


def last_things(before: str, rules: LanguageRules) -> tuple[Chunk, ...]:
    """Return what was named last before a question: what its "it" most likely is."""
    clause = re.split(r"[,;!?，。]|\.(?!\d)", _ASIDE.sub("", before).strip(" ,.;!?，。"))
    for text in reversed(clause[-3:]):
        found = [
            chunk
            for chunk in chunks_of(text, rules)
            if chunk.role is Role.CONTENT and chunk.key not in rules.words("telling_verbs")
        ]
        if found:
            names = [n for n, chunk in enumerate(found) if chunk.kind in _NAMES]
            return tuple(found[names[-1] if names else -2 :][:2])
    return ()


def subject_of(chunks: Sequence[Chunk], rules: LanguageRules) -> tuple[Chunk, ...]:
    """Return what a question is about: its names, else its words but the last."""
    named = tuple(chunk for chunk in chunks if chunk.kind in _NAMES)
    if named and rules.code != "de":
        return named[:2]
    content = [
        chunk
        for chunk in chunks
        if chunk.role is Role.CONTENT
        and chunk.key not in rules.words("attributes") | rules.words("telling_verbs")
    ]
    return tuple(content[:SHORT])


def _belongs(chunk: Chunk, name: Chunk) -> bool:
    """Whether a word stands right behind a name that says which one ("US passport")."""
    near = chunk.start == name.start + len(name.text) + 1
    return near and name.kind in _NAMES and chunk.role is Role.CONTENT and not chunk.link
