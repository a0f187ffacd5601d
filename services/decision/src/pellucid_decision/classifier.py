"""Stage 2 of the cascade: logistic regression with our own small weights.

Two variants lie in one file: with the sentence embedding, and without it for when the scorer is
down or the language is one that the embedding model does not read.
"""

import io
import json
import math
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pellucid_decision import lexicon
from pellucid_decision.conversation import Ask
from pellucid_decision.deliberation import Opinion
from pellucid_decision.errors import UnavailableError, WeightsError
from pellucid_decision.features import (
    BUCKETS,
    EMBEDDING_SIZE,
    FORM_SIZE,
    Buckets,
    Vector,
    buckets_of,
    context_vector,
    embedding_vector,
    seen_in,
    signal_vector,
)
from pellucid_decision.ports import Encoder
from pellucid_decision.resolution import Resolved
from pellucid_decision.signals import Reading

PACKAGED_WEIGHTS = Path(__file__).resolve().parent / "data" / "classifier.npz"
MAX_WEIGHTS_BYTES = 200_000
# The embedding model reads English; on held-out messages in German, Spanish and French the n-grams
# alone did better.
EMBEDDED_LANGUAGES = frozenset({"en", "und"})
# Between these the classifier is in doubt and a language model, if there is one, is asked.
SURE_SEARCH = 0.65
SURE_ANSWER = 0.35


@dataclass(frozen=True, slots=True)
class Variant:
    """Weights of one variant.

    Attributes:
        grams: `float32[buckets]`, weights of hashed n-grams and meanings.
        rest: `float32[n]`, those of signals, concepts, form and embedding (if any), in this order.
        bias: Added to the weighted sum.
        slope: Calibration: factor of the logit.
        offset: Calibration: added to the logit.
    """

    grams: Vector
    rest: Vector
    bias: float
    slope: float
    offset: float

    def probability(self, found: Buckets, rest: Vector) -> float:
        """Return the calibrated probability that the web is needed.

        Args:
            found: N-grams and meanings that occur.
            rest: The other features.
        """
        worded = float(self.grams[found.places] @ found.values)
        logit = worded + float(self.rest @ rest) + self.bias
        return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, self.slope * logit + self.offset))))


@dataclass(frozen=True, slots=True)
class Weights:
    """Content of the weights file.

    Attributes:
        signals: Names of the signals, in the order of the weights.
        ngram: Variant without the embedding.
        embedded: Variant with it; None when it was not trained.
    """

    signals: tuple[str, ...]
    ngram: Variant
    embedded: Variant | None


def load_weights(path: Path = PACKAGED_WEIGHTS) -> Weights:
    """Read the weights file.

    Raises:
        WeightsError: It is missing, too large, or does not fit this code.
    """
    try:
        raw = path.read_bytes()
        if len(raw) > MAX_WEIGHTS_BYTES:
            raise WeightsError(f"{path.name}: larger than {MAX_WEIGHTS_BYTES} bytes")
        with np.load(io.BytesIO(raw), allow_pickle=False) as arrays:
            header = json.loads(bytes(arrays["header"]).decode())
            return _weights(header, {name: arrays[name] for name in arrays.files})
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise WeightsError(f"{path.name}: cannot be used ({type(error).__name__})") from error


def _weights(header: Mapping[str, object], arrays: Mapping[str, Vector]) -> Weights:
    names = header["signals"]
    fits = header.get("buckets") == BUCKETS and header.get("lexicon") == lexicon.version()
    if not isinstance(names, list) or not fits:
        raise WeightsError("classifier: made for other features")
    size = len(names) + 1 + len(lexicon.concept_names()) + FORM_SIZE
    embedded = _variant(arrays, "embedded", size + EMBEDDING_SIZE) if "embedded" in arrays else None
    return Weights(tuple(names), _variant(arrays, "ngram", size), embedded)


def _variant(arrays: Mapping[str, Vector], name: str, size: int) -> Variant:
    bias, slope, offset, step = (float(value) for value in arrays[f"{name}_scale"])
    grams = arrays[f"{name}_grams"].astype(np.float32) * step
    rest = arrays[name].astype(np.float32)
    finite = np.isfinite(grams).all() and np.isfinite(rest).all()
    if grams.shape != (BUCKETS,) or rest.shape != (size,) or not finite:
        raise WeightsError(f"classifier: variant {name} has the wrong shape")
    return Variant(grams, rest, bias, slope, offset)


@dataclass(frozen=True, slots=True)
class Sight:
    """What the classifier sees in one message; read once, however often it is asked.

    Attributes:
        classifier: Whose weights and encoder count.
        found: N-grams and meanings.
        base: The other features but the embedding.
    """

    classifier: "Classifier"
    found: Buckets
    base: Vector

    def probability(self) -> float:
        """Return the probability that the web is needed, without the embedding."""
        return self.classifier.weights.ngram.probability(self.found, self.base)

    async def consider(self, ask: Ask, resolved: Resolved, reading: Reading) -> Opinion:
        """Return the probability that the web is needed."""
        question = resolved.question if resolved.leans else ask.message
        embedding, degraded = await self.classifier.embedding(question, reading.language)
        variant = self.classifier.weights.embedded
        if variant is None or embedding is None:
            return _opinion(self.probability(), degraded)
        full = np.concatenate((self.base, embedding_vector(embedding)))
        return _opinion(variant.probability(self.found, full), degraded)


@dataclass(frozen=True, slots=True)
class Classifier:
    """Gives an opinion from the weights.

    Attributes:
        weights: Both variants.
        encoder: Sentence embeddings; None to run on n-grams only.
    """

    weights: Weights
    encoder: Encoder | None = None

    def look(self, ask: Ask, resolved: Resolved, reading: Reading) -> Sight:
        """Read a message."""
        seen = seen_in(ask, resolved, reading.language)
        signals = signal_vector(reading, self.weights.signals)
        return Sight(self, buckets_of(seen), np.concatenate((signals, context_vector(seen))))

    async def consider(self, ask: Ask, resolved: Resolved, reading: Reading) -> Opinion:
        """Return the probability that the web is needed."""
        return await self.look(ask, resolved, reading).consider(ask, resolved, reading)

    async def embedding(
        self, text: str, language: str
    ) -> tuple[Sequence[float] | None, tuple[tuple[str, str], ...]]:
        """Return the embedding of a text that has a use for one, and what was lost."""
        if (
            self.encoder is None
            or self.weights.embedded is None
            or language not in EMBEDDED_LANGUAGES
        ):
            return None, ()
        try:
            embedding = await self.encoder.embed(text)
        except UnavailableError:
            return None, (("scorer", "The classifier ran on n-grams only."),)
        fits = len(embedding) == EMBEDDING_SIZE and all(map(math.isfinite, embedding))
        return (embedding, ()) if fits else (None, (("scorer", "The embedding was not usable."),))


def _opinion(probability: float, degraded: tuple[tuple[str, str], ...]) -> Opinion:
    sure = probability >= SURE_SEARCH or probability <= SURE_ANSWER
    return Opinion(probability, sure=sure, degraded=degraded)
