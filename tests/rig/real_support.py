"""The scorer's claim support in process, with its real model: for measuring citations."""

from collections.abc import Sequence
from functools import cache, lru_cache

import numpy as np
import numpy.typing as npt

from pellucid_gateway.domain.findings import ScoredHit
from pellucid_gateway.domain.ports import Passage, PassageSupport, ScoreCall
from pellucid_language.scripts import is_read_by
from pellucid_runtime.errors import DependencyDownError
from pellucid_scorer.adapters import backends
from pellucid_scorer.encoding.reading_choice import are_apart, reader_of
from pellucid_scorer.ports import Encoder
from pellucid_scorer.settings import Device, ScorerSettings
from pellucid_scorer.support import likeness as support


@cache
def encoders() -> tuple[Encoder, ...]:
    """The encoders of this machine, opened once; the first is the usual one."""
    settings = ScorerSettings()
    files = (backends.chosen_files(settings), *backends.further_files(settings))
    return tuple(backends.open_encoder(each, Device.CPU, settings.scorer_threads) for each in files)


def encoder() -> Encoder:
    """The usual encoder."""
    return encoders()[0]


class _SupportOnly:
    """The calls of `ScorerPort` that the verifier does not make."""

    async def score(self, call: ScoreCall) -> tuple[ScoredHit, ...]:
        """Not offered."""
        raise NotImplementedError

    async def similarities(
        self,
        text: str,
        others: Sequence[str],
        *,
        no_store: bool = False,
        thorough: bool = False,
    ) -> tuple[float, ...]:
        """Not offered."""
        raise NotImplementedError


class SupportDown(_SupportOnly):
    """Implements `ScorerPort` as when the scorer cannot be reached."""

    async def support(
        self, claims: Sequence[str], passages: Sequence[Passage]
    ) -> tuple[tuple[PassageSupport, ...], ...]:
        """Fail."""
        del claims, passages
        raise DependencyDownError("scorer")


class RealSupport(_SupportOnly):
    """Implements `ScorerPort` with the scorer's own judgement of claims."""

    async def support(
        self, claims: Sequence[str], passages: Sequence[Passage]
    ) -> tuple[tuple[PassageSupport, ...], ...]:
        """Judge each claim against each passage."""
        read = [support.Passage.read(id=p.id, text=p.text) for p in passages]
        return tuple(tuple(_judged(claim, passage) for passage in read) for claim in claims)


def score(claim: str, text: str) -> float:
    """Support of one claim by one text, 0 to 1."""
    return _judged(claim, support.Passage.read(id="p", text=text)).score


class RealLikeness(SupportDown):
    """Implements `ScorerPort` as far as passages are chosen by it, with the real model."""

    async def similarities(
        self,
        text: str,
        others: Sequence[str],
        *,
        no_store: bool = False,
        thorough: bool = False,
    ) -> tuple[float, ...]:
        """Likeness of the text to each of the others, by the models that the service would ask."""
        del no_store
        scripts = [one.scripts for one in encoders()]
        place = reader_of(scripts, text, others)
        usual = next((i for i, known in enumerate(scripts) if is_read_by(known, text)), 0)
        if thorough and place == usual:
            able = [i for i, known in enumerate(scripts) if is_read_by(known, text)]
            each = [_likenesses(text, others, i) for i in able]
            return tuple(np.mean(each, axis=0).tolist())
        return _likenesses(text, others, place)


def _likenesses(text: str, others: Sequence[str], place: int) -> tuple[float, ...]:
    one = encoders()[place]
    asked = vector(one.prefixes.query + text, place)
    told = [vector(one.prefixes.passage + other, place) for other in others]
    cosines = np.array([asked @ other for other in told], np.float32)
    return tuple(one.scale.likenesses(cosines).tolist())


@lru_cache(maxsize=10_000)
def vector(text: str, place: int = 0) -> npt.NDArray[np.float32]:
    """Encode one text as float32[d], by one of the encoders."""
    one = encoders()[place]
    return one.encode(one.tokenize([text]))[0]


def _likeness(claim: str, window: str) -> float:
    """Likeness by the model that the service would ask."""
    place = reader_of([one.scripts for one in encoders()], claim, [window])
    one = encoders()[place]
    cosine = vector(one.prefixes.passage + claim, place) @ vector(
        one.prefixes.passage + window, place
    )
    return float(one.scale.likenesses(np.array([cosine], np.float32))[0])


def _judged(claim: str, passage: support.Passage) -> PassageSupport:
    read = support.Claim.read(claim)
    windows = [support.best_window(read, passage)]
    if are_apart(claim, [passage.text]):
        windows = [*support.windows_across(read, passage)]
    judged = max((_at(claim, passage, window) for window in windows), key=lambda one: one.score)
    return PassageSupport(
        passage_id=passage.id,
        score=judged.score,
        window_start=judged.window.start,
        window_end=judged.window.end,
    )


def _at(claim: str, passage: support.Passage, window: support.Window) -> support.Judgement:
    likeness = _likeness(claim, passage.text[window.start : window.end])
    return support.judge(passage.id, window, likeness)
