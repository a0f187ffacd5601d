# ruff: noqa: INP001 - a tool beside the package, not a module of it
"""How well candidates are ordered: nDCG of each method, and the project's own graded questions.

Used by the test that pins floors and by `eval/scorer_eval.py`.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
import yaml

from pellucid_scorer import semantic, tables, words
from pellucid_scorer.candidates import Candidate, Subject
from pellucid_scorer.ports import Encoder, TokenIds, Vectors
from pellucid_scorer.profiles import Overrides
from pellucid_scorer.ranking import Question, Ranking

OWN = Path(__file__).parent / "tests" / "ranked.yaml"
DEPTH = 10
BM25_K1, BM25_B = 1.2, 0.75


@dataclass(frozen=True, slots=True)
class Asked:
    """One question with its graded candidates.

    Attributes:
        query: The question.
        kind: Group that figures are averaged over.
        candidates: What was found.
        grades: Worth of each, 0 for none.
    """

    query: str
    kind: str
    candidates: Sequence[Candidate]
    grades: Sequence[int]

    @property
    def texts(self) -> list[str]:
        """What the model reads of each candidate."""
        return [candidate.text for candidate in self.candidates]


@dataclass(frozen=True, slots=True)
class Read:
    """A question and the vectors float32[1 + n, d] of it and its candidates."""

    asked: Asked
    vectors: Vectors
    scripts: frozenset[str]

    @property
    def cosines(self) -> npt.NDArray[np.float32]:
        """The cosine of the question and each candidate."""
        return semantic.cosines(self.vectors[1:], self.vectors[0])

    @property
    def semantics(self) -> Sequence[semantic.Semantic]:
        """The semantic part of each candidate, lift included."""
        return semantic.rate_all(self.asked.query, self.asked.texts, self.cosines, self.scripts)


Method = Callable[[Read], Sequence[float]]


def own() -> tuple[Asked, ...]:
    """Read the project's own questions."""
    groups = yaml.safe_load(OWN.read_text("utf-8"))
    return tuple(
        Asked(
            question["q"],
            group["kind"],
            tuple(_candidate(id_, text) for id_, text in group["candidates"].items()),
            tuple(question["grades"].get(id_, 0) for id_ in group["candidates"]),
        )
        for group in groups
        for question in group["questions"]
    )


def _candidate(id_: str, text: str) -> Candidate:
    title, _, snippet = text.partition("|")
    return Candidate(id=id_, url="", title=title.strip(), snippet=snippet.strip())


def read(asked: Sequence[Asked], encoder: Encoder) -> tuple[Read, ...]:
    """Embed questions and candidates, each text once."""
    every = list(dict.fromkeys(text for one in asked for text in (one.query, *one.texts)))
    vectors = dict(zip(every, embed(encoder, every), strict=True))
    return tuple(
        Read(one, np.array([vectors[t] for t in (one.query, *one.texts)]), encoder.scripts)
        for one in asked
    )


def embed(encoder: Encoder, texts: Sequence[str]) -> Vectors:
    """Return float32[n, d], in batches of like length, as many at a time as the encoder allows."""
    tokens = encoder.tokenize(texts)
    places = sorted(range(len(texts)), key=lambda place: len(tokens[place]))
    batches: list[list[int]] = [[]]
    for place in places:
        if (len(batches[-1]) + 1) * len(tokens[place]) > encoder.batch_tokens and batches[-1]:
            batches.append([])
        batches[-1].append(place)
    vectors = np.empty((len(texts), encoder.dimensions), np.float32)

    def encode(batch: Sequence[int]) -> None:
        rows: list[TokenIds] = [tokens[place] for place in batch]
        vectors[batch] = encoder.encode(rows)

    with ThreadPoolExecutor(encoder.parallelism) as pool:
        list(pool.map(encode, filter(None, batches)))
    return vectors


def methods(now: datetime) -> Mapping[str, Method]:
    """Return the scores of each way to order candidates, by its name."""
    rules = tables.read_profiles().rules("", Overrides(), time_sensitive=False)
    score_tables = tables.read_tables()

    def full(one: Read) -> list[float]:
        question = Question(one.asked.query, Subject(), now)
        ranking = Ranking(score_tables, rules, question)
        verdicts = ranking.rank(one.asked.candidates, one.semantics, one.vectors[1:])
        by_id = {verdict.rated.candidate.id: verdict.rated.final for verdict in verdicts}
        return [by_id[candidate.id] for candidate in one.asked.candidates]

    return {
        "given order": lambda one: [-place for place in range(len(one.asked.candidates))],
        "BM25": lambda one: bm25(one.asked.query, one.asked.texts),
        "cosine": lambda one: one.cosines.tolist(),
        "semantic with lift": lambda one: [part.score for part in one.semantics],
        "full formula": full,
    }


def mean_by_kind(rows: Sequence[Read], method: Method) -> Mapping[str, float]:
    """Return the mean nDCG by kind of question, and of ``all``; those without a use left out."""
    found: dict[str, list[float]] = {}
    for one in rows:
        value = ndcg(one.asked.grades, method(one))
        if value is not None:
            for kind in (one.asked.kind, "all"):
                found.setdefault(kind, []).append(value)
    return {kind: float(np.mean(values)) for kind, values in found.items()}


def ndcg(grades: Sequence[int], scores: Sequence[float]) -> float | None:
    """Return nDCG at `DEPTH` with exponential gains; None when nothing is relevant."""
    order = sorted(range(len(grades)), key=lambda place: -scores[place])
    best = _gain(sorted(grades, reverse=True))
    return _gain([grades[place] for place in order]) / best if best else None


def _gain(grades: Sequence[int]) -> float:
    return sum((2**grade - 1) / math.log2(rank + 2) for rank, grade in enumerate(grades[:DEPTH]))


def bm25(query: str, texts: Sequence[str]) -> list[float]:
    """Return the BM25 score of each text, with statistics of these texts alone."""
    bags = [Counter(words.terms(text)) for text in texts]
    lengths = [bag.total() for bag in bags]
    mean = sum(lengths) / len(lengths) or 1.0
    seen = Counter(term for bag in bags for term in bag)

    def worth(term: str, bag: Counter[str], length: int) -> float:
        rarity = math.log(1 + (len(bags) - seen[term] + 0.5) / (seen[term] + 0.5))
        norm = BM25_K1 * (1 - BM25_B + BM25_B * length / mean)
        return rarity * bag[term] * (BM25_K1 + 1) / (bag[term] + norm)

    wanted = set(words.terms(query))
    return [
        sum(worth(term, bag, length) for term in wanted if bag[term])
        for bag, length in zip(bags, lengths, strict=True)
    ]
