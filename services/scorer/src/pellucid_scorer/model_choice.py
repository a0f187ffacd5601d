"""Which models are heard on a question, how much of the results each reads, and for how long."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, isfinite

import numpy as np

from pellucid_language.scripts import is_read_by
from pellucid_runtime.errors import OverloadedError
from pellucid_runtime.rpc.deadline import remaining_s
from pellucid_scorer.encoding.embedding import Embedded, Embedder
from pellucid_scorer.encoding.service_encoder import ServiceAnswer, ServiceEncoder
from pellucid_scorer.ranking import closer, semantic
from pellucid_scorer.ranking.candidates import Candidate
from pellucid_scorer.spent import Spent

FIRST_SHARE = 0.5
"""Of the caller's time, for the model that is asked first: where whole texts would take longer, it
reads their beginnings."""
FURTHER_SHARE = 0.7
"""Of the time that is then left, for each further one: it is left out where that is too little, so
that the first one's scores are not lost with it."""


@dataclass(frozen=True, slots=True)
class Outside:
    """An embedding service, and what it may be asked.

    Attributes:
        service: The service.
        shareable: What may leave in place of the questions, in their order; none: nothing may.
    """

    service: ServiceEncoder
    shareable: Sequence[str]


@dataclass(frozen=True, slots=True)
class Heard:
    """What all models made of questions and candidates.

    Attributes:
        local: By the models of this process, at least one.
        answer: By the embedding service.
    """

    local: Sequence[Embedded]
    answer: ServiceAnswer

    @property
    def every(self) -> Sequence[Embedded]:
        """All of them."""
        return [*self.local, *filter(None, [self.answer.embedded])]


async def hear(
    models: Sequence[Embedder],
    questions: Sequence[str],
    candidates: Sequence[Candidate],
    outside: Outside | None = None,
) -> Heard:
    """Return what each model that reads the questions makes of them and the candidates.

    One after the other, because together they would all be late where one of them is in time, and
    because what the first one finds tells what the others need to read: rows of vectors that they
    did not make are nan. An embedding service takes none of their time, so it is asked beside them.

    Raises:
        OverloadedError: The queue of the first model is full.
    """
    usual, asked = models[0], len(questions)
    texts = [candidate.text for candidate in candidates]
    able, *others = [one for one in models if one.reads(questions)] or [usual]
    within_s = share_s(FIRST_SHARE)
    try:
        first = await able.embed([*questions, *texts], questions=asked, within_s=within_s)
    except OverloadedError:
        if able is usual:
            raise
        first = await usual.embed([*questions, *texts], questions=asked, within_s=within_s)
    if not others and outside is None:
        return Heard([first], ServiceAnswer())
    found = [reading(first, place, asked) for place in range(asked)]
    read = closer.places(questions, candidates, found, first.languages)
    further, answer = await asyncio.gather(
        _further(others, questions, texts, read), _asked(outside, questions, candidates, read)
    )
    return Heard([first, *further], answer)


async def _further(
    others: Sequence[Embedder], questions: Sequence[str], texts: Sequence[str], read: Sequence[int]
) -> Sequence[Embedded]:
    """Return what other models make of some texts, where they answer in time."""
    asked, heard = len(questions), []
    for other in others:
        more = await if_free(other, [*questions, *(texts[place] for place in read)], asked)
        heard += [_spread(one, asked, read, len(texts)) for one in more]
    return heard


async def _asked(
    outside: Outside | None,
    questions: Sequence[str],
    candidates: Sequence[Candidate],
    places: Sequence[int],
) -> ServiceAnswer:
    """Return what the embedding service makes of some candidates, of what it may be sent."""
    if outside is None:
        return ServiceAnswer()
    service, shared = outside.service, questions
    if service.receiver:
        shared, places = outside.shareable, [p for p in places if not candidates[p].internal]
    sent = [place for place in places if candidates[place].text]
    if len(shared) != len(questions) or not all(shared) or not sent:
        return ServiceAnswer()
    texts = [candidates[place].text for place in sent]
    answer = await service.embed(shared, texts, within_s=share_s(FURTHER_SHARE))
    if answer.embedded is None:
        return answer
    spread = _spread(answer.embedded, len(questions), sent, len(candidates))
    return replace(answer, embedded=spread)


async def if_free(
    model: Embedder, texts: Sequence[str], questions: int, *, no_store: bool = False
) -> Sequence[Embedded]:
    """Return the vectors of questions and texts; none when room or time runs out."""
    within_s = share_s(FURTHER_SHARE)
    try:
        async with asyncio.timeout(within_s if isfinite(within_s) else None):
            found = await model.embed(
                texts, questions=questions, no_store=no_store, within_s=within_s, may_skip=True
            )
    except (OverloadedError, TimeoutError):
        return ()
    return (found,)


def share_s(share: float) -> float:
    """Return a share of the seconds that the caller still waits."""
    left_s = remaining_s()
    return inf if left_s is None else share * left_s


def reading(embedded: Embedded, place: int, questions: int) -> semantic.Reading:
    """Return what a model makes of one of several questions, which stand before the texts."""
    cosines = semantic.cosines(embedded.vectors[questions:], embedded.vectors[place])
    return semantic.Reading(cosines, embedded.scripts, embedded.scale)


def readings(
    heard: Sequence[Embedded], place: int, questions: Sequence[str]
) -> Sequence[semantic.Reading]:
    """Return what every model makes of one of several questions."""
    return [reading(one, place, len(questions)) for one in heard]


def reader_of_all(heard: Sequence[Embedded], candidates: Sequence[Candidate]) -> Embedded:
    """Return the first that reads the script of every text: by others' vectors all are alike."""
    texts = [candidate.text for candidate in candidates]
    readers = (one for one in heard if all(is_read_by(one.scripts, text) for text in texts))
    return next(readers, heard[0])


def longest(heard: Sequence[Embedded]) -> Spent:
    """Return where the time of the slowest model went; what the first had in its cache."""
    slowest = max(heard, key=lambda one: one.spent.total_s).spent
    return replace(slowest, cached_texts=heard[0].spent.cached_texts)


def _spread(embedded: Embedded, questions: int, read: Sequence[int], texts: int) -> Embedded:
    """Return vectors of some texts as rows of all, behind those of the questions."""
    if len(read) == texts:
        return embedded
    vectors = np.full((questions + texts, embedded.vectors.shape[1]), np.nan, np.float32)
    vectors[:questions] = embedded.vectors[:questions]
    vectors[questions + np.array(read)] = embedded.vectors[questions:]
    return replace(embedded, vectors=vectors)
