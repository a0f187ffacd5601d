"""What the subject of the conversation and the names in a question mean for ranking."""

import re
from collections.abc import Iterable, Iterator, Sequence
from math import sqrt

from pellucid_language.folding import fold
from pellucid_language.words import words
from pellucid_scorer.ranking.candidates import Subject
from pellucid_scorer.ranking.lexical import is_name

MAX_LIFT = 0.1
"""Most that the subject's entities add to a final score: enough to decide between results that are
nearly equal, too little to bring in one that answers nothing."""

LONGEST_NAME = 4
"""Words of a question that are read together as one name, at most."""

NOT_ALNUM = re.compile(r"[\W_]+")


def lift(subject: Subject, text: str, base: float) -> float:
    """Return what the subject's entities in a text add to a final score.

    The lift grows with the root of the share of entities found, since one of several already tells
    what a result is about. It shrinks as the score nears 1, so that the sum never passes 1 and a
    result with an entity is always above an equal one without.

    Args:
        subject: The conversation's subject.
        text: Title and snippet.
        base: Weighted sum of the four parts, in [0, 1].
    """
    if not subject.entities:
        return 0.0
    return MAX_LIFT * sqrt(found_share(subject, text)) * (1.0 - base)


def found_share(subject: Subject, text: str) -> float:
    """Return the share of the subject's entities that a text mentions as whole words, in [0, 1]."""
    names = [name for name in map(_spaced, subject.entities) if name]
    if not names:
        return 0.0
    spaced = f" {_spaced(text)} "
    return sum(f" {name} " in spaced or _is_within(name, spaced) for name in names) / len(names)


def asked_about(question: str, subject: Subject) -> frozenset[str]:
    """Return the names in question as a registrable label would spell them.

    >>> sorted(asked_about("What did Hugging Face announce?", Subject(("OpenAI",))))
    ['face', 'hugging', 'huggingface', 'openai']
    """
    names = (*subject.entities, *_names(question))
    return frozenset(label for name in names if (label := NOT_ALNUM.sub("", fold(name))))


def _spaced(text: str) -> str:
    return NOT_ALNUM.sub(" ", fold(text)).strip()


def _is_within(name: str, spaced: str) -> bool:
    """Tell whether a name of a script that glues particles to words is in a text."""
    return not name.isascii() and name in spaced


def _names(question: str) -> Iterator[str]:
    """Yield every run of up to `LONGEST_NAME` neighbouring names of a question."""
    for run in _runs(question):
        for start in range(len(run)):
            for end in range(start + 1, min(len(run), start + LONGEST_NAME) + 1):
                yield "".join(run[start:end])


def _runs(question: str) -> Iterable[Sequence[str]]:
    run: list[str] = []
    for place, word in enumerate(words(question)):
        if is_name(word.text, is_first=place == 0):
            run.append(word.text)
        elif run:
            yield run
            run = []
    yield run
