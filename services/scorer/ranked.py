# ruff: noqa: INP001 - a tool beside the package, not a module of it
"""How well candidates are ordered: nDCG of each method, and the project's own graded questions.

Used by the test that pins floors and by `eval/scorer_eval.py`.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt
import yaml

from pellucid_language import words
from pellucid_language.scripts import is_read_by
from pellucid_scorer.ports import Encoder, TokenIds, Vectors
from pellucid_scorer.ranking import closer, semantic, tables
from pellucid_scorer.ranking.candidates import Candidate, Subject
from pellucid_scorer.ranking.profiles import Overrides
from pellucid_scorer.ranking.scores import Question, Ranking

OWN = Path(__file__).parent / "tests" / "ranked.yaml"
ACROSS = Path(__file__).parent / "tests" / "ranked_across.yaml"
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
    """A question, the candidates' vectors float32[n, d] by the first model, and all readings.

    The languages are those that the first model is good at.
    """

    asked: Asked
    vectors: Vectors
    readings: Sequence[semantic.Reading]
    languages: frozenset[str]

    @property
    def likenesses(self) -> npt.NDArray[np.float32]:
        """The mean likeness of the question and each candidate, without regard to scripts."""
        rows = [one.scale.likenesses(one.cosines) for one in self.readings]
        mean: npt.NDArray[np.float32] = np.mean(rows, axis=0)
        return mean

    @property
    def semantics(self) -> Sequence[semantic.Semantic]:
        """The semantic part of each candidate, lift included, of what each model would read."""
        query, candidates = self.asked.query, self.asked.candidates
        able = [one for one in self.readings if is_read_by(one.scripts, query)]
        first, *others = able or self.readings
        read = closer.places([query], candidates, [first], self.languages)
        is_read = np.isin(np.arange(len(candidates)), read)
        rows = [replace(one, cosines=np.where(is_read, one.cosines, np.nan)) for one in others]
        return semantic.rate_all(query, candidates, [first, *rows])


Method = Callable[[Read], Sequence[float]]


def own(file: Path = OWN) -> tuple[Asked, ...]:
    """Read the project's own questions; those of `ACROSS` are in another language than the pages.

    Where questions name their language, that is part of their kind.
    """
    groups = yaml.safe_load(file.read_text("utf-8"))
    return tuple(
        Asked(
            question["q"],
            f"{question['lang']} {group['kind']}" if "lang" in question else group["kind"],
            tuple(_candidate(id_, text) for id_, text in group["candidates"].items()),
            tuple(question["grades"].get(id_, 0) for id_ in group["candidates"]),
        )
        for group in groups
        for question in group["questions"]
    )


def _candidate(id_: str, text: str) -> Candidate:
    title, _, snippet = text.partition("|")
    return Candidate(id=id_, url="", title=title.strip(), snippet=snippet.strip())


def read(asked: Sequence[Asked], encoders: Sequence[Encoder]) -> tuple[Read, ...]:
    """Embed questions and candidates by each model, each text once."""
    rows = [_vectors(asked, encoder) for encoder in encoders]
    return tuple(
        Read(
            one,
            by_model[0][1],
            [
                semantic.Reading(semantic.cosines(texts, question), model.scripts, model.scale)
                for model, (question, texts) in zip(encoders, by_model, strict=True)
            ],
            encoders[0].languages,
        )
        for one, by_model in zip(asked, zip(*rows, strict=True), strict=True)
    )


def _vectors(asked: Sequence[Asked], encoder: Encoder) -> list[tuple[Vectors, Vectors]]:
    """Return the vector of each question and those of its candidates."""
    prefixes = encoder.prefixes
    questions = list(dict.fromkeys(one.query for one in asked))
    texts = list(dict.fromkeys(text for one in asked for text in one.texts))
    prefixed = [prefixes.query + one for one in questions], [prefixes.passage + t for t in texts]
    by_question = dict(zip(questions, embed(encoder, prefixed[0]), strict=True))
    by_text = dict(zip(texts, embed(encoder, prefixed[1]), strict=True))
    return [(by_question[one.query], np.array([by_text[t] for t in one.texts])) for one in asked]


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
        verdicts = ranking.rank(one.asked.candidates, one.semantics, one.vectors)
        by_id = {verdict.rated.candidate.id: verdict.rated.final for verdict in verdicts}
        return [by_id[candidate.id] for candidate in one.asked.candidates]

    return {
        "given order": lambda one: [-place for place in range(len(one.asked.candidates))],
        "BM25": lambda one: bm25(one.asked.query, one.asked.texts),
        "cosine": lambda one: one.likenesses.tolist(),
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
