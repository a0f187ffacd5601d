"""What a message may be about besides its conversation: the subject, and what is known of a person.

The trained model learnt conversations. So both stand in this one as if they had been said, and the
message is read with them and without: alone it shows thanks to be thanks, with them it shows what
"more about this" and "where I live" mean.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import exp, log

from pellucid_decision.intent.model_verdict import LEANS_AT, SEARCH_AT
from pellucid_decision.ports import Understanding
from pellucid_decision.text.conversation import Ask, Role, Subject, Turn
from pellucid_decision.understanding.query_assembly import DEFAULTS, decode
from pellucid_decision.understanding.words import MESSAGE, Word

# A remembered word counts by its share of the best word of the message: the model, which never saw
# memories, is less sure of all words then. Of 36 messages of our own 16 of the 18 that speak of a
# memory are above it, none of the 18 others.
_REMEMBERED = 0.3
_EVEN = 0.05
# The mean of both readings' logits is too low by this; an offer that was made is usually meant.
# Of 84 messages of our own beside a subject 38 of the 42 searches are above, 3 of the 42 others.
_PRIOR, _OFFERED_PRIOR = 0.6, 1.0
# Who takes an offer up says little, so that words of what was offered count by this power of their
# probability, and those of the message by a third.
_OFFERED_POWER, _TAKEN_UP = 0.2, 0.3
# Alone so sure of a search, and so sure that nothing said before is needed, the model has read a
# complete question unless it is surer of a word of the subject: so 51 of 54 readings of messages of
# our own about something else beside three subjects, and 4 of 27 of others that ask of the subject.
_COMPLETE, _NEEDS_NOTHING, _MEANT = 0.9, 0.1, 0.6
_LEAST = 1e-4
_LABELS = ("Speaker", "Organisation", "Event")


@dataclass(frozen=True, slots=True)
class Read:
    """What the trained model reads in a message.

    Attributes:
        understood: Both readings weighed.
        words: Those that queries are made of.
        own_topic: It speaks of something else than the subject.
        gained: The first query has words of the background.
    """

    understood: Understanding
    words: tuple[Word, ...]
    own_topic: bool = False
    gained: bool = False


def background_of(ask: Ask) -> tuple[Turn, ...]:
    """Return memories and subject as turns, in this order; none where nothing is known."""
    texts = (" ".join(ask.memories), _described(ask.subject) if ask.subject else "")
    return tuple(Turn(Role.ASSISTANT, text) for text in texts if text)


def weighed(ask: Ask, alone: Read, told: Read, numbers: Sequence[int]) -> Read:
    """Return one reading of two.

    Args:
        ask: The request.
        alone: What is read in the message and its conversation.
        told: What is read in them with the background.
        numbers: Of the background's texts.
    """
    memories = numbers[0] if ask.memories else MESSAGE
    subject = numbers[-1] if numbers[-1] != memories else MESSAGE
    remembered = _remembered(told.words, memories)
    leans = told.understood.leans >= LEANS_AT and not _is_complete(alone, told, subject)
    own_topic = not leans and (bool(remembered) or _has_topic(ask, alone.words))
    if own_topic and not remembered:
        return replace(alone, own_topic=True)
    kept = (
        replace(word, queries=(min(1.0, remembered[word]), 0.0, 0.0))
        if word in remembered
        else _offered(word, subject)
        if ask.search_offered
        else word
        for word in told.words
        if word.text not in numbers
        or word in remembered
        or (word.text == subject and not own_topic and word.surface not in _LABELS)
    )
    words = lifted(tuple(kept))
    search = _both(ask, alone.understood.search, told.understood.search)
    usual = alone.understood if search < SEARCH_AT or own_topic else told.understood
    lean = usual.leans if search < SEARCH_AT else told.understood.leans
    understood = replace(
        usual,
        search=search,
        leans=max(lean, LEANS_AT if remembered else 0.0),
        kind=usual.kind or told.understood.kind,
    )
    first = next(iter(decode(words)), [])
    gained = any(word.text in numbers for word in first)
    # What was offered is one thing: the words of its title that have no room make no query.
    return Read(understood, tuple(first) if ask.search_offered else words, own_topic, gained)


def lifted(words: tuple[Word, ...]) -> tuple[Word, ...]:
    """Return words whose best one is certain, where the model is sure of none."""
    best = max((word.queries[0] for word in words), default=0.0)
    if not _LEAST < best < DEFAULTS.first_floor:
        return words
    return tuple(
        replace(word, queries=tuple(min(1.0, share / best) for share in word.queries))
        for word in words
    )


def _described(subject: Subject) -> str:
    """Return what a chat is about as an assistant would have said it."""
    people, firms = ", ".join(subject.speakers[:2]), ", ".join(subject.organizations[:2])
    told = zip(_LABELS, (people, firms, subject.event), strict=True)
    labelled = (f"{label}: {text}." for label, text in told if text)
    title = f"{subject.title}." if subject.title else ""
    return " ".join(filter(None, (title, *labelled, subject.description)))


def _is_complete(alone: Read, told: Read, subject: int) -> bool:
    """Whether a message says all that is to be searched for."""
    meant = max((word.queries[0] for word in told.words if word.text == subject), default=0.0)
    understood = alone.understood
    sure = understood.search >= _COMPLETE and understood.leans < _NEEDS_NOTHING
    return sure and meant < _MEANT


def _has_topic(ask: Ask, words: Sequence[Word]) -> bool:
    """Whether a message makes a query of its own; after an offer, one with a name."""
    first = next(iter(decode(words)), [])
    own = [word for word in first if word.text == MESSAGE]
    if ask.search_offered:  # the first word has its capital from the beginning
        return any(word.nameable and word.start > 0 for word in own)
    return bool(own)


def _remembered(words: Sequence[Word], memories: int) -> dict[Word, float]:
    """Return the words of the memories that a message speaks of, with their share."""
    best = max((word.queries[0] for word in words if word.text == MESSAGE), default=0.0)
    shares = {w: w.queries[0] / (best + _EVEN) for w in words if w.text == memories != MESSAGE}
    return {word: share for word, share in shares.items() if share >= _REMEMBERED}


def _offered(word: Word, subject: int) -> Word:
    """Return a word as it counts where an offer is taken up."""
    first = word.queries[0]
    share = first**_OFFERED_POWER if word.text == subject else first * _TAKEN_UP
    return replace(word, queries=(share, 0.0, 0.0))


def _both(ask: Ask, alone: float, told: float) -> float:
    """Return the probability of a search by both readings."""
    mean = (_logit(alone) + _logit(told)) / 2
    return 1 / (1 + exp(-mean - (_OFFERED_PRIOR if ask.search_offered else _PRIOR)))


def _logit(share: float) -> float:
    bounded = min(1 - _LEAST, max(_LEAST, share))
    return log(bounded / (1 - bounded))
