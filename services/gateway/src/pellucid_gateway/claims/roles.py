"""Who did what to whom: whether a claim has two parties of a sentence the other way round.

"Northport beat Eastport" and "Eastport beat Northport" share every word, so neither overlap nor a
sentence vector tells them apart; the order of the names around the same verb does. Only sentences
of one plain pattern are compared: the same two names, the same words between them, voice taken into
account. Anything else is left alone.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from pellucid_language import names
from pellucid_language.clauses import VERB_BORDER
from pellucid_language.folding import fold
from pellucid_language.stems import stem
from pellucid_language.verbs import is_known_verb, verb_key
from pellucid_language.words import Word, is_stop, words

PASSIVE = re.compile(r"\b(?:by|von|vom|durch|par|por|door|da|dal|av|af)\b", re.IGNORECASE)
"""Words that name the doer after the verb, in languages with capitalised names."""

SYMMETRIC = frozenset(
    {
        *("and", "or", "with", "between", "met", "versus", "vs", "merg", "marri"),
        *(
            "und",
            "oder",
            "mit",
            "zwischen",
            "et",
            "avec",
            "entre",
            "y",
            "e",
            "o",
            "con",
            "en",
            "och",
        ),
    }
)
"""Words between two names whose order means nothing."""


SAME_LETTERS = 4
"""Letters that forms of one verb usually share."""


FIRST_WORDS = 4
"""Words after a claim's first name among which its verb stands."""
VERB = re.compile(r"(?:ed|ght|old|ew|ook|ught)$|^(?:beat|led|won|met|left|sues?|owns?)$")
"""English forms that are verbs nearly always."""
SAYING = re.compile(r"^(?:said|says|added|told|noted|announced|called|named|joined|died)$")
"""Verbs that stand before their subject as well, or have no object."""
BE = re.compile(r"\b(?:was|were|is|are|been|being|be)\b")
BE_REACH = 20
"""Characters before a verb in which its "was" stands."""
ENGLISH = re.compile(r"\b(?:the|of|and|in|to|a|for|was|were|by|at|on|his|her|under)\b")


@dataclass(frozen=True, slots=True)
class Act:
    """One sentence as doer, words between, and who it is done to.

    Attributes:
        doer: Stems of the name that acts.
        other: Stems of the name that is acted on.
        between: Stems of the content words between the two names.
    """

    doer: tuple[str, ...]
    other: tuple[str, ...]
    between: frozenset[str]


def are_swapped(claim: str, sentence: str) -> bool:
    """Tell whether a claim gives the parties of a sentence each other's role.

    >>> are_swapped("Eastport sued Northport.", "Northport sued Eastport in May.")
    True
    >>> are_swapped("Eastport was sued by Northport.", "Northport sued Eastport in May.")
    False
    """
    pairs = [(one, other) for one in acts(claim) for other in acts(sentence)]
    alike = [(one, other) for one, other in pairs if _is_same(one.between, other.between)]
    is_kept = any((one.doer, one.other) == (other.doer, other.other) for one, other in alike)
    is_turned = any((one.doer, one.other) == (other.other, other.doer) for one, other in alike)
    return is_turned and not is_kept


def _is_same(words_: frozenset[str], others: frozenset[str]) -> bool:
    """Tell whether two acts share a word, whatever its ending ("beat", "beaten").

    Where both have English verbs, these must be shared: "ordered two tugs", "builds two tugs".
    """
    mine, theirs = ({verb_key(w) for w in w_ if is_known_verb(w)} for w_ in (words_, others))
    if mine and theirs and mine.isdisjoint(theirs):
        return False
    return any(one[:SAME_LETTERS] == other[:SAME_LETTERS] for one in words_ for other in others)


def is_turned(claim: str, sentence: str) -> bool:
    """Tell whether a claim lets a name do what a sentence says was done to it, or the other way.

    Where the other party is a pronoun in the sentence there are no two names to compare. The verb
    is the claim's first content word after the name that begins it; English word order only.

    >>> is_turned("Ann Lee studied under Bo Ray.", "He studied in Wexmoor under Ann Lee.")
    True
    >>> is_turned("Wexmoor bought Northport.", "Wexmoor was bought by its workers in May.")
    True
    >>> is_turned("Ann Lee was taught by him.", "She was taught by Bo Ray, said Ann Lee.")
    False
    """
    placed = _placed(claim)
    if not placed or placed[0].start > 0 or not ENGLISH.search(sentence):
        return False
    behind = list(words(claim[placed[0].end :]))[:FIRST_WORDS]
    verb = next((w for w in behind if not is_stop(stem(fold(w.text)))), None)
    if verb is None or not VERB.search(verb.text) or SAYING.search(verb.text):
        return False
    is_passive = BE.search(claim[placed[0].end : placed[0].end + verb.start]) is not None
    return _does_otherwise(placed[0].parts, stem(fold(verb.text)), sentence, is_passive)


def _does_otherwise(
    name: tuple[str, ...],
    verb: str,
    sentence: str,
    is_passive: bool,  # noqa: FBT001
) -> bool:
    """Tell whether the sentence has the name on the verb's other side, and never on this one."""
    sides = [_side(name, found, sentence) for found in _forms(verb, sentence)]
    told = {side for side in sides if side}
    return told == {"acts" if is_passive else "is acted on"}


def _forms(verb: str, sentence: str) -> Iterator[Word]:
    for word in words(sentence):
        if (
            stem(fold(word.text))[:SAME_LETTERS] == verb[:SAME_LETTERS]
            and len(verb) >= SAME_LETTERS
        ):
            yield word


def _side(name: tuple[str, ...], verb: Word, sentence: str) -> str:
    """What a name does at a form of a verb, by its place in the clause; empty where it is away."""
    before = VERB_BORDER.split(sentence[: verb.start])[-1]
    behind = VERB_BORDER.split(sentence[verb.end :])[0]
    is_passive = BE.search(before[-BE_REACH:]) is not None
    if name[-1] in {stem(fold(word.text)) for word in words(before)}:
        return "is acted on" if is_passive else "acts"
    if name[-1] in {stem(fold(word.text)) for word in words(behind)}:
        # "Designed by Ann Lee" tells who did it without a "was".
        doer = PASSIVE.search(behind) if is_passive else PASSIVE.match(behind.lstrip())
        return "acts" if doer else "is acted on"
    return ""


def acts(text: str) -> tuple[Act, ...]:
    """Return the acts of neighbouring names of a text, in order."""
    placed = _placed(text)
    found = (_act(text, first, second) for first, second in pairwise(placed))
    return tuple(act for act in found if act is not None)


@dataclass(frozen=True, slots=True)
class _Placed:
    parts: tuple[str, ...]
    start: int
    end: int


def _placed(text: str) -> tuple[_Placed, ...]:
    """Return the names of a text with their places, in order."""
    found = []
    start = 0
    for name in names.names(text):
        first, last = name.written.split()[0], name.written.split()[-1]
        start = text.find(first, start)
        if start < 0:
            break
        end = text.find(last, start) + len(last)
        found.append(_Placed(name.parts, start, end))
        start = end
    return tuple(found)


def _act(text: str, first: _Placed, second: _Placed) -> Act | None:
    between = text[first.end : second.start]
    if re.search(r"[.;:!?\n]", between):
        return None
    stems = [stem(fold(word.text)) for word in words(between)]
    content = frozenset(one for one in stems if not is_stop(one))
    if not content or not SYMMETRIC.isdisjoint(stems):
        return None
    if PASSIVE.search(between):
        return Act(second.parts, first.parts, content)
    return Act(first.parts, second.parts, content)
