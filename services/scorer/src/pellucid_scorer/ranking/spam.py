"""How likely a result is spam, and how likely harmful: by its form and by what it sounds like.

A small linear model over the sentence embedding of title and snippet and over measures of form,
which know no word: capitals, exclamation, repetition, lists of keywords, the shape of the host. It
was trained by `eval/spam_train.py` on rows of our own. Shops, prices and offers are no spam.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from pellucid_language.scripts import RUN_ON
from pellucid_scorer.ranking.candidates import Candidate
from pellucid_scorer.ranking.domains import host_of

Floats = npt.NDArray[np.float32]

WORD = re.compile(r"\w+")
BRACKETED = re.compile(r"[\[(【][^\])】]{2,40}[\])】]")
YEAR = re.compile(r"\b20[2-9]\d\b")
PARTS = re.compile(r"[|,;、，•·–—]|\s-\s")
LEAST_TOKENS = 6
SHORT_PART = 4
"""Words of a part of a list of keywords, at most."""


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How likely a result is spam, and harmful, each in [0, 1]."""

    spam: float = 0.0
    harmful: float = 0.0


@dataclass(frozen=True, slots=True)
class SpamModel:
    """The weights of each encoder: float32[2, d + form], the last column is the bias."""

    weights: Mapping[str, Floats]

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read whole numbers and their scale by encoder.

        Raises:
            KeyError: An entry is missing.
        """
        table: dict[str, dict[str, Any]] = json.loads(text)
        return cls(
            {
                name: np.array(entry["weights"], np.float32) * np.float32(entry["scale"])
                for name, entry in table.items()
            }
        )

    def rate(
        self, candidates: Sequence[Candidate], vectors: Floats, encoder: str
    ) -> tuple[Likelihood, ...]:
        """Rate candidates by their unit vectors; by nothing where the encoder is unknown.

        Args:
            candidates: Their title, snippet and address are looked at.
            vectors: float32[n, d], in the same order; rows of nan are not rated.
            encoder: Model and precision, as the scorer names them.
        """
        weights = self.weights.get(encoder.partition("/")[0].removesuffix("-fp32"))
        if weights is None or not candidates:
            return tuple(Likelihood() for _ in candidates)
        rows = inputs(candidates, vectors)
        logits = np.nan_to_num(rows @ weights.T, nan=-np.inf)
        return tuple(Likelihood(*row) for row in (1.0 / (1.0 + np.exp(-logits))).tolist())


@cache
def shipped_model() -> SpamModel:
    """Return the model that comes with the scorer."""
    text = resources.files(__package__).joinpath("spam.json").read_text("utf-8")
    return SpamModel.from_json(text)


def inputs(candidates: Sequence[Candidate], vectors: Floats) -> Floats:
    """Return float32[n, d + form + 1]: vectors, measures of form, and one for the bias."""
    form = np.array([form_of(candidate) for candidate in candidates], np.float32)
    return np.hstack([vectors, form, np.ones((len(candidates), 1), np.float32)])


def form_of(candidate: Candidate) -> tuple[float, ...]:
    """Measures of form, each in [0, 1]; they know no word of any language."""
    title, text, host = candidate.title, candidate.text, host_of(candidate.url)
    tokens = _tokens(text)
    return (
        _capitals(title),
        min(1.0, sum(map(text.count, "!！")) / 3),
        min(1.0, sum(map(text.count, "%％")) / 2),
        float(bool(BRACKETED.search(title))),
        _repeated(tokens),
        min(1.0, (_most(pairwise(tokens)) - 1) / 3),
        _listed(text),
        min(1.0, max(0, title.count("|") - 1) / 2),
        min(1.0, host.count("-") / 3),
        min(1.0, max(0, host.count(".") - 1) / 2),
        min(1.0, sum(unicodedata.category(char) == "So" for char in text) / 3),
        float(bool(YEAR.search(title))),
    )


def _tokens(text: str) -> list[str]:
    """Words, and in scripts without spaces single characters."""
    found = WORD.findall(text.casefold())
    return [token for word in found for token in (word if RUN_ON.search(word) else [word])]


def _capitals(title: str) -> float:
    """Share of the longer words that are written in capitals."""
    words = [word for word in WORD.findall(title) if sum(map(str.isalpha, word)) > SHORT_PART - 1]
    return sum(map(str.isupper, words)) / len(words) if words else 0.0


def _repeated(tokens: Sequence[str]) -> float:
    return 1.0 - len(set(tokens)) / len(tokens) if len(tokens) >= LEAST_TOKENS else 0.0


def _most(pairs: Any) -> int:
    return max(Counter(pairs).values(), default=1)


def _listed(text: str) -> float:
    """Share of a text's parts between commas and bars that are a few words without a verb's end."""
    parts = [part for part in PARTS.split(text) if part.strip()]
    short = [part for part in parts if len(WORD.findall(part)) <= SHORT_PART and "." not in part]
    return len(short) / len(parts) if len(parts) > SHORT_PART else 0.0
